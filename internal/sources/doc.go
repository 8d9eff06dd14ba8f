// Package sources turns the files of trusted sources into observations.
//
// A number enters a catalog only if one can say from which bytes it came, who
// vouches that this row is that model, and for how long it holds. So an
// [Adapter] gets three things and nothing else:
//
//   - snapshots: the exact bytes that a source published, each with an envelope
//     that says where they came from and commits to them ([Open], [Pin]);
//   - a mapping: a person's reviewed word that this row is that model
//     ([MappingSchema]). Nothing is ever guessed from a label;
//   - the manifest of approved sources, which says what may be taken from where
//     ([Manifest]).
//
// No adapter knows a clock, a file or a network, so the same input gives the same
// bytes. What comes out is observations, diagnostics and an acquisition record
// ([Result]).
//
// # Evidence
//
// Each observation has one piece of evidence. Its id names the row or cell:
//
//	livebench:atlas-70b-high-effort#zebra_puzzle@2026-01-08
//
// Its digest is the SHA-256 of the canonical JSON of the mapping's entry and of
// what was read, here
//
//	{"mapping":{"model":...},"row":{"category":"Reasoning","model":"atlas-70b-high-effort",
//	"release":"2026-01-08","score":"7.5","task":"zebra_puzzle"}}
//
// and not of the whole file: a correction elsewhere in the file leaves the
// observation's id alone, and so does fetching the same bytes again.
//
// # What is proven
//
// That the observations follow from these bytes and this mapping. That the bytes
// came from the named site rests on whoever fetched or pinned them.
//
// # Refusals
//
// Whatever an adapter refuses is refused with code INVALID_SOURCE_SNAPSHOT and a
// path that begins with $.snapshots[i] or $.mapping. Members of the envelope
// follow directly ($.snapshots[0].url), what is in the body after .body
// ($.snapshots[0].body.data[3].pricing.prompt).
//
// # A new source
//
// is a package below this one with a function New, which makes an adapter of a
// [Format]: how rows are read of snapshots, what an entry of the mapping holds,
// and which observations a row becomes. What all adapters share is here: numbers
// and dates as sources print them ([Decimal], [IsDate]), objects whose members come
// and go ([Members]), diagnostics ([Notes]), sentences of uncertainty
// ([Uncertainty]), evidence ([Batch.Observe]).
package sources
