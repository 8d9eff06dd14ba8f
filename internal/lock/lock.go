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
	"bytes"
	"context"
	"encoding/json"
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

// MaxBytes is how long a lock may be.
const MaxBytes = 16 << 20

// Lock is a lock that was read or made.
type Lock struct {
	record.Lock
	places map[place]int // in the text of the lock
}

// place is a fact of a use, or with no key the use.
type place struct{ use, key string }

func reference(c *catalog.Catalog) record.CatalogReference {
	return record.CatalogReference{Digest: c.Digest(), AsOf: record.Timestamp(c.AsOf())}
}

// policy gives the defaults of what a policy does not set.
type policy record.LockPolicy

// mostAge returns how many days old a catalog may be, if that matters.
func (p *policy) mostAge() (days uint64, matters bool) {
	const usual = 7
	if p.CatalogMaxAgeDays.Days == nil {
		return usual, !p.CatalogMaxAgeDays.AnyAge
	}
	return *p.CatalogMaxAgeDays.Days, true
}

// notice returns how many days before the end of a model there is a finding.
func (p *policy) notice() uint64 {
	const usual = 30
	if p.NoticeDays == nil {
		return usual
	}
	return *p.NoticeDays
}

// mostUp returns by how many percent a price may rise, as a number of JSON.
func (p *policy) mostUp() string {
	if p.PriceUpPercent == nil {
		return "0"
	}
	return string(canonical.AppendNumber(nil, *p.PriceUpPercent))
}

// level returns how much a finding matters.
func (p *policy) level(code record.FindingCode) string {
	if level, ok := p.Levels[code]; ok {
		return level
	}
	return levels[code]
}

// UnlockedKey is a key of a use that was not locked, as no one value of it is known.
type UnlockedKey struct {
	Use, Key string
	Status   v3.FactStatus
}

