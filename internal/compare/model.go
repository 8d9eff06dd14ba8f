package compare

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// Model is the observations of one model, cut into slots and sample groups. Its
// texts are parts of the observations, which it keeps in memory.
type Model struct {
	Observations []Observation // in the order given, which in a catalog is by id
	Executions   []Execution   // the distinct execution scopes
	Tasks        []Task        // the distinct tasks
	Slots        []Slot        // in the order in which their first facts come
	Groups       []Group       // in the order in which their first samples come
}

// Observation is what slots and groups need to know of an observation.
type Observation struct {
	ID          string
	Freshness   catalog.Freshness
	SourceClass string
	Invalid     bool // its outcome is invalid
	evidence    string
}

// Evidence is where the values of an observation can be seen.
type Evidence struct {
	ID  string         `json:"id"`
	URI canonical.Text `json:"uri"`
}

// Execution is an execution scope.
type Execution struct {
	catalog.Scope
	JSON string // canonical, null for the scope that says nothing
}

// Task is what was measured, as far as sample groups tell tasks apart.
type Task struct {
	Family    string // "" if there is no task
	Suite     string // "" for null
	TaskID    string // "" for null
	JSON      string // canonical JSON of the whole, null if there is none
	suite     int    // the number of family and suite
	evaluator string // as it is written
}

// Entry is one measurement of one observation.
type Entry struct {
	Value       catalog.Scalar
	Unit        string // "" for none
	Observation int    // in the model's observations
}

// View is a model as one catalog has it at an instant. The two slices say it of
// each observation of the model.
type View struct {
	*Model
	Has   []bool // the catalog has it
	Holds []bool // and it holds
}

// At returns the view of a catalog that has all observations of the model.
func (m *Model) At(instant string) *View {
	return m.view(instant, func(int) bool { return true })
}

func (m *Model) view(instant string, has func(observation int) bool) *View {
	v := &View{m, make([]bool, len(m.Observations)), make([]bool, len(m.Observations))}
	for i := range m.Observations {
		v.Has[i] = has(i)
		v.Holds[i] = v.Has[i] && m.Observations[i].Freshness.HoldsAt(instant)
	}
	return v
}

// observed is an observation, of which most is left as it is written. Reading all
// of it would take three times as long.
type observed struct {
	Observation
	execution, task    string
	model, uncertainty string
	measurements       []measurement
}

type measurement struct {
	key, kind, unit string
	value           catalog.Scalar
}

