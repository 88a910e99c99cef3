package ring

import (
	"math"
	"slices"
)

// The lower bounds of a bottleneck tour: every node needs two links, and what
// remains of a tour without one node is a path, so the links of a tour make a
// biconnected graph (directed: a strongly connected one).

// tourBound returns the best simple lower bound on the bottleneck of a tour of
// n ≥ 3 nodes, and its name.
func (t *table) tourBound() (float64, string) {
	if !t.sym {
		return t.directedBound()
	}
	deg, bic := t.secondSmallest(), t.biconnected()
	if bic > deg {
		return bic, "biconnected"
	}
	return deg, "second-smallest"
}

// secondSmallest returns max_u of the second smallest delay at u.
func (t *table) secondSmallest() float64 {
	if t.d == nil {
		b := 0.0
		for _, nb := range t.near(2) {
			b = max(b, t.at(int(nb[0]), int(nb[2])))
		}
		return b
	}
	b := 0.0
	for u := 0; u < t.n; u++ {
		m1, m2 := math.Inf(1), math.Inf(1)
		for v, x := range t.d[u*t.n : (u+1)*t.n] {
			if v == u || x >= m2 {
				continue
			}
			if x < m1 {
				m1, m2 = x, m1
			} else {
				m2 = x
			}
		}
		b = max(b, m2)
	}
	return b
}

// biconnected returns the smallest θ such that the links of delay at most θ
// make a biconnected graph; +Inf where no θ does.
//
// It is found first on few links per node, which gives an upper bound; then the
// distinct delays between the degree bound and that are searched on all links.
// For points in the plane few links suffice: the two nearest in each of six
// sectors hold the 2-relative neighbourhood graph, which has the same θ
// (Chang, Tang and Lee, 1992). Dense cost O(n² log n).
func (t *table) biconnected() float64 {
	n := t.n
	if n < 3 {
		return 0
	}
	if t.d == nil {
		links := t.cloud.sectorLinks()
		vals := linkDelays(t, links)
		return smallest(vals, func(x float64) bool {
			return biconnectedLinks(n, links, func(u, v int32) bool { return t.at(int(u), int(v)) <= x })
		})
	}
	lo := t.secondSmallest()
	if math.IsInf(lo, 1) {
		return lo
	}
	test := func(x float64) bool { return articulation(t, x) == ok2 }
	if test(lo) {
		return lo
	}
	// Grow until biconnected, then search the values in between.
	var vals []float64
	most := 0.0
	for _, x := range t.d {
		if !math.IsInf(x, 1) {
			most = max(most, x)
		}
	}
	hi := 1.1 * lo
	for hi > 0 && hi < most && !test(hi) {
		hi *= 2
	}
	if hi == 0 {
		hi = most
	}
	for u := 0; u < n; u++ {
		for v := 0; v < u; v++ {
			if x := t.d[u*n+v]; x > lo && x <= hi && !math.IsInf(x, 1) {
				vals = append(vals, x)
			}
		}
	}
	return smallest(vals, test)
}

// smallest returns the smallest value that passes a monotone test; +Inf where
// none does. It sorts vals.
func smallest(vals []float64, test func(float64) bool) float64 {
	slices.Sort(vals)
	vals = slices.Compact(vals)
	lo, hi := 0, len(vals) // the answer's index lies in lo…hi
	for lo < hi {
		m := (lo + hi) / 2
		if test(vals[m]) {
			hi = m
		} else {
			lo = m + 1
		}
	}
	if lo == len(vals) {
		return math.Inf(1)
	}
	return vals[lo]
}

func linkDelays(t *table, links [][]int32) []float64 {
	var vals []float64
	for u, nb := range links {
		for _, v := range nb {
			if int(v) > u {
				vals = append(vals, t.at(u, int(v)))
			}
		}
	}
	return vals
}

const (
	ok2  = -1 // biconnected
	lost = -2 // not even connected
)

// articulation returns ok2 where the graph of delays at most x is biconnected,
// lost where it is disconnected, else a node whose loss disconnects it.
func articulation(t *table, x float64) int {
	n := t.n
	next := make([]int32, n) // where the scan of a row stands
	return lowpoint(n, func(u int32) int32 {
		row := t.d[int(u)*n : (int(u)+1)*n]
		for v := next[u]; v < int32(n); v++ {
			if v != u && row[v] <= x {
				next[u] = v + 1
				return v
			}
		}
		next[u] = int32(n)
		return -1
	})
}

