package export

import (
	"cmp"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// ReportSchema is the schema version of a [Report].
const ReportSchema = "service.export.report/v1"

// Report says what an export wrote, what it changed in its base, and what it left out.
type Report struct {
	SchemaVersion string    `json:"schemaVersion" is:"service.export.report/v1"`
	Catalog       Content   `json:"catalog"`
	Format        Format    `json:"format" is:"litellm models.dev catwalk ndjson csv sqlite"`
	Base          *Base     `json:"base"` // null if there was none
	Exported      Counts    `json:"exported"`
	Changed       []Change  `json:"changed"`
	LeftOut       []LeftOut `json:"leftOut"`
}

// Content names the catalog.
type Content struct {
	Digest string `json:"digest" is:"hash"`
	AsOf   string `json:"asOf" is:"timestamp"`
}

// Base is the file that was continued.
type Base struct {
	SHA256 string `json:"sha256" is:"hash"`
}

// Counts is what was written. Rows without a base are lines or, of a database,
// observations.
type Counts struct {
	Rows        int `json:"rows"`        // with at least one fact of the catalog
	Facts       int `json:"facts"`       // that the file tells
	NewRows     int `json:"newRows"`     // that the base lacks
	ChangedRows int `json:"changedRows"` // of the base
}

// Change is a member of a row of the base that the catalog knows better.
type Change struct {
	Row    string `json:"row"`
	Member string `json:"member"`
	Old    JSON   `json:"old"` // null if the row had none
	New    JSON   `json:"new"`
}

// JSON is a JSON text as it is written.
type JSON string

// MarshalJSON writes the text, null if it is empty.
func (j JSON) MarshalJSON() ([]byte, error) {
	if j == "" {
		return []byte("null"), nil
	}
	return []byte(j), nil
}

// ReadJSON reads any value.
func (j *JSON) ReadJSON(r *ijson.Reader) {
	if *j = ""; !r.Null() {
		*j = JSON(r.AppendCanonical(nil))
	}
}

// Reason says why something was left out.
type Reason string

// Why something was left out.
const (
	Conflict         Reason = "conflict"          // what holds contradicts itself
	Expired          Reason = "expired"           // nothing that was said holds
	Incomparable     Reason = "incomparable"      // it is about another execution, or in several units
	WrongUnit        Reason = "unit"              // it is not in the unit of its key
	Unknown          Reason = "unknown"           // a new row needs it, and nobody says it
	SameName         Reason = "same-name"         // several models have the name
	NoRuntime        Reason = "no-runtime"        // nothing tells where the model runs
	NoProvider       Reason = "no-provider"       // the base does not know the provider
	NotRepresentable Reason = "not-representable" // the format cannot say it
	Widened          Reason = "widened"           // a limit of the context was written as one of the input
)

// LeftOut is a model, a listing of one, or a fact of a listing that was left out, or
// written as something wider.
type LeftOut struct {
	Model        string      `json:"model"`
	Revision     record.Text `json:"revision"`
	Quantization record.Text `json:"quantization"`
	Runtime      record.Text `json:"runtime"`
	Key          record.Text `json:"key"` // null if it is the whole listing
	Reason       Reason      `json:"reason" is:"conflict expired incomparable unit unknown same-name no-runtime no-provider not-representable widened"`
	Detail       record.Text `json:"detail"`
}

// JSON is the report as canonical JSON, without a newline at the end.
func (r *Report) JSON() []byte { return ijson.MustWriteTagged(r) }

// CheckReport checks the JSON of a report. Faults have no code.
func CheckReport(source problem.Source) error {
	r := ijson.NewReader(source.Text, "")
	ijson.ReadTagged(r, &Report{})
	if faults := r.End(); faults != nil {
		return faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return nil
}

// leaveOut notes what was left out of a model.
func (r *Report) leaveOut(m *record.Model, runtime, key string, reason Reason, detail string) {
	r.LeftOut = append(r.LeftOut, LeftOut{m.ID, record.Text(m.Revision), record.Text(m.Quantization),
		record.Text(runtime), record.Text(key), reason, record.Text(detail)})
}

// sortChanges puts the changes in the one order that they are written in.
func (r *Report) sortChanges() {
	slices.SortStableFunc(r.Changed, func(a, b Change) int {
		return cmp.Or(canonical.CompareText(a.Row, b.Row), canonical.CompareText(a.Member, b.Member))
	})
}

// sortModel puts what was left out of one model, which begins at a position, in the one
// order that it is written in. Models come in theirs.
func (r *Report) sortModel(start int) {
	list := r.LeftOut[start:]
	slices.SortFunc(list, func(a, b LeftOut) int {
		return cmp.Or(canonical.CompareText(string(a.Runtime), string(b.Runtime)), canonical.CompareText(string(a.Key), string(b.Key)),
			cmp.Compare(a.Reason, b.Reason), canonical.CompareText(string(a.Detail), string(b.Detail)))
	})
	r.LeftOut = r.LeftOut[:start+len(slices.Compact(list))]
}

// Reasons counts what was left out.
func (r *Report) Reasons() map[Reason]int {
	counts := map[Reason]int{}
	for i := range r.LeftOut {
		counts[r.LeftOut[i].Reason]++
	}
	return counts
}
