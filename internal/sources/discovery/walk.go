package discovery

import (
	"math"
	"slices"

	"github.com/tdewolff/parse/v2/js"
)

// Enter looks at a node. What lies below it is looked at next, but for what it
// has gone through itself.
func (f *finder) Enter(n js.INode) js.IVisitor {
	switch n := n.(type) {
	case *js.BlockStmt:
		f.statements(n.List)
		return nil
	case *js.CaseClause:
		js.Walk(f, n.Cond)
		f.statements(n.List)
		return nil
	case *js.IfStmt:
		f.branches(n.Cond, n.Body, n.Else)
		return nil
	case *js.WhileStmt:
		f.branches(n.Cond, n.Body, nil)
		return nil
	case *js.ForStmt:
		if isFalse(n.Cond) {
			js.Walk(f, n.Init)
			return nil
		}
	case *js.BinaryExpr:
		return f.binary(n)
	case *js.CondExpr:
		return f.conditional(n)
	case *js.ArrayExpr:
		return f.array(n)
	case *js.BindingElement:
		f.hold(n.Binding, n.Default)
	case *js.CallExpr:
		f.call(n)
	}
	return f
}

// Exit is called behind a node.
func (f *finder) Exit(js.INode) {}

// statements goes through those that can be reached. Functions are declared
// wherever they stand.
func (f *finder) statements(list []js.IStmt) {
	isReached := true
	for _, s := range list {
		if _, isFunc := s.(*js.FuncDecl); isReached || isFunc {
			js.Walk(f, s)
		}
		isReached = isReached && !leaves(s)
	}
}

// branches goes through a condition and what it may lead to.
func (f *finder) branches(cond js.IExpr, then, otherwise js.INode) {
	js.Walk(f, cond)
	if is, known := truth(cond); !known || is {
		js.Walk(f, then)
	}
	if is, known := truth(cond); !known || !is {
		js.Walk(f, otherwise)
	}
}

// leaves reports whether a statement never leads to the next one, as far as its
// ends show.
func leaves(s js.IStmt) bool {
	switch s := s.(type) {
	case *js.ReturnStmt, *js.ThrowStmt, *js.BranchStmt:
		return true
	case *js.BlockStmt:
		return len(s.List) > 0 && leaves(s.List[len(s.List)-1])
	case *js.IfStmt:
		if is, known := truth(s.Cond); known {
			return is && leaves(s.Body) || !is && s.Else != nil && leaves(s.Else)
		}
		return s.Else != nil && leaves(s.Body) && leaves(s.Else)
	}
	return false
}

// binary leaves out the right side of && and || where the left one decides.
func (f *finder) binary(n *js.BinaryExpr) js.IVisitor {
	switch n.Op {
	case js.AndToken, js.OrToken:
		if is, known := truth(n.X); known && is == (n.Op == js.OrToken) {
			js.Walk(f, n.X)
			return nil
		}
	case js.EqToken:
		f.hold(n.X, n.Y)
	}
	return f
}

// conditional takes a chain of conditionals whose outcomes are releases. Any
// other is gone through like other code; what it leads to may be such a chain.
func (f *finder) conditional(n *js.CondExpr) js.IVisitor {
	c := chain{most: len(f.prefix)}
	if c.follow(n); !f.begins(c.outcomes) {
		f.branches(n.Cond, n.X, n.Y)
		return nil
	}
	c = chain{most: math.MaxInt}
	c.follow(n)
	f.add("a chain", c.outcomes)
	if c.repeated != "" {
		f.faultf("holds a chain of releases that asks twice whether %s", c.repeated)
	}
	return nil
}

// chain is what a chain of conditionals leads to, in the order of the source:
// a ? outcome : b ? outcome : outcome.
type chain struct {
	most     int // outcomes that are wanted
	outcomes []value
	asked    map[string]bool // what variables are compared with
	repeated string          // such a comparison that stands twice
}

func (c *chain) follow(e js.IExpr) {
	for len(c.outcomes) < c.most {
		n, ok := unwrap(e).(*js.CondExpr)
		if !ok {
			c.outcomes = append(c.outcomes, valueOf(e))
			return
		}
		is, known := truth(n.Cond)
		if !known || is {
			c.ask(n.Cond)
			c.outcomes = append(c.outcomes, valueOf(n.X))
		}
		if known && is {
			return
		}
		e = n.Y
	}
}

// ask notes what a variable is compared with. An outcome whose condition stood
// before cannot be reached.
func (c *chain) ask(cond js.IExpr) {
	n, ok := unwrap(cond).(*js.BinaryExpr)
	if !ok || n.Op != js.EqEqEqToken && n.Op != js.EqEqToken {
		return
	}
	x, y := unwrap(n.X), unwrap(n.Y)
	if _, isVar := x.(*js.Var); isVar {
		x, y = y, x
	}
	literal, isLiteral := x.(*js.LiteralExpr)
	v, isVar := y.(*js.Var)
	if !isLiteral || !isVar {
		return
	}
	question := string(literal.Data) + " === " + string(v.Name())
	if c.asked[question] {
		c.repeated = question
	}
	if c.asked == nil {
		c.asked = map[string]bool{}
	}
	c.asked[question] = true
}

