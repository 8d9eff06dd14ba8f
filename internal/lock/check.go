package lock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// This file holds a lock against a catalog. One finding a use and key: the first of the
// codes below that applies. What is gone altogether has one finding instead of all.
//
// Waiting turns no check green. Where all that was stated of a fact has expired, what was
// stated last counts on: a model that was retired stays retired, and a price that rose has
// risen. That nothing newer is known is one more finding of the use.

// How much a finding matters.
const (
	Fail = "fail"
	Warn = "warn"
	Off  = "off" // there is no finding
)

// levels are those of a policy that says nothing else.
var levels = map[record.FindingCode]string{
	record.ModelGone: Fail, record.ModelRetired: Fail, record.ModelDeprecated: Warn, record.ModelRetires: Warn,
	record.PriceUp: Fail, record.PriceDown: Off, record.LimitDown: Fail, record.LimitUp: Off, record.CapabilityLost: Fail,
	record.CapabilityGained: Off,
	record.FactChanged:      Warn, record.EvidenceConflict: Fail, record.EvidenceExpired: Fail,
	record.EvidenceMissing: Warn,
	record.CatalogOld:      Warn,
}

// Describe says in a few words what a code means.
func Describe(code record.FindingCode) string {
	return map[record.FindingCode]string{
		record.ModelGone: "The model is gone", record.ModelRetired: "The model is retired",
		record.ModelDeprecated: "The model is deprecated",
		record.ModelRetires:    "The model retires soon", record.PriceUp: "A price rose", record.PriceDown: "A price fell",
		record.LimitDown: "A limit is lower",
		record.LimitUp:   "A limit is higher", record.CapabilityLost: "A capability was lost",
		record.CapabilityGained: "A capability was gained",
		record.FactChanged:      "A fact changed", record.EvidenceConflict: "The evidence contradicts itself",
		record.EvidenceExpired: "The evidence expired", record.EvidenceMissing: "Nobody states a fact any more",
		record.CatalogOld: "The catalog is old",
	}[code]
}

// Codes returns all codes, sorted.
func Codes() []record.FindingCode { return slices.Sorted(maps.Keys(levels)) }

// CheckReport checks the JSON of a report. Faults have no code.
func CheckReport(source problem.Source) error {
	r := ijson.NewReader(source.Text, "")
	ijson.ReadTagged(r, &record.ModelsCheck{})
	if faults := r.End(); faults != nil {
		return faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	return nil
}

// ErrEarly says that the time of a check is before that of the catalog.
var ErrEarly = errors.New("the time of the check is before that of the catalog")

// checker checks the uses of a lock, one after the other.
type checker struct {
	*book
	policy *policy
	today  time.Time
	report *record.ModelsCheck
	use    *record.LockedUse
	// Of the use: the keys of which every statement has expired, and these statements.
	expired     []string
	expiredFrom []string

	runtimes map[modelKey][]string // that alone are stated of
}

// Check holds a lock, which was read from the text, against a catalog at an instant. A
// finding has the level that the policy gives its code; what is off is not found.
func Check(ctx context.Context, c *catalog.Catalog, l *Lock, text, now string) (*record.ModelsCheck, error) {
	if now < c.AsOf() {
		return nil, ErrEarly
	}
	r := &record.ModelsCheck{SchemaVersion: record.ModelsCheckSchema, Catalog: reference(c),
		Lock: record.LockReference{SHA256: canonical.Sum([]byte(text))},
		Now:  record.Timestamp(now), OK: true, Uses: []record.CheckedUse{}, Findings: []record.Finding{}}
	at, _ := timestamp.Parse(now) // it is a timestamp of records
	k := &checker{book: newBook(c, now), policy: (*policy)(&l.Policy), today: at.Time().Truncate(24 * time.Hour),
		report: r, runtimes: map[modelKey][]string{}}
	k.checkAge(at.Time())
	for i := range l.Uses {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := k.checkUse(&l.Uses[i]); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b record.Finding) int {
		return cmp.Or(strings.Compare(a.Level, b.Level), // fail, warn
			canonical.CompareText(string(a.Use), string(b.Use)), canonical.CompareText(string(a.Key), string(b.Key)))
	})
	return r, nil
}

