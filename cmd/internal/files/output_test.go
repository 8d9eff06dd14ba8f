package files

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Lines go to the file in large pieces, not one by one.
func TestOutputIsBuffered(t *testing.T) {
	dir := t.TempDir()
	out, err := NewOutput(filepath.Join(dir, "lines"), nil, New(nil))
	if err != nil {
		t.Fatal(err)
	}
	const lines = 10_000
	writes, size := 0, int64(0)
	err = out.Write(t.Context(), func(w io.Writer) error {
		for i := range lines {
			if _, err := fmt.Fprintf(w, "line %5d\n", i); err != nil {
				return err
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 1 {
				return fmt.Errorf("%d files, %v", len(entries), err)
			}
			info, err := entries[0].Info()
			if err != nil {
				return err
			}
			if info.Size() != size {
				writes++
				size = info.Size()
			}
		}
		return nil
	})
	if err != nil || writes == 0 || writes > lines/1000 {
		t.Errorf("%d writes for %d lines, %v", writes, lines, err)
	}
}
