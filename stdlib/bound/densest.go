package bound

import (
	"context"
	"fmt"
	"math"
	"sort"
)

// Subset is the result of a maximisation: the densest set found and a proof
// of how good it is.
type Subset struct {
	Set        []int   // members, sorted
	Value      float64 // Σx/√Σv of Densest, w(S)/size(S) of DensestGraph; 0 for the empty set
	UpperBound float64 // no set of the family has more; equal to Value when exact
	Lambda     float64 // slope at which the set is the linear maximum (Densest), last density asked (DensestGraph)
	Sum        float64 // Σx of the set, or its weight
	V          float64 // Σv of the set, or its size
	Calls      int     // of the linear oracle, or minimum cuts
	Method     string
	Why        string // the method was chosen
	Names      []string

	x, v []float64 // for the picture
}

// Exact says whether the value is proved to be the maximum.
func (s *Subset) Exact() bool { return s.UpperBound <= s.Value*(1+1e-9) }

// String returns the subset in one line.
func (s *Subset) String() string {
	proof := "exact"
	if !s.Exact() {
		proof = fmt.Sprintf("at most %.6g", s.UpperBound)
	}
	of := ""
	if len(s.Names) > 0 && len(s.Set) > 0 {
		of = " (" + list(s.Set, s.Names) + ")"
	}
	return fmt.Sprintf("bound: densest set has %d members%s, value %.6g (%s), λ=%.4g, %s, %d oracle calls: %s",
		len(s.Set), of, s.Value, proof, s.Lambda, s.Method, s.Calls, s.Why)
}

// Densest returns the set of the family f that maximises Σx/√Σv, the
// normalised aggregated effect: x are effects or errors and v > 0 their
// squared standard errors, both of length p. f nil means all subsets. This is
// a densest subgraph of the complete graph with weights x_i·x_j, whose rank 1
// lets one sort by x/v solve it for all subsets (theorem A, proved here);
// other families take a parametric search that stays exact with any exact
// linear oracle, and with Options.Slack = ε a fully polynomial scheme whose
// UpperBound is Value/(1−ε). If no set has a positive sum the empty set
// comes back with value 0.
//
// The method searches every part of the hull that can hold the maximum:
// sorting by x or by x/√v, taking the fixed point of a ratio iteration or
// peeling would each return less than the maximum on some data, and so
// critical values that are too small.
//
// When ctx ends early the best set so far comes back with ctx.Err() and an
// upper bound that still holds. Cost O(p log p) for all subsets, a few dozen
// oracle calls else; p = 10⁶ was tried. Source: the paper's abstract for the
// objective and its cast as a densest subgraph; Eisner and Severance (1976).
func Densest(ctx context.Context, x, v []float64, f *Family, opt *Options) (*Subset, error) {
	o, err := settings(opt)
	if err != nil {
		return nil, err
	}
	if f == nil {
		f = o.Family
	}
	p := len(x)
	if p == 0 {
		return nil, errorf("no tests, in Densest (0); give effects and squared standard errors")
	}
	if len(v) != p {
		return nil, errorf("lengths differ, in Densest (%d effects, %d squared errors); give one of each a test", p, len(v))
	}
	if err := checkVector(x, "x"); err != nil {
		return nil, err
	}
	for i, y := range v {
		if !(y > 0) || math.IsInf(y, 0) {
			return nil, errorf("squared standard error must be finite and above 0, in v at test %d (%v); leave the test out", i, y)
		}
	}
	for i := range x {
		if math.Abs(x[i]) > mostEffect || v[i] < leastVariance || v[i] > mostVariance {
			return nil, errorf("number is out of range, in Densest at test %d (%v with squared error %v); rescale the effects", i, x[i], v[i])
		}
	}
	if f.kind == nil {
		return nil, errorf("empty family, in Densest (zero value); make one with All, AtMost, PerGroup, …")
	}
	if err := checkLength(len(o.Names), p, "Options.Names"); err != nil {
		return nil, err
	}
	if err := f.kind.check(p); err != nil {
		return nil, err
	}
	s := &Subset{Names: o.Names, x: x, v: v}
	if _, all := f.kind.(allKind); all {
		s.bySort(x, v)
		return s, ctx.Err()
	}
	err = s.bySearch(ctx, x, v, f, &o)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return s, err
}

