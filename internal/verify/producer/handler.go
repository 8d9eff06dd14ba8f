package producer

import (
	"context"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/problem"
)

// The paths of the endpoint, which are alike.
const (
	ProfilePath = "/.well-known/profile/verify"
	HachurePath = "/.well-known/hachure/verify"
)

const (
	maxBody = 1 << 20 // of a POST, in bytes

	// answerTime is how long a store and a signer may take for an answer.
	answerTime = 10 * time.Second

	// maxAnswers is how many answers are made at once, and turnTime how long a
	// question waits until there are fewer: most take a few milliseconds.
	maxAnswers = 8
	turnTime   = time.Second
)

// HandlerOptions are the options of a handler. All may be left out.
type HandlerOptions struct {
	Log *slog.Logger     // takes the causes of answers with status 500 and 503, and at debug level a line a request
	Now func() time.Time // dates the answers

	// Origin is the origin whose pages may ask from a browser, such as
	// https://app.example.org, or * for all pages. Empty: none but the endpoint's own.
	Origin string

	// MaxAge is for how long caches may keep an answer, in whole seconds. A claim that is
	// revoked meanwhile holds for those who ask the cache. Zero: no cache keeps any.
	MaxAge time.Duration

	// Observe, if not nil, is called at the end of each exchange. It is called
	// from many goroutines at once and must not block.
	Observe func(httpserver.Exchange)
}

// Handler serves a responder over HTTP. It authenticates nobody: put its producer's
// own authentication in front of it.
type Handler struct {
	endpoint    httpserver.Endpoint
	responder   atomic.Pointer[Responder]
	now         func() time.Time
	errors      httpserver.Errors
	notFound    httpserver.Answer
	wrongMethod httpserver.Answer
	wrongMedia  httpserver.Answer
	unavailable httpserver.Answer
	large       httpserver.Answer
	preflight   *httpserver.Answer // nil if no page of another origin may ask
	maxAge      string             // the value of Cache-Control of an answer, empty for that of all
}

const errorSchema = "service.verify.error/v1"

// The codes of error answers that are this endpoint's own.
const (
	codeUnsupportedMedia problem.Code = "UNSUPPORTED_MEDIA_TYPE"
	codeStoreUnavailable problem.Code = "STORE_UNAVAILABLE"
	codeCapacityExceeded problem.Code = "VERIFY_CAPACITY_EXCEEDED"
	codeAnswerTooLarge   problem.Code = "ANSWER_TOO_LARGE"
)

// HTTPStatuses returns the codes that error documents have, each with its status.
func HTTPStatuses() map[problem.Code]int {
	return httpserver.Statuses(map[problem.Code]int{
		problem.InvalidVerifyRequest: http.StatusBadRequest,
		codeUnsupportedMedia:         http.StatusUnsupportedMediaType,
		codeStoreUnavailable:         http.StatusServiceUnavailable,
		codeCapacityExceeded:         http.StatusServiceUnavailable,
		codeAnswerTooLarge:           http.StatusUnprocessableEntity,
	})
}

