// Command bundle makes one short script of the modules of a page, app.js, with the map that leads
// from it to them, and a short form of its style, app.css. The first line of script and style has
// the SHA-256 of their sources, so that a stale bundle is found without this program.
//
//	bundle FOLDER RESULT_FOLDER
package main

import (
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
	files, err := bundleScript(folder)
	if err != nil {
		return err
	}
	if files["app.css"], err = shortenStyle(folder); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(result, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
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

// bundleScript returns the script and its map.
func bundleScript(folder string) (map[string][]byte, error) {
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
		EntryPoints:   []string{"main.js"}, Outfile: "app.js", Sourcemap: api.SourceMapExternal,
		Bundle: true, Format: api.FormatIIFE, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true,
		LegalComments: api.LegalCommentsNone,
		Banner:        map[string]string{"js": "// " + hash},
	})
	if err := firstError(result.Errors); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range result.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	return files, nil
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
