package catalog

// RecordReader reads the members of many observations in the same space.
type RecordReader struct{ d *decoder }

// NewRecordReader returns a RecordReader.
func NewRecordReader() *RecordReader { return &RecordReader{newDecoder()} }

// Read returns the members of an observation. The lists of the record are valid
// until the next call; its texts stay.
func (r *RecordReader) Read(o Observation) *Record {
	r.d.read(o.doc, observationFieldsWithID)
	return &r.d.rec
}
