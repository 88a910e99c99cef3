package ring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Tour is a ring through all nodes.
type Tour struct {
	Order   []int   // physical nodes around the ring: Order[i] sends to Order[i+1], the last to the first
	Worst   float64 // its slowest link, ms
	Edge    [2]int  // from and to of that link
	Link    Link    // the same with labels
	Lower   float64 // no ring has a faster slowest link than this
	LowerBy string  // which bound that is
	Status  Status
	Found   string // what found it: "search", "exact" or "cube of the tree"

	t *table
}

// ErrNoTour is the cause where missing links leave no ring, or none was found.
var ErrNoTour = errors.New("no ring over the given links")

// BTSP returns a ring through all nodes whose slowest link is as fast as can be
// found (the bottleneck travelling salesman problem), with a lower bound that
// usually proves it optimal. With four nodes a, b, c, d numbered 0…3,
// Order = {2, 0, 3, 1} is the ring c→a→d→b→c.
//
// Delays in ms may be symmetric or directed, need not obey the triangle
// inequality, and are +Inf where a link is missing. The lower bound is the
// largest of: the second smallest delay of a node; the smallest θ whose links
// make a biconnected graph; for directed delays the cheapest link out and in,
// strong connectivity and the bottleneck assignment; for n ≤ 16 the optimum
// itself. The search walks Hamiltonian paths at a fixed threshold, first at the
// lower bound, then by bisection between it and the best tour. Where it fails,
// a cycle in the cube of the minimum spanning tree is the fallback, at most
// three times the optimum for metric delays (Sekanina, 1960).
//
// Cost about O(n²) for a matrix, O(n log n) for Points, plus the search: 0.1 s
// at n = 500 and seconds at 3,000 where the bound is tight. On cancellation the
// best tour so far comes with Status Stopped and ctx's error.
func BTSP(ctx context.Context, d Delays, opt *Options) (*Tour, error) {
	var limit int64
	if opt != nil {
		limit = opt.MaxBytes
	}
	t, err := load(d, limit)
	if err != nil {
		return nil, err
	}
	set, err := opt.settings(t.n)
	if err != nil {
		return nil, err
	}
	if err := t.connected(); err != nil {
		return nil, err
	}
	defer set.watch(ctx, "ring: BTSP")()
	return t.btsp(ctx, &set, 0)
}

// btsp solves; variant > 0 asks for another tour, where there are several.
func (t *table) btsp(ctx context.Context, set *settings, variant uint64) (*Tour, error) {
	n := t.n
	if n <= 3 && (n < 3 || t.sym) {
		return t.tour(identity(n), -1, "", "exact"), nil
	}
	lower, by := t.tourBound()
	if math.IsInf(lower, 1) {
		return nil, fmt.Errorf("ring: %s: %w; add the missing links", t.whyNoTour(), ErrNoTour)
	}
	if n <= 16 && variant == 0 {
		order := t.heldKarp(lower)
		if order == nil {
			return nil, fmt.Errorf("ring: enumeration found no ring over the links that exist: %w; add missing links", ErrNoTour)
		}
		tour := t.tour(order, lower, by, "exact")
		if tour.Worst > lower {
			tour.Lower, tour.LowerBy = tour.Worst, "enumeration"
		}
		tour.Status = Optimal
		return tour, nil
	}
	search := t.undirected
	if !t.sym {
		search = t.directed
	}
	best, worst := search(ctx, set, lower, variant)
	order := make([]int, n)
	for i, v := range best {
		order[i] = int(v)
	}
	found := "search"
	if t.sym && worst > 3*lower {
		if c := cubeTour(t); c != nil {
			if w := t.bottleneck(c); w < worst {
				found = "cube of the tree"
				for i, v := range c {
					order[i] = int(v)
				}
			}
		}
	}
	tour := t.tour(order, lower, by, found)
	switch {
	case math.IsInf(tour.Worst, 1) && ctx.Err() == nil:
		return tour, fmt.Errorf("ring: the search ended without a ring over the links that exist: %w; give it more Moves or Time, or add links", ErrNoTour)
	case tour.Worst <= lower:
		tour.Status = Optimal
	case ctx.Err() != nil || set.late():
		tour.Status = Stopped
	}
	set.reporter()(1, tour.Worst)
	if tour.Status != Optimal {
		return tour, ctx.Err()
	}
	return tour, nil
}

