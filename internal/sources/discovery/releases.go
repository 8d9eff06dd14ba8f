package discovery

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"github.com/model-catalog-service/svc/internal/sources"
)

// reviewedPrefix are the releases that a person has seen the list begin with.
var reviewedPrefix = [...]string{"2024-06-24", "2024-07-26", "2024-08-31"}

// releases returns the list of releases that a program holds, as a list or as a
// chain of conditionals:
//
//	["2024-06-24","2024-07-26","2024-08-31","2024-11-25"]
//	"0"===t?"2024-06-24":"1"===t?"2024-07-26":"2"===t?"2024-08-31":"2024-11-25"
//
// All that begin with the reviewed prefix, in code that can be reached, must be
// right and agree. If the program sets a date by default, it must be the last one.
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
		return nil, syntaxError(err)
	}
	f := finder{}
	js.Walk(&f, tree)
	return f.agreed()
}

// finder walks through the code that can be reached.
type finder struct {
	lists    [][]string // that begin with the prefix
	faults   []error    // what is wrong with such
	defaults []string   // dates that a state has by default
}

func (f *finder) faultf(format string, args ...any) {
	f.faults = append(f.faults, fmt.Errorf(format, args...))
}

// agreed returns what all lists say.
func (f *finder) agreed() ([]string, error) {
	switch {
	case len(f.faults) > 0:
		return nil, f.faults[0]
	case len(f.lists) == 0:
		return nil, fmt.Errorf("holds no list of releases: no list of dates and no chain of conditionals that begins with %s",
			strings.Join(reviewedPrefix[:], ", "))
	}
	first := f.lists[0]
	last := first[len(first)-1]
	for _, other := range f.lists[1:] {
		if !slices.Equal(first, other) {
			return nil, fmt.Errorf("holds lists of releases that differ: one ends with %s and has %d, one ends with %s and "+
				"has %d",
				last, len(first), other[len(other)-1], len(other))
		}
	}
	for _, d := range f.defaults { // those before all releases and between them are of something else
		if isRelease := d > last || slices.Contains(first, d); isRelease && !slices.Contains(f.defaults, last) {
			return nil, fmt.Errorf("shows the release %s by default, but its list of releases ends with %s", d, last)
		}
	}
	return first, nil
}

// Enter cuts off what cannot be reached below a node.
func (f *finder) Enter(n js.INode) js.IVisitor {
	switch n := n.(type) {
	case *js.BlockStmt:
		n.List = reached(n.List)
	case *js.CaseClause:
		n.List = reached(n.List)
	case *js.IfStmt:
		if is, known := truth(n.Cond); known && is {
			n.Else = nil
		} else if known {
			n.Body = &js.EmptyStmt{}
		}
	case *js.WhileStmt:
		if is, known := truth(n.Cond); known && !is {
			n.Body = &js.EmptyStmt{}
		}
	case *js.ForStmt:
		if is, known := truth(n.Cond); known && !is {
			n.Post, n.Body = nil, &js.BlockStmt{}
		}
	case *js.BinaryExpr: // of a && b, b is not reached if a is false
		if is, known := truth(n.X); known && (n.Op == js.AndToken && !is || n.Op == js.OrToken && is) {
			n.Y = &js.LiteralExpr{}
		}
	case *js.CondExpr:
		if is, known := truth(n.Cond); known && is {
			n.Y = &js.LiteralExpr{}
		} else if known {
			n.X = &js.LiteralExpr{}
		}
	}
	return f
}

// Exit looks at a node, of which only what can be reached is left.
func (f *finder) Exit(n js.INode) {
	switch n := n.(type) {
	case *js.CondExpr:
		f.chain(n)
	case *js.ArrayExpr:
		f.list(n)
		if slices.ContainsFunc(n.List, func(item js.Element) bool { return item.Spread }) {
			f.checkAdded(n)
		}
	case *js.CallExpr:
		f.call(n)
	}
}

// reached returns the statements of a list that can be reached. Functions are
// declared wherever they are.
func reached(list []js.IStmt) []js.IStmt {
	end := slices.IndexFunc(list, leaves) + 1
	if end == 0 {
		return list
	}
	out := list[:end:end]
	for _, s := range list[end:] {
		if _, isFunc := s.(*js.FuncDecl); isFunc {
			out = append(out, s)
		}
	}
	return out
}

// leaves reports whether a statement never leads to the next one.
func leaves(s js.IStmt) bool {
	switch s := s.(type) {
	case *js.ReturnStmt, *js.ThrowStmt, *js.BranchStmt:
		return true
	case *js.BlockStmt:
		return len(s.List) > 0 && leaves(s.List[len(s.List)-1])
	case *js.IfStmt:
		return s.Else != nil && leaves(s.Body) && leaves(s.Else)
	}
	return false
}

