package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// runnable returns all commands that do something, by the words that name them.
func runnable(c *cobra.Command, words ...string) map[string]*cobra.Command {
	all := map[string]*cobra.Command{}
	if c.Runnable() {
		all[strings.Join(words, " ")] = c
	}
	for _, sub := range c.Commands() {
		for path, c := range runnable(sub, append(slices.Clone(words), sub.Name())...) {
			all[path] = c
		}
	}
	return all
}

// asked is what a shell gets for words, the last of which is being typed. It
// fails the test where a shell would be disturbed.
func asked(t *testing.T, words ...string) (offered []string, directive cobra.ShellCompDirective) {
	t.Helper()
	code, stdout, stderr := svc(nil, append([]string{cobra.ShellCompRequestCmd}, words...)...)
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	last := len(lines) - 1
	n, err := strconv.Atoi(strings.TrimPrefix(lines[last], ":"))
	if code != exitDone || err != nil || !strings.HasPrefix(lines[last], ":") {
		t.Fatalf("%q: exit code %d, the end of the answer is %q", words, code, lines[last])
	}
	if !regexp.MustCompile(`\ACompletion ended with directive: [A-Za-z, ]+\n\z`).MatchString(stderr) {
		t.Errorf("%q: stderr is %q", words, stderr)
	}
	for _, line := range lines[:last] {
		if line == "" || strings.Contains(line, "`") {
			t.Errorf("%q: offers %q", words, line)
		}
	}
	return lines[:last], cobra.ShellCompDirective(n)
}

// Somebody has decided what is offered for every option with a value and for the
// arguments of every command. Whatever stands in the configuration and in the
// words before, a shell gets an answer.
func TestEverythingCompletes(t *testing.T) {
	vectortest.SkipRace(t)
	t.Setenv("SVC_CONFIG", filepath.Join(t.TempDir(), "nowhere.yaml"))
	t.Setenv("SVC_COLOR", "loud")
	all := runnable(Root())
	if len(all) < 15 {
		t.Fatalf("%d commands, there are more", len(all))
	}
	for path, c := range all {
		words := strings.Fields(path)
		with := func(more ...string) []string { return append(slices.Clone(words), more...) }
		if c.ValidArgsFunction == nil {
			t.Errorf("nobody has decided what svc %s takes", path)
		}
		for _, before := range [][]string{nil, {"aider-polyglot"}, {"x", "y"}, {"--nonsense"}, {"--color", "loud", "--color=x"}, {"", "--"}} {
			if _, directive := asked(t, with(append(slices.Clone(before), "")...)...); directive&cobra.ShellCompDirectiveError != 0 {
				t.Errorf("svc %s %q: directive %d", path, before, directive)
			}
		}
		if _, directive := asked(t, with("")...); directive == cobra.ShellCompDirectiveDefault {
			t.Errorf("svc %s: offers all files", path)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			offers := func(before ...string) bool {
				offered, _ := asked(t, with(append(before, "--"+f.Name)...)...)
				return slices.ContainsFunc(offered, func(s string) bool { return strings.HasPrefix(s, "--"+f.Name+"\t") })
			}
			if !offers() {
				t.Errorf("svc %s does not offer --%s", path, f.Name)
			}
			if f.NoOptDefVal != "" {
				return
			}
			if _, ok := c.GetFlagCompletionFunc(f.Name); !ok {
				t.Errorf("nobody has decided what svc %s --%s takes", path, f.Name)
			}
			offered, directive := asked(t, with("--"+f.Name, "")...)
			if directive == cobra.ShellCompDirectiveDefault {
				t.Errorf("svc %s --%s: offers all files", path, f.Name)
			}
			for _, word := range offered {
				isChoice := directive == cobra.ShellCompDirectiveNoFileComp && f.Value.Type() == "choice"
				if err := f.Value.Set(word); isChoice && err != nil {
					t.Errorf("svc %s --%s: offers %q, which it refuses: %v", path, f.Name, word, err)
				}
			}
			if many := regexp.MustCompile(`--` + f.Name + ` [A-Z:=]+(?: \| --[a-z]+ [A-Z:]+)?[\])]?\.\.\.`).MatchString(c.Use); offers("--"+f.Name, "x") != many {
				t.Errorf("svc %s: --%s may be given twice: %v, which is not what is offered", path, f.Name, many)
			}
		})
	}
}

