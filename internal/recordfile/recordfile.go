// Package recordfile finds the files of a directory that hold records: its
// *.json, *.jsonl and *.ndjson, and those of the directories below it.
//
// They come sorted by path. Symbolic links are followed, and one that leads
// nowhere is passed over unless it is called like such a file; a directory that is
// reached through itself is refused, and so is such a name that is no regular file.
package recordfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Is reports whether a file is called like one of records.
func Is(name string) bool {
	switch filepath.Ext(name) {
	case ".json", ".jsonl", ".ndjson":
		return true
	}
	return false
}

// Found is a file or directory.
type Found struct {
	Name string // with the path to it
	Info fs.FileInfo
}

// The causes of errors, besides those of the system.
var (
	ErrNone      = errors.New("the directory holds no *.json, *.jsonl or *.ndjson")
	ErrIrregular = errors.New("is not a regular file")
)

// Find returns the files of a directory, of which there is one at least, and all
// directories that were looked through. An error is a *fs.PathError.
func Find(directory string) (files, directories []Found, err error) {
	s := &search{}
	info, err := os.Stat(directory)
	if err == nil {
		err = s.enter(Found{directory, info}, nil)
	}
	if err == nil && len(s.files) == 0 {
		err = refuse(directory, ErrNone)
	}
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(s.files, func(a, b Found) int { return strings.Compare(a.Name, b.Name) })
	return s.files, s.directories, nil
}

func refuse(path string, err error) error { return &fs.PathError{Op: "find", Path: path, Err: err} }

type search struct{ files, directories []Found }

// enter looks through a directory and those below it; above are those that it was
// reached through.
func (s *search) enter(here Found, above []Found) error {
	for _, a := range above {
		if os.SameFile(a.Info, here.Info) {
			return refuse(here.Name, fmt.Errorf("directory loop: it is %s again", a.Name))
		}
	}
	above = append(above, here)
	s.directories = append(s.directories, here)
	entries, err := os.ReadDir(here.Name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(here.Name, e.Name())
		wanted := Is(e.Name())
		if !wanted && !e.IsDir() && e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		info, err := os.Stat(path)
		switch {
		case err != nil && !wanted && errors.Is(err, fs.ErrNotExist):
			// A link that leads nowhere is no input.
		case err != nil:
			return err
		case info.IsDir():
			if err := s.enter(Found{path, info}, above); err != nil {
				return err
			}
		case wanted && !info.Mode().IsRegular():
			return refuse(path, ErrIrregular)
		case wanted:
			s.files = append(s.files, Found{path, info})
		}
	}
	return nil
}
