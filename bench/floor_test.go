package bench

import (
	"bytes"
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestFloorReadsValuesThatFollowEachOther(t *testing.T) {
	f, err := MeasureFloor(bytes.Repeat([]byte("{\"a\":1}\n[2]\n"), 10_000))
	if err != nil {
		t.Fatal(err)
	}
	if f.Hash <= 0 || f.Tokens <= 0 || f.Total() != f.Hash+f.Tokens {
		t.Errorf("got %+v, want two times and their sum", f)
	}
}

// A floor that stopped half way would flatter whatever is compared with it.
func TestFloorIsOfWholeTexts(t *testing.T) {
	for _, text := range []string{`{"a":1`, `{"a":1,"a":2}`, `[1,]`} {
		_, err := MeasureFloor([]byte(text))
		if _, is := errors.AsType[*jsontext.SyntacticError](err); !is {
			t.Errorf("%s: got %v, want a syntax error", text, err)
		}
	}
}
