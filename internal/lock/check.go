package lock

import (
	"cmp"
	"context"
	"errors"
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
	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// This file holds a lock against a catalog. One finding a use and key: the first of the
// codes below that applies. What is gone altogether has one finding instead of all.

// CheckSchema is the schema version of a [Report].
const CheckSchema = "service.models.check/v1"

// Code says what is no longer so.
type Code string

// The codes, in the order in which they apply.
const (
	ModelGone        Code = "MODEL_GONE"        // the catalog lacks the model, or nothing of the use holds while others at its runtime do
	ModelRetired     Code = "MODEL_RETIRED"     // lifecycle.retires is today or past
	ModelDeprecated  Code = "MODEL_DEPRECATED"  // lifecycle.deprecated is today or past, or lifecycle.status says so
	ModelRetires     Code = "MODEL_RETIRES"     // one of these dates lies within the notice
	PriceUp          Code = "PRICE_UP"          // a price rose by more than the policy allows
	PriceDown        Code = "PRICE_DOWN"        // a price fell
	LimitDown        Code = "LIMIT_DOWN"        // a limit is lower
	LimitUp          Code = "LIMIT_UP"          // a limit is higher
	CapabilityLost   Code = "CAPABILITY_LOST"   // a capability or modality went from true to false
	CapabilityGained Code = "CAPABILITY_GAINED" // from false to true
	FactChanged      Code = "FACT_CHANGED"      // another fact differs, or a unit
	EvidenceConflict Code = "EVIDENCE_CONFLICT" // what holds contradicts itself, or cannot be compared
	EvidenceExpired  Code = "EVIDENCE_EXPIRED"  // nothing that was said holds
	EvidenceMissing  Code = "EVIDENCE_MISSING"  // nobody says it any more
	CatalogOld       Code = "CATALOG_OLD"       // the catalog is older than the policy allows
)

// Level says how much a finding matters.
type Level string

// The levels.
const (
	Fail Level = "fail"
	Warn Level = "warn"
	Off  Level = "off" // there is no finding
)

// levels are those of a policy that says nothing else.
var levels = map[Code]Level{
	ModelGone: Fail, ModelRetired: Fail, ModelDeprecated: Warn, ModelRetires: Warn,
	PriceUp: Fail, PriceDown: Off, LimitDown: Fail, LimitUp: Off, CapabilityLost: Fail, CapabilityGained: Off,
	FactChanged: Warn, EvidenceConflict: Fail, EvidenceExpired: Warn, EvidenceMissing: Warn, CatalogOld: Warn,
}

// Codes returns all codes, sorted.
func Codes() []Code { return slices.Sorted(maps.Keys(levels)) }

// Report says what of a lock is no longer so.
type Report struct {
	SchemaVersion string       `json:"schemaVersion" is:"service.models.check/v1"`
	Catalog       Catalog      `json:"catalog"`
	Lock          Digest       `json:"lock"`
	Now           string       `json:"now" is:"timestamp"`
	OK            bool         `json:"ok"` // no finding is a failure
	Uses          []CheckedUse `json:"uses"`
	Findings      []Finding    `json:"findings"` // failures first, then by use and key
}

// Digest names the text of a lock.
type Digest struct {
	SHA256 string `json:"sha256" is:"hash"`
}

// CheckedUse is a use that was checked.
type CheckedUse struct {
	ID      string `json:"id"`
	Checked int    `json:"checked"` // how many keys
	OK      bool   `json:"ok"`      // no finding is a failure
}

// Finding is something that is no longer so.
type Finding struct {
	Code           Code               `json:"code" is:"CAPABILITY_GAINED CAPABILITY_LOST CATALOG_OLD EVIDENCE_CONFLICT EVIDENCE_EXPIRED EVIDENCE_MISSING FACT_CHANGED LIMIT_DOWN LIMIT_UP MODEL_DEPRECATED MODEL_GONE MODEL_RETIRED MODEL_RETIRES PRICE_DOWN PRICE_UP"`
	Level          Level              `json:"level" is:"fail warn"`
	Use            record.Text        `json:"use"` // null if it is about the catalog
	Key            record.Text        `json:"key"` // null if it is about the whole use
	Message        string             `json:"message"`
	Locked         *compare.Value     `json:"locked"`
	Found          *compare.Value     `json:"found"`
	Date           record.Text        `json:"date"`           // when the model ends
	ObservationIDs []string           `json:"observationIds"` // at most 64
	Evidence       []compare.Evidence `json:"evidence"`
}

// JSON is the report as canonical JSON, without a newline at the end.
func (r *Report) JSON() []byte { return canonical.MustMarshal(r) }

// CheckReport checks the JSON of a report. Faults have no code.
func CheckReport(source problem.Source) error {
	r := ijson.NewReader(source.Text, "")
	ijson.ReadTagged(r, &Report{})
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
	policy *Policy
	today  time.Time
	report *Report
	use    *Use

	runtimes map[modelKey][]string // that alone are stated of
}

// Check holds a lock, which was read from the text, against a catalog at an instant. A
// finding has the level that the policy gives its code; what is off is not found.
func Check(ctx context.Context, c *catalog.Catalog, l *Lock, text, now string) (*Report, error) {
	if now < c.AsOf() {
		return nil, ErrEarly
	}
	r := &Report{SchemaVersion: CheckSchema, Catalog: Catalog{c.Digest(), c.AsOf()}, Lock: Digest{canonical.Sum([]byte(text))},
		Now: now, OK: true, Uses: []CheckedUse{}, Findings: []Finding{}}
	at, _ := timestamp.Parse(now) // it is a timestamp of records
	k := &checker{book: newBook(c, now), policy: &l.Policy, today: at.Time().Truncate(24 * time.Hour), report: r, runtimes: map[modelKey][]string{}}
	k.checkAge(at.Time())
	for i := range l.Uses {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := k.checkUse(&l.Uses[i]); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(string(a.Level), string(b.Level)), // fail, warn
			canonical.CompareText(string(a.Use), string(b.Use)), canonical.CompareText(string(a.Key), string(b.Key)))
	})
	return r, nil
}

