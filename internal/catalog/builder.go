package catalog

// Builder makes observations of records that programs fill in. It reuses its
// room from one to the next.
type Builder struct{ in, out *decoder }

// NewBuilder returns a Builder.
func NewBuilder() *Builder { return &Builder{newDecoder(), newDecoder()} }

// Build validates and normalizes a record and computes its id, as [Normalize]
// does with the JSON of one.
func (b *Builder) Build(rec *Record) (Observation, error) {
	b.in.rec = *rec
	b.in.encodeRecord()
	if faults := b.out.read(withoutID(b.in), observationFields); faults != nil {
		return Observation{}, faults.Err()
	}
	b.out.encode()
	return b.out.observation(string(b.out.enc.Buf)), nil
}

// withoutID is what was encoded, without the member id.
func withoutID(d *decoder) string {
	buf, id := d.enc.Buf, d.parts.id
	return string(append(buf[:id[0]-len(`,"id":"`)], buf[id[1]+len(`"`):]...))
}
