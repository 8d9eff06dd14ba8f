package service_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// surface is the exported API of a package: what go doc shows.
type surface struct {
	*types.Package
	files []*ast.File
	path  func(token.Pos) string

	dependencies types.Importer
}

// publicPackages are the folders of the library below service.
var publicPackages = []string{".", "catalog", "export", "local", "lock", "rank", "record", "serve", "serve/storetest", "sources", "sources/sourcestest",
	"verify"}

// readSurfaces type-checks the public packages from their sources, and what they
// import from what the go command has compiled.
func readSurfaces(t *testing.T) (surfaces []surface) {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export", "./...")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	compiled := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Export string }
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		compiled[p.ImportPath] = p.Export
	}
	positions := token.NewFileSet()
	dependencies := importer.ForCompiler(positions, "gc", func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) })
	for _, folder := range publicPackages {
		source, err := build.ImportDir(folder, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := surface{path: func(p token.Pos) string { return positions.Position(p).String() }, dependencies: dependencies}
		for _, name := range source.GoFiles {
			file, err := parser.ParseFile(positions, filepath.Join(folder, name), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			s.files = append(s.files, file)
		}
		config := types.Config{Importer: dependencies, IgnoreFuncBodies: true}
		if s.Package, err = config.Check("service/"+folder, positions, s.files, nil); err != nil {
			t.Fatal(err)
		}
		surfaces = append(surfaces, s)
	}
	return surfaces
}

// innerTypes returns the types that callers meet in a type and cannot look up: those
// of internal packages and unexported ones, in signatures, exported members and methods.
func innerTypes(typ types.Type, seen map[types.Type]bool) (found []string) {
	if seen[typ] {
		return nil
	}
	seen[typ] = true
	in := func(parts ...types.Type) {
		for _, p := range parts {
			found = append(found, innerTypes(p, seen)...)
		}
	}
	switch typ := typ.(type) {
	case *types.Alias:
		in(types.Unalias(typ))
	case *types.Named:
		for arg := range typ.TypeArgs().Types() {
			in(arg)
		}
		pkg := typ.Obj().Pkg()
		isOurs := pkg != nil && strings.Contains("/"+pkg.Path(), "/service/")
		switch {
		case pkg != nil && strings.Contains(pkg.Path(), "/internal/") || isOurs && !typ.Obj().Exported():
			return append(found, typ.String())
		case !isOurs: // of the other public package, which is looked at by itself, or of the standard library
			return found
		}
		in(typ.Underlying())
		for m := range typ.Methods() {
			if m.Exported() {
				in(m.Type())
			}
		}
	case *types.Struct:
		for f := range typ.Fields() {
			if f.Exported() {
				in(f.Type())
			}
		}
	case *types.Interface:
		for m := range typ.Methods() {
			in(m.Type())
		}
		for e := range typ.EmbeddedTypes() {
			in(e)
		}
	case *types.Signature:
		for p := range typ.TypeParams().TypeParams() {
			in(p.Constraint())
		}
		in(typ.Params(), typ.Results())
	case *types.Tuple:
		for v := range typ.Variables() {
			in(v.Type())
		}
	case *types.Union:
		for term := range typ.Terms() {
			in(term.Type())
		}
	case *types.Map:
		in(typ.Key(), typ.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays and channels
		in(typ.Elem())
	}
	return found
}

// Callers meet no alias and no type of an internal package.
func TestAPIHasNoInternalTypes(t *testing.T) {
	for _, s := range readSurfaces(t) {
		count := 0
		for _, name := range s.Scope().Names() {
			o := s.Scope().Lookup(name)
			if !o.Exported() {
				continue
			}
			count++
			if typeName, ok := o.(*types.TypeName); ok && typeName.IsAlias() {
				t.Errorf("%s: %s is an alias", s.path(o.Pos()), name)
			}
			for _, inner := range innerTypes(o.Type(), map[types.Type]bool{}) {
				t.Errorf("%s: %s shows %s", s.path(o.Pos()), name, inner)
			}
		}
		if count < 4 && !strings.HasSuffix(s.Name(), "test") {
			t.Errorf("%s exports %d names, there are more", s.Path(), count)
		}
	}
}

// The library stays small: what it exports is what somebody has to learn and what cannot change.
func TestAPIIsSmall(t *testing.T) {
	const most = 150
	count := 0
	for _, s := range readSurfaces(t) {
		for _, name := range s.Scope().Names() {
			if typeName, ok := s.Scope().Lookup(name).(*types.TypeName); ok && typeName.Exported() && s.Name() != "record" {
				count++
			}
		}
	}
	if count >= most || count < 50 {
		t.Errorf("the packages export %d types besides the records, fewer than %d are allowed", count, most)
	}
}

// The folders are all that callers can import.
func TestPublicPackages(t *testing.T) {
	out, err := exec.Command("go", "list", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for p := range strings.FieldsSeq(string(out)) {
		if _, folder, _ := strings.Cut(p, "/svc/service"); !strings.Contains(folder, "/internal/") {
			found = append(found, cmp.Or(strings.TrimPrefix(folder, "/"), "."))
		}
	}
	if !slices.Equal(found, publicPackages) {
		t.Errorf("callers can import %v, and these are looked at: %v", found, publicPackages)
	}
}

// What go doc prints is enough: every type is written out where it is declared, every
// constant has its value, and everything has a comment.
func TestAPIIsDocumented(t *testing.T) {
	for _, s := range readSurfaces(t) {
		for _, file := range s.files {
			for _, decl := range file.Decls {
				switch decl := decl.(type) {
				case *ast.FuncDecl:
					if isShown(decl) && decl.Doc == nil {
						t.Errorf("%s: %s has no comment", s.path(decl.Pos()), decl.Name)
					}
				case *ast.GenDecl:
					checkDeclaration(t, s, decl)
				}
			}
		}
	}
}

// isShown reports whether go doc shows a function or method.
func isShown(decl *ast.FuncDecl) bool {
	if decl.Recv == nil || !decl.Name.IsExported() {
		return decl.Name.IsExported()
	}
	receiver := decl.Recv.List[0].Type
	for {
		switch r := receiver.(type) {
		case *ast.StarExpr:
			receiver = r.X
			continue
		case *ast.IndexExpr:
			receiver = r.X
			continue
		}
		return receiver.(*ast.Ident).IsExported()
	}
}

// isOpaque reports whether a type shows nothing besides its methods. Such a type may be declared as
// one of an internal package, to which other packages of the library then convert it.
func isOpaque(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Exported() {
			return false
		}
	}
	return true
}

func checkDeclaration(t *testing.T, s surface, decl *ast.GenDecl) {
	t.Helper()
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if !spec.Name.IsExported() {
				continue
			}
			if spec.Doc == nil && decl.Doc == nil {
				t.Errorf("%s: %s has no comment", s.path(spec.Pos()), spec.Name)
			}
			if _, ok := spec.Type.(*ast.SelectorExpr); ok && !isOpaque(s.Scope().Lookup(spec.Name.Name).Type()) {
				t.Errorf("%s: %s is written out in another package", s.path(spec.Pos()), spec.Name)
			}
		case *ast.ValueSpec:
			if !spec.Names[0].IsExported() {
				continue
			}
			if spec.Doc == nil && decl.Doc == nil {
				t.Errorf("%s: %s has no comment", s.path(spec.Pos()), spec.Names[0])
			}
			for _, v := range spec.Values {
				if _, ok := v.(*ast.SelectorExpr); ok && decl.Tok == token.CONST {
					t.Errorf("%s: %s has its value in another package", s.path(spec.Pos()), spec.Names[0])
				}
			}
		}
	}
}

