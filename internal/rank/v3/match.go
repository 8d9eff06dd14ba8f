package v3

import (
	"math/bits"
	"slices"

	"github.com/model-catalog-service/svc/service/record"
)

// dimensions is a set of dimensions in which evidence and a candidate may differ.
// Bits stand in compareText order of the names.
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
	dimModelQuantization
	dimModelRevision
	dimRuntime
	dimRuntimeID
	dimRuntimeVersion
	dimToolSurface
	dimWorkflow
	dimWorkflowCondition
	dimWorkflowID
	dimWorkflowVersion
)

var dimensionNames = []string{
	"adapter", "adapter.id", "adapter.version", "effectiveContextTokens", "execution",
	"hardware", "hardware.accelerator", "hardware.class", "hardware.memoryBytes",
	"model.quantization", "model.revision", "runtime", "runtime.id", "runtime.version",
	"toolSurface", "workflow", "workflow.condition", "workflow.id", "workflow.version",
}

// The dimensions that the name of a whole covers.
const (
	wholeAdapter   = dimAdapter | dimAdapterID | dimAdapterVersion
	wholeHardware  = dimHardware | dimHardwareAccelerator | dimHardwareClass | dimHardwareMemoryBytes
	wholeRuntime   = dimRuntime | dimRuntimeID | dimRuntimeVersion
	wholeWorkflow  = dimWorkflow | dimWorkflowCondition | dimWorkflowID | dimWorkflowVersion
	wholeModel     = dimModelQuantization | dimModelRevision
	wholeExecution = dimExecution | wholeAdapter | dimEffectiveContextTokens | wholeHardware |
		wholeRuntime | dimToolSurface | wholeWorkflow
)

// A request transfers these dimensions, each as a whole. The condition of a workflow, such as how
// long a model may think, is covered by execution and by its own name alone.
var (
	transferNames = []string{
		"adapter", "effectiveContextTokens", "execution", "hardware", "model.quantization", "model.revision", "runtime",
		"toolSurface", "workflow", "workflow.condition",
	}
	transferred = []dimensions{
		wholeAdapter, dimEffectiveContextTokens, wholeExecution, wholeHardware, dimModelQuantization, dimModelRevision,
		wholeRuntime,
		dimToolSurface, dimWorkflow | dimWorkflowID | dimWorkflowVersion, dimWorkflowCondition,
	}
)

// namesOfTransfer returns the names by which a request transfers dimensions, in order.
func namesOfTransfer(d dimensions) []string {
	names := []string{}
	isWhole := d&wholeExecution == wholeExecution
	for i, name := range transferNames {
		isPart := isWhole && name != "execution" && transferred[i]&wholeExecution != 0
		if d&transferred[i] == transferred[i] && !isPart {
			names = append(names, name)
		}
	}
	return names
}

// scopeKinds is a set of kinds of execution scopes, in compareText order.
type scopeKinds uint32

const (
	exactScope scopeKinds = 1 << iota
	globalScope
	partialScope
)

var scopeKindNames = []string{record.ScopeExact, "global", record.ScopePartial}

// match is evidence held against a candidate: what its scope speaks of, what it
// leaves open, and in what the two differ.
//
// A partial scope that gives the runtime openrouter and an adapter, and leaves all
// else open, is held against a candidate with the runtime openrouter, version 2,
// and no adapter: asserted are runtime.id and adapter.id, wildcarded runtime.version,
// adapter.version and the others as wholes, and it differs in adapter.
type match struct {
	kind       scopeKinds
	asserted   dimensions
	wildcarded dimensions
	differing  dimensions
}