// bySort scans the prefixes of the positive tests sorted by x/v.
func (s *Subset) bySort(x, v []float64) {
	var ids []int
	for i, e := range x {
		if e > 0 {
			ids = append(ids, i)
		}
	}
	bySlope(ids, x, v)
	var z, q float64
	k := 0
	for j, i := range ids {
		z += x[i]
		q += v[i]
		if f := ratio(z, q); f > s.Value {
			s.Value, s.Sum, s.V, k = f, z, q, j+1
		}
	}
	s.Set = sortedUnique(ids[:k])
	s.UpperBound = s.Value
	if k > 0 {
		s.Lambda = s.Sum / (2 * s.V)
	}
	s.Method = "one sort"
	s.Why = "all subsets are allowed, so the maximum is a prefix of the tests sorted by x/v"
}

// bySlope sorts tests by falling x/v, compared without dividing.
func bySlope(ids []int, x, v []float64) {
	sort.Slice(ids, func(a, b int) bool {
		i, j := ids[a], ids[b]
		l, r := x[i]*v[j], x[j]*v[i]
		return l > r || l == r && i < j
	})
}

func (s *Subset) bySearch(ctx context.Context, x, v []float64, f *Family, o *Options) error {
	slope, _ := steepest(x, v, 1)
	cauchy := 0.0 // (Σz)² ≤ Σv·Σz²/v
	for i, e := range x {
		if e > 0 {
			cauchy += e * e / v[i]
		}
	}
	s.UpperBound = math.Sqrt(cauchy)
	if o.Slack > 0 {
		if _, batch := f.kind.(batchOracle); !batch {
			sv := newSolver(f, len(x), o.Slack, o.Nodes)
			sv.search.keep = true
			s.Method = "slope grid"
			s.Why = fmt.Sprintf("Slack = %g allows a value within that of the maximum", o.Slack)
			val, err := sv.value(x, v, 1)
			s.take(&sv.search)
			if err != nil {
				return err
			}
			s.UpperBound = min(s.UpperBound, val/(1-o.Slack))
			return ctx.Err()
		}
	}
	s.Method = "parametric search"
	s.Why = fmt.Sprintf("the family (%s) has an exact linear oracle", f.Name)
	se := &search{score: ratio, keep: true}
	err := runSearch(ctx, se, f, len(x), o.Nodes, slope/2, x, v, 1)
	s.take(se)
	if err == nil {
		s.UpperBound = s.Value
	}
	return err
}

func (s *Subset) take(se *search) {
	s.Set = sortedUnique(se.set)
	s.Value, s.Sum, s.V, s.Calls = se.best, se.top.z, se.top.v, se.calls
	if s.V > 0 {
		s.Lambda = s.Sum / (2 * s.V)
	}
}

// runSearch drives a search with whichever oracle the family has.
func runSearch(ctx context.Context, se *search, f *Family, p, nodes int, lamMax float64, x, v []float64, sign float64) error {
	var o oracle
	if k, ok := f.kind.(hasOracle); ok {
		o = k.oracle(p)
		if n, ok := o.(*knapsack); ok {
			n.nodes = nodes
		}
	}
	se.reset(lamMax)
	w := make([]float64, p)
	var set []int
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		lam, more := se.next()
		if !more {
			return nil
		}
		weigh(w, x, v, sign, lam)
		var err error
		if o != nil {
			set, err = o.best(w, set[:0])
		} else {
			var sets [][]int
			if sets, err = f.kind.(batchOracle).bestBatch([][]float64{w}); err == nil {
				set = sets[0]
			}
		}
		if err != nil {
			return err
		}
		sz, sv := sums(set, x, v, sign)
		if err := se.feed(sz, sv, set); err != nil {
			return err
		}
	}
}
