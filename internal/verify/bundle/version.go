package bundle

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// LowestVersion returns the lowest version of the schema that has all members and
// words of the records, for receivers of older versions refuse what is newer. It is
// 7 if some evidence is a runtime_observation or has an execution.environment, else
// 5.
func LowestVersion(r *Records) int {
	for i := range r.Evidence {
		if needsLatest(r.Evidence[i].JSON) {
			return latestVersion
		}
	}
	return firstVersion
}

var versionShape = ijson.NewOpenShape(
	ijson.Optional("evidenceType", func(r *ijson.Reader, latest *bool) {
		if r.String() == RuntimeObservation {
			*latest = true
		}
	}),
	ijson.Optional("execution", func(r *ijson.Reader, latest *bool) { environmentShape.Read(r, latest) }),
)

var environmentShape = ijson.NewOpenShape(
	ijson.Optional("environment", func(r *ijson.Reader, latest *bool) {
		r.Skip()
		*latest = true
	}),
)

// needsLatest reports whether a piece of evidence is of a kind that came with the
// latest version. Few texts have to be read for that.
func needsLatest(evidence string) (latest bool) {
	if strings.Contains(evidence, RuntimeObservation) || strings.Contains(evidence, "environment") || strings.Contains(evidence, `\u`) {
		versionShape.Read(ijson.NewReader(evidence, problem.InvalidTrustBundle), &latest)
	}
	return latest
}
