package main

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// opening is how a page says what its reader can do after it, or that it is for look-up.
var opening = regexp.MustCompile(`This page (shows|says|explains|helps|lists)|With this example|In half an hour`)

// withoutOpening are the pages that begin otherwise, and why.
var withoutOpening = map[string]string{
	"README.md":    "begins with the problem of its reader",
	"CHANGELOG.md": "is a list",
	"SECURITY.md":  "has a form that people look for",
}

// Every page says at its top what one can do after it.
func TestPagesSayTheirUse(t *testing.T) {
	for name := range readMarkdown(t) {
		if strings.HasPrefix(name, "docs/commands/") { // which begin with what the command does
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		top, _, _ := strings.Cut(string(text), "\n## ")
		if i := strings.Index(top, "```"); i >= 0 {
			top = top[:i]
		}
		if says, isFree := opening.MatchString(top), withoutOpening[name] != ""; says == isFree {
			t.Errorf("%s: says at its top what one can do after it: %v, excused: %v", name, says, isFree)
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
