package feed_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
)

const atomSpace = "http://www.w3.org/2005/Atom"

// element is a part of an XML document.
type element struct {
	name     xml.Name
	attr     map[string]string
	text     string
	children []*element
}

func (e *element) all(name string) (list []*element) {
	for _, c := range e.children {
		if c.name.Local == name {
			list = append(list, c)
		}
	}
	return list
}

// readElement reads a document, or says why it is none.
func readElement(text string) (*element, error) {
	d := xml.NewDecoder(strings.NewReader(text))
	document := &element{}
	open := []*element{document}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		last := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name, attr: map[string]string{}}
			for _, a := range token.Attr {
				if a.Name.Local != "xmlns" {
					e.attr[a.Name.Local] = a.Value
				}
			}
			last.children = append(last.children, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			last.text += string(token)
		}
	}
	if len(document.children) != 1 {
		return nil, fmt.Errorf("%d root elements", len(document.children))
	}
	return document.children[0], nil
}

// atomCheck finds what RFC 4287 forbids. Extensions are faults here: the feed has none.
type atomCheck struct{ faults []string }

func (c *atomCheck) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// counts demands how often elements are in another (sections 4.1.1, 4.1.2, 3.2).
func (c *atomCheck) counts(e *element, bounds map[string][2]int) {
	for _, child := range e.children {
		if _, known := bounds[child.name.Local]; !known || child.name.Space != atomSpace {
			c.fault("%s has %s %s", e.name.Local, child.name.Space, child.name.Local)
		}
	}
	for name, b := range bounds {
		if n := len(e.all(name)); n < b[0] || n > b[1] {
			c.fault("%s has %d %s, not %d to %d", e.name.Local, n, name, b[0], b[1])
		}
	}
	if strings.TrimSpace(e.text) != "" {
		c.fault("%s has the text %q", e.name.Local, e.text)
	}
}

// attributes demands that an element has no others.
func (c *atomCheck) attributes(e *element, known ...string) {
	for name := range e.attr {
		if !strings.Contains(" "+strings.Join(known, " ")+" ", " "+name+" ") {
			c.fault("%s has the attribute %s", e.name.Local, name)
		}
	}
}

// text is a text construct (section 3.1), or the content of an entry inline (4.1.3).
func (c *atomCheck) text(e *element) {
	c.attributes(e, "type")
	if kind, given := e.attr["type"]; given && kind != "text" {
		c.fault("%s is of type %q", e.name.Local, kind)
	}
	if len(e.children) > 0 {
		c.fault("%s is text and has elements", e.name.Local)
	}
}

// date is a date construct (3.3): RFC 3339 with the letters T and Z upper case.
func (c *atomCheck) date(e *element) {
	c.attributes(e)
	if _, err := time.Parse(time.RFC3339Nano, e.text); err != nil || strings.ToUpper(e.text) != e.text {
		c.fault("%s is %q", e.name.Local, e.text)
	}
}

// iri is an absolute one, in normal form as far as it can be seen (4.2.6).
func (c *atomCheck) iri(what, text string) {
	u, err := url.Parse(text)
	if err != nil || !u.IsAbs() || !strings.HasPrefix(text, u.Scheme+":") || strings.ToLower(u.Host) != u.Host ||
		regexp.MustCompile("[\\x00-\\x20\"<>\\\\^`{|}\\x7f]|%($|.$|[^0-9A-Fa-f]|.[^0-9A-Fa-f])").MatchString(text) {
		c.fault("%s %q is not an IRI", what, text)
	}
}

// links have an address each, and no two alternates of one type and language (4.2.7).
func (c *atomCheck) links(e *element) {
	seen := map[string]bool{}
	for _, l := range e.all("link") {
		c.attributes(l, "href", "rel", "type", "hreflang", "title", "length")
		c.iri("the address", l.attr["href"])
		if rel := l.attr["rel"]; rel == "" || rel == "alternate" {
			kind := l.attr["type"] + " " + l.attr["hreflang"]
			if seen[kind] {
				c.fault("%s has two alternates of type %q", e.name.Local, kind)
			}
			seen[kind] = true
		}
	}
}

