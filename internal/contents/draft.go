package contents

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/spelling"
)

// This file writes an observation to start from.

// DraftOptions say what an observation to start from is about.
type DraftOptions struct {
	Models, Keys []string // ids of models, measurement keys
	At           string   // timestamp of the observation
	Until        string   // timestamp until which it holds; empty for no end
}

// Draft writes an observation of each model, or of the one that the catalog has most of,
// under the keys that are named, or a few that the model has: with their kinds, units and
// tasks, and with values to fill in, as are all names that begin with "your". Several
// observations are a list. Each is valid as it is:
//
//	{ "schemaVersion": "service.observation/v2", "kind": "evaluation",
//	  "model": { "id": "acme/atlas", "revision": null, "quantization": null },
//	  ...
//	  "measurements": [
//	    { "key": "repair.fixed", "kind": "sample", "value": false } ],
//	  ...
//
// Without a catalog, which may be nil, the names are those that were given. The error is
// an *[AbsentError].
func Draft(c *catalog.Catalog, opts DraftOptions) (string, error) {
	var texts []string
	identities, err := draftModels(c, opts.Models)
	if err != nil {
		return "", err
	}
	for i := range identities {
		d := draft{model: &identities[i], number: i + 1, at: opts.At, until: opts.Until}
		if err := d.measure(c, opts.Keys); err != nil {
			return "", err
		}
		texts = append(texts, d.text())
	}
	if len(texts) == 1 {
		return texts[0] + "\n", nil
	}
	return "[" + strings.Join(texts, ",\n") + "]\n", nil
}

// draftModels returns the models that are named, as a list of the catalog names them, or
// the one that it has most observations of.
func draftModels(c *catalog.Catalog, names []string) (list []catalog.Model, err error) {
	if c == nil || names == nil && len(c.Models()) == 0 {
		for _, name := range names {
			list = append(list, catalog.Model{ID: name})
		}
		if list == nil {
			list = []catalog.Model{{ID: "your/model"}}
		}
		return list, nil
	}
	if names == nil {
		most := slices.MaxFunc(c.Models(), func(a, b catalog.ModelEntry) int { return cmp.Compare(len(a.Observations), len(b.Observations)) })
		return []catalog.Model{most.Identity}, nil
	}
	var known []string
	byName := map[string]catalog.Model{}
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
			return nil, &AbsentError{fmt.Sprintf("the catalog has no model %q", name), spelling.Closest(name, known)}
		}
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list, nil
}

// draft is an observation to be written.
type draft struct {
	model        *catalog.Model
	number       int
	at, until    string
	measurements []string
	isEvaluation bool

	// What the catalog has of the model.
	groups        []*compare.Group
	facts         []string // keys
	family, suite string   // of the task that it has most samples of
}

// measure fills in what is to be measured. A declaration states facts; samples come from
// evaluations.
func (d *draft) measure(c *catalog.Catalog, names []string) error {
	if c == nil {
		if names == nil {
			names = []string{"your.key"}
		}
		for _, name := range names {
			d.add(yourKey(name))
		}
		return nil
	}
	d.readModel(c, names)
	all := newListing(c, Options{}).keys()
	for _, name := range names {
		i := slices.IndexFunc(all, func(k Key) bool { return k.MeasurementKey == name })
		if i < 0 {
			return absentKey(all, name)
		}
		d.add(&all[i])
	}
	if names == nil {
		d.choose(all)
	}
	return nil
}

func absentKey(all []Key, name string) error {
	var known []string
	for i := range all {
		known = append(known, all[i].MeasurementKey)
	}
	return &AbsentError{fmt.Sprintf("no observation has the key %q", name), spelling.Closest(name, known)}
}

