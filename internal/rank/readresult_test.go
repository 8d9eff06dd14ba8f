package rank_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// crowded returns a result of each version that has every member there is.
func crowded(t *testing.T) (v1, v2 string) {
	t.Helper()
	docs, a, inventory := crowd()
	k := newRanker(t, compile(t, docs...))
	a.inventory = strings.Join(inventory, ",")
	v2 = mustJSON(t, mustRank(t, k, a.json()))
	a.version, a.advisories = 1, ""
	return mustJSON(t, mustRank(t, k, a.json())), v2
}

// resultFaults returns the faults of a file of results as lines like those of
// messages, without what is allowed.
func resultFaults(t *testing.T, name, text string) (lines []string) {
	t.Helper()
	for _, e := range problem.All(v3.CheckResults(problem.Source{Name: name, Text: text})) {
		if e.Place.File != name {
			t.Errorf("%v is of file %q", e, e.Place.File)
		}
		lines = append(lines, fmt.Sprintf("%d:%d %s", e.Place.Line, e.Place.Column, e.Path))
	}
	return lines
}

// wantResultFaults compares them, in order.
func wantResultFaults(t *testing.T, name, text string, want ...string) {
	t.Helper()
	if got := resultFaults(t, name, text); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: faults at %q, want %q", name, got, want)
	}
}

// Every member of a result is known, needed and of one kind: without it, with
// another beside it and with an object in its place the result is none.
func TestCheckResultsOfEveryMember(t *testing.T) {
	vectortest.SkipRace(t)
	v1, v2 := crowded(t)
	optional := regexp.MustCompile(`\.(sourceClasses|value|unit|actual|expected|contribution)$`)
	for _, text := range []string{v1, v2} {
		var doc any
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		fails := func(path, change string) {
			t.Helper()
			changed, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			list := problem.All(v3.CheckResults(problem.Source{Text: string(changed)}))
			if len(list) == 0 || !strings.HasPrefix(list[0].Path, path) {
				t.Errorf("%s %s: faults %v", path, change, list)
			}
		}
		tried := map[string]bool{} // paths without numbers
		var walk func(path, kind string, v any)
		walk = func(path, kind string, v any) {
			switch v := v.(type) {
			case []any:
				for i, item := range v {
					walk(fmt.Sprintf("%s[%d]", path, i), kind+"[]", item)
				}
			case map[string]any:
				if !tried[kind] {
					tried[kind] = true
					v["another"] = 1
					fails(path+".another", "is there")
					delete(v, "another")
				}
				for name, member := range v {
					path, kind := path+"."+name, kind+"."+name
					walk(path, kind, member)
					if path == "$.schemaVersion" || tried[kind+" itself"] { // another version has other rules
						continue
					}
					tried[kind+" itself"] = true
					v[name] = map[string]any{"another": 1}
					fails(path, "is an object")
					if delete(v, name); !optional.MatchString(path) {
						fails(path, "is missing")
					}
					v[name] = member
				}
			}
		}
		walk("$", "$", doc)
		if len(tried) < 60 {
			t.Errorf("the result has %d kinds of members and objects only", len(tried))
		}
		if err := v3.CheckResults(problem.Source{Text: text}); err != nil {
			t.Errorf("the result is none: %v", err)
		}
	}
}

