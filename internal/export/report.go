package export

import (
	"cmp"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// CheckReport checks the JSON of a report. Faults have no code.
func CheckReport(source problem.Source) error {
	r := ijson.NewReader(source.Text, "")
	ijson.ReadTagged(r, &record.ExportReport{})
	if faults := r.End(); faults != nil {
		return faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return nil
}

// leaveOut notes what was left out of a model.
func leaveOut(r *record.ExportReport, m *record.Model, runtime, key string, reason record.ExportReason, detail string) {
	r.LeftOut = append(r.LeftOut, record.ExportOmission{Model: m.ID, Revision: m.Revision, Quantization: m.Quantization,
		Runtime: record.Text(runtime), Key: record.Text(key), Reason: reason, Detail: record.Text(detail)})
}

// sortChanges puts the changes in the one order that they are written in.
func sortChanges(r *record.ExportReport) {
	slices.SortStableFunc(r.Changed, func(a, b record.ExportedChange) int {
		return cmp.Or(canonical.CompareText(a.Row, b.Row), canonical.CompareText(a.Member, b.Member))
	})
}

// sortModel puts what was left out of one model, which begins at a position, in the one
// order that it is written in. Models come in theirs.
func sortModel(r *record.ExportReport, start int) {
	list := r.LeftOut[start:]
	slices.SortFunc(list, func(a, b record.ExportOmission) int {
		return cmp.Or(canonical.CompareText(string(a.Runtime), string(b.Runtime)),
			canonical.CompareText(string(a.Key), string(b.Key)),
			cmp.Compare(a.Reason, b.Reason), canonical.CompareText(string(a.Detail), string(b.Detail)))
	})
	r.LeftOut = r.LeftOut[:start+len(slices.Compact(list))]
}

// Reasons counts what was left out.
func Reasons(r *record.ExportReport) map[record.ExportReason]int {
	counts := map[record.ExportReason]int{}
	for i := range r.LeftOut {
		counts[r.LeftOut[i].Reason]++
	}
	return counts
}
