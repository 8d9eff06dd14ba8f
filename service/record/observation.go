package record

import "encoding/json"

// Schema versions of observations and catalogs.
const (
	ObservationSchema = "service.observation/v2"
	CatalogSchema     = "service.catalog/v2"
)

// Observation is what was seen of a model: under which conditions, on what evidence, and until when
// it is valid.
type Observation struct {
	// SchemaVersion is ObservationSchema.
	SchemaVersion string `json:"schemaVersion" is:"service.observation/v2"`
	// Kind is evaluation, if something was run, or declaration, if something is stated.
	Kind  string `json:"kind" is:"evaluation declaration"`
	Model Model  `json:"model"`
	// Execution is null for every execution. In an evaluation it is exact.
	Execution Scope `json:"execution" or:"null"`
	// Task is null only in a declaration, which then holds for every task.
	Task Task `json:"task" or:"null"`
	// Measurements are at least one, each pair of kind and key once. Normalized ones are in the
	// order of their canonical JSON.
	Measurements List[Measurement] `json:"measurements" least:"1"`
	// Outcome is that of an evaluation, null in a declaration.
	Outcome Outcome `json:"outcome" or:"null"`
	// Usage is that of an evaluation, null if unknown and in a declaration.
	Usage Usage `json:"usage" or:"null"`
	// SourceClass is first-party, if you measured it yourself, or external.
	SourceClass string `json:"sourceClass" is:"first-party external"`
	// Evidence is at least one piece, each id once. Normalized evidence is sorted by id.
	Evidence    List[Evidence] `json:"evidence" least:"1"`
	Freshness   Freshness      `json:"freshness"`
	Uncertainty Uncertainty    `json:"uncertainty"`
}

// The kinds of an Observation.
const (
	KindEvaluation  = "evaluation"
	KindDeclaration = "declaration"
)

// The source classes.
const (
	FirstParty = "first-party"
	External   = "external"
)

// Model identifies what ran: the weights, not the product that a vendor sells.
type Model struct {
	ID           string `json:"id"`           // such as acme/atlas-70b
	Revision     Text   `json:"revision"`     // null if there is only one or none is known
	Quantization Text   `json:"quantization"` // null if the weights are not quantized or nobody knows
}

// Name is the identity in one text, as people read it: id@revision quantization.
func (m Model) Name() string {
	name := m.ID
	if m.Revision != "" {
		name += "@" + string(m.Revision)
	}
	if m.Quantization != "" {
		name += " " + string(m.Quantization)
	}
	return name
}

// Component is a piece of software and its version. The zero Component is null.
type Component struct {
	ID      string `json:"id"`
	Version Text   `json:"version"` // null if unknown
}

// IsZero reports whether it is null.
func (c Component) IsZero() bool { return c == (Component{}) }

// MarshalJSON writes null for the zero Component.
func (c Component) MarshalJSON() ([]byte, error) {
	type object Component
	return marshalUnless(c.IsZero(), object(c))
}

// Profile is how a model is run.
type Profile struct {
	// Runtime is the provider: what serves the model.
	Runtime Component `json:"runtime"`
	// Adapter is what is between caller and model, null if nothing is.
	Adapter Component `json:"adapter" or:"null"`
	// EffectiveContextTokens are the tokens of context that can be used, null if unknown.
	EffectiveContextTokens Count `json:"effectiveContextTokens"`
	// ToolSurface is the tools that the model can call: [] for none. It is nil only in a partial
	// Scope.
	ToolSurface []string `json:"toolSurface" each:"once"`
	Hardware    Hardware `json:"hardware" or:"null"` // null if unknown
	Workflow    Workflow `json:"workflow" or:"null"` // null if there is none
}

// OpenProfile is a Profile whose runtime may be null: nothing is said of it.
type OpenProfile struct {
	Profile `null:"runtime"`
}

// Hardware is what a model runs on. The zero Hardware is null.
type Hardware struct {
	Class       string `json:"class"`       // the kind of machine, such as server
	Accelerator Text   `json:"accelerator"` // null if there is none or nobody knows
	MemoryBytes Count  `json:"memoryBytes"` // null if unknown
}

