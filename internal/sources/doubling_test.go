package sources_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/sources/aider"
	"github.com/model-catalog-service/svc/internal/sources/genaiprices"
	"github.com/model-catalog-service/svc/internal/sources/identity"
	"github.com/model-catalog-service/svc/internal/sources/litellm"
	"github.com/model-catalog-service/svc/internal/sources/livebench"
	"github.com/model-catalog-service/svc/internal/sources/lmeval"
	"github.com/model-catalog-service/svc/internal/sources/modelsdev"
	"github.com/model-catalog-service/svc/internal/sources/openrouter"
	"github.com/model-catalog-service/svc/internal/sources/resolver"
	"github.com/model-catalog-service/svc/internal/sources/sourcetest"
	"github.com/model-catalog-service/svc/internal/vectortest"
)

// repeat writes n texts, the number of each in place of its verbs, with something between
// them.
func repeat(n int, between, text string) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = strings.ReplaceAll(text, "%d", fmt.Sprint(i))
	}
	return strings.Join(texts, between)
}

// tree is a tar of n files, by name and text.
func tree(b *testing.B, n int, name, text string) string {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := range n {
		text := strings.ReplaceAll(text, "%d", fmt.Sprint(i))
		h := &tar.Header{Name: strings.ReplaceAll(name, "%d", fmt.Sprint(i)), Size: int64(len(text)), Mode: 0o644, ModTime: time.Unix(1_780_000_000, 0), Typeflag: tar.TypeReg}
		if target, isLink := strings.CutPrefix(text, "-> "); isLink {
			h.Typeflag, h.Linkname, h.Size, text = tar.TypeSymlink, target, 0, ""
		}
		if err := w.WriteHeader(h); err != nil {
			b.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return out.String()
}

// BenchmarkDoubling imports files that are large in one way each.
func BenchmarkDoubling(b *testing.B) {
	const day = "2026-07-01T00:00:00.000Z"
	v1 := func(a sources.Adapter, entry string) func(b *testing.B, files []sources.File) problem.Source {
		return func(b *testing.B, files []sources.File) problem.Source {
			rows, err := sourcetest.Rows(b, a, files...)
			if err != nil {
				b.Fatal(err)
			}
			return sourcetest.Mapping(a.Source(), entry, rows...)
		}
	}
	const scored = `{"model":{"id":"%ROW%","revision":null,"quantization":null},"runtime":{"id":"r","version":null},"workflowCondition":"c","validUntil":"2027-01-01T00:00:00.000Z"}`
	var (
		litellmURL = priceSources[1].url
		genaiURL   = priceSources[2].url
		treeURL    = priceSources[0].url
	)
	one := func(source, url string, body func(b *testing.B, n int) string) func(b *testing.B, n int) []sources.File {
		return func(b *testing.B, n int) []sources.File {
			return []sources.File{sourcetest.Pin(b, source, url, day, body(b, n))}
		}
	}
	text := func(before, between, row, after string) func(*testing.B, int) string {
		return func(_ *testing.B, n int) string { return before + repeat(n, between, row) + after }
	}
	const offers = `{"id":"p/m%d","canonical_slug":"p/m%d","context_length":%d,"pricing":{"prompt":"0.00000%d","completion":"0.1"}}`
	for _, test := range []struct {
		name    string
		adapter sources.Adapter
		files   func(b *testing.B, n int) []sources.File
		mapping func(b *testing.B, files []sources.File) problem.Source
	}{
		{"openrouter/models", openrouter.New(), one(openrouter.Source, modelsURL, text(`{"data":[`, ",", offers, `]}`)), nil},
		{"openrouter/overrides", openrouter.New(), one(openrouter.Source, modelsURL, text(
			`{"data":[{"id":"p/m","pricing":{"prompt":"0.000001","overrides":[`, ",", `{"min_prompt_tokens":1%d,"prompt":"0.000001"}`, `]}}]}`)), nil},
		{"openrouter/parameters", openrouter.New(), one(openrouter.Source, modelsURL, text(`{"data":[{"id":"p/m","context_length":5,"supported_parameters":[`, ",", `"x%d"`, `]}]}`)), nil},
		{"openrouter/captures", openrouter.New(), func(b *testing.B, n int) (files []sources.File) {
			for i := range n / 2 {
				at := time.Date(2026, 7, 1, 0, 0, i, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
				files = append(files, sourcetest.Pin(b, openrouter.Source, modelsURL, at, fmt.Sprintf(`{"data":[{"id":"p/m","context_length":%d}]}`, 1+i)))
			}
			return files
		}, nil},
		{"litellm/rows", litellm.New(), one(litellm.Source, litellmURL, text(`{`, ",", `"openai/m%d":{"litellm_provider":"openai","mode":"chat","max_input_tokens":%d,"input_cost_per_token":1e-6}`, `}`)), nil},
		{"litellm/rows of one offer", litellm.New(), one(litellm.Source, litellmURL, func(_ *testing.B, n int) string {
			return `{` + repeat(n/2+1, ",", `"openai/m%d":{"litellm_provider":"openai","mode":"chat","input_cost_per_token":1e-6},"m%d":{"litellm_provider":"openai","mode":"chat","input_cost_per_token":2e-6}`) + `}`
		}), nil},
		{"litellm/a repeated key", litellm.New(), one(litellm.Source, litellmURL, text(`{`, ",", `"openai/m":{"litellm_provider":"openai","mode":"chat","max_input_tokens":%d}`, `}`)), nil},
		{"litellm/bands", litellm.New(), one(litellm.Source, litellmURL, text(`{"openai/m":{"litellm_provider":"openai","mode":"chat","input_cost_per_token":1e-6,`, ",", `"input_cost_per_token_above_1%dk_tokens":2e-6`, `}}`)), nil},
		{"genai-prices/models", genaiprices.New(), one(genaiprices.Source, genaiURL, text(`[{"id":"p","models":[`, ",", `{"id":"m%d","match":{"equals":"m%d"},"prices":{"input_mtok":1}}`, `]}]`)), nil},
		{"genai-prices/providers", genaiprices.New(), one(genaiprices.Source, genaiURL, text(`[`, ",", `{"id":"p%d","models":[{"id":"m","match":{"equals":"m"},"prices":{"input_mtok":1}}]}`, `]`)), nil},
		{"genai-prices/clauses", genaiprices.New(), one(genaiprices.Source, genaiURL, text(`[{"id":"p","models":[{"id":"m","match":{"or":[`, ",", `{"equals":"m%d"}`, `]},"prices":{"input_mtok":1}}]}]`)), nil},
		{"genai-prices/tiers", genaiprices.New(), one(genaiprices.Source, genaiURL, text(`[{"id":"p","models":[{"id":"m","match":{"equals":"m"},"prices":{"input_mtok":{"base":1,"tiers":[`, ",", `{"start":1%d,"price":2}`, `]}}}]}]`)), nil},
		{"genai-prices/times", genaiprices.New(), one(genaiprices.Source, genaiURL, text(`[{"id":"p","models":[{"id":"m","match":{"equals":"m"},"prices":[{"prices":{"input_mtok":1}},`, ",",
			`{"constraint":{"start_date":"2026-02-01"},"prices":{"input_mtok":1%d}}`, `]}]}]`)), nil},
		{"models.dev/files", modelsdev.New(), one(modelsdev.Source, treeURL, func(b *testing.B, n int) string {
			return tree(b, n, "top/providers/p/models/m%d.toml", "[cost]\ninput = 1\noutput = 2\n[limit]\ncontext = 1%d\n")
		}), nil},
		{"models.dev/providers", modelsdev.New(), one(modelsdev.Source, treeURL, func(b *testing.B, n int) string {
			return tree(b, n, "top/providers/p%d/models/m.toml", "[cost]\ninput = 1\noutput = 2\n")
		}), nil},
		{"models.dev/a chain of links", modelsdev.New(), one(modelsdev.Source, treeURL, func(b *testing.B, n int) string {
			return tree(b, n, "top/providers/p/models/m%d.toml", "-> m0.toml")
		}), nil},
		{"models.dev/tables", modelsdev.New(), one(modelsdev.Source, treeURL, func(b *testing.B, n int) string {
			return tree(b, 1, "top/providers/p/models/m.toml", "[cost]\ninput = 1\noutput = 2\n"+repeat(n, "", "[t%d.a]\nb = 1\n"))
		}), nil},
		{"models.dev/tiers", modelsdev.New(), one(modelsdev.Source, treeURL, func(b *testing.B, n int) string {
			return tree(b, 1, "top/providers/p/models/m.toml", "[cost]\ninput = 1\noutput = 2\n"+repeat(n, "", "[[cost.tiers]]\ninput=1\ntier={size=1%d}\n"))
		}), nil},
		{"aider/rows", aider.New(), one(aider.Source, "https://raw.githubusercontent.com/Aider-AI/aider/"+noCommit+"/aider/website/_data/polyglot_leaderboard.yml", text("", "",
			"- dirname: 2025-02-25-20-23-07--m%d\n  test_cases: 225\n  model: m%d\n  edit_format: diff\n  command: aider --model m%d\n  date: 2025-02-25\n  pass_rate_2: 35.6\n  pass_num_2: 80\n  total_tests: 225\n", "")),
			v1(aider.New(), `{"model":{"id":"m","revision":null,"quantization":null},"runtime":{"id":"litellm","version":null},"validUntil":"2027-01-01T00:00:00.000Z"}`)},
		{"livebench/rows", livebench.New(), func(b *testing.B, n int) []sources.File {
			return []sources.File{
				sourcetest.Pin(b, livebench.Source, "https://livebench.ai/table_2025_12_23.csv", day, "model,a\n"+repeat(n, "", "m%d,1\n")),
				sourcetest.Pin(b, livebench.Source, "https://livebench.ai/categories_2025_12_23.json", day, `{"Coding":["a"]}`),
			}
		}, v1(livebench.New(), scored)},
		{"livebench/tasks", livebench.New(), func(b *testing.B, n int) []sources.File {
			return []sources.File{
				sourcetest.Pin(b, livebench.Source, "https://livebench.ai/table_2025_12_23.csv", day, "model,"+repeat(n/8, ",", "t%d")+"\nm,"+repeat(n/8, ",", "1")+"\n"),
				sourcetest.Pin(b, livebench.Source, "https://livebench.ai/categories_2025_12_23.json", day, `{"Coding":[`+repeat(n/8, ",", `"t%d"`)+`]}`),
			}
		}, v1(livebench.New(), scored)},
		{"lm-eval/tasks", lmeval.New(), one(lmeval.Source, "urn:lm-eval:team/run-1", func(_ *testing.B, n int) string {
			return `{"results":{` + repeat(n, ",", `"t%d":{"acc,none":0.25,"acc_stderr,none":0.003}`) + `},"configs":{` + repeat(n, ",", `"t%d":{"task":"t%d"}`) + `},"versions":{` + repeat(n, ",", `"t%d":1`) +
				`},"n-shot":{` + repeat(n, ",", `"t%d":0`) + `},"n-samples":{` + repeat(n, ",", `"t%d":{"original":9,"effective":9}`) +
				`},"config":{"model":"hf","model_args":"pretrained=m","limit":null},"git_hash":"32d1a85","date":1748694628.5,"model_source":"hf","model_name":"m","lm_eval_version":"0.4.8"}`
		}), v1(lmeval.New(), `{"model":{"id":"m","revision":"r1","quantization":null},"runtime":{"id":"vllm","version":"0.11"},"adapter":null,"effectiveContextTokens":4096,"toolSurface":[],
			"hardware":{"class":"server","accelerator":"h100","memoryBytes":null},"families":{},"defaultFamily":"general","validUntil":"2027-01-01T00:00:00.000Z"}`)},
		{"mapping/entries", openrouter.New(), one(openrouter.Source, modelsURL, text(`{"data":[`, ",", offers, `]}`)),
			v1(openrouter.New(), `{"model":{"id":"m","revision":null,"quantization":null},"validUntil":"2027-01-01T00:00:00.000Z"}`)},
		{"mapping/entries without a row", openrouter.New(), func(b *testing.B, n int) []sources.File {
			return []sources.File{sourcetest.Pin(b, openrouter.Source, modelsURL, day, `{"data":[{"id":"p/m","context_length":`+fmt.Sprint(n)+`}]}`)}
		}, func(_ *testing.B, files []sources.File) problem.Source {
			var n int
			_, _ = fmt.Sscanf(files[0].Body.Text, `{"data":[{"id":"p/m","context_length":%d`, &n) // as it was written above
			rows := strings.Split(repeat(n, " ", "gone%d"), " ")
			return sourcetest.Mapping(openrouter.Source, `{"model":{"id":"m","revision":null,"quantization":null},"validUntil":"2027-01-01T00:00:00.000Z"}`, rows...)
		}},
	} {
		b.Run(test.name, func(b *testing.B) {
			manifest := sourcetest.Manifest(b)
			vectortest.Doubling(b, 40, func(n int) func() {
				r := sources.Request{Manifest: manifest, Snapshots: test.files(b, n)}
				if test.mapping != nil {
					r.Mapping = test.mapping(b, r.Snapshots)
				}
				return func() {
					out, err := test.adapter.Import(r)
					if err != nil || out.Acquisition.Rows == 0 {
						b.Fatal(out, err)
					}
				}
			})
		})
	}
	b.Run("draft of a mapping", func(b *testing.B) {
		vectortest.Doubling(b, 40, func(n int) func() {
			f := sourcetest.Pin(b, openrouter.Source, modelsURL, day, `{"data":[`+repeat(n, ",", offers)+`]}`)
			labels, err := openrouter.New().Labels(sourcetest.Manifest(b), []sources.File{f})
			if err != nil {
				b.Fatal(err)
			}
			existing := sourcetest.Mapping(openrouter.Source, `{"model":{"id":"m","revision":null,"quantization":null},"validUntil":"2027-01-01T00:00:00.000Z"}`, strings.Split(repeat(n, " ", "gone%d"), " ")...)
			return func() {
				if _, err := sources.DraftMapping(openrouter.New(), labels, existing); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
	for name, label := range map[string]string{"proposals": "M%d", "proposals of one name": "m-1", "proposals of nothing": "-"} {
		b.Run(name, func(b *testing.B) {
			vectortest.Doubling(b, 40, func(n int) func() {
				crosswalk, err := identity.FromOpenRouter(`{"data":[` + repeat(n, ",", `{"id":"p%d/m-1","canonical_slug":"p/m%d","hugging_face_id":"p/m%d"}`) + `]}`)
				if err != nil {
					b.Fatal(err)
				}
				var labels []sources.Label
				for i := range n {
					labels = append(labels, sources.Label{Row: fmt.Sprint("row", i), Label: strings.ReplaceAll(label, "%d", fmt.Sprint(i))})
				}
				r, err := resolver.New()
				if err != nil {
					b.Fatal(err)
				}
				return func() { identity.Propose("s", labels, []*identity.Crosswalk{crosswalk}, r) }
			})
		})
	}
}