// mostObservations is how many observations a finding names.
const mostObservations = 64

// find adds a finding, unless its level is off.
func (k *checker) find(f record.Finding) {
	if f.Level = k.policy.level(f.Code); f.Level == Off {
		return
	}
	if k.use != nil {
		f.Use = record.Text(k.use.ID)
	}
	if f.ObservationIDs == nil {
		f.ObservationIDs = []string{}
	}
	// What contradicts a use may be all that is said of a thousand runtimes, for each of
	// a thousand uses.
	f.ObservationIDs = f.ObservationIDs[:min(len(f.ObservationIDs), mostObservations)]
	f.Evidence = k.evidence(f.ObservationIDs)
	k.report.OK = k.report.OK && f.Level != Fail
	k.report.Findings = append(k.report.Findings, f)
}

func (k *checker) evidence(ids []string) []record.EvidenceLink {
	list := []record.EvidenceLink{}
	for _, id := range ids {
		o, ok := k.entries[k.use.Model].Find(id)
		if !ok {
			continue
		}
		for _, e := range k.records.Read(o).Evidence {
			list = append(list, record.EvidenceLink{ID: e.ID, URI: record.Text(e.URI)})
		}
	}
	return list
}

func (k *checker) checkAge(now time.Time) {
	asOf, _ := timestamp.Parse(k.catalog.AsOf())
	days, matters := k.policy.mostAge()
	// Days beyond any time that there is are never over.
	const most = 1 << 16
	if matters && days < most && now.Sub(asOf.Time()) > time.Duration(days)*24*time.Hour {
		k.find(record.Finding{Code: record.CatalogOld, Message: "the catalog is of " + day(asOf.Time()) + ", more than " +
			plural(days, "day") +
			" ago: get a newer one"})
	}
}

func (k *checker) checkUse(use *record.LockedUse) error {
	k.use, k.expired, k.expiredFrom = use, nil, nil
	before := len(k.report.Findings)
	facts, err := k.turnTo(use)
	if err != nil {
		return err
	}
	checked := record.CheckedUse{ID: use.ID}
	list, since, withdrawal := k.withdrawn()
	holds := false
	if facts != nil {
		_, holds = facts.Holds()
	}
	switch {
	case facts == nil:
		k.find(record.Finding{Code: record.ModelGone, Message: "the catalog has nothing on " + use.Model.ID +
			" any more: choose another model" + k.siblings()})
	case withdrawal != nil:
		k.find(record.Finding{Code: record.ModelGone, ObservationIDs: withdrawal, Date: record.Text(since),
			Message: "the complete list of " + list + " does not have " +
				use.Model.ID + " at " + use.Execution.Runtime.ID + " any more since " + since + ": choose another model" +
				k.siblings()})
	case !holds && k.othersAt(use.Execution.Runtime.ID, use.Model):
		k.find(record.Finding{Code: record.ModelGone, Message: "nothing that is known of " + use.Model.ID + " at " +
			use.Execution.Runtime.ID +
			" holds any more, while other models there go on: choose another model" + k.siblings()})
	default:
		keys := slices.Collect(maps.Keys(use.Facts))
		keys = append(keys, offer.Retires, offer.Deprecated, offer.Status)
		slices.SortFunc(keys, canonical.CompareText)
		for _, key := range slices.Compact(keys) {
			k.checkKey(facts, key)
		}
		k.findExpired()
		checked.Checked = len(use.Facts)
	}
	checked.OK = !slices.ContainsFunc(k.report.Findings[before:], func(f record.Finding) bool { return f.Level == Fail })
	k.report.Uses = append(k.report.Uses, checked)
	return nil
}