// array takes a list of releases. Any other is gone through like other code.
func (f *finder) array(n *js.ArrayExpr) js.IVisitor {
	hasDate := false
	for i := range n.List {
		hasDate = hasDate || isDate(valueOf(n.List[i].Value).text)
	}
	for i := range n.List {
		if of, ok := unwrap(n.List[i].Value).(*js.Var); ok && n.List[i].Spread && hasDate {
			f.grown[rootOf(of)] = "a list that spreads it"
		}
	}
	if !f.isCandidate(n) {
		return f
	}
	var values []value
	for i := range n.List {
		v := value{}
		if !n.List[i].Spread {
			v = valueOf(n.List[i].Value)
		}
		values = append(values, v)
	}
	f.add("a list", values)
	return nil
}

// isCandidate reports whether the first items of a list are the prefix.
func (f *finder) isCandidate(n *js.ArrayExpr) bool {
	if len(n.List) < len(f.prefix) {
		return false
	}
	var first []value
	for _, item := range n.List[:len(f.prefix)] {
		if item.Spread {
			return false
		}
		first = append(first, valueOf(item.Value))
	}
	return f.begins(first)
}

// hold notes that a variable holds a list of releases from the start.
func (f *finder) hold(binding js.INode, e js.IExpr) {
	v, isVar := binding.(*js.Var)
	if list, ok := unwrap(e).(*js.ArrayExpr); ok && isVar && f.isCandidate(list) {
		f.held[rootOf(v)] = true
	}
}

func rootOf(v *js.Var) *js.Var {
	for v.Link != nil {
		v = v.Link
	}
	return v
}

// call looks at calls that set a state by default or make a list longer.
func (f *finder) call(n *js.CallExpr) {
	name, of := callee(n.X)
	switch name {
	case "useState":
		if len(n.Args.List) == 1 && !n.Args.List[0].Rest {
			if v := valueOf(n.Args.List[0].Value); v.isText && isDate(v.text) {
				f.defaults = append(f.defaults, v.text)
			}
		}
	case "push", "unshift", "splice", "concat":
		switch of := unwrap(of).(type) {
		case *js.Var:
			f.grown[rootOf(of)] = name
		case *js.ArrayExpr:
			if f.isCandidate(of) {
				f.faultf("holds a list of releases that the program makes longer, by %s", name)
			}
		}
	}
}

// callee returns the name of what is called, and what it is a member of, if it
// is of something. (0, a.b)(...) calls b.
func callee(e js.IExpr) (name string, of js.IExpr) {
	e = unwrap(e)
	if list, ok := e.(*js.CommaExpr); ok && len(list.List) > 0 {
		e = unwrap(list.List[len(list.List)-1])
	}
	switch e := e.(type) {
	case *js.Var:
		return string(e.Name()), nil
	case *js.DotExpr:
		switch y := e.Y.(type) {
		case js.LiteralExpr:
			return string(y.Data), e.X
		case *js.LiteralExpr:
			return string(y.Data), e.X
		}
	}
	return "", nil
}

// isFalse reports whether a condition is never met. None is always met.
func isFalse(cond js.IExpr) bool {
	is, known := truth(cond)
	return known && !is
}

// maxInner bounds how many operators of a condition are looked through, so that
// conditions in conditions cost no more than others. Builds have few.
const maxInner = 10

// truth returns whether an expression holds, if that is plain from the text.
func truth(e js.IExpr) (is, known bool) { return truthWithin(e, maxInner) }

func truthWithin(e js.IExpr, levels int) (is, known bool) {
	if levels == 0 {
		return false, false
	}
	switch e := unwrap(e).(type) {
	case *js.LiteralExpr:
		return literalTruth(e)
	case *js.Var:
		isUndefined := e.Decl == js.NoDecl && string(e.Name()) == "undefined"
		return false, isUndefined
	case *js.UnaryExpr:
		switch e.Op {
		case js.NotToken:
			is, known = truthWithin(e.X, levels-1)
			return !is, known
		case js.VoidToken:
			return false, true
		}
	case *js.BinaryExpr:
		return binaryTruth(e, levels-1)
	case *js.CommaExpr:
		return truthWithin(e.List[len(e.List)-1], levels-1)
	}
	return false, false
}

func literalTruth(e *js.LiteralExpr) (is, known bool) {
	switch {
	case e.TokenType == js.TrueToken:
		return true, true
	case e.TokenType == js.FalseToken, e.TokenType == js.NullToken:
		return false, true
	case e.TokenType == js.StringToken:
		return len(e.Data) > len(`""`), true
	case js.IsNumeric(e.TokenType):
		isZero := !slices.ContainsFunc(e.Data, func(c byte) bool { return c >= '1' && c <= '9' })
		if e.TokenType == js.IntegerToken || e.TokenType == js.DecimalToken {
			return !isZero, true
		}
	}
	return false, false
}

func binaryTruth(e *js.BinaryExpr, levels int) (is, known bool) {
	switch e.Op {
	case js.AndToken, js.OrToken:
		decides := e.Op == js.OrToken
		x, isKnown := truthWithin(e.X, levels)
		if isKnown && x != decides {
			return truthWithin(e.Y, levels)
		}
		if y, ok := truthWithin(e.Y, levels); !isKnown && ok && y == decides {
			return y, true // whatever the left side is
		}
		return x, isKnown
	case js.EqEqEqToken, js.NotEqEqToken, js.EqEqToken, js.NotEqToken:
		x, isX := unwrap(e.X).(*js.LiteralExpr)
		y, isY := unwrap(e.Y).(*js.LiteralExpr)
		if isX && isY && x.TokenType == y.TokenType && x.TokenType == js.StringToken {
			isSame := string(x.Data[1:len(x.Data)-1]) == string(y.Data[1:len(y.Data)-1])
			isEqual := e.Op == js.EqEqEqToken || e.Op == js.EqEqToken
			return isSame == isEqual, true
		}
	}
	return false, false
}
