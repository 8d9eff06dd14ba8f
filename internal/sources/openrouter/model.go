package openrouter

import "github.com/model-catalog-service/svc/internal/catalog"

// model is what is used of a row.
type model struct {
	id            string
	isAlias       bool
	isRepeated    bool // its benchmarks are those of its base model
	context       limit
	topContext    limit
	completion    limit
	prices        []price
	overrides     int
	input, output texts
	parameters    texts
	efforts       texts
	defaultEffort string
	benchmarksAt  int
	indexes       []number
	arenas        []arena
}

// limit is a count of tokens that may be missing or null.
type limit struct {
	catalog.Count
	stated bool
	offset int
}

// price is a price per token as it is printed.
type price struct {
	name, literal string
	offset        int
}

type texts struct {
	values []string
	stated bool
}

type number struct {
	name   string
	value  float64
	isNull bool
	offset int
}

// arena is a place in one of Design Arena's tables.
type arena struct {
	arena, category string
	path            string
	values          [3]number // elo, win_rate, rank
}

func (a *arena) name() string { return a.arena + "/" + a.category }

var (
	arenaNames = [3]string{"elo", "win_rate", "rank"}
	arenaUnits = [3]string{"", "percent", ""}
)
