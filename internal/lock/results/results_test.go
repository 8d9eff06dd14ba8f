package results_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/lock/results"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

const odd = "acme/at<l>as & \"x\"\x1b"

func stated(model, key string, value any, unit string) Statement {
	return Statement{ID: model, Execution: At("shop"), Measurements: []any{Fact(key, value, unit)}}
}

// checked is what is found of three uses: of one nothing, of one a failure, of one a warning; the
// catalog is old.
func checked(t *testing.T) (*record.ModelsCheck, *lock.Lock, problem.Source) {
	t.Helper()
	before := Compile(t, May31, stated("acme/atlas", "price.output", 1e-6, "USD/token"), stated(odd, "price.output", 1e-6, "USD/token"),
		stated("acme/borealis", "score", 7, "points"))
	uses := []record.LockedUse{lock.Plain("shop", "acme/atlas"), lock.Plain("shop", odd), lock.Plain("shop", "acme/borealis")}
	l, _, err := lock.Make(t.Context(), before, lock.Demand{Uses: uses, Watch: []string{"score"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	source := problem.Source{Name: "my locks/models.lock.json", Text: l.Text()}
	if l, err = lock.Read(source); err != nil {
		t.Fatal(err)
	}
	after := Compile(t, May31, stated("acme/atlas", "price.output", 1e-6, "USD/token"), stated(odd, "price.output", 2e-6, "USD/token"),
		stated("acme/borealis", "score", 8, "points"))
	r, err := lock.Check(t.Context(), after, l, source.Text, "2026-06-20T00:00:00.000Z")
	if err != nil || len(r.Findings) != 3 {
		t.Fatalf("%v, findings %+v", err, r.Findings)
	}
	return r, l, source
}

// members are those that the schema of SARIF 2.1.0 has for the objects that are written, first
// the ones that it requires. It allows no others.
var members = map[string][2]string{
	"log":              {"runs version", "$schema"},
	"run":              {"tool", "columnKind results"},
	"tool":             {"driver", ""},
	"toolComponent":    {"name", "informationUri rules version"},
	"rule":             {"id", "helpUri shortDescription"},
	"message":          {"text", ""}, // or an id, which is not written
	"result":           {"message", "level locations partialFingerprints ruleId ruleIndex"},
	"location":         {"", "physicalLocation"},
	"physicalLocation": {"artifactLocation", "region"}, // or an address, which is not written
	"artifactLocation": {"", "uri"},
	"region":           {"", "startLine"},
}

// follow says what the values of members are.
var follow = map[string]string{
	"log.runs": "run", "run.tool": "tool", "tool.driver": "toolComponent", "toolComponent.rules": "rule", "rule.shortDescription": "message",
	"run.results": "result", "result.message": "message", "result.locations": "location", "location.physicalLocation": "physicalLocation",
	"physicalLocation.artifactLocation": "artifactLocation", "physicalLocation.region": "region",
}

// faultsOf finds what the schema forbids.
func faultsOf(kind string, value any) (faults []string) {
	if list, ok := value.([]any); ok {
		for _, item := range list {
			faults = append(faults, faultsOf(kind, item)...)
		}
		return faults
	}
	object, ok := value.(map[string]any)
	if !ok {
		return []string{kind + " is not an object"}
	}
	required, others := strings.Fields(members[kind][0]), strings.Fields(members[kind][1])
	for _, name := range required {
		if object[name] == nil {
			faults = append(faults, kind+" lacks "+name)
		}
	}
	for name, member := range object {
		if !slices.Contains(required, name) && !slices.Contains(others, name) {
			faults = append(faults, kind+" takes no "+name)
		}
		if next := follow[kind+"."+name]; next != "" {
			faults = append(faults, faultsOf(next, member)...)
		}
	}
	return faults
}

// A log of SARIF has what its schema requires, and the place of each finding.
func TestSarif(t *testing.T) {
	r, l, source := checked(t)
	text, err := results.Sarif(r, l, source.Text, "my%20locks/models.lock.json", "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	if faults := faultsOf("log", tree); faults != nil {
		t.Error(faults)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID, Level string
				RuleIndex     int
				Message       struct{ Text string }
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil || log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatalf("%v %s", err, text)
	}
	lines := strings.Split(source.Text, "\n")
	var got []string
	for _, result := range log.Runs[0].Results {
		place := result.Locations[0].PhysicalLocation
		if place.ArtifactLocation.URI != "my%20locks/models.lock.json" {
			t.Error(place.ArtifactLocation.URI)
		}
		if id := log.Runs[0].Tool.Driver.Rules[result.RuleIndex].ID; id != result.RuleID {
			t.Errorf("rule %d is %s, not %s", result.RuleIndex, id, result.RuleID)
		}
		got = append(got, fmt.Sprintf("%s %s %.14s", result.Level, result.RuleID, strings.TrimSpace(lines[place.Region.StartLine-1])))
	}
	if want := []string{`error PRICE_UP "price.output"`, `warning CATALOG_OLD {`, `warning FACT_CHANGED "score": {"uni`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if text, err = results.Sarif(r, l, source.Text, "", "v1.2.3"); err != nil || strings.Contains(string(text), "locations") {
		t.Errorf("standard input has a place: %v %s", err, text)
	}
	// What reads it finds faults.
	if faults := faultsOf("log", map[string]any{"version": "2.1.0", "runs": []any{map[string]any{"tools": "svc"}}}); len(faults) != 2 {
		t.Error(faults)
	}
}

// Every code has its words.
func TestCodesAreDescribed(t *testing.T) {
	for _, code := range lock.Codes() {
		if lock.Describe(code) == "" {
			t.Errorf("%s is not described", code)
		}
	}
}

// JUnit's XML counts right, and survives names that are odd.
func TestJUnit(t *testing.T) {
	r, _, _ := checked(t)
	text, err := results.JUnit(r)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		XMLName         xml.Name `xml:"testsuites"`
		Tests, Failures int      `xml:",attr"`
		Suites          []struct {
			Name            string `xml:"name,attr"`
			Tests           int    `xml:"tests,attr"`
			Failures        int    `xml:"failures,attr"`
			Timestamp, Time string `xml:",attr"`
			Cases           []struct {
				Name, Classname string `xml:",attr"`
				Failure         *struct {
					Message string `xml:"message,attr"`
					Type    string `xml:"type,attr"`
				} `xml:"failure"`
				Out string `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(text, &all); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var got []string
	for _, s := range all.Suites {
		failed := 0
		for _, c := range s.Cases {
			what := "passes"
			if c.Failure != nil {
				what, failed = "fails "+c.Failure.Type, failed+1
			} else if c.Out != "" {
				what = c.Out[:len("warning")]
			}
			got = append(got, s.Name+": "+what)
		}
		if s.Tests != len(s.Cases) || s.Failures != failed {
			t.Errorf("%s counts %d and %d", s.Name, s.Tests, s.Failures)
		}
	}
	clean := strings.ReplaceAll(odd, "\x1b", "\ufffd")
	want := []string{"catalog: warning", "shop:" + clean + ": fails PRICE_UP", "shop:acme/atlas: passes", "shop:acme/borealis: warning"}
	if !slices.Equal(got, want) || !strings.Contains(string(text), `<testsuites tests="4" failures="1">`) {
		t.Errorf("%q, want %q\n%s", got, want, text)
	}
}
