// Package ijson reads JSON text strictly, in one pass, into typed records.
//
// It accepts I-JSON (RFC 7493) and changes nothing silently. Refused are
// invalid UTF-8, duplicate field names, lone surrogates, numbers that
// binary64 cannot hold (see [Reader.Number]), more than [MaxDepth] arrays and
// objects open at once and anything after the document. A leading byte order
// mark is accepted.
//
// A [Reader] walks the text as its caller asks for what should be there. There are four
// ways to walk:
//
//   - a [Shape] is an object that becomes a record, with name and reader of each member;
//     [ReadTagged] reads a struct by its tags, for records that are read seldom
//   - [Names] are the members of an object whose names are data
//   - a [List] is the items of an array
//   - [Reader.Value] is anything, as a tree
//
// Faults do not stop it: it notes each with its path and offset, skips the
// value and goes on, so that one pass finds every fault of a document. The
// exception is text that is not JSON, after which nothing more can be said. A text
// of more than [problem.MostCounted] faults is not read to its end.
// Faults come out in one fixed order whatever the order of the members: in
// each object unknown fields, then missing ones in the order of its [Shape],
// then the faults of values in that order, depth first; last, what the caller
// reports about several members together.
//
// Strings without escapes are returned as parts of the text, without a copy.
package ijson

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/model-catalog-service/svc/internal/problem"
)

// MaxDepth is how many arrays and objects may be open at once.
const MaxDepth = 64

// DefaultMaxFaults is how many faults are kept of a text.
const DefaultMaxFaults = 1000

// byteOrderMark may come before a document.
const byteOrderMark = "\uFEFF"

// Reader reads one document. Its zero value is not usable: see [NewReader].
type Reader struct {
	// TextLimit bounds every text, in UTF-8 bytes; zero means no bound.
	TextLimit int
	// OuterDepth is how many arrays and objects are open around a text that is a
	// part of a document.
	OuterDepth int
	// IsUTF8 says that the texts are known to be UTF-8.
	IsUTF8 bool
	// MaxFaults is how many faults are kept of a text, zero for
	// [DefaultMaxFaults]: the first ones, in the order in which they come out.
	// The others are only counted, so that a text that is nothing but faults takes
	// no more memory than others.
	MaxFaults int

	src       string
	pos       int
	depth     int
	code      problem.Code
	faults    []fault
	dropped   int  // number of faults that are not kept
	stopped   bool // nothing more is read: the text is broken, or has too many faults
	broken    bool // the text is not JSON: faults holds that alone
	quiet     bool // a value is skipped, in which faults do not matter
	escaped   bool
	reordered bool // see Reordered

	spans     []memberSpan // of the objects that AppendCanonical is in
	unordered []byte       // its room for sorting them
	names     []int        // offsets of those of the objects that Members is in
}

// fault is a problem whose path is still relative to the value being read.
type fault struct {
	code   problem.Code
	path   string
	reason string
	offset int
	rank   int // its place among the faults of the enclosing object
}

// NewReader returns a Reader at the start of a document, whose faults carry
// code.
func NewReader(src string, code problem.Code) *Reader {
	r := &Reader{code: code}
	r.Reset(src)
	if !r.broken {
		r.pos = LenByteOrderMark(src)
	}
	return r
}

// NewPartReader returns a Reader for texts that are parts of documents, which
// have no byte order mark. [Reader.Reset] gives it its text.
func NewPartReader(code problem.Code) *Reader { return &Reader{code: code} }

// Reset starts over with another text, which is a part of a document.
func (r *Reader) Reset(src string) {
	r.src, r.pos, r.depth = src, 0, r.OuterDepth
	r.faults, r.dropped, r.stopped, r.broken, r.quiet = nil, 0, false, false, false
	r.escaped, r.reordered = false, false
	r.spans, r.unordered = r.spans[:0], r.unordered[:0]
	if !r.IsUTF8 && !utf8.ValidString(src) {
		r.Broken(FirstInvalid(src), "invalid UTF-8")
	}
}

// LenByteOrderMark returns the length of the byte order mark that src begins
// with, zero if there is none.
func LenByteOrderMark(src string) int {
	if strings.HasPrefix(src, byteOrderMark) {
		return len(byteOrderMark)
	}
	return 0
}

// ErrNotJSON is the cause of the one fault of a text that is not JSON.
var ErrNotJSON = errors.New("not JSON")

// FirstInvalid returns the offset of the first byte that is not UTF-8, or the
// length of the text.
func FirstInvalid(s string) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(s)
}

// Offset returns where the next value begins.
func (r *Reader) Offset() int {
	r.peek()
	return r.pos
}

// Escaped reports whether some string so far was written with an escape. If
// not, every string of the document is in it as canonical JSON has it.
func (r *Reader) Escaped() bool { return r.escaped }

// Reordered reports whether some list of texts so far was not sorted.
func (r *Reader) Reordered() bool { return r.reordered }

