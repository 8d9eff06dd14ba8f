package record_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/service/record"
)

type values struct {
	Unit   record.Text         `json:"unit"`
	Tokens record.Count        `json:"tokens"`
	At     record.Timestamp    `json:"at"`
	Value  record.Scalar       `json:"value"`
	Tools  record.List[string] `json:"tools"`
}

// Values that encoding/json writes it also reads, null included.
func TestValuesRoundTrip(t *testing.T) {
	at := record.NewTimestamp(time.Date(2026, 7, 18, 2, 0, 0, 123_987_654, time.FixedZone("", 7200)))
	for want, v := range map[string]values{
		`{"unit":null,"tokens":null,"at":null,"value":null,"tools":[]}`:                                     {},
		`{"unit":"<s>","tokens":0,"at":"2026-07-18T00:00:00.123Z","value":"a","tools":["b"]}`:               {"<s>", record.NewCount(0), at, record.String("a"), record.List[string]{"b"}},
		`{"unit":"s","tokens":9007199254740991,"at":"2026-07-18T00:00:00.123Z","value":1e-7,"tools":["b"]}`: {"s", record.NewCount(record.MaxCount), at, record.Number(1e-7), record.List[string]{"b"}},
		`{"unit":"s","tokens":1,"at":"2026-07-18T00:00:00.123Z","value":false,"tools":["b"]}`:               {"s", record.NewCount(1), at, record.Bool(false), record.List[string]{"b"}},
	} {
		var text []byte
		e := json.NewEncoder(writer{&text})
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil || string(text) != want+"\n" {
			t.Errorf("written as %s, %v\nwant %s", text, err, want)
		}
		var back values
		err := json.Unmarshal([]byte(want), &back)
		again, _ := json.Marshal(back)
		written, _ := json.Marshal(v)
		if err != nil || string(again) != string(written) || back.Value != v.Value || back.Tokens != v.Tokens {
			t.Errorf("%s is read as %+v, %v", want, back, err)
		}
	}
}

type writer struct{ text *[]byte }

func (w writer) Write(p []byte) (int, error) {
	*w.text = append(*w.text, p...)
	return len(p), nil
}

// What is out of bounds is neither written nor read.
func TestValuesRefuse(t *testing.T) {
	for _, v := range []values{{Tokens: record.NewCount(1 << 53)}, {At: "2026-07-18"}, {At: "2026-02-30T00:00:00.000Z"}} {
		if text, err := json.Marshal(v); err == nil {
			t.Errorf("%+v is written as %s", v, text)
		}
	}
	for _, text := range []string{`{"tokens":-1}`, `{"tokens":0.5}`, `{"tokens":9007199254740992}`, `{"tokens":"1"}`, `{"at":""}`, `{"at":1}`,
		`{"at":"2026-07-18T00:00:00Z"}`, `{"value":[]}`, `{"value":{}}`} {
		var v values
		if err := json.Unmarshal([]byte(text), &v); err == nil {
			t.Errorf("%s is read as %+v", text, v)
		}
	}
}

// Instants become timestamps and come back, and what was not set is empty.
func TestTimestamp(t *testing.T) {
	at := time.Date(2026, 7, 18, 0, 0, 0, 5e6, time.UTC)
	if got := record.NewTimestamp(at); got != "2026-07-18T00:00:00.005Z" || !got.Time().Equal(at) {
		t.Errorf("%v becomes %q, which is %v", at, got, got.Time())
	}
	for _, none := range []time.Time{{}, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if got := record.NewTimestamp(none); got != "" {
			t.Errorf("%v becomes %q", none, got)
		}
	}
	if got := record.Timestamp("soon").Time(); !got.IsZero() {
		t.Errorf("text that is no timestamp is %v", got)
	}
}
