package catalog_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

func known(n uint64) record.Count { return record.Count{N: n, Known: true} }

// evaluationRecord is evaluation as a Record.
var evaluationRecord = record.Observation{
	SchemaVersion: record.ObservationSchema,
	Kind:          record.KindEvaluation,
	Model:         record.Model{ID: "조직/모델-7b", Revision: "r1", Quantization: "q4"},
	Execution: record.Scope{Kind: record.ScopeExact, Profile: record.Profile{
		Runtime:                record.Component{ID: "렌더러 😀", Version: "1.2"},
		Adapter:                record.Component{ID: "adapter", Version: "3"},
		EffectiveContextTokens: known(32768),
		ToolSurface:            []string{"edit", "shell", "é"},
		Hardware:               record.Hardware{Class: "gpu", Accelerator: "h200", MemoryBytes: known(80000000000)},
		Workflow:               record.Workflow{ID: "builder", Version: "2", Condition: "bare"},
	}},
	Task: record.Task{Family: "fam", Suite: "스위트", TaskID: "t1", Evaluator: record.Component{ID: "judge", Version: "9"}},
	Measurements: []record.Measurement{
		{Key: "latency", Kind: record.Sample, Value: record.Scalar{Kind: '0', Text: "12.5"}, Unit: "ms"},
		{Key: "passed", Kind: record.Fact, Value: record.Scalar{Kind: 't'}},
	},
	Outcome: record.Outcome{Status: "accepted", Reason: "why"},
	Usage: record.Usage{InputTokens: known(1), OutputTokens: known(2), ReasoningTokens: known(3), TotalTokens: known(6),
		Completeness: "complete", ModelCalls: known(4), WallTimeMs: known(5)},
	SourceClass: record.FirstParty,
	Evidence: []record.Evidence{
		{ID: "ev-1", Kind: "log", URI: "https://example.org/é", Digest: record.SHA256(strings.Repeat("0123456789abcdef", 4)), ObservedAt: "2026-07-16T15:00:57.682Z"},
		{ID: "ev-2", Kind: "row", ObservedAt: "2026-07-16T15:00:57.683Z"},
	},
	Freshness:   record.Freshness{ObservedAt: "2026-07-16T15:00:57.682Z", ValidUntil: "2027-01-01T00:00:00.000Z"},
	Uncertainty: record.Uncertainty{Level: "low", Basis: []string{"basis", "더"}, Gaps: []string{"gap", "格差"}},
}

func TestRecord(t *testing.T) {
	if got := accepted(t, "evaluation", evaluation).Record(); !reflect.DeepEqual(got, evaluationRecord) {
		t.Errorf("the record is\n%+v\nwant\n%+v", got, evaluationRecord)
	}
	bare := declaration
	for path, value := range map[string]string{"$.execution": "null", "$.task": "null", "$.freshness.validUntil": "null", "$.uncertainty.gaps": "[]",
		"$.model.revision": "null", "$.model.quantization": "null", "$.measurements": `[{"key":"k","kind":"fact","value":""}]`} {
		bare = set(bare, path, value)
	}
	got := accepted(t, "bare", bare).Record()
	if got.Execution.Kind != "" || got.Task != (record.Task{}) || got.Outcome != (record.Outcome{}) || got.Usage != (record.Usage{}) ||
		got.Freshness.ValidUntil != "" || len(got.Uncertainty.Gaps) != 0 || got.Model != (record.Model{ID: "조직/모델-7b"}) ||
		!reflect.DeepEqual(got.Measurements, record.List[record.Measurement]{{Key: "k", Kind: record.Fact, Value: record.Scalar{Kind: '"'}}}) {
		t.Errorf("nulls are read as %+v", got)
	}
	partial := set(declaration, "$.execution", strings.Replace(scopeA, `"toolSurface":null`, `"toolSurface":[]`, 1))
	if got := accepted(t, "no tools", partial).Record().Execution.ToolSurface; got == nil || len(got) != 0 {
		t.Errorf("[] is read as %#v", got)
	}
	if got := accepted(t, "unknown tools", set(partial, "$.execution.toolSurface", "null")).Record().Execution.ToolSurface; got != nil {
		t.Errorf("null is read as %#v", got)
	}
}

func TestScalarFloat(t *testing.T) {
	for text, want := range map[string]float64{"12.5": 12.5, "-0": 0, "1e300": 1e300, "5e-324": 5e-324, `"1"`: 0, "true": 0} {
		v := ijson.NewReader(text, problem.InvalidObservation).Scalar()
		if got := v.Float(); got != want {
			t.Errorf("%s is the number %g, want %g", text, got, want)
		}
	}
}

// encoded returns what one of the Encode functions appends.
func encoded[T any](encode func(*canonical.Encoder, *T), v T) string {
	var e canonical.Encoder
	encode(&e, &v)
	return string(e.Buf)
}

