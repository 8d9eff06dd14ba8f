// Package agent is the catalog for programs that reason: tools and resources over the
// Model Context Protocol, one tool for each thing that people ask of a catalog.
//
//	find, rank, compare, price, what_changed, expiring, explain
//
// Every tool only reads. An answer is one JSON text of at most 32 KiB: how old the catalog is,
// sentences, what they take as given, and a table, which ends early with a cursor. What is wrong
// with an argument is an answer, too, with a code, a path and a message, so that the caller can
// correct it. Texts of the catalog come from strangers: they are data in answers, and never a part
// of what describes a tool.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// The bounds of the service.
const (
	MaxAnswer = 32 << 10 // bytes of the JSON of an answer
	maxCalls  = 4        // at a time
	maxText   = 1 << 10  // bytes of an argument that is a text
)

// Options are the settings of an [Agent].
type Options struct {
	Version string               // of the program, as clients see it
	Against []*catalog.Catalog   // older catalogs, with which what_changed compares; may be none
	Build   *record.CatalogBuild // what is known of the catalog's build; nil for nothing
	Now     func() time.Time     // tells how old the catalog is; nil: answers do not
	Trust   string               // a sentence on what became of the catalog; empty where nobody asks
	Logger  *slog.Logger         // nil logs nothing
}

// Agent serves one catalog. It is safe for concurrent use; [New] makes one.
type Agent struct {
	catalog *catalog.Catalog
	ranker  func() (*v3.Ranker, error) // indexes the catalog once it is asked
	index   *index
	older   []*catalog.Catalog // the oldest first
	build   *record.CatalogBuild
	now     func() time.Time
	trust   string // a sentence on what became of the catalog; empty where nobody asks
	slots   chan struct{}
	server  *mcp.Server
	logger  *slog.Logger
}

const instructions = `A catalog holds what was stated and measured of AI models, each with source, date and ` +
	`validity. Numbers are evidence: where something is unknown, expired or contradicted, say so, and never fill a ` +
	`value in. Say how old the catalog is, and what an answer assumes.
find: which models and keys there are. rank: whom to take. compare: a few models. price: who sells cheapest. ` +
	`what_changed, expiring: news. explain: why.
Keys are like limits.context, price.output, capability.tools; find {"by":"key","query":"coding"} lists them. ` +
	`Names of models may be shortened. "5/M" is 5 dollars per million tokens.
Answers are tables: columns, and rows. nextCursor goes on with the same arguments and cursor.`

// instructions are those for every catalog, and of what this one was built.
func (a *Agent) instructions() string {
	lines := append([]string{instructions, v3.BuiltOf(a.build)}, v3.Shortcomings(a.build)...)
	return strings.TrimSpace(strings.Join(append(lines, a.trust), "\n"))
}

// New indexes a catalog. It fails if a catalog to compare with is not older.
func New(c *catalog.Catalog, o Options) (*Agent, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Build == nil {
		o.Build = &record.CatalogBuild{}
	}
	ranker := sync.OnceValues(func() (*v3.Ranker, error) { return v3.New(c) })
	a := &Agent{catalog: c, build: o.Build, now: o.Now, trust: o.Trust, ranker: ranker, index: newIndex(c),
		slots: make(chan struct{}, maxCalls), logger: o.Logger}
	for _, older := range o.Against {
		if older.AsOf() > c.AsOf() {
			return nil, fmt.Errorf("the older catalog is as of %s, after %s", older.AsOf(), c.AsOf())
		}
	}
	a.older = slices.SortedStableFunc(slices.Values(o.Against), func(x, y *catalog.Catalog) int {
		return strings.Compare(x.AsOf(), y.AsOf())
	})
	a.server = mcp.NewServer(&mcp.Implementation{Name: "svc", Title: "Model catalog", Version: o.Version},
		&mcp.ServerOptions{
			Instructions: a.instructions(),
			Logger:       slog.New(quiet{o.Logger.Handler()}),
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
		})
	for _, t := range a.tools() {
		open := false
		a.server.AddTool(&mcp.Tool{
			Name: t.name, Title: t.title, Description: t.description,
			InputSchema: json.RawMessage(t.input),
			Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &open},
		}, a.handle(t))
	}
	a.addResources()
	a.server.AddReceivingMiddleware(refuseAbsent)
	return a, nil
}

