package service_test

import (
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
	for _, folder := range []string{".", "local", "record"} {
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
		if count < 8 {
			t.Errorf("%s exports %d names, there are more", s.Path(), count)
		}
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
			if _, ok := spec.Type.(*ast.SelectorExpr); ok {
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
		"ErrorCode": "problem.Code", "SourceReason": "sources.Reason sources/offer.Reason",
	}
	singles := map[string]string{
		"APIModelsSchema": "httpapi.ModelsSchema", "APIModelSchema": "httpapi.ModelSchema", "APIErrorSchema": "httpapi.ErrorSchema",
		"MaxRankRequestBytes": "rank.MaxRequestBytes", "MaxRankCriteria": "rank/v3.MaxCriteria",
		"MaxRankCriterionCells": "rank/v3.MaxCriterionCells", "MaxRankTextBytes": "rank.MaxTextBytes",
		"MaxRankKeys":         "rank/v3.MaxKeys",
		"RankRequestSchemaV3": "rank/v3.RequestSchema", "RankResultSchemaV3": "rank/v3.ResultSchema",
		"RankExplanationSchema": "rank/v3.ExplanationSchema", "MaxRankTerms": "rank/v3.MaxTerms",
		"SourceManifestSchema": "sources.ManifestSchema", "SourceMappingSchema": "sources.MappingSchema",
		"SourceSnapshotSchema": "sources.SnapshotSchema", "SourceAcquisitionSchema": "sources.AcquisitionSchema",
		"SourceProposalSchema": "sources/discovery.ProposalSchema",
		"MaxSourceBodyBytes":   "sources.MaxBodyBytes", "MaxSourceImportBytes": "sources.MaxImportBytes", "MaxSourceRows": "sources.MaxRows",
		"MaxSourceObservations": "sources.MaxObservations", "MaxSourceManifestBytes": "sources.MaxManifestBytes",
		"MaxSources": "sources.MaxSources", "MaxSourceArtifacts": "sources.MaxSourceArtifacts",
		"DefaultDiffLimit": "compare.DefaultLimit",
		"ModelsLockSchema": "lock.Schema", "MaxModelsLockBytes": "lock.MaxBytes",
		"DefaultMaxReportBytes":  "explore.DefaultMaxReportBytes",
		"MaxReportSnapshotBytes": "explore.MaxReportSnapshot", "AgentPath": "agent.Path", "MaxAgentAnswerBytes": "agent.MaxAnswer",
		"StatusFunctionVersion": "verify/status.DefaultVersion", "MaxAnswerBytes": "verify/receiver.MaxAnswerBytes",
	}
	s := readSurfaces(t)[0]
	scope := func(name string) (*types.Scope, string) {
		path, name, _ := strings.Cut(name, ".")
		pkg, err := s.dependencies.Import(internal + path)
		if err != nil {
			t.Fatal(err)
		}
		return pkg.Scope(), name
	}
	for public, inner := range kinds {
		var want []string
		for room := range strings.FieldsSeq(inner) {
			in, name := scope(room)
			want = append(want, values(in, name)...)
		}
		slices.Sort(want)
		want = slices.Compact(want)
		if got := values(s.Scope(), public); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("the values of %s are %v, want %v", public, got, want)
		}
	}
	for _, name := range s.Scope().Names() {
		c, ok := s.Scope().Lookup(name).(*types.Const)
		if _, isKind := types.Unalias(s.Scope().Lookup(name).Type()).(*types.Named); !ok || !c.Exported() || isKind {
			continue
		}
		if singles[name] == "" {
			t.Errorf("nothing is said of %s", name)
			continue
		}
		in, inner := scope(singles[name])
		if want, ok := in.Lookup(inner).(*types.Const); !ok || c.Val().ExactString() != want.Val().ExactString() {
			t.Errorf("%s is %v, want that of %s", name, c.Val(), singles[name])
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
