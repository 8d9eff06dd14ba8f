// Package lock writes down what an application relies on, and says what of that is no
// longer so.
//
// An application names the models that it uses once. Its lock has, for each use, the
// model, how it is run, and the facts that a catalog knew when the lock was made: prices,
// limits, capabilities, dates of the life cycle. Checking the lock against a later
// catalog gives findings: a price rose, a model is gone, a limit fell, the evidence
// contradicts itself now. Each finding has a code, and a level that the policy of the
// lock may change.
//
//	uses: [{ id: "writer", model: acme/atlas, execution: at openrouter,
//	         facts: { price.output: 6e-7 USD/token } }]
//
// and a catalog that knows 8e-7 give
//
//	fail PRICE_UP writer price.output: rose from $0.60 to $0.80 per million tokens (+33%)
//
// A fact is what ranking would use: the one value that all observations which hold give,
// without a task. Nothing here knows a clock or a file.
package lock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// Schema is the schema version of a [Lock].
const Schema = "service.models.lock/v1"

// MaxBytes is how long a lock may be.
const MaxBytes = 16 << 20

// Lock is what an application relies on.
type Lock struct {
	Catalog record.CatalogReference // that it was made from
	Policy  Policy
	Uses    []Use // by id
}

func reference(c *catalog.Catalog) record.CatalogReference {
	return record.CatalogReference{Digest: c.Digest(), AsOf: record.Timestamp(c.AsOf())}
}

// Policy says what is a failure. The methods give the defaults of what is not set.
type Policy struct {
	priceUpPercent string // a number, "" if it is not set
	noticeDays     *uint64
	maxAge         *record.Count
	levels         map[record.FindingCode]string
}

// PriceUpPercent is by how much a price may rise, as a number of JSON.
func (p *Policy) PriceUpPercent() string { return cmp.Or(p.priceUpPercent, "0") }

// NoticeDays is how long before the end of a model there is a finding.
func (p *Policy) NoticeDays() uint64 {
	const usual = 30
	if p.noticeDays == nil {
		return usual
	}
	return *p.noticeDays
}

// MaxAgeDays is how old a catalog may be, if that matters.
func (p *Policy) MaxAgeDays() (days uint64, matters bool) {
	const usual = 7
	if p.maxAge == nil {
		return usual, true
	}
	return p.maxAge.N, p.maxAge.Known
}

// Level returns how much a finding matters.
func (p *Policy) Level(code record.FindingCode) string {
	if level, ok := p.levels[code]; ok {
		return level
	}
	return levels[code]
}

// Use is a model, how it is run, and what is known of that.
type Use struct {
	ID        string
	Model     record.Model
	Execution record.Profile
	Facts     map[string]Fact // by key
	start     int             // in the text of the lock
}

// Fact is the value of a key when the lock was made.
type Fact struct {
	Value record.Scalar
	Unit  string // "" for none
	start int    // in the text of the lock
}

// UnlockedKey is a key of a use that was not locked, as no one value of it is known.
type UnlockedKey struct {
	Use, Key string
	Status   v3.FactStatus
}

// Demand is what to lock.
type Demand struct {
	Uses  []Use    // without facts
	Watch []string // keys besides those of the vocabulary
}

// Add adds the candidates of a rank request of any version, and the keys of its criteria
// that ask for facts. The request is normalized.
func (d *Demand) Add(request string) error {
	whole, err := ijson.ReadValue(request, problem.InvalidRankRequest)
	if err != nil {
		return err
	}
	part := func(v ijson.Value, name string) string {
		member, _ := v.Get(name)
		return string(member.AppendCanonical(nil))
	}
	inventory, _ := whole.Get("inventory")
	for _, c := range inventory.Items {
		id, _ := c.Get("id")
		use := Use{ID: id.Text}
		if use.Model, err = catalog.ParseModel(part(c, "model")); err != nil {
			return err
		}
		profile := ijson.NewReader(part(c, "execution"), problem.InvalidRankRequest)
		use.Execution = catalog.ReadOpenProfile(profile)
		if faults := profile.End(); faults != nil {
			return faults.Err()
		}
		d.Uses = append(d.Uses, use)
	}
	for _, list := range []string{"requirements", "preferences", "tieBreakers", "advisories"} {
		criteria, _ := whole.Get(list)
		for _, c := range criteria.Items {
			d.watchFact(c)
			terms, _ := c.Get("sum")
			for _, term := range terms.Items {
				d.watchFact(term)
			}
		}
	}
	return nil
}

