package statistics

import (
	"math"
	"slices"
)

// Interval is where a number lies at some level.
type Interval struct {
	Low, High float64
	Known     bool // false: nothing is known, and the ends mean nothing
}

// Wilson returns Wilson's score interval for a share p, from 0 to 1, of so many trials, which need
// not be a whole number (Probable Inference, 1927).
func Wilson(p, trials, quantile float64) Interval {
	s := float64(quantile * quantile)
	d := 1 + s/trials
	center := (p + s/(2*trials)) / d
	half := quantile * math.Sqrt(float64(p*(1-p)/trials)+s/(4*trials*trials)) / d
	i := Interval{max(0, center-half), min(1, center+half), true}
	if p == 0 {
		i.Low = 0
	}
	if p == 1 {
		i.High = 1
	}
	return i
}

// SamplingVariance returns the variance of the mean of tasks, of which the shares p and the number
// of trials of each are given: how far it would move if the same questions were answered again.
func SamplingVariance(means, trials []float64) float64 {
	parts := make([]float64, len(means))
	for i, p := range means {
		parts[i] = p * (1 - p) / trials[i]
	}
	m := float64(len(means))
	return Sum(parts) / (m * m)
}

// Benchmark returns the interval for the mean of tasks if the same benchmark were run again:
// Wilson's, for as many trials as would give the same sampling variance. Quantile is that of the
// normal distribution.
func Benchmark(means, trials []float64, quantile float64) Interval {
	p, variance := Mean(means), SamplingVariance(means, trials)
	effective := Sum(trials)
	if variance > 0 {
		effective = p * (1 - p) / variance
	}
	return Wilson(p, effective, quantile)
}

// MeanVariance returns the unbiased variance of the mean of numbers, of which there are two or
// more, from their spread. It is zero where all are equal.
func MeanVariance(values []float64) float64 {
	if !slices.ContainsFunc(values, func(x float64) bool { return x != values[0] }) {
		return 0
	}
	mean := Mean(values)
	squares := make([]float64, len(values))
	for i, x := range values {
		squares[i] = (x - mean) * (x - mean)
	}
	m := float64(len(values))
	return Sum(squares) / (m * (m - 1))
}

// Tasks returns the interval for the mean of tasks, each from 0 to 1, on other tasks of the kind:
// Wilson's, for as many trials as would give the variance that is seen between tasks, and at least
// as many as there are tasks, since nothing from 0 to 1 varies more than what is 0 or 1. Quantile
// is that of t with one degree of freedom less than there are tasks. Of one task nothing is known.
func Tasks(means []float64, quantile float64) Interval {
	if len(means) < 2 {
		return Interval{}
	}
	p, variance, m := Mean(means), MeanVariance(means), float64(len(means))
	effective := m
	if variance > 0 {
		effective = max(m, p*(1-p)/variance)
	}
	return Wilson(p, effective, quantile)
}

// Spread returns the interval for the mean of tasks that have no bounds, such as ratings or
// seconds: so many standard errors to each side. Quantile is as of [Tasks]. Of one task, of tasks
// that are all equal, or where an end would be infinite, nothing is known: that no spread was seen
// is no proof of none.
func Spread(means []float64, quantile float64) Interval {
	if len(means) < 2 {
		return Interval{}
	}
	variance := MeanVariance(means)
	if variance == 0 {
		return Interval{}
	}
	return Around(Mean(means), math.Sqrt(variance), quantile)
}

// Around returns the interval of so many standard errors to each side of a value.
func Around(value, standardError, quantile float64) Interval {
	margin := float64(quantile * standardError)
	i := Interval{value - margin, value + margin, true}
	if math.IsNaN(margin) || math.IsInf(i.Low, 0) || math.IsInf(i.High, 0) {
		return Interval{}
	}
	return i
}

// SharedMargin returns up to where the mean of the differences of tasks that two candidates share
// is no proof of a difference: the quantile of t, with one degree of freedom less than there are
// tasks, times the standard error. Of fewer than two tasks, or where all differences are equal,
// nothing is known: that no spread was seen is no proof of none.
func SharedMargin(differences []float64, quantile float64) (margin float64, known bool) {
	if len(differences) < 2 {
		return 0, false
	}
	variance := MeanVariance(differences)
	return quantile * math.Sqrt(variance), variance > 0
}
