package ring

import (
	"context"
	"math"
)

// greedy places first at position 0, then at each next position the node that
// raises the sum of the rounds' slowest links least; ties go to the smaller
// delay over its links, then to the smaller node. O(n² Σ|S_l|).
func (t *table) greedy(ctx context.Context, g Topology, first int) []int {
	n := t.n
	pi := make([]int, n)
	used := make([]bool, n)
	most := make([]float64, len(g.Rounds))
	trial := make([]float64, len(g.Rounds))
	pi[0] = first
	used[first] = true
	for i := 1; i < n; i++ {
		best, total, pick := math.Inf(1), math.Inf(1), -1
		for u := 0; u < n; u++ {
			if used[u] {
				continue
			}
			if ctx.Err() != nil { // finish in any order
				pick = u
				break
			}
			cost, links := 0.0, 0.0
			for l, skips := range g.Rounds {
				m := most[l]
				for _, s := range skips {
					if i-s >= 0 {
						d := t.at(pi[i-s], u)
						m = max(m, d)
						links += d
					}
					if j := i + s - n; j >= 0 && j < i {
						d := t.at(u, pi[j])
						m = max(m, d)
						links += d
					}
				}
				cost += m
			}
			if pick < 0 || cost < best || cost == best && links < total {
				best, total, pick = cost, links, u
			}
		}
		for l, skips := range g.Rounds {
			trial[l] = most[l]
			for _, s := range skips {
				if i-s >= 0 {
					trial[l] = max(trial[l], t.at(pi[i-s], pick))
				}
				if j := i + s - n; j >= 0 && j < i {
					trial[l] = max(trial[l], t.at(pick, pi[j]))
				}
			}
		}
		copy(most, trial)
		pi[i] = pick
		used[pick] = true
	}
	return pi
}

// enumerate finds an optimal placement by depth-first search from a good one:
// node 0 stays at position 0 (rotation changes nothing), and a branch ends
// where its rounds, each at least as slow as its own degree bound, cannot beat
// the best. Stopped where it would take more steps than most.
func (t *table) enumerate(ctx context.Context, set *settings, g Topology, best []int, most int) ([]int, Status) {
	n, tau := t.n, len(g.Rounds)
	value := 0.0
	_, rounds := t.bcd(g, best)
	for _, x := range rounds {
		value += x
	}
	b := newBounder(ctx, set, t, g)
	floor := make([]float64, tau)
	for l := range g.Rounds {
		floor[l] = b.bound(1<<l, false, math.Inf(1)).value
	}
	pi := make([]int, n)
	used := make([]bool, n)
	used[0] = true
	worst := make([][]float64, n+1)
	for i := range worst {
		worst[i] = make([]float64, tau)
	}
	copy(worst[1], floor)
	steps := 0
	var place func(i int) bool
	place = func(i int) bool {
		if steps++; steps > most || steps%1024 == 0 && (ctx.Err() != nil || set.late()) {
			return false
		}
		if i == n {
			value = 0
			for _, x := range worst[n] {
				value += x
			}
			best = append([]int(nil), pi...)
			return true
		}
		for u := 1; u < n; u++ {
			if used[u] {
				continue
			}
			sum := 0.0
			for l, skips := range g.Rounds {
				m := worst[i][l]
				for _, s := range skips {
					if i-s >= 0 {
						m = max(m, t.at(pi[i-s], u))
					}
					if j := i + s - n; j >= 0 && j < i {
						m = max(m, t.at(u, pi[j]))
					}
				}
				worst[i+1][l] = m
				sum += m
			}
			if sum >= value*(1-1e-13) {
				continue
			}
			pi[i], used[u] = u, true
			ok := place(i + 1)
			used[u] = false
			if !ok {
				return false
			}
		}
		return true
	}
	if place(1) {
		return best, Optimal
	}
	return best, Stopped
}