// newMatch holds evidence of a model and a scope against a candidate. If hasWholes, an exact scope
// speaks of wholes, and not of their members.
func newMatch(m *record.Model, s *record.Scope, c *record.CandidateV2, hasWholes bool) match {
	a := match{kind: globalScope}
	if m.Revision != c.Model.Revision {
		a.differing |= dimModelRevision
	}
	if m.Quantization != c.Model.Quantization {
		a.differing |= dimModelQuantization
	}
	if s.Kind == "" {
		a.wildcarded = dimExecution
		return a
	}
	exact := s.Kind == record.ScopeExact
	a.kind = partialScope
	if exact {
		a.kind = exactScope
	}
	p := &c.Execution
	if exact && hasWholes {
		a.member(dimRuntime, true, s.Runtime == p.Runtime)
		a.member(dimAdapter, true, s.Adapter == p.Adapter)
		a.member(dimEffectiveContextTokens, true, s.EffectiveContextTokens == p.EffectiveContextTokens)
		a.member(dimToolSurface, true, slices.Equal(s.ToolSurface, p.ToolSurface))
		a.member(dimHardware, true, s.Hardware == p.Hardware)
		a.member(dimWorkflow, true, s.Workflow == p.Workflow)
		return a
	}
	a.component(dimRuntime, dimRuntimeID, dimRuntimeVersion, exact, &s.Runtime, &p.Runtime)
	a.component(dimAdapter, dimAdapterID, dimAdapterVersion, exact, &s.Adapter, &p.Adapter)
	a.member(dimEffectiveContextTokens, exact || s.EffectiveContextTokens.Known,
		s.EffectiveContextTokens == p.EffectiveContextTokens)
	a.member(dimToolSurface, s.ToolSurface != nil, slices.Equal(s.ToolSurface, p.ToolSurface))
	if s, p := &s.Hardware, &p.Hardware; a.given(dimHardware, exact, s.Class, p.Class) {
		null := p.Class == ""
		a.member(dimHardwareClass, true, null || s.Class == p.Class)
		a.member(dimHardwareAccelerator, exact || s.Accelerator != "", null || s.Accelerator == p.Accelerator)
		a.member(dimHardwareMemoryBytes, exact || s.MemoryBytes.Known, null || s.MemoryBytes == p.MemoryBytes)
	}
	if s, p := &s.Workflow, &p.Workflow; a.given(dimWorkflow, exact, s.ID, p.ID) {
		null := p.ID == ""
		a.member(dimWorkflowID, true, null || s.ID == p.ID)
		a.member(dimWorkflowVersion, exact || s.Version != "", null || s.Version == p.Version)
		a.member(dimWorkflowCondition, exact || s.Condition != "", null || s.Condition == p.Condition)
	}
	return a
}

// Applies reports whether what is said of an execution scope is said of a profile.
func Applies(s *record.Scope, p *record.Profile) bool {
	m := newMatch(&record.Model{}, s, &record.CandidateV2{Execution: *p}, false)
	return m.differing == 0
}

func (a *match) component(whole, id, version dimensions, exact bool, s, p *record.Component) {
	if a.given(whole, exact, s.ID, p.ID) {
		null := p.ID == ""
		a.member(id, true, null || s.ID == p.ID)
		a.member(version, exact || s.Version != "", null || s.Version == p.Version)
	}
}

// given reports whether a scope gives a whole, known by its first member. One that
// is null says of an exact scope that there is none, and is else left open. If the
// candidate has none, it is the whole that differs, and none of its members.
func (a *match) given(whole dimensions, exact bool, scope, candidate string) bool {
	switch {
	case scope == "":
		a.member(whole, exact, candidate == "")
	case candidate == "":
		a.differing |= whole
	}
	return scope != ""
}

// member notes what a scope says of a dimension: nothing, or a value that the
// candidate shares or not.
func (a *match) member(d dimensions, asserted, same bool) {
	switch {
	case !asserted:
		a.wildcarded |= d
	case same:
		a.asserted |= d
	default:
		a.asserted |= d
		a.differing |= d
	}
}

// specificity orders evidence by how closely it speaks of the candidate: the fewer
// dimensions differ, the smaller; then exact before partial before global; of
// partial evidence, that which asserts most.
func (a *match) specificity() int {
	const kinds, asserted = 3, 32 // more than there are of each
	n := bits.OnesCount32(uint32(a.differing)) * kinds
	switch a.kind {
	case partialScope:
		return (n+1)*asserted - bits.OnesCount32(uint32(a.asserted))
	case globalScope:
		n += 2
	}
	return n * asserted
}
