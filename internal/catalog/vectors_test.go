package catalog_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// vectorPath is where the project has a file of vectors.
func vectorPath(name string) string { return filepath.Join("testdata", name+".gz") }

// vectors decodes a file of vectors.
func vectors[T any](t testing.TB, name string) []T {
	t.Helper()
	return vectortest.All[T](t, vectorPath(name))
}

// expectation is what a vector says: accepted with this hash, or refused.
type expectation struct {
	OK    string
	Error *struct {
		Code problem.Code
		Path string
	}
}

// check holds a result against the expectation; got is the hash if err is nil.
func (e expectation) check(t *testing.T, n int, got string, err error) {
	t.Helper()
	switch {
	case (e.OK == "") == (e.Error == nil):
		t.Fatalf("vector %d expects neither or both of ok and error", n+1)
	case e.Error == nil && (err != nil || got != e.OK):
		t.Errorf("vector %d: %s, %v; want %s", n+1, got, err, e.OK)
	case e.Error != nil:
		first := problem.All(err)
		if len(first) == 0 || first[0].Code != e.Error.Code || first[0].Path != e.Error.Path {
			t.Errorf("vector %d: %s, %v; want %s at %s", n+1, got, err, e.Error.Code, e.Error.Path)
		}
	}
}

// The copies in testdata are whole: they are the published files, where these
// lie beside the repository.
func TestVectorsAreThePublishedOnes(t *testing.T) {
	for _, name := range []string{"observations.jsonl", "compile.jsonl", "catalogs.jsonl", "tampered.jsonl"} {
		t.Run(name, func(t *testing.T) {
			published := vectortest.DataText(t, "vectors", "core", name)
			if published != string(vectortest.Text(t, vectorPath(name))) {
				t.Errorf("testdata/%s.gz is not %s: copy it anew", name, name)
			}
		})
	}
}

type observationVector struct {
	Observation json.RawMessage
	Expect      expectation
}

func TestObservationVectors(t *testing.T) {
	for n, v := range vectors[observationVector](t, "observations.jsonl") {
		doc := string(v.Observation)
		o, err := catalog.Normalize(doc)
		v.Expect.check(t, n, o.ID(), err)
		if err == nil && o.JSON() != oracleNormalize(doc) {
			t.Errorf("vector %d is normalized to %s", n+1, o.JSON())
		}
	}
}

type compileVector struct {
	AsOf         json.RawMessage
	Observations []json.RawMessage
	Expect       expectation
}

// options returns asOf as it stands in the vector: whatever is no string is no
// timestamp.
func (v compileVector) options() catalog.Options {
	var s string
	if json.Unmarshal(v.AsOf, &s) != nil {
		s = string(v.AsOf)
	}
	return catalog.Options{AsOf: s}
}

func texts(raw []json.RawMessage) []string {
	docs := make([]string, len(raw))
	for i := range raw {
		docs[i] = string(raw[i])
	}
	return docs
}

func TestCompileVectors(t *testing.T) {
	for n, v := range vectors[compileVector](t, "compile.jsonl") {
		c, _, err := catalog.Compile(t.Context(), texts(v.Observations), v.options())
		digest := ""
		if err == nil {
			digest = c.Digest()
		}
		v.Expect.check(t, n, digest, err)
	}
}

type catalogVector struct {
	Name         string
	AsOf         string
	Observations []json.RawMessage
	Expect       struct {
		Digest, SnapshotSHA256 string
		Models, Conflicts      int
		Snapshot               string
	}
}

