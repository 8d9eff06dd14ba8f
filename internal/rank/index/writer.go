package index

import (
	"math/bits"
	"slices"

	"github.com/model-catalog-service/svc/internal/canonical"
)

// Writer writes a result as canonical JSON, up to a limit. Once it is full, what it writes
// does not matter.
type Writer struct {
	canonical.Encoder
	end int // the length that Buf may have, 0 for any
}

// NewWriter returns a writer that appends to dst at most so many bytes, any number if limit
// is zero, and then some.
func NewWriter(dst []byte, limit int) Writer {
	w := Writer{Encoder: canonical.Encoder{Buf: dst}}
	if limit > 0 {
		w.end = len(dst) + limit
	}
	return w
}

// IsFull reports whether more was written than the limit allows.
func (w *Writer) IsFull() bool { return w.end > 0 && len(w.Buf) > w.end }

// MakeRoom makes room for about n more bytes, so that the buffer need not grow step by
// step.
func (w *Writer) MakeRoom(n int) {
	const most = 4 << 20
	n = min(n+n/8, most)
	if w.end > 0 {
		n = min(n, w.end-len(w.Buf))
	}
	w.Buf = slices.Grow(w.Buf, max(0, n))
}

// SeparateFrom writes a comma unless nothing was written since start.
func (w *Writer) SeparateFrom(start int) {
	if len(w.Buf) > start {
		w.Raw(`,`)
	}
}

// Item writes an item of a list that begins at start: a text without escapes.
func (w *Writer) Item(start int, text string) {
	if len(w.Buf) > start {
		w.Raw(`,"`)
	} else {
		w.Raw(`"`)
	}
	w.Raw(text)
	w.Raw(`"`)
}

// Names writes the list of those names whose bits are in the set.
func (w *Writer) Names(names []string, set uint32) {
	w.Raw(`[`)
	for start := len(w.Buf); set != 0; set &= set - 1 {
		w.Item(start, names[bits.TrailingZeros32(set)])
	}
	w.Raw(`]`)
}

// Texts writes the list of those texts whose numbers are in the union, and of codes, in one
// order, each once. Codes are sorted.
func (w *Writer) Texts(t *Lists, u *Union, codes []string) {
	w.Raw(`[`)
	start := len(w.Buf)
	for n := range u.Each {
		if w.IsFull() {
			return
		}
		for len(codes) > 0 && canonical.CompareText(codes[0], t.Texts[n]) <= 0 {
			if codes[0] != t.Texts[n] {
				w.Item(start, codes[0])
			}
			codes = codes[1:]
		}
		w.SeparateFrom(start)
		w.Raw(t.JSON[n])
	}
	for _, code := range codes {
		w.Item(start, code)
	}
	w.Raw(`]`)
}
