package agent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// This file knows which models and keys a catalog has, and cuts lists of them into
// answers.

// index is what lists are made of.
type index struct {
	models   []*modelRow // by id, then key
	keys     []*keyRow   // by key
	runtimes []string    // sorted
	byKey    map[string]*catalog.ModelEntry
}

// modelRow is a model in a list.
type modelRow struct {
	Key          string      `json:"key"`
	ID           string      `json:"id"`
	Revision     record.Text `json:"revision"`
	Quantization record.Text `json:"quantization"`
	Runtimes     []string    `json:"runtimes"`
	Observations int         `json:"observations"`
	Holding      int         `json:"holding"`
	Conflicts    int         `json:"conflicts"`
	LastSeen     string      `json:"lastSeen"`

	keys map[string]bool
	at   map[string]bool // all runtimes, of which the list may have some
}

// keyRow is a measurement key in a list.
type keyRow struct {
	Key      string          `json:"key"`
	Kind     string          `json:"kind"` // fact, sample or both
	Units    []string        `json:"units"`
	Models   int             `json:"models"`
	Families []string        `json:"families"`
	Suites   []string        `json:"suites"`
	Low      record.Float    `json:"low"`
	High     record.Float    `json:"high"`
	of       map[string]bool // models, by key
}

func newIndex(c *catalog.Catalog) *index {
	x := &index{byKey: map[string]*catalog.ModelEntry{}}
	conflicts := map[string]int{}
	for _, conflict := range c.Conflicts() {
		conflicts[conflict.ModelKey]++
	}
	keys, runtimes := map[string]*keyRow{}, map[string]bool{}
	reader := compare.NewReader()
	entries := c.Models()
	for i := range entries {
		entry := &entries[i]
		x.byKey[entry.Key] = entry
		view := reader.Glance(entry.Observations).At(c.AsOf())
		row := newModelRow(entry, view)
		row.Conflicts = conflicts[entry.Key]
		for runtime := range row.at {
			runtimes[runtime] = true
		}
		row.addKeys(keys, view)
		x.models = append(x.models, row)
	}
	slices.SortFunc(x.models, func(a, b *modelRow) int {
		return cmp.Or(canonical.CompareText(a.ID, b.ID), cmp.Compare(a.Key, b.Key))
	})
	x.runtimes = slices.SortedFunc(maps.Keys(runtimes), canonical.CompareText)
	for _, key := range slices.SortedFunc(maps.Keys(keys), canonical.CompareText) {
		keys[key].Models = len(keys[key].of)
		x.keys = append(x.keys, keys[key])
	}
	return x
}

// newModelRow returns the row of a model, without its keys and conflicts.
func newModelRow(entry *catalog.ModelEntry, view *compare.View) *modelRow {
	id := &entry.Identity
	row := &modelRow{
		Key: entry.Key, ID: id.ID, Revision: record.Text(id.Revision), Quantization: record.Text(id.Quantization),
		Runtimes: []string{}, Observations: len(view.Observations), keys: map[string]bool{}, at: map[string]bool{},
	}
	for n := range view.Observations {
		row.LastSeen = max(row.LastSeen, string(view.Observations[n].Freshness.ObservedAt))
		if view.Holds[n] {
			row.Holding++
		}
	}
	for n := range view.Executions {
		if runtime := view.Executions[n].Runtime.ID; runtime != "" {
			row.Runtimes = addText(row.Runtimes, runtime)
			row.at[runtime] = true
		}
	}
	return row
}

// addKeys adds the keys of a model to its row and to theirs.
func (row *modelRow) addKeys(keys map[string]*keyRow, view *compare.View) {
	note := func(key, kind string, task *compare.Task, list []compare.Entry) {
		k := keys[key]
		if k == nil {
			k = &keyRow{Key: key, Kind: kind, Units: []string{}, Families: []string{}, Suites: []string{}, of: map[string]bool{}}
			keys[key] = k
		}
		if k.Kind != kind {
			k.Kind = "both"
		}
		k.of[row.Key], row.keys[key] = true, true
		k.add(task, list, view)
	}
	for n := range view.Slots {
		s := &view.Slots[n]
		note(s.MeasurementKey, record.Fact, &view.Tasks[s.Task], s.Facts)
	}
	for n := range view.Groups {
		g := &view.Groups[n]
		note(g.MeasurementKey, record.Sample, &compare.Task{Family: g.Family, Suite: g.Suite}, g.Samples)
	}
}

// add adds what is said of a key about a task.
func (k *keyRow) add(task *compare.Task, list []compare.Entry, view *compare.View) {
	if task.Family != "" {
		k.Families = addText(k.Families, task.Family)
	}
	if task.Suite != "" {
		k.Suites = addText(k.Suites, task.Suite)
	}
	for _, e := range list {
		if e.Unit != "" {
			k.Units = addText(k.Units, e.Unit)
		}
		if f := e.Value.Float(); e.Value.Kind == '0' && view.Holds[e.Observation] {
			if !k.Low.Known || f < k.Low.Value {
				k.Low = record.NewFloat(f)
			}
			if !k.High.Known || f > k.High.Value {
				k.High = record.NewFloat(f)
			}
		}
	}
}

// mostTexts is how many texts a list in a row has at most.
const mostTexts = 16

// addText adds a text to a short sorted list.
func addText(list []string, text string) []string {
	i, found := slices.BinarySearchFunc(list, text, canonical.CompareText)
	if found || len(list) >= mostTexts {
		return list
	}
	return slices.Insert(list, i, text)
}

