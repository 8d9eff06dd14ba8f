package sources

import (
	"fmt"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/offer"
)

// Reason says why something of a source was reported: one of those below, or of those
// that price lists have, too.
type Reason = offer.Reason

// Why a row was skipped.
const (
	UnmappedRow    Reason = "unmapped-row"    // the mapping has no entry for it
	MappedToNone   Reason = "mapped-to-none"  // a person decided that it is not one model
	SameScope      Reason = "same-scope"      // another row stands in the same scope
	RowWidth       Reason = "row-width"       // has more or fewer cells than the table has columns
	RowUndated     Reason = "row-undated"     // does not say when it was measured
	RowInFuture    Reason = "row-in-future"   // is dated after the fetch
	OriginIsRead   Reason = "origin-is-read"  // a copy of what svc reads itself
	UnknownVersion Reason = "unknown-version" // of the schema of the source
	RunFailed      Reason = "run-failed"      // of one's own that did not end well, or was declared invalid
	SameRun        Reason = "same-run"        // of one's own that another file has, too
	UnknownBoard   Reason = "unknown-board"   // of a leaderboard of which nobody said how large it is
	RowEmpty              = offer.RowEmpty
	RowAlias              = offer.RowAlias
)

// Why a value was left out, or what else is to be known.
const (
	MappedRowMissing Reason = "mapped-row-missing" // an entry of the mapping speaks of no row
	Superseded       Reason = "superseded"         // a later record says it, too
	MissingValue     Reason = "missing-value"      // not stated, in any of the ways that sources have
	UnknownCost      Reason = "unknown-cost"       // a cost that is missing or 0
	NotFinite        Reason = "not-finite"         // NaN or Infinity
	RateDiffers      Reason = "rate-differs"       // a published rate is not that of its own counts
	RuntimeDiffers   Reason = "runtime-differs"    // the file names another runtime than the mapping
	InvalidValue            = offer.InvalidValue
	UnknownPrice            = offer.UnknownPrice
	RelayedTwice            = offer.RelayedTwice
	NewMembers              = offer.NewMembers
	OpenModel               = offer.OpenModel
	SeveralOffers           = offer.SeveralOffers
	Disputed                = offer.Disputed
)

// Diagnostic reports something of the input that did not stop the import.
type Diagnostic struct {
	Reason  Reason
	Path    string // into the snapshots or the mapping
	Row     string // the id of the row, "" if it is of none
	Message string
	Place   problem.Place
	IsRow   bool // the whole row was skipped
	// Snapshots is how many snapshots it is of; the path and the place are those in
	// the first.
	Snapshots int
}

// String is the diagnostic without its place. It names the row.
func (d *Diagnostic) String() string {
	row := canonical.Quote(d.Row)
	if d.Row == "" || strings.Contains(d.Message, row) || strings.Contains(d.Path, d.Row) {
		return fmt.Sprintf("%s: %s: %s", d.Path, d.Reason, d.Message)
	}
	return fmt.Sprintf("%s: %s: %s: %s", d.Path, d.Reason, row, d.Message)
}

// Where is a place in the body of a snapshot.
type Where struct {
	Snapshot *Snapshot
	Path     string // inside the body: .data[3], or [3] in a list
	Offset   int
}

// Notes collects diagnostics in the order in which they are met.
type Notes struct{ list []note }

// note is a diagnostic whose place is still an offset.
type note struct {
	Diagnostic
	snapshot *Snapshot // nil if it is of the mapping
	offset   int
}

// Add reports something at a place in a snapshot.
func (n *Notes) Add(reason Reason, row string, at Where, message string) {
	n.list = append(n.list, note{
		Diagnostic: Diagnostic{Reason: reason, Row: row, Message: message, Path: at.Snapshot.path + ".body" + at.Path,
			Snapshots: 1},
		snapshot: at.Snapshot,
		offset:   at.Offset,
	})
}

// addMissing reports an entry of the mapping that no row answers to.
func (n *Notes) addMissing(row string, offset int) {
	n.list = append(n.list, note{
		Diagnostic: Diagnostic{
			Snapshots: 1,
			Reason:    MappedRowMissing,
			Row:       row,
			Message:   canonical.Quote(row) + " is in the mapping, but in no snapshot",
			Path:      mappingPath + ".entries." + row,
		},
		offset: offset,
	})
}

// locate gives every diagnostic its place, going through each text once.
func (n *Notes) locate(mapping problem.Source) []Diagnostic {
	faults := make(problem.List, len(n.list))
	texts := map[*Snapshot]problem.List{}
	for i, note := range n.list {
		faults[i] = &problem.Error{Offset: note.offset}
		texts[note.snapshot] = append(texts[note.snapshot], faults[i])
	}
	for snapshot, list := range texts {
		text := mapping
		if snapshot != nil {
			text = snapshot.body
		}
		list.Locate(text.Text, problem.Start(text.Name))
	}
	diagnostics := make([]Diagnostic, len(n.list))
	for i, note := range n.list {
		diagnostics[i] = note.Diagnostic
		diagnostics[i].Place = faults[i].Place
	}
	return diagnostics
}
