package record

import "time"

// Recipe says which sources a catalog is made of, and how. People write it, as YAML.
type Recipe struct {
	Sources   []RecipeSource
	Prefer    []string // whom to believe where lists contradict each other; "seller" is who sells it
	Models    []string // ids of the models to keep, all if there are none; * stands for any characters
	Providers []string // the same of providers
	Decisions string   // a file: which names are which models
	Rulings   string   // a file: which source to believe about a fact
	Questions []string // files of rank requests and questions, asked after each build
	Gateways  []string // litellm and portkey: what they read is written by the answers to the questions
	KeepDays  int      // how long bodies are kept that a later one has replaced
	Trust     *RecipeTrust
}

// RecipeTrust says whom to believe about what became of the catalog.
type RecipeTrust struct {
	Key      string        // a file with the public key of whoever publishes the catalog
	Endpoint string        // a URL at which its source is asked; empty to ask nobody
	MaxAge   time.Duration // of an answer after which it is asked again
}

// RecipeSource is a source of a recipe, with what the recipe says of it.
type RecipeSource struct {
	ID          string
	Release     string   // of a leaderboard: a date; empty for the newest
	Revision    string   // of a repository: a commit; empty for the newest
	Indexes     []string // of a list of offers: whose figures to take besides; nil is what is usual
	Collections []string // of an archive of evaluations: which parts to take
	Files       string   // of files of one's own: a pattern
	Map         string   // of tables of one's own: a file that says what their columns are
	Mapping     string   // a file: which row is which model
	MappedOnly  bool     // of a leaderboard: take the rows alone that the mapping names
}

// CatalogLockSchema is the schema version of a [CatalogLock].
const CatalogLockSchema = "service.catalog.lock/v1"

// CatalogLock names every byte that a catalog was made of, so that it can be made again.
type CatalogLock struct {
	SchemaVersion string             `json:"schemaVersion" is:"service.catalog.lock/v1"`
	AsOf          Timestamp          `json:"asOf"`              // what the catalog speaks for
	Catalog       string             `json:"catalog" is:"hash"` // its digest
	Svc           string             `json:"svc"`               // the version that made it
	Rules         List[string]       `json:"rules" each:"once"` // versions, sorted
	Files         List[LockedFile]   `json:"files"`             // of one's own, the recipe first
	Sources       List[LockedSource] `json:"sources"`           // in the order of the recipe
}

// LockedFile is a file that stands beside the recipe.
type LockedFile struct {
	Path   string `json:"path"` // from the recipe's folder, with slashes
	SHA256 string `json:"sha256" is:"hash"`
	Bytes  uint64 `json:"bytes"`
}

// LockedSource is a source with the bodies that were used of it.
type LockedSource struct {
	ID     string           `json:"id"`
	Bodies List[LockedBody] `json:"bodies"` // by time
}

// LockedBody is what a source published at some time.
type LockedBody struct {
	Revision    Text      `json:"revision"` // a release or a commit; null for what has none
	URL         string    `json:"url"`
	FetchedAt   Timestamp `json:"fetchedAt"`
	PublishedAt Timestamp `json:"publishedAt" or:"null"`
	MediaType   string    `json:"mediaType"`
	SHA256      string    `json:"sha256" is:"hash"`
	Bytes       uint64    `json:"bytes"`
}

// CatalogBuildSchema is the schema version of a [CatalogBuild].
const CatalogBuildSchema = "service.catalog.build/v1"

// CatalogBuild is what a build has to say of the catalog that it made.
type CatalogBuild struct {
	SchemaVersion  string                  `json:"schemaVersion" is:"service.catalog.build/v1"`
	AsOf           Timestamp               `json:"asOf"`
	Catalog        string                  `json:"catalog" is:"hash"` // its digest
	Models         int                     `json:"models"`
	Observations   int                     `json:"observations"`
	Conflicts      int                     `json:"conflicts"`
	Sources        List[BuiltSource]       `json:"sources"` // in the order of the recipe
	Contradictions List[KeyContradictions] `json:"contradictions"`
	Questions      List[BuiltQuestion]     `json:"questions"`
	Changes        *BuildChanges           `json:"changes"` // null where there was no catalog before
}

