package catalog_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// shape is what a member may be: JSON texts that are accepted in its place, and
// those that are refused with a reason.
type shape struct {
	ok     []string
	bad    []string
	reason string
}

var (
	text = shape{
		ok:     []string{`"a"`, `"a b"`, `"\u00ea"`, `"10"`, `"😀\ufb33"`, `"\u0085"`, `"\u200b"`, `"a\tb"`},
		bad:    []string{`""`, `" "`, `" a"`, `"a "`, `"\ta"`, `"a\n"`, `"\u00a0a"`, `"a\u3000"`, `"\ufeffa"`, `null`, `1`, `true`, `[]`, `["a"]`, `{}`},
		reason: "must be a non-empty string without white space at its ends",
	}
	textOrNull = shape{
		ok:     append(text.ok, "null"),
		bad:    without(text.bad, "null"),
		reason: "must be null or a non-empty string without white space at its ends",
	}
	countOrNull = shape{
		ok:     []string{"null", "0", "-0", "7", "5.0", "1e3", "12.5e1", "9007199254740991", "9007199254740991.0", "9.007199254740991e15"},
		bad:    []string{"-1", "0.5", "1.5", "-0.5", "1e-3", "9007199254740992", "1e16", "1e300", `""`, `"5"`, "true", "[]", "{}", "[1]"},
		reason: "must be null or an integral number from 0 to 9007199254740991",
	}
	timestamp = shape{
		ok:     []string{`"2026-07-16T15:00:57.684Z"`, `"2026-02-28T23:59:59.999Z"`, `"\u0032026-01-01T00:00:00.000Z"`},
		bad:    append([]string{`""`, `"now"`, `"2026-07-18"`, `"2026-07-18T00:00:00Z"`, `"2026-07-18T00:00:00.0000Z"`, `"2026-07-18T00:00:00.000+00:00"`, `"2026-02-29T00:00:00.000Z"`}, "null", "0", "true", "[]", "{}"),
		reason: "must be a timestamp like 2026-07-18T00:00:00.000Z: UTC, with milliseconds",
	}
	timestampOrNull = shape{
		ok:     []string{"null", `"9999-12-31T23:59:59.999Z"`, `"2026-07-16T15:00:57.683Z"`},
		bad:    without(timestamp.bad, "null"),
		reason: timestamp.reason,
	}
	hash = shape{
		ok: []string{`"` + strings.Repeat("0", 64) + `"`, `"` + strings.Repeat("abcdef0123456789", 4) + `"`, `"\u0061` + strings.Repeat("b", 63) + `"`},
		bad: []string{`""`, `"` + strings.Repeat("0", 63) + `"`, `"` + strings.Repeat("0", 65) + `"`, `"` + strings.Repeat("A", 64) + `"`,
			`"` + strings.Repeat("g", 64) + `"`, `"sha256:` + strings.Repeat("0", 57) + `"`, `"` + strings.Repeat("0", 63) + ` "`, "null", "0", "[]", "{}"},
		reason: "must be 64 lower-case hexadecimal digits",
	}
	value = shape{
		ok: []string{`""`, `" "`, `"a"`, `" a\n"`, `"1"`, `"true"`, `"\ud83d\ude00"`, "true", "false", "0", "-0", "-1.5", "1e300", "1e-400", "123456789012345680000",
			"1.7976931348623157e308"},
		bad:    []string{"null", "[]", "{}", "[1]", `{"value":1}`},
		reason: "must be a string, a number or a boolean",
	}
	anObject = shape{
		bad:    []string{`"a"`, `""`, "1", "true", "[]", "[{}]", "null"},
		reason: "must be an object",
	}
	objectOrNull = shape{bad: without(anObject.bad, "null"), reason: anObject.reason}
	aList        = shape{bad: []string{`"a"`, "1", "true", "{}", "null", `{"0":{}}`}, reason: "must be a list"}
	filledList   = shape{bad: []string{"[]", "[ ]"}, reason: "must not be empty"}
	setOfTexts   = shape{ok: []string{"[]", `["a"]`, `["b","a"]`, `["A","a"]`}}
)

func oneOf(values ...string) shape {
	s := shape{reason: "must be " + strings.Join(values, " or ")}
	if last := len(values) - 1; last > 1 {
		s.reason = "must be " + strings.Join(values[:last], ", ") + " or " + values[last]
	}
	for _, v := range values {
		s.ok = append(s.ok, `"`+v+`"`)
		s.bad = append(s.bad, `"`+v+` "`, `" `+v+`"`, `"`+strings.ToUpper(v)+`"`, `"`+v[1:]+`"`, `"`+v+v+`"`, `["`+v+`"]`)
	}
	s.bad = append(s.bad, `"other"`, `"none"`, `"sha512"`, `"md5"`, `""`, "null", "true", "0", "[]", "{}")
	return s
}

