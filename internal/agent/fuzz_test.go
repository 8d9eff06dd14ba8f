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
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/compare/comparetest"
)

// FuzzCursor holds cursors against what they promise: pages that follow each other give the
// list, each item once, and whatever else a client sends leads to a place in the list or is
// refused.
func FuzzCursor(f *testing.F) {
	digest := strings.Repeat("0123456789abcdef", 4)
	for _, cursor := range []string{"", "1-0123456789abcdef", "5-0123456789abcdef", "-1-0123456789abcdef", "6-0123456789abcdef", "7-0123456789abcdef", "1-", "1-fedcba9876543210",
		"+1-0123456789abcdef", "99999999999999999999-0123456789abcdef", "1-0123456789abcdef-0123456789abcdef", "\x00"} {
		f.Add(cursor, 5, 2)
	}
	f.Fuzz(func(t *testing.T, cursor string, length, limit int) {
		const most = 400
		length, limit = 1+max(0, length)%most, 1+max(0, limit)%most
		list := make([]string, length)
		for i := range list {
			list[i] = strings.Repeat("x", 97*(i%7)) + fmt.Sprint(i)
		}
		first, err := cut(list, cursor, limit, digest)
		if err != nil {
			if r, ok := err.(*refusal); !ok || r.Path != "$.cursor" || r.Code != staleCursor && r.Code != invalidArgument {
				t.Fatalf("%q: %v", cursor, err)
			}
			return
		}
		number, of, _ := strings.Cut(cursor, "-")
		if at, err := strconv.Atoi(number); cursor != "" && (of != digest[:cursorDigest] || err != nil || at < 0 || at > length) {
			t.Fatalf("%q is taken for a place in a list of %d", cursor, length)
		}
		var got []string
		for p, calls := first, 0; ; calls++ {
			if len(p.items) > limit || len(canonical.MustMarshal(p.items)) > MaxAnswer || calls > length {
				t.Fatalf("%q: %d items at once, %d calls", cursor, len(p.items), calls)
			}
			got = append(got, p.items...)
			if p.next == "" {
				break
			}
			if p, err = cut(list, string(p.next), limit, digest); err != nil {
				t.Fatalf("the cursor %s of a page: %v", p.next, err)
			}
		}
		if want := list[length-len(got):]; strings.Join(got, " ") != strings.Join(want, " ") || cursor == "" && len(got) != length {
			t.Fatalf("%q: %d items of %d", cursor, len(got), length)
		}
	})
}

// FuzzArguments calls each tool with whatever a client may send: the answer is one of the
// tool's schema and has its size, or says in a code and a path what is wrong.
func FuzzArguments(f *testing.F) {
	c := comparetest.Compile(f, "2026-06-02T00:00:00.000Z", comparetest.Hostile()...)
	a, err := New(c, Options{Against: c})
	if err != nil {
		f.Fatal(err)
	}
	tools := a.tools()
	schemas := make([]*jsonschema.Schema, len(tools))
	for i, tool := range tools {
		var schema any
		if err := json.Unmarshal([]byte(tool.output), &schema); err != nil {
			f.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource("urn:x", schema); err != nil {
			f.Fatal(err)
		}
		if schemas[i], err = compiler.Compile("urn:x"); err != nil {
			f.Fatal(err)
		}
		_, example, _ := strings.Cut(tool.description, "Example: ")
		f.Add(i, []byte(example))
	}
	id, _ := json.Marshal(c.Models()[0].Identity.ID)
	request := fmt.Sprintf(`{"schemaVersion":"service.rank.request/v3","inventory":[{"id":"a","model":{"id":%s}}],"preferences":[{"measurementKey":"price.input","aggregation":"fact","transfer":["execution"],"direction":"minimize","weight":1}]}`, id)
	for i := range tools {
		for _, arguments := range []string{``, `null`, `[]`, `{"limit":1}`, `{"limit":1e9}`, `{"cursor":"1-` + c.Digest()[:cursorDigest] + `"}`, `{"model":` + string(id) + `}`, `{"model":"` + c.Models()[0].Key[:9] + `","detail":"observations"}`,
			`{"request":` + request + `,"candidate":"a"}`, `{"request":` + request + `,"full":true}`, `{"request":` + request + `,"only":["rankings"]}`,
			`{"request":{"minimize":["price.input"],"atMost":{"price.output":"5/M"},"models":[` + string(id) + `]},"limit":2,"candidate":"a"}`, `{"query":"` + "\u2028" + `","state":"conflicts"}`} {
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
		answer, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil || len(text) > MaxAnswer {
			t.Fatalf("%s %s: %d bytes, %v", tools[i].name, arguments, len(text), err)
		}
		if !r.IsError {
			if err := schemas[i].Validate(answer); err != nil {
				t.Fatalf("%s %s: %v", tools[i].name, arguments, err)
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
