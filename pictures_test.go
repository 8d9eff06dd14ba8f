package main

import (
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// svg is a picture as far as the tests go.
type svg struct {
	elements map[string]int
	texts    map[string]string // of the last element of each name
	arrows   map[string]bool   // "from to"
}

// readSVG reads a picture. It must be well-formed, and need nothing from
// elsewhere.
func readSVG(t *testing.T, name string) *svg {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture := &svg{elements: map[string]int{}, texts: map[string]string{}, arrows: map[string]bool{}}
	decoder := xml.NewDecoder(file)
	element := ""
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return picture
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			element = token.Name.Local
			picture.elements[element]++
			picture.addArrows(token.Attr)
			for _, a := range token.Attr {
				if a.Name.Local == "href" || strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("%s: <%s> has %s", name, element, a.Name.Local)
				}
			}
		case xml.EndElement:
			element = ""
		case xml.CharData:
			picture.texts[element] = string(token)
		}
	}
}

// addArrows adds what an element says that it leads from and to.
func (p *svg) addArrows(attributes []xml.Attr) {
	of := map[string]string{}
	for _, a := range attributes {
		of[a.Name.Local] = a.Value
	}
	for from := range strings.FieldsSeq(of["data-from"]) {
		p.arrows[from+" "+of["data-to"]] = true
	}
}

// Pictures can be read by programs and by people who do not see them, are shown
// somewhere, and stay small.
func TestPictures(t *testing.T) {
	names, err := filepath.Glob("docs/*.svg")
	if err != nil || len(names) < 2 {
		t.Fatalf("found %d pictures, %v", len(names), err)
	}
	shown := map[string]bool{}
	for name, page := range readMarkdown(t) {
		for _, link := range page.links {
			to, _, _ := split(name, link)
			shown[to] = true
		}
	}
	const largest = 17_500
	for _, name := range names {
		picture := readSVG(t, name)
		for _, element := range []string{"script", "foreignObject", "image", "use", "a"} {
			if picture.elements[element] > 0 {
				t.Errorf("%s has a <%s>", name, element)
			}
		}
		for _, element := range []string{"title", "desc"} {
			if picture.elements[element] != 1 || picture.texts[element] == "" {
				t.Errorf("%s needs one <%s>", name, element)
			}
		}
		if style := picture.texts["style"]; !strings.Contains(style, "prefers-color-scheme: dark") || strings.Contains(style, "@import") || strings.Contains(style, "url(http") {
			t.Errorf("%s needs colours for the dark, and no style from elsewhere", name)
		}
		if info, err := os.Stat(name); err != nil || info.Size() > largest {
			t.Errorf("%s has more than %d bytes (%v)", name, largest, err)
		}
		if !shown[filepath.ToSlash(name)] {
			t.Errorf("no page shows %s", name)
		}
	}
}

// The picture of the rooms shows the imports that there are, but for those that
// follow from others.
func TestArchitectureIsTrue(t *testing.T) {
	imports := map[string]map[string]bool{}
	rooms := readRooms(t)
	for _, f := range parseTree(t) {
		from, _ := roomOf(rooms, f.folder)
		if from.name == "" || strings.HasSuffix(from.name, "test") || strings.HasSuffix(f.folder, "test") {
			continue
		}
		if imports[from.name] == nil {
			imports[from.name] = map[string]bool{}
		}
		for _, imported := range f.imports() {
			if folder, ours := strings.CutPrefix(imported, module+"/"); ours {
				if to, _ := roomOf(rooms, folder); to != from {
					imports[from.name][to.name] = true
				}
			}
		}
	}
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		for next := range imports[from] {
			if next == to || reaches(next, to) {
				return true
			}
		}
		return false
	}
	want := map[string]bool{}
	for from, rooms := range imports {
		for to := range rooms {
			follows := false
			for next := range rooms {
				follows = follows || reaches(next, to)
			}
			if !follows {
				want[from+" "+to] = true
			}
		}
	}
	got := readSVG(t, "docs/architecture.svg").arrows
	if !maps.Equal(got, want) {
		t.Errorf("the picture shows\n%s\nthere are\n%s", strings.Join(slices.Sorted(maps.Keys(got)), "\n"), strings.Join(slices.Sorted(maps.Keys(want)), "\n"))
	}
}