// watchFact watches the key of a criterion, or of a term of a sum, that asks for a fact.
func (d *Demand) watchFact(measure ijson.Value) {
	key, _ := measure.Get("measurementKey")
	if aggregation, _ := measure.Get("aggregation"); aggregation.Text == "fact" {
		d.Watch = append(d.Watch, key.Text)
	}
}

// ErrNoFact is of a use that nothing is known of.
var ErrNoFact = errors.New("no fact about it is known, so there is nothing to lock")

// Make locks uses as a catalog knows them. A lock that there is already is continued: its
// policy and uses stay, but for uses of the same id.
func Make(ctx context.Context, c *catalog.Catalog, d Demand, existing *Lock) (l *Lock, unlocked []UnlockedKey,
	err error) {
	l = &Lock{Catalog: reference(c)}
	uses := map[string]Use{}
	if existing != nil {
		l.Policy = existing.Policy
		for _, use := range existing.Uses {
			uses[use.ID] = use
		}
	}
	book := newBook(c, c.AsOf())
	for _, use := range d.Uses {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		rest, err := book.lock(&use, d.Watch)
		if err != nil {
			if errors.Is(err, ErrNoFact) {
				err = fmt.Errorf("%w%s", err, book.meant(&use))
			}
			return nil, nil, fmt.Errorf("use %s: %w", use.ID, err)
		}
		unlocked = append(unlocked, rest...)
		uses[use.ID] = use
	}
	for _, id := range slices.SortedFunc(maps.Keys(uses), canonical.CompareText) {
		l.Uses = append(l.Uses, uses[id])
	}
	return l, unlocked, nil
}

// Plain returns the use of a model at a runtime, of which nothing more is said. Its id is
// the runtime, a colon and the model.
func Plain(runtime, model string) Use {
	return Use{ID: runtime + ":" + model, Model: record.Model{ID: model}, Execution: compare.PlainProfile(runtime)}
}

// ReadUse reads the use that people write as RUNTIME:MODEL. Both may have colons: the model is the
// longest that the catalog has.
//
//	openrouter:free:z-ai/glm-5    the model z-ai/glm-5 at openrouter:free
func ReadUse(c *catalog.Catalog, text string) (Use, error) {
	first, _, _ := strings.Cut(text, ":")
	for i := len(first); i < len(text); i++ {
		if text[i] == ':' && slices.ContainsFunc(c.Models(), func(m catalog.ModelEntry) bool {
			return isCalled(&m.Identity,
				text[i+1:])
		}) {
			return FindUse(c, text[:i], text[i+1:])
		}
	}
	return Plain(first, strings.TrimPrefix(text[len(first):], ":")), nil
}

// isCalled reports whether a model is called so: by its id, or with its revision and quantization.
func isCalled(m *record.Model, name string) bool { return m.ID == name || m.Name() == name }

// FindUse returns the use of a model at a runtime, by the id of the model or by its name with
// revision and quantization. By the id alone it is the model without these, or the only one that is
// run there.
func FindUse(c *catalog.Catalog, runtime, name string) (Use, error) {
	var found []record.Model
	reader := catalog.NewRecordReader()
	for _, entry := range c.Models() {
		isRun := func(o catalog.Observation) bool {
			at, isAlone := reader.Read(o).Execution.RuntimeAlone()
			return isAlone && at == runtime
		}
		if m := &entry.Identity; isCalled(m, name) && slices.ContainsFunc(entry.Observations, isRun) {
			found = append(found, *m)
		}
	}
	exact := slices.IndexFunc(found, func(m record.Model) bool { return m.Name() == name })
	switch {
	case exact >= 0:
		found = found[exact : exact+1]
	case len(found) == 0:
		return Plain(runtime, name), nil
	case len(found) > 1:
		names := make([]string, len(found))
		for i, m := range found {
			names[i] = m.Name()
		}
		slices.SortFunc(names, canonical.CompareText)
		return Use{}, fmt.Errorf("%s:%s is one of several, so name it: %s", runtime, name, strings.Join(names, ", "))
	}
	return Use{ID: runtime + ":" + found[0].Name(), Model: found[0], Execution: compare.PlainProfile(runtime)}, nil
}

