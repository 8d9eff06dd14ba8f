package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// These tests hold the whole tree to rules that a compiler does not know.

const module = "github.com/model-catalog-service/svc"

// room is a row of the table of rooms in docs/architecture.md: a folder and all
// below it. What is in a room may import what is in rooms of lower floors and in
// its own room. Those that are online may touch files, processes or the network;
// all else below internal and service is the offline core.
type room struct {
	name   string
	floor  int
	online bool
}

var roomRow = regexp.MustCompile("(?m)^\\| ([0-9]+) \\| `([^`]+)`( ◆)? \\|")

// readRooms returns the rooms that the page about the architecture lists, and
// above them, in no floor, what is no part of the program.
func readRooms(t *testing.T) (rooms []room) {
	t.Helper()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range roomRow.FindAllStringSubmatch(string(page), -1) {
		floor, _ := strconv.Atoi(row[1]) // the pattern lets digits pass alone
		rooms = append(rooms, room{row[2], floor, row[3] != ""})
	}
	if len(rooms) < 10 {
		t.Fatalf("docs/architecture.md lists %d rooms, there are more", len(rooms))
	}
	return rooms
}

// besides is what is no room of the program. It may import all rooms.
var besides = []string{"docs", "bench", "examples", "packaging", "."}

// roomOf returns the room that a folder belongs to. What is besides the program is
// above all.
func roomOf(rooms []room, folder string) (of room, found bool) {
	for _, r := range rooms {
		if within(folder, []string{r.name}) && len(r.name) > len(of.name) { // service/record is no part of service
			of, found = r, true
		}
	}
	if found {
		return of, true
	}
	const roof = 1000
	return room{"", roof, true}, within(folder, besides)
}

// onlineParts are the folders of offline rooms that may touch files, processes or
// the network.
var onlineParts = []string{"internal/explore/browsertest", "internal/export/exporttest", "internal/sources/fetch", "internal/sources/offer/offertest", "internal/sources/store", "internal/verify/asker", "internal/verify/memory", "internal/verify/store", "internal/verify/verifytest", "service/internal/servicetest", "service/local"}

// handlers are the folders of the offline core that may know HTTP, for the
// handlers that they hold.
var handlers = []string{"internal/agent", "internal/explore", "internal/httpapi", "internal/verify/producer", "service/serve"}

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

// parseTree parses the files of the module that are no tests.
func parseTree(t *testing.T) []*goFile {
	t.Helper()
	return parseFolders(t, "testdata", "tools", "release") // they are other modules
}

func parseFolders(t *testing.T, without ...string) (files []*goFile) {
	t.Helper()
	positions := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			hidden := name != "." && strings.HasPrefix(d.Name(), ".")
			if hidden || slices.Contains(without, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(positions, name, nil, parser.SkipObjectResolution|parser.ParseComments)
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

// The widths of the house: lines that a reader sees whole beside another file, and functions that
// fit a screen. Texts of several lines, tags of members and examples in comments are as wide as what
// they show.
const (
	widestLine    = 120
	widestComment = 100
	longestFunc   = 60 // lines
)

var (
	isTag     = regexp.MustCompile("`json:\".*`( //.*)?$")
	isExample = regexp.MustCompile(`^\t*//(\t| {3,}[^ -]|go:)`) // which is indented
)

func TestWidths(t *testing.T) {
	for _, f := range parseFolders(t) {
		text, err := os.ReadFile(f.name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			most := widestLine
			if strings.HasPrefix(strings.TrimLeft(line, "\t"), "//") {
				most = widestComment
			}
			if n := len(line); n > most && !isTag.MatchString(line) && !isExample.MatchString(line) {
				t.Errorf("%s:%d has %d columns, %d are the most", f.name, i+1, n, most)
			}
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				if n := 1 + bytes.Count(text[fn.Pos()-f.FileStart:fn.End()-f.FileStart], []byte("\n")); n > longestFunc {
					t.Errorf("%s: %s has %d lines, %d are the most", f.name, fn.Name.Name, n, longestFunc)
				}
			}
		}
	}
}

// Imports point downwards.
func TestImportsPointDown(t *testing.T) {
	rooms := readRooms(t)
	for _, f := range parseTree(t) {
		from, ok := roomOf(rooms, f.folder)
		if !ok {
			t.Errorf("%s is in no room", f.name)
		}
		for _, imported := range f.imports() {
			folder, ours := strings.CutPrefix(imported, module+"/")
			if !ours {
				continue
			}
			if to, ok := roomOf(rooms, folder); !ok || to.floor >= from.floor && to != from {
				t.Errorf("%s imports %s, which is not below it", f.name, folder)
			}
		}
	}
}

var (
	innerRow  = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.*→.*) \\|$")
	innerName = regexp.MustCompile("`([^`]+)`")
)

