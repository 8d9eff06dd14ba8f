package catalog

import (
	"context"
	"fmt"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

var (
	snapshotFields = ijson.NewFields("schemaVersion", "asOf", "digest", "models", "conflicts")
	entryFields    = ijson.NewFields("key", "identity", "observations")
)

// Parse reads a serialized snapshot, compiles its observations anew and demands
// that the result is what was given. Member order and white space may differ.
// Faults have code INVALID_CATALOG or UNSUPPORTED_CATALOG_SCHEMA.
func Parse(ctx context.Context, source *problem.Source) (*Catalog, error) {
	given, faults := readSnapshot(source)
	if faults != nil {
		return nil, faults.Err()
	}
	n := normalizer{asOf: given.asOf, fields: observationFieldsWithID, stored: true}
	batches, err := n.run(ctx, func(yield func(Document) bool) {
		for _, d := range given.docs {
			if !yield(d) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if faults := gatherFaults(batches, nil); faults != nil {
		for _, e := range faults {
			e.Code = problem.InvalidCatalog
		}
		return nil, faults.Err()
	}
	if faults := given.misplaced(batches); faults != nil {
		return nil, faults.Err()
	}
	entries, _ := unique(sortEntries(batches))
	c := assemble(given.asOf, entries)
	if faults := given.differences(c); faults != nil {
		return nil, faults.Err()
	}
	return c, nil
}

// givenSnapshot is a snapshot as it stands in a text, its observations unread.
type givenSnapshot struct {
	source       *problem.Source
	asOf, digest string
	digestAt     int
	models       []givenModel
	docs         []Document
	conflicts    []givenConflict
	conflictsAt  int
}

type givenModel struct {
	key, identity    string // identity as canonical JSON
	keyAt            int
	observations     int
	observationsAt   int
	firstObservation int
}

type givenConflict struct {
	json string // canonical
	at   int
}

// readSnapshot reads everything but the observations.
func readSnapshot(source *problem.Source) (*givenSnapshot, problem.List) {
	s := &givenSnapshot{source: source}
	r := ijson.NewReader(source.Text, problem.InvalidCatalog)
	o := r.Object(snapshotFields)
	isObject := o.OK()
	for o.Next() {
		switch o.Field() {
		case 0:
			readSnapshotVersion(r)
		case 1:
			s.asOf = ReadTimestamp(r)
		case 2:
			s.digestAt = r.Offset()
			s.digest = ReadHash(r)
		case 3:
			for l := r.List(); l.Next(); {
				s.readModel(r, l.Index())
			}
		case 4:
			s.conflictsAt = r.Offset()
			for l := r.List(); l.Next(); {
				at := r.Offset()
				s.conflicts = append(s.conflicts, givenConflict{string(r.Value().AppendCanonical(nil)), at})
			}
		}
	}
	hasVersion := o.Seen(0)
	faults := r.End()
	for _, e := range faults {
		e.Source = source
	}
	if isObject && !hasVersion && !r.IsBroken() {
		return nil, problem.List{{Code: problem.UnsupportedCatalogSchema, Path: "$.schemaVersion",
			Reason: "missing member, must be \"" + SnapshotSchema + "\"", Source: source, Offset: o.Start()}}
	}
	// Of another version nothing else can be said.
	if i := slices.IndexFunc(faults, func(e *problem.Error) bool { return e.Code == problem.UnsupportedCatalogSchema }); i >= 0 {
		return nil, faults[i : i+1]
	}
	return s, faults
}

func readSnapshotVersion(r *ijson.Reader) {
	const rule = `must be "` + SnapshotSchema + `"`
	at := r.Offset()
	if r.Kind() != '"' {
		r.Skip()
		r.FailAs(problem.UnsupportedCatalogSchema, at, "", rule)
		return
	}
	switch s, _, ok := r.StringOr(rule); {
	case !ok || s == SnapshotSchema:
	case s == "service.catalog/v1":
		r.FailAs(problem.UnsupportedCatalogSchema, at, "",
			rule+`: a v1 catalog cannot be reinterpreted, it must be recompiled from `+ObservationSchema+` observations`)
	default:
		r.FailAs(problem.UnsupportedCatalogSchema, at, "", "%s, is %q", rule, s)
	}
}

func (s *givenSnapshot) readModel(r *ijson.Reader, index int) {
	m := givenModel{firstObservation: len(s.docs)}
	for o := r.Object(entryFields); o.Next(); {
		switch o.Field() {
		case 0:
			m.keyAt = r.Offset()
			m.key = ReadHash(r)
		case 1:
			m.identity = readIdentity(r)
		case 2:
			m.observationsAt = r.Offset()
			for l := r.List(); l.Next(); {
				at := r.Offset()
				s.docs = append(s.docs, Document{Text: r.Span(), Source: s.source, Offset: at, Model: index, Index: l.Index()})
			}
			m.observations = len(s.docs) - m.firstObservation
		}
	}
	s.models = append(s.models, m)
}

func readIdentity(r *ijson.Reader) string {
	m := ReadModel(r)
	var e canonical.Encoder
	EncodeModel(&e, &m)
	return string(e.Buf)
}

func (s *givenSnapshot) fault(offset int, path, format string, args ...any) *problem.Error {
	e := problem.New(problem.InvalidCatalog, path, format, args...)
	e.Source, e.Offset = s.source, offset
	return e
}

// misplaced holds the place of every observation against the rules: under the
// model that it names, by id, once.
func (s *givenSnapshot) misplaced(batches []*batch) (faults problem.List) {
	entries := make([]*entry, 0, len(s.docs))
	for _, b := range batches {
		for i := range b.entries {
			entries = append(entries, &b.entries[i])
		}
	}
	for i, m := range s.models {
		path := fmt.Sprintf("$.models[%d]", i)
		of := entries[m.firstObservation:][:m.observations]
		if len(of) == 0 {
			faults = append(faults, s.fault(m.observationsAt, path+".observations", "must not be empty"))
		}
		for k, e := range of {
			switch {
			case e.model.identity != m.identity:
				faults = append(faults, s.fault(e.doc.Offset, e.doc.Path()+".model", "must be the identity of the model that it stands under"))
			case k > 0 && of[k-1].id >= e.id:
				faults = append(faults, s.fault(e.doc.Offset, e.doc.Path(), "observations must be sorted by id, each once"))
			}
		}
	}
	return faults
}

// differences holds what was given, apart from the observations, against what
// they compile to.
func (s *givenSnapshot) differences(c *Catalog) (faults problem.List) {
	add := func(offset int, path, format string, args ...any) {
		faults = append(faults, s.fault(offset, path, format, args...))
	}
	// Every model has observations of its own identity, so that the number of
	// models differs only where one is split in two, whose keys then collide.
	for i, m := range s.models {
		path := fmt.Sprintf("$.models[%d]", i)
		switch {
		case i > 0 && s.models[i-1].key >= m.key:
			add(m.keyAt, path+".key", "models must be sorted by key, each once")
		case i < len(c.models) && m.key != c.models[i].Key:
			add(m.keyAt, path+".key", "must be %s, the hash of the identity", c.models[i].Key)
		}
	}
	for i := range max(len(s.conflicts), len(c.conflicts)) {
		path := fmt.Sprintf("$.conflicts[%d]", i)
		switch {
		case i >= len(s.conflicts):
			add(s.conflictsAt, "$.conflicts", "must also hold the conflict %s", c.conflicts[i].Key)
		case i >= len(c.conflicts):
			add(s.conflicts[i].at, path, "is no conflict of these observations")
		case s.conflicts[i].json != c.conflicts[i].JSON:
			add(s.conflicts[i].at, path, "is not what the observations compile to: %s", c.conflicts[i].JSON)
		}
	}
	if faults == nil && s.digest != c.digest {
		add(s.digestAt, "$.digest", "must be %s, the hash of the snapshot without it", c.digest)
	}
	return faults
}
