package verify

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Record is one claim, evidence, event, authority trace or policy as its
// producer wrote it. Number spellings and the order of members are kept;
// insignificant white space is gone. Only reading a bundle makes one, so that
// JSON is known to be right; a store gives back what it was given.
type Record struct {
	ID   string
	JSON string
}

// Canonical returns the record as canonical JSON (RFC 8785). Two records with
// one id are the same record if these bytes are equal.
func (r Record) Canonical() ([]byte, error) {
	return canonicalText(make([]byte, 0, len(r.JSON)), r.JSON)
}

// canonicalText appends a JSON text as canonical JSON.
func canonicalText(dst []byte, text string) ([]byte, error) {
	r := ijson.NewReader(text, problem.InvalidTrustBundle)
	dst = r.AppendCanonical(dst)
	return dst, r.End().Err()
}

// Records is what a store knows of a ref, or of several. Each list is sorted
// by id with [canonical.CompareText] and holds an id once. Whoever gets Records
// from a store must not change them.
type Records struct {
	Claims         []Record
	Evidence       []Record
	Events         []Record
	AuthorityTrace []Record
}

// Sort puts the lists in order and drops what is there twice, for stores whose
// records come from several places.
func (r *Records) Sort() {
	for _, list := range []*[]Record{&r.Claims, &r.Evidence, &r.Events, &r.AuthorityTrace} {
		*list = sortedByID(*list)
	}
}

// sortedByID sorts a list in place and keeps the first record of each id.
func sortedByID(list []Record) []Record {
	if !slices.IsSortedFunc(list, compareIDs) {
		slices.SortStableFunc(list, compareIDs)
	}
	return slices.CompactFunc(list, func(a, b Record) bool { return a.ID == b.ID })
}

func compareIDs(a, b Record) int { return canonical.CompareText(a.ID, b.ID) }
