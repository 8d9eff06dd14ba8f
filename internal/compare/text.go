package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// ValueText returns a value and the name of its unit as people read them: see package quantity.
func ValueText(v record.StatedValue) (text, unit string) {
	switch v.Value.Kind {
	case '0':
		return quantity.Text(v.Value.Float(), string(v.Unit))
	case '"':
		return v.Value.Text, string(v.Unit)
	}
	return strconv.FormatBool(v.Value.Kind == 't'), string(v.Unit)
}

// SlotText returns what a slot says and in which unit. Several values are alternatives; a
// slot that is absent, which is nil, says a dash.
func SlotText(f *record.SlotState) (text, unit string) {
	if f == nil {
		return "–", ""
	}
	const few = 3
	var values []string
	for i, v := range f.Values[:min(len(f.Values), few)] {
		value, in := ValueText(v)
		if i == 0 {
			unit = in
		}
		if in != unit {
			value += " " + in
		}
		values = append(values, value)
	}
	if more := f.ValueCount - len(values); more > 0 {
		values = append(values, quantity.Number(float64(more))+" more")
	}
	text = strings.Join(values, " or ")
	if f.State == StateExpired {
		text += " (expired)"
	}
	return text, unit
}

// SampleText says what used samples come to.
func SampleText(a *record.SampleSummary) string {
	switch {
	case a == nil || a.N == 0:
		return "–"
	case a.SuccessRate.Known:
		return fmt.Sprintf("%s (n %d)", quantity.Number(a.SuccessRate.Value), a.N)
	case a.Mean.Known:
		return fmt.Sprintf("%s (n %d)", quantity.Phrase(a.Mean.Value, string(a.Unit)), a.N)
	}
	return fmt.Sprintf("n %d", a.N)
}

// Runs says in one text how a model is run: what an execution scope names of runtime,
// adapter and workflow. It is empty for the scope that says nothing.
func Runs(s record.Scope) string {
	var parts []string
	for _, part := range []string{s.Runtime.ID, s.Adapter.ID, s.Workflow.ID, string(s.Workflow.Condition)} {
		if part != "" && !slices.Contains(parts, part) { // a benchmark often calls all three the same
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// SeenAt returns when a witness was last seen: in the last snapshot that states it, which may be
// long after the first. The ids of evidence that lists give end in the time of the snapshot:
//
//	models-dev:openai/gpt-5#price.input@2026-07-01T16:40:28.000Z
func SeenAt(w *record.Witness) record.Timestamp {
	seen := w.ObservedAt
	for _, e := range w.Evidence {
		if at := e.ID[strings.LastIndexByte(e.ID, '@')+1:]; timestamp.Valid(at) {
			seen = max(seen, record.Timestamp(at))
		}
	}
	return seen
}

// IsEnd reports whether a key is of facts that say how a model ends.
func IsEnd(key string) bool {
	return slices.Contains([]string{"lifecycle.status", "lifecycle.deprecated", "lifecycle.retires"}, key)
}