// mostObservations is how many observations a finding names.
const mostObservations = 64

// find adds a finding, unless its level is off.
func (k *checker) find(f Finding) {
	if f.Level = k.policy.Level(f.Code); f.Level == Off {
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

func (k *checker) evidence(ids []string) []compare.Evidence {
	list := []compare.Evidence{}
	for _, id := range ids {
		o, ok := k.entries[k.use.Model].Find(id)
		if !ok {
			continue
		}
		for _, e := range k.records.Read(o).Evidence {
			list = append(list, compare.Evidence{ID: e.ID, URI: record.Text(e.URI)})
		}
	}
	return list
}

func (k *checker) checkAge(now time.Time) {
	asOf, _ := timestamp.Parse(k.catalog.AsOf())
	days, matters := k.policy.MaxAgeDays()
	// Days beyond any time that there is are never over.
	const most = 1 << 16
	if matters && days < most && now.Sub(asOf.Time()) > time.Duration(days)*24*time.Hour {
		k.find(Finding{Code: CatalogOld, Message: "the catalog is of " + day(asOf.Time()) + ", more than " + plural(days, "day") +
			" ago: get a newer one"})
	}
}

func (k *checker) checkUse(use *Use) error {
	k.use = use
	before := len(k.report.Findings)
	facts, err := k.turnTo(use)
	if err != nil {
		return err
	}
	checked := CheckedUse{ID: use.ID}
	holds := false
	if facts != nil {
		_, holds = facts.Holds()
	}
	switch {
	case facts == nil:
		k.find(Finding{Code: ModelGone, Message: "the catalog has nothing on " + use.Model.ID + " any more: choose another model, or find where its evidence went"})
	case !holds && k.othersAt(use.Execution.Runtime.ID, use.Model):
		k.find(Finding{Code: ModelGone, Message: "nothing that is known of " + use.Model.ID + " at " + use.Execution.Runtime.ID +
			" holds any more, while other models there go on: choose another model"})
	default:
		keys := slices.Collect(maps.Keys(use.Facts))
		keys = append(keys, offer.Retires, offer.Deprecated, offer.Status)
		slices.SortFunc(keys, canonical.CompareText)
		for _, key := range slices.Compact(keys) {
			k.checkKey(facts, key)
		}
		checked.Checked = len(use.Facts)
	}
	checked.OK = !slices.ContainsFunc(k.report.Findings[before:], func(f Finding) bool { return f.Level == Fail })
	k.report.Uses = append(k.report.Uses, checked)
	return nil
}

// checkKey finds what is to be said of a key, whether it is locked or one of the life
// cycle.
func (k *checker) checkKey(facts *rank.Facts, key string) {
	locked, isLocked := k.use.Facts[key]
	f := facts.Evaluate(key)
	found := Finding{Key: record.Text(key), ObservationIDs: f.ObservationIDs}
	if isLocked {
		found.Locked = &compare.Value{Value: record.Scalar(locked.Value), Unit: record.Text(locked.Unit)}
	}
	if f.Status == rank.FactOK {
		found.Found = &compare.Value{Value: record.Scalar(f.Value), Unit: record.Text(f.Unit)}
		if k.checkLifeCycle(&found, key, f.Value) {
			k.find(found)
			return
		}
	}
	if !isLocked {
		return
	}
	switch f.Status {
	case rank.FactMissing:
		found.Code, found.Message = EvidenceMissing, "nobody says it any more: take it out of the lock, or find a source that does"
	case rank.FactStale:
		found.Code, found.Message = EvidenceExpired, "every statement has expired: get a newer catalog"
	case rank.FactConflict:
		found.Code, found.Message = EvidenceConflict, "the sources contradict each other"+k.values(f.ObservationIDs, key)+": settle which of them is right"
	case rank.FactIncomparable:
		found.Code, found.Message = EvidenceConflict, k.incomparable(f.ObservationIDs, key)
	default:
		if !compareFacts(&found, key, k.policy.PriceUpPercent()) {
			return
		}
	}
	k.find(found)
}

// incomparable says why what is said cannot be compared: it is in several units, or about
// other executions than that of the use. What is about the use comes alone, so the first
// of the observations tells which it is.
func (k *checker) incomparable(ids []string, key string) string {
	if o, ok := k.entries[k.use.Model].Find(ids[0]); ok {
		if scope := k.records.Read(o).Execution; rank.Applies(&scope, &k.use.Execution) {
			return "the sources state it in several units" + k.values(ids, key) + ": settle which of them is right"
		}
	}
	own, names := k.use.Execution.Runtime.ID, k.runtimesOf(ids, key)
	if _, found := slices.BinarySearch(names, own); found {
		return "the sources state it of other ways to run the model at " + own + ": take it out of the lock, or find a source that states it of this one"
	}
	const most = 3
	if n := len(names) - most; n > 0 {
		names = append(names[:most:most], strconv.Itoa(n)+" more")
	}
	return "no source states it of " + own + ", only of " + strings.Join(names, ", ") + ": take it out of the lock, or find a source that does"
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

// values names the values that contradict each other, some of many, with their units where
// these differ.
func (k *checker) values(ids []string, key string) string {
	var entries []compare.Entry
	for _, id := range ids {
		o, ok := k.entries[k.use.Model].Find(id)
		if !ok {
			continue
		}
		for _, m := range k.records.Read(o).Measurements {
			if m.Key == key && m.Kind == record.Fact {
				entries = append(entries, compare.Entry{Value: m.Value, Unit: m.Unit})
			}
		}
	}
	const most = 16
	var texts, units []string
	hasUnits := false
	values := compare.DistinctValues(entries)
	for _, v := range values[:min(len(values), most)] {
		text, unit := v.Text()
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
func (k *checker) checkLifeCycle(f *Finding, key string, value record.Scalar) bool {
	model := k.use.Model.ID
	if key == offer.Status && value.Kind == '"' && value.Text == "deprecated" {
		f.Code, f.Message = ModelDeprecated, model+" is deprecated: plan for another model"
		return true
	}
	if key != offer.Retires && key != offer.Deprecated || value.Kind != '"' {
		return false
	}
	ends, ok := lastDay(value.Text)
	if !ok {
		return false
	}
	isPast := !ends.After(k.today)
	notice := k.policy.NoticeDays()
	const most = 1 << 16
	isNear := !isPast && (notice >= most || ends.Sub(k.today) <= time.Duration(notice)*24*time.Hour)
	f.Date = record.Text(day(ends))
	switch {
	case key == offer.Retires && isPast:
		f.Code, f.Message = ModelRetired, model+" was retired on "+day(ends)+": choose another model"
	case isPast:
		f.Code, f.Message = ModelDeprecated, model+" is deprecated since "+day(ends)+": plan for another model"
	case isNear && key == offer.Retires:
		f.Code, f.Message = ModelRetires, model+" retires on "+day(ends)+": choose another model before"
	case isNear:
		f.Code, f.Message = ModelRetires, model+" will be deprecated on "+day(ends)+": plan for another model"
	default:
		f.Date = ""
		return false
	}
	return true
}

// lastDay reads a date, or a month, which is its last day.
func lastDay(text string) (time.Time, bool) {
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t, true
	}
	t, err := time.Parse("2006-01", text)
	return t.AddDate(0, 1, -1), err == nil
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func plural(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatUint(n, 10) + " " + noun + "s"
}

// compareFacts says how the value that was found differs from the one that was locked.
func compareFacts(f *Finding, key, upPercent string) bool {
	locked, found := record.Scalar(f.Locked.Value), record.Scalar(f.Found.Value)
	if locked == found && f.Locked.Unit == f.Found.Unit {
		return false
	}
	was, _ := f.Locked.Text()
	is, unit := f.Found.Text()
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
	isUp := found.Float() > locked.Float()
	isFlag := strings.HasPrefix(key, "capability.") || strings.HasPrefix(key, "modality.")
	const accept = "accept it with svc check --update, or choose another model"
	switch {
	case areNumbers && offer.IsPrice(key) && isUp:
		if !roseByMore(locked.Text, found.Text, upPercent) {
			return false
		}
		f.Code, f.Message = PriceUp, change("rose")+": "+accept
	case areNumbers && offer.IsPrice(key):
		f.Code, f.Message = PriceDown, change("fell")+": note it with svc check --update"
	case areNumbers && offer.IsLimit(key) && !isUp:
		f.Code, f.Message = LimitDown, change("fell")+": "+accept
	case areNumbers && offer.IsLimit(key):
		f.Code, f.Message = LimitUp, change("rose")+": note it with svc check --update"
	case isFlag && locked.Kind == 't' && found.Kind == 'f':
		f.Code, f.Message = CapabilityLost, "was true and is false: choose another model, or do without it"
	case isFlag && locked.Kind == 'f' && found.Kind == 't':
		f.Code, f.Message = CapabilityGained, "was false and is true: note it with svc check --update"
	default:
		if f.Locked.Unit != "" || f.Found.Unit != "" {
			was, is = was+" "+problem.Clip(string(f.Locked.Unit)), is+" "+problem.Clip(string(f.Found.Unit))
		}
		f.Code, f.Message = FactChanged, "was "+was+" and is "+is+": note it with svc check --update"
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
	updated := &Lock{Catalog: Catalog{c.Digest(), c.AsOf()}, Policy: l.Policy}
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