// What is offered in single places.
func TestCompletions(t *testing.T) {
	const (
		words   = cobra.ShellCompDirectiveNoFileComp
		files   = cobra.ShellCompDirectiveFilterFileExt
		folders = cobra.ShellCompDirectiveFilterDirs
		begun   = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		any     = cobra.ShellCompDirectiveDefault
	)
	t.Chdir(t.TempDir())
	for _, name := range []string{"records.db", "bundle.json", "notes.txt", ".hidden.db", "folder/inner.db"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	catalog := func(models ...string) (text string) {
		for _, id := range models {
			text += `{"models":[{"identity":{"id":"` + id + `"}}`
		}
		return text
	}
	var many []string
	for i := range mostNames + 1 {
		many = append(many, "many/"+strconv.Itoa(i))
	}
	writeFile(t, "two.catalog", []byte(catalog("openai/gpt-5", "x-ai/grok-4", "openai/gpt-5")))
	writeFile(t, "facts.catalog", []byte(`{"runtime":{"id":"openrouter","version":null}},"measurements":[{"key":"price.input","kind":"fact"},{"key":"price.output","kind":"fact"}],"runtime":{"id":"openai"},{"key":"no fact","kind":"fact"},{"key":"other"}`))
	writeFile(t, "offers.catalog", []byte(`"runtime":{"id":"shop:batch,eu","version":null}},{"key":"offer.service","kind":"fact","unit":null,"value":"batch,fast"}"runtime":{"id":"shop:free"}"runtime":{"id":"store"}`))
	writeFile(t, "many.catalog", []byte(catalog(append(many, "openai/gpt-5")...)))
	large, err := os.Create("large.catalog")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(large.Truncate(mostOffered+1), large.Close()); err != nil {
		t.Fatal(err)
	}
	approved := "aider-polyglot\tAider polyglot leaderboard|every-eval-ever\tEvery Eval Ever|genai-prices\tgenai-prices|litellm-prices\tLiteLLM model prices|livebench\tLiveBench|lmarena\tLMArena leaderboard|models-dev\tmodels.dev|openrouter-endpoints\tOpenRouter endpoints, daily copy|openrouter-models\tOpenRouter models API|swe-bench\tSWE-bench leaderboards"
	all := approved + "|lm-eval\tresults of your own runs of lm-evaluation-harness|inspect\tlogs of your own runs of Inspect"
	tests := []struct {
		line      string // the last word is being typed
		want      string // with | between
		directive cobra.ShellCompDirective
	}{
		{"rank --catalog ", "json", files},
		{"rank --catalog=", "json", files},
		{"rank --catalog c.json ", "json|jsonl|ndjson", files},
		{"rank --catalog c.json r.json --output ", "auto|json|table", words},
		{"rank --output nonsense --catalog c --color ", "auto|always|never", words},
		{"rank --nonsense=1 --more --output ", "auto|json|table", words},
		{"rank --nonsense r.json ", "json|jsonl|ndjson", files},
		{"show ", "json", files},
		{"show two.catalog ", "openai/gpt-5|x-ai/grok-4", words},
		{"show two.catalog x", "x-ai/grok-4", words},
		{"show two.catalog x-ai/grok-4 ", "", words},
		{"show many.catalog ", "many/|openai/", begun},
		{"show many.catalog many/50", "many/50|many/500", words},
		{"show nowhere.json ", "", words},
		{"show large.catalog ", "", words},
		{"show folder ", "", words},
		{"new request --catalog two.catalog --model ", "openai/gpt-5|x-ai/grok-4", words},
		{"new observation --model ", "", words},
		{"new request --catalog facts.catalog --runtime open", "openai|openrouter", words},
		{"new request --catalog offers.catalog --runtime s", "shop|shop:batch,eu|shop:free|store", words},
		{"new request --catalog offers.catalog --service ", "any|batch|fast|standard", words},
		{"rank --seller-policy ", "first-party|major|any", words},
		{"new request --catalog facts.catalog --maximize ", "price.input|price.output", words},
		{"new request --catalog facts.catalog --minimize price.i", "price.input", words},
		{"new request --catalog facts.catalog --key x", "", words},
		{"new request --catalog facts.catalog --at-most price.", "price.input|price.output", begun},
		{"new request --catalog facts.catalog --at-least price.o", "price.output", begun},
		{"new request --catalog facts.catalog --trials price.o", "price.output", begun},
		{"new observation --catalog facts.catalog --fact price.i", "price.input", begun},
		{"new observation --catalog facts.catalog --sample price.i", "price.input", begun},
		{"new observation --catalog facts.catalog --runtime openr", "openrouter", words},
		{"new observation --fact ", "", begun},
		{"validate --output ", "text|json", words},
		{"validate a.json ", "json|jsonl|ndjson", files},
		{"compile --as-of ", "now", words},
		{"compile obs --as-of now -o ", "json", files},
		{"compile obs --as-of now --out ", "json", files},
		{"verify --require ", "unknown|proposed|assumed|verified|stale|disputed|superseded|rejected|revoked", words},
		{"verify --key a.pem --key ", "pem|pub|key", files},
		{"verify --now ", "now", words},
		{"verify --endpoint ", "", words},
		{"verify ", "", words},
		{"verify-load --store ", "sqlite:|postgres://", begun},
		{"verify-load --store sqlite:", "sqlite:folder/|sqlite:records.db", begun},
		{"verify-load --store sqlite:folder/", "sqlite:folder/inner.db", begun},
		{"verify-load --store sqlite:.h", "sqlite:.hidden.db", begun},
		{"verify-load --store sqlite:nowhere/", "", begun},
		{"verify-load --store file:", "sqlite:|postgres://", begun},
		{"verify-serve --store file:", "file:bundle.json|file:folder/", begun},
		{"verify-serve --store sqlite:records.db --signing-key ", "pem|key", files},
		{"serve --catalog ", "json", files},
		{"serve --port ", "", words},
		{"serve --nonsense ", "", words},
		{"serve --catalog c --port 1 --host h --max-concurrent-rank-requests 1 ",
			"--max-rank-response-bytes\t<bytes> that a rank result may have, larger ones get 422", words},
		{"import ", all, words},
		{"import livebench ", "", any},
		{"import --mapping ", "json", files},
		{"import livebench x.csv -o ", "jsonl|ndjson", files},
		{"sources show ", approved, words},
		{"sources show livebench ", "", words},
		{"sources fetch ", approved, words},
		{"sources fetch livebench -o ", "", folders},
		{"sources pin ", all, words},
		{"sources pin lm-eval ", "", any},
		{"sources pin lm-eval results.json ", "", words},
		{"sources pin openrouter-models --url ", "https://openrouter.ai/api/v1/models", begun},
		{"sources pin --url ", "", begun},
		{"sources pin lm-eval --url ", "urn:", begun},
		{"sources pin --fetched-at ", "now", words},
		{"sources pin --media-type ", "application/json|application/x-tar|text/csv|text/html|text/plain", words},
		{"sources mapping ", all, words},
		{"sources discover ", "livebench\tLiveBench", words},
		{"sources discover livebench ", "", words},
		{"sources discover --bundle ", "js", files},
		{"sources nonsense ", "", words},
		{"nonsense ", "", words},
		{"completion ", "bash|zsh|fish|powershell", words},
		{"completion bash ", "", words},
		{"version ", "", words},
		{"help sources pin ", "", words},
	}
	for _, test := range tests {
		offered, directive := asked(t, strings.Split(test.line, " ")...)
		if got := strings.Join(offered, "|"); got != test.want || directive != test.directive {
			t.Errorf("svc %s: offers %q (%d), want %q (%d)", test.line, got, directive, test.want, test.directive)
		}
	}
}
