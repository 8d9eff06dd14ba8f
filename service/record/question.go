package record

// RankQuestionSchema is the schema version of [RankQuestion].
const RankQuestionSchema = "service.rank.question/v1"

// RankQuestion asks for a ranking by the keys of a catalog, as the options of svc rank do. Its
// candidates and criteria are found in the catalog. This asks for the best at coding among those
// that cost at most 5 dollars per million tokens of output, and takes the cheapest of those within
// 3% of the best:
//
//	{ "schemaVersion": "service.rank.question/v1", "atMost": { "price.output": "5/M" },
//	  "maximize": ["livebench.coding.score"], "cheapest": true }
//
// What is left out or null is the zero value.
type RankQuestion struct {
	SchemaVersion string `json:"schemaVersion,omitzero"` // service.rank.question/v1; may be empty in Go
	// ids of the candidates; nil: every model that has all preferred keys
	Models List[string] `json:"models,omitzero"`
	// without Models: every model that has any of the preferred keys
	All bool `json:"all,omitzero"`
	// where candidates can run, such as openrouter; nil: anywhere
	Runtimes List[string] `json:"runtimes,omitzero"`

	// how candidates are sold, such as free, batch or any; nil: as usual
	Services List[string] `json:"services,omitzero"`
	Sellers  string       `json:"sellerPolicy,omitzero"` // who sells them: first-party, major or any; empty: any

	// MeasuredCost is the key of what a model's work was measured to cost, in dollars, by which the
	// choice is made in place of the price of a task; * is that of most models.
	MeasuredCost Text `json:"measuredCost,omitzero"`

	// Requirements, by key. A number is in the unit of the catalog and may be written like
	// 200000, 200k, 90% or, for dollars per million tokens, 5/M. A value is a bool or a word.
	AtLeast map[string]string `json:"atLeast,omitzero"`
	AtMost  map[string]string `json:"atMost,omitzero"`
	Require map[string]any    `json:"require,omitzero"`

	// Preferences: keys of which more, or less, is better, and how much each counts, which is
	// 1 unless Weights say otherwise. Trials names, for a key whose values are shares of trials,
	// the key that counts them: its intervals follow from their number.
	Maximize List[string]       `json:"maximize,omitzero"`
	Minimize List[string]       `json:"minimize,omitzero"`
	Weights  map[string]float64 `json:"weights,omitzero"`
	Trials   map[string]string  `json:"trials,omitzero"`

	Keys     List[string] `json:"keys,omitzero"`     // criteria as the values of each key suggest
	Cheapest bool         `json:"cheapest,omitzero"` // the cheapest is chosen of all whose score is within 3% of the best

	// how far below the best, as a share of the scale; null: 3% if Cheapest
	Within Float `json:"within,omitzero"`
	// what a task takes; nil: 20,000 tokens of input and 3,000 of output
	Tokens     *TaskTokens `json:"cost,omitzero"`
	Confidence float64     `json:"confidence,omitzero"` // of intervals and comparisons; 0: 0.95
	// benchmark or tasks; empty: benchmark where the number of questions is known
	Target string `json:"target,omitzero"`
}
