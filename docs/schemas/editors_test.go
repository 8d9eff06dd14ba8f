package schemas_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The settings that the page on editors shows are JSON, and name the schemas
// that its command writes.
func TestEditorSettings(t *testing.T) {
	page := readFile(t, "docs", "editors.md")
	_, block, _ := strings.Cut(page, "```json\n")
	block, _, _ = strings.Cut(block, "```")
	var settings struct {
		JSON []struct {
			FileMatch []string `json:"fileMatch"`
			URL       string   `json:"url"`
		} `json:"json.schemas"`
		YAML map[string][]string `json:"yaml.schemas"`
	}
	d := json.NewDecoder(strings.NewReader(block))
	d.DisallowUnknownFields()
	if err := d.Decode(&settings); err != nil {
		t.Fatal(err)
	}
	var named []string
	name := func(url string, files []string) {
		m := regexp.MustCompile(`^\./\.vscode/([a-z0-9-]+)\.schema\.json$`).FindStringSubmatch(url)
		if m == nil || len(files) == 0 {
			t.Fatalf("%s is for %v", url, files)
		}
		schemaText(t, m[1])
		named = append(named, m[1])
	}
	for _, s := range settings.JSON {
		name(s.URL, s.FileMatch)
	}
	for url, files := range settings.YAML {
		name(url, files)
	}
	_, written, _ := strings.Cut(page, "$ for name in ")
	written, _, _ = strings.Cut(written, ";")
	if !slices.Equal(strings.Fields(written), named) {
		t.Errorf("written are %s, named %v", written, named)
	}
}
