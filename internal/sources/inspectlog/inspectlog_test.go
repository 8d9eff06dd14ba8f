package inspectlog_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/identity"
	"github.com/model-catalog-service/svc/internal/sources/inspectlog"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

const header = `{"version":2,"status":"success","eval":{"eval_id":"e1","created":"2026-03-24T23:00:00+02:00","task":"acme/exam","task_version":3,` +
	`"model":"openai/gpt-5","model_generate_config":{"temperature":0.5,"reasoning_effort":"high","system_message":"You are a SECRET, be nice"},"model_args":{},` +
	`"config":{"epochs":2,"limit":2,"message_limit":30},"solver":"generate","dataset":{"samples":4,"location":"/home/SECRET"},` +
	`"packages":{"inspect_ai":"0.3.199"},"revision":{"commit":"5b525c0","dirty":true}},` +
	`"plan":{"steps":[{"params":{"template":"SECRET"}}]},` +
	`"results":{"total_samples":4,"completed_samples":4,"scores":[{"name":"exact","scorer":"exact","reducer":"mean","scored_samples":4,` +
	`"metrics":{"accuracy":{"name":"accuracy","value":0.75},"stderr":{"value":0.25},"odd":{"value":NaN}}}]},` +
	`"stats":{"started_at":"2026-03-24T23:00:00+02:00","completed_at":"2026-03-25T00:12:29.5+02:00",` +
	`"model_usage":{"openai/gpt-5":{"input_tokens":1000,"output_tokens":200,"total_tokens":1200,"total_cost":0.125},"openai/judge":{"input_tokens":10,"output_tokens":2,"total_tokens":12}}}}`

// sample is a sample with a score.
func sample(id string, epoch int, score string) string {
	return fmt.Sprintf(`{"id":%s,"epoch":%d,"input":"SECRET","target":"SECRET","scores":{"exact":{"value":%s,"answer":"SECRET"}},"messages":[{"content":"SECRET"}]}`, id, epoch, score)
}

var samples = []string{sample(`"q1"`, 1, `"C"`), sample(`"q1"`, 2, "true"), sample("2", 1, "0.5"), sample("2", 2, `{"a":1,"b":"I","c":"SECRET"}`)}

