package catalog

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
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
// them on the way: Expiry reads every observation again, an eighth of the time of compiling.
func (c *Catalog) MostExpired() bool { return 2*c.expired > c.Observations() }

// Expiry counts the observations that measure one of some keys, or all if there are no keys, but
// for history: what the same source stated otherwise later. No catalog of these observations can be
// older than the youngest date in it, so that LastHeld is that date, or if most still hold then the
// midnight after it.
func (c *Catalog) Expiry(keys ...string) (e Expiry) {
	marks := make([]string, len(keys))
	for i, key := range keys {
		var m canonical.Encoder
		m.Raw(`{"key":`)
		m.Text(key)
		marks[i] = string(m.Buf)
	}
	youngest := ""
	expired := map[record.Freshness]int{} // there are few different ones
	for i := range c.models {
		newest := c.models[i].newestStatements()
		for _, o := range c.models[i].Observations {
			f, date := o.freshness()
			youngest = max(youngest, date)
			if statement := o.statement(); statement != "" && f.ObservedAt < newest[statement] {
				continue // it is history: its source has stated something newer since
			}
			if len(keys) > 0 && !slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(o.doc, m) }) {
				continue
			}
			e.Observations++
			if !f.HoldsAt(record.Timestamp(c.asOf)) {
				e.Expired++
				expired[f]++
			}
		}
	}
	for _, instant := range []string{midnightAfter(youngest), youngest} {
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

// newestStatements returns when each statement of the model was observed last.
func (m *ModelEntry) newestStatements() map[string]record.Timestamp {
	newest := map[string]record.Timestamp{}
	for _, o := range m.Observations {
		if statement := o.statement(); statement != "" {
			f, _ := o.freshness()
			newest[statement] = max(newest[statement], f.ObservedAt)
		}
	}
	return newest
}

// statement returns what the first evidence of an observation is of, without its time, "" if that
// has none:
//
//	models-dev:openai/gpt-5#price.input@2026-07-01T16:40:28.000Z
func (o Observation) statement() string {
	_, rest, _ := strings.Cut(o.doc, `"evidence":[{"digest":`)
	_, rest, _ = strings.Cut(rest, `,"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	statement, _, _ := strings.Cut(id, "@")
	if statement == id {
		return ""
	}
	return statement
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

// freshness reads that of the canonical document, and the youngest date up to it. No text
// contains a mark, since a quotation mark in a text is escaped.
func (o Observation) freshness() (f record.Freshness, youngest string) {
	const date = `"observedAt":"`
	evidence, rest, _ := strings.Cut(o.doc, `"freshness":{`+date)
	observedAt, rest, _ := strings.Cut(rest, `"`)
	f.ObservedAt = record.Timestamp(observedAt)
	if rest, found := strings.CutPrefix(rest, `,"validUntil":"`); found {
		validUntil, _, _ := strings.Cut(rest, `"`)
		f.ValidUntil = record.Timestamp(validUntil)
	}
	youngest = string(f.ObservedAt)
	for found := true; found; {
		if _, evidence, found = strings.Cut(evidence, date); found {
			youngest = max(youngest, evidence[:len(f.ObservedAt)]) // timestamps have one length
		}
	}
	return f, youngest
}