// checkKey finds what is to be said of a key, whether it is locked or one of the life
// cycle.
func (k *checker) checkKey(facts *v3.Facts, key string) {
	locked, isLocked := k.use.Facts[key]
	f := facts.Evaluate(key)
	found := record.Finding{Key: record.Text(key), ObservationIDs: f.ObservationIDs}
	if isLocked {
		found.Locked = &locked
	}
	if f.Status == v3.FactOK {
		found.Found = &record.StatedValue{Value: f.Value, Unit: record.Text(f.Unit)}
		if k.checkLifeCycle(&found, key, f.Value) {
			k.find(found)
			return
		}
	}
	if f.Status == v3.FactStale {
		k.checkExpired(&found, key)
		return
	}
	if !isLocked {
		if f.Status == v3.FactConflict && k.checkContradicted(&found, key) {
			k.find(found)
		}
		return
	}
	switch f.Status {
	case v3.FactMissing:
		found.Code, found.Message = record.EvidenceMissing, "nobody says it any more: take it out of the lock, or find a "+
			"source that does"
	case v3.FactConflict:
		found.Code, found.Message = record.EvidenceConflict, "the sources contradict each other"+k.values(f.ObservationIDs,
			key)+": settle which of them is right"
	case v3.FactIncomparable:
		found.Code, found.Message = record.EvidenceConflict, k.incomparable(f.ObservationIDs, key)
	default:
		if !compareFacts(&found, key, k.policy.mostUp()) {
			return
		}
	}
	k.find(found)
}

// checkExpired finds what is to be said of a key of which every statement has expired, by what
// was stated last.
func (k *checker) checkExpired(f *record.Finding, key string) {
	f.Found = k.lastStated(f.ObservationIDs, key)
	list := k.goesOn(f.ObservationIDs)
	if f.Locked != nil && list == "" {
		k.expired, k.expiredFrom = append(k.expired, key), append(k.expiredFrom, f.ObservationIDs...)
	}
	switch {
	case f.Found == nil && k.checkContradicted(f, key):
		k.find(*f)
	case f.Found != nil && (k.checkLifeCycle(f, key, f.Found.Value) ||
		f.Locked != nil && compareFacts(f, key, k.policy.mostUp())):
		k.find(*f)
	case f.Locked != nil && list != "":
		f.Code, f.Message = record.EvidenceMissing, list+" does not state it any more, and goes on with others: take it "+
			"out of the lock, or find a source that does"
		k.find(*f)
	}
}

// goesOn returns the list that made the last of the observations if other rows of it, about the
// same use, still hold: then they have not run out, but the list does not state them any more.
func (k *checker) goesOn(ids []string) (list string) {
	last := record.Timestamp("")
	for _, id := range ids {
		if o, ok := k.entries[k.use.Model].Find(id); ok {
			if rec := k.records.Read(o); rec.Freshness.ObservedAt >= last && len(rec.Evidence) > 0 {
				last, list = record.Timestamp(strings.Clone(string(rec.Freshness.ObservedAt))), ""
				if slices.Contains(listRows, rec.Evidence[0].Kind) {
					list, _, _ = strings.Cut(strings.Clone(rec.Evidence[0].ID), ":")
				}
			}
		}
	}
	if list == "" {
		return ""
	}
	for _, o := range k.entries[k.use.Model].Observations {
		rec := k.records.Read(o)
		if rec.Execution.Runtime.ID == k.use.Execution.Runtime.ID && rec.Freshness.HoldsAt(k.report.Now) &&
			len(rec.Evidence) > 0 && strings.HasPrefix(rec.Evidence[0].ID, list+":") {
			return list
		}
	}
	return ""
}

// listRows are the kinds of evidence of price lists, which are read whole each time.
var listRows = []string{"price-list-row", "api-member"}

// withdrawn returns the list that stated the offer of the use to be withdrawn, unless it stated
// something else of it since, with the day and its observations. It is the complete list of the
// seller: others may repeat for months what is no more.
func (k *checker) withdrawn() (list, since string, ids []string) {
	entry, runtime := k.entries[k.use.Model], k.use.Execution.Runtime.ID
	if entry == nil || runtime == "" {
		return "", "", nil
	}
	latest, gone := map[string]record.Timestamp{}, map[string]record.Timestamp{} // by list
	from := map[string][]string{}
	for _, o := range entry.Observations {
		rec := k.records.Read(o)
		if rec.Execution.Runtime.ID != runtime || len(rec.Evidence) == 0 || rec.Task.Family != "" {
			continue
		}
		name, _, _ := strings.Cut(rec.Evidence[0].ID, ":")
		at := record.Timestamp(strings.Clone(string(rec.Freshness.ObservedAt)))
		states := func(m record.Measurement) bool {
			return m.Key == record.LifecycleStatus && m.Value.Text == record.StatusWithdrawn
		}
		if !slices.ContainsFunc(rec.Measurements, states) {
			latest[name] = max(latest[name], at)
			continue
		}
		name = strings.Clone(name)
		gone[name], from[name] = max(gone[name], at), append(from[name], o.ID())
	}
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		if gone[name] >= latest[name] {
			return name, string(gone[name])[:len(time.DateOnly)], from[name]
		}
	}
	return "", "", nil
}

