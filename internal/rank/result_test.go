package rank_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/model-catalog-service/svc/internal/rank"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
	"github.com/model-catalog-service/svc/service/record"
)

// crowd makes observations of several models, and a request that meets all
// kinds of reasons and advisories among them.
func crowd() (docs []string, a asked, inventory []string) {
	random := rand.New(rand.NewPCG(5, 6))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	var all []observed
	for i := range 200 {
		model := fmt.Sprintf(`{"id":"m%d","revision":null,"quantization":null}`, random.IntN(6))
		number := sample(pick("1", "2.5", "-3", "1e300", "true"), "")
		stated := fact(pick("1", `"x"`), pick("", "ms"))
		all = append(all, observed{
			evidence:     fmt.Sprintf("e%d shared%d", i, i%7),
			model:        model,
			execution:    pick("null", exact(profileP), exact(none), partial(`{"id":"rt","version":null}`, "", "")),
			task:         pick("", "f", "f/s", "g"),
			measurements: pick(number, number+","+stated, stated),
			source:       pick("first-party", "external"),
			validUntil:   pick("", before, after),
			level:        pick("low", "moderate", "high"),
			basis:        pick(`"b"`, `"b","c"`, `"`+"\U0001F600"+`"`, `"`+"\uFB33"+`"`),
			gaps:         pick("", `"g"`, `"MISSING_EVIDENCE"`),
		})
	}
	for i := range 12 {
		inventory = append(inventory, launch(fmt.Sprintf("c%d", i), fmt.Sprintf(`{"id":"m%d","revision":null,"quantization":null}`, i%7), pick(profileP, none)))
	}
	return numbered(all...), asked{
		requirements: require("count", "gte", "2") + "," + require("count", "lte", "8"),
		preferences:  prefer("mean", "maximize", "2") + "," + prefer("count", "minimize", "0.1") + "," + prefer("fact", "maximize", "1"),
		advisories:   criterionJSON(`"id":"a",`, "max", "") + "," + criterionJSON(`"id":"b",`, "fact", `["external"]`),
	}, inventory
}

// TestAnyOrderGivesTheSameBytes shuffles observations, inventory and criteria.
func TestAnyOrderGivesTheSameBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	docs, a, inventory := crowd()
	parts := []*string{&a.requirements, &a.preferences, &a.advisories}
	want := ""
	for range 6 {
		a.inventory = strings.Join(inventory, ",")
		got := mustJSON(t, mustRank(t, newRanker(t, compile(t, docs...)), a.json()))
		if want == "" {
			want = got
		}
		if got != want {
			t.Fatalf("another order gives another result, different from byte %d on", firstDifference(got, want))
		}
		random.Shuffle(len(docs), func(i, k int) { docs[i], docs[k] = docs[k], docs[i] })
		random.Shuffle(len(inventory), func(i, k int) { inventory[i], inventory[k] = inventory[k], inventory[i] })
		for _, list := range parts {
			items := strings.Split(*list, "},{")
			if len(items) < 2 {
				continue
			}
			items[0], items[len(items)-1] = items[0][1:], strings.TrimSuffix(items[len(items)-1], "}")
			random.Shuffle(len(items), func(i, k int) { items[i], items[k] = items[k], items[i] })
			*list = "{" + strings.Join(items, "},{") + "}"
		}
	}
	if !strings.Contains(want, `"rank":2`) || !strings.Contains(want, `"excluded":[{`) {
		t.Error("the result has not both ranked and excluded candidates")
	}
}

func firstDifference(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// TestConcurrentUse shares a ranker, a request and a result.
func TestConcurrentUse(t *testing.T) {
	docs, a, inventory := crowd()
	a.inventory = strings.Join(inventory, ",")
	k, q := newRanker(t, compile(t, docs...)), mustRead(t, a.json())
	shared := mustRank(t, k, a.json())
	want, normalized := mustJSON(t, shared), q.JSON()
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for range 4 {
				r, err := k.Rank(context.Background(), q, 0)
				if err != nil {
					t.Error(err)
					return
				}
				for _, r := range []*v3.Ranking{r, shared} {
					if got, err := r.AppendJSON(nil, 0); err != nil || string(got) != want {
						t.Errorf("result differs, error %v", err)
					}
				}
				if len(shared.Outcomes()) != len(r.Outcomes()) || q.JSON() != normalized {
					t.Error("shared values change")
				}
			}
		})
	}
	running.Wait()
}

