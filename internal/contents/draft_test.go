package contents_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/contents"
)

// Values are read as people write them, and refused where they could mean something else.
func TestParseStatement(t *testing.T) {
	for _, test := range []struct {
		kind, text string
		want       contents.Statement
	}{
		{catalog.Sample, "solved=0.9", contents.Statement{Key: "solved", Value: "0.9"}},
		{catalog.Sample, "delta=-1.5e3 ms", contents.Statement{Key: "delta", Value: "-1.5e3", Unit: "ms"}},
		{catalog.Sample, "clean=false", contents.Statement{Key: "clean", Value: "false"}},
		{catalog.Sample, "price@ttl=1h=3", contents.Statement{Key: "price@ttl=1h", Value: "3"}},
		{catalog.Fact, "price=0.8/M", contents.Statement{Key: "price", Value: "8e-7", Unit: "USD/token"}},
		{catalog.Fact, "licence=MIT", contents.Statement{Key: "licence", Value: `"MIT"`}},
		{catalog.Fact, `licence=M"IT`, contents.Statement{Key: "licence", Value: `"M\"IT"`}},
		{catalog.Fact, `modality="3D"`, contents.Statement{Key: "modality", Value: `"3D"`}},
		{catalog.Fact, `rule="a=b"`, contents.Statement{Key: "rule", Value: `"a=b"`}},
		{catalog.Fact, "released=2026-01", contents.Statement{Key: "released", Value: `"2026-01"`}},
		{catalog.Fact, "released=2026-01-31", contents.Statement{Key: "released", Value: `"2026-01-31"`}},
	} {
		test.want.Kind = test.kind
		if s, err := contents.ParseStatement(test.kind, test.text); err != nil || s != test.want {
			t.Errorf("%s is %+v, %v, not %+v", test.text, s, err, test.want)
		}
	}
	for _, text := range []string{"", "k", "=1", "k=", "k=1,000", "k=128k", "k=5M", "k=1e3/M", "k=/M x", "k=01", "k=.5", "k=+1", "k=1e999", "k=0x1", "k=1e999 ms", "k=-", `k="x`, "k=2026-13"} {
		for _, kind := range []string{catalog.Fact, catalog.Sample} {
			if s, err := contents.ParseStatement(kind, text); err == nil && (kind == catalog.Sample || text != "k=/M x") {
				t.Errorf("%s of a %s is %+v", text, kind, s)
			}
		}
	}
	for _, text := range []string{"k=MIT", `k="x"`, "k=2026-01", "k=null", "k=[1]"} {
		if s, err := contents.ParseStatement(catalog.Sample, text); err == nil {
			t.Errorf("%s of a sample is %+v", text, s)
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
		kind := catalog.Fact
		if isSample {
			kind = catalog.Sample
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
