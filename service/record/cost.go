package record

// CostTableSchema is the schema version of [CostTable].
const CostTableSchema = "service.cost.table/v1"

// CostTable is what a task costs at everybody who sells some models.
type CostTable struct {
	SchemaVersion string              `json:"schemaVersion" is:"service.cost.table/v1"`
	Catalog       CatalogReference    `json:"catalog"`
	Task          TaskTokens          `json:"task"`
	Offers        List[OfferCost]     `json:"offers"`   // the cheapest first
	Unpriced      List[UnpricedOffer] `json:"unpriced"` // by model and provider
	Notes         List[string]        `json:"notes"`    // what the costs take as given, in sentences
}

// TaskTokens is what a task takes, in tokens.
type TaskTokens struct {
	Input       uint64 `json:"inputTokens"`
	Output      uint64 `json:"outputTokens"`
	CachedInput uint64 `json:"cachedInputTokens"` // of the prompt, beside Input
	CacheWrite  uint64 `json:"cacheWriteTokens"`  // of the prompt, beside Input
	Requests    uint64 `json:"requests"`          // how many tasks there are; 0: unknown
}

// OfferCost is what a task costs at one provider. Where its price lists contradict each other, the
// two ends of an interval differ.
type OfferCost struct {
	Model      Model            `json:"model"`
	Runtime    Text             `json:"runtime"` // the provider; null: whoever sells it
	USDPerTask Interval         `json:"usdPerTask"`
	USDTotal   *Interval        `json:"usdTotal"` // of all requests; null if their number is not given
	Prices     List[TokenPrice] `json:"prices"`
	Speed      *OfferSpeed      `json:"speed"`                // null if no list says how fast it answers
	ObservedAt Timestamp        `json:"observedAt"`           // of the oldest price
	ValidUntil Timestamp        `json:"validUntil" or:"null"` // of the price that expires first; null: without end
}

// TokenPrice is the price of one part of a task: input, output, cached-input or cache-write.
type TokenPrice struct {
	// input, output, cached-input or cache-write
	Part           string       `json:"part" is:"input output cached-input cache-write"`
	Tokens         uint64       `json:"tokens"`
	MeasurementKey string       `json:"measurementKey"` // such as price.input@context>200000
	USDPerToken    Interval     `json:"usdPerToken"`
	ObservationIDs List[string] `json:"observationIds" is:"hash"`
}

// UnpricedOffer is a provider of a model at which the cost of the task is not known.
type UnpricedOffer struct {
	Model   Model `json:"model"`
	Runtime Text  `json:"runtime"`
	// a price that the task needs has expired, or is missing
	Reason string `json:"reason" is:"expired missing"`
	Part   string `json:"part" is:"input output cached-input cache-write"` // input, output, cached-input or cache-write
}
