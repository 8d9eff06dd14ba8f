package explore

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/sellers"
	"github.com/model-catalog-service/svc/service/record"
)

// This file makes what the page shows of one model.

// detail is a model with its row, its offers, and all that the catalog has of it.
type detail struct {
	Row       *row              `json:"row"`
	Places    []*place          `json:"places"`
	Conflicts []json.RawMessage `json:"conflicts"`
	Model     json.RawMessage   `json:"model"`
}

// place is what one seller says of what it sells.
type place struct {
	Place   string           `json:"place"`
	Parts   []string         `json:"parts"` // services and the region
	Until   string           `json:"until"` // the first end of what holds
	IsUsual bool             `json:"usual"`
	IsEnded bool             `json:"ended"`
	Cells   map[string]*cell `json:"cells"`
	stated  map[string][]string
}

// details makes details of the models of a catalog.
type details struct {
	catalog   *catalog.Catalog
	rows      map[string]*row // by key
	numbers   map[string]int  // of models, by key
	conflicts map[string][]json.RawMessage
}

func newDetails(c *catalog.Catalog, x *index) *details {
	d := &details{c, map[string]*row{}, map[string]int{}, map[string][]json.RawMessage{}}
	for _, r := range x.Rows {
		d.rows[r.Key] = r
	}
	for i := range c.Models() {
		d.numbers[c.Models()[i].Key] = i
	}
	for _, conflict := range c.Conflicts() {
		d.conflicts[conflict.ModelKey] = append(d.conflicts[conflict.ModelKey], json.RawMessage(conflict.JSON))
	}
	return d
}

// of returns the detail of a model as JSON, nil if there is no such model.
func (d *details) of(key string) []byte {
	number, ok := d.numbers[key]
	if !ok {
		return nil
	}
	span := d.catalog.ModelSpans()[number]
	text, err := json.Marshal(detail{d.rows[key], d.places(&d.catalog.Models()[number]),
		append([]json.RawMessage{}, d.conflicts[key]...),
		json.RawMessage(d.catalog.Serialize()[span.Start:span.End])})
	if err != nil {
		panic(err) // all of it was read before
	}
	return bytes.TrimSpace(text)
}

// places are the offers of a model: those that are sold as usual first, then by name.
func (d *details) places(m *catalog.ModelEntry) []*place {
	asOf := record.Timestamp(d.catalog.AsOf())
	byName := map[string]*place{}
	filler := newFiller(string(asOf))
	records := catalog.NewRecordReader()
	for _, o := range m.Observations {
		rec := records.Read(o)
		runtime, isAlone := rec.Execution.RuntimeAlone()
		if !isAlone || runtime == "" || rec.Measurements[0].Kind != record.Fact {
			continue
		}
		p := byName[runtime]
		if p == nil {
			p = &place{Place: strings.Clone(runtime), Cells: map[string]*cell{}, stated: map[string][]string{}}
			_, parts := record.Seller(p.Place)
			p.Parts = append([]string{}, parts...)
			byName[p.Place] = p
		}
		filler.add(o.ID(), rec, p.Cells, runtime)
		if !rec.Freshness.HoldsAt(asOf) {
			continue
		}
		if until := string(rec.Freshness.ValidUntil); until != "" && (p.Until == "" || until < p.Until) {
			p.Until = strings.Clone(until)
		}
		for i := range rec.Measurements {
			if v := rec.Measurements[i].Value; v.Kind == '"' {
				key := strings.Clone(rec.Measurements[i].Key)
				p.stated[key] = append(p.stated[key], strings.Clone(v.Text))
			}
		}
	}
	filler.settle()
	list := []*place{}
	for _, p := range byName {
		stated := func(key string) []string { return p.stated[key] }
		p.IsUsual, p.IsEnded = sellers.IsUsual(string(asOf), stated), sellers.IsEnded(string(asOf), stated)
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b *place) int { return canonical.CompareText(a.Place, b.Place) })
	return list
}