// quiet lets warnings through: the library tells of the beginning and the end of every
// request.
type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}

// refuseAbsent refuses what the server has not. Nothing that is served changes, and whoever
// listens for changes would take a slot for as long as they like.
func refuseAbsent(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		switch method {
		case "subscriptions/listen", "resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get",
			"logging/setLevel":
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this server has no " + method}
		}
		return next(ctx, method, r)
	}
}

// Run serves one client over a transport until it ends or the context does.
func (a *Agent) Run(ctx context.Context, t mcp.Transport) error { return a.server.Run(ctx, t) }

// tool is one tool: what clients are told of it, and what it does.
type tool struct {
	name, title, description string
	input                    string // a JSON Schema
	// call answers. The error is a fault of the arguments, or says that the answer is too
	// large.
	call func(ctx context.Context, arguments []byte) (any, error)
}

// answer is what tools answer: how old the catalog is, what it comes to in sentences, what these
// take as given, and a table.
type answer struct {
	Catalog     string                    `json:"catalog"`
	Answer      []string                  `json:"answer,omitempty"`
	Assumptions []string                  `json:"assumptions,omitempty"`
	Facets      map[string]map[string]int `json:"facets,omitempty"` // models by maker, provider and key
	Total       int                       `json:"total"`            // rows, also of other pages
	Columns     []string                  `json:"columns"`
	Rows        [][]any                   `json:"rows"`
	NextCursor  string                    `json:"nextCursor,omitempty"`
}

// newAnswer makes an answer without rows.
func (a *Agent) newAnswer(columns ...string) *answer {
	return &answer{Catalog: a.age(), Columns: columns}
}

// age says of when the catalog is, how long that is ago, and what became of it.
func (a *Agent) age() string {
	text := "as of " + a.catalog.AsOf()
	if a.now != nil {
		asOf, _ := timestamp.Parse(a.catalog.AsOf()) // it is valid
		text += ", " + quantity.Count(max(0, int(a.now().Sub(asOf.Time())/(24*time.Hour))), "day") + " old"
	}
	if a.trust != "" {
		text += ". " + a.trust
	}
	return text
}

// handle makes a handler of a tool. Work whose caller has gone is not finished.
func (a *Agent) handle(t tool) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case a.slots <- struct{}{}:
			defer func() { <-a.slots }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		answer, err := t.call(ctx, r.Params.Arguments)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var text []byte
		if err == nil {
			if text, err = canonical.Marshal(answer); err == nil && len(text) > MaxAnswer {
				err = tooLarge(len(text), "ask for less: give query, limit or a single key")
			}
		}
		isError := err != nil
		if isError {
			text = canonical.MustMarshal(refusalOf(err))
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, IsError: isError}, nil
	}
}

// refusal is an answer that says what is wrong with the arguments.
type refusal struct {
	Code    string `json:"code"`
	Path    string `json:"path"`
	Message string `json:"message"`
}

func (r *refusal) Error() string { return r.Message }

// The codes of refusals that are not those of documents.
const (
	invalidArgument = "INVALID_ARGUMENT"
	unknownModel    = "UNKNOWN_MODEL"
	unknownKey      = "UNKNOWN_KEY"
	unknownRuntime  = "UNKNOWN_RUNTIME"
	unknownName     = "UNKNOWN_CANDIDATE"
	staleCursor     = "STALE_CURSOR"
	answerTooLarge  = "ANSWER_TOO_LARGE"
)

