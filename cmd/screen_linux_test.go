package cmd

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/cmd/internal/console"
)

// updateScreens rewrites the screenshots: go test ./cmd -run TestScreens -screens
var updateScreens = flag.Bool("screens", false, "rewrite the screenshots in testdata/screen")

// screens are what is looked at, by the name of its screenshot. The words catalog.json,
// local.json and models.json stand for files that the test makes or finds elsewhere.
var screens = map[string][]string{
	"rank":     {"rank", "--catalog", "local.json", "testdata/screen/request.json"},
	"rank-v3":  {"rank", "--catalog", "catalog.json", "../examples/leaderboards/choice.json"},
	"explain":  {"rank", "--catalog", "catalog.json", "../examples/leaderboards/choice.json", "--explain", "gpt-oss"},
	"usage":    {"rank", "--help"},
	"misuse":   {"rank", "--catlog", "local.json", "testdata/screen/request.json"},
	"schema":   {"schema"},
	"config":   {"config"},
	"many":     {"rank", "--catalog", "models.json", "testdata/screen/question.json", "--top", "3"},
	"readme":   {"rank", "--catalog", "models.json", "../examples/models/coding-agent.json"},
	"sources":  {"sources", "list"},
	"runtimes": {"sources", "runtimes"},
	"show":     {"show", "models.json"},
	"model":    {"show", "models.json", "zhipuai/glm-5.2", "--key", "price"},
	"keys":     {"show", "models.json", "--keys"},
	"one":      {"show", "models.json", "cbffc5e9"},
	"propose": {"sources", "propose", "livebench", "../examples/sources/livebench/table_2026_01_08.csv",
		"../examples/sources/livebench/categories_2026_01_08.json", "--against", "../examples/sources/openrouter/models.json"},
}

// copied is a line of which a word is longer than a narrow terminal: an address, a key or
// an id, which stays whole.
var copied = regexp.MustCompile(`^ *([a-z0-9]+ +)?[^ ]{45,}$`)

// Screenshots of real terminals of 60, 80, 100 and 140 columns are kept in
// testdata/screen, for people to read. No line is wider than the terminal, so that the
// terminal wraps nothing, and none is wider than it need be.
func TestScreens(t *testing.T) {
	files := map[string]string{"models.json": "../examples/models/catalog.json"}
	for name, inputs := range map[string][]string{
		"catalog.json": {"../examples/leaderboards/observations", "--as-of", "2025-12-02T12:00:00Z"},
		"local.json":   {"testdata/in/list.json", "testdata/screen/trials.jsonl", "--as-of", "2026-07-18"},
	} {
		files[name] = filepath.Join(t.TempDir(), name)
		if out, err := process("", append(append([]string{"compile"}, inputs...), "-o", files[name])...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for name, words := range screens {
		args := make([]string, len(words))
		for i, word := range words {
			if args[i] = word; files[word] != "" {
				args[i] = files[word]
			}
		}
		for _, width := range []uint16{60, 80, 100, 140} {
			seen, _ := onTerminalOf(t, width, []string{"NO_COLOR=1"}, true, name == "misuse", args...)
			seen = strings.ReplaceAll(seen, "\r\n", "\n")
			for line := range strings.Lines(seen) {
				line = strings.TrimSuffix(line, "\n")
				fits := int(width)
				if name == "usage" || name == "misuse" {
					fits = 80 // help is made for 80 columns
				}
				isCopied := words[0] == "show" && copied.MatchString(line)
				if console.Columns(line) > fits && !isCopied {
					t.Errorf("%s, %d columns: this line is wider: %s", name, width, line)
				}
				if strings.HasSuffix(line, " ") {
					t.Errorf("%s, %d columns: this line ends in white space: %q", name, width, line)
				}
			}
			expectScreen(t, filepath.Join("testdata", "screen", fmt.Sprintf("%s-%d.txt", name, width)), seen)
		}
	}
}

func expectScreen(t *testing.T, file, seen string) {
	t.Helper()
	if *updateScreens {
		writeFile(t, file, []byte(seen))
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if seen != string(want) {
		t.Errorf("%s is\n%s\nthe terminal shows\n%s", file, want, seen)
	}
}
