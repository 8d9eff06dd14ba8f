package explore_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/model-catalog-service/svc/internal/explore"
	"github.com/model-catalog-service/svc/internal/explore/browsertest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// axe returns the script of axe-core, or skips and says what to install.
func axe(t *testing.T) string {
	t.Helper()
	file := os.Getenv("SVC_TEST_AXE")
	if file == "" {
		vectortest.Missing(t, "axe-core is missing: install it from npm, and let SVC_TEST_AXE name its axe.min.js")
	}
	script, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// violation is what axe-core finds wrong, and where.
type violation struct {
	ID    string   `json:"id"`
	Nodes []string `json:"nodes"`
}

// check demands that axe-core finds nothing wrong, of whatever impact, with what a tab
// shows.
func check(t *testing.T, tab *browsertest.Tab, script, where string) {
	t.Helper()
	if !eval[bool](t, tab, `"axe" in window`) {
		eval[bool](t, tab, script+"\n;true")
	}
	found := eval[[]violation](t, tab, `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map((v) => ({
		id: v.impact + ": " + v.id, nodes: v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + " " + n.failureSummary.slice(0, 300)) })))`)
	for _, v := range found {
		t.Errorf("%s: %s\n%q", where, v.ID, v.Nodes)
	}
}

// opened are the states of a screen in which more is on it, by what brings them about.
var opened = map[string]string{
	"models":  `document.querySelector("details.columns").open = true, document.querySelector(".pick input").click()`,
	"model":   `document.querySelector("details.row").open = true`,
	"plot":    `document.querySelector("a.hit").focus(), document.querySelectorAll("details").forEach((d) => (d.open = true))`,
	"rank":    `document.querySelectorAll("details").forEach((d) => (d.open = true))`,
	"changes": `document.querySelectorAll("details").forEach((d) => (d.open = true))`,
}

// Every screen can be used by those who see, hear or point otherwise: wide and narrow,
// light and dark, as it comes and with everything opened.
func TestAccessibility(t *testing.T) {
	vectortest.SkipRace(t)
	b, script := start(t), axe(t)
	old, new := leaderboards(t, "2025-12-02T12:00:00.000Z"), leaderboards(t, "2025-12-02T18:00:00.000Z")
	e := extras(t, old, new)
	e.Requests = []explore.Request{request(t, "../../examples/leaderboards/choice.json")}
	url := serve(t, new, e)
	for _, view := range views {
		tab := open(t, b, view, url+"/")
		list := addresses(new)
		list["#/models?where=lte:0.00001:price.output"] = "models"
		list["#/plot?lend=all&q=grok"] = "plot"
		for address, screen := range list {
			where := fmt.Sprintf("%s at %d, dark %t", address, view.Width, view.Dark)
			if err := tab.Go(address, screen); err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			wait(t, tab, `!document.querySelector(".wait")`)
			check(t, tab, script, where)
			if state := opened[screen]; state != "" && eval[bool](t, tab, `document.querySelector("#main details, #main a.hit") !== null`) {
				eval[bool](t, tab, fmt.Sprintf(`(() => { try { %s } catch {} return true })()`, state))
				check(t, tab, script, where+", opened")
			}
		}
		eval[bool](t, tab, `(document.querySelector("h1").focus(), true)`)
		if err := tab.Type("?"); err != nil {
			t.Fatal(err)
		}
		wait(t, tab, `document.querySelector("dialog[open]")`)
		check(t, tab, script, fmt.Sprintf("keys at %d", view.Width))
		tab.Close()
	}
}