// book looks models up in a catalog, as it is at an instant.
type book struct {
	catalog *catalog.Catalog
	instant string
	entries map[record.Model]*catalog.ModelEntry
	facts   map[record.Model]*v3.Facts
	records *catalog.RecordReader
	active  map[string]map[record.Model]bool // by runtime: the models of which something holds; nil until it is needed
}

func newBook(c *catalog.Catalog, instant string) *book {
	b := &book{catalog: c, instant: instant, entries: map[record.Model]*catalog.ModelEntry{},
		facts: map[record.Model]*v3.Facts{}, records: catalog.NewRecordReader()}
	entries := c.Models()
	for i := range entries {
		b.entries[entries[i].Identity] = &entries[i]
	}
	return b
}

// turnTo returns the facts of a use, nil if the catalog lacks its model.
func (b *book) turnTo(use *Use) (*v3.Facts, error) {
	entry := b.entries[use.Model]
	if entry == nil {
		return nil, nil
	}
	facts := b.facts[use.Model]
	if facts == nil {
		var err error
		if facts, err = v3.NewFacts(entry, b.instant, b.records); err != nil {
			return nil, err
		}
		b.facts[use.Model] = facts
	}
	facts.TurnTo(&use.Execution)
	return facts, nil
}

// lock fills the facts of a use, and returns what could not be locked.
func (b *book) lock(use *Use, watch []string) (unlocked []UnlockedKey, err error) {
	facts, err := b.turnTo(use)
	if err != nil {
		return nil, err
	}
	use.Facts = map[string]Fact{}
	if facts == nil {
		return nil, ErrNoFact
	}
	keys := append(offer.Keys(), watch...)
	for _, key := range facts.Keys() {
		if offer.IsShared(key) { // with a band
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, canonical.CompareText)
	for _, key := range slices.Compact(keys) {
		f := facts.Evaluate(key)
		if f.Status == v3.FactOK {
			use.Facts[key] = Fact{Value: f.Value, Unit: f.Unit}
		} else {
			unlocked = append(unlocked, UnlockedKey{use.ID, key, f.Status})
		}
	}
	switch {
	case len(use.Facts) > 0:
		return unlocked, nil
	case use.Execution.Runtime.ID == "":
		return nil, fmt.Errorf("%w: its execution names no runtime, and most facts are of one", ErrNoFact)
	}
	return nil, ErrNoFact
}

// meant says what somebody may have meant by a use that nothing is known of: another model
// or another runtime.
func (b *book) meant(use *Use) string {
	if b.entries[use.Model] == nil {
		var ids []string
		for _, entry := range b.catalog.Models() {
			ids = append(ids, entry.Identity.ID)
		}
		text := fmt.Sprintf(": the catalog has no model %q", use.Model.ID)
		if closest := spelling.DidYouMean(use.Model.ID, ids); closest != "" {
			text += "; " + closest
		}
		return text
	}
	b.othersAt("", use.Model)
	var runtimes []string
	for runtime, models := range b.active {
		if models[use.Model] {
			runtimes = append(runtimes, runtime)
		}
	}
	if runtimes == nil || use.Execution.Runtime.ID == "" {
		return ""
	}
	slices.Sort(runtimes)
	return ": the catalog knows the model at other runtimes" + spelling.Offer(spelling.Nearest(use.Execution.Runtime.ID,
		runtimes))
}

// othersAt reports whether something of another model holds at a runtime.
func (b *book) othersAt(runtime string, model record.Model) bool {
	if b.active == nil {
		b.active = map[string]map[record.Model]bool{}
		for _, entry := range b.catalog.Models() {
			for _, o := range entry.Observations {
				rec := b.records.Read(o)
				at := rec.Execution.Runtime.ID
				if at == "" || !rec.Freshness.HoldsAt(record.Timestamp(b.instant)) {
					continue
				}
				if b.active[at] == nil {
					b.active[at] = map[record.Model]bool{}
				}
				b.active[at][entry.Identity] = true
			}
		}
	}
	others := len(b.active[runtime])
	if b.active[runtime][model] {
		others--
	}
	return others > 0
}

// Offset returns where in the text that the lock was read from a fact of a use is, or else
// the use.
func (l *Lock) Offset(use, key string) int {
	for i := range l.Uses {
		if u := &l.Uses[i]; u.ID == use {
			return max(u.start, u.Facts[key].start)
		}
	}
	return 0
}

// Text is the lock as a file: JSON that people read and review, members sorted, one fact
// a line.
func (l *Lock) Text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "{\n  \"catalog\": {\n    \"asOf\": %s,\n    \"digest\": %s\n  },\n",
		canonical.Quote(string(l.Catalog.AsOf)), canonical.Quote(l.Catalog.Digest))
	s.WriteString("  \"policy\": " + l.Policy.text() + ",\n")
	fmt.Fprintf(&s, "  \"schemaVersion\": %s,\n  \"uses\": [", canonical.Quote(Schema))
	for i := range l.Uses {
		if i > 0 {
			s.WriteByte(',')
		}
		l.Uses[i].write(&s)
	}
	s.WriteString("\n  ]\n}\n")
	return s.String()
}

