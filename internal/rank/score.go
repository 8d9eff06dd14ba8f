package rank

import "math"

// normalize places v between low and high: 1 at the better end, 0 at the worse,
// 1 if they are one.
func normalize(v, low, high float64, d direction) float64 {
	if low == high {
		return 1
	}
	if math.IsInf(high-low, 1) {
		v, low, high = v/2, low/2, high/2
	}
	if d == minimize {
		return (high - v) / (high - low)
	}
	return (v - low) / (high - low)
}
