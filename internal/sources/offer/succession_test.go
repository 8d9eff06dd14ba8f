package offer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/sources/offer/offertest"
	"github.com/model-catalog-service/svc/service/record"
)

func day(n int) string { return fmt.Sprintf("2026-07-%02dT12:00:00.000Z", n) }

// capture is the listing of a snapshot: of each offer, by its local id, the prices.
type capture map[string][]string

func (c capture) listing(t testing.TB) *offer.Listing {
	drafts := numbers()
	var rows []offer.Row
	for id, prices := range c {
		rows = append(rows, row(t, drafts, "x/"+id, offer.Provider{Runtime: "x"}, id, true, prices...))
	}
	return offer.NewListing(rows)
}

// succeed makes runs of captures on the days that follow each other.
func succeed(t testing.TB, captures map[int]capture) *offer.Succession {
	t.Helper()
	var s offer.Succession
	for n := 1; n <= 31; n++ {
		if c, ok := captures[n]; ok {
			l := c.listing(t)
			if err := s.Add(day(n), l, offertest.ByID(l)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return &s
}

const maxAge = 168 // hours

// tell writes runs in the short form that the tests compare.
func tell(runs []*offer.Run) (lines []string) {
	date := func(at string) string { return at[8:10] }
	for _, r := range runs {
		lines = append(lines, fmt.Sprintf("%s %s=%s seen %s to %s in %d, until %s", r.LocalID, r.Declaration.Name,
			r.Declaration.Facts[0].Value.Text, date(r.First.At), date(r.Last.At), r.Snapshots, r.ValidUntil("", maxAge, "")[5:10]))
	}
	return lines
}

// The example of the package comment, and what follows from it.
func TestSuccession(t *testing.T) {
	s := succeed(t, map[int]capture{
		1: {"gpt-5": {"1.25e-6", "0"}, "old": {"5e-6"}},
		2: {"gpt-5": {"1.250e-6", "10e-6"}, "old": {"5e-6"}},
		4: {"gpt-5": {"1.00e-6", "10e-6"}, "new": {"7e-6"}},
		7: {"gpt-5": {"1.25e-6", "10e-6"}, "new": {"7e-6"}, "old": {"5e-6"}},
	})
	want := []string{
		"gpt-5 price.input=0.00000125 seen 01 to 02 in 2, until 07-04",
		"gpt-5 price.input=0.000001 seen 04 to 04 in 1, until 07-07",
		"gpt-5 price.input=0.00000125 seen 07 to 07 in 1, until 07-14", // a value that comes back
		"gpt-5 price.output=0.00001 seen 02 to 07 in 3, until 07-14",
		"new price.input=0.000007 seen 04 to 07 in 2, until 07-14",
		"old price.input=0.000005 seen 01 to 02 in 2, until 07-04", // the offer was gone
		"old price.input=0.000005 seen 07 to 07 in 1, until 07-14",
	}
	if got := tell(s.Runs()); !slices.Equal(got, want) {
		t.Errorf("%s,\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if s.Came != 2 || s.Went != 1 || s.Closed != 3 {
		t.Errorf("%d came, %d went, %d runs closed", s.Came, s.Went, s.Closed)
	}
	first := s.Runs()[0]
	if first.First.Read != `{"p":"1.25e-6"}` || first.Last.Read != `{"p":"1.250e-6"}` || first.Last.Row != "x/gpt-5" {
		t.Errorf("sightings %+v and %+v", first.First, first.Last)
	}
}

// What a source announced ends a run, and so does what the mapping says.
func TestValidUntil(t *testing.T) {
	announced := func(until string) *offer.Listing {
		drafts := numbers()
		d := drafts.Begin("row", "", 0)
		d.Offer(offer.Provider{Runtime: "x"}, "m", true)
		d.Price(offer.Input, offer.Band{}, "p", offertest.Value(t, "1e-6"))
		d.PricesUntil(until)
		return offer.NewListing([]offer.Row{d.Row()})
	}
	tests := []struct {
		name     string
		listings []*offer.Listing
		notAfter string
		want     string
	}{
		{"nothing is announced", []*offer.Listing{announced("")}, "", day(8)},
		{"announced", []*offer.Listing{announced(day(3))}, "", day(3)},
		{"announced for later", []*offer.Listing{announced(day(20))}, "", day(8)},
		{"announced and taken back", []*offer.Listing{announced(day(3)), announced("")}, "", day(9)},
		{"announced later", []*offer.Listing{announced(""), announced(day(5))}, "", day(5)},
		{"the mapping ends before", []*offer.Listing{announced(day(5))}, day(4), day(4)},
		{"the mapping ends after", []*offer.Listing{announced(day(5))}, day(6), day(5)},
	}
	for _, tt := range tests {
		var s offer.Succession
		for i, l := range tt.listings {
			if err := s.Add(day(i+1), l, offertest.ByID(l)); err != nil {
				t.Fatal(err)
			}
		}
		if runs := s.Runs(); len(runs) != 1 || runs[0].ValidUntil("", maxAge, tt.notAfter) != tt.want {
			t.Errorf("%s: until %s, want %s", tt.name, runs[0].ValidUntil("", maxAge, tt.notAfter), tt.want)
		}
	}
}

// A row that another model is said to be of is another subject, and a row that
// nobody maps is as if it were not there.
func TestIdentify(t *testing.T) {
	var s offer.Succession
	c := capture{"m": {"1e-6"}}
	for i, model := range []string{"a", "a", "", "a", "b"} {
		l := c.listing(t)
		err := s.Add(day(i+1), l, func(i int) offer.Subject {
			if model == "" {
				return offer.Subject{}
			}
			return offer.Subject{Offer: l.Rows[i].Offer, Model: record.Model{ID: model}}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, r := range s.Runs() {
		got = append(got, fmt.Sprintf("%s %s %d", r.Model.ID, r.First.At[8:10], r.Snapshots))
	}
	if want := []string{"a 01 2", "a 04 1", "b 05 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOrderOfTime(t *testing.T) {
	var s offer.Succession
	c := capture{"m": {"1e-6"}}
	for i, want := range []bool{true, false, false} {
		l := c.listing(t)
		if err := s.Add(day(5-i/2), l, offertest.ByID(l)); (err == nil) != want {
			t.Errorf("snapshot %d: %v", i, err)
		}
	}
}

// Random successions against the definition of a run: a declaration has the same
// facts in all snapshots of a run, and others or none right before and after it.
func TestRunsAreLongest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		captures := randomCaptures(random)
		var days []int
		for n := 1; n <= 31; n++ {
			if _, ok := captures[n]; ok {
				days = append(days, n)
			}
		}
		var want []string
		for _, id := range []string{"a", "b"} {
			for i, name := range []string{"price.input", "price.output"} {
				want = append(want, naiveRuns(captures, days, id, name, i)...)
			}
		}
		if got := tell(succeed(t, captures).Runs()); !slices.Equal(got, want) {
			t.Fatalf("%v:\n%s,\nwant\n%s", captures, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func randomCaptures(random *rand.Rand) map[int]capture {
	captures := map[int]capture{}
	for n := 1; n <= 20; n++ {
		if random.IntN(3) == 0 {
			continue
		}
		c := capture{}
		for _, id := range []string{"a", "b"} {
			if random.IntN(4) > 0 {
				c[id] = []string{fmt.Sprintf("%de-6", random.IntN(3)), fmt.Sprintf("%de-6", random.IntN(2))} // 0 is no price
			}
		}
		captures[n] = c
	}
	return captures
}

func naiveRuns(captures map[int]capture, days []int, id, name string, i int) (lines []string) {
	price := func(k int) string {
		if k < 0 || k >= len(days) || captures[days[k]][id] == nil || captures[days[k]][id][i] == "0e-6" {
			return ""
		}
		return captures[days[k]][id][i]
	}
	for k := range days {
		if price(k) == "" || price(k) == price(k-1) {
			continue
		}
		last := k
		for price(last+1) == price(k) {
			last++
		}
		until := day(days[last] + 7)
		if last+1 < len(days) {
			until = day(days[last+1])
		}
		lines = append(lines, fmt.Sprintf("%s %s=0.00000%s seen %02d to %02d in %d, until %s", id, name, price(k)[:1], days[k], days[last], last-k+1, until[5:10]))
	}
	return lines
}

// Adding a capture that says nothing new between two that agree changes no run
// but the number of its snapshots, and later captures leave closed runs as they are.
func TestCapturesBetween(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		captures := randomCaptures(random)
		captures[5], captures[7] = capture{"a": {"1e-6"}}, capture{"a": {"1e-6"}}
		delete(captures, 6)
		before := known(succeed(t, captures).Runs())
		captures[6] = captures[5]
		if after := known(succeed(t, captures).Runs()); !slices.Equal(before, after) {
			t.Fatalf("%q becomes %q", before, after)
		}
		captures[25] = capture{"b": {"2e-6"}}
		var closed []string
		for _, r := range succeed(t, captures).Runs() {
			if r.Ended != "" && r.Ended != day(25) {
				closed = append(closed, known([]*offer.Run{r})...)
			}
		}
		for _, line := range closed {
			if !slices.Contains(before, line) {
				t.Fatalf("%s was not there before a capture of a later day", line)
			}
		}
	}
}

// known is what an observation takes of runs.
func known(runs []*offer.Run) (lines []string) {
	for _, r := range runs {
		lines = append(lines, fmt.Sprintf("%v %s %v %v %s", *r.Subject, r.Declaration.Name, r.First, r.Last, r.ValidUntil("", maxAge, "")))
	}
	return lines
}
