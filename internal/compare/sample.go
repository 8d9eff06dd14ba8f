package compare

import (
	"math"

	"github.com/model-catalog-service/svc/internal/rank/statistics"
	"github.com/model-catalog-service/svc/service/record"
)

// Group is what was measured of one model under one key, in one execution scope
// and one family and suite of tasks.
type Group struct {
	MeasurementKey string
	Execution      int    // in the model's executions
	Family         string // of the task, "" if there is none
	Suite          string // "" for null
	Samples        []Entry
}

// Uses reports whether the samples of an observation are used: it holds, and its
// outcome is not invalid.
func (v *View) Uses(observation int) bool {
	return v.Holds[observation] && !v.Observations[observation].Invalid
}

// Aggregate computes the aggregates of a group. Like that of a ranking, the sum is correctly
// rounded, so that the same samples come to the same bits whatever their ids.
func (v *View) Aggregate(g *Group) (a record.SampleSummary) {
	var (
		first    *Entry
		low, top float64
		trues    int
		numbers  = true // so far all samples are
		booleans = true
		units    = true // all have one
	)
	v.room = v.room[:0]
	for i := range g.Samples {
		s := &g.Samples[i]
		if !v.Uses(s.Observation) {
			continue
		}
		f := s.Value.Float()
		if first == nil {
			first, low, top = s, f, f
		}
		a.N++
		v.room = append(v.room, f)
		low, top = min(low, f), max(top, f)
		numbers = numbers && s.Value.Kind == '0'
		booleans = booleans && (s.Value.Kind == 't' || s.Value.Kind == 'f')
		units = units && s.Unit == first.Unit
		if s.Value.Kind == 't' {
			trues++
		}
	}
	if first == nil {
		return record.SampleSummary{}
	}
	if booleans {
		a.SuccessRate = record.NewFloat(float64(trues) / float64(a.N))
	}
	if !units {
		return a
	}
	a.Unit = record.Text(first.Unit)
	if numbers {
		a.Min, a.Max = record.NewFloat(low), record.NewFloat(top)
		if sum := statistics.Sum(v.room); !math.IsInf(sum, 0) {
			a.Mean = record.NewFloat(sum / float64(a.N))
		}
	}
	return a
}
