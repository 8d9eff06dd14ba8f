package offertest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/offer"
)

// Show returns what a row gives: each fact as its key and its value, in canonical
// JSON, each note as its reason and path, and why the row is skipped.
func Show(r *offer.Row) (lines []string) {
	for _, d := range r.Declarations {
		if d.Name == offer.Described {
			continue
		}
		for _, f := range d.Facts {
			lines = append(lines, f.Key+" "+JSON(f.Value))
		}
	}
	for _, n := range r.Notes {
		lines = append(lines, fmt.Sprintf("%s at %s", n.Reason, n.Path))
	}
	if r.Skip != "" {
		lines = append(lines, string(r.Skip))
	}
	return lines
}

// Value reads JSON as a source prints it.
func Value(t testing.TB, text string) *offer.Value {
	t.Helper()
	r := ijson.NewReader(text, problem.InvalidSourceSnapshot)
	v := offer.ReadJSON(r)
	if faults := r.End(); faults != nil {
		t.Fatal(faults)
	}
	return v
}

// Row returns the row of a listing with the id.
func Row(t testing.TB, l *offer.Listing, id string) *offer.Row {
	t.Helper()
	for i := range l.Rows {
		if l.Rows[i].ID == id {
			return &l.Rows[i]
		}
	}
	t.Fatalf("there is no row %s", id)
	return nil
}

// Hold holds what every listing promises, whatever it was read from.
func Hold(t testing.TB, l *offer.Listing) {
	t.Helper()
	offers := map[offer.Offer]bool{}
	for i := range l.Rows {
		r := &l.Rows[i]
		if isEmpty := len(r.Declarations) == 0; isEmpty != (r.Skip != "") || isEmpty != (r.Why != "") {
			t.Errorf("%q: %d declarations, skipped as %q: %s", r.ID, len(r.Declarations), r.Skip, r.Why)
		}
		if r.Skip == "" && offers[r.Offer] {
			t.Errorf("two rows have the offer %q", r.Offer)
		}
		offers[r.Offer] = r.Skip == "" || offers[r.Offer]
		for j, d := range r.Declarations {
			if j > 0 && d.Name <= r.Declarations[j-1].Name || len(d.Facts) == 0 {
				t.Errorf("%q: declaration %q after %q with %d facts", r.ID, d.Name, r.Declarations[max(0, j-1)].Name, len(d.Facts))
			}
			holdFacts(t, r, &d)
		}
		for _, n := range r.Notes {
			if n.Row != r.ID || n.Reason == "" || n.Message == "" || n.Place.Line == 0 {
				t.Errorf("%q: note %+v", r.ID, n)
			}
		}
	}
}

func holdFacts(t testing.TB, r *offer.Row, d *offer.Declaration) {
	t.Helper()
	if _, err := ijson.ReadValue(d.Read, problem.InvalidJSON); err != nil {
		t.Errorf("%q: read of %s: %v", r.ID, d.Read, err)
	}
	for i, gap := range d.Gaps {
		if slices.Contains(d.Gaps[:i], gap) {
			t.Errorf("%q: %s says %q twice", r.ID, d.Name, gap)
		}
	}
	for i, f := range d.Facts {
		if i > 0 && f.Key <= d.Facts[i-1].Key {
			t.Errorf("%q: fact %q after %q", r.ID, f.Key, d.Facts[i-1].Key)
		}
		if f.Value.Kind != '0' {
			continue
		}
		number := f.Value.Float()
		isLimit := offer.IsLimit(f.Key) && (number < 1 || number != math.Trunc(number))
		if isPrice := offer.IsPrice(f.Key) && (number < 0 || number > 0.001); isPrice || isLimit {
			t.Errorf("%q: %s is %v", r.ID, f.Key, number)
		}
	}
}
