package ijson

import (
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// fields are the members that an object may have, in the order in which faults
// are reported. At most 64.
type fields struct {
	names    []string
	starts   []string // each name in quotes and a colon
	required uint64
	nullable uint64 // those that may be null, which their readers do not see
	open     bool   // other members may be there
	ties     []tie  // which members are required depends on others
	allowed  string // the names, as the reason against a member of another name lists them
	sorted   []int  // the field that follows another in canonical order; the first at the end
}

// tie says that a field is required if the object has another one, or unless it
// has that.
type tie struct {
	field, other int
	with         bool
}

// newFields returns the fields with these names. A name with a question mark
// at its end is optional.
func newFields(names ...string) *fields {
	f := &fields{}
	for i, name := range names {
		name, optional := strings.CutSuffix(name, "?")
		f.names = append(f.names, name)
		f.starts = append(f.starts, `"`+name+`":`)
		if !optional {
			f.required |= 1 << i
		}
	}
	f.allowed = strings.Join(f.names, ", ")
	f.sorted = make([]int, len(names)+1)
	last := len(names)
	for _, name := range slices.SortedFunc(slices.Values(f.names), canonical.CompareText) {
		i := slices.Index(f.names, name)
		f.sorted[last] = i
		last = i
	}
	f.sorted[last] = last
	return f
}

// ahead returns which field begins the text, its name in quotes and a colon, if
// it is one of the two that are likely after field previous: the next one in the
// order of the fields or in canonical order. Else it returns -1.
func (f *fields) ahead(text string, previous int) int {
	next := previous + 1
	if next < len(f.starts) && strings.HasPrefix(text, f.starts[next]) {
		return next
	}
	if previous < 0 {
		previous = len(f.names)
	}
	if next = f.sorted[previous]; strings.HasPrefix(text, f.starts[next]) {
		return next
	}
	return -1
}

// index returns the position of name, or -1.
func (f *fields) index(name string) int {
	for i, n := range f.names {
		if n == name {
			return i
		}
	}
	return -1
}

// The places of an object's own faults before those of its values.
const (
	rankUnknown = iota
	rankMissing
	rankValue
)

// members is the way through an object that all walks share: from name to name.
type members struct {
	r     *Reader
	start int  // offset of the brace
	base  int  // number of faults before the object
	mark  int  // number of faults before the current member
	found bool // there is an object
	begun bool
	ended bool
}

// members begins an object. If there is something else, that is a fault, and
// there are no members.
func (r *Reader) members() members {
	m := members{r: r, base: len(r.faults), mark: len(r.faults)}
	if r.peek() != '{' {
		r.mismatch("must be an object")
		m.ended = true
		return m
	}
	m.start = r.pos
	m.found = r.enter()
	m.ended = !m.found
	return m
}

// OK reports whether there is an object.
func (m *members) OK() bool { return m.found }

// Start returns the offset of the object.
func (m *members) Start() int { return m.start }

// name reads the name of a member, at which the Reader is, and its colon. It
// reports sound if the name has no fault of its own; broken text has no name.
func (m *members) name() (name string, at int, sound bool) {
	r := m.r
	at = r.pos
	name, sound = r.str()
	if r.peek() != ':' {
		r.syntax("':'")
		return "", at, false
	}
	r.pos++
	return name, at, sound
}

// Object is a walk over the members of an object that has certain fields: see [Shape].
type Object struct {
	members
	fields *fields
	seen   uint64
	null   uint64          // seen, but null, of those that may be
	sparse bool            // what is null is the same as left out
	field  int             // of the value that the caller reads now
	others map[string]bool // names of members that are not fields, if they may be there
}

// object begins an object. If there is something else, that is a fault and the
// walk has no members. The members that are missing are reported when the walk
// ends.
func (r *Reader) object(fields *fields) Object {
	return Object{members: r.members(), fields: fields, field: -1}
}

func (o *Object) isSeen(field int) bool { return o.seen>>field&1 == 1 }

// present is the set of fields that the object has.
func (o *Object) present() uint64 {
	if o.sparse {
		return o.seen &^ o.null
	}
	return o.seen
}

// readsNull reads null, if that is the value of the current member and may be.
func (o *Object) readsNull() bool {
	bit := uint64(1) << o.field
	if o.fields.nullable&bit == 0 || !o.r.Null() {
		return false
	}
	o.null |= bit
	return true
}

// next goes to the next member whose value the caller must read. It reports
// false at the end of the object.
func (o *Object) next() bool { return o.skim() || o.advance() }

// advance is next for any member.
func (o *Object) advance() bool {
	r := o.r
	for !o.ended {
		if r.broken {
			o.ended = true
			return false
		}
		if len(r.faults) > o.mark {
			o.mark = r.prefix(o.mark, "."+o.fields.names[o.field], rankValue+o.field)
		}
		if !r.nextMember(&o.begun) {
			o.finish()
			return false
		}
		if o.member() {
			return true
		}
	}
	return false
}

// skim is next for what nearly all members are: as expected, without white space,
// after one without faults. It reports false if that is not so.
func (o *Object) skim() bool {
	r := o.r
	if o.ended || len(r.faults) > o.mark {
		return false
	}
	at := r.pos
	if o.begun {
		if at == len(r.src) || r.src[at] != ',' {
			return false
		}
		at++
	}
	i := o.fields.ahead(r.src[at:], o.field)
	if i < 0 || o.isSeen(i) {
		return false
	}
	r.pos = at + len(o.fields.starts[i])
	o.begun = true
	o.seen |= 1 << i
	o.field = i
	return true
}

// member reads a name and its colon and reports whether the value is to be
// read by the caller.
func (o *Object) member() bool {
	name, at, ok := o.name()
	i := -1
	if ok {
		i = o.fields.index(name)
	}
	switch {
	case o.r.stopped:
	case !ok: // a lone surrogate in the name
		o.refuse(at, name, "")
	case i < 0 && o.fields.open:
		o.drop(at, name)
	case i < 0:
		o.refuse(at, name, o.unknown(name))
	case o.isSeen(i):
		o.refuse(at, name, "duplicate field")
	default:
		o.seen |= 1 << i
		o.field = i
		return true
	}
	return false
}

// unknown is the reason against a member of another name, with the closest name if there
// is one.
func (o *Object) unknown(name string) string {
	if question := o.r.didYouMean(name, o.fields.names); question != "" {
		return "unknown field, " + question + " Allowed are " + o.fields.allowed
	}
	return "unknown field, allowed are " + o.fields.allowed
}

// drop reads a member that nobody asked for.
func (o *Object) drop(at int, name string) {
	if o.others[name] {
		o.refuse(at, name, "duplicate field")
		return
	}
	if o.others == nil {
		o.others = map[string]bool{}
	}
	o.others[name] = true
	o.r.Check()
	o.mark = o.r.prefix(o.mark, "."+name, rankUnknown)
}

// refuse skips the value of a member that may not be there.
func (o *Object) refuse(at int, name, reason string) {
	r := o.r
	if reason != "" {
		r.Fail(at, "", "%s", reason)
	}
	r.skipQuietly()
	o.mark = r.prefix(o.mark, "."+name, rankUnknown)
}

// finish ends the walk: it reports what is missing and orders all faults.
func (o *Object) finish() {
	r := o.r
	o.ended = true
	if r.broken {
		return
	}
	required := o.fields.required
	for _, t := range o.fields.ties {
		if (o.present()>>t.other&1 == 1) == t.with {
			required |= 1 << t.field
		}
	}
	if missing := required &^ o.present(); missing != 0 && !r.stopped {
		for i, name := range o.fields.names {
			if missing>>i&1 == 1 {
				mark := len(r.faults)
				r.Fail(o.start, "", "missing field")
				r.prefix(mark, "."+name, rankMissing)
			}
		}
	}
	r.arrange(o.base)
	o.mark = len(r.faults)
}

// Names is a walk over the members of an object that may have any name, each
// once. It is how tables are read whose names are data, and documents of others
// whose members come and go.
type Names struct {
	members
	seen    map[string]bool
	repeats bool // names may be there more than once
	current string
	at      int // offset of the current name
}

// Names begins an object of any members. If there is something else, that is a
// fault and the walk has no members.
func (r *Reader) Names() Names { return Names{members: r.members(), seen: map[string]bool{}} }

// RepeatedNames is Names of an object in which names may be repeated. I-JSON has no
// such objects; lists that people edit by hand do, and other readers take the last
// member of a name in silence. Here the caller gets each.
func (r *Reader) RepeatedNames() Names {
	n := r.Names()
	n.repeats = true
	return n
}

// Name returns the name of the member whose value the caller reads now.
func (n *Names) Name() string { return n.current }

// At returns the offset of that name.
func (n *Names) At() int { return n.at }

// Seen reports whether a member of the name was met.
func (n *Names) Seen(name string) bool { return n.seen[name] }

// Demand reports those of the names as missing of which no member was met. It is
// meant for after the walk.
func (n *Names) Demand(names ...string) {
	for _, name := range names {
		if n.found && !n.seen[name] {
			n.r.Fail(n.start, "."+name, "missing field")
		}
	}
}

// Next goes to the next member, whose value the caller must read. It reports
// false at the end of the object.
func (n *Names) Next() bool {
	r := n.r
	for !n.ended {
		if len(r.faults) > n.mark {
			r.prefix(n.mark, "."+n.current, 0)
			r.keepFirst(n.base)
			n.mark = len(r.faults)
		}
		if r.stopped || !r.nextMember(&n.begun) {
			break
		}
		var sound bool
		n.current, n.at, sound = n.name()
		switch {
		case r.stopped:
			n.ended = true
			return false
		case sound && (n.repeats || !n.seen[n.current]):
			n.seen[n.current] = true
			return true
		case sound: // else the name has a fault of its own
			r.Fail(n.at, "", "duplicate field")
		}
		r.skipQuietly()
	}
	n.ended = true
	return false
}

// nextMember goes to the name of the next member, if there is one, else after
// the object. begun is false before the first member.
func (r *Reader) nextMember(begun *bool) bool {
	c := r.peek()
	switch {
	case c == '}':
		r.leave()
		return false
	case !*begun:
		*begun = true
	case c == ',':
		r.pos++
		c = r.peek()
	default:
		r.syntax("',' or '}'")
		return false
	}
	if c != '"' {
		r.syntax("a field name in quotes")
		return false
	}
	return true
}

// List is a walk over the items of an array.
type List struct {
	r     *Reader
	index int
	start int
	base  int // number of faults before the array
	mark  int // number of faults before the current item

	found bool // there is an array
	ended bool
}

// List begins an array. If there is something else, that is a fault and the
// walk has no items.
func (r *Reader) List() List {
	l := List{r: r, index: -1, base: len(r.faults), mark: len(r.faults)}
	if r.peek() != '[' {
		r.mismatch("must be a list")
		l.ended = true
		return l
	}
	l.start = r.pos
	l.found = r.enter()
	l.ended = !l.found
	return l
}

// OK reports whether there is an array.
func (l *List) OK() bool { return l.found }

// DemandItems reports an array without items as a fault. It is meant for after
// the walk.
func (l *List) DemandItems() {
	if l.found && l.index < 0 {
		l.r.Fail(l.start, "", "must not be empty")
	}
}

// Start returns the offset of the array.
func (l *List) Start() int { return l.start }

// Index returns the position of the current item, from 0.
func (l *List) Index() int { return l.index }

// Next goes to the next item, which the caller must read. It reports false at
// the end of the array.
func (l *List) Next() bool {
	if l.ended {
		return false
	}
	r := l.r
	if len(r.faults) > l.mark {
		r.prefix(l.mark, "["+strconv.Itoa(l.index)+"]", 0)
		r.keepFirst(l.base)
		l.mark = len(r.faults)
	}
	switch c := r.peek(); {
	case c == ']':
		r.leave()
		l.ended = true
		return false
	case l.index < 0:
	case c == ',':
		r.pos++
	default:
		r.syntax("',' or ']'")
	}
	l.index++
	l.ended = r.stopped
	return !l.ended
}
