package bound

import (
	"context"
	"math"
)

// Edge joins nodes U and V with a weight ≥ 0; U = V is a loop, a weight of
// the node itself.
type Edge struct {
	U, V   int
	Weight float64
}

// DensestGraph returns the set S of nodes that maximises w(S)/size(S), where
// w(S) is the weight of edges with both ends in S, loops included, and
// size(S) the sum of node sizes > 0 (nil means 1 each). n is the number of
// nodes; parallel edges add up. Exact: the density g of the best set so far
// is raised as long as a minimum cut finds a set with w(S) − g·size(S) > 0
// (Dinkelbach's iteration on the network of Goldberg 1984, which has no node
// per edge; few rounds). Unlike in Densest this iteration is exact, because
// w is supermodular and the size additive. UpperBound is the density that the
// last cut proves, within rounding. Weights x_i·x_j on all pairs (twice) and
// x_i² on loops give the square of Densest's value.
//
// When ctx ends early the best set so far comes back with ctx.Err(). Cost: a
// maximum flow (Dinic) with n+2 nodes and as many arcs as edges a round;
// 2·10⁵ edges were tried.
func DensestGraph(ctx context.Context, n int, edges []Edge, size []float64, opt *Options) (*Subset, error) {
	o, err := settings(opt)
	if err != nil {
		return nil, err
	}
	if n <= 0 {
		return nil, errorf("no nodes, in DensestGraph (%d); give their number", n)
	}
	if size == nil {
		size = make([]float64, n)
		for i := range size {
			size[i] = 1
		}
	}
	if len(size) != n {
		return nil, errorf("lengths differ, in DensestGraph (%d sizes, %d nodes); give one a node, or nil", len(size), n)
	}
	for i, s := range size {
		if !(s > 0) || math.IsInf(s, 0) {
			return nil, errorf("size must be finite and above 0, in DensestGraph at node %d (%v); leave the node out", i, s)
		}
	}
	for j, e := range edges {
		if e.U < 0 || e.U >= n || e.V < 0 || e.V >= n {
			return nil, errorf("no such node, in edge %d (%d–%d); nodes run from 0 to %d", j, e.U, e.V, n-1)
		}
		if !(e.Weight >= 0) || math.IsInf(e.Weight, 0) {
			return nil, errorf("weight must be finite and 0 or more, in edge %d (%v); with negative weights the problem is NP-hard", j, e.Weight)
		}
	}
	if err := checkLength(len(o.Names), n, "Options.Names"); err != nil {
		return nil, err
	}
	s := &Subset{Names: o.Names, Method: "minimum cuts", Why: "weights are general, so the density is raised by Goldberg's network until no cut gains"}
	deg := make([]float64, n) // without loops
	loop := make([]float64, n)
	total, flat := 0.0, 0
	for _, e := range edges {
		total += e.Weight
		if e.U == e.V {
			loop[e.U] += e.Weight
		} else {
			deg[e.U] += e.Weight
			deg[e.V] += e.Weight
			flat++
		}
	}
	// Start from all nodes, or the best single one.
	in := make([]bool, n)
	all := 0.0
	for i, v := range size {
		in[i] = true
		all += v
	}
	s.Sum, s.V = total, all
	for i, v := range size {
		if loop[i]*s.V > s.Sum*v {
			clear(in)
			in[i] = true
			s.Sum, s.V = loop[i], v
		}
	}
	least := math.Inf(1)
	top := 0.0 // of a node's degree with loops twice: no density is above max deg/size
	for i, v := range size {
		least = min(least, v)
		top = max(top, (deg[i]+loop[i])/v)
	}
	s.UpperBound = top
	defer func() {
		for i, k := range in {
			if k {
				s.Set = append(s.Set, i)
			}
		}
	}()
	if total == 0 {
		clear(in)
		s.Sum, s.V, s.UpperBound = 0, 0, 0
		return s, nil
	}
	for round := 0; ; round++ {
		g := s.Sum / s.V
		s.Value, s.Lambda = g, g
		if err := ctx.Err(); err != nil {
			return s, err
		}
		// Twice the gain of S is Mn − cut: the arcs are those of Goldberg.
		m := 0.0
		for i := range deg {
			m = max(m, deg[i]+2*loop[i]-2*g*size[i])
		}
		net := newFlow(n+2, flat+2*n)
		src, sink := n, n+1
		for i := range deg {
			net.arc(src, i, m, 0)
			net.arc(i, sink, m+2*g*size[i]-deg[i]-2*loop[i], 0)
		}
		for _, e := range edges {
			if e.U != e.V {
				net.arc(e.U, e.V, e.Weight, e.Weight)
			}
		}
		eps := 1e-13 * (m + 2*top)
		flowed := net.run(src, sink, eps)
		s.Calls++
		// The cut bounds the gain of every set: w(S) − g·size(S) ≤ slack.
		slack := max(m*float64(n)-flowed, 0) / 2
		var sum, v float64
		side := net.level
		for i, k := range size {
			if side[i] >= 0 {
				v += k
				sum += loop[i]
			}
		}
		for _, e := range edges {
			if e.U != e.V && side[e.U] >= 0 && side[e.V] >= 0 {
				sum += e.Weight
			}
		}
		if v == 0 || sum <= g*v*(1+1e-12) {
			s.UpperBound = min(s.UpperBound, max(g+slack/least, g))
			if slack <= 1e-9*(m*float64(n)+total) {
				s.UpperBound = g * (1 + 1e-12) // the rest is rounding of the flow
			}
			return s, nil
		}
		for i := range in {
			in[i] = side[i] >= 0
		}
		s.Sum, s.V = sum, v
		if round > 1000 {
			return s, errorf("density does not settle, in DensestGraph (%d rounds); weights may span too many orders of magnitude: rescale", round)
		}
	}
}