// truth returns whether a condition holds, if its text alone tells: a literal, its
// negation, void, two strings compared.
func truth(e js.IExpr) (is, known bool) {
	switch e := unwrap(e).(type) {
	case *js.LiteralExpr:
		switch e.TokenType {
		case js.TrueToken, js.FalseToken, js.NullToken:
			return e.TokenType == js.TrueToken, true
		case js.StringToken:
			return len(e.Data) > len(`""`), true
		}
		n, err := strconv.ParseFloat(string(e.Data), 64)
		return n != 0, err == nil
	case *js.UnaryExpr:
		if e.Op == js.NotToken {
			is, known = truth(e.X)
			return !is, known
		}
		return false, e.Op == js.VoidToken
	case *js.BinaryExpr:
		x, isX := textOf(e.X)
		y, isY := textOf(e.Y)
		switch e.Op {
		case js.EqEqEqToken, js.EqEqToken:
			return x == y, isX && isY
		case js.NotEqEqToken, js.NotEqToken:
			return x != y, isX && isY
		}
	}
	return false, false
}

// chain takes a chain of conditionals whose outcomes are releases.
func (f *finder) chain(n *js.CondExpr) {
	var outcomes []js.IExpr
	asked := map[string]bool{}
	for ok := true; ok; {
		if outcomes = append(outcomes, n.X); !begins(outcomes) {
			return
		}
		question := n.Cond.String()
		if asked[question] { // what it leads to the second time cannot be reached
			f.faultf("holds a chain of releases that asks twice whether %s", question)
		}
		asked[question] = true
		if _, ok = unwrap(n.Y).(*js.CondExpr); ok {
			n = unwrap(n.Y).(*js.CondExpr)
		}
	}
	f.add("a chain", append(outcomes, n.Y))
}

// list takes a list of releases.
func (f *finder) list(n *js.ArrayExpr) {
	var items []js.IExpr
	for _, item := range n.List {
		if item.Spread {
			item.Value = nil // is computed
		}
		items = append(items, item.Value)
	}
	f.add("a list", items)
}

// begins reports whether values, as far as there are so many, are the reviewed
// prefix.
func begins(values []js.IExpr) bool {
	for i, v := range values[:min(len(values), len(reviewedPrefix))] {
		if text, _ := textOf(v); text != reviewedPrefix[i] {
			return false
		}
	}
	return true
}

// add takes the values of a list, if it begins with the reviewed prefix.
func (f *finder) add(what string, values []js.IExpr) {
	if len(values) < len(reviewedPrefix) || !begins(values) {
		return
	}
	var dates []string
	last := ""
	for i, v := range values {
		date, isText := textOf(v)
		switch {
		case !isText:
			f.faultf("holds %s of releases whose item %d is computed", what, i+1)
			return
		case !sources.IsDate(date):
			f.faultf("holds %s of releases whose item %d is not a date: %q", what, i+1, date)
			return
		case date <= last:
			f.faultf("holds %s of releases that does not rise: %s precedes %s", what, last, date)
			return
		}
		last = date
		dates = append(dates, date)
	}
	f.lists = append(f.lists, dates)
}

// call looks at calls that set a state by default, and at those that make a list
// longer.
func (f *finder) call(n *js.CallExpr) {
	switch calledName(n.X) {
	case "useState":
		if len(n.Args.List) == 1 {
			if d, _ := textOf(n.Args.List[0].Value); sources.IsDate(d) {
				f.defaults = append(f.defaults, d)
			}
		}
	case "push", "unshift", "splice", "concat":
		for _, arg := range n.Args.List {
			f.checkAdded(arg.Value)
		}
	}
}

// checkAdded refuses a date that the program adds to some list as it runs: it may
// be one of releases.
func (f *finder) checkAdded(e js.IExpr) {
	if d, _ := textOf(e); sources.IsDate(d) {
		f.faultf("holds a list that grows as the program runs, by %s", d)
	}
	if n, ok := unwrap(e).(*js.ArrayExpr); ok {
		for _, item := range n.List {
			f.checkAdded(item.Value)
		}
	}
}

// calledName returns the name of what is called: b in b(), a.b() and (0, a.b)().
func calledName(e js.IExpr) string {
	switch e := unwrap(e).(type) {
	case *js.CommaExpr:
		return calledName(e.List[len(e.List)-1])
	case *js.Var:
		return string(e.Name())
	case *js.DotExpr:
		return e.Y.String()
	}
	return ""
}

// textOf returns the text that an expression is. One with escapes is none that a
// build writes for a date.
func textOf(e js.IExpr) (text string, ok bool) {
	var quoted []byte
	switch e := unwrap(e).(type) {
	case *js.LiteralExpr:
		if e.TokenType == js.StringToken {
			quoted = e.Data
		}
	case *js.TemplateExpr:
		if e.Tag == nil && len(e.List) == 0 {
			quoted = e.Tail
		}
	}
	if len(quoted) < len(`""`) || slices.Contains(quoted, '\\') {
		return "", false
	}
	return string(quoted[1 : len(quoted)-1]), true
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
