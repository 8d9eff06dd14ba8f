package cmd

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/model-catalog-service/svc/cmd/internal/config"
	"github.com/model-catalog-service/svc/cmd/internal/console"
	"github.com/model-catalog-service/svc/cmd/internal/files"
	"github.com/model-catalog-service/svc/cmd/internal/option"
	"github.com/model-catalog-service/svc/cmd/internal/signing"
	"github.com/model-catalog-service/svc/docs/manual"
	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/service/record"
	"github.com/spf13/cobra"
)

// Topics have the form that the usage has: they fit a terminal, and no command
// hides behind one.
func TestTopics(t *testing.T) {
	for _, topic := range Topics() {
		if c := option.Subcommand(Root(), topic.Name); c != nil {
			t.Errorf("%s is a command, too", topic.Name)
		}
		text := manual.Print(topic.Sections)
		if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
			t.Errorf("%s does not end with one line feed", topic.Name)
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			isPlain := strings.IndexFunc(line, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsControl(r) }) < 0
			if len(line) > 80 || strings.TrimRight(line, " ") != line || !isPlain {
				t.Errorf("%s: %q", topic.Name, line)
			}
		}
		for _, path := range topic.Commands {
			if c, err := commandNamed(Root(), strings.Fields(path)[1:]); err != nil || !c.Runnable() {
				t.Errorf("%s: there is no %s", topic.Name, path)
			}
		}
	}
}

// items returns the terms of a section of a topic, in their order.
func items(t *testing.T, topic, title string) (terms []string) {
	t.Helper()
	for _, s := range topicNamed(topic).Sections {
		for _, i := range s.Items {
			if s.Title == title {
				terms = append(terms, i.Term)
			}
		}
	}
	if terms == nil {
		t.Fatalf("%s has no section %s", topic, title)
	}
	return terms
}

// sourceFiles calls a function with every Go file of the program.
func sourceFiles(t *testing.T, see func(name, text string)) {
	t.Helper()
	seen := 0
	for _, folder := range []string{"../internal", "../service", "../cmd"} {
		err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
				strings.HasSuffix(filepath.Dir(name), "test") { // vectortest and its like are for tests alone
				return err
			}
			text, err := os.ReadFile(name)
			see(name, string(text))
			seen++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 50 {
		t.Fatalf("%d files, there are more", seen)
	}
}

func TestFormatsTopic(t *testing.T) {
	text := strings.Join(strings.Fields(manual.Print(topicNamed("formats").Sections)), " ")
	var versions []string
	version := regexp.MustCompile(`\bservice\.[a-z.-]+/v[0-9]+\b`)
	sourceFiles(t, func(_, source string) { versions = append(versions, version.FindAllString(source, -1)...) })
	for _, v := range versions {
		if !regexp.MustCompile(regexp.QuoteMeta(v) + `\b`).MatchString(text) {
			t.Errorf("it does not tell of %s", v)
		}
	}
	for _, v := range version.FindAllString(text, -1) {
		if !slices.Contains(versions, v) {
			t.Errorf("it tells of %s, which is nowhere else", v)
		}
	}
	var names []string
	for _, k := range files.Kinds() {
		names = append(names, k.Name)
		if k != files.TrustBundle && !strings.Contains(text, k.Name+" "+k.Family+"/v") {
			t.Errorf("it does not say that %s are of %s", k.Name, k.Family)
		}
	}
	if terms := items(t, "formats", "Kinds"); !slices.Equal(terms, names) {
		t.Errorf("the kinds are %q, want %q", terms, names)
	}
	if usage := Usage(option.Subcommand(Root(), "validate")); !strings.Contains(usage, "Kinds:\n  "+strings.Join(names, "\n  ")+"\n") {
		t.Errorf("svc validate does not list the kinds: %s", usage)
	}
}

func TestExitCodesTopic(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "root.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "exit") {
			codes = append(codes, spec.Values[0].(*ast.BasicLit).Value)
		}
		return true
	})
	if got := items(t, "exit-codes", "Exit codes"); len(codes) < 4 || !slices.Equal(got, codes) {
		t.Errorf("the codes are %q, want %q", got, codes)
	}
	codeOf := map[receiver.Severity]int{receiver.Notice: exitDone, receiver.Refusal: exitNo, receiver.Failure: exitFailure}
	want := map[int][]string{}
	outcomes := constants(t, "../service/record/receipt.go", "OutcomeCode")
	for _, code := range outcomes {
		exit := codeOf[receiver.SeverityOf(record.OutcomeCode(code))]
		want[exit] = append(want[exit], code)
	}
	for exit, codes := range want {
		if got := items(t, "exit-codes", "Outcomes that end with "+strconv.Itoa(exit)); !slices.Equal(got, codes) {
			t.Errorf("with %d end %q, want %q", exit, got, codes)
		}
	}
}

