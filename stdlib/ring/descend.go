package ring

import (
	"context"
	"math/rand/v2"
	"slices"
)

// swapper restores thresholds by swaps: polisher, or sampler for many nodes.
type swapper interface {
	place(pi []int)
	placement() []int
	aim(theta []float64)
	run(ctx context.Context, set *settings, budget int) bool
	count() *int // moves made, on all thresholds
}

// descent polishes a placement: it lowers thresholds below the slowest links
// of the best placement so far and lets the polisher restore them, until the
// budget of moves ends or the value reaches stop. The jumps between thresholds
// double after a success and halve after a failure.
type descent struct {
	t      *table
	g      Topology
	p      swapper
	set    *settings
	vals   []float64 // distinct delays in order
	best   []int
	value  float64 // BCD of best
	rounds []float64
	stop   float64
	rng    *rand.Rand
	report func(moves int, value float64)
}

func newDescent(t *table, g Topology, p swapper, set *settings, vals []float64, start []int, stop float64, rng *rand.Rand) *descent {
	d := &descent{t: t, g: g, p: p, rng: rng, set: set, vals: vals, best: slices.Clone(start), stop: stop, report: func(int, float64) {}}
	d.value, d.rounds = t.bcd(g, start)
	return d
}

// distinct returns the distinct delays in order; +Inf is among them where links
// are missing, and stands for placements that use one.
func (t *table) distinct() []float64 {
	vals := make([]float64, 0, t.n*t.n)
	for u := 0; u < t.n; u++ {
		for v := 0; v < t.n; v++ {
			if u != v && (!t.sym || v < u) {
				vals = append(vals, t.d[u*t.n+v])
			}
		}
	}
	slices.Sort(vals)
	return slices.Compact(vals)
}

// index returns the position of the largest value not above x.
func index(vals []float64, x float64) int {
	i, ok := slices.BinarySearch(vals, x)
	if !ok {
		i--
	}
	return i
}

// keep takes the polisher's placement if it is better.
func (d *descent) keep() bool {
	pi := d.p.placement()
	v, r := d.t.bcd(d.g, pi)
	if v >= d.value {
		return false
	}
	d.best, d.value, d.rounds = pi, v, r
	d.report(*d.p.count(), v)
	return true
}

func (d *descent) run(ctx context.Context, budget int) {
	d.p.place(d.best)
	if len(d.g.Rounds) == 1 {
		d.one(ctx, budget)
	} else {
		d.many(ctx, budget)
	}
}

func (d *descent) over(ctx context.Context, budget int) bool {
	return d.value <= d.stop || *d.p.count() >= budget || ctx.Err() != nil || d.set.late()
}

// one lowers the threshold of a single round. After a failure it goes on from
// where it stands, which is nearly within the threshold.
func (d *descent) one(ctx context.Context, budget int) {
	p, moves := d.p, d.p.count()
	floor := index(d.vals, d.stop)
	if floor < 0 || d.vals[floor] < d.stop {
		floor++
	}
	// The first aim is near the bound: most of what lies between is easy.
	jump := max(1, (index(d.vals, d.value)-max(floor, 0))*7/8)
	first := 500 + 4*d.t.n
	if d.t.n > polishLimit { // moves are dear: small steps
		jump, first = max(1, len(d.vals)/256), 4000
	}
	chunk := first
	for !d.over(ctx, budget) {
		at := index(d.vals, d.value)
		target := max(at-jump, floor)
		if target >= at {
			return
		}
		p.aim([]float64{d.vals[target]})
		if p.run(ctx, d.set, min(chunk, budget-*moves)) {
			d.keep()
			jump *= 2
			chunk = first
		} else if jump > 1 {
			jump /= 2
		} else {
			// Stuck: longer, and from elsewhere now and then.
			chunk = min(2*chunk, 200*d.t.n)
			switch d.rng.IntN(4) {
			case 0:
				p.place(d.best)
			case 1:
				p.place(d.rng.Perm(d.t.n))
			}
		}
	}
}

// many lowers the threshold of one round at a time, and half of the time lets
// another round rise by less than that.
func (d *descent) many(ctx context.Context, budget int) {
	p, moves := d.p, d.p.count()
	jump := make([]int, len(d.rounds))
	for l := range jump {
		jump[l] = max(1, len(d.vals)/64)
	}
	theta := make([]float64, len(d.rounds))
	for !d.over(ctx, budget) {
		copy(theta, d.rounds)
		l := d.rng.IntN(len(theta))
		at := index(d.vals, theta[l])
		to := max(0, at-1-d.rng.IntN(jump[l]))
		if to >= at {
			jump[l] = 1
			*moves++ // so that the budget ends even if no round can fall
			continue
		}
		theta[l] = d.vals[to]
		if k := d.rng.IntN(len(theta)); k != l && d.rng.IntN(2) == 0 {
			theta[k] += 0.9 * d.rng.Float64() * (d.rounds[l] - theta[l])
		}
		p.place(d.best)
		p.aim(theta)
		before := *moves
		if p.run(ctx, d.set, min(300+2*d.t.n, budget-*moves)) && d.keep() {
			jump[l] = min(2*jump[l], max(1, len(d.vals)/8))
		} else {
			jump[l] = max(1, jump[l]*3/4)
		}
		if *moves == before {
			*moves++
		}
	}
}
