package cmd

import (
	"context"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/rank"
)

// checkRankResult checks the shape of a rank result: which members there are,
// what kind of value each has, and that ranks count from 1. Whether it is what
// the catalog answers, only ranking again can tell.
func checkRankResult(_ context.Context, source problem.Source) (string, error) {
	r := ijson.NewReader(source.Text, "")
	fields := resultFieldsV1()
	if resultVersion(source) == rank.ResultSchemaV2 {
		fields = resultFieldsV2()
	}
	fields.result(r)
	return "", r.End().Locate(source.Text, problem.Start(source.Name)).Err()
}

// resultVersion returns the schemaVersion of a result, however it is spelled.
func resultVersion(source problem.Source) string {
	r := ijson.NewPartReader("")
	if _, at := findFamily(source); at >= 0 {
		r.Reset(source.Text[at:])
	}
	return r.String()
}

// resultFields are the members of those records whose shape the version of a
// result decides.
type resultFields struct{ ranked, excluded, reason *ijson.Fields }

func resultFieldsV1() resultFields {
	return resultFields{
		ranked:   ijson.NewFields("candidateId", "model", "execution", "rank", "score", "reasons", "evidence", "uncertainty"),
		excluded: ijson.NewFields("candidateId", "model", "execution", "reasons", "evidence", "uncertainty"),
		reason:   ijson.NewFields("code", "measurementKey", "summary", "actual?", "expected?", "contribution?"),
	}
}

func resultFieldsV2() resultFields {
	return resultFields{
		ranked:   ijson.NewFields("candidateId", "model", "execution", "rank", "score", "reasons", "evidence", "uncertainty", "advisories"),
		excluded: ijson.NewFields("candidateId", "model", "execution", "reasons", "evidence", "uncertainty", "advisories"),
		reason:   ijson.NewFields("code", "measurementKey", "summary", "actual?", "expected?", "contribution?", "executionApplicability"),
	}
}

// The members of the other records.
var (
	topFields           = ijson.NewFields("schemaVersion", "catalog", "task", "scoreScale", "ranked", "excluded")
	catalogFields       = ijson.NewFields("digest", "asOf")
	taskFields          = ijson.NewFields("family", "suite")
	scaleFields         = ijson.NewFields("kind", "maximum")
	evidenceFields      = ijson.NewFields("measurementKey", "observationIds", "evidenceIds")
	uncertaintyFields   = ijson.NewFields("level", "basis", "gaps")
	applicabilityFields = ijson.NewFields("matchedKinds", "assertedDimensions", "wildcardedDimensions", "mismatchedDimensions")
	advisoryFields      = ijson.NewFields("id", "measurementKey", "aggregation", "sourceClasses?", "status", "evidence",
		"uncertainty", "executionApplicability", "value?", "unit?")
)

// walk reads the members of an object, each by the function for its field.
func walk(r *ijson.Reader, fields *ijson.Fields, read ...func()) {
	for o := r.Object(fields); o.Next(); {
		read[o.Field()]()
	}
}

// each reads the items of a list.
func each(r *ijson.Reader, read func(index int)) func() {
	return func() {
		for l := r.List(); l.Next(); {
			read(l.Index())
		}
	}
}

func (f *resultFields) result(r *ijson.Reader) {
	text := func() { r.Text() }
	walk(r, topFields,
		func() { r.Enum(rank.ResultSchemaV1, rank.ResultSchemaV2) },
		func() { walk(r, catalogFields, func() { catalog.ReadHash(r) }, func() { catalog.ReadTimestamp(r) }) },
		func() { walk(r, taskFields, text, func() { r.TextOrNull() }) },
		func() { walk(r, scaleFields, func() { r.Enum("request-relative") }, func() { r.Number() }) },
		each(r, func(index int) { f.rankedCandidate(r, index+1) }),
		each(r, func(int) { f.excludedCandidate(r) }),
	)
}

func (f *resultFields) rankedCandidate(r *ijson.Reader, place int) {
	head, tail := f.candidate(r)
	placed := func() {
		at := r.Offset()
		if n := r.Count(); n != uint64(place) {
			r.Fail(at, "", "must be %d, its place in the list", place)
		}
	}
	walk(r, f.ranked, append(append(head, placed, func() { r.Number() }), tail...)...)
}

func (f *resultFields) excludedCandidate(r *ijson.Reader) {
	head, tail := f.candidate(r)
	walk(r, f.excluded, append(head, tail...)...)
}

// candidate returns what reads the members of a candidate that stand before and
// behind its rank and score.
func (f *resultFields) candidate(r *ijson.Reader) (head, tail []func()) {
	head = []func(){
		func() { r.Text() },
		func() { catalog.ReadModel(r) },
		func() { catalog.ReadProfile(r) },
	}
	tail = []func(){
		each(r, func(int) { f.reasons(r) }),
		each(r, func(int) { readEvidence(r) }),
		func() { readUncertainty(r) },
		each(r, func(int) { readAdvisory(r) }),
	}
	return head, tail
}

func (f *resultFields) reasons(r *ijson.Reader) {
	text, value := func() { r.Text() }, func() { catalog.ReadScalar(r) }
	walk(r, f.reason, text, text, text, value, value, func() { r.Number() }, func() { readApplicability(r) })
}

func readEvidence(r *ijson.Reader) {
	walk(r, evidenceFields, func() { r.Text() },
		each(r, func(int) { catalog.ReadHash(r) }), each(r, func(int) { r.Text() }))
}

func readUncertainty(r *ijson.Reader) {
	texts := each(r, func(int) { r.Text() })
	walk(r, uncertaintyFields, func() { r.Enum("low", "moderate", "high", "unknown") }, texts, texts)
}

func readApplicability(r *ijson.Reader) {
	texts := each(r, func(int) { r.Text() })
	walk(r, applicabilityFields, texts, texts, texts, texts)
}

func readAdvisory(r *ijson.Reader) {
	text := func() { r.Text() }
	walk(r, advisoryFields, text, text,
		func() { r.Enum("fact", "mean", "min", "max", "success-rate", "count") },
		each(r, func(int) { r.Enum(catalog.FirstParty, catalog.External) }),
		func() { r.Enum("present", "missing", "stale", "conflicting", "incomparable") },
		func() { readEvidence(r) },
		func() { readUncertainty(r) },
		func() { readApplicability(r) },
		func() { catalog.ReadScalar(r) },
		func() { r.TextOrNull() },
	)
}
