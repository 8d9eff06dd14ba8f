package workload

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

func written(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func compile(t *testing.T, text string) *catalog.Catalog {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	c, _, err := catalog.Compile(context.Background(), lines, catalog.Options{AsOf: AsOf})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The bytes are the same on every machine and with every release of Go, so that
// numbers measured apart can be compared.
func TestObservationsAreThePinnedBytes(t *testing.T) {
	text := written(t, func(b *bytes.Buffer) error { return Observations(b, Config{Seed: 1, N: 1000}) })
	sum := sha256.Sum256([]byte(text))
	const want = "ef96175b860fa9ae9b1049b75ea996ab520386113e7565c569a85fbd1e94cf9d"
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("SHA-256 of 1000 observations: got %s, want %s", got, want)
	}
}

func TestObservationsHaveTheirProportions(t *testing.T) {
	const n = 5_000
	text := written(t, func(b *bytes.Buffer) error { return Observations(b, Config{Seed: 7, N: n}) })
	if mean := len(text) / n; mean < 1400 || mean > 1520 {
		t.Errorf("mean size is %d bytes, want about 1460", mean)
	}
	if got := strings.Count(text, `"kind":"evaluation"`); got != n*4/5 {
		t.Errorf("%d evaluations, want %d", got, n*4/5)
	}
	for what, sign := range map[string]string{"escapes": `\`, "text beyond ASCII": "評"} {
		if in := strings.Count(text, sign); in == 0 || in > n {
			t.Errorf("%s: %d times", what, in)
		}
	}
	c := compile(t, text) // refuses replays and what is dated after AsOf
	if got := c.Observations(); got != n {
		t.Errorf("%d observations in the catalog, want %d", got, n)
	}
	if got := len(c.Models()); got != Models {
		t.Errorf("%d models, want %d", got, Models)
	}
	if len(c.Conflicts()) == 0 {
		t.Error("no conflicts at all")
	}
}

func TestRecordsDoNotDependOnTheirNumberOrForm(t *testing.T) {
	few := written(t, func(b *bytes.Buffer) error { return Observations(b, Config{Seed: 3, N: 10}) })
	many := written(t, func(b *bytes.Buffer) error { return Observations(b, Config{Seed: 3, N: 50}) })
	if !strings.HasPrefix(many, few) {
		t.Error("the first records change with the number of records")
	}
	list := written(t, func(b *bytes.Buffer) error { return Observations(b, Config{Seed: 3, N: 10, Form: List}) })
	var items []json.RawMessage
	if err := json.Unmarshal([]byte(list), &items); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(few), "\n") {
		if line != string(items[i]) {
			t.Errorf("record %d differs between the forms", i)
		}
	}
	other := written(t, func(b *bytes.Buffer) error { return Observations(b, Config{Seed: 4, N: 10}) })
	if other == few {
		t.Error("the seed makes no difference")
	}
}

func TestNoObservations(t *testing.T) {
	for form, want := range map[Form]string{Lines: "", List: "[\n\n]\n"} {
		got := written(t, func(b *bytes.Buffer) error { return Observations(b, Config{Form: form}) })
		if got != want {
			t.Errorf("%s: got %q, want %q", form, got, want)
		}
	}
	if err := Observations(&bytes.Buffer{}, Config{Form: "xml"}); err == nil {
		t.Error("an unknown form is accepted")
	}
}

func TestAllContradictionsAreInOneConflict(t *testing.T) {
	const n = 500
	c := compile(t, written(t, func(b *bytes.Buffer) error { return Conflict(b, Config{Seed: 1, N: n}) }))
	if len(c.Conflicts()) != 1 {
		t.Fatalf("%d conflicts, want 1", len(c.Conflicts()))
	}
	var conflict struct {
		ObservationIDs []string `json:"observationIds"`
		Values         []int    `json:"values"`
	}
	if err := json.Unmarshal([]byte(c.Conflicts()[0].JSON), &conflict); err != nil {
		t.Fatal(err)
	}
	if len(conflict.ObservationIDs) != n || len(conflict.Values) != n {
		t.Errorf("%d observations with %d values, want %d of each", len(conflict.ObservationIDs), len(conflict.Values), n)
	}
}

// Requests must be valid up to the largest, and meet evidence in a catalog of
// the observations.
func TestRequestsMeetTheirCatalog(t *testing.T) {
	ranker, err := v3.New(compile(t, written(t, func(b *bytes.Buffer) error { return Observations(b, Config{Seed: 1, N: 20_000}) })))
	if err != nil {
		t.Fatal(err)
	}
	for _, config := range []RequestConfig{
		{},
		{Candidates: 4, Criteria: 3},
		{Candidates: 16, Criteria: 128, Advisories: 64},
		{Candidates: 128, Criteria: 16, Advisories: 8},
	} {
		text := written(t, func(b *bytes.Buffer) error { return Request(b, config) })
		request, err := v3.ReadRequest(problem.Source{Name: "request.json", Text: text})
		if err != nil {
			t.Errorf("%+v: %v", config, err)
			continue
		}
		result, err := ranker.Rank(context.Background(), request, 0)
		if err != nil {
			t.Errorf("%+v: %v", config, err)
			continue
		}
		answer, err := result.AppendJSON(nil, 0)
		if err != nil {
			t.Errorf("%+v: %v", config, err)
			continue
		}
		met, missing := bytes.Count(answer, []byte(`"REQUIREMENT_MET"`)), bytes.Count(answer, []byte(`"MISSING_EVIDENCE"`))
		cells := config.Candidates * (config.Criteria / 2)
		if met < cells/2 || missing > cells/4 {
			t.Errorf("%+v: of %d requirements %d are met and %d meet no evidence", config, cells, met, missing)
		}
	}
}

type fullDisk struct{}

var errDiskFull = errors.New("disk full")

func (fullDisk) Write([]byte) (int, error) { return 0, errDiskFull }

func TestWriteErrorsAreReturned(t *testing.T) {
	if err := Observations(fullDisk{}, Config{N: 1000}); !errors.Is(err, errDiskFull) {
		t.Errorf("Observations: %v", err)
	}
	if err := Request(fullDisk{}, RequestConfig{}); !errors.Is(err, errDiskFull) {
		t.Errorf("Request: %v", err)
	}
}
