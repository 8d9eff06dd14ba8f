package cmd

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/vectortest"
	"github.com/model-catalog-service/svc/service/record"
)

// rawRow is a row of models.dev as its file has it: what a task of 20,000 and 3,000 tokens costs, if
// it costs anything, and what a person decided that it is.
type rawRow struct {
	id    string // provider/id
	cost  float64
	label *rowLabel
}

// rowLabel is what a person decided of a row.
type rowLabel struct {
	Source, Provider, ID, Maker, Model string
	Revision, Quantization             string
	Service                            []string
	Sure                               bool
}

// name is what the row calls its model, whatever the provider writes before it.
func (r *rawRow) name() string {
	return strings.ReplaceAll(strings.ToLower(r.id[strings.LastIndexByte(r.id, '/')+1:]), ".", "-")
}

// isKin reports whether two rows are one model: they call it the same, or a person says so. The
// only revision that has a score and the name as such are one.
func (r *rawRow) isKin(other *rawRow, isOnly bool) bool {
	a, b := r.label, other.label
	if a == nil || b == nil {
		return r.name() == other.name()
	}
	return a.Maker == b.Maker && a.Model == b.Model && a.Quantization == b.Quantization && (a.Revision == b.Revision || b.Revision == "" && isOnly)
}

// readRawRows reads the rows of a tree that cost something and are not deprecated, by nothing but
// the lines of their files, and the labels.
func readRawRows(t *testing.T, tree string) map[string]*rawRow {
	t.Helper()
	labels := map[string]*rowLabel{}
	for line := range strings.Lines(vectortest.DataText(t, "vectors", "identity-offers", "labels.jsonl")) {
		var l rowLabel
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Source == "models-dev" && l.Sure {
			labels[l.Provider+"/"+l.ID] = &l
		}
	}
	path := regexp.MustCompile(`/providers/([^/]+)/models/(.+)\.toml$`)
	cost := regexp.MustCompile(`(?s)\n\[cost\]\n([^\[]*)`)
	price := func(text, name string) float64 {
		found := regexp.MustCompile(`(?m)^` + name + `\s*=\s*([0-9._e-]+)`).FindStringSubmatch(text)
		if found == nil {
			return math.NaN()
		}
		v, err := strconv.ParseFloat(strings.ReplaceAll(found[1], "_", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	rows := map[string]*rawRow{}
	for files := tar.NewReader(strings.NewReader(vectortest.DataText(t, "data", tree))); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		name := path.FindStringSubmatch(header.Name)
		if name == nil {
			continue
		}
		text, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		table := cost.FindStringSubmatch("\n" + string(text))
		if table == nil || strings.Contains(string(text), "\nstatus = \"deprecated\"") {
			continue
		}
		id := name[1] + "/" + name[2]
		row := &rawRow{id, (20_000*price(table[1], "input") + 3_000*price(table[1], "output")) / 1e6, labels[id]}
		if row.cost > 0 && (row.label == nil || len(row.label.Service) == 0) {
			rows[id] = row
		}
	}
}

// Each candidate of a question by a score and the cost stands at the cheapest of all who sell its
// model, by the raw rows of the list and what a person decided which of them are one model.
func TestCheapestOfAllSellers(t *testing.T) {
	vectortest.SkipLong(t)
	const tree = "models-dev/tree.2026-07-01.f3fc6922.tar"
	rows := readRawRows(t, tree)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, f := range append(slices.Clone(modelsSources[0].files), modelsSources[2].files...) {
		source, _, _ := strings.Cut(f.name, "/")
		writeFile(t, in(filepath.Base(f.name)), []byte(vectortest.DataText(t, "data", f.name)))
		mustSvc(t, "sources", "pin", source, "--replace", "--url", f.url, "--fetched-at", f.fetchedAt, in(filepath.Base(f.name)))
	}
	list, table, categories := in(filepath.Base(tree)), in("table_2026_01_08.csv"), in("categories_2026_01_08.json")
	mustSvc(t, "import", "models-dev", list, "-o", in("offers.jsonl"))
	mustSvc(t, "sources", "propose", "livebench", table, categories, "--against", list, "--accept", "all", "--runtime", "vendor", "--valid-until", "2027-01-01", "-o", in("mapping.json"))
	mustSvc(t, "import", "livebench", table, categories, "--mapping", in("mapping.json"), "-o", in("scores.jsonl"))
	mustSvc(t, "compile", in("offers.jsonl"), in("scores.jsonl"), "--as-of", "2026-07-02", "-o", in("catalog.json"))
	var result record.RankResult
	answer := mustSvc(t, "rank", "--catalog", in("catalog.json"), "--maximize", "livebench.coding.score", "--cheapest", "--output", "json")
	if err := json.Unmarshal([]byte(answer), &result); err != nil {
		t.Fatal(err)
	}
	revisions := map[string][]record.Text{} // that have a score
	for _, c := range result.Ranked {
		if of := revisions[c.Model.ID]; !slices.Contains(of, c.Model.Revision) {
			revisions[c.Model.ID] = append(of, c.Model.Revision)
		}
	}
	checked, labelled, sellers := 0, map[string]bool{}, 0
	for _, c := range result.Ranked {
		if c.Execution.Runtime.ID == "" { // nobody sells it
			continue
		}
		at := offeredRow(&c)
		own := rows[at]
		if own == nil || math.Abs(own.cost-c.Cost.USDPerTask) > 1e-9 {
			t.Errorf("%s costs %v at %s, whose row says %+v", c.CandidateID, c.Cost.USDPerTask, at, own)
			continue
		}
		checked++
		for _, other := range rows {
			if !own.isKin(other, len(revisions[c.Model.ID]) == 1) || strings.Contains(other.id, "/stealth/") { // which is nobody's word
				continue
			}
			sellers++
			if other.label != nil {
				labelled[other.id] = true
			}
			if other.cost < own.cost-1e-9 {
				t.Errorf("%s costs %v at %s, and %v at %s", c.CandidateID, own.cost, at, other.cost, other.id)
			}
		}
	}
	t.Logf("%d candidates, %d rows of their sellers, %d labels", checked, sellers, len(labelled))
	if checked < 120 || sellers < 1000 || len(labelled) < 35 {
		t.Errorf("%d candidates, %d rows of their sellers, %d labels: there are more", checked, sellers, len(labelled))
	}
}

// offeredRow returns the row of models.dev that a candidate's price is of.
func offeredRow(c *record.RankCandidate) string {
	for _, e := range c.Evidence {
		for _, id := range e.EvidenceIDs {
			if row, isPrice := strings.CutPrefix(id, "models-dev:"); isPrice {
				row, _, _ = strings.Cut(row, "#")
				return row
			}
		}
	}
	return ""
}
