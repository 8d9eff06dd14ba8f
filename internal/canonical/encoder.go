package canonical

import "strconv"

// Encoder appends canonical JSON piece by piece. The caller writes the
// punctuation and the member names, in their order, through Raw.
type Encoder struct {
	Buf []byte
	// Verbatim promises that no string given to Text needs an escape, as is so
	// when all were read from JSON without escapes. They are then not searched.
	Verbatim bool
}

// Append makes b the buffer: Buf after an append. Most appends leave the array where it is,
// and then only the length is stored: a stored pointer costs more than the bytes while
// the garbage collector runs.
func (e *Encoder) Append(b []byte) {
	if len(b) <= cap(e.Buf) {
		e.Buf = e.Buf[:len(b)]
		return
	}
	e.Buf = b
}

// Raw appends canonical JSON as it is.
func (e *Encoder) Raw(s string) { e.Append(append(e.Buf, s...)) }

// Raws appends pieces of canonical JSON as they are.
func (e *Encoder) Raws(pieces ...string) {
	for _, s := range pieces {
		e.Raw(s)
	}
}

// Text appends a string.
func (e *Encoder) Text(s string) {
	if !e.Verbatim {
		e.Append(AppendString(e.Buf, s))
		return
	}
	e.Append(append(append(append(e.Buf, '"'), s...), '"'))
}

// TextOrNull appends a text, null for the empty string.
func (e *Encoder) TextOrNull(s string) {
	if s == "" {
		e.Raw("null")
		return
	}
	e.Text(s)
}

// Member appends a member of an object whose value is a string: what comes before
// the value, as it is, and the value.
func (e *Encoder) Member(before, s string) {
	e.Raw(before)
	e.Text(s)
}

// MemberOrNull is Member with null for the empty string.
func (e *Encoder) MemberOrNull(before, s string) {
	e.Raw(before)
	e.TextOrNull(s)
}

// Texts appends a list of strings.
func (e *Encoder) Texts(list []string) {
	e.Raw("[")
	for i, s := range list {
		if i > 0 {
			e.Raw(",")
		}
		e.Text(s)
	}
	e.Raw("]")
}

// Uint appends an integral number below 1e21.
func (e *Encoder) Uint(n uint64) { e.Append(strconv.AppendUint(e.Buf, n, 10)) }

// Number appends a finite number.
func (e *Encoder) Number(f float64) { e.Append(AppendNumber(e.Buf, f)) }

// Bool appends true or false.
func (e *Encoder) Bool(b bool) { e.Append(strconv.AppendBool(e.Buf, b)) }
