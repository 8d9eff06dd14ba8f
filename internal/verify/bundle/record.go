package bundle

import (
	"bytes"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// Record is one claim, evidence, event, authority trace or policy as its producer
// wrote it. Number spellings and the order of members are kept; insignificant
// white space is gone. Only reading a bundle makes one, so that JSON is known to be
// right; a store gives back what it was given.
type Record struct {
	ID   string
	JSON string
}

// Plain returns the record without what was decoded of it.
func (r Record) Plain() Record { return r }

// Canonical returns the record as canonical JSON (RFC 8785).
func (r Record) Canonical() ([]byte, error) {
	return ijson.Canonical(r.JSON, problem.InvalidTrustBundle)
}

// Equal reports whether two records are the same: equal as canonical JSON.
func (r Record) Equal(other Record) bool {
	if r.JSON == other.JSON {
		return true
	}
	a, errA := r.Canonical()
	b, errB := other.Canonical()
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// Entry is a record and where it is in the text that it was read from.
type Entry struct {
	Record
	at spots
}

func (e *Entry) base() *Entry { return e }

// entry is a pointer to a decoded record of whatever kind.
type entry interface {
	base() *Entry
	Plain() Record
}

// CompareIDs orders records by their ids, as lists of records are sorted.
func CompareIDs(a, b Record) int { return canonical.CompareText(a.ID, b.ID) }

// Kind is a kind of record. A bundle has a list of each.
type Kind int

// The kinds of records.
const (
	KindClaim Kind = iota
	KindEvidence
	KindEvent
	KindTrace
	KindPolicy
	KindLink
	KindGroup
)

// Stored is the number of kinds that stores keep and answers hold: those before
// this one.
const Stored = KindPolicy

var kindNames = [...]struct{ collection, name string }{
	KindClaim:    {"claims", "claim"},
	KindEvidence: {"evidence", "evidence"},
	KindEvent:    {"events", "event"},
	KindTrace:    {"authorityTrace", "authority trace"},
	KindPolicy:   {"policies", "policy"},
	KindLink:     {"identityLinks", "identity link"},
	KindGroup:    {"claimGroups", "claim group"},
}

// Collection returns the name of the bundle's member that lists the kind.
func (k Kind) Collection() string { return kindNames[k].collection }

// String returns what a record of the kind is called.
func (k Kind) String() string { return kindNames[k].name }

// Movable reports whether records of the kind may change under their ids: claims and
// authority traces move on, evidence and events never change.
func (k Kind) Movable() bool { return k == KindClaim || k == KindTrace }

// RecordID names the record of the kind that has the id.
func (k Kind) RecordID(id string) record.RecordID {
	return record.RecordID{Collection: k.Collection(), ID: id}
}

// Records is what a store knows of a ref, or of several. Each list is sorted by id
// with [canonical.CompareText] and holds an id once. Whoever gets Records from a
// store must not change them.
type Records struct {
	Claims         []Record
	Evidence       []Record
	Events         []Record
	AuthorityTrace []Record
}

// List returns the list of a kind that stores keep.
func (r *Records) List(k Kind) *[]Record {
	return [Stored]*[]Record{&r.Claims, &r.Evidence, &r.Events, &r.AuthorityTrace}[k]
}

// Sort puts the lists in order and drops what is there twice, for stores whose
// records come from several places.
func (r *Records) Sort() {
	for kind := range Stored {
		list := r.List(kind)
		if !slices.IsSortedFunc(*list, CompareIDs) {
			slices.SortStableFunc(*list, CompareIDs)
		}
		*list = slices.CompactFunc(*list, func(a, b Record) bool { return a.ID == b.ID })
	}
}

// Row is a record of a kind that stores keep, and what they find it by.
type Row struct {
	Record
	Refs   []string // that name it, distinct and not empty; the id of a claim comes first
	Claims []string // that it is about: the claim of evidence and events, those that a trace names, distinct
	Actor  string   // of an event, or of a trace
}

// distinct returns the refs that are not empty, each once.
func distinct(refs ...string) []string {
	list := refs[:0]
	for _, ref := range refs {
		if ref != "" && !slices.Contains(list, ref) {
			list = append(list, ref)
		}
	}
	return list
}

// The limits of a question to an endpoint.
const (
	MaxRefs     = 256  // of one question
	MaxRefBytes = 2048 // of one ref
)

// IsRef reports whether a text can be asked for.
func IsRef(s string) bool { return s != "" && len(s) <= MaxRefBytes }
