//go:build unix

package files

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/files"
)

// pipeOutput returns the output of a named pipe, and its path.
func pipeOutput(t *testing.T) (out *Output, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipes: %v", err)
	}
	out, err := NewOutput(path, nil, New(nil))
	if err != nil {
		t.Fatal(err)
	}
	return out, path
}

// A named pipe that nobody reads is an error after some seconds, or at once when the context
// ends.
func TestOutputOfUnreadPipe(t *testing.T) {
	out, path := pipeOutput(t)
	begin := time.Now()
	err := out.WriteText(t.Context(), "text")
	if e, ok := errors.AsType[*Error](err); !ok || e.Name != path || !errors.Is(err, errUnread) || time.Since(begin) > time.Minute {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := out.WriteText(ctx, "text"); !errors.Is(err, files.ErrInterrupt) {
		t.Errorf("interrupted: %v", err)
	}
}

// A reader that comes a moment later gets the whole text, of more than the pipe holds.
func TestOutputOfPipe(t *testing.T) {
	out, path := pipeOutput(t)
	want := strings.Repeat("0123456789", 100_000)
	read := make(chan string, 1)
	time.AfterFunc(50*time.Millisecond, func() {
		f, err := os.Open(path)
		if err != nil {
			read <- err.Error()
			return
		}
		defer f.Close()
		text, err := io.ReadAll(f)
		if err != nil {
			text = append(text, err.Error()...)
		}
		read <- string(text)
	})
	if err := out.WriteText(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}
