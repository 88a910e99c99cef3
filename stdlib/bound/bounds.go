package bound

import (
	"fmt"
	"math"
	"strings"
)

// Bounds are simultaneous confidence bounds for all sets of a family. With
// probability 1−Alpha, up to what COVERAGE.md shows for the mode, all of them
// hold together, so a set may be chosen in any way after looking at the data.
type Bounds struct {
	Est, SE  []float64 // of the tests, as given
	N        []int     // units behind each, nil if not given
	Weights  []float64 // of each test in a sum, nil means 1
	Names    []string
	Unit     string
	Alpha    float64
	Sides    Sides
	Mode     Mode
	Family   *Family
	Excluded []int // tests without variance, or of weight 0

	T     []float64 // the draws of the maximum, sorted; balanced: of the standardised maximum
	Draws int
	C     float64 // critical value; balanced: of the standardised maximum, see CriticalOf
	CErr  float64 // its Monte-Carlo standard error

	NaiveC      float64 // rivals: normal value for one set fixed beforehand
	SinglesC    float64 // Bonferroni over single tests, whose bounds are then summed
	BonferroniC float64 // Bonferroni over the family's sets
	ScheffeC    float64 // Scheffé: all contrasts; NaN for dependent tests (Joint)
	Theory      float64 // bound on the coverage error by the theorem with C₀ = 1; 1 says nothing, NaN unknown

	Warnings []string
	Seconds  float64 // that the calibration took

	x     []float64 // weighted estimates; the plan holds their squared errors
	plan  *plan
	opt   Options
	sizes *sizeScale
}

// Slack returns the ε by which maximisations may have fallen short, and for
// which critical values were widened; 0 where they were exact.
func (b *Bounds) Slack() float64 { return slackOf(&b.opt) }

// slackOf returns the slack that is used: all subsets, oracles in batches and
// maxima by size are exact anyway.
func slackOf(o *Options) float64 {
	_, all := o.Family.kind.(allKind)
	_, batch := o.Family.kind.(batchOracle)
	if all || batch || o.Balance {
		return 0
	}
	return o.Slack
}

// Balanced says whether critical values depend on the size of the set.
func (b *Bounds) Balanced() bool { return b.sizes != nil }

// CriticalOf returns the critical value for sets of k tests: C, or with
// Options.Balance the value of that size for lower bounds (side Lower), upper
// bounds (Upper) or the larger of the two (Both).
func (b *Bounds) CriticalOf(k int, side Sides) float64 {
	if b.sizes == nil {
		return b.C
	}
	c := 0.0
	if side != Upper && b.Sides != Upper {
		c = b.sizes.critical(0, k, b.C)
	}
	if side != Lower && b.Sides != Lower {
		c = max(c, b.sizes.critical(1, k, b.C))
	}
	return c
}

// String returns the bounds in one line.
func (b *Bounds) String() string {
	c := fmt.Sprintf("c=%.2f±%.2f", b.C, b.CErr)
	if b.sizes != nil {
		p := len(b.Est) - len(b.Excluded)
		c = fmt.Sprintf("c=%.2f (1 test) … %.2f (%d) … %.2f (%d)", b.CriticalOf(1, Both), b.CriticalOf((p+1)/2, Both), (p+1)/2, b.CriticalOf(p, Both), p)
	}
	rival := fmt.Sprintf("Scheffé %.2f", b.ScheffeC)
	if math.IsNaN(b.ScheffeC) {
		rival = "Scheffé does not apply"
	}
	s := fmt.Sprintf("bound: %d tests, %s, %g %% %s, %s (%s), mode %v, %d draws, %.2g s",
		len(b.Est), b.Family.Name, 100*(1-b.Alpha), b.Sides, c, rival, b.Mode, b.Draws, b.Seconds)
	if len(b.Warnings) > 0 {
		s += "; warning: " + strings.Join(b.Warnings, "; warning: ")
	}
	return s
}

