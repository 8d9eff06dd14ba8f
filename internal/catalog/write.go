package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strings"
)

// File is what [Catalog.WriteFile] needs of a file.
type File interface {
	io.Writer
	io.WriterAt
}

// WriteFile writes the snapshot to a file that is empty, as WriteTo does. If the
// digest is not known yet, it is computed at the same time as the file is
// written, and put into its place last.
func (c *Catalog) WriteFile(f File) (n int64, err error) {
	sealed := true
	c.seal.Do(func() {
		sealed = false
		n, err = c.writeSealing(f)
	})
	if sealed {
		return c.WriteTo(f)
	}
	return n, err
}

// writeSealing writes the snapshot with an empty digest, hashing what it
// writes, and fills the digest in. Whether or not the writing succeeds, the
// digest is right in the end.
func (c *Catalog) writeSealing(f File) (int64, error) {
	s := newSealer(f)
	emit := func(pieces ...string) bool {
		for _, p := range pieces {
			s.add(p)
		}
		return true
	}
	c.head(emit)
	s.flush()
	at := s.written + int64(len(digestStart))
	s.unhashed(digestStart + strings.Repeat("0", 2*sha256.Size) + digestEnd)
	c.tail(emit)
	c.digest = s.close()
	if s.err == nil {
		_, s.err = f.WriteAt([]byte(c.digest), at)
	}
	return s.written, s.err
}

// sealer writes text and hashes it, both at once: while one buffer is hashed,
// the next is filled and written.
type sealer struct {
	out     io.Writer
	written int64
	err     error // of the first write that failed; hashing goes on

	buf    []byte
	full   chan []byte // to be hashed
	empty  chan []byte // to be filled
	hash   hash.Hash
	hashed chan struct{} // closed when all is hashed
}

func newSealer(out io.Writer) *sealer {
	const buffers = 4
	s := &sealer{
		out:    out,
		full:   make(chan []byte, buffers),
		empty:  make(chan []byte, buffers),
		hash:   sha256.New(),
		hashed: make(chan struct{}),
	}
	for range buffers {
		s.empty <- make([]byte, 0, pieceBuffer)
	}
	s.buf = <-s.empty
	go func() {
		defer close(s.hashed)
		for b := range s.full {
			s.hash.Write(b)
			s.empty <- b[:0]
		}
	}()
	return s
}

func (s *sealer) add(text string) {
	for len(text) > cap(s.buf)-len(s.buf) {
		n := cap(s.buf) - len(s.buf)
		s.buf = append(s.buf, text[:n]...)
		text = text[n:]
		s.flush()
	}
	s.buf = append(s.buf, text...)
}

// flush writes what was added and hands it over to be hashed.
func (s *sealer) flush() {
	s.write(s.buf)
	s.full <- s.buf
	s.buf = <-s.empty
}

// unhashed writes text that is no part of what is hashed.
func (s *sealer) unhashed(text string) { s.write([]byte(text)) }

func (s *sealer) write(b []byte) {
	if s.err != nil {
		return
	}
	var n int
	n, s.err = s.out.Write(b)
	s.written += int64(n)
}

// close ends the work and returns the hash.
func (s *sealer) close() string {
	s.flush()
	close(s.full)
	<-s.hashed
	return hex.EncodeToString(s.hash.Sum(nil))
}
