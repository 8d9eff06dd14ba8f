package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// file is a file of an archive or a package.
type file struct {
	name string // with slashes
	mode fs.FileMode
	text []byte
}

const (
	plain      = 0o644
	secret     = 0o640 // it may hold a password
	executable = 0o755
)

// companions are what goes with the binary.
type companions struct {
	licence, readme []byte
	registry        []byte // what registries of packages show of svc
	manuals         []file // by the name of the page, as in man1/svc.1
	completions     map[string][]byte
}

// shells are the completions that there must be.
var shells = []string{"svc.bash", "_svc", "svc.fish", "svc.ps1"}

func (r *release) readCompanions() (c companions, err error) {
	read := func(name string) (text []byte) {
		if err == nil {
			text, err = os.ReadFile(filepath.Join(r.source, filepath.FromSlash(name)))
		}
		return text
	}
	c.licence, c.readme = read("LICENSE"), read("README.md")
	c.registry = read("packaging/registry/README.md")
	c.completions = map[string][]byte{}
	for _, name := range shells {
		c.completions[name] = read("completions/" + name)
	}
	pages, globErr := filepath.Glob(filepath.Join(r.source, "docs", "man", "*.[1-9]"))
	if globErr != nil || len(pages) == 0 {
		return c, fmt.Errorf("there are no manual pages in docs/man, %v", globErr)
	}
	slices.Sort(pages)
	for _, page := range pages {
		name := filepath.Base(page)
		c.manuals = append(c.manuals, file{manualFolder(name) + "/" + name, plain, read("docs/man/" + name)})
	}
	return c, err
}

// manualFolder is where man looks for a page: the number behind its dot is that
// of its section.
func manualFolder(page string) string { return "man" + page[len(page)-1:] }

// licences returns the licences of all that is linked into a binary, which have
// to go with it: those of the modules, each file whose name says so, and Go's.
func (r *release) licences(ctx context.Context, b *binary) ([]byte, error) {
	goRoot, err := output(exec.CommandContext(ctx, "go", "env", "GOROOT"))
	if err != nil {
		return nil, err
	}
	folders, err := r.moduleFolders(ctx, b)
	if err != nil {
		return nil, err
	}
	var all bytes.Buffer
	fmt.Fprintf(&all, "svc contains the following. Its own licence is in the file LICENSE.\n")
	if err := addLicences(&all, "Go "+b.info.GoVersion, goRoot); err != nil {
		return nil, err
	}
	for i, m := range b.info.Deps {
		if err := addLicences(&all, m.Path+" "+m.Version, folders[i]); err != nil {
			return nil, err
		}
	}
	return all.Bytes(), nil
}

// moduleFolders returns where the modules of a binary are, in their order.
func (r *release) moduleFolders(ctx context.Context, b *binary) ([]string, error) {
	c := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}")
	for _, m := range b.info.Deps {
		c.Args = append(c.Args, m.Path)
	}
	c.Dir = r.source
	c.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	text, err := output(c)
	if err != nil {
		return nil, err
	}
	folders := strings.Split(text, "\n")
	if len(folders) != len(b.info.Deps) {
		return nil, fmt.Errorf("go list prints %d folders for %d modules", len(folders), len(b.info.Deps))
	}
	return folders, nil
}

// addLicences adds the licence files in a folder.
func addLicences(all *bytes.Buffer, title, folder string) error {
	isLicence := regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-._].*)?$`)
	entries, err := os.ReadDir(folder) // sorted
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		if !e.Type().IsRegular() || !isLicence.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		found = true
		text = bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
		fmt.Fprintf(all, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 80), title, e.Name(), text)
	}
	if !found {
		return fmt.Errorf("%s has no licence in %s", title, folder)
	}
	return nil
}

// compress is gzip without name and time.
func compress(text []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is one
	_, _ = w.Write(text)                                  // a buffer takes all
	_ = w.Close()
	return b.Bytes()
}
