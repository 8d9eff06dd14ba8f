package contents_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/service/record"
)

// Values are read as people write them, and refused where they could mean something else.
func TestParseStatement(t *testing.T) {
	for _, test := range []struct {
		kind, text string
		want       contents.Statement
	}{
		{record.Sample, "solved=0.9", contents.Statement{Key: "solved", Value: "0.9"}},
		{record.Sample, "delta=-1.5e3 ms", contents.Statement{Key: "delta", Value: "-1500", Unit: "ms"}},
		{record.Sample, "clean=false", contents.Statement{Key: "clean", Value: "false"}},
		{record.Sample, "price@ttl=1h=3", contents.Statement{Key: "price@ttl=1h", Value: "3"}},
		{record.Fact, "price=0.8/M", contents.Statement{Key: "price", Value: "8e-7", Unit: "USD/token"}},
		{record.Fact, "price=$0.8/M", contents.Statement{Key: "price", Value: "8e-7", Unit: "USD/token"}},
		{record.Fact, "price=$8 per million tokens", contents.Statement{Key: "price", Value: "0.000008", Unit: "USD/token"}},
		{record.Sample, "cost=$40", contents.Statement{Key: "cost", Value: "40", Unit: "USD"}},
		{record.Sample, "score=90%", contents.Statement{Key: "score", Value: "90", Unit: "percent"}},
		{record.Fact, "limits.context=200k", contents.Statement{Key: "limits.context", Value: "200000"}},
		{record.Fact, "limits.context=1,050,000 tokens", contents.Statement{Key: "limits.context", Value: "1050000", Unit: "tokens"}},
		{record.Fact, "licence=MIT", contents.Statement{Key: "licence", Value: `"MIT"`}},
		{record.Fact, `licence=M"IT`, contents.Statement{Key: "licence", Value: `"M\"IT"`}},
		{record.Fact, `modality="3D"`, contents.Statement{Key: "modality", Value: `"3D"`}},
		{record.Fact, `rule="a=b"`, contents.Statement{Key: "rule", Value: `"a=b"`}},
		{record.Fact, "released=2026-01", contents.Statement{Key: "released", Value: `"2026-01"`}},
		{record.Fact, "released=2026-01-31", contents.Statement{Key: "released", Value: `"2026-01-31"`}},
	} {
		if s, err := contents.ParseStatement(test.kind, test.text); err != nil || s.Key != test.want.Key || s.Kind != test.kind || s.Value != test.want.Value || s.Unit != test.want.Unit {
			t.Errorf("%s is %+v, %v, not %+v", test.text, s, err, test.want)
		}
	}
	for _, text := range []string{"", "k", "=1", "k=", "k=1,00", "k=5m", "k=3D", "k=$8/Q", "k=8$", "k=1e3/M", "k=/M x", "k=01", "k=+1", "k=1e999", "k=0x1", "k=1e999 ms", "k=-", `k="x`, "k=2026-13"} {
		for _, kind := range []string{record.Fact, record.Sample} {
			if s, err := contents.ParseStatement(kind, text); err == nil && (kind == record.Sample || text != "k=/M x") {
				t.Errorf("%s of a %s is %+v", text, kind, s)
			}
		}
	}
	for _, text := range []string{"k=MIT", `k="x"`, "k=2026-01", "k=null", "k=[1]"} {
		if s, err := contents.ParseStatement(record.Sample, text); err == nil {
			t.Errorf("%s of a sample is %+v", text, s)
		}
	}
}