// choose takes a few keys that the model has: those of samples in the suite of tasks that
// it has most of or, if it has no samples, of facts.
func (d *draft) choose(all []Key) {
	const few = 3
	var own []*Key
	for i := range all {
		k := &all[i]
		isOwn := func(g *compare.Group) bool {
			return g.MeasurementKey == k.MeasurementKey && g.Family == d.family && g.Suite == d.suite
		}
		if slices.ContainsFunc(d.groups, isOwn) {
			own = append(own, k)
		}
	}
	for i := range all {
		if len(d.groups) == 0 && slices.Contains(d.facts, all[i].MeasurementKey) {
			own = append(own, &all[i])
		}
	}
	slices.SortStableFunc(own, func(a, b *Key) int { return b.Models - a.Models })
	for _, k := range own[:min(len(own), few)] {
		d.add(k)
	}
	if len(own) == 0 { // the catalog is empty
		d.add(yourKey("your.key"))
	}
}

// yourKey is a key of which nothing is known.
func yourKey(name string) *Key {
	return &Key{MeasurementKey: name, Kinds: []string{catalog.Sample}, Ranges: []Range{{}}}
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
func (d *draft) add(k *Key) {
	kind, value, unit := catalog.Fact, `"to fill in"`, canonical.Text("")
	if slices.Contains(k.Kinds, catalog.Sample) {
		kind, d.isEvaluation = catalog.Sample, true
	}
	if len(k.Ranges) > 0 {
		most := slices.MaxFunc(k.Ranges, func(a, b Range) int { return cmp.Compare(a.Count, b.Count) })
		value, unit = "0", most.Unit
	} else if v := k.Values[0]; v.Value.Kind != '"' {
		value, unit = "false", v.Unit
	} else {
		unit = v.Unit
	}
	line := `{ "key": ` + canonical.Quote(k.MeasurementKey) + `, "kind": "` + kind + `", "value": ` + value
	if unit != "" {
		line += `, "unit": ` + canonical.Quote(string(unit))
	}
	if line += ` }`; !slices.Contains(d.measurements, line) {
		d.measurements = append(d.measurements, line)
	}
}

func (d *draft) text() string {
	m := compare.Identity{ID: d.model.ID, Revision: canonical.Text(d.model.Revision), Quantization: canonical.Text(d.model.Quantization)}
	kind, execution, task, outcome := catalog.KindDeclaration, `null`, `null`, `null`
	if d.isEvaluation {
		kind = catalog.KindEvaluation
		execution = `{ "kind": "exact", "runtime": { "id": "your-runtime", "version": null }, "adapter": null,
    "effectiveContextTokens": null, "toolSurface": [], "hardware": null, "workflow": null }`
		task = `{ "family": ` + canonical.Quote(cmp.Or(d.family, "your-task-family")) + `, "suite": ` + orNull(d.suite) + `, "taskId": "your-task",
    "evaluator": { "id": "your-evaluator", "version": null } }`
		outcome = `{ "status": "accepted", "reason": null }`
	}
	at := `"` + d.at + `"`
	return `{ "schemaVersion": "` + catalog.ObservationSchema + `", "kind": "` + kind + `",
  "model": { "id": ` + canonical.Quote(m.ID) + `, "revision": ` + orNull(string(m.Revision)) + `, "quantization": ` + orNull(string(m.Quantization)) + ` },
  "execution": ` + execution + `,
  "task": ` + task + `,
  "measurements": [
    ` + strings.Join(d.measurements, ",\n    ") + ` ],
  "outcome": ` + outcome + `, "usage": null, "sourceClass": "first-party",
  "evidence": [
    { "id": "your-run-` + fmt.Sprint(d.number) + `", "kind": "log", "uri": null, "digest": null, "observedAt": ` + at + ` } ],
  "freshness": { "observedAt": ` + at + `, "validUntil": ` + orNull(d.until) + ` },
  "uncertainty": { "level": "unknown", "basis": ["to fill in"], "gaps": ["to fill in"] } }`
}

func orNull(text string) string {
	if text == "" {
		return "null"
	}
	return canonical.Quote(text)
}