// Interval is what is certified of one set.
type Interval struct {
	Name string // for tables and plots; set it freely
	Set  []int  // sorted
	Size int
	Sum  float64 // estimate of the summed effect, weighted
	Mean float64 // Sum by the set's total weight: by Size where no weights are given

	Lower, Upper         float64    // simultaneous bounds of the sum; ±Inf on a side not asked for
	MeanLower, MeanUpper float64    // the same by Size
	P                    float64    // simultaneous p-value of "the effect is 0" (two-sided) or "not above/below 0"
	C                    [2]float64 // critical values of the lower and the upper bound

	Naive      [2]float64 // bounds of the sum as if the set had been fixed beforehand
	Singles    [2]float64 // Bonferroni over single tests, summed
	Bonferroni [2]float64 // Bonferroni over all sets of the family
	Scheffe    [2]float64 // all contrasts

	Certified string // a plain sentence

	weight float64 // total weight of the set
}

// String returns the sentence.
func (iv Interval) String() string { return iv.Certified }

// Of returns the bounds of a set, chosen in whatever way: indices of tests,
// in any order, without repeats. A set outside the family is an error, for
// there is no guarantee for it; so is a set with an excluded test.
func (b *Bounds) Of(set []int) (Interval, error) {
	s := sortedUnique(set)
	if len(s) != len(set) {
		return Interval{}, errorf("a test twice, in Of (%d indices, %d tests); give each once", len(set), len(s))
	}
	if len(s) == 0 {
		return Interval{}, errorf("empty set, in Of (0 tests); choose at least one")
	}
	if err := checkIndices(s, len(b.Est), "Of"); err != nil {
		return Interval{}, err
	}
	for _, i := range s {
		if b.plan.v[i] == 0 {
			return Interval{}, errorf("test without variance or weight, in Of (%s); leave it out: its error is unknown, not 0", nameOf(b.Names, i))
		}
	}
	ok, err := b.member(s)
	if err != nil {
		return Interval{}, err
	}
	if !ok {
		return Interval{}, errorf("set outside the family, in Of (%d tests; family: %s); nothing is guaranteed for it: choose a member, or fit with a larger family before looking", len(s), b.Family.Name)
	}
	return b.interval(s), nil
}

func (b *Bounds) member(s []int) (bool, error) {
	if k, ok := b.Family.kind.(*oracleKind); ok {
		return k.hasOf(s, len(b.Est))
	}
	return b.Family.kind.has(s)
}

// Where returns the bounds of the tests that keep admits. Tests without
// variance are passed over.
func (b *Bounds) Where(keep func(i int) bool) (Interval, error) {
	var s []int
	for i := range b.Est {
		if b.plan.v[i] > 0 && keep(i) {
			s = append(s, i)
		}
	}
	if len(s) == 0 {
		return Interval{}, errorf("no test passes, in Where (0 of %d); loosen the condition", len(b.Est))
	}
	return b.Of(s)
}

// Named is Of for tests given by their names in Options.Names.
func (b *Bounds) Named(names []string) (Interval, error) {
	at := make(map[string]int, len(b.Names))
	for i, n := range b.Names {
		if j, twice := at[n]; twice {
			return Interval{}, errorf("two tests of one name, in Options.Names (%q is %d and %d); choose by index with Of", n, j, i)
		}
		at[n] = i
	}
	set := make([]int, len(names))
	for k, n := range names {
		i, ok := at[n]
		if !ok {
			return Interval{}, errorf("no such test, in Named (%q); names are those of Options.Names", n)
		}
		set[k] = i
	}
	return b.Of(set)
}

// interval computes the bounds of a sorted member.
func (b *Bounds) interval(s []int) Interval {
	iv := Interval{Set: s, Size: len(s)}
	v, sd := 0.0, 0.0
	for _, i := range s {
		iv.Sum += b.x[i]
		v += b.plan.v[i]
		sd += b.plan.sd[i]
	}
	k := b.weight(s)
	w := math.Sqrt(v)
	iv.Mean, iv.weight = iv.Sum/k, k
	iv.C = [2]float64{b.CriticalOf(iv.Size, Lower), b.CriticalOf(iv.Size, Upper)}
	sides := func(down, up float64) [2]float64 {
		r := [2]float64{math.Inf(-1), math.Inf(1)}
		if b.Sides != Upper {
			r[0] = iv.Sum - down
		}
		if b.Sides != Lower {
			r[1] = iv.Sum + up
		}
		return r
	}
	around := func(half float64) [2]float64 { return sides(half, half) }
	r := sides(iv.C[0]*w, iv.C[1]*w)
	iv.Lower, iv.Upper = r[0], r[1]
	iv.MeanLower, iv.MeanUpper = r[0]/k, r[1]/k
	iv.Naive = around(b.NaiveC * b.naiveError(s, w))
	iv.Singles = around(b.SinglesC * sd)
	iv.Bonferroni = around(b.BonferroniC * w)
	iv.Scheffe = around(b.ScheffeC * w)
	if b.Mode == Joint {
		iv.Bonferroni = [2]float64{math.NaN(), math.NaN()}
	}

	iv.P = b.pvalue(b.statistic(iv.Size, iv.Sum/w))
	iv.Certified = b.sentence(&iv)
	return iv
}

