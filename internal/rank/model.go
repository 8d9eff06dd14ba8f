package rank

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
)

// model is the index of the observations of one model. Those whose outcome is
// invalid are left out: no rule looks at them.
type model struct {
	observations []observation
	// measurements stand by series, and in a series in the order of their
	// observations.
	measurements []measurement
	series       []series        // by key and kind
	scopes       []catalog.Scope // the distinct ones
	tasks        []task          // the distinct ones
	evidence     textLists       // ids of evidence
	basis, gaps  textLists       // of uncertainty
}

// observation is what a criterion asks of an observation, apart from values.
type observation struct {
	id     string
	scope  int32 // in the model's scopes
	task   int32 // in the model's tasks
	source sourceClasses
	level  level
	fresh  bool // holds at the catalog's asOf
}

// task is what an observation measured, as far as requests tell tasks apart.
type task struct {
	family string // "" if the observation has none
	suite  string // "" for null
}

// measurement is one value of one observation.
type measurement struct {
	value
	unit        string // "" for none
	observation int32  // in the model's observations
}

// value is a string, a number or a boolean.
type value struct {
	kind   byte    // '"' for a string, '0' for a number, 't' or 'f' for a boolean
	number float64 // if it is one
	json   string  // canonical; a number that was computed has none
}

func newValue(s catalog.Scalar) value {
	v := value{kind: s.Kind, json: s.Text}
	switch s.Kind {
	case '0':
		v.number = s.Float()
	case '"':
		v.json = canonical.Quote(s.Text)
	case 't':
		v.json = "true"
	case 'f':
		v.json = "false"
	}
	return v
}

// seriesKey tells which measurements make a series.
type seriesKey struct {
	key  string
	fact bool // or else a sample
}

func (k seriesKey) compare(other seriesKey) int {
	switch c := strings.Compare(k.key, other.key); {
	case c != 0:
		return c
	case k.fact == other.fact:
		return 0
	case other.fact:
		return -1
	}
	return 1
}

// series is where the measurements of one key and kind stand.
type series struct {
	seriesKey
	start, end int32
}

// find returns the measurements of a key and kind.
func (m *model) find(key seriesKey) []measurement {
	i, found := slices.BinarySearchFunc(m.series, key, func(s series, k seriesKey) int { return s.compare(k) })
	if !found {
		return nil
	}
	return m.measurements[m.series[i].start:m.series[i].end]
}

// level is how uncertain an observation is, from best to worst.
type level uint8

const (
	levelLow level = iota
	levelModerate
	levelHigh
	levelUnknown
)

var levelNames = []string{
	levelLow: catalog.LevelLow, levelModerate: catalog.LevelModerate, levelHigh: catalog.LevelHigh, levelUnknown: catalog.LevelUnknown,
}

// textLists holds a list of texts for each observation of a model. Each
// distinct text is kept once, in compareText order, so that lists are united by
// their numbers.
type textLists struct {
	texts []string
	json  []string // the texts as canonical JSON
	of    []int32  // numbers of texts: those of the first observation, of the second, and so on
	ends  []int32  // by observation: where its own end in of
}

// numbers returns the numbers of the texts of an observation.
func (t *textLists) numbers(observation int32) []int32 {
	start := int32(0)
	if observation > 0 {
		start = t.ends[observation-1]
	}
	return t.of[start:t.ends[observation]]
}
