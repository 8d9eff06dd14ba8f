package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// markdown is a page as far as links go.
type markdown struct {
	anchors map[string]bool
	links   []string
}

// readMarkdown reads all pages of the tree, by name.
func readMarkdown(t *testing.T) map[string]*markdown {
	t.Helper()
	pages := map[string]*markdown{}
	tree := os.DirFS(".")
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".md":
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err == nil {
			pages[name] = parseMarkdown(string(text))
		}
		return err
	})
	if err != nil || len(pages) < 40 {
		t.Fatalf("found %d pages, %v", len(pages), err)
	}
	return pages
}

// parseMarkdown finds headings and links, but for those in blocks of code.
func parseMarkdown(text string) *markdown {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|href|srcset)="([^"]+)"`)
	heading := regexp.MustCompile(`^#{1,6} +(.*)$`)
	page := &markdown{anchors: map[string]bool{}}
	code := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(strings.TrimLeft(line, " "), "```") {
			code = !code
		}
		if code {
			continue
		}
		if m := heading.FindStringSubmatch(line); m != nil {
			page.addAnchor(m[1])
		}
		for _, m := range link.FindAllStringSubmatch(line, -1) {
			page.links = append(page.links, m[1]+m[2])
		}
	}
	return page
}

// addAnchor adds the anchor that GitHub gives to a heading: letters, digits and
// hyphens of its text in lower case, spaces as hyphens, and a number where it
// stands twice.
func (p *markdown) addAnchor(heading string) {
	heading = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`).ReplaceAllString(heading, "$1")
	anchor := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
	unique := anchor
	for n := 1; p.anchors[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", anchor, n)
	}
	p.anchors[unique] = true
}

// split parts a link into the file that it leads to, as the page with the name
// means it, and the anchor there. It is false for links out of the tree.
func split(name, link string) (to, anchor string, ours bool) {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return "", "", false
	}
	to, anchor, _ = strings.Cut(link, "#")
	if to == "" {
		return name, anchor, true
	}
	return path.Join(path.Dir(name), to), anchor, true
}

// Links from one page to another lead somewhere, to the heading that they name.
func TestLinks(t *testing.T) {
	pages := readMarkdown(t)
	for name, page := range pages {
		for _, link := range page.links {
			to, anchor, ours := split(name, link)
			if !ours {
				continue
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s leads to %s, which is not there", name, link)
			} else if anchor != "" && (pages[to] == nil || !pages[to].anchors[anchor]) {
				t.Errorf("%s leads to %s, which has no such heading", name, link)
			}
		}
	}
}

// Every page can be found from the README, by links alone.
func TestEveryPageIsReachable(t *testing.T) {
	pages := readMarkdown(t)
	reached := map[string]bool{"README.md": true}
	for next := []string{"README.md"}; len(next) > 0; next = next[1:] {
		for _, link := range pages[next[0]].links {
			to, _, ours := split(next[0], link)
			if index := path.Join(to, "README.md"); pages[index] != nil {
				to = index
			}
			if ours && pages[to] != nil && !reached[to] {
				reached[to] = true
				next = append(next, to)
			}
		}
	}
	for name := range pages {
		if !reached[name] {
			t.Errorf("no link leads to %s", name)
		}
	}
}
