package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// What the library has no code for gets one, and a call that was cancelled gets no answer.
func TestAnswersAreMended(t *testing.T) {
	const done, cancelled = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26"}}`, `{"jsonrpc":"2.0","id":"a\"b","error":{"code":0,"message":"context canceled"}}`
	const early, unknown = `{"jsonrpc":"2.0","id":"a\"b","error":{"code":0,"message":"too early"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x","data":{"a":1}}}`
	const refused = `{"error":{"code":-32600,"message":"too early"},"id":"a\"b","jsonrpc":"2.0"}`
	const question = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, test := range []struct {
		written, want string
		waits         []any // the ids of calls that wait for their answers then
	}{
		{done, done, []any{`a"b`}},
		{cancelled, "", []any{int64(1)}},
		{early, refused, []any{int64(1)}},
		{unknown, unknown, []any{`a"b`}},
		{question, question, []any{`a"b`, int64(1)}},
		{"[" + done + "," + early + "]", "[" + done + "," + refused + "]", nil},
		{"[" + cancelled + "," + done + "]", "[" + done + "]", nil},
		{"[" + cancelled + "]", "", []any{int64(1)}},
	} {
		var out strings.Builder
		d := &dialogue{out: &out, open: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1)}
		for _, id := range []any{1.0, `a"b`} {
			id, err := jsonrpc.MakeID(id)
			if err != nil {
				t.Fatal(err)
			}
			d.open[id] = true
		}
		n, err := dialogueOutput{d}.Write([]byte(test.written + "\n"))
		if err != nil || n != len(test.written)+1 || strings.TrimSuffix(out.String(), "\n") != test.want || test.want != "" && !strings.HasSuffix(out.String(), "\n") {
			t.Errorf("%s becomes %q, %d bytes, %v", test.written, &out, n, err)
		}
		for _, id := range []any{1.0, `a"b`} {
			id, _ := jsonrpc.MakeID(id)
			if d.open[id] != slices.Contains(test.waits, id.Raw()) {
				t.Errorf("%s: %v waits: %v", test.written, id.Raw(), d.open[id])
			}
		}
	}
}

// A call under an id whose call waits for its answer is refused, until that is answered.
func TestIDThatWaits(t *testing.T) {
	id, err := jsonrpc.MakeID(9.0)
	if err != nil {
		t.Fatal(err)
	}
	d := &dialogue{open: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1)}
	ids := map[jsonrpc.ID]bool{id: true}
	if first, second := d.begin(ids), d.begin(ids); !first || second {
		t.Errorf("the first begins: %v, the second: %v", first, second)
	}
	if delete(d.open, id); !d.begin(ids) {
		t.Error("a third, after the first was answered, does not begin")
	}
}
