package offer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// Conventions are how a list writes what lists write differently.
type Conventions struct {
	// PriceExponent is the power of ten that makes a price one per token: -6 where
	// prices are per million tokens.
	PriceExponent int
	// PriceKind is how prices are printed: as Number, or as String.
	PriceKind Kind
	// Free are the names of prices of which 0 is a price. Elsewhere lists write 0
	// for free, for paid by subscription, and for not known.
	Free []string
	// Varying is the literal of a price that varies, "" if the list has none.
	Varying string
	// SharedLimit is the key of the limit that the list writes for the output where
	// none is stated, "" if it does not.
	SharedLimit string
}

// Drafts makes the rows of a list, one after the other.
type Drafts struct {
	Conventions

	draft Draft // whose memory the next one takes
}

// Begin begins a row. Its offset is where it stands in the body. The row that was
// begun before must be done.
func (ds *Drafts) Begin(id, path string, offset int) *Draft {
	d := &ds.draft
	*d = Draft{
		habits: &ds.Conventions,
		stated: d.stated[:0], prices: d.prices[:0], limits: d.limits[:0], gaps: d.gaps[:0],
		row: Row{ID: strings.Clone(id), Path: path, offset: offset},
	}
	return d
}

// Draft is a row in the making. Its methods take what a list printed, each with
// the path of the member in the row, and say in notes what is left out; Row then
// gives the row. A value that the list lacks (nil, or null) states nothing.
type Draft struct {
	row    Row
	habits *Conventions
	stated []statedFact
	prices []price
	limits []limit
	gaps   []gap
	until  string // of the prices
}

// statedFact is a fact of which it is known that it is one.
type statedFact struct {
	declaration string
	Fact
	member string
	read   *Value
}

// price is a price of which the others of its row will tell whether it is one.
type price struct {
	key, name string
	member    string
	read      *Value
	value     float64
}

type limit struct {
	key, member string
	read        *Value
	n           uint64
}

// gap is what is not known of the facts of some declarations.
type gap struct {
	prefix string // of their names
	text   string
}

// Place says where the row stands, in a body of several files.
func (d *Draft) Place(at problem.Place) { d.row.Place = at }

// Skip gives the row up.
func (d *Draft) Skip(reason Reason, format string, args ...any) Row {
	d.row.Skip, d.row.Why = reason, fmt.Sprintf(format, args...)
	return d.row
}

// Offer says what the row is about. Of several rows with one offer that stays
// whose id has the provider's prefix, where others do not have it, then that of
// the provider which the table of runtimes names first.
func (d *Draft) Offer(provider Provider, localID string, hasPrefix bool) {
	d.row.Offer = Offer{provider.Runtime, strings.Clone(localID)}
	d.row.precedence = precedence{bare: !hasPrefix, provider: provider.place}
}

// Base says which model the list says that the row is of.
func (d *Draft) Base(id string) { d.row.Base = strings.Clone(id) }

// PerRequest says that the list has a price of requests or searches besides those of tokens.
func (d *Draft) PerRequest() { d.row.PerRequest = true }

// Unknown notes a member that nothing reads.
func (d *Draft) Unknown(member string) { d.row.unknown = append(d.row.unknown, strings.Clone(member)) }

// LeaveOut says why a value is not taken.
func (d *Draft) LeaveOut(reason Reason, member string, v *Value, format string, args ...any) {
	d.row.Notes = append(d.row.Notes, Note{
		Reason:  reason,
		Row:     d.row.ID,
		Path:    d.row.Path + "." + member,
		Message: fmt.Sprintf(format, args...),
		offset:  v.Offset,
	})
}

// Invalid leaves out what is not what the member should be.
func (d *Draft) Invalid(member string, v *Value, rule string) {
	d.LeaveOut(InvalidValue, member, v, "is %s, which is not %s: left out", v, rule)
}

// Varies leaves out the prices of these names, since the member says that they have others at
// some hours of the day. Without names it says nothing of any price that is taken.
func (d *Draft) Varies(member string, v *Value, names []string) {
	if len(names) == 0 {
		return
	}
	d.LeaveOut(UnknownPrice, member, v, "varies by the time of day: there is no one price for %s",
		strings.Join(names, ", "))
}

// Doubt adds to the gaps of a declaration, or of all whose names begin so if the prefix ends
// with a dot.
func (d *Draft) Doubt(prefix, text string) { d.gaps = append(d.gaps, gap{prefix, text}) }

// PricesUntil says when the prices of the row end, as a timestamp.
func (d *Draft) PricesUntil(timestamp string) { d.until = timestamp }

// State takes a fact that the caller read of a value.
func (d *Draft) State(key string, value record.Scalar, member string, v *Value) {
	d.StateIn(DeclarationName(key), key, value, member, v)
}

// StateIn takes a fact into a declaration of the source's own.
func (d *Draft) StateIn(declaration, key string, value record.Scalar, member string, v *Value) {
	d.stated = append(d.stated, statedFact{declaration, Fact{key, value}, member, v})
}

