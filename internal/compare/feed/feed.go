// Package feed writes diffs as an Atom feed (RFC 4287), for whoever wants to be told
// when a model changes.
//
// There is an entry for each model and day on which a diff lists it, whatever number of catalogs
// that day has. Its id is urn:sha256: and the SHA-256 of the canonical JSON of { day, model: key },
// so that a feed that is written again, from more catalogs, has the entries that it had. Its title
// is what matters most of the day. History is kept as catalogs, not in feeds: who wants a longer
// feed compares more of them.
//
//	acme/atlas: price.output $6.00 → $0.60 per million tokens and 1 more
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
	"github.com/model-catalog-service/svc/service/record"
)

// MostEntries is how many entries a feed has at most. Of more, those that matter least are left
// out, the oldest first.
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
	weight  int
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
	seen := map[string]int{} // by id
	for _, d := range slices.Backward(diffs) {
		f.Updated = max(f.Updated, string(d.New.AsOf))
		day, _, _ := strings.Cut(string(d.New.AsOf), "T")
		for i := range d.Models {
			m := &d.Models[i]
			id := "urn:sha256:" + canonical.Sum(canonical.MustMarshal(map[string]string{"day": day, "model": m.Key}))
			of := entry{ID: id, Title: title(m), Updated: string(d.New.AsOf), Links: links(m), Content: text{"text", content(m)},
				weight: weigh(m)}
			at, isSeen := seen[id]
			if !isSeen {
				seen[id] = len(f.Entries)
				f.Entries = append(f.Entries, of)
				continue
			}
			f.Entries[at].add(&of)
		}
	}
	f.trim()
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

// add adds what changed of the same model earlier that day.
func (e *entry) add(earlier *entry) {
	if earlier.weight > e.weight {
		e.weight, e.Title = earlier.weight, earlier.Title
	}
	if e.Links == nil {
		e.Links = earlier.Links
	}
	e.Content.Text += "\n" + earlier.Content.Text
}

// trim leaves out the entries that matter least of those that are too many.
func (f *atomFeed) trim() {
	const heaviest = 5
	for weight := 0; weight <= heaviest; weight++ {
		tooMany := len(f.Entries) - MostEntries
		for i := len(f.Entries) - 1; i >= 0 && tooMany > 0; i-- { // the oldest are last
			if f.Entries[i].weight == weight {
				f.Entries = slices.Delete(f.Entries, i, i+1)
				tooMany--
			}
		}
	}
}

// weigh says how much of a model has changed for who relies on it, from 0 to 5: it is gone or
// ends, a price rose, it is new or a value of it is another, sources contradict each other, or what
// is known of it came or expired.
func weigh(m *record.ModelChange) (weight int) {
	const gone, isNew, torn = 5, 3, 2
	switch m.Change {
	case compare.Removed, compare.Silenced:
		return gone
	case compare.Added, compare.Revived:
		weight = isNew
	}
	if len(m.Conflicts) > 0 {
		weight = max(weight, torn)
	}
	if len(m.Samples) > 0 {
		weight = max(weight, isNew)
	}
	for i := range m.Facts {
		weight = max(weight, weighFact(&m.Facts[i]))
	}
	return weight
}

// weighFact is [weigh] for a fact.
func weighFact(f *record.FactChange) int {
	const end, rise, change, torn, rest = 5, 4, 3, 2, 1
	isPrice := strings.HasPrefix(f.MeasurementKey, "price.")
	switch {
	case compare.IsEnd(f.MeasurementKey) && f.New != nil && f.New.State != compare.StateExpired:
		return end
	case f.Change == compare.Changed && isPrice && f.Ratio.Known && f.Ratio.Value > 1:
		return rise
	case f.Change == compare.Changed:
		return change
	case f.Change == compare.Contradicted, f.Change == compare.Settled:
		return torn
	}
	return rest
}

// title says in a few words what changed of a model, what matters most first.
func title(m *record.ModelChange) string {
	words := map[string]string{
		compare.Added: "added", compare.Removed: "removed", compare.Silenced: "nothing that is known of it holds any more",
		compare.Revived: "there is evidence that holds again",
	}[m.Change]
	if words == "" {
		words = m.Change // what changed was not asked for
		var first *record.FactChange
		for i := range m.Facts {
			if f := &m.Facts[i]; first == nil || weighFact(f) > weighFact(first) {
				first = f
			}
		}
		const sample = 3 // the weight of one
		switch {
		case len(m.Samples) > 0 && (first == nil || weighFact(first) < sample):
			words = sampleLine(&m.Samples[0], false)
		case first != nil:
			words = factLine(first, false)
		case len(m.Conflicts) > 0:
			words = conflictLine(&m.Conflicts[0])
		}
		if lines := len(m.Facts) + len(m.Samples) + len(m.Conflicts); lines > 1 {
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
	return line + " " + compare.SampleText(s.Old) + " → " + compare.SampleText(s.New)
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
