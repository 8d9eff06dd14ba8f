package offer_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/sources/genaiprices"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/offer/offertest"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// readers are those of all price lists, for captures of OpenRouter that lack the
// envelope.
var readers = map[string]offertest.Reader{
	modelsdev.Source:   func(body, _ string) (*offer.Listing, error) { return modelsdev.Read(body) },
	litellm.Source:     func(body, _ string) (*offer.Listing, error) { return litellm.Read(body) },
	genaiprices.Source: genaiprices.Read,
	openrouter.Source:  func(body, _ string) (*offer.Listing, error) { return openrouter.ReadListing(`{"data":` + body + `}`) },
}

// pair is what two lists say of the same offers.
type pair struct {
	Of             [2]string       `json:"of"`
	Files          [2]string       `json:"files"`
	SharedOffers   int             `json:"sharedOffers"`
	PriceDiffering int             `json:"offersWithInputOrOutputPriceDiffering"`
	ByKey          map[string]*key `json:"byKey"`
	Differ         []map[string]any
}

type key struct {
	Same   int `json:"same"`
	Differ int `json:"differ"`
	Apart  int `json:"by1.5"`
}

// Two lists agree where they say the same of an offer, to the last bit, and
// contradict each other where they do not.
func TestDisagreements(t *testing.T) {
	var v struct {
		Pairs []pair `json:"pairs"`
	}
	if err := json.Unmarshal([]byte(vectortest.DataText(t, "vectors", "price-sources", "disagreements.json")), &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Pairs) < 5 {
		t.Fatalf("%d pairs", len(v.Pairs))
	}
	for _, want := range v.Pairs {
		t.Run(strings.Join(want.Files[:], " and "), func(t *testing.T) {
			got := compare(t, want.Of, want.Files)
			if got.SharedOffers != want.SharedOffers || got.PriceDiffering != want.PriceDiffering {
				t.Errorf("%d shared offers, the prices of %d differ; want %d, %d", got.SharedOffers, got.PriceDiffering, want.SharedOffers, want.PriceDiffering)
			}
			if !maps.EqualFunc(got.ByKey, want.ByKey, func(a, b *key) bool { return *a == *b }) {
				t.Errorf("by key %s,\nwant %s", canonical.MustMarshal(got.ByKey), canonical.MustMarshal(want.ByKey))
			}
			if g, w := lines(got.Differ), lines(want.Differ); !slices.Equal(g, w) || len(w) == 0 {
				t.Errorf("%d differ, want %d", len(g), len(w))
			}
		})
	}
}

func lines(list []map[string]any) (lines []string) {
	for _, item := range list {
		lines = append(lines, string(canonical.MustMarshal(item)))
	}
	slices.Sort(lines)
	return lines
}

type offered struct{ runtime, model string }

// statements returns what a file says of each offer, by key. Of two offers of one
// model at one runtime (perplexity has sonar and perplexity/sonar) the vectors
// compare the first.
func statements(t *testing.T, source, file string) map[offered]map[string]record.Scalar {
	t.Helper()
	at := timestamp.End // the day matters to dated prices alone
	_, date, _ := strings.Cut(file, ".")
	if len(date) >= len("YYYY-MM-DD") {
		at = date[:len("YYYY-MM-DD")] + "T23:59:59.999Z"
	}
	l, err := readers[source](vectortest.DataText(t, "data", file), at)
	if err != nil {
		t.Fatal(err)
	}
	all := map[offered]map[string]record.Scalar{}
	rows := map[offered]string{}
	for _, f := range offertest.Facts(l) {
		o := offered{f.Runtime, f.Model}
		if all[o] == nil {
			all[o], rows[o] = map[string]record.Scalar{}, f.Row
		}
		if f.Row == rows[o] {
			all[o][f.Key] = f.Value
		}
	}
	return all
}

func compare(t *testing.T, of, files [2]string) *pair {
	p := &pair{ByKey: map[string]*key{}}
	a, b := statements(t, of[0], files[0]), statements(t, of[1], files[1])
	for o, facts := range a {
		others, ok := b[o]
		if !ok {
			continue
		}
		p.SharedOffers++
		priceDiffers := false
		for name, x := range facts {
			y, ok := others[name]
			if !ok {
				continue
			}
			k := p.ByKey[name]
			if k == nil {
				k = &key{}
				p.ByKey[name] = k
			}
			if x == y {
				k.Same++
				continue
			}
			k.Differ++
			if f, g := x.Float(), y.Float(); offer.IsPrice(name) && max(f, g) >= 1.5*min(f, g) {
				k.Apart++
			}
			priceDiffers = priceDiffers || name == "price.input" || name == "price.output"
			p.Differ = append(p.Differ, map[string]any{"runtime": o.runtime, "model": o.model, "key": name, of[0]: plain(x), of[1]: plain(y)})
		}
		if priceDiffers {
			p.PriceDiffering++
		}
	}
	return p
}

// plain is a value as encoding/json has it.
func plain(v record.Scalar) any {
	switch v.Kind {
	case '0':
		return v.Float()
	case '"':
		return v.Text
	}
	return v.Kind == 't'
}
