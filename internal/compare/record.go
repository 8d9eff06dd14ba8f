package compare

import (
	"bytes"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// DiffSchema is the schema version of the record that a [Diff] is.
const DiffSchema = "service.catalog.diff/v1"

// Diff is what changed from one catalog, OLD, to the next, NEW. Its tags say how it
// is written and what [ReadDiff] takes.
type Diff struct {
	SchemaVersion string       `json:"schemaVersion" is:"service.catalog.diff/v1"`
	Old           Content      `json:"old"`
	New           Content      `json:"new"`
	Only          Only         `json:"only"`
	Limit         int          `json:"limit"` // how many entries may be listed
	Summary       Summary      `json:"summary"`
	Models        []Changes    `json:"models"`   // by id of the identity, then key
	Rankings      []Ranking    `json:"rankings"` // in the order of the requests
	LeftOut       Counts[Kind] `json:"leftOut" is:"models facts samples conflicts"`
}

// JSON is the record as canonical JSON, without a newline at the end.
func (d *Diff) JSON() []byte {
	rest := *d
	rest.Models = []Changes{}
	// Nothing before the list of models is a text.
	before, after, _ := bytes.Cut(canonical.MustMarshal(&rest), []byte(`"models":[]`))
	w := &writer{canonical.Encoder{Buf: slices.Clip(before)}} // after stays as it is
	list(w, `"models":`, d.Models, w.changes)
	return append(w.Buf, after...)
}

// ReadDiffs reads records of diffs: one, or several, one a line as they are written.
// It checks which members there are and what they may be; whether two catalogs have
// this diff, only comparing them again can tell. Faults have no code. They are all of
// the source, in order, each with its place.
func ReadDiffs(source problem.Source) (list []*Diff, err error) {
	var faults problem.Collector
	for doc, at := range ijson.Documents(source) {
		r, d := ijson.NewPartReader(""), &Diff{}
		r.Reset(doc)
		ijson.ReadTagged(r, d)
		faults.Add(r.End().Locate(doc, at)...)
		list = append(list, d)
	}
	if faults.Len() > 0 {
		return nil, faults.List(source.Name).Err()
	}
	return list, nil
}

// Kind is a kind of change that can be asked for.
type Kind string

// The kinds.
const (
	KindConflicts Kind = "conflicts"
	KindFacts     Kind = "facts"
	KindModels    Kind = "models"
	KindRankings  Kind = "rankings"
	KindSamples   Kind = "samples"
)

// Kinds returns all kinds, sorted.
func Kinds() []Kind { return []Kind{KindConflicts, KindFacts, KindModels, KindRankings, KindSamples} }

// Only is the kinds that were asked for, sorted.
type Only []Kind

// ReadJSON reads kinds in their order, each once.
func (o *Only) ReadJSON(r *ijson.Reader) {
	var names []string
	for _, kind := range Kinds() {
		names = append(names, string(kind))
	}
	*o = Only{}
	l := r.List()
	for l.Next() {
		*o = append(*o, Kind(r.Enum(names...)))
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(*o))); !slices.Equal(sorted, *o) {
		r.Fail(l.Start(), "", "must be sorted, each kind once")
	}
}

// Content is what a catalog holds, in numbers.
type Content struct {
	Digest       string `json:"digest" is:"hash"`
	AsOf         string `json:"asOf" is:"timestamp"`
	Models       int    `json:"models"`
	Observations int    `json:"observations"`
	Holding      int    `json:"holding"` // observations that hold
	Conflicts    int    `json:"conflicts"`
}

// Summary counts what changed, whatever of it was asked for or is listed. Facts and
// samples are those of models that are in both catalogs.
type Summary struct {
	Models       Counts[Change] `json:"models" is:"added removed silenced revived changed"`
	Observations Counts[Change] `json:"observations" is:"added removed agedOut"`
	Facts        Counts[Change] `json:"facts" is:"added backfilled changed contradicted expired reaffirmed removed renewed settled"`
	Samples      Counts[Change] `json:"samples" is:"changed reaffirmed"`
	Conflicts    Counts[Change] `json:"conflicts" is:"arisen ended changed"`
	Rankings     int            `json:"rankings"` // how many changed
}

