package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// checksums is the file that names all others, as sha256sum writes and checks it.
const checksums = "SHA256SUMS"

// publish makes the folder out, whole or not at all.
func publish(ctx context.Context, r *release, targets []platform, out string, progress io.Writer) error {
	if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s is there already: a release is made anew", out), err)
	}
	with, err := r.readCompanions()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(filepath.Dir(out), ".svc-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var files []file
	for _, p := range targets {
		made, err := r.make(ctx, p, with)
		if err != nil {
			return err
		}
		for _, f := range made {
			fmt.Fprintf(progress, "%9d  %s\n", len(f.text), f.name)
			if err := os.WriteFile(filepath.Join(folder, f.name), f.text, plain); err != nil {
				return err
			}
			files = append(files, file{name: f.name, text: []byte(hexSum(f.text))})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	var sums strings.Builder
	for _, f := range files {
		fmt.Fprintf(&sums, "%s  %s\n", f.text, f.name)
	}
	if err := os.WriteFile(filepath.Join(folder, checksums), []byte(sums.String()), plain); err != nil {
		return err
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		return err
	}
	return os.Rename(folder, out)
}

// make returns the files that are published for a platform.
func (r *release) make(ctx context.Context, p platform, with companions) ([]file, error) {
	b, err := r.build(ctx, p)
	if err != nil {
		return nil, err
	}
	licences, err := r.licences(ctx, b)
	if err != nil {
		return nil, err
	}
	name, text, err := r.archive(b, with, licences)
	if err != nil {
		return nil, err
	}
	list, err := r.bill(b)
	if err != nil {
		return nil, err
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(name, ".zip"), ".tar.gz")
	bundleName, bundle, err := r.bundle(b, with, licences)
	if err != nil {
		return nil, err
	}
	files := []file{{name: name, text: text}, {name: stem + ".cdx.json", text: list}, {name: bundleName, text: bundle}}
	if p.os == "linux" {
		packages, err := r.packages(b, with, licences)
		if err != nil {
			return nil, err
		}
		files = append(files, packages...)
	}
	return files, nil
}
