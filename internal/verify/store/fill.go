package store

import (
	"context"
	"errors"
	"slices"
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
	b := claimBatch{}
	err = r.query(ctx, batchStatement, after, b.read)
	if errors.As(err, new(*producer.TooLargeError)) {
		b = claimBatch{state: state}
		b.more, err = r.idsAfter(ctx, after) // each has to be found by itself
	}
	switch {
	case err != nil:
		return "", false, err
	case b.state != state:
		return "", false, errStateChanged
	case len(b.claims)+len(b.more) == 0:
		return "", false, nil
	}
	for key, found := range b.claims {
		last = max(last, key)
		if !slices.Contains(b.more, key) && !r.cache.addIfFree(key, answer{state, found.pack(), key}) {
			return "", false, nil
		}
	}
	for _, key := range b.more {
		last = max(last, key)
		began := time.Now()
		a, err := r.find(ctx, key)
		switch {
		case errors.As(err, new(*producer.TooLargeError)):
			rest(ctx, fillRest*time.Since(began)) // there may be many
		case err != nil:
			return "", false, err
		case a.state != state:
			return "", false, errStateChanged
		case !r.cache.addIfFree(key, a):
			return "", false, nil
		}
	}
	return last, true, nil
}

// claimBatch is what batchQuery answers.
type claimBatch struct {
	state  string
	claims map[string]*claimPack // what each id leads to, unless it is one of more
	more   []string              // ids that lead further
}

// read reads the rows, which come in any order.
func (b *claimBatch) read(found rows) error {
	*b = claimBatch{claims: map[string]*claimPack{}} // it may be read again after a failure
	bytes := 0
	for found.Next() {
		var kind int
		var key, text string
		if err := found.Scan(&kind, &key, &text); err != nil {
			return err
		}
		switch kind {
		case rowState:
			b.state = key
			continue
		case rowMore:
			b.more = append(b.more, key)
			continue
		}
		if bytes += len(text); bytes > producer.MaxAnswerBytes {
			return &producer.TooLargeError{}
		}
		claim := b.claims[key]
		if claim == nil {
			claim = &claimPack{}
			b.claims[key] = claim
		}
		if err := claim.add(kind, pack(text)); err != nil {
			return err
		}
	}
	return found.Err()
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
