package sources_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/service"
	"github.com/model-catalog-service/svc/service/internal/servicetest"
	"github.com/model-catalog-service/svc/service/record"
	"github.com/model-catalog-service/svc/service/sources"
	"github.com/model-catalog-service/svc/service/sources/sourcestest"
)

// houseFormat reads a table of lines such as atlas,0.75.
var houseFormat = sources.Format{
	Source:         "house-bench",
	OneRowPerScope: true,
	Rows: func(bodies []sources.Body) (rows []sources.Row, err error) {
		for i, body := range bodies {
			lines := csv.NewReader(strings.NewReader(body.Text))
			lines.FieldsPerRecord = 2
			for n := 0; ; n++ {
				offset := int(lines.InputOffset())
				line, err := lines.Read()
				if line == nil {
					break
				}
				if err != nil {
					return nil, fmt.Errorf("line %d: %w", n+1, err)
				}
				row := sources.Row{ID: line[0], Body: i, Path: fmt.Sprintf("[%d]", n), Offset: offset}
				score, err := strconv.ParseFloat(line[1], 64)
				if err != nil {
					row.Skip, row.Why = sources.RowUnreadable, "has no score"
				}
				row.Cells = []sources.Cell{{Kind: "leaderboard-row", JSON: fmt.Sprintf("[%q,%q]", line[0], line[1]), Observation: record.Observation{
					Kind:         record.KindEvaluation,
					Execution:    record.Scope{Kind: record.ScopeExact, Profile: record.Profile{ToolSurface: []string{}}},
					Task:         record.Task{Family: "coding", Suite: "house-bench", Evaluator: record.Component{ID: "house"}},
					Measurements: []record.Measurement{{Key: "house.score", Kind: record.Sample, Value: record.Number(score)}},
					Outcome:      record.Outcome{Status: record.OutcomeAccepted},
					Freshness:    record.Freshness{ObservedAt: body.Envelope.FetchedAt},
					Uncertainty:  record.Uncertainty{Level: record.LevelModerate, Basis: []string{"a table of the house"}},
				}}}
				rows = append(rows, row)
			}
		}
		return rows, nil
	},
}

// houseRequest pins a body of the source, which a manifest of the house approves.
func houseRequest(body, entries string) sources.Request {
	source := sources.Source{
		ID: "house-bench", Owner: "the house", SourceClass: "external", CanonicalOrigin: "https://bench.example",
		Attribution:    sources.Attribution{Name: "the house", URL: "https://bench.example/"},
		License:        sources.License{Identifier: "CC0-1.0"},
		TrustRationale: "it is ours", KnownLimitations: record.List[string]{"small"},
		Freshness: sources.Freshness{RefreshIntervalHours: 24, MaxAgeHours: 168},
		Revision:  sources.Revision{Kind: "snapshot", Grammar: "sha256"},
		Resolver: sources.Resolver{Adapter: "house-bench", Version: "1", DerivedResourcePolicy: "none", MaxBytes: 1 << 20,
			Entrypoint: sources.Entrypoint{SourceID: "house-bench-table", URL: "https://bench.example/table.csv", MediaType: "text/csv", MaxBytes: 1 << 20}},
		Artifacts:      sources.Artifacts{Adapter: "house-bench", Version: "1"},
		ProposalPolicy: sources.ProposalPolicy{NewRevision: "review", UnknownRows: "review", MappingChanges: "review"},
	}
	digest, err := service.SHA256(mustMarshal(source))
	if err != nil {
		log.Fatal(err)
	}
	manifest, err := sources.ParseManifest(mustMarshal(sources.ManifestRecord{
		SchemaVersion: sources.ManifestSchema, Sources: record.List[sources.Source]{source},
	}), sources.Registry{"house-bench": digest})
	if err != nil {
		log.Fatal(err)
	}
	table := service.NamedText{Name: "table.csv", Text: body}
	envelope, err := sources.Pin("house-bench", sources.Download{
		URL: "https://bench.example/table.csv", FetchedAt: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
	}, table, manifest)
	if err != nil {
		log.Fatal(err)
	}
	return sources.Request{
		Manifest:  manifest,
		Snapshots: []sources.File{{Body: table, Envelope: service.NamedText{Text: string(mustMarshal(envelope))}}},
		Mapping: service.NamedText{Name: "mapping.json",
			Text: `{"schemaVersion":"` + sources.MappingSchema + `","source":"house-bench","entries":{` + entries + `}}`},
	}
}

func mustMarshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		log.Fatal(err)
	}
	return text
}

const houseEntries = `"atlas": {"model": {"id": "acme/atlas", "revision": null, "quantization": null}, "runtime": {"id": "vllm", "version": null},
		"validUntil": "2027-01-01T00:00:00.000Z", "workflowCondition": "effort=high"}`

// A source of one's own gets mapping, pinning and diagnostics.
func ExampleNewAdapter() {
	adapter := sources.NewAdapter(houseFormat)
	result, err := adapter.Import(houseRequest("atlas,0.75\nborealis,\n", houseEntries))
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range result.Observations {
		r := o.Record()
		fmt.Println(r.Model.ID, r.Execution.Runtime.ID, r.Execution.Workflow.Condition, r.Measurements[0].Value.Value(), r.Evidence[0].ID)
	}
	for _, d := range result.Diagnostics {
		fmt.Println(d.Place.File, d.Place.Line, d.Path, d.Reason, d.Message)
	}
	// Output:
	// acme/atlas vllm effort=high 0.75 house-bench:atlas
	// table.csv 2 $.snapshots[0].body[1] row-unreadable has no score
}

// An adapter of a format is one like ours.
func TestNewAdapter(t *testing.T) {
	sourcestest.Run(t, sources.NewAdapter(houseFormat), houseRequest("atlas,0.75\nborealis,0.5\n", houseEntries))
}

// What a format gets wrong refuses the import, or leaves a cell out.
func TestFormatMistakes(t *testing.T) {
	cause := errors.New("is no table")
	for name, rows := range map[string]func([]sources.Body) ([]sources.Row, error){
		"an error": func([]sources.Body) ([]sources.Row, error) { return nil, cause },
		"no id":    func([]sources.Body) ([]sources.Row, error) { return []sources.Row{{}}, nil },
		"no body":  func([]sources.Body) ([]sources.Row, error) { return []sources.Row{{ID: "a", Body: 1}}, nil },
		"no byte":  func([]sources.Body) ([]sources.Row, error) { return []sources.Row{{ID: "a", Offset: 100}}, nil },
		"too many": func([]sources.Body) ([]sources.Row, error) { return make([]sources.Row, sources.MaxRows+1), nil },
	} {
		_, err := sources.NewAdapter(sources.Format{Source: "house-bench", Rows: rows}).Import(houseRequest("atlas,0.75\n", houseEntries))
		servicetest.ExpectCode(t, name, err, "INVALID_SOURCE_SNAPSHOT", "$.snapshots")
		if name == "an error" && !errors.Is(err, cause) {
			t.Errorf("%v has not the cause", err)
		}
	}
	wrong := houseFormat
	wrong.Rows = func(bodies []sources.Body) ([]sources.Row, error) {
		rows, err := houseFormat.Rows(bodies)
		rows[0].Cells[0].JSON = "["
		return rows, err
	}
	result, err := sources.NewAdapter(wrong).Import(houseRequest("atlas,0.75\n", houseEntries))
	if err != nil || len(result.Observations) != 0 || len(result.Diagnostics) != 2 || result.Diagnostics[0].Reason != sources.InvalidValue {
		t.Errorf("%+v, %v", result, err)
	}
}
