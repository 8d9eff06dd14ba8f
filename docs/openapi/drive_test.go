package openapi

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/model-catalog-service/svc/internal/httpserver"
)

// call is a request and what must come of it.
type call struct {
	why    string // what the case is about, in words
	server string // the name of the one that is asked
	method string
	path   string // as described; empty for paths that are not
	target string // path and query on the wire; path if empty
	header map[string]string
	plus   map[string]string // headers that are not looked at
	body   string
	stream bool // send the body without its length

	status int
	code   string // of the error; empty if it is none
}

// ignored is the name of a parameter of the query that means nothing.
const ignored = "ignored"

func (c *call) String() string {
	return fmt.Sprintf("%s %s (%s)", c.method, c.wire(), c.why)
}

func (c *call) wire() string {
	if c.target == "" {
		return c.path
	}
	return c.target
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// ofProtocol are headers that the HTTP library adds to all that any server of it
// says: they belong to HTTP, not to a service.
var ofProtocol = []string{"Date", "Connection"}

// drive makes the calls, holds each answer against the description, and in the
// end the description against all answers.
func drive(t *testing.T, d *description, servers map[string]string, calls []call) {
	told := map[string]bool{}
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		client := newClient(t, http2)
		for i := range calls {
			c := &calls[i]
			a := c.make(t, client, servers)
			if a.status != c.status {
				t.Errorf("%s over %s: status %d, want %d: %s", c, name, a.status, c.status, a.body)
				continue
			}
			if c.method == http.MethodHead {
				a = c.completed(t, a, client, servers)
			}
			d.check(t, c, a, told)
		}
	}
	compare(t, told, d.facts(t), "is not described", "is described, but no exchange shows it")
}

