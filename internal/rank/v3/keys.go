package v3

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/keys"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is what a request says of its measurement keys: the entries of the dictionary that it
// uses. They decide how intervals are made and which workflow conditions count as one:
//
//	"keys": [{ "key": "aider.polyglot.pass_rate_2", "bounds": { "low": 0, "high": 100 },
//	           "size": { "trials": "aider.polyglot.test_cases", ... }, "joins": ["edit_format"], ... }]

// The shapes of an entry and its parts.
var (
	keyShape = ijson.NewSparseShape(
		ijson.Required("key", func(r requestReader, k *record.Key) { k.Key = r.Text() }),
		ijson.Optional("name", func(r requestReader, k *record.Key) { k.Name = record.Text(r.Text()) }),
		ijson.Optional("line", func(r requestReader, k *record.Key) { k.Line = record.Text(r.Text()) }),
		ijson.Optional("link", func(r requestReader, k *record.Key) { k.Link = record.Text(r.Text()) }),
		ijson.Optional("unit", func(r requestReader, k *record.Key) { k.Unit = record.Text(r.Text()) }),
		ijson.Optional("bounds", func(r requestReader, k *record.Key) {
			k.Bounds = &record.KeyBounds{}
			boundsShape.Read(r, k.Bounds)
		}),
		ijson.Optional("direction",
			func(r requestReader, k *record.Key) { k.Direction = record.KeyDirection(r.Enum(directionNames...)) }),
		ijson.Optional("size", func(r requestReader, k *record.Key) {
			k.Size = &record.KeySize{}
			sizeShape.Read(r, k.Size)
		}),
		ijson.Optional("family", func(r requestReader, k *record.Key) {
			k.Family = record.KeyFamily(r.Enum(record.KeyFamily("").Words()...))
		}),
		ijson.Optional("joins", func(r requestReader, k *record.Key) { k.Joins = r.UniqueTexts() }),
	)
	boundsShape = ijson.NewSparseShape(
		ijson.Required("low", func(r requestReader, b *record.KeyBounds) { b.Low = readNumber(r, "", nil) }),
		ijson.Required("high", func(r requestReader, b *record.KeyBounds) { b.High = readNumber(r, "", nil) }),
	)
	sizeShape = ijson.NewSparseShape(
		ijson.Optional("trials", func(r requestReader, s *record.KeySize) { s.Trials = record.Text(r.Text()) }),
		ijson.Optional("tasks", func(r requestReader, s *record.KeySize) {
			s.Tasks = map[string]int{}
			for n := r.Names(); n.Next(); {
				s.Tasks[n.Name()] = int(r.Count())
			}
		}),
		ijson.Optional("standardError", func(r requestReader, s *record.KeySize) { s.StandardError = record.Text(r.Text()) }),
		ijson.Optional("basis", func(r requestReader, s *record.KeySize) {
			s.Basis = record.KeyBasis(r.Enum(record.KeyBasis("").Words()...))
		}),
		ijson.Optional("rule", func(r requestReader, s *record.KeySize) { s.Rule = record.Text(r.Text()) }),
		ijson.Optional("source", func(r requestReader, s *record.KeySize) { s.Source = record.Text(r.Text()) }),
	)
)

// readKeys reads the entries, each key once, and puts them into order.
func readKeys(r requestReader, q *Request) {
	l := readList(r, MaxKeys, &q.keys, readKey)
	slices.SortStableFunc(q.keys, func(a, b record.Key) int { return canonical.CompareText(a.Key, b.Key) })
	for i := 1; i < len(q.keys); i++ {
		if again := q.keys[i].Key; again != "" && again == q.keys[i-1].Key {
			r.Fail(l.Start(), "", "must hold each key once: %q is repeated", again)
			return
		}
	}
}

func readKey(r requestReader, k *record.Key) {
	mark := r.Mark()
	o := keyShape.Read(r, k)
	if r.Mark() > mark {
		return
	}
	if member, reason := keys.Check(k); reason != "" {
		r.FailMember(o.Start(), member, "%s", reason)
	}
}

// joinedCondition returns a workflow condition without the parts that tell no variants apart.
//
//	edit_format=diff,effort=high    effort=high
func joinedCondition(condition record.Text, joins []string) record.Text {
	if condition == "" || len(joins) == 0 {
		return condition
	}
	var kept []string
	for part := range strings.SplitSeq(string(condition), ",") {
		if name, _, _ := strings.Cut(part, "="); !slices.Contains(joins, name) {
			kept = append(kept, part)
		}
	}
	return record.Text(strings.Join(kept, ","))
}

// text writes an entry as a person does, without what is left out.
func keyText(k *record.Key) string {
	var t, size objectText
	t.addText("key", k.Key)
	t.addText("name", string(k.Name))
	t.addText("line", string(k.Line))
	t.addText("link", string(k.Link))
	t.addText("unit", string(k.Unit))
	if k.Bounds != nil {
		t.add("bounds", `{ "low": `+numberText(k.Bounds.Low)+`, "high": `+numberText(k.Bounds.High)+" }")
	}
	t.addText("direction", string(k.Direction))
	if s := k.Size; s != nil {
		size.addText("trials", string(s.Trials))
		if s.Tasks != nil {
			size.add("tasks", string(canonical.MustMarshal(s.Tasks)))
		}
		size.addText("standardError", string(s.StandardError))
		size.addText("basis", string(s.Basis))
		size.addText("rule", string(s.Rule))
		size.addText("source", string(s.Source))
		t.add("size", size.String())
	}
	t.addText("family", string(k.Family))
	t.addTexts("joins", k.Joins)
	return t.String()
}
