package rank_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
)

// paths returns the paths of faults, having looked at their code.
func paths(t *testing.T, list problem.List) (all []string) {
	t.Helper()
	for _, e := range list {
		if e.Code != problem.InvalidRankRequest {
			t.Errorf("%v has code %s", e, e.Code)
		}
		all = append(all, e.Path)
	}
	return all
}

func wantPaths(t *testing.T, request string, want ...string) {
	t.Helper()
	if got := paths(t, faults(t, request)); !slices.Equal(got, want) {
		t.Errorf("faults at %q, want %q", got, want)
	}
}

// repeat joins n items that differ in their number.
func repeat(n int, item func(i int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item(i)
	}
	return strings.Join(items, ",")
}

func candidates(n int) string {
	return repeat(n, func(i int) string { return launch(fmt.Sprintf("c%d", i), modelM, profileP) })
}

func requirements(n int) string {
	return repeat(n, func(i int) string { return require("mean", "eq", fmt.Sprint(i)) })
}

func preferences(n int) string {
	return repeat(n, func(i int) string { return prefer("mean", "maximize", fmt.Sprint(i+1)) })
}

func advisories(n int) string {
	return repeat(n, func(i int) string { return criterionJSON(fmt.Sprintf(`"id":"a%d",`, i), "mean", "") })
}

func TestLimits(t *testing.T) {
	tests := []struct {
		name      string
		at, above asked
		path      string
	}{
		{"candidates", asked{inventory: candidates(rank.MaxCandidates)}, asked{inventory: candidates(rank.MaxCandidates + 1)}, "$.inventory"},
		{"requirements", asked{requirements: requirements(rank.MaxCriteria)}, asked{requirements: requirements(rank.MaxCriteria + 1)}, "$.requirements"},
		{"preferences", asked{preferences: preferences(rank.MaxCriteria)}, asked{preferences: preferences(rank.MaxCriteria + 1)}, "$.preferences"},
		{"advisories", asked{advisories: advisories(rank.MaxV2Advisories)}, asked{advisories: advisories(rank.MaxV2Advisories + 1)}, "$.advisories"},
		// 2049 and the next numbers below 2050 are no products of allowed sizes.
		{"criterion cells", asked{inventory: candidates(16), requirements: requirements(64), preferences: preferences(64)},
			asked{inventory: candidates(10), requirements: requirements(102), preferences: preferences(103)}, "$"},
		{"criterion cells of version 1", asked{version: 1, inventory: candidates(16), requirements: requirements(128)},
			asked{version: 1, inventory: candidates(82), requirements: requirements(25)}, "$"},
		{"advisory cells", asked{inventory: candidates(16), advisories: advisories(64)},
			asked{inventory: candidates(25), advisories: advisories(41)}, "$.advisories"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wantPaths(t, test.at.json())
			wantPaths(t, test.above.json(), test.path)
		})
	}
}

func TestRequestBytes(t *testing.T) {
	text := asked{}.json()
	padded := text + strings.Repeat(" ", rank.MaxRequestBytes-len(text))
	wantPaths(t, padded)
	wantPaths(t, padded+" ", "$")
}

