// Package sellers knows who sells models: whose own API a seller is, and which sellers are major,
// which is a reviewed table with the reason of each line. What the table lacks is neither.
//
//	sellers.IsOwn("google-vertex", "google/gemini-3-pro")   // true: Google sells its own model
//	sellers.IsMajor("amazon-bedrock")                       // true: the cloud of Amazon
package sellers

import (
	_ "embed" // for the table
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

//go:embed sellers.json
var embedded []byte

// seller is a line of sellers.json.
type seller struct {
	ID     string   // as the ids of runtimes begin
	Makers []string // whose own API it is, as the ids of models begin
	Major  string   // why it counts as major; "" if it does not
}

// table returns the lines by the ids of sellers.
var table = sync.OnceValue(func() map[string]seller {
	var all struct{ Sellers []seller }
	if err := json.Unmarshal(embedded, &all); err != nil {
		panic(err) // a fault of the program, which a test finds
	}
	byID := map[string]seller{}
	for _, s := range all.Sellers {
		byID[s.ID] = s
	}
	return byID
})

// IsOwn reports whether a seller sells a model, by its id, that it made itself. Who has the name of
// the maker is the maker.
func IsOwn(id, model string) bool {
	maker, _, hasMaker := strings.Cut(model, "/")
	return hasMaker && (maker == id || slices.Contains(table()[id].Makers, maker))
}

// IsMajor reports whether a seller is a cloud or a large host.
func IsMajor(id string) bool { return table()[id].Major != "" }
