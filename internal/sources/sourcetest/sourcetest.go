// Package sourcetest has what the tests of all adapters need: bodies pinned in
// memory, mappings for all their rows, and what comes of them.
package sourcetest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/service/record"
)

// Manifest is the packaged manifest.
func Manifest(t testing.TB) *sources.Manifest {
	t.Helper()
	m, err := sources.PackagedManifest()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Pin writes the envelope of a body.
func Pin(t testing.TB, source, url, fetchedAt, body string) sources.File {
	t.Helper()
	f, err := TryPin(t, source, url, fetchedAt, body)
	if err != nil {
		t.Fatalf("pin %s: %v", url, err)
	}
	return f
}

// TryPin is Pin of what may be refused.
func TryPin(t testing.TB, source, url, fetchedAt, body string) (sources.File, error) {
	t.Helper()
	src := problem.Source{Name: "body", Text: body}
	e, err := sources.Pin(source, sources.Download{URL: url, FetchedAt: fetchedAt}, src, Manifest(t))
	if err != nil {
		return sources.File{}, err
	}
	return sources.File{Body: src, Envelope: problem.Source{Name: "envelope", Text: string(e.JSON())}}, nil
}

// Mapping maps each of the rows by the same entry, but for %ROW%, in whose place
// the id of the row goes.
func Mapping(source, entry string, rows ...string) problem.Source {
	var b strings.Builder
	b.WriteString(`{"schemaVersion":"` + sources.MappingSchema + `","source":"` + source + `","entries":{`)
	for i, row := range rows {
		if i > 0 {
			b.WriteString(",\n")
		}
		id := canonical.Quote(row)
		b.WriteString(id + ":" + strings.ReplaceAll(entry, `"%ROW%"`, id))
	}
	b.WriteString("}}")
	return problem.Source{Name: "mapping", Text: b.String()}
}

// MappingByID maps each of the rows to the model of its id, with other members by default.
func MappingByID(source, defaults string, rows ...string) problem.Source {
	var b strings.Builder
	b.WriteString(`{"schemaVersion":"` + sources.MappingSchema + `","source":"` + source + `","defaults":` + defaults +
		`,"entries":{`)
	for i, row := range rows {
		if i > 0 {
			b.WriteString(",\n")
		}
		id := canonical.Quote(row)
		b.WriteString(id + `:{"model":` + id + `}`)
	}
	b.WriteString("}}")
	return problem.Source{Name: "mapping", Text: b.String()}
}

// ImportRows imports snapshots with every row mapped to the model of its id.
func ImportRows(t testing.TB, a sources.Adapter, defaults string, files ...sources.File) (*sources.Result, error) {
	t.Helper()
	rows, err := Rows(t, a, files...)
	if err != nil {
		return nil, err
	}
	return Import(t, a, MappingByID(a.Source(), defaults, rows...), files...)
}

// Rows returns the ids of the rows of snapshots.
func Rows(t testing.TB, a sources.Adapter, files ...sources.File) (rows []string, err error) {
	t.Helper()
	labels, err := a.Labels(Manifest(t), files)
	for _, label := range labels {
		rows = append(rows, label.Row)
	}
	return rows, err
}

// ImportAll imports snapshots with every row mapped by the entry.
func ImportAll(t testing.TB, a sources.Adapter, entry string, files ...sources.File) (*sources.Result, error) {
	t.Helper()
	rows, err := Rows(t, a, files...)
	if err != nil {
		return nil, err
	}
	return Import(t, a, Mapping(a.Source(), entry, rows...), files...)
}

// Import imports snapshots and holds what every import promises.
func Import(t testing.TB, a sources.Adapter, mapping problem.Source, files ...sources.File) (*sources.Result, error) {
	t.Helper()
	r, err := a.Import(sources.Request{Manifest: Manifest(t), Snapshots: files, Mapping: mapping})
	if err != nil {
		for _, e := range problem.All(err) {
			if e.Code != problem.InvalidSourceSnapshot || !strings.HasPrefix(e.Path, "$.snapshots") &&
				!strings.HasPrefix(e.Path, "$.mapping") {
				t.Errorf("refused with %s at %s: %v", e.Code, e.Path, e)
			}
		}
		return nil, err
	}
	acq := r.Acquisition
	total := 0
	for _, n := range acq.SkippedFor {
		total += n
	}
	if acq.Rows != acq.Imported+acq.Skipped || total != acq.Skipped || acq.Observations != len(r.Observations) {
		t.Errorf("the acquisition does not add up: %s", acq.JSON())
	}
	if err := sources.CheckAcquisition(problem.Source{Text: string(acq.JSON())}); err != nil {
		t.Errorf("acquisition record: %v", err)
	}
	return r, nil
}

// IDs returns the observations' ids by the id of their evidence.
func IDs(r *sources.Result) map[string]string {
	ids := map[string]string{}
	for _, o := range r.Observations {
		ids[o.Record().Evidence[0].ID] = o.ID()
	}
	return ids
}

// Changed returns the evidence ids whose observations differ between two
// imports, sorted.
func Changed(a, b *sources.Result) []string {
	before, after := IDs(a), IDs(b)
	changed := map[string]bool{}
	for id, o := range before {
		changed[id] = after[id] != o
	}
	for id, o := range after {
		changed[id] = before[id] != o
	}
	maps.DeleteFunc(changed, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(changed))
}

// Text is all lines of a result.
func Text(r *sources.Result) string {
	var b strings.Builder
	_ = r.Lines(func(line []byte) error { b.Write(line); return nil }) // a Builder takes all
	return b.String()
}

// Find returns the record whose evidence has the id.
func Find(t testing.TB, r *sources.Result, evidence string) record.Observation {
	t.Helper()
	for _, o := range r.Observations {
		if rec := o.Record(); rec.Evidence[0].ID == evidence {
			return rec
		}
	}
	t.Fatalf("no observation with evidence %q", evidence)
	return record.Observation{}
}

// Value returns the canonical text of a measurement, "" if there is none.
func Value(rec record.Observation, key string) string {
	for _, m := range rec.Measurements {
		if m.Key == key {
			if m.Value.Kind == 't' || m.Value.Kind == 'f' {
				return map[byte]string{'t': "true", 'f': "false"}[m.Value.Kind]
			}
			return m.Value.Text
		}
	}
	return ""
}

// Reasons counts the diagnostics.
func Reasons(r *sources.Result) map[sources.Reason]int {
	n := map[sources.Reason]int{}
	for _, d := range r.Diagnostics {
		n[d.Reason]++
	}
	return n
}

// Refused demands that an import was refused at a path.
func Refused(t testing.TB, what string, err error, path, reason string) {
	t.Helper()
	faults := problem.All(err)
	if len(faults) == 0 {
		t.Errorf("%s: not refused (%v)", what, err)
		return
	}
	e := faults[0]
	if e.Code != problem.InvalidSourceSnapshot || e.Path != path || !strings.Contains(e.Reason, reason) {
		t.Errorf("%s: refused with %s, %s\nwant %s: ...%s...", what, e.Code, e, path, reason)
	}
}

// Fuzz imports what may be anything: it is refused with a path, or imported,
// twice to the same bytes and in order.
func Fuzz(t *testing.T, a sources.Adapter, entry string, files ...sources.File) {
	t.Helper()
	fuzz(t, func() (*sources.Result, error) { return ImportAll(t, a, entry, files...) })
}

// FuzzRows is Fuzz with [ImportRows].
func FuzzRows(t *testing.T, a sources.Adapter, defaults string, files ...sources.File) {
	t.Helper()
	fuzz(t, func() (*sources.Result, error) { return ImportRows(t, a, defaults, files...) })
}

func fuzz(t *testing.T, do func() (*sources.Result, error)) {
	t.Helper()
	first, err := do()
	if err != nil {
		faults := problem.All(err)
		if len(faults) == 0 {
			t.Fatalf("refused without a fault: %v", err)
		}
		for _, e := range faults {
			if e.Code != problem.InvalidSourceSnapshot || !strings.HasPrefix(e.Path, "$") || e.Reason == "" {
				t.Fatalf("%s %s", e.Code, e)
			}
		}
		return
	}
	again, err := do()
	if err != nil || Text(again) != Text(first) {
		t.Fatalf("the same input gives something else: %v", err)
	}
	if lines := strings.Split(Text(first), "\n"); !slices.IsSortedFunc(lines[:len(lines)-1], canonical.CompareText) {
		t.Fatal("the lines are not in order")
	}
}
