package main

import (
	"go/ast"
	"go/printer"
	"go/token"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// These tests hold the tree to one home for each record: package service/record.

const recordRoom = "service/record"

// otherRecords are the folders outside service/record that declare structs with json names, with how
// many fields at most, and why. The numbers may fall, not rise.
var otherRecords = map[string]struct {
	most int
	why  string
}{
	"cmd":                        {15, "what svc version, svc validate and svc mcp print about themselves"},
	"cmd/internal/config":        {8, "what svc config prints"},
	"internal/agent":             {85, "arguments and answers of tools, in the shapes of the Model Context Protocol"},
	"internal/explore":           {118, "what the page and its own script tell each other, which is no document: one is never without the other"},
	"internal/export":            {24, "lines of exports, in ndjson and in formats of others"},
	"internal/httpserver":        {5, "error bodies of both servers, one with a catalog, one without"},
	"internal/lock/results":      {26, "logs of SARIF, whose shape others declare"},
	"internal/rank/v3":           {122, "to move: requests and results of version 3, and explanations"},
	"internal/sources":           {87, "to move: manifest, envelope, acquisition"},
	"internal/sources/discovery": {22, "to move: the proposal of revisions"},
	"internal/sources/settle":    {28, "rulings, which a person edits, and contradictions"},
	"service/lock":               {12, "to move: the lock"},
	"service/rank":               {55, "to move: requests of version 3"},
	"service/sources":            {97, "to move: manifest, envelope, acquisition, the proposal of revisions"},
}

// sameRecords are structs with the same fields that are left, each beside the one that it equals.
var sameRecords = []string{
	"internal/agent/tools.go getModel = internal/export/lines.go lineModel",
	"internal/sources/discovery/proposal.go Artifact = service/sources/discovery.go ProposalArtifact",
	"internal/sources/discovery/proposal.go Origin = service/sources/discovery.go ProposalOrigin",
	"internal/sources/manifest.go Artifact = service/sources/sources.go Artifact",
	"internal/sources/manifest.go Entrypoint = service/sources/sources.go Entrypoint",
	"internal/sources/manifest.go ProposalPolicy = service/sources/sources.go ProposalPolicy",
	"internal/sources/manifest.go Resolver = service/sources/sources.go Resolver",
}

// jsonFields returns the fields of a struct that have json names, as name and type, sorted. Types
// are written without the names of packages.
func jsonFields(s *ast.StructType) (fields []string) {
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(f.Tag.Value) // the parser has read it
		name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if name != "" && name != "-" {
			fields = append(fields, name+" "+typeText(f.Type))
		}
	}
	slices.Sort(fields)
	return fields
}

// typeText writes a type without the names of packages.
func typeText(typ ast.Expr) string {
	var b strings.Builder
	printer.Fprint(&b, token.NewFileSet(), typ)
	words := strings.FieldsFunc(b.String(), func(r rune) bool { return strings.ContainsRune("[]* ", r) })
	text := b.String()
	for _, word := range words {
		text = strings.ReplaceAll(text, word, path.Ext("." + word)[1:])
	}
	return text
}

// taggedStructs calls visit for each struct of the product that has json names.
func taggedStructs(t *testing.T, visit func(f *goFile, name string, fields []string)) {
	t.Helper()
	for _, f := range parseTree(t) {
		if !within(f.folder, []string{"cmd", "internal", "service"}) || strings.HasSuffix(f.folder, "test") {
			continue
		}
		name := ""
		ast.Inspect(f.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				name = n.Name.Name
			case *ast.FuncDecl:
				name = n.Name.Name
			case *ast.StructType:
				if fields := jsonFields(n); len(fields) > 0 {
					visit(f, name, fields)
				}
			}
			return true
		})
	}
}

// No record is declared twice: no two structs of three or more fields have the same names and types.
func TestRecordsAreDeclaredOnce(t *testing.T) {
	const few = 3
	homes := map[string]string{}
	taggedStructs(t, func(f *goFile, name string, fields []string) {
		shape, home := strings.Join(fields, ", "), f.name+" "+name
		if len(fields) < few {
			return
		}
		if first := homes[shape]; first != "" && !slices.Contains(sameRecords, first+" = "+home) {
			t.Errorf("%s and %s are the same record: %s", first, home, shape)
		}
		homes[shape] = home
	})
	if len(homes) < 50 {
		t.Errorf("found %d records, there are more", len(homes))
	}
}

// Documents are declared in package record alone, but for those that are listed with a reason.
func TestRecordsHaveOneHome(t *testing.T) {
	found := map[string]int{}
	taggedStructs(t, func(f *goFile, _ string, fields []string) { found[f.folder] += len(fields) })
	for _, folder := range slices.Sorted(maps.Keys(found)) {
		if most := otherRecords[folder].most; folder != recordRoom && found[folder] > most {
			t.Errorf("%s declares %d fields of JSON, %d may stay: documents are declared in %s", folder, found[folder], most, recordRoom)
		}
	}
}