func TestAppendJSONStopsAtTheLimit(t *testing.T) {
	docs, a, inventory := crowd()
	a.inventory = strings.Join(inventory, ",")
	r := mustRank(t, newRanker(t, compile(t, docs...)), a.json())
	want := mustJSON(t, r)
	const head = "head"
	for _, limit := range []int{0, len(want), len(want) + 1} {
		got, err := r.AppendJSON([]byte(head), limit)
		if err != nil || string(got) != head+want {
			t.Errorf("limit %d: %v, %d bytes, want %d", limit, err, len(got), len(head+want))
		}
	}
	for limit := len(want) - 1; limit > 0; limit -= 1 + limit/100 {
		got, err := r.AppendJSON([]byte(head), limit)
		tooLarge, is := errors.AsType[*rank.TooLargeError](err)
		if !is || tooLarge.Limit != limit || string(got) != head {
			t.Fatalf("limit %d: error %v, %q", limit, err, got)
		}
	}
}

// TestTooLargeResultTakesLittleMemory ranks candidates of a model with so many
// observations that a result lists millions of ids.
func TestTooLargeResultTakesLittleMemory(t *testing.T) {
	k, q := largeModel(t, 5000)
	r, err := k.Rank(t.Context(), q, 0)
	if err != nil {
		t.Fatal(err)
	}
	const limit = 100_000
	dst, err := r.AppendJSON(nil, limit)
	if _, is := errors.AsType[*rank.TooLargeError](err); !is {
		t.Fatalf("error %v, %d bytes", err, len(dst))
	}
	if cap(dst) > 2*limit {
		t.Errorf("the buffer has grown to %d bytes", cap(dst))
	}
}

// largeModel makes a model with n observations of key k, and a request for it
// with the most candidates and criteria.
func largeModel(t testing.TB, n int) (*v3.Ranker, *v3.Request) {
	t.Helper()
	all := make([]observed, n)
	for i := range all {
		all[i] = observed{measurements: sample(fmt.Sprint(i), "")}
	}
	return newRanker(t, compile(t, numbered(all...)...)), mustRead(t, asked{inventory: candidates(128), requirements: requirements(16), advisories: advisories(8)}.json())
}

func TestRankHeedsTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k, q := largeModel(t, 1)
	if r, err := k.Rank(ctx, q, 0); err != context.Canceled || r != nil {
		t.Errorf("result %v, error %v, want %v", r, err, context.Canceled)
	}
}

// TestVersion1 has neither advisories nor the applicability of executions.
func TestVersion1(t *testing.T) {
	a := asked{version: 1, requirements: require("count", "gte", "0"), preferences: prefer("mean", "maximize", "1")}
	docs := numbered(samples("1")...)
	text := mustJSON(t, mustRank(t, newRanker(t, compile(t, docs...)), a.json()))
	if strings.Contains(text, "executionApplicability") || strings.Contains(text, "advisories") || !strings.Contains(text, record.RankResultSchemaV1) {
		t.Errorf("result of version 1: %s", text)
	}
	a.version = 2
	text = mustJSON(t, mustRank(t, newRanker(t, compile(t, docs...)), a.json()))
	if strings.Count(text, "executionApplicability") != 2 || !strings.Contains(text, `"advisories":[]`) || !strings.Contains(text, record.RankResultSchemaV2) {
		t.Errorf("result of version 2: %s", text)
	}
}

func TestEmptyInventory(t *testing.T) {
	c := compile(t)
	a := strings.Replace(asked{preferences: prefer("mean", "maximize", "1.50")}.json(), launch("c", modelM, profileP), "", 1)
	r := mustRank(t, newRanker(t, c), a)
	want := `{"catalog":{"asOf":"` + asOf + `","digest":"` + c.Digest() + `"},"excluded":[],"ranked":[],"schemaVersion":"service.rank.result/v2",` +
		`"scoreScale":{"kind":"request-relative","maximum":1.5},"task":{"family":"f","suite":null}}`
	if got := mustJSON(t, r); got != want {
		t.Errorf("result %s, want %s", got, want)
	}
	if len(r.Outcomes()) > 0 {
		t.Error("there are placements")
	}
}
