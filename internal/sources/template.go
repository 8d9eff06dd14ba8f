package sources

import (
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

var draftFields = ijson.NewFields("schemaVersion", "source", "entries")

// DraftMapping writes a mapping for the rows of a source: what an existing one
// says, and a blank entry for every other row. Without an existing mapping its
// text is "". Entries are ordered by row id.
func DraftMapping(a Adapter, rows []string, existing problem.Source) (*Draft, error) {
	entries := map[string]ijson.Value{}
	if existing.Text != "" {
		var err error
		if entries, err = readExisting(a, existing); err != nil {
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
	names := make([]string, 0, len(entries))
	for name := range entries {
		names = append(names, name)
		if !inRows[name] {
			d.Missing = append(d.Missing, name)
		}
	}
	slices.SortFunc(names, canonical.CompareText)
	slices.SortFunc(d.New, canonical.CompareText)
	slices.SortFunc(d.Missing, canonical.CompareText)
	d.JSON = writeDraft(a.Source(), names, entries)
	return d, nil
}

// readExisting returns the entries of a mapping that may not be filled in yet.
func readExisting(a Adapter, src problem.Source) (map[string]ijson.Value, error) {
	entries := map[string]ijson.Value{}
	r := ijson.NewReader(src.Text, problem.InvalidSourceSnapshot)
	for o := r.Object(draftFields); o.Next(); {
		switch o.Field() {
		case 0:
			r.Enum(MappingSchema)
		case 1:
			r.Enum(a.Source())
		case 2:
			for n := r.Names(); n.Next(); {
				at := r.Offset()
				if r.Kind() != '{' {
					r.Fail(at, "", "must be an object")
				}
				entries[n.Name()] = r.Value()
			}
		}
	}
	if faults := r.End(); faults != nil {
		return nil, faults.Locate(src.Text, problem.Start(src.Name)).Err()
	}
	return entries, nil
}

// writeDraft writes a mapping with an indented line for each member.
func writeDraft(source string, names []string, entries map[string]ijson.Value) string {
	var b strings.Builder
	b.WriteString("{\n  \"schemaVersion\": \"" + MappingSchema + "\",\n  \"source\": ")
	b.WriteString(canonical.Quote(source))
	b.WriteString(",\n  \"entries\": {")
	for i, name := range names {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n    " + canonical.Quote(name) + ": ")
		writeEntry(&b, entries[name])
	}
	if len(names) > 0 {
		b.WriteString("\n  ")
	}
	b.WriteString("}\n}\n")
	return b.String()
}

// writeEntry writes the members of an entry in their order, a line each.
func writeEntry(b *strings.Builder, entry ijson.Value) {
	b.WriteString("{")
	for i, m := range entry.Members {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n      " + canonical.Quote(m.Name) + ": ")
		b.Write(m.Value.AppendCanonical(nil))
	}
	b.WriteString("\n    }")
}
