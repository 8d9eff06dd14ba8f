package service

import "github.com/model-catalog-service/svc/service/record"

// SourceMapping says, as a person reviewed it, which row of a source is which model, and
// until when one can rely on that. E is the entry of the source.
type SourceMapping[E AiderEntry | LiveBenchEntry | OpenRouterEntry | LMEvalEntry] struct {
	SchemaVersion string       `json:"schemaVersion"` // SourceMappingSchema
	Source        string       `json:"source"`        // aider-polyglot, livebench, lm-eval or openrouter-models
	Entries       map[string]E `json:"entries"`       // by the id of the row, to the letter; not nil
}

// AiderEntry is about a row of the Aider polyglot leaderboard.
type AiderEntry struct {
	Model      record.Model     `json:"model"`
	Runtime    record.Component `json:"runtime"` // what served the model
	ValidUntil record.Timestamp `json:"validUntil"`
}

// LiveBenchEntry is about a row of LiveBench.
type LiveBenchEntry struct {
	Model             record.Model     `json:"model"`
	Runtime           record.Component `json:"runtime"`           // what served the model
	WorkflowCondition *string          `json:"workflowCondition"` // under which it ran, such as an effort
	ValidUntil        record.Timestamp `json:"validUntil"`
}

// OpenRouterEntry is about a row of OpenRouter's models API.
type OpenRouterEntry struct {
	Model      record.Model     `json:"model"`
	ValidUntil record.Timestamp `json:"validUntil"`
}

// LMEvalEntry is about a model in result files of lm-evaluation-harness.
type LMEvalEntry struct {
	Model                  record.Model        `json:"model"`
	Runtime                record.Component    `json:"runtime"`                // what served the model
	Adapter                *record.Component   `json:"adapter"`                // what was between harness and model
	EffectiveContextTokens *uint64             `json:"effectiveContextTokens"` // nil if unknown
	ToolSurface            record.List[string] `json:"toolSurface"`            // the tools that the model could call
	Hardware               *record.Hardware    `json:"hardware"`               // nil if unknown
	Families               map[string]string   `json:"families"`               // of tasks that are not of the default family, by name; not nil
	DefaultFamily          string              `json:"defaultFamily"`          // of all other tasks
	ValidUntil             record.Timestamp    `json:"validUntil"`
}
