package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// This file writes a record as canonical JSON: members ordered by name, null where
// the zero value stands for it, the id among the other members.
//
//	{"evidence":[...],"execution":null,"freshness":{...},"id":"1f9b...","kind":"declaration",...}

// Span is a part of a text: the bytes from Start up to End.
type Span struct{ Start, End int }

// Text returns the part.
func (s Span) Text(whole string) string { return whole[s.Start:s.End] }

// recordWriter writes one record after the other.
type recordWriter struct {
	canonical.Encoder
	hash  hash.Hash
	parts parts // of what was written last
}

func newRecordWriter() *recordWriter { return &recordWriter{hash: sha256.New()} }

// parts are the parts of an observation that compiling looks at.
type parts struct {
	id, model, execution, task Span
	observedAt, validUntil     Span // the second is empty if it is null
	facts                      []factSpans
}

// factSpans is a measurement of kind fact.
type factSpans struct{ key, value Span }

// inForce returns for how long the facts of the observation hold.
func (p *parts) inForce(doc string) interval {
	return interval{p.observedAt.Text(doc), cmp.Or(p.validUntil.Text(doc), timestamp.End)}
}

// span returns what was written since start.
func (w *recordWriter) span(start int) Span { return Span{start, len(w.Buf)} }

// write writes a record, which is in normal form, after what the buffer holds,
// and computes its id. verbatim promises that no text of it needs an escape.
func (w *recordWriter) write(rec *record.Observation, verbatim bool) {
	w.encode(rec, verbatim)
	w.fillID()
}

// encode is write without computing the id, in whose place are zeros.
func (w *recordWriter) encode(rec *record.Observation, verbatim bool) {
	w.Verbatim = verbatim
	w.Raw(`{"evidence":[`)
	for i := range rec.Evidence {
		if i > 0 {
			w.Raw(`,`)
		}
		encodeEvidence(&w.Encoder, &rec.Evidence[i])
	}
	w.Raw(`],"execution":`)
	start := len(w.Buf)
	EncodeScope(&w.Encoder, &rec.Execution)
	w.parts.execution = w.span(start)
	w.Raw(`,"freshness":`)
	w.writeFreshness(&rec.Freshness)
	w.Raw(memberID)
	start = len(w.Buf)
	w.Raw(noID)
	w.parts.id = w.span(start)
	w.Member(`","kind":`, rec.Kind)
	w.Raw(`,"measurements":[`)
	w.writeMeasurements(rec.Measurements)
	w.Raw(`],"model":`)
	start = len(w.Buf)
	EncodeModel(&w.Encoder, &rec.Model)
	w.parts.model = w.span(start)
	w.Raw(`,"outcome":`)
	encodeOutcome(&w.Encoder, &rec.Outcome)
	w.Member(`,"schemaVersion":"`+record.ObservationSchema+`","sourceClass":`, rec.SourceClass)
	w.Raw(`,"task":`)
	start = len(w.Buf)
	encodeTask(&w.Encoder, &rec.Task)
	w.parts.task = w.span(start)
	w.Raw(`,"uncertainty":`)
	encodeUncertainty(&w.Encoder, &rec.Uncertainty)
	w.Raw(`,"usage":`)
	encodeUsage(&w.Encoder, &rec.Usage)
	w.Raw(`}`)
}

const (
	memberID = `,"id":"`
	// noID is in the place of an id that is not known yet.
	noID = "0000000000000000000000000000000000000000000000000000000000000000"
)

// splitAtID returns what the buffer holds before and after the member id.
func (w *recordWriter) splitAtID() (before, after []byte) {
	id := w.parts.id
	return w.Buf[:id.Start-len(memberID)], w.Buf[id.End+len(`"`):]
}

// fillID hashes what was written without the member id, and puts the hash there.
func (w *recordWriter) fillID() {
	id := w.parts.id
	before, after := w.splitAtID()
	w.hash.Reset()
	w.hash.Write(before)
	w.hash.Write(after)
	var sum [sha256.Size]byte
	hex.Encode(w.Buf[id.Start:id.End], w.hash.Sum(sum[:0]))
}

func (w *recordWriter) writeFreshness(f *record.Freshness) {
	w.Raw(`{"observedAt":`)
	w.parts.observedAt = w.quoted(string(f.ObservedAt))
	w.Raw(`,"validUntil":`)
	if f.ValidUntil == "" {
		w.parts.validUntil = Span{}
		w.Raw("null")
	} else {
		w.parts.validUntil = w.quoted(string(f.ValidUntil))
	}
	w.Raw(`}`)
}

