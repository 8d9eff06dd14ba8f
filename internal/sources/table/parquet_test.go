package table_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/sources/table"
)

// written is a file of Parquet with rows.
func written[T any](t testing.TB, options []parquet.WriterOption, rows ...T) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// score is a row as a program writes it that knows types.
type score struct {
	Model     string    `parquet:"Model,dict"`
	Benchmark string    `parquet:"Benchmark"`
	Score     float64   `parquet:"Score"`
	Questions *int64    `parquet:"Questions,optional"`
	Day       time.Time `parquet:"Day,timestamp"`
	Task      *string   `parquet:"Task,optional"`
	Comment   string    `parquet:"Comment"`
	Tags      []string  `parquet:"Tags"`
}

func scores() []score {
	n, task, day := int64(200), "t1", time.Date(2026, 10, 12, 0, 0, 0, 0, time.UTC)
	return []score{
		{"openai/gpt-5", "triage", 71.5, &n, day, &task, "SECRET", []string{"a", "b"}},
		{"z-ai/glm-5", "triage", 68, nil, day, nil, "", nil},
	}
}

// Parquet says the same as CSV, in whatever way it is compressed and divided.
func TestParquet(t *testing.T) {
	want, err := importTable(t, comma, columns)
	if err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string][]parquet.WriterOption{
		"plain": nil, "snappy": {parquet.Compression(&parquet.Snappy)}, "zstd": {parquet.Compression(&parquet.Zstd)}, "gzip": {parquet.Compression(&parquet.Gzip)},
		"brotli": {parquet.Compression(&parquet.Brotli)}, "lz4": {parquet.Compression(&parquet.Lz4Raw)}, "old pages": {parquet.DataPageVersion(1)},
		"a group a row": {parquet.MaxRowsPerRowGroup(1)},
	} {
		r, err := importTable(t, written(t, options, scores()...), columns)
		if err != nil || sourcetest.Text(r) != sourcetest.Text(want) {
			t.Errorf("%s: %v\n%s", name, err, sourcetest.Text(r))
		}
	}
}

// The types that numbers and days come in.
func TestParquetTypes(t *testing.T) {
	type inner struct {
		Value float32 `parquet:"value"`
	}
	type row struct {
		Model  string `parquet:"Model"`
		Single inner  `parquet:"single"`
		Int    int32  `parquet:"int"`
		Uint   uint64 `parquet:"uint"`
		Cents  int64  `parquet:"cents,decimal(2:18)"`
		Day    int32  `parquet:"day,date"`
	}
	text := written(t, nil, row{"openai/gpt-5", inner{1e-7}, -3, 1 << 40, -1250, 20738})
	for column, want := range map[string]string{"single.value": "1e-7", "int": "-3", "uint": "1099511627776", "cents": "-12.5"} {
		r, err := importTable(t, text, `{"model":"Model","value":"`+column+`","date":"day","constants":{"key":"k"}}`)
		if err != nil || len(r.Observations) != 1 {
			t.Fatalf("%s: %v", column, err)
		}
		rec := r.Observations[0].Record()
		if got := rec.Measurements[0].Value.Text; got != want || rec.Freshness.ObservedAt != "2026-10-12T00:00:00.000Z" {
			t.Errorf("%s is %s, want %s; %+v", column, got, want, rec.Freshness)
		}
	}
}

// What is no Parquet, or lacks a column, is refused. Damage is, too, or does no harm.
func TestParquetRefused(t *testing.T) {
	good := written(t, nil, scores()...)
	for text, want := range map[string]string{
		"PAR1": "is not Parquet", good[:len(good)/2]: "is not Parquet", strings.Replace(good, "PAR1", "PAR1\xff\xff", 1): "is not Parquet",
	} {
		_, err := importTable(t, text, columns)
		if faults := problem.All(err); len(faults) != 1 || !strings.Contains(faults[0].Reason, want) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	for _, column := range []string{"Points", "Tags"} { // which has many values in a row
		if _, err := importTable(t, good, strings.Replace(columns, "Score", column, 1)); err == nil || !strings.Contains(err.Error(), "no column") {
			t.Errorf("%s: %v", column, err)
		}
	}
	m, err := table.ReadMap(problem.Source{Text: columns})
	if err != nil {
		t.Fatal(err)
	}
	random, refused := rand.New(rand.NewPCG(5, 5)), 0
	for range 500 {
		damaged := []byte(good)
		for range 1 + random.IntN(4) {
			damaged[len("PAR1")+random.IntN(len(good)-len("PAR1"))] = byte(random.IntN(256))
		}
		if _, err := table.New(m).Reducer()(bytes.NewReader(damaged), int64(len(damaged))); err != nil {
			refused++
		}
	}
	if refused < 100 {
		t.Errorf("%d of 500 damaged files are refused", refused)
	}
}
