package store

import (
	"context"
	"database/sql"

	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// grower changes claims that are there, some at a time.
type grower struct {
	*writer
	waiting []*growth
}

// mostGrowing is how many claims are changed at once. Their first and last parts are in
// memory meanwhile.
const mostGrowing = 32

func (g *grower) add(ctx context.Context, claim *growth) error {
	if g.waiting = append(g.waiting, claim); len(g.waiting) < mostGrowing {
		return nil
	}
	return g.end(ctx)
}

// end changes those that wait.
func (g *grower) end(ctx context.Context) error {
	if len(g.waiting) == 0 {
		return nil
	}
	ends, err := g.ends(ctx)
	if err != nil {
		return err
	}
	rows := rowBuffer{again: true, hand: func(c *chunk) error { return g.insert(ctx, c) }}
	parts := parts{put: rows.put}
	for _, claim := range g.waiting {
		if err := g.grow(&parts, claim, ends[g.key(claim)]); err != nil {
			return err
		}
	}
	g.waiting = g.waiting[:0]
	return rows.end()
}

func (g *grower) key(claim *growth) string {
	return key(g.bundle.ID(bundle.KindClaim, int(claim.claim)))
}

// storedPart is a part of a claim as it is stored.
type storedPart struct {
	number int
	pack   pack
}

// endParts are the first and the last part of a claim, which may be the same.
type endParts struct{ first, last storedPart }

// endsQuery answers the first and the last parts of claims.
const endsQuery = `SELECT claim_id, number, records FROM verification_part AS p WHERE claim_id IN (SELECT value FROM LIST)
	AND (number = 0 OR number = (SELECT MAX(number) FROM verification_part WHERE claim_id = p.claim_id))`

// ends returns the first and the last parts of the claims that wait, by their keys.
func (g *grower) ends(ctx context.Context) (map[string]endParts, error) {
	keys := make([]string, len(g.waiting))
	for i, claim := range g.waiting {
		keys[i] = g.key(claim)
	}
	ends := make(map[string]endParts, len(keys))
	err := g.query(ctx, endsQuery, keys, func(found *sql.Rows) error {
		var key string
		var p storedPart
		if err := found.Scan(&key, &p.number, &p.pack); err != nil {
			return err
		}
		e := ends[key]
		if p.number == 0 {
			e.first = p
		}
		if p.number >= e.last.number {
			e.last = p
		}
		ends[key] = e
		return nil
	})
	return ends, err
}

// grow changes a claim.
func (g *grower) grow(parts *parts, claim *growth, ends endParts) error {
	begin := ends.last
	if g.standings.of(bundle.KindClaim, claim.claim) == updated {
		begin = ends.first
	}
	if err := parts.begin(g.key(claim), begin.number, begin.pack); err != nil {
		return err
	}
	if g.standings.of(bundle.KindClaim, claim.claim) == updated {
		if err := parts.replaceClaim(recordToPack(g.bundle, bundle.KindClaim, claim.claim)); err != nil {
			return err
		}
		if ends.last.number > 0 {
			if err := parts.end(); err != nil {
				return err
			}
			if err := parts.begin(g.key(claim), ends.last.number, ends.last.pack); err != nil {
				return err
			}
		}
	}
	return parts.addMore(g.bundle, claim)
}
