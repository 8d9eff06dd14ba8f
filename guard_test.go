package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// These tests hold the whole tree to rules that a compiler does not know.

const module = "github.com/model-catalog-service/svc"

// layers are the rooms of the tree, from the bottom up. What is in a room may
// import what is in lower layers and in its own room, which is the folder and
// all below it.
var layers = [][]string{
	{"internal/problem", "internal/canonical", "internal/durable", "internal/recordfile", "internal/vectortest", "docs/schemas"},
	{"internal/ijson"},
	{"internal/catalog"},
	{"internal/rank"},
	{"internal/httpapi", "internal/verify", "internal/sources"},
	{"service", "cmd"},
	{"docs", "bench", "examples", "."},
}

// roomOf returns the room and layer that a folder belongs to.
func roomOf(folder string) (room string, layer int) {
	for n, rooms := range layers {
		for _, r := range rooms {
			if folder == r || r != "." && strings.HasPrefix(folder, r+"/") {
				return r, n
			}
		}
	}
	return "", -1
}

// online are the folders that may touch files, processes or the network. All
// else below internal and service is the offline core.
var online = []string{
	"internal/durable", "internal/recordfile", "internal/httpapi/admin", "internal/httpapi/server",
	"internal/sources/fetch", "internal/verify/store", "internal/vectortest", "service/local",
}

// handlers are the folders of the offline core that may know HTTP, for the
// handlers that they hold.
var handlers = []string{"internal/httpapi", "internal/verify", "service"}

// goFile is a file that is no test.
type goFile struct {
	name   string // in the tree, with slashes
	folder string
	*ast.File
}

func (f *goFile) imports() (paths []string) {
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value) // the parser has read it
		paths = append(paths, p)
	}
	return paths
}

func parseTree(t *testing.T) (files []*goFile) {
	t.Helper()
	positions := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			hidden := name != "." && strings.HasPrefix(d.Name(), ".")
			if hidden || d.Name() == "testdata" || name == "tools" || name == "release" { // they are other modules
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(positions, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		slashed := filepath.ToSlash(name)
		files = append(files, &goFile{slashed, path.Dir(slashed), file})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 30 {
		t.Fatalf("found %d files, there are more", len(files))
	}
	return files
}

func within(folder string, rooms []string) bool {
	return slices.ContainsFunc(rooms, func(r string) bool { return folder == r || strings.HasPrefix(folder, r+"/") })
}

// Imports point downwards.
func TestImportsPointDown(t *testing.T) {
	for _, f := range parseTree(t) {
		room, layer := roomOf(f.folder)
		if layer < 0 {
			t.Errorf("%s is in no room", f.name)
		}
		for _, imported := range f.imports() {
			folder, ours := strings.CutPrefix(imported, module+"/")
			if !ours {
				continue
			}
			if to, below := roomOf(folder); below < 0 || below >= layer && to != room {
				t.Errorf("%s imports %s, which is not below it", f.name, folder)
			}
		}
	}
}

// The offline core touches neither files nor network.
func TestOfflineCore(t *testing.T) {
	touching := []string{"os", "net", "syscall", "plugin", "io/ioutil", "path/filepath", "flag"}
	for _, f := range parseTree(t) {
		if !within(f.folder, []string{"internal", "service"}) || within(f.folder, online) {
			continue
		}
		for _, imported := range f.imports() {
			if imported == "net/http" && slices.Contains(handlers, f.folder) {
				continue
			}
			isPure := imported == "net/url" || imported == "net/netip"
			if within(imported, touching) && !isPure {
				t.Errorf("%s imports %s", f.name, imported)
			}
		}
	}
}

// The libraries of the command line are used there alone, but for what documents
// its commands.
func TestCommandLineLibraries(t *testing.T) {
	for _, f := range parseTree(t) {
		for _, imported := range f.imports() {
			isTheirs := within(imported, []string{"github.com/spf13", "github.com/fatih/color", "golang.org/x/term", "golang.org/x/text"})
			if isTheirs && f.folder != "cmd" && f.folder != "docs/gen" {
				t.Errorf("%s imports %s", f.name, imported)
			}
			if imported == "github.com/spf13/viper" && f.name != "cmd/settings.go" {
				t.Errorf("%s imports %s: settings are read in one place", f.name, imported)
			}
			if within(imported, []string{"text/template", "html/template"}) {
				t.Errorf("%s imports %s, which keeps unused code in the program", f.name, imported)
			}
		}
	}
}

// Programs end in main.go alone, and packages print nothing on their own: what
// they say goes to a writer that they are given.
func TestExitsAndPrints(t *testing.T) {
	for _, f := range parseTree(t) {
		isProgram := f.Name.Name == "main" && path.Base(f.name) == "main.go"
		ast.Inspect(f.File, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			var name string
			switch called := call.Fun.(type) {
			case *ast.SelectorExpr:
				if of, ok := called.X.(*ast.Ident); ok {
					name = of.Name + "." + called.Sel.Name
				}
			case *ast.Ident:
				name = called.Name
			}
			switch name {
			case "os.Exit", "fmt.Print", "fmt.Printf", "fmt.Println":
				if isProgram {
					return true
				}
			case "print", "println", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "log.Print", "log.Printf", "log.Println":
			default:
				return true
			}
			t.Errorf("%s calls %s", f.name, name)
			return true
		})
	}
}

// Nothing happens before main.
func TestNoInit(t *testing.T) {
	for _, f := range parseTree(t) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s has an init function", f.name)
			}
		}
	}
}
