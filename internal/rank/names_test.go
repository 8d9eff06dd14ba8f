package rank_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/service/record"
)

// A name occurs where a member has it, not where a text speaks of it, and however JSON
// escapes it.
func TestAbsent(t *testing.T) {
	const model = `{"id":"acme/\"atlas\"","revision":"r1","quantization":null}`
	o := observed{model: model, measurements: `{"key":"a\\b","kind":"fact","value":"\"key\":\"c\""}`}
	c := compile(t, numbered(o)...)
	find := func(kind rank.NameKind, text string) rank.Name { return rank.Name{kind, text, `acme/"atlas"`} }
	for _, n := range []rank.Name{find(rank.KeyName, `a\b`), find(rank.ModelName, `acme/"atlas"`), find(rank.RevisionName, "r1"), find(rank.SuiteName, "")} {
		if list := rank.NewVocabulary(c).Absent([]rank.Name{n}); len(list) > 0 {
			t.Errorf("%+v is absent: %v", n, list)
		}
	}
	got := rank.NewVocabulary(c).Absent([]rank.Name{
		find(rank.KeyName, "c"), find(rank.KeyName, `a\bc`), find(rank.ModelName, "atlas"), find(rank.RevisionName, "r12"), find(rank.RevisionName, "r12"), find(rank.QuantizationName, "r1"),
	})
	want := []rank.Absence{
		{find(rank.KeyName, "c"), ""}, {find(rank.KeyName, `a\bc`), `a\b`}, {find(rank.ModelName, "atlas"), ""}, {find(rank.RevisionName, "r12"), "r1"}, {find(rank.QuantizationName, "r1"), ""},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Revisions of the model that is asked for are offered before closer ones of others.
func TestAbsentRevision(t *testing.T) {
	var all []observed
	for _, m := range []record.Model{{ID: "a", Revision: "2026-01-01"}, {ID: "b", Revision: "2026-02-02"}} {
		all = append(all, observed{model: `{"id":"` + m.ID + `","revision":"` + string(m.Revision) + `","quantization":null}`, measurements: fact("1", "")})
	}
	got := rank.NewVocabulary(compile(t, numbered(all...)...)).Absent(rank.ModelNames(record.Model{ID: "b", Revision: "2026-01-02"}))
	if len(got) != 1 || got[0].Closest != "2026-02-02" {
		t.Errorf("%+v", got)
	}
}

// Of many names the same are absent as of each alone, and the first have a closest name.
func TestManyAbsent(t *testing.T) {
	var all []observed
	var names []rank.Name
	for i := range 40 {
		key := fmt.Sprintf("measured.key-%03d", i)
		all = append(all, observed{model: `{"id":"m","revision":null,"quantization":null}`, measurements: fmt.Sprintf(`{"key":%q,"kind":"fact","value":1}`, key)})
		names = append(names, rank.Name{rank.KeyName, key, ""}, rank.Name{rank.KeyName, key + "x", ""}, rank.Name{rank.ModelName, "m", "m"})
	}
	c := compile(t, numbered(all...)...)
	for _, names := range [][]rank.Name{names, names[:3]} {
		got := rank.NewVocabulary(c).Absent(names)
		if want := (len(names) + 2) / 3; len(got) != want {
			t.Fatalf("%d of %d are absent, want %d", len(got), len(names), want)
		}
		for i, a := range got {
			if want := names[3*i].Text; a.Text != want+"x" || i < 20 && a.Closest != want || i >= 20 && a.Closest != "" {
				t.Errorf("%+v, want it to be like %s", a, want)
			}
		}
	}
}

// A catalog is read once, however many requests ask.
func TestVocabularyIsReadOnce(t *testing.T) {
	var all []observed
	for i := range 500 {
		all = append(all, observed{model: fmt.Sprintf(`{"id":"m%d","revision":null,"quantization":null}`, i), measurements: fact("1", "")})
	}
	v := rank.NewVocabulary(compile(t, numbered(all...)...))
	names := []rank.Name{{rank.KeyName, "absent", ""}, {rank.ModelName, "m1", "m1"}}
	v.Absent(names)
	if allocated := testing.AllocsPerRun(10, func() { v.Absent(names) }); allocated > 50 {
		t.Errorf("a second request allocates %v times", allocated)
	}
}
