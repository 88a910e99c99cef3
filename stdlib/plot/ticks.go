package plot

import (
	"math"
	"strconv"

	gplot "gonum.org/v1/plot"
)

// Ticks marks an axis at round values: multiples of 1, 2 or 5 times a power of
// ten, about six of them, all written with the same number of decimals.
type Ticks struct {
	Count int // marks wanted, 0 means 6
}

// Ticks returns the marks from min to max. A range that is not finite or not
// positive has none.
func (t Ticks) Ticks(min, max float64) []gplot.Tick {
	want := t.Count
	if want <= 0 {
		want = 6
	}
	width := max - min
	if !(width > 0) || math.IsInf(width, 0) {
		return nil
	}
	// Of the round steps, the one whose number of intervals is nearest to what is
	// wanted, by ratio.
	step, off := 0.0, math.Inf(1)
	base := math.Pow(10, math.Floor(math.Log10(width/float64(want))))
	for _, m := range []float64{1, 2, 5, 10} {
		if d := math.Abs(math.Log(width / (m * base) / float64(want))); d < off {
			step, off = m*base, d
		}
	}
	if step == 0 || min+step == min {
		return nil // no room between two floats
	}
	var ticks []gplot.Tick
	first := math.Ceil(min/step - 1e-9)
	for k := first; k*step <= max+1e-9*step && len(ticks) < 1000; k++ {
		ticks = append(ticks, gplot.Tick{Value: k * step, Label: tickText(k*step, step, math.Max(math.Abs(min), math.Abs(max)))})
	}
	return ticks
}

// LogTicks marks a logarithmic axis: the powers of ten with their value, the
// other multiples of them with a short mark; over less than two decades 2 and 5
// times a power are written too, over many only every second or third power.
type LogTicks struct{}

// Ticks returns the marks from min to max, none where min is not positive.
func (LogTicks) Ticks(min, max float64) []gplot.Tick {
	if !(min > 0) || !(max > min) || math.IsInf(max, 0) {
		return nil
	}
	low, high := math.Floor(math.Log10(min)), math.Ceil(math.Log10(max))
	every := math.Ceil((high - low) / 8)
	var ticks []gplot.Tick
	for e := low; e <= high; e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			if v < min*(1-1e-12) || v > max*(1+1e-12) || (m > 1 && every > 1) {
				continue
			}
			t := gplot.Tick{Value: v}
			if (m == 1 && math.Mod(e, every) == 0) || ((m == 2 || m == 5) && math.Log10(max/min) < 2) {
				t.Label = strconv.FormatFloat(v, 'g', 1, 64)
				if e > -4 && e < 5 {
					t.Label = strconv.FormatFloat(v, 'f', int(math.Max(0, -e)), 64)
				}
				t.Label = shortExponent(t.Label)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// tickText writes a tick with the decimals of the step; large and small scales
// as a power of ten.
func tickText(v, step, largest float64) string {
	if v == 0 {
		return "0"
	}
	if largest >= 1e6 || largest < 1e-3 {
		digits := int(math.Round(math.Floor(math.Log10(math.Abs(v))*(1+1e-15)) - math.Floor(math.Log10(step)*(1+1e-15))))
		if digits < 0 {
			digits = 0
		}
		s := strconv.FormatFloat(v, 'e', digits, 64)
		return shortExponent(s)
	}
	decimals := 0
	if step < 1 {
		decimals = int(math.Ceil(-math.Log10(step) - 1e-9))
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// shortExponent writes 2e6 for 2e+06.
func shortExponent(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] != 'e' {
			continue
		}
		exp, err := strconv.Atoi(s[i+1:])
		if err != nil {
			return s
		}
		return s[:i] + "e" + strconv.Itoa(exp)
	}
	return s
}