func newSummary() Summary {
	return Summary{
		Models:       Counts[Change]{Added: 0, Removed: 0, Silenced: 0, Revived: 0, Changed: 0},
		Observations: Counts[Change]{Added: 0, Removed: 0, AgedOut: 0},
		Facts: Counts[Change]{
			Added: 0, Backfilled: 0, Changed: 0, Contradicted: 0, Expired: 0, Reaffirmed: 0, Removed: 0, Renewed: 0, Settled: 0,
		},
		Samples:   Counts[Change]{Changed: 0, Reaffirmed: 0},
		Conflicts: Counts[Change]{Arisen: 0, Ended: 0, Changed: 0},
	}
}

// add adds the counts of another summary.
func (s *Summary) add(other *Summary) {
	s.Models.add(other.Models)
	s.Observations.add(other.Observations)
	s.Facts.add(other.Facts)
	s.Samples.add(other.Samples)
	s.Conflicts.add(other.Conflicts)
}

// AnyChanges reports whether anything was counted of the kinds that were asked for, but
// for what was merely reaffirmed. Observations are no kind.
func (d *Diff) AnyChanges() bool {
	for kind, counts := range map[Kind]Counts[Change]{
		KindModels: d.Summary.Models, KindFacts: d.Summary.Facts, KindSamples: d.Summary.Samples, KindConflicts: d.Summary.Conflicts,
		KindRankings: {Changed: d.Summary.Rankings},
	} {
		for change, n := range counts {
			if n > 0 && change != Reaffirmed && slices.Contains(d.Only, kind) {
				return true
			}
		}
	}
	return false
}

// Counts has a count for each of some words, zeros included.
type Counts[Word ~string] map[Word]int

func (c Counts[Word]) add(other Counts[Word]) {
	for word, n := range other {
		c[word] += n
	}
}

// Change is how something changed.
type Change string

// The changes. [Catalogs] says what can have which, and when.
const (
	Added        Change = "added"
	AgedOut      Change = "agedOut" // of observations: in both catalogs, and holds in OLD alone
	Arisen       Change = "arisen"
	Backfilled   Change = "backfilled"
	Changed      Change = "changed"
	Contradicted Change = "contradicted"
	Ended        Change = "ended"
	Expired      Change = "expired"
	Reaffirmed   Change = "reaffirmed" // counted, never listed
	Removed      Change = "removed"
	Renewed      Change = "renewed"
	Revived      Change = "revived"
	Settled      Change = "settled"
	Silenced     Change = "silenced"
)

// Changes is a model and what changed of it.
type Changes struct {
	Key          string           `json:"key" is:"hash"`
	Identity     Identity         `json:"identity"`
	Change       Change           `json:"change" is:"added removed silenced revived changed"`
	Alike        []string         `json:"alike" is:"hash" most:"16"` // keys in the other catalog
	Observations Observations     `json:"observations"`
	Facts        []FactChange     `json:"facts"`     // by measurement key, then slot
	Samples      []SampleChange   `json:"samples"`   // by measurement key, then execution, family and suite
	Conflicts    []ConflictChange `json:"conflicts"` // by key
}

// Observations counts the observations of a model.
type Observations struct {
	Old        int `json:"old"`
	New        int `json:"new"`
	HoldingOld int `json:"holdingOld"`
	HoldingNew int `json:"holdingNew"`
	Added      int `json:"added"`
	Removed    int `json:"removed"`
	AgedOut    int `json:"agedOut"`
}

