package catalog

import (
	"runtime"
	"unsafe"
)

// bufferPool keeps the buffers that a source was read into, for reading on:
// touching fresh memory for each chunk of a large file would cost a good part of
// its parsing.
type bufferPool struct{ free chan []byte }

func newBufferPool() *bufferPool {
	return &bufferPool{free: make(chan []byte, 4*runtime.GOMAXPROCS(0))}
}

// take returns an empty buffer with room for size bytes.
func (p *bufferPool) take(size int) []byte {
	select {
	case b := <-p.free:
		if cap(b) >= size {
			return b[:0]
		}
	default:
	}
	return make([]byte, 0, max(size, 2*chunkSize))
}

// put gives a buffer back. Nothing may refer to its bytes any more.
func (p *bufferPool) put(b []byte) {
	if cap(b) > 8*chunkSize { // one long document is no reason to keep so much
		return
	}
	select {
	case p.free <- b:
	default:
	}
}

// arena holds normalized documents, many to a large chunk of memory. They are
// written where they stay.
type arena struct{ chunk []byte }

// normalSize is how many bytes nearly all normalized documents take at most that
// are read from size bytes: the id makes them longer, white space shorter.
func normalSize(size int) int { return size + size/8 + 256 }

// room returns an empty buffer that most normalized documents fit into that were
// read from size bytes. It is the same one until keep is called.
func (a *arena) room(size int) []byte {
	const chunkSize = 1 << 20
	more := normalSize(size)
	if cap(a.chunk)-len(a.chunk) < more {
		a.chunk = make([]byte, 0, max(chunkSize, more))
	}
	return a.chunk[len(a.chunk):]
}

// keep returns what was appended to the room as a string, for good.
func (a *arena) keep(buf []byte) string {
	if n := len(a.chunk) + len(buf); n <= cap(a.chunk) { // else it has outgrown the room and lies elsewhere
		a.chunk = a.chunk[:n]
	}
	return view(buf)
}

// view returns bytes as a string that shares their memory. They must never
// change while it is in use. That of a batch is read, no part of it is kept, and
// then it is released: what outlives a batch, normalized documents and faults,
// are in memory of their own. That of an arena is never written again.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
