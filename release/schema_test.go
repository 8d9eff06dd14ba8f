package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"

	_ "github.com/CycloneDX/cyclonedx-go" // its folder has the schemas
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// cycloneDX is the schema of CycloneDX 1.6, with those that it refers to, as the
// project's own library for Go carries them.
func cycloneDX(t *testing.T) *jsonschema.Schema {
	t.Helper()
	folder, err := output(exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go"))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(local{folder: filepath.Join(folder, "schema")})
	schema, err := c.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// local finds schemas by the last part of their address, in a folder.
type local struct{ folder string }

func (l local) Load(url string) (any, error) {
	name := filepath.Base(url)
	if name == "jsf-0.82.schema.json" {
		name = "jsf-0.82.schemax.json" // as it is called there
	}
	return jsonschema.FileLoader{}.Load("file://" + filepath.ToSlash(filepath.Join(l.folder, name)))
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}