// Flag takes whether something is so, true or false.
func (d *Draft) Flag(key, member string, v *Value) {
	if v.Lacks() {
		return
	}
	is, ok := v.Bool()
	if !ok {
		d.Invalid(member, v, "true or false")
		return
	}
	d.State(key, record.Bool(is), member, v)
}

// Modalities takes a list that names all modalities that there are, by the keys
// that these have.
func (d *Draft) Modalities(key func(name string) string, member string, v *Value) {
	if v.Lacks() {
		return
	}
	names, ok := v.Strings()
	if !ok {
		d.Invalid(member, v, "a list of modalities")
		return
	}
	for _, name := range modalities {
		d.State(key(name), record.Bool(slices.Contains(names, name)), member, v)
	}
	for _, name := range names {
		if key(name) == "" {
			d.Unknown(member + ": " + name)
		}
	}
}

// Word takes a text as it is printed.
func (d *Draft) Word(key, member string, v *Value) {
	if v.Lacks() {
		return
	}
	if v.Kind != String || !isText(v.Text) {
		d.Invalid(member, v, "a text")
		return
	}
	d.State(key, Text(v.Text), member, v)
}

// Day takes a date, YYYY-MM-DD or YYYY-MM, as it is printed.
func (d *Draft) Day(key, member string, v *Value) {
	if v.Lacks() {
		return
	}
	if v.Kind != String && v.Kind != Date || !IsDate(v.Text) {
		d.Invalid(member, v, "a date")
		return
	}
	d.State(key, Text(v.Text), member, v)
}

// Month takes the month of a date, YYYY-MM-DD or YYYY-MM. The day has no say: lists
// have a 31st of February.
func (d *Draft) Month(key, member string, v *Value) {
	if v.Lacks() {
		return
	}
	month := v.Text[:min(len("YYYY-MM"), len(v.Text))]
	if v.Kind != String && v.Kind != Date || !isMonth(month) || len(v.Text) > len(month) && !hasFormOfDay(v.Text) {
		d.Invalid(member, v, "a month")
		return
	}
	d.State(key, Text(month), member, v)
}

// Limit takes a count of tokens.
func (d *Draft) Limit(key, member string, v *Value) {
	if v.Lacks() {
		return
	}
	n, ok := v.Count()
	if !ok || n == 0 {
		d.Invalid(member, v, "a limit")
		return
	}
	d.limits = append(d.limits, limit{key, member, v, n})
}

// Price takes a price.
func (d *Draft) Price(name string, b Band, member string, v *Value) {
	if v.Lacks() {
		return
	}
	decimal, ok := ParseDecimal(v.Text)
	switch {
	case v.Text == d.habits.Varying && v.Text != "":
		d.LeaveOut(UnknownPrice, member, v, "is %s: the price varies", v)
		return
	case !ok || v.Kind != d.habits.PriceKind || decimal.IsNegative():
		d.Invalid(member, v, "a price")
		return
	}
	d.prices = append(d.prices, price{PriceKey(name, b), name, member, v, decimal.Shift(d.habits.PriceExponent).Float()})
}

// PriceKeys returns the keys of the prices that were taken so far.
func (d *Draft) PriceKeys() map[string]bool {
	keys := make(map[string]bool, len(d.prices))
	for _, p := range d.prices {
		keys[p.key] = true
	}
	return keys
}

// Row gives the row: of its facts those that hold, as declarations.
func (d *Draft) Row() Row {
	d.takePrices()
	d.takeLimits()
	d.dropContradictions()
	d.declare()
	if !slices.ContainsFunc(d.row.Declarations, func(x Declaration) bool { return x.Name != Described }) {
		d.row.Declarations = nil
		d.row.Skip, d.row.Why = RowEmpty, "no value of the row can be taken"
	}
	slices.Sort(d.row.unknown)
	d.row.unknown = slices.Compact(d.row.unknown)
	slices.SortStableFunc(d.row.Notes, func(a, b Note) int { return cmp.Compare(a.offset, b.offset) })
	return d.row
}

// dearest is a price in USD per token above which the prices of a row are in
// another unit. The dearest real one is 0.0006.
const dearest = 0.001

// takePrices takes the prices of the row if they are per token.
func (d *Draft) takePrices() {
	i := slices.IndexFunc(d.prices, func(p price) bool { return p.value > dearest })
	for _, p := range d.prices {
		switch {
		case i >= 0:
			d.LeaveOut(ImplausiblePrice, p.member, p.read, "is not taken: the row must be in another unit, since %s would be "+
				"%s USD per token",
				d.prices[i].key, strconv.FormatFloat(d.prices[i].value, 'g', -1, 64))
		case p.value == 0 && !slices.Contains(d.habits.Free, p.name):
			d.LeaveOut(UnknownPrice, p.member, p.read, "is 0, which may mean free, paid by subscription, or not known: left out")
		default:
			if p.value == 0 {
				d.Doubt(p.key, "a price of 0 may not last")
			}
			d.State(p.key, record.Number(p.value), p.member, p.read)
		}
	}
}

