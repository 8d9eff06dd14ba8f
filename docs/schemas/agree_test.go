package schemas_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/model-catalog-service/svc/docs/schemas"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// What is compared here are documents that are JSON. What makes a text no I-JSON
// is below all schemas: names that repeat, integers that binary64 cannot hold,
// depth, and how many bytes a file may have.

// rule is a rule of the code that no schema can tell: by the schema, the reason
// that the code gives and why.
type rule struct {
	schema string
	reason string // a regular expression
	why    string
}

func beyondSchemas() []rule {
	return []rule{
		{"observation", `^must hold each key once of each kind: `, "uniqueItems compares whole items, not two members of them"},
		{"observation", `^must hold each id once: `, "uniqueItems compares whole items"},
		{"observation", `^must be later than observedAt, `, "no keyword compares two values"},

		{"catalog", `^must hold each key once of each kind: `, "uniqueItems compares whole items, not two members of them"},
		{"catalog", `^must hold each id once: `, "uniqueItems compares whole items"},
		{"catalog", `^must be later than observedAt, `, "no keyword compares two values"},
		{"catalog", `^is after asOf, `, "no keyword compares two values"},
		{"catalog", `^must be [0-9a-f]{64}, the hash of `, "no keyword hashes"},
		{"catalog", `^its lists must be in normal order$`, "no keyword sorts"},
		{"catalog", `must be sorted by (id|key), each once$`, "no keyword sorts"},
		{"catalog", `^must be the identity of the model that it stands under$`, "no keyword compares two values"},
		{"catalog", `^must also hold the conflict |^is not a conflict of |^is not the conflict `, "no keyword compiles observations"},

		{"rank-request", `^must be at most 256 bytes of UTF-8, `, "maxLength counts characters"},
		{"rank-request", `^must hold each id once: `, "uniqueItems compares whole items"},
		{"rank-request", `^must hold each (requirement|preference) once: `, "sourceClasses in another order are the same ones"},
		{"rank-request", `^candidates times requirements and preferences must be at most 2048, `, "no keyword multiplies"},
		{"rank-request", `^candidates times advisories must be at most 1024, `, "no keyword multiplies"},
		{"rank-request", `^weights must add up to a finite number$`, "no keyword adds"},

		{"rank-result", `^must be [0-9]+, its place in the list$`, "no keyword knows the place of an item"},

		{"rank-request-v3", `^must be at most 256 bytes of UTF-8, `, "maxLength counts characters"},
		{"rank-request-v3", `^must be given, since [a-zA-Z]+:<measurementKey> has `, "no keyword counts what is left out"},
		{"rank-request-v3", `^must hold each id once: `, "uniqueItems compares whole items"},
		{"rank-request-v3", `^must hold each key once: `, "uniqueItems compares whole items"},
		{"rank-request-v3", `^must be by the id of a tie breaker`, "no keyword compares members of different objects"},
		{"rank-request-v3", `^low must be above zero on a logarithmic scale$`, "no keyword compares two numbers"},
		{"rank-request-v3", `^(needs bounds|must have one of trials)`, "members of different objects"},
		{"rank-request-v3", `^must be left out beside a criterion with the id`, "members of different objects"},
		{"rank-request-v3", `^needs a tie breaker or a cost to choose by$`, "members of different objects"},
		{"keys", `^must hold each key once: `, "uniqueItems compares whole items"},
		{"keys", `^low must be below high$`, "no keyword compares two numbers"},
		{"keys", `^(needs bounds|must have one of trials)`, "members of different objects"},
		{"rank-request-v3", `^must hold no id that was given to another criterion: `, "uniqueItems compares whole items of one list"},
		{"rank-request-v3", `^low must be below high$`, "no keyword compares two values"},
		{"rank-request-v3", `^weights must add up to a finite number$`, "no keyword adds"},

		{"rank-question", `^must be a number, such as 200000, or a text such as "5/M"`, "no keyword reads a number with its unit"},
		{"rank-question", `^must be a share from 0 to 1, or a text such as 5%$`, "no keyword reads a number with its unit"},
		{"rank-question", `^must be a number from 0\.5 to 0\.9999, or a text such as 95%$`, "no keyword reads a number with its unit"},
		{"rank-result-v3", `^must be [0-9]+, its place in the list$`, "no keyword knows the place of an item"},
		{"catalog-diff", `^must be sorted, each kind once$`, "no keyword sorts"},

		{"approved-source-manifest", unapproved, "the registry is not in the file"},
		{"approved-source-manifest", `^must hold each id once: `, "uniqueItems compares whole items"},
		{"approved-source-manifest", `^must be at least refreshIntervalHours, `, "no keyword compares two values"},
		{"approved-source-manifest", `^must be on the origin `, "no keyword compares two values"},

		{"snapshot-envelope", `^is a URL of no approved source$`, "the manifest is not in the file"},
		{"snapshot-envelope", `^must be \S+, which \S+ is$`, "the manifest is not in the file"},
		{"snapshot-envelope", `^must be [a-z/]+( or [a-z/]+)?$`, "the manifest is not in the file"},
		{"snapshot-envelope", `^is [0-9]+, at most [0-9]+ are approved$`, "the manifest is not in the file"},
		{"snapshot-envelope", ` must be on the origin `, "the manifest is not in the file"},
		{"snapshot-envelope", `^does not bind what the envelope says: `, "no keyword hashes"},

		{"revision-proposal", `^must be later than the one before, `, "no keyword sorts"},
		{"revision-proposal", `^must follow `, "no keyword sorts"},
		{"revision-proposal", `^must name the sourceId and the sha256 beside it$`, "no keyword compares two values"},
		{"revision-proposal", `^must be the last of revisions, `, "no keyword compares two values"},
		{"revision-proposal", `^must hold artifacts of the current revision: `, "no keyword puts texts together"},
		{"revision-proposal", `^must be [0-9a-f]{64}, the SHA-256 of the rest$`, "no keyword hashes"},

		{"acquisition-record", `^must be imported and skipped together, `, "no keyword adds"},
		{"acquisition-record", `^must add up to skipped, `, "no keyword adds"},

		{"models-lock", `^must hold each id once: `, "uniqueItems compares whole items"},

		{"trust-bundle", `^must be unique in the list, `, "uniqueItems compares whole items"},
		{"trust-bundle", `^must be the id of a .* of this bundle; none has the id `, "no keyword looks an id up"},
		{"trust-bundle", `^must not be less than low$`, "no keyword compares members"},
		{"trust-bundle", `^must be in the interval, `, "no keyword compares members"},
		{"trust-bundle", `^must be an RFC 3339 date-time `, "leap seconds are in the last minute of a day in UTC, whatever the offset"},
	}
}

