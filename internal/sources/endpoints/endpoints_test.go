package endpoints_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/endpoints"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

const fetchedAt = "2026-11-01T12:00:00.000Z"

func url(day string) string {
	return "https://raw.githubusercontent.com/sui414/openrouter-pricing-data/main/data/csv/endpoints/date=" + day + ".csv"
}

const head = "model_slug,variant,provider_slug,provider_region,quantization,context_length,max_completion_tokens,discount,p50_latency,p50_throughput," +
	"request_count,stats_window_minutes,success_count,derankable_error_count,supports_tool_parameters,data_policy_training,pricing_json\n"

const row = `acme/atlas-70b,standard,fastco/turbo,,fp8,131072,4096,0,668,31.5,59,30,159,1,True,False,"{""prompt"":""0.000002"",""completion"":""0.000008"",` +
	`""overrides"":[{""min_prompt_tokens"":32000,""prompt"":""0.000004""}],""display_pricing"":[]}"` + "\n"

func importBody(t *testing.T, body string) (*sources.Result, error) {
	t.Helper()
	f, err := sourcetest.TryPin(t, endpoints.Source, url("2026-11-01"), fetchedAt, body)
	if err != nil {
		t.Fatal(err)
	}
	return sourcetest.Import(t, endpoints.New(), sources.EmptyMapping(endpoints.Source), f)
}

func TestEndpoint(t *testing.T) {
	r, err := importBody(t, head+row)
	if err != nil || len(r.Diagnostics) > 0 {
		t.Fatal(err, r)
	}
	const id = "openrouter-endpoints:acme/atlas-70b@fastco/turbo#"
	for declaration, want := range map[string]map[string]string{
		"speed":                     {"speed.ttft.p50": "0.668", "speed.throughput.p50": "31.5", "speed.requests": "59", "speed.window": "30"},
		"uptime":                    {"uptime": "99.375", "uptime.requests": "160"},
		"offer":                     {"offer.quantization": "fp8", "offer.id": "acme/atlas-70b", "offer.service": "standard"},
		"policy":                    {"policy.training": "false"},
		"capability":                {"capability.tools": "true"},
		"price.input":               {"price.input": "0.000002"},
		"price.input@context>32000": {"price.input@context>32000": "0.000004"},
		"limits.output":             {"limits.output": "4096"},
	} {
		rec := sourcetest.Find(t, r, id+declaration+"@"+fetchedAt)
		for key, value := range want {
			if got := sourcetest.Value(rec, key); got != value {
				t.Errorf("%s is %q, want %s", key, got, value)
			}
		}
		if rec.Execution.Runtime.ID != "openrouter/fastco/turbo" || rec.Model.ID != "acme/atlas-70b" || rec.Freshness.ValidUntil != "2026-11-02T12:00:00.000Z" {
			t.Errorf("%s: %+v %+v %+v", declaration, rec.Model, rec.Execution.Runtime, rec.Freshness)
		}
	}
}

func TestTraps(t *testing.T) {
	tests := []struct {
		name, from, to string
		rows           int
		reason         sources.Reason
	}{
		{"an alias", "acme/atlas-70b,", "~acme/atlas-latest,", 0, "row-repeated"},
		{"pictures", "131072", "0", 0, "row-other-mode"},
		{"no provider", "fastco/turbo", "", 0, "row-no-id"},
		{"a latency that is none", "668", "fast", 1, sources.InvalidValue},
		{"a negative latency", "668", "-668", 1, sources.InvalidValue},
		{"a policy in other words", "True,False", "True,maybe", 1, sources.InvalidValue},
		{"a count that is none", "159", "many", 1, sources.InvalidValue},
		{"a price that varies", `""0.000008""`, `""-1""`, 1, sources.UnknownPrice},
		{"prices that are no JSON", `{""prompt""`, `{prompt`, 1, sources.InvalidValue},
		{"no figures", "668,31.5,59,30,159,1", ",,,,,", 1, ""},
	}
	for _, tt := range tests {
		r, err := importBody(t, head+strings.Replace(row, tt.from, tt.to, 1)+strings.Replace(row, "fastco/turbo", "slowco", 1))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if r.Acquisition.Imported != 1+tt.rows || tt.reason != "" && sourcetest.Reasons(r)[tt.reason] == 0 {
			t.Errorf("%s: %s, reported %v", tt.name, r.Summary(), sourcetest.Reasons(r))
		}
	}
}

