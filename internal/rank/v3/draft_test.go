package v3_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/model-catalog-service/svc/internal/catalog"
	"github.com/model-catalog-service/svc/internal/problem"
	v3 "github.com/model-catalog-service/svc/internal/rank/v3"
)

// Whatever a catalog has, a draft is a request that ranks at once.
func TestDraftIsValid(t *testing.T) {
	long := strings.Repeat("x", 300)
	almost := strings.Repeat("y", 250) // with the role before it, it is too long for an id
	var docs []string
	for i, o := range []observed{
		{measurements: measuredKey("price", "fact", "1e-6", "USD/token")},
		{model: "n", measurements: measuredKey("price", "fact", "2e-6", "USD/token")},
		{model: long, measurements: measuredKey("price", "fact", "3e-6", "USD/token")},
		{model: "m@" + long, measurements: measuredKey(long, "fact", "1", "")},
		{model: "acme/\ufeffz", measurements: measuredKey("licence", "fact", `"`+long+`"`, "")},
		{model: "m/m", measurements: measuredKey("quote\\\"d", "fact", `"a"`, "")},
		{measurements: measuredKey(almost, "fact", "1", "")},
		{measurements: measuredKey("unit", "fact", "1", long)},
		{measurements: measuredKey("both", "fact", "1", "") + "," + measuredKey("both", "sample", "true", "")},
		{measurements: measuredKey("mixed", "fact", "true", ""), evidence: "a"}, {measurements: measuredKey("mixed", "fact", "7", ""), evidence: "b"},
		{measurements: measuredKey("same", "sample", "-0.5", "s"), task: "f", outcome: "accepted", execution: scope("r", "")},
		{measurements: measuredKey("words", "sample", `"w"`, ""), task: "f", outcome: "accepted", execution: scope("r", "")},
	} {
		o.evidence += fmt.Sprintf(" e%d", i)
		docs = append(docs, o.json())
	}
	c, _, err := catalog.Compile(t.Context(), docs, catalog.Options{AsOf: "2026-07-18T00:00:00.000Z"})
	if err != nil {
		t.Fatal(err)
	}
	k, err := v3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	rank := func(models, keys []string) {
		t.Helper()
		text, err := v3.Draft(c, models, keys)
		if err != nil {
			t.Errorf("%.40q: %v", keys, err)
			return
		}
		q, err := v3.ReadRequest(problem.Source{Text: text})
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			return
		}
		if _, err := k.Rank(context.Background(), q, 0); err != nil {
			t.Error(err)
		}
	}
	rank(nil, nil)
	for _, key := range []string{"price", "quote\"d", almost, "both", "mixed", "same", "words"} {
		rank(nil, []string{key})
	}
	for _, model := range []string{"m", "n", "m/m", "acme/\ufeffz"} {
		rank([]string{model}, nil)
	}
	// What no request can hold is refused if it is named.
	for _, names := range [][2][]string{{{long}, nil}, {nil, {long}}, {nil, {"unit"}}, {nil, {"licence"}}} {
		if text, err := v3.Draft(c, names[0], names[1]); !isInvalidRequest(err) {
			t.Errorf("%.40q: %s, error %v", names, text, err)
		}
	}
	var absent *v3.AbsentError
	if _, err := v3.Draft(c, nil, []string{"prise"}); !errors.As(err, &absent) || absent.Closest != "price" {
		t.Errorf("%v", err)
	}
	if _, err := v3.Draft(c, []string{"M"}, nil); !errors.As(err, &absent) || absent.Closest != "m" {
		t.Errorf("%v", err)
	}
}

func isInvalidRequest(err error) bool {
	faults := problem.All(err)
	return len(faults) > 0 && faults[0].Code == problem.InvalidRankRequest
}
