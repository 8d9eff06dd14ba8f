package recipe_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

var known = recipe.Known()

func read(text string) (*record.Recipe, error) {
	return recipe.Read(problem.Source{Name: "catalog.yaml", Text: text}, known)
}

func TestRead(t *testing.T) {
	r, err := read(`version: 1
sources:
  models-dev:
  openrouter-models: { indexes: [design-arena] }
  livebench: { release: 2026-01-08, mapping: maps/livebench.json, rows: mapped }
  aider-polyglot: { revision: cb6a152e5ee27fbc77ac499d5e628ccd74a5fa2a }
  observations: { files: own/**/*.jsonl }
  table: { files: own/*.csv, map: columns.json }
prefer: [seller, models-dev]
models: [openai/*, zhipuai/glm-5]
providers: [openai]
decisions: decisions.json
questions: [questions/coding.json]
gateways: [litellm, portkey]
keep: 30d
trust: { key: keys/acme.pem, endpoint: "https://acme.example", max_age: 36h }
`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := *r.Trust, (record.RecipeTrust{Key: "keys/acme.pem", Endpoint: "https://acme.example", MaxAge: 36 * time.Hour}); got != want {
		t.Errorf("trust is %+v, want %+v", got, want)
	}
	r.Trust = nil
	want := record.Recipe{
		Sources: []record.RecipeSource{
			{ID: "models-dev"},
			{ID: "openrouter-models", Indexes: []string{"design-arena"}},
			{ID: "livebench", Release: "2026-01-08", Mapping: "maps/livebench.json", MappedOnly: true},
			{ID: "aider-polyglot", Revision: "cb6a152e5ee27fbc77ac499d5e628ccd74a5fa2a"},
			{ID: "observations", Files: "own/**/*.jsonl"},
			{ID: "table", Files: "own/*.csv", Map: "columns.json"},
		},
		Prefer: []string{"seller", "models-dev"}, Models: []string{"openai/*", "zhipuai/glm-5"}, Providers: []string{"openai"},
		Decisions: "decisions.json", Questions: []string{"questions/coding.json"}, KeepDays: 30,
		Gateways: []string{"litellm", "portkey"},
	}
	if got, want := fmt.Sprintf("%+v", *r), fmt.Sprintf("%+v", want); got != want {
		t.Errorf("read  %s\nwant %s", got, want)
	}
}

// What is not right is refused at its place, with the name that was probably meant.
func TestReadRefuses(t *testing.T) {
	const begin = "version: 1\nsources:\n  models-dev:\n"
	for text, want := range map[string]struct {
		line, column int
		path, reason string
	}{
		"":                                                               {1, 1, "$", "is empty"},
		"version: 2\nsources: {models-dev: }\n":                          {1, 10, "$.version", "must be 1"},
		"sources: {models-dev: }\n":                                      {1, 1, "$", "lacks the key version"},
		"version: 1\n":                                                   {1, 1, "$", "lacks the key sources"},
		"version: 1\nsources:\n":                                         {2, 9, "$.sources", "at least one source"},
		"version: 1\nsources:\n  model-dev:\n":                           {3, 3, "$.sources", "did you mean models-dev?"},
		begin + "prefr: [seller]\n":                                      {4, 1, "$", "did you mean prefer?"},
		begin + "prefer: [litellm-prices]\n":                             {4, 9, "$.prefer", "is none of the sources"},
		begin + "keep: 400\n":                                            {4, 7, "$.keep", "like 400d"},
		begin + "keep: 0400d\n":                                          {4, 7, "$.keep", "like 400d"},
		begin + "keep: 1d\nkeep: 2d\n":                                   {5, 1, "$", "duplicate key keep"},
		begin + "trust: { max_age: 1h }\n":                               {4, 8, "$.trust", "lacks the key key"},
		begin + "trust: { key: a, max_age: 24 }":                         {4, 27, "$.trust.max_age", "like 24h"},
		begin + "trust: { key: a, max_age: 0h }":                         {4, 27, "$.trust.max_age", "like 24h"},
		begin + "trust: {key: a, endpoint: x}\n":                         {4, 27, "$.trust.endpoint", "a URL"},
		begin + "trust: {key: a, endpoint: \"https://a:b@c\"}\n":         {4, 27, "$.trust.endpoint", "without a user"},
		begin + "trust: {key: ../a}\n":                                   {4, 14, "$.trust.key", "in the folder of the recipe"},
		begin + "questions: [../a.json]\n":                               {4, 13, "$.questions[0]", "in the folder of the recipe"},
		begin + "gateways: [portkye]\n":                                  {4, 11, "$.gateways", "did you mean portkey?"},
		begin + "questions: [a/q.json, b/q.json]\ngateways: [litellm]\n": {4, 12, "$.questions", "q.gateway* would be twice"},
		begin + "decisions: /etc/passwd\n":                               {4, 12, "$.decisions", "in the folder of the recipe"},
		begin + "---\nversion: 1\n":                                      {5, 1, "$", "one YAML document"},
		begin + "prefer: &a [seller]\n":                                  {4, 9, "$", "anchors and aliases"},
		begin + "keep: !!str 400d\n":                                     {4, 7, "$", "tags"},
		begin + "prefer: [seller, seller]\n":                             {4, 18, "$.prefer[1]", "twice"},
		"version: 1\nsources:\n  livebench: { release: soon }\n":         {3, 25, "$.sources.livebench.release", "a date like"},
		"version: 1\nsources:\n  livebench: { revision: newest }\n":      {3, 16, "$.sources.livebench", "unknown key revision"},
		"version: 1\nsources:\n  observations:\n":                        {3, 16, "$.sources.observations", "lacks the key files"},
		"version: 1\nsources:\n  table: { files: own/*.csv }\n":          {3, 10, "$.sources.table", "lacks the key map"},
		"version: 1\nsources:\n  openrouter-models: {indexes: [x]}\n":    {3, 32, "$.sources.openrouter-models.indexes", "unknown name x"},
		"version: 1\nsources: [models-dev]\n":                            {2, 10, "$.sources", "at least one source"},
		"version: 1\nsources:\n  models-dev:\n  <<: {}\n":                {4, 3, "$", "merge key"},
	} {
		_, err := read(text)
		e := problem.All(err)
		if len(e) == 0 || e[0].Path != want.path || !strings.Contains(e[0].Reason, want.reason) ||
			e[0].Place != (problem.Place{File: "catalog.yaml", Line: want.line, Column: want.column}) {
			t.Errorf("%q: %+v", text, err)
			for _, x := range e {
				t.Logf("%+v", x)
			}
		}
	}
}

// Rows that a mapping alone may name are not proposed.
func TestCommandsOfMappedRows(t *testing.T) {
	for rows, proposes := range map[string]bool{"all": true, "mapped": false} {
		r, err := read("version: 1\nsources:\n  livebench: { mapping: a.json, rows: " + rows + " }\n")
		if err != nil {
			t.Fatal(err)
		}
		commands := recipe.Commands(r)
		if strings.Contains(commands, "svc sources propose") != proposes || strings.Contains(commands, "--mapping a.json") == proposes {
			t.Errorf("rows: %s\n%s", rows, commands)
		}
	}
}

// A new recipe is one that can be read, also with all that it offers, and its plain commands name all its sources.
func TestNew(t *testing.T) {
	for _, names := range [][]string{recipe.Usual(), {"models-dev"}, {"livebench", "observations"}} {
		text := recipe.New(names)
		r, err := read(text)
		if err != nil {
			t.Fatalf("%v: %v\n%s", names, err, text)
		}
		commands := recipe.Commands(r)
		all, err := read(regexp.MustCompile(`(?m)^  # ([a-z-]+:)`).ReplaceAllString(text, "  $1"))
		if err != nil || len(all.Sources) < len(names)+len(recipe.Known())-len(recipe.Usual())-1 {
			t.Errorf("with what it offers: %v\n%s", err, text)
		}
		for i, s := range r.Sources {
			if s.ID != names[i] || s.ID != recipe.Observations && !strings.Contains(commands, "svc import "+s.ID) {
				t.Errorf("%s in\n%s", s.ID, commands)
			}
		}
	}
}

func at(day, hour int) record.Timestamp {
	text, _ := timestamp.Format(time.Date(2026, 1, 1+day, hour, 0, 0, 0, time.UTC))
	return record.Timestamp(text)
}

func differ(_, _ *record.Look) bool { return false }

// Two looks a day for four years stay within what one import takes, and within what is kept.
func TestNeededIsBounded(t *testing.T) {
	var looks []record.Look
	for day := range 1500 {
		looks = append(looks, record.Look{At: at(day, 6)}, record.Look{At: at(day, 18)})
		needed := recipe.Needed(looks, timestamp.End, 400, differ)
		if len(needed) > 110 || needed[len(needed)-1].At != at(day, 18) {
			t.Fatalf("day %d: %d looks", day, len(needed))
		}
		if oldest := needed[0].At; oldest < at(day-407, 0) {
			t.Fatalf("day %d: %s is kept", day, oldest)
		}
		looks = needed // what is not needed is dropped, and the next build needs none of it
	}
	if len(looks) < 60 {
		t.Errorf("%d looks are left", len(looks))
	}
}

// Looks of eight days all count, those after the instant do not, and of equal ones the first and last.
func TestNeeded(t *testing.T) {
	var looks []record.Look
	for day := range 8 {
		looks = append(looks, record.Look{At: at(day, 6)}, record.Look{At: at(day, 18)})
	}
	if got := recipe.Needed(looks, timestamp.End, 400, differ); len(got) != len(looks) {
		t.Errorf("%d of %d looks", len(got), len(looks))
	}
	if got := recipe.Needed(looks, string(at(3, 6)), 400, differ); len(got) != 7 {
		t.Errorf("%d looks until the fourth morning", len(got))
	}
	slices.Reverse(looks)
	got := recipe.Needed(looks, timestamp.End, 400, func(a, b *record.Look) bool { return true })
	if len(got) != 2 || got[0].At != at(0, 6) || got[1].At != at(7, 18) {
		t.Errorf("of equal looks %v", got)
	}
	if recipe.Needed(nil, timestamp.End, 400, differ) != nil {
		t.Error("something of nothing")
	}
}

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"own/*.jsonl", "own/a.jsonl", true}, {"own/*.jsonl", "own/b/a.jsonl", false}, {"own/**/*.jsonl", "own/a.jsonl", true},
		{"runs/**/results_*.json", "runs/a/b/results_1.json", true}, {"**", "a/b", true}, {"a", "b", false}, {"a/b", "a", false},
	} {
		if got := recipe.Matches(strings.Split(tt.pattern, "/"), strings.Split(tt.name, "/")); got != tt.want {
			t.Errorf("%s and %s: %v", tt.pattern, tt.name, got)
		}
	}
	for _, tt := range []struct {
		list []string
		id   string
		want bool
	}{
		{nil, "a/b", true}, {[]string{"a/*"}, "a/b", true}, {[]string{"a/*-c"}, "a/b-c-d", false}, {[]string{"*c*"}, "abcd", true}, {[]string{"a/b"}, "a/bc", false},
	} {
		if got := recipe.IsNamed(tt.list, tt.id); got != tt.want {
			t.Errorf("%v names %s: %v", tt.list, tt.id, got)
		}
	}
}