// Demand is what to lock.
type Demand struct {
	Uses  []record.LockedUse // without facts
	Watch []string           // keys besides those of the vocabulary
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
		use := record.LockedUse{ID: id.Text}
		if use.Model, err = catalog.ParseModel(part(c, "model")); err != nil {
			return err
		}
		profile := ijson.NewReader(part(c, "execution"), problem.InvalidRankRequest)
		use.Execution.Profile = catalog.ReadOpenProfile(profile)
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
	l = &Lock{Lock: record.Lock{Catalog: reference(c), SchemaVersion: record.LockSchema}}
	uses := map[string]record.LockedUse{}
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
func Plain(runtime, model string) record.LockedUse { return plain(runtime, record.Model{ID: model}) }

func plain(runtime string, m record.Model) record.LockedUse {
	return record.LockedUse{ID: runtime + ":" + m.Name(), Model: m,
		Execution: record.OpenProfile{Profile: compare.PlainProfile(runtime)}}
}

// ReadUse reads the use that people write as RUNTIME:MODEL. Both may have colons: the model is the
// longest that the catalog has.
//
//	openrouter:free:z-ai/glm-5    the model z-ai/glm-5 at openrouter:free
func ReadUse(c *catalog.Catalog, text string) (record.LockedUse, error) {
	first, _, _ := strings.Cut(text, ":")
	for i := len(first); i < len(text); i++ {
		isModel := func(m catalog.ModelEntry) bool { return isCalled(&m.Identity, text[i+1:]) }
		if text[i] == ':' && slices.ContainsFunc(c.Models(), isModel) {
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
func FindUse(c *catalog.Catalog, runtime, name string) (record.LockedUse, error) {
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
		return record.LockedUse{}, fmt.Errorf("%s:%s is one of several, so name it: %s", runtime, name,
			strings.Join(names, ", "))
	}
	return plain(runtime, found[0]), nil
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
func (b *book) turnTo(use *record.LockedUse) (*v3.Facts, error) {
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
	facts.TurnTo(&use.Execution.Profile)
	return facts, nil
}

// lock fills the facts of a use, and returns what could not be locked.
func (b *book) lock(use *record.LockedUse, watch []string) (unlocked []UnlockedKey, err error) {
	facts, err := b.turnTo(use)
	if err != nil {
		return nil, err
	}
	use.Facts = map[string]record.StatedValue{}
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
			use.Facts[key] = record.StatedValue{Value: f.Value, Unit: record.Text(f.Unit)}
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
func (b *book) meant(use *record.LockedUse) string {
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
	if at, ok := l.places[place{use, key}]; ok {
		return at
	}
	return l.places[place{use: use}]
}

// Text is the lock as a file: JSON that people read and review, members sorted, one fact
// a line.
func (l *Lock) Text() string {
	const begin, end = "    ", "  "
	indented := func(record any) string {
		var out bytes.Buffer
		_ = json.Indent(&out, ijson.MustWriteTagged(record), end, end) // canonical JSON is JSON
		return out.String()
	}
	uses := make([]string, len(l.Uses))
	for i := range l.Uses {
		u := &l.Uses[i]
		facts := make([]string, 0, len(u.Facts))
		for _, key := range slices.SortedFunc(maps.Keys(u.Facts), canonical.CompareText) {
			f := u.Facts[key]
			facts = append(facts, fmt.Sprintf("\n        %s: {\"unit\": %s, \"value\": %s}", canonical.Quote(key),
				ijson.MustWriteTagged(f.Unit), ijson.MustWriteTagged(f.Value)))
		}
		list := "{}"
		if len(facts) > 0 {
			list = "{" + strings.Join(facts, ",") + "\n      }"
		}
		uses[i] = fmt.Sprintf("\n    {\n      \"execution\": %s,\n      \"facts\": %s,\n"+
			"      \"id\": %s,\n      \"model\": %s\n    }",
			ijson.MustWriteTagged(u.Execution), list, canonical.Quote(u.ID), ijson.MustWriteTagged(u.Model))
	}
	return fmt.Sprintf("{\n  \"catalog\": %s,\n  \"policy\": %s,\n"+
		"  \"schemaVersion\": %s,\n  \"uses\": [%s\n  ]\n}\n",
		indented(l.Catalog), indented(l.Policy), canonical.Quote(l.SchemaVersion), strings.Join(uses, ","))
}

// lockReader reads a lock, and keeps where its facts are.
type lockReader struct {
	*ijson.Reader
	places map[place]int
	found  map[string]int // the facts of the current use, by key
}

// The members of a lock that need more than their tags say.
var (
	lockShape = ijson.TaggedShape(
		ijson.Required("policy", func(r *lockReader, l *record.Lock) { policyShape.Read(r, &l.Policy) }),
		ijson.Required("uses", func(r *lockReader, l *record.Lock) { l.Uses = r.uses() }),
	)
	policyShape = ijson.TaggedShape(
		ijson.Optional("catalogMaxAgeDays", func(r *lockReader, p *record.LockPolicy) {
			days, known := r.CountOrNull()
			p.CatalogMaxAgeDays = record.MaxAge{Days: &days, AnyAge: !known}
			if !known {
				p.CatalogMaxAgeDays.Days = nil
			}
		}),
		ijson.Optional("levels", func(r *lockReader, p *record.LockPolicy) {
			p.Levels = map[record.FindingCode]string{}
			levelsShape.Read(r, p)
		}),
		ijson.Optional("priceUpPercent", func(r *lockReader, p *record.LockPolicy) {
			at := r.Offset()
			percent, _ := strconv.ParseFloat(r.Number(), 64) // what is not a number has a fault already
			if percent < 0 {
				r.Fail(at, "", "must be a number of at least 0")
			}
			p.PriceUpPercent = &percent
		}),
	)
	levelsShape = newLevelsShape()
	useShape    = ijson.TaggedShape(
		ijson.Required("facts", func(r *lockReader, u *record.LockedUse) { u.Facts = r.facts() }),
	)
)

func newLevelsShape() *ijson.Shape[*lockReader, record.LockPolicy] {
	var members []ijson.ShapeMember[*lockReader, record.LockPolicy]
	for _, code := range Codes() {
		members = append(members, ijson.Optional(string(code), func(r *lockReader, p *record.LockPolicy) {
			p.Levels[code] = r.Enum(Fail, Warn, Off)
		}))
	}
	return ijson.NewShape(members...)
}

// Read reads a lock. Faults have no code; they are all of the file, each with its place.
func Read(source problem.Source) (*Lock, error) {
	r := &lockReader{Reader: ijson.NewReader(source.Text, ""), places: map[place]int{}}
	l := &Lock{places: r.places}
	lockShape.Read(r, &l.Lock)
	if faults := r.End(); faults != nil {
		return nil, faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return l, nil
}

func (r *lockReader) uses() (uses []record.LockedUse) {
	list := r.List()
	repeated := ""
	for list.Next() {
		at, use := r.Offset(), record.LockedUse{}
		r.found = nil
		useShape.Read(r, &use)
		if _, isSeen := r.places[place{use: use.ID}]; isSeen && use.ID != "" {
			repeated = use.ID
		}
		r.places[place{use: use.ID}] = at
		for key, fact := range r.found {
			r.places[place{use.ID, key}] = fact
		}
		uses = append(uses, use)
	}
	list.DemandItems()
	if repeated != "" {
		r.Fail(list.Start(), "", "must hold each id once: %s is repeated", repeated)
	}
	slices.SortFunc(uses, func(a, b record.LockedUse) int { return canonical.CompareText(a.ID, b.ID) })
	return uses
}

func (r *lockReader) facts() map[string]record.StatedValue {
	facts := map[string]record.StatedValue{}
	r.found = map[string]int{}
	for n := r.Names(); n.Next(); {
		r.found[n.Name()] = n.At()
		var f record.StatedValue
		ijson.ReadTagged(r.Reader, &f)
		facts[n.Name()] = f
	}
	return facts
}
