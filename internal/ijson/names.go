package ijson

// Names is a walk over the members of an object that may have any name, each
// once. It is how tables are read whose names are data, and documents of others
// whose members come and go.
type Names struct {
	r     *Reader
	seen  map[string]bool
	name  string
	at    int // offset of the name
	start int // offset of the brace
	base  int // number of faults before the object
	mark  int // number of faults before the current member

	stands bool // there is an object
	begun  bool
	ended  bool
}

// Names begins an object of any members. If something else stands there, that
// is a fault and the walk has no members.
func (r *Reader) Names() Names {
	n := Names{r: r, base: len(r.faults), mark: len(r.faults)}
	if r.peek() != '{' {
		r.mismatch("must be an object")
		n.ended = true
		return n
	}
	n.start = r.pos
	n.seen = map[string]bool{}
	n.stands = r.enter()
	n.ended = !n.stands
	return n
}

// OK reports whether an object stands there.
func (n *Names) OK() bool { return n.stands }

// Start returns the offset of the object.
func (n *Names) Start() int { return n.start }

// Name returns the name of the member whose value the caller reads now.
func (n *Names) Name() string { return n.name }

// At returns the offset of that name.
func (n *Names) At() int { return n.at }

// Seen reports whether a member of the name was met.
func (n *Names) Seen(name string) bool { return n.seen[name] }

// Demand reports those of the names as missing of which no member was met. It is
// meant for behind the walk.
func (n *Names) Demand(names ...string) {
	for _, name := range names {
		if n.stands && !n.seen[name] {
			n.r.Fail(n.start, "."+name, "missing member")
		}
	}
}

// Next goes to the next member, whose value the caller must read. It reports
// false at the end of the object.
func (n *Names) Next() bool {
	r := n.r
	for !n.ended {
		if len(r.faults) > n.mark {
			r.prefix(n.mark, "."+n.name, 0)
			r.keepFirst(n.base)
			n.mark = len(r.faults)
		}
		if r.broken || !r.nextMember(&n.begun) {
			break
		}
		var ok bool
		n.at = r.pos
		if n.name, ok = r.str(); r.peek() != ':' {
			r.syntax("':'")
			break
		}
		r.pos++
		if ok && !n.seen[n.name] {
			n.seen[n.name] = true
			return true
		}
		if ok { // else the name has a fault of its own
			r.Fail(n.at, "", "duplicate member")
		}
		r.skipQuietly()
	}
	n.ended = true
	return false
}

// Mark counts the faults so far. If it did not change while a value was read,
// the value has none.
func (r *Reader) Mark() int { return len(r.faults) + r.beyond }
