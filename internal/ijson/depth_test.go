package ijson_test

import (
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"
)

// nested returns a value of n arrays and objects within each other, an object
// wherever mix says so, and the offset of the last bracket that opens.
func nested(n int, inner string, isObject func(i int) bool) (text string, last int) {
	var open, shut strings.Builder
	for i := range n {
		last = open.Len()
		if isObject(i) {
			open.WriteString(`{"a":`)
		} else {
			open.WriteByte('[')
		}
	}
	for i := n - 1; i >= 0; i-- {
		if isObject(i) {
			shut.WriteByte('}')
		} else {
			shut.WriteByte(']')
		}
	}
	return open.String() + inner + shut.String(), last
}

var shapes = map[string]func(i int) bool{
	"arrays":            func(int) bool { return false },
	"objects":           func(int) bool { return true },
	"mixed":             func(i int) bool { return i%2 == 0 },
	"mixed in threes":   func(i int) bool { return i%3 == 1 },
	"an array at last":  func(i int) bool { return i != 64 },
	"an object at last": func(i int) bool { return i == 64 },
}

// 64 arrays and objects may be open at once, not 65.
func TestDepth(t *testing.T) {
	if ijson.MaxDepth != 64 {
		t.Errorf("MaxDepth is %d", ijson.MaxDepth)
	}
	for name, isObject := range shapes {
		text, _ := nested(64, "1", isObject)
		accept(t, text, text)
		accept(t, strings.Replace(text, "1", `"[[[{{{"`, 1), strings.Replace(text, "1", `"[[[{{{"`, 1))
		text, last := nested(65, "1", isObject)
		got, faults := canonicalOf(text)
		if faults == nil {
			t.Errorf("%s: 65 are read as %s", name, got)
			continue
		}
		expectFaults(t, name, faults, describeAt(last, "$: more than 64 arrays and objects open at once"))
	}
	// Not the number of brackets counts, but how many are open at once.
	wide := "[" + strings.Repeat("[[]],", 1000) + "{}]"
	accept(t, wide, wide)
}

// Skipped values count alike.
func TestDepthOfSkippedValues(t *testing.T) {
	for name, isObject := range shapes {
		text, _ := nested(64, "1", isObject)
		r := ijson.NewReader(text, testCode)
		r.Skip()
		expectFaults(t, name, describe(r.End()))

		text, last := nested(65, "1", isObject)
		r = ijson.NewReader(text, testCode)
		r.Skip()
		expectFaults(t, name, describe(r.End()), describeAt(last, "$: more than 64 arrays and objects open at once"))

		// One is open already where an unknown field is skipped.
		text, _ = nested(63, "1", isObject)
		expectPaths(t, name, boxFaults(`{"x":`+text+"}"), "$.x", "$.id", "$.note", "$.size", "$.lid")
		text, last = nested(64, "1", func(i int) bool { return isObject(i + 1) })
		expectFaults(t, name, boxFaults(`{"x":`+text+"}"), describeAt(len(`{"x":`)+last, "$: more than 64 arrays and objects open at once"))
	}
}

// Hostile depth costs neither memory nor stack.
func TestHugeDepth(t *testing.T) {
	const tooDeep = "$: more than 64 arrays and objects open at once"
	for _, size := range []int{1000, 1 << 20} {
		refuse(t, "arrays", strings.Repeat("[", size), describeAt(64, tooDeep))
		refuse(t, "objects", strings.Repeat(`{"a":`, size), describeAt(64*len(`{"a":`), tooDeep))
		refuse(t, "spaced", strings.Repeat("[ ", size), describeAt(128, tooDeep))
		refuse(t, "closing", strings.Repeat("]", size), "0 $: unexpected character ']', expected a value")

		r := ijson.NewReader(strings.Repeat("[", size), testCode)
		r.Skip()
		expectFaults(t, "skipped", describe(r.End()), describeAt(64, tooDeep))
		expectFaults(t, "box", boxFaults(`{"x":`+strings.Repeat("[", size)), describeAt(len(`{"x":`)+63, tooDeep))
	}
}
