package status_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/status"
	"github.com/model-catalog-service/svc/internal/verify/verifytest"
)

// statuses derives the status of each claim by its id.
func statuses(tb testing.TB, in *bundle.Content, version status.Version, now string) map[string]string {
	tb.Helper()
	f, err := status.New(version, now)
	if err != nil {
		tb.Fatal(err)
	}
	byID := map[string]string{}
	for _, s := range f.Derive(in) {
		byID[s.ID] = string(s.Status)
	}
	return byID
}

// records reads a bundle as answers are read.
func records(tb testing.TB, text string) *bundle.Content {
	tb.Helper()
	in, err := verifytest.Raw(tb, text).StatusInput()
	if err != nil {
		tb.Fatal(err)
	}
	return in
}

// vector holds under some versions of the function.
type vector struct {
	Now    string
	Input  json.RawMessage
	Expect map[status.Version]map[string]string
}

func (v *vector) check(t *testing.T, name string) {
	t.Helper()
	in := records(t, string(v.Input))
	for version, want := range v.Expect {
		if got := statuses(t, in, version, v.Now); !maps.Equal(got, want) {
			t.Errorf("%s, version %s: %v, want %v", name, version, got, want)
		}
	}
}

// vectors are those of all versions and those of version 2 alone.
func vectors(t *testing.T) []vector {
	all := vectortest.Parts[vector](t, "testdata/status-v4.jsonl.gz")
	for _, v := range vectortest.Parts[struct {
		Now    string
		Input  json.RawMessage
		Expect struct{ StatusByClaimID map[string]string }
	}](t, "testdata/status.jsonl.gz") {
		all = append(all, vector{v.Now, v.Input, map[status.Version]map[string]string{status.Version2: v.Expect.StatusByClaimID}})
	}
	return all
}

func TestVectors(t *testing.T) {
	seen := map[status.Version]map[string]bool{}
	for n, v := range vectors(t) {
		v.check(t, fmt.Sprint("vector ", n))
		for version, want := range v.Expect {
			if seen[version] == nil {
				seen[version] = map[string]bool{}
			}
			for _, s := range want {
				seen[version][s] = true
			}
		}
	}
	for _, version := range status.Versions() {
		if len(seen[version]) != len(bundle.Statuses()) {
			t.Errorf("version %s: the vectors reach only %v", version, slices.Sorted(maps.Keys(seen[version])))
		}
	}
}

// The vectors of the format, of this release and of that before.
func TestConformance(t *testing.T) {
	folder := vectortest.Data(t, "vectors", "hachure")
	for release, want := range map[string]map[status.Version]int{".": {status.Version2: 9}, "0.18": {status.Version2: 14, status.Version3: 22, status.Version4: 24}} {
		held := map[status.Version]int{}
		files, err := filepath.Glob(filepath.Join(folder, release, "sf-*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no vectors: %v", err)
		}
		for _, file := range files {
			var v struct {
				Now                    string
				StatusFunctionVersions []status.Version
				Input                  json.RawMessage
				Expect                 struct{ StatusByClaimID map[string]string }
			}
			verifytest.Decode(t, verifytest.File(t, file), &v)
			if len(v.Expect.StatusByClaimID) == 0 {
				t.Errorf("%s expects nothing", file)
			}
			expect := map[status.Version]map[string]string{}
			for version := range want {
				if v.StatusFunctionVersions == nil || slices.Contains(v.StatusFunctionVersions, version) {
					expect[version] = v.Expect.StatusByClaimID
					held[version]++
				}
			}
			if len(expect) == 0 {
				t.Errorf("%s holds under no version", file)
			}
			(&vector{v.Now, v.Input, expect}).check(t, file)
		}
		if !maps.Equal(held, want) {
			t.Errorf("release %s: files by version %v, want %v", release, held, want)
		}
	}
}
