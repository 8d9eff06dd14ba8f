package ijson_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

type word string

// letter reads itself: a string of one letter.
type letter string

func (l *letter) ReadJSON(r *ijson.Reader) {
	at := r.Offset()
	if *l = letter(r.String()); len(*l) != 1 {
		r.Fail(at, "", "must be one letter")
	}
}

type document struct {
	Key    string              `json:"key" is:"hash"`
	AsOf   string              `json:"asOf" is:"timestamp"`
	Name   string              `json:"name"`
	Unit   record.Text         `json:"unit"`
	Change word                `json:"change" is:"added removed"`
	Count  int                 `json:"count"`
	Ratio  float64             `json:"ratio"`
	Known  bool                `json:"known"`
	Seen   []string            `json:"seen" is:"timestamp" most:"2"`
	Old    *part               `json:"old"`
	Parts  []part              `json:"parts" least:"1"`
	Facts  map[word]int        `json:"facts" is:"added removed"`
	For    map[word]int        `json:"for,omitempty"`
	Bytes  uint64              `json:"bytes"`
	Letter letter              `json:"letter"`
	From   record.Timestamp    `json:"from"`
	Until  record.Timestamp    `json:"until" or:"null"`
	Tokens record.Count        `json:"tokens"`
	Value  record.Scalar       `json:"value"`
	Tools  record.List[string] `json:"tools" each:"once"`
	Note   string              `json:"note,omitzero"`
	inner
}

type inner struct {
	Depth int `json:"depth"`
}

type part struct {
	At record.Text `json:"at" is:"timestamp"`
}

