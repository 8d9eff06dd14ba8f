package compare

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// ReadDiffs reads records of diffs: one, or several, one a line as they are written.
// It checks which members there are and what they may be; whether two catalogs have
// this diff, only comparing them again can tell. Faults have no code. They are all of
// the source, in order, each with its place.
func ReadDiffs(source problem.Source) (list []*record.CatalogDiff, err error) {
	var faults problem.Collector
	for doc, at := range ijson.Documents(source) {
		r, d := ijson.NewPartReader(""), &record.CatalogDiff{}
		r.Reset(doc)
		ijson.ReadTagged(r, d)
		if sorted := slices.Compact(slices.Sorted(slices.Values(d.Only))); !slices.Equal(sorted, d.Only) {
			r.Fail(ijson.Locate(doc, "only"), ".only", "must be sorted, each kind once")
		}
		faults.Add(r.End().Locate(doc, at)...)
		list = append(list, d)
	}
	if faults.Len() > 0 {
		return nil, faults.List(source.Name).Err()
	}
	return list, nil
}

// Kinds returns all kinds of changes, sorted.
func Kinds() []record.DiffKind {
	return []record.DiffKind{record.DiffConflicts, record.DiffFacts, record.DiffModels, record.DiffRankings,
		record.DiffSamples}
}

func newSummary() record.DiffSummary {
	return record.DiffSummary{
		Models:       map[string]int{Added: 0, Removed: 0, Silenced: 0, Revived: 0, Changed: 0},
		Observations: map[string]int{Added: 0, Removed: 0, AgedOut: 0},
		Facts: map[string]int{
			Added: 0, Backfilled: 0, Changed: 0, Contradicted: 0, Expired: 0, Reaffirmed: 0, Removed: 0, Renewed: 0, Settled: 0,
		},
		Samples:   map[string]int{Added: 0, Changed: 0, Expired: 0, Reaffirmed: 0, Removed: 0},
		Conflicts: map[string]int{Arisen: 0, Ended: 0, Changed: 0},
	}
}

// addSummary adds the counts of another summary.
func addSummary(s, other *record.DiffSummary) {
	addCounts(s.Models, other.Models)
	addCounts(s.Observations, other.Observations)
	addCounts(s.Facts, other.Facts)
	addCounts(s.Samples, other.Samples)
	addCounts(s.Conflicts, other.Conflicts)
}

func addCounts(to, counts map[string]int) {
	for word, n := range counts {
		to[word] += n
	}
}

// AnyChanges reports whether a diff counts anything of the kinds that were asked for, but
// for what was merely reaffirmed. Observations are no kind.
func AnyChanges(d *record.CatalogDiff) bool {
	for kind, counts := range map[record.DiffKind]map[string]int{
		record.DiffModels: d.Summary.Models, record.DiffFacts: d.Summary.Facts, record.DiffSamples: d.Summary.Samples,
		record.DiffConflicts: d.Summary.Conflicts, record.DiffRankings: {Changed: d.Summary.Rankings},
	} {
		for change, n := range counts {
			if n > 0 && change != Reaffirmed && slices.Contains(d.Only, kind) {
				return true
			}
		}
	}
	return false
}

// How something changed. [Catalogs] says what can have which, and when.
const (
	Added        = "added"
	AgedOut      = "agedOut" // of observations: in both catalogs, and holds in OLD alone
	Arisen       = "arisen"
	Backfilled   = "backfilled"
	Changed      = "changed"
	Contradicted = "contradicted"
	Ended        = "ended"
	Expired      = "expired"
	Reaffirmed   = "reaffirmed" // counted, never listed
	Removed      = "removed"
	Renewed      = "renewed"
	Revived      = "revived"
	Settled      = "settled"
	Silenced     = "silenced"
)
