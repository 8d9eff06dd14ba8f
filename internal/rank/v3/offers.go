package v3

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// This file chooses for drafts where a model runs. What facts say of a model at a runtime is
// an offer. For a question about at most 5 dollars per million tokens of output:
//
//	runtime   price.output
//	cheap     2 and 3          contradicts itself, so that nothing is known
//	dear      6                fails
//	usual     4                is chosen

// offer is what facts say of a model at a runtime, by key.
type offer map[string][]record.Scalar

// value returns the value of a key that all facts have.
func (o offer) value(key string) (v record.Scalar, ok bool) {
	values := o[key]
	if len(values) == 0 || slices.ContainsFunc(values, func(v record.Scalar) bool { return v != values[0] }) {
		return v, false
	}
	return values[0], true
}

// appeal is how well an offer serves a question.
type appeal struct {
	failed []*draftCriterion // requirements
	known  int               // keys, without contradiction
	price  float64
	own    bool // the runtime is the maker's
}

func (a *appeal) compare(b *appeal) int {
	return cmp.Or(cmp.Compare(len(b.failed), len(a.failed)), cmp.Compare(a.known, b.known), cmp.Compare(b.price, a.price), compareBool(a.own, b.own))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (d *drafter) appeal(o offer, isOwn bool) appeal {
	a := appeal{price: math.Inf(1), own: isOwn}
	for i := range d.criteria {
		c := &d.criteria[i]
		if !c.key.Fact {
			continue
		}
		v, ok := o.value(c.key.Key)
		if ok {
			a.known++
		}
		if c.role == requirement && c.key.isPerRuntime() && !(ok && c.isMet(v)) {
			a.failed = append(a.failed, c)
		}
	}
	in, ok := o.value(inputPrice)
	if out, ok2 := o.value(outputPrice); ok && ok2 && in.Kind == '0' && out.Kind == '0' {
		task := d.question.task()
		a.price = float64(float64(task.input.N)*in.Float()) + float64(float64(task.output.N)*out.Float()) // never one fused operation
	}
	return a
}

// chooseRuntimes returns where a model runs, one candidate without a variant for each: the runtime
// whose facts, with those that are true everywhere, serve the question best; each one that a question
// about models names; or nowhere if it does not ask for runtimes.
func (d *drafter) chooseRuntimes(entry *catalog.ModelEntry, offers map[string]offer, everywhere offer) (list []draftCandidate) {
	q := d.question
	best := d.appeal(everywhere, false)
	nowhere := []draftCandidate{{entry: entry, failed: best.failed}}
	if len(q.Runtimes) == 0 && !slices.ContainsFunc(d.criteria, func(c draftCriterion) bool { return c.key.isPerRuntime() }) {
		return nowhere
	}
	for _, id := range slices.Sorted(maps.Keys(offers)) {
		if id == "" || !fits(id) {
			continue
		}
		for key, values := range everywhere {
			offers[id][key] = append(offers[id][key], values...)
		}
		a := d.appeal(offers[id], strings.HasPrefix(entry.Identity.ID, id+"/"))
		run := draftCandidate{entry: entry, runtime: id, failed: a.failed}
		switch {
		case list == nil:
			list, best = []draftCandidate{run}, a
		case len(q.Models) > 0 && len(q.Runtimes) > 1:
			list = append(list, run)
		case a.compare(&best) > 0:
			list[0], best = run, a
		}
	}
	if list == nil {
		return nowhere
	}
	return list
}

// checkRuntimes refuses runtimes about which the catalog has no fact.
func (d *drafter) checkRuntimes() error {
	if len(d.question.Runtimes) == 0 {
		return nil
	}
	known := map[string]bool{}
	reader := catalog.NewRecordReader()
	for i := range d.catalog.Models() {
		for _, o := range d.catalog.Models()[i].Observations {
			rec := reader.Read(o)
			isFact := func(m record.Measurement) bool { return m.Kind == record.Fact }
			if id, isAlone := rec.Execution.RuntimeAlone(); isAlone && id != "" && !known[id] && slices.ContainsFunc(rec.Measurements, isFact) {
				known[strings.Clone(id)] = true
			}
		}
	}
	for _, name := range d.question.Runtimes {
		if !known[name] {
			return &AbsentError{"runtime", name, spelling.Similar(name, slices.Sorted(maps.Keys(known)))}
		}
	}
	return nil
}