// biconnectedLinks is the same test on adjacency lists.
func biconnectedLinks(n int, links [][]int32, keep func(u, v int32) bool) bool {
	next := make([]int32, n)
	return lowpoint(n, func(u int32) int32 {
		for next[u] < int32(len(links[u])) {
			v := links[u][next[u]]
			next[u]++
			if keep(u, v) {
				return v
			}
		}
		return -1
	}) == ok2
}

// lowpoint is the depth-first search of Hopcroft and Tarjan (1973) without
// recursion. neighbour(u) gives u's neighbours one after the other, then -1.
func lowpoint(n int, neighbour func(u int32) int32) int {
	depth := make([]int32, n) // 0: not seen
	low := make([]int32, n)
	parent := make([]int32, n)
	stack := []int32{0}
	depth[0], low[0], parent[0] = 1, 1, -1
	seen, rootChildren := 1, 0
	for len(stack) > 0 {
		u := stack[len(stack)-1]
		v := neighbour(u)
		if v >= 0 {
			if depth[v] == 0 {
				parent[v] = u
				depth[v] = depth[u] + 1
				low[v] = depth[v]
				seen++
				stack = append(stack, v)
			} else if v != parent[u] {
				low[u] = min(low[u], depth[v])
			}
			continue
		}
		stack = stack[:len(stack)-1]
		p := parent[u]
		if p < 0 {
			break
		}
		low[p] = min(low[p], low[u])
		if p == 0 {
			rootChildren++
			if rootChildren > 1 {
				return 0
			}
		} else if low[u] >= depth[p] {
			return int(p)
		}
	}
	if seen < n {
		return lost
	}
	return ok2
}

// directedBound bounds a directed tour: each node's cheapest way out and in,
// strong connectivity, and the bottleneck assignment (each node one successor).
func (t *table) directedBound() (float64, string) {
	n := t.n
	best, by := 0.0, "cheapest in and out"
	for u := 0; u < n; u++ {
		out, in := math.Inf(1), math.Inf(1)
		for v := 0; v < n; v++ {
			if v != u {
				out, in = min(out, t.at(u, v)), min(in, t.at(v, u))
			}
		}
		best = max(best, out, in)
	}
	if math.IsInf(best, 1) {
		return best, by
	}
	var vals []float64
	for u := 0; u < n; u++ {
		for v := 0; v < n; v++ {
			if x := t.at(u, v); u != v && x >= best && !math.IsInf(x, 1) {
				vals = append(vals, x)
			}
		}
	}
	if x := smallest(vals, func(x float64) bool { return stronglyConnected(t, x) }); x > best {
		best, by = x, "strongly connected"
	}
	if x := smallest(vals, func(x float64) bool { return assignment(t, x) }); x > best {
		best, by = x, "bottleneck assignment"
	}
	return best, by
}

// stronglyConnected tells whether arcs of delay at most x lead everywhere.
func stronglyConnected(t *table, x float64) bool {
	for _, back := range []bool{false, true} {
		seen := make([]bool, t.n)
		seen[0] = true
		queue := []int{0}
		for k := 0; k < len(queue); k++ {
			u := queue[k]
			for v := 0; v < t.n; v++ {
				d := t.at(u, v)
				if back {
					d = t.at(v, u)
				}
				if !seen[v] && d <= x {
					seen[v] = true
					queue = append(queue, v)
				}
			}
		}
		if len(queue) < t.n {
			return false
		}
	}
	return true
}

// assignment tells whether arcs of delay at most x give every node a successor
// of its own: a perfect matching, by augmenting paths.
func assignment(t *table, x float64) bool {
	n := t.n
	pred := make([]int, n) // of each successor
	for v := range pred {
		pred[v] = -1
	}
	seen := make([]int, n)
	var augment func(u, round int) bool
	augment = func(u, round int) bool {
		for v := 0; v < n; v++ {
			if v == u || seen[v] == round || t.at(u, v) > x {
				continue
			}
			seen[v] = round
			if pred[v] < 0 || augment(pred[v], round) {
				pred[v] = u
				return true
			}
		}
		return false
	}
	for u := 0; u < n; u++ {
		if !augment(u, u+1) {
			return false
		}
	}
	return true
}
