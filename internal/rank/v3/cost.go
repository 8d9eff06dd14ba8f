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
	input, output           record.Count // tokens
	cachedInput, cacheWrite record.Count // tokens of the prompt that are read from the cache or written to it, beside input
	requests                record.Count // how many tasks there are, for a total
}

var costShape = ijson.NewSparseShape(
	ijson.Required("inputTokens", func(r requestReader, c *taskCost) { c.input = readCount(r) }),
	ijson.Required("outputTokens", func(r requestReader, c *taskCost) { c.output = readCount(r) }),
	ijson.Optional("cachedInputTokens", func(r requestReader, c *taskCost) { c.cachedInput = readCount(r) }),
	ijson.Optional("cacheWriteTokens", func(r requestReader, c *taskCost) { c.cacheWrite = readCount(r) }),
	ijson.Optional("requests", func(r requestReader, c *taskCost) { c.requests = readCount(r) }),
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

// price is a key under which a price may be known, for prompts of more tokens than above.
type price struct {
	key   string
	above uint64
}

const bandMark = "@context>"

// readBand reads the key of a price for long prompts.
func readBand(key string) (base string, above uint64, ok bool) {
	base, tokens, found := strings.Cut(key, bandMark)
	if !found {
		return "", 0, false
	}
	above, err := strconv.ParseUint(tokens, 10, 64)
	return base, above, err == nil
}

// criterion returns the cost as a tie breaker, for a catalog that has prices for prompts of more
// than so many tokens, the largest number first.
func (c *taskCost) criterion(bands []uint64) criterion {
	made := criterion{role: tieBreaker, id: CostID, direction: minimize}
	prompt := c.input.N + c.cachedInput.N + c.cacheWrite.N
	add := func(tokens uint64, keys ...string) {
		if tokens == 0 {
			return
		}
		t := term{measure: measure{key: keys[0], aggregation: aggregateFact, unit: tokenPrice, sources: anySource}, factor: float64(tokens)}
		for _, key := range keys {
			for _, above := range bands {
				if prompt > above {
					t.prices = append(t.prices, price{key + bandMark + strconv.FormatUint(above, 10), above})
				}
			}
			t.prices = append(t.prices, price{key, 0})
		}
		made.sum = append(made.sum, t)
	}
	add(c.input.N, inputPrice)
	add(c.output.N, outputPrice)
	add(c.cachedInput.N, cacheReadPrice, inputPrice)
	add(c.cacheWrite.N, cacheWritePrice, inputPrice)
	return made
}

// bandsOf returns the lengths of prompts above which a catalog has other prices, the largest first.
func bandsOf(models map[string]*model) (list []uint64) {
	for _, m := range models {
		for _, key := range m.Keys() {
			if base, above, ok := readBand(key); ok && (base == inputPrice || base == outputPrice) && !slices.Contains(list, above) {
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
	}{{"inputTokens", c.input}, {"outputTokens", c.output}, {"cachedInputTokens", c.cachedInput}, {"cacheWriteTokens", c.cacheWrite}, {"requests", c.requests}} {
		if m.count.Known {
			t.add(m.name, numberText(float64(m.count.N)))
		}
	}
	return t.String()
}
