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
func Parse(ctx context.Context, source problem.Source) (*Catalog, error) {
	c, faults, err := parse(ctx, source)
	if err != nil {
		return nil, err
	}
	return c, faults.Locate(source.Text, problem.Start(source.Name)).Err()
}

func parse(ctx context.Context, source problem.Source) (*Catalog, problem.List, error) {
	given, faults := readSnapshot(source.Text)
	if faults != nil {
		return nil, faults, nil
	}
	n := normalizer{asOf: given.asOf, fields: observationFieldsWithID, stored: true}
	batches, err := n.normalize(ctx, given.produce)
	if faults := problem.All(err); faults != nil {
		for _, e := range faults {
			e.Code = problem.InvalidCatalog
		}
		return nil, faults, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if faults := given.misplaced(batches); faults != nil {
		return nil, faults, nil
	}
	c, _ := assemble(given.asOf, batches)
	return c, given.differences(c), nil
}

// givenSnapshot is a snapshot as it stands in a text, its observations unread.
type givenSnapshot struct {
	text         string
	asOf, digest string
	digestAt     int
	models       []givenModel
	conflicts    []givenConflict
	conflictsAt  int
}

// givenModel is a model of a snapshot. What ends in At is an offset.
type givenModel struct {
	key, identity         string // identity as canonical JSON
	keyAt, observationsAt int
	observations          []span
}

type givenConflict struct {
	json string // canonical
	at   int
}

// batchDocs is how many observations of a snapshot a worker gets at once.
const batchDocs = 256

// produce emits the observations of the models.
func (s *givenSnapshot) produce(emit func(*batch) bool) (problem.List, error) {
	for i := range s.models {
		index := 0
		for docs := range slices.Chunk(s.models[i].observations, batchDocs) {
			if !emit(&batch{text: s.text, docs: docs, model: i, index: index}) {
				return nil, nil
			}
			index += len(docs)
		}
	}
	return nil, nil
}

// readSnapshot reads everything but the observations.
func readSnapshot(text string) (*givenSnapshot, problem.List) {
	s := &givenSnapshot{text: text}
	r := ijson.NewReader(text, problem.InvalidCatalog)
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
				s.models = append(s.models, readGivenModel(r))
			}
		case 4:
			s.conflictsAt = r.Offset()
			for l := r.List(); l.Next(); {
				at := r.Offset()
				s.conflicts = append(s.conflicts, givenConflict{string(r.Value().AppendCanonical(nil)), at})
			}
		}
	}
	faults := r.End()
	if isObject && !o.Seen(0) && !r.IsBroken() {
		return nil, problem.List{{Code: problem.UnsupportedCatalogSchema, Path: "$.schemaVersion",
			Reason: `missing member, must be "` + SnapshotSchema + `"`, Offset: o.Start()}}
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

func readGivenModel(r *ijson.Reader) (m givenModel) {
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
				start := r.Offset()
				m.observations = append(m.observations, span{start, start + len(r.Span())})
			}
		}
	}
	return m
}

func readIdentity(r *ijson.Reader) string {
	m := ReadModel(r)
	var e canonical.Encoder
	EncodeModel(&e, &m)
	return string(e.Buf)
}

func notCompiled(offset int, path, format string, args ...any) *problem.Error {
	e := problem.New(problem.InvalidCatalog, path, format, args...)
	e.Offset = offset
	return e
}

// misplaced holds the place of every observation against the rules: under the
// model that it names, by id, once.
func (s *givenSnapshot) misplaced(batches []*batch) (faults problem.List) {
	for i := range s.models {
		if m := &s.models[i]; len(m.observations) == 0 {
			faults = append(faults, notCompiled(m.observationsAt, fmt.Sprintf("$.models[%d].observations", i), "must not be empty"))
		}
	}
	model, before := -1, ""
	for _, b := range batches {
		if b.model != model {
			model, before = b.model, ""
		}
		for n := range b.entries {
			e := &b.entries[n]
			if e.model.identity != s.models[model].identity {
				faults = append(faults, notCompiled(b.docs[n][0], b.path(n)+".model", "must be the identity of the model that it stands under"))
			} else if e.id <= before {
				faults = append(faults, notCompiled(b.docs[n][0], b.path(n), "observations must be sorted by id, each once"))
			}
			before = e.id
		}
	}
	return faults
}

// differences holds what was given, apart from the observations, against what
// they compile to.
func (s *givenSnapshot) differences(c *Catalog) (faults problem.List) {
	add := func(offset int, path, format string, args ...any) {
		faults = append(faults, notCompiled(offset, path, format, args...))
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
	if faults == nil && s.digest != c.Digest() {
		add(s.digestAt, "$.digest", "must be %s, the hash of the snapshot without it", c.Digest())
	}
	return faults
}
