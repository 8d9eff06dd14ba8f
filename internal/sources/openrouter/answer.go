package openrouter

import (
	"maps"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/service/record"
)

// model is what is used of a row.
type model struct {
	id            string
	isAlias       bool
	isRepeated    bool // its benchmarks are those of its base model
	context       limit
	topContext    limit
	completion    limit
	prices        []price
	overrides     int
	input, output texts
	parameters    texts
	efforts       texts
	defaultEffort string
	benchmarksAt  int
	indexes       []index
	arenas        []arena
	unknown       map[string]bool // members that this package does not know
}

// limit is a count of tokens that may be missing or null.
type limit struct {
	record.Count
	stated bool
	offset int
}

// price is a price per token as it is printed.
type price struct {
	name, literal string
	offset        int
}

type texts struct {
	values []string
	stated bool
}

type number struct {
	value  float64
	known  bool // neither missing nor null
	offset int  // -1 if it is missing
}

// index is an index of Artificial Analysis.
type index struct {
	name string
	number
}

// arena is a place in one of Design Arena's tables.
type arena struct {
	arena, category string
	path            string
	scores          [3]number // see arenaScores
}

// arenaScores are the scores of a place, in canonical order.
var arenaScores = [3]struct{ name, unit string }{{"elo", ""}, {"win_rate", "percent"}, {"rank", ""}}

func (a *arena) name() string { return a.arena + "/" + a.category }

func readRows(snapshots []*sources.Snapshot, notes *sources.Notes) ([]sources.Row[model], error) {
	s, err := sources.Single(snapshots, "an answer")
	if err != nil {
		return nil, err
	}
	a := answer{Reader: s.Reader(), ids: map[string]bool{}, unknown: map[string]bool{}}
	readAnswer(a.Reader, a.unknown, a.data)
	if faults := a.End(); faults != nil {
		return nil, s.Refuse(faults)
	}
	for i := range a.rows {
		row := &a.rows[i]
		row.Where.Snapshot = s
		row.Data.isRepeated = isRepeated(row.ID, a.ids)
		if row.Data.isAlias {
			row.Skip, row.Why = sources.RowAlias, canonical.Quote(row.ID)+" is an alias: what it names changes without notice"
		}
	}
	notes.AddUnknown(a.unknown, s)
	return a.rows, nil
}

// isRepeated reports whether a row is a variant, id:free or id:batch, of another of the ids.
func isRepeated(id string, ids map[string]bool) bool {
	i := strings.LastIndexByte(id, ':')
	return i >= 0 && ids[id[:i]]
}

// readAnswer reads { data } or { data, total_count, links: { next: null } }, of which
// readData reads the list and returns how many models it holds. Members of links that are
// not known are added to unknown.
func readAnswer(r *ijson.Reader, unknown map[string]bool, readData func() (models int)) {
	if r.Kind() == '[' {
		at := r.Offset()
		r.Skip()
		r.Fail(at, "", "must be the answer of the API, an object with data: a bare list is what a collector made of it")
		return
	}
	var total uint64
	models := 0
	o := r.Names()
	for o.Next() {
		switch o.Name() {
		case "data":
			models = readData()
		case "total_count":
			total = r.Count()
		case "links":
			links := sources.Members[*ijson.Reader]{"next": readNoNext}.Read(r, r, "links.", unknown)
			links.Demand("next")
		default:
			r.Value()
			r.Fail(o.At(), "", "is not a member of the API's answer: a collector's own envelope is not the answer")
		}
	}
	if r.Faulty() || !o.OK() {
		return
	}
	switch {
	case !o.Seen("data"):
		r.Fail(o.Start(), ".data", "missing field")
	case o.Seen("total_count") != o.Seen("links"):
		r.Fail(o.Start(), "", "must have both of total_count and links, or none")
	case o.Seen("total_count") && total != uint64(models):
		r.FailMember(o.Start(), "total_count", "is %d, but the answer holds %d models: it is not the whole list", total, models)
	}
}

