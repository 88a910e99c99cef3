package ring

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// directedSearch looks for a directed tour within a threshold. A directed tour
// cannot be turned round, so its move is the exchange of two neighbouring
// segments, the only exchange of three links that keeps all directions:
//
//	a | a′ … b | b′ … c | c′   becomes   a → b′ … c → a′ … b → c′
type directedSearch struct {
	t     *table
	n     int
	out   [][]int32 // cheapest successors of every node
	in    [][]int32 // cheapest predecessors
	tour  []int32
	pos   []int32
	theta float64
	rng   *rand.Rand
	tabu  []int32 // step until which the link into a node stays
	buf   []int32
}

func newDirectedSearch(t *table, k int, rng *rand.Rand) *directedSearch {
	n := t.n
	back := &table{n: n, d: make([]float64, n*n)}
	for u := 0; u < n; u++ {
		for v := 0; v < n; v++ {
			back.d[v*n+u] = t.d[u*n+v]
		}
	}
	s := &directedSearch{t: t, n: n, out: t.near(k), in: back.near(k), rng: rng,
		pos: make([]int32, n), tabu: make([]int32, n), buf: make([]int32, n)}
	// Start: nearest successor.
	used := make([]bool, n)
	u := int32(0)
	for {
		used[u] = true
		s.tour = append(s.tour, u)
		if len(s.tour) == n {
			break
		}
		next := int32(-1)
		for v := range used {
			if !used[v] && (next < 0 || t.at(int(u), v) < t.at(int(u), int(next))) {
				next = int32(v)
			}
		}
		u = next
	}
	s.index()
	return s
}

func (s *directedSearch) index() {
	for i, v := range s.tour {
		s.pos[v] = int32(i)
	}
}

func (s *directedSearch) penalty(u, v int32) float64 {
	d := s.t.d[int(u)*s.n+int(v)]
	if d <= s.theta {
		return 0
	}
	return 1 + min((d-s.theta)/max(s.theta, 1e-9), 100)
}

// run makes steps moves at the threshold, each the best found for a random bad
// link, better or not; links just made stay for a while. True where it reaches
// a tour within the threshold.
func (s *directedSearch) run(ctx context.Context, set *settings, theta float64, steps int) bool {
	s.theta = theta
	clear(s.tabu)
	n := int32(s.n)
	var bad []int32
	for step := int32(1); step <= int32(steps); step++ {
		bad = bad[:0]
		for i, u := range s.tour {
			if s.penalty(u, s.tour[(i+1)%s.n]) > 0 {
				bad = append(bad, int32(i))
			}
		}
		if len(bad) == 0 {
			return true
		}
		if step%64 == 0 && (ctx.Err() != nil || set.late()) {
			return false
		}
		p := bad[s.rng.IntN(len(bad))]
		// Positions relative to a, which is at 0.
		rel := func(v int32) int32 { return (s.pos[v] - p + n) % n }
		node := func(r int32) int32 { return s.tour[(p+r)%n] }
		a, a1 := node(0), node(1)
		best, ties := math.Inf(1), 0
		var bestB, bestC int32
		try := func(b, c int32) { // relative positions, 1 ≤ b < c ≤ n−1
			vb, vb1, vc, vc1 := node(b), node(b+1), node(c), node((c+1)%n)
			delta := s.penalty(a, vb1) + s.penalty(vc, a1) + s.penalty(vb, vc1) -
				s.penalty(vb, vb1) - s.penalty(vc, vc1) - s.penalty(a, a1)
			if (s.tabu[vb1] > step || s.tabu[vc1] > step) && delta > -1 {
				return
			}
			if delta < best {
				best, ties, bestB, bestC = delta, 1, b, c
			} else if delta == best {
				if ties++; s.rng.IntN(ties) == 0 {
					bestB, bestC = b, c
				}
			}
		}
		for _, b1 := range s.out[a][1:] {
			rb := rel(b1) - 1
			if rb < 1 {
				continue
			}
			for _, c := range s.in[a1][1:] {
				if rc := rel(c); rc > rb {
					try(rb, rc)
				}
			}
			// c′ among the successors of b
			for _, c1 := range s.out[node(rb)][1:] {
				rc := (rel(c1) + n - 1) % n
				if rc > rb && rc < n {
					try(rb, rc)
				}
			}
		}
		for _, c := range s.in[a1][1:] {
			rc := rel(c)
			for _, b := range s.in[node((rc+1)%n)][1:] {
				if rb := rel(b); rb >= 1 && rb < rc {
					try(rb, rc)
				}
			}
		}
		if ties == 0 {
			b := 1 + int32(s.rng.IntN(s.n-2))
			bestB, bestC = b, b+1+int32(s.rng.IntN(int(n-1-b)))
		}
		for _, v := range []int32{node(bestB + 1), a1, node((bestC + 1) % n)} {
			s.tabu[v] = step + 5 + int32(s.rng.IntN(8))
		}
		// a, then b′…c, then a′…b
		k := 0
		for r := bestB + 1; r <= bestC; r++ {
			s.buf[k] = node(r)
			k++
		}
		for r := int32(1); r <= bestB; r++ {
			s.buf[k] = node(r)
			k++
		}
		for i := 0; i < k; i++ {
			q := (p + 1 + int32(i)) % n
			s.tour[q] = s.buf[i]
			s.pos[s.buf[i]] = q
		}
	}
	return false
}

// bottleneck returns the largest delay of the tour.
func (s *directedSearch) bottleneck() float64 {
	w := 0.0
	for i, u := range s.tour {
		w = max(w, s.t.at(int(u), int(s.tour[(i+1)%s.n])))
	}
	return w
}

func (s *directedSearch) start(tour []int32) {
	s.tour = slices.Clone(tour)
	s.index()
}