// readInnerRooms returns the rooms within rooms that the page about the architecture
// lists: of each outer room the folders of the inner ones, in groups from left to
// right.
func readInnerRooms(t *testing.T) map[string][][]string {
	t.Helper()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	inner := map[string][][]string{}
	for _, row := range innerRow.FindAllStringSubmatch(string(page), -1) {
		for group := range strings.SplitSeq(row[2], "→") {
			var folders []string
			for _, name := range innerName.FindAllStringSubmatch(group, -1) {
				if name[1] == row[1] {
					folders = append(folders, row[1])
				} else {
					folders = append(folders, path.Join(row[1], name[1]))
				}
			}
			inner[row[1]] = append(inner[row[1]], folders)
		}
	}
	if len(inner["internal/verify"]) < 4 {
		t.Fatalf("docs/architecture.md lists the inner rooms %v, there are more", inner)
	}
	return inner
}

// Inner rooms use each other from left to right.
func TestInnerRooms(t *testing.T) {
	inner := readInnerRooms(t)
	rank := func(outer, folder string) int {
		return slices.IndexFunc(inner[outer], func(group []string) bool { return within(folder, group) })
	}
	for _, f := range parseTree(t) {
		for outer := range inner {
			from := rank(outer, f.folder)
			if from < 0 && outer == "internal/verify" && within(f.folder, []string{outer}) {
				t.Errorf("%s is in no inner room of %s", f.name, outer)
			}
			for _, imported := range f.imports() {
				folder := strings.TrimPrefix(imported, module+"/")
				to := rank(outer, folder)
				isOwn := from >= 0 && slices.ContainsFunc(inner[outer][from], func(r string) bool {
					return within(f.folder, []string{r}) && within(folder, []string{r})
				})
				if from >= 0 && to >= 0 && to <= from && !isOwn {
					t.Errorf("%s imports %s, which is not to the right of it", f.name, folder)
				}
			}
		}
	}
}

// The offline core touches neither files nor network.
func TestOfflineCore(t *testing.T) {
	touching := []string{"os", "net", "syscall", "plugin", "io/ioutil", "path/filepath", "flag"}
	rooms := readRooms(t)
	for _, f := range parseTree(t) {
		of, _ := roomOf(rooms, f.folder)
		if !within(f.folder, []string{"internal", "service"}) || of.online || within(f.folder, onlineParts) {
			continue
		}
		for _, imported := range f.imports() {
			if imported == "net/http" && slices.Contains(handlers, f.folder) {
				continue
			}
			isPure := imported == "net/url" || imported == "net/netip"
			if imported == "net" && f.name == "internal/agent/http.go" {
				continue // for the address that a request came in at
			}
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
			if isTheirs && !within(f.folder, []string{"cmd", "docs/gen"}) {
				t.Errorf("%s imports %s", f.name, imported)
			}
			if imported == "github.com/spf13/viper" && f.folder != "cmd/internal/config" {
				t.Errorf("%s imports %s: the configuration is read in one place", f.name, imported)
			}
			if within(imported, []string{"text/template", "html/template"}) {
				t.Errorf("%s imports %s, which keeps unused code in the program", f.name, imported)
			}
		}
	}
}

