package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/model-catalog-service/svc/internal/verify/producer"
)

// filler keeps the answers to the ids of all claims before anybody asks, which is what
// receivers ask by: at the start and after loads it goes through the tables, until the
// cache is full. Between passes, and after answers that are too large, it rests ten times
// as long as they took.
type filler struct {
	stop context.CancelFunc
	work sync.WaitGroup
}

const (
	fillRest  = 10 // times what it took
	fillRetry = time.Second
)

// startFilling begins to fill the cache of a reader. close ends it.
func (r *reader) startFilling(ctx context.Context) {
	r.cache.emptied = make(chan struct{}, 1)
	ctx, r.filler.stop = context.WithCancel(context.WithoutCancel(ctx))
	r.filler.work.Go(func() {
		for ctx.Err() == nil {
			began := time.Now()
			if !r.fill(ctx) {
				rest(ctx, fillRetry) // the database is away, or something is loaded just now
				continue
			}
			rest(ctx, fillRest*time.Since(began))
			select {
			case <-r.cache.emptied:
			case <-ctx.Done():
			}
		}
	})
}

// close ends the filling of a reader, and waits for it.
func (f *filler) close() {
	if f.stop != nil {
		f.stop()
		f.work.Wait()
	}
}

// fill makes one pass. It reports whether the cache has all claims now, or is full.
func (r *reader) fill(ctx context.Context) bool {
	state, err := r.state(ctx)
	if err != nil {
		return false
	}
	r.cache.begin(state)
	for last := ""; ; {
		ids, err := r.idsAfter(ctx, last)
		if err != nil {
			return false
		}
		if len(ids) == 0 {
			return true
		}
		batch, now, err := r.readIndex(ctx, batchStatement, last)
		switch {
		case errors.As(err, new(*producer.TooLargeError)):
			batch = producer.NewIndexBuilder().Index() // each has to be found by itself
		case err != nil || now != state:
			return false
		}
		for _, last = range ids {
			answer := batch.Lookup([]string{last})[0]
			if answer == nil {
				began := time.Now()
				answer, now, err = r.find(ctx, last)
				switch {
				case errors.As(err, new(*producer.TooLargeError)):
					rest(ctx, fillRest*time.Since(began)) // there may be many
					continue
				case err != nil || now != state:
					return false
				}
			}
			if !r.cache.addIfFree(state, last, answer) {
				return true
			}
		}
	}
}

// idsAfter returns the keys of the next claims after one.
func (r *reader) idsAfter(ctx context.Context, last string) (ids []string, err error) {
	err = r.query(ctx, idsStatement, last, func(found rows) error {
		ids = nil // it may be read again after a failure
		for found.Next() {
			var id string
			if err := found.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return found.Err()
	})
	return ids, err
}

// rest waits, unless ctx ends.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
