// Package catalog compiles observations of models into a catalog: a snapshot that
// is named by the hash of its content, and that anybody can compile again.
//
// # Observations
//
// An observation (service.observation/v2) says what was seen of a model, under
// which conditions, on what evidence, and until when it holds. Reading one makes
// four steps: bytes, a decoded [Record], a validated and normalized record, its
// canonical JSON. In the normal form toolSurface, basis and gaps are sorted as
// texts, evidence by id, and measurements by their canonical JSON. The id of an
// observation is the SHA-256 of the normal form, which has no id; see package
// canonical for how text is written, sorted and hashed. Only [Normalize] and
// compiling make an [Observation], so that one is always valid.
//
// # Catalogs
//
// [Compile] takes observations and an instant, asOf. A model is what they share by
// id, revision and quantization; its key is the SHA-256 of that identity. Facts of
// one scope (model, execution, task and measurement key) that differ while both
// are in force make a conflict, whose key is the SHA-256 of the scope. So a
// snapshot (service.catalog/v2) is the canonical JSON of
//
//	{ "schemaVersion": "service.catalog/v2", "asOf": ..., "digest": ...,
//	  "models": [{ "key", "identity", "observations" }], by key, observations by id
//	  "conflicts": [{ "key", "modelKey", "measurementKey", "execution", "task", "observationIds", "values" }] by key }
//
// and its digest the SHA-256 of that text without the member digest. The bytes
// depend on the set of observations and on asOf alone: not on order, files,
// threads or machine. [Parse] reads a snapshot by compiling its observations
// again; what it accepts is byte for byte what they compile to.
//
// # An example
//
// One declaration that acme/atlas takes 131,072 tokens, compiled as of 2026-07-18,
// makes a snapshot of 958 bytes. Any shell finds its parts again:
//
//	svc compile atlas.json --as-of 2026-07-18 -o catalog.json
//	printf '{"id":"acme/atlas","quantization":null,"revision":null}' | sha256sum
//	# 955f7cf9..., the key of the model
//	sed 's/"digest":"[^"]*","models"/"models"/' catalog.json | sha256sum
//	# 1f9b254f..., the digest
//
// TestExample holds these numbers.
package catalog