func readNoNext(r *ijson.Reader) {
	if at := r.Offset(); !r.Null() {
		r.Value()
		r.Fail(at, "", "must be null: a further page follows, so that this is not the whole list")
	}
}

// answer reads the models of the answer of the API for the router's own keys.
type answer struct {
	*ijson.Reader
	rows    []sources.Row[model]
	ids     map[string]bool
	unknown map[string]bool // members that this package does not know
	model   *model          // that is being read
	arena   *arena          // that is being read
}

// members reads an object by a table, in which names are noted under a prefix.
func (a *answer) members(prefix string, table sources.Members[*answer]) ijson.Names {
	return table.Read(a.Reader, a, prefix, a.unknown)
}

// membersOrNull is members that may be null.
func (a *answer) membersOrNull(prefix string, table sources.Members[*answer]) {
	if !a.Null() {
		a.members(prefix, table)
	}
}

func (a *answer) data() (models int) {
	for l := a.List(); l.Next(); {
		if l.Index() == sources.MaxRows {
			a.Broken(a.Offset(), "more than "+strconv.Itoa(sources.MaxRows)+" models")
			break
		}
		a.model = &model{unknown: map[string]bool{}}
		around := a.unknown
		a.unknown = a.model.unknown
		o := a.members("", modelMembers)
		o.Demand("id")
		a.unknown = around
		maps.Copy(a.unknown, a.model.unknown)
		id := a.model.id
		if a.ids[id] && id != "" {
			a.FailMember(o.Start(), "id", "must be that of one model: %s is repeated", canonical.Quote(id))
		}
		a.ids[id] = true
		a.model.isAlias = a.model.isAlias || strings.HasPrefix(id, "~")
		a.rows = append(a.rows, sources.Row[model]{
			ID:    id,
			Where: sources.Where{Path: ".data[" + strconv.Itoa(l.Index()) + "]", Offset: o.Start()},
			Data:  *a.model,
		})
	}
	return len(a.rows)
}

var modelMembers = sources.Members[*answer]{
	"id":                   func(a *answer) { a.model.id = a.Text() },
	"context_length":       func(a *answer) { a.model.context = a.limit() },
	"top_provider":         func(a *answer) { a.members("top_provider.", topProviderMembers) },
	"pricing":              func(a *answer) { a.members("pricing.", pricingMembers) },
	"architecture":         func(a *answer) { a.members("architecture.", architectureMembers) },
	"supported_parameters": func(a *answer) { a.model.parameters = a.texts() },
	"reasoning":            func(a *answer) { a.membersOrNull("reasoning.", reasoningMembers) },
	"benchmarks": func(a *answer) {
		a.model.benchmarksAt = a.Offset()
		a.membersOrNull("benchmarks.", benchmarksMembers)
	},
	"alias_target": func(a *answer) {
		if !a.Null() {
			a.Value()
			a.model.isAlias = true
		}
	},
	"canonical_slug": nil, "hugging_face_id": nil, "name": nil, "created": nil, "description": nil, "per_request_limits": nil,
	"default_parameters": nil, "supported_voices": nil, "knowledge_cutoff": nil, "expiration_date": nil, "links": nil,
}

var topProviderMembers = sources.Members[*answer]{
	"context_length":        func(a *answer) { a.model.topContext = a.limit() },
	"max_completion_tokens": func(a *answer) { a.model.completion = a.limit() },
	"is_moderated":          nil,
}

