package index_test

import (
	"reflect"
	"testing"

	"github.com/model-catalog-service/svc/internal/rank/index"
)

// The example of the package comment, and an order that is not of bytes.
func TestUnion(t *testing.T) {
	lists := [][]string{{"b", "a"}, {"b", "c"}, {}, {"\uFB33", "\U0001F600"}}
	var b index.ListsBuilder
	for _, list := range lists {
		for _, text := range list {
			b.Add(text)
		}
		b.EndList()
	}
	if b.Len() != 6 {
		t.Errorf("%d texts were added, want 6", b.Len())
	}
	l := b.Finish()
	var u index.Union
	for _, test := range []struct {
		observations []int32
		want         []string
	}{
		{[]int32{0, 1}, []string{"a", "b", "c"}},
		{[]int32{2}, nil},
		{[]int32{3, 0}, []string{"a", "b", "\U0001F600", "\uFB33"}},
		{[]int32{1}, []string{"b", "c"}},
	} {
		u.Reset(len(l.Texts))
		for _, observation := range test.observations {
			u.Add(l.Numbers(observation))
		}
		var got []string
		for n := range u.Each {
			got = append(got, l.Texts[n])
			if want := `"` + l.Texts[n] + `"`; l.JSON[n] != want {
				t.Errorf("%s is rendered %s", want, l.JSON[n])
			}
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v come to %q, want %q", test.observations, got, test.want)
		}
	}
}