// The parts of an observation are validated alone too, with paths from $.
func TestParts(t *testing.T) {
	scope := valueAt(evaluation, "$.execution")
	profile := drop(scope, "$.kind")
	model := valueAt(evaluation, "$.model")
	parsers := map[string]func(string) (string, error){
		"model": func(doc string) (string, error) {
			m, err := catalog.ParseModel(doc)
			return encoded(catalog.EncodeModel, m), err
		},
		"profile": func(doc string) (string, error) {
			p, err := catalog.ParseProfile(doc)
			return encoded(catalog.EncodeProfile, p), err
		},
		"scope": func(doc string) (string, error) {
			s, err := catalog.ParseScope(doc)
			return s.Kind + encoded(catalog.EncodeProfile, s.Profile), err
		},
	}
	for _, tt := range []struct{ part, doc, want string }{
		{"model", model, canonicalJSON(decodeAny(model))},
		{"model", "\uFEFF" + backwards(decodeAny(model), "\n"), canonicalJSON(decodeAny(model))},
		{"profile", profile, canonicalJSON(decodeAny(profile))},
		{"profile", set(profile, "$.toolSurface", `["z","a"]`), canonicalJSON(decodeAny(set(profile, "$.toolSurface", `["a","z"]`)))},
		{"profile", set(profile, "$.toolSurface", "[]"), canonicalJSON(decodeAny(set(profile, "$.toolSurface", "[]")))},
		{"scope", scope, "exact" + canonicalJSON(decodeAny(profile))},
		{"scope", scopeA, "partial" + canonicalJSON(decodeAny(drop(scopeA, "$.kind")))},
		{"scope", set(scope, "$.toolSurface", `["z","a"]`), "exact" + canonicalJSON(decodeAny(set(profile, "$.toolSurface", `["a","z"]`)))},
	} {
		if got, err := parsers[tt.part](tt.doc); err != nil || got != tt.want {
			t.Errorf("%s %s\nis read as %s, %v\nwant %s", tt.part, tt.doc, got, err, tt.want)
		}
	}
	nothing := map[string]string{}
	for part, parse := range parsers {
		nothing[part], _ = parse("")
	}
	for _, tt := range []struct{ part, doc, want string }{
		{"model", "", "$"}, {"model", "[]", "$"}, {"model", "null", "$"}, {"model", model + "x", "$"},
		{"model", set(model, "$.id", `""`), "$.id"}, {"model", drop(model, "$.revision"), "$.revision"}, {"model", add(model, "$", `"x":1`), "$.x"},
		{"profile", scope, "$.kind"}, {"profile", "null", "$"},
		{"profile", set(profile, "$.toolSurface", "null"), "$.toolSurface"}, {"profile", set(profile, "$.toolSurface", `["a","a"]`), "$.toolSurface"},
		{"profile", set(profile, "$.runtime", "null"), "$.runtime"}, {"profile", drop(profile, "$.workflow"), "$.workflow"},
		{"scope", profile, "$.kind"}, {"scope", "null", "$"}, {"scope", set(scope, "$.kind", `"some"`), "$.kind"},
		{"scope", set(scope, "$.toolSurface", "null"), "$.toolSurface"}, {"scope", set(scope, "$.hardware.memoryBytes", "-1"), "$.hardware.memoryBytes"},
	} {
		got, err := parsers[tt.part](tt.doc)
		if e := firstFault(t, tt.part, err); e != nil && (e.Code != problem.InvalidObservation || e.Path != tt.want || got != nothing[tt.part]) {
			t.Errorf("%s %s: %s %v and %s, want it at %s", tt.part, tt.doc, e.Code, e, got, tt.want)
		}
	}
}

// ValidateSource counts the observations of a file and tells every fault.
func TestValidateSource(t *testing.T) {
	a, bad := onOneLine(named("a")), onOneLine(set(named("b"), "$.kind", "1"))
	for text, want := range map[string]int{a: 1, "[]": 0, "[" + a + "," + a + "]": 2, a + "\n" + a + "\n\n" + a: 3} {
		if n, err := catalog.ValidateSource(t.Context(), source("x", text), nil); err != nil || n != want {
			t.Errorf("%.60q: %d observations, %v, want %d", text, n, err, want)
		}
	}
	n, err := catalog.ValidateSource(t.Context(), source("x.json", "["+a+", "+bad+",\n"+bad+"]"), nil)
	behind := len("[" + a + ", ")
	text := "[" + a + ", " + bad + ",\n" + bad
	expectPlaces(t, err, []problem.Error{
		{Path: "$[1].kind", Place: placeOf("x.json", text, behind+at(bad, "$.kind").start)},
		{Path: "$[2].kind", Place: placeOf("x.json", text, behind+len(bad+",\n")+at(bad, "$.kind").start)},
	})
	if n != 3 {
		t.Errorf("%d observations, want 3", n)
	}
	_, err = catalog.ValidateSource(t.Context(), source("x.json", "["+bad+"} "), nil)
	expectPlaces(t, err, []problem.Error{{Path: "$", Place: placeOf("x.json", "["+bad, len(bad)+1)}})
}

// An observation counts from observedAt on, and no longer at validUntil.
func TestHoldsAt(t *testing.T) {
	const (
		day1 = "2026-05-01T00:00:00.000Z"
		day2 = "2026-05-02T00:00:00.000Z"
		day3 = "2026-05-03T00:00:00.000Z"
	)
	for _, tt := range []struct {
		from, until, instant string
		want                 bool
	}{
		{day2, "", day1, false},
		{day2, "", day2, true},
		{day2, "", day3, true},
		{day2, day3, day1, false},
		{day2, day3, day2, true},
		{day2, day3, "2026-05-02T23:59:59.999Z", true},
		{day2, day3, day3, false},
	} {
		if got := (&record.Freshness{ObservedAt: record.Timestamp(tt.from), ValidUntil: record.Timestamp(tt.until)}).HoldsAt(record.Timestamp(tt.instant)); got != tt.want {
			t.Errorf("from %s until %q at %s: %v", tt.from, tt.until, tt.instant, got)
		}
	}
}

func TestModelName(t *testing.T) {
	for want, m := range map[string]record.Model{
		"m":      {ID: "m"},
		"m@r":    {ID: "m", Revision: "r"},
		"m q4":   {ID: "m", Quantization: "q4"},
		"m@r q4": {ID: "m", Revision: "r", Quantization: "q4"},
	} {
		if got := m.Name(); got != want {
			t.Errorf("%+v: %s, want %s", m, got, want)
		}
	}
}
