package catalog

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is how much of a catalog had expired when it was compiled. A price list of July
// that is compiled in November says nothing, and whoever compiles or ranks should hear so:
//
//	Expiry{Observations: 40395, Expired: 38279, LastHeld: "2026-07-02"}

// Expiry says how many observations had expired.
type Expiry struct {
	Observations, Expired int
	LastHeld              string // the --as-of at which most of the expired ones count; "" if none is known
}

// Remedy says what to do about expired observations.
func (e Expiry) Remedy() string {
	if e.LastHeld == "" {
		return "fetch newer files"
	}
	return "fetch newer files, or compile with --as-of " + e.LastHeld
}

// MostExpired reports whether more than half of the observations had expired. Compiling counts
// them on the way: Expiry reads every observation again.
func (c *Catalog) MostExpired() bool { return 2*c.expired > c.Observations() }

// Expiry counts the observations that measure one of some keys, or all if there are no keys, but
// for history: what the same source stated otherwise later.
// No catalog of these observations can be older than the youngest date in it, so that LastHeld is
// that date, or if most still hold then the midnight after it.
func (c *Catalog) Expiry(keys ...string) (e Expiry) {
	var youngest record.Timestamp
	expired := map[record.Freshness]int{} // there are few different ones
	reader := NewRecordReader()
	isWanted := func(m record.Measurement) bool { return slices.Contains(keys, m.Key) }
	for i := range c.models {
		var statements []statement
		newest := map[string]record.Timestamp{} // by what was stated
		for _, o := range c.models[i].Observations {
			rec := reader.Read(o)
			s := newStatement(rec)
			newest[s.of] = max(newest[s.of], s.freshness.ObservedAt)
			if len(keys) == 0 || slices.ContainsFunc(rec.Measurements, isWanted) {
				statements = append(statements, s)
			}
			youngest = max(youngest, rec.Freshness.ObservedAt)
			for _, evidence := range rec.Evidence {
				youngest = max(youngest, evidence.ObservedAt)
			}
		}
		for _, s := range statements {
			if s.of != "" && s.freshness.ObservedAt < newest[s.of] {
				continue // it is history: its source has stated something newer since
			}
			e.Observations++
			if !s.freshness.HoldsAt(record.Timestamp(c.asOf)) {
				e.Expired++
				expired[s.freshness]++
			}
		}
	}
	for _, instant := range []string{midnightAfter(string(youngest)), string(youngest)} {
		held := 0
		for f, n := range expired {
			if f.HoldsAt(record.Timestamp(instant)) {
				held += n
			}
		}
		if 2*held > e.Expired && instant < c.asOf {
			e.LastHeld = strings.TrimSuffix(instant, midnight)
			break
		}
	}
	return e
}

// statement is an observation as what its source stated at a time.
type statement struct {
	of        string // "" if the evidence does not say
	freshness record.Freshness
}

// newStatement takes what the first evidence is of, without its time:
//
//	models-dev:openai/gpt-5#price.input@2026-07-01T16:40:28.000Z
func newStatement(o *record.Observation) statement {
	of, _, isDated := strings.Cut(o.Evidence[0].ID, "@")
	if !isDated {
		of = ""
	}
	return statement{of, o.Freshness}
}

// midnight is the end of a timestamp that people write as a date.
const midnight = "T00:00:00.000Z"

// midnightAfter is the first midnight that is not before an instant.
func midnightAfter(instant string) string {
	day, isMidnight := strings.CutSuffix(instant, midnight)
	if isMidnight || instant == "" {
		return instant
	}
	const hours = 24
	day, _, _ = strings.Cut(day, "T")
	return timestamp.AddHours(day+midnight, hours)
}
