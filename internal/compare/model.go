package compare

import (
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
	Family string // "" if there is no task
	Suite  string // "" for null
	TaskID string // "" for null
	JSON   string // canonical JSON of the whole, null if there is none
	suite  int    // the number of family and suite
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
	execution, task string
	measurements    []measurement
}

type measurement struct {
	key, kind, unit string
	value           catalog.Scalar
}

// Members stand in canonical order, in which observations have them.
var (
	observedShape = ijson.NewShape(
		ijson.Required("evidence", func(r *ijson.Reader, o *observed) { o.evidence = r.Span() }),
		ijson.Required("execution", func(r *ijson.Reader, o *observed) { o.execution = r.Span() }),
		ijson.Required("freshness", func(r *ijson.Reader, o *observed) { freshnessShape.Read(r, &o.Freshness) }),
		ijson.Required("id", func(r *ijson.Reader, _ *observed) { r.Span() }),
		ijson.Required("kind", func(r *ijson.Reader, _ *observed) { r.Span() }),
		ijson.Required("measurements", func(r *ijson.Reader, o *observed) {
			for l := r.List(); l.Next(); {
				o.measurements = append(o.measurements, measurement{})
				measurementShape.Read(r, &o.measurements[len(o.measurements)-1])
			}
		}),
		ijson.Required("model", func(r *ijson.Reader, _ *observed) { r.Span() }),
		ijson.Required("outcome", func(r *ijson.Reader, o *observed) {
			if !r.Null() {
				outcomeShape.Read(r, &o.Observation)
			}
		}),
		ijson.Required("schemaVersion", func(r *ijson.Reader, _ *observed) { r.Span() }),
		ijson.Required("sourceClass", func(r *ijson.Reader, o *observed) { o.SourceClass = r.String() }),
		ijson.Required("task", func(r *ijson.Reader, o *observed) { o.task = r.Span() }),
		ijson.Required("uncertainty", func(r *ijson.Reader, _ *observed) { r.Span() }),
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
		ijson.Required("evaluator", func(r *ijson.Reader, _ *Task) { r.Span() }),
		ijson.Required("family", func(r *ijson.Reader, t *Task) { t.Family = r.String() }),
		ijson.Required("suite", func(r *ijson.Reader, t *Task) { t.Suite = r.TextOrNull() }),
		ijson.Required("taskId", func(r *ijson.Reader, t *Task) { t.TaskID = r.TextOrNull() }),
	)
	evidenceShape = ijson.NewShape(
		ijson.Required("digest", func(r *ijson.Reader, _ *Evidence) { r.Span() }),
		ijson.Required("id", func(r *ijson.Reader, e *Evidence) { e.ID = r.String() }),
		ijson.Required("kind", func(r *ijson.Reader, _ *Evidence) { r.Span() }),
		ijson.Required("observedAt", func(r *ijson.Reader, _ *Evidence) { r.Span() }),
		ijson.Required("uri", func(r *ijson.Reader, e *Evidence) { e.URI = canonical.Text(r.TextOrNull()) }),
	)
)

// Evidence returns the evidence of the observation, by id.
func (o *Observation) Evidence() (list []Evidence) {
	r := ijson.NewPartReader(problem.InvalidCatalog)
	r.IsUTF8 = true // observations are validated
	r.Reset(o.evidence)
	for l := r.List(); l.Next(); {
		var e Evidence
		evidenceShape.Read(r, &e)
		list = append(list, e)
	}
	return list
}

// about returns the whole task, nil if there is none.
func (t *Task) about() *About {
	if t.Family == "" {
		return nil
	}
	a := &About{}
	ijson.ReadTagged(ijson.NewReader(t.JSON, problem.InvalidCatalog), a)
	return a
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
	r := &Reader{json: ijson.NewPartReader(problem.InvalidCatalog), parts: ijson.NewPartReader(problem.InvalidCatalog)}
	r.json.IsUTF8, r.parts.IsUTF8 = true, true // observations are validated
	return r
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
	c.start(len(observations))
	for _, o := range observations {
		r.json.Reset(o.JSON())
		r.rec = observed{measurements: r.rec.measurements[:0]}
		observedShape.Read(r.json, &r.rec)
		r.rec.ID = o.ID()
		c.add(&r.rec, r.parts)
	}
	for i, facts := range c.facts.deal(len(c.model.Slots)) {
		c.model.Slots[i].Facts = facts
	}
	for i, samples := range c.samples.deal(len(c.model.Groups)) {
		c.model.Groups[i].Samples = samples
	}
	m := c.model
	c.model = nil
	return m
}

// cutter cuts a model. Each entry is noted with the number of its slot or group
// first, and put there when all are known: so that many small lists need not grow.
type cutter struct {
	model          *Model
	executions     map[string]int // by canonical JSON
	tasks          map[string]int
	suites         map[[2]string]int // by family and suite
	slots, groups  map[listName]int
	facts, samples numbered
}

// start makes ready for a model of so many observations.
func (c *cutter) start(observations int) {
	c.model = &Model{Observations: make([]Observation, 0, observations)}
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
	m := c.model
	execution, known := c.executions[rec.execution]
	if !known {
		scope := catalog.Scope{}
		if rec.execution != "null" {
			scope, _ = catalog.ParseScope(rec.execution) // it is a part of what was validated
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
