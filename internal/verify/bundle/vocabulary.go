package bundle

import (
	"slices"

	"github.com/model-catalog-service/svc/service/record"
)

// The words of the format. Each list is in the order of its schema.

// Words on which a status hangs.
const (
	TestOutput         = "test_output" // evidence types of checks
	CalculationTrace   = "calculation_trace"
	RuntimeObservation = "runtime_observation" // of schema version 7
	Cited              = "cited"               // a support strength that supports nothing
	Invalidation       = "invalidation"        // an event type
	DurationRule       = "duration"            // validity rules
	CommitRule         = "commit"

	other = "other" // a reason that needs words
)

var (
	statuses = []string{
		string(record.StatusUnknown), string(record.StatusProposed), string(record.StatusAssumed),
		string(record.StatusVerified), string(record.StatusStale), string(record.StatusDisputed),
		string(record.StatusSuperseded), string(record.StatusRejected), string(record.StatusRevoked),
	}
	evidenceTypes = []string{
		"source_excerpt", TestOutput, RuntimeObservation, "human_attestation", "attestation",
		CalculationTrace, "document_citation", "crawl_observation", "policy_rule",
	}
	methods = []string{
		"observation", "extraction", "validation", "corroboration", "attestation",
		"auditability", "anchoring", "monitoring",
	}
	impacts             = []string{"low", "medium", "high", "critical"}
	materialities       = []string{"low", "medium", "high"}
	collectorKinds      = []string{"human", "deterministic", "model"}
	inconclusiveReasons = []string{"unreachable", "tool_error", "permission_denied", "timeout", other}
	supportStrengths    = []string{Cited, "entails"}
	inputStrengths      = []string{"weak", "moderate", "strong"}
	derivationMethods   = []string{"sum", "max", "min", "model", "rule-application", "copy", "normalization", "manual"}
	eventTypes          = []string{"verification", Invalidation}
	validityKinds       = []string{DurationRule, CommitRule, "historical", "manual"}
	authorityTypes      = []string{"role", "permission", "credential", "system", "organization", "policy", "other"}
	anchorKinds         = []string{"hash", "signature", "transparency_log", "timestamp", "external_ref", "other"}
	anchorVerdicts      = []string{"unverified", "verified", "failed", "not_applicable"}
	runners             = []string{"bash", "mcp"}
	environments        = []string{"test", "staging", "production"}
	identityRelations   = []string{"equivalent", "subsumes", "converts"}
	groupKinds          = []string{"claimGroup", "framework", "requirement-set"}
	rollupModes         = []string{"all-required", "any-required"}
)

// Statuses returns all statuses.
func Statuses() []string { return slices.Clone(statuses) }