// TestTextBytes puts texts of the largest length, and of one byte more, in
// place of each text of a request.
func TestTextBytes(t *testing.T) {
	request := `{"schemaVersion":"service.rank.request/v2","task":{"family":"TEXT","suite":"TEXT"},
		"inventory":[{"id":"TEXT","model":{"id":"TEXT","revision":"TEXT","quantization":"TEXT"},
			"execution":{"runtime":{"id":"TEXT","version":"TEXT"},"adapter":{"id":"TEXT","version":"TEXT"},"effectiveContextTokens":null,
			"toolSurface":["TEXT"],"hardware":{"class":"TEXT","accelerator":"TEXT","memoryBytes":null},"workflow":{"id":"TEXT","version":"TEXT","condition":"TEXT"}}}],
		"requirements":[{"measurementKey":"TEXT","aggregation":"mean","operator":"eq","value":"TEXT"}],
		"preferences":[{"measurementKey":"TEXT","aggregation":"mean","direction":"maximize","weight":1}],
		"advisories":[{"id":"TEXT","measurementKey":"TEXT","aggregation":"mean"}]}`
	in := []string{
		"$.task.family", "$.task.suite", "$.inventory[0].id", "$.inventory[0].model.id", "$.inventory[0].model.revision", "$.inventory[0].model.quantization",
		"$.inventory[0].execution.runtime.id", "$.inventory[0].execution.runtime.version", "$.inventory[0].execution.adapter.id", "$.inventory[0].execution.adapter.version",
		"$.inventory[0].execution.toolSurface[0]", "$.inventory[0].execution.hardware.class", "$.inventory[0].execution.hardware.accelerator",
		"$.inventory[0].execution.workflow.id", "$.inventory[0].execution.workflow.version", "$.inventory[0].execution.workflow.condition",
		"$.requirements[0].measurementKey", "$.requirements[0].value", "$.preferences[0].measurementKey", "$.advisories[0].id", "$.advisories[0].measurementKey",
	}
	pieces := strings.Split(request, "TEXT")
	if len(pieces) != len(in)+1 {
		t.Fatalf("%d texts in the request, %d paths", len(pieces)-1, len(in))
	}
	for _, unit := range []string{"x", "é", "\\u00e9"} { // one byte, two, two written with an escape
		bytes := len(strings.ReplaceAll(unit, "\\u00e9", "é"))
		full := strings.Repeat(unit, rank.MaxTextBytes/bytes)
		wantPaths(t, strings.Join(pieces, full))
		for i, path := range in {
			// Put the longer text in place of one TEXT, a short one in place of the others.
			wantPaths(t, strings.Join(pieces[:i+1], "t")+full+"x"+strings.Join(pieces[i+1:], "t"), path)
		}
	}
}

// TestOverlongListIsRefusedAsAWhole looks at the one fault of a list that is
// too long, whatever is wrong with its items.
func TestOverlongListIsRefusedAsAWhole(t *testing.T) {
	broken := strings.Repeat(`{"id":"c","colour":[{}]},`, rank.MaxCandidates) + `7`
	wantPaths(t, asked{inventory: broken}.json(), "$.inventory")
	wantPaths(t, asked{inventory: broken, family: " f"}.json(), "$.task.family", "$.inventory")
	wantPaths(t, asked{inventory: strings.TrimSuffix(broken, ",7") + `,[1 2]`}.json(), "$")
}

// TestOrderOfFaults holds the order of a document with many faults: in each
// object unknown fields, missing ones, then values, and last what ties several
// together.
func TestOrderOfFaults(t *testing.T) {
	wantPaths(t, `{
		"preferences": [{"weight": 0, "direction": "up", "colour": 1}],
		"requirements": [
			{"measurementKey": "k", "aggregation": "mean", "operator": "gte", "value": "fast", "sourceClasses": []},
			{"measurementKey": "k", "aggregation": "mean", "operator": "eq", "value": 1},
			{"value": 1.0, "operator": "eq", "aggregation": "mean", "measurementKey": "k"}],
		"inventory": [
			{"model": {"id": " m", "revision": "", "quantization": null, "size": 1}, "id": "c", "execution": null},
			{"id": "c", "model": `+modelM+`, "execution": `+profileP+`}],
		"task": {"suite": 1, "family": ""},
		"colour": {"not": "looked at", "not": "twice"},
		"schemaVersion": "service.rank.request/v2"}`,
		"$.colour",
		"$.advisories",
		"$.task.family", "$.task.suite",
		"$.inventory[0].model.size", "$.inventory[0].model.id", "$.inventory[0].model.revision", "$.inventory[0].execution",
		"$.inventory",
		"$.requirements[0].sourceClasses", "$.requirements[0].value",
		"$.requirements",
		"$.preferences[0].colour", "$.preferences[0].measurementKey", "$.preferences[0].aggregation", "$.preferences[0].direction", "$.preferences[0].weight",
	)
}

