package sources_test

import (
	"archive/tar"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
)

// treeOf is a tar of files, in pairs of a name and a text.
func treeOf(t *testing.T, pairs ...string) string {
	t.Helper()
	var out strings.Builder
	w := tar.NewWriter(&out)
	for i := 0; i < len(pairs); i += 2 {
		if err := sources.AddFile(w, pairs[i], []byte(pairs[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// What is taken of a tree depends on the names and contents of its files alone.
func TestTakeFolders(t *testing.T) {
	take := func(body string, folders ...string) string {
		t.Helper()
		taken, err := sources.TakeFolders(strings.NewReader(body), folders)
		if err != nil {
			t.Fatal(err)
		}
		return taken
	}
	want := treeOf(t, "tree/data/a/1.json", "one", "tree/data/a/x/2.json", "two", "tree/data/b/3.json", "three")
	whole := treeOf(t, "top-1/README", "hello", "top-1/data/b/3.json", "three", "top-1/data/a/1.json", "one",
		"top-1/data/a/x/2.json", "two", "top-1/data/ab/4.json", "four", "top-1/data/a/../b/5.json", "five")
	if got := take(whole, "data/b", "data/a"); got != want {
		t.Errorf("%q", got)
	}
	if take(want, "data/a", "data/b") != want || take(whole, "data/a") == want || take(whole, "data") == want {
		t.Error("what is taken differs")
	}
	var links strings.Builder
	w := tar.NewWriter(&links)
	for _, h := range []tar.Header{{Name: "top/data/a/l", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, {Name: "top/data/a/big", Typeflag: tar.TypeReg, Size: sources.MaxBodyBytes + 1}} {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct{ body, reason string }{
		"a folder that is not there": {whole, "has no file in data/c"},
		"no tar":                     {strings.Repeat("x", 1024), "is not a tar"},
		"half a tar":                 {whole[:1500], "is not a"},
		"too much, after a link":     {links.String(), "has more than 64 MiB in the folders that are taken"},
	} {
		if got, err := sources.TakeFolders(strings.NewReader(tt.body), []string{"data/a", "data/c"}); err == nil || got != "" || !strings.Contains(err.Error(), tt.reason) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// A snapshot whose URL names folders holds those, as svc takes them, and nothing else.
func TestOpenFolders(t *testing.T) {
	const u = "https://codeload.github.com/evaleval/every_eval_ever/tar.gz/7ea9d9f32d35f23304792c292fa1fea1b36f3e71"
	pin := func(u, body string) (*sources.Envelope, error) {
		return sources.Pin(sources.EveryEvalEver, sources.Download{URL: u, FetchedAt: "2026-08-01T00:00:00.000Z"},
			problem.Source{Name: "body", Text: body}, sourcetest.Manifest(t))
	}
	good := treeOf(t, "tree/data/a/1.json", "{}", "tree/data/b/2.json", "{}")
	one, err := pin(u+sources.Fragment([]string{"data/b", "data/a"}), good)
	if err != nil || !strings.HasSuffix(one.URL, "#data/a,data/b") || !strings.Contains(one.Reference, "%23data%2Fa%2Cdata%2Fb&") {
		t.Fatalf("%+v, %v", one, err)
	}
	if other, err := pin(u+"#data", good); err != nil || other.Reference == one.Reference {
		t.Errorf("%+v, %v", other, err)
	}
	for name, tt := range map[string]struct{ u, body, path, reason string }{
		"an archive with more":      {u + "#data/a", good, "$.body", "is not the tar that svc makes of data/a"},
		"one with less":             {u + "#data/a,data/c", good, "$.body", "has no file in data/c"},
		"folders out of order":      {u + "#data/b,data/a", good, "$.url", "is not a URL that the manifest approves"},
		"a folder twice":            {u + "#data,data", good, "$.url", "is not a URL that the manifest approves"},
		"no folder":                 {u + "#", good, "$.url", "is not a URL that the manifest approves"},
		"a folder above":            {u + "#data/..", good, "$.url", "is not a URL that the manifest approves"},
		"folders of another commit": {u + "0#data", good, "$.url", "is not a URL that the manifest approves"},
	} {
		_, err := pin(tt.u, tt.body)
		if faults := problem.All(err); len(faults) != 1 || faults[0].Code != problem.InvalidSourceSnapshot || faults[0].Path != tt.path || !strings.Contains(faults[0].Reason, tt.reason) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, reason := sourcetest.Manifest(t).Resource("aider-polyglot", "https://raw.githubusercontent.com/Aider-AI/aider/cb6a152e5ee27fbc77ac499d5e628ccd74a5fa2a/aider/website/_data/polyglot_leaderboard.yml#data"); reason == "" {
		t.Error("a file has no folders")
	}
}
