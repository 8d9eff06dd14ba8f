// Package sqlite writes a catalog as an SQLite database, whole: models, observations,
// measurements, evidence and conflicts, with views for what people ask. The same catalog
// gives the same bytes.
//
// Numbers that are integers are INTEGER, other numbers REAL, booleans 0 and 1; the
// column type says which. Null is unknown, or does not apply. The tables hold all
// members of the observations, so that their ids can be computed again.
//
// The database is made in memory and handed over page by page: nothing here touches a
// file.
package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	_ "embed" // for the schema
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"modernc.org/sqlite"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/service/record"
)

var (
	//go:embed tables.sql
	tableSchema string
	//go:embed views.sql
	viewSchema string
)

// setup is for a database that grows in memory and is thrown away when it fails: it needs
// no journal, and sorts in memory. user_version tells readers which tables there are. The
// driver keeps a page in a region of 64 KiB, of which a page of 4 KiB and its header would
// waste half.
const setup = `PRAGMA page_size = 32768;
PRAGMA user_version = 1;
PRAGMA journal_mode = OFF;
PRAGMA temp_store = MEMORY;
`

// Write writes a catalog as a database, unless it is empty: then the error is
// [export.ErrNothing]. Rows go in by the order of their keys, so that every tree grows at
// its end.
func Write(ctx context.Context, c *catalog.Catalog, w io.Writer) (report *record.ExportReport, err error) {
	report = export.NewReport(c, record.FormatSQLite)
	if report.Exported.Rows = c.Observations(); report.Exported.Rows == 0 {
		return report, export.ErrNothing
	}
	opened, err := new(sqlite.Driver).Open(":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	conn, ok := opened.(connection)
	if !ok {
		return nil, errors.New("the SQLite driver lacks what writing a database needs")
	}
	if err := execute(conn, setup+tableSchema+"BEGIN"); err != nil {
		return nil, err
	}
	if err := fill(ctx, conn, c); err != nil {
		return nil, err
	}
	if err := execute(conn, viewSchema+"COMMIT"); err != nil {
		return nil, err
	}
	return report, writePages(ctx, conn, w)
}

// connection is what the driver's connections can do. Going through database/sql would
// cost as much as a third of the inserting.
type connection interface {
	driver.Conn
	driver.ExecerContext
	driver.QueryerContext
}

func execute(conn connection, script string) error {
	_, err := conn.ExecContext(context.Background(), script, nil)
	return err
}

// writePages writes what the database would be as a file.
func writePages(ctx context.Context, conn connection, w io.Writer) (err error) {
	pages, err := conn.QueryContext(context.Background(), "SELECT data FROM sqlite_dbpage ORDER BY pgno", nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pages.Close()) }()
	page := make([]driver.Value, 1)
	for {
		if err := cmp.Or(ctx.Err(), pages.Next(page)); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		data, _ := page[0].([]byte)
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
}

// table is the number of a table in inserts.
type table int

const (
	catalogTable table = iota
	models
	executions
	tasks
	observations
	measurements
	evidence
	conflicts
	conflictObservations
)

// inserts are the tables with the values that a row of each is made of.
var inserts = [...]struct {
	name   string
	values int
	query  string // if a row is more than its values
}{
	catalogTable: {"catalog", 5, ""},
	models:       {"models", 5, ""},
	executions:   {"executions", 15, ""},
	tasks:        {"tasks", 7, ""},
	observations: {"observations", 21, ""},
	measurements: {"measurements", 6, ""},
	evidence:     {"evidence", 6, ""},
	// The observations of a conflict are of one execution and task.
	conflicts: {"conflicts", 4, "INSERT INTO conflicts SELECT ?, ?, ?, execution, task FROM observations " +
		"WHERE id = ?"},
	conflictObservations: {"conflict_observations", 2, ""},
}

// batch is rows, one after the other.
type batch struct {
	tables []table
	values []driver.NamedValue // of all rows
}

// fill inserts all rows, while a goroutine that ends before it does makes the next ones.
func fill(ctx context.Context, conn connection, c *catalog.Catalog) (err error) {
	var statements [len(inserts)]driver.StmtExecContext
	for i, of := range inserts {
		query := cmp.Or(of.query, "INSERT INTO "+of.name+" VALUES (?"+strings.Repeat(", ?", of.values-1)+")")
		s, err := conn.Prepare(query)
		if err != nil {
			return err
		}
		defer s.Close()
		statements[i] = s.(driver.StmtExecContext)
	}
	const ahead = 4
	ctx, stop := context.WithCancel(ctx)
	f := &filler{ctx: ctx, full: make(chan *batch, ahead), empty: make(chan *batch, ahead),
		batch: &batch{}, executions: map[string]string{}, tasks: map[string]string{}}
	for range ahead {
		f.empty <- &batch{}
	}
	go func() {
		defer close(f.full)
		f.fill(c)
	}()
	defer func() {
		stop()
		for range f.full { // until it has ended
		}
	}()
	for b := range f.full {
		values := b.values
		for _, t := range b.tables {
			n := inserts[t].values
			if _, err := statements[t].ExecContext(context.Background(), values[:n]); err != nil {
				return fmt.Errorf("table %s: %w", inserts[t].name, err)
			}
			values = values[n:]
		}
		f.empty <- b
	}
	return cmp.Or(ctx.Err(), f.err)
}

// filler makes the rows of a catalog.
type filler struct {
	ctx         context.Context
	full, empty chan *batch
	batch       *batch // that is being filled
	err         error
	executions  map[string]string // keys by JSON
	tasks       map[string]string
}

// modelObservation is an observation and the key of its model.
type modelObservation struct {
	catalog.Observation
	model string
}

// fill makes all rows, the observations by id, as long as the context lets it.
func (f *filler) fill(c *catalog.Catalog) {
	f.insert(catalogTable, c.Digest(), c.AsOf(), int64(len(c.Models())), int64(c.Observations()),
		int64(len(c.Conflicts())))
	all := make([]modelObservation, 0, c.Observations())
	for i := range c.Models() {
		entry := &c.Models()[i]
		id := entry.Identity
		f.insert(models, entry.Key, name(id.ID, string(id.Revision), string(id.Quantization)), id.ID,
			text(string(id.Revision)), text(string(id.Quantization)))
		for _, o := range entry.Observations {
			all = append(all, modelObservation{o, entry.Key})
		}
	}
	slices.SortFunc(all, func(a, b modelObservation) int { return strings.Compare(a.ID(), b.ID()) })
	records := catalog.NewRecordReader()
	for i := range all {
		if f.observation(&all[i], records.Read(all[i].Observation), c.AsOf()); f.ctx.Err() != nil {
			return
		}
	}
	for i := range c.Conflicts() {
		f.conflict(&c.Conflicts()[i])
	}
	f.deliver()
}

// insert adds a row.
func (f *filler) insert(t table, values ...any) {
	const most = 512
	f.batch.tables = append(f.batch.tables, t)
	for i, v := range values {
		f.batch.values = append(f.batch.values, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	if len(f.batch.tables) >= most {
		f.deliver()
	}
}

// deliver hands the batch over and takes an empty one.
func (f *filler) deliver() {
	select {
	case f.full <- f.batch:
	case <-f.ctx.Done():
		return
	}
	select {
	case f.batch = <-f.empty:
		f.batch.tables, f.batch.values = f.batch.tables[:0], f.batch.values[:0]
	case <-f.ctx.Done():
		f.batch = &batch{}
	}
}

// name is texts that are not empty, as one.
func name(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), " ")
}

// text is a text, null if it is empty.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func count(n record.Count) any {
	if !n.Known {
		return nil
	}
	return int64(n.N) // at most 2^53-1
}