func TestVersionsAndAdvisories(t *testing.T) {
	v1 := asked{version: 1}.json()
	with := func(version string) string {
		return strings.Replace(asked{advisories: `{}`}.json(), "request/v2", "request/"+version, 1)
	}
	wantPaths(t, v1)
	wantPaths(t, with("v1"), "$.advisories")
	wantPaths(t, strings.Replace(with("v1"), `"f"`, `""`, 1), "$.advisories", "$.task.family")
	wantPaths(t, strings.Replace(v1, "request/v1", "request/v2", 1), "$.advisories")
	wantPaths(t, strings.Replace(strings.Replace(v1, "request/v1", "request/v2", 1), `"f"`, `""`, 1), "$.advisories", "$.task.family")
	// Of another version, advisories may be there or not.
	wantPaths(t, with("v3"), "$.schemaVersion", "$.advisories[0].id", "$.advisories[0].measurementKey", "$.advisories[0].aggregation")
	wantPaths(t, strings.Replace(v1, "request/v1", "request/v3", 1), "$.schemaVersion")
	wantPaths(t, strings.Replace(v1, `"schemaVersion":"service.rank.request/v1",`, "", 1), "$.schemaVersion")
}

func TestValues(t *testing.T) {
	tests := []struct {
		request asked
		path    string // "" if there is no fault
	}{
		{asked{requirements: require("mean", "eq", `"text"`)}, ""},
		{asked{requirements: require("mean", "eq", `false`)}, ""},
		{asked{requirements: require("mean", "eq", `""`)}, "$.requirements[0].value"},
		{asked{requirements: require("mean", "eq", `" padded"`)}, "$.requirements[0].value"},
		{asked{requirements: require("mean", "eq", `null`)}, "$.requirements[0].value"},
		{asked{requirements: require("mean", "eq", `[1]`)}, "$.requirements[0].value"},
		{asked{requirements: require("mean", "eq", `1e999`)}, "$.requirements[0].value"},
		{asked{requirements: require("mean", "gte", `true`)}, "$.requirements[0].value"},
		{asked{requirements: require("mean", "lte", `"1"`)}, "$.requirements[0].value"},
		{asked{requirements: require("mean", "lte", `-1`)}, ""},
		{asked{requirements: require("mean", "gt", `1`)}, "$.requirements[0].operator"},
		{asked{requirements: require("median", "eq", `1`)}, "$.requirements[0].aggregation"},
		{asked{requirements: require("mean", "eq", "1") + "," + require("mean", "eq", "1.0")}, "$.requirements"},
		{asked{requirements: require("mean", "eq", "1") + "," + require("mean", "eq", `"1"`)}, ""},
		{asked{preferences: prefer("mean", "maximize", "5e-324")}, ""},
		{asked{preferences: prefer("mean", "maximize", "1e-400")}, "$.preferences[0].weight"},
		{asked{preferences: prefer("mean", "maximize", "0")}, "$.preferences[0].weight"},
		{asked{preferences: prefer("mean", "maximize", "-0.0")}, "$.preferences[0].weight"},
		{asked{preferences: prefer("mean", "maximize", "-1")}, "$.preferences[0].weight"},
		{asked{preferences: prefer("mean", "maximize", `"1"`)}, "$.preferences[0].weight"},
		{asked{preferences: prefer("mean", "best", `1`)}, "$.preferences[0].direction"},
		{asked{preferences: prefer("mean", "maximize", "1e308") + "," + prefer("mean", "minimize", "7e307")}, ""},
		{asked{preferences: prefer("mean", "maximize", "1e308") + "," + prefer("mean", "minimize", "8e307")}, "$.preferences"},
		{asked{preferences: prefer("mean", "maximize", "1") + "," + prefer("mean", "maximize", "1")}, "$.preferences"},
		{asked{advisories: criterionJSON(`"id":"a",`, "mean", "") + "," + criterionJSON(`"id":"a",`, "max", "")}, "$.advisories"},
		{asked{advisories: criterionJSON(`"id":"a",`, "mean", "") + "," + criterionJSON(`"id":"b",`, "mean", "")}, ""},
		{asked{advisories: criterionJSON(`"id":"a",`, "mean", `["external","first-party"]`)}, ""},
		{asked{advisories: criterionJSON(`"id":"a",`, "mean", `[]`)}, "$.advisories[0].sourceClasses"},
		{asked{advisories: criterionJSON(`"id":"a",`, "mean", `null`)}, "$.advisories[0].sourceClasses"},
		{asked{advisories: criterionJSON(`"id":"a",`, "mean", `["external","external"]`)}, "$.advisories[0].sourceClasses"},
		{asked{advisories: criterionJSON(`"id":"a",`, "mean", `["external","internal"]`)}, "$.advisories[0].sourceClasses[1]"},
		{asked{inventory: launch("c", modelM, strings.Replace(profileP, `"shell"`, `"edit"`, 1))}, "$.inventory[0].execution.toolSurface"},
		{asked{inventory: launch("c", modelM, strings.Replace(profileP, `["edit","shell"]`, `null`, 1))}, "$.inventory[0].execution.toolSurface"},
		{asked{inventory: launch("c", modelM, exact(profileP))}, "$.inventory[0].execution.kind"},
		{asked{inventory: launch("c", modelM, profileP) + "," + launch("c", modelM, profileP)}, "$.inventory"},
	}
	for _, test := range tests {
		var want []string
		if test.path != "" {
			want = append(want, test.path)
		}
		wantPaths(t, test.request.json(), want...)
	}
}

