package httpapi

import (
	"net/http"
	"strconv"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/httpserver"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
	"github.com/model-catalog-service/svc/service/record"
)

// The codes of error bodies that are no codes of the library.
const (
	codeModelNotFound        problem.Code = "MODEL_NOT_FOUND"
	codeUnsupportedVersion   problem.Code = "UNSUPPORTED_API_VERSION"
	codeRankResultTooLarge   problem.Code = "RANK_RESULT_TOO_LARGE"
	codeRankCapacityExceeded problem.Code = "RANK_CAPACITY_EXCEEDED"
)

// HTTPStatuses returns the codes that error bodies have, each with its status.
func HTTPStatuses() map[problem.Code]int {
	return httpserver.Statuses(map[problem.Code]int{
		problem.InvalidRankRequest: http.StatusBadRequest,
		codeModelNotFound:          http.StatusNotFound,
		codeUnsupportedVersion:     http.StatusNotFound,
		codeRankResultTooLarge:     http.StatusUnprocessableEntity,
		codeRankCapacityExceeded:   http.StatusServiceUnavailable,
	})
}

// newCatalogReference is what every body says of the catalog.
func newCatalogReference(c *catalog.Catalog) record.CatalogReference {
	return record.CatalogReference{Digest: c.Digest(), AsOf: record.Timestamp(c.AsOf())}
}

// What Allow lists.
const (
	methodsOfReads = "GET, HEAD"
	methodsOfRank  = "POST, OPTIONS"
)

// The answers without a body.
var (
	notModified = httpserver.Answer{Status: http.StatusNotModified}

	preflight = httpserver.Answer{Status: http.StatusNoContent}.
			With("Allow", methodsOfRank).
			With("Access-Control-Allow-Methods", methodsOfRank).
			With("Access-Control-Allow-Headers", "Content-Type").
			With("Access-Control-Max-Age", "86400")
)

const jsonType = "application/json; charset=utf-8"

// newAnswer returns an answer with a JSON body, which may come in pieces.
func newAnswer(status int, body ...[]byte) httpserver.Answer {
	return httpserver.NewAnswer(status, body...).With("Content-Type", jsonType)
}

// commonHeader is what every answer has.
func commonHeader(c *catalog.Catalog, etag string, o Options) []httpserver.Field {
	header := []httpserver.Field{
		httpserver.NewField("ETag", etag),
		httpserver.NewField("X-Service-Catalog-Digest", c.Digest()),
		httpserver.NewField("X-Service-Catalog-As-Of", c.AsOf()),
		httpserver.NewField("Cache-Control", "public, max-age=0, must-revalidate"),
	}
	exposed := "ETag, X-Service-Catalog-As-Of, X-Service-Catalog-Digest"
	if o.Trust != "" {
		header = append(header, httpserver.NewField("X-Service-Catalog-Trust", o.Trust))
		exposed += ", X-Service-Catalog-Trust"
	}
	if o.SameOrigin {
		return header
	}
	return append(header,
		httpserver.NewField("Access-Control-Allow-Origin", "*"),
		httpserver.NewField("Access-Control-Expose-Headers", exposed))
}

// refusals are the answers that refuse a request without looking into its body.
type refusals struct {
	errors             httpserver.Errors
	notFound           httpserver.Answer
	modelNotFound      httpserver.Answer
	unsupportedVersion httpserver.Answer
	notForReads        httpserver.Answer // wrong methods
	notForRank         httpserver.Answer
	payloadTooLarge    httpserver.Answer
	resultTooLarge     httpserver.Answer
	overloaded         httpserver.Answer
	failed             httpserver.Answer
}

func newRefusals(c *catalog.Catalog, options Options) refusals {
	r := refusals{errors: httpserver.Errors{Schema: record.APIErrorSchema, Catalog: newCatalogReference(c),
		Statuses: HTTPStatuses()}}
	wrongMethod := r.answer(httpserver.CodeMethodNotAllowed, "Method not allowed: the Allow header lists those that are.")
	r.notFound = r.answer(httpserver.CodeNotFound, "Unknown path: "+string(routeModels)+" lists the models.")
	r.modelNotFound = r.answer(codeModelNotFound, "Unknown model key: it must be one that /v1/models lists.")
	r.unsupportedVersion = r.answer(codeUnsupportedVersion, "Unsupported API version: every path is under /v1.")
	r.notForReads = wrongMethod.With("Allow", methodsOfReads)
	r.notForRank = wrongMethod.With("Allow", methodsOfRank)
	r.payloadTooLarge = r.answer(httpserver.CodePayloadTooLarge,
		"Rank request must be at most "+strconv.Itoa(rank.MaxRequestBytes)+" bytes.")
	r.resultTooLarge = r.answer(codeRankResultTooLarge,
		"Rank result must be at most "+strconv.Itoa(options.MaxRankResponseBytes)+" bytes: ask for less at once.")
	r.overloaded = r.answer(codeRankCapacityExceeded, "Too many concurrent rank requests: try again later.").
		With("Retry-After", "1")
	r.failed = r.answer(httpserver.CodeInternalError, "Request handling failed.")
	return r
}

// answer returns the answer with an error code.
func (r *refusals) answer(code problem.Code, message string) httpserver.Answer {
	return r.errors.Answer(code, message).With("Content-Type", jsonType)
}