// IsZero reports whether it is null.
func (h Hardware) IsZero() bool { return h == (Hardware{}) }

// MarshalJSON writes null for the zero Hardware.
func (h Hardware) MarshalJSON() ([]byte, error) {
	type object Hardware
	return marshalUnless(h.IsZero(), object(h))
}

// Workflow is the procedure around a model and the condition it ran under. The zero Workflow is
// null.
type Workflow struct {
	ID        string `json:"id"`
	Version   Text   `json:"version"`
	Condition Text   `json:"condition"` // such as an effort
}

// OwnWorkflow is the id of the workflow of candidates that are asked about by somebody who runs a
// model in a workflow of their own, and not in the one that it was measured in.
const OwnWorkflow = "your-agent"

// IsZero reports whether it is null.
func (w Workflow) IsZero() bool { return w == (Workflow{}) }

// MarshalJSON writes null for the zero Workflow.
func (w Workflow) MarshalJSON() ([]byte, error) {
	type object Workflow
	return marshalUnless(w.IsZero(), object(w))
}

// Scope is the execution that an observation holds for. The zero Scope is null: it holds for every
// execution.
type Scope struct {
	// Kind is exact, for this execution alone, or partial, for all that agree in what is not null.
	Kind    string `json:"kind" is:"exact partial"`
	Profile `null:"toolSurface"`
}

// The kinds of a Scope.
const (
	ScopeExact   = "exact"
	ScopePartial = "partial"
)

// IsZero reports whether it is null.
func (s Scope) IsZero() bool {
	return s.Kind == "" && s.ToolSurface == nil && s.Runtime.IsZero() && s.Adapter.IsZero() &&
		!s.EffectiveContextTokens.Known && s.Hardware.IsZero() && s.Workflow.IsZero()
}

// MarshalJSON writes null for the zero Scope.
func (s Scope) MarshalJSON() ([]byte, error) {
	type object Scope
	return marshalUnless(s.IsZero(), object(s))
}

// RuntimeAlone returns the runtime of a scope that says nothing else, as that of a price does. It
// is "" for the scope that is null.
func (s *Scope) RuntimeAlone() (id string, ok bool) {
	if s.Kind == "" {
		return "", true
	}
	ok = s.Kind == ScopePartial && s.Runtime.ID != "" && s.Runtime.Version == "" && s.Adapter.ID == "" &&
		!s.EffectiveContextTokens.Known && s.ToolSurface == nil && s.Hardware.Class == "" && s.Workflow.ID == ""
	return s.Runtime.ID, ok
}

// Task is what was done, and who judged. The zero Task is null.
type Task struct {
	Family    string    `json:"family"` // such as software-engineering
	Suite     Text      `json:"suite"`
	TaskID    Text      `json:"taskId"`
	Evaluator Component `json:"evaluator"` // what judged the outcome
}

// IsZero reports whether it is null.
func (t Task) IsZero() bool { return t == (Task{}) }

// MarshalJSON writes null for the zero Task.
func (t Task) MarshalJSON() ([]byte, error) {
	type object Task
	return marshalUnless(t.IsZero(), object(t))
}

// Measurement is one value under a key.
type Measurement struct {
	Key string `json:"key"`
	// Kind is fact, for a statement that another may contradict, or sample, for one of many values.
	Kind  string `json:"kind" is:"fact sample"`
	Value Scalar `json:"value"`         // a string may be empty
	Unit  string `json:"unit,omitzero"` // empty if it has none
}

// The kinds of a Measurement.
const (
	Fact   = "fact"
	Sample = "sample"
)

// Outcome is how an evaluation ended. The zero Outcome is null.
type Outcome struct {
	// Status is accepted or rejected, if it was judged, or invalid, if it measured nothing.
	Status string `json:"status" is:"accepted rejected invalid"`
	Reason Text   `json:"reason"`
}

// The statuses of an Outcome.
const (
	OutcomeAccepted = "accepted"
	OutcomeRejected = "rejected"
	OutcomeInvalid  = "invalid"
)

