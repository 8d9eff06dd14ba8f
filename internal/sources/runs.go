package sources

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/service/record"
)

// This file makes observations of runs, on all processors:
//
//	runs -> digests of their evidence -> order of their lines -> parts -> observations, or packed lines

// runsPerPart is how many runs one writer makes observations of before it takes others.
const runsPerPart = 256

// orderedRun is a run with what comes first in the line of its observation: the digest
// of its first evidence.
type orderedRun struct {
	*offer.Run
	digest [sha256.Size]byte
}

// observe makes an observation of each run, in the order of their lines. Each run is
// forgotten in turn, and so is each observation if nothing but its line is wanted: a tree
// of models.dev makes 47 MB of lines.
func (p *priceImport) observe(runs []*offer.Run, r *Result) error {
	order := make([]orderedRun, len(runs))
	for i, run := range runs {
		order[i].Run = run
	}
	clear(runs)
	parts := slices.Collect(slices.Chunk(order, runsPerPart))
	p.share(len(parts), func(w *runWriter, i int) {
		for j := range parts[i] {
			parts[i][j].digest = w.firstDigest(parts[i][j].Run)
		}
	})
	text := func(run *offer.Run) string {
		o, _ := catalog.NewBuilder().Build(p.newWriter().record(run)) // what is not valid is refused when its turn comes
		return o.JSON()
	}
	slices.SortFunc(order, func(a, b orderedRun) int {
		if c := bytes.Compare(a.digest[:], b.digest[:]); c != 0 {
			return c
		}
		return canonical.CompareText(text(a.Run), text(b.Run))
	})
	made := make([]observedPart, len(parts))
	p.share(len(parts), func(w *runWriter, i int) { made[i] = w.observe(parts[i]) })
	for _, part := range made {
		if part.err != nil {
			return part.err
		}
		r.Observations = append(r.Observations, part.observations...)
		if part.packed != nil {
			r.packed = append(r.packed, part.packed)
		}
	}
	return nil
}

// share calls work with each number below n, on all processors, each of which has a
// writer of its own.
func (p *priceImport) share(n int, work func(w *runWriter, i int)) {
	const most = 8 // writers: each takes a megabyte
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(n, most, runtime.GOMAXPROCS(0)) {
		running.Go(func() {
			w := p.newWriter()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(w, i)
			}
		})
	}
	running.Wait()
}

// runWriter makes the records of runs, one after another in the same room.
type runWriter struct {
	*priceImport
	builder *catalog.Builder
	packer  packer
	rec     record.Observation
	read    []byte // what an evidence is of
	line    []byte
}

func (p *priceImport) newWriter() *runWriter {
	return &runWriter{priceImport: p, builder: catalog.NewBuilder()}
}

// observedPart is what is made of some runs: observations, or their packed lines.
type observedPart struct {
	observations []catalog.Observation
	packed       []byte
	err          error
}

func (w *runWriter) observe(runs []orderedRun) (made observedPart) {
	for i := range runs {
		rec := w.record(runs[i].Run)
		runs[i] = orderedRun{}
		var err error
		if w.req.LinesOnly {
			if w.line, err = w.builder.AppendInput(w.line[:0], rec); err == nil {
				w.packer.add(append(w.line, '\n'))
			}
		} else {
			var o catalog.Observation
			o, err = w.builder.Build(rec)
			made.observations = append(made.observations, o)
		}
		if err != nil { // what an adapter writes is valid but for texts that it took over
			made.err = problem.New(problem.InvalidSourceSnapshot, "$.snapshots", "make no valid observation of %s: %s",
				rec.Evidence[0].ID, err)
			return made
		}
	}
	if w.req.LinesOnly {
		made.packed = w.packer.end()
	}
	return made
}

// record makes the record of a run, which is valid until the next one is made.
func (w *runWriter) record(run *offer.Run) *record.Observation {
	end, _, _ := w.end(run)
	rec := w.declaration(&run.Declaration, run.Runtime)
	rec.Model, rec.SourceClass = run.Model, record.External
	rec.Freshness = record.Freshness{ObservedAt: record.Timestamp(run.First.At),
		ValidUntil: record.Timestamp(run.ValidUntil(w.seenAt, w.approved.Freshness.MaxAgeHours, end))}
	for _, s := range sightings(run) {
		digest := w.digest(run, s)
		rec.Evidence = append(rec.Evidence, record.Evidence{
			ID:         w.evidenceID(run, s),
			Kind:       w.list.Kind,
			URI:        record.Text(w.origins[s.At].uri(s.File, s.Line)),
			Digest:     record.SHA256(hex.EncodeToString(digest[:])),
			ObservedAt: record.Timestamp(s.At),
		})
	}
	return rec
}

