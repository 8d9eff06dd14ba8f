package everyeval_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/everyeval"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

const (
	archiveURL = "https://codeload.github.com/evaleval/every_eval_ever/tar.gz/0123456789abcdef0123456789abcdef01234567"
	fetchedAt  = "2026-11-01T12:00:00.000Z"
	defaults   = `{"runtime":"unknown","validUntil":"2027-12-01T00:00:00.000Z"}`
)

const rec = `{"schema_version":"0.3.0","evaluation_id":"exam/acme_atlas/1777613486","retrieved_timestamp":"1777613486.918","evaluation_timestamp":"1777000000",` +
	`"source_metadata":{"source_name":"Exam board","source_type":"documentation","source_organization_name":"Board","evaluator_relationship":"third_party"},"eval_library":{"name":"exam","version":"unknown"},` +
	`"model_info":{"id":"Acme/Atlas","name":"Atlas","additional_details":{"deployment_type":"unknown","model_availability":"unknown","precision":"fp8"}},` +
	`"evaluation_results":[{"evaluation_result_id":"exam/overall","evaluation_name":"Exam (overall)",` +
	`"source_data":{"dataset_name":"exam","source_type":"url","url":["https://example.org/exam"]},"metric_config":{"metric_id":"accuracy","metric_unit":"proportion","lower_is_better":false,"min_score":0.0,"max_score":1.0},` +
	`"score_details":{"score":0.5,"uncertainty":{"confidence_interval":{"lower":0.25,"upper":0.75,"confidence_level":0.95},"num_samples":12}},` +
	`"generation_config":{"generation_args":{"temperature":0.0,"prompt_template":"Answer, please","eval_limits":{"token_limit":4096},` +
	`"agentic_eval_config":{"available_tools":[{"name":"python"},{"name":"bash"}]}}}}]}`

func pin(t *testing.T, name, body string) sources.File {
	t.Helper()
	return sourcetest.Pin(t, everyeval.Source, "urn:every-eval-ever:"+name, fetchedAt, body)
}

func importAll(t *testing.T, bodies ...string) (*sources.Result, error) {
	t.Helper()
	var files []sources.File
	for i, body := range bodies {
		files = append(files, pin(t, fmt.Sprintf("records/%d.json", i), body))
	}
	return sourcetest.ImportRows(t, everyeval.New(), defaults, files...)
}

func TestRecord(t *testing.T) {
	r, err := importAll(t, rec)
	if err != nil || len(r.Diagnostics) > 0 {
		t.Fatal(err, r)
	}
	got := sourcetest.Find(t, r, "every-eval-ever:Acme/Atlas#exam/acme_atlas/1777613486/0")
	for end, want := range map[string]string{"": "0.5", ".low": "0.25", ".high": "0.75", ".samples": "12", ".stderr": "0.12755336423116348"} {
		if v := sourcetest.Value(got, "eee.exam.exam-overall"+end); v != want {
			t.Errorf("%s is %q, want %s", end, v, want)
		}
	}
	if got.Measurements[0].Unit != "proportion" || got.Uncertainty.Level != "moderate" || got.Freshness.ObservedAt != "2026-04-24T03:06:40.000Z" ||
		string(got.Execution.Workflow.Condition) != "gen.prompt_template=sha256:"+shortSum("Answer, please")+",gen.temperature=0,precision=fp8,token_limit=4096,tools=bash+python" {
		t.Errorf("%+v", got)
	}
}

