package v3

import (
	"errors"
	"strings"

	"github.com/model-catalog-service/svc/internal/quantity"
)

// This file is the bounds of a question, as people write them, and what they mean for the
// key of a catalog, which has a unit:
//
//	--at-least limits.context=200k    200000, if the unit is tokens
//	--at-most price.output=5/M        0.000005, if the unit is USD/token
//	--at-least coding.score=90%       90, if the unit is percent; 0.9 of what reaches from 0 to 1
//
// What could mean something else in the unit of the key is refused, see [quantity.Values].

// Bound is a number that a value must reach or must not exceed.
type Bound struct {
	Key    string
	Number float64
	Unit   string // that was written with the number, such as percent or USD/token, or ""

	amount quantity.Amount // as it was written, if it was read
}

// ParseBound reads KEY=NUMBER, with a number as [quantity.Read] reads it.
func ParseBound(text string) (b Bound, err error) {
	cut := strings.LastIndexByte(text, '=') // a key may have one, too
	if cut <= 0 {
		return b, errors.New("must be KEY=NUMBER, like limits.context=200k or price.output=5/M")
	}
	number := strings.TrimSpace(text[cut+1:])
	switch {
	case number == "":
		return b, errors.New("must have a number after the key")
	case number[0] == '/':
		return b, errors.New("must have a number before " + number + ", like 5/M for 5 dollars per million tokens")
	}
	amount, err := quantity.Read(number)
	if err != nil {
		return b, errors.New(number + " " + err.Error())
	}
	return Bound{text[:cut], amount.Number, amount.Unit, amount}, nil
}

// limit returns the number of a bound in the unit of its key.
func (b *Bound) limit(k *surveyedKey) (float64, error) {
	amount := b.amount
	if amount.Number != b.Number || amount.Unit != b.Unit {
		amount = quantity.Amount{Number: b.Number, Unit: b.Unit}
	}
	if len(k.units) != 1 {
		if b.Unit != "" {
			return 0, unfit("the values of %s have several units: write a number without one", b.Key)
		}
		return b.Number, nil
	}
	values := quantity.Values{Key: b.Key, Unit: k.units[0], Low: k.numbers.low, High: k.numbers.high,
		HasFractions: k.hasFractions, AreShares: k.kinds == "t"}
	number, err := values.Fit(amount)
	if err != nil {
		return 0, &UnfitError{Reason: err.Error()}
	}
	return number, nil
}

// checkBounds refuses requirements of one key that no value meets.
func (d *drafter) checkBounds() error {
	for i := range d.criteria {
		for j := range d.criteria {
			a, b := &d.criteria[i], &d.criteria[j]
			if a.role != requirement || b.role != requirement || a.key != b.key {
				continue
			}
			switch {
			case a.operator == atLeast && b.operator == atMost && a.limit > b.limit:
				return unfit("no value of %s can be at least %s and at most %s", a.key.Key, a.key.phrase(a.limit),
					a.key.phrase(b.limit))
			case i < j && a.operator == equal && b.operator == equal && a.value != b.value:
				return unfit("no value of %s can be both %s and %s", a.key.Key, scalarText(a.value), scalarText(b.value))
			}
		}
	}
	return nil
}

// phrase writes a number in the unit of the key.
func (k *surveyedKey) phrase(f float64) string {
	if len(k.units) != 1 {
		return quantity.Number(f)
	}
	return quantity.Phrase(f, k.units[0])
}
