package cmd

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// slurp reads the same whether the size is known, unknown or wrong.
func TestSlurp(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 1<<16) // a megabyte
	for _, size := range []int64{0, 1, int64(len(text)) - 1, int64(len(text)), 2 * int64(len(text))} {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(text),
			"parts": iotest.HalfReader(strings.NewReader(text)),
		} {
			if got, err := slurp(r, size); err != nil || got != text {
				t.Errorf("%s with size %d: %d bytes, %v", name, size, len(got), err)
			}
		}
	}
	broken := errors.New("broken")
	for _, size := range []int64{0, 100} {
		if _, err := slurp(iotest.ErrReader(broken), size); !errors.Is(err, broken) {
			t.Errorf("size %d: %v, want the reader's error", size, err)
		}
	}
	if _, err := slurp(strings.NewReader(""), maxWhole+1); err == nil {
		t.Error("an enormous file was not refused")
	}
}

// An input of known size is held once, not twice.
func BenchmarkSlurp(b *testing.B) {
	text := strings.Repeat("0123456789abcdef", 1<<20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := slurp(strings.NewReader(text), int64(len(text))); err != nil {
			b.Fatal(err)
		}
	}
}

// A large file is read in two parts at once: the same text, whatever its size was
// thought to be, and only white space is still no document.
func TestSlurpLargeFile(t *testing.T) {
	const size = 9 << 20
	document := []byte(strings.Repeat(" ", size-8) + "12345678")
	for i := range size - 8 {
		document[i] += byte(i % 90)
	}
	blank := []byte(strings.Repeat("\n", size))
	late := append([]byte(strings.Repeat(" ", size-1)), '1') // behind a blank half
	for name, text := range map[string][]byte{"document": document, "blank": blank, "late": late} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, known := range []int64{size, size - 3, size/2 + 1, size + 5, 3 * size} {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := slurp(&reading{from: f, blank: true}, known)
			if name == "blank" {
				if !errors.Is(err, errNoDocument) {
					t.Errorf("%s with size %d: %v, want that it holds no document", name, known, err)
				}
			} else if err != nil || got != string(text) {
				t.Errorf("%s with size %d: %d bytes, %v", name, known, len(got), err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestReadingFindsDocuments(t *testing.T) {
	for text, blank := range map[string]bool{"": true, " \t\r\n": true, "\uFEFF": true, "\uFEFF \n": true, "\n1": false, "x": false, "\u00a0": false} {
		for _, from := range []io.Reader{strings.NewReader(text), iotest.DataErrReader(strings.NewReader(text))} {
			r := &reading{from: io.NopCloser(from), blank: true}
			_, err := io.ReadAll(r)
			if errors.Is(err, errNoDocument) != blank {
				t.Errorf("%q: %v", text, err)
			}
		}
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
		p := &program{}
		found, err := p.findInputs(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := prepare(path); err != nil {
			t.Fatal(err)
		}
		_, err = p.read(found.files[0], nil)
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
