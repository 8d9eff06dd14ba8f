package openrouter

import (
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
)

func readRows(snapshots []*sources.Snapshot, notes *sources.Notes) ([]sources.Row[model], error) {
	if len(snapshots) != 1 {
		return nil, problem.New(problem.InvalidSourceSnapshot, "$.snapshots[1]", "must not be there: an answer is one file")
	}
	s := snapshots[0]
	a := answer{r: s.Reader(), seen: map[string]bool{}, unknown: map[string]bool{}}
	a.read()
	if faults := a.r.End(); faults != nil {
		return nil, s.Refuse(faults)
	}
	for i := range a.rows {
		m := &a.rows[i].Data
		base, isVariant := baseOf(m.id)
		m.isRepeated = isVariant && a.seen[base]
		if m.isAlias {
			a.rows[i].Skip = sources.RowAlias
			a.rows[i].Why = canonical.Quote(m.id) + " is an alias: what it names changes without notice"
		}
	}
	notes.AddUnknown(a.unknown, 0)
	return a.rows, nil
}

// answer reads the answer of the API.
type answer struct {
	r       *ijson.Reader
	rows    []sources.Row[model]
	seen    map[string]bool // ids
	unknown map[string]bool // members that this package does not know
}

// read reads { data } or { data, total_count, links: { next: null } }.
func (a *answer) read() {
	r := a.r
	if r.Kind() == '[' {
		at := r.Offset()
		r.Skip()
		r.Fail(at, "", "must be the answer of the API, an object with data: a bare list is what a collector made of it")
		return
	}
	var total uint64
	totalAt := 0
	o := r.Names()
	for o.Next() {
		switch o.Name() {
		case "data":
			a.data()
		case "total_count":
			totalAt = r.Offset()
			total = r.Count()
		case "links":
			a.links()
		default:
			r.Value()
			r.Fail(o.At(), "", "is no member of the API's answer: a collector's own envelope is not the answer")
		}
	}
	if r.Faulty() || !o.OK() {
		return
	}
	switch {
	case !o.Seen("data"):
		r.Fail(o.Start(), ".data", "missing member")
	case o.Seen("total_count") != o.Seen("links"):
		r.Fail(o.Start(), "", "must have both of total_count and links, or none")
	case o.Seen("total_count") && total != uint64(len(a.rows)):
		r.Fail(totalAt, ".total_count", "is %d, but the answer holds %d models: it is not the whole list", total, len(a.rows))
	}
}

func (a *answer) links() {
	r := a.r
	o := r.Names()
	for o.Next() {
		if o.Name() != "next" {
			a.isNew("links." + o.Name())
			continue
		}
		if at := r.Offset(); !r.Null() {
			r.Value()
			r.Fail(at, "", "must be null: a further page follows, so that this is not the whole list")
		}
	}
	o.Demand("next")
}

// isNew notes a member that is not known, and passes over its value.
func (a *answer) isNew(name string) {
	a.unknown[name] = true
	a.r.Value()
}

func (a *answer) data() {
	r := a.r
	for l := r.List(); l.Next(); {
		if l.Index() == sources.MaxRows {
			r.Broken(r.Offset(), "more than "+strconv.Itoa(sources.MaxRows)+" models")
			return
		}
		at := r.Offset()
		m := a.model()
		a.rows = append(a.rows, sources.Row[model]{
			ID:    m.id,
			Where: sources.Where{Path: ".data[" + strconv.Itoa(l.Index()) + "]", Offset: at},
			Data:  m,
		})
	}
}

func (a *answer) model() (m model) {
	r := a.r
	o := r.Names()
	for o.Next() {
		switch o.Name() {
		case "id":
			at := r.Offset()
			if m.id = r.Text(); a.seen[m.id] && m.id != "" {
				r.Fail(at, "", "must be that of one model: %s is repeated", canonical.Quote(m.id))
			}
			a.seen[m.id] = true
			m.isAlias = m.isAlias || strings.HasPrefix(m.id, "~")
		case "context_length":
			m.context = a.limit()
		case "top_provider":
			a.topProvider(&m)
		case "pricing":
			a.pricing(&m)
		case "architecture":
			a.architecture(&m)
		case "supported_parameters":
			m.parameters = a.texts()
		case "reasoning":
			a.reasoning(&m)
		case "benchmarks":
			m.benchmarksAt = r.Offset()
			a.benchmarks(&m)
		case "alias_target":
			if !r.Null() {
				r.Value()
				m.isAlias = true
			}
		case "canonical_slug", "hugging_face_id", "name", "created", "description", "per_request_limits",
			"default_parameters", "supported_voices", "knowledge_cutoff", "expiration_date", "links":
			r.Value()
		default:
			a.isNew(o.Name())
		}
	}
	o.Demand("id")
	return m
}

func (a *answer) limit() (l limit) {
	l.offset, l.stated = a.r.Offset(), true
	l.N, l.Known = a.r.CountOrNull()
	return l
}

