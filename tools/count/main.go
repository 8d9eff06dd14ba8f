// Command count counts the lines of product code: of all Go files but for tests, packages that
// only tests import, generated files, benchmarks, generators of pages, the building of releases,
// and tools. Given a commit, it counts that one; else the working tree.
//
//	go -C tools run ./count [-packages] [COMMIT]
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const module = "github.com/model-catalog-service/svc"

// elsewhere are the folders whose Go code is not the product's.
var elsewhere = []string{"bench", "docs", "release", "tools", "examples"}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func main() {
	perPackage := flag.Bool("packages", false, "print the lines of each package too")
	flag.Parse()
	files, err := read(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
	counts := count(files)
	total := 0
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if *perPackage {
			fmt.Printf("%6d %s\n", counts[name], name)
		}
		total += counts[name]
	}
	fmt.Println(total)
}

// count returns the lines of product code by folder.
func count(files map[string][]byte) map[string]int {
	counts := map[string]int{}
	used := reachable(files)
	for name, text := range files {
		if folder := path.Dir(name); isProduct(name, text) && used[folder] {
			counts[folder] += bytes.Count(text, []byte("\n"))
		}
	}
	return counts
}

// isProduct reports whether a file may be product code, whoever imports it.
func isProduct(name string, text []byte) bool {
	first, _, below := strings.Cut(name, "/")
	return path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") &&
		!(below && slices.Contains(elsewhere, first)) && !generated.Match(text)
}

// reachable returns the folders of the program, of the public packages below service, and of all
// that these import.
func reachable(files map[string][]byte) map[string]bool {
	imports := map[string][]string{}
	var pending []string
	for name, text := range files {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		folder := path.Dir(name)
		isPublic := folder == "service" || strings.HasPrefix(folder, "service/") && !strings.Contains(folder, "/internal/") &&
			!strings.HasSuffix(folder, "test")
		if folder == "." || isPublic {
			pending = append(pending, folder)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			continue // a file of testdata may be no Go
		}
		for _, spec := range f.Imports {
			if inside, is := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module+"/"); is {
				imports[folder] = append(imports[folder], inside)
			}
		}
	}
	seen := map[string]bool{}
	for len(pending) > 0 {
		folder := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if !seen[folder] {
			seen[folder] = true
			pending = append(pending, imports[folder]...)
		}
	}
	return seen
}

// read returns the Go files of a commit, or of the working tree if it is empty, by their paths
// from the root of the repository.
func read(commit string) (map[string][]byte, error) {
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	folder := strings.TrimSpace(string(root))
	if commit == "" {
		return readTree(folder)
	}
	archive := exec.Command("git", "-C", folder, "archive", "--format=tar", commit)
	archive.Stderr = os.Stderr
	text, err := archive.Output()
	if err != nil {
		return nil, fmt.Errorf("git archive: %w", err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(text)); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if path.Ext(header.Name) == ".go" {
			if files[header.Name], err = io.ReadAll(r); err != nil {
				return nil, err
			}
		}
	}
}

func readTree(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		inside, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(inside)], err = os.ReadFile(name)
		return err
	})
	return files, err
}
