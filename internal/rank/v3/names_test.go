package v3_test

import (
	"fmt"
	"reflect"
	"testing"

	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// A name occurs where a member has it, not where a text speaks of it, and however JSON
// escapes it.
func TestAbsent(t *testing.T) {
	o := observed{model: `acme/\"atlas\"@r1`, measurements: `{"key":"a\\b","kind":"fact","value":"\"key\":\"c\""}`}
	c := newRanker(t, o)
	find := func(kind v3.NameKind, text string) v3.Name { return v3.Name{kind, text, `acme/"atlas"`} }
	for _, n := range []v3.Name{find(v3.KeyName, `a\b`), find(v3.ModelName, `acme/"atlas"`), find(v3.RevisionName, "r1"), find(v3.SuiteName, "")} {
		if list := c.Absent([]v3.Name{n}); len(list) > 0 {
			t.Errorf("%+v is absent: %v", n, list)
		}
	}
	got := c.Absent([]v3.Name{
		find(v3.KeyName, "c"), find(v3.KeyName, `a\bc`), find(v3.ModelName, "atlas"), find(v3.RevisionName, "r12"), find(v3.RevisionName, "r12"), find(v3.QuantizationName, "r1"),
	})
	want := []v3.Absence{
		{find(v3.KeyName, "c"), ""}, {find(v3.KeyName, `a\bc`), `a\b`}, {find(v3.ModelName, "atlas"), ""}, {find(v3.RevisionName, "r12"), "r1"}, {find(v3.QuantizationName, "r1"), ""},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Revisions of the model that is asked for are offered before closer ones of others.
func TestAbsentRevision(t *testing.T) {
	var all []observed
	for _, m := range []string{"a@2026-01-01", "b@2026-02-02"} {
		all = append(all, observed{model: m, measurements: fact("1", "")})
	}
	got := newRanker(t, all...).Absent([]v3.Name{{v3.RevisionName, "2026-01-02", "b"}})
	if len(got) != 1 || got[0].Closest != "2026-02-02" {
		t.Errorf("%+v", got)
	}
}

// Of many names the same are absent as of each alone, and the first have a closest name.
func TestManyAbsent(t *testing.T) {
	var all []observed
	var names []v3.Name
	for i := range 40 {
		key := fmt.Sprintf("measured.key-%03d", i)
		all = append(all, observed{measurements: fmt.Sprintf(`{"key":%q,"kind":"fact","value":1}`, key)})
		names = append(names, v3.Name{v3.KeyName, key, ""}, v3.Name{v3.KeyName, key + "x", ""}, v3.Name{v3.ModelName, "m", "m"})
	}
	c := newRanker(t, all...)
	for _, names := range [][]v3.Name{names, names[:3]} {
		got := c.Absent(names)
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
		all = append(all, observed{model: fmt.Sprint("m", i), measurements: fact("1", "")})
	}
	v := newRanker(t, all...)
	names := []v3.Name{{v3.KeyName, "absent", ""}, {v3.ModelName, "m1", "m1"}}
	v.Absent(names)
	if allocated := testing.AllocsPerRun(10, func() { v.Absent(names) }); allocated > 50 {
		t.Errorf("a second request allocates %v times", allocated)
	}
}

// BenchmarkAbsent asks about the names of one request after another.
func BenchmarkAbsent(b *testing.B) {
	var all []observed
	for i := range 32_000 {
		all = append(all, observed{model: fmt.Sprint("m", i%3000), measurements: fact("1", "")})
	}
	v := newRanker(b, all...)
	var names []v3.Name
	for i := range 128 {
		names = append(names, v3.Name{v3.ModelName, fmt.Sprintf("m%d", i), ""})
	}
	for b.Loop() {
		v.Absent(names)
	}
}
