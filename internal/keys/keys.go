// Package keys holds the dictionary of measurement keys: what each means, which way is better,
// between which bounds its values lie, and of how many questions they are. Rankings make their
// intervals by it, and pages and commands name keys by it.
//
// Keys that nobody described are as good as others: they have no entry, and rankings know neither
// bounds nor sizes.
package keys

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

//go:embed keys.json
var embedded string

// Default returns the entries that svc brings along, by key.
var Default = sync.OnceValue(func() []record.Key {
	list, err := Read(problem.Source{Name: "keys.json", Text: embedded})
	if err != nil {
		panic(err) // a fault of the program, which a test finds
	}
	return list
})

// Read reads a dictionary strictly and returns its entries, by key. Faults are all of the document,
// each with its place.
func Read(source problem.Source) ([]record.Key, error) {
	r := ijson.NewReader(source.Text, "")
	var d record.KeyDictionary
	dictionaryShape.Read(r, &d)
	if faults := r.End(); faults != nil {
		return nil, faults.Locate(source.Text, problem.Start(source.Name)).Err()
	}
	slices.SortFunc(d.Keys, func(a, b record.Key) int { return canonical.CompareText(a.Key, b.Key) })
	return d.Keys, nil
}

var dictionaryShape = ijson.TaggedShape(
	ijson.Required("keys", func(r *ijson.Reader, d *record.KeyDictionary) {
		known := map[string]bool{}
		l := r.List()
		for l.Next() {
			var k record.Key
			o := entryShape.Read(r, &k)
			if member, reason := Check(&k); reason != "" {
				r.FailMember(o.Start(), member, "%s", reason)
			}
			if known[k.Key] && k.Key != "" {
				r.Fail(l.Start(), "", "must hold each key once: %q is repeated", k.Key)
			}
			known[k.Key] = true
			d.Keys = append(d.Keys, k)
		}
	}),
)

var entryShape = ijson.TaggedShape[*ijson.Reader, record.Key]()

// Check returns the member of an entry that contradicts itself or others, and what is wrong, if
// anything is.
func Check(k *record.Key) (member, reason string) {
	if k.Bounds != nil && k.Bounds.Low >= k.Bounds.High {
		return "bounds", "low must be below high"
	}
	s := k.Size
	if s == nil {
		return "", ""
	}
	n := 0
	for _, is := range []bool{s.Trials != "", s.Tasks != nil, s.StandardError != ""} {
		if is {
			n++
		}
	}
	switch {
	case n != 1:
		return "size", "must have one of trials, tasks and standardError, has " + strconv.Itoa(n)
	case s.StandardError == "" && k.Bounds == nil:
		return "size", "needs bounds: questions are answered to a share of them"
	}
	for _, questions := range s.Tasks {
		if questions < 1 {
			return "size", "a task must have at least one question"
		}
	}
	return "", ""
}

// Find returns the entry of a key, nil if there is none: that of its name, or the longest pattern
// that fits. In the size of a pattern, the star that a key begins with stands for the key that was
// asked for, of which the entry then is; keys that are its companions by this are not of the
// pattern.
//
//	keys.Find(keys.Default(), "price.input@context>200000")   // the entry of price.*
func Find(list []record.Key, key string) *record.Key {
	var best *record.Key
	for i := range list {
		k := &list[i]
		if k.Key == key {
			return k
		}
		prefix, isPattern := strings.CutSuffix(k.Key, "*")
		if isPattern && strings.HasPrefix(key, prefix) && (best == nil || len(k.Key) > len(best.Key)) {
			best = k
		}
	}
	if best == nil || best.Size == nil {
		return best
	}
	found, size := *best, *best.Size
	for _, companion := range []*record.Text{&size.Trials, &size.StandardError} {
		if end, isRelative := strings.CutPrefix(string(*companion), "*"); isRelative {
			if strings.HasSuffix(key, end) {
				return nil
			}
			found.Key, *companion = key, record.Text(key+end)
		}
	}
	found.Size = &size
	return &found
}
