package verify

import "time"

// milliseconds returns how many milliseconds lie between the epoch and t. Sums
// are made of floating numbers, which cannot overflow: a lifetime may be as
// long as a number can say.
func milliseconds(t time.Time) float64 {
	const nanosPerMilli = 1e6
	return float64(t.UnixMilli()) + float64(t.Nanosecond()%nanosPerMilli)/nanosPerMilli
}
