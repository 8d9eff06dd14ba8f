package problem_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
)

func TestErrorMessageBeginsWithPath(t *testing.T) {
	e := problem.New(problem.InvalidObservation, "$.model.id", "must be at most %d bytes", 256)
	if got, want := e.Error(), "$.model.id: must be at most 256 bytes"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
	if e.Code != "INVALID_OBSERVATION" || e.Path != "$.model.id" || e.Offset != problem.NoOffset || e.Place != (problem.Place{}) {
		t.Errorf("New made %+v", e)
	}
}

func TestErrorUnwrapsItsCause(t *testing.T) {
	e := problem.New(problem.InvalidCatalog, "$", "cannot be read")
	if errors.Unwrap(e) != nil {
		t.Error("an Error without a cause has one")
	}
	e.Err = io.ErrUnexpectedEOF
	if !errors.Is(fmt.Errorf("reading: %w", e), io.ErrUnexpectedEOF) {
		t.Error("the cause is not found")
	}
}

func TestErrorIsFoundWithErrorsAs(t *testing.T) {
	first := problem.New(problem.InvalidObservation, "$.kind", "first")
	second := problem.New(problem.UnsupportedSchema, "$.schemaVersion", "second")
	for name, err := range map[string]error{
		"itself":            first,
		"wrapped":           fmt.Errorf("compiling: %w", first),
		"in a list":         problem.List{first, second},
		"in a wrapped list": fmt.Errorf("compiling: %w", problem.List{first, second}.Err()),
	} {
		var got *problem.Error
		if !errors.As(err, &got) || got != first {
			t.Errorf("%s: found %v, want the first fault", name, got)
		}
	}
}

func TestListAsError(t *testing.T) {
	a := problem.New(problem.InvalidObservation, "$.a", "one")
	b := problem.New(problem.InvalidObservation, "$.b", "two")
	c := problem.New(problem.InvalidObservation, "$.c", "three")
	tests := []struct {
		list    problem.List
		message string
	}{
		{problem.List{a}, "$.a: one"},
		{problem.List{a, b}, "$.a: one (and 1 more)"},
		{problem.List{a, b, c}, "$.a: one (and 2 more)"},
	}
	for _, tt := range tests {
		err := tt.list.Err()
		if err == nil || err.Error() != tt.message {
			t.Errorf("a list of %d: %v, want %s", len(tt.list), err, tt.message)
		}
		if tt.list.Error() != tt.message {
			t.Errorf("a list of %d as it is: %s, want %s", len(tt.list), tt.list.Error(), tt.message)
		}
	}
	if err := (problem.List)(nil).Err(); err != nil {
		t.Errorf("a list without faults is the error %v", err)
	}
	if err := (problem.List{}).Err(); err != nil {
		t.Errorf("an empty list is the error %v", err)
	}
	if err := (problem.List{a}).Err(); err != error(a) {
		t.Errorf("a list of one is %T, want the fault itself", err)
	}
}

// Faults beyond the bound are counted, and those that were counted before with
// them.
func TestCollector(t *testing.T) {
	fault := func(path string) *problem.Error { return problem.New(problem.InvalidCatalog, path, "wrong") }
	c := problem.Collector{Most: 2}
	c.Add(fault("$.a"))
	if got := c.List("f"); len(got) != 1 || got[0].Path != "$.a" {
		t.Errorf("one fault: %v", got)
	}
	c.Add(fault("$.b"), fault("$.c"), problem.More(problem.InvalidCatalog, 7))
	c.Add(fault("$.d"))
	got := c.List("f")
	if len(got) != 3 || got[0].Path != "$.a" || got[1].Path != "$.b" {
		t.Fatalf("five faults and seven: %v", got)
	}
	last := got[2]
	if last.Error() != "$: 9 more problems" || last.Rest != 9 || last.Code != problem.InvalidCatalog ||
		last.Offset != problem.NoOffset || last.Place != (problem.Place{File: "f"}) {
		t.Errorf("the last entry is %+v", last)
	}
	if c.Len() != 11 || got.Error() != "$.a: wrong (and 10 more)" {
		t.Errorf("%d faults: %s", c.Len(), got.Error())
	}
	var unbounded problem.Collector
	for range problem.DefaultMost + 1 {
		unbounded.Add(fault("$"))
	}
	if n := len(unbounded.List("")); n != problem.DefaultMost+1 {
		t.Errorf("%d entries, want %d and one", n, problem.DefaultMost)
	}
}