// TestFaultyEntriesAreNoDuplicates reads lists of entries that are alike in what
// could be read of them.
func TestFaultyEntriesAreNoDuplicates(t *testing.T) {
	wantPaths(t, asked{
		inventory:    launch("", modelM, profileP) + "," + launch("", modelM, profileP),
		requirements: require("mean", "eq", `" x"`) + "," + require("mean", "eq", "1e999") + "," + require("mean", "eq", "1e999"),
		preferences:  prefer("mean", "maximize", "0") + "," + prefer("mean", "maximize", "0"),
		advisories:   criterionJSON(`"id":"a",`, "median", "") + "," + criterionJSON(`"id":"b",`, "median", ""),
	}.json(),
		"$.inventory[0].id", "$.inventory[1].id",
		"$.requirements[0].value", "$.requirements[1].value", "$.requirements[2].value",
		"$.preferences[0].weight", "$.preferences[1].weight",
		"$.advisories[0].aggregation", "$.advisories[1].aggregation")
}

// TestFaultsHaveAPlace looks for each fault in the text that was given.
func TestFaultsHaveAPlace(t *testing.T) {
	request := "{\n" + `"schemaVersion": "service.rank.request/v1", "task": {"family": "f", "suite": null}, "inventory": [],` + "\n" +
		`"requirements": [` + require("mean", "gte", `"é"`) + `],` + "\n" +
		`"preferences": [` + prefer("mean", "maximize", "0") + `]}`
	list := faults(t, request)
	want := []struct {
		path, text   string
		line, column int
	}{
		{"$.requirements[0].value", `"é"`, 3, strings.Index(strings.Split(request, "\n")[2], `"é"`) + 1},
		{"$.preferences[0].weight", `0,"measurementKey"`, 4, strings.Index(strings.Split(request, "\n")[3], `0,"m`) + 1},
	}
	if len(list) != len(want) {
		t.Fatalf("faults %v", list)
	}
	for i, e := range list {
		w := want[i]
		place := problem.Place{File: "request.json", Line: w.line, Column: w.column}
		if e.Path != w.path || !strings.HasPrefix(request[e.Offset:], w.text) || e.Place != place {
			t.Errorf("fault at %s, %q, %v, want %s, %q, %v", e.Path, request[e.Offset:], e.Place, w.path, w.text, place)
		}
		if !strings.HasPrefix(e.Error(), e.Path+": ") {
			t.Errorf("message %q does not begin with the path", e)
		}
	}
}

func TestNotJSON(t *testing.T) {
	for _, text := range []string{"", "[]", "null", "{", `{"task":{}`, asked{}.json() + "x", strings.Repeat("[", 100), "\xff", `"\ud800"`} {
		if got := paths(t, faults(t, text)); len(got) == 0 || got[0] != "$" {
			t.Errorf("%q: faults at %q, want $", text, got)
		}
	}
	wantPaths(t, "\uFEFF \r\n\t"+asked{}.json()+"\n")
}

