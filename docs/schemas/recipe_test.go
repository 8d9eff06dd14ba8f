package schemas_test

import (
	"testing"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/sources/recipe"
	"github.com/model-catalog-service/svc/service/record"
)

const someHash = "0000000000000000000000000000000000000000000000000000000000000001"

// catalogLocks are locks of recipes with every member there is.
func catalogLocks(*testing.T) []doc {
	return []doc{{"full", recipe.WriteLock(&record.CatalogLock{SchemaVersion: record.CatalogLockSchema,
		AsOf: "2026-07-01T00:00:00.000Z", Catalog: someHash, Svc: "v1.0.0",
		Rules: record.List[string]{"identity/v2", "offer/v2"},
		Files: record.List[record.LockedFile]{{Path: "catalog.yaml", SHA256: someHash, Bytes: 12}},
		Sources: record.List[record.LockedSource]{{ID: "models-dev", Bodies: record.List[record.LockedBody]{{
			Revision: "f3fc6922", URL: "https://example.org/tree.tar", FetchedAt: "2026-07-01T00:00:00.000Z",
			PublishedAt: "2026-06-30T00:00:00.000Z", MediaType: "application/x-tar", SHA256: someHash, Bytes: 7,
		}}}},
	})}}
}

// catalogBuilds are build records: one with every member there is, one of a first build.
func catalogBuilds(*testing.T) []doc {
	full := &record.CatalogBuild{SchemaVersion: record.CatalogBuildSchema,
		AsOf: "2026-07-01T00:00:00.000Z", Catalog: someHash, Models: 2, Observations: 3, Conflicts: 1,
		Sources: record.List[record.BuiltSource]{{
			ID: "livebench", State: "held", Reason: "has 3 rows, the last one had 60", SeenAt: "2026-07-01T00:00:00.000Z", Overdue: true,
			Revision: "2026-01-08", Attribution: "LiveBench", Site: "https://livebench.ai/", License: "MIT",
			Rows: 60, Imported: 58, Skipped: map[string]int{"unmapped-row": 2}, LeftOut: map[string]int{"empty-cell": 1},
			Observations: 58, Joined: map[string]int{"maker/2": 58},
			Unknown: record.List[record.UnknownRow]{{Row: "atlas", Label: "atlas", Reason: "no-name",
				Values: record.List[record.UnknownValue]{{Key: "livebench.coding.score", Value: 78.5}}}},
		}},
		Contradictions: record.List[record.KeyContradictions]{{Key: "price.input", Offers: 4, Agreeing: 3, Contradicting: 1, Settled: 1}},
		Questions:      record.List[record.BuiltQuestion]{{Path: "questions/coding.json", Winner: "atlas", Before: "borealis", Changed: true}},
		Changes: &record.BuildChanges{Catalog: someHash, Summary: record.DiffSummary{
			Models:       map[string]int{"added": 1, "removed": 0, "silenced": 0, "revived": 0, "changed": 0},
			Observations: map[string]int{"added": 1, "removed": 0, "agedOut": 0},
			Facts: map[string]int{"added": 1, "backfilled": 0, "changed": 0, "contradicted": 0, "expired": 0, "reaffirmed": 0,
				"removed": 0, "renewed": 0, "settled": 0},
			Samples:   map[string]int{"changed": 0, "reaffirmed": 0},
			Conflicts: map[string]int{"arisen": 0, "ended": 0, "changed": 0},
			Rankings:  1,
		}},
	}
	first := &record.CatalogBuild{SchemaVersion: record.CatalogBuildSchema, AsOf: "2026-07-01T00:00:00.000Z", Catalog: someHash}
	return []doc{{"full", recipe.WriteBuild(full)}, {"first", recipe.WriteBuild(first)}}
}

// looks are lines of the store's index.
func looks(*testing.T) []doc {
	return []doc{{"full", string(ijson.MustWriteTagged(&record.Look{SchemaVersion: record.LookSchema,
		Source: "models-dev", At: "2026-07-01T00:00:00.000Z", Bodies: record.List[record.JSON]{"{}"}, Others: record.List[record.JSON]{"{}"},
		Rows: 5264, Verdict: record.Held, Reason: "has fewer rows",
	}))}}
}
