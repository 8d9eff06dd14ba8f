package producer

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// StoreError is why a store could not answer.
type StoreError struct{ Err error }

func (e *StoreError) Error() string { return "the store cannot answer: " + e.Err.Error() }

// Unwrap returns the store's own error, or that of the context that ended.
func (e *StoreError) Unwrap() error { return e.Err }

// maxLookups is how many refs of one question are looked up at once.
const maxLookups = 8

// lookUp returns what the store knows of each ref, nil for an unknown one. It comes
// back when ctx is done even if the store does not.
func (r *Responder) lookUp(ctx context.Context, refs []string) ([]*bundle.Records, error) {
	if memory, ok := r.store.(*MemoryStore); ok {
		return memory.LookupByIntegrityRefs(ctx, refs) // at once, whatever ctx says
	}
	type outcome struct {
		found []*bundle.Records
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		found, err := lookUpDistinct(ctx, r.store, refs)
		done <- outcome{found, err}
	}()
	select {
	case <-ctx.Done():
		return nil, &StoreError{ctx.Err()}
	case o := <-done:
		return o.found, o.err
	}
}

// lookUpDistinct asks for every ref once.
func lookUpDistinct(ctx context.Context, store Store, refs []string) ([]*bundle.Records, error) {
	once := make([]string, 0, len(refs))
	positions := make(map[string]int, len(refs))
	for _, ref := range refs {
		if _, known := positions[ref]; !known {
			positions[ref] = len(once)
			once = append(once, ref)
		}
	}
	var found []*bundle.Records
	var err error
	if batch, ok := store.(BatchStore); ok {
		err = guard(func() (err error) {
			found, err = batch.LookupByIntegrityRefs(ctx, once)
			return err
		})
		if err == nil && len(found) != len(once) {
			err = fmt.Errorf("the store gave %d answers to %d refs", len(found), len(once))
		}
	} else {
		found, err = lookUpEach(ctx, store, once)
	}
	if err != nil {
		return nil, err
	}
	all := make([]*bundle.Records, len(refs))
	for i, ref := range refs {
		all[i] = found[positions[ref]]
	}
	return all, nil
}

// lookUpEach looks refs up one by one, a few at a time. The first failure ends it.
func lookUpEach(ctx context.Context, store Store, refs []string) ([]*bundle.Records, error) {
	found := make([]*bundle.Records, len(refs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxLookups)
	for i, ref := range refs {
		group.Go(func() error {
			if ctx.Err() != nil {
				return &StoreError{ctx.Err()} // another one failed, or the caller has left
			}
			return guard(func() (err error) {
				found[i], err = store.LookupByIntegrityRef(ctx, ref)
				return err
			})
		})
	}
	return found, group.Wait()
}

// guard calls a store. Its error becomes a *StoreError, a panic an error of another
// kind: the store is broken then, not away.
func guard(call func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the store panicked: %v", v)
		}
	}()
	if err := call(); err != nil {
		return &StoreError{err}
	}
	return nil
}

// storedID is the id in the JSON of a record.
type storedID struct{ text string }

var storedShape = ijson.NewOpenShape(ijson.Required("id", func(r *ijson.Reader, id *storedID) { id.text = r.String() }))

// checkRecords refuses what a store gives as a record and is none: an answer around it would be
// no JSON, or about another id.
func checkRecords(records *bundle.Records) error {
	for kind := range bundle.Stored {
		for _, r := range *records.List(kind) {
			reader := ijson.NewReader(r.JSON, problem.InvalidTrustBundle)
			var id storedID
			storedShape.Read(reader, &id)
			if faults := reader.End(); faults != nil {
				return fmt.Errorf("the store gave a record %q that is no record: %w", r.ID, faults.Err())
			}
			if id.text != r.ID {
				return fmt.Errorf("the store gave a record as %q whose id is %q", r.ID, id.text)
			}
		}
	}
	return nil
}
