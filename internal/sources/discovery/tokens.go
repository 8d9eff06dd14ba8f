package discovery

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// The bounds of a program. The parser hands the names that a scope uses to the
// scopes around it, and goes into patterns however deep they are: its time and
// memory grow with the names in nested scopes, and its stack with open brackets. A
// build of 1.4 MB has half a million tokens, 23 brackets open at once, and names
// for 2.8 million; at the bounds the parser takes a second.
const (
	maxTokens = 2 << 20
	maxOpen   = 400     // brackets open at once
	maxNames  = 6 << 20 // names, each counted once for every scope around it
)

// plain rewrites a program so that the parser reads it in bounded time. What it
// means is the same but for three things, none of which is looked at:
//
//   - a regular expression becomes an empty string and a division a
//     multiplication, so that no slash is left whose meaning depends on what
//     precedes it: the parser sees the tokens that were counted here;
//   - x => becomes (x) =>, for which the parser does not go through all names;
//   - comments are gone.
func plain(code string) ([]byte, error) {
	w := rewriter{open: []bracket{{}}}
	lexer := js.NewLexer(parse.NewInputString(code))
	for range maxTokens {
		tt, data := lexer.Next()
		if (tt == js.DivToken || tt == js.DivEqToken) && !w.afterValue() {
			tt, data = lexer.RegExp()
		}
		if tt == js.ErrorToken {
			return w.out, syntaxError(lexer.Err())
		}
		w.add(tt, data)
		if len(w.open)-1 > maxOpen {
			return nil, fmt.Errorf("has more than %d brackets open at once", maxOpen)
		}
		if w.names > maxNames {
			return nil, errors.New("has too many names in nested scopes")
		}
	}
	return nil, fmt.Errorf("has more than %d tokens", maxTokens)
}

// syntaxError says what the parser or its lexer says, but not where: the text is
// one that nobody has seen. The end of the text is no error.
func syntaxError(err error) error {
	if e, ok := errors.AsType[*parse.Error](err); ok {
		return fmt.Errorf("is not JavaScript: %s", e.Message)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// rewriter writes tokens down again.
type rewriter struct {
	out    []byte
	open   []bracket // the first is the whole program
	scopes int       // around the next token, beside those with brackets
	names  int

	last    js.TokenType // but white space and comments
	lastAt  int          // where it begins in out
	control bool         // last is the ) of if, while, for or with
	member  bool         // last follows a dot, so that it is a name
}

// bracket is one that is open.
type bracket struct {
	control bool // that of if, while, for or with
	loops   int  // scopes in it that have no brackets of their own: for (;;) a
	arrows  int  // such that end with a comma: a => b
}

// add writes a token.
func (w *rewriter) add(tt js.TokenType, data []byte) {
	in := &w.open[len(w.open)-1]
	control := false
	switch tt {
	case js.WhitespaceToken, js.CommentToken:
		w.out = append(w.out, ' ')
		return
	case js.LineTerminatorToken, js.CommentLineTerminatorToken:
		w.out = append(w.out, '\n')
		return
	case js.ForToken:
		in.loops++
		w.scopes++
	case js.OpenParenToken, js.OpenBracketToken, js.OpenBraceToken, js.TemplateStartToken:
		isControl := w.last == js.IfToken || w.last == js.WhileToken || w.last == js.ForToken || w.last == js.WithToken
		w.open = append(w.open, bracket{control: tt == js.OpenParenToken && !w.member && isControl})
	case js.CloseParenToken, js.CloseBracketToken, js.CloseBraceToken, js.TemplateEndToken:
		if n := len(w.open); n > 1 { // else the parser will tell
			control = in.control
			w.scopes -= in.loops + in.arrows
			w.open = w.open[:n-1]
		}
	case js.CommaToken, js.SemicolonToken:
		w.scopes -= in.arrows
		in.arrows = 0
	case js.ArrowToken:
		in.arrows++
		w.scopes++
		if js.IsIdentifier(w.last) && !w.member {
			name := bytes.Clone(w.out[w.lastAt:])
			w.out = append(append(append(w.out[:w.lastAt], '('), name...), ')')
		}
	case js.RegExpToken:
		tt, data = js.StringToken, []byte(`""`)
	case js.DivToken:
		tt, data = js.MulToken, []byte("*")
	case js.DivEqToken:
		tt, data = js.MulEqToken, []byte("*=")
	}
	member := w.last == js.DotToken || w.last == js.OptChainToken
	if js.IsIdentifierName(tt) && !member {
		w.names += len(w.open) + w.scopes
	}
	w.last, w.lastAt, w.control, w.member = tt, len(w.out), control, member
	w.out = append(w.out, data...)
}

// afterValue reports whether the last token ends a value, after which a slash
// divides. After a closing brace it could do either; nobody divides a block, a
// function or an object.
func (w *rewriter) afterValue() bool {
	switch w.last {
	case js.CloseParenToken:
		return !w.control
	case js.StringToken, js.TemplateToken, js.TemplateEndToken, js.CloseBracketToken, js.PrivateIdentifierToken,
		js.IncrToken, js.DecrToken, js.ThisToken, js.SuperToken, js.NullToken, js.TrueToken, js.FalseToken:
		return true
	}
	return w.member || js.IsIdentifier(w.last) || js.IsNumeric(w.last)
}
