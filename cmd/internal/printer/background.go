package printer

import (
	"encoding/json"
	"slices"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is what a result does not say itself and people want to read beside it: what the
// request asked.

// Background is what a table of a result says besides the result. The zero value says nothing.
type Background struct {
	catalog  *catalog.Catalog
	criteria map[string]*asked
}

// asked is what a request asks by a criterion.
type asked struct {
	ID                  string
	Operator, Direction string
}

// NewBackground reads it from the normal form of a request of version 3.
func NewBackground(request string, c *catalog.Catalog) *Background {
	var q struct{ Requirements, Preferences, TieBreakers []*asked }
	if err := json.Unmarshal([]byte(request), &q); err != nil {
		return &Background{}
	}
	b := &Background{catalog: c, criteria: map[string]*asked{}}
	for _, a := range slices.Concat(q.Requirements, q.Preferences, q.TieBreakers) {
		b.criteria[a.ID] = a
	}
	return b
}

// points is an amount by which two values of a unit differ: percentages differ by points.
func points(difference float64, unit string) string {
	switch {
	case unit != "percent":
		return amount(difference, unit)
	case difference == 1:
		return "1 point"
	}
	return quantity.Number(difference) + " points"
}

// criterion returns what was asked by a criterion; nothing if that is not known.
func (b *Background) criterion(id record.Text) *asked {
	if a := b.criteria[string(id)]; a != nil {
		return a
	}
	return &asked{}
}

// unit returns that of an estimate.
func unit(e *v3.Estimate) string {
	if e == nil {
		return ""
	}
	return string(e.Unit)
}
