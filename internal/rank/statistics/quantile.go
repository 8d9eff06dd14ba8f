package statistics

import "math"

// Normal returns the two-sided quantile z of the normal distribution: what is normal lies from -z
// to z with the probability level, which is from 0 to 1, both excluded. Its relative error is below
// 1e-10.
func Normal(level float64) float64 {
	tail := 1 - level
	return bisect(40, func(z float64) bool { return normalTail(z) > tail })
}

// normalTail returns the probability that what is normal lies outside -z to z: by the series of the
// distribution function below 2, by the continued fraction of Laplace from there on.
func normalTail(z float64) float64 {
	density := exp(z*z/2) * math.Sqrt(2*math.Pi)
	if z < 2 {
		sum, t := 0.0, z
		for k := 1.0; t > sum*1e-18; k += 2 {
			sum += t
			t = t * z * z / (k + 2)
		}
		return 1 - float64(2*sum/density)
	}
	fraction := z
	for k := 200.0; k > 0; k-- {
		fraction = z + k/fraction
	}
	return 2 / (density * fraction)
}

// exp returns e to the power x, for x from 0 to 1000: by its series at a small part of x, squared
// again and again.
func exp(x float64) float64 {
	const halvings = 12
	part := x / (1 << halvings)
	sum, t := 0.0, 1.0
	for k := 1.0; t > 1e-20; k++ {
		sum += t
		t = t * part / k
	}
	for range halvings {
		sum *= sum
	}
	return sum
}

// Student returns the two-sided quantile of Student's t distribution with so many degrees of
// freedom, at least one. Its relative error is below 1e-10 for levels up to 1-1e-6.
//
// From 500 degrees on it is Fisher's expansion from the normal quantile, whose error is smaller
// there.
func Student(level float64, freedom int) float64 {
	if freedom >= 500 {
		return fisher(Normal(level), float64(freedom))
	}
	tail := 1 - level
	return bisect(1<<40, func(t float64) bool { return studentTail(t, freedom) > tail })
}

// fisher returns a quantile of t from that of the normal distribution (Fisher and Cornish 1960).
func fisher(z, freedom float64) float64 {
	s := float64(z * z)
	a := float64(z * (s + 1) / 4)
	b := z * (float64((float64(5*s)+16)*s) + 3) / 96
	c := z * (float64((float64((float64(3*s)+19)*s)+17)*s) - 15) / 384
	d := z * (float64((float64((float64((float64(79*s)+776)*s)+1482)*s)-1920)*s) - 945) / 92160
	return z + (a+(b+(c+d/freedom)/freedom)/freedom)/freedom
}

// studentTail returns the probability that t lies outside -t to t, by the sums of Abramowitz and
// Stegun, 26.7.3 and 26.7.4. With x = t/sqrt(freedom) and c = 1/(1+x*x), the terms of both are
// multiples of powers of c. All terms together make one, so that those which the finite sum leaves
// out are the tail. They are added where they vanish fast.
func studentTail(t float64, freedom int) float64 {
	x := t / math.Sqrt(float64(freedom))
	c := 1 / (1 + float64(x*x))
	sine, isOdd := x*math.Sqrt(c), freedom%2 == 1
	term, first := sine, 1.0 // of even freedom: 1, 1/2 c, 1*3/(2*4) c*c ...
	if isOdd {
		term, first = sine*math.Sqrt(c)*2/math.Pi, 2 // of odd: cos, 2/3 cos*c, 2*4/(3*5) cos*c*c ...
	}
	k, inside := first, 0.0
	for range freedom / 2 {
		inside += term
		term = term * c * k / (k + 1)
		k += 2
	}
	if c >= 0.75 {
		if isOdd {
			inside += 2 * arctangent(x) / math.Pi
		}
		return 1 - inside
	}
	outside := 0.0
	for term > outside*1e-18 {
		outside += term
		term = term * c * k / (k + 1)
		k += 2
	}
	return outside
}

// arctangent returns that of x, from 0 to 1: by its series at an angle that is halved twice.
func arctangent(x float64) float64 {
	for range 2 {
		x = x / (1 + math.Sqrt(1+float64(x*x)))
	}
	square, sum, power := float64(x*x), 0.0, x
	for k := 1.0; power != 0 && math.Abs(power) > 1e-19; k += 2 {
		sum += power / k
		power = -power * square
	}
	return 4 * sum
}

// bisect returns the smallest number up to high for which isBelow no longer holds, to the last
// digit.
func bisect(high float64, isBelow func(float64) bool) float64 {
	low := 0.0
	for top := 1.0; top < high; top *= 2 {
		if !isBelow(top) {
			high = top
			break
		}
		low = top
	}
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return high
		}
		if isBelow(middle) {
			low = middle
		} else {
			high = middle
		}
	}
}
