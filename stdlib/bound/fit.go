package bound

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"
)

// Fit returns simultaneous confidence bounds for the summed effect of every
// set of a family at once, from an estimate and a standard error of each of p
// independent tests. est and se have length p; se > 0, a test with se = 0 is
// excluded with a warning. With Options.N (units behind each estimate) errors
// of the standard errors count too (mode T), with Skew and Kurt as well their
// skewness (mode Moments); without them standard errors are taken as exact
// (mode Gauss).
//
// The critical value c is the (1−α)-quantile, over Options.Draws draws of
// errors z, of T = max over the family of Σz/√Σv; the bounds of a set S are
// ΣX ∓ c√ΣV. Source: "Simultaneous Confidence Bounds for Aggregated Effects
// via Exact Subset Optimization" (ICML 2026) for the statistic and its
// calibration by bootstrap; the maximisation by one sort, the modes and the
// balanced critical values are derived here. Cost O(p) a draw for all
// subsets; a million tests and 10,000 draws were tried.
//
// When ctx ends early, the bounds from the draws made so far come back with
// ctx.Err(), if they suffice for the quantile. Nothing given is kept or changed.
func Fit(ctx context.Context, est, se []float64, opt *Options) (*Bounds, error) {
	o, err := settings(opt)
	if err != nil {
		return nil, err
	}
	p := len(est)
	if p == 0 {
		return nil, errorf("no tests, in Fit (0); give an estimate and a standard error for each")
	}
	if len(se) != p {
		return nil, errorf("lengths differ, in Fit (%d estimates, %d standard errors); give one of each a test", p, len(se))
	}
	if err := checkVector(est, "est"); err != nil {
		return nil, err
	}
	if err := checkVector(se, "se"); err != nil {
		return nil, err
	}
	for i, s := range se {
		if s < 0 {
			return nil, errorf("standard error is negative, in se at test %d (%v); give its size", i, s)
		}
		if s > 0 && (s*s < leastVariance || s*s > mostVariance) {
			return nil, errorf("standard error is out of range, in se at test %d (%v); rescale the effects", i, s)
		}
	}
	for _, c := range []struct {
		n    int
		what string
	}{{len(o.N), "Options.N"}, {len(o.Skew), "Options.Skew"}, {len(o.Kurt), "Options.Kurt"}} {
		if err := checkLength(c.n, p, c.what); err != nil {
			return nil, err
		}
	}
	if err := checkVector(o.Skew, "Options.Skew"); err != nil {
		return nil, err
	}
	if err := checkVector(o.Kurt, "Options.Kurt"); err != nil {
		return nil, err
	}
	for i, n := range o.N {
		if n < 2 {
			return nil, errorf("one unit gives no standard error, in Options.N at test %d (%d); at least 2 units are needed", i, n)
		}
	}
	if o.Mode == Auto {
		switch {
		case o.N == nil:
			o.Mode = Gauss
		case o.Skew == nil || o.Kurt == nil:
			o.Mode = T
		default:
			o.Mode = Moments
		}
	}
	switch o.Mode {
	case T, Moments:
		if o.N == nil {
			return nil, errorf("mode %v needs the units behind each estimate, in Fit (Options.N is nil); set it, or use Gauss", o.Mode)
		}
		if o.Mode == Moments && (o.Skew == nil || o.Kurt == nil) {
			return nil, errorf("mode Moments needs skewness and kurtosis, in Fit (Options.Skew or Kurt is nil); set them, or use T")
		}
	case Student, Resample, Joint:
		return nil, errorf("mode %v redraws units, in Fit (only estimates are given); call FitSamples", o.Mode)
	case Binomial:
		return nil, errorf("mode Binomial redraws counts, in Fit (only estimates are given); call FitCounts")
	}
	d := &data{est: slices.Clone(est), v: make([]float64, p), n: slices.Clone(o.N), skew: slices.Clone(o.Skew), kurt: slices.Clone(o.Kurt)}
	for i, s := range se {
		d.v[i] = s * s
	}
	return fit(ctx, d, o)
}

