package compare

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
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
	Freshness   record.Freshness
	SourceClass string
	Invalid     bool   // its outcome is invalid
	evidence    string // the items of the list
}

// Execution is an execution scope.
type Execution struct {
	record.Scope
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
	Value       record.Scalar
	Unit        string // "" for none
	Observation int    // in the model's observations
}

// View is a model as one catalog has it at an instant. The two slices say it of
// each observation of the model.
type View struct {
	*Model
	Has   []bool // the catalog has it
	Holds []bool // and it holds

	room []float64 // for a sum
}

// At returns the view of a catalog that has all observations of the model.
func (m *Model) At(instant string) *View {
	return m.view(instant, func(int) bool { return true })
}

func (m *Model) view(instant string, has func(observation int) bool) *View {
	v := new(View)
	v.turn(m, instant, has)
	return v
}

// Turn makes v what [Model.At] returns, in the space that it has.
func (v *View) Turn(m *Model, instant string) {
	v.turn(m, instant, func(int) bool { return true })
}

func (v *View) turn(m *Model, instant string, has func(observation int) bool) {
	n := len(m.Observations)
	*v = View{m, slices.Grow(v.Has[:0], n)[:n], slices.Grow(v.Holds[:0], n)[:n], v.room}
	for i := range m.Observations {
		v.Has[i] = has(i)
		v.Holds[i] = v.Has[i] && m.Observations[i].Freshness.HoldsAt(record.Timestamp(instant))
	}
}

// excerpt is an observation, of which most is left as it is written. Reading all
// of it would take five times as long.
type excerpt struct {
	Observation
	execution, model, task string // as they are written; of the model with its name
	measurements           []measurement
}

