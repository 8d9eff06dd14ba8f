package agent_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/model-catalog-service/svc/internal/agent"
	"github.com/model-catalog-service/svc/internal/catalog"
	. "github.com/model-catalog-service/svc/internal/compare/comparetest"
	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// played is a client that counts what it asks and is told.
type played struct {
	*mcp.ClientSession
	t            *testing.T
	calls, bytes int
}

func (p *played) ask(tool, arguments string) map[string]any {
	p.t.Helper()
	answer, size, isError := call(p.t, p.ClientSession, tool, json.RawMessage(arguments))
	if p.calls, p.bytes = p.calls+1, p.bytes+size+len(tool)+len(arguments); isError {
		p.t.Errorf("%s %s: %v", tool, arguments, answer)
	}
	if !strings.HasPrefix(fmt.Sprint(answer["catalog"]), "as of 2026-07-06T00:00:00.000Z, 9 days old") {
		p.t.Errorf("%s %s does not say how old the catalog is: %v", tool, arguments, answer["catalog"])
	}
	return answer
}

// market is what the catalog of the example holds, found by looking at every observation.
type market struct {
	prices  map[[3]string][]float64 // of a model at a provider, under a key
	context map[[2]string]string
	coding  map[string][]float64 // scores by model
	calls   map[[2]string][]string
}

func marketOf(c *catalog.Catalog) market {
	m := market{map[[3]string][]float64{}, map[[2]string]string{}, map[string][]float64{}, map[[2]string][]string{}}
	for _, entry := range c.Models() {
		for _, o := range entry.Observations {
			rec := o.Record()
			if !rec.Freshness.HoldsAt(record.Timestamp(c.AsOf())) {
				continue
			}
			id, at := entry.Identity.ID, rec.Execution.Runtime.ID
			for _, f := range rec.Measurements {
				switch {
				case strings.HasPrefix(f.Key, "price.") && f.Kind == record.Fact:
					m.prices[[3]string{id, at, f.Key}] = append(m.prices[[3]string{id, at, f.Key}], f.Value.Float())
				case f.Key == "limits.context":
					m.context[[2]string{id, at}] = f.Value.Text
				case f.Key == "livebench.agentic-coding.score":
					m.coding[id] = append(m.coding[id], f.Value.Float())
				case f.Key == record.OfferID:
					m.calls[[2]string{id, at}] = append(m.calls[[2]string{id, at}], f.Value.Text)
				}
			}
		}
	}
	return m
}