// FitSamples is Fit for raw units: samples[i] holds the n_i ≥ 2 values of test
// i, whose effect is their mean. The default mode Student redraws each test's
// units and computes the standard error anew, which keeps coverage on skewed
// data; above 10⁹ redrawn units it gives way to Moments. Mode Joint takes
// samples of one length whose j-th values belong together (a row: one patient,
// one item) and keeps the dependence between tests.
func FitSamples(ctx context.Context, samples [][]float64, opt *Options) (*Bounds, error) {
	o, err := settings(opt)
	if err != nil {
		return nil, err
	}
	p := len(samples)
	if p == 0 {
		return nil, errorf("no tests, in FitSamples (0); give the units of each test")
	}
	d := &data{est: make([]float64, p), v: make([]float64, p), n: make([]int, p), skew: make([]float64, p), kurt: make([]float64, p), resid: make([][]float64, p)}
	units := 0
	for i, x := range samples {
		if len(x) < 2 {
			return nil, errorf("too few units for a standard error, in samples at test %d (%d); give at least 2, or Fit with a known error", i, len(x))
		}
		for j, v := range x {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, errorf("not a finite number, in samples at test %d, unit %d (%v); drop the unit or repair the value", i, j, v)
			}
		}
		units += len(x)
		d.n[i] = len(x)
		d.describe(i, x)
	}
	switch o.Mode {
	case Auto:
		o.Mode = Student
		if float64(units)*float64(o.Draws) > 1e9 {
			o.Mode = Moments
		}
	case Binomial:
		return nil, errorf("mode Binomial redraws counts, in FitSamples (samples are given); call FitCounts")
	case Joint:
		for i := range samples {
			if d.n[i] != d.n[0] {
				return nil, errorf("rows are incomplete, in samples at test %d (%d units, test 0 has %d); mode Joint needs all tests on the same units", i, d.n[i], d.n[0])
			}
		}
	}
	return fit(ctx, d, o)
}

// FitPairs is FitSamples of the differences a − b: a[i][j] and b[i][j] are
// the two measurements of unit j of test i (the same item answered two ways).
func FitPairs(ctx context.Context, a, b [][]float64, opt *Options) (*Bounds, error) {
	if len(a) != len(b) {
		return nil, errorf("lengths differ, in FitPairs (%d and %d tests); pair every test", len(a), len(b))
	}
	diff := make([][]float64, len(a))
	for i := range a {
		if len(a[i]) != len(b[i]) {
			return nil, errorf("lengths differ, in FitPairs at test %d (%d and %d units); pair every unit", i, len(a[i]), len(b[i]))
		}
		diff[i] = make([]float64, len(a[i]))
		for j := range a[i] {
			diff[i][j] = a[i][j] - b[i][j]
		}
	}
	return FitSamples(ctx, diff, opt)
}

// FitCounts is Fit for rates: hits[i] of trials[i] ≥ 2. Standard errors are
// those of rates with two hits and two misses added; counts are redrawn from
// the observed rates, a rate of 0 or 1 from half a hit inside, where the plain
// bootstrap would allow no error. The additions are ours: see COVERAGE.md for
// what they achieve on rare hits.
func FitCounts(ctx context.Context, hits, trials []int, opt *Options) (*Bounds, error) {
	o, err := settings(opt)
	if err != nil {
		return nil, err
	}
	p := len(hits)
	if p == 0 {
		return nil, errorf("no tests, in FitCounts (0); give hits and trials of each")
	}
	if len(trials) != p {
		return nil, errorf("lengths differ, in FitCounts (%d hits, %d trials); give one of each a test", p, len(trials))
	}
	d := &data{est: make([]float64, p), v: make([]float64, p), n: slices.Clone(trials), skew: make([]float64, p), kurt: make([]float64, p), hits: slices.Clone(hits)}
	for i, h := range hits {
		n := trials[i]
		if n < 2 {
			return nil, errorf("too few trials for a standard error, in FitCounts at test %d (%d); give at least 2", i, n)
		}
		if h < 0 || h > n {
			return nil, errorf("hits must be from 0 to the trials, in FitCounts at test %d (%d of %d); check the counts", i, h, n)
		}
		q := shrink(h, n)
		d.est[i] = float64(h) / float64(n)
		d.v[i] = rateVariance(h, n, observedHits)
		d.skew[i] = (1 - 2*q) / math.Sqrt(q*(1-q))
		d.kurt[i] = 3 + (1-6*q*(1-q))/(q*(1-q))
	}
	switch o.Mode {
	case Auto:
		o.Mode = Binomial
	case Student, Resample, Joint:
		return nil, errorf("mode %v redraws units, in FitCounts (counts are given); use Binomial, or FitSamples with zeros and ones", o.Mode)
	}
	return fit(ctx, d, o)
}

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