// Constants that are written out here for readers are those of the packages that do
// the work: all codes of each kind, and all versions and bounds.
func TestConstants(t *testing.T) {
	const internal = "github.com/model-catalog-service/svc/internal/"
	kinds := map[string]string{
		"service.ErrorCode": "problem.Code", "sources.Reason": "sources.Reason sources/offer.Reason",
	}
	singles := map[string]string{
		"rank.MaxRequestBytes": "rank.MaxRequestBytes", "rank.MaxCriteria": "rank/v3.MaxCriteria",
		"rank.MaxCriterionCells": "rank/v3.MaxCriterionCells", "rank.MaxTextBytes": "rank.MaxTextBytes",
		"rank.MaxKeys": "rank/v3.MaxKeys", "rank.MaxTerms": "rank/v3.MaxTerms",
		"rank.RequestSchemaV3": "rank/v3.RequestSchema", "rank.ResultSchemaV3": "rank/v3.ResultSchema",
		"rank.ExplanationSchema": "rank/v3.ExplanationSchema",
		"sources.ManifestSchema": "sources.ManifestSchema", "sources.MappingSchema": "sources.MappingSchema",
		"sources.SnapshotSchema": "sources.SnapshotSchema", "sources.AcquisitionSchema": "sources.AcquisitionSchema",
		"sources.ProposalSchema": "sources/discovery.ProposalSchema",
		"sources.MaxBodyBytes":   "sources.MaxBodyBytes", "sources.MaxImportBytes": "sources.MaxImportBytes",
		"sources.MaxRows": "sources.MaxRows", "sources.MaxObservations": "sources.MaxObservations",
		"sources.MaxManifestBytes": "sources.MaxManifestBytes",
		"sources.MaxSources":       "sources.MaxSources", "sources.MaxArtifacts": "sources.MaxSourceArtifacts",
		"catalog.DefaultDiffLimit":     "compare.DefaultLimit",
		"lock.MaxBytes":                "lock.MaxBytes",
		"serve.DefaultMaxReportBytes":  "explore.DefaultMaxReportBytes",
		"serve.MaxReportSnapshotBytes": "explore.MaxReportSnapshot",
		"serve.AgentPath":              "agent.Path", "serve.MaxAgentAnswerBytes": "agent.MaxAnswer",
		"verify.StatusFunctionVersion": "verify/status.DefaultVersion", "verify.MaxAnswerBytes": "verify/receiver.MaxAnswerBytes",
	}
	surfaces := readSurfaces(t)
	scope := func(name string) (*types.Scope, string) {
		path, name, _ := strings.Cut(name, ".")
		pkg, err := surfaces[0].dependencies.Import(internal + path)
		if err != nil {
			t.Fatal(err)
		}
		return pkg.Scope(), name
	}
	for _, s := range surfaces {
		if s.Name() == "record" {
			continue
		}
		for _, name := range s.Scope().Names() {
			public := s.Name() + "." + name
			if kinds[public] != "" {
				var want []string
				for room := range strings.FieldsSeq(kinds[public]) {
					in, name := scope(room)
					want = append(want, values(in, name)...)
				}
				slices.Sort(want)
				want = slices.Compact(want)
				if got := values(s.Scope(), name); !slices.Equal(got, want) || len(want) == 0 {
					t.Errorf("the values of %s are %v, want %v", public, got, want)
				}
			}
			c, ok := s.Scope().Lookup(name).(*types.Const)
			if _, isKind := types.Unalias(s.Scope().Lookup(name).Type()).(*types.Named); !ok || !c.Exported() || isKind {
				continue
			}
			if singles[public] == "" {
				t.Errorf("nothing is said of %s", public)
				continue
			}
			in, inner := scope(singles[public])
			if want, ok := in.Lookup(inner).(*types.Const); !ok || c.Val().ExactString() != want.Val().ExactString() {
				t.Errorf("%s is %v, want that of %s", public, c.Val(), singles[public])
			}
		}
	}
}

