package bundle

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// LowestVersion returns the lowest version of the schema that has all members and
// words of the records, for receivers of older versions refuse what is newer. It is
//
//	9  if some evidence has inconclusive or collectedByKind,
//	8  if some claim has conclusionConfidence.calibration,
//	7  if some evidence is a runtime_observation or has execution.environment,
//	5  else.
func LowestVersion(r *Records) int {
	lowest := firstVersion
	for i := range r.Evidence {
		lowest = max(lowest, lowestOf(r.Evidence[i].JSON, evidenceVersion, RuntimeObservation, "environment", "inconclusive",
			"collectedByKind"))
		if lowest == latestVersion {
			return lowest
		}
	}
	for i := range r.Claims {
		lowest = max(lowest, lowestOf(r.Claims[i].JSON, claimVersion, "calibration"))
	}
	return lowest
}

// lowestOf returns the lowest version for a record by a shape that knows its members.
// Few texts have to be read for that: those with one of the words, or with escapes.
func lowestOf(record string, shape *ijson.Shape[*ijson.Reader, int], words ...string) int {
	mentioned := func(word string) bool { return strings.Contains(record, word) }
	lowest := firstVersion
	if mentioned(`\u`) || slices.ContainsFunc(words, mentioned) {
		shape.Read(ijson.NewReader(record, problem.InvalidTrustBundle), &lowest)
	}
	return lowest
}

const runtimeVersion = 7 // runtime_observation and execution.environment

var (
	evidenceVersion = ijson.NewOpenShape(
		ijson.Optional("evidenceType", func(r *ijson.Reader, lowest *int) {
			if r.String() == RuntimeObservation {
				*lowest = max(*lowest, runtimeVersion)
			}
		}),
		ijson.Optional("execution", func(r *ijson.Reader, lowest *int) {
			executionVersion.Read(r, lowest)
		}),
		needs("collectedByKind", collectorVersion),
		needs("inconclusive", collectorVersion),
	)
	executionVersion = ijson.NewOpenShape(needs("environment", runtimeVersion))
	claimVersion     = ijson.NewOpenShape(
		ijson.Optional("conclusionConfidence", func(r *ijson.Reader, lowest *int) {
			confidenceVersion.Read(r, lowest)
		}),
	)
	confidenceVersion = ijson.NewOpenShape(needs("calibration", calibratedVersion))
)

// needs is a member that came with a version.
func needs(name string, version int) ijson.ShapeMember[*ijson.Reader, int] {
	return ijson.Optional(name, func(r *ijson.Reader, lowest *int) {
		r.Skip()
		*lowest = max(*lowest, version)
	})
}
