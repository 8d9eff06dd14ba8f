package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/model-catalog-service/svc/internal/canonical"
	"github.com/model-catalog-service/svc/internal/timestamp"
)

// Text is a text that is null where it is empty. Texts have no white space at their ends.
type Text string

// MarshalJSON writes null for the empty text.
func (t Text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return canonical.AppendString(nil, string(t)), nil
}

// MaxCount is the largest count: 2^53-1, up to which JSON numbers are exact everywhere.
const MaxCount = 1<<53 - 1

// Count is a whole number from 0 to [MaxCount], or null. The zero Count is null.
type Count struct {
	N     uint64
	Known bool // false is null
}

// NewCount returns a number as a count.
func NewCount(n uint64) Count { return Count{n, true} }

// MarshalJSON writes the number, or null if it is not known.
func (c Count) MarshalJSON() ([]byte, error) {
	switch {
	case !c.Known:
		return []byte("null"), nil
	case c.N > MaxCount:
		return nil, fmt.Errorf("count %d is larger than %d", c.N, uint64(MaxCount))
	}
	return strconv.AppendUint(nil, c.N, 10), nil
}

// UnmarshalJSON reads a whole number in any spelling, such as 5.0, or null.
func (c *Count) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*c = Count{}
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || f < 0 || f > MaxCount || f != float64(uint64(f)) {
		return fmt.Errorf("%s is not a whole number from 0 to %d", text, uint64(MaxCount))
	}
	*c = Count{uint64(f), true}
	return nil
}

// Float is a finite number, or null. The zero Float is null.
type Float struct {
	Value float64
	Known bool // false is null
}

// NewFloat returns a number as a Float.
func NewFloat(f float64) Float { return Float{f, true} }

// MarshalJSON writes the number, or null if it is not known.
func (f Float) MarshalJSON() ([]byte, error) {
	if !f.Known {
		return []byte("null"), nil
	}
	return json.Marshal(f.Value)
}

// UnmarshalJSON reads a number or null.
func (f *Float) UnmarshalJSON(text []byte) error {
	*f = Float{Known: string(text) != "null"}
	return json.Unmarshal(text, &f.Value)
}

// Timestamp is an instant as records have it: 2026-07-18T00:00:00.000Z, in UTC and with
// milliseconds. The layout has a fixed width, so that timestamps order as texts. The empty
// Timestamp is null where a field may be null, and a fault where it may not.
type Timestamp string

// NewTimestamp returns an instant as a timestamp, less what is finer than milliseconds. It is empty
// for the zero Time, which was not set, and for years other than 0000 to 9999.
func NewTimestamp(t time.Time) Timestamp {
	if text, ok := timestamp.Format(t); ok && !t.IsZero() {
		return Timestamp(text)
	}
	return ""
}

// Time returns the instant. It is the zero Time for text that is no timestamp.
func (t Timestamp) Time() time.Time {
	if !t.IsValid() {
		return time.Time{}
	}
	instant, _ := time.Parse(timestamp.Layout, string(t)) // a valid timestamp always parses
	return instant
}

// IsValid reports whether the text has the layout of a timestamp and names a real instant.
func (t Timestamp) IsValid() bool { return timestamp.Valid(string(t)) }

// MarshalJSON writes null for the empty timestamp. It refuses text that is no timestamp.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	switch {
	case t == "":
		return []byte("null"), nil
	case !t.IsValid():
		return nil, fmt.Errorf("%q %s", string(t), timestamp.Rule)
	}
	return json.Marshal(string(t))
}

// UnmarshalJSON reads a timestamp of the exact layout, or null.
func (t *Timestamp) UnmarshalJSON(text []byte) error {
	var s *string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	switch {
	case s == nil:
		*t = ""
	case !timestamp.Valid(*s):
		return fmt.Errorf("%q %s", *s, timestamp.Rule)
	default:
		*t = Timestamp(*s)
	}
	return nil
}

// Scalar is a string, a number or a boolean. The zero Scalar is none of them: it is null where a
// field may be null. Two scalars are the same value if they are equal with ==.
type Scalar struct {
	Kind byte   // '"' for a string, '0' for a number, 't' or 'f' for a boolean
	Text string // the string, or the canonical text of the number
}

// String returns a string as a scalar.
func String(s string) Scalar { return Scalar{'"', s} }

// Number returns a number as a scalar. It is the zero Scalar for NaN and infinities, which JSON
// does not have.
func Number(f float64) Scalar {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Scalar{}
	}
	return Scalar{'0', string(canonical.AppendNumber(nil, f))}
}

// Bool returns a boolean as a scalar.
func Bool(is bool) Scalar {
	if is {
		return Scalar{Kind: 't'}
	}
	return Scalar{Kind: 'f'}
}

// Float returns the number that the scalar is, or zero.
func (v Scalar) Float() float64 {
	if v.Kind != '0' {
		return 0
	}
	f, _ := strconv.ParseFloat(v.Text, 64) // canonical text always parses
	return f
}

// String returns the value as people read it: a string is not quoted.
func (v Scalar) String() string {
	if v.Kind == '"' || v.Kind == '0' {
		return v.Text
	}
	return fmt.Sprint(v.Value())
}

// Value returns the scalar as a string, a float64, a bool or nil.
func (v Scalar) Value() any {
	switch v.Kind {
	case '"':
		return v.Text
	case '0':
		return v.Float()
	case 't', 'f':
		return v.Kind == 't'
	}
	return nil
}

// MarshalJSON writes the value, or null for the zero Scalar.
func (v Scalar) MarshalJSON() ([]byte, error) {
	switch v.Kind {
	case '"':
		return canonical.AppendString(nil, v.Text), nil
	case '0':
		return []byte(v.Text), nil
	}
	return json.Marshal(v.Value())
}

// UnmarshalJSON reads a string, a number, a boolean or null.
func (v *Scalar) UnmarshalJSON(text []byte) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	switch value := value.(type) {
	case nil:
		*v = Scalar{}
	case string:
		*v = String(value)
	case float64:
		*v = Number(value)
	case bool:
		*v = Bool(value)
	default:
		return errors.New("must be a string, a number or a boolean")
	}
	return nil
}

// List is a list that is written [] if it is nil, for fields that are never null. A slice can be
// assigned to it.
type List[T any] []T

// MarshalJSON writes the list.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

// JSON is any JSON value, as canonical JSON. It is null if it is empty.
type JSON string

// MarshalJSON writes the value.
func (j JSON) MarshalJSON() ([]byte, error) {
	if j == "" {
		return []byte("null"), nil
	}
	return []byte(j), nil
}

// UnmarshalJSON keeps the value as it is.
func (j *JSON) UnmarshalJSON(text []byte) error {
	if *j = ""; string(text) != "null" {
		*j = JSON(text)
	}
	return nil
}
