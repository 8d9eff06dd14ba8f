package sources

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Reason says why something of a source was reported. The values are part of the
// public interface.
type Reason string

// Why a row was skipped.
const (
	UnmappedRow Reason = "unmapped-row"  // no entry of the mapping speaks of it
	RowWidth    Reason = "row-width"     // has more or fewer cells than the table has columns
	RowUndated  Reason = "row-undated"   // does not say when it was measured
	RowInFuture Reason = "row-in-future" // is dated after the fetch
	RowEmpty    Reason = "row-empty"     // no value of it could be taken
	RowAlias    Reason = "row-alias"     // names another model today than tomorrow
)

// Why a value was left out, or what else is to be known.
const (
	MappedRowMissing Reason = "mapped-row-missing" // an entry of the mapping speaks of no row
	MissingValue     Reason = "missing-value"      // not stated, in any of the ways that sources have
	InvalidValue     Reason = "invalid-value"      // not a number, or outside of what it can be
	UnknownCost      Reason = "unknown-cost"       // a cost that is missing or 0
	UnknownPrice     Reason = "unknown-price"      // a price that varies, or a 0 that means not stated
	NotFinite        Reason = "not-finite"         // NaN or Infinity
	RelayedTwice     Reason = "relayed-twice"      // a variant repeats what its base model carries
	NewMembers       Reason = "new-members"        // members that the adapter does not know
	RateDiffers      Reason = "rate-differs"       // a published rate is not that of its own counts
)

// Diagnostic reports something of the input that did not stop the import.
type Diagnostic struct {
	Reason  Reason
	Path    string // into the snapshots or the mapping
	Row     string // the id of the row, "" if it is of none
	Message string
	Place   problem.Place
}

// String is the diagnostic without its place.
func (d *Diagnostic) String() string {
	return fmt.Sprintf("%s: %s: %s", d.Path, d.Reason, d.Message)
}

// note is a diagnostic whose place is still an offset.
type note struct {
	Diagnostic
	snapshot int // -1: of the mapping
	offset   int
}

// Notes collects diagnostics.
type Notes struct{ notes []note }

// Add reports something at a place in a snapshot. The path is a suffix of that
// of the place.
func (n *Notes) Add(reason Reason, row string, at Where, message string) {
	n.notes = append(n.notes, note{
		Diagnostic: Diagnostic{Reason: reason, Row: row, Message: message, Path: snapshotPath(at.Snapshot) + ".body" + at.Path},
		snapshot:   at.Snapshot,
		offset:     at.Offset,
	})
}

// AddUnknown names members that an adapter does not know, all in one diagnostic.
func (n *Notes) AddUnknown(names map[string]bool, snapshot int) {
	if len(names) == 0 {
		return
	}
	list := slices.Sorted(maps.Keys(names))
	const most = 20
	more := ""
	if len(list) > most {
		more = fmt.Sprintf(" and %d more", len(list)-most)
		list = list[:most]
	}
	for i, name := range list {
		list[i] = canonical.Quote(name)
	}
	n.Add(NewMembers, "", Where{Snapshot: snapshot}, "not known and not taken: "+strings.Join(list, ", ")+more)
}

// locate gives every note its place, going through each text once.
func locate(notes []note, snapshots []*Snapshot, mapping problem.Source) []Diagnostic {
	out := make([]Diagnostic, len(notes))
	of := map[int]problem.List{}
	for i := range notes {
		n := &notes[i]
		e := problem.New("", n.Path, "")
		e.Offset = n.offset
		of[n.snapshot] = append(of[n.snapshot], e)
	}
	for snapshot, list := range of {
		text := mapping
		if snapshot >= 0 {
			text = snapshots[snapshot].body
		}
		list.Locate(text.Text, problem.Start(text.Name))
	}
	used := map[int]int{}
	for i := range notes {
		n := &notes[i]
		out[i] = n.Diagnostic
		out[i].Place = of[n.snapshot][used[n.snapshot]].Place
		used[n.snapshot]++
	}
	return out
}