// refusalOf returns what a caller is told of an error.
func refusalOf(err error) *refusal {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r
	}
	if faults := problem.All(err); len(faults) > 0 {
		r := &refusal{string(faults[0].Code), faults[0].Path, faults[0].Error()}
		const most = 5 // faults that can be corrected at once
		for i, more := range faults[1:] {
			if i+1 == most {
				r.Message += fmt.Sprintf("; and %d more", len(faults)-most)
				break
			}
			r.Message += "; " + more.Error()
		}
		return r
	}
	return &refusal{invalidArgument, "$", problem.Brief(err.Error())}
}

func tooLarge(size int, advice string) error {
	return &refusal{answerTooLarge, "$", "the answer has " + strconv.Itoa(size) + " bytes, more than " +
		strconv.Itoa(MaxAnswer) + ": " + advice}
}

// decode reads the arguments of a call: the fields of a struct, by their names with a small
// letter. It returns the others that the tool knows, by name, and refuses those that it does not.
func decode(arguments []byte, into any, others ...string) (map[string]json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	if err := json.Unmarshal(arguments, &members); err != nil {
		return nil, &refusal{invalidArgument, "$", "must be an object"}
	}
	fields := reflect.ValueOf(into).Elem()
	known := slices.Clone(others)
	for _, field := range reflect.VisibleFields(fields.Type()) {
		if field.Anonymous {
			continue // its own fields follow
		}
		name, value := strings.ToLower(field.Name[:1])+field.Name[1:], fields.FieldByIndex(field.Index)
		known = append(known, name)
		text, isThere := members[name]
		delete(members, name)
		if !isThere || string(text) == "null" {
			continue
		}
		if _, isRaw := value.Interface().(json.RawMessage); !isRaw && text[0] == '"' && len(text) > maxText {
			return nil, &refusal{invalidArgument, "$." + name, fmt.Sprintf("must be at most %d bytes", maxText)}
		}
		if err := json.Unmarshal(text, value.Addr().Interface()); err != nil {
			rule := problem.Brief(err.Error())
			if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
				rule = "must be " + map[reflect.Kind]string{reflect.String: "a text", reflect.Int: "a whole number",
					reflect.Bool: "true or false", reflect.Slice: "a text or a list of texts"}[mismatch.Type.Kind()]
			}
			return nil, &refusal{invalidArgument, "$." + name, rule}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(known, name) {
			slices.Sort(known)
			return nil, &refusal{invalidArgument, "$", "there is no argument " + quote(name) + ", allowed are " +
				strings.Join(known, ", ")}
		}
	}
	return members, nil
}

// texts are some texts, which may be written as one.
type texts []string

func (t *texts) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*t = nil
		if one != "" {
			*t = texts{one}
		}
		return nil
	}
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		return &json.UnmarshalTypeError{Type: reflect.TypeFor[texts]()}
	}
	*t = list
	return nil
}

// whole is a whole number as JSON Schema has it: 3.0 is one.
type whole int

func (w *whole) UnmarshalJSON(text []byte) error {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return &json.UnmarshalTypeError{Value: "number", Type: reflect.TypeFor[int]()}
	}
	*w = whole(f)
	return nil
}

// How many rows an answer has: usually, and at most.
const usualLimit, maxLimit = 10, 100

// page are the arguments of every list: how many rows are asked for, and where they begin.
type page struct {
	Limit  *whole
	Cursor string
}

func (p page) check() error {
	if p.Limit != nil && (*p.Limit < 1 || *p.Limit > maxLimit) {
		return &refusal{invalidArgument, "$.limit", "must be from 1 to 100"}
	}
	return nil
}

func (p page) rows() int {
	if p.Limit == nil {
		return usualLimit
	}
	return int(*p.Limit)
}

// decodeList reads the arguments of a call that lists, of which p is a part.
func decodeList(arguments []byte, into any, p *page) error {
	if _, err := decode(arguments, into); err != nil {
		return err
	}
	return p.check()
}
