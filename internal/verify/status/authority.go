package status

import (
	"slices"
	"sort"

	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
)

// authorities are the authority traces, by actor and by actor and authorityRef.
type authorities map[authorityKey]*authority

type authorityKey struct {
	actor string
	ref   string
	any   bool // of all refs
}

// authority tells at which instants some of several traces is in force. The traces
// are sorted by their beginning; of the first ones up to each, the latest end is
// known. So an instant is looked up in the time that it takes to find the last trace
// that began before it.
type authority struct {
	traces []force
	latest []end
}

// force is when a trace is in force.
type force struct {
	from  timestamp.Instant
	until end
}

// end is when a trace ends: at the instant, or just before it.
type end struct {
	at       timestamp.Instant
	included bool
}

func (e end) compare(other end) int {
	switch order := e.at.Compare(other.at); {
	case order != 0 || e.included == other.included:
		return order
	case e.included:
		return +1
	}
	return -1
}

func newAuthorities(traces []*bundle.Trace, times calendar) authorities {
	all := authorities{}
	for _, t := range traces {
		f := force{longAgo, end{never, true}}
		holds := true
		if at, given := bound(t.ValidFrom, times, &holds); given {
			f.from = at
		}
		if at, given := bound(t.ValidUntil, times, &holds); given {
			f.until.at = at
		}
		if at, given := bound(t.RevokedAt, times, &holds); given {
			if revoked := (end{at, false}); revoked.compare(f.until) < 0 {
				f.until = revoked
			}
		}
		if !holds {
			continue
		}
		all.add(authorityKey{actor: t.Actor, any: true}, f)
		all.add(authorityKey{actor: t.Actor, ref: t.AuthorityRef}, f)
	}
	for _, a := range all {
		slices.SortFunc(a.traces, func(x, y force) int { return x.from.Compare(y.from) })
		a.latest = make([]end, len(a.traces))
		latest := end{at: longAgo}
		for i, f := range a.traces {
			if f.until.compare(latest) > 0 {
				latest = f.until
			}
			a.latest[i] = latest
		}
	}
	return all
}

// bound reads a bound of a trace. If there is one that the calendar can neither read
// nor do without, the trace does not hold.
func bound(text *string, times calendar, holds *bool) (at timestamp.Instant, given bool) {
	if text == nil {
		return at, false
	}
	at, readable := times.read(*text)
	if !readable && !times.unreadableBoundHolds() {
		*holds = false
	}
	return at, readable
}

func (all authorities) add(key authorityKey, f force) {
	if all[key] == nil {
		all[key] = &authority{}
	}
	all[key].traces = append(all[key].traces, f)
}

// inForce reports whether a trace of the event's actor was in force when the event
// was made.
func (all authorities) inForce(e event, times calendar) bool {
	key := authorityKey{actor: e.Actor, any: true}
	if e.AuthorityRef != nil {
		key = authorityKey{actor: e.Actor, ref: *e.AuthorityRef}
	}
	a := all[key]
	switch {
	case a == nil:
		return false
	case !e.readable:
		return times.unreadableBoundHolds()
	}
	begun := sort.Search(len(a.traces), func(i int) bool { return a.traces[i].from.Compare(e.at) > 0 })
	return begun > 0 && a.latest[begun-1].compare(end{e.at, true}) >= 0
}
