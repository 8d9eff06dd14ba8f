package lock_test

import (
	"slices"
	"strings"
	"testing"

	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/service/record"
)

// by is what a list states from a time on.
func by(list, from, key string, value any, unit string) Statement {
	s := said("acme/atlas", key, value, unit)
	s.From, s.Evidence = from, []string{list + ":acme/atlas#" + key + "@" + from}
	return s
}

// A complete list of the seller that has an offer no more is right, whatever others repeat, and stays
// right when its statement has expired, until it lists the offer again.
func TestWithdrawn(t *testing.T) {
	price := by("copies", May2, "price.output", 2e-6, "USD/token")
	gone := by("seller", May2, "lifecycle.status", "withdrawn", "")
	expired := gone
	expired.Until = "2026-05-03T00:00:00.000Z"
	old, again := by("seller", May1, "price.output", 2e-6, "USD/token"), by("seller", "2026-05-05T00:00:00.000Z", "price.output", 2e-6, "USD/token")
	old.Until = May2
	other := by("copies", May2, "lifecycle.status", "beta", "")
	l, text := read(t, made(t, Compile(t, May31, price), nil), `{"catalogMaxAgeDays": null}`)
	for name, test := range map[string]struct {
		says []Statement
		want []string
	}{
		"it is sold":                      {[]Statement{price, old}, nil},
		"it is gone":                      {[]Statement{price, old, gone}, []string{"fail MODEL_GONE  2026-05-02"}},
		"it is gone, others contradict":   {[]Statement{price, other, gone}, []string{"fail MODEL_GONE  2026-05-02"}},
		"it is gone, and time has passed": {[]Statement{price, expired}, []string{"fail MODEL_GONE  2026-05-02"}},
		"it is sold again":                {[]Statement{price, gone, again}, nil},
	} {
		got, r := findings(t, Compile(t, May31, append(test.says, said("acme/atlas-2", "price.output", 1e-6, "USD/token"))...), l, text, May31)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		if test.want != nil && !strings.HasSuffix(r.Findings[0].Message, "; the catalog has acme/atlas-2") {
			t.Error(r.Findings[0].Message)
		}
	}
}

// Sources that contradict each other about the end of a model do not undo it, nor does waiting.
func TestContradictedEnd(t *testing.T) {
	price := said("acme/atlas", "price.output", 2e-6, "USD/token")
	l, text := read(t, made(t, Compile(t, May31, price), nil), `{"catalogMaxAgeDays": null}`)
	one, two := by("one", May2, "lifecycle.retires", "2026-05-20", ""), by("two", May2, "lifecycle.retires", "2026-06-20", "")
	for _, until := range []string{"", "2026-05-03T00:00:00.000Z"} {
		one.Until, two.Until = until, until
		got, r := findings(t, Compile(t, May31, price, one, two), l, text, May31)
		if !slices.Equal(got, []string{"fail MODEL_RETIRED lifecycle.retires 2026-05-20"}) ||
			!strings.Contains(r.Findings[0].Message, "the sources contradict each other (2026-05-20 or 2026-06-20)") {
			t.Errorf("%q", got)
		}
	}
}

// Prices that differ in the last digits alone, as lists that convert them have, are one price.
func TestLastDigits(t *testing.T) {
	l, text := read(t, made(t, Compile(t, May31, whole()...), nil), `{"levels": {"PRICE_DOWN": "warn"}}`)
	for value, want := range map[float64][]string{
		2.0000000000000003e-6: nil, 1.9999999999e-6: nil,
		2.00000001e-6: {"fail PRICE_UP price.output"}, 1.99999999e-6: {"warn PRICE_DOWN price.output"},
	} {
		if got, _ := findings(t, replaced(t, "price.output", said("acme/atlas", "price.output", value, "USD/token")), l, text, May31); !slices.Equal(got, want) {
			t.Errorf("%g: %q, want %q", value, got, want)
		}
	}
}

// A use may be of an offer whose runtime has parts.
func TestReadUse(t *testing.T) {
	c := Compile(t, May31, whole()...)
	for text, want := range map[string][2]string{
		"shop:acme/atlas":      {"shop", "acme/atlas"},
		"shop:free:acme/atlas": {"shop:free", "acme/atlas"},
		"shop:none:x":          {"shop", "none:x"}, // the catalog has neither
	} {
		if use, err := lock.ReadUse(c, text); err != nil || use.Execution.Runtime.ID != want[0] || use.Model != (record.Model{ID: want[1]}) || use.ID != text {
			t.Errorf("%s: %+v", text, use)
		}
	}
}

// A list that goes on with others and does not state a fact any more has not run out: that is another
// finding than where all that it stated has expired, or where somebody measured it once.
func TestNoLongerStated(t *testing.T) {
	row := func(list, key string, value any, unit, until, kind string) Statement {
		s := by(list, May1, key, value, unit)
		s.Until, s.Words = until, kind
		return s
	}
	const day = "2026-05-03T00:00:00.000Z"
	cache := row("list", "price.cache_read", 1e-7, "USD/token", "", "price-list-row")
	l, text := read(t, made(t, Compile(t, May2, cache), nil), `{"catalogMaxAgeDays": null}`)
	cache.Until = day
	dear := row("list", "price.cache_read", 2e-7, "USD/token", day, "price-list-row")
	dear.From = May2
	for name, test := range map[string]struct {
		says []Statement
		want []string
	}{
		"the list goes on":         {[]Statement{cache, row("list", "price.output", 2e-6, "USD/token", "", "price-list-row")}, []string{"warn EVIDENCE_MISSING price.cache_read"}},
		"it rose before":           {[]Statement{cache, dear, row("list", "price.output", 2e-6, "USD/token", "", "price-list-row")}, []string{"fail PRICE_UP price.cache_read"}},
		"the list ran out":         {[]Statement{cache, row("list", "price.output", 2e-6, "USD/token", day, "price-list-row")}, []string{"fail EVIDENCE_EXPIRED price.cache_read"}},
		"another list goes on":     {[]Statement{cache, row("other", "price.output", 2e-6, "USD/token", "", "price-list-row")}, []string{"fail EVIDENCE_EXPIRED price.cache_read"}},
		"it was no list's":         {[]Statement{row("list", "price.cache_read", 1e-7, "USD/token", day, "log"), row("list", "price.output", 2e-6, "USD/token", "", "log")}, []string{"fail EVIDENCE_EXPIRED price.cache_read"}},
		"the list states it again": {[]Statement{cache, row("list", "price.cache_read", 1e-7, "USD/token", "", "price-list-row")}, nil},
	} {
		if got, _ := findings(t, Compile(t, May31, test.says...), l, text, May31); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
