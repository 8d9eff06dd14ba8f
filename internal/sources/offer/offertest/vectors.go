// Package offertest holds readers of price lists against the vectors, which are
// what a reader of another hand found in real files.
package offertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// Vector is what is expected of one file.
type Vector struct {
	Source      string         `json:"source"`
	File        string         `json:"file"`
	SHA256      string         `json:"sha256"`
	At          string         `json:"at"`
	Rows        int            `json:"rows"`
	Imported    int            `json:"imported"`
	Skipped     map[string]int `json:"skipped"`
	Facts       map[string]int `json:"facts"`
	FactsTotal  int            `json:"factsTotal"`
	FactsSHA256 string         `json:"factsSha256"`
	LeftOut     map[string]int `json:"leftOut"`
	Samples     []Sample       `json:"samples"`
}

// Sample is one fact of a file.
type Sample struct {
	Row         string          `json:"row"`
	Runtime     string          `json:"runtime"`
	Model       string          `json:"model"`
	Key         string          `json:"key"`
	Value       json.RawMessage `json:"value"`
	Printed     string          `json:"printed"`
	IEEE754     string          `json:"ieee754"`
	HoldsBefore string          `json:"holdsBefore"`
}

// Reader reads a body that was published at a time.
type Reader func(body, at string) (*offer.Listing, error)

// Read returns a vector and the listing of its file, whose bytes it checks.
func Read(t testing.TB, name string, read Reader) (*Vector, *offer.Listing) {
	t.Helper()
	v := ReadVector(t, name)
	body := vectortest.DataText(t, "data", v.File)
	if sum := canonical.Sum([]byte(body)); sum != v.SHA256 {
		t.Fatalf("%s has the sha256 %s, the vectors are of %s", v.File, sum, v.SHA256)
	}
	listing, err := read(body, v.At)
	if err != nil {
		t.Fatalf("%s: %v", v.File, err)
	}
	return v, listing
}

// ReadVector returns a vector.
func ReadVector(t testing.TB, name string) *Vector {
	t.Helper()
	v := &Vector{}
	decode(t, name, v)
	return v
}

// decode reads a file of the vectors, all of whose members must be known.
func decode(t testing.TB, name string, v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(vectortest.DataText(t, "vectors", "price-sources", name)))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// Check holds a reader against all vectors of its source.
func Check(t *testing.T, source string, read Reader) {
	for _, name := range Names(t, source) {
		t.Run(name, func(t *testing.T) {
			v, listing := Read(t, name, read)
			v.check(t, listing)
		})
	}
}

func (v *Vector) check(t *testing.T, l *offer.Listing) {
	skipped := map[string]int{}
	total := 0
	for reason, n := range l.Skipped() {
		skipped[string(reason)] = n
		total += n
	}
	if len(l.Rows) != v.Rows || len(l.Rows)-total != v.Imported || !maps.Equal(skipped, v.Skipped) {
		t.Errorf("%d rows, %d imported, skipped %v; want %d, %d, %v", len(l.Rows), len(l.Rows)-total, skipped, v.Rows,
			v.Imported, v.Skipped)
	}
	leftOut := map[string]int{}
	for name, n := range l.NewMembers {
		leftOut["unknown member "+name] = n
	}
	for i := range l.Rows {
		for _, n := range l.Rows[i].Notes {
			if n.Reason != offer.RelayedTwice { // of samples, which the vectors leave out
				leftOut[string(n.Reason)]++
			}
		}
	}
	differ(t, "left out", leftOut, v.LeftOut)

	facts := Facts(l)
	counts := map[string]int{}
	var lines []string
	for _, f := range facts {
		counts[f.Key]++
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s\n", f.Model, f.Runtime, f.Key, JSON(f.Value)))
	}
	differ(t, "facts", counts, v.Facts)
	slices.Sort(lines)
	if sum := canonical.Sum([]byte(strings.Join(lines, ""))); len(lines) != v.FactsTotal || sum != v.FactsSHA256 {
		t.Errorf("%d facts with the sha256 %s, want %d with %s", len(lines), sum, v.FactsTotal, v.FactsSHA256)
	}
	v.checkSamples(t, facts)
}

func differ(t *testing.T, what string, got, want map[string]int) {
	t.Helper()
	names := maps.Clone(want)
	maps.Copy(names, got)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if got[name] != want[name] {
			t.Errorf("%s: %s %d, want %d", what, name, got[name], want[name])
		}
	}
}

func (v *Vector) checkSamples(t *testing.T, facts []Fact) {
	of := map[string]Fact{}
	for _, f := range facts {
		of[f.Row+"\t"+f.Key] = f
	}
	for _, s := range v.Samples {
		f, ok := of[s.Row+"\t"+s.Key]
		until := ""
		if s.HoldsBefore != "" {
			until = s.HoldsBefore + "T00:00:00.000Z"
		}
		bits := ""
		if f.Value.Kind == '0' {
			bits = fmt.Sprintf("%016x", math.Float64bits(f.Value.Float()))
		}
		switch {
		case !ok:
			t.Errorf("%s %s is not stated, want %s", s.Row, s.Key, s.Value)
		case f.Runtime != s.Runtime || f.Model != s.Model || f.Until != until:
			t.Errorf("%s %s: model %s at %s until %q, want %s at %s until %q", s.Row, s.Key, f.Model, f.Runtime, f.Until,
				s.Model, s.Runtime, until)
		case s.IEEE754 != "" && bits != s.IEEE754:
			t.Errorf("%s %s is %s (%s), want %s (%s)", s.Row, s.Key, JSON(f.Value), bits, s.Value, s.IEEE754)
		case s.IEEE754 == "" && JSON(f.Value) != string(s.Value):
			t.Errorf("%s %s is %s, want %s", s.Row, s.Key, JSON(f.Value), s.Value)
		}
	}
	if len(v.Samples) < 100 {
		t.Errorf("only %d samples", len(v.Samples))
	}
}

// Fact is a fact of a row under the shared vocabulary.
type Fact struct {
	offer.Fact
	Row, Model, Runtime, Until string
}

// Facts returns all facts of a listing, but for those under keys of its source.
func Facts(l *offer.Listing) (facts []Fact) {
	for i := range l.Rows {
		r := &l.Rows[i]
		for _, d := range r.Declarations {
			for _, f := range d.Facts {
				if d.Name != offer.Described && !strings.HasPrefix(f.Key, "openrouter.") {
					facts = append(facts, Fact{f, r.ID, r.Offer.ModelID(), r.Offer.Runtime, d.Until})
				}
			}
		}
	}
	return facts
}

// JSON is a value as canonical JSON.
func JSON(v record.Scalar) string {
	e := canonical.Encoder{}
	catalog.EncodeScalar(&e, v)
	return string(e.Buf)
}

// Names returns the names of the vectors of a source, one for each file.
func Names(t testing.TB, source string) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(vectortest.Data(t, "vectors", "price-sources"), source+".20*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	if len(names) == 0 {
		t.Fatalf("no vectors of %s", source)
	}
	return names
}