func (c *atomCheck) common(e *element) {
	for _, x := range e.all("id") {
		c.attributes(x)
		c.iri("the id", x.text)
	}
	for _, x := range e.all("title") {
		c.text(x)
	}
	for _, x := range e.all("updated") {
		c.date(x)
	}
	for _, x := range e.all("author") {
		c.counts(x, map[string][2]int{"name": {1, 1}, "uri": {0, 1}, "email": {0, 1}})
	}
	c.links(e)
}

// checkAtom returns what a feed does that RFC 4287 forbids.
func checkAtom(text string) []string {
	c := &atomCheck{}
	feed, err := readElement(text)
	if err != nil {
		return []string{err.Error()}
	}
	if feed.name != (xml.Name{Space: atomSpace, Local: "feed"}) {
		c.fault("the root is %v", feed.name)
	}
	const any = 1 << 30
	c.counts(feed, map[string][2]int{"id": {1, 1}, "title": {1, 1}, "updated": {1, 1}, "author": {0, any}, "link": {0, any}, "generator": {0, 1}, "subtitle": {0, 1}, "rights": {0, 1}, "entry": {0, any}})
	c.common(feed)
	self := 0
	for _, l := range feed.all("link") {
		if l.attr["rel"] == "self" {
			self++
		}
	}
	if self != 1 {
		c.fault("the feed has %d links to itself", self)
	}
	seen := map[string]bool{}
	for _, e := range feed.all("entry") {
		c.counts(e, map[string][2]int{"id": {1, 1}, "title": {1, 1}, "updated": {1, 1}, "author": {0, any}, "link": {0, any}, "content": {0, 1}, "summary": {0, 1}, "published": {0, 1}})
		c.common(e)
		if len(e.all("content")) == 0 && len(e.all("link")) == 0 {
			c.fault("an entry has neither content nor a link")
		}
		for _, x := range append(e.all("content"), e.all("summary")...) {
			c.text(x)
		}
		if len(e.all("author"))+len(feed.all("author")) == 0 {
			c.fault("nobody wrote an entry")
		}
		for _, id := range e.all("id") {
			if seen[id.text] {
				c.fault("two entries have the id %s", id.text)
			}
			seen[id.text] = true
		}
	}
	return c.faults
}

// Feeds are what RFC 4287 says that a feed is.
func TestFeedIsAtom(t *testing.T) {
	first := Compile(t, May2, price("b", "0.000006", May1, May31, "https://b.example/prices"))
	second := Compile(t, June2, price("b", "0.0000006", June1, "", ""))
	good := written(t, diff(t, first, second))
	for _, text := range []string{good, hostileFeed(t), written(t, diff(t, first, first))} {
		if faults := checkAtom(text); faults != nil {
			t.Errorf("%.20q", faults)
		}
		if !strings.HasPrefix(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") {
			t.Errorf("it begins with %.60q", text)
		}
	}
	// The check finds what it is there for.
	id := regexp.MustCompile(`<id>urn:sha256:[0-9a-f]+</id>`).FindString(good)
	entry := good[strings.Index(good, "<entry>") : strings.Index(good, "</entry>")+len("</entry>")]
	for old, new := range map[string]string{
		atomSpace:                  "http://purl.org/atom/ns#",
		id:                         "",
		"<id>urn":                  "<id>URN",
		entry:                      entry + entry,
		"<title>":                  "<title/><title>",
		"<updated>2026-06-02T":     "<updated>2026-06-02t",
		`rel="self"`:               `rel="alternate"`,
		"https://b.example/prices": "prices",
		"</entry>":                 "<b>bold</b></entry>",
		"<content type=\"text\">":  "<content type=\"html\">",
		"<name>svc</name>":         "",
		"</content>":               "<i>x</i></content>",
		"</feed>":                  "</feed><feed/>",
		`<link rel="alternate"`:    `<link href="https://b.example/"/><link rel="alternate"`,
	} {
		bad := strings.Replace(good, old, new, 1)
		if bad == good {
			t.Errorf("%q is not in\n%s", old, good)
		} else if checkAtom(bad) == nil {
			t.Errorf("%q in the place of %q is not noticed", new, old)
		}
	}
}