// FactChange is a slot that changed.
type FactChange struct {
	Slot           string       `json:"slot" is:"hash"`
	MeasurementKey string       `json:"measurementKey"`
	Execution      Scope        `json:"execution"`
	Task           *About       `json:"task"`
	Change         Change       `json:"change" is:"added backfilled changed contradicted expired removed renewed settled"`
	Ratio          record.Float `json:"ratio"` // new / old, of a number that changed
	Old            *Fact        `json:"old"`   // nil if absent
	New            *Fact        `json:"new"`
}

// Fact is a slot in one catalog: the facts that make its state.
type Fact struct {
	State            State     `json:"state" is:"expired value conflict"`
	Values           []Value   `json:"values" most:"16"` // in the order of conflicts
	ValueCount       int       `json:"valueCount"`
	Observations     []Witness `json:"observations" most:"4"` // newest first, then by id
	ObservationCount int       `json:"observationCount"`
}

// Witness is an observation behind a fact.
type Witness struct {
	ID          string      `json:"id" is:"hash"`
	ObservedAt  string      `json:"observedAt" is:"timestamp"`
	ValidUntil  record.Text `json:"validUntil" is:"timestamp"`
	SourceClass string      `json:"sourceClass" is:"first-party external"`
	Evidence    []Evidence  `json:"evidence" most:"4"`
}

// SampleChange is a sample group that changed. Came, Went and AgedOut count its
// samples that are used in NEW and not in OLD's catalog, used in OLD and not in
// NEW's catalog, and used in OLD and expired in NEW.
type SampleChange struct {
	MeasurementKey string      `json:"measurementKey"`
	Execution      Scope       `json:"execution"`
	Family         record.Text `json:"family"`
	Suite          record.Text `json:"suite"`
	Came           int         `json:"came"`
	Went           int         `json:"went"`
	AgedOut        int         `json:"agedOut"`
	Old            *Aggregate  `json:"old"` // nil if there is no sample at all
	New            *Aggregate  `json:"new"`
}

// ConflictChange is a conflict that arose, ended, or is about other values.
type ConflictChange struct {
	Key            string `json:"key" is:"hash"`
	MeasurementKey string `json:"measurementKey"`
	Change         Change `json:"change" is:"arisen ended changed"`
	Old            Values `json:"old"`
	New            Values `json:"new"`
}

// Identity is the identity of a model.
type Identity struct {
	ID           string      `json:"id"`
	Revision     record.Text `json:"revision"`
	Quantization record.Text `json:"quantization"`
}

// About is a task with all its members.
type About struct {
	Family    string      `json:"family"`
	Suite     record.Text `json:"suite"`
	TaskID    record.Text `json:"taskId"`
	Evaluator struct {
		ID      string      `json:"id"`
		Version record.Text `json:"version"`
	} `json:"evaluator"`
}

// Scope is an execution scope, or null, as canonical JSON.
type Scope string

// MarshalJSON writes the scope as it is.
func (s Scope) MarshalJSON() ([]byte, error) { return []byte(s), nil }

// ReadJSON reads an execution scope or null.
func (s *Scope) ReadJSON(r *ijson.Reader) {
	if *s = "null"; r.Null() {
		return
	}
	at := r.Offset()
	text := r.Span()
	_, err := catalog.ParseScope(text)
	for _, e := range problem.All(err) {
		r.Fail(at+max(e.Offset, 0), strings.TrimPrefix(e.Path, "$"), "%s", e.Reason)
	}
	*s = Scope(ijson.NewReader(text, "").AppendCanonical(nil))
}

// Values is a list of scalars, or null, as canonical JSON.
type Values string

// MarshalJSON writes the list as it is.
func (v Values) MarshalJSON() ([]byte, error) { return []byte(v), nil }

// ReadJSON reads a list of scalars or null.
func (v *Values) ReadJSON(r *ijson.Reader) {
	if *v = "null"; r.Null() {
		return
	}
	var e canonical.Encoder
	for l := r.List(); l.Next(); {
		if l.Index() > 0 {
			e.Raw(",")
		}
		catalog.EncodeScalar(&e, r.Scalar())
	}
	*v = Values("[" + string(e.Buf) + "]")
}
