package workload

import "time"

// profilesPerModel is how many ways there are to run one model.
const profilesPerModel = 3

// evaluation appends the n-th observation as an evaluation.
func (g *generator) evaluation(n int) {
	model, variant := g.rng.IntN(Models), g.rng.IntN(profilesPerModel)
	fam := &families[g.rng.IntN(len(families))]
	suite := g.rng.IntN(len(fam.suites))
	at := g.instant(350)

	g.raw(`{"schemaVersion":"service.observation/v2","kind":"evaluation","model":`)
	g.model(model)
	g.raw(`,"execution":{"kind":"exact",`)
	g.profile(model, variant, g.rng.IntN(len(tools)))
	g.raw(`},"task":{"family":`)
	g.text(fam.name)
	g.raw(`,"suite":`)
	g.text(fam.suites[suite])
	g.raw(`,"taskId":`)
	g.taskID(fam.suites[suite])
	g.raw(`,"evaluator":{"id":`)
	g.text(fam.evaluator)
	g.raw(`,"version":"2.`)
	g.int(suite)
	g.raw(`"}},"measurements":[`)
	g.samples(model)
	g.raw(`,{"key":"` + keySuiteTasks + `","kind":"fact","value":`)
	g.fact(150 + 50*suite)
	g.raw(`,"unit":"tasks"}],"outcome":`)
	g.outcome()
	g.raw(`,"usage":`)
	g.usage()
	g.raw(`,"sourceClass":`)
	g.sourceClass()
	g.provenance(n, g.pieces(), at)
}

// declaration appends the n-th observation as a declaration.
func (g *generator) declaration(n int) {
	model := g.rng.IntN(Models)
	at := g.instant(350)
	g.raw(`{"schemaVersion":"service.observation/v2","kind":"declaration","model":`)
	g.model(model)
	g.raw(`,"execution":`)
	if g.oneIn(3) {
		g.raw(`{"kind":"partial","runtime":{"id":`)
		g.text(runtimes[model%len(runtimes)])
		g.raw(
			`,"version":null},"adapter":null,"effectiveContextTokens":null,"toolSurface":null,"hardware":null,"workflow":null}`)
	} else {
		g.raw(`null`)
	}
	g.raw(`,"task":null,"measurements":[{"key":"` + keyPriceInput + `","kind":"fact","value":`)
	g.fact(model%12 + 1)
	g.raw(`,"unit":"USD per million tokens"},{"key":"` + keyContextWindow + `","kind":"fact","value":`)
	g.fact(8192 << (model % 5))
	g.raw(`,"unit":"tokens"},`)
	if g.oneIn(2) {
		g.raw(`{"key":"` + keyTools + `","kind":"fact","value":`)
		g.bool(model%3 > 0)
	} else {
		g.raw(`{"key":"` + keyLicense + `","kind":"fact","value":`)
		g.text(licenses[model%len(licenses)])
	}
	g.raw(`}],"outcome":null,"usage":null,"sourceClass":`)
	g.sourceClass()
	g.provenance(n, g.pieces(), at)
}

// model appends the identity of a model, numbered from 0.
func (g *generator) model(number int) {
	vendor, size := vendors[number%len(vendors)], sizes[number/len(vendors)%len(sizes)]
	variant := "instruct"
	if number >= Models/2 {
		variant = "chat"
	}
	g.raw(`{"id":"` + vendor + `/` + vendor + `-` + size + `-` + variant + `","revision":`)
	if number%3 == 0 {
		g.raw(`null`)
	} else {
		g.raw(`"2026-0`)
		g.int(1 + number%9)
		g.raw(`-15"`)
	}
	g.raw(`,"quantization":`)
	g.textOrNull(quantizations[number%len(quantizations)])
	g.raw(`}`)
}

