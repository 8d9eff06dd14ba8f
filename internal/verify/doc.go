// Package verify answers what became of a claim, and recomputes the answer on
// the receiver's side.
//
// Records are those of the open trust format Hachure: claims, the evidence for
// them, verification events and authority traces, held together in a trust
// bundle. They pass through untouched: the spelling of numbers, the order of
// members and whatever stands in free members comes out as it went in.
package verify