// BuiltSource is what became of a source.
type BuiltSource struct {
	ID           string           `json:"id"`
	State        string           `json:"state" is:"absent built held missed"`
	Reason       Text             `json:"reason"`           // why the newest body is not used
	SeenAt       Timestamp        `json:"seenAt" or:"null"` // when the newest body that is used was fetched
	Overdue      bool             `json:"overdue"`          // that is longer ago than what the source says holds
	Revision     Text             `json:"revision"`         // of that body
	Attribution  Text             `json:"attribution"`      // whom to name
	Site         Text             `json:"site"`             // its address
	License      Text             `json:"license"`          // by its identifier; null if none is stated
	Rows         int              `json:"rows"`             // of all bodies
	Imported     int              `json:"imported"`         // the others were skipped
	Skipped      map[string]int   `json:"skipped"`          // rows by reason
	LeftOut      map[string]int   `json:"leftOut"`          // values by reason
	Observations int              `json:"observations"`     // that went into the catalog
	Joined       map[string]int   `json:"joined"`           // rows that are a model, by rule
	Unknown      List[UnknownRow] `json:"unknown"`          // labels that are none, the best first
}

// UnknownRow is a row of a leaderboard that is no model of the catalog.
type UnknownRow struct {
	Row    string             `json:"row"`
	Label  string             `json:"label"`
	Reason string             `json:"reason"` // no-name, ambiguous, several-models, does-not-reason
	Values List[UnknownValue] `json:"values"` // what the leaderboard says of it, by key
}

// UnknownValue is what a leaderboard says of a row, of several tasks the mean.
type UnknownValue struct {
	Key   string  `json:"key"`
	Value float64 `json:"value"`
}

// KeyContradictions counts where sources contradict each other about a key.
type KeyContradictions struct {
	Key           string `json:"key"`
	Offers        int    `json:"offers"` // that several sources state it of
	Agreeing      int    `json:"agreeing"`
	Contradicting int    `json:"contradicting"`
	Settled       int    `json:"settled"` // of the statements, how many were left out
}

// BuiltQuestion is a question of the recipe, and its answer.
type BuiltQuestion struct {
	Path    string `json:"path"`
	Winner  Text   `json:"winner"`  // the id of the candidate that comes first
	Before  Text   `json:"before"`  // the same in the last catalog
	Changed bool   `json:"changed"` // there was a catalog before, and its answer was another
}

// BuildChanges is what is different from the catalog before, in counts.
type BuildChanges struct {
	Catalog string      `json:"catalog" is:"hash"` // the digest of the one before
	Summary DiffSummary `json:"summary"`
}

// LookSchema is the schema version of a [Look].
const LookSchema = "service.source.look/v1"

// Look is one look at a source: what it had then, and whether that counts.
type Look struct {
	SchemaVersion string     `json:"schemaVersion" is:"service.source.look/v1"`
	Source        string     `json:"source"`
	At            Timestamp  `json:"at"`     // when it was fetched
	Bodies        List[JSON] `json:"bodies"` // the envelopes of what an adapter reads
	Others        List[JSON] `json:"others"` // the envelopes of what led there
	Rows          int        `json:"rows"`
	Verdict       Verdict    `json:"verdict"`
	Reason        Text       `json:"reason"` // why it is held
}

// Verdict says whether a look counts.
type Verdict string

// The verdicts.
const (
	Accepted Verdict = "accepted"
	Held     Verdict = "held" // an adapter refused it, or it has far fewer rows than the one before
)

// Words are all verdicts.
func (Verdict) Words() []string { return []string{string(Accepted), string(Held)} }