// Where one of several words must stand, every other is refused.
func TestCheckResultsOfWords(t *testing.T) {
	_, v2 := crowded(t)
	tests := []struct{ from, to, path string }{
		{`"service.rank.result/v2"`, `"service.rank.result/v1"`, "$.ranked[0].advisories"},
		{`"request-relative"`, `"absolute"`, "$.scoreScale.kind"},
		{`"REQUIREMENT_MET"`, `"ADVISORY_STALE"`, "$.excluded[0].reasons[0].code"},
		{`"level":"low"`, `"level":"Low"`, "$.ranked[0].advisories[0].uncertainty.level"},
		{`"aggregation":"max"`, `"aggregation":"median"`, "$.excluded[0].advisories[0].aggregation"},
		{`"status":"present"`, `"status":"ok"`, "$.excluded[0].advisories[0].status"},
		{`["external"]`, `["other"]`, "$.excluded[0].advisories[1].sourceClasses[0]"},
		{`["external"]`, `[]`, "$.excluded[0].advisories[1].sourceClasses"},
		{`"matchedKinds":["exact"`, `"matchedKinds":["whole"`, "$.excluded[0].advisories[0].executionApplicability.matchedKinds[0]"},
		{`"assertedDimensions":["adapter"`, `"assertedDimensions":["adaptor"`, "$.excluded[0].advisories[0].executionApplicability.assertedDimensions[0]"},
		{`"rank":2`, `"rank":3`, "$.ranked[1].rank"},
		{`"evidenceIds":["`, `"evidenceIds":["","`, "$.excluded[0].advisories[0].evidence.evidenceIds[0]"},
		{`"observationIds":["`, `"observationIds":["0","`, "$.excluded[0].advisories[0].evidence.observationIds[0]"},
	}
	for _, tt := range tests {
		text := strings.Replace(v2, tt.from, tt.to, 1)
		list := problem.All(v3.CheckResults(problem.Source{Text: text}))
		if text == v2 || len(list) == 0 {
			t.Errorf("%s in place of %s: faults %v", tt.to, tt.from, list)
			continue
		}
		digits := regexp.MustCompile(`\d+`)
		if got, want := digits.ReplaceAllString(list[0].Path, "n"), digits.ReplaceAllString(tt.path, "n"); got != want {
			t.Errorf("%s in place of %s: fault at %s, want %s", tt.to, tt.from, list[0].Path, tt.path)
		}
	}
}

// Several results stand one a line, of either version, as rank prints them.
func TestCheckResultsOneALine(t *testing.T) {
	v1, v2 := crowded(t)
	const mark = "\uFEFF"
	for name, text := range map[string]string{
		"one":                   v1,
		"one that ends in one":  v1 + "\n",
		"two":                   v1 + "\n" + v2 + "\n",
		"two without an end":    v2 + "\n" + v1,
		"blank lines":           "\n\n" + v2 + "\r\n \t\n" + v1 + "\r\n\r\n",
		"a byte order mark":     mark + v2 + "\n" + v1,
		"one over lines":        strings.Replace(v1, ",", ",\n", -1),
		"a mark before several": mark + "\n " + strings.Replace(v1, ",", "\n,", -1),
	} {
		wantResultFaults(t, name, text)
	}
	wantResultFaults(t, "one.jsonl", v1+"\n")
	wantResultFaults(t, "two.ndjson", v1+"\n"+v2)

	wrong := strings.Replace(v1, `"digest":"`, `"digest":"é`, 1)
	at := strings.Index(v1, `"digest":"`) + len(`"digest":`) + 1
	length := utf8.RuneCountInString(v1)
	wantResultFaults(t, "third", v2+"\n\n  "+wrong+"\n", fmt.Sprintf("3:%d $.catalog.digest", at+2))
	wantResultFaults(t, "first and last", mark+wrong+"\r\n"+v2+"\n"+wrong,
		fmt.Sprintf("1:%d $.catalog.digest", at+1), fmt.Sprintf("3:%d $.catalog.digest", at))
	wantResultFaults(t, "behind it", v1+"\n"+v1+" x\n"+v2, fmt.Sprintf("2:%d $", length+2))
	wantResultFaults(t, "cut", v1+"\n"+v1[:len(v1)-1], fmt.Sprintf("2:%d $", length))
	wantResultFaults(t, "a mark in it", v1+"\n"+mark+v1, "2:1 $")
	wantResultFaults(t, "two in a line", v1+v1, fmt.Sprintf("1:%d $", length+1))
	// By the name each line is one; in a file of another name it must be whole.
	wantResultFaults(t, "cut.jsonl", v1[:9]+"\n"+v1, "1:10 $")
	wantResultFaults(t, "blank.jsonl", " \n", "2:1 $")
}

// A file of many faults tells a thousand of them and how many more there are.
func TestCheckResultsOfManyFaults(t *testing.T) {
	line := `{"schemaVersion":"service.rank.result/v1","catalog":{},"task":{},"scoreScale":{},"ranked":[` +
		strings.TrimSuffix(strings.Repeat("0,", 300), ",") + `],"excluded":[]}` + "\n"
	list := problem.All(v3.CheckResults(problem.Source{Name: "f", Text: strings.Repeat(line, 10)}))
	if len(list) != 1001 {
		t.Fatalf("%d faults", len(list))
	}
	last := list[1000]
	if last.Reason != "2060 more problems" || last.Place != (problem.Place{File: "f"}) {
		t.Errorf("the last is %v at %v", last, last.Place)
	}
	if place := list[999].Place; place.Line != 4 {
		t.Errorf("the thousandth stands at %v", place)
	}
}
