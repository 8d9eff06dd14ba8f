package workload

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"
)

// raw appends JSON as it is.
func (g *generator) raw(s string) { g.buf = append(g.buf, s...) }

// text appends a string whose content is JSON already, escapes included.
func (g *generator) text(content string) {
	g.raw(`"`)
	g.raw(content)
	g.raw(`"`)
}

// textOrNull is text, but null for an empty content.
func (g *generator) textOrNull(content string) {
	if content == "" {
		g.raw("null")
		return
	}
	g.text(content)
}

func (g *generator) int(n int) { g.buf = strconv.AppendInt(g.buf, int64(n), 10) }

// digits appends n with leading zeros to the given width.
func (g *generator) digits(n, width int) {
	for limit := 10; width > 1; width-- {
		if n < limit {
			g.raw("0")
		}
		limit *= 10
	}
	g.int(n)
}

func (g *generator) float(f float64) { g.buf = strconv.AppendFloat(g.buf, f, 'g', -1, 64) }

func (g *generator) bool(b bool) { g.buf = strconv.AppendBool(g.buf, b) }

// timestamp appends an instant as observations write it.
func (g *generator) timestamp(t time.Time) {
	g.buf = t.AppendFormat(g.buf, `"2006-01-02T15:04:05.000Z"`)
}

// hash appends the content of a digest: 64 arbitrary hexadecimal digits.
func (g *generator) hash() {
	var sum [32]byte
	for i := 0; i < len(sum); i += 8 {
		binary.BigEndian.PutUint64(sum[i:], g.rng.Uint64())
	}
	g.buf = hex.AppendEncode(g.buf, sum[:])
}
