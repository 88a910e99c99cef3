package bound

import (
	"fmt"
	"math"
	"strings"
)

// Variances and effects are kept in a range where products of three of their
// square roots neither overflow nor vanish.
const (
	leastVariance = 1e-200
	mostVariance  = 1e200
	mostEffect    = 1e100
)

// data is what is known of the tests before weights.
type data struct {
	est, v     []float64
	n          []int
	skew, kurt []float64
	resid      [][]float64
	hits       []int
	warnings   []string
}

func (d *data) warn(format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

// describe sets test i from its units.
func (d *data) describe(i int, x []float64) {
	n := float64(len(x))
	mean := 0.0
	for _, v := range x {
		mean += v / n
	}
	r := make([]float64, len(x))
	var m2, m3, m4, size float64
	for j, v := range x {
		e := v - mean
		r[j] = e
		m2 += e * e
		m3 += e * e * e
		m4 += e * e * e * e
		size = max(size, math.Abs(v))
	}
	d.est[i], d.resid[i] = mean, r
	if m2/n <= 1e-28*size*size { // equal units, but for rounding
		return
	}
	d.v[i] = m2 / (n - 1) / n
	d.skew[i] = m3 / n / math.Pow(m2/n, 1.5)
	d.kurt[i] = m4 / n / (m2 / n * m2 / n)
}

// list names some tests.
func list(ids []int, names []string) string {
	var s []string
	for k, i := range ids {
		if k == 6 {
			s = append(s, "…")
			break
		}
		s = append(s, nameOf(names, i))
	}
	return strings.Join(s, ", ")
}

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprint(i)
}