// quoted writes a text in quotes and returns where it is between them.
func (w *recordWriter) quoted(s string) Span {
	start := len(w.Buf) + len(`"`)
	w.Text(s)
	return Span{start, len(w.Buf) - len(`"`)}
}

func (w *recordWriter) writeMeasurements(list []record.Measurement) {
	w.parts.facts = w.parts.facts[:0]
	for i := range list {
		if i > 0 {
			w.Raw(`,`)
		}
		spans := encodeMeasurement(&w.Encoder, &list[i])
		if list[i].Kind == record.Fact && !record.NamesOffer(list[i].Key) {
			w.parts.facts = append(w.parts.facts, spans)
		}
	}
}

func encodeMeasurement(e *canonical.Encoder, m *record.Measurement) (spans factSpans) {
	e.Raw(`{"key":`)
	spans.key.Start = len(e.Buf)
	e.Text(m.Key)
	spans.key.End = len(e.Buf)
	e.Member(`,"kind":`, m.Kind)
	if m.Unit != "" {
		e.Member(`,"unit":`, m.Unit)
	}
	e.Raw(`,"value":`)
	spans.value.Start = len(e.Buf)
	EncodeScalar(e, m.Value)
	spans.value.End = len(e.Buf)
	e.Raw(`}`)
	return spans
}

// EncodeScalar appends a string, number or boolean.
func EncodeScalar(e *canonical.Encoder, v record.Scalar) {
	switch v.Kind {
	case '"':
		e.Text(v.Text)
	case '0':
		e.Raw(v.Text)
	case 't', 'f':
		e.Bool(v.Kind == 't')
	default:
		e.Raw("null")
	}
}

// EncodeModel appends a model identity.
func EncodeModel(e *canonical.Encoder, m *record.Model) {
	e.Member(`{"id":`, m.ID)
	e.MemberOrNull(`,"quantization":`, string(m.Quantization))
	e.MemberOrNull(`,"revision":`, string(m.Revision))
	e.Raw(`}`)
}

// EncodeProfile appends an execution profile.
func EncodeProfile(e *canonical.Encoder, p *record.Profile) { encodeProfile(e, p, nil) }

// EncodeScope appends an execution scope.
func EncodeScope(e *canonical.Encoder, s *record.Scope) {
	if s.IsZero() {
		e.Raw("null")
	} else {
		encodeProfile(e, &s.Profile, s)
	}
}

// encodeProfile appends a profile, or the scope that it is of.
func encodeProfile(e *canonical.Encoder, p *record.Profile, scope *record.Scope) {
	encodeComponent(e, `{"adapter":`, &p.Adapter)
	encodeCount(e, `,"effectiveContextTokens":`, p.EffectiveContextTokens)
	e.Raw(`,"hardware":`)
	if h := &p.Hardware; h.IsZero() {
		e.Raw("null")
	} else {
		e.MemberOrNull(`{"accelerator":`, string(h.Accelerator))
		e.Member(`,"class":`, h.Class)
		encodeCount(e, `,"memoryBytes":`, h.MemoryBytes)
		e.Raw(`}`)
	}
	if scope != nil {
		e.Member(`,"kind":`, scope.Kind)
	}
	encodeComponent(e, `,"runtime":`, &p.Runtime)
	e.Raw(`,"toolSurface":`)
	if p.ToolSurface == nil {
		e.Raw("null")
	} else {
		e.Texts(p.ToolSurface)
	}
	e.Raw(`,"workflow":`)
	if w := &p.Workflow; w.IsZero() {
		e.Raw("null")
	} else {
		e.MemberOrNull(`{"condition":`, string(w.Condition))
		e.Member(`,"id":`, w.ID)
		e.MemberOrNull(`,"version":`, string(w.Version))
		e.Raw(`}`)
	}
	e.Raw(`}`)
}

// encodeComponent appends what comes before a component, and the component.
func encodeComponent(e *canonical.Encoder, before string, c *record.Component) {
	e.Raw(before)
	if c.IsZero() {
		e.Raw("null")
		return
	}
	e.Member(`{"id":`, c.ID)
	e.MemberOrNull(`,"version":`, string(c.Version))
	e.Raw(`}`)
}

// encodeCount appends what comes before a count, and the count.
func encodeCount(e *canonical.Encoder, before string, c record.Count) {
	e.Raw(before)
	if c.Known {
		e.Uint(c.N)
	} else {
		e.Raw("null")
	}
}

