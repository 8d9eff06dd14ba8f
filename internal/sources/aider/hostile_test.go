package aider_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/aider"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

// bomb is YAML that grows tenfold with every line where aliases are followed.
func bomb() string {
	var b strings.Builder
	b.WriteString("- a0: &a0 x\n")
	for i := 1; i < 10; i++ {
		before := "*a" + string(rune('0'+i-1))
		b.WriteString("  a" + string(rune('0'+i)) + ": &a" + string(rune('0'+i)) + " [" + strings.Repeat(before+",", 9) + before + "]\n")
	}
	return b.String()
}

func TestRefusedBodies(t *testing.T) {
	const row = "$.snapshots[0].body[0]"
	tests := []struct {
		name, body, path, reason string
		line                     int
	}{
		{"empty", "", "$.snapshots[0].body", "holds no rows", 1},
		{"a comment", "# nothing\n", "$.snapshots[0].body", "holds no rows", 1},
		{"a list in flow style", "[{dirname: x}]\n", "$.snapshots[0].body", "must be a list of rows", 1},
		{"an indented list", "  - dirname: x\n", "$.snapshots[0].body", "must be a list of rows", 1},
		{"two items on lines of another kind", "- dirname: x\u2028- dirname: y\n", row, "must be one item", 1},
		{"a map", "dirname: x\n", "$.snapshots[0].body", "must be a list", 1},
		{"a list of texts", "- x\n", row, "must be a map", 1},
		{"a second document", plain + "---\n- dirname: y\n", "$.snapshots[0].body", "and here it ends", 19},
		{"the end of a document", plain + "...\n- dirname: y\n", "$.snapshots[0].body", "and here it ends", 19},
		{"a directive", "%YAML 1.1\n---\n" + plain, "$.snapshots[0].body", "must be a list of rows", 1},
		{"no dirname", "- date: 2025-02-25\n", row + ".dirname", "missing field", 1},
		{"an empty dirname", "- dirname: ''\n", row + ".dirname", "missing field", 1},
		{"a duplicate field", plain + "  model: other\n", row + ".model", "duplicate field", 19},
		{"an anchor", replaced("model", "model: &m x"), row + ".model", "no anchor", 3},
		{"an alias", "- &r\n  dirname: x\n- *r\n", row, "no anchor", 1},
		{"a merge key", plain + "  <<: {a: b}\n", row, "plain names", 19},
		{"a tag", replaced("model", "model: !!str 7"), row + ".model", "no tag", 3},
		{"a tag of its own", replaced("model", "model: !python/object:os.system x"), row + ".model", "no tag", 3},
		{"a tagged row", "- !row\n  dirname: x\n", row, "no tag", 1},
		{"a tagged list", "!!seq\n- dirname: x\n", "$.snapshots[0].body", "must be a list of rows", 1},
		{"a nested value", replaced("model", "model: [a, b]"), row + ".model", "rows are flat", 3},
		{"a map as name", "- dirname: x\n  ? {a: b}\n  : c\n", row, "plain names", 2},
		{"tabs", "- dirname: x\n\tdate: y\n", row, "is not YAML", 0},
		{"an unclosed quote", replaced("model", `model: "x`), row, "is not YAML", 0},
		{"a carriage return", strings.ReplaceAll(plain, "\n", "\r"), "$.snapshots[0].body", "carriage return", 1},
		{"lines that end as on Windows", strings.ReplaceAll(plain, "\n", "\r\n"), "$.snapshots[0].body", "carriage return", 1},
		{"a bomb", bomb(), "$.snapshots[0].body[0].a0", "no anchor", 1},
		{"depth", "- " + strings.Repeat("[", 60_000), row, "is not YAML", 0},
		{"depth of blocks", strings.Repeat("- ", 30_000), row, "is not YAML", 0},
		{"a long row", "- [" + strings.Repeat("a,", 2_000_000) + "]", row, "more than 65536 bytes", 1},
		{"too many fields", "- a: 1\n" + strings.Repeat("  a: 1\n", 300), row, "has 301 fields", 1},
		{"too many rows", strings.Repeat("- dirname: x\n", sources.MaxRows+2), "$.snapshots[0].body", "more than 100000 rows", sources.MaxRows + 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := importBody(t, tt.body)
			sourcetest.Refused(t, tt.name, err, tt.path, tt.reason)
			if faults := problem.All(err); len(faults) > 0 && tt.line > 0 && faults[0].Place.Line != tt.line {
				t.Errorf("line %d, want %d: %v", faults[0].Place.Line, tt.line, faults[0])
			}
		})
	}
}

// The leaderboard is taken from a commit alone, one at a time.
func TestRefusedSnapshots(t *testing.T) {
	const head = "https://raw.githubusercontent.com/Aider-AI/aider/main/aider/website/_data/polyglot_leaderboard.yml"
	_, err := sourcetest.ImportAll(t, aider.New(), entry, sourcetest.Pin(t, aider.Source, head, fetchedAt, plain))
	sourcetest.Refused(t, "the head of a branch", err, "$.snapshots[0].url", "must be that of the leaderboard in a commit")
	a, b := sourcetest.Pin(t, aider.Source, url(commit), fetchedAt, plain), sourcetest.Pin(t, aider.Source, url(other), fetchedAt, plain)
	_, err = sourcetest.ImportAll(t, aider.New(), entry, a, b)
	sourcetest.Refused(t, "two", err, "$.snapshots[1]", "a leaderboard is one file")
}

func FuzzImport(f *testing.F) {
	f.Add(plain)
	f.Add(bomb())
	f.Add(replaced("commit_hash", "commit_hash: 1e7"))
	f.Add("- {dirname: x, date: 2025-02-25, pass_rate_1: 1}\n")
	f.Add("- dirname: |\n    x\n  date: >-\n    2025-02-25\n...\n")
	f.Add("# c\n---\n- ? dirname\n  : \"x\\u2028\"\n")
	f.Fuzz(func(t *testing.T, body string) {
		file, err := sourcetest.TryPin(t, aider.Source, url(commit), fetchedAt, body)
		if err != nil {
			return
		}
		sourcetest.Fuzz(t, aider.New(), entry, file)
	})
}