// A collector is full when so many faults were added that reading should stop,
// and says then that there may be more. Without a name for the file, the entry has
// that of the first fault that was not kept.
func TestFullCollector(t *testing.T) {
	var c problem.Collector
	for range problem.DefaultMost {
		c.Add(problem.New(problem.InvalidCatalog, "$", "wrong"))
	}
	beyond := problem.New(problem.InvalidObservation, "$", "wrong")
	beyond.Place.File = "b"
	c.Add(beyond, problem.More(problem.InvalidCatalog, problem.MostCounted-problem.DefaultMost-2))
	if last := c.List("")[problem.DefaultMost]; c.Full() || last.Reason != "98999 more problems" || last.Place.File != "b" || last.Code != problem.InvalidObservation {
		t.Errorf("one before it is full: %+v", last)
	}
	c.Add(beyond)
	if last := c.List("f")[problem.DefaultMost]; !c.Full() || last.Error() != "$: at least 99000 more problems: the rest was not read" || last.Place.File != "f" || last.Rest != 99000 {
		t.Errorf("full: %+v", last)
	}
}

func TestUnder(t *testing.T) {
	list := problem.List{problem.New(problem.InvalidCatalog, "$", "x"), problem.New(problem.InvalidCatalog, "$.a[0]", "x")}.Under("$.b[1]")
	if list[0].Path != "$.b[1]" || list[1].Path != "$.b[1].a[0]" {
		t.Errorf("%v", list)
	}
}

func TestAll(t *testing.T) {
	a := problem.New(problem.InvalidObservation, "$.a", "one")
	b := problem.New(problem.InvalidObservation, "$.b", "two")
	tests := []struct {
		name string
		err  error
		want problem.List
	}{
		{"nil", nil, nil},
		{"another error", io.EOF, nil},
		{"one", a, problem.List{a}},
		{"one, wrapped", fmt.Errorf("x: %w", a), problem.List{a}},
		{"two", problem.List{a, b}, problem.List{a, b}},
		{"two, wrapped", fmt.Errorf("x: %w", problem.List{a, b}), problem.List{a, b}},
	}
	for _, tt := range tests {
		got := problem.All(tt.err)
		if fmt.Sprint(len(got), got) != fmt.Sprint(len(tt.want), tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// The codes are part of the public interface: their spelling may not change.
func TestCodes(t *testing.T) {
	for code, want := range map[problem.Code]string{
		problem.InvalidObservation:       "INVALID_OBSERVATION",
		problem.UnsupportedSchema:        "UNSUPPORTED_SCHEMA",
		problem.DuplicateObservation:     "DUPLICATE_OBSERVATION",
		problem.InvalidCompileOptions:    "INVALID_COMPILE_OPTIONS",
		problem.InvalidCatalog:           "INVALID_CATALOG",
		problem.UnsupportedCatalogSchema: "UNSUPPORTED_CATALOG_SCHEMA",
		problem.InvalidRankRequest:       "INVALID_RANK_REQUEST",
		problem.InvalidTrustBundle:       "INVALID_TRUST_BUNDLE",
		problem.InvalidVerifyRequest:     "INVALID_VERIFY_REQUEST",
	} {
		if string(code) != want {
			t.Errorf("code %s, want %s", code, want)
		}
	}
}