func TestTraps(t *testing.T) {
	tests := []struct {
		name, from, to string
		reason         sources.Reason
		isTaken        bool
	}{
		{"a score above its bounds", `"score":0.5`, `"score":1.5`, sources.InvalidValue, false},
		{"a score below its bounds", `"score":0.5`, `"score":-1`, sources.InvalidValue, false},
		{"an unknown level", `"min_score":0.0`, `"has_unknown_level":true,"min_score":-1`, "", true},
		{"no score", `"score":0.5`, `"score":null`, sources.MissingValue, false},
		{"a version of tomorrow", `"0.3.0"`, `"0.4.0"`, sources.UnknownVersion, false},
		{"a version of the middle", `"0.3.0"`, `"0.2.9"`, "", true},
		{"what svc reads itself", `"exam/acme`, `"livebench/acme`, sources.OriginIsRead, false},
		{"no retrieval", `"1777613486.918"`, `"soon"`, sources.RowUndated, false},
		{"a retrieval of tomorrow", `"1777613486.918"`, `"1999999999"`, sources.RowInFuture, false},
	}
	for _, tt := range tests {
		r, err := importAll(t, strings.Replace(rec, tt.from, tt.to, 1))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if isTaken := len(r.Observations) == 1; isTaken != tt.isTaken || tt.reason != "" && sourcetest.Reasons(r)[tt.reason] != 1 {
			t.Errorf("%s: taken %v, reported %v", tt.name, isTaken, sourcetest.Reasons(r))
		}
	}
	r, err := importAll(t, strings.NewReplacer(`"min_score":0.0`, `"has_unknown_level":true,"min_score":-1`, `"score":0.5`, `"score":-1`).Replace(rec))
	if err != nil || sourcetest.Reasons(r)[sources.MissingValue] != 1 {
		t.Errorf("-1 of an unknown level: %v, %v", r, err)
	}
	for from, level := range map[string]string{`"third_party"`: "moderate", `"first_party"`: "high", `"other"`: "high"} {
		r, err := importAll(t, strings.Replace(rec, `"third_party"`, from, 1))
		if err != nil || r.Observations[0].Record().Uncertainty.Level != level || r.Observations[0].Record().SourceClass != "external" {
			t.Errorf("%s: %v, %v", from, r, err)
		}
	}
}

// Of results of one model, key and condition the one that was retrieved last counts; another
// precision is another result.
func TestSuccession(t *testing.T) {
	older := strings.NewReplacer("1777613486", "1777613000", "Acme/Atlas", "acme/atlas", `"score":0.5`, `"score":0.4`).Replace(rec)
	other := strings.NewReplacer("1777613486", "1777613001", "fp8", "bf16").Replace(rec)
	r, err := importAll(t, older, rec, other)
	if err != nil || len(r.Observations) != 2 || sourcetest.Reasons(r)[sources.Superseded] != 1 {
		t.Fatalf("%v: %v", err, r)
	}
}

// instancesOf are the lines of instances with scores.
func instancesOf(scores ...string) string {
	var b strings.Builder
	for i, s := range scores {
		fmt.Fprintf(&b, `{"schema_version":"0.3.0","evaluation_id":"exam/acme_atlas/1777613486","model_id":"Acme/Atlas","evaluation_result_id":"exam/overall",`+
			`"evaluation_name":"Exam (overall)","sample_id":"q%d","interaction_type":"single_turn","input":{"raw":"?","reference":["a"]},"output":{"raw":["a"]},`+
			`"answer_attribution":[],"evaluation":{"score":%s,"is_correct":true}}`+"\n", i, s)
	}
	return b.String()
}

func withInstances(lines string, rows int) string {
	return rec[:len(rec)-1] + fmt.Sprintf(`,"detailed_evaluation_results":{"format":"jsonl","file_path":"data/exam/acme/atlas/f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40_samples.jsonl","hash_algorithm":"sha256","checksum":%q,"total_rows":%d}}`, canonical.SumText(lines), rows)
}

func TestInstances(t *testing.T) {
	lines := instancesOf("1", "0", "1", "1")
	read := func(record, lines string) (*sources.Result, error) {
		return sourcetest.ImportRows(t, everyeval.New(), defaults, pin(t, "data/exam/acme/atlas/f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40.json", record), pin(t, "data/exam/acme/atlas/f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40_samples.jsonl", lines))
	}
	r, err := read(withInstances(lines, 4), lines)
	if err != nil || sourcetest.Reasons(r)[sources.RateDiffers] != 1 {
		t.Fatal(err, r)
	}
	got := r.Observations[0].Record()
	for end, want := range map[string]string{"": "0.75", ".samples": "4", ".stderr": "0.25", ".low": ""} {
		if v := sourcetest.Value(got, "eee.exam.exam-overall"+end); v != want {
			t.Errorf("%s is %q, want %q", end, v, want)
		}
	}
	_, err = read(withInstances("other", 4), lines)
	sourcetest.Refused(t, "a digest", err, "$.snapshots[0].body.detailed_evaluation_results.checksum", "must be that of the instances")
	_, err = read(withInstances(lines, 5), lines)
	sourcetest.Refused(t, "a number", err, "$.snapshots[0].body.detailed_evaluation_results.total_rows", "4")
	bad := instancesOf("1", `"yes"`)
	_, err = read(withInstances(bad, 2), bad)
	sourcetest.Refused(t, "an instance", err, "$.snapshots[1].body.f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40_samples.jsonl[1].evaluation.score", "must be a number")
}

