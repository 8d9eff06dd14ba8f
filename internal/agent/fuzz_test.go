package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
)

// FuzzCursor holds cursors against what they promise: pages that follow each other give the
// list, each item once, and whatever else a client sends leads to a place in the list or is
// refused.
func FuzzCursor(f *testing.F) {
	for _, cursor := range []string{"", "1-0123456789abcdef", "5-0123456789abcdef", "-1-0123456789abcdef", "6-0123456789abcdef", "7-0123456789abcdef", "1-", "1-fedcba9876543210",
		"+1-0123456789abcdef", "99999999999999999999-0123456789abcdef", "1-0123456789abcdef-0123456789abcdef", "\x00"} {
		f.Add(cursor, 5, 2)
	}
	f.Fuzz(func(t *testing.T, cursor string, length, limit int) {
		const most = 400
		length, limit = 1+max(0, length)%most, 1+max(0, limit)%most
		list := func() (rows [][]any) { // cutting drops empty columns of it
			for i := range length {
				rows = append(rows, []any{strings.Repeat("x", 97*(i%7)) + fmt.Sprint(i)})
			}
			return rows
		}
		cut := func(cursor string) (*answer, error) {
			a := &answer{Columns: []string{"text"}}
			return a, a.cut(list(), page{new(whole(limit)), cursor})
		}
		first, err := cut(cursor)
		if err != nil {
			if r, ok := err.(*refusal); !ok || r.Path != "$.cursor" || r.Code != staleCursor && r.Code != invalidArgument {
				t.Fatalf("%q: %v", cursor, err)
			}
			return
		}
		var texts []string
		for _, row := range list() {
			texts = append(texts, string(canonical.MustMarshal(row)))
		}
		digest := canonical.Sum([]byte(strings.Join(texts, "\n")))
		number, of, _ := strings.Cut(cursor, "-")
		if at, err := strconv.Atoi(number); cursor != "" && (of != digest[:cursorDigest] || err != nil || at < 0 || at > length) {
			t.Fatalf("%q is taken for a place in a list of %d", cursor, length)
		}
		got := 0
		for p, calls := first, 0; ; calls++ {
			if len(p.Rows) > limit || len(canonical.MustMarshal(p.Rows)) > MaxAnswer || calls > length || p.Total != length {
				t.Fatalf("%q: %d rows at once, %d calls", cursor, len(p.Rows), calls)
			}
			for _, row := range p.Rows {
				if row[0] != list()[start(cursor)+got][0] {
					t.Fatalf("%q: row %d is %v", cursor, got, row)
				}
				got++
			}
			if p.NextCursor == "" {
				break
			}
			if p, err = cut(p.NextCursor); err != nil {
				t.Fatalf("the cursor of a page: %v", err)
			}
		}
		if start(cursor)+got != length {
			t.Fatalf("%q: %d rows of %d", cursor, got, length)
		}
	})
}

// start is where a cursor that was taken begins.
func start(cursor string) int {
	number, _, _ := strings.Cut(cursor, "-")
	n, _ := strconv.Atoi(number) // of none it is 0
	return n
}

// FuzzArguments calls each tool with whatever a client may send: the answer is one of the
// size and has as many cells in each row as columns, or says in a code and a path what is wrong.
func FuzzArguments(f *testing.F) {
	c := comparetest.Compile(f, "2026-06-02T00:00:00.000Z", comparetest.Hostile()...)
	a, err := New(c, Options{Against: []*catalog.Catalog{c}})
	if err != nil {
		f.Fatal(err)
	}
	tools := a.tools()
	for i, tool := range tools {
		_, example, _ := strings.Cut(tool.description, "Example: ")
		f.Add(i, []byte(example))
	}
	id, _ := json.Marshal(c.Models()[0].Identity.ID)
	request := fmt.Sprintf(`{"schemaVersion":"service.rank.request/v3","inventory":[{"id":"a","model":{"id":%s}}],"preferences":[{"measurementKey":"price.input","aggregation":"fact","transfer":["execution"],"direction":"minimize","weight":1}]}`, id)
	for i := range tools {
		for _, arguments := range []string{``, `null`, `[]`, `{"limit":1}`, `{"limit":1e9}`, `{"cursor":"1-` + c.Digest()[:cursorDigest] + `"}`, `{"model":` + string(id) + `}`, `{"model":"` + c.Models()[0].Key[:9] + `","detail":"observations"}`,
			`{"request":` + request + `,"candidate":"a"}`, `{"request":` + request + `,"candidate":"a","full":true}`, `{"request":` + request + `,"excluded":true}`,
			`{"minimize":"price.input","atMost":{"price.output":"5/M"},"models":` + string(id) + `,"limit":2}`, `{"query":"` + "\u2028" + `","state":"conflict"}`, `{"models":[` + string(id) + `],"tokens":"3k/500"}`,
			`{"since":"2026-05-02","kind":["facts","conflicts"],"key":"price"}`, `{"before":"2027-01-01"}`} {
			f.Add(i, []byte(arguments))
		}
	}
	f.Fuzz(func(t *testing.T, number int, arguments []byte) {
		i := max(0, number) % len(tools)
		r, err := a.handle(tools[i])(context.Background(), callOf(tools[i].name, arguments))
		if err != nil {
			t.Fatalf("%s %s: %v", tools[i].name, arguments, err)
		}
		text := textOf(r)
		if len(text) > MaxAnswer {
			t.Fatalf("%s %s: %d bytes", tools[i].name, arguments, len(text))
		}
		if !r.IsError {
			var out struct {
				Columns []string
				Rows    [][]any
			}
			if err := json.Unmarshal([]byte(text), &out); err != nil {
				t.Fatalf("%s %s: %v", tools[i].name, arguments, err)
			}
			for _, row := range out.Rows {
				if len(row) != len(out.Columns) {
					t.Fatalf("%s %s: %d cells in %d columns", tools[i].name, arguments, len(row), len(out.Columns))
				}
			}
			return
		}
		var fault refusal
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&fault); err != nil || d.Decode(new(any)) != io.EOF || fault.Code == "" || !strings.HasPrefix(fault.Path, "$") || fault.Message == "" {
			t.Fatalf("%s %s: %s, %v", tools[i].name, arguments, text, err)
		}
	})
}

func callOf(name string, arguments []byte) *mcp.CallToolRequest {
	return &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: name, Arguments: arguments}}
}

func textOf(r *mcp.CallToolResult) string { return r.Content[0].(*mcp.TextContent).Text }
