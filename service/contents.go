package service

import (
	"errors"
	"fmt"
	"time"

	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/service/record"
)

// CatalogContentsSchema is the schema version of contents.
const CatalogContentsSchema = "service.catalog.contents/v1"

// ContentsOptions say what of a catalog is listed. Texts that are empty select nothing.
type ContentsOptions struct {
	AsOf      time.Time // when measurements hold, cut to milliseconds; zero is the AsOf of the catalog
	Model     string    // a part of the id of the model, in any case
	Key       string    // a part of the measurement key, in any case
	Source    string    // a source class, or the source that evidence ids begin with, such as openrouter-models
	Stale     bool      // those alone that have expired
	Conflicts bool      // facts alone that contradict each other
}

func (o *ContentsOptions) inner() (contents.Options, error) {
	inner := contents.Options{Model: o.Model, Key: o.Key, Source: o.Source, Stale: o.Stale, Conflicts: o.Conflicts}
	if o.AsOf.IsZero() {
		return inner, nil
	}
	if inner.AsOf = timestampText(o.AsOf); inner.AsOf == "" {
		return inner, fmt.Errorf("%v cannot be written as a timestamp", o.AsOf)
	}
	return inner, nil
}

// ListModels lists the models of a catalog that have a measurement which fits, with counts
// of those. Its error is an [*AbsentNameError], if the catalog has no such model, key or
// source at all.
func ListModels(c *Catalog, options ContentsOptions) (*CatalogContents, error) {
	inner, err := options.inner()
	if err != nil {
		return nil, err
	}
	return newContents(contents.Models(c.inner, inner))
}

// ListKeys lists the measurement keys of a catalog that have a measurement which fits. It
// fails as [ListModels] does.
func ListKeys(c *Catalog, options ContentsOptions) (*CatalogContents, error) {
	inner, err := options.inner()
	if err != nil {
		return nil, err
	}
	return newContents(contents.Keys(c.inner, inner))
}

// ListMeasurements lists what was measured of the models that a name means: those of an id,
// such as acme/atlas; the one of an id, a revision and a quantization, such as
// acme/atlas@2026 int8; the one whose key begins so; or those of the one id that begins so.
// It fails as [ListModels] does, and with an [*AmbiguousNameError].
func ListMeasurements(c *Catalog, model string, options ContentsOptions) (*CatalogContents, error) {
	inner, err := options.inner()
	if err != nil {
		return nil, err
	}
	found, err := contents.Find(c.inner, model)
	if err == nil && found.Observation != nil {
		err = &contents.AbsentError{What: fmt.Sprintf("model %q, which is an observation", model)}
	}
	if err != nil {
		return newContents(nil, err)
	}
	return newContents(contents.Measurements(c.inner, found.Models, inner))
}

func newContents(list *contents.Contents, err error) (*CatalogContents, error) {
	if absent, ok := errors.AsType[*contents.AbsentError](err); ok {
		found := &AbsentNameError{What: absent.What}
		if len(absent.Similar) > 0 {
			found.Closest = absent.Similar[0]
		}
		return nil, found
	}
	if ambiguous, ok := errors.AsType[*contents.AmbiguousError](err); ok {
		return nil, &AmbiguousNameError{ambiguous.Name, ambiguous.Names, ambiguous.Count}
	}
	if err != nil {
		return nil, err
	}
	return decode[*CatalogContents](list.JSON()), nil
}

// AbsentNameError reports a name that a catalog does not have.
type AbsentNameError struct {
	What    string // what the catalog lacks, with the name
	Closest string // a name that it has and that may be meant, or empty
}

// Error names both.
func (e *AbsentNameError) Error() string {
	inner := contents.AbsentError{What: e.What}
	if e.Closest != "" {
		inner.Similar = []string{e.Closest}
	}
	return inner.Error()
}

// AmbiguousNameError reports the beginning of several names.
type AmbiguousNameError struct {
	Name  string
	Names []string // a few of them
	Count int      // how many there are
}

