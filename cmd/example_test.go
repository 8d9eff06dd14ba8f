package cmd

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sample"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/sources/store"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// models is the example that README shows first: offers of real models, and
// benchmarks of them.
const models = "../examples/models"

// listed are the measurements that the example keeps of the lists of prices: two prices, the
// context window, and how an offer is called.
var listed = []string{`"key":"price.input","kind"`, `"key":"price.output","kind"`, `"key":"limits.context","kind"`, `"key":"offer.id","kind"`}

// modelsSources are the sources of the example, with their files among the test data,
// the addresses and times under which they are pinned, and what is kept of each.
var modelsSources = []struct {
	name  string
	files []pinnedFile
	keep  []string
}{
	{"models-dev", []pinnedFile{{
		"models-dev/tree.2026-07-01.f3fc6922.tar", "2026-07-01T17:00:00Z",
		"https://codeload.github.com/anomalyco/models.dev/tar.gz/f3fc692299671838c7c65fd8126bf84d81a2e817",
	}}, listed},
	{"litellm-prices", []pinnedFile{{
		"litellm/model_prices.2026-07-05.c8d84d09.json", "2026-07-05T08:08:15Z",
		"https://raw.githubusercontent.com/BerriAI/litellm/0000000000000000000000000000000000000000/model_prices_and_context_window.json",
	}}, listed},
	{"livebench", []pinnedFile{
		{"livebench/table_2026_01_08.csv", "2026-07-01T12:00:00Z", "https://livebench.ai/table_2026_01_08.csv"},
		{"livebench/categories_2026_01_08.json", "2026-07-01T12:00:00Z", "https://livebench.ai/categories_2026_01_08.json"},
	}, []string{`"livebench.agentic-coding.score"`}},
	{"aider-polyglot", []pinnedFile{{
		"aider/polyglot_leaderboard.2025-10-04.cb6a152e.yml", "2025-10-04T12:00:00Z",
		"https://raw.githubusercontent.com/Aider-AI/aider/cb6a152e5ee27fbc77ac499d5e628ccd74a5fa2a/aider/website/_data/polyglot_leaderboard.yml",
	}}, []string{""}},
	{"lm-eval", []pinnedFile{{
		"lm-eval/2025-06-30-gpt-4o-mini-materials-NaN.results.json", "2025-07-01",
		"urn:lm-eval:EleutherAI/lm-evaluation-harness/pull/3153/results/all_materials.json/gpt-4o-mini",
	}}, []string{""}},
}

// sampleDay is the instant of the sample that comes with svc.
const sampleDay = "2026-07-31T17:00:00Z"

// sampleSources are the sources of the sample, as modelsSources are those of the example.
var sampleSources = []struct {
	name  string
	files []pinnedFile
}{
	{"openrouter-models", []pinnedFile{{"openrouter/models.2026-07-31.sui414.json", "2026-07-31T16:46:46Z", "https://openrouter.ai/api/v1/models"}}},
	{"openrouter-endpoints", []pinnedFile{{
		"openrouter-endpoints/endpoints.2026-07-31.csv", "2026-07-31T16:50:00Z",
		"https://raw.githubusercontent.com/sui414/openrouter-pricing-data/main/data/csv/endpoints/date=2026-07-31.csv",
	}}},
	{"genai-prices", []pinnedFile{{
		"genai-prices/data.2026-07-30.e15b2669.json", "2026-07-30T13:00:00Z",
		"https://raw.githubusercontent.com/pydantic/genai-prices/e15b2669077aa433195754ebc6033dff966638d5/prices/new_data/v2/data.json",
	}}},
	{"livebench", []pinnedFile{
		{"livebench/table_2026_01_08.csv", "2026-07-01T12:00:00Z", "https://livebench.ai/table_2026_01_08.csv"},
		{"livebench/categories_2026_01_08.json", "2026-07-01T12:00:00Z", "https://livebench.ai/categories_2026_01_08.json"},
	}},
	{"aider-polyglot", modelsSources[3].files},
	{"lmarena", []pinnedFile{{
		"lmarena/leaderboard-text.2025-11-06.json", "2025-11-06T12:00:00Z",
		"https://raw.githubusercontent.com/lmarena/arena-catalog/0000000000000000000000000000000000000000/data/leaderboard-text.json",
	}}},
	{"swe-bench", []pinnedFile{{
		"swe-bench/data.2025-01-22.json", "2025-01-22T12:00:00Z",
		"https://raw.githubusercontent.com/swe-bench/swe-bench.github.io/0000000000000000000000000000000000000000/template/data.json",
	}}},
	{"every-eval-ever", []pinnedFile{{
		"every-eval-ever/data.7ea9d9f32.tar", "2026-02-10T12:00:00Z",
		"https://codeload.github.com/evaleval/every_eval_ever/tar.gz/7ea9d9f32d35f23304792c292fa1fea1b36f3e71" +
			"#data/helm_capabilities,data/livecodebenchpro",
	}}},
}

