package ijson_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// testCode is the code of all faults here.
const testCode problem.Code = "TEST"

// canonicalOf reads a document of any shape and returns its canonical text, or
// its faults, each as "<offset> <path>: <reason>". Reading a tree, reading without
// one and checking alone must come to the same.
func canonicalOf(text string) (canonical string, faults []string) {
	v, err := ijson.ReadValue(text, testCode)
	if err != nil {
		faults = describe(problem.All(err))
	} else {
		canonical = string(v.AppendCanonical(nil))
	}
	r := ijson.NewReader(text, testCode)
	direct := string(r.AppendCanonical(nil))
	others := describe(r.End())
	if len(others) > 0 {
		direct = ""
	}
	if direct != canonical || !slices.Equal(others, faults) {
		return "", append(others, "but not the same with a tree:", canonical, strings.Join(faults, ", "))
	}
	r = ijson.NewReader(text, testCode)
	r.Check()
	if checked := describe(r.End()); !slices.Equal(checked, others) {
		return "", append(others, "but not the same when it is only checked:", strings.Join(checked, ", "))
	}
	return canonical, faults
}

// describe returns each fault as "<offset> <path>: <reason>", and its code in
// front if that is not testCode.
func describe(list problem.List) []string {
	var lines []string
	for _, e := range list {
		line := fmt.Sprintf("%d %s", e.Offset, e.Error())
		if e.Code != testCode {
			line = string(e.Code) + " " + line
		}
		lines = append(lines, line)
	}
	return lines
}

// refuse checks that a document of any shape is refused with these faults.
func refuse(t *testing.T, name, text string, want ...string) {
	t.Helper()
	got, faults := canonicalOf(text)
	switch {
	case faults == nil:
		t.Errorf("%s: %q is read as %s, want the fault %s", name, clip(text), got, want)
	case !slices.Equal(faults, want):
		t.Errorf("%s: %q\n got %s\nwant %s", name, clip(text), strings.Join(faults, "\n     "), strings.Join(want, "\n     "))
	}
}

// accept checks that a document of any shape has this canonical text.
func accept(t *testing.T, text, want string) {
	t.Helper()
	if got, faults := canonicalOf(text); faults != nil || got != want {
		t.Errorf("%q is read as %s %s, want %s", clip(text), clip(got), faults, clip(want))
	}
}

func clip(text string) string {
	if len(text) > 200 {
		return text[:200] + "..."
	}
	return text
}

// box is a record for the tests of typed reading.
type box struct {
	id    string // text
	note  string // text or null
	size  uint64 // count or null
	sized bool
	tags  []string // optional list of texts
	lid   lid
}

type lid struct{ shape, color string }

var (
	boxShape = ijson.NewShape(
		ijson.Required("id", func(r *ijson.Reader, b *box) { b.id = r.Text() }),
		ijson.Required("note", func(r *ijson.Reader, b *box) { b.note = r.TextOrNull() }),
		ijson.Required("size", func(r *ijson.Reader, b *box) { b.size, b.sized = r.CountOrNull() }),
		ijson.Optional("tags", func(r *ijson.Reader, b *box) {
			for l := r.List(); l.Next(); {
				b.tags = append(b.tags, r.Text())
			}
		}),
		ijson.Required("lid", func(r *ijson.Reader, b *box) { b.lid = readLid(r) }),
	)
	lidShape = ijson.NewShape(
		ijson.Required("shape", func(r *ijson.Reader, l *lid) { l.shape = r.Enum("flat", "round") }),
		ijson.Required("color", func(r *ijson.Reader, l *lid) { l.color = r.String() }),
	)
)

// readBox reads a box. Two rules tie members together: a box with tags has a
// note, and the color of a lid is not the name of its shape.
func readBox(r *ijson.Reader) (b box) {
	o := boxShape.Read(r, &b)
	if boxShape.Has(o, "note") && b.note == "" && b.tags != nil {
		r.FailMember(o.Start(), "note", "must not be null beside tags")
	}
	return b
}

func readLid(r *ijson.Reader) (l lid) {
	o := lidShape.Read(r, &l)
	if l.shape != "" && l.color == l.shape {
		r.FailMember(o.Start(), "color", "must not be a shape")
	}
	return l
}

// boxFaults reads a whole document as a box and returns its faults.
func boxFaults(text string) []string {
	r := ijson.NewReader(text, testCode)
	readBox(r)
	return describe(r.End())
}

// pathsOf drops offsets and reasons: "3 $.a: must be ..." becomes "$.a".
func pathsOf(faults []string) []string {
	paths := []string{}
	for _, f := range faults {
		_, f, _ = strings.Cut(f, " ")
		path, _, _ := strings.Cut(f, ":")
		paths = append(paths, path)
	}
	return paths
}

func expectFaults(t *testing.T, name string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// expectPaths is expectFaults without offsets and reasons.
func expectPaths(t *testing.T, name string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(pathsOf(got), want) {
		t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func describeAt(offset int, fault string) string { return strconv.Itoa(offset) + " " + fault }