// The offer of a region or of a variant is one of its own, two rows of one are not.
func TestOffers(t *testing.T) {
	other := strings.Replace(row, "fastco/turbo,,", "fastco/turbo,eu-west-1,", 1)
	free := strings.Replace(row, "standard", "free", 1)
	r, err := importBody(t, head+row+other+free+row)
	if err != nil || r.Acquisition.Imported != 3 || r.Acquisition.SkippedFor["row-repeated"] != 1 {
		t.Fatalf("%v: %+v", err, r)
	}
	runtimes := map[string]bool{}
	for _, o := range r.Observations {
		runtimes[o.Record().Execution.Runtime.ID] = true
	}
	for _, want := range []string{"openrouter/fastco/turbo", "openrouter/fastco/turbo:eu-west-1", "openrouter/fastco/turbo:free"} {
		if !runtimes[want] {
			t.Errorf("no %s in %v", want, runtimes)
		}
	}
}

func TestRefused(t *testing.T) {
	for body, want := range map[string][2]string{
		"":           {"$.snapshots[0].body[0]", "EOF"},
		"a,b\n1,2\n": {"$.snapshots[0].body[0]", "no column model_slug"},
		strings.Replace(head, "discount", "variant", 1): {"$.snapshots[0].body[0]", "there twice"},
		head + row + "acme/atlas-70b,standard\n":        {"$.snapshots[0].body[1]", "wrong number of fields"},
		head + `a"b` + row:                              {"$.snapshots[0].body[0]", "bare \""},
	} {
		_, err := importBody(t, body)
		sourcetest.Refused(t, body, err, want[0], want[1])
		if faults := problem.All(err); len(faults) > 0 && faults[0].Place.Line == 0 {
			t.Errorf("%q is refused without a place: %v", body, faults)
		}
	}
}

func TestRealFiles(t *testing.T) {
	for day, rows := range map[string][2]int{"2026-07-18": {1068, 997}, "2026-07-31": {1114, 1020}} {
		name := "endpoints." + day + ".csv"
		body := vectortest.DataText(t, "data", "openrouter-endpoints", name)
		at := endpoints.New().PublishedAt(body)
		if !strings.HasPrefix(at, day) {
			t.Fatalf("%s was published at %q", name, at)
		}
		r, err := sourcetest.Import(t, endpoints.New(), sources.EmptyMapping(endpoints.Source), sourcetest.Pin(t, endpoints.Source, url(day), at, body))
		if err != nil {
			t.Fatal(err)
		}
		if a := r.Acquisition; a.Rows != rows[0] || a.Imported != rows[1] {
			t.Errorf("%s: %s", day, r.Summary())
		}
		sourcetest.Second(t, r, "testdata/second.py", at, vectortest.Data(t, "data", "openrouter-endpoints", name))
	}
}

func FuzzRead(f *testing.F) {
	f.Add(head + row)
	f.Add(head + strings.Replace(row, "668", `"6""68"`, 1))
	f.Fuzz(func(t *testing.T, body string) {
		l, err := endpoints.Read(body)
		if err == nil {
			for _, row := range l.Rows {
				if row.Skip == "" && len(row.Declarations) == 0 {
					t.Fatal("a row of nothing")
				}
			}
			return
		}
		for _, e := range problem.All(err) {
			if e.Code != problem.InvalidSourceSnapshot || !strings.HasPrefix(e.Path, "$") || e.Reason == "" {
				t.Fatalf("%s %s", e.Code, e)
			}
		}
	})
}
