package ring

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// bounder computes bounds of sets of rounds, each once.
type bounder struct {
	ctx      context.Context
	set      *settings
	t        *table
	g        Topology
	vals     []float64 // distinct delays; nil for a large cloud
	kth      []float64 // kth[k]: the largest k-th smallest delay of a node
	kthIn    []float64 // the same for arriving links; kth itself where delays are symmetric
	tour     float64   // the bound of any connected graph
	directed float64   // that of a directed ring, where delays are directed
	memo     map[string]*setBound
	steps    int // of one search
	sets     int // steps of counting neighbours of sets
}

// setBound is the bound of a set of skips used together.
type setBound struct {
	skips  []int
	value  float64
	by     string
	parts  []Part
	strong bool // the costly bounds are in
}

// ballLimit is the largest n for bounds that take n² sets of bits.
const ballLimit = 1200

func newBounder(ctx context.Context, set *settings, t *table, g Topology) *bounder {
	b := &bounder{ctx: ctx, set: set, t: t, g: g, memo: map[string]*setBound{}}
	most := 0
	for l := range g.Rounds {
		most += 2 * len(g.Rounds[l])
	}
	most = min(most, t.n-1)
	b.kth = t.kthSmallest(most, false)
	b.kthIn = b.kth
	if !t.sym {
		b.kthIn = t.kthSmallest(most, true)
	}
	if t.d != nil {
		b.vals = t.distinct()
	}
	if t.n >= 3 {
		if b.tour = t.secondSmallest(); t.sym {
			b.tour = max(b.tour, t.biconnected())
		} else {
			either := &table{n: t.n, sym: true, d: make([]float64, t.n*t.n)}
			for u := 0; u < t.n; u++ {
				for v := 0; v < t.n; v++ {
					either.d[u*t.n+v] = min(t.at(u, v), t.at(v, u))
				}
			}
			b.tour = max(either.secondSmallest(), either.biconnected())
			b.directed, _ = t.directedBound()
		}
	}
	b.steps = max(200, min(3000, 300_000/t.n))
	b.sets = 6_000_000
	if len(g.Rounds) > 1 {
		b.sets = 600_000 // many sets of rounds
	}
	if set.Lower {
		b.steps *= 10
		b.sets *= 10
	}
	return b
}

// kthSmallest returns for k = 0…most the largest over nodes of the k-th
// smallest delay out of (or in to) the node; 0 for k = 0.
func (t *table) kthSmallest(most int, in bool) []float64 {
	out := make([]float64, most+1)
	if t.d == nil {
		for _, nb := range t.near(most) {
			for k, v := range nb[1:] {
				out[k+1] = max(out[k+1], t.at(int(nb[0]), int(v)))
			}
		}
		return out
	}
	row := make([]float64, 0, t.n)
	for u := 0; u < t.n; u++ {
		row = row[:0]
		for v := 0; v < t.n; v++ {
			if v == u {
				continue
			}
			if in {
				row = append(row, t.d[v*t.n+u])
			} else {
				row = append(row, t.d[u*t.n+v])
			}
		}
		slices.Sort(row)
		for k := 1; k <= most; k++ {
			out[k] = max(out[k], row[k-1])
		}
	}
	return out
}

// bound returns the bound of the rounds in mask, cheap or strong. upper is a
// value known to be reached, at which searching may stop.
func (b *bounder) bound(mask uint64, strong bool, upper float64) *setBound {
	skips := b.g.union(mask)
	slices.Sort(skips)
	key := fmt.Sprint(skips)
	s := b.memo[key]
	if s == nil {
		s = &setBound{skips: skips, by: byNothing}
		b.memo[key] = s
		b.cheap(s)
	}
	if strong && !s.strong {
		s.strong = true
		b.costly(s, upper)
	}
	return s
}

func (s *setBound) add(name string, value float64) {
	s.parts = append(s.parts, Part{name, value})
	if value > s.value {
		s.value, s.by = value, name
	}
}

func (b *bounder) cheap(s *setBound) {
	n := b.t.n
	if b.t.sym {
		s.add(byDegree, b.kth[len(offsets(n, s.skips))])
	} else {
		k := len(s.skips)
		s.add(byDegree, max(b.kth[k], b.kthIn[k]))
	}
	if n >= 3 && joined(n, s.skips) {
		s.add(byTour, b.tour)
		if !b.t.sym && hamiltonian(n, s.skips) {
			s.add(byTour, b.directed)
		}
	}
}

// costly adds the bounds that need a test for every threshold they try. upper
// is a value that is reached.
func (b *bounder) costly(s *setBound, upper float64) {
	n := b.t.n
	if b.t.cloud != nil && n > ballLimit {
		s.add(byBall, b.t.farBall(s.skips))
		return
	}
	if n > ballLimit || b.ctx.Err() != nil || b.set.late() {
		return
	}
	sizes := ballSizes(n, s.skips)
	s.add(byBall, b.least(s.value, upper, func(x float64) bool { return b.ballsFit(x, sizes) }))
	if !b.t.sym {
		return
	}
	fewest := fewestNeighbours(n, s.skips, 1, b.sets)
	if len(fewest) > 1 {
		s.add(bySets, b.least(s.value, upper, func(x float64) bool { return setsFit(n, b.near(x), fewest) }))
	}
}

