package ring

import (
	"context"
	"fmt"
	"math"
)

// Run is a simulation: what the nodes reached after every round, against the
// simulated time at which the round ended.
type Run struct {
	Name     string
	Ms       []float64 // simulated time after each round; Ms[0] = 0
	Error    []float64 // ‖x − mean‖ over all nodes, relative to the start (Train: to the norm of the mean)
	Loss     []float64 // of the mean model, Train only
	Accuracy []float64 // share of examples right by the mean model, Logistic only
	Round    []float64 // duration of each round of the cycle, ms
}

// Rounds returns the number of rounds that were simulated.
func (r *Run) Rounds() int { return len(r.Ms) - 1 }

// TimeTo returns the simulated ms at which the consensus error first is at most
// eps; +Inf if it never is.
func (r *Run) TimeTo(eps float64) float64 {
	for k, e := range r.Error {
		if e <= eps {
			return r.Ms[k]
		}
	}
	return math.Inf(1)
}

// Consensus simulates averaging of independent standard normal values, 64 a
// node, on a placement, until their deviation from the mean is 1e-6 of the
// first, or for Options.Moves rounds (0 means 2,000). Time is synchronous: a
// round lasts as long as its slowest link, so wall clock = rounds × BCD.
func Consensus(ctx context.Context, d Delays, g Topology, pi []int, opt *Options) (*Run, error) {
	t, set, durations, err := simulation(d, g, pi, opt)
	if err != nil {
		return nil, err
	}
	rounds := 2000
	if opt != nil && opt.Moves > 0 {
		rounds = opt.Moves
	}
	const width = 64
	rng := set.random(5)
	x := newModels(t.n, width)
	for i := range x.now {
		x.now[i] = rng.NormFloat64()
	}
	run := &Run{Name: g.Name, Round: durations, Ms: []float64{0}, Error: []float64{1}}
	first := x.deviation()
	for r := 0; r < rounds; r++ {
		if err := ctx.Err(); err != nil {
			return run, err
		}
		x.mix(g.Rounds[r%len(g.Rounds)], set.Workers)
		run.Ms = append(run.Ms, run.Ms[r]+durations[r%len(durations)])
		e := x.deviation() / first
		run.Error = append(run.Error, e)
		if e <= 1e-6 {
			break
		}
	}
	return run, nil
}

// simulation checks the input that simulations share.
func simulation(d Delays, g Topology, pi []int, opt *Options) (*table, settings, []float64, error) {
	t, err := load(d, 0)
	if err != nil {
		return nil, settings{}, nil, err
	}
	set, err := opt.settings(t.n)
	if err != nil {
		return nil, set, nil, err
	}
	if err := g.matches(t.n); err != nil {
		return nil, set, nil, err
	}
	if err := permutation(pi, t.n); err != nil {
		return nil, set, nil, err
	}
	bcd, durations := t.bcd(g, pi)
	if math.IsInf(bcd, 1) {
		return nil, set, nil, fmt.Errorf("ring: the placement uses a missing link, so its rounds never end; use Place to find one that does not")
	}
	return t, set, durations, nil
}

// models are the vectors of all virtual nodes, width numbers each.
type models struct {
	n, width  int
	now, next []float64
}

func newModels(n, width int) *models {
	return &models{n: n, width: width, now: make([]float64, n*width), next: make([]float64, n*width)}
}

func (m *models) row(i int) []float64 { return m.now[i*m.width : (i+1)*m.width] }

// mix makes every node the mean of itself and those that send to it: node i
// receives from i−s for every skip s.
func (m *models) mix(skips []int, workers int) {
	share := 1 / float64(len(skips)+1)
	if m.n*m.width < 1<<14 {
		workers = 1
	}
	parallel(m.n, workers, func(i int) {
		dst := m.next[i*m.width : (i+1)*m.width]
		copy(dst, m.row(i))
		for _, s := range skips {
			for k, x := range m.row((i - s + m.n) % m.n) {
				dst[k] += x
			}
		}
		for k := range dst {
			dst[k] *= share
		}
	})
	m.now, m.next = m.next, m.now
}

func (m *models) mean() []float64 {
	mean := make([]float64, m.width)
	for i := 0; i < m.n; i++ {
		for k, x := range m.row(i) {
			mean[k] += x
		}
	}
	for k := range mean {
		mean[k] /= float64(m.n)
	}
	return mean
}

// deviation returns √Σ_i ‖x_i − mean‖².
func (m *models) deviation() float64 {
	mean := m.mean()
	sum := 0.0
	for i := 0; i < m.n; i++ {
		for k, x := range m.row(i) {
			sum += (x - mean[k]) * (x - mean[k])
		}
	}
	return math.Sqrt(sum)
}
