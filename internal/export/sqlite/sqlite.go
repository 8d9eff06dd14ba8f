// Package sqlite writes a catalog as an SQLite database, whole: models, observations,
// measurements, evidence and conflicts, with views for what people ask. The same catalog
// gives the same bytes.
//
// Numbers that are integers are INTEGER, other numbers REAL, booleans 0 and 1; the
// column type says which. Null is unknown, or does not apply. The tables hold all
// members of the observations, so that their ids can be computed again.
//
// The database is made in memory and handed over as bytes: nothing here touches a file.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	_ "embed" // for the schema
	"errors"
	"fmt"
	"strconv"
	"strings"

	"modernc.org/sqlite"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/export"
	"github.com/model-catalog-service/svc/internal/ijson"
)

//go:embed schema.sql
var schema string

// userVersion tells readers which tables there are.
const userVersion = 1

// Database returns a catalog as the bytes of a database.
func Database(ctx context.Context, c *catalog.Catalog) (database []byte, report *export.Report, err error) {
	conn, err := new(sqlite.Driver).Open(":memory:")
	if err != nil {
		return nil, nil, err
	}
	db := sql.OpenDB(fixed{conn})
	defer func() { err = errors.Join(err, db.Close()) }()
	one, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer one.Close()
	report = export.NewReport(c, export.SQLite)
	if err := write(ctx, one, c, report); err != nil {
		return nil, nil, err
	}
	err = one.Raw(func(raw any) (err error) {
		serializer, ok := raw.(interface{ Serialize() ([]byte, error) })
		if !ok {
			return errors.New("the SQLite driver cannot hand a database over")
		}
		database, err = serializer.Serialize()
		return err
	})
	return database, report, err
}

// fixed is a connector to one connection.
type fixed struct{ driver.Conn }

func (f fixed) Connect(context.Context) (driver.Conn, error) { return f.Conn, nil }
func (f fixed) Driver() driver.Driver                        { return new(sqlite.Driver) }

// tables are the tables in the order in which they are filled, with how many columns.
var tables = []struct {
	name    string
	columns int
}{{"catalog", 5}, {"models", 5}, {"executions", 15}, {"tasks", 7}, {"observations", 21}, {"measurements", 6}, {"evidence", 6}, {"conflict_observations", 2}}

// filler fills tables.
type filler struct {
	ctx        context.Context
	statements map[string]*sql.Stmt
	err        error
	executions map[string]string // keys by JSON
	tasks      map[string]string
}

