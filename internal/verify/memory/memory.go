// Package memory keeps the answers that a receiver has seen in a folder: a file for each source,
// whose name is the SHA-256 of the source. A file is a JSON list of the answers as they came, with
// their signatures, so that anyone can check them again. It is replaced as a whole, never written
// over.
package memory

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/model-catalog-service/svc/internal/files"
	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/problem"
)

// MaxBytes is how many bytes the answers of one source may have.
const MaxBytes = 256 << 20

// Folder is a folder with what was seen of sources. It implements the Memory of a receiver.
type Folder struct {
	path    string
	release func()
}

// Open returns the memory in a folder, which is made if it is not there. It waits until nobody else
// has it: of two receivers at once, one would forget what the other saw. Whoever opens it closes
// it.
func Open(ctx context.Context, path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	release, err := files.Hold(ctx, filepath.Join(path, "lock"), func() {})
	if err != nil {
		return nil, err
	}
	return &Folder{path, release}, nil
}

// Close lets others have the folder.
func (f *Folder) Close() { f.release() }

func (f *Folder) file(source string) string {
	return filepath.Join(f.path, fmt.Sprintf("%x.json", sha256.Sum256([]byte(source))))
}

// All returns the answers that are kept of all sources.
func (f *Folder) All() (all []string, err error) {
	names, err := filepath.Glob(filepath.Join(f.path, "*.json"))
	for _, name := range names {
		answers, err := read(name)
		if err != nil {
			return nil, err
		}
		all = append(all, answers...)
	}
	return all, err
}

// Recall returns the answers that are kept of a source.
func (f *Folder) Recall(source string) ([]string, error) { return read(f.file(source)) }

func read(name string) ([]string, error) {
	text, err := files.Read(name, MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var answers []string
	r := ijson.NewReader(text, problem.InvalidTrustBundle)
	for l := r.List(); l.Next(); {
		answers = append(answers, r.SkipText())
	}
	if faults := r.End(); faults != nil {
		return nil, fmt.Errorf("%s: %w", name, faults.Err())
	}
	return answers, nil
}

// Keep replaces the answers that are kept of a source.
func (f *Folder) Keep(source string, answers []string) error {
	return files.WriteText(context.Background(), f.file(source), "["+strings.Join(answers, ",\n")+"]\n")
}
