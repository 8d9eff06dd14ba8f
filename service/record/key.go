package record

// KeysSchema is the schema version of a dictionary of keys.
const KeysSchema = "service.keys/v1"

// KeyDictionary says what measurement keys mean.
type KeyDictionary struct {
	SchemaVersion string    `json:"schemaVersion" is:"service.keys/v1"`
	Keys          List[Key] `json:"keys"` // each key once, sorted
}

// Key says what is measured under a key, or under all keys that a pattern stands for.
type Key struct {
	Key string `json:"key"` // a pattern ends in *; the longest that fits counts
	// for people, such as LiveBench coding; null in requests that do not say
	Name      Text         `json:"name"`
	Line      Text         `json:"line"`                // what is measured, in one line; null as Name
	Link      Text         `json:"link"`                // a page that says more; null: none
	Unit      Text         `json:"unit"`                // null: none, or several
	Bounds    *KeyBounds   `json:"bounds"`              // null: values have no bounds
	Direction KeyDirection `json:"direction" or:"null"` // which way is better; null: neither
	Size      *KeySize     `json:"size"`                // null: the number of questions is not known
	Family    KeyFamily    `json:"family" or:"null"`    // what kind of property it is; null: unknown
	// Joins names the parts of workflow conditions, such as edit_format, that tell no variants of a
	// model apart: runs that differ in nothing else are counted together.
	Joins List[string] `json:"joins" each:"once"`
}

// KeyBounds are the lowest and the highest value that there can be: 0 and 100 for percentages.
type KeyBounds struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"` // more than Low
}

// KeyFamily is the kind of property that a key is about.
type KeyFamily string

// Words returns the families.
func (KeyFamily) Words() []string {
	return []string{"capability", "date", "limit", "other", "price", "quality", "speed"}
}

// KeyDirection is maximize where more is better, minimize where less is.
type KeyDirection string

// Words returns the directions.
func (KeyDirection) Words() []string { return []string{"maximize", "minimize"} }

// KeySize says how large the samples of a key are. Of Trials, Tasks and StandardError exactly one
// is there.
type KeySize struct {
	Trials        Text           `json:"trials"`          // a key of the same observation that counts the trials
	Tasks         map[string]int `json:"tasks" or:"null"` // the number of questions of each task, by its id
	StandardError Text           `json:"standardError"`   // a key of the same observation with the standard error
	Basis         KeyBasis       `json:"basis" or:"null"` // how the numbers of Tasks are known; null without them
	Rule          Text           `json:"rule"`            // how they were inferred
	Source        Text           `json:"source"`          // where they are stated
}

// KeyBasis is stated for numbers that somebody published, inferred for those worked out from
// values.
type KeyBasis string

// Words returns what there is.
func (KeyBasis) Words() []string { return []string{"inferred", "stated"} }

// MarshalJSON writes null for none.
func (d KeyDirection) MarshalJSON() ([]byte, error) { return Text(d).MarshalJSON() }

// MarshalJSON writes null for none.
func (f KeyFamily) MarshalJSON() ([]byte, error) { return Text(f).MarshalJSON() }

// MarshalJSON writes null for none.
func (b KeyBasis) MarshalJSON() ([]byte, error) { return Text(b).MarshalJSON() }
