package discovery

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"github.com/model-catalog-service/svc/internal/sources"
)

// reviewedPrefix are the releases that a person has seen the list begin with.
func reviewedPrefix() []string { return []string{"2024-06-24", "2024-07-26", "2024-08-31"} }

// releases returns the list of releases that a program holds. All lists in code
// that can be reached and that begin with the reviewed prefix must be right and
// agree; if the program sets a date by default, it must be the last one.
func releases(code string) (dates []string, err error) {
	text, err := plain(code)
	if err != nil {
		return nil, err
	}
	defer func() { // the parser is not ours and the code may be hostile
		if fault := recover(); fault != nil {
			dates, err = nil, errors.New("is not JavaScript that can be read")
		}
	}()
	tree, err := js.Parse(parse.NewInputBytes(text), js.Options{})
	if err != nil {
		if e, ok := errors.AsType[*parse.Error](err); ok {
			return nil, fmt.Errorf("is not JavaScript: %s", e.Message)
		}
		return nil, fmt.Errorf("is not JavaScript: %w", err)
	}
	f := finder{prefix: reviewedPrefix(), held: map[*js.Var]bool{}, grown: map[*js.Var]string{}}
	js.Walk(&f, tree)
	return f.agreed()
}

// finder walks through the code that can be reached.
type finder struct {
	prefix   []string
	lists    [][]string         // that begin with the prefix
	faults   []error            // what is wrong with such
	defaults []string           // dates that a state has by default
	held     map[*js.Var]bool   // variables that hold such a list from the start
	grown    map[*js.Var]string // variables to whose list something is added, and how
}

// agreed returns what all lists say.
func (f *finder) agreed() ([]string, error) {
	for v := range f.held {
		if how := f.grown[v]; how != "" {
			return nil, fmt.Errorf("holds a list of releases that the program makes longer, by %s", how)
		}
	}
	switch {
	case len(f.faults) > 0:
		return nil, f.faults[0]
	case len(f.lists) == 0:
		return nil, fmt.Errorf("holds no list of releases: no list of dates and no chain of conditionals that begins with %s", strings.Join(f.prefix, ", "))
	}
	first := f.lists[0]
	for _, other := range f.lists[1:] {
		if !slices.Equal(first, other) {
			return nil, fmt.Errorf("holds lists of releases that differ: one ends with %s and has %d, one ends with %s and has %d",
				first[len(first)-1], len(first), other[len(other)-1], len(other))
		}
	}
	if err := f.checkDefault(first); err != nil {
		return nil, err
	}
	return first, nil
}

// checkDefault holds the list against the dates that states have by default.
// Those before all releases and between them are of something else.
func (f *finder) checkDefault(dates []string) error {
	last := dates[len(dates)-1]
	if slices.Contains(f.defaults, last) {
		return nil
	}
	for _, d := range f.defaults {
		if d > last || slices.Contains(dates, d) {
			return fmt.Errorf("shows the release %s by default, but its list of releases ends with %s", d, last)
		}
	}
	return nil
}

// begins reports whether values begin with the reviewed prefix.
func (f *finder) begins(values []value) bool {
	if len(values) < len(f.prefix) {
		return false
	}
	for i, date := range f.prefix {
		if values[i] != text(date) {
			return false
		}
	}
	return true
}

// add takes the values of a list that begins with the reviewed prefix.
func (f *finder) add(what string, values []value) {
	dates := make([]string, 0, len(values))
	for i, v := range values {
		switch {
		case !v.isText:
			f.faultf("holds %s of releases whose item %d is computed", what, i+1)
		case !isDate(v.text):
			f.faultf("holds %s of releases whose item %d is no date: %q", what, i+1, v.text)
		case i > 0 && v.text <= values[i-1].text:
			f.faultf("holds %s of releases that does not rise: %s stands before %s", what, values[i-1].text, v.text)
		default:
			dates = append(dates, v.text)
			continue
		}
		return
	}
	f.lists = append(f.lists, dates)
}

func isDate(s string) bool { return sources.IsRevision(sources.GrammarDate, s) }

func (f *finder) faultf(format string, args ...any) {
	f.faults = append(f.faults, fmt.Errorf(format, args...))
}

// value is that of an expression, if it is a plain text.
type value struct {
	text   string
	isText bool
}

func text(s string) value { return value{s, true} }

// valueOf returns the text that an expression is, written without escapes.
func valueOf(e js.IExpr) value {
	switch e := unwrap(e).(type) {
	case *js.LiteralExpr:
		if e.TokenType == js.StringToken {
			return plainText(e.Data)
		}
	case *js.TemplateExpr:
		if e.Tag == nil && len(e.List) == 0 {
			return plainText(e.Tail)
		}
	}
	return value{}
}

// plainText takes the quotes off a literal. One with escapes is none that a
// build writes for a date.
func plainText(quoted []byte) value {
	const quotes = 2
	if len(quoted) < quotes || slices.Contains(quoted, '\\') {
		return value{}
	}
	return text(string(quoted[1 : len(quoted)-1]))
}

// unwrap takes parentheses off.
func unwrap(e js.IExpr) js.IExpr {
	for {
		group, ok := e.(*js.GroupExpr)
		if !ok {
			return e
		}
		e = group.X
	}
}
