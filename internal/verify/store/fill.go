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
// cache is full. While there are questions, it rests after each step as long as that took. To
// find a claim that is not in the cache takes several times as long as to fill it in. Between
// passes, and after answers that are too large, it rests ten times as long.
type filler struct {
	stop context.CancelFunc
	work sync.WaitGroup
}

const (
	fillRest  = 10 // times what it took
	busyRest  = 1  // the same, for a step beside which something was asked
	fillRetry = time.Second
)

// startFilling begins to fill the cache of a reader. close ends it.
func (r *reader) startFilling(ctx context.Context) {
	r.cache.emptied = make(chan struct{}, 1)
	ctx, r.filler.stop = context.WithCancel(context.WithoutCancel(ctx))
	r.filler.work.Go(func() {
		for ctx.Err() == nil {
			worked, err := r.fill(ctx)
			if err != nil {
				rest(ctx, fillRetry) // the database is away, or something is loaded just now
				continue
			}
			rest(ctx, fillRest*worked)
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

// fill makes one pass, until the cache has all claims or is full. It returns how long that
// took, without the rests.
func (r *reader) fill(ctx context.Context) (worked time.Duration, err error) {
	state, err := r.state(ctx)
	if err != nil {
		return 0, err
	}
	r.cache.begin(state)
	for last, goOn := "", true; goOn && err == nil; {
		began, asked := time.Now(), r.asked.Load()
		last, goOn, err = r.fillStep(ctx, state, last)
		took := time.Since(began)
		if worked += took; r.asked.Load() != asked {
			rest(ctx, busyRest*took)
		}
	}
	return worked, err
}

// errStateChanged says that something was loaded during a pass.
var errStateChanged = errors.New("the database has changed")

// fillStep adds the answers to the next claims after a key, and returns the key of the last
// of them. goOn is false if there are none, or no room.
func (r *reader) fillStep(ctx context.Context, state, after string) (last string, goOn bool, err error) {
	var ids []string
	err = r.query(ctx, idsStatement, func(found rows) error {
		ids = nil // it may be read again after a failure
		for found.Next() {
			var id string
			if err := found.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return found.Err()
	}, after)
	if err != nil || len(ids) == 0 {
		return "", false, err
	}
	goOn, err = r.fillClaims(ctx, state, ids)
	return ids[len(ids)-1], goOn, err
}

// fillClaims adds the answers to ids. Those that are too large together are asked for in halves,
// and so are those among which something is damaged: what is left out then is only that.
func (r *reader) fillClaims(ctx context.Context, state string, ids []string) (hasRoom bool, err error) {
	index, now, err := r.readIndex(ctx, ids...)
	switch {
	case isDamage(err) || errors.As(err, new(*producer.TooLargeError)):
		if len(ids) == 1 {
			return true, nil
		}
		half := len(ids) / 2
		if hasRoom, err := r.fillClaims(ctx, state, ids[:half]); err != nil || !hasRoom {
			return false, err
		}
		return r.fillClaims(ctx, state, ids[half:])
	case err != nil:
		return false, err
	case now != state:
		return false, errStateChanged
	}
	for _, id := range ids {
		if !r.cache.addIfFree(state, id, index.Lookup([]string{id})[0]) {
			return false, nil
		}
	}
	return true, nil
}

// rest waits, unless ctx ends.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