// find returns the model with an id or a key, of which a unique beginning will do.
func (x *index) find(name, path string) (*catalog.ModelEntry, error) {
	if name == "" {
		return nil, &refusal{invalidArgument, path, "is missing"}
	}
	matches := func(fits func(*modelRow) bool) (found []*modelRow) {
		for _, m := range x.models {
			if fits(m) {
				found = append(found, m)
			}
		}
		return found
	}
	found := matches(func(m *modelRow) bool { return m.ID == name || m.Key == name })
	if len(found) == 0 {
		found = matches(func(m *modelRow) bool { return strings.HasPrefix(m.ID, name) || strings.HasPrefix(m.Key, name) })
	}
	if len(found) == 1 {
		return x.byKey[found[0].Key], nil
	}
	if len(found) > 1 {
		var keys []string
		for _, m := range found[:min(len(found), spelling.MostNearest)] {
			keys = append(keys, m.ID+" ("+m.Key[:12]+")")
		}
		return nil, &refusal{unknownModel, path, fmt.Sprintf("%d models begin with that: give the key of one of them: %s",
			len(found), strings.Join(keys, ", "))}
	}
	return nil, &refusal{unknownModel, path, "the catalog has no model " + quote(name) +
		offer(spelling.Similar, name, x.modelIDs())}
}

// modelID returns the id of the model, or of the several, that a name in a question means:
// unless it is an id, a unique beginning of one or of a key.
func (x *index) modelID(name, path string) (string, error) {
	if slices.ContainsFunc(x.models, func(m *modelRow) bool { return m.ID == name }) {
		return name, nil
	}
	entry, err := x.find(name, path)
	if err != nil {
		return "", err
	}
	return entry.Identity.ID, nil
}

// offer ends a message about a name that there is not with those that it may mean, or if
// none is similar with the nearest: who asks cannot look at the list of names.
func offer(similar func(name string, known []string) []string, name string, known []string) string {
	list := similar(name, known)
	if len(list) == 0 {
		list = spelling.Nearest(name, known)
	}
	return spelling.Offer(list)
}

// key checks that the catalog has a key.
func (x *index) key(name, path string) error {
	names := x.keyNames()
	if slices.Contains(names, name) {
		return nil
	}
	return &refusal{unknownKey, path, "the catalog has no key " + quote(name) + offer(v3.SimilarKeys, name, names)}
}

// modelIDs returns the ids of the models of the catalog.
func (x *index) modelIDs() []string {
	ids := make([]string, len(x.models))
	for i, m := range x.models {
		ids[i] = m.ID
	}
	return ids
}

// keyNames returns the keys of the catalog.
func (x *index) keyNames() []string {
	names := make([]string, len(x.keys))
	for i, k := range x.keys {
		names[i] = k.Key
	}
	return names
}

// isPerToken reports whether a key is a price of a token.
func (x *index) isPerToken(key string) bool {
	return slices.ContainsFunc(x.keys, func(k *keyRow) bool {
		return k.Key == key &&
			slices.Equal(k.Units, []string{"USD/token"})
	})
}

// runtime checks that the catalog has a runtime.
func (x *index) runtime(name, path string) error {
	if _, found := slices.BinarySearchFunc(x.runtimes, name, canonical.CompareText); found {
		return nil
	}
	return &refusal{unknownRuntime, path, "the catalog has no runtime " + quote(name) +
		offer(spelling.Similar, name, x.runtimes)}
}

// refuse refuses a name in a question that the catalog does not have.
func (x *index) refuse(absent *v3.AbsentError, path string) (err error) {
	switch absent.What {
	case "key":
		err = x.key(absent.Name, path)
	case "runtime":
		err = x.runtime(absent.Name, path)
	case "service":
		err = &refusal{unknownRuntime, path, absent.Error()}
	default:
		_, err = x.find(absent.Name, path)
	}
	return cmp.Or(err, error(absent))
}

func quote(name string) string { return strconv.Quote(problem.Clip(name)) }

// page is a part of a list.
type page[T any] struct {
	items []T
	next  record.Text // cursor; empty at the end
}

// cut cuts the page of a list that begins at a cursor: at most limit items, and no more
// than an answer can have.
//
// A cursor holds a position and the beginning of a digest, that of what the list is made of.
func cut[T any](list []T, cursor string, limit int, digest string) (p page[T], err error) {
	const room = MaxAnswer - 4<<10 // for what is around the list
	digest = digest[:cursorDigest]
	start, err := position(cursor, len(list), digest)
	if err != nil {
		return p, err
	}
	p.items = []T{}
	size := 0
	for i := start; i < len(list) && len(p.items) < limit; i++ {
		size += len(canonical.MustMarshal(list[i])) + 1
		if size > room && len(p.items) > 0 {
			break
		}
		p.items = append(p.items, list[i])
	}
	if end := start + len(p.items); end < len(list) {
		p.next = record.Text(strconv.Itoa(end) + "-" + digest)
	}
	return p, nil
}

// cursorDigest is how much of the digest a cursor has.
const cursorDigest = 16

// position reads a cursor: where a list goes on, and of what.
func position(cursor string, length int, digest string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	number, of, _ := strings.Cut(cursor, "-")
	n, err := strconv.Atoi(number)
	switch {
	case of != digest:
		return 0, &refusal{staleCursor, "$.cursor", "belongs to another catalog or request: start again without it"}
	case err != nil || n < 0 || n > length:
		return 0, &refusal{invalidArgument, "$.cursor", "is not a cursor of this list"}
	}
	return n, nil
}

// has reports whether all words of a query occur in a text, whatever their case.
func has(text, query string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