func encodeTask(e *canonical.Encoder, t *record.Task) {
	if t.IsZero() {
		e.Raw("null")
		return
	}
	encodeComponent(e, `{"evaluator":`, &t.Evaluator)
	e.Member(`,"family":`, t.Family)
	e.MemberOrNull(`,"suite":`, string(t.Suite))
	e.MemberOrNull(`,"taskId":`, string(t.TaskID))
	e.Raw(`}`)
}

func encodeOutcome(e *canonical.Encoder, o *record.Outcome) {
	if o.IsZero() {
		e.Raw("null")
		return
	}
	e.MemberOrNull(`{"reason":`, string(o.Reason))
	e.Member(`,"status":`, o.Status)
	e.Raw(`}`)
}

func encodeUsage(e *canonical.Encoder, u *record.Usage) {
	if u.IsZero() {
		e.Raw("null")
		return
	}
	e.Member(`{"completeness":`, u.Completeness)
	encodeCount(e, `,"inputTokens":`, u.InputTokens)
	encodeCount(e, `,"modelCalls":`, u.ModelCalls)
	encodeCount(e, `,"outputTokens":`, u.OutputTokens)
	encodeCount(e, `,"reasoningTokens":`, u.ReasoningTokens)
	encodeCount(e, `,"totalTokens":`, u.TotalTokens)
	encodeCount(e, `,"wallTimeMs":`, u.WallTimeMs)
	e.Raw(`}`)
}

func encodeEvidence(e *canonical.Encoder, ev *record.Evidence) {
	if ev.Digest.IsZero() {
		e.Raw(`{"digest":null`)
	} else {
		e.Member(`{"digest":{"algorithm":`, ev.Digest.Algorithm)
		e.Member(`,"value":`, ev.Digest.Value)
		e.Raw(`}`)
	}
	e.Member(`,"id":`, ev.ID)
	e.Member(`,"kind":`, ev.Kind)
	e.Member(`,"observedAt":`, string(ev.ObservedAt))
	e.MemberOrNull(`,"uri":`, string(ev.URI))
	e.Raw(`}`)
}

func encodeUncertainty(e *canonical.Encoder, u *record.Uncertainty) {
	e.Raw(`{"basis":`)
	e.Texts(u.Basis)
	e.Raw(`,"gaps":`)
	e.Texts(u.Gaps)
	e.Member(`,"level":`, u.Level)
	e.Raw(`}`)
}

// sortMeasurements puts measurements into the order of their canonical JSON, and
// reports whether they were in order already. As the JSON begins with key and kind,
// equal pairs of these become neighbours; and unless some text in the list may need
// an escape, these two decide.
func sortMeasurements(list []record.Measurement, escaped bool) (inOrder bool) {
	switch {
	case len(list) < 2:
		return true
	case escaped:
		return sortEncoded(list)
	case slices.IsSortedFunc(list, comparePlain):
		return true
	}
	slices.SortFunc(list, comparePlain)
	return false
}

// comparePlain compares the canonical JSON of two measurements of different key
// or kind, which hold no text that needs an escape.
func comparePlain(a, b record.Measurement) int {
	return cmp.Or(compareQuoted(a.Key, b.Key), strings.Compare(a.Kind, b.Kind))
}

// compareQuoted compares two texts as JSON strings. Each ends with a quote, which
// is neither the first nor the last of characters: "a b" < "a" < "a#".
func compareQuoted(a, b string) int {
	switch {
	case len(a) < len(b) && strings.HasPrefix(b, a):
		return '"' - int(b[len(a)])
	case len(b) < len(a) && strings.HasPrefix(a, b):
		return int(a[len(b)]) - '"'
	}
	return canonical.CompareText(a, b)
}

// sortEncoded is sortMeasurements by the whole of what is written.
func sortEncoded(list []record.Measurement) (inOrder bool) {
	type encoded struct {
		json string
		record.Measurement
	}
	all := make([]encoded, len(list))
	var e canonical.Encoder
	for i := range list {
		e.Buf = e.Buf[:0]
		encodeMeasurement(&e, &list[i])
		all[i] = encoded{string(e.Buf), list[i]}
	}
	byJSON := func(a, b encoded) int { return canonical.CompareText(a.json, b.json) }
	inOrder = slices.IsSortedFunc(all, byJSON)
	slices.SortFunc(all, byJSON)
	for i := range all {
		list[i] = all[i].Measurement
	}
	return inOrder
}
