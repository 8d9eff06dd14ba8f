package option

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/model-catalog-service/svc/internal/ijson"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// value is the value of an option. The error of set is the rule that a text breaks.
type value struct {
	kind   string // pflag shows the default of a string in quotes
	get    func() string
	set    func(text string) error
	words  []string // of a choice
	tips   map[string]string
	inputs func() []string // names of files to read, - being standard input; nil if it names none
}

const (
	typeBool    = "bool"
	typeString  = "string"
	typeInteger = "integer"
)

func (v *value) Set(text string) error { return v.set(text) }
func (v *value) String() string        { return v.get() }
func (v *value) Type() string          { return v.kind }

// Func is an option whose value a function takes or refuses.
func Func(set func(text string) error) pflag.Value {
	return &value{kind: typeString, get: func() string { return "" }, set: set}
}

// text returns what reads a text.
func text(p *string) func() string { return func() string { return *p } }

// Text is an option that takes any text but the empty one. Its default is what the
// pointer holds.
func Text(p *string) pflag.Value {
	return &value{kind: typeString, get: text(p), set: func(text string) error {
		if text == "" {
			return errEmpty
		}
		*p = text
		return nil
	}}
}

// Input is a text that names a file to read; - is standard input.
func Input(p *string) pflag.Value {
	v := Text(p).(*value)
	v.inputs = func() []string { return []string{*p} }
	return v
}

// Texts is an option that may be given more than once, each time with a text.
func Texts(p *[]string) pflag.Value {
	return &value{kind: "stringArray", get: func() string { return strings.Join(*p, ",") }, set: func(text string) error {
		*p = append(*p, text)
		return nil
	}}
}

// Recorded is an option that tells a function each word of a command line that sets it, so that
// these can be shown again:
//
//	--all    --at-most price.output=5/M    --at-least=-x=5
func Recorded(name string, v pflag.Value, tell func(words ...string)) pflag.Value {
	recorded := *v.(*value)
	recorded.set = func(text string) error {
		if err := v.Set(text); err != nil {
			return err
		}
		switch {
		case recorded.kind == typeBool && text == "true":
			tell("--" + name)
		case recorded.kind == typeBool || strings.HasPrefix(text, "-"): // or it would look like an option
			tell("--" + name + "=" + text)
		default:
			tell("--"+name, text)
		}
		return nil
	}
	return &recorded
}

// Inputs is Texts that name files to read; - is standard input.
func Inputs(p *[]string) pflag.Value {
	v := Texts(p).(*value)
	v.inputs = func() []string { return *p }
	return v
}

// Each is an option that may be given more than once, each time with a value that a
// function takes or refuses.
func Each(take func(text string) error) pflag.Value {
	return &value{kind: "stringArray", get: func() string { return "" }, set: take}
}

// Parsed is an option whose text a function takes.
func Parsed(take func(text string) error) pflag.Value {
	return &value{kind: typeString, get: func() string { return "" }, set: take}
}

// Bool is an option without a value; true and false may be given after an equals
// sign.
func Bool(p *bool) pflag.Value {
	return &value{kind: typeBool, get: func() string { return strconv.FormatBool(*p) },
		set: func(text string) (err error) {
			if *p, err = strconv.ParseBool(text); err != nil {
				return errors.New("must be true or false")
			}
			return nil
		}}
}

// Choice is an option that takes one of some words, the first of which is the
// default.
func Choice(p *string, words ...string) pflag.Value {
	*p = words[0]
	return ChoiceOrNone(p, words...)
}

// ChoiceOrNone is a choice whose default is none of the words.
func ChoiceOrNone(p *string, words ...string) pflag.Value {
	return &value{kind: "choice", get: text(p), words: words, set: func(text string) error {
		if !slices.Contains(words, text) {
			return errors.New("must be " + ijson.Alternatives(words))
		}
		*p = text
		return nil
	}}
}

// WithTips returns a value that has tips for some texts that it refuses.
func WithTips(v pflag.Value, tips map[string]string) pflag.Value {
	v.(*value).tips = tips
	return v
}

// MaxInteger is the largest integer that an option may be: 2^53-1.
const MaxInteger = 1<<53 - 1

// Integer is an option that takes an integer from least to most. Its default is
// what the pointer holds.
func Integer(p *uint64, least, most uint64) pflag.Value {
	rule := "must be an integer from " + strconv.FormatUint(least, 10) + " to " + strconv.FormatUint(most, 10)
	return &value{kind: typeInteger, get: func() string { return strconv.FormatUint(*p, 10) },
		set: func(text string) error {
			n, ok := PlainInteger(text)
			if !ok || n < least || n > most {
				return errors.New(rule)
			}
			*p = n
			return nil
		}}
}

// PlainInteger reads decimal digits without sign, space or leading zero, up to
// [MaxInteger].
func PlainInteger(s string) (n uint64, ok bool) {
	if s == "" || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	for i := range len(s) {
		digit := s[i] - '0'
		if digit > 9 || n > (math.MaxUint64-9)/10 {
			return 0, false
		}
		n = 10*n + uint64(digit)
	}
	return n, n <= MaxInteger
}

// Instant is an option that takes a time: an RFC 3339 instant with at most
// milliseconds, a date, which means its midnight UTC, or now. The pointer gets a
// timestamp as records have them.
func Instant(p *string, now func() time.Time) pflag.Value {
	return &value{kind: "time", get: text(p), set: func(text string) error {
		t := now()
		if text != "now" {
			var err error
			if t, err = ParseInstant(text); err != nil {
				return err
			}
		}
		s, ok := timestamp.Format(t)
		if !ok {
			return errors.New("must be in the years 0000 to 9999 of UTC")
		}
		*p = s
		return nil
	}}
}

// ExactInstant is an option that takes a time as Instant does, but with any number of
// digits, all of which the pointer gets, and leap seconds.
func ExactInstant(p *string, now func() time.Time) pflag.Value {
	rough := Instant(p, now)
	return &value{kind: "time", get: text(p), set: func(text string) error {
		if _, ok := timestamp.Parse(text); ok {
			*p = text
			return nil
		}
		return rough.Set(text)
	}}
}

// ParseInstant reads an RFC 3339 instant of at most milliseconds, or a date.
func ParseInstant(s string) (time.Time, error) {
	i, ok := timestamp.ParseDate(s)
	if !ok {
		i, ok = timestamp.Parse(s)
	}
	if !ok || i.IsLeap() {
		return time.Time{}, errors.New(
			"must be an RFC 3339 instant like 2026-07-18T06:00:00Z, a date like 2026-07-18, or now")
	}
	_, fraction, _ := strings.Cut(s, ".")
	if digits := len(fraction) - len(strings.TrimLeft(fraction, "0123456789")); digits > len("mmm") {
		return time.Time{}, errors.New("must have at most milliseconds: finer digits would be lost")
	}
	return i.Time(), nil
}

// ParseAge reads an age: hours, minutes and seconds as Go writes them, or days. Any is below 0.
func ParseAge(text string) (time.Duration, error) {
	if text == "any" {
		return -1, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, isNumber := PlainInteger(days); isNumber && 0 < n && n < 100_000 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, errors.New("must be a duration like 24h, 90m or 7d, or any")
	}
	return d, nil
}
