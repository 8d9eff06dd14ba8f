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
	signer, err := releaseSigner()
	if err != nil {
		return err
	}
	made := &publication{folder: folder, progress: progress}
	for _, p := range targets {
		files, err := r.make(ctx, p, with)
		if err == nil {
			err = made.write(files...)
		}
		if err != nil {
			return err
		}
	}
	chooser, err := r.npmChooser(targets, with)
	if err == nil {
		err = made.write(chooser, r.formula(made.files))
	}
	if err != nil {
		return err
	}
	slices.SortFunc(made.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	if err := made.write(sumsOf(made.files)); err != nil {
		return err
	}
	attestations, err := r.attest(ctx, signer, targets, made.files)
	if err == nil {
		err = made.write(attestations...)
	}
	if err != nil {
		return err
	}
	if signer == nil {
		fmt.Fprintf(progress, "nobody has signed this release: %s is not set\n", keyVariable)
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		return err
	}
	return os.Rename(folder, out)
}

// publication is a folder and the files that were written into it.
type publication struct {
	folder   string
	progress io.Writer // gets a line a file
	files    []file
}

func (p *publication) write(files ...file) error {
	for _, f := range files {
		fmt.Fprintf(p.progress, "%9d  %s\n", len(f.text), f.name)
		if err := os.WriteFile(filepath.Join(p.folder, f.name), f.text, plain); err != nil {
			return err
		}
	}
	p.files = append(p.files, files...)
	return nil
}

// sumsOf returns the list of the SHA-256 of files, as sha256sum reads it.
func sumsOf(files []file) file {
	var sums strings.Builder
	for _, f := range files {
		fmt.Fprintf(&sums, "%s  %s\n", hexSum(f.text), f.name)
	}
	return file{name: checksums, text: []byte(sums.String())}
}

// make returns the files that are published for a platform.
func (r *release) make(ctx context.Context, p platform, with companions) ([]file, error) {
	b, err := r.build(ctx, p)
	if err != nil {
		return nil, err
	}
	r.toolchain = b.info.GoVersion
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
	npm, err := r.npmProgram(b, with, licences)
	if err != nil {
		return nil, err
	}
	files := []file{
		{name: name, text: text}, {name: stem + ".cdx.json", text: list}, {name: bundleName, text: bundle}, npm,
	}
	if number, ok := r.version.python(); ok {
		wheel, err := r.wheel(b, number, with, licences)
		if err != nil {
			return nil, err
		}
		files = append(files, wheel)
	}
	if p.os == "linux" {
		packages, err := r.packages(b, with, licences)
		if err != nil {
			return nil, err
		}
		files = append(files, packages...)
	}
	return files, nil
}
