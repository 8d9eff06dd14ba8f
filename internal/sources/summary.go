package sources

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/service/record"
)

// notLeftOut are reasons that are not of values: what is in a row beside them, or
// around the rows, and what is told of values that were taken.
var notLeftOut = []Reason{NewMembers, MappedRowMissing, RateDiffers, RuntimeDiffers, OpenModel, SeveralOffers, Disputed}

// LeftOut counts the values that were left out of rows, by reason.
func (r *Result) LeftOut() map[Reason]int {
	counts := map[Reason]int{}
	for i := range r.Diagnostics {
		d := &r.Diagnostics[i]
		if !d.IsRow && !slices.Contains(notLeftOut, d.Reason) {
			counts[d.Reason] += d.Snapshots
		}
	}
	return counts
}

// Summary says in a line what an import made of its rows:
//
//	5264 of 5307 rows, 38279 observations; skipped 43 rows: 31 row-dangling, 12 row-repeated;
//	left out 2360 values: 1231 unknown-price, 873 limit-not-separate, 256 invalid-value;
//	models by 4101 maker/2, 1100 family/2, 60 alias, 3 router
//
// A part that is empty is not there.
func (r *Result) Summary() string {
	a := r.Acquisition
	parts := []string{fmt.Sprintf("%d of %s, %s", a.Imported, count(a.Rows, "row"), count(a.Observations, "observation"))}
	if s := r.Succession; s.Snapshots > 1 {
		parts = append(parts, fmt.Sprintf("%d snapshots: %s closed, %s came, %d went", s.Snapshots, count(s.Closed, "run"),
			count(s.Came, "offer"), s.Went))
	}
	if a.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("skipped %s: %s", count(a.Skipped, "row"), countedReasons(a.SkippedFor)))
	}
	leftOut := r.LeftOut()
	total := 0
	for _, n := range leftOut {
		total += n
	}
	if total > 0 {
		parts = append(parts, fmt.Sprintf("left out %s: %s", count(total, "value"), countedReasons(leftOut)))
	}
	if len(a.Identified) > 0 {
		parts = append(parts, "models by "+countedReasons(a.Identified))
	}
	missing := 0
	for i := range r.Diagnostics {
		if r.Diagnostics[i].Reason == MappedRowMissing {
			missing++
		}
	}
	if missing > 0 {
		parts = append(parts, fmt.Sprintf("%d mapped-row-missing", missing))
	}
	return strings.Join(parts, "; ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// countedReasons lists reasons by count, then by name.
func countedReasons[R ~string](counts map[R]int) string {
	reasons := slices.SortedFunc(maps.Keys(counts), func(a, b R) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(string(a), string(b)))
	})
	var b strings.Builder
	for i, reason := range reasons {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d %s", counts[reason], reason)
	}
	return b.String()
}

// JSON is the diagnostic as canonical JSON, for the report of an import with an acquisition.
func (d *Diagnostic) JSON(of *Acquisition) []byte {
	return canonical.MustMarshal(struct {
		Observations record.Text `json:"observationsSha256"`
		Reason       Reason      `json:"reason"`
		Row          record.Text `json:"row"`
		Path         string      `json:"path"`
		Message      string      `json:"message"`
		File         record.Text `json:"file"`
		Line         int         `json:"line"`
		Column       int         `json:"column"`
		Snapshots    int         `json:"snapshots"`
	}{of.ObservationsSHA256, d.Reason, record.Text(d.Row), d.Path, d.Message, record.Text(d.Place.File), d.Place.Line,
		d.Place.Column, d.Snapshots})
}
