package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// encode writes the record, which has been read, and computes its id.
func (d *decoder) encode() {
	d.enc.Verbatim = !d.r.Escaped()
	d.encodeRecord()
}

func (d *decoder) encodeRecord() {
	e, rec := &d.enc, &d.rec
	e.Buf = e.Buf[:0]
	e.Raw(`{"evidence":[`)
	for i := range rec.Evidence {
		if i > 0 {
			e.Raw(`,`)
		}
		encodeEvidence(e, &rec.Evidence[i])
	}
	e.Raw(`],"execution":`)
	start := len(e.Buf)
	encodeScope(e, &rec.Execution)
	d.parts.execution = span{start, len(e.Buf)}
	e.Raw(`,"freshness":`)
	d.parts.freshness = encodeFreshness(e, &rec.Freshness)
	beforeID := len(e.Buf)
	d.reserveID()
	e.Raw(`,"kind":"`)
	e.Raw(rec.Kind)
	e.Raw(`","measurements":`)
	d.encodeMeasurements()
	e.Raw(`,"model":`)
	start = len(e.Buf)
	EncodeModel(e, &rec.Model)
	d.parts.model = span{start, len(e.Buf)}
	e.Raw(`,"outcome":`)
	encodeOutcome(e, &rec.Outcome)
	e.Raw(`,"schemaVersion":"` + ObservationSchema + `","sourceClass":"`)
	e.Raw(rec.SourceClass)
	e.Raw(`","task":`)
	start = len(e.Buf)
	encodeTask(e, &rec.Task)
	d.parts.task = span{start, len(e.Buf)}
	e.Raw(`,"uncertainty":`)
	encodeUncertainty(e, &rec.Uncertainty)
	e.Raw(`,"usage":`)
	encodeUsage(e, &rec.Usage)
	e.Raw(`}`)
	d.fillID(beforeID)
}

// encodeMeasurements writes the measurements and notes where the facts are.
func (d *decoder) encodeMeasurements() {
	e := &d.enc
	d.parts.facts = d.parts.facts[:0]
	e.Raw(`[`)
	for i := range d.rec.Measurements {
		if i > 0 {
			e.Raw(`,`)
		}
		m := &d.rec.Measurements[i]
		key, value := encodeMeasurement(e, m)
		if m.Kind == Fact {
			d.parts.facts = append(d.parts.facts, factPart{key, value})
		}
	}
	e.Raw(`]`)
}

// reserveID writes an empty id, to be filled in.
func (d *decoder) reserveID() {
	const noID = "0000000000000000000000000000000000000000000000000000000000000000"
	d.enc.Raw(`,"id":"`)
	start := len(d.enc.Buf)
	d.enc.Raw(noID + `"`)
	d.parts.id = span{start, start + len(noID)}
}

// fillID hashes the document without the member id, which begins at beforeID,
// and writes the hash there.
func (d *decoder) fillID(beforeID int) {
	buf, id := d.enc.Buf, d.parts.id
	d.hash.Reset()
	d.hash.Write(buf[:beforeID])
	d.hash.Write(buf[id[1]+len(`"`):])
	var sum [sha256.Size]byte
	hex.Encode(buf[id[0]:id[1]], d.hash.Sum(sum[:0]))
}

// measurementSorter orders measurements by their canonical JSON. As that begins
// with key and kind, equal pairs come to stand side by side.
type measurementSorter struct {
	enc canonical.Encoder
	tmp []keyedMeasurement
}

type keyedMeasurement struct {
	key string
	m   Measurement
}

// sort reports whether the list was in order already. Unless some text in it may
// need an escape, key and kind say which order that is.
func (s *measurementSorter) sort(list []Measurement, escaped bool) bool {
	switch {
	case len(list) < 2:
		return true
	case escaped:
		return s.sortEncoded(list)
	case slices.IsSortedFunc(list, comparePlain):
		return true
	}
	slices.SortFunc(list, comparePlain)
	return false
}

// comparePlain compares the canonical JSON of two measurements of different key
// or kind, which hold no text that needs an escape.
func comparePlain(a, b Measurement) int {
	return cmp.Or(compareQuoted(a.Key, b.Key), strings.Compare(a.Kind, b.Kind))
}

// compareQuoted compares two texts as JSON strings: each ends with a quote, which
// is neither the first nor the last of characters.
func compareQuoted(a, b string) int {
	switch {
	case len(a) < len(b) && strings.HasPrefix(b, a):
		return '"' - int(b[len(a)])
	case len(b) < len(a) && strings.HasPrefix(a, b):
		return int(a[len(b)]) - '"'
	}
	return canonical.CompareText(a, b)
}

// sortEncoded is sort by the whole of what is written.
func (s *measurementSorter) sortEncoded(list []Measurement) bool {
	s.enc.Buf = s.enc.Buf[:0]
	s.tmp = s.tmp[:0]
	ends := make([]int, 0, 16)
	for i := range list {
		encodeMeasurement(&s.enc, &list[i])
		ends = append(ends, len(s.enc.Buf))
	}
	all, start := string(s.enc.Buf), 0
	for i, end := range ends {
		s.tmp = append(s.tmp, keyedMeasurement{all[start:end], list[i]})
		start = end
	}
	byKey := func(a, b keyedMeasurement) int { return canonical.CompareText(a.key, b.key) }
	if slices.IsSortedFunc(s.tmp, byKey) {
		return true
	}
	slices.SortFunc(s.tmp, byKey)
	for i := range s.tmp {
		list[i] = s.tmp[i].m
	}
	return false
}