// takeLimits takes the limits of the row, that of the output if it is one.
func (d *Draft) takeLimits() {
	var shared uint64
	for _, l := range d.limits {
		if l.key == d.habits.SharedLimit {
			shared = l.n
		}
	}
	for _, l := range d.limits {
		if l.key == LimitOutput && l.n == shared {
			d.LeaveOut(LimitNotSeparate, l.member, l.read, "equals %s, which the list repeats where no output limit is "+
				"stated: left out", d.habits.SharedLimit)
			continue
		}
		d.State(l.key, record.Number(float64(l.n)), l.member, l.read)
	}
}

// dropContradictions sorts the facts by declaration and key, and leaves out those
// of which the row says two things.
func (d *Draft) dropContradictions() {
	slices.SortStableFunc(d.stated, func(a, b statedFact) int {
		return cmp.Or(strings.Compare(a.declaration, b.declaration), strings.Compare(a.Key, b.Key))
	})
	kept := d.stated[:0]
	for all := d.stated; len(all) > 0; {
		first, n, agree := all[0], 1, true
		for n < len(all) && all[n].declaration == first.declaration && all[n].Key == first.Key {
			agree = agree && all[n].Value == first.Value
			n++
		}
		if agree {
			kept = append(kept, all[:n]...)
		} else {
			d.LeaveOut(ContradictsItself, first.member, first.read, "contradicts %s on %s: neither is taken", all[n-1].member,
				first.Key)
		}
		all = all[n:]
	}
	d.stated = kept
}

// declare makes declarations of the facts, which are sorted.
func (d *Draft) declare() {
	count := 0
	for i, f := range d.stated {
		if i == 0 || f.declaration != d.stated[i-1].declaration {
			count++
		}
	}
	d.row.Declarations = make([]Declaration, 0, count)
	facts := make([]Fact, 0, len(d.stated))
	for all := d.stated; len(all) > 0; {
		n, start := 0, len(facts)
		for ; n < len(all) && all[n].declaration == all[0].declaration; n++ {
			if last := len(facts) - 1; last < start || facts[last].Key != all[n].Key {
				facts = append(facts, all[n].Fact)
			}
		}
		declaration := Declaration{
			Name:  all[0].declaration,
			Facts: facts[start:len(facts):len(facts)],
			Read:  readOf(all[:n]),
			Gaps:  d.gapsOf(all[0].declaration),
		}
		if IsPrice(declaration.Name) {
			declaration.Until = d.until
		}
		d.row.Declarations = append(d.row.Declarations, declaration)
		all = all[n:]
	}
}

// readOf is what some facts were read of, as canonical JSON. Positions in lists are
// left out of the names of members: that another tier comes before one changes
// nothing about it.
func readOf(facts []statedFact) string {
	type member struct {
		name string
		*Value
	}
	members := make([]member, len(facts))
	for i, f := range facts {
		members[i] = member{withoutPositions(f.member), f.read}
	}
	slices.SortStableFunc(members, func(a, b member) int { return canonical.CompareText(a.name, b.name) })
	members = slices.CompactFunc(members, func(a, b member) bool { return a.name == b.name })
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(canonical.AppendString(b, m.name), ':')
		b = m.appendJSON(b)
	}
	return string(append(b, '}'))
}

// withoutPositions returns cost.tiers[].input for cost.tiers[1].input.
func withoutPositions(member string) string {
	if !strings.Contains(member, "[") {
		return member
	}
	var b []byte
	within := false
	for i := range len(member) {
		switch c := member[i]; {
		case c == '[':
			within = true
			b = append(b, c)
		case !within || c == ']':
			within = false
			b = append(b, c)
		}
	}
	return string(b)
}

// gapsOf says what is not known of a declaration. The facts are sorted.
func (d *Draft) gapsOf(name string) (gaps []string) {
	for _, g := range d.gaps {
		if (name == g.prefix || strings.HasSuffix(g.prefix, ".") && strings.HasPrefix(name, g.prefix)) &&
			!slices.Contains(gaps, g.text) {
			gaps = append(gaps, g.text)
		}
	}
	base, band, _ := strings.Cut(name, "@")
	if !IsPrice(name) {
		return gaps
	}
	if context, ok := strings.CutPrefix(band, "context>"); ok {
		context, _, _ = strings.Cut(context, ",")
		return append(gaps, "whether a prompt of exactly "+context+" tokens has this price is not stated")
	}
	longer := base + "@context>"
	first, _ := slices.BinarySearchFunc(d.stated, longer, func(f statedFact,
		name string) int {
		return strings.Compare(f.declaration, name)
	})
	for _, f := range d.stated[first:] {
		rest, ok := strings.CutPrefix(f.declaration, longer)
		if !ok {
			break
		}
		context, ttl, _ := strings.Cut(rest, ",")
		if text := "requests with a prompt of more than " + context + " tokens have another price"; ttl == band &&
			!slices.Contains(gaps, text) {
			gaps = append(gaps, text)
		}
	}
	return gaps
}

// String is the fact for messages and comparisons.
func (f Fact) String() string {
	return f.Key + " " + string(f.Value.Kind) + f.Value.Text
}

// Text is a string as the value of a fact.
func Text(s string) record.Scalar { return record.Scalar{Kind: '"', Text: strings.Clone(s)} }
