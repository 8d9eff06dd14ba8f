package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

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
	if faults != nil {
		return nil, faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return c, nil
}

func parse(ctx context.Context, source problem.Source) (*Catalog, problem.List, error) {
	given := &givenSnapshot{text: source.Text}
	defer given.waitForHash()
	n := normalizer{fields: observationFieldsWithID, stored: true}
	batches, err := n.normalize(ctx, given.read)
	if err == nil {
		err = given.checkDates(ctx, n, batches)
	}
	if faults := problem.All(err); faults != nil {
		return nil, snapshotFaults(faults), nil
	}
	if err != nil {
		return nil, nil, err
	}
	c, _ := assemble(given.asOf, batches)
	if given.isWritten(c) {
		return c, nil, nil
	}
	faults := given.misplaced(batches)
	if faults == nil {
		faults = given.differences(c)
	}
	return c, faults, nil
}

// snapshotFaults gives the faults of observations the code of a snapshot. Of a
// snapshot of another version nothing else is said.
func snapshotFaults(faults problem.List) problem.List {
	for i, e := range faults {
		if e.Code == problem.UnsupportedCatalogSchema {
			return faults[i : i+1]
		}
		e.Code = problem.InvalidCatalog
	}
	return faults
}

// givenSnapshot is a snapshot as it stands in a text, its observations unread.
// What ends in At is an offset.
type givenSnapshot struct {
	text         string
	asOf, digest string
	digestAt     int
	models       []givenModel
	conflicts    []givenConflict
	conflictsAt  int
	hash         chan string // see startHash
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

// read reads everything but the observations, which it emits.
func (s *givenSnapshot) read(emit func(*batch) bool) (problem.List, error) {
	r := ijson.NewReader(s.text, problem.InvalidCatalog)
	o := r.Object(snapshotFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			readSnapshotVersion(r)
		case 1:
			s.asOf = r.Timestamp()
		case 2:
			s.digestAt = r.Offset()
			s.digest = r.Hash()
			s.startHash()
		case 3:
			l := r.List()
			for l.Next() {
				s.readModel(r, emit)
			}
		case 4:
			s.conflictsAt = r.Offset()
			l := r.List()
			for l.Next() {
				at := r.Offset()
				s.conflicts = append(s.conflicts, givenConflict{string(r.Value().AppendCanonical(nil)), at})
			}
		}
	}
	faults := r.End()
	switch {
	case r.IsBroken():
		faults[0].Err = errBroken
	case o.OK() && !o.Seen(0):
		return problem.List{{Code: problem.UnsupportedCatalogSchema, Path: "$.schemaVersion",
			Reason: `missing member, must be "` + SnapshotSchema + `"`, Offset: o.Start()}}, nil
	}
	return faults, nil
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

// batchDocs is how many observations of a snapshot a worker gets at once.
const batchDocs = 256

func (s *givenSnapshot) readModel(r *ijson.Reader, emit func(*batch) bool) {
	s.models = append(s.models, givenModel{})
	i := len(s.models) - 1
	m := &s.models[i]
	o := r.Object(entryFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			m.keyAt = r.Offset()
			m.key = r.Hash()
		case 1:
			m.identity = readIdentity(r)
		case 2:
			m.observationsAt = r.Offset()
			b := s.newBatch(i, 0)
			for l := r.List(); l.Next(); m.observations++ {
				start := r.Offset()
				doc := r.Span()
				if r.IsBroken() {
					break
				}
				b.docs = append(b.docs, span{start, start + len(doc)})
				if len(b.docs) == batchDocs {
					emit(b)
					b = s.newBatch(i, m.observations+1)
				}
			}
			emit(b)
		}
	}
}

func (s *givenSnapshot) newBatch(model, index int) *batch {
	return &batch{text: s.text, model: model, index: index, asOf: s.asOf}
}

// checkDates normalizes those observations again that were read before asOf
// was, as only they were not held against it. In a snapshot in canonical form
// there are none.
func (s *givenSnapshot) checkDates(ctx context.Context, n normalizer, batches []*batch) error {
	n.discard = true
	_, err := n.normalize(ctx, func(emit func(*batch) bool) (problem.List, error) {
		for _, b := range batches {
			if b.asOf == "" {
				again := s.newBatch(b.model, b.index)
				again.docs = b.docs
				emit(again)
			}
		}
		return nil, nil
	})
	return err
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
	go func() {
		h := sha256.New()
		writeString(h, s.text[:start])
		writeString(h, s.text[end:])
		s.hash <- hex.EncodeToString(h.Sum(nil))
	}()
}

// writeString hashes a long string without a copy of the whole.
func writeString(h hash.Hash, s string) {
	buf := make([]byte, min(len(s), pieceBuffer))
	for len(s) > 0 {
		n := copy(buf, s)
		h.Write(buf[:n])
		s = s[n:]
	}
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
	return true
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
		if m := &s.models[i]; m.observations == 0 {
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
				faults = append(faults, notCompiled(b.docs[n][0]+s.modelAt(b.docs[n]), b.path(n)+".model", "must be the identity of the model that it stands under"))
			} else if e.id <= before {
				faults = append(faults, notCompiled(b.docs[n][0], b.path(n), "observations must be sorted by id, each once"))
			}
			before = e.id
		}
	}
	return faults
}

// modelAt returns where the member model stands in a valid observation.
func (s *givenSnapshot) modelAt(doc span) int {
	d := newDecoder()
	d.read(doc.of(s.text), observationFieldsWithID)
	return d.seen.model
}

// differences holds what was given, apart from the observations, against what
// they compile to.
func (s *givenSnapshot) differences(c *Catalog) (faults problem.List) {
	add := func(offset int, path, format string, args ...any) {
		faults = append(faults, notCompiled(offset, path, format, args...))
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
			add(s.conflicts[i].at, path, "is no conflict of these observations")
		case s.conflicts[i].json != c.conflicts[i].JSON:
			add(s.conflicts[i].at, path, "is not the conflict %s that the observations compile to", c.conflicts[i].Key)
		}
	}
	if faults == nil && s.digest != c.Digest() {
		add(s.digestAt, "$.digest", "must be %s, the hash of the snapshot without it", c.Digest())
	}
	return faults
}