// IsZero reports whether it is null.
func (o Outcome) IsZero() bool { return o == (Outcome{}) }

// MarshalJSON writes null for the zero Outcome.
func (o Outcome) MarshalJSON() ([]byte, error) {
	type object Outcome
	return marshalUnless(o.IsZero(), object(o))
}

// Usage is what an evaluation consumed. Counts are null if unknown. The zero Usage is null.
type Usage struct {
	InputTokens     Count `json:"inputTokens"`
	OutputTokens    Count `json:"outputTokens"`
	ReasoningTokens Count `json:"reasoningTokens"` // those of the output that were reasoning
	TotalTokens     Count `json:"totalTokens"`
	// Completeness says whether these are all tokens: complete, partial or unknown.
	Completeness string `json:"completeness" is:"complete partial unknown"`
	ModelCalls   Count  `json:"modelCalls"`
	WallTimeMs   Count  `json:"wallTimeMs"` // milliseconds
}

// How complete a Usage is.
const (
	UsageComplete = "complete"
	UsagePartial  = "partial"
	UsageUnknown  = "unknown"
)

// IsZero reports whether it is null.
func (u Usage) IsZero() bool { return u == (Usage{}) }

// MarshalJSON writes null for the zero Usage.
func (u Usage) MarshalJSON() ([]byte, error) {
	type object Usage
	return marshalUnless(u.IsZero(), object(u))
}

// Evidence is where the values of an observation can be seen.
type Evidence struct {
	ID         string    `json:"id"`
	Kind       string    `json:"kind"`             // such as run-log or vendor-page
	URI        Text      `json:"uri"`              // null if there is none
	Digest     Digest    `json:"digest" or:"null"` // null if unknown
	ObservedAt Timestamp `json:"observedAt"`
}

// Digest is a hash of evidence. The zero Digest is null.
type Digest struct {
	Algorithm string `json:"algorithm" is:"sha256"`
	Value     string `json:"value" is:"hash"` // 64 lower-case hexadecimal digits
}

// SHA256 returns a hash, which is 64 lower-case hexadecimal digits or empty, as a digest.
func SHA256(hash string) Digest {
	if hash == "" {
		return Digest{}
	}
	return Digest{"sha256", hash}
}

// IsZero reports whether it is null.
func (d Digest) IsZero() bool { return d == (Digest{}) }

// MarshalJSON writes null for the zero Digest.
func (d Digest) MarshalJSON() ([]byte, error) {
	type object Digest
	return marshalUnless(d.IsZero(), object(d))
}

// Freshness is when an observation was made and how long it is valid.
type Freshness struct {
	ObservedAt Timestamp `json:"observedAt"`
	ValidUntil Timestamp `json:"validUntil" or:"null"` // later than ObservedAt; null: without end
}

// HoldsAt reports whether an observation counts at an instant: it does from observedAt on until
// validUntil, and no longer at validUntil itself, when it has expired. A catalog has expired
// observations too; whoever ranks, lists, compares or exports it asks here.
func (f *Freshness) HoldsAt(instant Timestamp) bool {
	return f.ObservedAt <= instant && (f.ValidUntil == "" || f.ValidUntil > instant)
}

// Uncertainty is how sure one can be, and why not more.
type Uncertainty struct {
	// Level is how uncertain it is: low, moderate, high or unknown.
	Level string       `json:"level" is:"low moderate high unknown"`
	Basis List[string] `json:"basis" each:"once"` // what that rests on; at least one text in an observation
	Gaps  List[string] `json:"gaps" each:"once"`  // what is not known
}

// The levels of an Uncertainty, from best to worst.
const (
	LevelLow      = "low"
	LevelModerate = "moderate"
	LevelHigh     = "high"
	LevelUnknown  = "unknown"
)

// marshalUnless writes an object, or null.
func marshalUnless(isNull bool, object any) ([]byte, error) {
	if isNull {
		return []byte("null"), nil
	}
	return json.Marshal(object)
}
