// Package compare has the words in which svc speaks of what a catalog holds and
// of what changed from one catalog to the next. Whatever looks at catalogs (diff,
// export, lock, check, the page, the server for agents) takes them from here.
//
// # Words of one catalog
//
//   - An observation holds at an instant if it was observed at or before it and
//     its validUntil is null or after it: [Holds]. Without more words the instant
//     is the asOf of the catalog.
//   - A [Slot] is what conflicts are found by: the model, the execution scope, the
//     task and the measurement key of a fact. Its name, [Slot.Hash], is the key of
//     its conflict. Its [State] is absent (there is no such fact), expired (none of
//     its facts holds), value (those that hold have one value and one unit) or
//     conflict (they have not). Facts count whatever the outcome of their
//     evaluation was, as they do for conflicts.
//   - A [Group] of samples is the model, the execution scope, the family and the
//     suite of the task, and the measurement key. Samples without a task are a
//     group of their own. Those are used that hold and whose outcome is not
//     invalid; an [Aggregate] is what ranking makes of them.
//   - A [Listing] is a model and a runtime that the execution scope of one of its
//     facts names. Its plain profile is this runtime and nothing else. Its local
//     ids are what the runtime calls the model, as price sources say.
//   - The candidates of a catalog for some keys, [Candidates], are the ways to run
//     its models that a rank request can ask about.
//
// A [Model] is the observations of one model of a catalog, cut into slots and
// groups. Reading one takes time and memory in proportion to its observations.
//
// # Words of two catalogs
//
// [Catalogs] compares two catalogs, OLD and NEW, where NEW is not of an earlier
// asOf. What it finds is a [Diff]: models that came and went, slots whose state or
// value changed, sample groups whose aggregates did, conflicts that arose and
// ended, and counts of all of it. The table of changes is in the file of that
// function. Package ranking adds why a rank request is answered differently.
//
// # An example
//
// On 1 May a price list says that acme/atlas costs 6 dollars for a million tokens
// of output, until 31 May; on 1 June it says 5. The catalog as of 2 May has one slot,
//
//	{ model acme/atlas, execution { runtime acme }, task null, key price.output }
//
// in state value: 0.000006 USD/token. In the catalog as of 2 June both observations
// are in this slot; the first has expired, the second holds: state value, 0.000005.
// The diff has one model, changed, with one fact, changed, whose ratio is 0.83. On
// 1 July, when the second has expired too and nobody has said anything new, the
// slot is expired, and the model silenced: it is still listed, but nothing that
// was said of it holds.
package compare
