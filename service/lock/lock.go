// Package lock writes down what an application relies on, the models that it uses and what a
// catalog knows of them, and says later what of that is no longer so. It opens nothing and reads no
// clock.
//
//	l, unlocked, err := lock.Make(ctx, c, lock.Options{Uses: []lock.Use{{Runtime: "openrouter", Model: "x-ai/grok-4"}}})
//	check, err := lock.Check(ctx, newer, l, time.Now())
//	for _, finding := range check.Findings {
//		fmt.Println(finding.Level, finding.Message)
//	}
package lock

import (
	"context"
	"errors"
	"fmt"
	"time"

	inside "github.com/model-catalog-service/svc/internal/catalog"

	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/internal/outward"
	"github.com/model-catalog-service/svc/service/rank"
	"github.com/model-catalog-service/svc/service/record"
)

// MaxBytes is how long the text of a lock may be.
const MaxBytes = 16 << 20

// ErrNothing says that the catalog knows no fact about a use, so there is nothing to
// lock.
var ErrNothing = lock.ErrNoFact

// ErrTooEarly says that the time of a check is before the AsOf of the catalog.
var ErrTooEarly = lock.ErrEarly

// Lock is what an application relies on: the models that it uses, how they are run,
// and what a catalog knew of them when the lock was made. It is immutable.
type Lock struct {
	inner *lock.Lock
	text  string
}

// Use is a model at a runtime, of which nothing more is said.
type Use struct {
	Runtime string // such as openrouter
	Model   string // its id, such as moonshotai/kimi-k2
}

// Options say what to lock: prices, limits, capabilities and the life cycle of each
// use, and more.
type Options struct {
	Requests []*rank.Request // whose candidates are used, and the facts that their criteria read
	Uses     []Use
	Watch    []string // more measurement keys
	Existing *Lock    // to be continued, nil for none: policy and uses stay, but for uses of the same id
}

// UnlockedFact is a fact that could not be locked, since no one value of it is known.
type UnlockedFact struct {
	Use            string // the id of the use
	MeasurementKey string
	Status         string // missing, stale, conflict or incomparable
}

// Make locks uses as a catalog knows them, and returns what could not be locked. Its
// errors are those of the context and [ErrNothing], wrapped.
func Make(ctx context.Context, c *catalog.Catalog, options Options) (*Lock, []UnlockedFact, error) {
	demand := lock.Demand{Watch: options.Watch}
	for _, q := range options.Requests {
		if err := demand.Add(q.JSON()); err != nil {
			return nil, nil, outward.Error(err)
		}
	}
	for _, use := range options.Uses {
		found, err := lock.FindUse((*inside.Catalog)(c), use.Runtime, use.Model)
		if err != nil {
			return nil, nil, err
		}
		demand.Uses = append(demand.Uses, found)
	}
	if len(demand.Uses) == 0 && options.Existing == nil {
		return nil, nil, errors.New("there is nothing to lock: no request has a candidate, and no use is given")
	}
	var existing *lock.Lock
	if options.Existing != nil {
		existing = options.Existing.inner
	}
	made, rest, err := lock.Make(ctx, (*inside.Catalog)(c), demand, existing)
	if err != nil {
		return nil, nil, err
	}
	words := map[v3.FactStatus]string{
		v3.FactMissing: "missing", v3.FactStale: "stale", v3.FactConflict: "conflict", v3.FactIncomparable: "incomparable",
	}
	var unlocked []UnlockedFact
	for _, u := range rest {
		unlocked = append(unlocked, UnlockedFact{u.Use, u.Key, words[u.Status]})
	}
	l, err := read(made.Text())
	return l, unlocked, err
}

// Parse reads the text of a lock. Its faults have no code.
func Parse[T service.Text](text T) (*Lock, error) { return read(string(text)) }

func read(text string) (*Lock, error) {
	l, err := lock.Read(problem.Source{Text: text})
	if err != nil {
		return nil, outward.Error(err)
	}
	return &Lock{l, text}, nil
}

// Text returns the lock as it was read, or as a file that people review: JSON with one fact
// a line.
func (l *Lock) Text() string { return l.text }

// MarshalJSON returns what Text does.
func (l *Lock) MarshalJSON() ([]byte, error) { return []byte(l.text), nil }

// Record returns the members of the lock.
func (l *Lock) Record() *record.Lock { return &l.inner.Lock }

// Check says what of a lock is no longer so, by a catalog at an instant, which is cut
// to milliseconds. It fails with [ErrTooEarly], or with the error of the context.
func Check(ctx context.Context, c *catalog.Catalog, l *Lock, now time.Time) (*record.ModelsCheck, error) {
	text := outward.Timestamp(now)
	if text == "" {
		return nil, fmt.Errorf("%v cannot be written as a timestamp", now)
	}
	return lock.Check(ctx, (*inside.Catalog)(c), l.inner, l.text, text)
}

// Update returns the lock with the facts that a catalog has at an instant. Policy and
// uses stay, those that are gone with what was known of them. It fails as [Check]
// does.
func Update(ctx context.Context, c *catalog.Catalog, l *Lock, now time.Time) (*Lock, error) {
	text := outward.Timestamp(now)
	if text == "" {
		return nil, fmt.Errorf("%v cannot be written as a timestamp", now)
	}
	updated, err := lock.Update(ctx, (*inside.Catalog)(c), l.inner, text)
	if err != nil {
		return nil, err
	}
	return read(updated.Text())
}
