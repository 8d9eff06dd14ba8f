package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

const root = "../.."

// What is in the repository is what the tree of commands says, nothing more and
// nothing less.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	vectortest.SkipRace(t)
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what go generate ./... writes (%v)", name, err)
		}
	}
	for _, folder := range []string{"completions", "docs/commands", "docs/man"} {
		err := fs.WalkDir(os.DirFS(root), folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && files[path] == nil {
				t.Errorf("%s belongs to no command", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestRunWritesEverything(t *testing.T) {
	vectortest.SkipRace(t)
	dir := t.TempDir()
	for _, folder := range []string{"examples", "docs", "cmd", "internal", "service"} { // what is read
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join(root, folder))); err != nil {
			t.Fatal(err)
		}
	}
	if err := run([]string{dir}); err != nil {
		t.Fatal(err)
	}
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Errorf("only %d files", len(files))
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v, %d bytes, want %d", name, err, len(got), len(want))
		}
	}
	if run(nil) == nil {
		t.Error("without a root it must fail")
	}
}

// A picture of a terminal has each run of text in its place and its colour.
func TestTerminalSVG(t *testing.T) {
	got, err := terminalSVG("a title", "a < b", "\x1b[1mNAME\x1b[22m  ONE TWO\n      \x1b[36m█░\x1b[0m  c&d\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<desc id=\"description\">a &lt; b</desc>",
		`<text class="heading" x="16" y="29" textLength="29" lengthAdjust="spacingAndGlyphs">NAME</text>`,
		`<text x="59.5" y="29" textLength="50.75" lengthAdjust="spacingAndGlyphs">ONE TWO</text>`,
		`<text class="bar" x="59.5" y="47" textLength="14.5" lengthAdjust="spacingAndGlyphs">█░</text>`,
		`<text x="88.5" y="47" textLength="21.75" lengthAdjust="spacingAndGlyphs">c&amp;d</text>`,
		`width="126.25" height="68"`, // 13 columns, 2 lines
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if _, err := terminalSVG("", "", "\x1b[45mx"); err == nil {
		t.Error("a colour that the picture does not have must be refused")
	}
}
