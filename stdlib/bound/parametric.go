package bound

import "math"

func sqrt(x float64) float64 { return math.Sqrt(x) }

// search finds the set of a family that maximises a score of (Z, V), where Z
// and V are sums over the set and the score is convex, grows with Z and falls
// with V: Z/√V (its square is convex) and X − c√V are. The maximum is then at
// a vertex of the upper hull of the points (Z, V), and a linear oracle at
// slope λ returns the vertex that maximises Z − λV. This is the parametric
// search of Eisner and Severance (1976), with one thing added: a part of the
// hull whose enclosing triangle has no better corner is left out.
//
// It is a machine, not a loop, so that searches of many draws can share one
// call of a slow oracle: next asks for a slope, feed takes the answer.
type search struct {
	score  func(z, v float64) float64
	lamMax float64

	best  float64
	top   vertex
	set   []int // members at the best vertex, kept if keep is set
	keep  bool
	calls int

	phase int // 0 asks slope 0, 1 asks lamMax, 2 splits segments
	first vertex
	stack []segment
	cur   segment
	lam   float64
}

// vertex is a point of the hull and a slope that supports it there.
type vertex struct{ z, v, lam float64 }

type segment struct{ a, b vertex }

func (s *search) reset(lamMax float64) {
	s.lamMax = lamMax
	s.best, s.top, s.calls, s.phase = 0, vertex{}, 0, 0
	s.set, s.stack = s.set[:0], s.stack[:0]
}

// next returns the slope to ask the oracle for, or false at the end.
func (s *search) next() (float64, bool) {
	switch s.phase {
	case 0:
		s.lam = 0
		return 0, true
	case 1:
		if s.lamMax <= 0 {
			return 0, false
		}
		s.lam = s.lamMax
		return s.lam, true
	}
	for len(s.stack) > 0 {
		g := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		a, b := g.a, g.b // a has the larger V and the smaller slope
		if !(a.v > b.v) || !(b.lam > a.lam) {
			continue
		}
		ha, hb := a.z-a.lam*a.v, b.z-b.lam*b.v
		v := (ha - hb) / (b.lam - a.lam)
		z := ha + a.lam*v
		if v > 0 && s.score(z, v) <= s.best {
			continue
		}
		lm := (a.z - b.z) / (a.v - b.v)
		if !(lm > a.lam && lm < b.lam) {
			continue // the chord is itself a supporting line
		}
		s.cur, s.lam = g, lm
		return lm, true
	}
	return 0, false
}

// feed takes the oracle's answer at the last slope asked for. It fails if the
// answer is worth less than one the oracle gave before: then it is no maximum.
func (s *search) feed(z, v float64, set []int) error {
	s.calls++
	if sc := s.score(z, v); v > 0 && sc > s.best {
		s.best, s.top = sc, vertex{z, v, s.lam}
		if s.keep {
			s.set = append(s.set[:0], set...)
		}
	}
	m := vertex{z, v, s.lam}
	switch s.phase {
	case 0:
		s.first = m
		s.phase = 1
		return nil
	case 1:
		s.phase = 2
		if err := s.consistent(m, s.first); err != nil {
			return err
		}
		s.stack = append(s.stack, segment{s.first, m})
		return nil
	}
	a, b := s.cur.a, s.cur.b
	if err := s.consistent(m, a); err != nil {
		return err
	}
	gain := (m.z - s.lam*m.v) - (a.z - s.lam*a.v)
	if gain <= 1e-13*(math.Abs(a.z)+s.lam*a.v) {
		return nil // the chord is an edge of the hull
	}
	s.stack = append(s.stack, segment{a, m}, segment{m, b})
	return nil
}

func (s *search) consistent(m, known vertex) error {
	have, could := m.z-s.lam*m.v, known.z-s.lam*known.v
	if have < could-1e-9*(math.Abs(known.z)+s.lam*known.v) {
		return errorf("answer is not the maximum, in the family's oracle (weight %.6g, while an earlier answer weighs %.6g); the bound would be too narrow: return the heaviest member", have, could)
	}
	return nil
}

// ratio is the score T: Z/√V.
func ratio(z, v float64) float64 {
	if z <= 0 || v <= 0 {
		return 0
	}
	return z / math.Sqrt(v)
}

// steepest returns the largest z/v, and the sum of the positive z.
func steepest(z, v []float64, sign float64) (slope, sum float64) {
	for i, x := range z {
		if x *= sign; x > 0 && v[i] > 0 {
			slope = max(slope, x/v[i])
			sum += x
		}
	}
	return slope, sum
}