// fit applies weights, draws and builds the bounds.
func fit(ctx context.Context, d *data, o Options) (*Bounds, error) {
	begin := time.Now()
	p := len(d.est)
	if err := checkLength(len(o.Names), p, "Options.Names"); err != nil {
		return nil, err
	}
	if err := checkLength(len(o.Weights), p, "Options.Weights"); err != nil {
		return nil, err
	}
	est, se := slices.Clone(d.est), make([]float64, p)
	for i, v := range d.v {
		se[i] = math.Sqrt(v)
	}
	for i, w := range o.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return nil, errorf("weight must be finite and 0 or more, in Options.Weights at test %d (%v); turn the sign of the estimate instead", i, w)
		}
		d.est[i] *= w
		d.v[i] *= w * w
		if d.resid != nil {
			for j := range d.resid[i] {
				d.resid[i][j] *= w
			}
		}
	}
	if err := o.Family.kind.check(p); err != nil {
		return nil, err
	}
	var out []int
	sd := make([]float64, p)
	for i, v := range d.v {
		sd[i] = math.Sqrt(v)
		if v == 0 {
			out = append(out, i)
		}
	}
	if len(out) == p {
		return nil, errorf("no test has a standard error above 0, in the data (%d tests); bounds need errors to bound", p)
	}
	if len(out) > 0 {
		d.warn("%d tests have no variance, or weight 0 (%s): excluded, no bound is given for sets that hold them", len(out), list(out, o.Names))
	}
	for i, v := range d.v {
		if v > 0 && !(v >= leastVariance && v <= mostVariance) || math.IsNaN(v) {
			return nil, errorf("standard error is out of range, at test %d (%v); rescale the effects", i, sd[i])
		}
		if !(math.Abs(d.est[i]) <= mostEffect) {
			return nil, errorf("effect is out of range, at test %d (%v); rescale the effects", i, d.est[i])
		}
	}
	pl := &plan{mode: o.Mode, v: d.v, sd: sd, n: d.n, skew: d.skew, kurt: d.kurt, resid: d.resid, hits: d.hits, w: o.Weights}
	if pl.mode == Moments {
		for i := range pl.skew {
			pl.skew[i] = min(max(pl.skew[i], -50), 50)
		}
	}
	b := &Bounds{
		Est: est, SE: se, N: d.n, Weights: o.Weights, Names: o.Names, Alpha: o.Alpha, Sides: o.Sides, Mode: o.Mode, Family: o.Family,
		Unit: o.Unit, Excluded: out, Warnings: d.warnings, plan: pl, opt: o, x: d.est,
	}
	live := p - len(out)
	logSets := o.Family.kind.logSize(p)
	b.ScheffeC = scheffe(live, o.Alpha, o.Sides)
	if o.Mode == Joint {
		b.ScheffeC = math.NaN() // √χ²_p needs independent tests
	}
	b.BonferroniC = bonferroni(logSets, o.Alpha, o.Sides)
	b.NaiveC = bonferroni(0, o.Alpha, o.Sides)
	b.SinglesC = bonferroni(math.Log(float64(live)), o.Alpha, o.Sides)
	kurt := 3.0
	if d.kurt != nil {
		for i, k := range d.kurt {
			if d.v[i] > 0 {
				kurt = max(kurt, k)
			}
		}
	}
	_, all := o.Family.kind.(allKind)
	b.Theory = theory(d.v, d.n, kurt, logSets, all, o.Sides)
	if o.Mode == Joint {
		b.Theory = math.NaN()
	}

	var err error
	if o.Balance {
		b.T, b.sizes, err = balanced(ctx, pl, &o)
	} else {
		b.T, err = maxima(ctx, pl, &o)
	}
	if err != nil && !(ctx.Err() != nil && float64(len(b.T)) >= math.Ceil(1/o.Alpha-1-1e-9)) {
		return nil, err
	}
	sort.Float64s(b.T)
	b.Draws = len(b.T)
	b.C, b.CErr = quantile(b.T, o.Alpha)
	b.warnMode(d)
	b.Seconds = time.Since(begin).Seconds()
	return b, err
}

// quantile returns the order statistic ⌈(1−α)(B+1)⌉ of sorted draws, and its
// Monte-Carlo standard error: half of the distance between the order
// statistics one standard deviation of the rank to either side.
func quantile(t []float64, alpha float64) (c, err float64) {
	n := len(t)
	at := func(k int) float64 { return t[min(max(k, 1), n)-1] }
	k := int(math.Ceil((1-alpha)*float64(n+1) - 1e-9))
	d := max(math.Sqrt(alpha*(1-alpha)*float64(n)), 1)
	return at(k), (at(k+int(math.Round(d))) - at(k-int(math.Round(d)))) / 2
}

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
