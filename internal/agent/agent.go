// Package agent is the catalog for programs that reason: tools and resources over the
// Model Context Protocol, by which a client that knows no name in advance finds the keys
// of a catalog, its models, ranks candidates and sees why.
//
//	list_keys -> list_models -> rank -> explain
//
// and, with an older catalog beside it, what changed since.
//
// Every tool only reads. An answer is JSON of at most 32 KiB, as structured content and
// as text: lists end early with a cursor. What is wrong with an argument is an answer,
// too, with a code, a path and a message, so that the caller can correct it. Texts of the
// catalog come from strangers: they are data in answers, and never a part of what
// describes a tool.
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

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
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
	Against *catalog.Catalog     // an older catalog, with which the tool diff compares; nil for none
	Build   *record.CatalogBuild // what is known of the catalog's build; nil for nothing
	Logger  *slog.Logger         // nil logs nothing
}

// Agent serves one catalog. It is safe for concurrent use; [New] makes one.
type Agent struct {
	catalog    *catalog.Catalog
	ranker     func() (*v3.Ranker, error) // indexes the catalog once it is asked
	index      *index
	vocabulary *rank.Vocabulary
	older      *baseline // nil without an older catalog
	build      *record.CatalogBuild
	slots      chan struct{}
	server     *mcp.Server
	logger     *slog.Logger
}

const instructions = `A catalog holds what was stated and measured of AI models, each with source, date and ` +
	`validity. Numbers are evidence: where something is unknown, expired or contradicted, say so, and never fill a ` +
	`value in. Prices are in USD per token.
Order: list_keys (what is known), list_models (of which models), rank, explain (why).
rank takes a question, here of models for at most 5 dollars per million tokens:
{"request":{"maximize":["KEY"],"atMost":{"price.output":"5/M"},"runtimes":["RUNTIME"]}}
or your own candidates and criteria:
{"request":{"schemaVersion":"service.rank.request/v3",
"inventory":[{"id":"a","model":{"id":"ID"},"execution":{"runtime":{"id":"RUNTIME"}}}],
"requirements":[{"measurementKey":"KEY","aggregation":"fact","operator":"lte","value":0.000005}],
"preferences":[{"measurementKey":"KEY","aggregation":"mean","transfer":["execution"],` +
	`"direction":"maximize","weight":1}]}}
The answer of rank has sentences.
Samples have mean, min, max, count, success-rate.`

// instructions are those for every catalog, and of what this one was built.
func (a *Agent) instructions() string {
	lines := append([]string{instructions, v3.BuiltOf(a.build)}, v3.Shortcomings(a.build)...)
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func newRanker(c *catalog.Catalog) func() (*v3.Ranker, error) {
	return sync.OnceValues(func() (*v3.Ranker, error) { return v3.New(c) })
}

// New indexes a catalog. It fails if the older catalog is not older.
func New(c *catalog.Catalog, o Options) (*Agent, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Build == nil {
		o.Build = &record.CatalogBuild{}
	}
	a := &Agent{catalog: c, build: o.Build, ranker: newRanker(c), index: newIndex(c),
		vocabulary: rank.NewVocabulary(c), slots: make(chan struct{}, maxCalls), logger: o.Logger}
	if o.Against != nil {
		if o.Against.AsOf() > c.AsOf() {
			return nil, fmt.Errorf("the older catalog is as of %s, after %s", o.Against.AsOf(), c.AsOf())
		}
		a.older = &baseline{o.Against, newRanker(o.Against), newIndex(o.Against)}
	}
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
			InputSchema: json.RawMessage(t.input), OutputSchema: json.RawMessage(t.output),
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
	input, output            string // JSON Schemas
	// call answers. The error is a fault of the arguments, or says that the answer is too
	// large.
	call func(ctx context.Context, arguments []byte) (any, error)
}

// handle makes a handler of a tool.
func (a *Agent) handle(t tool) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case a.slots <- struct{}{}:
			defer func() { <-a.slots }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		answer, err := t.call(ctx, r.Params.Arguments)
		if err == nil {
			var text []byte
			if text, err = canonical.Marshal(answer); err == nil && len(text) > MaxAnswer {
				err = tooLarge(len(text), "ask for less: give query, limit or a single key")
			}
			if err == nil {
				return result(text, false), nil
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return result(canonical.MustMarshal(refusalOf(err)), true), nil
	}
}

// result is an answer. Clients hold structured content against the output schema of the
// tool, whether or not it is an error: so a refusal is text alone.
func result(text []byte, isError bool) *mcp.CallToolResult {
	r := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, IsError: isError}
	if !isError {
		r.StructuredContent = json.RawMessage(text)
	}
	return r
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

// decode reads the arguments of a call: the fields of a struct, by their names in small
// letters. There may be no others.
func decode(arguments []byte, into any) error {
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &members); err != nil {
		return &refusal{invalidArgument, "$", "must be an object"}
	}
	var known []string
	for field := range reflect.TypeOf(into).Elem().Fields() {
		known = append(known, strings.ToLower(field.Name))
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(known, name) {
			rule := "there is no argument " + quote(name) + ", allowed are " + strings.Join(known, ", ")
			if slices.Contains(known, "request") {
				rule += "; what is asked is a member of request: " + `{"request":{"maximize":["KEY"]}}`
			}
			return &refusal{invalidArgument, "$", rule}
		}
		if value := members[name]; value[0] == '"' && len(value) > maxText && name != "request" {
			return &refusal{invalidArgument, "$." + name, fmt.Sprintf("must be at most %d bytes", maxText)}
		}
	}
	if err := json.Unmarshal(arguments, into); err != nil {
		path, rule := "$", problem.Brief(err.Error())
		if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			path += "." + strings.ToLower(mismatch.Field)
			rule = "must be " + map[reflect.Kind]string{reflect.String: "a text", reflect.Int: "a whole number",
				reflect.Bool: "true or false", reflect.Slice: "a list"}[mismatch.Type.Kind()]
		}
		return &refusal{invalidArgument, path, rule}
	}
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

// within checks a limit, and gives the usual one where there is none.
func within(limit *whole, usual int) (int, error) {
	const most = 100
	switch {
	case limit == nil:
		return usual, nil
	case *limit < 1 || *limit > most:
		return 0, &refusal{invalidArgument, "$.limit", "must be from 1 to 100"}
	}
	return int(*limit), nil
}

// reference names the catalog in answers.
type reference struct {
	Digest string `json:"digest"`
	AsOf   string `json:"asOf"`
}

func (a *Agent) reference() reference { return reference{a.catalog.Digest(), a.catalog.AsOf()} }
