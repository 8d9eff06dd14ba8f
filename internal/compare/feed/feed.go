// Package feed writes diffs as an Atom feed (RFC 4287), for whoever wants to be told
// when a model changes.
//
// There is an entry for each model that a diff lists. Its id is urn:sha256: and the
// SHA-256 of the canonical JSON of { new: digest of the catalog, model: key }, so that a
// feed that is written again, from more catalogs, has the entries that it had. History
// is kept as catalogs, not in feeds: who wants a longer feed compares more of them.
//
//	acme/atlas: price.output $6.00 → $0.60 per million tokens
//	https://acme.example/prices                 the first evidence that a browser can open
//	changed: price.output on acme: $6.00 → $0.60 per million tokens
//	expired: limits.context on acme: 32,768 → 32,768 (expired) tokens
package feed

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/quantity"
	"github.com/model-catalog-service/svc/service/record"
)

// MostEntries is how many entries a feed has at most: the newest.
const MostEntries = 500

// mostLines is how many changes of a model an entry tells.
const mostLines = 50

type atomFeed struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Author  string   `xml:"author>name"`
	Links   []link   `xml:"link"`
	Entries []entry  `xml:"entry"`
}

type entry struct {
	ID      string `xml:"id"`
	Title   string `xml:"title"`
	Updated string `xml:"updated"`
	Links   []link `xml:"link"`
	Content text   `xml:"content"`
}

type link struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

type text struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// Write writes the feed of diffs that follow one another, the newest first. The address
// is where the feed will be found, which must be absolute.
func Write(w io.Writer, address string, diffs []*record.CatalogDiff) error {
	if at, err := url.Parse(address); err != nil || !at.IsAbs() {
		return fmt.Errorf("the address of a feed must be an absolute URL, is %q", address)
	}
	f := atomFeed{ID: address, Title: "Changes of a model catalog", Author: "svc", Links: []link{{"self", address}}}
	seen := map[string]bool{}
	for _, d := range slices.Backward(diffs) {
		f.Updated = max(f.Updated, string(d.New.AsOf))
		for i := range d.Models {
			m := &d.Models[i]
			id := "urn:sha256:" + canonical.Sum(canonical.MustMarshal(map[string]string{"new": d.New.Digest, "model": m.Key}))
			if seen[id] || len(f.Entries) == MostEntries {
				continue
			}
			seen[id] = true
			f.Entries = append(f.Entries, entry{ID: id, Title: title(m), Updated: string(d.New.AsOf), Links: links(m),
				Content: text{"text", content(m)}})
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(f); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// title says in a few words what changed of a model.
func title(m *record.ModelChange) string {
	words := map[string]string{
		compare.Added: "added", compare.Removed: "removed", compare.Silenced: "nothing that is known of it holds any more",
		compare.Revived: "there is evidence that holds again",
	}[m.Change]
	lines := len(m.Facts) + len(m.Samples) + len(m.Conflicts)
	if words == "" {
		switch {
		case len(m.Facts) > 0:
			words = factLine(&m.Facts[0], false)
		case len(m.Samples) > 0:
			words = sampleLine(&m.Samples[0], false)
		case len(m.Conflicts) > 0:
			words = conflictLine(&m.Conflicts[0])
		default: // what changed was not asked for
			words = m.Change
		}
		if lines > 1 {
			words += fmt.Sprintf(" and %d more", lines-1)
		}
	}
	return m.Identity.Name() + ": " + words
}

func content(m *record.ModelChange) string {
	var lines []string
	for i := range m.Facts {
		lines = append(lines, string(m.Facts[i].Change)+": "+factLine(&m.Facts[i], true))
	}
	for _, s := range m.Samples {
		lines = append(lines, "samples: "+sampleLine(&s, true))
	}
	for _, c := range m.Conflicts {
		lines = append(lines, conflictLine(&c))
	}
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("and %d more", more))
	}
	out := m.Identity.Name() + ": " + m.Change
	for _, line := range lines {
		out += "\n" + line
	}
	return out
}

// factLine says what a fact was and is, and where if that is asked.
func factLine(f *record.FactChange, where bool) string {
	line := f.MeasurementKey
	if where {
		line += on(f.Execution) + ":"
	}
	old, unit := compare.SlotText(f.Old)
	new, unitNow := compare.SlotText(f.New)
	switch {
	case f.Old == nil:
		line += " " + new
	case f.New == nil:
		line += " " + old + " → –"
	default:
		line += " " + old + " → " + new
	}
	if unitNow != "" {
		unit = unitNow
	}
	if unit != "" {
		line += " " + unit
	}
	return line
}

// sampleLine says what samples came to and come to, and where if that is asked.
func sampleLine(s *record.SampleChange, where bool) string {
	line := s.MeasurementKey
	if where {
		line += on(s.Execution) + ":"
	}
	return line + " " + sampleText(s.Old) + " → " + sampleText(s.New)
}

func conflictLine(c *record.ConflictChange) string {
	return "conflict " + c.Change + ": " + c.MeasurementKey
}

// on says where something is run, if that is known.
func on(s record.Scope) string {
	if runs := compare.Runs(s); runs != "" {
		return " on " + runs
	}
	return ""
}

// sampleText says what used samples come to.
func sampleText(a *record.SampleSummary) string {
	switch {
	case a == nil || a.N == 0:
		return "–"
	case a.SuccessRate.Known:
		return fmt.Sprintf("%s (n %d)", quantity.Number(a.SuccessRate.Value), a.N)
	case a.Mean.Known:
		return fmt.Sprintf("%s (n %d)", quantity.Phrase(a.Mean.Value, string(a.Unit)), a.N)
	}
	return fmt.Sprintf("n %d", a.N)
}

// links returns the first evidence that a browser can open: what is said now comes
// before what was.
func links(m *record.ModelChange) []link {
	for _, side := range []func(*record.FactChange) *record.SlotState{
		func(f *record.FactChange) *record.SlotState { return f.New },
		func(f *record.FactChange) *record.SlotState { return f.Old },
	} {
		for i := range m.Facts {
			if fact := side(&m.Facts[i]); fact != nil {
				for _, o := range fact.Observations {
					for _, e := range o.Evidence {
						if address := webAddress(string(e.URI)); address != "" {
							return []link{{"alternate", address}}
						}
					}
				}
			}
		}
	}
	return nil
}

// webAddress returns an https address that a browser can open, "" if the text is none.
func webAddress(text string) string {
	at, err := url.Parse(text)
	if err != nil || at.Scheme != "https" || at.Host == "" {
		return ""
	}
	foreign := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("<>\"\\^`{}|", r) } // RFC 3986
	if address := at.String(); !strings.ContainsFunc(address, foreign) {
		return address
	}
	return ""
}
