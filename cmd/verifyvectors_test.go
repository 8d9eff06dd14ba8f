package cmd

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/internal/verify/bundle"
	"github.com/model-catalog-service/svc/internal/verify/merge"
	"github.com/model-catalog-service/svc/internal/verify/status"
)

// statusVector are the statuses of a bundle by version of the status function.
type statusVector struct {
	Now    string
	Input  json.RawMessage
	Expect map[string]map[string]string
}

// statusVectors returns the vectors of the format and those of another implementation
// whose bundles can be held: whose ids resolve and whose times can be read.
func statusVectors(t *testing.T) (list []statusVector) {
	folder := vectortest.Data(t, "vectors")
	for line := range bytes.Lines([]byte(vectortest.DataText(t, "vectors", "status", "status-v4.jsonl"))) {
		list = append(list, decode[statusVector](t, line))
	}
	type oneExpectation struct {
		Now                    string
		StatusFunctionVersions []string
		Input                  json.RawMessage
		Expect                 struct{ StatusByClaimID map[string]string }
	}
	add := func(text []byte, versions ...string) {
		v := decode[oneExpectation](t, text)
		expect := map[string]map[string]string{}
		for _, version := range versions {
			if v.StatusFunctionVersions == nil || slices.Contains(v.StatusFunctionVersions, version) {
				expect[version] = v.Expect.StatusByClaimID
			}
		}
		list = append(list, statusVector{v.Now, v.Input, expect})
	}
	for line := range bytes.Lines([]byte(vectortest.DataText(t, "vectors", "status", "status.jsonl"))) {
		add(line, "2")
	}
	for release, versions := range map[string][]string{"hachure": {"2"}, "hachure/0.18": {"2", "3", "4"}} {
		files, err := filepath.Glob(filepath.Join(folder, release, "sf-*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no vectors: %v", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			check(t, err)
			add(text, versions...)
		}
	}
	return slices.DeleteFunc(list, func(v statusVector) bool {
		_, err := bundle.Read(problem.Source{Text: string(v.Input)})
		return err != nil
	})
}

// What svc verify prints before an answer is what the vectors expect, under every version
// that they name, and so is what it prints after an answer that has what is held; but
// merging sorts events, of which the first counts if they are of one instant.
func TestStatusVectorsThroughVerify(t *testing.T) {
	vectortest.SkipRace(t)
	folder := t.TempDir()
	held, answer := filepath.Join(folder, "held.json"), filepath.Join(folder, "answer.json")
	perVersion := map[string]int{}
	for n, v := range statusVectors(t) {
		check(t, os.WriteFile(held, v.Input, 0o644))
		end := bytes.LastIndexByte(v.Input, '}')
		check(t, os.WriteFile(answer, append(v.Input[:end:end],
			`,"metadata":{"respondedAt":"","statusFunctionVersion":"4","requestedRefs":[],"unknownRefs":[]}}`...), 0o644))
		for version, want := range v.Expect {
			code, stdout, stderr := svc(nil, "verify", "--bundle", held, "--response", answer, "--now", v.Now, "--status-function-version", version, "--output", "json")
			var receipt struct {
				Version string `json:"statusFunctionVersion"`
				Claims  []struct{ ID, Before, After string }
			}
			if err := json.Unmarshal([]byte(stdout), &receipt); err != nil || code != 0 || receipt.Version != version {
				t.Fatalf("vector %d, version %s: exit %d, %s\n%s\n%v", n, version, code, stdout, stderr, err)
			}
			before, after := map[string]string{}, map[string]string{}
			for _, c := range receipt.Claims {
				before[c.ID], after[c.ID] = c.Before, c.After
			}
			if merged := mergedStatuses(t, v, version); !maps.Equal(before, want) || !maps.Equal(after, merged) {
				t.Errorf("vector %d, version %s: before %v, after %v, want %v, %v", n, version, before, after, want, merged)
			}
			perVersion[version]++
		}
	}
	for _, version := range status.Versions() {
		if perVersion[string(version)] < 20 {
			t.Errorf("only %d vectors of version %s can be held", perVersion[string(version)], version)
		}
	}
	t.Logf("vectors by version: %v", perVersion)
}

// mergedStatuses derives the statuses of a bundle that was merged.
func mergedStatuses(t *testing.T, v statusVector, version string) map[string]string {
	t.Helper()
	raw, err := bundle.ReadRaw(problem.Source{Text: string(v.Input)})
	check(t, err)
	merged, _, err := merge.Bundles(raw)
	check(t, err)
	in, err := merged.StatusInput()
	check(t, err)
	function, err := status.New(status.Version(version), v.Now)
	check(t, err)
	byID := map[string]string{}
	for _, s := range function.Derive(in) {
		byID[s.ID] = string(s.Status)
	}
	return byID
}
