package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/model-catalog-service/svc/internal/verify/producer"
)

// filler looks all claims up by their ids before anybody asks, which is what receivers ask
// by: at the start and after loads, one batch after the other, until the cache is full.
// It works for half of the time at most, and between passes rests ten times as long as the
// last one took.
type filler struct {
	stop context.CancelFunc
	work sync.WaitGroup
}

const (
	fillRest  = 10 // times what a pass took
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
	last := ""
	for {
		began := time.Now()
		var ids []string
		err := r.query(ctx, idsStatement, last, func(found rows) error {
			ids = ids[:0] // it may be read again after a failure
			for found.Next() {
				var id string
				if err := found.Scan(&id); err != nil {
					return err
				}
				ids = append(ids, id)
			}
			return found.Err()
		})
		if err != nil {
			return false
		}
		if len(ids) == 0 {
			return true
		}
		index, now, err := r.lookUp(ctx, ids)
		switch {
		case errors.As(err, new(*producer.TooLargeError)): // few of them could be kept
		case err != nil || now != state:
			return false
		default:
			for _, id := range ids {
				if !r.cache.addIfFree(state, id, index.Lookup([]string{id})[0]) {
					return true
				}
			}
		}
		last = ids[len(ids)-1]
		rest(ctx, time.Since(began))
	}
}

// rest waits, unless ctx ends.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
