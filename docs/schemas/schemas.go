// Package schemas holds a JSON Schema (2020-12) of every format of svc, for
// editors and for whatever else checks files without svc.
//
// A schema says of a document what a schema can. What it refuses svc refuses, but
// for a bare bundle in the place of an answer, which a receiver reads too; svc also
// knows rules that no schema tells, such as that an id is the hash of what it
// names.
//
// The schemas are written by hand, one file a format. Each stands alone; what
// several need is written alike in all. Who changes a format changes its schema:
// a test finds whatever the two judge differently.
package schemas

import "embed"

// Schema is a format that has a schema.
type Schema struct {
	Name  string // of the file, without [Suffix]
	About string // what documents of the format tell
}

// Suffix is how the names of the files end.
const Suffix = ".schema.json"

// All returns all schemas, in the order in which a newcomer meets the formats.
func All() []Schema {
	return []Schema{
		{"observation", "what was measured or stated about a model, and on what evidence"},
		{"catalog", "observations, compiled as of an instant"},
		{"rank-request-v3", "candidates, what the job demands and what is preferred"},
		{"rank-question", "a question in short, of which a catalog makes a rank request"},
		{"rank-result-v3", "which candidates come first, why, and how sure that is"},
		{"rank-request", "a rank request of version 1 or 2"},
		{"rank-result", "a rank result of version 1 or 2"},
		{"keys", "what measurement keys mean"},
		{"rank-explanation", "how one candidate came out, down to the observations"},
		{"catalog-contents", "what a catalog holds: models, measurements, keys"},
		{"cost-table", "what a task costs at everybody who sells some models"},
		{"comparison", "a few models held against each other, key by key"},
		{"catalog-diff", "what changed from one catalog to the next"},
		{"models-lock", "which models an application relies on"},
		{"models-check", "what no longer agrees with a models lock"},
		{"export-report", "what an export wrote and left out"},
		{"model-list", "the catalog API's list of models"},
		{"model-detail", "the catalog API's answer about a model"},
		{"error-service", "the catalog API's errors"},
		{"approved-source-manifest", "which sources may be imported from, and how"},
		{"mapping", "which row of a source is which model"},
		{"identity-proposals", "which models the rows of a source may be"},
		{"offer-identities", "which model each row of price lists is"},
		{"source-rulings", "which source to believe about a fact"},
		{"contradictions", "where sources contradict each other"},
		{"snapshot-envelope", "where the bytes of a body came from"},
		{"revision-proposal", "which releases a source has published"},
		{"catalog-lock", "every byte that a catalog was made of"},
		{"catalog-build", "what became of each source when a catalog was built"},
		{"source-look", "what a source had at a time, as the store of svc build keeps it"},
		{"acquisition-record", "which files and rows an import used"},
		{"trust-bundle", "claims, the evidence for them and who judged them"},
		{"verification-response", "the verification endpoint's answers"},
		{"error-verification", "the verification endpoint's errors"},
		{"recipe", "what a catalog is made of"},
		{"config", "settings that you would otherwise type each time"},
	}
}

//go:embed *.schema.json
var files embed.FS

// Text returns the schema with a name, as it stands in its file. ok is false if
// there is none.
func Text(name string) (text []byte, ok bool) {
	text, err := files.ReadFile(name + Suffix)
	return text, err == nil
}
