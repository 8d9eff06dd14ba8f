package verify

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// RawBundle is a trust bundle as it came: lists of records of which nothing is
// known but that they are JSON objects with an id. It is what merging takes and
// makes.
type RawBundle struct {
	SchemaVersion string // its canonical JSON
	Source        string

	Claims, Evidence, Policies, Events []Record

	// What may be left out: nil if the member is not there. Identity links may
	// have no id.
	IdentityLinks, ClaimGroups, AuthorityTrace []Record
}

var rawFields = ijson.NewOpenFields("schemaVersion", "source", "claims?", "evidence?", "policies?", "events?",
	"identityLinks?", "claimGroups?", "authorityTrace?")

// ReadRawBundle reads a bundle without looking into its records. Members that
// merging has no use for are left out. Errors have the code
// INVALID_TRUST_BUNDLE.
func ReadRawBundle(source problem.Source) (*RawBundle, error) {
	mark := ijson.LenByteOrderMark(source.Text)
	text := source.Text[mark:]
	d := newDecoder(text, 0)
	b := &RawBundle{}
	lists := b.lists()
	for o := d.Object(rawFields); o.Next(); {
		switch field := o.Field(); field {
		case 0:
			b.SchemaVersion = string(d.AppendCanonical(nil))
		case 1:
			b.Source = d.String()
		default:
			collection := lists[field-2]
			*collection.list = []Record{}
			for l := d.List(); l.Next(); {
				*collection.list = append(*collection.list, d.raw(collection.name != inIdentityLinks))
			}
		}
	}
	if faults := d.End(); faults != nil {
		return nil, faults.Locate(text, problem.Start(source.Name).After(source.Text[:mark])).Err()
	}
	return b, nil
}

var (
	namedFields   = ijson.NewOpenFields("id")
	unnamedFields = ijson.NewOpenFields("id?")
)

// raw reads a record of any shape. It is gone through twice: for its id, and
// for what cannot be told as canonical JSON.
func (d *decoder) raw(named bool) (r Record) {
	fields := unnamedFields
	if named {
		fields = namedFields
	}
	start := d.Offset()
	for o := d.Object(fields); o.Next(); {
		r.ID = d.String()
	}
	r.JSON = d.text(start)
	if d.IsBroken() {
		return r
	}
	whole := ijson.NewPartReader(problem.InvalidTrustBundle)
	whole.Around = depthOfRecords
	whole.Reset(d.src[start:d.Offset()])
	d.scratch = whole.AppendCanonical(d.scratch[:0])
	for _, fault := range whole.End() {
		if !d.Faulty() {
			d.Fail(start+fault.Offset, fault.Path[len("$"):], "%s", fault.Reason)
		}
	}
	return r
}

// depthOfRecords is how many arrays and objects are open around a record.
const depthOfRecords = 2

// collection is one of the lists of a bundle.
type collection struct {
	name     string
	list     *[]Record
	optional bool
}

// lists returns the lists of a bundle, in the order of rawFields.
func (b *RawBundle) lists() []collection {
	return []collection{
		{inClaims, &b.Claims, false},
		{inEvidence, &b.Evidence, false},
		{inPolicies, &b.Policies, false},
		{inEvents, &b.Events, false},
		{inIdentityLinks, &b.IdentityLinks, true},
		{inClaimGroups, &b.ClaimGroups, true},
		{inAuthorityTrace, &b.AuthorityTrace, true},
	}
}

// AppendJSON appends the bundle, each record as it came.
func (b *RawBundle) AppendJSON(dst []byte) []byte {
	e := canonical.Encoder{Buf: dst}
	e.Raw(`{"schemaVersion":` + b.SchemaVersion + `,"source":`)
	e.Text(b.Source)
	for _, c := range b.lists() {
		if c.optional && *c.list == nil {
			continue
		}
		e.Raw(`,"` + c.name + `":`)
		e.Buf = appendRecords(e.Buf, *c.list)
	}
	e.Raw(`}`)
	return e.Buf
}

func appendRecords(dst []byte, list []Record) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, list[i].JSON...)
	}
	return append(dst, ']')
}

// Canonical returns the bundle as canonical JSON.
func (b *RawBundle) Canonical() ([]byte, error) {
	return canonicalText(nil, string(b.AppendJSON(nil)))
}

// StatusInput reads the records as the JSON Schemas of the format say. The
// error holds every problem of them, with code INVALID_TRUST_BUNDLE.
func (b *RawBundle) StatusInput() (*StatusInput, error) {
	d := newDecoder(string(b.AppendJSON(nil)), 0)
	content := d.content(bundleFields)
	if faults := d.End(); faults != nil {
		return nil, faults.Err()
	}
	return &StatusInput{&content}, nil
}