func texts(list []string) string {
	var e canonical.Encoder
	e.Texts(list)
	return string(e.Buf)
}

func (f *filler) observation(o *modelObservation, rec *record.Observation, asOf string) {
	holds := int64(0)
	if rec.Freshness.HoldsAt(record.Timestamp(asOf)) {
		holds = 1
	}
	u := &rec.Usage
	f.insert(observations, o.ID(), o.model, rec.Kind, f.execution(&rec.Execution), f.task(&rec.Task),
		text(rec.Outcome.Status), rec.SourceClass,
		string(rec.Freshness.ObservedAt), text(string(rec.Freshness.ValidUntil)), holds, rec.Uncertainty.Level,
		texts(rec.Uncertainty.Basis), texts(rec.Uncertainty.Gaps),
		count(u.InputTokens), count(u.OutputTokens), count(u.ReasoningTokens), count(u.TotalTokens), count(u.ModelCalls),
		count(u.WallTimeMs),
		text(string(rec.Outcome.Reason)), text(u.Completeness))
	for i := range rec.Measurements {
		m := &rec.Measurements[i]
		kind, value := scalar(m.Value)
		f.insert(measurements, o.ID(), m.Kind, m.Key, kind, value, text(m.Unit))
	}
	for i := range rec.Evidence {
		e := &rec.Evidence[i]
		f.insert(evidence, o.ID(), e.ID, e.Kind, text(string(e.URI)), text(e.Digest.Value), string(e.ObservedAt))
	}
}

