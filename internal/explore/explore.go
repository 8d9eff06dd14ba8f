// Package explore is the page on which people look at a catalog: which models there are
// and whether their evidence holds, what is good and cheap, who should do a job and why,
// and what changed. It promises that every number on the page comes from the API: anyone
// can fetch what it shows.
//
// [NewHandler] serves the page beside the API. [WriteReport] writes it as one HTML file
// with the data inside, which opens from disk.
//
// # The page
//
// Its sources are the modules and the style in web, bundled into app.js and app.css, which
// are committed. A worker, which is the same script, reads the index, in which each model has a
// row, and keeps it, so that the main thread never parses it; the observations of a model come
// when somebody looks at it. Candidates, values and sentences are made here, by rank requests:
// the page evaluates no criterion itself.
//
// Texts of a catalog come from strangers. The page makes nodes and sets their text; nothing
// is ever parsed as markup, and the policy of each answer lets no other script run.
package explore

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/ijson"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

//go:generate go -C ../../tools run ./bundle ../internal/explore/web ../internal/explore

var (
	//go:embed web/page.html
	page []byte
	//go:embed app.js
	script []byte
	//go:embed app.js.map
	scriptMap []byte
	//go:embed app.css
	style []byte
)

// Extras are what the page shows besides the catalog.
type Extras struct {
	Diff        *record.CatalogDiff // from an older catalog, or nil
	Requests    []Request
	CatalogFile string   // the name of the catalog's file, without its folder
	Notes       []string // sentences on how the catalog was built
	Build       *record.CatalogBuild
}

// Request is a rank request that the page knows. Where somebody asked for one the page opens
// on its answer.
type Request struct {
	Name     string // as a rule of its file
	Request  *v3.Request
	Question *v3.Question // that it was drafted of; nil for a request that is a file
	Options  []string     // of svc rank, which ask the same; nil for a request that is a file
	IsDraft  bool         // nobody asked for it: the answer begins with it
}

// policy lets the page load its script and style, ask the API, and start its worker.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"worker-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Paths that the page has besides those of the API.
const (
	pathPage   = "/"
	pathScript = "/explore/app.js"
	pathMap    = "/explore/app.js.map"
	pathStyle  = "/explore/app.css"
	pathExtras = "/explore/extras.json"
	pathIndex  = "/explore/index.json"
	pathModels = "/explore/models/"
	pathAnswer = "/explore/answer"
	pathRank   = "/explore/rank"
	pathPlot   = "/explore/plot"
)

// NewHandler returns the page in front of the handler of the API, which answers whatever is not
// the page's. The ranker answers questions. Requests of pages of other origins get 403, and on
// loopback those that name another host.
func NewHandler(api http.Handler, ranker *v3.Ranker, extras Extras) (http.Handler, error) {
	text, err := extras.json()
	if err != nil {
		return nil, err
	}
	x, err := newIndex(context.Background(), ranker)
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	const isJSON = "application/json"
	asked := &answerer{ranker, x, extras.Build}
	p := &front{api: api, details: newDetails(ranker.Catalog(), x), documents: map[string]*document{
		pathPage:   newDocument("text/html; charset=utf-8", page),
		pathScript: newDocument("text/javascript; charset=utf-8", script, httpserver.NewField("SourceMap", pathMap)),
		pathMap:    newDocument(isJSON, scriptMap),
		pathStyle:  newDocument("text/css; charset=utf-8", style),
		pathExtras: newDocument(isJSON, text),
		pathIndex:  newDocument(isJSON, list),
	}, asks: map[string]func(context.Context, string) ([]byte, error){
		pathAnswer: asked.answer, pathRank: asked.answerRequest, pathPlot: asked.plot}}
	p.endpoint = &httpserver.Endpoint{
		Header: []httpserver.Field{
			httpserver.NewField("Content-Security-Policy", policy), httpserver.NewField("X-Content-Type-Options", "nosniff"),
			httpserver.NewField("Referrer-Policy", "no-referrer"), httpserver.NewField("Cache-Control", "no-cache"),
		},
		TooLarge: plain(http.StatusRequestEntityTooLarge, "the question is too long"),
		Busy:     plain(http.StatusServiceUnavailable, "too many questions at once").With("Retry-After", "1"),
		Failed:   plain(http.StatusInternalServerError, "failed"),
		Capacity: httpserver.NewCapacity(maxQuestions, 0),
		Logger:   slog.New(slog.DiscardHandler),
	}
	return p, nil
}

func plain(status int, text string) httpserver.Answer {
	return httpserver.NewAnswer(status, []byte(text+"\n")).With("Content-Type", "text/plain; charset=utf-8")
}

var (
	foreign  = plain(http.StatusForbidden, "requests of other origins and to other hosts are refused")
	onlyRead = plain(http.StatusMethodNotAllowed, "only GET and HEAD").With("Allow", "GET, HEAD")
	onlyPost = plain(http.StatusMethodNotAllowed, "only POST").With("Allow", "POST")
	noModel  = plain(http.StatusNotFound, "no model of this catalog has this key")
)

// front is the page in front of the API.
type front struct {
	api       http.Handler
	endpoint  *httpserver.Endpoint
	details   *details
	documents map[string]*document
	asks      map[string]func(ctx context.Context, body string) ([]byte, error)
}

func (p *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	d, isDocument := p.documents[path]
	ask, isAsked := p.asks[path]
	key, isModel := strings.CutPrefix(path, pathModels)
	isAdmitted := httpserver.Admission{}.Admits(r)
	if isAdmitted && !isDocument && !isAsked && !isModel {
		p.api.ServeHTTP(w, r)
		return
	}
	isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
	p.endpoint.Serve(w, r, func(c *httpserver.Call) {
		switch {
		case !isAdmitted:
			c.Send(&foreign)
		case isAsked && r.Method != http.MethodPost:
			c.Send(&onlyPost)
		case isAsked:
			post(c, ask)
		case !isRead:
			c.Send(&onlyRead)
		case isModel:
			if text := p.details.of(key); text == nil {
				c.Send(&noModel)
			} else {
				c.Send(newVersions("application/json", text, nil).of(r))
			}
		case httpserver.MatchesETag(r.Header["If-None-Match"], d.tag):
			c.Send(&d.unchanged)
		default:
			c.Send(d.found.of(r))
		}
	})
}

// json is extras.json.
func (e *Extras) json() ([]byte, error) {
	type request struct {
		Name     string               `json:"name"`
		Request  json.RawMessage      `json:"request"`
		Question *record.RankQuestion `json:"question,omitempty"`
		Options  []string             `json:"options,omitempty"`
		IsDraft  bool                 `json:"isDraft,omitempty"`
	}
	requests := []request{}
	for _, q := range e.Requests {
		r := request{q.Name, json.RawMessage(q.Request.JSON()), nil, q.Options, q.IsDraft}
		if q.Question != nil {
			r.Question = q.Question.Record()
		}
		requests = append(requests, r)
	}
	out := map[string]any{"diff": nil, "requests": requests, "catalogFile": e.CatalogFile}
	if e.Diff != nil {
		out["diff"] = json.RawMessage(ijson.MustWriteTagged(e.Diff))
	}
	if e.Notes != nil {
		out["notes"] = e.Notes
	}
	if e.Build != nil && len(e.Build.Sources) > 0 {
		sources := []json.RawMessage{}
		for i := range e.Build.Sources {
			sources = append(sources, ijson.MustWriteTagged(&e.Build.Sources[i]))
		}
		out["sources"] = sources
	}
	return canonical.Marshal(out)
}

// hashSource is a script or style as a policy names it.
func hashSource(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