// Ten questions of people are answered rightly, in at most 20 calls and 12,000 tokens together,
// with what a client is told of the tools. A token is taken for 3.5 bytes; texts like these have
// about four.
func TestTenQuestions(t *testing.T) {
	file, err := os.ReadFile("../../examples/models/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	example, err := catalog.Parse(t.Context(), problem.Source{Text: string(file)})
	if err != nil {
		t.Fatal(err)
	}
	// The catalog has an offer that ends, and an older one has another price.
	var docs, before []string
	for _, entry := range example.Models() {
		for _, o := range entry.Observations {
			docs = append(docs, o.Input())
			if entry.Identity.ID != "zhipuai/glm-5.2" {
				before = append(before, strings.ReplaceAll(o.Input(), `"value":7.4e-7`, `"value":3.7e-7`))
			}
		}
	}
	docs = append(docs, Statement{ID: "openai/gpt-4o-mini", Execution: At("openai"), Measurements: []any{Fact("lifecycle.retires", "2026-10-01")}}.Doc())
	compiled := func(docs []string, asOf string) *catalog.Catalog {
		c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: asOf})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := compiled(docs, example.AsOf())
	m := marketOf(c)
	s := &played{t: t, ClientSession: connectWith(t, c, agent.Options{Version: "test", Against: []*catalog.Catalog{compiled(before, "2026-07-05T12:00:00.000Z")},
		Now: func() time.Time { return time.Date(2026, 7, 15, 7, 0, 0, 0, time.UTC) }})}
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.bytes = len(must(json.Marshal(tools.Tools))) + len(s.InitializeResult().Instructions)
	told := s.bytes
	const kimi, glm = "moonshotai/kimi-k2.7-code", "zhipuai/glm-5.2"

	// 1. Which benchmarks of coding does it know?
	if got := column(s.ask("find", `{"by":"key","query":"coding"}`), "key"); !slices.Equal(got, []string{"livebench.agentic-coding.score"}) {
		t.Errorf("1: %q", got)
	}
	// 2. Which models cost at most a dollar per million tokens of output somewhere, as all lists say?
	cheap := map[string]bool{}
	for of, prices := range m.prices {
		if of[2] == "price.output" && slices.Max(prices) <= 1e-6 && slices.Min(prices) == slices.Max(prices) {
			cheap[of[0]] = true
		}
	}
	if got := column(s.ask("find", `{"atMost":{"price.output":"1/M"}}`), "model"); !slices.Equal(got, slices.Sorted(maps.Keys(cheap))) || len(got) < 3 {
		t.Errorf("2: %q, want %v", got, cheap)
	}
	// 3. How long a prompt does this model take, and where?
	answer := s.ask("find", `{"model":"kimi-k2.7-code","key":"limits.context"}`)
	for _, row := range rowsOf(answer) {
		if want := m.context[[2]string{kimi, row["runs"].(string)}]; strings.ReplaceAll(row["value"].(string), ",", "") != want+" tokens" {
			t.Errorf("3: %v, want %s", row, want)
		}
	}
	if len(rowsOf(answer)) != 3 {
		t.Errorf("3: %v", answer)
	}
	// 4. Who sells it cheapest, for 3,000 tokens in and 500 out, and under which id?
	cheapest, seller := math.Inf(1), ""
	for of, prices := range m.prices {
		if of[0] == kimi && of[2] == "price.input" {
			usd := 3000*slices.Min(prices) + 500*slices.Min(m.prices[[3]string{kimi, of[1], "price.output"}])
			if usd < cheapest || usd == cheapest && of[1] < seller {
				cheapest, seller = usd, of[1]
			}
		}
	}
	answer = s.ask("price", `{"models":"kimi-k2.7-code","tokens":"3k/500"}`)
	if row := rowsOf(answer)[0]; row["runtime"] != seller || row["a task"] != fmt.Sprintf("$%.5f", cheapest) || !slices.Contains(m.calls[[2]string{kimi, seller}], row["call it as"].(string)) {
		t.Errorf("4: %v, want %s for %v", row, seller, cheapest)
	}
	// 5. Who is best at coding by agents for at most five dollars per million tokens of output?
	best, score := "", 0.0
	for id, scores := range m.coding {
		sum := 0.0
		for _, f := range scores {
			sum += f
		}
		isCheap := false
		for of, prices := range m.prices {
			isCheap = isCheap || of[0] == id && of[2] == "price.output" && slices.Max(prices) <= 5e-6
		}
		if mean := sum / float64(len(scores)); isCheap && mean > score {
			best, score = id, mean
		}
	}
	if row := rowsOf(s.ask("rank", `{"maximize":"livebench.agentic-coding.score","atMost":{"price.output":"5/M"}}`))[0]; row["model"] != best || !strings.HasPrefix(row["livebench.agentic-coding.score"].(string), fmt.Sprintf("%.2f%%", score)) {
		t.Errorf("5: %v, want %s with %v", row, best, score)
	}
	// 6. And if a few points less would do, who costs least?
	answer = s.ask("rank", `{"maximize":"livebench.agentic-coding.score","atMost":{"price.output":"5/M"},"within":"5%","limit":3}`)
	if text := fmt.Sprint(answer["answer"]); !strings.Contains(text, "Take kimi-k2.7-code") || !strings.Contains(fmt.Sprint(answer["assumptions"]), "20,000 input tokens") {
		t.Errorf("6: %v", answer)
	}
	// 7. Is one of the two shown to be better?
	answer = s.ask("compare", `{"models":["glm-5.2","kimi-k2.7-code"],"key":"coding"}`)
	if row := rowsOf(answer)[0]; row["shown"] != "cannot be told apart" {
		t.Errorf("7: %v", answer)
	}
	// 8. Why is this one not in the list?
	answer = s.ask("explain", `{"maximize":"livebench.agentic-coding.score","atMost":{"price.output":"5/M"},"candidate":"claude-opus-4-7"}`)
	if text := fmt.Sprint(answer["answer"]); !strings.Contains(text, "price.output") {
		t.Errorf("8: %v", answer)
	}
	// 9. Which prices changed since yesterday, and what is new?
	answer = s.ask("what_changed", `{"since":"2026-07-05"}`)
	var changed []string
	for of, prices := range m.prices {
		if of[0] != glm && slices.Contains(prices, 7.4e-7) {
			changed = append(changed, of[0]+" "+of[2]+" "+of[1])
		}
	}
	var got []string
	rows := rowsOf(answer)
	for _, row := range rows {
		if row["change"] == "changed" {
			got = append(got, fmt.Sprint(row["model"], " ", row["key"], " ", row["runs"]))
			if row["from"] != "$0.37 per million tokens" || row["to"] != "$0.74 per million tokens" {
				t.Errorf("9: %v", row)
			}
		}
	}
	slices.Sort(got)
	if slices.Sort(changed); !slices.Equal(got, changed) || len(got) == 0 || rows[len(got)]["model"] != glm && rows[len(rows)-1]["model"] != glm {
		t.Errorf("9: %q, want %q: %v", got, changed, answer)
	}
	// 10. Which of the offers that we use end this year?
	answer = s.ask("expiring", `{"before":"2026-12-31","key":"lifecycle"}`)
	if rows := rowsOf(answer); len(rows) != 1 || rows[0]["on"] != "2026-10-01" || rows[0]["model"] != "openai/gpt-4o-mini" || rows[0]["runs"] != "openai" {
		t.Errorf("10: %v", answer)
	}
	const bytesPerToken = 3.5
	if tokens := float64(s.bytes) / bytesPerToken; s.calls > 20 || tokens > 12_000 {
		t.Errorf("%d calls, %.0f tokens", s.calls, tokens)
	}
	t.Logf("%d calls, %d bytes with %d of tools and instructions: %.0f tokens", s.calls, s.bytes, told, float64(s.bytes)/bytesPerToken)
}
