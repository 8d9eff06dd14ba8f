package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// Parse reads a serialized snapshot, compiles its observations anew and demands
// that the result is what was given. Member order and white space may differ.
// Faults have code INVALID_CATALOG or UNSUPPORTED_CATALOG_SCHEMA.
//
//	$.models[0].observations[3].id: must be 955f7cf9..., the hash of the observation
func Parse(ctx context.Context, source problem.Source) (*Catalog, error) {
	c, faults, err := parse(ctx, source.Text)
	if err != nil {
		return nil, err
	}
	if faults != nil {
		return nil, faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return c, nil
}

func parse(ctx context.Context, text string) (*Catalog, problem.List, error) {
	given := newGivenSnapshot(text)
	defer given.waitForHash()
	p := pool{shape: storedShape, stored: true}
	batches, err := p.run(ctx, given.read)
	faults, err := given.judge(err)
	if faults != nil || err != nil {
		return nil, faults, err
	}
	if faults, err = given.lateDates(ctx, batches); faults != nil || err != nil {
		return nil, faults, err
	}
	c, _ := assemble(given.asOf, batches)
	if given.isWritten(c) {
		return c, nil, nil
	}
	faults = given.misplaced(batches)
	if faults == nil {
		faults = given.differences(c)
	}
	return c, faults, nil
}

// givenSnapshot is a snapshot as it is in a text, its observations unread. What
// ends in At is an offset.
type givenSnapshot struct {
	*ijson.Reader
	text         string
	asOf, digest string
	digestAt     int
	models       []givenModel
	conflicts    []givenConflict
	conflictsAt  int
	hash         chan string  // see startHash
	faults       problem.List // but for those of the observations

	emit   func(*batch) bool
	wanted bool // more batches
}

type givenModel struct {
	key, identity         string // identity as canonical JSON
	keyAt, observationsAt int
	observations          int
}

type givenConflict struct {
	json string // canonical
	at   int
}

var snapshotShape = ijson.NewShape(
	ijson.Required("schemaVersion", func(s *givenSnapshot, _ *givenSnapshot) { s.readVersion() }),
	ijson.Required("asOf", func(s, _ *givenSnapshot) { s.asOf = s.Timestamp() }),
	ijson.Required("digest", func(s, _ *givenSnapshot) {
		s.digestAt = s.Offset()
		s.digest = s.Hash()
		s.startHash()
	}),
	ijson.Required("models", func(s, _ *givenSnapshot) {
		for l := s.List(); l.Next(); {
			s.models = append(s.models, givenModel{})
			modelEntryShape.Read(s, &s.models[len(s.models)-1])
		}
	}),
	ijson.Required("conflicts", func(s, _ *givenSnapshot) {
		s.conflictsAt = s.Offset()
		for l := s.List(); l.Next(); {
			at := s.Offset()
			s.conflicts = append(s.conflicts, givenConflict{string(s.Value().AppendCanonical(nil)), at})
		}
	}),
)

var modelEntryShape = ijson.NewShape(
	ijson.Required("key", func(s *givenSnapshot, m *givenModel) {
		m.keyAt = s.Offset()
		m.key = s.Hash()
	}),
	ijson.Required("identity", func(s *givenSnapshot, m *givenModel) {
		var e canonical.Encoder
		identity := ReadModel(s.Reader)
		EncodeModel(&e, &identity)
		m.identity = string(e.Buf)
	}),
	ijson.Required("observations", (*givenSnapshot).readObservations),
)

func newGivenSnapshot(text string) *givenSnapshot {
	return &givenSnapshot{Reader: ijson.NewReader(text, problem.InvalidCatalog), text: text, wanted: true}
}

// read reads everything but the observations, which it emits. It always reads to
// the end: what is wrong there may be more telling than all before.
func (s *givenSnapshot) read(emit func(*batch) bool) error {
	s.emit = emit
	o := snapshotShape.Read(s, s)
	s.faults = s.End()
	switch {
	case s.IsBroken():
		s.faults[0].Err = errBroken
	case o.OK() && !snapshotShape.Has(o, "schemaVersion"):
		s.faults = problem.List{{Code: problem.UnsupportedCatalogSchema, Path: "$.schemaVersion",
			Reason: `missing field, must be "` + record.CatalogSchema + `"`, Offset: o.Start()}}
	}
	return nil
}

func (s *givenSnapshot) readVersion() {
	const rule = `must be "` + record.CatalogSchema + `"`
	at := s.Offset()
	if s.Kind() != '"' {
		s.Skip()
		s.FailAs(problem.UnsupportedCatalogSchema, at, "", rule)
		return
	}
	switch version, _, ok := s.StringOr(rule); {
	case !ok || version == record.CatalogSchema:
	case version == "service.catalog/v1":
		s.FailAs(problem.UnsupportedCatalogSchema, at, "",
			rule+`: a v1 catalog cannot be reinterpreted, it must be recompiled from `+record.ObservationSchema+` observations`)
	default:
		s.FailAs(problem.UnsupportedCatalogSchema, at, "", "%s, is %q", rule, version)
	}
}

// readObservations emits the observations of the last model.
func (s *givenSnapshot) readObservations(m *givenModel) {
	const batchDocuments = 256 // a worker gets at once
	m.observationsAt = s.Offset()
	b := s.newBatch(len(s.models)-1, 0)
	for l := s.List(); l.Next(); m.observations++ {
		start := s.Offset()
		doc := s.Span()
		if s.IsBroken() || !s.wanted {
			continue
		}
		b.docs = append(b.docs, Span{start, start + len(doc)})
		if len(b.docs) == batchDocuments {
			s.wanted = s.emit(b)
			b = s.newBatch(b.model, m.observations+1)
		}
	}
	if s.wanted {
		s.wanted = s.emit(b)
	}
}

func (s *givenSnapshot) newBatch(model, index int) *batch {
	return &batch{form: snapshotItems, text: s.text, model: model, index: index, asOf: s.asOf}
}

// judge unites the faults of the observations, if err holds any, with those around
// them and gives them the code of a snapshot. Of a text that is not JSON that alone
// is said, and of a snapshot of another version that.
func (s *givenSnapshot) judge(err error) (problem.List, error) {
	faults := problem.All(err)
	if err != nil && faults == nil {
		return nil, err
	}
	if faults == nil || !errors.Is(faults[0], errBroken) {
		for i, e := range s.faults {
			if e.Code == problem.UnsupportedCatalogSchema || errors.Is(e, errBroken) {
				return s.faults[i : i+1], nil
			}
		}
		var all problem.Collector
		all.Add(faults...)
		all.Add(s.faults...)
		faults = all.List("")
	}
	for _, e := range faults {
		e.Code = problem.InvalidCatalog
	}
	return faults, nil
}

// lateDates returns the faults of those observations that were read before asOf
// was, as they were not held against it. In a snapshot in canonical form there are
// none.
func (s *givenSnapshot) lateDates(ctx context.Context, batches []*batch) (problem.List, error) {
	p := pool{shape: storedShape, discard: true}
	_, err := p.run(ctx, func(emit func(*batch) bool) error {
		for _, b := range batches {
			if b.asOf == "" {
				again := s.newBatch(b.model, b.index)
				again.docs = b.docs
				emit(again)
			}
		}
		return nil
	})
	return s.judge(err)
}

// startHash begins to hash the text without its digest, on the side, if it looks
// like canonical JSON up to there. If in the end it turns out to be, this hash is
// the digest.
func (s *givenSnapshot) startHash() {
	start := s.digestAt + len(`"`) - len(digestStart)
	end := s.digestAt + len(`"`) + canonical.HashSize + len(digestEnd)
	if len(s.models) > 0 || start < 0 || end > len(s.text) || s.text[start:end] != digestStart+s.digest+digestEnd {
		return
	}
	s.hash = make(chan string, 1)
	go func() { s.hash <- hashPieces(slices.Values([]string{s.text[:start], s.text[end:]})) }()
}

// waitForHash returns what startHash has computed, if it was called. Nothing of
// it goes on after that.
func (s *givenSnapshot) waitForHash() string {
	if s.hash == nil {
		return ""
	}
	digest := <-s.hash
	s.hash = nil
	return digest
}

// isWritten reports whether the text is, to the byte, what the catalog
// serializes to.
func (s *givenSnapshot) isWritten(c *Catalog) bool {
	digest := s.waitForHash()
	if digest == "" || digest != s.digest {
		return false
	}
	rest := s.text
	for piece := range c.pieces(digest) {
		if !strings.HasPrefix(rest, piece) {
			return false
		}
		rest = rest[len(piece):]
	}
	if rest != "" {
		return false
	}
	c.seal.Do(func() { c.digest = digest })
	c.text = s.text
	return true
}

func notCompiled(offset int, path, format string, args ...any) *problem.Error {
	e := problem.New(problem.InvalidCatalog, path, format, args...)
	e.Offset = offset
	return e
}

// misplaced holds the place of every observation against the rules: under the
// model that it names, by id, once.
func (s *givenSnapshot) misplaced(batches []*batch) problem.List {
	var faults problem.Collector
	for i := range s.models {
		if m := &s.models[i]; m.observations == 0 {
			faults.Add(notCompiled(m.observationsAt, fmt.Sprintf("$.models[%d].observations", i), "must not be empty"))
		}
	}
	model, previous := -1, ""
	for _, b := range batches {
		if b.model != model {
			model, previous = b.model, ""
		}
		for n := range b.entries {
			if faults.Full() {
				return faults.List("")
			}
			e := &b.entries[n]
			if e.model.identity != s.models[model].identity {
				at := b.docs[n].Start + ijson.Locate(b.docs[n].Text(s.text), "model")
				faults.Add(notCompiled(at, b.path(n)+".model", "must be the identity of the model that it stands under"))
			} else if e.id <= previous {
				faults.Add(notCompiled(b.docs[n].Start, b.path(n), "observations must be sorted by id, each once"))
			}
			previous = e.id
		}
	}
	return faults.List("")
}

// differences holds what was given, apart from the observations, against what
// they compile to.
func (s *givenSnapshot) differences(c *Catalog) problem.List {
	var faults problem.Collector
	add := func(offset int, path, format string, args ...any) {
		faults.Add(notCompiled(offset, path, format, args...))
	}
	for i, m := range s.models {
		path := fmt.Sprintf("$.models[%d].key", i)
		if key := canonical.Sum([]byte(m.identity)); m.key != key {
			add(m.keyAt, path, "must be %s, the hash of the identity", key)
		} else if i > 0 && s.models[i-1].key >= m.key {
			add(m.keyAt, path, "models must be sorted by key, each once")
		}
	}
	for i := range max(len(s.conflicts), len(c.conflicts)) {
		path := fmt.Sprintf("$.conflicts[%d]", i)
		switch {
		case i >= len(s.conflicts):
			add(s.conflictsAt, "$.conflicts", "must also hold the conflict %s", c.conflicts[i].Key)
		case i >= len(c.conflicts):
			add(s.conflicts[i].at, path, "is not a conflict of these observations")
		case s.conflicts[i].json != c.conflicts[i].JSON:
			add(s.conflicts[i].at, path, "is not the conflict %s that the observations compile to", c.conflicts[i].Key)
		}
	}
	if faults.Len() == 0 && s.digest != c.Digest() {
		add(s.digestAt, "$.digest", "must be %s, the hash of the snapshot without it", c.Digest())
	}
	return faults.List("")
}
