package catalog

import "github.com/model-catalog-service/svc/internal/canonical"

// Schema versions of the records of this package.
const (
	ObservationSchema = "service.observation/v2"
	SnapshotSchema    = "service.catalog/v2"
)

// Record is an observation as it is written: the members of
// service.observation/v2. A text is never empty, so "" stands for null, and a
// group whose required text is "" stands for null as a whole.
//
// A Record proves nothing. [Normalize] makes an [Observation] of its JSON.
type Record struct {
	Kind         string // evaluation or declaration
	Model        Model
	Execution    Scope // null if Kind is ""
	Task         Task  // null if Family is ""
	Measurements []Measurement
	Outcome      Outcome // null if Status is ""
	Usage        Usage   // null if Completeness is ""
	SourceClass  string  // first-party or external
	Evidence     []Evidence
	Freshness    Freshness
	Uncertainty  Uncertainty
}

// The kinds of a Record.
const (
	KindEvaluation  = "evaluation"
	KindDeclaration = "declaration"
)

// The source classes.
const (
	FirstParty = "first-party"
	External   = "external"
)

// Model identifies what ran: the weights, not the name that a vendor sells.
type Model struct {
	ID           string
	Revision     string // "" is null
	Quantization string // "" is null
}

// Name is the identity in one text, as people read it: id@revision quantization.
func (m Model) Name() string {
	name := m.ID
	if m.Revision != "" {
		name += "@" + m.Revision
	}
	if m.Quantization != "" {
		name += " " + m.Quantization
	}
	return name
}

// Component is a piece of software and its version.
type Component struct {
	ID      string
	Version string // "" is null
}

// Count is a whole number from 0 to 2^53-1, or null.
type Count struct {
	N     uint64
	Known bool // false is null
}

// Profile says how a model is run.
type Profile struct {
	Runtime                Component
	Adapter                Component // null if ID is ""
	EffectiveContextTokens Count
	ToolSurface            []string // nil is null, in a partial scope only
	Hardware               Hardware // null if Class is ""
	Workflow               Workflow // null if ID is ""
}

// Hardware is what a model runs on.
type Hardware struct {
	Class       string
	Accelerator string // "" is null
	MemoryBytes Count
}

// Workflow is the procedure around a model and the condition it ran under.
type Workflow struct {
	ID        string
	Version   string // "" is null
	Condition string // "" is null
}

// Scope is what an observation says of the execution it holds for.
type Scope struct {
	Kind string // exact or partial
	Profile
}

// RuntimeAlone returns the runtime of a scope that says nothing else, as that of a price
// does. It is "" for the scope that is null.
func (s *Scope) RuntimeAlone() (id string, ok bool) {
	if s.Kind == "" {
		return "", true
	}
	ok = s.Kind == ScopePartial && s.Runtime.ID != "" && s.Runtime.Version == "" && s.Adapter.ID == "" &&
		!s.EffectiveContextTokens.Known && s.ToolSurface == nil && s.Hardware.Class == "" && s.Workflow.ID == ""
	return s.Runtime.ID, ok
}

// OwnWorkflow is the id of the workflow of candidates that are asked about by somebody who
// runs a model in a workflow of their own, and not in the one that it was measured in.
const OwnWorkflow = "your-agent"

// The kinds of a Scope. An exact one holds for one profile only; a partial one
// asserts what is not null.
const (
	ScopeExact   = "exact"
	ScopePartial = "partial"
)

// Task is what was measured, and who judged.
type Task struct {
	Family    string
	Suite     string // "" is null
	TaskID    string // "" is null
	Evaluator Component
}

// Measurement is one value under a key.
type Measurement struct {
	Key   string
	Kind  string // fact or sample
	Value Scalar
	Unit  string // "" is absent
}

// The kinds of a Measurement.
const (
	Fact   = "fact"
	Sample = "sample"
)

// Scalar is a string, a number or a boolean.
type Scalar struct {
	Kind byte   // '"' for a string, '0' for a number, 't' or 'f' for a boolean
	Text string // the string, or the canonical text of the number
}

// Number is a number as a scalar.
func Number(f float64) Scalar { return Scalar{'0', string(canonical.AppendNumber(nil, f))} }

// Bool is a boolean as a scalar.
func Bool(is bool) Scalar {
	if is {
		return Scalar{Kind: 't'}
	}
	return Scalar{Kind: 'f'}
}

// Outcome says how an evaluation ended.
type Outcome struct {
	Status string // accepted, rejected or invalid
	Reason string // "" is null
}

// The statuses of an Outcome.
const (
	OutcomeAccepted = "accepted"
	OutcomeRejected = "rejected"
	OutcomeInvalid  = "invalid" // of a run that measured nothing
)

// Usage is what an evaluation consumed.
type Usage struct {
	InputTokens     Count
	OutputTokens    Count
	ReasoningTokens Count
	TotalTokens     Count
	Completeness    string // complete, partial or unknown
	ModelCalls      Count
	WallTimeMs      Count
}

// How complete a Usage is.
const (
	UsageComplete = "complete"
	UsagePartial  = "partial"
	UsageUnknown  = "unknown"
)

// Evidence is where the values of an observation can be seen.
type Evidence struct {
	ID         string
	Kind       string
	URI        string // "" is null
	SHA256     string // the digest's value; "" is a null digest
	ObservedAt string // timestamp
}

// Freshness is when an observation was made and how long it holds. Timestamps
// have one form of fixed width, so that they order as text.
type Freshness struct {
	ObservedAt string
	ValidUntil string // "" is null: without end
}

// HoldsAt reports whether an observation counts at an instant, a timestamp of records:
// it does from observedAt on until validUntil, and no longer at validUntil itself, when
// it has expired. A catalog has expired observations too; whoever ranks, lists, compares
// or exports it asks here.
func (f *Freshness) HoldsAt(instant string) bool {
	return f.ObservedAt <= instant && (f.ValidUntil == "" || f.ValidUntil > instant)
}

// Uncertainty says how much an observation is to be believed, and why.
type Uncertainty struct {
	Level string // low, moderate, high or unknown
	Basis []string
	Gaps  []string
}

// The levels of an Uncertainty, from best to worst.
const (
	LevelLow      = "low"
	LevelModerate = "moderate"
	LevelHigh     = "high"
	LevelUnknown  = "unknown"
)