// checkContradicted says what a key of the life cycle means today that sources contradict each
// other about: the worst that one of them says, as contradicting it makes no end undone.
func (k *checker) checkContradicted(f *record.Finding, key string) bool {
	worst, found := -1, record.Finding{}
	for _, v := range compare.DistinctValues(k.entriesOf(f.ObservationIDs, key)) {
		one := *f
		if !k.checkLifeCycle(&one, key, v.Value) {
			continue
		}
		severity := slices.Index([]record.FindingCode{record.ModelRetires, record.ModelDeprecated, record.ModelRetired},
			one.Code)
		if severity > worst {
			one.Found = &record.StatedValue{Value: v.Value, Unit: v.Unit}
			worst, found = severity, one
		}
	}
	if worst < 0 {
		return false
	}
	found.Message += "; the sources contradict each other" + k.values(f.ObservationIDs, key)
	*f = found
	return true
}

// lastStated returns the value of the observations that were made last, nil if they contradict
// each other.
func (k *checker) lastStated(ids []string, key string) (last *record.StatedValue) {
	var at record.Timestamp
	agree := true
	for _, id := range ids {
		o, ok := k.entries[k.use.Model].Find(id)
		if !ok {
			continue
		}
		rec := k.records.Read(o)
		for _, m := range rec.Measurements {
			if m.Key != key || m.Kind != record.Fact || rec.Freshness.ObservedAt < at {
				continue
			}
			stated := record.StatedValue{Value: record.Scalar{Kind: m.Value.Kind, Text: strings.Clone(m.Value.Text)},
				Unit: record.Text(strings.Clone(string(m.Unit)))}
			agree = last == nil || rec.Freshness.ObservedAt > at || agree && *last == stated
			last, at = &stated, rec.Freshness.ObservedAt
		}
	}
	if !agree {
		return nil
	}
	return last
}

// findExpired says once of a use that nothing newer is known of its facts.
func (k *checker) findExpired() {
	f := record.Finding{Code: record.EvidenceExpired}
	switch n, all := len(k.expired), len(k.use.Facts); {
	case n == 0:
		return
	case n == 1:
		f.Key, f.Message = record.Text(k.expired[0]), "all evidence has expired: get a newer catalog"
	case n == all:
		f.Message = "all evidence of the locked facts has expired: get a newer catalog"
	default:
		f.Message = fmt.Sprintf("all evidence of %d of the %d locked facts has expired: get a newer catalog", n, all)
	}
	slices.SortFunc(k.expiredFrom, canonical.CompareText)
	f.ObservationIDs = slices.Compact(k.expiredFrom)
	k.find(f)
}

// siblings names models of the catalog that are called nearly as the use's, some of many: what
// a maker sells next usually has the same name with another number.
func (k *checker) siblings() string {
	const most, least = 3, 3
	own := k.use.Model.ID
	begin := strings.IndexByte(own, '/') + 1 + least
	if begin > len(own) {
		return ""
	}
	seen := map[string]int{} // letters in common
	for _, m := range k.catalog.Models() {
		if id := m.Identity.ID; id != own && strings.HasPrefix(id, own[:begin]) {
			n := begin
			for n < min(len(id), len(own)) && id[n] == own[n] {
				n++
			}
			seen[id] = n
		}
	}
	names := slices.SortedFunc(maps.Keys(seen), func(a, b string) int {
		return cmp.Or(cmp.Compare(seen[b], seen[a]), canonical.CompareText(a, b))
	})
	if len(names) == 0 {
		return ""
	}
	names = names[:min(len(names), most)]
	for i := range names {
		names[i] = problem.Clip(names[i])
	}
	return "; the catalog has " + strings.Join(names, ", ")
}

