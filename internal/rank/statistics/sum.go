package statistics

import "math"

// Sum returns the sum of finite numbers, correctly rounded: whatever their order, it is the
// floating-point number nearest to the exact sum, and the even one of two that are as near. It is
// an infinity where the sum of some of them is too large.
//
// The algorithm is Shewchuk's (Adaptive Precision Floating-Point Arithmetic, 1997): it keeps the
// exact sum as parts that do not overlap.
func Sum(values []float64) float64 {
	var room [16]float64
	parts := room[:0]
	for _, x := range values {
		n := 0
		for _, y := range parts {
			high, low := addExactly(x, y)
			if low != 0 {
				parts[n] = low
				n++
			}
			x = high
		}
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return x
		}
		parts = append(parts[:n], x)
	}
	return round(parts)
}

// addExactly returns the rounded sum of two numbers and what is missing to the exact one.
func addExactly(x, y float64) (high, low float64) {
	if math.Abs(x) < math.Abs(y) {
		x, y = y, x
	}
	high = x + y
	return high, y - (high - x)
}

// round returns the sum of parts that do not overlap, from the smallest to the largest.
func round(parts []float64) float64 {
	n := len(parts)
	if n == 0 {
		return 0
	}
	n--
	high := parts[n]
	for n > 0 {
		n--
		var low float64
		if high, low = addExactly(high, parts[n]); low == 0 {
			continue
		}
		// What is left below decides a tie: half of the last digit and more rounds up.
		if n > 0 && (low < 0) == (parts[n-1] < 0) {
			twice := 2 * low
			if next := high + twice; next-high == twice {
				high = next
			}
		}
		break
	}
	return high
}

// Mean returns the mean of numbers, by their correctly rounded sum.
func Mean(values []float64) float64 { return Sum(values) / float64(len(values)) }