func (p *Policy) text() string {
	var members []string
	if p.maxAge != nil {
		days := "null"
		if p.maxAge.Known {
			days = strconv.FormatUint(p.maxAge.N, 10)
		}
		members = append(members, `"catalogMaxAgeDays": `+days)
	}
	if p.levels != nil {
		var levels []string
		for _, code := range slices.Sorted(maps.Keys(p.levels)) {
			levels = append(levels, fmt.Sprintf("\n      %s: %s", canonical.Quote(string(code)),
				canonical.Quote(p.levels[code])))
		}
		text := "{" + strings.Join(levels, ",")
		if levels != nil {
			text += "\n    "
		}
		members = append(members, `"levels": `+text+"}")
	}
	if p.noticeDays != nil {
		members = append(members, `"noticeDays": `+strconv.FormatUint(*p.noticeDays, 10))
	}
	if p.priceUpPercent != "" {
		members = append(members, `"priceUpPercent": `+p.priceUpPercent)
	}
	if members == nil {
		return "{}"
	}
	return "{\n    " + strings.Join(members, ",\n    ") + "\n  }"
}

func (u *Use) write(s *strings.Builder) {
	var e canonical.Encoder
	catalog.EncodeProfile(&e, &u.Execution)
	s.WriteString("\n    {\n      \"execution\": " + string(e.Buf) + ",\n      \"facts\": {")
	for i, key := range slices.SortedFunc(maps.Keys(u.Facts), canonical.CompareText) {
		if i > 0 {
			s.WriteByte(',')
		}
		f := u.Facts[key]
		fact := canonical.Encoder{}
		fact.MemberOrNull(`{"unit": `, f.Unit)
		fact.Raw(`, "value": `)
		catalog.EncodeScalar(&fact, f.Value)
		s.WriteString("\n        " + canonical.Quote(key) + ": " + string(fact.Buf) + "}")
	}
	if len(u.Facts) > 0 {
		s.WriteString("\n      ")
	}
	var model canonical.Encoder
	catalog.EncodeModel(&model, &u.Model)
	s.WriteString("},\n      \"id\": " + canonical.Quote(u.ID) + ",\n      \"model\": " + string(model.Buf) + "\n    }")
}