// A number has the unit of its key. One that is hardly meant in that unit is refused, with
// what to write.
func TestUnitsOfStatements(t *testing.T) {
	c := Compile(t, May31,
		Statement{ID: "a", Measurements: []any{Fact("price.output", 0.000004, "USD/token"), Fact("limits.context", 128000, "tokens")}},
		Statement{ID: "b", Measurements: []any{Sample("score", 62, "percent"), Sample("solved", 0.5), Sample("cost", 3, "USD")}},
		Statement{ID: "c", Measurements: []any{Sample("rate", 0.5, "percent"), Sample("count", 12)}},
		Statement{ID: "d", Measurements: []any{Sample("lag", 120, "ms")}},
		Statement{ID: "e", Measurements: []any{Sample("lag", 150, "ms")}},
		Statement{ID: "f", Measurements: []any{Sample("lag", 0.1, "s")}},
	)
	for _, test := range []struct {
		c          *catalog.Catalog
		text, want string
	}{
		{c, "price.output=8/M", `0.000008, "unit": "USD/token"`},
		{c, "price.output=0.000008", `0.000008, "unit": "USD/token"`},
		{c, "price.output=8", "price.output is in USD/token: write 8/M for 8 dollars per million tokens"},
		{c, "price.output=$8", "price.output is in USD/token: write 8/M for 8 dollars per million tokens"},
		{nil, "price.output=8", "price.output is in USD/token: write 8/M for 8 dollars per million tokens"},
		{nil, "price.input@context>200000=0", `0, "unit": "USD/token"`},
		{nil, "limits.context=200k", `200000, "unit": "tokens"`},
		{c, "limits.context=200k", `200000, "unit": "tokens"`},
		{c, "score=90%", `90, "unit": "percent"`},
		{c, "score=90", `90, "unit": "percent"`},
		{c, "score=0", `0, "unit": "percent"`},
		{c, "score=0.9", "score is in percent, from 62 to 62: write 90% or 0.9%"},
		{c, "rate=0.9", `0.9, "unit": "percent"`},
		{c, "solved=90%", `0.9 `},
		{c, "solved=7%", `0.07 `},
		{c, "count=90%", "the values of count have no unit: write the number alone, without %"},
		{c, "limits.context=200 k", `200000, "unit": "tokens"`},
		{c, "limits.context=200 q", "limits.context is in tokens, not in q: write a number alone, or one in tokens"},
		{nil, "limits.context=$5", "limits.context is in tokens, not in USD"},
		{c, "limits.context=-5", "limits.context is in tokens, and cannot be below 0"},
		{c, "score=5 ms", "score is in percent, not in ms: write 90%"},
		{c, "price.output=0.000005 M", "price.output is in USD/token: write 0.000005/M for 0.000005 dollars per million tokens"},
		{c, "price.output=0.123456", "price.output is in USD/token: write 0.123456/M for 0.123456 dollars per million tokens"},
		{c, "price.output=5 tokens", "price.output is in USD/token, not in tokens: write 5/M for 5 dollars per million tokens"},
		{c, "lag=5 s", `5, "unit": "s"`},
		{c, "lag=5", `5, "unit": "ms"`},
		{c, "lag=5 h", "lag is in ms, not in h"},
		{c, "unheard=5 h", `5, "unit": "h"`},
		{c, "cost=$4", `4, "unit": "USD"`},
		{nil, "unheard=0.9", `0.9 `},
	} {
		s, err := contents.ParseStatement(record.Sample, test.text)
		if err != nil {
			t.Fatal(err)
		}
		draft, err := contents.Draft(test.c, contents.DraftOptions{Statements: []contents.Statement{s}, At: "2026-05-01T00:00:00.000Z"})
		if err != nil {
			draft = err.Error()
		}
		if !strings.Contains(draft, test.want) {
			t.Errorf("%s: %s, not %s", test.text, draft, test.want)
		}
	}
}

// Whatever is stated is refused, or is what the observation says.
func FuzzStatement(f *testing.F) {
	f.Add("solved=0.9", "support/tickets/T-17", "zai", true)
	f.Add(`released="2026-01"`, "a//b", "", false)
	f.Add("price=5/M", "/", " ", false)
	f.Add("latency=1e21 ms", "", "\x7f", true)
	f.Fuzz(func(t *testing.T, text, task, runtime string, isSample bool) {
		kind := record.Fact
		if isSample {
			kind = record.Sample
		}
		s, err := contents.ParseStatement(kind, text)
		if err != nil {
			return
		}
		draft, err := contents.Draft(nil, contents.DraftOptions{Models: []string{"m"}, Statements: []contents.Statement{s}, Task: task, Runtime: runtime, At: "2026-07-01T00:00:00.000Z"})
		if err != nil {
			return
		}
		o, err := catalog.Normalize(draft)
		if err != nil {
			t.Fatalf("%s\n%v", draft, err)
		}
		rec := o.Record()
		if len(rec.Measurements) != 1 || rec.Measurements[0].Key != s.Key || rec.Measurements[0].Kind != kind || rec.Measurements[0].Unit != s.Unit {
			t.Fatalf("%q is %+v", text, rec.Measurements)
		}
		written, value := "", text[len(s.Key)+1:]
		if v := rec.Measurements[0].Value; v.Kind == '"' && json.Unmarshal([]byte(value), &written) != nil && v.Text != value || v.Kind == '"' && written != "" && v.Text != written {
			t.Fatalf("%q is %+v", text, v)
		}
		if (rec.Task.Family != "") != isSample || isSample && task != "" && !strings.HasPrefix(task, rec.Task.Family) {
			t.Fatalf("task %q is %+v", task, rec.Task)
		}
	})
}
