package rank

import (
	"strings"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// The members of a result and its parts, in the order in which faults are
// reported. Those of a candidate and of a reason depend on the version.
var (
	resultFields        = ijson.NewFields("schemaVersion", "catalog", "task", "scoreScale", "ranked", "excluded")
	resultVersionFields = ijson.NewFields("schemaVersion?")
	catalogFields       = ijson.NewFields("digest", "asOf")
	scoreScaleFields    = ijson.NewFields("kind", "maximum")
	behindFields        = ijson.NewFields("measurementKey", "observationIds", "evidenceIds")
	uncertaintyFields   = ijson.NewFields("level", "basis", "gaps")
	applicabilityFields = ijson.NewFields("matchedKinds", "assertedDimensions", "wildcardedDimensions", "mismatchedDimensions")
	advisedFields       = ijson.NewFields("id", "measurementKey", "aggregation", "sourceClasses?", "status", "evidence",
		"uncertainty", "executionApplicability", "value?", "unit?")

	rankedFieldsV1   = ijson.NewFields("candidateId", "model", "execution", "rank", "score", "reasons", "evidence", "uncertainty")
	rankedFieldsV2   = ijson.NewFields("candidateId", "model", "execution", "rank", "score", "reasons", "evidence", "uncertainty", "advisories")
	excludedFieldsV1 = ijson.NewFields("candidateId", "model", "execution", "reasons", "evidence", "uncertainty")
	excludedFieldsV2 = ijson.NewFields("candidateId", "model", "execution", "reasons", "evidence", "uncertainty", "advisories")
	reasonFieldsV1   = ijson.NewFields("code", "measurementKey", "summary", "actual?", "expected?", "contribution?")
	reasonFieldsV2   = ijson.NewFields("code", "measurementKey", "summary", "actual?", "expected?", "contribution?", "executionApplicability")
)

// CheckResults validates the shape of a rank result, or of several, one a line
// as they are written: which members there are, what kind of value and which
// word each may have, and that ranks count from 1. Whether a result is what a
// catalog answers, only ranking again can tell.
//
// Faults have no code. They are all of the source, in order, each with the
// place where it stands.
func CheckResults(source problem.Source) error {
	c := resultChecker{r: ijson.NewPartReader("")}
	at := problem.Start(source.Name)
	mark := source.Text[:ijson.LenByteOrderMark(source.Text)]
	text := source.Text[len(mark):]
	at = at.After(mark)
	if !oneALine(source.Name, text) {
		c.check(text, at)
		return c.end(source.Name)
	}
	for line := range strings.Lines(text) {
		if doc := strings.TrimRight(line, jsonSpace); doc != "" {
			c.check(doc, at)
		}
		at = at.After(line)
	}
	return c.end(source.Name)
}

// jsonSpace is what JSON knows as white space.
const jsonSpace = " \t\r\n"

// oneALine reports whether a result stands on each line, as it does for
// observations: by the file's name, or because the first line that is not blank
// holds a whole one and others follow.
func oneALine(name, text string) bool {
	if ijson.IsLinesName(name) {
		return strings.Trim(text, jsonSpace) != ""
	}
	first, rest, _ := strings.Cut(strings.TrimLeft(text, jsonSpace), "\n")
	r := ijson.NewReader(first, "")
	r.Span()
	return r.End() == nil && strings.Trim(rest, jsonSpace) != ""
}

// resultChecker gathers what is wrong with results.
type resultChecker struct {
	r      *ijson.Reader
	faults problem.List
	beyond int // number of faults that are not kept
}

// check checks one result, whose text begins at a place.
func (c *resultChecker) check(text string, at problem.Place) {
	c.r.Reset(text)
	s := resultShape{rankedFieldsV1, excludedFieldsV1, reasonFieldsV1}
	if resultVersion(c.r) == ResultSchemaV2 {
		s = resultShape{rankedFieldsV2, excludedFieldsV2, reasonFieldsV2}
	}
	c.r.Reset(text)
	s.result(c.r)
	faults := c.r.End()
	if beyond := c.r.Beyond(); beyond > 0 {
		c.beyond += beyond
		faults = faults[:len(faults)-1] // the entry that tells how many
	}
	room := min(len(faults), ijson.DefaultMaxFaults-len(c.faults))
	c.beyond += len(faults) - room
	c.faults = append(c.faults, faults[:room].Locate(text, at)...)
}

func (c *resultChecker) end(file string) error {
	if c.beyond > 0 {
		more := problem.New("", "$", "%d more problems", c.beyond)
		more.Place.File = file
		c.faults = append(c.faults, more)
	}
	return c.faults.Err()
}

// resultVersion returns the schemaVersion of the result that is to be read. It
// may stand behind all that depends on it.
func resultVersion(r *ijson.Reader) (version string) {
	for o := r.Object(resultVersionFields); o.Next(); {
		if r.Kind() == '"' {
			version = r.String()
		} else {
			r.Skip()
		}
	}
	return version
}

// resultShape is the members of those parts of a result that depend on its
// version.
type resultShape struct{ ranked, excluded, reason *ijson.Fields }

func (s *resultShape) result(r *ijson.Reader) {
	for o := r.Object(resultFields); o.Next(); {
		switch o.Field() {
		case 0:
			r.Enum(ResultSchemaV1, ResultSchemaV2)
		case 1:
			checkCatalogID(r)
		case 2:
			(&Request{}).readTask(r)
		case 3:
			checkScoreScale(r)
		case 4:
			for l := r.List(); l.Next(); {
				s.rankedCandidate(r, l.Index()+1)
			}
		case 5:
			for l := r.List(); l.Next(); {
				s.excludedCandidate(r)
			}
		}
	}
}

func checkCatalogID(r *ijson.Reader) {
	for o := r.Object(catalogFields); o.Next(); {
		switch o.Field() {
		case 0:
			r.Hash()
		case 1:
			r.Timestamp()
		}
	}
}

func checkScoreScale(r *ijson.Reader) {
	for o := r.Object(scoreScaleFields); o.Next(); {
		switch o.Field() {
		case 0:
			r.Enum(scoreScaleKind)
		case 1:
			r.Number()
		}
	}
}

func (s *resultShape) rankedCandidate(r *ijson.Reader, place int) {
	for o := r.Object(s.ranked); o.Next(); {
		switch field := o.Field(); field {
		case 0, 1, 2:
			s.candidateMember(r, field)
		case 3:
			at := r.Offset()
			if n := r.Count(); n != uint64(place) {
				r.Fail(at, "", "must be %d, its place in the list", place)
			}
		case 4:
			r.Number()
		default:
			s.candidateMember(r, field-2)
		}
	}
}

func (s *resultShape) excludedCandidate(r *ijson.Reader) {
	for o := r.Object(s.excluded); o.Next(); {
		s.candidateMember(r, o.Field())
	}
}

// candidateMember checks a member that all candidates have, by its place among
// those of an excluded one.
func (s *resultShape) candidateMember(r *ijson.Reader, field int) {
	switch field {
	case 0:
		r.Text()
	case 1:
		catalog.ReadModel(r)
	case 2:
		catalog.ReadProfile(r)
	case 3:
		for l := r.List(); l.Next(); {
			s.checkReason(r)
		}
	case 4:
		for l := r.List(); l.Next(); {
			checkEvidence(r)
		}
	case 5:
		checkUncertainty(r)
	case 6:
		for l := r.List(); l.Next(); {
			checkAdvisory(r)
		}
	}
}

func (s *resultShape) checkReason(r *ijson.Reader) {
	for o := r.Object(s.reason); o.Next(); {
		switch o.Field() {
		case 0:
			r.Enum(reasonCodes...)
		case 1, 2:
			r.Text()
		case 3, 4:
			catalog.ReadScalar(r)
		case 5:
			r.Number()
		case 6:
			checkApplicability(r)
		}
	}
}

// checkEvidence checks what is behind a criterion.
func checkEvidence(r *ijson.Reader) {
	for o := r.Object(behindFields); o.Next(); {
		switch o.Field() {
		case 0:
			r.Text()
		case 1:
			for l := r.List(); l.Next(); {
				r.Hash()
			}
		case 2:
			catalog.ReadTexts(r)
		}
	}
}

func checkUncertainty(r *ijson.Reader) {
	for o := r.Object(uncertaintyFields); o.Next(); {
		switch o.Field() {
		case 0:
			r.Enum(levelNames...)
		case 1, 2:
			catalog.ReadTexts(r)
		}
	}
}

func checkApplicability(r *ijson.Reader) {
	for o := r.Object(applicabilityFields); o.Next(); {
		names := dimensionNames
		if o.Field() == 0 {
			names = scopeKindNames
		}
		for l := r.List(); l.Next(); {
			r.Enum(names...)
		}
	}
}

func checkAdvisory(r *ijson.Reader) {
	for o := r.Object(advisedFields); o.Next(); {
		switch o.Field() {
		case 0, 1:
			r.Text()
		case 2:
			r.Enum(aggregationNames...)
		case 3:
			readSourceClasses(r)
		case 4:
			r.Enum(advisoryStatuses...)
		case 5:
			checkEvidence(r)
		case 6:
			checkUncertainty(r)
		case 7:
			checkApplicability(r)
		case 8:
			catalog.ReadScalar(r)
		case 9:
			r.TextOrNull()
		}
	}
}
