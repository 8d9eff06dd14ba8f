package catalog

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// The members of every record, in the order in which faults are reported.
var (
	modelFields       = ijson.NewFields("id", "revision", "quantization")
	componentFields   = ijson.NewFields("id", "version")
	profileFields     = ijson.NewFields("runtime", "adapter", "effectiveContextTokens", "toolSurface", "hardware", "workflow")
	scopeFields       = ijson.NewFields("kind", "runtime", "adapter", "effectiveContextTokens", "toolSurface", "hardware", "workflow")
	hardwareFields    = ijson.NewFields("class", "accelerator", "memoryBytes")
	workflowFields    = ijson.NewFields("id", "version", "condition")
	taskFields        = ijson.NewFields("family", "suite", "taskId", "evaluator")
	measurementFields = ijson.NewFields("key", "kind", "value", "unit?")
	outcomeFields     = ijson.NewFields("status", "reason")
	usageFields       = ijson.NewFields("inputTokens", "outputTokens", "reasoningTokens", "totalTokens", "completeness", "modelCalls", "wallTimeMs")
	evidenceFields    = ijson.NewFields("id", "kind", "uri", "digest", "observedAt")
	digestFields      = ijson.NewFields("algorithm", "value")
	freshnessFields   = ijson.NewFields("observedAt", "validUntil")
	uncertaintyFields = ijson.NewFields("level", "basis", "gaps")
)

// ReadModel reads a model identity.
func ReadModel(r *ijson.Reader) (m Model) {
	o := r.Object(modelFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			m.ID = r.Text()
		case 1:
			m.Revision = r.TextOrNull()
		case 2:
			m.Quantization = r.TextOrNull()
		}
	}
	return m
}

// ReadComponent reads a piece of software and its version.
func ReadComponent(r *ijson.Reader) (c Component) {
	o := r.Object(componentFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			c.ID = r.Text()
		case 1:
			c.Version = r.TextOrNull()
		}
	}
	return c
}

// ReadComponentOrNull is ReadComponent that may also be null.
func ReadComponentOrNull(r *ijson.Reader) Component {
	if r.Null() {
		return Component{}
	}
	return ReadComponent(r)
}

func readCount(r *ijson.Reader) (c Count) {
	c.N, c.Known = r.CountOrNull()
	return c
}

// ReadProfile reads an execution profile.
func ReadProfile(r *ijson.Reader) (p Profile) {
	o := r.Object(profileFields)
	for o.Next() {
		readProfileField(r, &p, o.Field())
	}
	return p
}

// readProfileField reads the value of one of profileFields.
func readProfileField(r *ijson.Reader, p *Profile, field int) {
	switch field {
	case 0:
		p.Runtime = ReadComponent(r)
	case 1:
		p.Adapter = ReadComponentOrNull(r)
	case 2:
		p.EffectiveContextTokens = readCount(r)
	case 3:
		p.ToolSurface, _ = readSet(r, p.ToolSurface)
	case 4:
		p.Hardware = ReadHardware(r)
	case 5:
		p.Workflow = readWorkflow(r)
	}
}

// ReadHardware reads what a model runs on, or null.
func ReadHardware(r *ijson.Reader) (h Hardware) {
	if r.Null() {
		return h
	}
	o := r.Object(hardwareFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			h.Class = r.Text()
		case 1:
			h.Accelerator = r.TextOrNull()
		case 2:
			h.MemoryBytes = readCount(r)
		}
	}
	return h
}

func readWorkflow(r *ijson.Reader) (w Workflow) {
	if r.Null() {
		return w
	}
	o := r.Object(workflowFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			w.ID = r.Text()
		case 1:
			w.Version = r.TextOrNull()
		case 2:
			w.Condition = r.TextOrNull()
		}
	}
	return w
}

// readSet reads a list of unique texts into the space of buf, sorted. It
// reports whether they stood in that order.
func readSet(r *ijson.Reader, buf []string) (set []string, sorted bool) {
	set = buf[:0]
	if set == nil {
		set = []string{}
	}
	l := r.List()
	for l.Next() {
		set = append(set, r.Text())
	}
	sorted = slices.IsSortedFunc(set, canonical.CompareText)
	if !sorted {
		slices.SortFunc(set, canonical.CompareText)
	}
	for i := 1; i < len(set); i++ {
		if set[i] == set[i-1] && set[i] != "" { // an empty one has its own fault
			r.Fail(l.Start(), "", "must hold each text once: %q is repeated", set[i])
			break
		}
	}
	return set, sorted
}

// ReadTexts reads a list of unique texts, which it returns sorted.
func ReadTexts(r *ijson.Reader) []string {
	set, _ := readSet(r, nil)
	return set
}

