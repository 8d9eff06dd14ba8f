package catalog

import (
	"io"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
)

// endless yields a text over and over.
type endless string

func (e endless) Read(b []byte) (n int, err error) {
	for n < len(b) {
		n += copy(b[n:], e)
	}
	return n, nil
}

// A document without end is given up, however a file of it begins, and many
// documents that are longer together are not.
func TestDocumentsAreBounded(t *testing.T) {
	const most = 1 << 20
	splitTo := func(name string, in io.Reader) (docs int, err error) {
		s := &splitter{in: in, place: problem.Start(name), buffers: newBufferPool(), limit: most}
		s.emit = func(b *batch) bool {
			if b.refused != nil {
				t.Errorf("%s: %v", name, b.refused.broken)
			}
			docs += len(b.docs)
			b.drop()
			return true
		}
		err = s.run()
		return docs, err
	}
	for name, begin := range map[string]string{
		"x.json": `{"a":"`, "list.json": `["`, "items.json": `[1,{"a":[1,`, "x.jsonl": `{"a":"`, "second.jsonl": "{}\n" + `{"a":"`, "lines.json": "{}\n" + `{"a":"`,
	} {
		docs, err := splitTo(name, io.MultiReader(strings.NewReader(begin), endless("1,")))
		if err == nil || err.Error() != "a document has more than 1048576 bytes" {
			t.Errorf("%s: %d documents, error %v", name, docs, err)
		}
	}
	const n = 200_000
	for name, text := range map[string]string{
		"x.jsonl": strings.Repeat("{\"a\":1}\n", n), "x.json": "[{}" + strings.Repeat(",{\"a\":1}", n-1) + "]" + strings.Repeat(" ", 2*most),
	} {
		if docs, err := splitTo(name, strings.NewReader(text)); docs != n || err != nil {
			t.Errorf("%s: %d documents, error %v", name, docs, err)
		}
	}
	if docs, err := splitTo("x.json", strings.NewReader(`{"a":"`+strings.Repeat("a", most-8)+`"}`)); docs != 1 || err != nil {
		t.Errorf("a document of the most bytes: %d documents, error %v", docs, err)
	}
}