// Error names a few of them.
func (e *AmbiguousNameError) Error() string { return (*contents.AmbiguousError)(e).Error() }

// CatalogContents is what a catalog holds, or the part that was asked for.
type CatalogContents struct {
	SchemaVersion string                  `json:"schemaVersion"` // CatalogContentsSchema
	Catalog       record.CatalogReference `json:"catalog"`
	AsOf          record.Timestamp        `json:"asOf"` // at which measurements hold or have expired
	Only          ContentsSelection       `json:"only"`
	Models        []ModelContents         `json:"models"` // by id, then key; nil in a list of keys
	Keys          []KeyContents           `json:"keys"`   // by key; nil in a list of models
}

// ContentsSelection says which measurements are counted and listed: those that fit all of
// it. Members are as in ContentsOptions.
type ContentsSelection struct {
	Model     *string `json:"model"`
	Key       *string `json:"key"`
	Source    *string `json:"source"`
	Stale     bool    `json:"stale"`
	Conflicts bool    `json:"conflicts"`
}

// ModelContents is a model with counts of what fits.
type ModelContents struct {
	Key          string               `json:"key"` // see [record.CatalogModel]
	Identity     record.Model         `json:"identity"`
	Observations int                  `json:"observations"` // with a measurement that fits
	Facts        int                  `json:"facts"`
	Samples      int                  `json:"samples"`
	Expired      int                  `json:"expired"`      // facts and samples that have expired
	Conflicts    int                  `json:"conflicts"`    // slots of facts that contradict each other
	Oldest       *record.Timestamp    `json:"oldest"`       // when the first of the observations was made; nil if there is none
	Newest       *record.Timestamp    `json:"newest"`       // when the last of them was made
	Measurements []MeasurementSummary `json:"measurements"` // by measurement key, kind, execution and task; nil in a list of models
}

// MeasurementSummary is what was measured of a model under a key in one execution scope:
// the facts about one task, or the samples of one suite of tasks.
type MeasurementSummary struct {
	MeasurementKey string `json:"measurementKey"`
	Kind           string `json:"kind"` // fact or sample
	// State is value, if what holds of a fact is one value or some samples are used; conflict,
	// if facts that hold contradict each other; expired, if nothing holds; invalid, if the
	// samples that hold come from invalid evaluations.
	State            string                   `json:"state"`
	Values           record.List[StatedValue] `json:"values"` // distinct ones, the first 16
	ValueCount       int                      `json:"valueCount"`
	Aggregate        *SampleSummary           `json:"aggregate"`    // of samples; nil of facts
	Execution        *record.Scope            `json:"execution"`    // nil: every execution
	Task             *SummaryTask             `json:"task"`         // nil: whatever the task
	Conflict         *string                  `json:"conflict"`     // the key of the catalog's Conflict
	Sources          record.List[string]      `json:"sources"`      // that evidence ids begin with, sorted, the first 16
	Observations     record.List[Witness]     `json:"observations"` // that make it; newest first, at most 4
	ObservationCount int                      `json:"observationCount"`
}

// SummaryTask is the task of a fact, or the suite of samples.
type SummaryTask struct {
	Family string  `json:"family"`
	Suite  *string `json:"suite"`
	TaskID *string `json:"taskId"` // nil of samples, which are of many
}

// KeyContents is a measurement key with counts of what fits.
type KeyContents struct {
	MeasurementKey string                   `json:"measurementKey"`
	Kinds          record.List[string]      `json:"kinds"`        // fact, sample
	Models         int                      `json:"models"`       // that have it
	Observations   int                      `json:"observations"` // that have it
	Expired        int                      `json:"expired"`      // facts and samples that have expired
	Ranges         record.List[ValueRange]  `json:"ranges"`       // of its numbers, by unit
	Values         record.List[StatedValue] `json:"values"`       // its distinct texts and bools, the first 8
	ValueCount     int                      `json:"valueCount"`
}

// ValueRange is the numbers of a key in one unit.
type ValueRange struct {
	Unit  *string `json:"unit"` // nil if they have none
	Count int     `json:"count"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}