// Members stand in canonical order, in which observations have them. Some are likely to
// be as in the observation before.
var (
	observedShape = ijson.NewShape(
		ijson.Required("evidence", func(r *ijson.Reader, o *observed) { o.evidence = r.Span() }),
		ijson.Required("execution", func(r *ijson.Reader, o *observed) { o.execution = r.SpanLike(o.execution) }),
		ijson.Required("freshness", func(r *ijson.Reader, o *observed) { freshnessShape.Read(r, &o.Freshness) }),
		ijson.Required("id", func(r *ijson.Reader, _ *observed) { r.Span() }),
		ijson.Required("kind", func(r *ijson.Reader, _ *observed) { r.Span() }),
		ijson.Required("measurements", func(r *ijson.Reader, o *observed) {
			for l := r.List(); l.Next(); {
				o.measurements = append(o.measurements, measurement{})
				measurementShape.Read(r, &o.measurements[len(o.measurements)-1])
			}
		}),
		ijson.Required("model", func(r *ijson.Reader, o *observed) { o.model = r.SpanLike(o.model) }),
		ijson.Required("outcome", func(r *ijson.Reader, o *observed) {
			if !r.Null() {
				outcomeShape.Read(r, &o.Observation)
			}
		}),
		ijson.Required("schemaVersion", func(r *ijson.Reader, _ *observed) { r.Span() }),
		ijson.Required("sourceClass", func(r *ijson.Reader, o *observed) { o.SourceClass = r.String() }),
		ijson.Required("task", func(r *ijson.Reader, o *observed) { o.task = r.Span() }),
		ijson.Required("uncertainty", func(r *ijson.Reader, o *observed) { o.uncertainty = r.SpanLike(o.uncertainty) }),
		ijson.Required("usage", func(r *ijson.Reader, _ *observed) { r.Span() }),
	)
	freshnessShape = ijson.NewShape(
		ijson.Required("observedAt", func(r *ijson.Reader, f *catalog.Freshness) { f.ObservedAt = r.String() }),
		ijson.Required("validUntil", func(r *ijson.Reader, f *catalog.Freshness) { f.ValidUntil = r.TextOrNull() }),
	)
	measurementShape = ijson.NewShape(
		ijson.Required("key", func(r *ijson.Reader, m *measurement) { m.key = r.String() }),
		ijson.Required("kind", func(r *ijson.Reader, m *measurement) { m.kind = r.String() }),
		ijson.Optional("unit", func(r *ijson.Reader, m *measurement) { m.unit = r.String() }),
		ijson.Required("value", func(r *ijson.Reader, m *measurement) { m.value = catalog.ReadScalar(r) }),
	)
	outcomeShape = ijson.NewShape(
		ijson.Required("reason", func(r *ijson.Reader, _ *Observation) { r.Span() }),
		ijson.Required("status", func(r *ijson.Reader, o *Observation) { o.Invalid = r.String() == catalog.OutcomeInvalid }),
	)
	taskShape = ijson.NewShape(
		ijson.Required("evaluator", func(r *ijson.Reader, t *Task) { t.evaluator = r.Span() }),
		ijson.Required("family", func(r *ijson.Reader, t *Task) { t.Family = r.String() }),
		ijson.Required("suite", func(r *ijson.Reader, t *Task) { t.Suite = r.TextOrNull() }),
		ijson.Required("taskId", func(r *ijson.Reader, t *Task) { t.TaskID = r.TextOrNull() }),
	)
	evaluatorShape = ijson.NewShape(
		ijson.Required("id", func(r *ijson.Reader, a *About) { a.Evaluator.ID = r.String() }),
		ijson.Required("version", func(r *ijson.Reader, a *About) { a.Evaluator.Version = canonical.Text(r.TextOrNull()) }),
	)
	evidenceShape = ijson.NewShape(
		ijson.Required("digest", func(r *ijson.Reader, _ *Evidence) { r.Span() }),
		ijson.Required("id", func(r *ijson.Reader, e *Evidence) { e.ID = r.String() }),
		ijson.Required("kind", func(r *ijson.Reader, _ *Evidence) { r.Span() }),
		ijson.Required("observedAt", func(r *ijson.Reader, _ *Evidence) { r.Span() }),
		ijson.Required("uri", func(r *ijson.Reader, e *Evidence) { e.URI = canonical.Text(r.TextOrNull()) }),
	)
)

// Evidence returns the evidence of an observation, by id.
func (r *Reader) Evidence(o *Observation) (list []Evidence) {
	r.parts.Reset(o.evidence)
	for l := r.parts.List(); l.Next(); {
		var e Evidence
		evidenceShape.Read(r.parts, &e)
		list = append(list, e)
	}
	return list
}

// Evidence returns the evidence of the observation, by id. A [Reader] does it in the same
// space for many.
func (o *Observation) Evidence() []Evidence { return NewReader().Evidence(o) }

// about returns the whole task, nil if there is none.
func (t *Task) about() *About {
	if t.Family == "" {
		return nil
	}
	a := &About{Family: t.Family, Suite: canonical.Text(t.Suite), TaskID: canonical.Text(t.TaskID)}
	evaluatorShape.Read(newPartReader(t.evaluator), a)
	return a
}

// newPartReader reads a part of an observation, which is validated.
func newPartReader(text string) *ijson.Reader {
	r := ijson.NewPartReader(problem.InvalidCatalog)
	r.IsUTF8 = true
	r.Reset(text)
	return r
}

// Reader reads models, one after the other, in the same space.
type Reader struct {
	json  *ijson.Reader
	parts *ijson.Reader
	rec   observed
	cut   cutter
}

// NewReader returns a Reader.
func NewReader() *Reader {
	return &Reader{json: newPartReader(""), parts: newPartReader(""), cut: cutter{scopes: map[string]catalog.Scope{}}}
}

// Read cuts observations of one model into slots and groups:
//
//	reader := compare.NewReader()
//	for _, entry := range snapshot.Models() {
//		view := reader.Read(entry.Observations).At(snapshot.AsOf())
//		for i := range view.Slots {
//			fmt.Println(view.Slots[i].MeasurementKey, view.State(&view.Slots[i]))
//		}
//	}
func (r *Reader) Read(observations []catalog.Observation) *Model {
	c := &r.cut
	c.start()
	for _, o := range observations {
		r.json.Reset(o.JSON())
		r.rec.Observation, r.rec.measurements = Observation{}, r.rec.measurements[:0]
		observedShape.Read(r.json, &r.rec)
		r.rec.ID = o.ID()
		c.add(&r.rec, r.parts)
	}
	m := &Model{slices.Clone(c.Observations), slices.Clone(c.Executions), slices.Clone(c.Tasks), slices.Clone(c.Slots), slices.Clone(c.Groups)}
	for i, facts := range c.facts.deal(len(m.Slots)) {
		m.Slots[i].Facts = facts
	}
	for i, samples := range c.samples.deal(len(m.Groups)) {
		m.Groups[i].Samples = samples
	}
	return m
}

