package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// ModelsLockSchema is the schema version of a lock.
const ModelsLockSchema = "service.models.lock/v1"

// MaxModelsLockBytes is how long the text of a lock may be.
const MaxModelsLockBytes = 16 << 20

// ErrNothingToLock says that the catalog knows no fact about a use, so there is nothing to
// lock.
var ErrNothingToLock = lock.ErrNoFact

// ErrCheckTooEarly says that the time of a check is before the AsOf of the catalog.
var ErrCheckTooEarly = lock.ErrEarly

// ModelsLock is what an application relies on: the models that it uses, how they are run,
// and what a catalog knew of them when the lock was made. It is immutable.
type ModelsLock struct {
	inner *lock.Lock
	text  string
}

// ModelUse is a model at a runtime, of which nothing more is said.
type ModelUse struct {
	Runtime string // such as openrouter
	Model   string // its id, such as moonshotai/kimi-k2
}

// LockOptions say what to lock: prices, limits, capabilities and the life cycle of each
// use, and more.
type LockOptions struct {
	Requests []*RankRequest // whose candidates are used, and the facts that their criteria read
	Uses     []ModelUse
	Watch    []string    // more measurement keys
	Existing *ModelsLock // to be continued, nil for none: policy and uses stay, but for uses of the same id
}

// UnlockedFact is a fact that could not be locked, since no one value of it is known.
type UnlockedFact struct {
	Use            string // the id of the use
	MeasurementKey string
	Status         string // missing, stale, conflict or incomparable
}

// LockModels locks uses as a catalog knows them, and returns what could not be locked. Its
// errors are those of the context and [ErrNothingToLock], wrapped.
func LockModels(ctx context.Context, c *Catalog, options LockOptions) (*ModelsLock, []UnlockedFact, error) {
	demand := lock.Demand{Watch: options.Watch}
	for _, q := range options.Requests {
		if err := demand.Add(q.JSON()); err != nil {
			return nil, nil, publish(err)
		}
	}
	for _, use := range options.Uses {
		found, err := lock.FindUse(c.inner, use.Runtime, use.Model)
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
	made, rest, err := lock.Make(ctx, c.inner, demand, existing)
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
	l, err := readLock(made.Text())
	return l, unlocked, err
}

// ParseModelsLock reads the text of a lock. Its faults have no code.
func ParseModelsLock[T Text](text T) (*ModelsLock, error) { return readLock(string(text)) }

func readLock(text string) (*ModelsLock, error) {
	l, err := lock.Read(problem.Source{Text: text})
	if err != nil {
		return nil, publish(err)
	}
	return &ModelsLock{l, text}, nil
}

// Text returns the lock as it was read, or as a file that people review: JSON with one fact
// a line.
func (l *ModelsLock) Text() string { return l.text }

// MarshalJSON returns what Text does.
func (l *ModelsLock) MarshalJSON() ([]byte, error) { return []byte(l.text), nil }

// Record returns the members of the lock.
func (l *ModelsLock) Record() *ModelsLockRecord {
	text, _ := CanonicalJSON(l.text) // where a count is not written 5.0; it was read before
	return decode[*ModelsLockRecord](text)
}

// CheckModels says what of a lock is no longer so, by a catalog at an instant, which is cut
// to milliseconds. It fails with [ErrCheckTooEarly], or with the error of the context.
func CheckModels(ctx context.Context, c *Catalog, l *ModelsLock, now time.Time) (*record.ModelsCheck, error) {
	text := timestampText(now)
	if text == "" {
		return nil, fmt.Errorf("%v cannot be written as a timestamp", now)
	}
	return lock.Check(ctx, c.inner, l.inner, l.text, text)
}

// UpdateModels returns the lock with the facts that a catalog has at an instant. Policy and
// uses stay, those that are gone with what was known of them. It fails as [CheckModels]
// does.
func UpdateModels(ctx context.Context, c *Catalog, l *ModelsLock, now time.Time) (*ModelsLock, error) {
	text := timestampText(now)
	if text == "" {
		return nil, fmt.Errorf("%v cannot be written as a timestamp", now)
	}
	updated, err := lock.Update(ctx, c.inner, l.inner, text)
	if err != nil {
		return nil, err
	}
	return readLock(updated.Text())
}

// ModelsLockRecord is a lock as it is written.
type ModelsLockRecord struct {
	SchemaVersion string                  `json:"schemaVersion"` // ModelsLockSchema
	Catalog       record.CatalogReference `json:"catalog"`       // that it was made from
	Policy        LockPolicy              `json:"policy"`
	Uses          record.List[LockedUse]  `json:"uses"` // by id, at least one
}

// LockPolicy says what is a failure. The zero value has the defaults.
type LockPolicy struct {
	PriceUpPercent float64 `json:"priceUpPercent,omitzero"` // by how much a price may rise; 0 without it
	// how long before the end of a model there is a finding; nil is 30
	NoticeDays *uint64 `json:"noticeDays,omitzero"`
	// how old the catalog may be; the zero value is 7 days
	CatalogMaxAgeDays CatalogMaxAge `json:"catalogMaxAgeDays,omitzero"`
	// Levels are those of codes that do not have their usual one: fail, warn or off.
	Levels map[record.FindingCode]string `json:"levels,omitzero"`
}

// CatalogMaxAge is how old a catalog may be.
type CatalogMaxAge struct {
	Days   *uint64 // nil is 7
	AnyAge bool    // its age does not matter, whatever Days says
}

// MarshalJSON writes days, null for any age.
func (a CatalogMaxAge) MarshalJSON() ([]byte, error) {
	if a.AnyAge {
		return []byte("null"), nil
	}
	return json.Marshal(a.Days)
}

// UnmarshalJSON reads days or null.
func (a *CatalogMaxAge) UnmarshalJSON(text []byte) error {
	*a = CatalogMaxAge{AnyAge: string(text) == "null"}
	return json.Unmarshal(text, &a.Days)
}

// LockedUse is a model, how it is run, and what was known of that.
type LockedUse struct {
	ID        string                        `json:"id"`
	Model     record.Model                  `json:"model"`
	Execution Execution                     `json:"execution"`
	Facts     map[string]record.StatedValue `json:"facts"` // by measurement key
}