// profile appends the members of one of a model's profiles. Its tools begin
// with any of theirs.
func (g *generator) profile(model, variant, firstTool int) {
	p := model + variant
	g.raw(`"runtime":{"id":`)
	g.text(runtimes[p%len(runtimes)])
	g.raw(`,"version":"0.`)
	g.int(10 + variant)
	g.raw(`.2"},"adapter":`)
	if id := adapters[p/2%len(adapters)]; id == "" {
		g.raw(`null`)
	} else {
		g.raw(`{"id":"` + id + `","version":"1.4.0"}`)
	}
	g.raw(`,"effectiveContextTokens":`)
	g.int(32768 << variant)
	g.raw(`,"toolSurface":[`)
	for k, count := 0, 2+p%3; k < count; k++ {
		if k > 0 {
			g.raw(`,`)
		}
		g.text(tools[(firstTool+k)%count])
	}
	g.raw(`],"hardware":`)
	if class := machines[p%len(machines)]; class == "" {
		g.raw(`null`)
	} else {
		g.raw(`{"class":"` + class + `","accelerator":`)
		g.textOrNull(accelerators[p/3%len(accelerators)])
		g.raw(`,"memoryBytes":85899345920}`)
	}
	g.raw(`,"workflow":`)
	if id := workflows[p/5%len(workflows)]; id == "" {
		g.raw(`null`)
	} else {
		g.raw(`{"id":"` + id + `","version":"3.1","condition":`)
		g.textOrNull(conditions[p%len(conditions)])
		g.raw(`}`)
	}
}

// taskID appends a task of the suite, or null for the suite as a whole.
func (g *generator) taskID(suite string) {
	if g.oneIn(4) {
		g.raw(`null`)
		return
	}
	g.raw(`"` + suite + `/`)
	g.digits(g.rng.IntN(200), 4)
	g.raw(`"`)
}

// samples appends two measurements. Models with higher numbers do better.
func (g *generator) samples(model int) {
	pass := g.rng.IntN(Models) <= model
	second := g.rng.IntN(3)
	if second > 0 {
		g.pass(pass)
		g.raw(`,`)
	}
	switch second {
	case 0:
		g.raw(`{"key":"` + keyScore + `","kind":"sample","value":`)
		of := 20 + g.rng.IntN(200)
		g.float(float64(g.rng.IntN(of+1)) / float64(of))
		g.raw(`},`)
		g.pass(pass)
	case 1:
		g.raw(`{"key":"` + keyLatency + `","kind":"sample","value":`)
		g.int(800 + g.rng.IntN(90_000))
		g.raw(`,"unit":"ms"}`)
	default:
		g.raw(`{"key":"` + keyCost + `","kind":"sample","value":`)
		g.float(float64(1+g.rng.IntN(50_000)) / 100_000)
		g.raw(`,"unit":"USD"}`)
	}
}

func (g *generator) pass(pass bool) {
	g.raw(`{"key":"` + keyPass + `","kind":"sample","value":`)
	g.bool(pass)
	g.raw(`}`)
}

// fact appends a value on which nearly all sources agree.
func (g *generator) fact(agreed int) {
	if g.oneIn(200) {
		agreed++
	}
	g.int(agreed)
}

func (g *generator) outcome() {
	switch g.rng.IntN(8) {
	case 0, 1:
		g.raw(`{"status":"rejected","reason":`)
	case 2:
		g.raw(`{"status":"invalid","reason":`)
	default:
		g.raw(`{"status":"accepted","reason":`)
	}
	if g.oneIn(50) {
		g.text(g.pick(escapedReasons))
	} else {
		g.textOrNull(g.pick(reasons))
	}
	g.raw(`}`)
}

