package agent

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/contents"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/internal/spelling"
	"github.com/model-catalog-service/svc/service/record"
)

// This file knows which models, keys and providers a catalog has, and cuts lists into answers.

// index is what a catalog has, by name.
type index struct {
	models   []*modelRow // by id, then key
	byKey    map[string]*catalog.ModelEntry
	keyNames []string                    // sorted
	runtimes []string                    // sorted
	keys     func() []record.KeyContents // read once they are asked for
}

// modelRow is a model with where it is sold or run, and what is known of it.
type modelRow struct {
	*catalog.ModelEntry
	runtimes []string // sorted
	keys     map[string]bool
	lastSeen string
}

func newIndex(c *catalog.Catalog) *index {
	x := &index{byKey: map[string]*catalog.ModelEntry{}, keys: sync.OnceValue(func() []record.KeyContents {
		list, err := contents.Keys(c, contents.Options{})
		if err != nil { // of a catalog without a measurement
			return nil
		}
		return list.Keys
	})}
	keys, runtimes := map[string]bool{}, map[string]bool{}
	reader := compare.NewReader()
	for i := range c.Models() {
		entry := &c.Models()[i]
		x.byKey[entry.Key] = entry
		row := newModelRow(entry, reader.Glance(entry.Observations).At(c.AsOf()))
		for _, runtime := range row.runtimes {
			runtimes[runtime] = true
		}
		maps.Copy(keys, row.keys)
		x.models = append(x.models, row)
	}
	slices.SortFunc(x.models, func(a, b *modelRow) int {
		return cmp.Or(canonical.CompareText(a.Identity.ID, b.Identity.ID), cmp.Compare(a.Key, b.Key))
	})
	x.runtimes = slices.SortedFunc(maps.Keys(runtimes), canonical.CompareText)
	x.keyNames = slices.SortedFunc(maps.Keys(keys), canonical.CompareText)
	return x
}

func newModelRow(entry *catalog.ModelEntry, view *compare.View) *modelRow {
	row := &modelRow{ModelEntry: entry, keys: map[string]bool{}}
	at := map[string]bool{}
	for n := range view.Observations {
		o := &view.Observations[n]
		row.lastSeen = max(row.lastSeen, string(o.Freshness.ObservedAt), o.EvidenceTime())
	}
	note := func(key string, execution int, isSold bool) {
		row.keys[key] = true
		if runtime := view.Executions[execution].Runtime.ID; runtime != "" && isSold {
			at[runtime] = true
		}
	}
	for n := range view.Slots {
		note(view.Slots[n].MeasurementKey, view.Slots[n].Execution, true)
	}
	for n := range view.Groups { // the harness of a benchmark sells nothing
		note(view.Groups[n].MeasurementKey, view.Groups[n].Execution, len(view.Slots) == 0)
	}
	row.runtimes = slices.SortedFunc(maps.Keys(at), canonical.CompareText)
	return row
}

// isAt reports whether a model is at a provider, or at an offer of it.
func (m *modelRow) isAt(name string) bool {
	return name == "" || slices.ContainsFunc(m.runtimes, func(runtime string) bool { return isOf(runtime, name) })
}

// isOf reports whether a runtime is the one with a name, or an offer of the provider with it.
func isOf(runtime, name string) bool {
	seller, _ := record.Seller(runtime)
	return name == "" || runtime == name || seller == name
}

// hasKey reports whether a model has a key with a text in it.
func (m *modelRow) hasKey(text string) bool {
	for key := range m.keys {
		if has(key, text) {
			return true
		}
	}
	return text == ""
}

// maker is who made a model, by its id.
func (m *modelRow) maker() string {
	maker, _, isNamed := strings.Cut(m.Identity.ID, "/")
	if !isNamed {
		return ""
	}
	return maker
}

