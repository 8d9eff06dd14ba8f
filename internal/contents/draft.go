package contents

import (
	"cmp"
	"errors"
	"fmt"
	"math"
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
	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// This file writes an observation to start from, or one that states values.

// DraftOptions say what an observation is about. What is empty is to fill in.
type DraftOptions struct {
	Models, Keys []string    // ids of models, measurement keys
	Statements   []Statement // values; of one model, if there are any
	Runtime      string      // id of what ran the model, or of who offers it
	Task         string      // family, suite and id of the task, with slashes between them
	Evaluator    string      // id of what judged the answers
	Run          string      // id of the evidence
	At           string      // timestamp of the observation
	Until        string      // timestamp until which it holds; empty for no end
}

// Statement is a value that an observation states.
type Statement struct {
	Key   string
	Kind  string // record.Fact or record.Sample
	Value string // its JSON
	Unit  string // empty for that of the catalog, if any

	amount quantity.Amount // the number as it was written, if it is one
}

// ParseStatement reads a value of a kind as people write it, KEY=VALUE:
//
//	tickets.solved=0.9        a number, in the unit that the key has
//	limits.context=200k       200000
//	latency.p50=320 ms        a number in a unit
//	price.output=5/M          0.000005 USD/token; also $5/M
//	coding.score=90%          90 percent
//	repair.fixed=true         true or false
//	licence=MIT               a text or a date, if the value is a fact
//	modality="3D"             a text that begins like a number
func ParseStatement(kind, text string) (s Statement, err error) {
	name, _, _ := strings.Cut(text, `"`)
	cut := strings.LastIndexByte(name, '=') // a key may have one, too
	if cut <= 0 || cut == len(text)-1 {
		return s, errors.New("must be KEY=VALUE, like tickets.solved=0.9 or limits.context=200000")
	}
	s.Key, s.Kind, s.Value = text[:cut], kind, text[cut+1:]
	// A unit of one word that the number touches, as in 3D, may be a text.
	if amount, err := quantity.Read(s.Value); err == nil && (slices.Contains(touchingUnits, amount.Unit) ||
		strings.Contains(s.Value, " ")) {
		s.Value, s.Unit, s.amount = string(canonical.AppendNumber(nil, amount.Number)), amount.Unit, amount
	}
	switch {
	case s.Value == "true", s.Value == "false", isJSON(s.Value, '0'):
	case kind == record.Sample:
		return s, errors.New("must have a number, true or false after the key, like tickets.solved=0.9 or latency.p50=320 ms")
	case isJSON(s.Value, '"'):
	case strings.ContainsAny(s.Value[:1], "$+-.0123456789\"") && !isDate(s.Value):
		return s, errors.New(`must have a number, true, false or a text after the key; a text that begins like a number ` +
			`is in quotes: 'modality="3D"'`)
	default:
		s.Value = canonical.Quote(s.Value)
	}
	return s, nil
}

// touchingUnits are the units that [quantity.Read] reads from signs.
var touchingUnits = []string{"", "percent", "USD", "USD/token"}

// isJSON reports whether a text is a JSON value of a kind.
func isJSON(text string, kind byte) bool {
	v, err := ijson.ReadValue(text, problem.InvalidObservation)
	return err == nil && v.Kind == kind
}

// isDate reports whether a text is a day or a month.
func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	_, errOfMonth := time.Parse("2006-01", text)
	return err == nil || errOfMonth == nil
}