// pricingMembers are the prices per token. Those per request, picture or search
// are none, and of those of audio it is not told per what they are.
var pricingMembers = sources.Members[*answer]{
	"prompt":               func(a *answer) { a.price("prompt") },
	"completion":           func(a *answer) { a.price("completion") },
	"internal_reasoning":   func(a *answer) { a.price("internal_reasoning") },
	"input_cache_read":     func(a *answer) { a.price("input_cache_read") },
	"input_cache_write":    func(a *answer) { a.price("input_cache_write") },
	"input_cache_write_1h": func(a *answer) { a.price("input_cache_write_1h") },
	"overrides": func(a *answer) {
		for l := a.List(); l.Next(); {
			a.Value()
			a.model.overrides++
		}
	},
	"request": nil, "image": nil, "audio": nil, "web_search": nil, "image_output": nil, "audio_output": nil,
	"input_audio_cache": nil, "discount": nil,
}

var architectureMembers = sources.Members[*answer]{
	"input_modalities":  func(a *answer) { a.model.input = a.texts() },
	"output_modalities": func(a *answer) { a.model.output = a.texts() },
	"modality":          nil, "tokenizer": nil, "instruct_type": nil,
}

var reasoningMembers = sources.Members[*answer]{
	"supported_efforts": func(a *answer) { a.model.efforts = a.texts() },
	"default_effort":    func(a *answer) { a.model.defaultEffort = a.TextOrNull() },
	"mandatory":         nil, "default_enabled": nil, "supports_max_tokens": nil,
}

var benchmarksMembers = sources.Members[*answer]{
	"artificial_analysis": func(a *answer) { a.membersOrNull("benchmarks.artificial_analysis.", indexMembers) },
	"design_arena":        (*answer).designArena,
}

var indexMembers = sources.Members[*answer]{
	"intelligence_index": func(a *answer) { a.index("intelligence_index") },
	"coding_index":       func(a *answer) { a.index("coding_index") },
	"agentic_index":      func(a *answer) { a.index("agentic_index") },
}

func (a *answer) designArena() {
	if a.Null() {
		return
	}
	seen := map[string]bool{}
	for l := a.List(); l.Next(); {
		a.arena = &arena{path: ".benchmarks.design_arena[" + strconv.Itoa(l.Index()) + "]"}
		for i := range a.arena.scores {
			a.arena.scores[i].offset = -1
		}
		o := a.members("benchmarks.design_arena.", arenaMembers)
		o.Demand("arena", "category")
		name := a.arena.name()
		if seen[name] {
			a.Fail(o.Start(), "", "must be there once: %s is repeated", canonical.Quote(name))
		}
		seen[name] = true
		a.model.arenas = append(a.model.arenas, *a.arena)
	}
}

var arenaMembers = sources.Members[*answer]{
	"arena":             func(a *answer) { a.arena.arena = a.Text() },
	"category":          func(a *answer) { a.arena.category = a.Text() },
	arenaScores[0].name: func(a *answer) { a.arena.scores[0] = a.number() },
	arenaScores[1].name: func(a *answer) { a.arena.scores[1] = a.number() },
	arenaScores[2].name: func(a *answer) { a.arena.scores[2] = a.number() },
}

func (a *answer) limit() (l limit) {
	l.offset, l.stated = a.Offset(), true
	l.N, l.Known = a.CountOrNull()
	return l
}

// texts reads a list of texts, or null, which states nothing.
func (a *answer) texts() (t texts) {
	if a.Null() {
		return t
	}
	t.stated = true
	seen := map[string]bool{}
	for l := a.List(); l.Next(); {
		at := a.Offset()
		s := a.Text()
		if seen[s] && s != "" {
			a.Fail(at, "", "is repeated")
		}
		seen[s] = true
		t.values = append(t.values, s)
	}
	return t
}

func (a *answer) price(name string) {
	p := price{name: name, offset: a.Offset()}
	p.literal = a.String()
	a.model.prices = append(a.model.prices, p)
}

func (a *answer) index(name string) {
	a.model.indexes = append(a.model.indexes, index{name, a.number()})
}

// number reads a number of any spelling, or null.
func (a *answer) number() (n number) {
	n.offset = a.Offset()
	if n.known = !a.Null(); n.known {
		n.value, _ = strconv.ParseFloat(a.Number(), 64) // the text of a number, or a fault
	}
	return n
}
