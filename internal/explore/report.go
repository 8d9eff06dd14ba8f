package explore

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/printable"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file writes a report: the page, its script, its style and its data as one HTML
// file. The data are gzip in base64, which the worker unpacks:
//
//	{ "snapshot": ..., "diff": ..., "requests": [{ "name", "request" }], "answers": [result],
//	  "values": { "profiles": { <candidate as canonical JSON>: number },
//	              "series": { <list of key, task family and aggregation>: { number: value } } } }
//
// Of offers (see compare.Offers) samples are also there as they are lent to them: the list of
// such a series has "lent" at its end.

// Bounds of a report.
const (
	DefaultMaxReportBytes = 32 << 20
	MaxReportSnapshot     = 64 << 20 // bytes of the snapshot in it

	// maxComparisons is how often a report may compare a candidate with an observation of
	// the models of its id, or look for the value of a series. A list of 5,000 offers takes 272,000.
	maxComparisons = 60_000_000
)

// ReportOptions are the settings of a report.
type ReportOptions struct {
	Title    string // "Model catalog" if empty
	Version  string // of the program, for the foot
	MaxBytes int    // 0 for the default; a larger report is refused
}

// TooLargeError is the refusal of a report that would be larger than allowed.
type TooLargeError struct{ Message string }

func (e *TooLargeError) Error() string { return e.Message }

// WriteReport writes a report of a catalog. Its bytes depend on the catalog, the extras
// but for the name of the file, and the options alone.
func WriteReport(ctx context.Context, w io.Writer, c *catalog.Catalog, extras Extras, opts ReportOptions) error {
	snapshot := c.Serialize()
	if len(snapshot) > MaxReportSnapshot {
		return &TooLargeError{fmt.Sprintf("the catalog has %s, a report takes at most %s: use svc explore",
			quantity.Count(len(snapshot), "byte"), quantity.Number(MaxReportSnapshot))}
	}
	data, err := reportData(ctx, c, snapshot, extras)
	if err != nil {
		return err
	}
	if opts.Title == "" {
		opts.Title = "Model catalog"
	}
	if opts.MaxBytes == 0 {
		opts.MaxBytes = DefaultMaxReportBytes
	}
	text := reportPage(c, data, opts)
	if len(text) > opts.MaxBytes {
		return &TooLargeError{fmt.Sprintf("the report would have %s, more than the %s that are allowed",
			quantity.Count(len(text), "byte"), quantity.Number(float64(opts.MaxBytes)))}
	}
	_, err = w.Write(text)
	return err
}

