package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/model-catalog-service/svc/internal/files"
)

func nothing(int64) {}

// writeFile writes a file of its own folder and returns its name.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A file is read as it is, small or large enough for two halves, even if it is not as
// large any more as when it was found; progress is told of each byte.
func TestRead(t *testing.T) {
	const large = 9 << 20
	text := func(n int) string { return strings.Repeat("0123456789abcdef", n/16) }
	for name, test := range map[string]struct{ found, read string }{
		"small":          {text(1 << 10), text(1 << 10)},
		"large":          {text(large), text(large)},
		"late":           {strings.Repeat(" ", large-1) + "1", strings.Repeat(" ", large-1) + "1"},
		"shrunk":         {text(large), text(large / 2)},
		"shrunk to half": {text(large), text(large / 4)},
		"small and grew": {text(1 << 10), text(2 << 10)},
	} {
		path := writeFile(t, "file", test.found)
		in, err := File(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(test.read), 0o600); err != nil {
			t.Fatal(err)
		}
		told := make(chan int64, 1<<16)
		got, err := in.Read(t.Context(), MaxWhole, func(n int64) { told <- n })
		close(told)
		total := int64(0)
		for n := range told {
			total += n
		}
		if err != nil || got.Text != test.read || got.Name != path || total != int64(len(test.read)) {
			t.Errorf("%s: %d bytes of %d, told of %d, %v", name, len(got.Text), len(test.read), total, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	blank, large := writeFile(t, "blank", "\uFEFF \t\r\n"), writeFile(t, "large", strings.Repeat("\n", 9<<20))
	for path, test := range map[string]struct {
		most int64
		want error
	}{
		blank: {MaxWhole, ErrNoDocument},
		large: {MaxWhole, ErrNoDocument},
	} {
		in, err := File(path)
		if err != nil {
			t.Fatal(err)
		}
		var named *Error
		if _, err := in.Read(t.Context(), test.most, nothing); !errors.Is(err, test.want) || !errors.As(err, &named) || named.Name != path {
			t.Errorf("%s: %v, want %v", path, err, test.want)
		}
	}
	broken := errors.New("broken")
	in := New(iotest.ErrReader(&fs.PathError{Op: "read", Path: "/dev/stdin", Err: broken}))
	if _, err := in.ReadFile(t.Context(), "-", 10); err == nil || err.Error() != "-: broken" || !errors.Is(err, broken) {
		t.Errorf("a failed read: %v", err)
	}
}

// An input is blank if there is nothing but white space in it.
func TestOpenFindsDocuments(t *testing.T) {
	for text, blank := range map[string]bool{"": true, " \t\r\n": true, "\uFEFF": true, "\uFEFF \n": true, "\n1": false, "x": false, "\u00a0": false} {
		for _, from := range []io.Reader{strings.NewReader(text), iotest.DataErrReader(strings.NewReader(text))} {
			in, err := New(from).AddFile("-")
			if err != nil {
				t.Fatal(err)
			}
			r, err := in.Open(t.Context(), nothing)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = io.ReadAll(r); errors.Is(err, ErrNoDocument) != blank {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}

// A read that waits for a pipe ends with the context.
func TestReadOfPipeEnds(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := New(r).ReadFile(ctx, "-", 10); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
}

// A file that vanishes after it was found, or may not be read, is named.
func TestReadWhatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	for name, prepare := range map[string]func(path string) error{
		"gone.json":   os.Remove,
		"locked.json": func(path string) error { return os.Chmod(path, 0) },
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("[]"), 0o600); err != nil {
			t.Fatal(err)
		}
		in := New(nil)
		if err := in.Add(dir); err != nil {
			t.Fatal(err)
		}
		if err := prepare(path); err != nil {
			t.Fatal(err)
		}
		_, err := in.Files[0].Read(t.Context(), MaxWhole, nothing)
		if name == "locked.json" && os.Getuid() == 0 {
			continue // nothing is locked for root
		}
		want := map[string]string{"gone.json": "no such file or directory", "locked.json": "permission denied"}[name]
		if err == nil || err.Error() != path+": "+want {
			t.Errorf("%v, want %s: %s", err, path, want)
		}
		os.Remove(path)
	}
}

// Errors of the system lose their operation and path: the name that the user gave
// comes before them.
func TestNamed(t *testing.T) {
	boom := errors.New("boom")
	for _, err := range []error{
		boom,
		&fs.PathError{Op: "open", Path: "/x", Err: boom},
		&os.LinkError{Op: "rename", Old: "/x", New: "/y", Err: boom},
		os.NewSyscallError("readdirent", boom),
		&Error{"another name", boom},
	} {
		got := Named("a.json", err)
		if got.Error() != "a.json: boom" || !errors.Is(got, boom) {
			t.Errorf("%v became %v", err, got)
		}
	}
}

// endless is a text that never ends, of which so many bytes were read.
type endless struct {
	line string
	read int
}

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = e.line[(e.read+i)%len(e.line)]
	}
	e.read += len(b)
	return len(b), nil
}

// What comes from a pipe has a bound, too. What does not begin like JSON is not read on,
// and observations are not kept.
func TestStreams(t *testing.T) {
	peek := func(line string) (*Opened, *endless) {
		t.Helper()
		from := &endless{line: line}
		in, err := New(from).AddFile("-")
		if err != nil {
			t.Fatal(err)
		}
		o, err := in.Peek(t.Context(), nothing)
		if err != nil {
			t.Fatal(err)
		}
		return o, from
	}
	const soon = 1 << 20
	o, from := peek("\x00")
	if source, err := o.ReadRest(); err != nil || o.IsObservations() || from.read > soon || !strings.HasPrefix(source.Text, "\x00\x00") {
		t.Errorf("zeros: %d bytes read, %v", from.read, err)
	}
	o, from = peek(`"a`)
	if _, err := o.ReadRest(); !errors.Is(err, files.ErrTooLarge) || from.read > MaxStream+soon {
		t.Errorf("strings: %d bytes read, %v", from.read, err)
	}
	o, from = peek(`{"kind":"evaluation","schemaVersion":"service.observation/v2"}` + "\n")
	stream, begin := o.Stream(), make([]byte, 6)
	if _, err := io.ReadFull(stream, begin); err != nil || !o.IsObservations() || from.read > soon || string(begin) != `{"kind` {
		t.Errorf("observations: %v, %d bytes read, then %q, %v", o.IsObservations(), from.read, begin, err)
	}
}

// The beginning tells that a file holds observations if their version is in it.
func TestIsObservations(t *testing.T) {
	const version = `{"schemaVersion":"service.observation/v2"}`
	long := strings.Repeat("a", 300<<10)
	for text, want := range map[string]bool{
		version:                              true,
		"[" + version + "," + long:           true,
		"\n" + version + "\n" + long:         true,
		`[{}, ` + version:                    true,
		`{"schemaVersion":"service.observ`:   false, // it breaks off
		`{"a":"` + long + `",` + version[1:]: false, // it comes later
		`[]`:                                 false, // read it whole to see
		`{"schemaVersion":"service.rank.request/v2"}`: false,
		"": false,
	} {
		in, err := File(writeFile(t, "file", text+" "))
		if err != nil {
			t.Fatal(err)
		}
		o, err := in.Peek(t.Context(), nothing)
		if text == "" {
			if !errors.Is(err, ErrNoDocument) {
				t.Errorf("nothing: %v", err)
			}
			continue
		}
		if err != nil || o.IsObservations() != want {
			t.Errorf("%.60q: %v, want %v", text, o.IsObservations(), want)
			continue
		}
		if source, err := o.ReadRest(); err != nil || source.Text != text+" " {
			t.Errorf("%.60q: %d bytes, %v", text, len(source.Text), err)
		}
	}
}

// A file that is too large for its kind is said to be of the kind that it is of.
func TestReadKind(t *testing.T) {
	const most = 1 << 10
	long := strings.Repeat("x", 2*most)
	for name, test := range map[string]struct{ text, says string }{
		"catalog": {`{"asOf":"` + long + `","schemaVersion":"service.catalog/v1"}`, "holds a catalog, not a rank request"},
		"request": {`{"id":"` + long + `","schemaVersion":"service.rank.request/v3"}`, "is too large: it has more than 1024 bytes"},
		"neither": {long, "is too large: it has more than 1024 bytes"},
		"small":   {`{}`, ""},
	} {
		path := writeFile(t, "file", test.text)
		in, err := File(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := in.ReadKind(t.Context(), RankRequest, most)
		switch {
		case test.says == "" && (err != nil || got.Text != test.text):
			t.Errorf("%s: %q %v", name, got.Text, err)
		case test.says != "" && (err == nil || err.Error() != path+": "+test.says):
			t.Errorf("%s: %v", name, err)
		}
	}
}
