package store

import (
	"slices"
	"strconv"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// partBytes is how large the pack of a part may become by records that are added to it. A
// claim that has much is in many parts, so that another event does not write all of it anew.
// A larger record is in a part of its own, or in one that it came last into.
const partBytes = 16 << 10

// parts puts the records of a claim into parts.
type parts struct {
	// put takes rows, each with how many of the records in it are new.
	put func(t *table, records int, cells ...string) error

	claim  string // its key
	number int    // of the part that records go into
	text   []byte // its pack
	actors []string
	added  int // records that are not handed over yet
}

// begin goes on with a part of a claim, or begins its first with an empty pack.
func (p *parts) begin(claim string, number int, text pack) error {
	p.claim, p.number, p.text, p.actors = claim, number, append(p.text[:0], text...), p.actors[:0]
	for text != "" {
		r, err := text.cut()
		if err != nil {
			return err
		}
		p.addActor(&r)
	}
	return nil
}

// add adds a record, to another part if this one has no room for it.
func (p *parts) add(r packedRecord) error {
	if len(p.text) > 0 && len(p.text)+r.size() > partBytes {
		if err := p.end(); err != nil {
			return err
		}
		p.number, p.text, p.actors = p.number+1, p.text[:0], p.actors[:0]
	}
	p.text = r.append(p.text)
	p.addActor(&r)
	p.added++
	if t := placeTables[r.kind]; t != nil {
		return p.put(t, 0, r.key, p.claim, strconv.Itoa(p.number))
	}
	return nil
}

func (p *parts) addActor(r *packedRecord) {
	if r.kind == bundle.KindEvent && !slices.Contains(p.actors, r.actor) {
		p.actors = append(p.actors, r.actor)
	}
}

// replaceClaim puts another claim in the place of that of the pack.
func (p *parts) replaceClaim(claim packedRecord) error {
	old := pack(p.text)
	p.text = claim.append(nil)
	for old != "" {
		r, err := old.cut()
		if err != nil {
			return err
		}
		if r.kind != bundle.KindClaim {
			p.text = r.append(p.text)
		}
	}
	p.added++
	return nil
}

// end hands the part over, if anything was added to it.
func (p *parts) end() error {
	if p.added == 0 {
		return nil
	}
	added := p.added
	p.added = 0
	return p.put(&partTable, added, p.claim, strconv.Itoa(p.number), jsonList(p.actors), string(p.text))
}
