// Command library ranks models by the observations of a directory, and prints a table.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/model-catalog-service/svc/service/catalog"
	"github.com/model-catalog-service/svc/service/local"
	"github.com/model-catalog-service/svc/service/rank"
	"github.com/model-catalog-service/svc/service/record"
)

func main() {
	ctx, noon := context.Background(), time.Date(2025, 12, 2, 12, 0, 0, 0, time.UTC)
	models, err := local.CompileFiles(ctx, catalog.CompileOptions{AsOf: noon}, "examples/leaderboards/observations")
	if err != nil {
		log.Fatal(err)
	}
	request, err := rank.Draft(models, record.RankQuestion{
		Maximize: []string{"aider.polyglot.pass_rate_2"},
		Trials:   map[string]string{"aider.polyglot.pass_rate_2": "aider.polyglot.test_cases"},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := rank.Rank(ctx, models, request)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := result.Record()
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range answer.Ranked {
		score := c.Reasons[0].Estimate
		fmt.Printf("%d (%d to %d)  %-18s  %.1f%% (%.1f to %.1f)\n", c.Rank, c.RankInterval.Low, c.RankInterval.High,
			c.CandidateID, score.Value, *score.Low, *score.High)
	}
}