// undirected searches a tour of symmetric delays.
func (t *table) undirected(ctx context.Context, set *settings, lower float64, variant uint64) ([]int32, float64) {
	k := 10
	if t.d != nil && t.n <= 600 {
		k = 40
	}
	nb := t.near(k)
	for u := range nb {
		nb[u] = nb[u][1:]
	}
	if t.cloud != nil { // the ways between clusters, which no nearest neighbour shows
		for u, links := range t.cloud.sectorLinks() {
			for _, v := range links {
				if !slices.Contains(nb[u], v) {
					nb[u] = append(nb[u], v)
				}
			}
			slices.SortStableFunc(nb[u], func(a, b int32) int { return cmp.Compare(t.at(u, int(a)), t.at(u, int(b))) })
		}
	}
	start := greedyTour(t, nb)
	if t.cloud != nil && variant%2 == 1 {
		start = curveTour(t.cloud)
	}
	s := newTourSearch(t, nb, start, set.random(1000+variant))
	kicks := min(max(2000, min(20*t.n, 100_000)), set.Moves)
	worst := t.bottleneck(start)
	best := bisect(ctx, set, t, nb, lower, worst, start, func(theta float64, from []int32) ([]int32, bool) {
		copy(s.tour, from)
		for i, v := range s.tour {
			s.pos[v] = int32(i)
		}
		s.aim(theta)
		done := s.run(ctx, set, kicks)
		return s.tour, done
	})
	return best, t.bottleneck(best)
}

// directed searches a tour of directed delays.
func (t *table) directed(ctx context.Context, set *settings, lower float64, variant uint64) ([]int32, float64) {
	s := newDirectedSearch(t, 20, set.random(1000+variant))
	steps := min(max(20_000, min(100*t.n, 200_000)), set.Moves)
	out := make([][]int32, t.n)
	for u := range out {
		out[u] = s.out[u][1:]
	}
	worst := s.bottleneck()
	start := slices.Clone(s.tour)
	best := bisect(ctx, set, t, out, lower, worst, start, func(theta float64, from []int32) ([]int32, bool) {
		s.start(from)
		done := s.run(ctx, set, theta, steps)
		return s.tour, done
	})
	return best, t.bottleneck(best)
}

// bisect lowers the bottleneck of a tour: try searches one within a threshold
// from a given tour. The first threshold is the lower bound itself, the others
// halve the delays of candidate links that remain between it and the best.
func bisect(ctx context.Context, set *settings, t *table, nb [][]int32, lower, worst float64, start []int32,
	try func(theta float64, from []int32) ([]int32, bool)) []int32 {
	best := slices.Clone(start)
	report := set.reporter()
	lo := lower
	for first := true; worst > lower && ctx.Err() == nil && !set.late(); first = false {
		theta := lower
		if !first {
			vals := thresholds(t, nb, lo, worst)
			if len(vals) == 0 {
				break
			}
			theta = vals[len(vals)/2]
		}
		tour, done := try(theta, best)
		if w := t.bottleneck(tour); w < worst {
			worst = w
			copy(best, tour)
		}
		if !done && !first {
			lo = theta
		}
		report(min(0.95, lower/worst), worst)
	}
	return best
}

// bottleneck returns the slowest link of a tour.
func (t *table) bottleneck(tour []int32) float64 {
	w := 0.0
	for i, u := range tour {
		v := tour[0]
		if i+1 < len(tour) {
			v = tour[i+1]
		}
		w = max(w, t.at(int(u), int(v)))
	}
	return w
}

