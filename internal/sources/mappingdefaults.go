package sources

import (
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/offer"
)

// MappingSchema is the schema version of a mapping: a person's reviewed word on
// the rows of a source.
//
//	{
//	  "schemaVersion": "service.source-mapping/v2",
//	  "source": "livebench",
//	  "defaults": { "runtime": "livebench", "validUntil": "2027-01-01T00:00:00.000Z" },
//	  "entries": {
//	    "atlas-70b-high-effort": { "model": "acme/atlas-70b", "workflowCondition": "effort=high" },
//	    "mystery-7b": { "none": "nobody says what it is" },
//	    "atlas-8b": null
//	  }
//	}
//
// Members of defaults stand for those that an entry lacks, a text for an id without
// revision, quantization or version. An entry with none says that a person looked
// and that the row is no one model; null is not decided yet, as if there were no
// entry. With an identity, which price sources alone can have, a row without entry is
// known by its local id: with offer/v2 as the model that package resolver reads of it, with
// offer/v1 as the model that [offer.Offer.ModelID] says.
//
// What counts is the effective entry: all of its members, and nothing of who decided
// it. Evidence is addressed by it, so that saying the same in another way changes no
// observation. What an entry holds beyond model and validUntil is the adapter's matter.
const MappingSchema = "service.source-mapping/v2"

// EntryFormat is what the entries of a mapping of a source look like.
type EntryFormat[E any] struct {
	// Shape is that of an effective entry.
	Shape *ijson.Shape[*ijson.Reader, E]
	// Absent are members of an effective entry that are null if nobody says anything.
	Absent []string
	// Blank is the JSON of an entry in which a person has decided nothing.
	Blank string
	// Identity says that rows can be known by their own ids.
	Identity bool
}

// EmptyMapping returns the mapping of a price source that decides nothing: every
// row is known by its own id.
func EmptyMapping(source string) problem.Source {
	return problem.Source{Name: "default mapping", Text: `{"schemaVersion":` + canonical.Quote(MappingSchema) +
		`,"source":` + canonical.Quote(source) +
		`,"identity":` + canonical.Quote(offer.RuleV2) + `,"defaults":{},"entries":{}}`}
}

const (
	memberModel      = "model"
	memberRuntime    = "runtime"
	memberNone       = "none"
	memberDecidedBy  = "decidedBy"
	memberCondition  = "workflowCondition"
	memberValidUntil = "validUntil"
)

// rawEntry is an entry as it stands in the text.
type rawEntry struct {
	row         string
	name, start int // offsets
	value       ijson.Value
}

// mappingReader reads a mapping.
type mappingReader[E any] struct {
	src        problem.Source
	format     *EntryFormat[E]
	defaults   ijson.Value
	defaultsAt int
	faults     problem.List
	seen       map[string]bool // paths of faults in the defaults
}

func readDecisions[E any](m *mapping[E], src problem.Source, source string, f *EntryFormat[E]) error {
	d := mappingReader[E]{src: src, format: f, seen: map[string]bool{}}
	r := ijson.NewReader(src.Text, problem.InvalidSourceSnapshot)
	var entries []rawEntry
	readEntries(r, source, around{
		identity: func(r *ijson.Reader) { m.identity = readIdentity(r, f.Identity) },
		defaults: func(r *ijson.Reader) {
			d.defaultsAt = r.Offset()
			if d.defaults = r.Value(); d.defaults.Kind != '{' {
				r.Fail(d.defaultsAt, "", "must be an object")
			}
		},
	}, func(n *ijson.Names) {
		e := rawEntry{row: n.Name(), name: n.At(), start: r.Offset()}
		e.value = r.Value()
		entries = append(entries, e)
	})
	if faults := r.End(); faults != nil {
		return faults.Locate(src.Text, problem.Start(src.Name)).Err()
	}
	m.defaults = d.defaultsAt
	d.checkDefaults()
	for i := range entries {
		if e := d.entry(&entries[i]); e != nil {
			m.entries[entries[i].row] = e
		}
	}
	return d.faults.Locate(src.Text, problem.Start(src.Name)).Err()
}

// readIdentity reads how rows without entry are known.
func readIdentity(r *ijson.Reader, allowed bool) string {
	at := r.Offset()
	if r.Null() {
		return ""
	}
	if !allowed {
		r.Skip()
		r.Fail(at, "", "must be null: the rows of this source have no ids of models")
		return ""
	}
	return r.Enum(offer.RuleV1, offer.RuleV2)
}

// checkDefaults finds what is wrong with the defaults by themselves.
func (d *mappingReader[E]) checkDefaults() {
	for _, name := range []string{memberModel, memberNone} {
		if _, is := d.defaults.Get(name); is {
			d.refuse("$.defaults."+name, d.defaultsAt, name, "must be in an entry: it is about one row")
			d.seen["$.defaults."+name] = true
		}
	}
	if by, is := d.defaults.Get(memberDecidedBy); is {
		d.checkDecidedBy(by, "$.defaults", d.defaultsAt)
	}
	blank := ijson.NewReader(d.format.Blank, problem.InvalidSourceSnapshot).Value()
	var e E
	d.read(d.effective(blank, true), &e, func(string) bool { return true }, "", 0)
}

