package store

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/model-catalog-service/svc/internal/files"
)

// The names of the folder of outputs, and in it of the list of those that are whole.
const (
	outputsName = "outputs"
	wholeName   = "whole.json"
)

// Output is a file that a build writes.
type Output struct {
	Name string // in the folder of the recipe
	Fill func(*files.Writer) error
}

// Publish writes outputs, all or none. They are written aside; once all are on the disk, a list
// of them is, and only then do they take their places. A run that is killed after that has
// written them all: whoever opens the store next finishes what it began.
func (s *Store) Publish(ctx context.Context, outputs []Output) error {
	folder := filepath.Join(s.folder, outputsName)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var names []string
	for _, o := range outputs {
		names = append(names, o.Name)
		if err := files.Write(ctx, filepath.Join(folder, o.Name), o.Fill); err != nil {
			return errors.Join(err, s.discard())
		}
	}
	list, err := json.Marshal(names)
	if err == nil {
		err = files.WriteText(ctx, filepath.Join(folder, wholeName), string(list))
	}
	if err != nil {
		return errors.Join(err, s.discard())
	}
	return s.finish(context.WithoutCancel(ctx))
}

// finish moves outputs that are whole to their places, and drops others.
func (s *Store) finish(context.Context) error {
	folder := filepath.Join(s.folder, outputsName)
	const most = 1 << 16
	text, err := files.Read(filepath.Join(folder, wholeName), most)
	if errors.Is(err, fs.ErrNotExist) {
		return s.discard()
	} else if err != nil {
		return err
	}
	var names []string
	if err := json.Unmarshal([]byte(text), &names); err != nil {
		return &fs.PathError{Op: "read", Path: filepath.Join(folder, wholeName), Err: err}
	}
	for _, name := range names {
		name = filepath.Base(name)
		err := files.Move(filepath.Join(folder, name), filepath.Join(filepath.Dir(s.folder), name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // an earlier run moved it
			return err
		}
	}
	if files.SyncFolder(filepath.Dir(s.folder)) != nil {
		return nil // all are in place; what power takes back the next run moves again, by the list that stays
	}
	return s.discard()
}

// discard drops outputs that are not whole. The list goes first, since it says that they are.
func (s *Store) discard() error {
	folder := filepath.Join(s.folder, outputsName)
	if err := os.Remove(filepath.Join(folder, wholeName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(folder)
}
