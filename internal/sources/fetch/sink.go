package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/sources"
)

// This file makes a body of the bytes of an answer. Of a packed tree it is the tar inside, which is
// always written the same way: nobody promises that of what packs it.

// sink takes the bytes of an answer.
type sink interface {
	io.Writer
	// begin begins a body, and drop forgets what there is of one.
	begin(isPacked bool)
	drop()
	// end returns the body that all bytes make.
	end() (body string, err error)
}

// whole keeps all bytes.
type whole struct {
	bytes.Buffer
	most     uint64 // of the body
	isPacked bool
}

func (w *whole) begin(isPacked bool) { w.isPacked = isPacked }
func (w *whole) drop()               { w.Reset() }

func (w *whole) end() (string, error) {
	if !w.isPacked {
		return w.String(), nil
	}
	unpacked, err := gzip.NewReader(w)
	if err != nil {
		return "", brokenOff(err)
	}
	body, err := files.ReadAll(unpacked, int64(w.most), 0)
	if errors.Is(err, files.ErrTooLarge) {
		return "", fmt.Errorf("the answer has more than the %d bytes that are approved", w.most)
	} else if err != nil {
		return "", brokenOff(err)
	}
	return body, nil
}

// part keeps the folders that are wanted of a tree, which is read while it comes.
type part struct {
	folders []string
	most    int64 // bytes of the tree, unpacked
	pipe    *io.PipeWriter
	taken   chan taken
}

// taken is what was taken of a tree.
type taken struct {
	body string
	err  error
}

// errDropped ends the reading of a tree that begins anew.
var errDropped = errors.New("begins anew")

func (p *part) begin(isPacked bool) {
	from, pipe := io.Pipe()
	p.pipe, p.taken = pipe, make(chan taken, 1)
	go func() {
		body, err := p.read(from, isPacked)
		from.CloseWithError(err)
		p.taken <- taken{body, err}
	}()
}

func (p *part) Write(b []byte) (int, error) { return p.pipe.Write(b) }

func (p *part) drop() {
	if p.pipe != nil {
		p.pipe.CloseWithError(errDropped)
		<-p.taken
		p.pipe = nil
	}
}

func (p *part) end() (string, error) {
	_ = p.pipe.Close() // never fails
	p.pipe = nil
	t := <-p.taken
	return t.body, t.err
}

// read takes the folders of a tree, and reads it to its end.
func (p *part) read(from io.Reader, isPacked bool) (body string, err error) {
	if isPacked {
		if from, err = gzip.NewReader(from); err != nil {
			return "", brokenOff(err)
		}
	}
	tree := &bounded{from, p.most, nil}
	body, err = sources.TakeFolders(tree, p.folders)
	if err == nil {
		_, err = io.Copy(io.Discard, tree)
	}
	switch {
	case tree.left < 0:
		return "", fmt.Errorf("the archive has more than the %d bytes that are read, unpacked", p.most)
	case tree.err != nil:
		return "", brokenOff(tree.err)
	case err != nil:
		return "", fmt.Errorf("the archive %w", err)
	}
	return body, nil
}

// bounded reads no more than so many bytes, and keeps why no more can be read.
type bounded struct {
	from io.Reader
	left int64
	err  error
}

func (b *bounded) Read(to []byte) (int, error) {
	n, err := b.from.Read(to)
	if b.left -= int64(n); b.left < 0 {
		return 0, io.ErrShortBuffer
	}
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

func brokenOff(err error) error { return fmt.Errorf("the answer breaks off: %w", err) }