// Every package says what it promises, in one comment.
func TestPackageComments(t *testing.T) {
	comments := map[string][]string{}
	for _, f := range parseTree(t) {
		if f.Doc != nil {
			comments[f.folder] = append(comments[f.folder], f.Doc.Text())
		} else if comments[f.folder] == nil {
			comments[f.folder] = []string{}
		}
	}
	for folder, list := range comments {
		if len(list) != 1 {
			t.Errorf("%s has %d package comments", folder, len(list))
			continue
		}
		const fewest = 60 // characters: more than the name once more
		subject := "Package " + path.Base(folder) + " "
		switch name := filepath.Base(folder); {
		case folder == ".":
			subject = "Svc "
		case within(folder, []string{"bench", "docs/gen", "docs/pictures", "examples", "packaging"}) && !strings.HasPrefix(list[0], subject):
			subject = "Command " + name + " "
			if folder == "docs/gen" {
				subject = "Gen "
			}
		}
		if !strings.HasPrefix(list[0], subject) || len(list[0]) < fewest {
			t.Errorf("the comment of %s promises little: %q", folder, list[0])
		}
	}
}

// What the page about the architecture says of where a rule is, is there: each name of a row
// occurs in one of the files that the row links to.
func TestWhereRulesLive(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Where a rule lives\n")
	table, _, _ = strings.Cut(table, "\n## ")
	link, name := regexp.MustCompile(`\]\(\.\./([^)#]+)`), regexp.MustCompile("`([A-Za-z]+)`")
	rows := 0
	for row := range strings.Lines(table) {
		cells := strings.Split(row, " | ")
		if len(cells) != 2 || !link.MatchString(cells[1]) {
			continue
		}
		rows++
		var text []byte
		for _, file := range link.FindAllStringSubmatch(cells[1], -1) {
			if content, err := os.ReadFile(file[1]); err == nil { // a package has a link of its own
				text = append(text, content...)
			}
		}
		for _, found := range name.FindAllStringSubmatch(cells[1], -1) {
			if !regexp.MustCompile(`\b` + found[1] + `\b`).Match(text) {
				t.Errorf("%s is in no file of the row: %s", found[1], row)
			}
		}
	}
	if rows < 15 {
		t.Errorf("the table has %d rows, there are more", rows)
	}
}

// Every package of the program has a test beside it, and a name that says what it is for.
// What only tests use is tested by them.
func TestPackagesAreTested(t *testing.T) {
	for _, f := range parseTree(t) {
		if !within(f.folder, []string{"cmd", "internal", "service"}) {
			continue
		}
		name := path.Base(f.folder)
		if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "misc"}, name) {
			t.Errorf("%s is a name for anything", f.folder)
		}
		tests, err := filepath.Glob(filepath.Join(f.folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if len(tests) == 0 && !strings.HasSuffix(name, "test") {
			t.Errorf("%s has no test", f.folder)
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
			case "os.Exit", "log.Fatal", "fmt.Print", "fmt.Printf", "fmt.Println":
				if isProgram {
					return true
				}
			case "print", "println", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "log.Print", "log.Printf", "log.Println":
			default:
				return true
			}
			t.Errorf("%s calls %s", f.name, name)
			return true
		})
	}
}

// Every package that answers HTTP is one whose handler the tests of slow clients run against.
func TestHandlersMeetSlowClients(t *testing.T) {
	const suite = "internal/httpserver/pipe_test.go"
	tests, err := parser.ParseFile(token.NewFileSet(), suite, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	met := (&goFile{File: tests}).imports()
	answering := map[string]bool{}
	for _, f := range parseTree(t) {
		if !within(f.folder, []string{"cmd", "internal"}) || f.folder == "internal/httpserver" || strings.HasSuffix(f.folder, "test") {
			continue // what only tests use meets the clients that they choose
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				answering[f.folder] = answering[f.folder] || n.Recv != nil && n.Name.Name == "ServeHTTP"
			case *ast.SelectorExpr:
				of, _ := n.X.(*ast.Ident)
				isHandler := of != nil && (of.Name == "httpserver" && n.Sel.Name == "Endpoint" ||
					of.Name == "http" && (n.Sel.Name == "HandlerFunc" || n.Sel.Name == "ServeMux" || n.Sel.Name == "NewServeMux"))
				answering[f.folder] = answering[f.folder] || isHandler
			}
			return true
		})
	}
	found := 0
	for folder, isAnswering := range answering {
		if !isAnswering {
			continue
		}
		if found++; !slices.Contains(met, module+"/"+folder) {
			t.Errorf("%s answers HTTP, and no handler of it is among the targets of %s", folder, suite)
		}
	}
	if found < 5 {
		t.Errorf("%d packages answer HTTP, there are more", found)
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