func write(ctx context.Context, conn *sql.Conn, c *catalog.Catalog, report *export.Report) error {
	setup := "PRAGMA page_size = 4096; PRAGMA user_version = " + strconv.Itoa(userVersion) + ";\n" + schema
	if _, err := conn.ExecContext(ctx, setup); err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // which does nothing after a commit
	f := &filler{ctx: ctx, statements: map[string]*sql.Stmt{}, executions: map[string]string{}, tasks: map[string]string{}}
	for _, t := range tables {
		if f.statements[t.name], err = tx.PrepareContext(ctx, "INSERT INTO "+t.name+" VALUES (?"+strings.Repeat(", ?", t.columns-1)+")"); err != nil {
			return err
		}
	}
	if f.statements["conflicts"], err = tx.PrepareContext(ctx, "INSERT INTO conflicts SELECT ?, ?, ?, execution, task FROM observations WHERE id = ?"); err != nil {
		return err
	}
	f.insert("catalog", c.Digest(), c.AsOf(), len(c.Models()), c.Observations(), len(c.Conflicts()))
	records := catalog.NewRecordReader()
	for i := range c.Models() {
		entry := &c.Models()[i]
		id := entry.Identity
		f.insert("models", entry.Key, name(id.ID, id.Revision, id.Quantization), id.ID, text(id.Revision), text(id.Quantization))
		for _, o := range entry.Observations {
			f.observation(entry.Key, o, records.Read(o), c.AsOf())
			report.Exported.Rows++
		}
		if f.err != nil {
			return f.err
		}
	}
	for _, conflict := range c.Conflicts() {
		f.conflict(&conflict)
	}
	if f.err != nil {
		return f.err
	}
	for _, s := range f.statements {
		if err := s.Close(); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (f *filler) insert(table string, values ...any) {
	if f.err != nil {
		return
	}
	if _, err := f.statements[table].ExecContext(f.ctx, values...); err != nil {
		f.err = fmt.Errorf("table %s: %w", table, err)
	}
}

// name is texts that are not empty, as one.
func name(texts ...string) string {
	var parts []string
	for _, t := range texts {
		if t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, " ")
}

// text is a text, null if it is empty.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func count(n catalog.Count) any {
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

func (f *filler) observation(model string, o catalog.Observation, rec *catalog.Record, asOf string) {
	holds := 0
	if rec.Freshness.HoldsAt(asOf) {
		holds = 1
	}
	u := &rec.Usage
	f.insert("observations", o.ID(), model, rec.Kind, f.execution(&rec.Execution), f.task(&rec.Task), text(rec.Outcome.Status), rec.SourceClass,
		rec.Freshness.ObservedAt, text(rec.Freshness.ValidUntil), holds, rec.Uncertainty.Level, texts(rec.Uncertainty.Basis), texts(rec.Uncertainty.Gaps),
		count(u.InputTokens), count(u.OutputTokens), count(u.ReasoningTokens), count(u.TotalTokens), count(u.ModelCalls), count(u.WallTimeMs),
		text(rec.Outcome.Reason), text(u.Completeness))
	for i := range rec.Measurements {
		m := &rec.Measurements[i]
		kind, value := scalar(m.Value)
		f.insert("measurements", o.ID(), m.Kind, m.Key, kind, value, text(m.Unit))
	}
	for i := range rec.Evidence {
		e := &rec.Evidence[i]
		f.insert("evidence", o.ID(), e.ID, e.Kind, text(e.URI), text(e.SHA256), e.ObservedAt)
	}
}

// scalar is a value with its type.
func scalar(v catalog.Scalar) (kind string, value any) {
	switch v.Kind {
	case '"':
		return "text", v.Text
	case '0':
		if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
			return "number", n
		}
		return "number", v.Float()
	case 't':
		return "boolean", 1
	}
	return "boolean", 0
}

// execution returns the key of a scope, which may be new, null for one that says
// nothing.
func (f *filler) execution(s *catalog.Scope) any {
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
		f.insert("executions", key, profileName(p), s.Kind, text(p.Runtime.ID), text(p.Runtime.Version), text(p.Adapter.ID), text(p.Adapter.Version),
			count(p.EffectiveContextTokens), tools, text(p.Hardware.Class), text(p.Hardware.Accelerator), count(p.Hardware.MemoryBytes),
			text(p.Workflow.ID), text(p.Workflow.Version), text(p.Workflow.Condition))
	}
	return key
}

// profileName is what a profile names, as one text; of a plain profile that is its
// runtime.
func profileName(p *catalog.Profile) string {
	parts := []string{p.Runtime.ID, p.Runtime.Version, p.Adapter.ID, p.Adapter.Version}
	if p.EffectiveContextTokens.Known {
		parts = append(parts, strconv.FormatUint(p.EffectiveContextTokens.N, 10)+" tokens")
	}
	if len(p.ToolSurface) > 0 {
		parts = append(parts, "tools "+strings.Join(p.ToolSurface, "+"))
	}
	parts = append(parts, p.Hardware.Class, p.Hardware.Accelerator)
	if p.Hardware.MemoryBytes.Known {
		parts = append(parts, strconv.FormatUint(p.Hardware.MemoryBytes.N, 10)+" bytes")
	}
	return name(append(parts, p.Workflow.ID, p.Workflow.Version, p.Workflow.Condition)...)
}

// task returns the key of a task, which may be new, null for none.
func (f *filler) task(t *catalog.Task) any {
	if t.Family == "" {
		return nil
	}
	e := canonical.Encoder{}
	e.Member(`{"evaluator":{"id":`, t.Evaluator.ID)
	e.MemberOrNull(`,"version":`, t.Evaluator.Version)
	e.Member(`},"family":`, t.Family)
	e.MemberOrNull(`,"suite":`, t.Suite)
	e.MemberOrNull(`,"taskId":`, t.TaskID)
	e.Raw(`}`)
	key, known := f.tasks[string(e.Buf)]
	if !known {
		key = canonical.Sum(e.Buf)
		f.tasks[string(e.Buf)] = key
		f.insert("tasks", key, name(t.Family, t.Suite, t.TaskID), t.Family, text(t.Suite), text(t.TaskID), t.Evaluator.ID, text(t.Evaluator.Version))
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
			f.insert("conflicts", c.Key, c.ModelKey, measurement.Text, id.Text)
		}
		f.insert("conflict_observations", c.Key, id.Text)
	}
}
