package ring

import (
	"context"
	"math"
	"math/rand/v2"
	"time"
)

// annealer is simulated annealing of the true BCD by swaps. A swap touches
// 4Σ|S_l| links; the slowest link of a round is searched anew only where the
// swap may have removed it.
type annealer struct {
	t     *table
	g     Topology
	n     int
	pi    []int32
	edge  [][]float64 // of each round: delay of the link from position i by its k-th skip, at k·n+i
	most  []float64   // slowest link of each round
	rng   *rand.Rand
	saved []savedEdge
	was   []float64                   // most before the swap
	found func(step int, bcd float64) // told of every new best; may be nil
}

type savedEdge struct {
	round, at int
	delay     float64
}

func newAnnealer(t *table, g Topology, pi []int, rng *rand.Rand) *annealer {
	n := t.n
	a := &annealer{t: t, g: g, n: n, pi: make([]int32, n), rng: rng,
		edge: make([][]float64, len(g.Rounds)), most: make([]float64, len(g.Rounds)), was: make([]float64, len(g.Rounds))}
	for i, u := range pi {
		a.pi[i] = int32(u)
	}
	for l, skips := range g.Rounds {
		a.edge[l] = make([]float64, n*len(skips))
		for k, s := range skips {
			for i := range pi {
				a.edge[l][k*n+i] = t.at(pi[i], pi[(i+s)%n])
			}
		}
		for _, x := range a.edge[l] {
			a.most[l] = max(a.most[l], x)
		}
	}
	return a
}

// swap exchanges positions i and j and returns the change of Σ_l of the
// slowest links; revert undoes it.
func (a *annealer) swap(i, j int) float64 {
	n := a.n
	a.pi[i], a.pi[j] = a.pi[j], a.pi[i]
	a.saved = a.saved[:0]
	copy(a.was, a.most)
	change := 0.0
	for l, skips := range a.g.Rounds {
		edge := a.edge[l]
		top, lost := 0.0, false
		for k, s := range skips {
			from1, from2 := i-s, j-s
			if from1 < 0 {
				from1 += n
			}
			if from2 < 0 {
				from2 += n
			}
			for _, p := range [4]int{i, j, from1, from2} {
				q := p + s
				if q >= n {
					q -= n
				}
				d := a.t.at(int(a.pi[p]), int(a.pi[q]))
				old := edge[k*n+p]
				if d == old {
					top = max(top, d)
					continue
				}
				a.saved = append(a.saved, savedEdge{l, k*n + p, old})
				edge[k*n+p] = d
				top = max(top, d)
				lost = lost || old == a.was[l]
			}
		}
		switch {
		case top >= a.was[l]:
			a.most[l] = top
		case lost:
			m := 0.0
			for _, x := range edge {
				if x > m {
					m = x
				}
			}
			a.most[l] = m
		}
		if a.most[l] != a.was[l] {
			change += a.most[l] - a.was[l]
		}
	}
	return change
}

func (a *annealer) revert(i, j int) {
	a.pi[i], a.pi[j] = a.pi[j], a.pi[i]
	for k := len(a.saved) - 1; k >= 0; k-- {
		e := a.saved[k]
		a.edge[e.round][e.at] = e.delay
	}
	copy(a.most, a.was)
}

// run anneals for so many steps, or until the deadline where one is given,
// cooling from hot to cold (fractions of the starting value), and returns the
// best placement. Half of the swaps move an end of a slowest link.
func (a *annealer) run(ctx context.Context, steps int, deadline time.Time, hot, cold float64) ([]int, float64) {
	n := a.n
	sum := 0.0
	for _, x := range a.most {
		sum += x
	}
	best, bestPi := sum, append([]int32(nil), a.pi...)
	scale := sum
	if math.IsInf(scale, 1) || scale == 0 {
		scale = 1
	}
	begin := time.Now()
	length := deadline.Sub(begin)
	temperature := hot * scale
	for step := 0; step < steps; step++ {
		if step%256 == 0 {
			done := float64(step) / float64(steps)
			if !deadline.IsZero() {
				elapsed := time.Since(begin)
				if elapsed >= length {
					break
				}
				done = max(done, float64(elapsed)/float64(length))
			}
			if ctx.Err() != nil {
				break
			}
			temperature = scale * hot * math.Pow(cold/hot, done)
		}
		i := a.rng.IntN(n)
		if step&1 == 0 {
			l := a.rng.IntN(len(a.most))
			i = a.slowestEnd(l)
		}
		j := a.rng.IntN(n)
		if i == j {
			continue
		}
		change := a.swap(i, j)
		if change > 0 && (math.IsInf(change, 1) || a.rng.Float64() >= math.Exp(-change/temperature)) {
			a.revert(i, j)
			continue
		}
		if change == 0 {
			continue
		}
		if sum += change; math.IsInf(sum, 0) || math.IsNaN(sum) {
			sum = 0
			for _, x := range a.most {
				sum += x
			}
		}
		if sum < best-1e-12 {
			best = sum
			copy(bestPi, a.pi)
			if a.found != nil {
				a.found(step, sum/float64(len(a.most)))
			}
		}
	}
	out := make([]int, n)
	for i, u := range bestPi {
		out[i] = int(u)
	}
	v, _ := a.t.bcd(a.g, out)
	return out, v
}

// slowestEnd returns a position at an end of a slowest link of round l.
func (a *annealer) slowestEnd(l int) int {
	edge := a.edge[l]
	at := a.rng.IntN(len(edge)) // start anywhere, so that ties take turns
	for range edge {
		if edge[at] == a.most[l] {
			break
		}
		if at++; at == len(edge) {
			at = 0
		}
	}
	i := at % a.n
	if a.rng.IntN(2) == 0 {
		i = (i + a.g.Rounds[l][at/a.n]) % a.n
	}
	return i
}
