package rank

import "github.com/model-catalog-service/svc/service/record"

// RequestRecord is a rank request of version 3 as it is written: the candidates that
// can be run, what the job demands and what is preferred. A member that is zero is left
// out; its comment says what then holds. Hand it to [NewRequest] or
// [Ranker.RankRecord].
//
// Texts have no white space at either end and at most [MaxTextBytes] bytes.
type RequestRecord struct {
	SchemaVersion string                   `json:"schemaVersion"`         // RequestSchemaV3
	Task          *TaskSelector            `json:"task,omitzero"`         // which tasks count; nil: every task
	Inventory     record.List[Candidate]   `json:"inventory"`             // whom to rank, each id once
	Requirements  record.List[Requirement] `json:"requirements,omitzero"` // what excludes
	// what scores; the weights add up to a finite number
	Preferences record.List[Preference] `json:"preferences,omitzero"`
	// what orders those of equal scores and chooses, the most important first
	TieBreakers record.List[TieBreaker] `json:"tieBreakers,omitzero"`

	// MinimumCoverage is the share, from 0 to 1, of the weight of all preferences for which
	// a candidate must have evidence. One that has less is excluded. Nil is 1.
	MinimumCoverage *float64 `json:"minimumCoverage,omitzero"`
	// Confidence is that of intervals and comparisons, from 0.5 to 0.9999; zero is 0.95.
	Confidence float64 `json:"confidence,omitzero"`
	// Target is benchmark, where the same benchmark would lie again, or tasks, where other tasks of
	// the kind would lie; empty: benchmark where the number of questions is known.
	Target string                  `json:"target,omitzero"`
	Choice *Choice                 `json:"choice,omitzero"` // nil: the best score
	Cost   *TaskCost               `json:"cost,omitzero"`   // what a task takes; nil: no cost is worked out
	Keys   record.List[record.Key] `json:"keys,omitzero"`   // what measurement keys mean, each once
}

// Choice chooses among the candidates whose score is close to the best.
type Choice struct {
	Within float64 `json:"within"`      // how far below the best, in points of the score
	By     string  `json:"by,omitzero"` // id of the tie breaker that chooses, or usd-per-task; empty: all in turn
}

// TaskCost is what a task takes, in tokens.
type TaskCost struct {
	InputTokens       uint64  `json:"inputTokens"`
	OutputTokens      uint64  `json:"outputTokens"`
	CachedInputTokens *uint64 `json:"cachedInputTokens,omitzero"` // of the prompt, beside InputTokens
	CacheWriteTokens  *uint64 `json:"cacheWriteTokens,omitzero"`  // of the prompt, beside InputTokens
	Requests          *uint64 `json:"requests,omitzero"`          // how many tasks there are, for a total

	// Resolve chooses among prices that contradict each other, step by step: most-specific,
	// first-party, newest, highest; nil: not at all.
	Resolve []string `json:"resolve,omitzero"`
}

// TaskSelector selects tasks: each member that is not nil must be equal. The zero value
// selects every task.
type TaskSelector struct {
	Family *string `json:"family"` // such as software-engineering
	Suite  *string `json:"suite"`
	TaskID *string `json:"taskId"`
}

// Candidate is a model that can be run, and how.
type Candidate struct {
	ID        string       `json:"id"` // how the caller calls it
	Model     record.Model `json:"model"`
	Execution *Execution   `json:"execution,omitzero"` // nil: nothing is said of it, as in the zero Execution
}

// Execution is how a candidate is run. Nil means absent or unknown: evidence that states
// such a member differs from the candidate.
type Execution struct {
	Runtime                *record.Component `json:"runtime"`                // what serves the model
	Adapter                *record.Component `json:"adapter"`                // what is between caller and model
	EffectiveContextTokens *uint64           `json:"effectiveContextTokens"` // tokens of context that can be used
	// the tools that the model can call, each once
	ToolSurface record.List[string] `json:"toolSurface"`
	Hardware    *record.Hardware    `json:"hardware"`
	Workflow    *record.Workflow    `json:"workflow"`
}

