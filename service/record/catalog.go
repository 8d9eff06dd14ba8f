package record

// CatalogReference names a catalog.
type CatalogReference struct {
	Digest string    `json:"digest" is:"hash"` // SHA-256 of the snapshot without it
	AsOf   Timestamp `json:"asOf"`             // the instant that the catalog speaks for
}

// Catalog is a snapshot: observations compiled as of an instant.
type Catalog struct {
	SchemaVersion string `json:"schemaVersion" is:"service.catalog/v2"` // CatalogSchema

	AsOf      Timestamp          `json:"asOf"`             // no date in it is later
	Digest    string             `json:"digest" is:"hash"` // SHA-256 of the snapshot without it
	Models    List[CatalogModel] `json:"models"`           // by key
	Conflicts List[Conflict]     `json:"conflicts"`        // by key
}

// CatalogModel is a model and all that was observed of it.
type CatalogModel struct {
	Key          string                   `json:"key" is:"hash"` // SHA-256 of the identity
	Identity     Model                    `json:"identity"`
	Observations List[CatalogObservation] `json:"observations" least:"1"` // by id
}

// CatalogObservation is an observation of a catalog.
type CatalogObservation struct {
	Observation
	ID string `json:"id" is:"hash"` // SHA-256 of the canonical JSON of the observation without its id
}

// Conflict is a set of observations that state different values of one fact for the same scope
// while both are in force.
type Conflict struct {
	Key            string       `json:"key" is:"hash"`      // SHA-256 of the scope
	ModelKey       string       `json:"modelKey" is:"hash"` // the key of the model
	MeasurementKey string       `json:"measurementKey"`
	Execution      Scope        `json:"execution" or:"null"`
	Task           Task         `json:"task" or:"null"`
	ObservationIDs List[string] `json:"observationIds" is:"hash"` // at least two, sorted
	// Values are those that differ: bools, numbers, then strings, each ascending.
	Values List[Scalar] `json:"values"`
}
