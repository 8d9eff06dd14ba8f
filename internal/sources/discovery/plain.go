package discovery

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// The bounds of a program. Real bundles stay far below; what does not is refused
// before it is parsed. The parser keeps the names that a scope uses, and hands
// those that it does not declare to the scope around it: time and memory grow
// with the names in nested scopes, and the stack with nested patterns.
const (
	maxTokens = 1 << 20
	maxOpen   = 400     // brackets open at once
	maxHanded = 1 << 20 // names handed from scope to scope
	maxLooked = 2 << 20 // scopes looked through for names that may be declared again
)

var (
	errTokens = fmt.Errorf("has more than %d tokens", maxTokens)
	errOpen   = fmt.Errorf("has more than %d brackets open at once", maxOpen)
	errNames  = errors.New("has too many names in nested scopes")
)

// plain rewrites a program so that the parser reads it in bounded time. What it
// means is the same but for three things, none of which is looked at:
//
//   - a regular expression becomes an empty string and a division a
//     multiplication, so that no slash is left whose meaning hangs on what
//     stands before it: the parser sees the tokens that were counted here;
//   - x => becomes (x) =>, for which the parser does not go through all names;
//   - comments are gone.
func plain(code string) ([]byte, error) {
	p := plainer{open: []bracket{{}}, scopes: []names{{}}, out: make([]byte, 0, len(code)+len(code)/8)}
	lexer := js.NewLexer(parse.NewInputString(code))
	for {
		tt, data := lexer.Next()
		if (tt == js.DivToken || tt == js.DivEqToken) && p.regexpMayFollow() {
			if tt, data = lexer.RegExp(); tt == js.ErrorToken {
				return nil, errors.New("has a regular expression without an end")
			}
		}
		if tt == js.ErrorToken {
			return p.end(lexer.Err())
		}
		if err := p.add(tt, data); err != nil {
			return nil, err
		}
	}
}

// plainer writes tokens down again.
type plainer struct {
	out    []byte
	tokens int
	open   []bracket // the first is the whole program
	scopes []names   // that are open
	spare  []names   // that were
	handed int
	looked int

	last    js.TokenType // but white space and comments
	lastAt  int          // where it begins in out
	control bool         // last is the ) of if, while, for or with
	member  bool         // last stands behind a dot, so that it is a name
}

// bracket is one that is open.
type bracket struct {
	control bool // that of if, while, for or with
	scope   bool // what is in it may be a scope
	loops   int  // scopes in it that have no brackets of their own: for (;;) a
	arrows  int  // such that are in those: a => b
}

// names are those that a scope uses. All are taken for such that it does not
// declare, and all objects for blocks: there are fewer than are counted.
type names map[string]struct{}

func (p *plainer) end(err error) ([]byte, error) {
	if e, ok := errors.AsType[*parse.Error](err); ok {
		return nil, fmt.Errorf("is not JavaScript: %s", e.Message)
	}
	return p.out, nil
}

// add writes a token.
func (p *plainer) add(tt js.TokenType, data []byte) error {
	switch tt {
	case js.WhitespaceToken, js.CommentToken:
		p.out = append(p.out, ' ')
		return nil
	case js.LineTerminatorToken, js.CommentLineTerminatorToken:
		p.out = append(p.out, '\n')
		return nil
	}
	switch in := &p.open[len(p.open)-1]; {
	case p.last == js.ArrowToken && tt != js.OpenBraceToken:
		in.arrows++
		p.enterScope()
	case p.last == js.ForToken && !p.member:
		in.loops++
		p.enterScope()
	}
	isControl := false
	switch tt {
	case js.OpenParenToken, js.OpenBracketToken, js.OpenBraceToken, js.TemplateStartToken:
		p.enter(tt)
	case js.CloseParenToken, js.CloseBracketToken, js.CloseBraceToken, js.TemplateEndToken:
		isControl = p.leave() && tt == js.CloseParenToken
		if tt == js.CloseBraceToken {
			p.leaveLoops()
		}
	case js.CommaToken:
		p.leaveArrows()
	case js.SemicolonToken:
		p.leaveLoops()
	case js.ArrowToken:
		if js.IsIdentifier(p.last) && !p.member {
			name := bytes.Clone(p.out[p.lastAt:])
			p.out = append(append(append(p.out[:p.lastAt], '('), name...), ')')
		}
	case js.RegExpToken:
		tt, data = js.StringToken, []byte(`""`)
	case js.DivToken:
		tt, data = js.MulToken, []byte("*")
	case js.DivEqToken:
		tt, data = js.MulEqToken, []byte("*=")
	}
	isMember := p.last == js.DotToken || p.last == js.OptChainToken
	if js.IsIdentifierName(tt) && !isMember {
		p.use(data)
	}
	p.tokens++
	p.last, p.lastAt, p.control, p.member = tt, len(p.out), isControl, isMember
	p.out = append(p.out, data...)
	switch {
	case p.tokens > maxTokens:
		return errTokens
	case len(p.open)-1 > maxOpen:
		return errOpen
	case p.handed > maxHanded || p.looked > maxLooked:
		return errNames
	}
	return nil
}

