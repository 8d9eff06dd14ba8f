package compare

import (
	"slices"
	"strings"

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
	Invalid     bool   // its outcome is invalid
	evidence    string // the items of the list
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

// excerpt is an observation, of which most is left as it is written. Reading all
// of it would take five times as long.
type excerpt struct {
	Observation
	execution, task string
	measurements    []measurement
}

type measurement struct {
	key, unit string
	isFact    bool
	value     catalog.Scalar
}

// scanner goes through an observation. It is canonical and was validated: members come in
// the order of their names, no white space is between them, and a quotation mark within a
// text has a backslash before it. So names of members are found by search.
type scanner struct{ text string } // what is left

// cut goes to where something ends, and returns what is before the end.
func (s *scanner) cut(end string) (before string) {
	before, s.text, _ = strings.Cut(s.text, end)
	return before
}

// skip goes past what may come next, and reports whether it did.
func (s *scanner) skip(next string) (isNext bool) {
	s.text, isNext = strings.CutPrefix(s.text, next)
	return isNext
}

// string reads a text in quotation marks, or null.
func (s *scanner) string() string {
	if s.skip("null") {
		return ""
	}
	if end := strings.IndexByte(s.text[1:], '"'); strings.IndexByte(s.text[1:1+end], '\\') < 0 {
		value := s.text[1 : 1+end]
		s.text = s.text[end+2:]
		return value
	}
	r := newPartReader(s.text)
	value := r.String()
	s.text = s.text[r.Offset():]
	return value
}

// scalar reads the last member of an object, and the object's end.
func (s *scanner) scalar() (value catalog.Scalar) {
	if value.Kind = s.text[0]; value.Kind == '"' {
		value.Text = s.string()
	}
	switch rest := s.cut("}"); value.Kind {
	case '"', 't', 'f':
	default:
		value = catalog.Scalar{Kind: '0', Text: rest}
	}
	return value
}

// read reads an observation.
func (o *excerpt) read(doc catalog.Observation) {
	s := scanner{doc.JSON()}
	o.Observation = Observation{ID: doc.ID()}
	s.cut(`[`)
	o.evidence = s.cut(`],"execution":`)
	const freshness = `,"freshness":{"observedAt":"`
	if rest, isSame := strings.CutPrefix(s.text, o.execution); isSame && strings.HasPrefix(rest, freshness) { // as is likely
		s.text = rest[len(freshness):]
	} else {
		o.execution = s.cut(freshness)
	}
	o.Freshness.ObservedAt = s.cut(`"`)
	if s.skip(`,"validUntil":"`) {
		o.Freshness.ValidUntil = s.cut(`"`)
	}
	s.cut(`,"measurements":[`)
	o.measurements = o.measurements[:0]
	for !s.skip("]") {
		var m measurement
		s.cut(`{"key":`)
		m.key = s.string()
		s.cut(`,"kind":"`)
		m.isFact = s.cut(`"`) == catalog.Fact
		if s.skip(`,"unit":`) {
			m.unit = s.string()
		}
		s.cut(`,"value":`)
		m.value = s.scalar()
		o.measurements = append(o.measurements, m)
	}
	s.cut(`},"outcome":`)
	o.Invalid = strings.HasSuffix(s.cut(`,"schemaVersion":`), `"status":"`+catalog.OutcomeInvalid+`"}`)
	s.cut(`,"sourceClass":"`)
	o.SourceClass = s.cut(`"`)
	s.cut(`,"task":`)
	o.task = s.cut(`,"uncertainty":`)
}

var (
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
)

// Evidence returns the evidence of the observation, by id.
func (o *Observation) Evidence() []Evidence { return o.AppendEvidence(nil) }

// AppendEvidence appends the evidence of the observation, by id.
func (o *Observation) AppendEvidence(list []Evidence) []Evidence {
	for s := (scanner{o.evidence}); s.text != ""; s.cut("}") {
		s.cut(`,"id":`)
		id := s.string()
		s.cut(`,"uri":`)
		list = append(list, Evidence{id, canonical.Text(s.string())})
	}
	return list
}

// EvidenceTime returns when the newest of the evidence was observed.
func (o *Observation) EvidenceTime() (newest string) {
	for s := (scanner{o.evidence}); s.text != ""; s.cut("}") {
		s.cut(`,"observedAt":"`)
		newest = max(newest, s.cut(`"`))
		s.cut(`,"uri":`)
		s.string()
	}
	return newest
}

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
	parts *ijson.Reader
	rec   excerpt
	cut   cutter
}

// NewReader returns a Reader.
func NewReader() *Reader {
	return &Reader{parts: newPartReader(""), cut: cutter{scopes: map[string]catalog.Scope{}}}
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
		r.rec.read(o)
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
	facts, samples numberedEntries
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

func (c *cutter) add(rec *excerpt, parts *ijson.Reader) {
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
		if measured.isFact {
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

// numberedEntries is entries, each with the number of the list that it belongs to.
type numberedEntries struct {
	entries []Entry
	numbers []int
}

func (n *numberedEntries) restart() { n.entries, n.numbers = n.entries[:0], n.numbers[:0] }

func (n *numberedEntries) add(list int, entry Entry) {
	n.entries = append(n.entries, entry)
	n.numbers = append(n.numbers, list)
}

// deal returns the entries of each of so many lists, in their order.
func (n *numberedEntries) deal(lists int) [][]Entry {
	if lists == 0 {
		return nil
	}
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