func without(list []string, s string) (rest []string) {
	for _, item := range list {
		if item != s {
			rest = append(rest, item)
		}
	}
	return rest
}

// members are the members of service.observation/v2 and their shapes, in the
// order of its tables.
var members = []struct {
	path  string
	shape shape
}{
	{"$.kind", oneOf("evaluation", "declaration")},
	{"$.model", anObject},
	{"$.model.id", text},
	{"$.model.revision", textOrNull},
	{"$.model.quantization", textOrNull},
	{"$.execution", objectOrNull},
	{"$.execution.kind", oneOf("exact", "partial")},
	{"$.execution.runtime", anObject},
	{"$.execution.runtime.id", text},
	{"$.execution.runtime.version", textOrNull},
	{"$.execution.adapter", objectOrNull},
	{"$.execution.adapter", shape{ok: []string{"null"}}},
	{"$.execution.adapter.id", text},
	{"$.execution.adapter.version", textOrNull},
	{"$.execution.effectiveContextTokens", countOrNull},
	{"$.execution.toolSurface", shape{bad: without(aList.bad, "null"), reason: "must be a list"}},
	{"$.execution.toolSurface", setOfTexts},
	{"$.execution.toolSurface[1]", text},
	{"$.execution.hardware", objectOrNull},
	{"$.execution.hardware", shape{ok: []string{"null"}}},
	{"$.execution.hardware.class", text},
	{"$.execution.hardware.accelerator", textOrNull},
	{"$.execution.hardware.memoryBytes", countOrNull},
	{"$.execution.workflow", objectOrNull},
	{"$.execution.workflow", shape{ok: []string{"null"}}},
	{"$.execution.workflow.id", text},
	{"$.execution.workflow.version", textOrNull},
	{"$.execution.workflow.condition", textOrNull},
	{"$.task", objectOrNull},
	{"$.task.family", text},
	{"$.task.suite", textOrNull},
	{"$.task.taskId", textOrNull},
	{"$.task.evaluator", anObject},
	{"$.task.evaluator.id", text},
	{"$.task.evaluator.version", textOrNull},
	{"$.measurements", aList},
	{"$.measurements", filledList},
	{"$.measurements[1]", anObject},
	{"$.measurements[1].key", text},
	{"$.measurements[1].kind", oneOf("fact", "sample")},
	{"$.measurements[1].value", value},
	{"$.measurements[0].unit", text}, // absent, never null
	{"$.outcome", objectOrNull},
	{"$.outcome.status", oneOf("accepted", "rejected", "invalid")},
	{"$.outcome.reason", textOrNull},
	{"$.usage", objectOrNull},
	{"$.usage", shape{ok: []string{"null"}}},
	{"$.usage.inputTokens", countOrNull},
	{"$.usage.outputTokens", countOrNull},
	{"$.usage.reasoningTokens", countOrNull},
	{"$.usage.totalTokens", countOrNull},
	{"$.usage.completeness", oneOf("complete", "partial", "unknown")},
	{"$.usage.modelCalls", countOrNull},
	{"$.usage.wallTimeMs", countOrNull},
	{"$.sourceClass", oneOf("first-party", "external")},
	{"$.evidence", aList},
	{"$.evidence", filledList},
	{"$.evidence[1]", anObject},
	{"$.evidence[1].id", text},
	{"$.evidence[1].kind", text},
	{"$.evidence[1].uri", textOrNull},
	{"$.evidence[0].digest", objectOrNull},
	{"$.evidence[0].digest", shape{ok: []string{"null"}}},
	{"$.evidence[0].digest.algorithm", oneOf("sha256")},
	{"$.evidence[0].digest.value", hash},
	{"$.evidence[1].observedAt", timestamp},
	{"$.freshness", anObject},
	{"$.freshness.observedAt", timestamp},
	{"$.freshness.validUntil", timestampOrNull},
	{"$.uncertainty", anObject},
	{"$.uncertainty.level", oneOf("low", "moderate", "high", "unknown")},
	{"$.uncertainty.basis", aList},
	{"$.uncertainty.basis", filledList},
	{"$.uncertainty.basis", shape{ok: setOfTexts.ok[1:]}},
	{"$.uncertainty.basis[1]", text},
	{"$.uncertainty.gaps", aList},
	{"$.uncertainty.gaps", setOfTexts},
	{"$.uncertainty.gaps[0]", text},
}

