package modelsdev

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/model-catalog-service/svc/internal/sources/offer"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// maxNesting is how deep tables and lists of a file may be nested.
const maxNesting = 16

// errNesting is the fault of a file that is nested deeper.
var errNesting = errors.New("is nested deeper than 16")

// tomlError is a fault of a text, at an offset.
type tomlError struct {
	reason string
	offset int
}

func (e *tomlError) Error() string { return e.reason }

// readTOML reads a TOML 1.0 document, in which numbers and dates stay the text
// that stands there: a reader that gives doubles would have rounded them. Offsets
// count from base. A fault is a *tomlError, or errNesting.
//
// The grammar is that of a library, whose parser knows expressions: a header, or
// a key with a value. What is known here is what they mean together: which tables
// there are, and that each is defined once. A text takes time in proportion to its
// length. The parser may have been used before.
func readTOML(parser *unstable.Parser, text []byte, base int) (*offer.Value, error) {
	if at := invalidUTF8(text); at >= 0 {
		return nil, &tomlError{"invalid UTF-8", base + at}
	}
	d := document{parser: parser, base: base, text: text}
	d.root = d.newTable(0, defined)
	d.current = d.root
	d.parser.Reset(text)
	for d.parser.NextExpression() {
		if err := d.expression(d.parser.Expression()); err != nil {
			return nil, err
		}
	}
	if err := d.parser.Error(); err != nil {
		return nil, d.syntaxError(err)
	}
	return d.root.Value, nil
}

func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
}

// definition is how a table came to be, which says what may still be added.
type definition byte

const (
	implied  definition = iota // by a header of a table within: its own header may follow
	defined                    // by its header, once
	dotted                     // by a dotted key: other such keys may add, no header may
	inline                     // between braces: it is whole
	elements                   // by [[headers]], a list of tables
	static                     // between brackets: it is whole
)

// table is a table or list of a document.
type table struct {
	*offer.Value
	definition
	tables map[string]*table // those of its members that are tables or lists; of elements "" is the last
}

type document struct {
	parser  *unstable.Parser
	text    []byte
	base    int
	at      int // of the expression being read
	root    *table
	current *table // that of the last header
	depth   int    // of the current table
}

func (d *document) newTable(offset int, how definition) *table {
	kind := offer.Table
	if how == elements || how == static {
		kind = offer.List
	}
	return &table{&offer.Value{Kind: kind, Offset: d.base + offset}, how, nil}
}

func (t *table) addTable(name string, member *table) {
	t.Add(name, member.Value)
	t.remember(name, member)
}

// remember keeps what a member is as a table.
func (t *table) remember(name string, member *table) {
	if t.tables == nil {
		t.tables = map[string]*table{}
	}
	t.tables[name] = member
}

func (d *document) fault(offset int, format string, args ...any) error {
	return &tomlError{fmt.Sprintf(format, args...), d.base + offset}
}

// syntaxError is a fault of the parser, which points at a part of the text.
func (d *document) syntaxError(err error) error {
	fault, ok := errors.AsType[*unstable.ParserError](err)
	if !ok {
		return d.fault(d.at, "%s", err)
	}
	offset := len(d.text)
	if len(fault.Highlight) > 0 {
		offset = int(d.parser.Range(fault.Highlight).Offset)
	}
	return d.fault(offset, "%s", fault.Message)
}

// expression takes a header or a key with its value.
func (d *document) expression(n *unstable.Node) error {
	switch n.Kind {
	case unstable.Table, unstable.ArrayTable:
		return d.header(n)
	}
	return d.keyValue(d.current, d.depth, n)
}

// keys returns the parts of a dotted key, and the offset of the first.
func (d *document) keys(n *unstable.Node) (keys []string, offset int) {
	for k := n.Key(); k.Next(); {
		if len(keys) == 0 {
			offset = int(k.Node().Raw.Offset)
		}
		keys = append(keys, string(k.Node().Data))
	}
	return keys, offset
}

// header makes the table of a [header] or [[header]] the current one.
func (d *document) header(n *unstable.Node) error {
	keys, at := d.keys(n)
	d.at = at
	isElement := n.Kind == unstable.ArrayTable
	if d.depth = len(keys); isElement {
		d.depth++
	}
	t := d.root
	for _, key := range keys[:len(keys)-1] {
		next := t.tables[key]
		switch {
		case next == nil && t.Get(key) != nil || next != nil && (next.definition == inline || next.definition == static):
			return d.fault(at, "%s cannot hold this table", key)
		case next == nil:
			next = d.newTable(at, implied)
			t.addTable(key, next)
		case next.definition == elements:
			next = next.tables[""]
			d.depth++
		}
		t = next
	}
	if d.depth > maxNesting {
		return errNesting
	}
	last := keys[len(keys)-1]
	there := t.tables[last]
	switch {
	case there == nil && t.Get(last) != nil, isElement && there != nil && there.definition != elements, !isElement &&
		there != nil && there.definition != implied:
		return d.fault(at, "%s is there already", last)
	case isElement:
		if there == nil {
			there = d.newTable(at, elements)
			t.addTable(last, there)
		}
		d.current = d.newTable(at, defined)
		there.Items = append(there.Items, d.current.Value)
		there.tables = map[string]*table{"": d.current}
	case there == nil:
		d.current = d.newTable(at, defined)
		t.addTable(last, d.current)
	default:
		there.definition = defined
		d.current = there
	}
	return nil
}

