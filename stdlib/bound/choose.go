package bound

import (
	"context"
	"fmt"
	"math"
	"sort"
)

// Best returns the bounds of the set of the family with the largest certified
// total: the largest lower bound, or for Sides = Upper the smallest upper
// bound. Exact. A certified total above 0 exists if and only if some set is
// significant. If none is, the Interval has size 0 and its sentence says so.
func (b *Bounds) Best() (Interval, error) {
	sign, side := 1.0, Lower
	if b.Sides == Upper {
		sign, side = -1, Upper
	}
	p := len(b.Est)
	least := math.Inf(1)
	for _, v := range b.plan.v {
		if v > 0 {
			least = min(least, v)
		}
	}
	var set []int
	if b.sizes == nil {
		c := b.C
		se := &search{keep: true, score: func(z, v float64) float64 { return z - c*math.Sqrt(max(v, 0)) }}
		if err := runSearch(context.Background(), se, b.Family, p, b.opt.Nodes, c/(2*math.Sqrt(least)), b.x, b.plan.v, sign); err != nil {
			return Interval{}, err
		}
		set = se.set
	} else {
		top := 0.0
		for k := 1; k <= p; k++ {
			top = max(top, b.CriticalOf(k, side))
		}
		o := b.Family.kind.(hasOrder).orderer(p)
		s := newSizer(make([]int, p+1), 1, func(k int, z, v float64) float64 {
			return z - b.CriticalOf(k, side)*math.Sqrt(max(v, 0))
		})
		s.max(o, b.x, b.plan.v, sign, top/(2*math.Sqrt(least)))
		if err := orderError(o); err != nil {
			return Interval{}, err
		}
		if s.best[0] > 0 {
			set = s.prefix(o, s.lam[0], s.size[0])
		}
	}
	if len(set) == 0 {
		where := "above"
		if sign < 0 {
			where = "below"
		}
		return Interval{Certified: fmt.Sprintf("With %g %% confidence no set's effect is certified %s 0.", 100*(1-b.Alpha), where)}, nil
	}
	iv := b.interval(sortedUnique(set))
	iv.Name = "largest certified total"
	return iv, nil
}

// prefix returns the heaviest set of size k at a slope.
func (s *sizer) prefix(o orderer, lam float64, k int) []int {
	w := make([]float64, len(s.z))
	weigh(w, s.z, s.v, s.sign, lam)
	var set []int
	for _, i := range o.order(w, nil) {
		if s.v[i] > 0 && len(set) < k {
			set = append(set, i)
		}
	}
	return set
}

// AtLeast returns the bounds of the largest set of the family whose mean
// effect is certified to be at least delta. Exact; needs lower bounds (Sides
// Both or Lower) and a family where greed is exact (All, AtMost, PerGroup,
// Laminar, Matroid). If there is none, the Interval has size 0.
func (b *Bounds) AtLeast(delta float64) (Interval, error) {
	if b.Sides == Upper {
		return Interval{}, errorf("no lower bounds, in AtLeast (Sides is Upper); fit with Both or Lower")
	}
	if math.IsNaN(delta) || math.IsInf(delta, 0) {
		return Interval{}, errorf("not a finite number, in AtLeast (%v); give the mean effect to certify", delta)
	}
	ho, ok := b.Family.kind.(hasOrder)
	if !ok {
		return Interval{}, errorf("no maximum by size for this family, in AtLeast (%q); use All, AtMost, PerGroup, Laminar or Matroid", b.Family.Name)
	}
	p := len(b.Est)
	x := make([]float64, p)
	least, most := math.Inf(1), 0.0
	for i, e := range b.x {
		x[i] = e - delta
		if b.Weights != nil {
			x[i] = e - delta*b.Weights[i]
		}
		if v := b.plan.v[i]; v > 0 {
			least, most = min(least, v), max(most, v)
		}
	}
	bin := make([]int, p+1)
	top := 0.0
	for k := range bin {
		bin[k] = k
		top = max(top, b.CriticalOf(k, Lower))
	}
	// Whether a size reaches 0 is all that matters: what is above is cut off,
	// so the search of a size ends there.
	o := ho.orderer(p)
	s := newSizer(bin, p+1, func(k int, z, v float64) float64 {
		return min(z-b.CriticalOf(k, Lower)*math.Sqrt(max(v, 0)), 0)
	})
	s.max(o, x, b.plan.v, 1, top/(2*math.Sqrt(least)))
	if err := orderError(o); err != nil {
		return Interval{}, err
	}
	for k := p; k >= 1; k-- {
		if s.best[k] >= 0 {
			iv := b.interval(sortedUnique(s.prefix(o, s.lam[k], k)))
			iv.Name = fmt.Sprintf("largest set with mean ≥ %g", delta)
			return iv, nil
		}
	}
	return Interval{Certified: fmt.Sprintf("With %g %% confidence no set's mean effect is certified to be at least %g.", 100*(1-b.Alpha), delta)}, nil
}

// Envelope holds the bounds of every prefix of an order of tests, all valid
// at once. Index j is the prefix of j+1 tests.
type Envelope struct {
	Order                  []int
	Sum                    []float64
	Lower, Upper           []float64
	NaiveLower, NaiveUpper []float64
	ScheffeLower           []float64
	ScheffeUpper           []float64
	Unit                   string
	Truth                  []float64 // summed true effects of the prefixes, if known; set it for the picture

	b *Bounds
}