func TestCatalogVectors(t *testing.T) {
	vectortest.SkipRace(t)
	for _, v := range vectors[catalogVector](t, "catalogs.jsonl") {
		docs, want := texts(v.Observations), v.Expect
		c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: v.AsOf})
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		text := c.Serialize()
		sum := sha256.Sum256([]byte(text))
		if c.Digest() != want.Digest || hex.EncodeToString(sum[:]) != want.SnapshotSHA256 ||
			len(c.Models()) != want.Models || len(c.Conflicts()) != want.Conflicts || c.Observations() != len(docs) || c.AsOf() != v.AsOf {
			t.Errorf("%s: digest %s with %d models and %d conflicts, want %+v", v.Name, c.Digest(), len(c.Models()), len(c.Conflicts()), want)
		}
		if want.Snapshot != "" && text != want.Snapshot {
			t.Errorf("%s: snapshot\n%s\nwant\n%s", v.Name, text, want.Snapshot)
		}
		if text != oracleCompile(docs, v.AsOf) {
			t.Errorf("%s: the oracle of these tests does not agree", v.Name)
		}
		parsesBack(t, v.Name, text)
	}
}

// parsesBack checks that a snapshot parses to its own bytes: as it is, and
// indented with its members backwards.
func parsesBack(t *testing.T, name, text string) {
	t.Helper()
	for _, spelling := range []string{text, "\uFEFF\n" + text + "\n", backwards(decodeAny(text), "\n")} {
		c, err := catalog.Parse(t.Context(), problem.Source{Name: name, Text: spelling})
		if err != nil {
			t.Errorf("%s: refused: %v", name, err)
		} else if c.Serialize() != text {
			t.Errorf("%s: a snapshot parses to other bytes", name)
		}
	}
}

func TestTamperedVectors(t *testing.T) {
	vectortest.SkipRace(t)
	snapshots := map[string]string{}
	for _, v := range vectors[catalogVector](t, "catalogs.jsonl") {
		c, _, err := catalog.Compile(t.Context(), texts(v.Observations), catalog.Options{AsOf: v.AsOf})
		if err != nil {
			t.Fatal(err)
		}
		snapshots[v.Name] = c.Serialize()
	}
	type vector struct {
		Catalog string
		Ops     []op
		Expect  expectation
	}
	for n, v := range vectors[vector](t, "tampered.jsonl") {
		tree := decodeAny(snapshots[v.Catalog])
		for _, op := range v.Ops {
			tree = op.apply(t, tree, op.Path)
		}
		c, err := catalog.Parse(t.Context(), problem.Source{Text: canonicalJSON(tree)})
		if v.Expect.Error == nil {
			digest := ""
			if err == nil {
				digest = c.Digest()
			}
			v.Expect.check(t, n, digest, err)
			continue
		}
		// The path is one possible answer and is not compared.
		if e := firstFault(t, v.Catalog, err); e != nil && e.Code != v.Expect.Error.Code {
			t.Errorf("vector %d: %s %v, want %s", n+1, e.Code, e, v.Expect.Error.Code)
		}
	}
}

// op is a change of a snapshot: set, remove or add at a member path.
type op struct {
	Op    string
	Path  []any
	Value any
}

// apply changes the value at path and returns it.
func (o op) apply(t *testing.T, v any, path []any) any {
	t.Helper()
	if len(path) == 0 {
		if o.Op != "set" {
			t.Fatalf("op %s at the root", o.Op)
		}
		return o.Value
	}
	last := len(path) == 1
	switch step := path[0].(type) {
	case string:
		members := v.(object)
		_, exists := members[step]
		switch {
		case !last || o.Op == "set" && exists:
			members[step] = o.apply(t, members[step], path[1:])
		case o.Op == "remove" && exists:
			delete(members, step)
		case o.Op == "add" && !exists:
			members[step] = o.Value
		default:
			t.Fatalf("op %s at %v, where a member exists: %v", o.Op, o.Path, exists)
		}
		return members
	case float64:
		items, i := v.([]any), int(step)
		switch {
		case !last || o.Op == "set":
			items[i] = o.apply(t, items[i], path[1:])
		case o.Op == "remove":
			return append(items[:i], items[i+1:]...)
		case o.Op == "add":
			return append(items[:i], append([]any{o.Value}, items[i:]...)...)
		default:
			t.Fatalf("unknown op %s", o.Op)
		}
		return items
	}
	t.Fatalf("a step of the path %v is %T", path, path[0])
	return nil
}