// scalar is a value with its type.
func scalar(v record.Scalar) (kind string, value any) {
	switch v.Kind {
	case '"':
		return "text", v.Text
	case '0':
		if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
			return "number", n
		}
		return "number", v.Float()
	case 't':
		return "boolean", int64(1)
	}
	return "boolean", int64(0)
}

// execution returns the key of a scope, which may be new, null for one that says
// nothing.
func (f *filler) execution(s *record.Scope) any {
	if s.Kind == "" {
		return nil
	}
	e := canonical.Encoder{Buf: []byte(s.Kind)}
	catalog.EncodeProfile(&e, &s.Profile)
	json := string(e.Buf)
	key, known := f.executions[json]
	if !known {
		key = canonical.Sum(e.Buf)
		f.executions[json] = key
		p := &s.Profile
		var tools any
		if p.ToolSurface != nil {
			tools = texts(p.ToolSurface)
		}
		f.insert(executions, key, profileName(p), s.Kind, text(p.Runtime.ID), text(string(p.Runtime.Version)),
			text(p.Adapter.ID), text(string(p.Adapter.Version)),
			count(p.EffectiveContextTokens), tools, text(p.Hardware.Class), text(string(p.Hardware.Accelerator)),
			count(p.Hardware.MemoryBytes),
			text(p.Workflow.ID), text(string(p.Workflow.Version)), text(string(p.Workflow.Condition)))
	}
	return key
}

// profileName is what a profile names, as one text; of a plain profile that is its
// runtime.
func profileName(p *record.Profile) string {
	parts := []string{p.Runtime.ID, string(p.Runtime.Version), p.Adapter.ID, string(p.Adapter.Version)}
	if p.EffectiveContextTokens.Known {
		parts = append(parts, strconv.FormatUint(p.EffectiveContextTokens.N, 10)+" tokens")
	}
	if len(p.ToolSurface) > 0 {
		parts = append(parts, "tools "+strings.Join(p.ToolSurface, "+"))
	}
	parts = append(parts, p.Hardware.Class, string(p.Hardware.Accelerator))
	if p.Hardware.MemoryBytes.Known {
		parts = append(parts, strconv.FormatUint(p.Hardware.MemoryBytes.N, 10)+" bytes")
	}
	return name(append(parts, p.Workflow.ID, string(p.Workflow.Version), string(p.Workflow.Condition))...)
}

// task returns the key of a task, which may be new, null for none.
func (f *filler) task(t *record.Task) any {
	if t.Family == "" {
		return nil
	}
	e := canonical.Encoder{}
	e.Member(`{"evaluator":{"id":`, t.Evaluator.ID)
	e.MemberOrNull(`,"version":`, string(t.Evaluator.Version))
	e.Member(`},"family":`, t.Family)
	e.MemberOrNull(`,"suite":`, string(t.Suite))
	e.MemberOrNull(`,"taskId":`, string(t.TaskID))
	e.Raw(`}`)
	key, known := f.tasks[string(e.Buf)]
	if !known {
		key = canonical.Sum(e.Buf)
		f.tasks[string(e.Buf)] = key
		f.insert(tasks, key, name(t.Family, string(t.Suite), string(t.TaskID)), t.Family, text(string(t.Suite)),
			text(string(t.TaskID)), t.Evaluator.ID, text(string(t.Evaluator.Version)))
	}
	return key
}

// conflict reads a conflict, which is canonical JSON, into the tables.
func (f *filler) conflict(c *catalog.Conflict) {
	whole, err := ijson.ReadValue(c.JSON, "")
	if err != nil {
		f.err = err
		return
	}
	measurement, _ := whole.Get("measurementKey")
	ids, _ := whole.Get("observationIds")
	first := true
	for _, id := range ids.Items {
		if first { // all are of one execution and task
			first = false
			f.insert(conflicts, c.Key, c.ModelKey, measurement.Text, id.Text)
		}
		f.insert(conflictObservations, c.Key, id.Text)
	}
}
