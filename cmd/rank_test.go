package cmd

import (
	"fmt"
	"strings"
	"testing"
)

// A request stays in one line if the space of a layout would make it larger than a request
// may be.
func TestTranslateLargeRequest(t *testing.T) {
	for tools, isLine := range map[int]bool{100: false, 95_000: true} {
		names := make([]string, tools)
		for i := range names {
			names[i] = fmt.Sprintf(`"t%06d"`, i)
		}
		request := fmt.Sprintf(`{"inventory":[{"execution":{"toolSurface":[%s]},"id":"m","model":{"id":"m"}}],"schemaVersion":"service.rank.request/v3"}`, strings.Join(names, ","))
		code, text, stderr := svc([]byte(request), "rank", "-", "--version", "3")
		if code != exitDone || isLine != (strings.Count(text, "\n") == 1) {
			t.Fatalf("%d tools: exit code %d, stderr %s, %.200s", tools, code, stderr, text)
		}
		again, normal, _ := svc([]byte(text), "rank", "-", "--version", "3", "--output", "json")
		if _, want, _ := svc([]byte(request), "rank", "-", "--version", "3", "--output", "json"); again != exitDone || normal != want {
			t.Errorf("%d tools: the translation is another request: exit code %d, %.200s", tools, again, normal)
		}
	}
}
