package cmd

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/explore/browsertest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// What the page copies works as pasted into a shell: curl and svc rank answer what the
// page's own request is answered with, byte for byte.
func TestPasted(t *testing.T) {
	if _, err := browsertest.Find(); err != nil {
		vectortest.Missing(t, err.Error())
	}
	vectortest.Tool(t, "curl", "curl")
	browser, end, err := browsertest.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	dir := t.TempDir()
	const catalog = `it's a "catalog" $HOME.json` // a name that a shell would take apart
	examples, err := filepath.Abs("../examples/leaderboards")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := process(dir, "compile", filepath.Join(examples, "observations"), "--as-of", "2025-12-02T12:00:00Z", "-o", catalog).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var names []string
	for _, name := range []string{"coding.json", "choice.json"} {
		names = append(names, "--request", filepath.Join(examples, name))
	}
	served := startServing(t, nil, append([]string{"explore", "--catalog", filepath.Join(dir, catalog), "--port", "0"}, names...)...)
	for _, name := range []string{"coding.json", "choice.json"} {
		tab, err := browser.Open(browsertest.View{Width: 1280, Height: 900}, served.url+"/#/rank?request="+name)
		if err != nil {
			t.Fatal(err)
		}
		if err := tab.Wait(`document.querySelectorAll(".result").length > 1`); err != nil {
			t.Fatal(err)
		}
		want := askTabs(t, tab, served.url)
		for button, ends := range map[string]string{"Copy as curl": "", "Copy as svc rank": "\n"} {
			script, err := browsertest.Eval[string](tab, fmt.Sprintf(`new Promise((done) => {
				navigator.clipboard.writeText = (text) => { done(text); return Promise.resolve(); };
				[...document.querySelectorAll("button")].find((b) => b.textContent === %q).click();
			})`, button))
			if err != nil {
				t.Fatal(err)
			}
			c := exec.Command("/bin/sh", "-eu")
			c.Dir, c.Stdin, c.Stderr = dir, strings.NewReader(script), os.Stderr
			got, err := c.Output()
			if err != nil {
				t.Fatalf("%s: %v\n%s", button, err, script)
			}
			if string(got) != want+ends {
				t.Errorf("%s of %s: %.300s\nthe page was answered %.300s", button, name, got, want)
			}
		}
		tab.Close()
	}
}

// askTabs asks what a tab asks the API, and returns the answer.
func askTabs(t *testing.T, tab *browsertest.Tab, url string) string {
	t.Helper()
	request, err := browsertest.Eval[string](tab, `new Promise((done) => {
		const before = window.fetch;
		window.fetch = (address, options) => { done(options.body); window.fetch = before; return before(address, options); };
		const weight = document.querySelector("input[type=number]");
		weight.value = "0.7";
		weight.dispatchEvent(new Event("input"));
	})`)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Post(url+"/v1/rank", "application/json", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK || !bytes.Contains(answer, []byte(`"ranked"`)) {
		t.Fatalf("%d %.300s %v", r.StatusCode, answer, err)
	}
	return string(answer)
}
