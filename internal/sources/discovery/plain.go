package discovery

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// The bounds of a program. Real bundles stay far below; what does not is refused
// before it is parsed, because the parser's time grows with the names that are
// used in nested functions, and its stack with nested patterns.
const (
	maxTokens      = 1 << 20
	maxOpen        = 400     // brackets open at once
	maxNamesByOpen = 8 << 20 // different names times most brackets open at once
)

var (
	errTokens = fmt.Errorf("has more than %d tokens", maxTokens)
	errOpen   = fmt.Errorf("has more than %d brackets open at once", maxOpen)
	errNames  = errors.New("has too many names in nested functions")
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
	p := plainer{names: map[string]struct{}{}, out: make([]byte, 0, len(code)+len(code)/8)}
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
	names  map[string]struct{}
	tokens int
	open   []bool // for each open bracket: it is that of if, while, for or with
	most   int    // brackets that were open at once

	last    js.TokenType // but white space and comments
	lastAt  int          // where it begins in out
	control bool         // last is the ) of if, while, for or with
	member  bool         // last stands behind a dot, so that it is a name
}

func (p *plainer) end(err error) ([]byte, error) {
	if e, ok := errors.AsType[*parse.Error](err); ok {
		return nil, fmt.Errorf("is not JavaScript: %s", e.Message)
	}
	if p.most*len(p.names) > maxNamesByOpen {
		return nil, errNames
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
	if p.tokens++; p.tokens > maxTokens {
		return errTokens
	}
	isControl := false
	switch tt {
	case js.OpenParenToken, js.OpenBracketToken, js.OpenBraceToken, js.TemplateStartToken:
		p.open = append(p.open, tt == js.OpenParenToken && !p.member && opensControl(p.last))
		if p.most = max(p.most, len(p.open)); p.most > maxOpen {
			return errOpen
		}
	case js.CloseParenToken, js.CloseBracketToken, js.CloseBraceToken, js.TemplateEndToken:
		if n := len(p.open); n > 0 { // else the parser will tell
			isControl = p.open[n-1] && tt == js.CloseParenToken
			p.open = p.open[:n-1]
		}
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
	if js.IsIdentifier(tt) && !isMember {
		p.names[string(data)] = struct{}{}
	}
	p.last, p.lastAt, p.control, p.member = tt, len(p.out), isControl, isMember
	p.out = append(p.out, data...)
	return nil
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
	switch tt := p.last; {
	case p.member:
		return false
	case tt == js.CloseParenToken:
		return p.control
	case js.IsIdentifier(tt), js.IsNumeric(tt):
		return false
	default:
		switch tt {
		case js.StringToken, js.TemplateToken, js.TemplateEndToken, js.CloseBracketToken, js.PrivateIdentifierToken,
			js.IncrToken, js.DecrToken, js.ThisToken, js.SuperToken, js.NullToken, js.TrueToken, js.FalseToken:
			return false
		}
		return true
	}
}
