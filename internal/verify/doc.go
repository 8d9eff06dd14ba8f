// Package verify answers what became of a claim, and recomputes the answer on
// the receiver's side.
//
// Records are those of the open trust format Hachure, schema versions 5 to 7:
// claims, the evidence for them, verification events and authority traces, held
// together in a trust bundle. What the package promises:
//
//   - Records pass through untouched. The spelling of numbers, the order of
//     members and whatever stands in free members comes out as it went in. What
//     could not be told as canonical JSON is refused when a bundle is read.
//   - A [Bundle] is right: [ReadBundle] alone makes one. A [RawBundle] is what
//     came; it can be merged, and nothing else can be done with it unread.
//   - A [Store] that fails is never taken for one that knows nothing.
//   - A receiver believes no status. [Receive] takes records from an answer,
//     nothing else, and computes statuses by [DeriveStatuses] at its own time.
//
// A producer's data flows so: bundle, [Index], a [Store], a [Responder], a
// [Handler]. A receiver's: held bundle and answer, [MergeBundles],
// [DeriveStatuses], a [Receipt].
package verify