// find returns the models that a name means.
func (a *Agent) findModels(name, path string) ([]*catalog.ModelEntry, error) {
	if name == "" {
		return nil, &refusal{invalidArgument, path, "is missing"}
	}
	models, err := contents.FindModels(a.catalog, name)
	if err != nil {
		text := err.Error()
		if absent, ok := err.(*contents.AbsentError); ok && absent.Similar == nil {
			text += offer(spelling.Similar, name, a.index.modelIDs())
		}
		return nil, &refusal{unknownModel, path, text}
	}
	return models, nil
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

// modelIDs returns the ids of the models of the catalog.
func (x *index) modelIDs() []string {
	ids := make([]string, len(x.models))
	for i, m := range x.models {
		ids[i] = m.Identity.ID
	}
	return ids
}

// hasKey checks that a key of the catalog has a text in it.
func (x *index) hasKey(text, path string) error {
	if slices.ContainsFunc(x.keyNames, func(key string) bool { return has(key, text) }) || text == "" {
		return nil
	}
	return &refusal{unknownKey, path, "the catalog has no key " + quote(text) + offer(v3.SimilarKeys, text, x.keyNames)}
}

// isPerToken reports whether a key is a price of a token.
func (x *index) isPerToken(key string) bool {
	return slices.ContainsFunc(x.keys(), func(k record.KeyContents) bool {
		return k.MeasurementKey == key && len(k.Ranges) == 1 && k.Ranges[0].Unit == "USD/token"
	})
}

// runtime checks that the catalog has a provider, or an offer of it.
func (x *index) runtime(name, path string) error {
	if slices.ContainsFunc(x.runtimes, func(runtime string) bool { return isOf(runtime, name) }) || name == "" {
		return nil
	}
	return &refusal{unknownRuntime, path, "the catalog has no runtime " + quote(name) +
		offer(spelling.Similar, name, x.runtimes)}
}

// refuse refuses a name in a question that the catalog does not have.
func (a *Agent) refuse(absent *v3.AbsentError, path string) (err error) {
	switch absent.What {
	case "key":
		err = &refusal{unknownKey, path, "the catalog has no key " + quote(absent.Name) +
			offer(v3.SimilarKeys, absent.Name, a.index.keyNames)}
	case "runtime":
		err = a.index.runtime(absent.Name, path)
	case "service":
		err = &refusal{unknownRuntime, path, absent.Error()}
	default:
		_, err = a.findModels(absent.Name, path)
	}
	return cmp.Or(err, error(absent))
}

func quote(name string) string { return strconv.Quote(problem.Clip(name)) }

// cut puts the rows of an answer that begin at a cursor: as many as asked for, and no more than
// an answer can have. A cursor holds a position and the beginning of a digest, that of all rows.
func (t *answer) cut(rows [][]any, p page) error {
	const room = MaxAnswer - 8<<10 // for what is around the rows
	t.dropEmpty(rows)
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = string(canonical.MustMarshal(row))
	}
	digest := canonical.Sum([]byte(strings.Join(texts, "\n")))[:cursorDigest]
	start, err := position(p.Cursor, len(rows), digest)
	if err != nil {
		return err
	}
	t.Total, t.Rows = len(rows), [][]any{}
	size := 0
	for i := start; i < len(rows) && len(t.Rows) < p.rows(); i++ {
		if size += len(texts[i]) + 1; size > room && len(t.Rows) > 0 {
			break
		}
		t.Rows = append(t.Rows, rows[i])
	}
	if end := start + len(t.Rows); end < len(rows) {
		t.NextCursor = strconv.Itoa(end) + "-" + digest
	}
	return nil
}

// dropEmpty drops the columns that no row has anything in.
func (t *answer) dropEmpty(rows [][]any) {
	for i := len(t.Columns) - 1; i >= 0 && len(rows) > 0; i-- {
		if slices.ContainsFunc(rows, func(row []any) bool { return row[i] != "" }) {
			continue
		}
		t.Columns = slices.Delete(t.Columns, i, i+1)
		for n := range rows {
			rows[n] = slices.Delete(rows[n], i, i+1)
		}
	}
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
		return 0, &refusal{staleCursor, "$.cursor", "belongs to another catalog or call: start again without it"}
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
