// Command bundle makes one classic script of the modules of a page. Its first line has
// the SHA-256 of their sources, so that a stale bundle is found without this program.
//
//	bundle FOLDER FILE
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: bundle FOLDER FILE")
		os.Exit(2)
	}
	if err := bundle(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func bundle(folder, file string) error {
	sources, err := filepath.Glob(filepath.Join(folder, "*.js"))
	if err != nil {
		return err
	}
	slices.Sort(sources)
	hash := sha256.New()
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(hash, "%s %d\n%s", filepath.Base(name), len(text), text)
	}
	result := api.Build(api.BuildOptions{
		EntryPoints:   []string{filepath.Join(folder, "main.js")},
		Bundle:        true,
		Format:        api.FormatIIFE,
		Target:        api.ES2022,
		Charset:       api.CharsetUTF8,
		LegalComments: api.LegalCommentsNone,
		Banner:        map[string]string{"js": fmt.Sprintf("// sha256 of the sources: %x", hash.Sum(nil))},
	})
	if len(result.Errors) > 0 {
		return errors.New(result.Errors[0].Text + " in " + fmt.Sprint(result.Errors[0].Location))
	}
	// The marks are for a tool that leaves out what has no effect, and none follows.
	script := bytes.ReplaceAll(result.OutputFiles[0].Contents, []byte("/* @__PURE__ */ "), nil)
	return os.WriteFile(file, withTabs(script), 0o644)
}

// withTabs indents by tabs, and what is in the function that holds all of it not for that:
// deep calls of a page would be a fifth of the script in spaces.
func withTabs(script []byte) []byte {
	var out []byte
	for line := range bytes.Lines(script) {
		line = bytes.TrimPrefix(line, []byte("  "))
		for ; bytes.HasPrefix(line, []byte("  ")); line = line[2:] {
			out = append(out, '\t')
		}
		out = append(out, line...)
	}
	return out
}
