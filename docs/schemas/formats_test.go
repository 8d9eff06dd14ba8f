package schemas_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/keys"
	"github.com/model-catalog-service/svc/internal/lock"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/aider"
	"github.com/model-catalog-service/svc/internal/sources/discovery"
	"github.com/model-catalog-service/svc/internal/sources/endpoints"
	"github.com/model-catalog-service/svc/internal/sources/everyeval"
	"github.com/model-catalog-service/svc/internal/sources/genaiprices"
	"github.com/model-catalog-service/svc/internal/sources/inspectlog"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/livebench"
	"github.com/model-catalog-service/svc/internal/sources/lmarena"
	"github.com/model-catalog-service/svc/internal/sources/lmeval"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/internal/sources/settle"
	"github.com/model-catalog-service/svc/internal/sources/swebench"
	"github.com/model-catalog-service/svc/internal/sources/table"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/dsse"
	"github.com/model-catalog-service/svc/internal/verify/receiver"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/service/record"
)

// format is a format that the code reads.
type format struct {
	schema string
	// check is what svc finds wrong with a document.
	check func(text string) error
	// documents are those that are there, right and wrong ones.
	documents func(t *testing.T) []doc
	// seeds are right documents that have every member there is, to be mutated.
	seeds func(t *testing.T) []doc
	// seal, if there is one, makes the hashes in a mutant right again, which
	// else would hide what is wrong with it.
	seal func(document any)
}

// doc is a document and where it comes from.
type doc struct{ name, text string }

func formats() []format {
	return []format{
		{schema: "observation", check: checkObservations, documents: observations, seeds: observationSeeds},
		{schema: "catalog", check: checkCatalog, documents: catalogs, seeds: catalogSeeds},
		{schema: "rank-request", check: checkRequest, documents: requests, seeds: requestSeeds},
		{schema: "rank-result", check: checkResult, documents: results, seeds: resultSeeds},
		{schema: "rank-request-v3", check: checkCurrentRequest, documents: currentRequests, seeds: currentRequestSeeds},
		{schema: "rank-question", check: sourceCheck(func(s problem.Source) error {
			_, err := v3.ReadQuestion(s)
			return err
		}), documents: questions, seeds: questions},
		{schema: "rank-result-v3", check: checkCurrentResult, documents: currentResults, seeds: currentResultSeeds},
		{schema: "rank-explanation", check: checkExplanation, documents: explanations, seeds: explanationSeeds},
		{schema: "catalog-contents", check: sourceCheck(contents.Check), documents: contentsDocuments, seeds: contentsSeeds},
		{schema: "cost-table", check: sourceCheck(contents.CheckCosts), documents: costTables, seeds: costTables},
		{schema: "comparison", check: sourceCheck(v3.CheckComparison), documents: comparisons, seeds: comparisons},
		{schema: "catalog-diff", check: checkDiff, documents: diffs, seeds: diffSeeds},
		{schema: "approved-source-manifest", check: checkManifest, documents: manifests, seeds: manifestSeeds},
		{schema: "source-rulings", check: checkRulings, documents: rulings, seeds: rulings},
		{schema: "snapshot-envelope", check: checkEnvelope, documents: envelopes, seeds: envelopeSeeds, seal: sealEnvelope},
		{schema: "revision-proposal", check: checkProposal, documents: proposalDocuments, seeds: proposals, seal: sealProposal},
		{schema: "acquisition-record", check: sourceCheck(sources.CheckAcquisition), documents: acquisitions, seeds: acquisitions},
		{schema: "catalog-lock", check: sourceCheck(recipe.CheckLock), documents: catalogLocks, seeds: catalogLocks},
		{schema: "catalog-build", check: sourceCheck(recipe.CheckBuild), documents: catalogBuilds, seeds: catalogBuilds},
		{schema: "source-look", check: checkLook, documents: looks, seeds: looks},
		{schema: "models-lock", check: checkLock, documents: locks, seeds: locks},
		{schema: "keys", check: sourceCheck(func(s problem.Source) error {
			_, err := keys.Read(s)
			return err
		}), documents: keyDocuments, seeds: keyDocuments},
		{schema: "models-check", check: sourceCheck(lock.CheckReport), documents: checks, seeds: checks},
		{schema: "export-report", check: sourceCheck(export.CheckReport), documents: exportReports, seeds: exportReports},
		{schema: "trust-bundle", check: checkBundle, documents: bundles, seeds: bundleSeeds},
		{schema: "verification-response", check: checkResponse, documents: responses, seeds: responseSeeds},
	}
}

