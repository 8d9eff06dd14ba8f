package cmd

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
)

// The vectors are results of another implementation. These tests put them
// through the commands; those of the packages put them through the library.

type vectorError struct{ Code, Path string }

// eachVector calls do with every line of a vector file: the whole one beside
// the project if it is there, else the part that the project holds.
func eachVector(t *testing.T, room, name string, do func(n int, line []byte)) {
	t.Helper()
	var text []byte
	if vectortest.DataFolder(t) != "" {
		text = []byte(vectortest.DataText(t, "vectors", "core", name))
	} else {
		text = vectortest.Text(t, filepath.Join("../internal", room, "testdata", name+".gz"))
	}
	n := 0
	for line := range bytes.Lines(text) {
		do(n, line)
		n++
	}
	if n == 0 {
		t.Fatalf("%s holds no vectors", name)
	}
}

func decode[T any](t *testing.T, line []byte) (v T) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// svc runs a command on a text on standard input.
func svc(stdin []byte, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Main(args, bytes.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// expectRefusal demands exit code 1, nothing on stdout (but for the lines of
// validate) and the path in the first line of stderr.
func expectRefusal(t *testing.T, what string, code int, stderr, path string) {
	t.Helper()
	first, _, _ := strings.Cut(stderr, "\n")
	if code != exitFailure || !strings.HasPrefix(first, "service: -:") || !strings.Contains(first, ": "+path+": ") {
		t.Errorf("%s: exit code %d, stderr begins with %q, want the path %s", what, code, first, path)
	}
}

func TestVectorsObservations(t *testing.T) {
	vectortest.SkipRace(t)
	type vector struct {
		Observation json.RawMessage
		Expect      struct {
			OK    string
			Error vectorError
		}
	}
	eachVector(t, "catalog", "observations.jsonl", func(n int, line []byte) {
		v := decode[vector](t, line)
		if v.Expect.OK == "" {
			code, _, stderr := svc(v.Observation, "compile", "-", "--as-of", "9999-12-31")
			expectRefusal(t, fmt.Sprint("observation ", n), code, stderr, v.Expect.Error.Path)
			return
		}
		code, stdout, stderr := svc(v.Observation, "compile", "-", "--as-of", "9999-12-31")
		if code != exitDone || !strings.Contains(stdout, `"id":"`+v.Expect.OK+`"`) {
			t.Errorf("observation %d: exit code %d, %s", n, code, stderr)
		}
	})
}

func TestVectorsCompile(t *testing.T) {
	type vector struct {
		AsOf         string
		Observations json.RawMessage
		Expect       struct {
			OK    string
			Error vectorError
		}
	}
	eachVector(t, "catalog", "compile.jsonl", func(n int, line []byte) {
		v := decode[vector](t, line)
		if v.Expect.Error.Path == "$.asOf" { // the command takes more than the library
			return
		}
		code, stdout, stderr := svc(v.Observations, "compile", "-", "--as-of", v.AsOf)
		switch path := v.Expect.Error.Path; {
		case v.Expect.OK != "":
			if code != exitDone || !strings.Contains(stdout, `"digest":"`+v.Expect.OK+`"`) {
				t.Errorf("compilation %d: exit code %d, %s", n, code, stderr)
			}
		case v.Expect.Error.Code == "DUPLICATE_OBSERVATION": // in a file it has a place of its own
			if code != exitFailure || !strings.Contains(stderr, "is given twice, first at -:") {
				t.Errorf("compilation %d: exit code %d, %s", n, code, stderr)
			}
		default: // in a file the list is the document
			expectRefusal(t, fmt.Sprint("compilation ", n), code, stderr, strings.Replace(path, "$.observations[", "$[", 1))
		}
	})
}

// vectorCatalogs compiles the catalogs of the vectors into files by name.
func vectorCatalogs(t *testing.T) map[string]string {
	type vector struct {
		Name, AsOf   string
		Observations json.RawMessage
		Expect       struct {
			Digest, SnapshotSha256, Snapshot string
			Models, Conflicts                int
		}
	}
	files := map[string]string{}
	eachVector(t, "catalog", "catalogs.jsonl", func(_ int, line []byte) {
		v := decode[vector](t, line)
		file := filepath.Join(t.TempDir(), v.Name+".json")
		code, stdout, stderr := svc(v.Observations, "compile", "-", "--as-of", v.AsOf, "-o", file)
		snapshot, err := os.ReadFile(file)
		if code != exitDone || stdout != "" || err != nil {
			t.Fatalf("%s: exit code %d, %s", v.Name, code, stderr)
		}
		if hashOf(string(snapshot)) != v.Expect.SnapshotSha256 || v.Expect.Snapshot != "" && string(snapshot) != v.Expect.Snapshot {
			t.Errorf("%s: other bytes", v.Name)
		}
		for _, line := range []string{
			fmt.Sprintf("\nmodels        %d\n", v.Expect.Models), fmt.Sprintf("\nconflicts     %d\n", v.Expect.Conflicts), v.Expect.Digest,
		} {
			if !strings.Contains(stderr, line) {
				t.Errorf("%s: no %q in the summary\n%s", v.Name, line, stderr)
			}
		}
		if code, stdout, _ := svc(nil, "validate", file); code != exitDone || stdout != file+": ok: catalog "+v.Expect.Digest+"\n" {
			t.Errorf("%s: validate: exit code %d, %s", v.Name, code, stdout)
		}
		files[v.Name] = file
	})
	return files
}

func TestVectorsRanks(t *testing.T) {
	type vector struct {
		Catalog  string
		Requests []struct {
			Request json.RawMessage
			Expect  struct {
				Ranked, Excluded     []string
				ResultSha256, Result string
			}
		}
	}
	catalogs := vectorCatalogs(t)
	eachVector(t, "rank", "ranks.jsonl", func(_ int, line []byte) {
		v := decode[vector](t, line)
		if catalogs[v.Catalog] == "" {
			t.Fatalf("no catalog %s", v.Catalog)
		}
		args := []string{"rank", "--catalog", catalogs[v.Catalog]}
		for i, r := range v.Requests {
			file := filepath.Join(t.TempDir(), fmt.Sprint(i, ".json"))
			if err := os.WriteFile(file, r.Request, 0o600); err != nil {
				t.Fatal(err)
			}
			args = append(args, file)
		}
		code, stdout, stderr := svc(nil, args...)
		results := strings.SplitAfter(strings.TrimSuffix(stdout, "\n"), "\n")
		if code != exitDone || len(results) != len(v.Requests) {
			t.Fatalf("%s: exit code %d, %d results, %s", v.Catalog, code, len(results), stderr)
		}
		for i, result := range results {
			if hashOf(strings.TrimSuffix(result, "\n")) != v.Requests[i].Expect.ResultSha256 {
				t.Errorf("%s, request %d: other bytes", v.Catalog, i)
			}
		}
	})
}

func TestVectorsRequests(t *testing.T) {
	vectortest.SkipRace(t)
	type vector struct {
		Request json.RawMessage
		Expect  struct {
			OK    string
			Error vectorError
		}
	}
	eachVector(t, "rank", "requests.jsonl", func(n int, line []byte) {
		v := decode[vector](t, line)
		code, stdout, stderr := svc(v.Request, "rank", "--catalog", "../examples/catalog.json", "-")
		if v.Expect.OK == "" {
			expectRefusal(t, fmt.Sprint("request ", n), code, stderr, v.Expect.Error.Path)
		} else if code != exitDone || !strings.HasPrefix(stdout, `{"catalog":{`) {
			t.Errorf("request %d: exit code %d, %s", n, code, stderr)
		}
	})
}

func TestVectorsTampered(t *testing.T) {
	vectortest.SkipRace(t)
	type vector struct {
		Catalog string
		Ops     []struct {
			Op    string
			Path  []any
			Value any
		}
		Expect struct {
			OK    string
			Error vectorError
		}
	}
	catalogs := vectorCatalogs(t)
	eachVector(t, "catalog", "tampered.jsonl", func(n int, line []byte) {
		v := decode[vector](t, line)
		text, err := os.ReadFile(catalogs[v.Catalog])
		if err != nil {
			t.Fatal(err)
		}
		snapshot := decode[any](t, text)
		for _, op := range v.Ops {
			snapshot = tamper(snapshot, op.Op, op.Path, op.Value)
		}
		if text, err = json.Marshal(snapshot); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := svc(text, "validate", "-")
		want := "-: ok: catalog " + v.Expect.OK + "\n"
		if v.Expect.OK == "" {
			if code != exitFailure || stdout == want || !strings.HasPrefix(stderr, "service: -:") {
				t.Errorf("tampered %d: exit code %d, %s", n, code, stdout)
			}
		} else if code != exitDone || stdout != want {
			t.Errorf("tampered %d: exit code %d, %s%s", n, code, stdout, stderr)
		}
	})
}

// tamper sets, adds or removes the member at a path. Removing an item closes
// the gap.
func tamper(v any, op string, path []any, value any) any {
	if len(path) == 0 {
		return value
	}
	switch at := path[0].(type) {
	case string:
		object := v.(map[string]any)
		if op == "remove" && len(path) == 1 {
			delete(object, at)
		} else {
			object[at] = tamper(object[at], op, path[1:], value)
		}
		return object
	default:
		list, i := v.([]any), int(at.(float64))
		switch {
		case op == "remove" && len(path) == 1:
			return slices.Delete(list, i, i+1)
		case op == "add" && len(path) == 1:
			return slices.Insert(list, i, value)
		}
		list[i] = tamper(list[i], op, path[1:], value)
		return list
	}
}
