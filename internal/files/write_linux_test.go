package files_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// childVariable makes of TestChild a program that writes the file which it names.
const childVariable = "SVC_TEST_CHILD"

// TestChild writes "new" into a file, by Write or by Create.
func TestChild(t *testing.T) {
	runtime.LockOSThread() // strace counts the calls of each thread
	how, path, _ := strings.Cut(os.Getenv(childVariable), " ")
	var err error
	switch how {
	case "write":
		err = files.WriteText(t.Context(), path, "new")
	case "create":
		err = files.Create(t.Context(), path, filling("new", nil))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// traced runs TestChild under strace, and returns what it printed and the calls.
func traced(t *testing.T, what string, options ...string) (out, calls string, err error) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	c := exec.Command(vectortest.Tool(t, "strace", "strace"),
		append(append([]string{"-f", "-y", "-o", trace}, options...), os.Args[0], "-test.run=^TestChild$")...)
	c.Env = append(os.Environ(), childVariable+"="+what)
	text, err := c.CombinedOutput()
	traced, readErr := os.ReadFile(trace)
	if readErr != nil {
		t.Fatal(readErr, string(text))
	}
	return string(text), string(traced), err
}

// Both the bytes of a file and its new name are on the disk when the writing is over.
func TestFolderIsSynced(t *testing.T) {
	for _, how := range []string{"write", "create"} {
		folder := t.TempDir()
		path := filepath.Join(folder, "a.json")
		out, calls, err := traced(t, how+" "+path, "-e", "trace=fsync,renameat,renameat2,linkat")
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		temporary := regexp.QuoteMeta(filepath.Join(folder, ".a.json.tmp-"))
		order := regexp.MustCompile(`(?s)fsync\([0-9]+<` + temporary + `\w+>\) += 0` +
			`.*(renameat|linkat)[^\n]*"` + temporary + `[^\n]*"` + regexp.QuoteMeta(path) + `"[^\n]*\) = 0` +
			`.*fsync\([0-9]+<` + regexp.QuoteMeta(folder) + `>\) += 0`)
		if !order.MatchString(calls) {
			t.Errorf("%s: the file, its name and the folder are not synced in this order:\n%s", how, calls)
		}
	}
}

// A system that lacks a call, or on which one fails, leaves the new file, or an error and
// the old one; and nothing else.
func TestWriteWithFailingCalls(t *testing.T) {
	const (
		isNew = "new"
		isOld = "old"
	)
	for _, tt := range []struct {
		how, injected string
		old           string // empty for no file
		want          string // empty for no file
		cause         string // of an error
	}{
		// Lustre, some NFS, FUSE and 9p have no locks.
		{"write", "flock:error=EOPNOTSUPP", isOld, isNew, ""},
		{"write", "flock:error=ENOLCK", isOld, isNew, ""},
		{"write", "flock:error=ENOSYS", "", isNew, ""},
		{"write", "flock:error=EINTR", isOld, isNew, ""},
		{"write", "flock:error=EINTR:when=1", "", isNew, ""},
		{"create", "flock:error=EOPNOTSUPP", "", isNew, ""},
		// exFAT and SMB have no hard links.
		{"create", "linkat:error=EPERM", "", isNew, ""},
		{"create", "linkat:error=EPERM", isOld, isOld, "file exists"},
		{"create", "linkat:error=EOPNOTSUPP renameat2:error=EINVAL", "", isNew, ""},
		{"create", "linkat:error=EOPNOTSUPP renameat2:error=EINVAL", isOld, isOld, "file exists"},
		{"create", "linkat:error=EACCES renameat2:error=EACCES renameat:error=EACCES", "", "", "permission denied"},
		{"write", "linkat:error=EPERM", isOld, isNew, ""},
		// The second file that is synced is the folder.
		{"write", "fsync:error=EIO:when=1", isOld, isOld, "input/output error"},
		{"write", "fsync:error=EIO:when=2", isOld, isOld, "input/output error"},
		{"write", "fsync:error=EIO:when=2", "", "", "input/output error"},
		{"write", "fsync:error=EINVAL:when=2", isOld, isNew, ""},
		{"create", "fsync:error=EIO:when=2", "", "", "input/output error"},
		{"write", "fsync:error=EIO:when=2 linkat:error=EPERM", isOld, isNew,
			"the new file is in place, but after a power failure the old one may be: "},
		{"write", "renameat:error=EACCES", isOld, isOld, "permission denied"},
	} {
		t.Run(tt.how+" "+tt.injected, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "a.json")
			want := map[string]string{}
			if tt.old != "" {
				plantText(t, path, tt.old)
			}
			if tt.want != "" {
				want["a.json"] = tt.want
			}
			var options []string
			for call := range strings.FieldsSeq(tt.injected) {
				options = append(options, "-e", "inject="+call)
			}
			out, calls, err := traced(t, tt.how+" "+path, options...)
			if !strings.Contains(calls, "(INJECTED)") {
				t.Fatalf("nothing failed: %s", out)
			}
			if (err == nil) != (tt.cause == "") || !strings.Contains(out, tt.cause) {
				t.Errorf("%v, want %q: %s", err, tt.cause, out)
			}
			holds(t, folder, want)
		})
	}
}

func plantText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Where nobody can lock a file, nobody can tell what was left behind from what is being
// written, so that all of it stays.
func TestLeftoversStayWithoutLocks(t *testing.T) {
	folder := t.TempDir()
	left := filepath.Join(folder, ".a.json.tmp-0123456789abcdef")
	plantText(t, left, "half")
	out, _, err := traced(t, "write "+filepath.Join(folder, "a.json"), "-e", "inject=flock:error=ENOLCK")
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	holds(t, folder, map[string]string{"a.json": "new", filepath.Base(left): "half"})
}

// A folder that cannot be read is not swept, and written to all the same.
func TestWriteIntoUnreadableFolder(t *testing.T) {
	folder := t.TempDir()
	out, _, err := traced(t, "write "+filepath.Join(folder, "a.json"), "-e", "inject=getdents64:error=EACCES")
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(folder, "a.json"))
	if errors.Is(err, fs.ErrNotExist) || !bytes.Equal(text, []byte("new")) {
		t.Errorf("%q, %v", text, err)
	}
}
