package verify

import (
	"bytes"
	"context"
	"slices"

	"github.com/model-catalog-service/svc/internal/problem"
)

// MemoryStore is a Store over bundles in memory. It does not change and is safe
// for concurrent use; its answers are put together when it is made.
type MemoryStore struct {
	byRef map[string]*Records
}

// NewMemoryStore returns a store of all records of the bundles. The same record
// may be in several of them, equal as canonical JSON; then the first spelling
// is answered. Another record under the same id is an error of code
// INVALID_TRUST_BUNDLE.
func NewMemoryStore(bundles ...*Bundle) (*MemoryStore, error) {
	all := &Index{}
	k := keeper{seen: map[string]map[string]Record{}}
	for i, b := range bundles {
		index := b.Index()
		all.Claims = append(all.Claims, keep(&k, i, inClaims, index.Claims, func(r *ClaimRow) Record { return r.Record })...)
		all.Evidence = append(all.Evidence, keep(&k, i, inEvidence, index.Evidence, func(r *EvidenceRow) Record { return r.Record })...)
		all.Events = append(all.Events, keep(&k, i, inEvents, index.Events, func(r *EventRow) Record { return r.Record })...)
		all.Traces = append(all.Traces, keep(&k, i, inAuthorityTrace, index.Traces, func(r *TraceRow) Record { return r.Record })...)
	}
	if err := k.faults.Err(); err != nil {
		return nil, err
	}
	return &MemoryStore{byRef: answers(all)}, nil
}

// keeper keeps of several bundles each record once.
type keeper struct {
	seen   map[string]map[string]Record // by collection and id
	faults problem.List
}

// keep returns the rows whose records no bundle before had.
func keep[R any](k *keeper, bundle int, collection string, rows []R, record func(*R) Record) []R {
	seen := k.seen[collection]
	if seen == nil {
		seen = make(map[string]Record, len(rows))
		k.seen[collection] = seen
	}
	return slices.DeleteFunc(rows, func(row R) bool {
		r := record(&row)
		first, known := seen[r.ID]
		if !known {
			seen[r.ID] = r
			return false
		}
		if !sameContent(first, r) {
			k.faults = append(k.faults, problem.New(problem.InvalidTrustBundle, "$."+collection,
				"%q has another content in bundle %d than in one before", r.ID, bundle+1))
		}
		return true
	})
}

// sameContent reports whether two records are equal as canonical JSON.
func sameContent(a, b Record) bool {
	if a.JSON == b.JSON {
		return true
	}
	x, err := a.Canonical()
	if err != nil {
		return false
	}
	y, err := b.Canonical()
	return err == nil && bytes.Equal(x, y)
}

// answers puts the answer to every ref together.
func answers(all *Index) map[string]*Records {
	byClaim := make(map[string]*Records, len(all.Claims))
	for i := range all.Claims {
		byClaim[all.Claims[i].ID] = &Records{Claims: []Record{all.Claims[i].Record}}
	}
	for i := range all.Evidence {
		if of := byClaim[all.Evidence[i].ClaimID]; of != nil {
			of.Evidence = append(of.Evidence, all.Evidence[i].Record)
		}
	}
	claimsOfActor := map[string][]*Records{}
	for i := range all.Events {
		at := &all.Events[i]
		if of := byClaim[at.ClaimID]; of != nil {
			of.Events = append(of.Events, at.Record)
			claimsOfActor[at.Actor] = append(claimsOfActor[at.Actor], of)
		}
	}
	for i := range all.Traces {
		at := &all.Traces[i]
		for _, of := range claimsOfActor[at.Actor] {
			of.addTrace(at.Record)
		}
		for _, id := range at.ClaimIDs {
			if of := byClaim[id]; of != nil {
				of.addTrace(at.Record)
			}
		}
	}
	for _, of := range byClaim {
		of.Sort()
	}
	return byRef(all, byClaim)
}

// addTrace adds a trace that may have been the last to be added already.
func (r *Records) addTrace(t Record) {
	if n := len(r.AuthorityTrace); n == 0 || r.AuthorityTrace[n-1].ID != t.ID {
		r.AuthorityTrace = append(r.AuthorityTrace, t)
	}
}

// byRef finds out what each ref stands for.
func byRef(all *Index, byClaim map[string]*Records) map[string]*Records {
	parts := make(map[string][]*Records, len(all.Claims))
	stand := func(refs []string, of *Records) {
		for _, ref := range refs {
			list := parts[ref]
			if n := len(list); of != nil && (n == 0 || list[n-1] != of) {
				parts[ref] = append(list, of)
			}
		}
	}
	for i := range all.Claims {
		stand(all.Claims[i].Refs, byClaim[all.Claims[i].ID])
	}
	for i := range all.Evidence {
		stand(all.Evidence[i].Refs, byClaim[all.Evidence[i].ClaimID])
	}
	for i := range all.Traces {
		at := &all.Traces[i]
		stand(at.Refs, &Records{AuthorityTrace: []Record{at.Record}})
		for _, id := range at.ClaimIDs {
			stand(at.Refs, byClaim[id])
		}
	}
	answers := make(map[string]*Records, len(parts))
	for ref, of := range parts {
		answers[ref] = union(of)
	}
	return answers
}

// union returns the records of all parts, some of which may be the same.
func union(parts []*Records) *Records {
	if len(parts) == 1 {
		return parts[0]
	}
	all := &Records{}
	seen := make(map[*Records]bool, len(parts))
	for _, p := range parts {
		if seen[p] {
			continue
		}
		seen[p] = true
		all.Claims = append(all.Claims, p.Claims...)
		all.Evidence = append(all.Evidence, p.Evidence...)
		all.Events = append(all.Events, p.Events...)
		all.AuthorityTrace = append(all.AuthorityTrace, p.AuthorityTrace...)
	}
	all.Sort()
	return all
}

// LookupByIntegrityRef implements Store. It never fails.
func (s *MemoryStore) LookupByIntegrityRef(_ context.Context, ref string) (*Records, error) {
	return s.byRef[ref], nil
}

// LookupByIntegrityRefs implements BatchStore. It never fails.
func (s *MemoryStore) LookupByIntegrityRefs(_ context.Context, refs []string) ([]*Records, error) {
	list := make([]*Records, len(refs))
	for i, ref := range refs {
		list[i] = s.byRef[ref]
	}
	return list, nil
}