func (g *generator) usage() {
	if g.oneIn(4) {
		g.raw(`null`)
		return
	}
	in, out, thought := 500+g.rng.IntN(60_000), 50+g.rng.IntN(8_000), g.rng.IntN(20_000)
	g.raw(`{"inputTokens":`)
	g.int(in)
	g.raw(`,"outputTokens":`)
	g.int(out)
	g.raw(`,"reasoningTokens":`)
	g.int(thought)
	g.raw(`,"totalTokens":`)
	g.int(in + out + thought)
	g.raw(`,"completeness":"complete","modelCalls":`)
	g.int(1 + g.rng.IntN(40))
	g.raw(`,"wallTimeMs":`)
	g.int(800 + g.rng.IntN(600_000))
	g.raw(`}`)
}

func (g *generator) sourceClass() {
	if g.oneIn(3) {
		g.raw(`"external"`)
	} else {
		g.raw(`"first-party"`)
	}
}

// pieces returns how many pieces of evidence an observation has.
func (g *generator) pieces() int {
	if g.oneIn(6) {
		return 2 + g.rng.IntN(2)
	}
	return 1
}

// provenance appends evidence, freshness and uncertainty, and ends the
// observation. The first evidence carries the observation's number, which makes
// it differ from all others.
func (g *generator) provenance(n, pieces int, at time.Time) {
	g.raw(`,"evidence":[`)
	for k := range pieces {
		if k > 0 {
			g.raw(`,`)
		}
		g.raw(`{"id":"run-`)
		g.digits(n, 8)
		g.raw(`-part-`)
		g.int(pieces - k)
		g.raw(`","kind":`)
		g.text(g.pick(evidenceKinds))
		g.raw(`,"uri":`)
		if g.oneIn(8) {
			g.raw(`null`)
		} else {
			g.raw(`"https://results.example.org/runs/`)
			g.digits(n/1000, 5)
			g.raw(`/`)
			g.digits(n%1000, 3)
			g.raw(`/part-`)
			g.int(pieces - k)
			g.raw(`.jsonl"`)
		}
		g.raw(`,"digest":{"algorithm":"sha256","value":"`)
		g.hash()
		g.raw(`"},"observedAt":`)
		g.timestamp(at)
		g.raw(`}`)
	}
	g.raw(`],"freshness":{"observedAt":`)
	g.timestamp(at)
	g.raw(`,"validUntil":`)
	if g.oneIn(3) {
		g.raw(`null`)
	} else {
		g.timestamp(at.AddDate(0, 3+g.rng.IntN(12), 0))
	}
	g.raw(`},"uncertainty":{"level":`)
	g.text(g.pick([]string{"low", "moderate", "high", "unknown"}))
	g.raw(`,"basis":`)
	g.pickSome(1+g.rng.IntN(2), bases)
	g.raw(`,"gaps":`)
	g.pickSome(g.rng.IntN(3), gaps)
	g.raw(`}}`)
}

// contradiction appends the n-th declaration of one and the same fact. All of
// them are in force in April 2026.
func (g *generator) contradiction(n int) {
	g.raw(`{"schemaVersion":"service.observation/v2","kind":"declaration","model":`)
	g.model(0)
	g.raw(`,"execution":{"kind":"exact",`)
	g.profile(0, 0, 0)
	g.raw(`},"task":{"family":"code-repair","suite":null,"taskId":null,"evaluator":{"id":"hidden-test-runner",` +
		`"version":null}}` +
		`,"measurements":[{"key":"` + keyContextWindow + `","kind":"fact","value":`)
	g.int(n)
	g.raw(`}],"outcome":null,"usage":null,"sourceClass":"external"`)
	at := g.instant(120)
	g.raw(`,"evidence":[{"id":"claim-`)
	g.digits(n, 8)
	g.raw(`","kind":"structured-row","uri":null,"digest":null,"observedAt":`)
	g.timestamp(at)
	g.raw(`}],"freshness":{"observedAt":`)
	g.timestamp(at)
	g.raw(`,"validUntil":`)
	g.timestamp(at.AddDate(0, 0, 160+g.rng.IntN(100)))
	g.raw(`},"uncertainty":{"level":"unknown","basis":["published table, row read by hand"],"gaps":[]}}`)
}