// incomparable says why what is said cannot be compared: it is in several units, or about
// other executions than that of the use. What is about the use comes alone, so the first
// of the observations tells which it is.
func (k *checker) incomparable(ids []string, key string) string {
	if o, ok := k.entries[k.use.Model].Find(ids[0]); ok {
		if scope := k.records.Read(o).Execution; v3.Applies(&scope, &k.use.Execution.Profile) {
			return "the sources state it in several units" + k.values(ids, key) + ": settle which of them is right"
		}
	}
	own, names := k.use.Execution.Runtime.ID, k.runtimesOf(ids, key)
	if _, found := slices.BinarySearch(names, own); found {
		return "the sources state it of other ways to run the model at " + own +
			": take it out of the lock, or find a source that states it of this one"
	}
	const most = 3
	if n := len(names) - most; n > 0 {
		names = append(names[:most:most], strconv.Itoa(n)+" more")
	}
	return "no source states it of " + own + ", only of " + strings.Join(names, ", ") +
		": take it out of the lock, or find a source that does"
}

// modelKey is a key of a model.
type modelKey struct {
	model record.Model
	key   string
}

// runtimesOf returns the runtimes of observations that are about no use, sorted. They are the
// same for all uses of a model, which may have a thousand, so they are read once.
func (k *checker) runtimesOf(ids []string, key string) []string {
	at := modelKey{k.use.Model, key}
	if names, known := k.runtimes[at]; known {
		return names
	}
	runtimes := map[string]bool{}
	for _, id := range ids {
		if o, ok := k.entries[k.use.Model].Find(id); ok {
			runtimes[strings.Clone(k.records.Read(o).Execution.Runtime.ID)] = true
		}
	}
	names := slices.Sorted(maps.Keys(runtimes))
	k.runtimes[at] = names
	return names
}

// entriesOf returns what observations state under a key.
func (k *checker) entriesOf(ids []string, key string) (entries []compare.Entry) {
	for _, id := range ids {
		o, ok := k.entries[k.use.Model].Find(id)
		if !ok {
			continue
		}
		for _, m := range k.records.Read(o).Measurements {
			if m.Key == key && m.Kind == record.Fact {
				value := record.Scalar{Kind: m.Value.Kind, Text: strings.Clone(m.Value.Text)}
				entries = append(entries, compare.Entry{Value: value, Unit: strings.Clone(m.Unit)})
			}
		}
	}
	return entries
}

// values names the values that contradict each other, some of many, with their units where
// these differ.
func (k *checker) values(ids []string, key string) string {
	const most = 16
	var texts, units []string
	hasUnits := false
	values := compare.DistinctValues(k.entriesOf(ids, key))
	for _, v := range values[:min(len(values), most)] {
		text, unit := compare.ValueText(v)
		if v.Unit != values[0].Unit {
			hasUnits = true
		}
		texts, units = append(texts, problem.Clip(text)), append(units, problem.Clip(unit))
	}
	for i := range texts {
		if hasUnits {
			texts[i] += " " + cmp.Or(units[i], "without a unit")
		}
	}
	if n := len(values) - most; n > 0 {
		texts = append(texts, strconv.Itoa(n)+" more")
	}
	if len(texts) == 0 {
		return ""
	}
	return " (" + strings.Join(texts, " or ") + ")"
}

