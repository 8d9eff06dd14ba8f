package status

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/model-catalog-service/svc/internal/timestamp"
)

// calendar is how a version reads times and counts lifetimes.
type calendar interface {
	// read reads a time.
	read(text string) (at timestamp.Instant, readable bool)
	// isOver reports whether now is later than an instant and factor times the unit,
	// not at that very instant.
	isOver(now, since timestamp.Instant, factor float64, u unit) bool
	// unreadableEvent returns where an event without a readable time stands in order.
	unreadableEvent() timestamp.Instant
	// observed is read for a blocking piece. What it does not know is later than
	// nothing.
	observed(text string) (at timestamp.Instant, known bool)
	// unreadableBoundHolds reports whether a bound holds if it or the event that it is
	// held against cannot be read.
	unreadableBoundHolds() bool
}

// unit is a unit of lifetimes, in seconds.
type unit int

const (
	second unit = 1
	day    unit = 86_400
)

var (
	epoch   = timestamp.FromTime(time.Unix(0, 0))
	longAgo = timestamp.FromTime(time.Date(-1, time.January, 1, 0, 0, 0, 0, time.UTC))
	never   = timestamp.FromTime(time.Date(10_001, time.January, 1, 0, 0, 0, 0, time.UTC))
)

// milliseconds are the times of versions 2 and 3: RFC 3339 without leap seconds, or a
// date, in whole milliseconds. Lifetimes are binary64. What cannot be read changes
// nothing.
type milliseconds struct{}

func (milliseconds) read(text string) (timestamp.Instant, bool) {
	at, readable := timestamp.Parse(text)
	if !readable {
		at, readable = timestamp.ParseDate(text)
	}
	return at.Truncate(), readable && !at.IsLeap()
}

func (milliseconds) isOver(now, since timestamp.Instant, factor float64, u unit) bool {
	length := float64(factor * float64(u*1000)) // converted, or it might be fused with the sum; may be infinite
	return float64(now.Milliseconds()) > float64(since.Milliseconds())+length
}

func (milliseconds) unreadableEvent() timestamp.Instant { return epoch }

func (m milliseconds) observed(text string) (timestamp.Instant, bool) { return m.read(text) }

func (milliseconds) unreadableBoundHolds() bool { return true }

// exact are the times of version 4: RFC 3339 to the last digit. Lifetimes are the
// shortest decimals that read back as the same binary64, times their unit. What cannot
// be read counts against the claim.
type exact struct{}

func (exact) read(text string) (timestamp.Instant, bool) { return timestamp.Parse(text) }

func (exact) isOver(now, since timestamp.Instant, factor float64, u unit) bool {
	return elapsed(since, now).compare(lifetime(factor, u)) > 0
}

func (exact) unreadableEvent() timestamp.Instant { return longAgo }

func (exact) observed(text string) (timestamp.Instant, bool) {
	if at, readable := timestamp.Parse(text); readable {
		return at, true
	}
	return never, true
}

func (exact) unreadableBoundHolds() bool { return false }

// decimal is a number of seconds from zero up, to the last digit: 0.digits, times ten
// to the power of the exponent. Neither the first digit nor the last is zero, so that
// numbers compare as their exponents do and then as their digits. Zero has no digits.
//
//	90.25 is {"9025", 2}, 0.007 is {"7", -2}
type decimal struct {
	digits   string
	exponent int
}

// newDecimal returns the number that is written as these digits, with the point
// after so many of them.
func newDecimal(digits string, point int) decimal {
	significant := strings.TrimLeft(digits, "0")
	point -= len(digits) - len(significant)
	significant = strings.TrimRight(significant, "0")
	if significant == "" {
		return decimal{}
	}
	return decimal{significant, point}
}

func (d decimal) compare(other decimal) int {
	switch {
	case d.digits == "" || other.digits == "":
		return len(d.digits) - len(other.digits)
	case d.exponent != other.exponent:
		return d.exponent - other.exponent
	}
	return strings.Compare(d.digits, other.digits)
}

// elapsed returns the time between two instants, zero if the second is not later.
func elapsed(from, to timestamp.Instant) decimal {
	if to.Compare(from) <= 0 {
		return decimal{}
	}
	start, startFraction := from.Unix()
	stop, stopFraction := to.Unix()
	// The digits of stopFraction less those of startFraction, the last ones first.
	fraction := make([]byte, max(len(startFraction), len(stopFraction)))
	borrow := 0
	for i := len(fraction) - 1; i >= 0; i-- {
		difference := digitAt(stopFraction, i) - digitAt(startFraction, i) - borrow
		borrow = 0
		if difference < 0 {
			difference, borrow = difference+10, 1
		}
		fraction[i] = byte('0' + difference)
	}
	whole := strconv.FormatInt(stop-start-int64(borrow), 10)
	return newDecimal(whole+string(fraction), len(whole))
}

func digitAt(digits string, i int) int {
	if i >= len(digits) {
		return 0
	}
	return int(digits[i] - '0')
}

// lifetime returns factor times the unit. The factor is not negative and counts as
// the shortest decimal that reads back as the same number.
func lifetime(factor float64, u unit) decimal {
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(math.Abs(factor), 'e', -1, 64), "e") // d.ddde±dd
	exponent, _ := strconv.Atoi(power)
	digits := strings.Replace(mantissa, ".", "", 1)
	point := exponent + 1 // after the first digit
	product := make([]byte, len(digits)+len("86400"))
	carry := 0
	for i := len(product) - 1; i >= 0; i-- {
		if n := i - len("86400"); n >= 0 {
			carry += digitAt(digits, n) * int(u)
		}
		product[i] = byte('0' + carry%10)
		carry /= 10
	}
	return newDecimal(string(product), point+len("86400"))
}
