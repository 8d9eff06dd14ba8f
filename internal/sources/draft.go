package sources

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/offer"
)

// Draft is a mapping to fill in.
type Draft struct {
	JSON    string   // indented, so that a person can edit it
	New     []string // rows that the existing mapping does not know
	Missing []string // rows that it knows, but that are in no snapshot; they are kept
}

// DraftMapping writes a mapping for the rows of a source: what an existing one
// says, and for every other row that nothing is decided. Without an existing
// mapping its text is "". Entries are ordered by row id. Rows of price sources that
// are known by their own ids need no entry, and get none.
func DraftMapping(a Adapter, labels []Label, existing problem.Source) (*Draft, error) {
	x, err := readExisting(a, existing)
	if err != nil {
		return nil, err
	}
	d := &Draft{}
	inRows := map[string]bool{}
	for _, label := range labels {
		inRows[label.Row] = true
		if _, known := x.entries[label.Row]; !known && label.Skip == "" && x.identity.Kind != '"' {
			d.New = append(d.New, label.Row)
			x.entries[label.Row] = ijson.Value{Kind: 'n'}
		}
	}
	slices.SortFunc(d.New, canonical.CompareText)
	names := slices.SortedFunc(maps.Keys(x.entries), canonical.CompareText)
	for _, name := range names {
		if !inRows[name] {
			d.Missing = append(d.Missing, name)
		}
	}
	d.JSON = x.write(a.Source(), names)
	return d, nil
}

// existingMapping is a mapping to go on with, or the beginning of one.
type existingMapping struct {
	identity ijson.Value
	defaults ijson.Value
	entries  map[string]ijson.Value
}

func readExisting(a Adapter, existing problem.Source) (*existingMapping, error) {
	x := &existingMapping{ijson.Value{Kind: 'n'}, ijson.Value{Kind: '{'}, map[string]ijson.Value{}}
	if existing.Text == "" {
		if a.IsPriceSource() {
			x.identity = ijson.Value{Kind: '"', Text: offer.RuleV2}
			return x, nil
		}
		blank, err := ijson.ReadValue(a.Blank(), problem.InvalidSourceSnapshot)
		if err != nil {
			return nil, err
		}
		for _, m := range blank.Members {
			if m.Name != memberModel && m.Name != memberCondition {
				x.defaults.Members = append(x.defaults.Members, m)
			}
		}
		return x, nil
	}
	r := ijson.NewReader(existing.Text, problem.InvalidSourceSnapshot)
	readEntries(r, a.Source(), around{
		identity: func(r *ijson.Reader) { x.identity = r.Value() },
		defaults: func(r *ijson.Reader) { x.defaults = r.Value() },
	}, func(n *ijson.Names) {
		if r.Kind() != '{' && r.Kind() != 'n' {
			r.Fail(r.Offset(), "", "must be an object")
		}
		x.entries[n.Name()] = r.Value() // what is not decided yet is no fault here
	})
	return x, r.End().Locate(existing.Text, problem.Start(existing.Name)).Err()
}

func (x *existingMapping) write(source string, names []string) string {
	var b strings.Builder
	b.WriteString("{\n  \"schemaVersion\": " + canonical.Quote(MappingSchema) + ",\n  \"source\": " +
		canonical.Quote(source))
	b.WriteString(",\n  \"identity\": ")
	b.Write(x.identity.AppendCanonical(nil))
	b.WriteString(",\n  \"defaults\": ")
	defaults := make([]string, len(x.defaults.Members))
	for i, m := range x.defaults.Members {
		defaults[i] = m.Name
	}
	writeObject(&b, defaults, func(i int) { b.Write(x.defaults.Members[i].Value.AppendCanonical(nil)) })
	b.WriteString(",\n  \"entries\": ")
	writeObject(&b, names, func(i int) { b.Write(x.entries[names[i]].AppendCanonical(nil)) })
	b.WriteString("\n}\n")
	return b.String()
}

// writeObject writes an object in the mapping with each member on a line of its own.
func writeObject(b *strings.Builder, names []string, writeValue func(i int)) {
	b.WriteString("{")
	for i, name := range names {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n    " + canonical.Quote(name) + ": ")
		writeValue(i)
	}
	if len(names) > 0 {
		b.WriteString("\n  ")
	}
	b.WriteString("}")
}

// Undecided returns the rows of which a mapping says nothing. Without a mapping its
// text is "".
func Undecided(a Adapter, labels []Label, existing problem.Source) ([]Label, error) {
	x, err := readExisting(a, existing)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(labels), func(l Label) bool {
		entry, known := x.entries[l.Row]
		return l.Skip != "" || known && entry.Kind != 'n'
	}), nil
}

// HasDecision reports whether anybody has decided anything in a mapping: an entry, a
// default, how rows are identified. A text that looks like a mapping and cannot be read
// counts as decided, since somebody has been at it.
func HasDecision(a Adapter, existing problem.Source) bool {
	const mark = `"service.source-mapping/`
	if !strings.Contains(existing.Text, mark) {
		return false
	}
	x, err := readExisting(a, existing)
	if err != nil {
		return true
	}
	template, err := readExisting(a, problem.Source{})
	if err != nil {
		return true
	}
	same := func(v, w ijson.Value) bool { return bytes.Equal(v.AppendCanonical(nil), w.AppendCanonical(nil)) }
	for _, entry := range x.entries {
		if entry.Kind != 'n' {
			return true
		}
	}
	return !same(x.defaults, template.defaults) || !same(x.identity, template.identity)
}

// AddEntries writes a mapping: what an existing one says, and entries for other rows. A runtime and
// an end, unless they are "", become defaults.
func AddEntries(a Adapter, existing problem.Source, entries map[string]ijson.Value, runtime, validUntil string) (string,
	error) {
	x, err := readExisting(a, existing)
	if err != nil {
		return "", err
	}
	for row, entry := range entries {
		x.entries[row] = entry
	}
	for _, d := range [][2]string{{memberRuntime, runtime}, {memberValidUntil, validUntil}} {
		if d[1] == "" {
			continue
		}
		value := ijson.Value{Kind: '"', Text: d[1]}
		i := slices.IndexFunc(x.defaults.Members, func(m ijson.Member) bool { return m.Name == d[0] })
		if i < 0 {
			x.defaults.Members = append(x.defaults.Members, ijson.Member{Name: d[0], Value: value})
		} else {
			x.defaults.Members[i].Value = value
		}
	}
	return x.write(a.Source(), slices.SortedFunc(maps.Keys(x.entries), canonical.CompareText)), nil
}
