package schemas_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/aider"
	"github.com/model-catalog-service/svc/internal/sources/identity"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/internal/sources/settle"
)

// These are the documents of the formats of sources.

func manifests(t *testing.T) []doc { return filesOf(t, "internal/sources/manifest.json") }

// manifestSeeds are manifests of a source that has artifacts and of one that has
// none.
func manifestSeeds(t *testing.T) (docs []doc) {
	m, err := sources.PackagedManifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"livebench", "openrouter-models"} {
		docs = append(docs, doc{id, `{"schemaVersion":"service.approved-source-manifest/v1","sources":[` + m.Source(id).JSON() + `]}`})
	}
	return docs
}

func envelopes(t *testing.T) []doc { return filesOf(t, "examples/sources/*/*.snapshot.json") }

func envelopeSeeds(t *testing.T) (docs []doc) {
	m, err := sources.PackagedManifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		source string
		sources.Download
	}{
		{"livebench", sources.Download{URL: "https://livebench.ai/", Redirects: []string{"https://livebench.ai/index.html"}, ETag: `"x"`}},
		{"openrouter-models", sources.Download{URL: "https://openrouter.ai/api/v1/models"}},
		{"lm-eval", sources.Download{URL: "urn:lm-eval:run/1"}},
	} {
		f.FetchedAt = "2026-10-01T00:00:00.000Z"
		e, err := sources.Pin(f.source, f.Download, problem.Source{Text: "body"}, m)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, doc{f.source, string(e.JSON())})
	}
	return docs
}

// sealEnvelope makes the reference bind what the envelope says.
func sealEnvelope(document any) {
	e, ok := document.(map[string]any)
	if !ok {
		return
	}
	text := func(name string) string { s, _ := e[name].(string); return s }
	reference := text("reference")
	before, _, ok := strings.Cut(reference, "&snapshotSha256=")
	if !ok || !strings.HasPrefix(reference, "service-snapshot:"+text("sourceId")+"?") {
		return // it is itself what was mutated
	}
	delete(e, "reference")
	e["reference"] = before + "&snapshotSha256=" + sumOf(e)
}

// sumOf is the SHA-256 of the canonical JSON of a document.
func sumOf(document any) string {
	text, err := json.Marshal(document)
	if err != nil {
		return ""
	}
	return canonical.Sum(ijson.NewReader(string(text), problem.InvalidJSON).AppendCanonical(nil))
}

// proposals are made here, as those of the discovery need pages to be found on.
func proposals(t *testing.T) []doc {
	const (
		hash   = "0000000000000000000000000000000000000000000000000000000000000001"
		origin = `{"reference":"service-snapshot:livebench?url=u&sha256=` + hash + `&fetchedAt=f&snapshotSha256=` + hash + `","sha256":"` + hash + `","sourceId":"livebench","url":"https://livebench.ai/"}`
	)
	text := `{"schemaVersion":"service.source-revision-proposal/v1","id":"` + hash + `","sourceId":"livebench","manifestDigest":"` + hash + `",
		"resolver":{"adapter":"livebench","version":"1"},"entrypoint":` + origin + `,"bundle":` + origin + `,
		"revisions":["2024-02-29","2026-01-08"],"currentRevision":"2026-01-08",
		"artifacts":[{"id":"categories","required":true,"sourceId":"livebench-2026-01-08-categories","url":"https://livebench.ai/c.json","mediaType":"application/json","maxBytes":1},
			{"id":"table","required":false,"sourceId":"livebench-2026-01-08-table","url":"https://livebench.ai/t.csv","mediaType":"text/csv","maxBytes":2}]}`
	p := document(t, text)
	sealProposal(p)
	return []doc{{"proposal", written(t, p)}}
}

func proposalDocuments(t *testing.T) []doc {
	right := proposals(t)[0]
	return []doc{right, {"of another time", strings.Replace(right.text, "2024-02-29", "2024-03-01", 1)}}
}

