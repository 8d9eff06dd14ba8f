package sources

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/service/record"
)

// Condition is what tells the runs of one model apart that stand in one table: parts
// name=value, sorted and joined by commas.
//
//	edit_format=diff,effort=high
type Condition map[string]string // a part without value has the value "" and stands as it is

// Set adds a part whose value is not "".
func (c Condition) Set(name, value string) {
	if value != "" {
		c[name] = value
	}
}

// Merge adds the parts of a text. It returns the first that is there already with
// another value, "" if none is.
func (c Condition) Merge(text string) (contradicts string) {
	if text == "" {
		return ""
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		if stated, is := c[name]; is && stated != value && contradicts == "" {
			contradicts = name
		}
		c[name] = value
	}
	return contradicts
}

// String is the condition as records have it.
func (c Condition) String() string {
	parts := slices.Sorted(maps.Keys(c))
	for i, name := range parts {
		if c[name] != "" {
			parts[i] = name + "=" + c[name]
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// MergeCondition adds what the entry of the row says to a condition that the row
// states. An entry that says something else than the row is refused.
func (b *Batch) MergeCondition(c Condition, said string) {
	if part := c.Merge(said); part != "" && b.err == nil {
		path, offset := b.entryMember(memberCondition)
		b.refused.add(path, offset, "must not contradict the row %s on %s", canonical.Quote(b.row), part)
		b.isRefused = true
	}
}

// scope is where an observation stands: two rows of one scope would be averaged.
func scope(rec *record.Observation) string {
	return fmt.Sprintf("%#v %#v %#v", rec.Model, rec.Execution, rec.Task)
}

// skipSameScope skips all rows that share a scope with another row. A person tells
// them apart; none is picked, and nothing is averaged.
func (b *Batch) skipSameScope() {
	rows := map[string][]int{} // by scope, the numbers of rows
	for i, s := range b.scopes {
		if list := rows[s]; len(list) == 0 || list[len(list)-1] != b.rowOf[i] {
			rows[s] = append(list, b.rowOf[i])
		}
	}
	others := map[int]map[int]bool{}
	for _, list := range rows {
		for _, row := range list {
			for _, other := range list {
				if other != row {
					if others[row] == nil {
						others[row] = map[int]bool{}
					}
					others[row][other] = true
				}
			}
		}
	}
	if len(others) == 0 {
		return
	}
	kept := b.observations[:0]
	for i, o := range b.observations {
		if others[b.rowOf[i]] == nil {
			kept = append(kept, o)
		}
	}
	b.observations = kept
	for _, row := range slices.Sorted(maps.Keys(others)) {
		var names []string
		for _, other := range slices.Sorted(maps.Keys(others[row])) {
			names = append(names, canonical.Quote(b.rowAt[other].id))
		}
		b.row, b.where = b.rowAt[row].id, b.rowAt[row].where
		b.skip(SameScope, "has the same scope as "+strings.Join(names,
			", ")+": a workflowCondition in the mapping can tell them apart")
	}
}
