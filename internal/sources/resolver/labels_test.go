package resolver_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// label is a row with what a person decided that it is.
type label struct {
	Source, Provider, ID string
	Maker, Model         string
	Service              []string
	Region               string
	Sure                 bool
}

// readLabels reads what somebody else decided by hand of rows of four price lists.
func readLabels(t *testing.T) []label {
	t.Helper()
	return slices.DeleteFunc(vectortest.Parts[label](t, "testdata/labels.jsonl.gz"), func(l label) bool { return !l.Sure })
}

// name is the name as the adapters read it.
func (l *label) name() resolver.Name {
	provider := offer.ReadRuntimes(l.Source).Provider(l.Provider)
	n := resolver.Name{Seller: provider.Runtime, ID: l.ID}
	if l.Source == "litellm-prices" {
		n.ID = strings.TrimPrefix(l.ID, provider.Prefix+"/")
	}
	return n
}

func (l *label) model() string { return l.Maker + "/" + l.Model }

// kind returns the kind and the services of a label.
func (l *label) kind() (resolver.Kind, []string) {
	kind, services := resolver.Offer, slices.Sorted(slices.Values(l.Service))
	for _, k := range []resolver.Kind{resolver.Alias, resolver.Router} {
		if i := slices.Index(services, string(k)); i >= 0 {
			kind, services = k, slices.Delete(services, i, i+1)
		}
	}
	return kind, services
}

// Of rows that a person labelled, those that are one model have one id and others have not;
// services and regions are as labelled. A commitment is a service here and none in the labels.
func TestLabels(t *testing.T) {
	labels := readLabels(t)
	if len(labels) < 600 {
		t.Fatalf("%d labels, there are more", len(labels))
	}
	r := newResolver(t)
	ids := make([]string, len(labels))
	served := 0
	for i := range labels {
		l := &labels[i]
		got := r.Resolve(l.name())
		if ids[i] = got.Model.ID; ids[i] == "" {
			ids[i] = l.Provider + "\t" + l.ID
		}
		if kind, services := l.kind(); slices.Equal(services, got.Services) && got.Region == l.Region && got.Kind == kind {
			served++
		} else {
			t.Logf("%s of %s: services %v, region %q, kind %s, want %v %q", l.ID, l.Provider, got.Services, got.Region, got.Kind, l.Service, l.Region)
		}
	}
	same, joined, found, wrong, makers := 0, 0, 0, 0, map[string]bool{}
	for i := range labels {
		for j := range i {
			one, together := labels[i].model() == labels[j].model(), ids[i] == ids[j]
			switch {
			case one && together:
				found++
			case together:
				wrong++
				makers[labels[i].Maker+" "+labels[j].Maker] = labels[i].Maker != labels[j].Maker
				t.Logf("joined: %s (%s) and %s (%s)", labels[i].ID, labels[i].model(), labels[j].ID, labels[j].model())
			}
			if one {
				same++
			}
			if together {
				joined++
			}
		}
	}
	recall, precision, share := float64(found)/float64(same), float64(joined-wrong)/float64(joined), float64(served)/float64(len(labels))
	t.Logf("%d labels: recall %.3f, precision %.4f, services and regions %.3f", len(labels), recall, precision, share)
	if recall < 0.97 || precision < 0.998 || share < 0.97 {
		t.Errorf("recall %.3f, precision %.4f, services and regions %.3f", recall, precision, share)
	}
	for pair, across := range maps.All(makers) {
		if across {
			t.Errorf("models of two makers are joined: %s", pair)
		}
	}
}
