package service

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/model-catalog-service/svc/internal/timestamp"
)

// ObservationRecord is an observation as it is written: what was seen of a model,
// under which conditions, on what evidence, and until when it holds. Texts are
// never empty and have no white space at either end.
type ObservationRecord struct {
	SchemaVersion string            `json:"schemaVersion"` // ObservationSchema
	Kind          string            `json:"kind"`          // evaluation: something was run; declaration: something is stated
	Model         ModelIdentity     `json:"model"`
	Execution     *ExecutionScope   `json:"execution"`    // nil: every execution; exact in an evaluation
	Task          *Task             `json:"task"`         // nil only in a declaration: whatever the task
	Measurements  List[Measurement] `json:"measurements"` // at least one; each pair of kind and key once
	Outcome       *Outcome          `json:"outcome"`      // of an evaluation; nil in a declaration
	Usage         *Usage            `json:"usage"`        // of an evaluation, nil if unknown; nil in a declaration
	SourceClass   string            `json:"sourceClass"`  // first-party: measured by you; external: by somebody else
	Evidence      List[Evidence]    `json:"evidence"`     // at least one piece; each id once
	Freshness     Freshness         `json:"freshness"`
	Uncertainty   Uncertainty       `json:"uncertainty"`
}

// ModelIdentity names a model: which weights, not which product.
type ModelIdentity struct {
	ID           string  `json:"id"`
	Revision     *string `json:"revision"`     // nil if there is only one or none is known
	Quantization *string `json:"quantization"` // nil if the weights are not quantized or nobody knows
}

// ExecutionProfile is how a model is run.
type ExecutionProfile struct {
	Runtime                Component    `json:"runtime"`                // what serves the model
	Adapter                *Component   `json:"adapter"`                // what is between caller and model; nil if nothing is
	EffectiveContextTokens *uint64      `json:"effectiveContextTokens"` // tokens of context that can be used; nil if unknown
	ToolSurface            List[string] `json:"toolSurface"`            // the tools that the model can call, each once
	Hardware               *Hardware    `json:"hardware"`               // nil if unknown
	Workflow               *Workflow    `json:"workflow"`               // nil if there is none
}

// ExecutionScope is the execution that an observation holds for. In a partial one
// nil stands for any.
type ExecutionScope struct {
	Kind                   string     `json:"kind"` // exact: for this execution alone; partial: for all that agree in what is not nil
	Runtime                Component  `json:"runtime"`
	Adapter                *Component `json:"adapter"`
	EffectiveContextTokens *uint64    `json:"effectiveContextTokens"`
	ToolSurface            []string   `json:"toolSurface"` // empty: no tools; nil, in a partial scope alone: any tools
	Hardware               *Hardware  `json:"hardware"`
	Workflow               *Workflow  `json:"workflow"`
}

// Component is a piece of software.
type Component struct {
	ID      string  `json:"id"`
	Version *string `json:"version"` // nil if unknown
}

// Hardware is what a model runs on.
type Hardware struct {
	Class       string  `json:"class"`       // the kind of machine, such as server
	Accelerator *string `json:"accelerator"` // nil if there is none or nobody knows
	MemoryBytes *uint64 `json:"memoryBytes"` // at most 2^53-1; nil if unknown
}

// Workflow is the procedure around a model.
type Workflow struct {
	ID        string  `json:"id"`
	Version   *string `json:"version"`
	Condition *string `json:"condition"` // under which condition it runs, such as an effort
}

// Task is what was done, and who judged.
type Task struct {
	Family    string    `json:"family"` // such as software-engineering
	Suite     *string   `json:"suite"`
	TaskID    *string   `json:"taskId"`
	Evaluator Component `json:"evaluator"` // what judged the outcome
}

// Measurement is one value under a key.
type Measurement struct {
	Key   string `json:"key"`
	Kind  string `json:"kind"`          // fact: a statement, which another may contradict; sample: one of many values
	Value any    `json:"value"`         // a string, which may be empty, a number or a bool; numbers are read as float64
	Unit  string `json:"unit,omitzero"` // empty if it has none
}

// Outcome is how an evaluation ended.
type Outcome struct {
	Status string  `json:"status"` // accepted or rejected: it was judged; invalid: it measured nothing
	Reason *string `json:"reason"`
}

// Usage is what an evaluation consumed. Counts are at most 2^53-1, and nil if
// unknown.
type Usage struct {
	InputTokens     *uint64 `json:"inputTokens"`
	OutputTokens    *uint64 `json:"outputTokens"`
	ReasoningTokens *uint64 `json:"reasoningTokens"` // those of the output that were reasoning
	TotalTokens     *uint64 `json:"totalTokens"`
	Completeness    string  `json:"completeness"` // whether these are all tokens: complete, partial or unknown
	ModelCalls      *uint64 `json:"modelCalls"`
	WallTimeMs      *uint64 `json:"wallTimeMs"` // milliseconds
}

// Evidence is where the values of an observation can be seen.
type Evidence struct {
	ID         string    `json:"id"`
	Kind       string    `json:"kind"`   // such as run-log or vendor-page
	URI        *string   `json:"uri"`    // nil if there is none
	Digest     *Digest   `json:"digest"` // nil if unknown
	ObservedAt Timestamp `json:"observedAt"`
}

// Digest is a hash of evidence.
type Digest struct {
	Algorithm string `json:"algorithm"` // sha256
	Value     string `json:"value"`     // lower-case hexadecimal
}

// Freshness is when an observation was made and how long it holds.
type Freshness struct {
	ObservedAt Timestamp  `json:"observedAt"`
	ValidUntil *Timestamp `json:"validUntil"` // later than ObservedAt; nil: without end
}

// Uncertainty is how sure one can be, and why not more.
type Uncertainty struct {
	Level string       `json:"level"` // how uncertain: low, moderate, high or unknown
	Basis List[string] `json:"basis"` // what that rests on; at least one text in an observation
	Gaps  List[string] `json:"gaps"`  // what is not known
}

// List is a list that is written [] if it is nil, for members that must not be
// null. A slice can be assigned to it.
type List[T any] []T

// MarshalJSON writes a list.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

// Timestamp is an instant as records have it: 2026-07-18T00:00:00.000Z, in UTC
// and with milliseconds. What is finer is cut off when it is written.
type Timestamp struct{ time.Time }

// MarshalJSON writes a timestamp. It refuses the zero Time, which was not set, and
// years that are not 0000 to 9999.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	text := timestampText(t.Time)
	if text == "" {
		return nil, fmt.Errorf("%v cannot be written as a timestamp", t.Time)
	}
	return json.Marshal(text)
}

// UnmarshalJSON reads a timestamp and demands its exact form.
func (t *Timestamp) UnmarshalJSON(text []byte) (err error) {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	if !timestamp.Valid(s) {
		return fmt.Errorf("%q %s", s, timestamp.Rule)
	}
	t.Time, err = time.Parse(timestamp.Layout, s)
	return err
}

// timestampText returns an instant as a timestamp, empty if it has none.
func timestampText(t time.Time) string {
	if text, ok := timestamp.Format(t); ok && !t.IsZero() {
		return text
	}
	return ""
}

// instant returns what a timestamp says that was found right.
func instant(text string) time.Time {
	t, _ := time.Parse(timestamp.Layout, text)
	return t
}

// decode reads a record from JSON that this module wrote or validated. That it
// always can is held by the tests of records and schemas.
func decode[T any](text []byte) (record T) {
	if err := json.Unmarshal(text, &record); err != nil {
		panic(err)
	}
	return record
}
