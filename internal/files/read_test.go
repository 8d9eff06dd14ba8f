package files_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/model-catalog-service/svc/internal/files"
)

func TestRead(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	for _, text := range []string{"", "x", "12345"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := files.Read(path, 5); got != text || err != nil {
			t.Errorf("%q, %v, want %q", got, err, text)
		}
	}
	for name, tt := range map[string]struct {
		path  string
		cause error
	}{
		"a byte too many": {path, files.ErrTooLarge},
		"a directory":     {folder, files.ErrDirectory},
		"no file":         {filepath.Join(folder, "b"), fs.ErrNotExist},
		"without end":     {"/dev/zero", files.ErrIrregular},
	} {
		text, err := files.Read(tt.path, 4)
		e, ok := errors.AsType[*fs.PathError](err)
		if text != "" || !errors.Is(err, tt.cause) || !ok || e.Path != tt.path {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// A pipe that has a name may have nobody at its other end, so it is refused at once;
// one that is open already is read.
func TestReadPipes(t *testing.T) {
	named := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(named, 0o600); err != nil {
		t.Skipf("no named pipes: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := files.Read(named, 4)
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, files.ErrNamedPipe) {
			t.Errorf("%v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("waits for the pipe's other end")
	}
}

// What has no known size is bounded all the same, and its bytes come whole.
func TestReadAll(t *testing.T) {
	for _, expected := range []int64{0, 3, 10, 1 << 40} {
		if got, err := files.ReadAll(strings.NewReader("0123456789"), 10, expected); got != "0123456789" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if got, err := files.ReadAll(strings.NewReader("0123456789"), 9, expected); got != "" || !errors.Is(err, files.ErrTooLarge) {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// A text comes out whole whatever size it was expected to have, and however it comes;
// what breaks off is an error.
func TestReadAllOfAnySize(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 1<<16) // a megabyte
	size := int64(len(text))
	for _, expected := range []int64{0, 1, size - 1, size, 2 * size} {
		for name, r := range map[string]io.Reader{
			"whole":  strings.NewReader(text),
			"halves": iotest.HalfReader(strings.NewReader(text)),
			"at end": iotest.DataErrReader(strings.NewReader(text)),
		} {
			if got, err := files.ReadAll(r, size, expected); err != nil || got != text {
				t.Errorf("%s, expected %d: %d bytes, %v", name, expected, len(got), err)
			}
		}
		broken := io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF))
		if got, err := files.ReadAll(broken, 2*size, expected); got != "" || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("expected %d: %d bytes, %v", expected, len(got), err)
		}
	}
}