// Every member takes the values of its shape and refuses others, at its path
// and where the value stands. What is accepted is normalized as the oracle says.
func TestMembers(t *testing.T) {
	accepted(t, "the fixture", evaluation)
	accepted(t, "the fixture", declaration)
	for i, m := range members {
		if !vectortest.Sample(i) {
			continue
		}
		for _, v := range m.shape.bad {
			doc := set(evaluation, m.path, v)
			refused(t, m.path+" "+v, doc, want{problem.InvalidObservation, m.path, at(evaluation, m.path).start, m.shape.reason})
		}
		for _, v := range m.shape.ok {
			doc := set(evaluation, m.path, v)
			switch v { // what an evaluation may not be is tested with the rules of its kind
			case `"declaration"`:
				doc = set(declaration, m.path, v)
			case `"partial"`:
				if m.path == "$.execution.kind" {
					doc = set(declaration, m.path, v)
				}
			}
			accepted(t, m.path+" "+v, doc)
		}
	}
}

// Numbers that JSON's grammar allows and binary64 does not hold are refused
// wherever a number may stand.
func TestNumbersOfMembers(t *testing.T) {
	for _, path := range []string{"$.measurements[1].value", "$.usage.wallTimeMs", "$.execution.hardware.memoryBytes"} {
		offset := at(evaluation, path).start
		refused(t, "too large", set(evaluation, path, "1e999"), want{problem.InvalidObservation, path, offset, "number too large"})
		refused(t, "not held", set(evaluation, path, "9007199254740993"), want{problem.InvalidObservation, path, offset, "integer that binary64 cannot hold: the nearest is 9007199254740992"})
	}
}

// A lone surrogate is refused in every string, where it stands.
func TestLoneSurrogates(t *testing.T) {
	for path, p := range layout(evaluation) {
		if evaluation[p.start] != '"' || path == "$.schemaVersion" {
			continue
		}
		doc := set(evaluation, path, `"a\ud800"`)
		refused(t, path, doc, want{problem.InvalidObservation, path, p.start + 2, "lone surrogate in a string"})
	}
}

// Anything but the one schema version is unsupported.
func TestSchemaVersion(t *testing.T) {
	const path = "$.schemaVersion"
	accepted(t, "escaped", set(evaluation, path, `"service.observation\/v\u0032"`))
	for _, v := range []string{`"service.observation/v1"`, `"service.observation/v3"`, `"service.observation/v2 "`, `"Service.Observation/v2"`, `"service.catalog/v2"`,
		`""`, "null", "2", "true", "[]", `{"v":2}`, `["service.observation/v2"]`} {
		refused(t, v, set(evaluation, path, v), want{problem.UnsupportedSchema, path, at(evaluation, path).start, `must be "service.observation/v2"`})
	}
	refused(t, "absent", drop(evaluation, path), want{problem.InvalidObservation, path, 0, "missing field"})
}

var isItem = regexp.MustCompile(`\]$`)

// Every member but a unit is required: left out it is missing at the object.
func TestMissingMembers(t *testing.T) {
	for path, p := range layout(evaluation) {
		if path == "$" || isItem.MatchString(path) {
			continue
		}
		doc := drop(evaluation, path)
		if path == "$.measurements[0].unit" {
			accepted(t, path, doc)
			continue
		}
		parent := path[:strings.LastIndexByte(path, '.')]
		if p.name < 0 {
			t.Fatalf("%s has no name", path)
		}
		refused(t, path, doc, want{problem.InvalidObservation, path, at(doc, parent).start, "missing field"})
	}
}

// Unknown fields are refused in every object, at their name: one that another
// object has, one in other letters, one that the input of normalizing lacks.
func TestUnknownMembers(t *testing.T) {
	for path, p := range layout(evaluation) {
		if evaluation[p.start] != '{' {
			continue
		}
		for _, name := range []string{"unexpected", "ID", "id ", "Kind", "a.b[0]", "", "한😀"} {
			doc := add(evaluation, path, `"`+name+`": null`)
			refused(t, path, doc, want{problem.InvalidObservation, path + "." + name, at(doc, path+"."+name).name, "unknown field"})
		}
	}
	doc := add(evaluation, "$", `"id": "`+strings.Repeat("0", 64)+`"`)
	refused(t, "an id", doc, want{problem.InvalidObservation, "$.id", at(doc, "$.id").name, "unknown field"})
}

// No member may occur twice, in any spelling, not even with an equal value.
func TestDuplicateMembers(t *testing.T) {
	for path, p := range layout(evaluation) {
		if p.name < 0 {
			continue
		}
		parent, name := path[:strings.LastIndexByte(path, '.')], path[strings.LastIndexByte(path, '.')+1:]
		for _, spelling := range []string{name, `\u00` + hexOf(name[0]) + name[1:]} {
			doc := add(evaluation, parent, `"`+spelling+`": `+evaluation[p.start:p.end])
			refused(t, path, doc, want{problem.InvalidObservation, path, at(doc, path).name, "duplicate field"}) // the last one
		}
	}
}

func hexOf(c byte) string { return string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]) }
