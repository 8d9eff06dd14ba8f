package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// IsRecords reports whether a file is called like one that holds records: *.json,
// *.jsonl or *.ndjson.
func IsRecords(name string) bool {
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

// maxDirectories is how many directories are looked through.
const maxDirectories = 100_000

// Find returns the files of records of a directory and of those below it, sorted
// by path, of which there is one at least, and all directories that were looked
// through.
//
// Symbolic links are followed, and one that leads nowhere is passed over unless it
// is called like such a file. A directory that several links lead to is looked
// through once, under the first of its paths; one that is inside itself is refused,
// and so is a file of records that is not a regular file.
func Find(directory string) (found, directories []Found, err error) {
	real, err := filepath.EvalSymlinks(directory)
	if err != nil {
		return nil, nil, err
	}
	info, err := os.Stat(directory)
	if err != nil {
		return nil, nil, err
	}
	s := &search{seen: map[string]bool{}}
	if err := s.enter(Found{directory, info}, real, nil); err != nil {
		return nil, nil, err
	}
	if len(s.files) == 0 {
		return nil, nil, refuse(directory, ErrNoRecords)
	}
	slices.SortFunc(s.files, func(a, b Found) int { return strings.Compare(a.Name, b.Name) })
	return s.files, s.directories, nil
}

type search struct {
	files, directories []Found
	seen               map[string]bool // directories, by the path without links
}

// place is a directory and its path without links.
type place struct{ name, real string }

// enter looks through a directory and those below it; above are those in which it
// was found.
func (s *search) enter(here Found, real string, above []place) error {
	for _, a := range above {
		if a.real == real {
			return refuse(here.Name, fmt.Errorf("directory loop: it is %s again", a.name))
		}
	}
	if s.seen[real] {
		return nil
	}
	s.seen[real] = true
	if len(s.directories) == maxDirectories {
		return refuse(s.directories[0].Name, errTooManyDir)
	}
	s.directories = append(s.directories, here)
	above = append(above, place{here.Name, real})
	entries, err := os.ReadDir(here.Name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := s.visit(filepath.Join(here.Name, e.Name()), filepath.Join(real, e.Name()), e, above); err != nil {
			return err
		}
	}
	return nil
}

// visit goes on with an entry of a directory.
func (s *search) visit(path, real string, e fs.DirEntry, above []place) error {
	isLink := e.Type()&fs.ModeSymlink != 0
	wanted := IsRecords(e.Name())
	if !wanted && !e.IsDir() && !isLink {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil && !wanted && errors.Is(err, fs.ErrNotExist):
		return nil // a link that leads nowhere is not an input
	case err != nil:
		return err
	case info.IsDir():
		if isLink {
			if real, err = filepath.EvalSymlinks(path); err != nil {
				return err
			}
		}
		return s.enter(Found{path, info}, real, above)
	case wanted && !info.Mode().IsRegular():
		return refuse(path, ErrIrregular)
	case wanted:
		s.files = append(s.files, Found{path, info})
	}
	return nil
}