// pinnedFile is a file of the test data, when it was fetched, and from where.
type pinnedFile struct{ name, fetchedAt, url string }

// The catalog of the example is what the observations beside it settle and compile to.
func TestModelsExampleCompiles(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for _, s := range modelsSources {
		files[s.name] = filepath.Join(dir, s.name+".jsonl")
		writeFile(t, files[s.name], modelsObservations(t, s.name))
	}
	settled, compiled := filepath.Join(dir, "settled.jsonl"), filepath.Join(dir, "catalog.json")
	mustSvc(t, "settle", files["models-dev"], files["litellm-prices"], "--rulings", models+"/rulings.json", "-o", settled)
	mustSvc(t, "compile", settled, files["livebench"], files["aider-polyglot"], files["lm-eval"], "--as-of", "2026-07-06", "-o", compiled)
	if *update {
		writeFile(t, models+"/catalog.json", []byte(readSource(t, compiled)))
		return
	}
	if got, want := readSource(t, compiled), readSource(t, models+"/catalog.json"); got != want {
		t.Errorf("the observations compile to another catalog, of %d bytes, want %d", len(got), len(want))
	}
}

// compressed returns a text as gzip has it, the same each time.
func compressed(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The observations of the example are what its mappings make of the files of the
// sources. With -update the test writes them.
func TestModelsExampleIsImported(t *testing.T) {
	vectortest.SkipRace(t)
	vectortest.Data(t)
	dir := t.TempDir()
	for _, s := range modelsSources {
		args := []string{"import", s.name, "--mapping", models + "/mappings/" + s.name + ".json"}
		for _, f := range s.files {
			body := filepath.Join(dir, filepath.Base(f.name))
			writeFile(t, body, []byte(vectortest.DataText(t, "data", f.name)))
			mustSvc(t, "sources", "pin", s.name, "--replace", "--url", f.url, "--fetched-at", f.fetchedAt, body)
			args = append(args, body)
		}
		var kept bytes.Buffer
		for line := range strings.Lines(mustSvc(t, args...)) {
			for _, part := range s.keep {
				if strings.Contains(line, part) {
					kept.WriteString(line)
					break
				}
			}
		}
		if *update {
			writeFile(t, models+"/observations/"+s.name+".jsonl.gz", compressed(t, kept.Bytes()))
			continue
		}
		if want := modelsObservations(t, s.name); !bytes.Equal(kept.Bytes(), want) {
			t.Errorf("%s: %d bytes of observations, want those of the example, %d bytes", s.name, kept.Len(), len(want))
		}
	}
}

// The facts of the sample are what most rows of models.dev say: of a model, whether its weights are open and when it was
// released; of a seller, how to call it. These do not end with the week for which a price holds.
func TestSampleFacts(t *testing.T) {
	vectortest.SkipRace(t)
	vectortest.Data(t)
	tree := modelsSources[0].files[0]
	body := filepath.Join(t.TempDir(), "tree.tar")
	writeFile(t, body, []byte(vectortest.DataText(t, "data", tree.name)))
	mustSvc(t, "sources", "pin", "models-dev", "--url", tree.url, "--fetched-at", tree.fetchedAt, body)
	type stated struct{ subject, key string }
	facts := func(text string, take func(stated, record.Scalar)) {
		for line := range strings.Lines(text) {
			if !strings.Contains(line, `"capability.open_weights"`) && !strings.Contains(line, `"lifecycle.released"`) && !strings.Contains(line, `"offer.`) {
				continue
			}
			o, err := catalog.Normalize(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			rec := o.Record()
			for _, m := range rec.Measurements {
				subject := rec.Model.ID
				if strings.HasPrefix(m.Key, "offer.") {
					subject = rec.Execution.Runtime.ID
				}
				take(stated{subject, m.Key}, m.Value)
			}
		}
	}
	rows := map[stated]map[record.Scalar]int{}
	facts(mustSvc(t, "import", "models-dev", body), func(s stated, value record.Scalar) {
		if rows[s] == nil {
			rows[s] = map[record.Scalar]int{}
		}
		rows[s][value]++
	})
	facts(readSource(t, models+"/facts.jsonl"), func(s stated, value record.Scalar) {
		if rows[s][value] == 0 {
			t.Errorf("%v: no row says %s", s, value.Text)
		}
		for other, n := range rows[s] {
			if n > rows[s][value] {
				t.Errorf("%v is %s, and %d rows say %s", s, value.Text, n, other.Text)
			}
		}
	})
}

// The sample that comes with svc is what the recipe of the example makes, of the very bytes that its lock names.
// With -update the test writes the lock and the sample.
func TestSampleIsMade(t *testing.T) {
	vectortest.SkipRace(t)
	vectortest.Data(t)
	w := newWorkshop(t)
	if err := os.CopyFS(w.folder, os.DirFS(models)); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(filepath.Join(w.folder, recipe.Catalog)) // of other sources: nothing came before the sample
	kept, err := store.Open(t.Context(), filepath.Join(w.folder, store.Folder), func() {})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sampleSources {
		adapter, err := adapterOf(s.name)
		if err != nil {
			t.Fatal(err)
		}
		look := record.Look{Source: s.name, Verdict: record.Accepted, Rows: 1}
		for _, f := range s.files {
			body := vectortest.DataText(t, "data", f.name)
			if s.name == "openrouter-models" {
				body = `{"data":` + body + `}` // of which the file has the list alone
			}
			if _, folders, isPart := strings.Cut(f.url, "#"); isPart {
				if body, err = sources.TakeFolders(strings.NewReader(body), strings.Split(folders, ",")); err != nil {
					t.Fatal(err)
				}
			}
			at := strings.Replace(f.fetchedAt, "Z", ".000Z", 1)
			d := sources.Download{URL: f.url, FetchedAt: at, PublishedAt: adapter.PublishedAt(body)}
			e, err := sources.Pin(s.name, d, problem.Source{Text: body}, packagedManifest())
			if err != nil {
				t.Fatal(err)
			}
			look.At = max(look.At, record.Timestamp(e.FetchedAt))
			look.Bodies = append(look.Bodies, record.JSON(e.JSON()))
			if err := kept.Keep(t.Context(), body); err != nil {
				t.Fatal(err)
			}
		}
		if err := kept.Add(t.Context(), look); err != nil {
			t.Fatal(err)
		}
	}
	kept.Close()
	if *update {
		w.must(t, "build", "--offline", "--as-of", sampleDay)
		compressed, err := sample.Compress(w.read(t, recipe.Catalog), w.read(t, recipe.BuildName))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, "../internal/sample/sample.jsonl.zst", compressed)
		writeFile(t, models+"/"+recipe.LockName, []byte(w.read(t, recipe.LockName)))
		return
	}
	_ = os.Remove(filepath.Join(w.folder, store.Folder, "index.jsonl")) // the lock names all that it takes
	w.must(t, "build", "--locked", "--offline")
	if got, err := sample.Catalog(); err != nil || got != w.read(t, recipe.Catalog) {
		t.Errorf("the sample has other bytes, %d of them (%v): go test ./cmd -run TestSampleIsMade -update writes it", len(got), err)
	}
	held, err := sample.Build()
	if err != nil {
		t.Fatal(err)
	}
	got, err := recipe.ReadBuild(problem.Source{Text: held})
	if err != nil {
		t.Fatal(err)
	}
	want, err := recipe.ReadBuild(problem.Source{Text: w.read(t, recipe.BuildName)})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the record of the sample's build is another one: go test ./cmd -run TestSampleIsMade -update writes it")
	}
}