// least returns the smallest distinct delay from lo on that passes a monotone
// test, or one not above upper if none below passes; lo itself at least.
func (b *bounder) least(lo, upper float64, test func(float64) bool) float64 {
	i := index(b.vals, lo)
	if i < 0 || b.vals[i] < lo {
		i++
	}
	h := len(b.vals) - 1
	if !math.IsInf(upper, 1) {
		h = index(b.vals, upper)
	}
	if i >= h {
		return lo
	}
	// Most bounds lie close above the start: widen from there.
	for step := 1; i+step < h; step *= 4 {
		if b.ctx.Err() != nil || b.set.late() {
			return lo
		}
		if test(b.vals[i+step-1]) {
			h = i + step - 1
			break
		}
		i += step
		lo = b.vals[i]
	}
	for i < h && b.ctx.Err() == nil {
		m := (i + h) / 2
		if test(b.vals[m]) {
			h = m
		} else {
			i = m + 1
			lo = b.vals[i]
		}
	}
	return lo
}

// near returns the closed neighbourhoods of all nodes within x, as sets.
func (b *bounder) near(x float64) []uint64 {
	n := b.t.n
	w := (n + 63) / 64
	adj := make([]uint64, n*w)
	for u := 0; u < n; u++ {
		for v, d := range b.t.d[u*n : u*n+n] {
			if d <= x || u == v {
				adj[u*w+v/64] |= 1 << (v % 64)
			}
		}
	}
	return adj
}

// searchLimit is the largest n for the constraint search.
const searchLimit = 130

// prove raises the bound of a single round by the constraint search, below a
// value that is reached; it may find a better placement on the way.
func (b *bounder) prove(c *Certificate, upper float64) []int {
	if len(b.g.Rounds) != 1 || b.t.n > searchLimit || b.vals == nil {
		return nil
	}
	var best []int
	skips := b.g.Rounds[0]
	value := b.least(c.Value, upper, func(x float64) bool {
		a, pi := newEmbedding(b.t, skips, x).solve(b.ctx, b.steps, b.set.late)
		if a == yes {
			if v, _ := b.t.bcd(b.g, pi); v < upper {
				best, upper = pi, v
			}
		}
		return a != no
	})
	c.put(Part{bySearch, value})
	return best
}

// certificate bounds the whole topology. upper is the BCD of a placement.
func (b *bounder) certificate(upper float64) *Certificate {
	c := b.quick()
	b.tighten(c, upper)
	return c
}

// quick bounds by degree, trees and what else costs little.
func (b *bounder) quick() *Certificate {
	tau := len(b.g.Rounds)
	c := &Certificate{By: byNothing}
	if tau == 1 {
		b.single(c, b.bound(1, false, math.Inf(1)))
		return c
	}
	if tau > mostRounds { // sets are too many: every round by itself
		sum := 0.0
		for l := range b.g.Rounds {
			sum += b.bound(1<<l, false, math.Inf(1)).value
		}
		c.Sets = tau
		c.put(Part{"single rounds", sum / float64(tau)})
		return c
	}
	sum, _ := b.orders()
	c.put(Part{"degree and biconnected by " + byRounds, sum / float64(tau)})
	c.put(Part{"slowest round over all", b.bound(1<<tau-1, false, math.Inf(1)).value / float64(tau)})
	c.Sets = len(b.memo)
	return c
}

// mostRounds is how many rounds are bounded by their sets.
const mostRounds = 18

// tighten adds the costly bounds: for several rounds along the order that
// attains the minimum, until that order has only costly ones.
func (b *bounder) tighten(c *Certificate, upper float64) {
	tau := len(b.g.Rounds)
	if tau == 1 {
		b.single(c, b.bound(1, true, upper))
		return
	}
	if tau > mostRounds {
		return
	}
	left := 128
	if b.t.n > 150 && !b.set.Lower {
		left = max(4, 4000/b.t.n)
	}
	sum, order := b.orders()
	for left > 0 && b.ctx.Err() == nil && !b.set.late() {
		fresh := false
		mask := uint64(0)
		for _, l := range order {
			mask |= 1 << l
			if !b.bound(mask, false, math.Inf(1)).strong {
				b.bound(mask, true, math.Inf(1))
				fresh = true
				left--
			}
		}
		sum, order = b.orders()
		if !fresh {
			break
		}
	}
	c.put(Part{byRounds, sum / float64(tau)})
	c.Sets = len(b.memo)
}

// single copies the bounds of the only round.
func (b *bounder) single(c *Certificate, s *setBound) {
	c.Parts, c.Sets = nil, 1
	for _, p := range s.parts {
		c.put(p)
	}
}

// orders returns the least Σ_k B(first k rounds) over all orders, and an order
// that attains it.
func (b *bounder) orders() (float64, []int) {
	tau := len(b.g.Rounds)
	full := uint64(1)<<tau - 1
	best := make([]float64, full+1)
	last := make([]int8, full+1)
	for mask := uint64(1); mask <= full; mask++ {
		best[mask] = math.Inf(1)
		for l := 0; l < tau; l++ {
			if mask>>l&1 == 1 && best[mask&^(1<<l)] < best[mask] {
				best[mask], last[mask] = best[mask&^(1<<l)], int8(l)
			}
		}
		best[mask] += b.bound(mask, false, math.Inf(1)).value
	}
	order := make([]int, tau)
	for mask, k := full, tau-1; mask != 0; k-- {
		l := int(last[mask])
		order[k] = l
		mask &^= 1 << l
	}
	return best[full], order
}