// keyValue adds a value to a table that is so many tables and lists deep in the
// document.
func (d *document) keyValue(t *table, depth int, n *unstable.Node) error {
	keys, at := d.keys(n)
	d.at = at
	if depth += len(keys) - 1; depth > maxNesting {
		return errNesting
	}
	for _, key := range keys[:len(keys)-1] {
		next := t.tables[key]
		switch {
		case next == nil && t.Get(key) != nil || next != nil && next.definition != implied && next.definition != dotted:
			return d.fault(at, "%s cannot be added to", key)
		case next == nil:
			next = d.newTable(at, dotted)
			t.addTable(key, next)
		default:
			next.definition = dotted
		}
		t = next
	}
	last := keys[len(keys)-1]
	if t.Get(last) != nil {
		return d.fault(at, "%s is there already", last)
	}
	v, whole, err := d.value(n.Value(), depth, at)
	if err != nil {
		return err
	}
	t.Add(last, v)
	if whole != nil {
		t.remember(last, whole)
	}
	return nil
}

// value reads a value within so many tables and lists; a list or table also as
// such. The parser does not tell where every value stands; those of which it does
// not are where their key is.
func (d *document) value(n *unstable.Node, depth, at int) (v *offer.Value, t *table, err error) {
	if n.Raw.Length > 0 {
		at = int(n.Raw.Offset)
	}
	v = &offer.Value{Offset: d.base + at}
	switch n.Kind {
	case unstable.Array, unstable.InlineTable:
		if depth++; depth > maxNesting {
			return nil, nil, errNesting
		}
		if n.Kind == unstable.Array {
			t, err = d.list(n, depth, at)
		} else {
			t, err = d.inlineTable(n, depth, at)
		}
		return t.Value, t, err
	case unstable.String:
		v.Kind, v.Text = offer.String, string(n.Data)
	case unstable.Bool:
		v.Kind = offer.False
		if n.Data[0] == 't' {
			v.Kind = offer.True
		}
	case unstable.Integer, unstable.Float:
		literal, ok := number(string(n.Data))
		if !ok {
			return nil, nil, d.fault(at, "%q is not a number", n.Data)
		}
		v.Kind, v.Text = offer.Number, literal
	default:
		if !isDateOrTime(n.Kind, string(n.Data)) {
			return nil, nil, d.fault(at, "%q is not a date or time", n.Data)
		}
		v.Kind, v.Text = offer.Date, string(n.Data)
	}
	return v, nil, nil
}

func (d *document) list(n *unstable.Node, depth, at int) (*table, error) {
	t := d.newTable(at, static)
	for items := n.Children(); items.Next(); {
		item, _, err := d.value(items.Node(), depth, at)
		if err != nil {
			return t, err
		}
		t.Items = append(t.Items, item)
	}
	return t, nil
}

func (d *document) inlineTable(n *unstable.Node, depth, at int) (*table, error) {
	t := d.newTable(at, dotted)
	for members := n.Children(); members.Next(); {
		if err := d.keyValue(t, depth, members.Node()); err != nil {
			return t, err
		}
	}
	t.definition = inline
	return t, nil
}

// number returns the literal of a number of TOML as JSON would write it: without
// underscores and plus sign, whole numbers of another base in that of ten. What is
// not finite stays as it is.
func number(literal string) (text string, ok bool) {
	s, hasPlus := strings.CutPrefix(literal, "+")
	switch {
	case hasPlus && strings.HasPrefix(s, "-"):
		return "", false
	case s == "inf" || s == "-inf" || s == "nan" || s == "-nan":
		return s, true
	case len(s) > 2 && s[0] == '0' && strings.IndexByte("xob", s[1]) >= 0:
		return integer(s)
	}
	if s, ok = withoutUnderscores(s, 10); !ok {
		return "", false
	}
	_, ok = offer.ParseDecimal(s)
	return s, ok
}

// integer returns a whole number of base 16, 8 or 2 in that of ten.
func integer(s string) (text string, ok bool) {
	base := map[byte]int{'x': 16, 'o': 8, 'b': 2}[s[1]]
	digits, ok := withoutUnderscores(s[2:], base)
	n, err := strconv.ParseInt(digits, base, 64)
	return strconv.FormatInt(n, 10), ok && err == nil
}

// withoutUnderscores drops the underscores of a number, each of which must stand
// between two digits.
func withoutUnderscores(s string, base int) (digits string, ok bool) {
	for i := range len(s) {
		if s[i] == '_' && (i == 0 || i+1 == len(s) || !isDigit(s[i-1], base) || !isDigit(s[i+1], base)) {
			return "", false
		}
	}
	return strings.ReplaceAll(s, "_", ""), true
}

func isDigit(c byte, base int) bool {
	return c-'0' < 10 || base == 16 && c|0x20 >= 'a' && c|0x20 <= 'f'
}

// isDateOrTime reports whether a literal is of the kind that the parser takes it
// for: 2026-07-01, 12:00:00.5, both with T or a blank between, and then perhaps
// with an offset from UTC.
func isDateOrTime(kind unstable.Kind, literal string) bool {
	const day, separator = "2000-01-01", len("2000-01-01")
	switch kind {
	case unstable.LocalDate:
		_, ok := timestamp.ParseDate(literal)
		return ok
	case unstable.LocalTime:
		literal = day + "T" + literal + "Z"
	case unstable.LocalDateTime:
		literal += "Z"
	}
	if len(literal) > separator && literal[separator] == ' ' {
		literal = literal[:separator] + "T" + literal[separator+1:]
	}
	_, ok := timestamp.Parse(literal)
	return ok
}
