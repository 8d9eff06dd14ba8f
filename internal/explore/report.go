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
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/compare"
	"github.com/model-catalog-service/svc/internal/printable"
	"github.com/model-catalog-service/svc/internal/quantity"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// This file writes a report: the page, its script, its style and its data as one HTML
// file. The data are gzip in base64, which the worker unpacks:
//
//	{ "index": ..., "models": { <key>: what is known of it }, "plots": { <two keys>: points },
//	  "diff": ..., "requests": [{ "name", "request" }], "answers": [{ "because", "result" }] }

// Bounds of a report.
const (
	DefaultMaxReportBytes = 32 << 20
	MaxReportSnapshot     = 64 << 20 // bytes of the snapshot in it
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
	if n := len(c.Serialize()); n > MaxReportSnapshot {
		return &TooLargeError{fmt.Sprintf("the catalog has %s, a report takes at most %s: use svc explore",
			quantity.Count(n, "byte"), quantity.Number(MaxReportSnapshot))}
	}
	data, plain, err := reportData(ctx, c, extras)
	if err != nil {
		return err
	}
	if opts.Title == "" {
		opts.Title = "Model catalog"
	}
	if opts.MaxBytes == 0 {
		opts.MaxBytes = DefaultMaxReportBytes
	}
	text := reportPage(c, data, plain, opts)
	if len(text) > opts.MaxBytes {
		return &TooLargeError{fmt.Sprintf("the report would have %s, more than the %s that are allowed",
			quantity.Count(len(text), "byte"), quantity.Number(float64(opts.MaxBytes)))}
	}
	_, err = w.Write(text)
	return err
}

// reportData returns the packed data of a report, and its answers and sources as HTML.
func reportData(ctx context.Context, c *catalog.Catalog, extras Extras) (data, plain []byte, err error) {
	extras.CatalogFile = ""
	text, err := extras.json()
	if err != nil {
		return nil, nil, err
	}
	ranker, err := v3.New(c)
	if err != nil {
		return nil, nil, err
	}
	var static bytes.Buffer
	answers := []json.RawMessage{}
	for _, q := range extras.Requests {
		result, err := q.rank(ctx, ranker, extras.Build)
		if err != nil {
			return nil, nil, err
		}
		answer, err := appendAnswer([]byte(`{`), result, 0)
		if err != nil {
			return nil, nil, err
		}
		answers = append(answers, answer)
		writeAnswer(&static, &answered{q.Name, result})
	}
	x, err := newIndex(ctx, ranker)
	if err != nil {
		return nil, nil, err
	}
	writeSources(&static, x, &extras)
	plots, err := plotsOf(ctx, ranker, x)
	if err != nil {
		return nil, nil, err
	}
	models, details := map[string]json.RawMessage{}, newDetails(c, x)
	for key := range details.rows {
		models[key] = details.of(key)
	}
	more, err := json.Marshal(map[string]any{"answers": answers, "index": x, "models": models, "plots": plots})
	if err != nil {
		return nil, nil, err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for _, part := range [][]byte{text[:len(text)-1], []byte(","), more[1:]} {
		_, _ = z.Write(part) // a buffer takes everything
	}
	err = z.Close()
	return packed.Bytes(), static.Bytes(), err
}

// rank ranks a request with what its question leaves out.
func (q *Request) rank(ctx context.Context, ranker *v3.Ranker, build *record.CatalogBuild) (*v3.Ranking, error) {
	request := q.Request
	if q.Question != nil {
		var err error
		if request, err = draft(ranker, q.Question, build); err != nil {
			return nil, err
		}
	}
	return ranker.Rank(ctx, request, 0)
}

// reportPage lays the file out.
func reportPage(c *catalog.Catalog, data, plain []byte, opts ReportOptions) []byte {
	var b bytes.Buffer
	b.Grow(len(script) + len(style) + base64.StdEncoding.EncodedLen(len(data)) + 1<<16)
	title := plainHTML(opts.Title)
	fmt.Fprintf(&b, `<!doctype html>
<html lang="en" data-title="%s">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src %s; `+
		`style-src %s; img-src data:; worker-src blob:; base-uri 'none'; form-action 'none'">
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
	fmt.Fprintf(&b, "<h1>%s</h1>\n", title)
	b.Write(plain)
	writePlain(&b, c)
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
func writePlain(b *bytes.Buffer, c *catalog.Catalog) {
	fmt.Fprintf(b, "<h2>Models</h2>\n<p>Catalog %s as of %s. The facts that hold, of each model:</p>\n<table>\n",
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
