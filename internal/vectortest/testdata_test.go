package vectortest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// outcome is a test that notes how it ended.
type outcome struct {
	testing.TB
	skipped, failed bool
}

type ended struct{}

func (o *outcome) Skipf(string, ...any) { o.skipped = true; panic(ended{}) }
func (o *outcome) Skip(...any)          { o.skipped = true; panic(ended{}) }
func (o *outcome) Fatal(...any)         { o.failed = true; panic(ended{}) }

// ending runs a test and returns how it ended.
func ending(t *testing.T, test func(*outcome)) (o *outcome) {
	o = &outcome{TB: t}
	defer func() {
		if e := recover(); e != nil && e != (ended{}) {
			panic(e)
		}
	}()
	test(o)
	return o
}

// read reads a file of the test data.
func read(t *testing.T, parts ...string) (text string, o *outcome) {
	o = ending(t, func(o *outcome) { text = vectortest.DataText(o, parts...) })
	return text, o
}

// A test reads the folder that the variable names. There a missing file fails it;
// where there is no folder at all it skips.
func TestData(t *testing.T) {
	clone := t.TempDir()
	inside := filepath.Join(clone, "repository", "internal", "room")
	beside := filepath.Join(clone, "shared", "data")
	named := t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(clone, "repository", "go.mod"): "module m\n",
		filepath.Join(inside, "room.go"):             "package room\n",
		filepath.Join(named, "data", "a.json"):       "named",
	} {
		write(t, path, text)
	}
	t.Chdir(inside)
	t.Setenv(vectortest.DataVariable, "")
	if _, o := read(t, "data", "a.json"); !o.skipped {
		t.Errorf("without any folder: %+v", o)
	}
	write(t, filepath.Join(beside, "a.json"), "beside")
	if text, o := read(t, "data", "a.json"); text != "beside" {
		t.Errorf("beside the repository: %q, %+v", text, o)
	}
	if _, o := read(t, "data", "b.json"); !o.failed {
		t.Errorf("a file that is missing beside the repository: %+v", o)
	}
	t.Setenv(vectortest.DataVariable, named)
	if text, o := read(t, "data", "a.json"); text != "named" {
		t.Errorf("in the folder that is named: %q, %+v", text, o)
	}
	t.Setenv(vectortest.DataVariable, filepath.Join(named, "elsewhere"))
	if _, o := read(t, "data", "a.json"); !o.failed {
		t.Errorf("a folder that is not there: %+v", o)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