// TestNormalized holds the normal form against one written by hand, for any
// order of the input.
func TestNormalized(t *testing.T) {
	const want = `{"advisories":[{"aggregation":"count","id":"` + "\U0001F600" + `","measurementKey":"k","sourceClasses":["external","first-party"]},` +
		`{"aggregation":"count","id":"` + "\uFB33" + `","measurementKey":"k"}],` +
		`"inventory":[{"execution":{"adapter":null,"effectiveContextTokens":5,"hardware":null,"runtime":{"id":"rt","version":null},"toolSurface":["a","` + "\U0001F600" + `","` + "\uFB33" + `"],"workflow":null},` +
		`"id":"C","model":{"id":"m","quantization":null,"revision":null}},` +
		`{"execution":{"adapter":null,"effectiveContextTokens":1000,"hardware":{"accelerator":null,"class":"cpu","memoryBytes":0},"runtime":{"id":"rt","version":null},"toolSurface":[],"workflow":null},` +
		`"id":"c","model":{"id":"m","quantization":null,"revision":null}}],` +
		`"preferences":[{"aggregation":"fact","direction":"minimize","measurementKey":"z","weight":1e-7},{"aggregation":"mean","direction":"maximize","measurementKey":"a","weight":2}],` +
		`"requirements":[{"aggregation":"fact","measurementKey":"k","operator":"eq","sourceClasses":["external"],"value":0},` +
		`{"aggregation":"fact","measurementKey":"k","operator":"eq","value":"\"\nx"},` +
		`{"aggregation":"fact","measurementKey":"k","operator":"eq","value":false}],` +
		`"schemaVersion":"service.rank.request/v2","task":{"family":"f","suite":null}}`
	surface := []string{`"\ufb33"`, `"a"`, `"\ud83d\ude00"`}
	inventory := []string{
		`{"id":"c","model":` + modelM + `,"execution":{"workflow":null,"hardware":{"memoryBytes":-0,"class":"cpu","accelerator":null},"toolSurface":[],"effectiveContextTokens":1e3,"adapter":null,"runtime":{"id":"rt","version":null}}}`,
		``,
	}
	required := []string{
		`{"measurementKey":"k","aggregation":"fact","operator":"eq","value":"\u0022\u000ax"}`,
		`{"measurementKey":"k","aggregation":"fact","operator":"eq","value":false}`,
		`{"measurementKey":"k","aggregation":"fact","operator":"eq","value":-0.0,"sourceClasses":["external"]}`,
	}
	preferred := []string{
		`{"weight":2.0,"measurementKey":"a","aggregation":"mean","direction":"maximize"}`,
		`{"weight":0.0000001,"measurementKey":"z","aggregation":"fact","direction":"minimize"}`,
	}
	advised := []string{
		`{"id":"` + "\uFB33" + `","measurementKey":"k","aggregation":"count"}`,
		`{"id":"` + "\U0001F600" + `","measurementKey":"k","aggregation":"count","sourceClasses":["first-party","external"]}`,
	}
	for range 2 {
		inventory[len(inventory)-1] = `{"execution":{"runtime":{"version":null,"id":"rt"},"adapter":null,"effectiveContextTokens":5.0,"toolSurface":[` +
			strings.Join(surface, ",") + `],"hardware":null,"workflow":null},"id":"C","model":` + modelM + `}`
		q := mustRead(t, asked{inventory: strings.Join(inventory, ","), requirements: strings.Join(required, ","),
			preferences: strings.Join(preferred, ","), advisories: strings.Join(advised, ",")}.json())
		if got := q.JSON(); got != want {
			t.Errorf("normalized to\n%s\nwant\n%s", got, want)
		}
		if again := mustRead(t, want).JSON(); again != want {
			t.Errorf("the normal form is normalized to\n%s", again)
		}
		slices.Reverse(surface)
		slices.Reverse(required)
		slices.Reverse(preferred)
		slices.Reverse(advised)
	}
}
