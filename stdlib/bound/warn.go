package bound

import (
	"fmt"
	"math"
)

// warnMode says where the mode is known to fail, by COVERAGE.md.
func (b *Bounds) warnMode(d *data) {
	live, least := 0, math.MaxInt
	for i, v := range d.v {
		if v > 0 {
			live++
			if d.n != nil {
				least = min(least, d.n[i])
			}
		}
	}
	plain := b.Mode == Gauss || b.Mode == T || b.Mode == Resample
	switch {
	case !plain:
	case d.n == nil:
		b.warn("mode Gauss takes errors as normal and standard errors as exact: bounds miss too often where they are not; give Options.N, or the samples to FitSamples")
	case d.skew == nil:
		b.warn("mode %v takes units as normal: on skewed units one side misses far too often; give Options.Skew and Kurt, or the samples to FitSamples", b.Mode)
	case d.skewed() > 0.4:
		b.warn("skewed data (skewness up to %.1f) in mode %v: one side misses far too often; use Student, Moments or Binomial", d.mostSkew(), b.Mode)
	case d.hits == nil && least < 30:
		b.warn("as few as %d units a test in mode %v: too few to see skewness, on which one side would miss far too often; use Student", least, b.Mode)
	}
	if d.n != nil && live > least && (b.Mode == Gauss || b.Mode == Resample) {
		b.warn("mode %v keeps standard errors fixed, with more tests (%d) than units a test (%d): bounds miss too often; use Student or T", b.Mode, live, least)
	}
	if d.n != nil && live > 10*least && (b.Mode == T || b.Mode == Student || b.Mode == Moments) {
		b.warn("far more tests (%d) than units a test (%d): bounds miss more often than stated, on skewed units by far (COVERAGE.md); Joint held there, with wider bounds", live, least)
	}
	if least < 10 && (b.Mode == Student || b.Mode == Joint) {
		b.warn("as few as %d units a test: the bootstrap repeats few values; bounds are rough", least)
	}
	if n := len(d.v) - live; n > 0 && d.resid != nil && b.Weights == nil {
		b.warn("leaving out tests whose units are all equal is itself a choice that moves the bounds of the others; for rates call FitCounts")
	}
	if r := d.commonRows(); b.Mode != Joint && r > 0 {
		b.warn("the j-th units of the tests move together (row sums vary %.1f times as much as independent ones): if they belong together, bounds miss too often; use Joint", r)
	}
	if b.Slack() > 0 {
		b.warn("maximised within ε = %g; critical values are widened by 1/(1−ε) so that coverage holds", b.Slack())
	}
}

// skewed measures how far the skewness of all tests together can move a bound:
// √Σγ²/n, which grows as γ√(p/n). What normal units would show by chance is
// taken off, with two standard deviations of it.
func (d *data) skewed() float64 {
	sum, chance := 0.0, 0.0
	for i, v := range d.v {
		if v == 0 {
			continue
		}
		n := float64(d.n[i])
		sum += d.skew[i] * d.skew[i] / n
		if d.resid != nil { // estimated from the units
			sum -= 6 / n / n
			chance += 2 * 36 / n / n / n / n
		}
	}
	return math.Sqrt(max(sum-2*math.Sqrt(chance), 0))
}

func (d *data) mostSkew() float64 {
	most := 0.0
	for i, s := range d.skew {
		if d.v[i] > 0 && math.Abs(s) > math.Abs(most) {
			most = s
		}
	}
	return most
}

// commonRows returns the variance of the sums over tests of their j-th
// standardised units, over what independent tests would have, if that is more
// than chance; else 0. It needs samples of one length.
func (d *data) commonRows() float64 {
	if d.resid == nil || len(d.resid) < 2 {
		return 0
	}
	n := d.n[0]
	rows := make([]float64, n)
	live := 0.0
	for i, x := range d.resid {
		if d.n[i] != n {
			return 0
		}
		if d.v[i] == 0 {
			continue
		}
		live++
		sd := math.Sqrt(d.v[i] * float64(n))
		for j, e := range x {
			rows[j] += e / sd
		}
	}
	q := 0.0
	for _, r := range rows {
		q += r * r
	}
	ratio := q / float64(n-1) / max(live, 1)
	if ratio > 1+4*math.Sqrt(2/float64(n-1)) {
		return ratio
	}
	return 0
}

func (b *Bounds) warn(format string, args ...any) {
	b.Warnings = append(b.Warnings, fmt.Sprintf(format, args...))
}
