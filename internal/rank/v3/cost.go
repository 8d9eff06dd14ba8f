package v3

import (
	"slices"
	"strconv"
	"strings"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/service/record"
)

// This file is the cost of a task, in dollars, by the price list of the candidate's provider:
//
//	"cost": { "inputTokens": 300000, "outputTokens": 500 }
//
// A prompt of more than 200,000 tokens takes the prices for long prompts where the list has some,
// such as price.input@context>200000. Cached tokens without a price of their own cost what others
// do. The cost is the last tie breaker, usd-per-task.

// taskCost is what a task takes.
type taskCost struct {
	input, output record.Count // tokens
	// tokens of the prompt that are read from the cache or written to it, beside input
	cachedInput, cacheWrite record.Count
	requests                record.Count // how many tasks there are, for a total
	resolve                 []step       // among prices that contradict each other
}

var costShape = ijson.NewSparseShape(
	ijson.Required("inputTokens", func(r requestReader, c *taskCost) { c.input = readCount(r) }),
	ijson.Required("outputTokens", func(r requestReader, c *taskCost) { c.output = readCount(r) }),
	ijson.Optional("cachedInputTokens", func(r requestReader, c *taskCost) { c.cachedInput = readCount(r) }),
	ijson.Optional("cacheWriteTokens", func(r requestReader, c *taskCost) { c.cacheWrite = readCount(r) }),
	ijson.Optional("requests", func(r requestReader, c *taskCost) { c.requests = readCount(r) }),
	ijson.Optional("resolve", func(r requestReader, c *taskCost) { c.resolve = readSteps(r) }),
)

// CostID is the id of the tie breaker that the cost of a task is.
const CostID = "usd-per-task"

// The keys of prices, and the unit that they have.
const (
	inputPrice      = "price.input"
	outputPrice     = "price.output"
	cacheReadPrice  = "price.cache_read"
	cacheWritePrice = "price.cache_write"
	tokenPrice      = "USD/token"
)

const bandMark = "@context>"

// ReadBand reads the key of a price for long prompts, such as price.input@context>200000.
func ReadBand(key string) (base string, above uint64, ok bool) {
	base, tokens, found := strings.Cut(key, bandMark)
	if !found {
		return "", 0, false
	}
	above, err := strconv.ParseUint(tokens, 10, 64)
	return base, above, err == nil
}

// CostPart is so many tokens of a task and the keys of their price, of which the first that is
// known counts.
type CostPart struct {
	Name   string // input, output, cached-input or cache-write
	Tokens uint64
	Keys   []string
	key    string // that the part is named by
}

// CostParts returns what a task pays for, where prices differ for prompts of more than so many
// tokens, the largest number first.
func CostParts(t *TaskTokens, bands []uint64) (list []CostPart) {
	prompt := t.Input + t.CachedInput + t.CacheWrite
	add := func(name string, tokens uint64, keys ...string) {
		if tokens == 0 {
			return
		}
		part := CostPart{Name: name, Tokens: tokens, key: keys[0]}
		for _, key := range keys {
			for _, above := range bands {
				if prompt > above {
					part.Keys = append(part.Keys, key+bandMark+strconv.FormatUint(above, 10))
				}
			}
			part.Keys = append(part.Keys, key)
		}
		list = append(list, part)
	}
	add("input", t.Input, inputPrice)
	add("output", t.Output, outputPrice)
	add("cached-input", t.CachedInput, cacheReadPrice, inputPrice)
	add("cache-write", t.CacheWrite, cacheWritePrice, inputPrice)
	return list
}

// tokens returns the cost as a question has it.
func (c *taskCost) tokens() *TaskTokens {
	return &TaskTokens{Input: c.input.N, Output: c.output.N, CachedInput: c.cachedInput.N, CacheWrite: c.cacheWrite.N,
		Requests: c.requests.N}
}

// criterion returns the cost as a tie breaker, for a catalog that has prices for prompts of more
// than so many tokens, the largest number first.
func (c *taskCost) criterion(bands []uint64) criterion {
	made := criterion{role: tieBreaker, id: CostID, direction: minimize}
	for _, part := range CostParts(c.tokens(), bands) {
		m := measure{key: part.key, aggregation: aggregateFact, unit: tokenPrice, sources: anySource, resolve: c.resolve}
		made.sum = append(made.sum, term{measure: m, factor: float64(part.Tokens), prices: part.Keys})
	}
	return made
}

// bandsOf returns the lengths of prompts above which a catalog has other prices, the largest first.
func bandsOf(models map[string]*model) (list []uint64) {
	for _, m := range models {
		for _, key := range m.Keys() {
			if base, above, ok := ReadBand(key); ok && (base == inputPrice || base == outputPrice) &&
				!slices.Contains(list, above) {
				list = append(list, above)
			}
		}
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list
}

// totalOf returns what all requests cost at the cost of one.
func (c *taskCost) totalOf(usd float64) record.Float {
	if !c.requests.Known {
		return record.Float{}
	}
	return record.NewFloat(usd * float64(c.requests.N))
}

// withCost returns the request with the cost of a task as its last tie breaker, if it asks for it.
func (q *Request) withCost(bands []uint64) *Request {
	if q.cost == nil {
		return q
	}
	made := q.cost.criterion(bands)
	if made.sum == nil { // a task of no tokens
		return q
	}
	made.setTexts()
	priced := *q
	priced.criteria[tieBreaker] = append(slices.Clip(q.criteria[tieBreaker]), made)
	return &priced
}

// text writes the cost as a person does.
func (c *taskCost) text() string {
	var t objectText
	for _, m := range []struct {
		name  string
		count record.Count
	}{{"inputTokens", c.input}, {"outputTokens", c.output}, {"cachedInputTokens", c.cachedInput},
		{"cacheWriteTokens", c.cacheWrite}, {"requests", c.requests}} {
		if m.count.Known {
			t.add(m.name, numberText(float64(m.count.N)))
		}
	}
	t.addTexts("resolve", namesOfSteps(c.resolve))
	return t.String()
}
