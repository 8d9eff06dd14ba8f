package rank_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

const (
	asOf   = "2026-06-01T00:00:00.000Z"
	before = "2026-05-31T23:59:59.999Z"
	after  = "2026-06-01T00:00:00.001Z"
)

// JSON of what the tests are made of.
const (
	modelM   = `{"id":"m","revision":null,"quantization":null}`
	profileP = `{"runtime":{"id":"rt","version":"1"},"adapter":null,"effectiveContextTokens":8192,"toolSurface":["edit","shell"],"hardware":null,"workflow":null}`
)

// exact makes an execution scope that holds for one profile.
func exact(profile string) string { return `{"kind":"exact",` + profile[1:] }

// partial makes an execution scope that asserts a runtime and one other member.
func partial(runtime, name, value string) string {
	members := map[string]string{"adapter": "null", "effectiveContextTokens": "null", "toolSurface": "null", "hardware": "null", "workflow": "null"}
	if name != "" {
		members[name] = value
	}
	scope := `{"kind":"partial","runtime":` + runtime
	for name, value := range members {
		scope += `,"` + name + `":` + value
	}
	return scope + `}`
}

// observed is an observation to be written; what is left out has the default
// that says least: a declaration for every execution and task.
type observed struct {
	evidence     string // an id, or several with spaces between
	model        string
	execution    string
	task         string // family or family/suite
	measurements string // the items of the list
	outcome      string // makes it an evaluation
	source       string
	validUntil   string
	level        string
	basis, gaps  string // the items of the list
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// json writes the observation. The evidence, if it differs, makes its id differ.
func (o observed) json() string {
	kind, outcome := "declaration", "null"
	if o.outcome != "" {
		kind, outcome = "evaluation", `{"status":"`+o.outcome+`","reason":null}`
	}
	task := "null"
	if o.task != "" {
		family, suite, has := strings.Cut(o.task, "/")
		suiteJSON := "null"
		if has {
			suiteJSON = quote(suite)
		}
		task = `{"family":` + quote(family) + `,"suite":` + suiteJSON + `,"taskId":null,"evaluator":{"id":"e","version":null}}`
	}
	validUntil := "null"
	if o.validUntil != "" {
		validUntil = quote(o.validUntil)
	}
	var evidence []string
	for _, id := range strings.Fields(o.evidence) {
		evidence = append(evidence, `{"id":`+quote(id)+`,"kind":"log","uri":null,"digest":null,"observedAt":"2026-01-01T00:00:00.000Z"}`)
	}
	return `{"schemaVersion":"service.observation/v2","kind":"` + kind + `","model":` + or(o.model, modelM) +
		`,"execution":` + or(o.execution, "null") + `,"task":` + task + `,"measurements":[` + o.measurements +
		`],"outcome":` + outcome + `,"usage":null,"sourceClass":"` + or(o.source, "first-party") +
		`","evidence":[` + strings.Join(evidence, ",") + `],"freshness":{"observedAt":"2026-01-01T00:00:00.000Z","validUntil":` + validUntil +
		`},"uncertainty":{"level":"` + or(o.level, "low") + `","basis":[` + or(o.basis, `"b"`) + `],"gaps":[` + o.gaps + `]}}`
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// sample makes a measurement of key k; unit is left out if it is empty.
func sample(value, unit string) string { return measure("sample", value, unit) }

// fact makes a measurement of key k; unit is left out if it is empty.
func fact(value, unit string) string { return measure("fact", value, unit) }

func measure(kind, value, unit string) string {
	if unit != "" {
		unit = `,"unit":` + quote(unit)
	}
	return `{"key":"k","kind":"` + kind + `","value":` + value + unit + `}`
}

// numbered gives observations without evidence one of their own, and writes all.
func numbered(all ...observed) []string {
	docs := make([]string, len(all))
	for i, o := range all {
		o.evidence = or(o.evidence, fmt.Sprintf("e%d", i))
		docs[i] = o.json()
	}
	return docs
}

// samples makes one observation for each value.
func samples(values ...string) []observed {
	all := make([]observed, len(values))
	for i, v := range values {
		all[i] = observed{measurements: sample(v, "")}
	}
	return all
}

// asked is a request to be written; what is left out has a default.
type asked struct {
	version      int    // or else 2
	family       string // or else f
	suite        string // or else null
	inventory    string // the items of the list, or else one candidate c, model m, profile P
	requirements string // the items of the list
	preferences  string
	advisories   string
}

func (a asked) json() string {
	if a.version == 0 {
		a.version = 2
	}
	suite := "null"
	if a.suite != "" {
		suite = quote(a.suite)
	}
	text := fmt.Sprintf(`{"schemaVersion":"service.rank.request/v%d","task":{"family":%s,"suite":%s},"inventory":[%s],"requirements":[%s],"preferences":[%s]`,
		a.version, quote(or(a.family, "f")), suite, or(a.inventory, launch("c", modelM, profileP)), a.requirements, a.preferences)
	if a.version == 2 {
		text += `,"advisories":[` + a.advisories + `]`
	}
	return text + `}`
}

// launch makes a candidate.
func launch(id, model, profile string) string {
	return `{"id":` + quote(id) + `,"model":` + model + `,"execution":` + profile + `}`
}

func compile(t testing.TB, docs ...string) *catalog.Catalog {
	t.Helper()
	return mustCompile(t, asOf, docs...)
}

func newRanker(t testing.TB, c *catalog.Catalog) *v3.Ranker {
	t.Helper()
	k, err := v3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// The parts of a result that tests look at.
type (
	resultJSON struct {
		SchemaVersion    string
		Catalog          struct{ Digest, AsOf string }
		ScoreScale       struct{ Maximum float64 }
		Ranked, Excluded []candidateJSON
	}
	candidateJSON struct {
		CandidateID string
		Rank        int
		Score       *float64
		Reasons     []reasonJSON
		Evidence    []evidenceJSON
		Uncertainty uncertaintyJSON
		Advisories  []advisoryJSON
	}
	reasonJSON struct {
		Code, MeasurementKey, Summary string
		Actual, Expected              any
		Contribution                  *float64
		ExecutionApplicability        *applicabilityJSON
	}
	evidenceJSON struct {
		MeasurementKey              string
		ObservationIDs, EvidenceIDs []string
	}
	uncertaintyJSON struct {
		Level       string
		Basis, Gaps []string
	}
	advisoryJSON struct {
		ID, Status             string
		Value                  any
		Unit                   *string
		Evidence               evidenceJSON
		Uncertainty            uncertaintyJSON
		ExecutionApplicability applicabilityJSON
	}
	applicabilityJSON struct {
		MatchedKinds, AssertedDimensions, WildcardedDimensions, MismatchedDimensions []string
	}
)

// judge ranks a request against observations and decodes the result.
func judge(t *testing.T, docs []string, a asked) (out resultJSON) {
	t.Helper()
	text := mustJSON(t, mustRank(t, newRanker(t, compile(t, docs...)), a.json()))
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return out
}

// advise evaluates one criterion for one candidate. An advisory shows all that
// came of it.
func advise(t *testing.T, docs []string, aggregation, sourceClasses string) advisoryJSON {
	t.Helper()
	return judge(t, docs, asked{advisories: criterionJSON(`"id":"a",`, aggregation, sourceClasses)}).Ranked[0].Advisories[0]
}

// criterionJSON makes a criterion about key k; members come before its own.
func criterionJSON(members, aggregation, sourceClasses string) string {
	if sourceClasses != "" {
		sourceClasses = `,"sourceClasses":` + sourceClasses
	}
	return `{` + members + `"measurementKey":"k","aggregation":"` + aggregation + `"` + sourceClasses + `}`
}

// require and prefer make criteria about key k.
func require(aggregation, operator, value string) string {
	return criterionJSON(`"operator":"`+operator+`","value":`+value+`,`, aggregation, "")
}

func prefer(aggregation, direction, weight string) string {
	return criterionJSON(`"direction":"`+direction+`","weight":`+weight+`,`, aggregation, "")
}

// faults returns the faults of a request.
func faults(t testing.TB, request string) problem.List {
	t.Helper()
	_, err := rank.ReadRequest(problem.Source{Name: "request.json", Text: request})
	return problem.All(err)
}
