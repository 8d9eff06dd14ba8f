package vectortest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// DataVariable is the environment variable that names the folder of the test
// data which is not part of the project: the real files of sources, in data, and
// the vectors as they were published, in vectors. Where it is not set, a folder
// named shared beside the repository is used.
const DataVariable = "SVC_TEST_DATA"

// Data returns the path of a file or folder of that test data:
//
//	files, err := filepath.Glob(vectortest.Data(t, "vectors", "hachure") + "/*.json")
//
// A test skips if the data are not there at all. Once they are, or the variable
// says so, a file that is missing is a failure.
func Data(t testing.TB, parts ...string) string {
	t.Helper()
	folder := DataFolder(t)
	if folder == "" {
		t.Skipf("the test data are not there: %s names no folder", DataVariable)
	}
	path := filepath.Join(append([]string{folder}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// DataText returns the content of such a file.
func DataText(t testing.TB, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(Data(t, parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// DataFolder returns the folder of the test data, "" if there is none.
func DataFolder(t testing.TB) string {
	t.Helper()
	if folder := os.Getenv(DataVariable); folder != "" {
		return folder
	}
	folder := filepath.Join(root(t), "..", "shared")
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return folder
}

// root returns the folder of the module that a test belongs to. Tests run in the
// folder of their package.
func root(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		if filepath.Dir(folder) == folder {
			t.Fatal("no folder above this one has a go.mod")
		}
		folder = filepath.Dir(folder)
	}
}