// entry reads an entry, nil if it decides nothing.
func (d *mappingReader[E]) entry(raw *rawEntry) *entry[E] {
	e := &entry[E]{name: raw.name, start: raw.start}
	path := "$.entries." + raw.row
	v := raw.value
	switch v.Kind {
	case 'n':
		return nil
	case '{':
	default:
		d.refuse(path, raw.start, "", "must be an object, or null while nothing is decided")
		return nil
	}
	if by, is := v.Get(memberDecidedBy); is {
		d.checkDecidedBy(by, path, raw.start)
	}
	if none, is := v.Get(memberNone); is {
		for _, m := range v.Members {
			if m.Name != memberNone && m.Name != memberDecidedBy {
				d.refuse(path+"."+m.Name, raw.start, m.Name, "must not be there: the entry says that the row is not one model")
			}
		}
		if none.Kind != '"' || !ijson.IsText(none.Text) {
			d.refuse(path+"."+memberNone, raw.start, memberNone, "must be a text: the reason")
		}
		e.none = none.Text
		e.doc = ijson.Value{Kind: '{', Members: []ijson.Member{{Name: memberNone, Value: none}}}.AppendCanonical(nil)
		return e
	}
	own := func(name string) bool {
		_, is := v.Get(name)
		_, isDefault := d.defaults.Get(name)
		return is || !isDefault
	}
	e.doc = d.effective(v, false)
	d.read(e.doc, &e.said, func(name string) bool { return !own(name) }, path, raw.start)
	return e
}

// effective returns an entry with all of its members, as canonical JSON. Defaults win
// over a blank entry.
func (d *mappingReader[E]) effective(v ijson.Value, isBlank bool) []byte {
	full := ijson.Value{Kind: '{'}
	add := func(m ijson.Member) {
		if _, is := full.Get(m.Name); is || m.Name == memberDecidedBy {
			return
		}
		m.Value = asObject(m)
		if m.Name == memberCondition && m.Value.Kind == 'n' && !slices.Contains(d.format.Absent, memberCondition) {
			return // there only if it says something
		}
		full.Members = append(full.Members, m)
	}
	for _, list := range [][]ijson.Member{v.Members, d.defaults.Members} {
		if isBlank {
			list = append(slices.Clone(d.defaults.Members), v.Members...)
		}
		for _, m := range list {
			add(m)
		}
	}
	for _, name := range d.format.Absent {
		add(ijson.Member{Name: name, Value: ijson.Value{Kind: 'n'}})
	}
	return full.AppendCanonical(nil)
}

// asObject returns the value of a member, where that is the text of an id as the
// object that it stands for.
func asObject(m ijson.Member) ijson.Value {
	if m.Value.Kind != '"' {
		return m.Value
	}
	null := ijson.Value{Kind: 'n'}
	members := []ijson.Member{{Name: "id", Value: m.Value}}
	switch m.Name {
	case memberModel:
		members = append(members, ijson.Member{Name: "revision", Value: null},
			ijson.Member{Name: "quantization", Value: null})
	case memberRuntime:
		members = append(members, ijson.Member{Name: "version", Value: null})
	default:
		return m.Value
	}
	return ijson.Value{Kind: '{', Members: members}
}

// read reads an effective entry. Faults are placed in the text that the entry, or
// the defaults, have of the member.
func (d *mappingReader[E]) read(doc []byte, into *E, isDefault func(member string) bool, path string, start int) {
	r := ijson.NewReader(string(doc), problem.InvalidSourceSnapshot)
	d.format.Shape.Read(r, into)
	for _, fault := range r.End() {
		rest := strings.TrimPrefix(fault.Path, "$")
		member := strings.TrimPrefix(rest, ".")
		if i := strings.IndexAny(member, ".["); i >= 0 {
			member = member[:i]
		}
		if rest == "."+memberModel || rest == "."+memberRuntime {
			fault.Reason = strings.Replace(fault.Reason, "must be an object", "must be an object, or the text of an id", 1)
		}
		_, isThere := d.defaults.Get(member)
		switch {
		case isDefault(member) && isThere:
			if p := "$.defaults" + rest; !d.seen[p] {
				d.seen[p] = true
				d.refuse(p, d.defaultsAt, member, "%s", fault.Reason)
			}
		case path != "":
			d.refuse(path+rest, start, member, "%s", fault.Reason)
		}
	}
}

// refuse notes a fault of a member of the object that begins at start, or of the
// object.
func (d *mappingReader[E]) refuse(path string, start int, member, format string, args ...any) {
	e := problem.New(problem.InvalidSourceSnapshot, path, format, args...)
	e.Offset = start
	if member != "" {
		e.Offset += max(0, ijson.Locate(d.src.Text[start:], member))
	}
	d.faults = append(d.faults, e)
}

// checkDecidedBy holds a memory of who decided what an entry says: a person, or a rule.
func (d *mappingReader[E]) checkDecidedBy(v ijson.Value, path string, start int) {
	r := ijson.NewReader(string(v.AppendCanonical(nil)), problem.InvalidSourceSnapshot)
	if _, isPerson := v.Get("person"); isPerson {
		ijson.ReadTagged(r, &struct {
			Person string `json:"person"`
		}{})
	} else {
		ijson.ReadTagged(r, &struct {
			Rule      string `json:"rule"`
			Entry     string `json:"entry"`
			Crosswalk string `json:"crosswalk"`
		}{})
	}
	for _, fault := range r.End() {
		d.refuse(path+"."+memberDecidedBy+strings.TrimPrefix(fault.Path, "$"), start, memberDecidedBy, "%s", fault.Reason)
	}
}

// memberAt returns the path and the offset of a member of an entry, in the entry or
// in the defaults.
func (m *mapping[E]) memberAt(text, row string, start int, member string) (path string, offset int) {
	if i := ijson.Locate(text[start:], member); i >= 0 || m.defaults == 0 {
		return fmt.Sprintf("%s.entries.%s.%s", mappingPath, row, member), start + max(0, i)
	}
	return mappingPath + ".defaults." + member, m.defaults + max(0, ijson.Locate(text[m.defaults:], member))
}