// excluded is the weight of a test without variance: no maximum takes it.
const excluded = -1e200

// weigh writes z − λv with the sign turned if sign is −1. A test with v ≤ 0
// takes no part: it gets a weight that no maximum contains.
func weigh(w, z, v []float64, sign, lam float64) {
	for i, x := range z {
		if v[i] > 0 {
			w[i] = sign*x - lam*v[i]
		} else {
			w[i] = excluded
		}
	}
}

// solver maximises for one goroutine and one family.
type solver struct {
	o      oracle
	search search
	w      []float64
	set    []int
	hull   hull
	all    bool
	slack  float64
	// of the last max:
	upper float64
	calls int
}

func newSolver(f *Family, p int, slack float64, nodes int) *solver {
	s := &solver{w: make([]float64, p), slack: slack}
	s.search.score = ratio
	if _, ok := f.kind.(allKind); ok {
		s.all = true
	}
	if k, ok := f.kind.(hasOracle); ok {
		s.o = k.oracle(p)
		if n, ok := s.o.(*knapsack); ok {
			n.nodes = nodes
		}
	}
	return s
}

// value returns T⁺ for sign 1 and T⁻ for sign −1.
func (s *solver) value(z, v []float64, sign float64) (float64, error) {
	if s.all {
		return s.hull.max(z, v, sign), nil
	}
	if s.slack > 0 {
		return s.grid(z, v, sign)
	}
	// The optimum's slope is Z/(2V), at most half of the steepest test's.
	slope, _ := steepest(z, v, sign)
	s.search.reset(slope / 2)
	if slope == 0 {
		return 0, nil
	}
	for {
		lam, more := s.search.next()
		if !more {
			return s.search.best, nil
		}
		if err := s.ask(z, v, sign, lam); err != nil {
			return 0, err
		}
	}
}

func (s *solver) ask(z, v []float64, sign, lam float64) error {
	weigh(s.w, z, v, sign, lam)
	set, err := s.o.best(s.w, s.set[:0])
	if err != nil {
		return err
	}
	s.set = set
	sz, sv := sums(set, z, v, sign)
	return s.search.feed(sz, sv, set)
}

func sums(set []int, z, v []float64, sign float64) (sz, sv float64) {
	for _, i := range set {
		if v[i] > 0 {
			sz += sign * z[i]
			sv += v[i]
		}
	}
	return sz, sv
}

// approximate is an oracle that may stop at (1−eta) of the maximum; it says
// whether it proved that.
type approximate interface {
	bestWithin(w []float64, eta float64, out []int) ([]int, bool, error)
}

// grid is the fully polynomial scheme of theorem C: slopes in a geometric
// grid, so that one is within a factor 1±δ of the optimum's, and an oracle
// that is right to a factor 1−η. With δ² = η = ε the value found is at least
// (1−ε)·T. Returns that value; T is at most value/(1−ε).
func (s *solver) grid(z, v []float64, sign float64) (float64, error) {
	eps := s.slack
	delta := math.Sqrt(eps)
	slope, sum := steepest(z, v, sign)
	s.search.reset(0)
	if slope == 0 {
		return 0, nil
	}
	low := slope / 2
	for i, x := range z {
		if x *= sign; x > 0 && v[i] > 0 {
			low = min(low, x/v[i]/2)
		}
	}
	for lam := slope / 2 * (1 - delta); ; lam *= (1 - delta) / (1 + delta) {
		weigh(s.w, z, v, sign, lam)
		var err error
		if a, ok := s.o.(approximate); ok {
			s.set, _, err = a.bestWithin(s.w, eps, s.set[:0])
		} else {
			s.set, err = s.o.best(s.w, s.set[:0])
		}
		if err != nil {
			return 0, err
		}
		sz, sv := sums(s.set, z, v, sign)
		s.search.calls++
		if f := ratio(sz, sv); f > s.search.best {
			s.search.best, s.search.top = f, vertex{sz, sv, lam}
			if s.search.keep {
				s.search.set = append(s.search.set[:0], s.set...)
			}
		}
		// Covered so far: optima of slope lam/(1+δ) and more. The optimum has
		// λ* = T²/(2Z*) ≥ best²/(2 Σz₊).
		if lam/(1+delta) <= max(low, s.search.best*s.search.best/(2*sum)) {
			return s.search.best, nil
		}
	}
}