// tour fills in what follows from an order; lower < 0 stands for the tour's own
// bottleneck, for rings that have no choice.
func (t *table) tour(order []int, lower float64, by, found string) *Tour {
	tour := &Tour{Order: order, Lower: lower, LowerBy: by, Found: found, t: t}
	for i, u := range order {
		v := order[(i+1)%t.n]
		if d := t.at(u, v); u != v && (d > tour.Worst || i == 0) {
			tour.Worst, tour.Edge = d, [2]int{u, v}
		}
	}
	u, v := tour.Edge[0], tour.Edge[1]
	tour.Link = Link{From: u, To: v, FromLabel: t.label(u), ToLabel: t.label(v), Skip: 1, Delay: tour.Worst}
	if lower < 0 {
		tour.Lower, tour.LowerBy, tour.Status = tour.Worst, "only one ring", Optimal
	}
	return tour
}

func identity(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// whyNoTour explains an infinite lower bound.
func (t *table) whyNoTour() string {
	if !t.sym {
		return "the links that exist give no ring"
	}
	most := 0.0
	for _, x := range t.d {
		if !math.IsInf(x, 1) {
			most = max(most, x)
		}
	}
	for u := 0; u < t.n; u++ {
		links := 0
		for v := 0; v < t.n; v++ {
			if v != u && !math.IsInf(t.at(u, v), 1) {
				links++
			}
		}
		if links < 2 {
			return fmt.Sprintf("node %s has %d link, a ring needs 2", t.label(u), links)
		}
	}
	if cut := articulation(t, most); cut >= 0 {
		return fmt.Sprintf("without node %s the network falls apart, so no ring passes all nodes once", t.label(cut))
	}
	return "the links that exist give no ring"
}

// thresholds returns the distinct delays strictly between lo and hi that the
// candidate links have, in order.
func thresholds(t *table, nb [][]int32, lo, hi float64) []float64 {
	var vals []float64
	for u, list := range nb {
		for _, v := range list {
			if d := t.at(u, int(v)); d > lo && d < hi {
				vals = append(vals, d)
			}
		}
	}
	slices.Sort(vals)
	return slices.Compact(vals)
}

// heldKarp returns an optimal ring of up to 16 nodes by the recursion of Held
// and Karp (1962) with max for +: reach[S] holds for every end v the least
// bottleneck of a path from node n−1 over S to v. nil where all are infinite.
func (t *table) heldKarp(lower float64) []int {
	n := t.n
	m := n - 1 // node m is the start
	best := make([]float64, m<<m)
	for i := range best {
		best[i] = math.Inf(1)
	}
	for v := 0; v < m; v++ {
		best[(1<<v)*m+v] = t.at(m, v)
	}
	for set := 1; set < 1<<m; set++ {
		for v := 0; v < m; v++ {
			b := best[set*m+v]
			if set>>v&1 == 0 || math.IsInf(b, 1) {
				continue
			}
			for w := 0; w < m; w++ {
				if set>>w&1 != 0 {
					continue
				}
				k := (set|1<<w)*m + w
				if x := max(b, t.at(v, w)); x < best[k] {
					best[k] = x
				}
			}
		}
	}
	full := 1<<m - 1
	end, value := -1, math.Inf(1)
	for v := 0; v < m; v++ {
		if x := max(best[full*m+v], t.at(v, m)); x < value {
			end, value = v, x
		}
	}
	if end < 0 {
		return nil
	}
	// Walk back over any predecessor whose path is within the optimum.
	order := []int{m}
	for set := full; end >= 0; {
		order = append(order, end)
		set &^= 1 << end
		prev := -1
		for v := 0; v < m && set != 0; v++ {
			if set>>v&1 == 1 && best[set*m+v] <= value && t.at(v, end) <= value {
				prev = v
				break
			}
		}
		end = prev
	}
	slices.Reverse(order)
	return order
}
