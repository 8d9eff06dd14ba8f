// Package service is the public library of svc: the offline core that compiles
// observations about models into a catalog, validates catalogs and ranks a
// caller's own candidates against one.
//
// It neither reads files nor opens connections. Package
// [github.com/model-catalog-service/svc/service/local] does that.
//
// The way of an observation through the package:
//
//   - [NormalizeObservation] validates the JSON of one and gives it its id, the
//     hash of its content.
//   - [CompileCatalog] compiles many into a [Catalog], as of an instant. The same
//     set of observations and the same instant give the same bytes and so the
//     same digest, whatever their order and on whatever machine.
//   - [SerializeCatalog] writes a catalog as canonical JSON (RFC 8785);
//     [ParseCatalog] reads it back, compiles its observations anew and demands
//     that the result is what was given.
//   - [NewCatalogRanker] indexes a catalog; its Rank answers a [RankRequest] with
//     the candidates in order, a reason and the ids of the evidence for each
//     number. [RankCatalog] does both at once.
//
// Values of types [Observation], [Catalog], [RankRequest] and [RankResult] have
// passed validation: no other way leads to them. All are immutable and, like a
// [Ranker], safe for concurrent use.
//
// # Errors
//
// What is refused is refused with an [*Error]: a code, the JSON path of the
// fault and a message that begins with the path. Where a document has several
// faults the error is an [ErrorList], the first fault first. Either is found by
// errors.As.
package service