// sightings are where a run begins and, if that is another snapshot, where it ends.
func sightings(run *offer.Run) []*offer.Sighting {
	if run.Last.At == run.First.At {
		return []*offer.Sighting{&run.First}
	}
	return []*offer.Sighting{&run.First, &run.Last}
}

// unlooked is a gap of whatever a price list says.
const unlooked = "whether it changed between two snapshots is not known: nobody looked"

// declaration is the record of a declaration without what all have.
func (w *runWriter) declaration(d *offer.Declaration, runtime string) *record.Observation {
	if w.list.Other != nil {
		if rec := w.list.Other(d); rec != nil {
			rec.Uncertainty.Gaps = append(append(rec.Uncertainty.Gaps, d.Gaps...), unlooked)
			return rec
		}
	}
	u := &w.rec.Uncertainty
	w.rec = record.Observation{
		Kind: record.KindDeclaration,
		Execution: record.Scope{Kind: record.ScopePartial,
			Profile: record.Profile{Runtime: record.Component{ID: runtime}}},
		Measurements: w.rec.Measurements[:0],
		Evidence:     w.rec.Evidence[:0],
		Uncertainty: record.Uncertainty{
			Level: w.list.Level,
			Basis: append(u.Basis[:0], w.list.Basis),
			Gaps:  append(append(append(u.Gaps[:0], w.list.Gaps...), d.Gaps...), unlooked),
		},
	}
	for _, f := range d.Facts {
		w.rec.Measurements = append(w.rec.Measurements, record.Measurement{Key: f.Key, Kind: record.Fact, Value: f.Value,
			Unit: offer.Unit(f.Key)})
	}
	return &w.rec
}

// evidenceID names where a snapshot states a declaration:
//
//	models-dev:openai/gpt-5#price.input@2026-07-01T16:40:28.000Z
func (w *runWriter) evidenceID(run *offer.Run, s *offer.Sighting) string {
	return w.list.Source + ":" + s.Row + "#" + run.Declaration.Name + "@" + s.At
}

// firstDigest is the digest of the evidence that comes first by its id.
func (w *runWriter) firstDigest(run *offer.Run) [sha256.Size]byte {
	s := sightings(run)
	if len(s) > 1 && canonical.CompareText(w.evidenceID(run, s[1]), w.evidenceID(run, s[0])) < 0 {
		return w.digest(run, s[1])
	}
	return w.digest(run, s[0])
}

// digest is that of what a snapshot says of a declaration, with the effective entry of
// the row.
func (w *runWriter) digest(run *offer.Run, s *offer.Sighting) [sha256.Size]byte {
	b := append(w.read[:0], `{"mapping":`...)
	b = w.appendEffective(b, s.Row, &run.Model)
	b = append(b, `,"row":{"declaration":`...)
	b = canonical.AppendString(b, run.Declaration.Name)
	b = append(b, `,"id":`...)
	b = canonical.AppendString(b, s.Row)
	b = append(append(b, `,"read":`...), s.Read...)
	w.read = append(b, `}}`...)
	return sha256.Sum256(w.read)
}

// appendEffective appends the effective entry of a row that is a model: that of the
// mapping, or what goes without saying.
func (p *priceImport) appendEffective(dst []byte, row string, model *record.Model) []byte {
	if entry := p.mapping.entries[row]; entry != nil {
		return append(dst, entry.doc...)
	}
	e := canonical.Encoder{Buf: append(dst, `{"model":`...)}
	catalog.EncodeModel(&e, model)
	return append(e.Buf, `,"validUntil":null}`...)
}

// packedLines keeps lines, in their order, until they are written, in parts. Lines of
// one list are much alike: 47 MB of a tree of models.dev take 4 MB.
type packedLines [][]byte

// each calls write with each line, which is valid until write returns. It can be
// called again.
func (p packedLines) each(write func(line []byte) error) error {
	var packed bytes.Reader
	var text bytes.Buffer
	r := flate.NewReader(&packed)
	for _, part := range p {
		packed.Reset(part)
		text.Reset()
		_ = r.(flate.Resetter).Reset(&packed, nil) // which does not fail
		if _, err := text.ReadFrom(r); err != nil {
			return err
		}
		for line := range bytes.Lines(text.Bytes()) {
			if err := write(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// packer packs lines, one part after another.
type packer struct {
	packed bytes.Buffer
	writer *flate.Writer
}

// add adds a line, which ends with a line feed. Writing to memory does not fail.
func (p *packer) add(line []byte) {
	if p.writer == nil {
		p.writer, _ = flate.NewWriter(&p.packed, flate.BestSpeed) // the level is one that there is
	}
	_, _ = p.writer.Write(line)
}

// end returns the part.
func (p *packer) end() []byte {
	_ = p.writer.Close()
	part := bytes.Clone(p.packed.Bytes())
	p.packed.Reset()
	p.writer.Reset(&p.packed)
	return part
}