// NewHandler returns a handler of both paths of the endpoint, which may be
// mounted anywhere that leaves the path as it is.
func NewHandler(responder *Responder, options HandlerOptions) *Handler {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	e := httpserver.Errors{Schema: errorSchema, Statuses: HTTPStatuses()}
	methods := "GET, HEAD, POST"
	if options.Origin != "" {
		methods += ", OPTIONS"
	}
	h := &Handler{
		now: options.Now,
		endpoint: httpserver.Endpoint{
			Header: []httpserver.Field{
				httpserver.NewField("Content-Type", "application/json"),
				httpserver.NewField("Cache-Control", "no-store"),
				httpserver.NewField("X-Content-Type-Options", "nosniff"),
			},
			TooLarge: e.Answer(httpserver.CodePayloadTooLarge, "Send at most 1 MiB."),
			Busy:     e.Answer(codeCapacityExceeded, "Too many questions at once: try again later.").With("Retry-After", "1"),
			Failed:   e.Answer(httpserver.CodeInternalError, "Request handling failed."),
			Capacity: httpserver.NewCapacity(maxAnswers, turnTime),
			Logger:   options.Log,
			Observe:  options.Observe,
		},
		errors:      e,
		notFound:    e.Answer(httpserver.CodeNotFound, "There is nothing at this path."),
		wrongMethod: e.Answer(httpserver.CodeMethodNotAllowed, "Ask with GET, HEAD or POST.").With("Allow", methods),
		wrongMedia:  e.Answer(codeUnsupportedMedia, "Send application/json."),
		large:       e.Answer(codeAnswerTooLarge, "The answer would have more than 8 MiB: ask for fewer refs at once."),
		unavailable: e.Answer(codeStoreUnavailable, "The store cannot answer now.").With("Retry-After", "1"),
	}
	h.responder.Store(responder)
	if options.Origin != "" {
		h.endpoint.Header = append(h.endpoint.Header, httpserver.NewField("Access-Control-Allow-Origin", options.Origin))
		preflight := httpserver.Answer{Status: http.StatusNoContent}.With("Allow", methods).
			With("Access-Control-Allow-Methods", methods).
			With("Access-Control-Allow-Headers", "Content-Type, Authorization").
			With("Access-Control-Max-Age", "86400")
		h.preflight = &preflight
	}
	if seconds := int64(options.MaxAge / time.Second); seconds > 0 {
		h.maxAge = "max-age=" + strconv.FormatInt(seconds, 10)
	}
	return h
}

// Replace makes another responder answer from the next request on.
func (h *Handler) Replace(responder *Responder) { h.responder.Store(responder) }

// AnswersInFlight is how many answers are being made.
func (h *Handler) AnswersInFlight() int { return h.endpoint.Capacity.InFlight() }

// HeldBytes is how many bytes the answers have that their clients have not taken
// yet.
func (h *Handler) HeldBytes() int64 { return h.endpoint.Capacity.HeldBytes() }

// ServeHTTP answers a request. A request that cannot be answered, or not to its
// end, makes it panic with [http.ErrAbortHandler], which tells the server to
// break the connection.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.endpoint.Serve(w, r, h.answer)
}

// answer looks at path, method, media type, size and content, in this order.
func (h *Handler) answer(c *httpserver.Call) {
	r := c.Request
	if path := httpserver.WirePath(r.URL); path == ProfilePath || path == HachurePath {
		c.Route = path
	}
	switch {
	case c.Route == "":
		c.Send(&h.notFound)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		query := r.URL.RawQuery
		c.Work(httpserver.NoBody, func(ctx context.Context, _ string) (*httpserver.Answer, bool) {
			q, err := ParseQuestion(query)
			return h.respond(ctx, c, q, err)
		})
	case r.Method == http.MethodOptions && h.preflight != nil:
		c.Send(h.preflight)
	case r.Method != http.MethodPost:
		c.Send(&h.wrongMethod)
	case !isJSON(r.Header.Get("Content-Type")):
		c.Send(&h.wrongMedia)
	default:
		c.Work(maxBody, func(ctx context.Context, body string) (*httpserver.Answer, bool) {
			q, err := ReadQuestion(body)
			return h.respond(ctx, c, q, err)
		})
	}
}

func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/json"
}

// respond returns the answer to a question, or to one that could not be read, and
// whether it is made for this request alone.
func (h *Handler) respond(ctx context.Context, c *httpserver.Call, q *Question, err error) (a *httpserver.Answer,
	isOwn bool) {
	if err != nil {
		refusal := h.errors.Answer(problem.InvalidVerifyRequest, err.Error())
		return &refusal, true
	}
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	responder := h.responder.Load()
	refs, err := responder.meant(limited, q)
	var response *Response
	if err == nil {
		response, err = responder.Respond(limited, refs, h.now(), q.Nonce)
	}
	if err == nil {
		answer := httpserver.NewAnswer(http.StatusOK, response.JSON)
		if h.maxAge != "" {
			answer = answer.With("Cache-Control", h.maxAge)
		}
		return &answer, true
	}
	if _, ok := errors.AsType[*TooLargeError](err); ok {
		return &h.large, false
	}
	if _, ok := errors.AsType[*StoreError](err); ok {
		if ctx.Err() == nil { // else the client went away
			c.Log("store unavailable", err.Error())
		}
		return &h.unavailable, false
	}
	return c.Fail(err.Error()), false
}