// archive is a log in the format .eval.
func archive(t testing.TB, method uint16, parts ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(93, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
	for i := 0; i < len(parts); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: parts[i], Method: method})
		if err == nil {
			_, err = io.WriteString(w, parts[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// whole is a log in the format .json.
func whole() string {
	return header[:len(header)-1] + `,"samples":[` + strings.Join(samples, ",") + `]}`
}

func pin(t *testing.T, body string) sources.File {
	t.Helper()
	return sourcetest.Pin(t, inspectlog.Source, "urn:inspect:run", inspectlog.New().PublishedAt(body), body)
}

// importLog imports a log as nobody decided of it.
func importLog(t *testing.T, text []byte) (*sources.Result, error) {
	t.Helper()
	body, err := inspectlog.Reduce(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, err
	}
	if strings.Contains(body, "SECRET") {
		t.Fatalf("a prompt or an answer is kept: %s", body)
	}
	f := pin(t, body)
	mapping, err := identity.MapRuns(inspectlog.New(), sourcetest.Manifest(t), []sources.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sourcetest.Import(t, inspectlog.New(), mapping, f)
}

// A log says the same in all formats.
func TestFormats(t *testing.T) {
	first, err := importLog(t, []byte(whole()))
	if err != nil {
		t.Fatal(err)
	}
	summaries := "[" + strings.Join(samples, ",") + "]"
	for name, text := range map[string][]byte{
		"deflated":  archive(t, zip.Deflate, "header.json", header, "summaries.json", summaries, "samples/q1_epoch_1.json", "not read"),
		"zstd":      archive(t, 93, "_journal/start.json", "{}", "header.json", header, "summaries.json", summaries),
		"no digest": archive(t, zip.Store, "samples/1.json", samples[0], "samples/2.json", samples[1], "samples/3.json", samples[2], "samples/4.json", samples[3], "header.json", header),
	} {
		if r, err := importLog(t, text); err != nil || sourcetest.Text(r) != sourcetest.Text(first) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLog(t *testing.T) {
	r, err := importLog(t, []byte(whole()))
	if err != nil || len(r.Observations) != 5 {
		t.Fatal(err, r)
	}
	rec := sourcetest.Find(t, r, "inspect:openai/gpt-5#e1")
	for key, want := range map[string]string{
		".exact.accuracy": "0.75", ".exact.accuracy.stderr": "0.25", ".exact.samples": "4", ".total_samples": "4", ".completed_samples": "4", ".cost": "0.125", ".exact.odd": "",
	} {
		if got := sourcetest.Value(rec, "inspect.acme/exam"+key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	const condition = "effort=high,gen.system_message=sha256:"
	if w := rec.Execution.Workflow; w.ID != "inspect.acme/exam" || w.Version != "3" || !strings.HasPrefix(string(w.Condition), condition) ||
		!strings.HasSuffix(string(w.Condition), ",gen.temperature=0.5,limit=2,message_limit=30,solver=generate") {
		t.Errorf("workflow %+v", w)
	}
	if rec.Model.ID != "openai/gpt-5" || rec.Execution.Runtime.ID != "openai" || rec.SourceClass != "first-party" ||
		rec.Freshness.ObservedAt != "2026-03-24T22:12:29.500Z" || rec.Freshness.ValidUntil != "2027-03-24T22:12:29.500Z" || rec.Uncertainty.Level != "high" {
		t.Errorf("%+v", rec)
	}
	if u := rec.Usage; u.InputTokens.N != 1010 || u.OutputTokens.N != 202 || u.ReasoningTokens.Known || u.Completeness != "partial" {
		t.Errorf("usage %+v", u)
	}
	for id, want := range map[string]string{"q1/1": "1", "q1/2": "1", "2/1": "0.5"} {
		rec := sourcetest.Find(t, r, "inspect:openai/gpt-5#e1/"+id)
		if got := sourcetest.Value(rec, "inspect.acme/exam.exact"); got != want || string(rec.Task.TaskID) != id[:strings.Index(id, "/")] {
			t.Errorf("sample %s of task %s is %s, want %s", id, rec.Task.TaskID, got, want)
		}
	}
	several := sourcetest.Find(t, r, "inspect:openai/gpt-5#e1/2/2")
	if a, b := sourcetest.Value(several, "inspect.acme/exam.exact.a"), sourcetest.Value(several, "inspect.acme/exam.exact.b"); a != "1" || b != "0" || len(several.Measurements) != 2 {
		t.Errorf("%+v", several.Measurements)
	}
	if n := sourcetest.Reasons(r)[sources.MissingValue]; n != 1 {
		t.Errorf("%d values are missing", n)
	}
}

// The provider is the beginning of the name, or the cloud behind it.
func TestProviders(t *testing.T) {
	for name, want := range map[string][2]string{
		"openai/azure/gpt-4o-mini": {"azure", "openai/gpt-4o-mini"}, "anthropic/bedrock/claude-opus-4-6": {"amazon-bedrock", "anthropic/claude-opus-4.6"},
		"openrouter/z-ai/glm-5": {"openrouter", "zhipuai/glm-5"}, "vllm/acme/some-model-9": {"vllm", "acme/some-model-9"}, "solo": {"unknown", "solo"},
	} {
		r, err := importLog(t, []byte(strings.Replace(header, `"model":"openai/gpt-5"`, `"model":"`+name+`"`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if rec := r.Observations[0].Record(); rec.Execution.Runtime.ID != want[0] || rec.Model.ID != want[1] {
			t.Errorf("%s: %s at %s", name, rec.Model.ID, rec.Execution.Runtime.ID)
		}
	}
}

func TestSkipped(t *testing.T) {
	for from, to := range map[string]string{`"status":"success"`: `"status":"error"`, `"version":2`: `"invalidated":true,"version":2`} {
		r, err := importLog(t, []byte(strings.Replace(header, from, to, 1)))
		if err != nil || r.Acquisition.SkippedFor[sources.RunFailed] != 1 {
			t.Errorf("%s: %v %v", to, r, err)
		}
	}
	undated := strings.NewReplacer(`"completed_at":"2026`, `"completed_at":"soon`, `"created":"2026`, `"created":"soon`, "NaN", "null").Replace(header)
	if at := inspectlog.New().PublishedAt(undated); at != "" {
		t.Errorf("a run without a time ended at %s", at)
	}
	r, err := sourcetest.ImportRows(t, inspectlog.New(), `{"validUntil":"2027-01-01T00:00:00.000Z"}`,
		sourcetest.Pin(t, inspectlog.Source, "urn:inspect:x", "2026-01-01T00:00:00.000Z", undated))
	if err != nil || r.Acquisition.SkippedFor[sources.RowUndated] != 1 {
		t.Errorf("%v %v", r, err)
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string][2]string{
		"{":                   {"$", ""},
		`{"eval":1,"eval":2}`: {"$.eval", "duplicate"},
		"PK\x03\x04":          {"$", "archive"},
		string(archive(t, zip.Store, "a.json", "{}")):                               {"$", "header.json"},
		string(archive(t, zip.Store, "header.json", header, "summaries.json", "[")): {`$["summaries.json"]`, ""},
	} {
		_, err := importLog(t, []byte(text))
		if faults := problem.All(err); len(faults) == 0 || !strings.HasPrefix(faults[0].Path, want[0]) || !strings.Contains(faults[0].Reason, want[1]) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	_, err := sourcetest.ImportRows(t, inspectlog.New(), `{"validUntil":"2027-01-01T00:00:00.000Z"}`, sourcetest.Pin(t, inspectlog.Source, "urn:inspect:x", "2026-01-01T00:00:00.000Z", `{"eval":{"model":"a/b"}}`))
	sourcetest.Refused(t, "no task", err, "$.snapshots[0].body.eval.task", "no log of Inspect")
}

// A log takes the memory of its largest part, not of all.
func TestMemory(t *testing.T) {
	part := sample(`"q"`, 1, "1")
	part = part[:len(part)-1] + `,"events":"` + strings.Repeat("x", 4<<20) + `"}`
	parts := []string{"header.json", header}
	for i := range 64 { // 256 MiB
		parts = append(parts, fmt.Sprintf("samples/%d.json", i), strings.Replace(part, `"q"`, fmt.Sprintf(`"q%d"`, i), 1))
	}
	text := archive(t, 93, parts...)
	parts = nil
	var body string
	var err error
	grown := sourcetest.PeakMemory(func() { body, err = inspectlog.Reduce(bytes.NewReader(text), int64(len(text))) })
	if err != nil || strings.Count(body, `"epoch"`) != 64 {
		t.Fatal(err)
	}
	if grown > 128<<20 {
		t.Errorf("a log of 256 MiB takes %d MiB", grown>>20)
	}
}

func TestRealLogs(t *testing.T) {
	folder := vectortest.Data(t, "data", "inspect")
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := importLog(t, text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sourcetest.Second(t, r, "testdata/second.py", name)
	}
}

func FuzzReduce(f *testing.F) {
	f.Add([]byte(whole()))
	f.Add(archive(f, zip.Deflate, "header.json", header, "summaries.json", "["+samples[0]+"]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		body, err := inspectlog.Reduce(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return
		}
		if file, err := sourcetest.TryPin(t, inspectlog.Source, "urn:inspect:run", "2026-11-01T12:00:00.000Z", body); err == nil {
			sourcetest.FuzzRows(t, inspectlog.New(), `{"validUntil":"2999-01-01T00:00:00.000Z"}`, file)
		}
	})
}