// weight is the total weight of a set, by which sums become means.
func (b *Bounds) weight(set []int) float64 {
	if b.Weights == nil {
		return float64(len(set))
	}
	sum := 0.0
	for _, i := range set {
		sum += b.Weights[i]
	}
	return sum
}

// statistic is what a set of k tests with X/√V = x has to show against T.
func (b *Bounds) statistic(k int, x float64) float64 {
	up, down := x, -x // against lower bounds 0, against upper bounds 0
	if b.sizes != nil {
		if b.Sides != Upper {
			up = b.sizes.standardise(0, k, x)
		}
		if b.Sides != Lower {
			down = b.sizes.standardise(1, k, -x)
		}
	}
	switch b.Sides {
	case Lower:
		return up
	case Upper:
		return down
	}
	return max(up, down)
}

// naiveError is the standard error of a sum fixed beforehand; for dependent
// tests that of the row sums.
func (b *Bounds) naiveError(s []int, independent float64) float64 {
	if b.Mode != Joint {
		return independent
	}
	n := b.N[0]
	q := 0.0
	for j := range n {
		row := 0.0
		for _, i := range s {
			row += b.plan.resid[i][j]
		}
		q += row * row
	}
	return math.Sqrt(q / float64(n-1) / float64(n))
}

// pvalue is (1 + #{T ≥ x})/(B+1).
func (b *Bounds) pvalue(x float64) float64 {
	lo, hi := 0, len(b.T)
	for lo < hi {
		if m := (lo + hi) / 2; b.T[m] < x {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return float64(1+len(b.T)-lo) / float64(len(b.T)+1)
}

// sentence says in plain words what is certified.
func (b *Bounds) sentence(iv *Interval) string {
	num := func(x float64) string {
		s := fmt.Sprintf("%.4g", x)
		if b.Unit != "" {
			s += " " + b.Unit
		}
		return s
	}
	what := fmt.Sprintf("the mean effect of these %d tests", iv.Size)
	if iv.Size == 1 {
		what = "the effect of " + nameOr(b.Names, iv.Set[0])
	}
	lead := fmt.Sprintf("With %g %% confidence, however they were chosen%s, ", 100*(1-b.Alpha), b.familyClause())
	if iv.Size == 1 {
		lead = fmt.Sprintf("With %g %% confidence, however it was chosen%s, ", 100*(1-b.Alpha), b.familyClause())
	}
	switch b.Sides {
	case Lower:
		return lead + fmt.Sprintf("%s is at least %s (estimate %s; p = %.2g)%s.", what, num(iv.MeanLower), num(iv.Mean), iv.P, verdict(iv.MeanLower > 0, "it is above 0", "above 0 is not certified"))
	case Upper:
		return lead + fmt.Sprintf("%s is at most %s (estimate %s; p = %.2g)%s.", what, num(iv.MeanUpper), num(iv.Mean), iv.P, verdict(iv.MeanUpper < 0, "it is below 0", "below 0 is not certified"))
	}
	sign := "its sign is not certified"
	if iv.Lower > 0 {
		sign = "it is above 0"
	} else if iv.Upper < 0 {
		sign = "it is below 0"
	}
	return lead + fmt.Sprintf("%s lies between %s and %s (estimate %s; p = %.2g): %s.", what, num(iv.MeanLower), num(iv.MeanUpper), num(iv.Mean), iv.P, sign)
}

func verdict(ok bool, yes, no string) string {
	if ok {
		return ": " + yes
	}
	return ": " + no
}

func (b *Bounds) familyClause() string {
	if _, all := b.Family.kind.(allKind); all {
		return ""
	}
	return " (family: " + b.Family.Name + ")"
}

func nameOr(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("test %d", i)
}
