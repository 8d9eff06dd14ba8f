// Package offer is what price lists have in common: offers, the words and numbers
// in which they are stated, and what becomes of an offer over time.
//
// A price list answers one question: what does this model cost at this provider,
// how much does it take, since when, and who says so? The public lists contradict
// each other. This package does not pick a truth: it makes the lists speak of the
// same things in the same words and in numbers that are equal to the last bit.
//
//   - A row is what a list publishes of one thing that it lists: a file in a tree,
//     a member of an object ([Row]). Not every row is read: each that is not has
//     one [Reason].
//   - An [Offer] is what a row is about: a model as one provider sells it. It is a
//     runtime, by a table that all lists share ([Runtimes]), and the local id,
//     which is what the provider calls the model, to the letter.
//   - A [Fact] is one thing that a row states of its offer, under a key of the
//     shared vocabulary: price.input, limits.context, capability.tools. Prices are
//     decimal digits until their unit is settled ([Decimal]).
//   - A [Declaration] is the facts that become one observation: each price and
//     each limit alone, the modalities together, so the capabilities, and so the
//     life cycle. One change of a list is then one change of an observation.
//   - A [Listing] is all rows of one body, and a [Draft] makes a row of what its
//     list printed. The draft has the rules of what becomes of odd values: a 0
//     that means that no price is known, prices in another unit, a limit that the
//     list writes where none is stated.
//   - A [Run] is a longest series of snapshots, one right after another, that state
//     a declaration of an offer with the same facts. A [Succession] makes runs of
//     listings in order of time. A run is one observation, so that a price that
//     changed contradicts nothing, and daily captures do not pile up.
//
// So, of a list that says, on three days, of the row openai/gpt-5
//
//	[cost]               [cost]                [cost]
//	input = 1.25         input = 1.250         input = 1.00
//	output = 0           output = 10           output = 10
//
// the offer is { runtime openai, local id gpt-5 }, and the runs are
//
//	price.input   1.25e-6  days 1 and 2: 1.25 and 1.250 are one price
//	price.input   1e-6     day 3
//	price.output  1e-5     days 2 and 3: on day 1 it was left out, as unknown-price
//
// Nothing here knows a clock, a file or a network, nor snapshots, mappings and
// observations: package sources makes these of runs. A listing keeps nothing of
// the body that it was read from, so that a succession of many takes the memory
// of one body and the runs.
package offer

import (
	"slices"
	"strings"

	"github.com/model-catalog-service/svc/internal/problem"
	"github.com/model-catalog-service/svc/service/record"
)

// Offer is a model as one provider sells it.
type Offer struct {
	Runtime string // by the table of runtimes
	LocalID string // what the provider calls the model
}

// The identities of rows that no entry speaks of, as mappings call them.
const (
	RuleV1 = "offer/v1" // the model that [Offer.ModelID] says
	RuleV2 = "offer/v2" // the model that package resolver reads of the local id
)

// ModelID is the id of the model that an offer is of, as far as its own name says:
// the local id if that has a slash, else the runtime, a slash and the local id. So
// gpt-5 of openai and openai/gpt-5 of a router are the model openai/gpt-5. Nothing
// is guessed: case, dots and dates are part of a name.
func (o Offer) ModelID() string {
	if strings.Contains(o.LocalID, "/") {
		return o.LocalID
	}
	return o.Runtime + "/" + o.LocalID
}

// Fact is one thing that a row states.
type Fact struct {
	Key   string
	Value record.Scalar
}

// Declaration is the facts of a row that become one observation.
type Declaration struct {
	Name  string // that of its one fact, or modality, capability, lifecycle
	Facts []Fact // in order of their keys, at least one
	// Read is what the facts were read of: canonical JSON, an object of the row's
	// members with the literals that stand there.
	Read string
	// Until is when the source says that the facts end: a timestamp, "" if it does
	// not say so.
	Until string
	// Gaps are what the row does not tell of these facts, beyond what its source
	// tells of none.
	Gaps []string
}

// States reports whether two declarations state the same facts, however they are
// printed.
func (d *Declaration) States(other *Declaration) bool { return slices.Equal(d.Facts, other.Facts) }

// Row is what a list says of one thing that it lists.
type Row struct {
	ID    string
	Offer Offer
	Path  string // in the body, without its beginning: .data[3]
	Place problem.Place
	// Skip says why the row gives nothing, and Why in words; "" if it gives some.
	Skip         Reason
	Why          string
	Declarations []Declaration // in order of their names
	Notes        []Note        // what was left out of the row
	// Base is the model that the list says the row is of; "" if it does not say.
	Base string
	// PerRequest says that the list has prices of requests or searches, too.
	PerRequest bool

	offset     int
	precedence precedence
	unknown    []string // members that nothing reads
}

// precedence says which of several rows of one offer stays: the lower.
type precedence struct {
	bare     bool // the id has no prefix of the provider, where others have one
	provider int  // the place of the provider in the table of runtimes
}

// Reason says why a row was skipped or a value left out. The values are part of
// the public interface.
type Reason string

// Why a row gives nothing.
const (
	RowDangling    Reason = "row-dangling"     // a symbolic link to nothing
	RowWithoutBase Reason = "row-without-base" // extends a row that there is not, or itself
	RowUnreadable  Reason = "row-unreadable"   // is not TOML
	RowNoModel     Reason = "row-no-model"     // documentation, or a class of prices
	RowOtherMode   Reason = "row-other-mode"   // no model that takes and gives tokens
	RowNoID        Reason = "row-no-id"        // its id names nothing that could be asked for
	RowAlias       Reason = "row-alias"        // names another model today than tomorrow
	RowRepeated    Reason = "row-repeated"     // another row has the offer
	RowEmpty       Reason = "row-empty"        // no value of it could be taken
)

// What is to be known of the model of a row.
const (
	OpenModel     Reason = "open"           // no maker is known, so the seller's own name is kept
	SeveralOffers Reason = "several-offers" // another row of the seller has the model, service and region
	Disputed      Reason = "disputed"       // the list says another model than the name does
)

// Why a value was left out.
const (
	UnknownPrice      Reason = "unknown-price"      // a price that varies, or a 0 that means several things
	ImplausiblePrice  Reason = "implausible-price"  // the prices of the row are in another unit
	InvalidValue      Reason = "invalid-value"      // not what it should be
	LimitNotSeparate  Reason = "limit-not-separate" // what the list writes where no limit is stated
	ContradictsItself Reason = "contradicts-itself" // the row states two values
	RelayedTwice      Reason = "relayed-twice"      // a variant repeats what its base model carries
	NewMembers        Reason = "new-members"        // members that nothing reads, of the whole list
)

// Note says what was left out, and why.
type Note struct {
	Reason  Reason
	Row     string // the id of the row, "" for one of the whole list
	Path    string // in the body, without its beginning
	Message string
	Place   problem.Place // its File is "" for the body itself, else that of a file within

	offset int
}
