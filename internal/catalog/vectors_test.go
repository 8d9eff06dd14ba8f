package catalog

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
)

func each(t *testing.T, name string, f func(n int, line []byte)) {
	file, err := os.Open("/work/shared/vectors/core/" + name)
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	sc := bufio.NewScanner(file)
	sc.Buffer(nil, 1<<24)
	for n := 0; sc.Scan(); n++ {
		f(n, sc.Bytes())
	}
}

type vecErr struct{ Code, Path string }

func TestObs(t *testing.T) {
	each(t, "observations.jsonl", func(n int, line []byte) {
		var v struct {
			Observation json.RawMessage
			Expect      struct {
				OK    string
				Error vecErr
			}
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		o, err := Normalize(string(v.Observation))
		if v.Expect.OK != "" {
			if err != nil || o.ID() != v.Expect.OK {
				t.Errorf("%d: %v %s want %s", n, err, o.ID(), v.Expect.OK)
			}
			return
		}
		check(t, n, err, v.Expect.Error)
	})
}
func check(t *testing.T, n int, err error, want vecErr) {
	var e *problem.Error
	if !errors.As(err, &e) {
		t.Errorf("%d: accepted, want %v", n, want)
		return
	}
	if string(e.Code) != want.Code || e.Path != want.Path {
		t.Errorf("%d: %s %v want %v", n, e.Code, e, want)
	}
}

func docsOf(raw []json.RawMessage) (docs []string) {
	for _, r := range raw {
		docs = append(docs, string(r))
	}
	return docs
}

func TestCompileV(t *testing.T) {
	for _, f := range []string{"catalogs.jsonl", "compile.jsonl"} {
		each(t, f, func(n int, line []byte) {
			var v struct {
				AsOf         string
				Observations []json.RawMessage
				Expect       struct {
					OK, Digest, SnapshotSha256, Snapshot string
					Models, Conflicts                    int
					Error                                vecErr
				}
			}
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			c, _, err := Compile(t.Context(), docsOf(v.Observations), Options{AsOf: v.AsOf})
			if v.Expect.Error.Code != "" {
				check(t, n, err, v.Expect.Error)
				return
			}
			if err != nil {
				t.Errorf("%d %v", n, err)
				return
			}
			if v.Expect.OK != "" {
				if c.Digest() != v.Expect.OK {
					t.Errorf("%d digest", n)
				}
				return
			}
			s := c.Serialize()
			sum := sha256.Sum256([]byte(s))
			if c.Digest() != v.Expect.Digest || hex.EncodeToString(sum[:]) != v.Expect.SnapshotSha256 || len(c.Models()) != v.Expect.Models || len(c.Conflicts()) != v.Expect.Conflicts {
				t.Errorf("%d bad", n)
			}
			if _, err := Parse(t.Context(), problem.Source{Text: s}); err != nil {
				t.Error(err)
			}
		})
	}
}
