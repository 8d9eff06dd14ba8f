package inspectlog_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/inspectlog"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// schema is what the JSON Schema that Inspect publishes of its logs (version 2) says of the members that
// are read: the types that they may have, after ! if they have no default. * is any item or member.
var schema = map[string]string{
	"version": "integer", "status": "string", "eval": "!object", "results": "object null", "stats": "object",
	"samples": "array null",

	"eval.eval_id": "string", "eval.created": "!string", "eval.task": "!string", "eval.task_version": "integer string",
	"eval.model": "!string", "eval.model_generate_config": "object", "eval.model_args": "object", "eval.config": "!object",
	"eval.solver": "string null", "eval.dataset": "!object", "eval.dataset.name": "string null",
	"eval.dataset.samples": "integer null", "eval.packages": "object", "eval.revision": "object null",
	"eval.revision.commit": "!string",

	"results.total_samples": "integer", "results.completed_samples": "integer", "results.scores": "array",
	"results.scores.*.name": "!string", "results.scores.*.scorer": "!string", "results.scores.*.reducer": "string null",
	"results.scores.*.scored_samples": "integer null", "results.scores.*.metrics": "object",
	"results.scores.*.metrics.*.value": "!number",

	"stats.started_at": "string", "stats.completed_at": "string", "stats.model_usage": "object",

	"samples.*.id": "!integer string", "samples.*.epoch": "!integer", "samples.*.scores": "object null",
	"samples.*.scores.*.value": "!string number boolean array object", "samples.*.error": "object null",
	"samples.*.limit": "object null",
}

// newer are members that a later version of the program writes.
var newer = map[string]string{"invalidated": "boolean", "eval.revision.dirty": "boolean null"}

// misfits returns the members of a log that are not as the schema has them.
func misfits(t *testing.T, text string) (list []string) {
	t.Helper()
	finite, _ := sources.ReplaceNotFinite(text)
	root, err := ijson.ReadValue(finite, problem.InvalidSourceSnapshot)
	if err != nil {
		t.Fatal(err)
	}
	types := map[byte]string{'{': "object", '[': "array", '"': "string", 't': "boolean", 'f': "boolean", 'n': "null"}
	var walk func(v ijson.Value, steps []string, at string)
	walk = func(v ijson.Value, steps []string, at string) {
		if len(steps) == 0 {
			return
		}
		var below []ijson.Value
		at += steps[0]
		if steps[0] != "*" {
			said := strings.Fields(strings.TrimPrefix(schema[at]+newer[at], "!"))
			m, is := v.Get(steps[0])
			kind := types[m.Kind]
			isInteger := m.Kind == '0' && !strings.ContainsAny(m.Text, ".eE") && slices.Contains(said, "integer")
			isNumber := (m.Kind == '0' || m.Text == "~") && slices.Contains(said, "number") // ~ stands for NaN
			if is && !isInteger && !isNumber && !slices.Contains(said, kind) || !is && schema[at][0] == '!' {
				list = append(list, at)
			}
			below = append(below, m)
		} else {
			below = v.Items
			for _, m := range v.Members {
				below = append(below, m.Value)
			}
		}
		for _, one := range below {
			if one.Kind == '{' || one.Kind == '[' {
				walk(one, steps[1:], at+".")
			}
		}
	}
	for path := range schema {
		walk(root, strings.Split(path, "."), "")
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// What is read of a log are members that its published schema has, and what the tests, the examples and
// real runs have for logs fits it.
func TestPublishedSchema(t *testing.T) {
	known := slices.Collect(func(yield func(string) bool) {
		for _, paths := range []map[string]string{schema, newer} {
			for path := range paths {
				if !yield(path) {
					return
				}
			}
		}
	})
	slices.Sort(known)
	if kept := inspectlog.Kept(); !slices.Equal(kept, known) {
		t.Errorf("read are\n%q, and the schema has\n%q", kept, known)
	}
	example, err := os.ReadFile("../../../examples/sources/inspect/stones.json")
	if err != nil {
		t.Fatal(err)
	}
	logs := map[string]string{"the example": string(example), "the tests'": whole()}
	names, _ := filepath.Glob(filepath.Join(vectortest.Data(t, "data", "inspect"), "*.json"))
	for _, name := range names {
		logs[filepath.Base(name)] = vectortest.DataText(t, "data", "inspect", filepath.Base(name))
	}
	for name, text := range logs {
		if list := misfits(t, text); len(list) > 0 {
			t.Errorf("%s: %q", name, list)
		}
	}
	for from, want := range map[string]string{
		`"model":"openai/gpt-5"`: "eval.model", `"epoch":1`: "samples.*.epoch", `"value":0.75`: "results.scores.*.metrics.*.value",
	} {
		if got := misfits(t, strings.ReplaceAll(whole(), from, strings.Split(from, ":")[0]+`:[]`)); !slices.Contains(got, want) {
			t.Errorf("%s: %q", from, got)
		}
	}
}