// enter opens a bracket. Behind a value, parentheses are those of a call, which
// are no scope; all others may be those of the parameters of a function.
func (p *plainer) enter(tt js.TokenType) {
	isCall := p.behindValue() && (p.last != js.AsyncToken || p.member)
	b := bracket{
		control: tt == js.OpenParenToken && !p.member && opensControl(p.last),
		scope:   tt == js.OpenBraceToken || tt == js.OpenParenToken && !isCall,
	}
	p.open = append(p.open, b)
	if b.scope {
		p.enterScope()
	}
}

// leave closes a bracket, if one is open; else the parser will tell.
func (p *plainer) leave() (isControl bool) {
	n := len(p.open)
	if n == 1 {
		return false
	}
	p.leaveLoops()
	b := p.open[n-1]
	p.open = p.open[:n-1]
	if b.scope {
		p.leaveScope()
	}
	return b.control
}

// leaveArrows closes the functions that end with a comma.
func (p *plainer) leaveArrows() {
	for b := &p.open[len(p.open)-1]; b.arrows > 0; b.arrows-- {
		p.leaveScope()
	}
}

// leaveLoops closes the scopes that end with the statement.
func (p *plainer) leaveLoops() {
	p.leaveArrows()
	for b := &p.open[len(p.open)-1]; b.loops > 0; b.loops-- {
		p.leaveScope()
	}
}

func (p *plainer) enterScope() {
	if n := len(p.spare); n > 0 {
		p.scopes, p.spare = append(p.scopes, p.spare[n-1]), p.spare[:n-1]
	} else {
		p.scopes = append(p.scopes, names{})
	}
}

// leaveScope hands the names of a scope to the one around it.
func (p *plainer) leaveScope() {
	last := len(p.scopes) - 1
	inner, outer := p.scopes[last], p.scopes[last-1]
	if p.handed += len(inner); p.handed <= maxHanded {
		for name := range inner {
			outer[name] = struct{}{}
		}
	}
	clear(inner)
	p.scopes, p.spare = p.scopes[:last], append(p.spare, inner)
}

// use notes a name. Behind var and a comma it may be declared for the function
// around all blocks.
func (p *plainer) use(name []byte) {
	p.scopes[len(p.scopes)-1][string(name)] = struct{}{}
	if p.last == js.VarToken || p.last == js.CommaToken {
		p.looked += len(p.scopes)
	}
}

func opensControl(tt js.TokenType) bool {
	switch tt {
	case js.IfToken, js.WhileToken, js.ForToken, js.WithToken:
		return true
	}
	return false
}

// regexpMayFollow reports whether a slash begins a regular expression. Behind a
// value it divides. Behind a closing brace it could do either; nobody divides a
// block, a function or an object.
func (p *plainer) regexpMayFollow() bool {
	if p.last == js.CloseParenToken {
		return p.control
	}
	return !p.behindValue()
}

// behindValue reports whether the last token ends a value.
func (p *plainer) behindValue() bool {
	if p.member || js.IsIdentifier(p.last) || js.IsNumeric(p.last) {
		return true
	}
	switch p.last {
	case js.StringToken, js.TemplateToken, js.TemplateEndToken, js.CloseBracketToken, js.CloseParenToken, js.PrivateIdentifierToken,
		js.IncrToken, js.DecrToken, js.ThisToken, js.SuperToken, js.NullToken, js.TrueToken, js.FalseToken:
		return true
	}
	return false
}
