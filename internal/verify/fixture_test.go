package verify_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify"
)

// shared returns the path of a folder beside the repository, which not every
// clone has.
func shared(t testing.TB, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{"..", "..", "..", "shared"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not there", path)
	}
	return path
}

// sharedFiles returns the files of a shared folder that match.
func sharedFiles(t testing.TB, pattern string, parts ...string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(shared(t, parts...), pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	return files
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func decodeJSON(t testing.TB, text string, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
}

// lines calls f for every line of a file.
func lines(t testing.TB, text string, f func(n int, line string)) {
	t.Helper()
	s := bufio.NewScanner(bytes.NewReader([]byte(text)))
	s.Buffer(nil, 16<<20)
	n := 0
	for s.Scan() {
		n++
		f(n, s.Text())
	}
	if s.Err() != nil || n == 0 {
		t.Fatalf("%d lines read: %v", n, s.Err())
	}
}

func mustBundle(t testing.TB, text string) *verify.Bundle {
	t.Helper()
	b, err := verify.ReadBundle(problem.Source{Name: "bundle.json", Text: text})
	if err != nil {
		for _, fault := range problem.All(err) {
			t.Logf("%+v: %s", fault.Place, fault)
		}
		t.Fatal(err)
	}
	return b
}