// values returns the values of the exported constants of a type, sorted.
func values(scope *types.Scope, name string) (list []string) {
	for _, n := range scope.Names() {
		if c, ok := scope.Lookup(n).(*types.Const); ok && c.Exported() && types.Identical(c.Type(), scope.Lookup(name).Type()) {
			list = append(list, c.Val().ExactString())
		}
	}
	slices.Sort(list)
	return list
}

// What each package brings with it is what it needs: those that are for any place, a browser too,
// are built of the standard library and of light packages of this module alone, which open
// nothing.
func TestDependencies(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Standard", "./...")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/model-catalog-service/svc/"
	type listed struct {
		ImportPath string
		Imports    []string
		Standard   bool
	}
	packages := map[string]listed{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
	heavy := regexp.MustCompile(`^(internal/(agent|export|explore|files|http|sources/[a-z]*$)|service/(local|serve|sources)$)`)
	for folder, light := range map[string]bool{
		".": true, "catalog": true, "rank": true, "verify": true, "record": true, "lock": true, // of these nothing is heavy
		"sources": false, "export": false, "serve": false, "local": false,
	} {
		seen := map[string]bool{}
		var visit func(path string)
		visit = func(path string) {
			p := packages[path]
			if seen[path] || p.Standard {
				return
			}
			seen[path] = true
			inner, ours := strings.CutPrefix(path, module)
			if light && (!ours || heavy.MatchString(inner) && inner != "internal/sources/offer") {
				t.Errorf("service/%s brings %s", folder, path)
			}
			for _, imported := range p.Imports {
				if touches := imported == "os" || imported == "net" || strings.HasPrefix(imported, "net/http") || strings.HasPrefix(imported, "os/"); light && touches {
					t.Errorf("service/%s brings %s, which imports %s", folder, path, imported)
				}
				visit(imported)
			}
		}
		start := module + "service"
		if folder != "." {
			start += "/" + folder
		}
		visit(start)
		if len(seen) < 3 {
			t.Errorf("%s has %d dependencies, there are more", folder, len(seen))
		}
	}
}
