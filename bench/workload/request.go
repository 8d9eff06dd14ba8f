package workload

import (
	"io"
	"strconv"
)

// RequestConfig says what a rank request asks for.
type RequestConfig struct {
	Candidates int // models 0, 1, 2 and so on, each in a profile that was evaluated
	Criteria   int // every other one a preference, the rest requirements
	Advisories int // with any, the request is of version 2
}

// Request writes a rank request for a catalog of [Observations]. Its criteria
// ask for what was measured there, so that every candidate meets evidence.
func Request(w io.Writer, c RequestConfig) error {
	g := newGenerator()
	version := 1
	if c.Advisories > 0 {
		version = 2
	}
	g.raw(`{"schemaVersion":"service.rank.request/v`)
	g.int(version)
	g.raw(`","task":{"family":`)
	g.text(families[0].name)
	g.raw(`,"suite":null},"inventory":[`)
	g.list(c.Candidates, (*generator).candidate)
	g.raw(`],"requirements":[`)
	g.list(c.Criteria/2, (*generator).requirement)
	g.raw(`],"preferences":[`)
	g.list(c.Criteria-c.Criteria/2, (*generator).preference)
	if version == 2 {
		g.raw(`],"advisories":[`)
		g.list(c.Advisories, (*generator).advisory)
	}
	g.raw("]}\n")
	_, err := w.Write(g.buf)
	return err
}

// list appends n items.
func (g *generator) list(n int, item func(g *generator, i int)) {
	for i := range n {
		if i > 0 {
			g.raw(`,`)
		}
		item(g, i)
	}
}

func (g *generator) candidate(i int) {
	g.raw(`{"id":"candidate-`)
	g.digits(i, 3)
	g.raw(`","model":`)
	g.model(i % Models)
	g.raw(`,"execution":{`)
	g.profile(i%Models, i%profilesPerModel, 0)
	g.raw(`}}`)
}

// criterion is something that can be asked of the observations.
type criterion struct{ key, aggregation, direction string }

var criteria = []criterion{
	{keyPass, "success-rate", "maximize"},
	{keyScore, "mean", "maximize"},
	{keyLatency, "mean", "minimize"},
	{keyCost, "max", "minimize"},
	{keyPass, "count", "maximize"},
	{keyLatency, "min", "minimize"},
	{keyPriceInput, "fact", "minimize"},
	{keyContextWindow, "fact", "maximize"},
}

func (g *generator) criterion(i int) {
	c := &criteria[i%len(criteria)]
	g.raw(`"measurementKey":"` + c.key + `","aggregation":"` + c.aggregation + `"`)
}

// requirement appends a requirement that any number meets, no two alike.
func (g *generator) requirement(i int) {
	g.raw(`{`)
	g.criterion(i)
	g.raw(`,"operator":"gte","value":`)
	g.int(-i)
	g.raw(`}`)
}

// preference appends a preference, no two alike.
func (g *generator) preference(i int) {
	g.raw(`{`)
	g.criterion(i)
	g.raw(`,"direction":"` + criteria[i%len(criteria)].direction + `","weight":`)
	g.raw(strconv.Itoa(i + 1))
	g.raw(`}`)
}

func (g *generator) advisory(i int) {
	g.raw(`{"id":"advisory-`)
	g.digits(i, 3)
	g.raw(`",`)
	g.criterion(i)
	g.raw(`}`)
}
