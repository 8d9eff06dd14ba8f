package recipe

import (
	"slices"
	"time"

	"github.com/model-catalog-service/svc/internal/sources"
	"github.com/model-catalog-service/svc/internal/timestamp"
	"github.com/model-catalog-service/svc/service/record"
)

// This file has what a recipe need not say.

// aiderCommit is the commit of Aider's leaderboard where a recipe names none. Nothing tells which
// one is the newest, and the file has not changed since.
const aiderCommit = "cb6a152e5ee27fbc77ac499d5e628ccd74a5fa2a"

// evalCommit is the commit of Every Eval Ever where a recipe names none. Later ones have no
// records: those moved to a data set on Hugging Face.
const evalCommit = "7ea9d9f32d35f23304792c292fa1fea1b36f3e71"

// Revision is the release or commit of a source to take, "" for the newest.
func Revision(s *record.RecipeSource) string {
	switch {
	case s.Release != "":
		return s.Release
	case s.Revision == "" && s.ID == "aider-polyglot":
		return aiderCommit
	case s.Revision == "" && s.ID == sources.EveryEvalEver:
		return evalCommit
	}
	return s.Revision
}

// Folders are those that are taken of the tree of a source, nil for all of it.
func Folders(s *record.RecipeSource) (folders []string) {
	if s.ID != sources.EveryEvalEver {
		return nil
	}
	for _, collection := range s.Collections {
		folders = append(folders, "data/"+collection)
	}
	slices.Sort(folders)
	if folders == nil {
		folders = []string{"data"}
	}
	return folders
}

// Runtime is who runs the models of a leaderboard, which names no seller.
func Runtime(source string) string {
	if source == "aider-polyglot" {
		return "aider"
	}
	return source
}

// scoreDays is how long the row of a leaderboard is valid once it was seen: a score does not run
// out as a price does.
const scoreDays = 365

// ValidUntil is until when the rows of a leaderboard are valid that were seen at an instant.
func ValidUntil(seenAt string) string { return timestamp.AddHours(seenAt, scoreDays*24) }

// IsDue reports whether a source is to be looked at again, that was looked at last at an instant,
// "" if never. What a commit holds never changes.
func IsDue(approved *sources.Source, revision, lookedAt string, now time.Time) bool {
	last, err := time.Parse(timestamp.Layout, lookedAt)
	if err != nil {
		return true
	}
	if revision != "" && approved.Revision.Kind == sources.KindCommit {
		return false
	}
	return !now.Before(last.Add(time.Duration(approved.Freshness.RefreshHours) * time.Hour))
}

// IsOverdue reports whether what was seen last at an instant is older than what a source says of
// itself holds.
func IsOverdue(approved *sources.Source, seenAt string, now time.Time) bool {
	last, err := time.Parse(timestamp.Layout, seenAt)
	return err == nil && now.After(last.Add(time.Duration(approved.Freshness.MaxAgeHours)*time.Hour))
}

// Sellers are the lists of sellers' own, by the id of the seller.
func Sellers() map[string]string { return map[string]string{"openrouter": "openrouter-models"} }
