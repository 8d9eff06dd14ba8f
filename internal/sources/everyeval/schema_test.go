package everyeval_test

import (
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// published is a schema that the project publishes for version 0.3.0.
func published(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(vectortest.DataText(t, "data", "every-eval-ever", name)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("https://example.org/"+name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("https://example.org/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fits reports what a schema finds wrong with a text.
func fits(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

// What these tests and the examples take for records and instances of version 0.3.0 are some, by the published schemas.
func TestInputsFitPublishedSchemas(t *testing.T) {
	records, instances := published(t, "eval.schema.json"), published(t, "instance_level_eval.schema.json")
	example, err := os.ReadFile("../../../examples/sources/every-eval-ever/atlas-70b.json")
	if err != nil {
		t.Fatal(err)
	}
	lines := instancesOf("1", "0")
	for name, text := range map[string]string{
		"rec": rec, "with instances": withInstances(lines, 2), "the example": string(example),
		"a given record": vectortest.DataText(t, "data", "every-eval-ever", "f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40.json"),
	} {
		if err := fits(t, records, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	given := vectortest.DataText(t, "data", "every-eval-ever", "f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40_samples.jsonl")
	for line := range strings.Lines(lines + given) {
		if err := fits(t, instances, line); err != nil {
			t.Errorf("%.80s: %v", line, err)
		}
	}
	for _, wrong := range []string{strings.Replace(rec, `"score":0.5`, `"score":"half"`, 1), strings.Replace(rec, `"model_info"`, `"model"`, 1)} {
		if fits(t, records, wrong) == nil {
			t.Errorf("%.60s fits", wrong)
		}
	}
}
