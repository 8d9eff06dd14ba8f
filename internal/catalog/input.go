package catalog

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
)

// EncodeRecord returns the canonical JSON of an observation that a program
// made, without id, as [Normalize] takes it.
func EncodeRecord(rec *Record) string {
	d := newDecoder()
	d.rec = *rec
	d.encodeRecord()
	return d.observation(string(d.enc.Buf)).Input()
}

// Input is the normalized observation as canonical JSON without its id, which is
// how it enters a compilation.
func (o Observation) Input() string {
	before, after, _ := strings.Cut(o.doc, `,"id":"`+o.id+`"`) // a hash stands in nothing that it is of
	return before + after
}

// ReadComponent reads a piece of software and its version.
func ReadComponent(r *ijson.Reader) Component { return readComponent(r) }

// ReadComponentOrNull is ReadComponent that may also be null.
func ReadComponentOrNull(r *ijson.Reader) Component { return readComponentOrNull(r) }

// ReadHardware reads what a model runs on, or null.
func ReadHardware(r *ijson.Reader) Hardware { return readHardware(r) }

// ReadTexts reads a list of unique texts, which it returns sorted.
func ReadTexts(r *ijson.Reader) []string {
	set, _ := readSet(r, nil)
	return set
}
