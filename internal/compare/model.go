package compare

import (
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/service/record"
)

// Model is the observations of one model, cut into slots and sample groups. Its texts are parts of
// the observations, which it keeps in memory.
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
	Invalid     bool // its outcome is invalid
	evidence    []record.Evidence
}

// Execution is an execution scope.
type Execution struct {
	record.Scope
	JSON string // canonical, null for the scope that says nothing
}

// Task is what was measured.
type Task struct {
	record.Task        // zero if there is none
	JSON        string // canonical, null if there is none
	suite       int    // the number of family and suite
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

// Evidence returns the evidence of the observation, by id.
func (o *Observation) Evidence() []record.EvidenceLink { return o.AppendEvidence(nil) }

// AppendEvidence appends the evidence of the observation, by id.
func (o *Observation) AppendEvidence(list []record.EvidenceLink) []record.EvidenceLink {
	for i := range o.evidence {
		list = append(list, record.EvidenceLink{ID: o.evidence[i].ID, URI: o.evidence[i].URI})
	}
	return list
}

// EvidenceTime returns when the newest of the evidence was observed.
func (o *Observation) EvidenceTime() (newest string) {
	for i := range o.evidence {
		newest = max(newest, string(o.evidence[i].ObservedAt))
	}
	return newest
}

// Reader reads models, one after the other.
type Reader struct {
	records *catalog.RecordReader
	cut     cutter
}

// NewReader returns a Reader.
func NewReader() *Reader { return &Reader{records: catalog.NewRecordReader()} }

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
	for i := range m.Observations {
		m.Observations[i].evidence = slices.Clone(m.Observations[i].evidence)
	}
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
		c.add(o.ID(), r.records.Read(o))
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
	Model                         // so far, in space that the next model will have
	executions     map[string]int // by canonical JSON
	tasks          map[record.Task]int
	suites         map[[2]string]int // by family and suite
	keys           keyNumbers        // of all models
	evidence       []record.Evidence // of all observations
	encoder        canonical.Encoder
	slots, groups  map[listName]int
	facts, samples numberedEntries
}

// mostRemembered is how many keys a Reader remembers.
const mostRemembered = 1024

// start makes ready for a model.
func (c *cutter) start() {
	c.Model = Model{c.Observations[:0], c.Executions[:0], c.Tasks[:0], c.Slots[:0], c.Groups[:0]}
	c.evidence = c.evidence[:0]
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

func (c *cutter) add(id string, rec *record.Observation) {
	m := &c.Model
	execution, task := c.execution(&rec.Execution), c.task(&rec.Task)
	for i := range rec.Measurements {
		measured := &rec.Measurements[i]
		entry, key := Entry{measured.Value, measured.Unit, len(m.Observations)}, c.keys.number(measured.Key)
		if measured.Kind == record.Fact {
			n := numberOf(c.slots, listName{key, execution, task})
			if n == len(m.Slots) {
				m.Slots = append(m.Slots, Slot{MeasurementKey: measured.Key, Execution: execution, Task: task})
			}
			c.facts.add(n, entry)
			continue
		}
		n := numberOf(c.groups, listName{key, execution, m.Tasks[task].suite})
		if n == len(m.Groups) {
			m.Groups = append(m.Groups, Group{measured.Key, execution, m.Tasks[task].Family, string(m.Tasks[task].Suite), nil})
		}
		c.samples.add(n, entry)
	}
	before := len(c.evidence)
	c.evidence = append(c.evidence, rec.Evidence...)
	m.Observations = append(m.Observations, Observation{id, rec.Freshness, rec.SourceClass,
		rec.Outcome.Status == record.OutcomeInvalid, c.evidence[before:]})
}

// execution returns the number of an execution scope, which may be new.
func (c *cutter) execution(scope *record.Scope) int {
	c.encoder.Buf = c.encoder.Buf[:0]
	catalog.EncodeScope(&c.encoder, scope)
	execution, known := c.executions[string(c.encoder.Buf)]
	if !known {
		kept := Execution{*scope, string(c.encoder.Buf)}
		kept.ToolSurface = slices.Clone(scope.ToolSurface)
		execution = len(c.Executions)
		c.executions[kept.JSON] = execution
		c.Executions = append(c.Executions, kept)
	}
	return execution
}

// task returns the number of a task, which may be new.
func (c *cutter) task(t *record.Task) int {
	task := numberOf(c.tasks, *t)
	if task == len(c.Tasks) {
		c.Tasks = append(c.Tasks, Task{*t, string(ijson.MustWriteTagged(*t)),
			numberOf(c.suites, [2]string{t.Family, string(t.Suite)})})
	}
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
