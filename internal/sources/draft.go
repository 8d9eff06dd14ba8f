package sources

import (
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Draft is a mapping to fill in.
type Draft struct {
	JSON    string   // indented, so that a person can edit it
	New     []string // rows that the existing mapping does not know
	Missing []string // rows that it knows, but that are in no snapshot; they are kept
}

// DraftMapping writes a mapping for the rows of a source: what an existing one
// says, and a blank entry for every other row. Without an existing mapping its
// text is "". Entries are ordered by row id.
func DraftMapping(a Adapter, rows []string, existing problem.Source) (*Draft, error) {
	entries := map[string]ijson.Value{}
	if existing.Text != "" {
		err := readEntries(existing, a.Source(), func(r *ijson.Reader, n *ijson.Names) {
			if r.Kind() != '{' {
				r.Fail(r.Offset(), "", "must be an object")
			}
			entries[n.Name()] = r.Value() // what is not decided yet is no fault here
		})
		if err != nil {
			return nil, err
		}
	}
	blank, err := ijson.ReadValue(a.Blank(), problem.InvalidSourceSnapshot)
	if err != nil {
		return nil, err
	}
	d := &Draft{}
	inRows := map[string]bool{}
	for _, row := range rows {
		inRows[row] = true
		if _, known := entries[row]; !known {
			d.New = append(d.New, row)
			entries[row] = blank
		}
	}
	slices.SortFunc(d.New, canonical.CompareText)
	names := slices.SortedFunc(maps.Keys(entries), canonical.CompareText)
	for _, name := range names {
		if !inRows[name] {
			d.Missing = append(d.Missing, name)
		}
	}
	var b strings.Builder
	b.WriteString("{\n  \"schemaVersion\": " + canonical.Quote(MappingSchema) + ",\n  \"source\": " + canonical.Quote(a.Source()) + ",\n  \"entries\": ")
	writeObject(&b, "  ", names, func(i int) { writeEntry(&b, entries[names[i]]) })
	b.WriteString("\n}\n")
	d.JSON = b.String()
	return d, nil
}

// writeEntry writes the members of an entry in their order, each on a line.
func writeEntry(b *strings.Builder, entry ijson.Value) {
	names := make([]string, len(entry.Members))
	for i, m := range entry.Members {
		names[i] = m.Name
	}
	writeObject(b, "    ", names, func(i int) { b.Write(entry.Members[i].Value.AppendCanonical(nil)) })
}

// writeObject writes an object with each member on a line of its own.
func writeObject(b *strings.Builder, indent string, names []string, writeValue func(i int)) {
	b.WriteString("{")
	for i, name := range names {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n" + indent + "  " + canonical.Quote(name) + ": ")
		writeValue(i)
	}
	if len(names) > 0 {
		b.WriteString("\n" + indent)
	}
	b.WriteString("}")
}
