package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/model-catalog-service/svc/docs/schemas"
)

func configSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, ok := schemas.Text("config")
	if !ok {
		t.Fatal("no schema of the configuration")
	}
	root, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	const id = "urn:svc:schema:config"
	c := jsonschema.NewCompiler()
	if err := c.AddResource(id, root); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// The schema of the configuration accepts the files that svc accepts.
func TestConfigurationSchema(t *testing.T) {
	schema := configSchema(t)
	for _, k := range Keys() {
		t.Setenv(k.Variable(), "")
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	t.Setenv("SVC_CONFIG", file)
	accepted, refused := 0, 0
	check := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var document any
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			t.Fatal(err)
		}
		asJSON, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(asJSON)))
		if err != nil {
			t.Fatal(err)
		}
		bySchema := schema.Validate(instance)
		_, byCode := Load("", pflag.NewFlagSet("", pflag.ContinueOnError))
		if (bySchema == nil) != (byCode == nil) {
			t.Errorf("%q: the schema says %v, the code %v", text, bySchema, byCode)
		}
		if byCode == nil {
			accepted++
		} else {
			refused++
		}
	}
	check("")
	check("# nothing\n")
	check("{}\n")
	check("- catalog\n")
	check("text\n")
	example, err := os.ReadFile("../../../examples/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	check(string(example))
	values := []string{"", "null", `""`, "x", "5", "true", "[]", "{}", "[auto]", "{level: info}"}
	for _, k := range Keys() {
		words := strings.FieldsFunc(strings.TrimPrefix(k.Rule, "must be "), func(r rune) bool { return strings.ContainsRune(", ", r) })
		for _, value := range slices.Concat(values, words, []string{strings.ToUpper(words[0])}) {
			check(k.Name + ": " + value + "\n")
			if group, name, dotted := strings.Cut(k.Name, "."); dotted {
				check(group + ":\n  " + name + ": " + value + "\n")
				check(group + ": {" + name + ": auto, more: x}\n")
				check(group + ": " + value + "\n")
			}
		}
	}
	for _, key := range []string{"port", "log.colour", "outputs", "admin.addr.host"} {
		check(key + ": x\n")
	}
	for _, address := range []string{
		":0", ":65535", ":65536", ":99999", ":100000", ":08", ":+8", ":-1", ":", "localhost", "localhost:http", "a:b:80", "::1:80",
		"[::1]:80", "[::1]80", "[]:80", "[a]b:80", "a[b]:80", "[[a]]:80", " :80", "host name:8080",
	} {
		check(fmt.Sprintf("admin.addr: %q\n", address))
	}
	if accepted < 20 || refused < 50 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
}
