package producer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
)

// The paths of the endpoint, which are alike.
const (
	ProfilePath = "/.well-known/profile/verify"
	HachurePath = "/.well-known/hachure/verify"
)

const (
	maxBody = 1 << 20 // of a POST, in bytes

	// bodyTime is how long the body of a POST may take to come.
	bodyTime = 30 * time.Second

	// answerTime is how long a store and a signer may take for an answer.
	answerTime = 10 * time.Second

	// What is read of a body that is too long, so that a client that sends all
	// of it before it looks for an answer finds one.
	maxDropped = 16 << 20
	dropTime   = 2 * time.Second
)

// HandlerOptions are the options of a handler. All may be left out.
type HandlerOptions struct {
	Log *slog.Logger     // takes the causes of answers with status 500 and 503
	Now func() time.Time // dates the answers
}

// Handler serves a responder over HTTP. It authenticates nobody: it belongs
// behind its producer's own authentication.
type Handler struct {
	responder *Responder
	log       *slog.Logger
	now       func() time.Time
}

// NewHandler returns a handler of both paths of the endpoint, which may be
// mounted anywhere that leaves the path as it is.
func NewHandler(responder *Responder, options HandlerOptions) *Handler {
	h := &Handler{responder, options.Log, options.Now}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if h.now == nil {
		h.now = time.Now
	}
	return h
}

// The codes of error answers that are not those of a document.
const (
	codeNotFound         problem.Code = "NOT_FOUND"
	codeMethodNotAllowed problem.Code = "METHOD_NOT_ALLOWED"
	codePayloadTooLarge  problem.Code = "PAYLOAD_TOO_LARGE"
	codeUnsupportedMedia problem.Code = "UNSUPPORTED_MEDIA_TYPE"
	codeStoreUnavailable problem.Code = "STORE_UNAVAILABLE"
	codeInternalError    problem.Code = "INTERNAL_ERROR"
)

// httpStatuses is the one table of codes and statuses.
var httpStatuses = map[problem.Code]int{
	problem.InvalidVerifyRequest: http.StatusBadRequest,
	codeNotFound:                 http.StatusNotFound,
	codeMethodNotAllowed:         http.StatusMethodNotAllowed,
	codePayloadTooLarge:          http.StatusRequestEntityTooLarge,
	codeUnsupportedMedia:         http.StatusUnsupportedMediaType,
	codeStoreUnavailable:         http.StatusServiceUnavailable,
	codeInternalError:            http.StatusInternalServerError,
}

// HTTPStatuses returns the codes that error documents have, each with its status.
func HTTPStatuses() map[problem.Code]int { return maps.Clone(httpStatuses) }

// refusal is an answer that is an error.
type refusal struct {
	code    problem.Code
	message string
	header  string // name of one more header
	value   string
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, refused := h.answer(w, r)
	header := w.Header()
	header["Content-Type"] = contentType
	header["Cache-Control"] = noStore
	header["X-Content-Type-Options"] = noSniff
	status := http.StatusOK
	if refused != nil {
		status, body = httpStatuses[refused.code], refused.body()
		if refused.header != "" {
			header.Set(refused.header, refused.value)
		}
	}
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that went away is no fault of the server
	}
}

var (
	contentType = []string{"application/json"}
	noStore     = []string{"no-store"}
	noSniff     = []string{"nosniff"}
)

const errorSchema = "service.verify.error/v1"

// body is the error document.
func (f *refusal) body() []byte {
	e := canonical.Encoder{}
	e.Raw(`{"error":{"code":`)
	e.Text(string(f.code))
	e.Raw(`,"message":`)
	e.Text(f.message)
	e.Raw(`},"schemaVersion":"` + errorSchema + `"}`)
	return e.Buf
}

// answer returns the body of the answer, or why there is none. A panic is an
// answer, too: what comes from outside may not end the process.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request) (body []byte, refused *refusal) {
	defer func() {
		if v := recover(); v == http.ErrAbortHandler {
			panic(v)
		} else if v != nil {
			refused = h.broken(r, fmt.Errorf("panic: %v", v))
		}
	}()
	q, refused := question(w, r)
	if refused != nil {
		return nil, refused
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerTime)
	defer cancel()
	response, err := h.responder.Respond(ctx, q.Refs, h.now(), q.Nonce)
	if err == nil {
		return response.JSON, nil
	}
	if _, ok := errors.AsType[*StoreError](err); ok {
		if r.Context().Err() == nil { // else the client went away
			h.log.ErrorContext(r.Context(), "store unavailable", "error", err)
		}
		return nil, &refusal{codeStoreUnavailable, "The store cannot answer now.", "Retry-After", "1"}
	}
	return nil, h.broken(r, err)
}

func (h *Handler) broken(r *http.Request, err error) *refusal {
	h.log.ErrorContext(r.Context(), "verification request failed", "error", err)
	return &refusal{code: codeInternalError, message: "Request handling failed."}
}

// question reads what is asked: path, method, media type, size and content are
// looked at in this order.
func question(w http.ResponseWriter, r *http.Request) (*Question, *refusal) {
	// RawPath is set if the path was sent in another spelling.
	if path := r.URL.Path; path != ProfilePath && path != HachurePath || r.URL.RawPath != "" {
		return nil, &refusal{code: codeNotFound, message: "There is nothing at this path."}
	}
	var q *Question
	var err error
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		q, err = ParseQuestion(r.URL.RawQuery)
	case http.MethodPost:
		body, refused := readBody(w, r)
		if refused != nil {
			return nil, refused
		}
		q, err = ReadQuestion(body)
	default:
		return nil, &refusal{codeMethodNotAllowed, "Ask with GET, HEAD or POST.", "Allow", "GET, HEAD, POST"}
	}
	if err != nil {
		return nil, invalid(err)
	}
	return q, nil
}

func invalid(err error) *refusal {
	return &refusal{code: problem.InvalidVerifyRequest, message: err.Error()}
}

// readBody reads the body of a POST.
func readBody(w http.ResponseWriter, r *http.Request) (string, *refusal) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return "", &refusal{code: codeUnsupportedMedia, message: "Send application/json."}
	}
	// Not every server that this is mounted in lets its deadlines be set.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	var body []byte
	if r.ContentLength <= maxBody {
		body, err = io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	}
	_, tooLarge := errors.AsType[*http.MaxBytesError](err) // a limit of those around this handler
	if r.ContentLength > maxBody || len(body) > maxBody || tooLarge {
		drop(control, r)
		return "", &refusal{code: codePayloadTooLarge, message: "Send at most 1 MiB."}
	}
	if err != nil {
		return "", invalid(errors.New("the body did not come whole"))
	}
	return string(body), nil
}

// drop reads what is left of a body, where that cannot take for ever. A client
// that waits to be asked for it is not asked.
func drop(control *http.ResponseController, r *http.Request) {
	if r.Header.Get("Expect") != "" || control.SetReadDeadline(time.Now().Add(dropTime)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, r.Body, maxDropped)
}