// unapproved is a reason that is given where there is no other.
const unapproved = `^is not the declaration that the registry approves as |^names no source that the registry approves$`

var reUnapproved = regexp.MustCompile(unapproved)

func onlyUnapproved(err error) bool {
	return !slices.ContainsFunc(problem.All(err), func(e *problem.Error) bool { return !reUnapproved.MatchString(e.Reason) }) &&
		problem.All(err) != nil
}

// judge holds a schema against the code.
type judge struct {
	format
	schema   *jsonschema.Schema
	beyond   []rule
	patterns []*regexp.Regexp
	used     []bool // which of beyond were needed
	words    map[string]bool
	accepted int
	refused  int
}

func newJudge(t *testing.T, f format) *judge {
	t.Helper()
	j := &judge{format: f, schema: compile(t, f.schema), words: map[string]bool{}}
	for _, r := range beyondSchemas() {
		if r.schema != f.schema {
			continue
		}
		if r.why == "" {
			t.Errorf("%s: %s has no reason", r.schema, r.reason)
		}
		j.beyond = append(j.beyond, r)
		j.patterns = append(j.patterns, regexp.MustCompile(r.reason))
	}
	j.used = make([]bool, len(j.beyond))
	return j
}

// compare demands that schema and code say the same of a document.
func (j *judge) compare(t *testing.T, what string, document any, text string) {
	t.Helper()
	bySchema, byCode := j.schema.Validate(document), j.check(text)
	switch {
	case bySchema != nil && byCode == nil:
		t.Errorf("%s: %s: the code accepts it, but %v\n%.2000s", j.format.schema, what, bySchema, text)
	case bySchema == nil && byCode != nil:
		j.excuse(t, what, text, byCode)
		j.refused++
	case bySchema == nil:
		j.accepted++
	case onlyUnapproved(byCode):
		t.Errorf("%s: %s: the code would accept it if a registry did, but %v\n%.2000s", j.format.schema, what, bySchema, text)
	default:
		j.refused++
		j.compareWords(t, what, bySchema, byCode)
	}
}

// excuse demands that every fault that the code finds in a document that the
// schema accepts is one that no schema can tell.
func (j *judge) excuse(t *testing.T, what, text string, byCode error) {
	t.Helper()
	faults := problem.All(byCode)
	if faults == nil {
		t.Errorf("%s: %s: the schema accepts it, but %v\n%.2000s", j.format.schema, what, byCode, text)
	}
	for _, fault := range faults {
		excused := false
		for i, pattern := range j.patterns {
			if pattern.MatchString(fault.Reason) {
				j.used[i], excused = true, true
			}
		}
		if !excused {
			t.Errorf("%s: %s: the schema accepts it, but %v\n%.2000s", j.format.schema, what, fault, text)
		}
	}
}

var alternatives = regexp.MustCompile(`^must be (?:null or )?"?([^" ]+(?:, [^" ]+)*(?: or [^" ]+)?)"?(?:, is .*)?$`)

