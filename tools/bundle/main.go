// Command bundle makes one classic script of the modules of a page, app.js, without comments and
// indentation, and of its style, app.css, without these and other spaces. The first line of each has the SHA-256 of its
// sources, so that a stale bundle is found without this program.
//
//	bundle FOLDER RESULT_FOLDER
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
		fmt.Fprintln(os.Stderr, "usage: bundle FOLDER RESULT_FOLDER")
		os.Exit(2)
	}
	if err := bundle(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func bundle(folder, result string) error {
	script, err := bundleScript(folder)
	if err != nil {
		return err
	}
	style, err := shortenStyle(folder)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(result, "app.js"), script, 0o644),
		os.WriteFile(filepath.Join(result, "app.css"), style, 0o644))
}

// hashSources names the sources of a pattern by what is in them.
func hashSources(folder, pattern string) (string, error) {
	sources, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		return "", err
	}
	slices.Sort(sources)
	hash := sha256.New()
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %d\n%s", filepath.Base(name), len(text), text)
	}
	return fmt.Sprintf("sha256 of the sources: %x", hash.Sum(nil)), nil
}

func bundleScript(folder string) ([]byte, error) {
	hash, err := hashSources(folder, "*.js")
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: absolute, // names of modules are said from there
		EntryPoints:   []string{"main.js"},
		Bundle:        true,
		Format:        api.FormatIIFE,
		Target:        api.ES2022,
		Charset:       api.CharsetUTF8,
		LegalComments: api.LegalCommentsNone,
		Banner:        map[string]string{"js": "// " + hash},
	})
	if err := firstError(result.Errors); err != nil {
		return nil, err
	}
	// The marks are for a tool that leaves out what has no effect, and none follows.
	return unindent(bytes.ReplaceAll(result.OutputFiles[0].Contents, []byte("/* @__PURE__ */ "), nil)), nil
}

func shortenStyle(folder string) ([]byte, error) {
	hash, err := hashSources(folder, "*.css")
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(folder, "app.css"))
	if err != nil {
		return nil, err
	}
	result := api.Transform(string(text), api.TransformOptions{Loader: api.LoaderCSS, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifySyntax: true, Sourcefile: "app.css"})
	return append([]byte("/* "+hash+" */\n"), result.Code...), firstError(result.Errors)
}

func firstError(list []api.Message) error {
	if len(list) == 0 {
		return nil
	}
	return errors.New(list[0].Text + " in " + fmt.Sprint(list[0].Location))
}

// unindent begins every line where it begins to say something, and leaves out those that name
// modules. Indentation would be a tenth of the script, which people read in its sources; the
// lines stay, so that faults have a place.
func unindent(script []byte) []byte {
	var out []byte
	for line := range bytes.Lines(script) {
		if line = bytes.TrimLeft(line, " "); !bytes.HasPrefix(line, []byte("// ")) || len(out) == 0 {
			out = append(out, line...)
		}
	}
	return out
}
