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

// view returns bytes as a string that shares their memory. It is for the text of
// a batch alone: whoever takes that reads it, keeps no part of it, and then
// releases the batch. What outlives a batch, normalized documents and faults, are
// copies.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
