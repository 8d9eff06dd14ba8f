// Package servicetest has what examples and tests of the library share: the files of the
// repository's examples, small catalogs, keys and comparisons of errors. Paths are those of a
// package right below service.
package servicetest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/rank"
	"github.com/model-catalog-service/svc/service/record"
	"github.com/model-catalog-service/svc/service/verify"
)

// Offer is what a price list says of a model on a day: dollars for a million tokens.
type Offer struct {
	Model         string
	Input, Output float64
}

// PriceLists returns the catalog of a day of October 2026 from the list of that day.
func PriceLists(day int, offers ...Offer) *catalog.Catalog {
	from := time.Date(2026, 10, day, 0, 0, 0, 0, time.UTC)
	until := from.AddDate(0, 0, 7)
	var observations []catalog.Observation
	for _, offer := range offers {
		for key, dollars := range map[string]float64{"price.input": offer.Input, "price.output": offer.Output} {
			o, err := catalog.NewObservation(record.Observation{
				SchemaVersion: record.ObservationSchema,
				Kind:          "declaration",
				Model:         record.Model{ID: offer.Model},
				Execution: record.Scope{
					Kind: "partial", Profile: record.Profile{Runtime: record.Component{ID: "openrouter"}},
				},
				Measurements: []record.Measurement{
					{Key: key, Kind: "fact", Value: record.Number(dollars / 1e6), Unit: "USD/token"},
				},
				SourceClass: "external",
				Evidence: []record.Evidence{{
					ID: "openrouter-models:" + offer.Model + "#" + key, Kind: "price-list", URI: "https://openrouter.ai/models",
					ObservedAt: record.NewTimestamp(from),
				}},
				Freshness:   record.Freshness{ObservedAt: record.NewTimestamp(from), ValidUntil: record.NewTimestamp(until)},
				Uncertainty: record.Uncertainty{Level: "low", Basis: []string{"a list of prices"}},
			})
			if err != nil {
				panic(err)
			}
			observations = append(observations, o)
		}
	}
	options := catalog.CompileOptions{AsOf: from.Add(time.Hour)}
	c, err := catalog.CompileObservations(context.Background(), observations, options)
	if err != nil {
		panic(err)
	}
	return c
}

// FirstDay is a catalog of the first of two days.
func FirstDay() *catalog.Catalog {
	return PriceLists(1, Offer{"moonshotai/kimi-k2", 0.5, 2.5}, Offer{"openai/o1", 15, 60}, Offer{"x-ai/grok-4", 3, 15})
}

// SecondDay is a catalog of the other day.
func SecondDay() *catalog.Catalog {
	return PriceLists(5, Offer{"moonshotai/kimi-k2", 0.5, 2}, Offer{"x-ai/grok-4", 3, 18})
}

// Cheapest asks for the cheapest output.
func Cheapest() *rank.Request {
	request := rank.RequestRecord{
		SchemaVersion: rank.RequestSchemaV3,
		Preferences: []rank.Preference{{
			Measure:   rank.Measure{MeasurementKey: "price.output", Aggregation: "fact"},
			Direction: "minimize", Weight: 1, Scale: &rank.Scale{Low: 0, High: 20e-6},
		}},
	}
	for _, model := range []string{"moonshotai/kimi-k2", "openai/o1", "x-ai/grok-4"} {
		request.Inventory = append(request.Inventory, rank.Candidate{
			ID: model, Model: record.Model{ID: model},
			Execution: &rank.Execution{Runtime: &record.Component{ID: "openrouter"}},
		})
	}
	valid, err := rank.NewRequest(request)
	if err != nil {
		panic(err)
	}
	return valid
}

// Runs returns the observations of the repository's examples, one a line.
func Runs() []string {
	return strings.Split(strings.TrimSpace(string(Read("observations/runs.jsonl"))), "\n")
}

// November is after all of the examples.
var November = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// Read reads one of the repository's examples.
func Read(name string) []byte {
	text, err := os.ReadFile("../../examples/" + name)
	if err != nil {
		panic(err)
	}
	return text
}

// Bundle reads one of the bundles of the examples.
func Bundle(file string) *verify.Bundle {
	bundle, err := verify.ParseBundle(Read(file))
	if err != nil {
		panic(err)
	}
	return bundle
}

// Later is after the claims of the examples.
var Later = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// Keys returns a key pair, made of a seed that nobody should use.
func Keys() (private, public []byte) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err)
	}
	spki, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		panic(err)
	}
	private = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
	return private, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: spki})
}

// ExpectCode demands an error with code and path.
func ExpectCode(t *testing.T, what string, err error, code, path string) {
	t.Helper()
	e, ok := errors.AsType[*service.Error](err)
	if !ok || string(e.Code) != code || e.Path != path {
		t.Errorf("%s: %v, want %s at %s", what, err, code, path)
	}
}

// Marshal returns the JSON of a record.
func Marshal(t *testing.T, record any) []byte {
	t.Helper()
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Unmarshal reads a text into a record that must have all of its members.
func Unmarshal[T any](t *testing.T, text []byte) (record T) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&record); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return record
}