func (c *call) make(t *testing.T, client *http.Client, servers map[string]string) answer {
	t.Helper()
	base, ok := servers[c.server]
	if !ok {
		t.Fatalf("%s: there is no server %q", c, c.server)
	}
	var body io.Reader
	if c.body != "" {
		body = strings.NewReader(c.body)
		if c.stream {
			body = io.MultiReader(body)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), c.method, base, body)
	if err != nil {
		t.Fatal(err)
	}
	if wire := c.wire(); wire == "*" {
		r.URL.Opaque, r.URL.Path = wire, wire
	} else if r.URL, err = url.Parse(base + wire); err != nil {
		t.Fatal(err)
	}
	for _, headers := range []map[string]string{c.header, c.plus} {
		for name, value := range headers {
			r.Header.Set(name, value)
		}
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

// completed returns the answer to HEAD with the body that GET gets. Else they
// must not differ.
func (c *call) completed(t *testing.T, head answer, client *http.Client, servers map[string]string) answer {
	t.Helper()
	twin := *c
	twin.method = http.MethodGet
	get := twin.make(t, client, servers)
	if head.body != "" {
		t.Errorf("%s: there is a body: %s", c, head.body)
	}
	for _, name := range ofProtocol {
		head.header.Del(name)
		get.header.Del(name)
	}
	if head.status != get.status || !equal(t, head.header, get.header) {
		t.Errorf("%s: %d %v, but GET gets %d %v", c, head.status, head.header, get.status, get.header)
	}
	return get
}

// check holds an answer against the description, and adds to told what it shows.
func (d *description) check(t *testing.T, c *call, a answer, told map[string]bool) {
	t.Helper()
	operation, responses := d.responses(t, c.path, c.method)
	fact := operation + ": " + strconv.Itoa(a.status)
	told[fact] = true
	response := responses[strconv.Itoa(a.status)]
	if response == nil {
		return // which the comparison of facts will tell
	}
	d.checkHeaders(t, c, a, response, func(name string) { told[fact+" with header "+name] = true })
	d.checkBody(t, c, a, response, fact, told)
	if c.path != "" {
		d.checkRequest(t, c, operation, told)
	}
}

func (d *description) checkHeaders(t *testing.T, c *call, a answer, response *openapi3.ResponseRef, tell func(name string)) {
	t.Helper()
	names := map[string]string{} // as described, by the form of the library
	for name, header := range response.Value.Headers {
		names[http.CanonicalHeaderKey(name)] = name
		if header.Value.Required && len(a.header.Values(name)) == 0 {
			t.Errorf("%s: %d comes without %s", c, a.status, name)
		}
	}
	for sent, values := range a.header {
		if slices.Contains(ofProtocol, sent) || sent == "Content-Type" {
			continue // the latter belongs to the body
		}
		name, ok := names[sent]
		if !ok {
			name = sent
		}
		tell(name)
		if !ok {
			continue
		}
		if len(values) != 1 {
			t.Errorf("%s: %d headers %s", c, len(values), name)
		}
		schema := d.schema(t, response.Value.Headers[name].Ref+"/schema")
		if err := schema.Validate(valueFor(schema, values[0])); err != nil {
			t.Errorf("%s: header %s: %v", c, name, err)
		}
	}
}

// valueFor reads the value of a header as its schema asks for it.
func valueFor(schema *jsonschema.Schema, text string) any {
	if schema.Ref != nil {
		schema = schema.Ref
	}
	if schema.Types != nil && slices.Equal(schema.Types.ToStrings(), []string{"integer"}) {
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	}
	return text
}

func (d *description) checkBody(t *testing.T, c *call, a answer, response *openapi3.ResponseRef, fact string, told map[string]bool) {
	t.Helper()
	if len(a.header["Content-Type"]) == 0 {
		if a.body != "" || c.code != "" {
			t.Errorf("%s: a body without a type: %s", c, a.body)
		}
		return
	}
	media, parameters, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil || len(parameters) > 0 && !equal(t, parameters, map[string]string{"charset": "utf-8"}) {
		t.Errorf("%s: Content-Type %s", c, a.header.Get("Content-Type"))
	}
	told[fact+" with "+media] = true
	content := response.Value.Content[media]
	if content == nil {
		return
	}
	body := decode(t, a.body)
	if err := d.bodySchema(t, response.Ref).Validate(body); err != nil {
		t.Errorf("%s: %d: %v", c, a.status, err)
	}
	code := ""
	if e, ok := body.(map[string]any)["error"].(map[string]any); ok {
		code, _ = e["code"].(string)
		told[fact+" with code "+code] = true
	}
	if code != c.code {
		t.Errorf("%s: code %q, want %q", c, code, c.code)
	}
	for name, example := range content.Examples {
		if equal(t, example.Value.Value, body) {
			told["example "+name+" of "+response.Ref] = true
		}
	}
}

// checkRequest tells which parameters and examples a request makes use of. What
// is answered with success must be a request as described.
func (d *description) checkRequest(t *testing.T, c *call, operation string, told map[string]bool) {
	t.Helper()
	o := d.Paths.Value(c.path).Operations()[c.method]
	if o == nil {
		return
	}
	u, err := url.Parse(c.wire())
	if err != nil {
		t.Fatal(err)
	}
	for name := range u.Query() {
		if name != ignored {
			told[operation+": given query "+name] = true
		}
	}
	for name := range c.header {
		if name != "Content-Type" { // which belongs to the body
			told[operation+": given header "+name] = true
		}
	}
	for _, p := range d.parameters(c.path, o) {
		d.checkParameter(t, c, p, u, told)
		if p.Value.In == openapi3.ParameterInPath {
			told[operation+": given path "+p.Value.Name] = true
		}
	}
	if o.RequestBody != nil && c.status < 400 {
		d.checkRequestBody(t, c, o.RequestBody, told)
	}
}

func (d *description) checkParameter(t *testing.T, c *call, p *openapi3.ParameterRef, u *url.URL, told map[string]bool) {
	t.Helper()
	var given any
	switch p.Value.In {
	case openapi3.ParameterInPath:
		given = path.Base(u.EscapedPath())
	case openapi3.ParameterInHeader:
		if value, ok := c.header[p.Value.Name]; ok {
			given = value
		}
	case openapi3.ParameterInQuery:
		given = queryValue(p.Value, u.Query()[p.Value.Name])
	}
	if given == nil {
		if p.Value.Required && c.status < 400 {
			t.Errorf("%s: there is an answer without %s", c, p.Value.Name)
		}
		return
	}
	if err := d.schema(t, p.Ref+"/schema").Validate(given); err != nil && c.status < 400 {
		t.Errorf("%s: it is answered, but %s is not as described: %v", c, p.Value.Name, err)
	}
	if equal(t, p.Value.Example, given) {
		told["example of parameter "+p.Value.Name] = true
	}
}

func (d *description) checkRequestBody(t *testing.T, c *call, request *openapi3.RequestBodyRef, told map[string]bool) {
	t.Helper()
	media, _, err := mime.ParseMediaType(c.header["Content-Type"])
	content := request.Value.Content[media]
	if err != nil || content == nil {
		t.Errorf("%s: it is answered, but the body is %q, which is not described", c, c.header["Content-Type"])
		return
	}
	body := decode(t, c.body)
	if err := d.bodySchema(t, request.Ref).Validate(body); err != nil {
		t.Errorf("%s: it is answered, but the body is not as described: %v", c, err)
	}
	for name, example := range content.Examples {
		if equal(t, example.Value.Value, body) {
			told["example "+name+" of "+request.Ref] = true
		}
	}
}

// queryValue returns what is given for a parameter of the query, nil for nothing.
func queryValue(p *openapi3.Parameter, values []string) any {
	switch {
	case len(values) == 0:
		return nil
	case p.Schema.Value.Type.Is("array"):
		list := make([]any, len(values))
		for i, v := range values {
			list[i] = v
		}
		return list
	}
	return values[0]
}

func newClient(t *testing.T, http2 bool) *http.Client {
	t.Helper()
	transport := &http.Transport{Protocols: new(http.Protocols), DisableCompression: true}
	transport.Protocols.SetHTTP1(!http2)
	transport.Protocols.SetUnencryptedHTTP2(http2)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// start serves a handler on a port of its own until the test ends, and returns
// its URL.
func start(t *testing.T, h http.Handler) string {
	t.Helper()
	l, err := httpserver.Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	s := httpserver.Start(l, h, httpserver.Options{})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Errorf("closing the server: %v", err)
		}
	})
	return s.URL()
}