// cutter cuts a model. Each entry is noted with the number of its slot or group
// first, and put there when all are known: so that many small lists need not grow.
type cutter struct {
	Model                                   // so far, in space that the next model will have
	executions     map[string]int           // by canonical JSON
	scopes         map[string]catalog.Scope // of all models: most run at the same few runtimes
	tasks          map[string]int
	suites         map[[2]string]int // by family and suite
	slots, groups  map[listName]int
	facts, samples numbered
}

// mostScopes is how many scopes a Reader remembers.
const mostScopes = 1024

// start makes ready for a model.
func (c *cutter) start() {
	c.Model = Model{c.Observations[:0], c.Executions[:0], c.Tasks[:0], c.Slots[:0], c.Groups[:0]}
	restart(&c.executions)
	restart(&c.tasks)
	restart(&c.suites)
	restart(&c.slots)
	restart(&c.groups)
	c.facts.restart()
	c.samples.restart()
}

// restart empties a map. Emptying takes time in proportion to the room of a map, so
// after a large model the small ones get a new one.
func restart[Name comparable](numbers *map[Name]int) {
	const small = 1024
	if *numbers == nil || len(*numbers) > small {
		*numbers = map[Name]int{}
	}
	clear(*numbers)
}

// listName tells the slots of one model apart, and its groups.
type listName struct {
	key       string
	execution int
	task      int // of a slot its task, of a group that of family and suite
}

func (c *cutter) add(rec *observed, parts *ijson.Reader) {
	m := &c.Model
	execution, known := c.executions[rec.execution]
	if !known {
		scope, isRead := c.scopes[rec.execution]
		if !isRead && rec.execution != "null" {
			scope, _ = catalog.ParseScope(rec.execution) // it is a part of what was validated
			if len(c.scopes) < mostScopes {
				c.scopes[rec.execution] = scope
			}
		}
		execution = len(m.Executions)
		c.executions[rec.execution] = execution
		m.Executions = append(m.Executions, Execution{scope, rec.execution})
	}
	task, known := c.tasks[rec.task]
	if !known {
		t := Task{JSON: rec.task}
		if parts.Reset(rec.task); !parts.Null() {
			taskShape.Read(parts, &t)
		}
		t.suite = numberOf(c.suites, [2]string{t.Family, t.Suite})
		task = len(m.Tasks)
		c.tasks[rec.task] = task
		m.Tasks = append(m.Tasks, t)
	}
	for i := range rec.measurements {
		measured := &rec.measurements[i]
		entry := Entry{measured.value, measured.unit, len(m.Observations)}
		if measured.kind == catalog.Fact {
			n := numberOf(c.slots, listName{measured.key, execution, task})
			if n == len(m.Slots) {
				m.Slots = append(m.Slots, Slot{MeasurementKey: measured.key, Execution: execution, Task: task})
			}
			c.facts.add(n, entry)
			continue
		}
		n := numberOf(c.groups, listName{measured.key, execution, m.Tasks[task].suite})
		if n == len(m.Groups) {
			m.Groups = append(m.Groups, Group{measured.key, execution, m.Tasks[task].Family, m.Tasks[task].Suite, nil})
		}
		c.samples.add(n, entry)
	}
	m.Observations = append(m.Observations, rec.Observation)
}

// numberOf returns the number of a name, which is the next one if it is new.
func numberOf[Name comparable](numbers map[Name]int, name Name) int {
	n, known := numbers[name]
	if !known {
		n = len(numbers)
		numbers[name] = n
	}
	return n
}

// numbered is entries, each with the number of the list that it belongs to.
type numbered struct {
	entries []Entry
	numbers []int
}

func (n *numbered) restart() { n.entries, n.numbers = n.entries[:0], n.numbers[:0] }

func (n *numbered) add(list int, entry Entry) {
	n.entries = append(n.entries, entry)
	n.numbers = append(n.numbers, list)
}

// deal returns the entries of each of so many lists, in their order.
func (n *numbered) deal(lists int) [][]Entry {
	sizes := make([]int, lists)
	for _, list := range n.numbers {
		sizes[list]++
	}
	room, out := make([]Entry, len(n.entries)), make([][]Entry, lists)
	for i, size := range sizes {
		out[i], room = room[:0:size], room[size:]
	}
	for i, list := range n.numbers {
		out[list] = append(out[list], n.entries[i])
	}
	return out
}