// The sample answers the other questions of README, too, and the simplest one.
func TestSampleAnswers(t *testing.T) {
	vectortest.SkipRace(t)
	t.Setenv("SVC_CATALOG", "")
	_, table, _ := strings.Cut(readSource(t, "../README.md"), "| question | options |")
	table, _, _ = strings.Cut(table, "\n\n")
	questions := []string{"--maximize livebench.coding.score"}
	for _, row := range regexp.MustCompile("`(--[^`]+)`").FindAllStringSubmatch(table, -1) {
		questions = append(questions, row[1])
	}
	if len(questions) < 5 {
		t.Fatalf("README asks %d questions, there are more", len(questions))
	}
	for _, question := range questions {
		answer := mustSvc(t, append([]string{"rank", "--output", "json"}, strings.Fields(question)...)...)
		var result struct{ Ranked []json.RawMessage }
		if err := json.Unmarshal([]byte(answer), &result); err != nil || len(result.Ranked) < 2 {
			t.Errorf("%s: %d candidates are ranked, %v", question, len(result.Ranked), err)
		}
	}
}

// modelsObservations are the observations that the example has of a source.
func modelsObservations(t *testing.T, source string) []byte {
	t.Helper()
	file, err := os.Open(models + "/observations/" + source + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// mustSvc runs a command that has to succeed, and returns what it prints.
func mustSvc(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := svc(nil, args...)
	if code != exitDone {
		t.Fatalf("svc %s: exit code %d: %.500s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// The commands of README that make a catalog of today answer the question of its tour, and all others of
// its table. The plain commands that this amounts to give a catalog that answers alike.
func TestTodaysNumbers(t *testing.T) {
	vectortest.SkipLong(t)
	w := newWorkshop(t)
	w.hosts.ServeAll(t)
	w.clock = time.Now().UTC().Format(time.RFC3339)
	others, questions := otherQuestions(t)
	shell := func(script string) (stdout, stderr string) {
		t.Helper()
		c := exec.Command("sh", "-e", "-c", script)
		c.Dir = w.folder
		c.Env = append(os.Environ(), "SVC_OUTPUT=table", "SVC_CATALOG=", "SSL_CERT_FILE="+w.hosts.CA, hostsPort+"="+w.hosts.Port, hostsClock+"="+w.clock)
		var errs bytes.Buffer
		c.Stderr = &errs
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, &errs)
		}
		return string(out), errs.String()
	}
	stdout, stderr := shell(shellBlocks(t, "../README.md", "svc init"))
	summary, first, _ := strings.Cut(stdout, "\nyour question ")
	ranked, excluded, _ := strings.Cut(first, "\nEXCLUDED")
	if !strings.Contains(summary, "livebench            123 of 127 rows") || !strings.Contains(ranked, "\nTake glm-5.2: ") || strings.Contains(ranked, "anthropic/claude-opus") ||
		!strings.Contains(excluded, "claude-opus") || strings.Contains(excluded, "expired") {
		t.Errorf("the answer is\n%s\n%s", stdout, stderr)
	}
	answers, stderr := shell(others)
	if n := len(regexp.MustCompile(`(?m)^Take \S+: `).FindAllString(answers, -1)); n != questions || strings.Contains(stderr, "sample") {
		t.Errorf("%d of %d other questions are answered:\n%s\n%s", n, questions, answers, stderr)
	}
	readme := shellBlocks(t, "../README.md", "svc init")
	question := readme[strings.Index(readme, "svc rank"):]
	stdout, stderr = shell("svc build --explain > plain.sh; mkdir plain; cd plain; sh -e ../plain.sh > summary.txt; " + strings.Replace(question, "svc rank", "svc rank --catalog catalog.json", 1))
	plain, _, _ := strings.Cut(stdout, "\nEXCLUDED")
	// Without the digest of the catalog, and without what only the record of a build tells.
	unknownRows := regexp.MustCompile(` \d+ of \d+ rows of \S+ are in no model of this catalog, best of them \S+ \(\S+\)\.`)
	body := func(text string) string {
		_, text, _ = strings.Cut(text, "\n")
		return unknownRows.ReplaceAllString(strings.Join(strings.Fields(text), " "), "")
	}
	if body(plain) != body(ranked) {
		t.Errorf("the plain commands answer\n%s\nand not\n%s\n%s", plain, ranked, stderr)
	}
}

// otherQuestions returns the commands that ask what the table of README has, and how many.
func otherQuestions(t *testing.T) (commands string, n int) {
	t.Helper()
	_, table, _ := strings.Cut(readSource(t, "../README.md"), "| question | options |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range regexp.MustCompile("`(--[^`]+)`").FindAllStringSubmatch(table, -1) {
		commands += "svc rank " + row[1] + "\n"
		n++
	}
	if n < 4 {
		t.Fatalf("README asks %d other questions, there are more", n)
	}
	return commands, n
}

// shellBlocks returns the sh blocks of a page that begin so.
func shellBlocks(t *testing.T, page, begin string) (commands string) {
	t.Helper()
	_, rest, isThere := strings.Cut(readSource(t, page), "```sh\n"+begin)
	for isThere {
		block, after, _ := strings.Cut(rest, "```")
		commands += begin + block
		_, rest, isThere = strings.Cut(after, "```sh\n"+begin)
	}
	if commands == "" {
		t.Fatalf("%s has no such commands", page)
	}
	return commands
}
