package catalog

import "github.com/model-catalog-service/svc/internal/canonical"

// Every function here appends one value as canonical JSON: members ordered by
// name, null where the zero value stands for it.

// EncodeModel appends a model identity.
func EncodeModel(e *canonical.Encoder, m *Model) {
	e.Raw(`{"id":`)
	e.Text(m.ID)
	e.Raw(`,"quantization":`)
	e.TextOrNull(m.Quantization)
	e.Raw(`,"revision":`)
	e.TextOrNull(m.Revision)
	e.Raw(`}`)
}

func encodeComponent(e *canonical.Encoder, c *Component) {
	if c.ID == "" {
		e.Raw("null")
		return
	}
	e.Raw(`{"id":`)
	e.Text(c.ID)
	e.Raw(`,"version":`)
	e.TextOrNull(c.Version)
	e.Raw(`}`)
}

func encodeCount(e *canonical.Encoder, c Count) {
	if !c.Known {
		e.Raw("null")
		return
	}
	e.Uint(c.N)
}

// EncodeProfile appends an execution profile.
func EncodeProfile(e *canonical.Encoder, p *Profile) { encodeProfile(e, p, "") }

func encodeScope(e *canonical.Encoder, s *Scope) {
	switch s.Kind {
	case "":
		e.Raw("null")
	case ScopeExact:
		encodeProfile(e, &s.Profile, `"kind":"`+ScopeExact+`",`)
	default:
		encodeProfile(e, &s.Profile, `"kind":"`+ScopePartial+`",`)
	}
}

// encodeProfile appends a profile or, with the member that tells its kind, a scope.
func encodeProfile(e *canonical.Encoder, p *Profile, kind string) {
	e.Raw(`{"adapter":`)
	encodeComponent(e, &p.Adapter)
	e.Raw(`,"effectiveContextTokens":`)
	encodeCount(e, p.EffectiveContextTokens)
	e.Raw(`,"hardware":`)
	if h := &p.Hardware; h.Class == "" {
		e.Raw("null")
	} else {
		e.Raw(`{"accelerator":`)
		e.TextOrNull(h.Accelerator)
		e.Raw(`,"class":`)
		e.Text(h.Class)
		e.Raw(`,"memoryBytes":`)
		encodeCount(e, h.MemoryBytes)
		e.Raw(`}`)
	}
	e.Raw(`,`)
	e.Raw(kind)
	e.Raw(`"runtime":`)
	encodeComponent(e, &p.Runtime)
	e.Raw(`,"toolSurface":`)
	if p.ToolSurface == nil {
		e.Raw("null")
	} else {
		e.Texts(p.ToolSurface)
	}
	e.Raw(`,"workflow":`)
	if w := &p.Workflow; w.ID == "" {
		e.Raw("null")
	} else {
		e.Raw(`{"condition":`)
		e.TextOrNull(w.Condition)
		e.Raw(`,"id":`)
		e.Text(w.ID)
		e.Raw(`,"version":`)
		e.TextOrNull(w.Version)
		e.Raw(`}`)
	}
	e.Raw(`}`)
}

func encodeTask(e *canonical.Encoder, t *Task) {
	if t.Family == "" {
		e.Raw("null")
		return
	}
	e.Raw(`{"evaluator":`)
	encodeComponent(e, &t.Evaluator)
	e.Raw(`,"family":`)
	e.Text(t.Family)
	e.Raw(`,"suite":`)
	e.TextOrNull(t.Suite)
	e.Raw(`,"taskId":`)
	e.TextOrNull(t.TaskID)
	e.Raw(`}`)
}

// EncodeScalar appends a string, number or boolean.
func EncodeScalar(e *canonical.Encoder, v Scalar) {
	switch v.Kind {
	case '"':
		e.Text(v.Text)
	case '0':
		e.Raw(v.Text)
	default:
		e.Bool(v.Kind == 't')
	}
}

// encodeMeasurement returns where the key and the value stand in the buffer.
func encodeMeasurement(e *canonical.Encoder, m *Measurement) (key, value span) {
	e.Raw(`{"key":`)
	key[0] = len(e.Buf)
	e.Text(m.Key)
	key[1] = len(e.Buf)
	e.Raw(`,"kind":"`)
	e.Raw(m.Kind)
	if m.Unit != "" {
		e.Raw(`","unit":`)
		e.Text(m.Unit)
		e.Raw(`,"value":`)
	} else {
		e.Raw(`","value":`)
	}
	value[0] = len(e.Buf)
	EncodeScalar(e, m.Value)
	value[1] = len(e.Buf)
	e.Raw(`}`)
	return key, value
}

func encodeOutcome(e *canonical.Encoder, o *Outcome) {
	if o.Status == "" {
		e.Raw("null")
		return
	}
	e.Raw(`{"reason":`)
	e.TextOrNull(o.Reason)
	e.Raw(`,"status":"`)
	e.Raw(o.Status)
	e.Raw(`"}`)
}

func encodeUsage(e *canonical.Encoder, u *Usage) {
	if u.Completeness == "" {
		e.Raw("null")
		return
	}
	e.Raw(`{"completeness":"`)
	e.Raw(u.Completeness)
	e.Raw(`","inputTokens":`)
	encodeCount(e, u.InputTokens)
	e.Raw(`,"modelCalls":`)
	encodeCount(e, u.ModelCalls)
	e.Raw(`,"outputTokens":`)
	encodeCount(e, u.OutputTokens)
	e.Raw(`,"reasoningTokens":`)
	encodeCount(e, u.ReasoningTokens)
	e.Raw(`,"totalTokens":`)
	encodeCount(e, u.TotalTokens)
	e.Raw(`,"wallTimeMs":`)
	encodeCount(e, u.WallTimeMs)
	e.Raw(`}`)
}

func encodeEvidence(e *canonical.Encoder, ev *Evidence) {
	e.Raw(`{"digest":`)
	if ev.SHA256 == "" {
		e.Raw("null")
	} else {
		e.Raw(`{"algorithm":"sha256","value":"`)
		e.Raw(ev.SHA256)
		e.Raw(`"}`)
	}
	e.Raw(`,"id":`)
	e.Text(ev.ID)
	e.Raw(`,"kind":`)
	e.Text(ev.Kind)
	e.Raw(`,"observedAt":"`)
	e.Raw(ev.ObservedAt)
	e.Raw(`","uri":`)
	e.TextOrNull(ev.URI)
	e.Raw(`}`)
}

func encodeFreshness(e *canonical.Encoder, f *Freshness) (at freshnessPart) {
	e.Raw(`{"observedAt":"`)
	at.observedAt[0] = len(e.Buf)
	e.Raw(f.ObservedAt)
	at.observedAt[1] = len(e.Buf)
	e.Raw(`","validUntil":`)
	if f.ValidUntil == "" {
		e.Raw(`null}`)
		return at
	}
	e.Raw(`"`)
	at.validUntil[0] = len(e.Buf)
	e.Raw(f.ValidUntil)
	at.validUntil[1] = len(e.Buf)
	e.Raw(`"}`)
	return at
}

func encodeUncertainty(e *canonical.Encoder, u *Uncertainty) {
	e.Raw(`{"basis":`)
	e.Texts(u.Basis)
	e.Raw(`,"gaps":`)
	e.Texts(u.Gaps)
	e.Raw(`,"level":"`)
	e.Raw(u.Level)
	e.Raw(`"}`)
}