// texts reads a list of texts, or null, which states nothing.
func (a *answer) texts() (t texts) {
	r := a.r
	if r.Null() {
		return t
	}
	t.stated = true
	seen := map[string]bool{}
	for l := r.List(); l.Next(); {
		at := r.Offset()
		s := r.Text()
		if seen[s] && s != "" {
			r.Fail(at, "", "is repeated")
		}
		seen[s] = true
		t.values = append(t.values, s)
	}
	return t
}

func (a *answer) topProvider(m *model) {
	for o := a.r.Names(); o.Next(); {
		switch o.Name() {
		case "context_length":
			m.topContext = a.limit()
		case "max_completion_tokens":
			m.completion = a.limit()
		case "is_moderated":
			a.r.Value()
		default:
			a.isNew("top_provider." + o.Name())
		}
	}
}

// pricing reads the prices per token. Those per request, picture or search are
// none, and of those of audio it is not told per what they are.
func (a *answer) pricing(m *model) {
	r := a.r
	for o := r.Names(); o.Next(); {
		switch o.Name() {
		case "prompt", "completion", "internal_reasoning", "input_cache_read", "input_cache_write", "input_cache_write_1h":
			p := price{name: o.Name(), offset: r.Offset()}
			p.literal = r.String()
			m.prices = append(m.prices, p)
		case "overrides":
			for l := r.List(); l.Next(); {
				r.Value()
				m.overrides++
			}
		case "request", "image", "audio", "web_search", "image_output", "audio_output", "input_audio_cache", "discount":
			r.Value()
		default:
			a.isNew("pricing." + o.Name())
		}
	}
}

func (a *answer) architecture(m *model) {
	for o := a.r.Names(); o.Next(); {
		switch o.Name() {
		case "input_modalities":
			m.input = a.texts()
		case "output_modalities":
			m.output = a.texts()
		case "modality", "tokenizer", "instruct_type":
			a.r.Value()
		default:
			a.isNew("architecture." + o.Name())
		}
	}
}

func (a *answer) reasoning(m *model) {
	r := a.r
	if r.Null() {
		return
	}
	for o := r.Names(); o.Next(); {
		switch o.Name() {
		case "supported_efforts":
			m.efforts = a.texts()
		case "default_effort":
			m.defaultEffort = r.TextOrNull()
		case "mandatory", "default_enabled", "supports_max_tokens":
			r.Value()
		default:
			a.isNew("reasoning." + o.Name())
		}
	}
}

func (a *answer) benchmarks(m *model) {
	r := a.r
	if r.Null() {
		return
	}
	for o := r.Names(); o.Next(); {
		switch o.Name() {
		case "artificial_analysis":
			a.artificialAnalysis(m)
		case "design_arena":
			a.designArena(m)
		default:
			a.isNew("benchmarks." + o.Name())
		}
	}
}

func (a *answer) artificialAnalysis(m *model) {
	r := a.r
	if r.Null() {
		return
	}
	for o := r.Names(); o.Next(); {
		switch o.Name() {
		case "intelligence_index", "coding_index", "agentic_index":
			m.indexes = append(m.indexes, a.number(o.Name()))
		default:
			a.isNew("benchmarks.artificial_analysis." + o.Name())
		}
	}
}

// number reads a number of any spelling, or null.
func (a *answer) number(name string) (n number) {
	n.name, n.offset = name, a.r.Offset()
	if a.r.Null() {
		n.isNull = true
		return n
	}
	n.value, _ = strconv.ParseFloat(a.r.Number(), 64) // the text of a number, or a fault
	return n
}

func (a *answer) designArena(m *model) {
	r := a.r
	if r.Null() {
		return
	}
	seen := map[string]bool{}
	for l := r.List(); l.Next(); {
		x := arena{path: ".benchmarks.design_arena[" + strconv.Itoa(l.Index()) + "]"}
		at := r.Offset()
		a.arena(&x)
		if seen[x.name()] {
			r.Fail(at, "", "must be there once: %s is repeated", canonical.Quote(x.name()))
		}
		seen[x.name()] = true
		m.arenas = append(m.arenas, x)
	}
}

func (a *answer) arena(x *arena) {
	r := a.r
	for i, name := range arenaNames {
		x.values[i] = number{name: name, isNull: true}
	}
	o := r.Names()
	for o.Next() {
		switch o.Name() {
		case "arena":
			x.arena = r.Text()
		case "category":
			x.category = r.Text()
		case arenaNames[0]:
			x.values[0] = a.number(o.Name())
		case arenaNames[1]:
			x.values[1] = a.number(o.Name())
		case arenaNames[2]:
			x.values[2] = a.number(o.Name())
		default:
			a.isNew("benchmarks.design_arena." + o.Name())
		}
	}
	o.Demand("arena", "category")
}
