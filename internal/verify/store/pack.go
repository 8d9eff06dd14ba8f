package store

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// pack is records in one text, as they lie in a row of verification_part and in the cache. Of
// each it has the kind, the lengths of key, actor and JSON in bytes, and these three:
//
//	c2,0,24:c1{"id":"c1","value":0.74}v2,3,25:v1ann{"id":"v1","actor":"ann"}
//
// Two packs, one after the other, are a pack. Only events have an actor, by which traces are
// found. So what belongs to a claim comes out of the database in one piece, and there is
// little in the cache for the garbage collector to follow.
type pack string

// packedRecord is a record of a pack.
type packedRecord struct {
	kind             bundle.Kind
	key, actor, json string
}

// packKinds are the letters of the kinds.
const packKinds = "cevt"

// append appends the record to a pack.
func (r *packedRecord) append(dst []byte) []byte {
	dst = append(dst, packKinds[r.kind])
	dst = strconv.AppendInt(dst, int64(len(r.key)), 10)
	dst = strconv.AppendInt(append(dst, ','), int64(len(r.actor)), 10)
	dst = strconv.AppendInt(append(dst, ','), int64(len(r.json)), 10)
	dst = append(append(dst, ':'), r.key...)
	return append(append(dst, r.actor...), r.json...)
}

// size is at least how many bytes the record takes in a pack.
func (r *packedRecord) size() int {
	const perRecord = 12
	return perRecord + len(r.key) + len(r.actor) + len(r.json)
}

// errDamaged is the error of a stored text that no program has written.
var errDamaged = errors.New("a stored record is damaged")

// cut takes the first record off a pack that is not empty.
func (p *pack) cut() (r packedRecord, err error) {
	text := string(*p)
	r.kind = bundle.Kind(strings.IndexByte(packKinds, text[0]))
	var lengths [3]int
	at := 1
	for i, after := range [...]byte{',', ',', ':'} {
		for at < len(text) && text[at]-'0' <= 9 && lengths[i] <= len(text) {
			lengths[i] = 10*lengths[i] + int(text[at]-'0')
			at++
		}
		if at == len(text) || text[at] != after {
			return packedRecord{}, errDamaged
		}
		at++
	}
	text = text[at:]
	for i, into := range [...]*string{&r.key, &r.actor, &r.json} {
		if lengths[i] > len(text) {
			return packedRecord{}, errDamaged
		}
		*into, text = text[:lengths[i]], text[lengths[i]:]
	}
	if r.kind < 0 || r.json == "" {
		return packedRecord{}, errDamaged
	}
	*p = pack(text)
	return r, nil
}

// count returns how many records of each kind there are, and the bytes of their JSON.
func (p pack) count() (of [bundle.Stored]int, bytes int, err error) {
	for p != "" {
		r, err := p.cut()
		if err != nil {
			return of, 0, err
		}
		of[r.kind]++
		bytes += len(r.json)
	}
	return of, bytes, nil
}

// unpack returns the records, whose texts are parts of the pack. They are nil for an empty
// one.
func (p pack) unpack() (*bundle.Records, error) {
	if p == "" {
		return nil, nil
	}
	const usual = 8 // records of a claim
	lists := [bundle.Stored][]bundle.Record{}
	all := make([]bundle.Record, 0, usual)
	kind, first, isSorted := bundle.KindClaim, 0, true
	for p != "" {
		r, err := p.cut()
		if err != nil {
			return nil, err
		}
		record, err := r.record()
		if err != nil {
			return nil, err
		}
		if r.kind != kind { // one kind after the other, in each part
			lists[kind] = appendList(lists[kind], all[first:])
			kind, first = r.kind, len(all)
		}
		isSorted = isSorted && (len(all) == first || bundle.CompareIDs(all[len(all)-1], record) < 0) && len(lists[kind]) == 0
		all = append(all, record)
	}
	lists[kind] = appendList(lists[kind], all[first:])
	found := &bundle.Records{Claims: lists[bundle.KindClaim], Evidence: lists[bundle.KindEvidence], Events: lists[bundle.KindEvent], AuthorityTrace: lists[bundle.KindTrace]}
	if !isSorted {
		found.Sort()
	}
	return found, nil
}

// appendList appends more to a list, which are not copied if they are the first.
func appendList(list, more []bundle.Record) []bundle.Record {
	switch {
	case len(more) == 0:
		return list
	case len(list) == 0:
		return slices.Clip(more)
	}
	return append(list, more...)
}

// packRecords returns the pack of an answer, which may be nil.
func packRecords(found *bundle.Records) pack {
	if found == nil {
		return ""
	}
	var text []byte
	for kind := range bundle.Stored {
		for _, record := range *found.List(kind) {
			r := packedRecord{kind: kind, key: key(record.ID), json: record.JSON}
			text = r.append(slices.Grow(text, r.size()))
		}
	}
	return pack(text)
}

// record returns a stored record. Its id is the key, or where that is a hash only in its
// JSON.
func (r *packedRecord) record() (bundle.Record, error) { return record(r.key, r.json) }

func record(key, json string) (bundle.Record, error) {
	if !strings.HasPrefix(key, hashMark) {
		return bundle.Record{ID: key, JSON: json}, nil
	}
	at := ijson.Locate(json, "id")
	if at < 0 || json[at] != '"' {
		return bundle.Record{}, errDamaged
	}
	return bundle.Record{ID: ijson.Unquote(json[at:ijson.SpanEnd(json, at)]), JSON: json}, nil
}
