package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/docs/schemas"
)

// toldIn says which pages tell all of a format; the others are told in
// docs/formats.md alone.
var toldIn = map[string][]string{
	"catalog-diff":          {"docs/comparing.md"},
	"mapping":               {"docs/sources/mappings.md", "docs/formats.md"},
	"identity-proposals":    {"docs/sources/mappings.md", "docs/sources/models-and-offers.md"},
	"offer-identities":      {"docs/sources/models-and-offers.md"},
	"source-rulings":        {"docs/sources/contradictions.md"},
	"contradictions":        {"docs/sources/contradictions.md"},
	"revision-proposal":     {"docs/sources/discovery.md"},
	"trust-bundle":          {"docs/verification-records.md"},
	"verification-response": {"docs/verification-records.md"},
	"error-verification":    {"docs/verification-records.md"},
	"config":                {"docs/configuration.md"},
	"recipe":                {"docs/recipes.md"},
	"models-lock":           {"docs/locking.md"},
	"models-check":          {"docs/locking.md"},
	"export-report":         {"docs/exporting.md"},
}

// words returns what stands in code spans of pages, taken apart into words.
func words(t *testing.T, pages ...string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, span := range regexp.MustCompile("`[^`\n]+(?:\n[^`\n]+)?`").FindAllString(string(text), -1) {
			for _, word := range strings.FieldsFunc(span, func(r rune) bool { return strings.ContainsRune(" `{}?,:;()\n.", r) }) {
				found[word] = true
			}
			found[strings.Trim(span, "`?")] = true
		}
	}
	return found
}

// Every member and every word that a format may have is told on its page.
func TestFormatsAreTold(t *testing.T) {
	for _, s := range schemas.All() {
		pages := toldIn[s.Name]
		if pages == nil {
			pages = []string{"docs/formats.md"}
		}
		told := words(t, pages...)
		text, _ := schemas.Text(s.Name)
		var schema any
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		names := 0
		walkNames(schema, func(name string) {
			if names++; !told[name] {
				t.Errorf("%s: %s is not told in %s", s.Name, name, strings.Join(pages, " or "))
			}
		})
		if names < 3 {
			t.Errorf("%s: only %d names", s.Name, names)
		}
	}
}

// walkNames calls visit with every member and every constant text of a schema.
func walkNames(schema any, visit func(string)) {
	switch schema := schema.(type) {
	case map[string]any:
		for keyword, v := range schema {
			switch keyword {
			case "properties":
				for name, property := range v.(map[string]any) {
					visit(name)
					walkNames(property, visit)
				}
				continue
			case "const", "enum":
				list, isList := v.([]any)
				if !isList {
					list = []any{v}
				}
				for _, item := range list {
					if text, ok := item.(string); ok {
						visit(text)
					}
				}
				continue
			case "examples", "default":
				continue
			}
			walkNames(v, visit)
		}
	case []any:
		for _, v := range schema {
			walkNames(v, visit)
		}
	}
}

// Every code of the library is told.
func TestCodesAreTold(t *testing.T) {
	told := words(t, "docs/formats.md")
	source, err := os.ReadFile("internal/problem/problem.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(` Code += "([A-Z_]+)"`).FindAllSubmatch(source, -1)
	if len(codes) < 10 {
		t.Fatalf("found %d codes, there are more", len(codes))
	}
	for _, m := range codes {
		if code := string(m[1]); !told[code] {
			t.Errorf("docs/formats.md does not tell %s", code)
		}
	}
}
