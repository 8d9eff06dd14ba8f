package v3_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// breakable is a comma between members or items in a line, outside of texts.
var breakable = regexp.MustCompile(`^(?:[^"]|"(?:[^"\\]|\\.)*")*?, `)

// The text of a request is read as that request, has no line that could be broken and is
// longer than a page, and says nothing that holds anyway.
func TestRequestText(t *testing.T) {
	var requests []*v3.Request
	requests = append(requests, requestSeeds(t)...)
	current := len(requests)
	for _, v := range vectortest.Parts[struct{ Request json.RawMessage }](t, "../testdata/requests.jsonl.gz") {
		if q, err := v3.ReadRequest(problem.Source{Text: string(v.Request)}); err == nil && q.IsEarlier() {
			if q, err = q.Translate(); err != nil {
				t.Fatal(err)
			}
			requests = append(requests, q)
		}
	}
	if current < 60 || len(requests)-current < 250 {
		t.Fatalf("%d requests of version 3 and %d earlier ones: there are more", current, len(requests)-current)
	}
	for _, q := range requests {
		text := q.Text()
		again, err := v3.ReadRequest(problem.Source{Text: text})
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			continue
		}
		if again.JSON() != q.JSON() || again.Text() != text {
			t.Errorf("%s has the normal form\n%s\nwant\n%s", text, again.JSON(), q.JSON())
		}
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(line) > 101 && breakable.MatchString(strings.TrimLeft(line, " ")) {
				t.Errorf("this line could be broken: %s", line)
			}
		}
		var request map[string]any
		if err := json.Unmarshal([]byte(text), &request); err != nil {
			t.Fatal(err)
		}
		delete(request, "inventory") // which may be empty
		for _, spare := range spareMembers(request) {
			t.Errorf("%s is written in\n%s", spare, text)
		}
	}
}

// spareMembers names members that may be left out, as their value is null, an empty list or
// what holds without them.
func spareMembers(value any) (names []string) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			names = append(names, spareMembers(item)...)
		}
	case map[string]any:
		for name, member := range v {
			list, isList := member.([]any)
			if member == nil || isList && len(list) == 0 || name == "sourceClasses" && len(list) == 2 || name == "confidence" && member == 0.95 ||
				name == "correction" && member == "none" || name == "minimumCoverage" && member == 1.0 {
				names = append(names, name)
			}
			names = append(names, spareMembers(member)...)
		}
		if id, isText := v["id"].(string); isText && v["measurementKey"] != nil {
			if role, key, _ := strings.Cut(id, ":"); key == v["measurementKey"] && slices.Contains([]string{"requirement", "preference", "tieBreaker", "advisory"}, role) {
				names = append(names, "id")
			}
		}
	}
	return names
}