// Draft writes an observation of each model, or of the one that the catalog has most of,
// under the keys that are named, or a few that the model has: with their kinds, units and
// tasks, and with values to fill in, as are all names that begin with "your". Statements
// need nothing to be filled in if all options are given. Several observations are a list.
// Each is valid as it is:
//
//	{ "schemaVersion": "service.observation/v2", "kind": "evaluation",
//	  "model": { "id": "acme/atlas", "revision": null, "quantization": null },
//	  ...
//	  "measurements": [
//	    { "key": "repair.fixed", "kind": "sample", "value": false } ],
//	  ...
//
// Without a catalog, which may be nil, the names are those that were given. The error is
// an *[AbsentError], or what is wrong with what was stated.
func Draft(c *catalog.Catalog, opts DraftOptions) (string, error) {
	var texts []string
	identities, err := draftModels(c, opts.Models)
	if err != nil {
		return "", err
	}
	for i := range identities {
		d := draft{DraftOptions: &opts, model: &identities[i], number: i + 1}
		if err := d.measure(c); err != nil {
			return "", err
		}
		text := d.text()
		if _, err := catalog.Normalize(text); err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	if len(texts) == 1 {
		return texts[0] + "\n", nil
	}
	return "[" + strings.Join(texts, ",\n") + "]\n", nil
}

// draftModels returns the models that are named, as a list of the catalog names them, or
// the one that it has most observations of.
func draftModels(c *catalog.Catalog, names []string) (list []record.Model, err error) {
	if c == nil || names == nil && len(c.Models()) == 0 {
		for _, name := range names {
			list = append(list, record.Model{ID: name})
		}
		if list == nil {
			list = []record.Model{{ID: "your/model"}}
		}
		return list, nil
	}
	if names == nil {
		most := slices.MaxFunc(c.Models(), func(a, b catalog.ModelEntry) int {
			return cmp.Compare(len(a.Observations),
				len(b.Observations))
		})
		return []record.Model{most.Identity}, nil
	}
	var known []string
	byName := map[string]record.Model{}
	for i := range c.Models() {
		id := c.Models()[i].Identity
		for _, name := range []string{id.ID, id.Name()} {
			if _, again := byName[name]; !again {
				byName[name] = id
				known = append(known, name)
			}
		}
	}
	for _, name := range names {
		id, ok := byName[name]
		if !ok {
			slices.SortFunc(known, canonical.CompareText)
			return nil, &AbsentError{fmt.Sprintf("the catalog has no model %q", name), spelling.Similar(name, known)}
		}
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list, nil
}

// draft is an observation to be written.
type draft struct {
	*DraftOptions
	model        *record.Model
	number       int
	measurements []string
	isEvaluation bool

	// What the catalog has of the model.
	groups        []*compare.Group
	facts         []string // keys
	family, suite string   // of the task that it has most samples of
}

// measure fills in what is stated, and what is to be measured. A declaration states facts;
// samples come from evaluations.
func (d *draft) measure(c *catalog.Catalog) error {
	names, isStated := d.Keys, len(d.Statements) > 0
	if c == nil {
		if err := d.state(nil); err != nil {
			return err
		}
		if names == nil && !isStated {
			names = []string{"your.key"}
		}
		for _, name := range names {
			d.add(yourKey(name))
		}
		return nil
	}
	d.readModel(c, names)
	all := newListing(c, Options{}).keys()
	if err := d.state(all); err != nil {
		return err
	}
	for _, name := range names {
		i := slices.IndexFunc(all, func(k record.KeyContents) bool { return k.MeasurementKey == name })
		if i < 0 {
			return absentKey(all, name)
		}
		d.add(&all[i])
	}
	if names == nil && !isStated {
		d.choose(all)
	}
	return nil
}

// state writes what is stated, with the units of the keys that are known.
func (d *draft) state(known []record.KeyContents) error {
	for _, s := range d.Statements {
		var key *record.KeyContents
		if i := slices.IndexFunc(known, func(k record.KeyContents) bool { return k.MeasurementKey == s.Key }); i >= 0 {
			key = &known[i]
		}
		if isJSON(s.Value, '0') {
			if err := s.fitUnit(key); err != nil {
				return err
			}
		}
		d.isEvaluation = d.isEvaluation || s.Kind == record.Sample
		d.write(s)
	}
	return nil
}

// fitUnit gives a number the unit that its key has in the catalog or, if it is a price or a
// limit, in all price lists. A number that does not fit that unit is refused, with what to
// write. The key is nil if the catalog does not have it.
func (s *Statement) fitUnit(key *record.KeyContents) error {
	values := quantity.Values{Key: s.Key, Unit: offer.Unit(s.Key), High: math.Inf(1)}
	if key != nil && len(key.Ranges) > 0 {
		r := mostUsedRange(key)
		if i := slices.IndexFunc(key.Ranges,
			func(r record.ValueRange) bool { return string(r.Unit) == s.Unit }); s.Unit != "" && i >= 0 {
			r = key.Ranges[i]
		}
		values = quantity.Values{Key: s.Key, Unit: string(r.Unit), Low: r.Low, High: r.High, HasFractions: r.Low < 1}
	} else if values.Unit == "" { // nothing is known
		return nil
	}
	amount := s.amount
	if amount == (quantity.Amount{}) { // it was not read as people write it
		number, _ := strconv.ParseFloat(s.Value, 64)
		amount = quantity.Amount{Number: number, Unit: s.Unit}
	}
	number, err := values.Fit(amount)
	if err != nil {
		return err
	}
	s.Value, s.Unit = string(canonical.AppendNumber(nil, number)), values.Unit
	return nil
}

func absentKey(all []record.KeyContents, name string) error {
	var known []string
	for i := range all {
		known = append(known, all[i].MeasurementKey)
	}
	return &AbsentError{fmt.Sprintf("no observation has the key %q", name), spelling.Similar(name, known)}
}

// choose takes a few keys that the model has: those of samples in the suite of tasks that
// it has most of or, if it has no samples, of facts.
func (d *draft) choose(all []record.KeyContents) {
	const few = 3
	names := map[string]bool{}
	for _, g := range d.groups {
		if g.Family == d.family && g.Suite == d.suite {
			names[g.MeasurementKey] = true
		}
	}
	if len(d.groups) == 0 {
		for _, name := range d.facts {
			names[name] = true
		}
	}
	var own []*record.KeyContents
	for i := range all {
		if names[all[i].MeasurementKey] {
			own = append(own, &all[i])
		}
	}
	slices.SortStableFunc(own, func(a, b *record.KeyContents) int { return b.Models - a.Models })
	for _, k := range own[:min(len(own), few)] {
		d.add(k)
	}
	if len(own) == 0 { // the catalog is empty
		d.add(yourKey("your.key"))
	}
}

// yourKey is a key of which nothing is known.
func yourKey(name string) *record.KeyContents {
	return &record.KeyContents{MeasurementKey: name, Kinds: []string{record.Sample}, Ranges: []record.ValueRange{{}}}
}

// readModel reads what the catalog has of the model, and the suite of tasks that it has
// most samples of, under one of the keys if there are any.
func (d *draft) readModel(c *catalog.Catalog, keys []string) {
	for i := range c.Models() {
		if c.Models()[i].Identity != *d.model {
			continue
		}
		m := compare.NewReader().Read(c.Models()[i].Observations)
		for n := range m.Groups {
			d.groups = append(d.groups, &m.Groups[n])
		}
		for n := range m.Slots {
			d.facts = append(d.facts, m.Slots[n].MeasurementKey)
		}
	}
	samples, most := map[[2]string]int{}, 0
	for _, g := range d.groups {
		if keys != nil && !slices.Contains(keys, g.MeasurementKey) {
			continue
		}
		suite := [2]string{g.Family, g.Suite}
		if samples[suite] += len(g.Samples); samples[suite] > most {
			most, d.family, d.suite = samples[suite], g.Family, g.Suite
		}
	}
}

// add writes the measurement of a key, with a value of the kind that the key has most of.
func (d *draft) add(k *record.KeyContents) {
	s := Statement{Key: k.MeasurementKey, Kind: record.Fact, Value: `"to fill in"`}
	if slices.Contains(k.Kinds, record.Sample) {
		s.Kind, d.isEvaluation = record.Sample, true
	}
	if len(k.Ranges) > 0 {
		s.Value, s.Unit = "0", string(mostUsedRange(k).Unit)
	} else if v := k.Values[0]; v.Value.Kind != '"' {
		s.Value, s.Unit = "false", string(v.Unit)
	} else {
		s.Unit = string(v.Unit)
	}
	d.write(s)
}

// mostUsedRange returns the range in the unit that most numbers of a key have.
func mostUsedRange(k *record.KeyContents) record.ValueRange {
	return slices.MaxFunc(k.Ranges, func(a, b record.ValueRange) int { return cmp.Compare(a.Count, b.Count) })
}

func (d *draft) write(s Statement) {
	line := `{ "key": ` + canonical.Quote(s.Key) + `, "kind": "` + s.Kind + `", "value": ` + s.Value
	if s.Unit != "" {
		line += `, "unit": ` + canonical.Quote(s.Unit)
	}
	if line += ` }`; !slices.Contains(d.measurements, line) {
		d.measurements = append(d.measurements, line)
	}
}

func (d *draft) text() string {
	m := *d.model
	kind, execution, outcome := record.KindDeclaration, `null`, `null`
	runtime := `"runtime": { "id": ` + canonical.Quote(cmp.Or(d.Runtime, "your-runtime")) +
		`, "version": null }, "adapter": null,
    "effectiveContextTokens": null, "toolSurface": `
	if d.isEvaluation {
		kind = record.KindEvaluation
		execution = `{ "kind": "exact", ` + runtime + `[], "hardware": null, "workflow": null }`
		outcome = `{ "status": "accepted", "reason": null }`
	} else if d.Runtime != "" {
		execution = `{ "kind": "partial", ` + runtime + `null, "hardware": null, "workflow": null }`
	}
	basis, gaps := `"to fill in"`, `"to fill in"`
	if len(d.Statements) > 0 {
		basis, gaps = `"our own statement"`, ``
		if d.isEvaluation {
			basis = `"our own measurement"`
		}
	}
	at := `"` + d.At + `"`
	return `{ "schemaVersion": "` + record.ObservationSchema + `", "kind": "` + kind + `",
  "model": { "id": ` + canonical.Quote(m.ID) + `, "revision": ` + orNull(string(m.Revision)) +
		`, "quantization": ` + orNull(string(m.Quantization)) + ` },
  "execution": ` + execution + `,
  "task": ` + d.task() + `,
  "measurements": [
    ` + strings.Join(d.measurements, ",\n    ") + ` ],
  "outcome": ` + outcome + `, "usage": null, "sourceClass": "first-party",
  "evidence": [
    { "id": ` + canonical.Quote(cmp.Or(d.Run, "your-run-"+fmt.Sprint(d.number))) +
		`, "kind": "log", "uri": null, "digest": null, "observedAt": ` + at + ` } ],
  "freshness": { "observedAt": ` + at + `, "validUntil": ` + orNull(d.Until) + ` },
  "uncertainty": { "level": "unknown", "basis": [` + basis + `], "gaps": [` + gaps + `] } }`
}

// task returns the task that an evaluation was about.
func (d *draft) task() string {
	if !d.isEvaluation {
		return `null`
	}
	family, suite, id := cmp.Or(d.family, "your-task-family"), d.suite, "your-task"
	if d.Task != "" {
		family, suite, _ = strings.Cut(d.Task, "/")
		suite, id, _ = strings.Cut(suite, "/")
	}
	return `{ "family": ` + canonical.Quote(family) + `, "suite": ` + orNull(suite) + `, "taskId": ` + orNull(id) + `,
    "evaluator": { "id": ` + canonical.Quote(cmp.Or(d.Evaluator, "your-evaluator")) + `, "version": null } }`
}

func orNull(text string) string {
	if text == "" {
		return "null"
	}
	return canonical.Quote(text)
}