func checkLook(text string) error {
	r := ijson.NewReader(text, problem.InvalidSourceSnapshot)
	ijson.ReadTagged(r, &record.Look{})
	return r.End().Err()
}

func sourceCheck(check func(problem.Source) error) func(string) error {
	return func(text string) error { return check(problem.Source{Name: "document", Text: text}) }
}

func checkObservations(text string) error {
	if !strings.HasPrefix(text, "[") {
		_, err := catalog.Normalize(text) // as below, without the work of a file
		return err
	}
	_, err := catalog.ValidateSource(context.Background(), catalog.Source{Name: "document", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}, nil)
	return err
}

func checkCatalog(text string) error {
	_, err := catalog.Parse(context.Background(), problem.Source{Text: text})
	return err
}

func checkRequest(text string) error {
	_, err := v3.ReadRequest(problem.Source{Text: text})
	return err
}

func checkResult(text string) error { return v3.CheckResults(problem.Source{Text: text}) }

func checkCurrentRequest(text string) error {
	_, err := v3.ReadRequest(problem.Source{Text: text})
	return err
}

func checkCurrentResult(text string) error {
	_, err := v3.ReadResult(problem.Source{Text: text})
	return err
}

func checkExplanation(text string) error {
	_, err := v3.ReadExplanation(problem.Source{Text: text})
	return err
}

func checkDiff(text string) error {
	_, err := compare.ReadDiffs(problem.Source{Name: "diff.json", Text: text})
	return err
}

func checkManifest(text string) error {
	_, err := sources.ParseManifest(problem.Source{Text: text}, sources.DefaultRegistry())
	return err
}

func checkRulings(text string) error {
	_, err := settle.ReadRulings(problem.Source{Text: text})
	return err
}

func checkMapping(text string) error {
	return sources.CheckMapping(problem.Source{Text: text}, []sources.Adapter{
		aider.New(), livebench.New(), openrouter.New(), lmeval.New(), endpoints.New(), everyeval.New(), inspectlog.New(), genaiprices.New(), litellm.New(), lmarena.New(), modelsdev.New(), swebench.New(), table.New(nil),
	})
}

func checkEnvelope(text string) error {
	m, err := sources.PackagedManifest()
	if err != nil {
		return err
	}
	return sources.CheckEnvelope(problem.Source{Text: text}, m)
}

func checkProposal(text string) error {
	_, err := discovery.ReadProposal(problem.Source{Text: text})
	return err
}

func checkBundle(text string) error {
	_, err := bundle.Read(problem.Source{Text: text})
	return err
}

// heldByReceiver is what a receiver holds that is given an answer. It says the
// least, so that no record of an answer can be at odds with it.
const heldByReceiver = `{"schemaVersion":5,"source":"s","claims":[{"id":"held","subjectType":"t","subjectId":"i","claimType":"c",
	"fieldOrBehavior":"f","value":1,"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}],"evidence":[],"policies":[],"events":[]}`

// checkResponse reads an answer as a receiver does, and its envelope as one does
// who was given keys.
func checkResponse(text string) error {
	held, err := bundle.Read(problem.Source{Text: heldByReceiver})
	if err != nil {
		return err
	}
	function, err := status.New(status.DefaultVersion, "2026-07-18T06:00:00Z")
	if err != nil {
		return err
	}
	receipt := receiver.Receive(held, []receiver.Answer{{Text: text}}, receiver.Options{Function: function})
	for _, o := range receipt.Outcomes {
		if o.Code == record.OutcomeUnreadable {
			return errors.New(o.Message)
		}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		return err
	}
	if envelope := string(members["envelope"]); envelope != "" && envelope != "null" {
		_, err = dsse.ReadEnvelope(envelope)
	}
	return err
}
