package fetch

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/model-catalog-service/svc/internal/durable"
	"github.com/model-catalog-service/svc/internal/sources"
)

// save puts what was gathered into the folder. A run that is killed leaves whole
// files, and at worst a body whose envelope is of the one before, which nobody
// accepts and the next run repairs.
func (f *fetcher) save() (saved []Saved, err error) {
	if err := os.MkdirAll(f.req.Folder, 0o755); err != nil {
		return nil, err
	}
	for i := range f.gathered {
		g := &f.gathered[i]
		path := filepath.Join(f.req.Folder, g.name)
		if err := f.place(path, g); err != nil {
			return nil, err
		}
		saved = append(saved, Saved{Path: path, State: g.state, Reference: g.reference, Importable: g.importable})
	}
	return saved, nil
}

func (f *fetcher) place(path string, g *gathered) error {
	envelope := g.file.Envelope.Text
	if g.state != Unchanged {
		if err := replace(path, g.file.Body.Text); err != nil {
			return err
		}
	}
	if envelope == "" {
		return nil
	}
	// An unchanged body may have had an envelope that did not hold.
	if was, err := readBounded(path + sources.EnvelopeSuffix); err == nil && was == envelope {
		return nil
	}
	return replace(path+sources.EnvelopeSuffix, envelope)
}

// replace writes a file whole or not at all.
func replace(path, text string) error {
	return durable.Write(path, func(f *os.File) error {
		_, err := f.WriteString(text)
		return err
	})
}

// readBounded reads a file that is no larger than a body may be.
func readBounded(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close() // it was only read
	b, err := io.ReadAll(io.LimitReader(file, sources.MaxBodyBytes+1))
	if err == nil && len(b) > sources.MaxBodyBytes {
		err = errors.New(path + " is too large")
	}
	return string(b), err
}