func TestRefused(t *testing.T) {
	for body, path := range map[string]string{
		"[]": "$.snapshots[0].body.schema_version", "{": "$.snapshots[0].body",
		strings.Replace(rec, `"Acme/Atlas"`, `""`, 1):                    "$.snapshots[0].body.model_info.id",
		strings.Replace(rec, `"evaluation_results"`, `"evaluations"`, 1): "$.snapshots[0].body.evaluation_results",
	} {
		_, err := importAll(t, body)
		sourcetest.Refused(t, body, err, path, "")
	}
	_, err := sourcetest.ImportRows(t, everyeval.New(), defaults, sourcetest.Pin(t, everyeval.Source, archiveURL, fetchedAt, archive(t, map[string]string{"data/exam/acme/atlas/1.json": "{"})))
	sourcetest.Refused(t, "a record of a tar", err, "$.snapshots[0].body.data/exam/acme/atlas/1.json", "")
	_, err = sourcetest.ImportRows(t, everyeval.New(), defaults, sourcetest.Pin(t, everyeval.Source, archiveURL, fetchedAt, "no tar"))
	sourcetest.Refused(t, "no tar", err, "$.snapshots[0].body", "is not a tar")
}

func archive(t testing.TB, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for name, text := range files {
		err := w.WriteHeader(&tar.Header{Name: "every_eval_ever-0123/" + name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg})
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// 5,000 records are to be read in less than two seconds.
func BenchmarkManyRecords(b *testing.B) {
	files := map[string]string{}
	for i := range 5000 {
		files[fmt.Sprintf("data/exam/acme/atlas/%d.json", i)] = strings.NewReplacer("Acme/Atlas", fmt.Sprintf("acme/atlas-%d", i), "acme_atlas/", fmt.Sprintf("acme_atlas-%d/", i)).Replace(rec)
	}
	f := sourcetest.Pin(b, everyeval.Source, archiveURL, fetchedAt, archive(b, files))
	for b.Loop() {
		labels, err := everyeval.New().Labels(sourcetest.Manifest(b), []sources.File{f})
		if err != nil || len(labels) != 5000 {
			b.Fatalf("%d records: %v", len(labels), err)
		}
	}
}

func TestRealFiles(t *testing.T) {
	const name = "data.7ea9d9f32.tar"
	r, err := sourcetest.ImportRows(t, everyeval.New(), defaults, sourcetest.Pin(t, everyeval.Source, archiveURL, fetchedAt, vectortest.DataText(t, "data", "every-eval-ever", name)))
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r.Summary())
	if r.Acquisition.Rows != 109 || r.Acquisition.Skipped != 0 {
		t.Errorf("%s", r.Summary())
	}
	sourcetest.Second(t, r, "testdata/second.py", vectortest.Data(t, "data", "every-eval-ever", name))
	var files []sources.File
	var paths []string
	for _, name := range []string{"676f4465-ce78-411a-9f5a-c97b3d2eac4f.json", "f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40.json", "f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40_samples.jsonl"} {
		files = append(files, pin(t, name, vectortest.DataText(t, "data", "every-eval-ever", name)))
		paths = append(paths, vectortest.Data(t, "data", "every-eval-ever", name))
	}
	r, err = sourcetest.ImportRows(t, everyeval.New(), defaults, files...)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.Second(t, r, "testdata/second.py", paths...)
}

func shortSum(text string) string { return canonical.SumText(text)[:12] }

func FuzzRecord(f *testing.F) {
	f.Add(rec)
	f.Fuzz(func(t *testing.T, body string) {
		file, err := sourcetest.TryPin(t, everyeval.Source, "urn:every-eval-ever:1.json", fetchedAt, body)
		if err != nil {
			t.Skip("not text")
		}
		sourcetest.FuzzRows(t, everyeval.New(), `{"runtime":"unknown","validUntil":"2999-12-01T00:00:00.000Z"}`, file)
	})
}
