package record

// CatalogContentsSchema is the schema version of [CatalogContents].
const CatalogContentsSchema = "service.catalog.contents/v1"

// CatalogContents is what a catalog holds, or the part that was asked for.
type CatalogContents struct {
	SchemaVersion string            `json:"schemaVersion" is:"service.catalog.contents/v1"`
	Catalog       CatalogReference  `json:"catalog"`
	AsOf          Timestamp         `json:"asOf"` // at which measurements hold or have expired
	Only          ContentsSelection `json:"only"`
	Models        []ModelContents   `json:"models" or:"null"` // by id, then key; null in a list of keys
	Keys          []KeyContents     `json:"keys" or:"null"`   // by key; null in a list of models
}

// ContentsSelection says which measurements are counted and listed: those that fit all of it.
type ContentsSelection struct {
	Model Text `json:"model"` // a part of the id of the model, in any case
	Key   Text `json:"key"`   // a part of the measurement key, in any case
	// a source class, or the source that evidence ids begin with, such as openrouter-models
	Source    Text `json:"source"`
	Stale     bool `json:"stale"`     // those alone that have expired
	Conflicts bool `json:"conflicts"` // facts alone that contradict each other
}

// ModelContents is a model with counts of what fits.
type ModelContents struct {
	Key          string    `json:"key" is:"hash"` // SHA-256 of the identity
	Identity     Model     `json:"identity"`
	Observations int       `json:"observations"` // with a measurement that fits
	Facts        int       `json:"facts"`
	Samples      int       `json:"samples"`
	Expired      int       `json:"expired"`          // facts and samples that have expired
	Conflicts    int       `json:"conflicts"`        // slots of facts that contradict each other
	Oldest       Timestamp `json:"oldest" or:"null"` // when the first of the observations was made; null if there is none
	Newest       Timestamp `json:"newest" or:"null"` // when the last of them was made
	// Measurements are by measurement key, kind, execution and task; null in a list of models.
	Measurements []MeasurementSummary `json:"measurements" or:"null"`
}

// MeasurementSummary is what was measured of a model under a key in one execution scope: the facts
// about one task, or the samples of one suite of tasks.
type MeasurementSummary struct {
	MeasurementKey string `json:"measurementKey"`
	Kind           string `json:"kind" is:"fact sample"` // fact or sample
	// State is value, if what holds of a fact is one value or some samples are used; conflict, if
	// facts that hold contradict each other; expired, if nothing holds; invalid, if the samples that
	// hold come from invalid evaluations.
	State            string            `json:"state" is:"value conflict expired invalid"`
	Values           List[StatedValue] `json:"values" most:"16"` // distinct ones, the first 16, in the order of conflicts
	ValueCount       int               `json:"valueCount"`
	Aggregate        *SampleSummary    `json:"aggregate"`             // of the samples that are used; nil of facts
	Execution        Scope             `json:"execution" or:"null"`   // null: every execution
	Task             SummaryTask       `json:"task" or:"null"`        // null: whatever the task
	Conflict         Text              `json:"conflict" is:"hash"`    // the key of the catalog's conflict
	Sources          List[string]      `json:"sources" most:"16"`     // that evidence ids begin with, sorted, the first 16
	Observations     List[Witness]     `json:"observations" most:"4"` // that make it; newest first
	ObservationCount int               `json:"observationCount"`
}

// The states of a MeasurementSummary.
const (
	SummaryValue    = "value"
	SummaryConflict = "conflict"
	SummaryExpired  = "expired"
	SummaryInvalid  = "invalid"
)

// SummaryTask is the task of a fact, or the suite of samples.
type SummaryTask struct {
	Family string `json:"family"`
	Suite  Text   `json:"suite"`
	TaskID Text   `json:"taskId"` // null of samples, which are of many
}

// MarshalJSON writes null for the zero SummaryTask.
func (t SummaryTask) MarshalJSON() ([]byte, error) {
	type object SummaryTask
	return marshalUnless(t == SummaryTask{}, object(t))
}

// KeyContents is a measurement key with counts of what fits.
type KeyContents struct {
	MeasurementKey string           `json:"measurementKey"`
	Kinds          List[string]     `json:"kinds" is:"fact sample" most:"2"` // fact, sample
	Models         int              `json:"models"`                          // that have it
	Observations   int              `json:"observations"`                    // that have it
	Expired        int              `json:"expired"`                         // facts and samples that have expired
	Ranges         List[ValueRange] `json:"ranges"`                          // of its numbers, by unit
	// its distinct texts and booleans, the first 8
	Values     List[StatedValue] `json:"values" most:"8"`
	ValueCount int               `json:"valueCount"`
}

// ValueRange is the numbers of a key in one unit.
type ValueRange struct {
	Unit  Text    `json:"unit"` // null if they have none
	Count int     `json:"count"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}