// Measure says which measurements a criterion or a term reads, and what is made of them.
type Measure struct {
	MeasurementKey string      `json:"measurementKey,omitzero"` // such as price.output
	Aggregation    Aggregation `json:"aggregation,omitzero"`
	// Unit restricts to measurements of this unit, such as USD/token; empty: of any or none.
	Unit string `json:"unit,omitzero"`
	// Task takes the place of the request's; nil leaves that. The zero TaskSelector lifts it.
	Task *TaskSelector `json:"task,omitzero"`
	// SourceClasses are those that count: first-party, external; nil: both.
	SourceClasses []string `json:"sourceClasses,omitzero"`
	// Transfer names in what evidence may differ from the candidate; nil: in nothing. execution
	// covers every dimension but those of the model, and a whole covers its members.
	Transfer []Dimension `json:"transfer,omitzero"`
	// Resolve chooses where the evidence differs, step by step: most-specific, first-party, newest
	// and, of facts, highest; nil: not at all, so that facts conflict and samples are ambiguous.
	Resolve []string `json:"resolve,omitzero"`
}

// Aggregation is what is made of measurements.
type Aggregation string

// The aggregations.
const (
	AggregateFact        Aggregation = "fact"         // the one value that facts state
	AggregateMean        Aggregation = "mean"         // of samples that are numbers
	AggregateMin         Aggregation = "min"          // the lowest of samples that are numbers
	AggregateMax         Aggregation = "max"          // the highest of samples that are numbers
	AggregateSuccessRate Aggregation = "success-rate" // the share of samples that are true, from 0 to 1
	AggregateCount       Aggregation = "count"        // how many samples there are
)

// Dimension is something in which an observation may differ from a candidate, or groups of
// observations from each other. Of an execution these are runtime, runtime.id,
// runtime.version, adapter, adapter.id, adapter.version, effectiveContextTokens,
// toolSurface, hardware, hardware.class, hardware.accelerator, hardware.memoryBytes,
// workflow, workflow.id, workflow.version, workflow.condition, and execution for all of
// them; of a model model.revision and model.quantization; between groups, too,
// execution.kind, sourceClass, task.family, task.suite, task.evaluator.id and
// task.evaluator.version.
type Dimension string

// Term is a part of a sum: a value times a factor.
type Term struct {
	Measure
	Factor float64 `json:"factor"`
}

// Requirement excludes the candidates that do not meet it.
type Requirement struct {
	// ID is another for each criterion; empty: the role, a colon and the measurement key,
	// such as requirement:price.output. A criterion with a Sum must have one.
	ID       string `json:"id,omitzero"`
	Measure         // what is read; zero beside a Sum
	Sum      []Term `json:"sum,omitzero"` // terms that are added up, in place of the Measure
	Operator string `json:"operator"`     // eq: equal; gte: at least; lte: at most
	Value    any    `json:"value"`        // a string, a number or a bool; a number with gte and lte
}

// Preference scores candidates.
type Preference struct {
	ID string `json:"id,omitzero"` // as of a Requirement
	Measure
	Sum       []Term  `json:"sum,omitzero"`   // as of a Requirement
	Direction string  `json:"direction"`      // maximize or minimize
	Weight    float64 `json:"weight"`         // what the better end of the scale is worth; 0: it is shown, not scored
	Scale     *Scale  `json:"scale,omitzero"` // nil: from the lowest to the highest value of the candidates
}

// Scale is the ends of the scale of a preference. With one, no other candidate moves the
// score that the preference gives.
type Scale struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`         // more than Low
	Log  bool    `json:"log,omitzero"` // places go by the logarithm; Low is above 0 then
}

// TieBreaker orders candidates of equal scores, and chooses among those that a [Choice] allows.
type TieBreaker struct {
	ID string `json:"id,omitzero"` // as of a Requirement
	Measure
	Sum       []Term `json:"sum,omitzero"` // as of a Requirement
	Direction string `json:"direction"`    // maximize or minimize
}