// The members of a lock.
var (
	lockShape = ijson.NewShape(
		ijson.Required("catalog", func(r *ijson.Reader, l *Lock) { ijson.ReadTagged(r, &l.Catalog) }),
		ijson.Required("policy", func(r *ijson.Reader, l *Lock) { policyShape.Read(r, &l.Policy) }),
		ijson.Required("schemaVersion", func(r *ijson.Reader, _ *Lock) { r.Enum(Schema) }),
		ijson.Required("uses", func(r *ijson.Reader, l *Lock) { l.readUses(r) }),
	)
	policyShape = ijson.NewShape(
		ijson.Optional("catalogMaxAgeDays", func(r *ijson.Reader, p *Policy) {
			p.maxAge = &record.Count{}
			p.maxAge.N, p.maxAge.Known = r.CountOrNull()
		}),
		ijson.Optional("levels", func(r *ijson.Reader, p *Policy) {
			p.levels = map[record.FindingCode]string{}
			levelsShape.Read(r, p)
		}),
		ijson.Optional("noticeDays", func(r *ijson.Reader, p *Policy) {
			n := r.Count()
			p.noticeDays = &n
		}),
		ijson.Optional("priceUpPercent", func(r *ijson.Reader, p *Policy) {
			at := r.Offset()
			if p.priceUpPercent = r.Number(); strings.HasPrefix(p.priceUpPercent, "-") {
				r.Fail(at, "", "must be a number of at least 0")
			}
		}),
	)
	levelsShape = newLevelsShape()
	useShape    = ijson.NewShape(
		ijson.Required("execution", func(r *ijson.Reader, u *Use) { u.Execution = catalog.ReadOpenProfile(r) }),
		ijson.Required("facts", func(r *ijson.Reader, u *Use) { u.readFacts(r) }),
		ijson.Required("id", func(r *ijson.Reader, u *Use) { u.ID = r.Text() }),
		ijson.Required("model", func(r *ijson.Reader, u *Use) { u.Model = catalog.ReadModel(r) }),
	)
	factShape = ijson.NewShape(
		ijson.Required("unit", func(r *ijson.Reader, f *Fact) { f.Unit = r.TextOrNull() }),
		ijson.Required("value", func(r *ijson.Reader, f *Fact) { f.Value = r.Scalar() }),
	)
)

func newLevelsShape() *ijson.Shape[*ijson.Reader, Policy] {
	var members []ijson.ShapeMember[*ijson.Reader, Policy]
	for _, code := range Codes() {
		members = append(members, ijson.Optional(string(code), func(r *ijson.Reader, p *Policy) {
			p.levels[code] = r.Enum(Fail, Warn, Off)
		}))
	}
	return ijson.NewShape(members...)
}

// Read reads a lock. Faults have no code; they are all of the file, each with its place.
func Read(source problem.Source) (*Lock, error) {
	r := ijson.NewReader(source.Text, "")
	l := &Lock{}
	lockShape.Read(r, l)
	if faults := r.End(); faults != nil {
		return nil, faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return l, nil
}

func (l *Lock) readUses(r *ijson.Reader) {
	list := r.List()
	seen := map[string]bool{}
	repeated := ""
	for list.Next() {
		use := Use{start: r.Offset()}
		useShape.Read(r, &use)
		if use.ID != "" && seen[use.ID] {
			repeated = use.ID
		}
		seen[use.ID] = true
		l.Uses = append(l.Uses, use)
	}
	switch {
	case list.OK() && list.Index() < 0:
		r.Fail(list.Start(), "", "must not be empty")
	case repeated != "":
		r.Fail(list.Start(), "", "must hold each id once: %s is repeated", repeated)
	}
	slices.SortFunc(l.Uses, func(a, b Use) int { return canonical.CompareText(a.ID, b.ID) })
}

func (u *Use) readFacts(r *ijson.Reader) {
	u.Facts = map[string]Fact{}
	for n := r.Names(); n.Next(); {
		f := Fact{start: n.At()}
		factShape.Read(r, &f)
		u.Facts[n.Name()] = f
	}
}
