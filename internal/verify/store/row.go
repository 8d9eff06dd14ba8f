package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// row is a row of verification_record. Ids are keys.
type row struct {
	kind             bundle.Kind
	claim, id, actor string
	json             string
}

// rowOf returns the row of a record of a bundle.
func rowOf(b *bundle.Bundle, kind bundle.Kind, index int32) row {
	record := b.Record(kind, int(index))
	r := row{kind: kind, id: key(record.ID), json: record.JSON}
	switch kind {
	case bundle.KindClaim:
		r.claim = r.id
	case bundle.KindEvidence, bundle.KindEvent:
		r.claim = key(b.Parent(kind, int(index)))
	}
	if kind == bundle.KindEvent || kind == bundle.KindTrace {
		r.actor = key(b.Actor(kind, int(index)))
	}
	return r
}

// record returns the record as its producer wrote it. Its id is the key, or where that is a hash,
// only in its JSON.
func (r *row) record() (bundle.Record, error) {
	if !strings.HasPrefix(r.id, hashMark) {
		return bundle.Record{ID: r.id, JSON: r.json}, nil
	}
	at := ijson.Locate(r.json, "id")
	if at < 0 || r.json[at] != '"' {
		return bundle.Record{}, errDamaged
	}
	return bundle.Record{ID: ijson.Unquote(r.json[at:ijson.SpanEnd(r.json, at)]), JSON: r.json}, nil
}

// errDamaged is the error of stored rows that no program has written.
var errDamaged = errors.New("stored records are damaged")

// isDamage reports whether rows could not be read, today or again, because they are damaged: the
// digest says so, or the database itself.
func isDamage(err error) bool {
	const dataCorrupted, indexCorrupted = "XX001", "XX002"
	refused, _ := errors.AsType[*pgconn.PgError](err)
	return errors.Is(err, errDamaged) || hasCode(err, sqlite3.SQLITE_CORRUPT) ||
		refused != nil && (refused.Code == dataCorrupted || refused.Code == indexCorrupted)
}

// digest is that of a claim and all that belongs to it, or of a trace: the SHA-256 of every row,
// combined by exclusive or, so that rows come in any order and one more changes it in one step.
type digest [sha256.Size]byte

func (d *digest) add(r *row) {
	var text []byte
	for _, cell := range [...]string{strconv.Itoa(int(r.kind)), r.claim, r.id, r.actor, r.json} {
		text = append(strconv.AppendInt(text, int64(len(cell)), 10), ':')
		text = append(text, cell...)
	}
	d.combine(sha256.Sum256(text))
}

func (d *digest) combine(other digest) {
	for i := range d {
		d[i] ^= other[i]
	}
}

func (d *digest) text() string { return hex.EncodeToString(d[:]) }

func parseDigest(text string) (d digest, err error) {
	if n, err := hex.Decode(d[:], []byte(text)); err != nil || n < len(d) || len(text) > 2*len(d) {
		return d, errDamaged
	}
	return d, nil
}
