package rank

import (
	"slices"

	"github.com/model-catalog-service/svc/service/record"
)

// This file holds execution scopes against a concrete profile. A partial scope that
// gives { "runtime": { "id": "vllm", "version": null } } and nothing else asserts
// runtime.id, and leaves runtime.version, adapter and the other members open.

// dimensions is a set of dimensions of an execution profile. Bits are in
// compareText order of the names.
type dimensions uint32

const (
	dimAdapter dimensions = 1 << iota
	dimAdapterID
	dimAdapterVersion
	dimEffectiveContextTokens
	dimExecution
	dimHardware
	dimHardwareAccelerator
	dimHardwareClass
	dimHardwareMemoryBytes
	dimRuntime
	dimRuntimeID
	dimRuntimeVersion
	dimToolSurface
	dimWorkflow
	dimWorkflowCondition
	dimWorkflowID
	dimWorkflowVersion
)

var dimensionNames = record.DimensionV2("").Words()

// scopeKinds is a set of kinds of execution scopes, in compareText order.
type scopeKinds uint32

const (
	exactScope scopeKinds = 1 << iota
	globalScope
	partialScope
)

var scopeKindNames = record.ScopeKindV2("").Words()

// applicability is how far execution scopes and a profile agree.
type applicability struct {
	matched    scopeKinds // of the scopes that match
	asserted   dimensions // that the scopes give
	wildcarded dimensions // that they leave open
	mismatched dimensions // in which those that do not match differ
}

func (a *applicability) add(b applicability) {
	a.matched |= b.matched
	a.asserted |= b.asserted
	a.wildcarded |= b.wildcarded
	a.mismatched |= b.mismatched
}

// matches reports whether a single scope matched.
func (a *applicability) matches() bool { return a.matched != 0 }

// match holds a scope against a concrete profile.
func match(s *record.Scope, p *record.Profile) applicability {
	var a applicability
	kind := globalScope
	switch s.Kind {
	case "":
		a.wildcarded = dimExecution
	case record.ScopeExact:
		kind = exactScope
		a.matchExact(&s.Profile, p)
	default:
		kind = partialScope
		a.matchPartial(&s.Profile, p)
	}
	if a.mismatched == 0 {
		a.matched = kind
	}
	return a
}

// matchExact demands that all six members are equal.
func (a *applicability) matchExact(s, p *record.Profile) {
	a.compare(dimRuntime, true, s.Runtime == p.Runtime)
	a.compare(dimAdapter, true, s.Adapter == p.Adapter)
	a.compare(dimEffectiveContextTokens, true, s.EffectiveContextTokens == p.EffectiveContextTokens)
	a.compare(dimToolSurface, true, slices.Equal(s.ToolSurface, p.ToolSurface))
	a.compare(dimHardware, true, s.Hardware == p.Hardware)
	a.compare(dimWorkflow, true, s.Workflow == p.Workflow)
}

// matchPartial demands that what the scope gives is equal.
func (a *applicability) matchPartial(s, p *record.Profile) {
	a.compare(dimRuntimeID, true, s.Runtime.ID == p.Runtime.ID)
	a.compare(dimRuntimeVersion, s.Runtime.Version != "", s.Runtime.Version == p.Runtime.Version)
	a.compare(dimEffectiveContextTokens, s.EffectiveContextTokens.Known, s.EffectiveContextTokens == p.EffectiveContextTokens)
	a.compare(dimToolSurface, s.ToolSurface != nil, slices.Equal(s.ToolSurface, p.ToolSurface))
	if a.isGiven(dimAdapter, s.Adapter.ID) {
		absent := a.isAbsent(dimAdapter, p.Adapter.ID)
		a.compare(dimAdapterID, true, absent || s.Adapter.ID == p.Adapter.ID)
		a.compare(dimAdapterVersion, s.Adapter.Version != "", absent || s.Adapter.Version == p.Adapter.Version)
	}
	if s, p := &s.Hardware, &p.Hardware; a.isGiven(dimHardware, s.Class) {
		absent := a.isAbsent(dimHardware, p.Class)
		a.compare(dimHardwareClass, true, absent || s.Class == p.Class)
		a.compare(dimHardwareAccelerator, s.Accelerator != "", absent || s.Accelerator == p.Accelerator)
		a.compare(dimHardwareMemoryBytes, s.MemoryBytes.Known, absent || s.MemoryBytes == p.MemoryBytes)
	}
	if s, p := &s.Workflow, &p.Workflow; a.isGiven(dimWorkflow, s.ID) {
		absent := a.isAbsent(dimWorkflow, p.ID)
		a.compare(dimWorkflowID, true, absent || s.ID == p.ID)
		a.compare(dimWorkflowVersion, s.Version != "", absent || s.Version == p.Version)
		a.compare(dimWorkflowCondition, s.Condition != "", absent || s.Condition == p.Condition)
	}
}

// compare notes what a scope says of a dimension: nothing, or a value, which the
// profile has or has not.
func (a *applicability) compare(d dimensions, given, equal bool) {
	switch {
	case !given:
		a.wildcarded |= d
	case equal:
		a.asserted |= d
	default:
		a.asserted |= d
		a.mismatched |= d
	}
}

// isGiven reports whether a partial scope gives a component, known by its
// required text. One that is left out is a wildcard as a whole.
func (a *applicability) isGiven(component dimensions, required string) bool {
	if required == "" {
		a.wildcarded |= component
	}
	return required != ""
}

// isAbsent reports whether the profile lacks a component that the scope gives.
// That is a mismatch of the whole, and none of its members.
func (a *applicability) isAbsent(component dimensions, required string) bool {
	if required == "" {
		a.mismatched |= component
	}
	return required == ""
}