// compareWords demands that where both ask for certain words, it is for the same.
func (j *judge) compareWords(t *testing.T, what string, bySchema, byCode error) {
	t.Helper()
	asked := map[string][]string{} // by path
	for _, fault := range problem.All(byCode) {
		if m := alternatives.FindStringSubmatch(fault.Reason); m != nil {
			words := strings.Split(strings.ReplaceAll(m[1], " or ", ", "), ", ")
			slices.Sort(words)
			asked[fault.Path] = words
		}
	}
	eachLeaf(bySchema, func(e *jsonschema.ValidationError) {
		var wanted []any
		switch k := e.ErrorKind.(type) {
		case *kind.Enum:
			wanted = k.Want
		case *kind.Const:
			wanted = []any{k.Want}
		}
		words := texts(wanted)
		theirs := asked[pathOf(e.InstanceLocation)]
		if j.format.schema == "rank-request" || j.format.schema == "rank-result" { // version 3 has a schema of its own
			theirs = slices.DeleteFunc(slices.Clone(theirs), func(word string) bool { return strings.HasSuffix(word, "/v3") })
		}
		if words == nil || theirs == nil {
			return
		}
		keyword := "enum"
		if _, isConst := e.ErrorKind.(*kind.Const); isConst {
			keyword = "const"
			if slices.Contains(theirs, words[0]) { // a condition narrows it to one of several
				words = theirs
			}
		}
		if !slices.Equal(words, theirs) {
			t.Errorf("%s: %s: the schema asks for %v, the code for %v", j.format.schema, what, words, theirs)
		}
		_, at, _ := strings.Cut(e.SchemaURL, "#")
		j.words["#"+at+"/"+keyword] = true
	})
}

// texts returns the values sorted if all are strings.
func texts(values []any) (list []string) {
	for _, v := range values {
		s, ok := v.(string)
		if !ok {
			return nil
		}
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

// eachLeaf calls do with each error that no other explains.
func eachLeaf(err error, do func(*jsonschema.ValidationError)) {
	e, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return
	}
	if len(e.Causes) == 0 {
		do(e)
	}
	for _, cause := range e.Causes {
		eachLeaf(cause, do)
	}
}

// pathOf is a place as the code tells it.
func pathOf(location []string) string {
	var b strings.Builder
	b.WriteString("$")
	for _, step := range location {
		if strings.Trim(step, "0123456789") == "" && step != "" {
			b.WriteString("[" + step + "]")
		} else {
			b.WriteString("." + step)
		}
	}
	return b.String()
}

// Of every example, vector and mutant of a document, schema and code say the
// same, but for the rules that no schema can tell; each of these is met.
func TestSchemasAgreeWithTheCode(t *testing.T) {
	vectortest.SkipLong(t)
	for _, f := range formats() {
		t.Run(f.schema, func(t *testing.T) {
			t.Parallel()
			j := newJudge(t, f)
			for _, d := range f.documents(t) {
				j.compare(t, d.name, document(t, d.text), d.text)
			}
			documents := j.accepted + j.refused
			for _, seed := range f.seeds(t) {
				if err := f.check(seed.text); err != nil {
					t.Fatalf("%s: %v", seed.name, err)
				}
				j.compareMutants(t, seed)
			}
			t.Logf("%d documents, %d mutants; %d accepted, %d refused", documents, j.accepted+j.refused-documents, j.accepted, j.refused)
			if j.accepted == 0 || j.refused == 0 {
				t.Errorf("%d accepted, %d refused", j.accepted, j.refused)
			}
			for i, used := range j.used {
				if !used {
					t.Errorf("nothing is refused because of %s", j.beyond[i].reason)
				}
			}
			j.demandWords(t)
		})
	}
}

// demandWords demands that each list of words in the schema was held against
// that of the code. Those that only choose or narrow are none.
func (j *judge) demandWords(t *testing.T) {
	t.Helper()
	if j.format.schema == "verification-response" {
		return // its definitions are those of trust-bundle
	}
	walkSchema(document(t, schemaText(t, j.format.schema)), "#", func(at string, schema map[string]any) {
		if strings.Contains(at, "/if") || strings.Contains(at, "/then") {
			return
		}
		for _, keyword := range []string{"enum", "const"} {
			values, ok := schema[keyword].([]any)
			if !ok && schema[keyword] != nil {
				values = []any{schema[keyword]}
			}
			if texts(values) != nil && !j.words[at+"/"+keyword] {
				t.Errorf("the words at %s were not held against the code", at)
			}
		}
	})
}

// compareMutants compares all mutants of a document.
func (j *judge) compareMutants(t *testing.T, seed doc) {
	t.Helper()
	root := document(t, seed.text)
	mutate(root, func(what string, mutant any) {
		if j.seal == nil {
			j.compare(t, fmt.Sprint(seed.name, " ", what), mutant, written(t, mutant))
			return
		}
		text := written(t, mutant)
		sealed := document(t, text)
		j.seal(sealed)
		j.compare(t, fmt.Sprint(seed.name, " ", what), sealed, written(t, sealed))
	})
}

// All formats of the folder are compared, or are answers of a handler alone.
func TestEverySchemaIsHeldAgainstSomething(t *testing.T) {
	compared := []string{
		"model-list", "model-detail", "error-service", "error-verification",
		"config", "recipe", // by the packages that read them
		"mapping", "identity-proposals", "offer-identities", "contradictions", // see TestDocumentsOfSources
	}
	for _, f := range formats() {
		compared = append(compared, f.schema)
	}
	for _, s := range schemas.All() {
		if !slices.Contains(compared, s.Name) {
			t.Errorf("%s is held against nothing", s.Name)
		}
	}
}