type measurement struct {
	key, unit string
	isFact    bool
	value     record.Scalar
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

// again is cut, where what is before the end may be the same as the last time.
func (s *scanner) again(last, end string) (before string) {
	if rest, isSame := strings.CutPrefix(s.text, last); isSame && strings.HasPrefix(rest, end) {
		s.text = rest[len(end):]
		return last
	}
	return s.cut(end)
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
func (s *scanner) scalar() (value record.Scalar) {
	if value.Kind = s.text[0]; value.Kind == '"' {
		value.Text = s.string()
	}
	switch rest := s.cut("}"); value.Kind {
	case '"', 't', 'f':
	default:
		value = record.Scalar{Kind: '0', Text: rest}
	}
	return value
}

// read reads an observation. What is always the same is gone past without a search, and
// so is what is as in the one before, as is likely.
func (o *excerpt) read(doc catalog.Observation) {
	s := scanner{doc.JSON()}
	o.Observation = Observation{ID: doc.ID()}
	s.skip(`{"evidence":[`)
	o.evidence = s.cut(`],"execution":`)
	o.execution = s.again(o.execution, `,"freshness":{"observedAt":"`)
	o.Freshness.ObservedAt = record.Timestamp(s.cut(`"`))
	if s.skip(`,"validUntil":"`) {
		o.Freshness.ValidUntil = record.Timestamp(s.cut(`"`))
	} else {
		s.skip(`,"validUntil":null`)
	}
	s.skip(`},"id":"`)
	s.text = s.text[len(o.ID):]
	s.skip(`","kind":"`)
	s.cut(`"`)
	s.skip(`,"measurements":[`)
	o.measurements = o.measurements[:0]
	for !s.skip("]") {
		var m measurement
		s.skip(",")
		s.skip(`{"key":`)
		m.key = s.string()
		s.skip(`,"kind":"`)
		m.isFact = s.cut(`"`) == record.Fact
		if s.skip(`,"unit":`) {
			m.unit = s.string()
		}
		s.skip(`,"value":`)
		m.value = s.scalar()
		o.measurements = append(o.measurements, m)
	}
	o.model = s.again(o.model, `,"outcome":`)
	if !s.skip(`null,"schemaVersion":`) {
		o.Invalid = strings.HasSuffix(s.cut(`,"schemaVersion":`), `"status":"`+record.OutcomeInvalid+`"}`)
	}
	s.skip(`"` + record.ObservationSchema + `","sourceClass":"`)
	o.SourceClass = s.cut(`"`)
	s.skip(`,"task":`)
	o.task = s.again(o.task, `,"uncertainty":`)
}

// Evidence returns the evidence of the observation, by id.
func (o *Observation) Evidence() []record.EvidenceLink { return o.AppendEvidence(nil) }

// AppendEvidence appends the evidence of the observation, by id.
func (o *Observation) AppendEvidence(list []record.EvidenceLink) []record.EvidenceLink {
	for s := (scanner{o.evidence}); s.text != ""; s.cut("}") {
		s.cut(`,"id":`)
		id := s.string()
		s.cut(`,"uri":`)
		list = append(list, record.EvidenceLink{ID: id, URI: record.Text(s.string())})
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

// readTask reads a task.
func readTask(json string) Task {
	t, s := Task{JSON: json}, scanner{json}
	if s.skip(`{"evaluator":`) {
		s.cut(`,"family":`)
		t.Family = s.string()
		s.skip(`,"suite":`)
		t.Suite = s.string()
		s.skip(`,"taskId":`)
		t.TaskID = s.string()
	}
	return t
}

// whole returns all of the task, which is null if there is none.
func (t *Task) whole() (task record.Task) {
	if t.Family != "" {
		ijson.ReadTagged(newPartReader(t.JSON), &task)
	}
	return task
}

// newPartReader reads a part of an observation, which is validated.
func newPartReader(text string) *ijson.Reader {
	r := ijson.NewPartReader(problem.InvalidCatalog)
	r.IsUTF8 = true
	r.Reset(text)
	return r
}

// Reader reads models, one after the other.
type Reader struct {
	rec excerpt
	cut cutter
}

// NewReader returns a Reader.
func NewReader() *Reader {
	return &Reader{cut: cutter{scopes: map[string]record.Scope{}}}
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
	m := *r.Glance(observations)
	m.Observations, m.Executions, m.Tasks = slices.Clone(m.Observations), slices.Clone(m.Executions), slices.Clone(m.Tasks)
	m.Slots, m.Groups = slices.Clone(m.Slots), slices.Clone(m.Groups)
	room := slices.Clone(r.cut.facts.room)
	for i := range m.Slots {
		m.Slots[i].Facts, room = cutEntries(room, len(m.Slots[i].Facts))
	}
	room = slices.Clone(r.cut.samples.room)
	for i := range m.Groups {
		m.Groups[i].Samples, room = cutEntries(room, len(m.Groups[i].Samples))
	}
	return &m
}

// Glance is [Reader.Read] for callers who are done with the model before the next call,
// which takes its space.
func (r *Reader) Glance(observations []catalog.Observation) *Model {
	c := &r.cut
	c.start()
	for _, o := range observations {
		r.rec.read(o)
		c.add(&r.rec)
	}
	for i, facts := range c.facts.deal(len(c.Slots)) {
		c.Slots[i].Facts = facts
	}
	for i, samples := range c.samples.deal(len(c.Groups)) {
		c.Groups[i].Samples = samples
	}
	return &c.Model
}

// cutter cuts a model. Each entry is noted with the number of its slot or group
// first, and put there when all are known: so that many small lists need not grow.
type cutter struct {
	Model                                  // so far, in space that the next model will have
	executions     map[string]int          // by canonical JSON
	scopes         map[string]record.Scope // of all models: most run at the same few runtimes
	tasks          map[string]int
	suites         map[[2]string]int // by family and suite
	keys           keyNumbers        // of all models
	slots, groups  map[listName]int
	facts, samples numberedEntries
}

// mostRemembered is how many scopes, and how many keys, a Reader remembers.
const mostRemembered = 1024

// start makes ready for a model.
func (c *cutter) start() {
	c.Model = Model{c.Observations[:0], c.Executions[:0], c.Tasks[:0], c.Slots[:0], c.Groups[:0]}
	restart(&c.executions)
	restart(&c.tasks)
	restart(&c.suites)
	restart(&c.slots)
	restart(&c.groups)
	c.keys.restart()
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

// keyNumbers numbers measurement keys. They come in the same order over and over, so the
// one that followed the last time is tried first.
type keyNumbers struct {
	names []string
	next  []int // which followed each the last time
	last  int
	of    map[string]int
}

func (k *keyNumbers) restart() {
	if k.of == nil || len(k.of) > mostRemembered {
		*k = keyNumbers{names: k.names[:0], next: k.next[:0], of: map[string]int{}}
	}
}

func (k *keyNumbers) number(key string) int {
	if k.last < len(k.next) {
		if n := k.next[k.last]; k.names[n] == key {
			k.last = n
			return n
		}
	}
	n := numberOf(k.of, key)
	if n == len(k.names) {
		k.names, k.next = append(k.names, key), append(k.next, n)
	}
	k.next[k.last], k.last = n, n
	return n
}

// listName tells the slots of one model apart, and its groups.
type listName struct {
	key       int
	execution int
	task      int // of a slot its task, of a group that of family and suite
}

func (c *cutter) add(rec *excerpt) {
	m := &c.Model
	execution, task := c.execution(rec), c.task(rec)
	for i := range rec.measurements {
		measured := &rec.measurements[i]
		entry, key := Entry{measured.value, measured.unit, len(m.Observations)}, c.keys.number(measured.key)
		if measured.isFact {
			n := numberOf(c.slots, listName{key, execution, task})
			if n == len(m.Slots) {
				m.Slots = append(m.Slots, Slot{MeasurementKey: measured.key, Execution: execution, Task: task})
			}
			c.facts.add(n, entry)
			continue
		}
		n := numberOf(c.groups, listName{key, execution, m.Tasks[task].suite})
		if n == len(m.Groups) {
			m.Groups = append(m.Groups, Group{measured.key, execution, m.Tasks[task].Family, m.Tasks[task].Suite, nil})
		}
		c.samples.add(n, entry)
	}
	m.Observations = append(m.Observations, rec.Observation)
}

// execution returns the number of the execution scope, which may be new.
func (c *cutter) execution(rec *excerpt) int {
	if n := len(c.Executions); n > 0 && c.Executions[n-1].JSON == rec.execution { // as is likely
		return n - 1
	}
	execution, known := c.executions[rec.execution]
	if known {
		return execution
	}
	scope, isRead := c.scopes[rec.execution]
	if !isRead && rec.execution != "null" {
		scope, _ = catalog.ParseScope(rec.execution) // it is a part of what was validated
		if len(c.scopes) < mostRemembered {
			c.scopes[rec.execution] = scope
		}
	}
	execution = len(c.Executions)
	c.executions[rec.execution] = execution
	c.Executions = append(c.Executions, Execution{scope, rec.execution})
	return execution
}

// task returns the number of the task, which may be new.
func (c *cutter) task(rec *excerpt) int {
	if n := len(c.Tasks); n > 0 && c.Tasks[n-1].JSON == rec.task { // as is likely
		return n - 1
	}
	task, known := c.tasks[rec.task]
	if known {
		return task
	}
	t := readTask(rec.task)
	t.suite = numberOf(c.suites, [2]string{t.Family, t.Suite})
	task = len(c.Tasks)
	c.tasks[rec.task] = task
	c.Tasks = append(c.Tasks, t)
	return task
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
	// What deal returns is made of these.
	room  []Entry
	sizes []int
	lists [][]Entry
}

func (n *numberedEntries) restart() { n.entries, n.numbers = n.entries[:0], n.numbers[:0] }

func (n *numberedEntries) add(list int, entry Entry) {
	n.entries = append(n.entries, entry)
	n.numbers = append(n.numbers, list)
}

// deal returns the entries of each of so many lists, in their order, which are one after
// the other in the room.
func (n *numberedEntries) deal(lists int) [][]Entry {
	n.room = slices.Grow(n.room[:0], len(n.entries))[:len(n.entries)]
	n.sizes = slices.Grow(n.sizes[:0], lists)[:lists]
	n.lists = slices.Grow(n.lists[:0], lists)[:lists]
	clear(n.sizes)
	for _, list := range n.numbers {
		n.sizes[list]++
	}
	room := n.room
	for i, size := range n.sizes {
		n.lists[i], room = cutEntries(room, size)
		n.lists[i] = n.lists[i][:0]
	}
	for i, list := range n.numbers {
		n.lists[list] = append(n.lists[list], n.entries[i])
	}
	return n.lists
}

// cutEntries returns the first entries, to which nothing can be appended, and the rest.
func cutEntries(entries []Entry, n int) (first, rest []Entry) { return entries[:n:n], entries[n:] }