const full = `{"key":"` + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" + `","asOf":"2026-05-01T00:00:00.000Z","name":"n","unit":"u",
	"change":"removed","count":7,"ratio":0.5,"known":true,"seen":["2026-05-01T00:00:00.000Z"],"old":{"at":null},
	"parts":[{"at":"2026-05-01T00:00:00.000Z"}],"facts":{"added":1,"removed":0},"for":{"rain":2},"bytes":9007199254740991,"letter":"x",
	"from":"2026-05-01T00:00:00.000Z","until":null,"tokens":null,"value":0.5,"tools":["b","a"],"depth":3}`

// What a struct with tags writes it reads, and every member is its own.
func TestReadTagged(t *testing.T) {
	r := ijson.NewReader(full, "")
	var got document
	ijson.ReadTagged(r, &got)
	if faults := r.End(); faults != nil {
		t.Fatal(faults)
	}
	const day = "2026-05-01T00:00:00.000Z"
	want := document{strings.Repeat("0123456789abcdef", 4), day, "n", "u", "removed", 7, 0.5, true, []string{day}, &part{}, []part{{day}}, map[word]int{"added": 1, "removed": 0}, map[word]int{"rain": 2}, 1<<53 - 1, "x",
		day, "", record.Count{}, record.Number(0.5), record.List[string]{"a", "b"}, "", inner{3}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if text := string(ijson.MustWriteTagged(got)); text != string(canonical.MustMarshal(want)) {
		t.Errorf("written as %s", text)
	}
}

// A type without a JSON text is a fault of the program.
func TestMustWriteTagged(t *testing.T) {
	defer func() {
		if got, want := recover(), "ijson.MustWriteTagged: json: unsupported type: chan int"; got != want {
			t.Errorf("panics with %v, want %s", got, want)
		}
	}()
	ijson.MustWriteTagged(make(chan int))
}

// Each rule refuses what breaks it, at its path.
func TestReadTaggedRefuses(t *testing.T) {
	for _, tt := range []struct{ old, new, path string }{
		{`"key":"01`, `"key":"0G`, "$.key"},
		{`.000Z","name"`, `Z","name"`, "$.asOf"},
		{`"name":"n"`, `"name":null`, "$.name"},
		{`"unit":"u"`, `"unit":" u"`, "$.unit"},
		{`"removed","count"`, `"gone","count"`, "$.change"},
		{`"count":7`, `"count":-7`, "$.count"},
		{`"ratio":0.5`, `"ratio":null`, "$.ratio"},
		{`"known":true`, `"known":1`, "$.known"},
		{`"seen":["`, `"seen":["now","`, "$.seen[0]"},
		{`"seen":["`, `"seen":["2026-05-01T00:00:00.000Z","2026-05-01T00:00:00.000Z","`, "$.seen"},
		{`"seen":[`, `"seen":null,"x":[`, "$.x"},
		{`"old":{"at":null}`, `"old":{}`, "$.old.at"},
		{`"parts":[{"at":"2026-05-01`, `"parts":[{"at":"2026-05-32`, "$.parts[0].at"},
		{`"parts":[{"at":"2026-05-01T00:00:00.000Z"}]`, `"parts":[]`, "$.parts"},
		{`"rain":2`, `"rain":"2"`, "$.for.rain"},
		{`"bytes":9`, `"bytes":-9`, "$.bytes"},
		{`"added":1,`, ``, "$.facts.added"},
		{`"added":1,`, `"added":1,"lost":1,`, "$.facts.lost"},
		{`"letter":"x"`, `"letter":"xy"`, "$.letter"},
		{`,"letter":"x"`, ``, "$.letter"},
		{`"from":"2026-05-01T00:00:00.000Z"`, `"from":null`, "$.from"},
		{`"until":null`, `"until":""`, "$.until"},
		{`"tokens":null`, `"tokens":0.5`, "$.tokens"},
		{`"value":0.5`, `"value":null`, "$.value"},
		{`["b","a"]`, `["b","b"]`, "$.tools"},
		{`["b","a"]`, `null`, "$.tools"},
		{`"depth":3`, `"depth":3,"note":null`, "$.note"},
		{`,"depth":3`, ``, "$.depth"},
	} {
		if !strings.Contains(full, tt.old) {
			t.Fatalf("no %s", tt.old)
		}
		r := ijson.NewReader(strings.Replace(full, tt.old, tt.new, 1), problem.InvalidJSON)
		var got document
		ijson.ReadTagged(r, &got)
		faults := r.End()
		if len(faults) == 0 || faults[0].Path != tt.path || faults[0].Code != problem.InvalidJSON {
			t.Errorf("%s for %s: %v", tt.new, tt.old, faults)
		}
	}
}

// list is a record with all kinds of values, some of them null.
type list struct {
	document
	Mean    record.Float     `json:"mean"`
	None    record.Float     `json:"none"`
	Said    record.Scalar    `json:"said"`
	Flag    record.Scalar    `json:"flag"`
	Nothing record.Scalar    `json:"nothing"`
	Null    []string         `json:"null"`
	Missing *part            `json:"missing"`
	Any     any              `json:"any"`
	Bytes64 []byte           `json:"bytes64"`
	Zero    nullable         `json:"zero"`
	Whole   nullable         `json:"whole"`
	ByName  map[string]*part `json:"byName"`
}

// nullable is null if it is empty.
type nullable struct {
	ID string `json:"id"`
}

func (n nullable) MarshalJSON() ([]byte, error) {
	if n == (nullable{}) {
		return []byte("null"), nil
	}
	return canonical.Marshal(map[string]string{"id": n.ID})
}

// What is written by tags is what canonical.Marshal writes, whatever is null, left out or escaped.
func TestMustWriteTaggedIsCanonical(t *testing.T) {
	whole := list{Mean: record.NewFloat(1e21), Said: record.String("\u2028<\x01\"é"), Flag: record.Bool(true), Any: map[string]any{"b": []int{1}, "a": nil},
		Bytes64: []byte{1, 2}, Whole: nullable{"w"}, ByName: map[string]*part{"é": {"2026-05-01T00:00:00.000Z"}, "z": nil, "\U0001F600": {}, "\uFFFD": nil}}
	r := ijson.NewReader(full, "")
	ijson.ReadTagged(r, &whole.document)
	if faults := r.End(); faults != nil {
		t.Fatal(faults)
	}
	whole.document.Note = "<&>\u2028"
	for _, record := range []any{whole, &whole, &list{}, &list{document: document{For: map[word]int{}}}, []part{{}}, "text", 5} {
		if got, want := string(ijson.MustWriteTagged(record)), string(canonical.MustMarshal(record)); got != want {
			t.Errorf("written as\n%s\nwant\n%s", got, want)
		}
	}
}