// checkLifeCycle says what a date of the life cycle, or the status, means today.
func (k *checker) checkLifeCycle(f *record.Finding, key string, value record.Scalar) bool {
	model := k.use.Model.ID
	if key == offer.Status && value.Kind == '"' && value.Text == "deprecated" {
		f.Code, f.Message = record.ModelDeprecated, model+" is deprecated: plan for another model"
		return true
	}
	if key != offer.Retires && key != offer.Deprecated || value.Kind != '"' {
		return false
	}
	ends, ok := timestamp.LastDay(value.Text)
	if !ok {
		return false
	}
	isPast := !ends.After(k.today)
	notice := k.policy.notice()
	const most = 1 << 16
	isNear := !isPast && (notice >= most || ends.Sub(k.today) <= time.Duration(notice)*24*time.Hour)
	f.Date = record.Text(day(ends))
	switch {
	case key == offer.Retires && isPast:
		f.Code, f.Message = record.ModelRetired, model+" was retired on "+day(ends)+": choose another model"
	case isPast:
		f.Code, f.Message = record.ModelDeprecated, model+" is deprecated since "+day(ends)+": plan for another model"
	case isNear && key == offer.Retires:
		f.Code, f.Message = record.ModelRetires, model+" retires on "+day(ends)+": choose another model before"
	case isNear:
		f.Code, f.Message = record.ModelRetires, model+" will be deprecated on "+day(ends)+": plan for another model"
	default:
		f.Date = ""
		return false
	}
	return true
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func plural(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatUint(n, 10) + " " + noun + "s"
}

// compareFacts says how the value that was found differs from the one that was locked.
func compareFacts(f *record.Finding, key, upPercent string) bool {
	locked, found := f.Locked.Value, f.Found.Value
	if locked == found && f.Locked.Unit == f.Found.Unit {
		return false
	}
	was, _ := compare.ValueText(*f.Locked)
	is, unit := compare.ValueText(*f.Found)
	was, is, unit = problem.Clip(was), problem.Clip(is), problem.Clip(unit)
	change := func(verb string) string {
		text := verb + " from " + was + " to " + is
		if unit != "" {
			text += " " + unit
		}
		if old := locked.Float(); old != 0 {
			text += " (" + quantity.Change(found.Float()/old) + ")"
		}
		return text
	}
	areNumbers := locked.Kind == '0' && found.Kind == '0' && f.Locked.Unit == f.Found.Unit
	if areNumbers && compare.IsOneNumber(locked.Float(), found.Float()) {
		return false
	}
	isUp := found.Float() > locked.Float()
	isFlag := strings.HasPrefix(key, "capability.") || strings.HasPrefix(key, "modality.")
	const accept = "accept it with svc check --update, or choose another model"
	switch {
	case areNumbers && offer.IsPrice(key) && isUp:
		if !roseByMore(locked.Text, found.Text, upPercent) {
			return false
		}
		f.Code, f.Message = record.PriceUp, change("rose")+": "+accept
	case areNumbers && offer.IsPrice(key):
		f.Code, f.Message = record.PriceDown, change("fell")+": note it with svc check --update"
	case areNumbers && offer.IsLimit(key) && !isUp:
		f.Code, f.Message = record.LimitDown, change("fell")+": "+accept
	case areNumbers && offer.IsLimit(key):
		f.Code, f.Message = record.LimitUp, change("rose")+": note it with svc check --update"
	case isFlag && locked.Kind == 't' && found.Kind == 'f':
		f.Code, f.Message = record.CapabilityLost, "was true and is false: choose another model, or do without it"
	case isFlag && locked.Kind == 'f' && found.Kind == 't':
		f.Code, f.Message = record.CapabilityGained, "was false and is true: note it with svc check --update"
	default:
		if f.Locked.Unit != "" || f.Found.Unit != "" {
			was, is = was+" "+problem.Clip(string(f.Locked.Unit)), is+" "+problem.Clip(string(f.Found.Unit))
		}
		f.Code, f.Message = record.FactChanged, "was "+was+" and is "+is+": note it with svc check --update"
	}
	return true
}

// roseByMore reports whether a number rose by more than a percentage. It is exact: in
// binary a rise of 10 % is more than 10 % for every tenth price.
func roseByMore(from, to, percent string) bool {
	exact := func(text string) *big.Rat {
		r, _ := new(big.Rat).SetString(text) // numbers of records and locks are those of JSON
		return r
	}
	most := exact(percent)
	most.Add(most.Quo(most, exact("100")), exact("1"))
	return exact(to).Cmp(most.Mul(most, exact(from))) > 0
}

// Update returns the lock with the facts that a catalog has at an instant. Policy and
// uses stay, those that are gone with what was known of them.
func Update(ctx context.Context, c *catalog.Catalog, l *Lock, now string) (*Lock, error) {
	updated := &Lock{Lock: record.Lock{Catalog: reference(c), Policy: l.Policy, SchemaVersion: record.LockSchema}}
	b := newBook(c, now)
	for _, use := range l.Uses {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		fresh := use
		if _, err := b.lock(&fresh, slices.Collect(maps.Keys(use.Facts))); err == nil {
			use = fresh
		} else if !errors.Is(err, ErrNoFact) {
			return nil, err
		}
		updated.Uses = append(updated.Uses, use)
	}
	return updated, nil
}