// IsBroken reports whether the text turned out not to be JSON.
func (r *Reader) IsBroken() bool { return r.broken }

// Faulty reports whether any fault was found so far.
func (r *Reader) Faulty() bool { return len(r.faults) > 0 }

// End demands that nothing but white space is left and returns all faults.
func (r *Reader) End() problem.List {
	if c := r.peek(); !r.stopped && (c != 0 || r.pos < len(r.src)) {
		r.syntax("the end of the document")
	}
	if len(r.faults) == 0 {
		return nil
	}
	r.keepFirst(0)
	list := make(problem.List, len(r.faults))
	for i, f := range r.faults {
		list[i] = &problem.Error{Code: f.code, Path: "$" + f.path, Reason: f.reason, Offset: f.offset}
	}
	if r.broken {
		list[0].Err = ErrNotJSON
	}
	switch {
	case r.Mark() >= problem.MostCounted:
		list = append(list, problem.AndMore(r.code, r.dropped))
	case r.dropped > 0:
		list = append(list, problem.More(r.code, r.dropped))
	}
	return list
}

// Mark counts the faults so far. If it did not change while a value was read,
// the value has none.
func (r *Reader) Mark() int { return len(r.faults) + r.dropped }

// Fail notes a fault of the value at offset. The path is that of the value
// being read; suffix names a member of it (".kind") or is empty.
func (r *Reader) Fail(offset int, suffix, format string, args ...any) {
	r.FailAs(r.code, offset, suffix, format, args...)
}

// FailAs is Fail with another code than the Reader's.
func (r *Reader) FailAs(code problem.Code, offset int, suffix, format string, args ...any) {
	if r.stopped || r.quiet {
		return
	}
	if len(r.faults) >= gathered*r.maxFaults() {
		r.dropped++
	} else {
		if len(args) > 0 {
			format = fmt.Sprintf(format, args...)
		}
		r.faults = append(r.faults, fault{code: code, path: suffix, reason: format, offset: offset})
	}
	if r.Mark() >= problem.MostCounted {
		r.stopped = true
		r.pos = len(r.src)
	}
}

// gathered is how many times as many faults as are kept may be held while a text
// is read: which come first shows only when the objects end that they are in.
const gathered = 16

func (r *Reader) maxFaults() int { return cmp.Or(r.MaxFaults, DefaultMaxFaults) }

// keepFirst drops those of the faults from base on, which are in order, that are
// too many to be kept.
func (r *Reader) keepFirst(base int) {
	most := base + r.maxFaults()
	if len(r.faults) > most {
		r.dropped += len(r.faults) - most
		r.faults = r.faults[:most]
	}
}

// Broken gives the document up: it is not JSON, for the reason given.
func (r *Reader) Broken(offset int, reason string) {
	if r.stopped {
		return
	}
	r.faults = append(r.faults[:0], fault{code: r.code, reason: reason, offset: offset})
	r.dropped = 0
	r.stopped, r.broken = true, true
	r.pos = len(r.src)
}

// syntax gives the document up at the offending character.
func (r *Reader) syntax(expected string) {
	if r.pos >= len(r.src) {
		r.Broken(len(r.src), "unexpected end of text, expected "+expected)
		return
	}
	c, _ := utf8.DecodeRuneInString(r.src[r.pos:])
	r.Broken(r.pos, fmt.Sprintf("unexpected character %q, expected %s", c, expected))
}

// peek skips white space and returns the byte after it, 0 at the end.
func (r *Reader) peek() byte {
	for r.pos < len(r.src) {
		c := r.src[r.pos]
		if !IsSpace(c) {
			return c
		}
		r.pos++
	}
	return 0
}

// enter opens an array or object.
func (r *Reader) enter() bool {
	r.pos++
	if r.depth++; r.depth > MaxDepth {
		r.Broken(r.pos-1, fmt.Sprintf("more than %d arrays and objects open at once", MaxDepth))
		return false
	}
	return true
}

// leave closes one.
func (r *Reader) leave() {
	r.pos++
	r.depth--
}

// skipQuietly skips a value in which faults do not matter.
func (r *Reader) skipQuietly() {
	before := r.quiet
	r.quiet = true
	r.Skip()
	r.quiet = before
}

// prefix puts the name of a member or item before the paths of the faults that
// were found in it, those from mark on, and notes its place in the object.
func (r *Reader) prefix(mark int, name string, rank int) int {
	if r.broken {
		return len(r.faults)
	}
	for i := mark; i < len(r.faults); i++ {
		r.faults[i].path = name + r.faults[i].path
		r.faults[i].rank = rank
	}
	return len(r.faults)
}

// arrange puts the faults from base on into their order within an object, and
// keeps the first.
func (r *Reader) arrange(base int) {
	if !r.broken && len(r.faults) > base+1 {
		slices.SortStableFunc(r.faults[base:], func(a, b fault) int { return a.rank - b.rank })
		r.keepFirst(base)
	}
}
