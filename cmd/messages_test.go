package cmd

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// longest is the most characters of a value that a message repeats.
const longest = 200

// repeatsTooMuch returns a line that repeats more of a filler than a message may.
func repeatsTooMuch(output, filler string) string {
	for line := range strings.Lines(output) {
		if strings.Contains(line, strings.Repeat(filler, longest/len([]rune(filler))+1)) {
			return line
		}
	}
	return ""
}

// fillers are beginnings of values without end: letters, words, what is escaped when it
// is quoted, and digits.
var fillers = []string{"ж", "жж жж ", `\"`, "7"}

// No message repeats more than 200 characters of a word of the command line.
func TestMessagesClipArguments(t *testing.T) {
	for _, filler := range fillers[:vectortest.Rounds(len(fillers))] {
		long := strings.Repeat(filler, 5000)
		for _, line := range [][]string{
			{long}, {"--" + long}, {"-" + long}, {"sources", long}, {"help", long}, {"completion", long}, {"schema", long},
			{"validate", "--output", long}, {"validate", "--output=" + long}, {"validate", "--" + long + "=x"}, {"validate", "-" + long},
			{"version", long}, {"compile", "a", "--as-of", long}, {"compile", "a", "--as-of", "now", "--dedupe=" + long},
			{"import", long}, {"sources", "show", long}, {"sources", "show", "livebench", long}, {"sources", "fetch", "livebench", "-o", "x", "--revision", long},
			{"serve", long}, {"serve", "--" + long}, {"serve", "--catalog", "x", "--port", long}, {"verify-serve", "--store", long, "--source", "x"},
			{"verify", "--bundle", "x", "--endpoint", long}, {"verify", "--bundle", "x", "--require", long}, {"verify-load", "--store", long, "x"},
		} {
			code, stdout, stderr := svc(nil, line...)
			if again := repeatsTooMuch(stderr, filler); code == exitDone || stdout != "" || again != "" {
				t.Errorf("%.40q: exit code %d, %.300q", line, code, again)
			}
		}
	}
}

// No message repeats more than 200 characters of a value or a name of a file, wherever
// it is in it. A member or an item at a time, each example gets one that is long.
func TestMessagesClipValues(t *testing.T) {
	documents := map[string]any{}
	err := filepath.WalkDir("../examples", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var document any
		many := len(text) >= 20_000 || strings.Contains(path, "models/mappings") // of the same kind as smaller ones
		if !many && json.Unmarshal(text, &document) == nil {
			documents[path] = document
		}
		return nil
	})
	if err != nil || len(documents) < 10 {
		t.Fatalf("%d documents, %v", len(documents), err)
	}
	dir, tried := t.TempDir(), 0
	for i, path := range slices.Sorted(maps.Keys(documents)) {
		if !vectortest.Sample(i) {
			continue
		}
		document, filler := documents[path], fillers[i%len(fillers)]
		var names []string
		mutate(document, strings.Repeat(filler, 1000), func() {
			text, err := json.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.Join(dir, fmt.Sprintf("%d.json", len(names))))
			writeFile(t, names[len(names)-1], text)
		})
		tried += len(names)
		for _, output := range []string{"text", "json"} {
			_, stdout, stderr := svc(nil, append([]string{"validate", "--output", output}, names...)...)
			for line := range strings.Lines(stdout) { // the path is for programs, whole
				var v struct{ Problems []struct{ Message string } }
				if output == "json" {
					if err := json.Unmarshal([]byte(line), &v); err != nil {
						t.Fatal(err)
					}
				}
				for _, p := range v.Problems {
					stderr += p.Message + "\n"
				}
			}
			if again := repeatsTooMuch(stderr, filler); again != "" {
				t.Errorf("%s, %q: %.600s", path, filler, again)
			}
		}
	}
	if tried < vectortest.Rounds(500) {
		t.Errorf("%d files were tried", tried)
	}
}

// mutate calls try with each value of a document replaced by a long text, and each
// object given a long name.
func mutate(document any, long string, try func()) {
	const most = 3 // items of a list that are looked at
	switch v := document.(type) {
	case map[string]any:
		v[long] = 1
		try()
		delete(v, long)
		for name, value := range v {
			v[name] = long
			try()
			v[name] = value
			mutate(value, long, try)
		}
	case []any:
		for i, value := range v[:min(len(v), most)] {
			v[i] = long
			try()
			v[i] = value
			mutate(value, long, try)
		}
	}
}

// A number of any length is not repeated either.
func TestMessagesClipNumbers(t *testing.T) {
	digits := strings.Repeat("7", 5000)
	for _, text := range []string{digits, "1e" + digits, `{"schemaVersion":` + digits + `}`, `{"schemaVersion":1e` + digits + `}`, `{"schemaVersion":[` + digits + `]}`} {
		_, _, stderr := svc([]byte(text), "validate", "-")
		if again := repeatsTooMuch(stderr, "7"); again != "" || stderr == "" {
			t.Errorf("%.40q: %.300q", text, again)
		}
	}
}
