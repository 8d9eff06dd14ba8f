package httpapi

import (
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
)

// The codes of error bodies that are no codes of the library.
const (
	codeNotFound             problem.Code = "NOT_FOUND"
	codeModelNotFound        problem.Code = "MODEL_NOT_FOUND"
	codeUnsupportedVersion   problem.Code = "UNSUPPORTED_API_VERSION"
	codeMethodNotAllowed     problem.Code = "METHOD_NOT_ALLOWED"
	codePayloadTooLarge      problem.Code = "PAYLOAD_TOO_LARGE"
	codeRankResultTooLarge   problem.Code = "RANK_RESULT_TOO_LARGE"
	codeRankCapacityExceeded problem.Code = "RANK_CAPACITY_EXCEEDED"
	codeInternalError        problem.Code = "INTERNAL_ERROR"
)

// httpStatuses is the one table of codes and statuses.
var httpStatuses = map[problem.Code]int{
	problem.InvalidRankRequest: http.StatusBadRequest,
	codeNotFound:               http.StatusNotFound,
	codeModelNotFound:          http.StatusNotFound,
	codeUnsupportedVersion:     http.StatusNotFound,
	codeMethodNotAllowed:       http.StatusMethodNotAllowed,
	codePayloadTooLarge:        http.StatusRequestEntityTooLarge,
	codeRankResultTooLarge:     http.StatusUnprocessableEntity,
	codeRankCapacityExceeded:   http.StatusServiceUnavailable,
	codeInternalError:          http.StatusInternalServerError,
}

// HTTPStatuses returns the codes that error bodies have, each with its status.
func HTTPStatuses() map[problem.Code]int { return maps.Clone(httpStatuses) }

// ErrorSchema is the schema version of error bodies.
const ErrorSchema = "service.api.error/v1"

// refuser makes answers that refuse something. Its member is canonical JSON.
type refuser struct{ catalog string }

func (r refuser) refusal(code problem.Code, message string) answer {
	e := canonical.Encoder{}
	e.Raw(`{"catalog":`)
	e.Raw(r.catalog)
	e.Raw(`,"error":{"code":"`)
	e.Raw(string(code))
	e.Raw(`","message":`)
	e.Text(strings.ToValidUTF8(message, "\uFFFD"))
	e.Raw(`},"schemaVersion":"` + ErrorSchema + `"}`)
	return newAnswer(httpStatuses[code], e.Buf)
}

// refusals are the answers that refuse a request without looking into its body.
type refusals struct {
	refuser
	notFound           answer
	modelNotFound      answer
	unsupportedVersion answer
	notForReads        answer // wrong methods
	notForRank         answer
	payloadTooLarge    answer
	resultTooLarge     answer
	overloaded         answer
	failed             answer
}

func newRefusals(c *catalog.Catalog, options Options) refusals {
	r := refuser{string(appendCatalog(nil, c))}
	wrongMethod := r.refusal(codeMethodNotAllowed, "Method not allowed: the Allow header lists those that are.")
	return refusals{
		refuser:            r,
		notFound:           r.refusal(codeNotFound, "Unknown path."),
		modelNotFound:      r.refusal(codeModelNotFound, "Unknown model key: it must be one that /v1/models lists."),
		unsupportedVersion: r.refusal(codeUnsupportedVersion, "Unsupported API version: every path is under /v1."),
		notForReads:        wrongMethod.with("Allow", methodsOfReads),
		notForRank:         wrongMethod.with("Allow", methodsOfRank),
		payloadTooLarge: r.refusal(codePayloadTooLarge,
			"Rank request must be at most "+strconv.Itoa(rank.MaxRequestBytes)+" bytes."),
		resultTooLarge: r.refusal(codeRankResultTooLarge,
			"Rank result must be at most "+strconv.Itoa(options.MaxRankResponseBytes)+" bytes: ask for less at once."),
		overloaded: r.refusal(codeRankCapacityExceeded, "Too many concurrent rank requests: try again later.").
			with("Retry-After", "1"),
		failed: r.refusal(codeInternalError, "Request handling failed."),
	}
}
