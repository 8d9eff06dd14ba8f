package compare

import (
	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/service/record"
)

// writer writes what is listed of models as canonical JSON. Of ten thousand entries
// encoding/json and putting its members into order would take a third of the time of a
// diff. The tags of the types say the same, and ReadDiffs reads it by them.
type writer struct{ canonical.Encoder }

func (w *writer) number(before string, n record.Float) {
	if w.Raw(before); n.Known {
		w.Number(n.Value)
	} else {
		w.Raw("null")
	}
}

func (w *writer) count(before string, n int) {
	w.Raw(before)
	w.Uint(uint64(n))
}

// list writes the items of a list.
func list[Item any](w *writer, before string, items []Item, write func(*Item)) {
	w.Raws(before, "[")
	for i := range items {
		if i > 0 {
			w.Raw(",")
		}
		write(&items[i])
	}
	w.Raw("]")
}

// orNull writes what may be missing.
func orNull[Part any](w *writer, before string, part *Part, write func(*Part)) {
	if w.Raw(before); part == nil {
		w.Raw("null")
	} else {
		write(part)
	}
}

func (w *writer) changes(m *Changes) {
	w.Raw(`{"alike":`)
	w.Texts(m.Alike)
	w.Raws(`,"change":"`, string(m.Change), `"`)
	list(w, `,"conflicts":`, m.Conflicts, w.conflict)
	list(w, `,"facts":`, m.Facts, w.fact)
	w.Member(`,"identity":{"id":`, m.Identity.ID)
	w.MemberOrNull(`,"quantization":`, string(m.Identity.Quantization))
	w.MemberOrNull(`,"revision":`, string(m.Identity.Revision))
	w.Raws(`},"key":"`, m.Key, `"`)
	o := &m.Observations
	w.count(`,"observations":{"added":`, o.Added)
	w.count(`,"agedOut":`, o.AgedOut)
	w.count(`,"holdingNew":`, o.HoldingNew)
	w.count(`,"holdingOld":`, o.HoldingOld)
	w.count(`,"new":`, o.New)
	w.count(`,"old":`, o.Old)
	w.count(`,"removed":`, o.Removed)
	list(w, `},"samples":`, m.Samples, w.sample)
	w.Raw(`}`)
}

func (w *writer) conflict(c *ConflictChange) {
	w.Raws(`{"change":"`, string(c.Change), `","key":"`, c.Key, `"`)
	w.Member(`,"measurementKey":`, c.MeasurementKey)
	w.Raws(`,"new":`, string(c.New), `,"old":`, string(c.Old), `}`)
}

func (w *writer) fact(f *FactChange) {
	w.Raws(`{"change":"`, string(f.Change), `","execution":`, string(f.Execution))
	w.Member(`,"measurementKey":`, f.MeasurementKey)
	orNull(w, `,"new":`, f.New, w.side)
	orNull(w, `,"old":`, f.Old, w.side)
	w.number(`,"ratio":`, f.Ratio)
	w.Raws(`,"slot":"`, f.Slot, `"`)
	orNull(w, `,"task":`, f.Task, w.about)
	w.Raw(`}`)
}

func (w *writer) about(t *About) {
	w.Member(`{"evaluator":{"id":`, t.Evaluator.ID)
	w.MemberOrNull(`,"version":`, string(t.Evaluator.Version))
	w.Member(`},"family":`, t.Family)
	w.MemberOrNull(`,"suite":`, string(t.Suite))
	w.MemberOrNull(`,"taskId":`, string(t.TaskID))
	w.Raw(`}`)
}

func (w *writer) side(f *Fact) {
	w.count(`{"observationCount":`, f.ObservationCount)
	list(w, `,"observations":`, f.Observations, w.witness)
	w.Raws(`,"state":"`, string(f.State), `"`)
	w.count(`,"valueCount":`, f.ValueCount)
	list(w, `,"values":`, f.Values, w.value)
	w.Raw(`}`)
}

func (w *writer) witness(o *Witness) {
	list(w, `{"evidence":`, o.Evidence, w.evidence)
	w.Raws(`,"id":"`, o.ID, `","observedAt":"`, o.ObservedAt, `","sourceClass":"`, o.SourceClass, `"`)
	w.MemberOrNull(`,"validUntil":`, string(o.ValidUntil))
	w.Raw(`}`)
}

func (w *writer) evidence(e *Evidence) {
	w.Member(`{"id":`, e.ID)
	w.MemberOrNull(`,"uri":`, string(e.URI))
	w.Raw(`}`)
}

func (w *writer) value(v *Value) {
	w.MemberOrNull(`{"unit":`, string(v.Unit))
	w.Raw(`,"value":`)
	catalog.EncodeScalar(&w.Encoder, record.Scalar(v.Value))
	w.Raw(`}`)
}

func (w *writer) sample(s *SampleChange) {
	w.count(`{"agedOut":`, s.AgedOut)
	w.count(`,"came":`, s.Came)
	w.Raws(`,"execution":`, string(s.Execution))
	w.MemberOrNull(`,"family":`, string(s.Family))
	w.Member(`,"measurementKey":`, s.MeasurementKey)
	orNull(w, `,"new":`, s.New, w.aggregate)
	orNull(w, `,"old":`, s.Old, w.aggregate)
	w.MemberOrNull(`,"suite":`, string(s.Suite))
	w.count(`,"went":`, s.Went)
	w.Raw(`}`)
}

func (w *writer) aggregate(a *Aggregate) {
	w.number(`{"max":`, a.Max)
	w.number(`,"mean":`, a.Mean)
	w.number(`,"min":`, a.Min)
	w.count(`,"n":`, a.N)
	w.number(`,"successRate":`, a.SuccessRate)
	w.MemberOrNull(`,"unit":`, string(a.Unit))
	w.Raw(`}`)
}
