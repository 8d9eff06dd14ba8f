// Package sources turns the files of trusted sources into observations.
//
// A number enters a catalog only if one can say from which bytes it came, who
// vouches that this row is that model, and for how long it holds. So an
// [Adapter] gets three things and nothing else:
//
//   - snapshots: the exact bytes that a source published, each with an envelope
//     that says where they came from and commits to them ([Open]);
//   - a mapping: a person's reviewed word that this row is that model ([Mapping]).
//     Nothing is ever guessed from a label;
//   - the manifest of approved sources, which says what may be taken from where
//     ([Manifest]).
//
// No adapter knows a clock, a file or a network, so the same input gives the same
// bytes. Back come observations, diagnostics and an acquisition record
// ([Result]). Each observation has one piece of evidence, whose digest is the
// SHA-256 of the canonical JSON of
//
//	{"mapping": <the entry>, "row": <what was read of the row or cell>}
//
// and not of the whole file: a correction elsewhere in the file leaves its id
// alone, and so does fetching the same bytes again.
//
// What is proven is that the observations follow from these bytes and this
// mapping. That the bytes came from the named site rests on whoever fetched or
// pinned them.
//
// Whatever an adapter refuses is refused with code INVALID_SOURCE_SNAPSHOT and a
// path that begins with $.snapshots[i] or $.mapping: members of the envelope
// stand there directly, what is in the body behind .body. The formats
// themselves are read in the packages below this one.
package sources