// readScope reads an execution scope.
func (d *decoder) readScope(r *ijson.Reader, s *Scope) {
	*s = Scope{Profile: Profile{ToolSurface: s.ToolSurface[:0]}}
	surfaceAt := -1
	o := r.Object(scopeFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			d.seen.executionKind = r.Offset()
			s.Kind = r.Enum(ScopeExact, ScopePartial)
		case 4:
			if surfaceAt = r.Offset(); r.Null() {
				s.ToolSurface = nil
				continue
			}
			surfaceAt = -1
			var sorted bool
			s.ToolSurface, sorted = readSet(r, s.ToolSurface)
			d.reordered = d.reordered || !sorted
		default:
			readProfileField(r, &s.Profile, o.Field()-1)
		}
	}
	if surfaceAt >= 0 && s.Kind == ScopeExact {
		r.Fail(surfaceAt, ".toolSurface", "must be a list in an exact scope: [] if there are no tools")
	}
}

func readTask(r *ijson.Reader) (t Task) {
	o := r.Object(taskFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			t.Family = r.Text()
		case 1:
			t.Suite = r.TextOrNull()
		case 2:
			t.TaskID = r.TextOrNull()
		case 3:
			t.Evaluator = ReadComponent(r)
		}
	}
	return t
}

func readMeasurement(r *ijson.Reader, m *Measurement) {
	o := r.Object(measurementFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			m.Key = r.Text()
		case 1:
			m.Kind = r.Enum(Fact, Sample)
		case 2:
			m.Value = ReadScalar(r)
		case 3:
			m.Unit = r.Text()
		}
	}
}

// ReadScalar reads a string, a number or a boolean.
func ReadScalar(r *ijson.Reader) Scalar {
	switch kind := r.Kind(); kind {
	case '"':
		return Scalar{kind, r.String()}
	case 't', 'f':
		r.Bool()
		return Scalar{Kind: kind}
	case '{', '[', 'n':
		at := r.Offset()
		r.Skip()
		r.Fail(at, "", "must be a string, a number or a boolean")
		return Scalar{}
	}
	return Scalar{'0', r.Number()}
}

func readOutcome(r *ijson.Reader) (out Outcome) {
	o := r.Object(outcomeFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			out.Status = r.Enum(OutcomeAccepted, OutcomeRejected, OutcomeInvalid)
		case 1:
			out.Reason = r.TextOrNull()
		}
	}
	return out
}

func readUsage(r *ijson.Reader) (u Usage) {
	o := r.Object(usageFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			u.InputTokens = readCount(r)
		case 1:
			u.OutputTokens = readCount(r)
		case 2:
			u.ReasoningTokens = readCount(r)
		case 3:
			u.TotalTokens = readCount(r)
		case 4:
			u.Completeness = r.Enum(UsageComplete, UsagePartial, UsageUnknown)
		case 5:
			u.ModelCalls = readCount(r)
		case 6:
			u.WallTimeMs = readCount(r)
		}
	}
	return u
}

func (d *decoder) readEvidence(r *ijson.Reader, e *Evidence) {
	o := r.Object(evidenceFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			e.ID = r.Text()
		case 1:
			e.Kind = r.Text()
		case 2:
			e.URI = r.TextOrNull()
		case 3:
			e.SHA256 = readDigest(r)
		case 4:
			e.ObservedAt = d.readPast(r)
		}
	}
}

func readDigest(r *ijson.Reader) (value string) {
	if r.Null() {
		return ""
	}
	o := r.Object(digestFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			r.Enum("sha256")
		case 1:
			value = r.Hash()
		}
	}
	return value
}

func (d *decoder) readFreshness(r *ijson.Reader) (f Freshness) {
	untilAt := 0
	o := r.Object(freshnessFields)
	for o.Next() {
		switch o.Field() {
		case 0:
			f.ObservedAt = d.readPast(r)
		case 1:
			if untilAt = r.Offset(); !r.Null() {
				f.ValidUntil = r.Timestamp()
			}
		}
	}
	if f.ValidUntil != "" && f.ObservedAt != "" && f.ValidUntil <= f.ObservedAt {
		r.Fail(untilAt, ".validUntil", "must be later than observedAt, %s", f.ObservedAt)
	}
	return f
}

func (d *decoder) readUncertainty(r *ijson.Reader, u *Uncertainty) {
	o := r.Object(uncertaintyFields)
	for o.Next() {
		sorted := true
		switch o.Field() {
		case 0:
			u.Level = r.Enum(LevelLow, LevelModerate, LevelHigh, LevelUnknown)
		case 1:
			at, isList := r.Offset(), r.Kind() == '['
			if u.Basis, sorted = readSet(r, u.Basis); isList && len(u.Basis) == 0 {
				r.Fail(at, "", "must not be empty")
			}
		case 2:
			u.Gaps, sorted = readSet(r, u.Gaps)
		}
		d.reordered = d.reordered || !sorted
	}
}

// readPast reads a timestamp that may not be after the catalog's asOf.
func (d *decoder) readPast(r *ijson.Reader) string {
	at := r.Offset()
	t := r.Timestamp()
	if d.asOf != "" && t > d.asOf {
		r.FailAs(problem.InvalidCompileOptions, at, "", "is after asOf, %s", d.asOf)
	}
	return t
}
