package fetch

import (
	"context"
	"os"
	"path/filepath"

	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/sources"
)

// save puts what was gathered into the folder. A run that is killed leaves whole
// files, and at worst a body whose envelope is of the one before, which nobody
// accepts and the next run repairs.
func (f *fetcher) save(ctx context.Context) (saved []Saved, err error) {
	if err := os.MkdirAll(f.req.Folder, 0o755); err != nil {
		return nil, err
	}
	for i := range f.gathered {
		g := &f.gathered[i]
		path := filepath.Join(f.req.Folder, g.name)
		if err := f.place(ctx, path, g); err != nil {
			return nil, err
		}
		saved = append(saved, Saved{Path: path, State: g.state, Reference: g.reference, Importable: g.importable})
	}
	return saved, nil
}

func (f *fetcher) place(ctx context.Context, path string, g *gathered) error {
	envelope := g.file.Envelope.Text
	if g.state != Unchanged {
		if err := files.WriteText(ctx, path, g.file.Body.Text); err != nil {
			return err
		}
	}
	if envelope == "" {
		return nil
	}
	// An unchanged body may have had an envelope that did not hold.
	if was, err := files.Read(path+sources.EnvelopeSuffix, sources.MaxBodyBytes); err == nil && was == envelope {
		return nil
	}
	return files.WriteText(ctx, path+sources.EnvelopeSuffix, envelope)
}
