// Package sourcestest holds an adapter of one's own to what users of [sources.Adapter] rely on. A
// test of the adapter calls [Run] with a request that gives observations:
//
//	func TestAdapter(t *testing.T) {
//		sourcestest.Run(t, newAdapter(), sources.Request{Manifest: manifest, Snapshots: files, Mapping: mapping})
//	}
package sourcestest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/sources"
)

// Run tests an adapter by a request.
func Run(t *testing.T, adapter *sources.Adapter, request sources.Request) {
	t.Helper()
	result, err := adapter.Import(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("observations", func(t *testing.T) { testObservations(t, adapter, request, result) })
	t.Run("counts", func(t *testing.T) { testCounts(t, adapter, request, result) })
	t.Run("mappings", func(t *testing.T) { testMappings(t, adapter, request) })
	t.Run("bodies", func(t *testing.T) { testBodies(t, adapter, request) })
}

// testObservations demands that observations are the same each time, compile, say where they are
// from, and are of no time after the fetch.
func testObservations(t *testing.T, adapter *sources.Adapter, request sources.Request, result *sources.Result) {
	again, err := adapter.Import(request)
	if err != nil {
		t.Fatal(err)
	}
	ids := func(r *sources.Result) (ids []string) {
		for _, o := range r.Observations {
			ids = append(ids, o.ID())
		}
		return ids
	}
	if len(result.Observations) == 0 || !slices.Equal(ids(result), ids(again)) {
		t.Errorf("%d observations, and another time %d, which are not the same", len(result.Observations),
			len(again.Observations))
	}
	var last time.Time
	for _, s := range result.Acquisition.Snapshots {
		if fetched := s.FetchedAt.Time(); fetched.After(last) {
			last = fetched
		}
	}
	for _, o := range result.Observations {
		r := o.Record()
		if !strings.HasPrefix(r.Evidence[0].ID, adapter.Source()+":") {
			t.Errorf("the evidence %s does not begin with the source", r.Evidence[0].ID)
		}
		if r.Freshness.ObservedAt.Time().After(last) {
			t.Errorf("%s was observed at %s, after the fetch", r.Evidence[0].ID, r.Freshness.ObservedAt)
		}
	}
	options := catalog.CompileOptions{AsOf: last}
	if _, err := catalog.CompileObservations(t.Context(), result.Observations, options); err != nil {
		t.Errorf("the observations do not compile: %v", err)
	}
}

// testCounts demands that each row is imported or skipped, for a reason that is reported.
func testCounts(t *testing.T, adapter *sources.Adapter, request sources.Request, result *sources.Result) {
	rows, err := adapter.Rows(request.Manifest, request.Snapshots)
	if err != nil || len(rows) == 0 {
		t.Fatalf("rows %q, %v", rows, err)
	}
	slices.Sort(rows)
	if slices.Contains(rows, "") || len(slices.Compact(slices.Clone(rows))) != len(rows) {
		t.Errorf("a row has no name, or two have one: %q", rows)
	}
	a, skipped := result.Acquisition, 0
	for reason, n := range a.SkippedFor {
		skipped += n
		if !slices.ContainsFunc(result.Diagnostics, func(d sources.Diagnostic) bool { return d.Reason == reason }) {
			t.Errorf("%d rows are skipped as %s, and nothing says which", n, reason)
		}
	}
	if a.Source != adapter.Source() || a.Rows != a.Imported+a.Skipped || a.Skipped != skipped || a.Rows < len(rows) ||
		a.Observations != len(result.Observations) {
		t.Errorf("%d rows, %d by name; %d imported, %d skipped; %d observations: %+v", a.Rows, len(rows), a.Imported, skipped,
			len(result.Observations), a)
	}
	for _, d := range result.Diagnostics {
		if !strings.HasPrefix(d.Path, "$.snapshots[") && !strings.HasPrefix(d.Path, "$.mapping") || d.Message == "" {
			t.Errorf("a diagnostic does not say what it is of: %+v", d)
		}
	}
}

// testMappings demands that without a mapping nothing is taken, and that only one of the source is.
func testMappings(t *testing.T, adapter *sources.Adapter, request sources.Request) {
	if err := adapter.CheckMapping(request.Mapping); err != nil {
		t.Errorf("the mapping by itself: %v", err)
	}
	if !json.Valid([]byte(adapter.BlankEntry())) {
		t.Errorf("the blank entry is %s", adapter.BlankEntry())
	}
	request.Mapping.Text = strings.Replace(request.Mapping.Text, `"`+adapter.Source()+`"`, `"another-source"`, 1)
	refused(t, "the mapping of another source", adapter, request)
	if _, isOffers := adapter.OfferMapping(); isOffers {
		return // names of offers say themselves which models they are
	}
	request.Mapping.Text = `{"schemaVersion":"` + sources.MappingSchema + `","source":"` + adapter.Source() +
		`","entries":{}}`
	result, err := adapter.Import(request)
	if err != nil || len(result.Observations) > 0 || result.Acquisition.Skipped != result.Acquisition.Rows {
		t.Errorf("without entries: %+v, %v", result, err)
	}
	request.Strict = true
	refused(t, "rows without entries, strictly", adapter, request)
}

// testBodies demands that a body is what its envelope says, and that one that was cut off does no
// harm.
func testBodies(t *testing.T, adapter *sources.Adapter, request sources.Request) {
	whole := request.Snapshots[0]
	with := func(file sources.File) sources.Request {
		r := request
		r.Snapshots = append([]sources.File{file}, request.Snapshots[1:]...)
		return r
	}
	changed := whole
	changed.Body.Text += " "
	refused(t, "a body that was changed", adapter, with(changed))
	var envelope sources.Envelope
	if err := json.Unmarshal([]byte(whole.Envelope.Text), &envelope); err != nil {
		t.Fatal(err)
	}
	const parts = 16
	for i := range parts {
		cut := whole
		cut.Body.Text = whole.Body.Text[:len(whole.Body.Text)*i/parts]
		pinned, err := sources.Pin(adapter.Source(), sources.Download{URL: envelope.URL, FetchedAt: envelope.FetchedAt.Time(),
			MediaType: envelope.MediaType}, cut.Body, request.Manifest)
		if err != nil {
			continue // it is no text any more
		}
		text, err := json.Marshal(pinned)
		if err != nil {
			t.Fatal(err)
		}
		cut.Envelope.Text = string(text)
		if _, err := adapter.Import(with(cut)); err != nil {
			checkFault(t, "a part of the body", err)
		}
	}
}

func refused(t *testing.T, what string, adapter *sources.Adapter, request sources.Request) {
	t.Helper()
	_, err := adapter.Import(request)
	checkFault(t, what, err)
}

func checkFault(t *testing.T, what string, err error) {
	t.Helper()
	faults := service.Faults(err)
	if len(faults) == 0 || faults[0].Code != service.InvalidSourceSnapshot || faults[0].Path == "" {
		t.Errorf("%s: %v", what, err)
	}
}
