package sources

import (
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"io"
)

// packedLines keeps lines, in their order, until they are written. Lines of one list
// are much alike: 47 MB of a tree of models.dev take 4 MB.
type packedLines struct {
	packed bytes.Buffer
	packer *flate.Writer
}

// add keeps a line, which ends with a line feed. Writing to memory does not fail.
func (p *packedLines) add(line []byte) {
	if p.packer == nil {
		p.packer, _ = flate.NewWriter(&p.packed, flate.BestSpeed) // the level is one that there is
	}
	_, _ = p.packer.Write(line)
}

// end says that no line follows.
func (p *packedLines) end() {
	if p.packer != nil {
		_ = p.packer.Close()
		p.packer = nil
	}
}

// each calls write with each line, which is valid until write returns. It can be
// called again.
func (p *packedLines) each(write func(line []byte) error) error {
	if p.packed.Len() == 0 {
		return nil
	}
	r := bufio.NewReader(flate.NewReader(bytes.NewReader(p.packed.Bytes())))
	var line []byte
	for {
		piece, err := r.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull): // the line goes on
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err == nil:
			err = write(line)
		}
		if err != nil {
			return err
		}
		line = line[:0]
	}
}
