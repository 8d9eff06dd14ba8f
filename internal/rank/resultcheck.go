package rank

import (
	"fmt"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the shape of a rank result of versions 1 and 2, for whoever validates one.
//
//	{"catalog":{"asOf":...,"digest":...},"excluded":[...],"ranked":[{"candidateId":"b",...,"rank":1,
//	  "reasons":[{"actual":0.5,"code":"REQUIREMENT_MET",...}],"score":2,...}],"schemaVersion":...,
//	  "scoreScale":{...},"task":{...}}

// TooLargeError reports a result that is longer than its caller allows.
type TooLargeError struct{ Limit int } // in bytes

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("rank result is larger than %d bytes", e.Limit)
}

// NewResultChecker returns what finds the faults of one result. It is for one
// goroutine.
func NewResultChecker() func(text string) problem.List {
	r := &resultReader{Reader: ijson.NewPartReader("")}
	return r.check
}

// resultReader reads results.
type resultReader struct {
	*ijson.Reader
	place int // of the object in its list
}

// check returns the faults of one result.
func (r *resultReader) check(text string) problem.List {
	r.Reset(text)
	version := ""
	versionShape.Read(r, &version) // it may be after all that depends on it
	r.Reset(text)
	shape := resultShapeV1
	if version == record.RankResultSchemaV2 {
		shape = resultShapeV2
	}
	shape.Read(r, &record.RankResultV2{})
	return r.End()
}

var versionShape = ijson.NewShape(ijson.Optional("schemaVersion", func(r *resultReader, version *string) {
	if r.Kind() == '"' {
		*version = r.String()
	} else {
		r.Skip()
	}
}))

var resultShapeV1, resultShapeV2 = newResultShape(1), newResultShape(2)

// newResultShape returns the shape of a result of a version. Version 1 has neither advisories nor
// the applicability of reasons, which version 2 must have.
func newResultShape(version int) *ijson.Shape[*resultReader, record.RankResultV2] {
	applicability := ijson.Absent[*resultReader, record.ReasonV2]("executionApplicability")
	rankedAdvisories := ijson.Absent[*resultReader, record.RankedCandidateV2]("advisories")
	excludedAdvisories := ijson.Absent[*resultReader, record.ExcludedCandidateV2]("advisories")
	if version == 2 {
		applicability = ijson.Required("executionApplicability", func(r *resultReader, reason *record.ReasonV2) {
			reason.ExecutionApplicability = &record.ExecutionApplicabilityV2{}
			ijson.ReadTagged(r.Reader, reason.ExecutionApplicability)
		})
		rankedAdvisories = ijson.Required("advisories", func(r *resultReader, c *record.RankedCandidateV2) {
			readItems(r, answerShape, &c.Advisories)
		})
		excludedAdvisories = ijson.Required("advisories", func(r *resultReader, c *record.ExcludedCandidateV2) {
			readItems(r, answerShape, &c.Advisories)
		})
	}
	reasonShape := ijson.TaggedShape(applicability)
	rankedShape := ijson.TaggedShape(rankedAdvisories,
		ijson.Required("rank", (*resultReader).readRank),
		ijson.Required("reasons", func(r *resultReader, c *record.RankedCandidateV2) {
			readItems(r, reasonShape, (*[]record.ReasonV2)(&c.Reasons))
		}))
	excludedShape := ijson.TaggedShape(excludedAdvisories,
		ijson.Required("reasons", func(r *resultReader, c *record.ExcludedCandidateV2) {
			readItems(r, reasonShape, (*[]record.ReasonV2)(&c.Reasons))
		}))
	return ijson.TaggedShape(
		ijson.Required("ranked", func(r *resultReader, q *record.RankResultV2) {
			readItems(r, rankedShape, (*[]record.RankedCandidateV2)(&q.Ranked))
		}),
		ijson.Required("excluded", func(r *resultReader, q *record.RankResultV2) {
			readItems(r, excludedShape, (*[]record.ExcludedCandidateV2)(&q.Excluded))
		}))
}

var answerShape = ijson.TaggedShape(ijson.Optional("sourceClasses", func(r *resultReader, a *record.AdvisoryAnswerV2) {
	a.SourceClasses = readSourceClasses(r.Reader)
}))

// readItems reads a list of objects.
func readItems[T any](r *resultReader, shape *ijson.Shape[*resultReader, T], into *[]T) {
	*into = []T{}
	outer := r.place
	defer func() { r.place = outer }()
	for l := r.List(); l.Next(); {
		r.place = l.Index() + 1
		var item T
		shape.Read(r, &item)
		*into = append(*into, item)
	}
}

// readRank demands that ranks count from 1.
func (r *resultReader) readRank(c *record.RankedCandidateV2) {
	at := r.Offset()
	place := r.place
	if c.Rank = int(r.Count()); c.Rank != place {
		r.Fail(at, "", "must be %d, its place in the list", place)
	}
}