// String returns the envelope's peak in one line.
func (e *Envelope) String() string {
	at, top := -1, 0.0
	for k, l := range e.Lower {
		if l > top {
			at, top = k, l
		}
	}
	if at < 0 {
		return fmt.Sprintf("bound: envelope over %d prefixes, no total certified above 0", len(e.Sum))
	}
	return fmt.Sprintf("bound: envelope over %d prefixes, largest certified total %.4g with the first %d", len(e.Sum), top, at+1)
}

// Path returns the bounds of every prefix of an order; nil means by falling
// x/v, the order in which the largest totals lie. Tests without variance are
// passed over, and the path ends where a prefix leaves the family.
func (b *Bounds) Path(order []int) (*Envelope, error) {
	if order == nil {
		for i, v := range b.plan.v {
			if v > 0 {
				order = append(order, i)
			}
		}
		bySlope(order, b.x, b.plan.v)
	}
	if err := checkIndices(order, len(b.Est), "Path"); err != nil {
		return nil, err
	}
	if len(sortedUnique(order)) != len(order) {
		return nil, errorf("a test twice, in Path (%d indices); give each once", len(order))
	}
	e := &Envelope{Unit: b.Unit, b: b}
	for _, i := range order {
		if b.plan.v[i] > 0 {
			e.Order = append(e.Order, i)
		}
	}
	// The family is downward closed, so the prefixes in it come first. An
	// oracle's family may not be: there the path ends at the first outside.
	var failed error
	outside := func(k int) bool {
		ok, err := b.member(sortedUnique(e.Order[:k+1]))
		if err != nil && failed == nil {
			failed = err
		}
		return !ok || err != nil
	}
	n := len(e.Order)
	switch b.Family.kind.(type) {
	case allKind:
	case *oracleKind:
		for k := range e.Order {
			if outside(k) {
				n = k
				break
			}
		}
	default:
		n = sort.Search(n, outside)
	}
	if failed != nil {
		return nil, failed
	}
	e.Order = e.Order[:n]
	v, x := 0.0, 0.0
	naive := 0.0
	var rows []float64
	if b.Mode == Joint {
		rows = make([]float64, b.N[0])
	}
	for k, i := range e.Order {
		x += b.x[i]
		v += b.plan.v[i]
		w := math.Sqrt(v)
		naive = w
		if rows != nil {
			q := 0.0
			for j, r := range b.plan.resid[i] {
				rows[j] += r
				q += rows[j] * rows[j]
			}
			naive = math.Sqrt(q / float64(len(rows)-1) / float64(len(rows)))
		}
		e.Sum = append(e.Sum, x)
		add := func(lo, hi *[]float64, down, up float64) {
			l, u := x-down, x+up
			if b.Sides == Upper {
				l = math.Inf(-1)
			}
			if b.Sides == Lower {
				u = math.Inf(1)
			}
			*lo = append(*lo, l)
			*hi = append(*hi, u)
		}
		add(&e.Lower, &e.Upper, b.CriticalOf(k+1, Lower)*w, b.CriticalOf(k+1, Upper)*w)
		add(&e.NaiveLower, &e.NaiveUpper, b.NaiveC*naive, b.NaiveC*naive)
		add(&e.ScheffeLower, &e.ScheffeUpper, b.ScheffeC*w, b.ScheffeC*w)
	}
	return e, nil
}

// FreedomCurve is the price of freedom: the critical value that protects all
// sets of at most K tests, for growing K.
type FreedomCurve struct {
	K       []int
	C, CErr []float64
	Tests   int
	Alpha   float64
	Draws   int
	Family  string
	Here    int // the user's size limit, 0 for none
	NaiveC  float64
	Scheffe float64
}

// String returns the curve's ends in one line.
func (f *FreedomCurve) String() string {
	n := len(f.K) - 1
	return fmt.Sprintf("bound: price of freedom with %d tests: c=%.2f for single tests, %.2f for at most %d, %.2f for at most %d (%d draws)",
		f.Tests, f.C[0], f.C[n/2], f.K[n/2], f.C[n], f.K[n], f.Draws)
}

// Freedom returns what c would have been had only sets of at most k tests been
// allowed, for growing k, from at most 2,000 draws of the same errors. It
// shows what a size limit would save next time; to use it now would be to
// choose the family after looking. Families without a greedy order are
// replaced by all subsets. When ctx ends early the curve from the draws made so
// far comes back with ctx.Err(). Cost some 30 sorts of the tests a draw.
func (b *Bounds) Freedom(ctx context.Context) (*FreedomCurve, error) {
	o := b.opt
	o.Draws = min(o.Draws, 2000)
	if _, ok := o.Family.kind.(hasOrder); !ok {
		o.Family = All()
	}
	p := len(b.Est)
	bin, top := sizeBins(p)
	rows, err := sizeMaxima(ctx, b.plan, &o, bin, len(top))
	if err != nil && (ctx.Err() == nil || float64(len(rows)) < math.Ceil(1/b.Alpha-1-1e-9)) {
		return nil, err
	}
	f := &FreedomCurve{Tests: p, Alpha: b.Alpha, Draws: len(rows), Family: o.Family.Name, NaiveC: b.NaiveC, Scheffe: b.ScheffeC}
	if k, ok := b.Family.kind.(capKind); ok && k.k < p {
		f.Here = k.k
	}
	t := make([]float64, len(rows))
	for j, k := range top {
		if math.IsInf(rows[0][j], -1) {
			break // no sets of this size
		}
		for i, row := range rows {
			for at := j; at < len(row); at += len(top) {
				t[i] = max(t[i], row[at])
			}
		}
		s := append([]float64(nil), t...)
		sort.Float64s(s)
		c, e := quantile(s, b.Alpha)
		f.K, f.C, f.CErr = append(f.K, k), append(f.C, c), append(f.CErr, e)
	}
	return f, err
}