func reportData(ctx context.Context, c *catalog.Catalog, snapshot string, extras Extras) ([]byte, error) {
	extras.CatalogFile = ""
	text, err := extras.json()
	if err != nil {
		return nil, err
	}
	ranker, err := v3.New(c)
	if err != nil {
		return nil, err
	}
	answers := []json.RawMessage{}
	for _, q := range extras.Requests {
		result, err := ranker.Rank(ctx, q.Request, 0)
		if err != nil {
			return nil, err
		}
		answer, err := result.AppendJSON(nil, 0)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	values, err := reportValues(ctx, c, ranker)
	if err != nil {
		return nil, err
	}
	more, err := json.Marshal(map[string]any{"answers": answers, "values": values})
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for _, part := range [][]byte{text[:len(text)-1], []byte(","), more[1 : len(more)-1], []byte(`,"snapshot":`),
		[]byte(snapshot), []byte("}")} {
		_, _ = z.Write(part) // a buffer takes everything
	}
	err = z.Close()
	return packed.Bytes(), err
}

// values are what Plot shows: of every candidate, for every numeric key, task family and
// aggregation, what an advisory would say.
type values struct {
	Profiles map[string]int           `json:"profiles"`
	Series   map[string]map[int]value `json:"series"`
}

type value struct {
	Status   string         `json:"status"`
	Value    *record.Scalar `json:"value"`
	Unit     record.Text    `json:"unit"`
	Estimate *v3.Estimate   `json:"estimate"`
}

// series is a key, a task family, empty for every task, and an aggregation.
type series struct {
	key, family, aggregation string
	isLent                   bool // over all but the condition
}

func (s series) name() string {
	list := []string{s.key, s.family, s.aggregation}
	if s.isLent {
		list = append(list, "lent")
	}
	return string(canonical.MustMarshal(list))
}

// reportValues evaluates all series for all candidates.
func reportValues(ctx context.Context, c *catalog.Catalog, ranker *v3.Ranker) (*values, error) {
	list, keys := allSeries(c)
	out := &values{Profiles: map[string]int{}, Series: map[string]map[int]value{}}
	candidates := allCandidates(c, list, out.Profiles)
	if n := comparisons(c, list, keys, candidates); n > maxComparisons {
		return nil, &TooLargeError{fmt.Sprintf("the report would take %d million comparisons of %d candidates, more than "+
			"%d million: use svc explore",
			n/1_000_000, len(candidates), maxComparisons/1_000_000)}
	}
	if err := out.evaluate(ctx, ranker, list, keys, candidates); err != nil {
		return nil, err
	}
	// What an offer has is direct or was measured elsewhere: only that is lent.
	list = slices.DeleteFunc(list, func(s series) bool { return s.aggregation == string(record.Fact) })
	for i := range list {
		list[i].isLent = true
	}
	candidates = slices.DeleteFunc(candidates, func(c candidateJSON) bool { return !c.isOffer })
	if err := out.evaluate(ctx, ranker, list, keys, candidates); err != nil {
		return nil, err
	}
	return out, nil
}

// comparisons is how often candidates are compared with the observations of the models of
// their ids, which may have many revisions, and with the series of their keys.
func comparisons(c *catalog.Catalog, list []series, keys keysOfModels, candidates []candidateJSON) (n int) {
	ofKey := map[string]int{}
	for _, s := range list {
		ofKey[s.key]++
	}
	ofModel := map[string]int{}
	for id, keys := range keys {
		for key := range keys {
			ofModel[id] += ofKey[key]
		}
	}
	observations := map[string]int{}
	for i := range c.Models() {
		m := &c.Models()[i]
		observations[m.Identity.ID] += len(m.Observations)
	}
	for i := range candidates {
		cost := observations[candidates[i].Model.ID] + ofModel[candidates[i].Model.ID]
		if candidates[i].isOffer {
			cost *= 2 // as it is, and lent
		}
		n += cost
	}
	return n
}

// allCandidates returns the candidates of every set of the keys: those of a set are among
// those of its keys. Numbers gets the place of each.
func allCandidates(c *catalog.Catalog, list []series, numbers map[string]int) (candidates []candidateJSON) {
	byText := map[string]candidateJSON{}
	var keys []string
	for _, s := range list {
		keys = append(keys, s.key)
	}
	for _, found := range compare.CandidatesOfEach(c, keys) {
		var e canonical.Encoder
		catalog.EncodeProfile(&e, &found.Execution)
		candidate := candidateJSON{Model: found.Model, Execution: json.RawMessage(e.Buf)}
		text := string(canonical.MustMarshal(candidate))
		candidate.isOffer = found.IsOffer || byText[text].isOffer
		byText[text] = candidate
	}
	for i, text := range slices.SortedFunc(maps.Keys(byText), canonical.CompareText) {
		candidate := byText[text]
		numbers[text], candidate.ID = i, strconv.Itoa(i)
		candidates = append(candidates, candidate)
	}
	return candidates
}

// candidateJSON is a candidate as rank requests have it.
type candidateJSON struct {
	ID        string          `json:"id,omitempty"`
	Model     record.Model    `json:"model"`
	Execution json.RawMessage `json:"execution"`
	isOffer   bool
}

type shownJSON struct {
	ID             string            `json:"id"`
	MeasurementKey string            `json:"measurementKey"`
	Aggregation    string            `json:"aggregation"`
	Direction      string            `json:"direction"`
	Weight         float64           `json:"weight"` // 0: shown, not scored
	Task           map[string]string `json:"task,omitempty"`
	Transfer       []string          `json:"transfer,omitempty"`
	Resolve        []string          `json:"resolve,omitempty"`
}

// evaluate asks for the series of all candidates by rank requests, as many at once as one may have.
// Nothing is known of a candidate under a key that no model of its id has, so candidates of one id
// come together and are asked about their keys alone: a catalog in which each model has keys of its
// own has as many series as candidates.
func (v *values) evaluate(ctx context.Context, ranker *v3.Ranker, list []series, keys keysOfModels,
	candidates []candidateJSON) error {
	const atOnce, candidatesAtOnce = 8, 128
	numbers := map[string][]int{} // of the series, by key
	for i, s := range list {
		numbers[s.key] = append(numbers[s.key], i)
	}
	candidates = slices.Clone(candidates)
	slices.SortStableFunc(candidates, func(a, b candidateJSON) int { return strings.Compare(a.Model.ID, b.Model.ID) })
	for some := range slices.Chunk(candidates, candidatesAtOnce) {
		wanted := map[int]bool{}
		for i := range some {
			if i > 0 && some[i].Model.ID == some[i-1].Model.ID {
				continue
			}
			for key := range keys[some[i].Model.ID] {
				for _, n := range numbers[key] {
					wanted[n] = true
				}
			}
		}
		for part := range slices.Chunk(slices.Sorted(maps.Keys(wanted)), atOnce) {
			asked := make([]series, len(part))
			for i, n := range part {
				asked[i] = list[n]
			}
			if err := v.ask(ctx, ranker, asked, some); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask asks for some series of some candidates.
func (v *values) ask(ctx context.Context, ranker *v3.Ranker, list []series, candidates []candidateJSON) error {
	shown, names := make([]shownJSON, len(list)), make([]string, len(list))
	for i, s := range list {
		names[i] = s.name()
		shown[i] = shownJSON{Direction: "maximize", ID: string(rune('a' + i)), MeasurementKey: s.key,
			Aggregation: s.aggregation}
		if s.family != "" {
			shown[i].Task = map[string]string{"family": s.family}
		}
		if s.isLent {
			shown[i].Transfer, shown[i].Resolve = v3.DraftTransfer(), v3.DraftResolve()
		}
	}
	request, err := v3.ReadRequest(problem.Source{Text: string(canonical.MustMarshal(map[string]any{
		"schemaVersion": v3.RequestSchema, "inventory": candidates, "preferences": shown, "minimumCoverage": 0,
	}))})
	if err != nil {
		return err
	}
	result, err := ranker.Rank(ctx, request, 0)
	if err != nil {
		return err
	}
	for _, candidate := range result.Outcomes() {
		number, err := strconv.Atoi(candidate.CandidateID)
		if err != nil {
			return err
		}
		for k, cell := range candidate.Cells {
			if cell.Status == "missing" {
				continue
			}
			if v.Series[names[k]] == nil {
				v.Series[names[k]] = map[int]value{}
			}
			out := value{Status: advisoryStatus(cell.Status), Unit: record.Text(cell.Unit), Estimate: cell.Estimate}
			if cell.Value.Kind != 0 {
				out.Value = &cell.Value
			}
			v.Series[names[k]][number] = out
		}
	}
	return nil
}

// advisoryStatus is what an advisory calls a status.
func advisoryStatus(status string) string {
	switch status {
	case "ok":
		return "present"
	case "conflict":
		return "conflicting"
	}
	return status
}

// allSeries returns the series of a catalog, in order: those of keys with numbers that
// hold, of each task family and of all together.
func allSeries(c *catalog.Catalog) (list []series, keysOf keysOfModels) {
	type found struct {
		fact, numeric bool
		families      map[string]bool
	}
	keys, keysOf := map[string]*found{}, keysOfModels{}
	records := catalog.NewRecordReader()
	for _, m := range c.Models() {
		for _, o := range m.Observations {
			rec := records.Read(o)
			for i := range rec.Measurements {
				measured := &rec.Measurements[i]
				k := keys[measured.Key]
				if k == nil {
					k = &found{families: map[string]bool{}}
					keys[strings.Clone(measured.Key)] = k
				}
				if keysOf[m.Identity.ID] == nil {
					keysOf[m.Identity.ID] = map[string]bool{}
				}
				if !keysOf[m.Identity.ID][measured.Key] {
					keysOf[m.Identity.ID][strings.Clone(measured.Key)] = true
				}
				k.fact = k.fact || measured.Kind == record.Fact
				k.numeric = k.numeric || measured.Value.Kind == '0' && rec.Freshness.HoldsAt(record.Timestamp(c.AsOf()))
				if rec.Task.Family != "" {
					k.families[strings.Clone(rec.Task.Family)] = true
				}
			}
		}
	}
	for key, k := range keys {
		if !k.numeric {
			continue
		}
		ways := []string{"mean", "min", "max"}
		if k.fact {
			ways = []string{"fact"}
		}
		k.families[""] = true
		for family := range k.families {
			for _, way := range ways {
				list = append(list, series{key: key, family: family, aggregation: way})
			}
		}
	}
	slices.SortFunc(list, func(a, b series) int { return canonical.CompareText(a.name(), b.name()) })
	return list, keysOf
}

// keysOfModels are the measurement keys of models by the ids of these.
type keysOfModels map[string]map[string]bool

// reportPage lays the file out.
func reportPage(c *catalog.Catalog, data []byte, opts ReportOptions) []byte {
	var b bytes.Buffer
	b.Grow(len(script) + len(style) + base64.StdEncoding.EncodedLen(len(data)) + 1<<16)
	title := plainHTML(opts.Title)
	fmt.Fprintf(&b, `<!doctype html>
<html lang="en" data-title="%s">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src %s; style-src %s; img-src data:; worker-src blob:; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<style>`, title, hashSource(script), hashSource(style), title)
	b.Write(style)
	fmt.Fprintf(&b, `</style>
</head>
<body>
<header><div>
<span class="brand">%s</span>
<nav id="tabs" aria-label="Screens"></nav>
<span id="asof"></span>
</div></header>
<div id="other" role="status" hidden></div>
<main id="main"><noscript>
`, title)
	writePlain(&b, c, title)
	b.WriteString("</noscript></main>\n<div id=\"said\" class=\"away\" role=\"status\" " +
		"aria-live=\"polite\"></div>\n<script type=\"application/octet-stream\" id=\"data\">")
	b.WriteString(base64.StdEncoding.EncodeToString(data))
	fmt.Fprintf(&b, "</script>\n<footer>Catalog %s as of %s, written by svc %s.</footer>\n<script>", c.Digest(), c.AsOf(),
		html.EscapeString(opts.Version))
	b.Write(script)
	b.WriteString("</script>\n</body>\n</html>\n")
	return b.Bytes()
}

// plainHTML is a text in HTML, without characters that nobody sees or that turn its direction.
func plainHTML(text string) string { return html.EscapeString(printable.Text(text)) }

// writePlain writes what a browser shows that runs no script: the models and the facts
// that hold.
func writePlain(b *bytes.Buffer, c *catalog.Catalog, title string) {
	fmt.Fprintf(b, "<h1>%s</h1>\n<p>Catalog %s as of %s. The facts that hold, of each model:</p>\n<table>\n", title,
		c.Digest(), c.AsOf())
	models := slices.Clone(c.Models())
	slices.SortStableFunc(models, func(x, y catalog.ModelEntry) int {
		return canonical.CompareText(x.Identity.ID, y.Identity.ID)
	})
	records := catalog.NewRecordReader()
	for _, m := range models {
		facts := map[string]bool{}
		for _, o := range m.Observations {
			rec := records.Read(o)
			if !rec.Freshness.HoldsAt(record.Timestamp(c.AsOf())) {
				continue
			}
			for _, measured := range rec.Measurements {
				if measured.Kind == record.Fact {
					text, unit := compare.ValueText(record.StatedValue{Value: measured.Value, Unit: record.Text(measured.Unit)})
					facts[strings.TrimSpace(measured.Key+" "+text+" "+unit)] = true
				}
			}
		}
		list := make([]string, 0, len(facts))
		for fact := range facts {
			list = append(list, "<bdi>"+plainHTML(fact)+"</bdi>")
		}
		slices.Sort(list)
		fmt.Fprintf(b, "<tr><th scope=\"row\"><bdi>%s</bdi></th><td>%s</td></tr>\n", plainHTML(m.Identity.Name()),
			strings.Join(list, "<br>"))
	}
	b.WriteString("</table>\n")
}
