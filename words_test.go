package main

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// aboutItself matches a page that begins by describing itself.
var aboutItself = regexp.MustCompile(`(?i)\bthis (page|document) (shows|says|explains|helps|lists|describes|tells)\b`)

// A page opens with what its reader gets, not with a sentence about the page.
func TestPagesOpenWithTheirUse(t *testing.T) {
	for name := range readMarkdown(t) {
		if name == "CHANGELOG.md" { // which speaks of other pages
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		top, _, _ := strings.Cut(string(text), "\n## ")
		if found := aboutItself.FindString(top); found != "" {
			t.Errorf("%s opens with %q: open with what the reader gets", name, found)
		}
	}
}

// translated are phrases that nobody would say aloud, with what one says instead.
var translated = map[string]*regexp.Regexp{
	"expired":    regexp.MustCompile(`\b[Rr](an|un|uns) out\b`),
	"is not a":   regexp.MustCompile(`\bis no (number|text|list|object|time|timestamp|commit|file|key|model|address)\b`),
	"no ... has": regexp.MustCompile(`\bis nowhere\b`),
	"does not":   regexp.MustCompile(`\bhas not (a|the|any)\b`),
}

// What people read, on pages, in help and in messages, is in plain English.
func TestPlainEnglish(t *testing.T) {
	literal := regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"")
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return fs.SkipDir
			}
			return err
		}
		isPage, isCode := strings.HasSuffix(name, ".md") || strings.HasPrefix(name, "docs/manual/"), strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
		if !isPage && !isCode {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			if n++; isCode {
				line = strings.Join(literal.FindAllString(line, -1), " ")
			}
			for plain, phrase := range translated {
				if phrase.MatchString(line) {
					t.Errorf("%s:%d: say %q: %s", name, n, plain, strings.TrimSpace(line))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