func readSource(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// constants returns the texts of the constants of a type, in the order of a file.
func constants(t *testing.T, name, typeName string) (texts []string) {
	t.Helper()
	source := readSource(t, name)
	for _, m := range regexp.MustCompile(`\b`+typeName+` += "([^"]+)"`).FindAllStringSubmatch(source, -1) {
		texts = append(texts, m[1])
	}
	if len(texts) < 5 {
		t.Fatalf("%s has %d constants %s, there are more", name, len(texts), typeName)
	}
	return texts
}

func TestRankingTopic(t *testing.T) {
	reasons := items(t, "ranking", "Reasons")
	slices.Sort(reasons)
	var wantReasons []string
	for _, m := range regexp.MustCompile(`"([A-Z]+_[A-Z_]+)"`).FindAllStringSubmatch(readSource(t, "../internal/rank/v3/result.go"), -1) {
		wantReasons = append(wantReasons, m[1])
	}
	if len(wantReasons) < 10 || !slices.Equal(reasons, wantReasons) {
		t.Errorf("the reasons are %q, want %q", reasons, wantReasons)
	}
	aggregations := items(t, "ranking", "Aggregations")
	if source := readSource(t, "../internal/rank/v3/request.go"); !strings.Contains(source, `"`+strings.Join(aggregations, `", "`)+`"`) {
		t.Errorf("%q are not the aggregations of requests", aggregations)
	}
}

// Every variable that the program reads is told of, and none that nobody reads.
func TestEnvironmentTopic(t *testing.T) {
	var told []string
	for _, term := range items(t, "environment", "Variables") {
		told = append(told, strings.Split(term, ", ")...)
	}
	var read []string
	sourceFiles(t, func(name, source string) {
		for _, m := range regexp.MustCompile(`os\.(?:Getenv|LookupEnv)\(([^)]*)\)`).FindAllStringSubmatch(source, -1) {
			constant := regexp.MustCompile(`\b` + regexp.QuoteMeta(m[1]) + ` += "([^"]+)"`).FindStringSubmatch(source)
			if text, err := strconv.Unquote(m[1]); err == nil {
				read = append(read, text)
			} else if constant != nil {
				read = append(read, constant[1])
			} else if name != filepath.FromSlash("../cmd/internal/config/config.go") { // which reads those of its keys
				t.Errorf("%s reads a variable by a name that is not seen here: %s", name, m[0])
			}
		}
		if strings.Contains(source, "os.Environ(") && name != filepath.FromSlash("../cmd/root.go") || // which warns of names that nobody reads
			strings.Contains(source, "os.ExpandEnv(") {
			t.Errorf("%s reads the whole environment", name)
		}
	})
	for _, s := range config.Keys() {
		read = append(read, s.Variable())
	}
	for _, name := range read {
		if !slices.Contains(told, name) {
			t.Errorf("it does not tell of %s", name)
		}
	}
	byLibraries := []string{
		"XDG_CONFIG_HOME", "HOME", "AppData", // os
		"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", // net/http
		"SSL_CERT_FILE", "SSL_CERT_DIR", // crypto/x509
		"PGPASSWORD", "PGPASSFILE", "PGSERVICEFILE", "...", // pgx
		"GOMAXPROCS", "GOMEMLIMIT", // runtime
		"SVC_COMPLETION_DESCRIPTIONS", // cobra
	}
	for _, name := range told {
		if !slices.Contains(read, name) && !slices.Contains(byLibraries, name) {
			t.Errorf("nobody reads %s", name)
		}
	}
	var without []string
	for path, c := range runnable(Root()) {
		if !readsConfig(c) {
			without = append(without, path)
		}
	}
	environment := manual.Print(topicNamed("environment").Sections)
	slices.Sort(without)
	last := len(without) - 1
	exceptions := strings.Join(without[:last], ", ") + " and " + without[last]
	if !strings.Contains(strings.Join(strings.Fields(environment), " "), exceptions) {
		t.Errorf("it does not say that %s read no configuration", exceptions)
	}
	if !strings.Contains(Usage(Root()), `"svc help environment"`) {
		t.Error("the usage does not lead to it")
	}
	for _, s := range config.Keys() {
		if !strings.Contains(environment, s.Name) {
			t.Errorf("it does not tell of the key %s", s.Name)
		}
	}
}

// The sizes that help tells are those that the code knows.
func TestSizes(t *testing.T) {
	text := strings.Join(strings.Fields(manual.Print(topicNamed("formats").Sections)), " ")
	_, text, _ = strings.Cut(text, "Sizes:")
	for what, most := range map[string]int64{
		"another file":                                       files.MaxWhole,
		"standard input and <(command)":                      files.MaxStream,
		"a rank request":                                     rank.MaxRequestBytes,
		"a body or envelope of a source":                     sources.MaxBodyBytes,
		"a mapping, a list of rulings":                       sources.MaxMappingBytes,
		"answers of a verification endpoint to 4,096 claims": receiver.MaxAnswerBytes,
		"a file with a key":                                  signing.MaxKey,
	} {
		units, n := []string{"bytes", "KiB", "MiB", "GiB"}, most
		for n%1024 == 0 {
			n, units = n/1024, units[1:]
		}
		if want := fmt.Sprintf("%s %d %s", what, n, units[0]); !strings.Contains(text, want) {
			t.Errorf("it does not say %q: %s", want, text)
		}
	}
}

// Help lists each command once, below a title of its own kind, on one line.
func TestHelpGroups(t *testing.T) {
	usage := Usage(Root())
	if first, _, _ := strings.Cut(usage, "\nChoose models:\n"); !strings.Contains(first, "svc rank --require") || strings.Count(first, "\n") > 15 {
		t.Errorf("what answers a question is not on the first screen:\n%s", usage)
	}
	for _, sub := range Root().Commands() {
		if sub.GroupID == "" {
			t.Errorf("%s is in no group", sub.Name())
		}
		line := regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(sub.Name()) + ` +` + regexp.QuoteMeta(sub.Short) + `$`)
		if n := len(line.FindAllString(usage, -1)); n != 1 {
			t.Errorf("%s has %d lines, want 1", sub.Name(), n)
		}
	}
	for _, g := range Groups(Root()) {
		if len(g.Commands) == 0 || !strings.Contains(usage, "\n\n"+g.Title+":\n") {
			t.Errorf("the group %s has no commands or no title", g.Title)
		}
	}
}

// No line of help is wider than 80 columns.
func TestHelpFitsEightyColumns(t *testing.T) {
	vectortest.SkipRace(t)
	texts := map[string]string{}
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		texts[c.CommandPath()+" --help"] = Usage(c)
		for _, sub := range c.Commands() {
			add(sub)
		}
	}
	add(Root())
	for _, topic := range Topics() {
		texts["svc help "+topic.Name] = manual.Print(topic.Sections)
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		for line := range strings.Lines(texts[name]) {
			synopsis := strings.HasPrefix(line, "  svc serve ") || strings.HasPrefix(line, "  svc verify-serve ") // which are fixed to the letter
			if n := console.Columns(strings.TrimSuffix(line, "\n")); n > 80 && !synopsis {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
	}
}