// sealProposal makes the id that of the rest.
func sealProposal(document any) {
	p, ok := document.(map[string]any)
	if !ok {
		return
	}
	if id, _ := p["id"].(string); canonical.IsHash(id) {
		delete(p, "id")
		p["id"] = sumOf(p)
	}
}

func acquisitions(t *testing.T) []doc {
	m, err := sources.PackagedManifest()
	if err != nil {
		t.Fatal(err)
	}
	const file = "polyglot_leaderboard.yml"
	read := func(name string) problem.Source {
		return problem.Source{Name: name, Text: readFile(t, "examples", "sources", "aider", name)}
	}
	result, err := aider.New().Import(sources.Request{
		Manifest:  m,
		Snapshots: []sources.File{{Body: read(file), Envelope: read(file + sources.EnvelopeSuffix)}},
		Mapping:   read("mapping.json"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return []doc{{"aider", string(result.Acquisition.JSON())}}
}

func rulings(t *testing.T) []doc {
	return append(filesOf(t, "examples/models/rulings.json"), doc{"full", `{"schemaVersion":"service.source-rulings/v1","rulings":[{"model":"acme/atlas","runtime":"openrouter","key":"price.input",
		"source":"openrouter-models","validUntil":"2027-01-01T00:00:00.000Z","reason":"their own list"}]}`})
}

// What commands write, and mappings, are as their schemas say. What the
// schema refuses of a mapping the code refuses, too.
func TestDocumentsOfSources(t *testing.T) {
	for name, text := range map[string]string{
		"entries": `"source":"livebench","defaults":{"runtime":"livebench","validUntil":"2027-01-01T00:00:00.000Z"},"entries":{
			"a":{"model":"acme/atlas","workflowCondition":"effort=high","decidedBy":{"person":"ann"}},"b":null,"c":{"none":"nobody knows"},
			"d":{"model":{"id":"m","revision":"r","quantization":null},"decidedBy":{"rule":"name/1","crosswalk":"models-dev","entry":"m"}}}`,
		"nothing": `"source":"openrouter-models","identity":"offer/v1","defaults":{},"entries":{}`,
	} {
		text = `{"schemaVersion":"service.source-mapping/v2",` + text + "}"
		if err := checkMapping(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		schema := compile(t, "mapping")
		if err := schema.Validate(document(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for from, to := range map[string]string{`"entries":`: `"entry":`, "livebench": "nobody", "offer/v1": "offer/v0", `"person"`: `"somebody"`, "nobody knows": " ", `"acme/atlas"`: `1`} {
			wrong := strings.Replace(text, from, to, 1)
			if byCode, bySchema := checkMapping(wrong), schema.Validate(document(t, wrong)); wrong != text && (byCode == nil || bySchema == nil) {
				t.Errorf("%s with %s: the code says %v, the schema %v", name, to, byCode, bySchema)
			}
		}
	}

	// Entries are checked strictly, by source.
	schema := compile(t, "mapping")
	for _, d := range slices.Concat(filesOf(t, "examples/*/mappings/*.json"), filesOf(t, "examples/sources/*/mapping.json")) {
		if byCode, bySchema := checkMapping(d.text), schema.Validate(document(t, d.text)); byCode != nil || bySchema != nil {
			t.Errorf("%s: the code says %v, the schema %v", d.name, byCode, bySchema)
		}
	}
	tooMany := strings.Repeat(`,"%d":null`, sources.MaxRows+1)[1:]
	numbers := make([]any, sources.MaxRows+1)
	for i := range numbers {
		numbers[i] = i
	}
	for _, wrong := range []struct{ source, rest string }{
		{"livebench", `"entries":{` + fmt.Sprintf(tooMany, numbers...) + `}`},
		{"livebench", `"identity":"offer/v1","entries":{}`},
		{"livebench", `"defaults":null,"entries":{}`},
		{"livebench", `"defaults":{"model":"m"},"entries":{}`},
		{"livebench", `"defaults":{"none":"x"},"entries":{}`},
		{"livebench", `"entries":{"a":{"runtime":"r","validUntil":"2027-01-01T00:00:00.000Z"}}`},
		{"livebench", `"entries":{"a":{"model":"m","runtime":"r","validUntil":null}}`},
		{"livebench", `"entries":{"a":{"model":"m","runtime":"r","validUntil":"2027-01-01T00:00:00.000Z","families":{}}}`},
		{"lm-eval", `"defaults":{"workflowCondition":"x=y"},"entries":{}`},
		{"models-dev", `"entries":{"a":{"model":"m","runtime":"r"}}`},
		{"models-dev", `"defaults":{"runtime":"r"},"entries":{}`},
		{"models-dev", `"entries":{"a":{"model":"m","none":"x"}}`},
		{"models-dev", `"entries":{"a":{"none":"x","validUntil":"2027-01-01T00:00:00.000Z"}}`},
		{"models-dev", `"entries":{"a":{"model":"m","decidedBy":{}}}`},
		{"models-dev", `"entries":{"a":{"model":"m","decidedBy":{"rule":"r","entry":"e"}}}`},
		{"models-dev", `"entries":{"a":{"model":"m","decidedBy":{"person":"p","rule":"r","entry":"e","crosswalk":"c"}}}`},
		{"models-dev", `"entries":{"a":{"model":{"id":"m"}}}`},
		{"models-dev", `"entries":{"a":"m"}`},
	} {
		text := `{"schemaVersion":"service.source-mapping/v2","source":"` + wrong.source + `",` + wrong.rest + `}`
		if byCode, bySchema := checkMapping(text), schema.Validate(document(t, text)); byCode == nil || bySchema == nil {
			t.Errorf("%.300s: the code says %v, the schema %v", text, byCode, bySchema)
		}
	}

	fact := func(source, value string) string {
		o := document(t, partialDeclaration).(map[string]any)
		o["evidence"].([]any)[0].(map[string]any)["id"] = source + ":list"
		o["measurements"].([]any)[0].(map[string]any)["value"] = json.Number(value)
		return written(t, o)
	}
	c := compiled(t, "2027-01-01T00:00:00.000Z", fact("one", "1"), fact("other", "2"))
	report, leftOut := settle.Settle(c, settle.Decisions{Prefer: []string{"one"}, Rulings: []settle.Ruling{{
		Model: "x", Runtime: "x", Key: "x", Source: "x", ValidUntil: "2027-01-01T00:00:00.000Z", Reason: "x"}}})
	if len(report.Contradictions) != 1 || len(report.LeftOut) != 1 || len(leftOut) != 1 || len(report.WithoutEffect) != 1 {
		t.Errorf("the report lacks a part: %s", report.JSON())
	}
	if err := compile(t, "contradictions").Validate(document(t, string(report.JSON()))); err != nil {
		t.Errorf("%v\n%s", err, report.JSON())
	}

	rules, err := resolver.New()
	if err != nil {
		t.Fatal(err)
	}
	crosswalk, err := identity.FromOpenRouter(`{"data":[{"id":"acme/atlas-70b","canonical_slug":"acme/atlas-70b","hugging_face_id":""}]}`)
	if err != nil {
		t.Fatal(err)
	}
	proposals := identity.Propose("livebench", []sources.Label{{Row: "atlas-70b", Label: "atlas-70b"}, {Row: "x", Label: "x"}}, []*identity.Crosswalk{crosswalk}, rules)
	if len(proposals.Proposals) != 1 || len(proposals.Open) != 1 {
		t.Errorf("the proposals lack a part: %s", proposals.JSON())
	}
	if err := compile(t, "identity-proposals").Validate(document(t, string(proposals.JSON()))); err != nil {
		t.Errorf("%v\n%s", err, proposals.JSON())
	}

	offers := identity.NewOffers(rules)
	offers.Add("models-dev", []sources.Label{{Row: "a/b", Label: "claude-sonnet-4:batch", Runtime: "a"}, {Row: "openrouter/auto", Label: "openrouter/auto", Runtime: "openrouter"}})
	identities := string(ijson.MustWriteTagged(offers.Identities()))
	if err := compile(t, "offer-identities").Validate(document(t, identities)); err != nil {
		t.Errorf("%v\n%s", err, identities)
	}
}
