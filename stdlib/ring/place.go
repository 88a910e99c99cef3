package ring

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// Placement says which physical node sits at which position of a topology.
type Placement struct {
	Pi       []int     // Pi[i] is the physical node at virtual position i
	BCD      float64   // mean over the rounds of the slowest link, ms; recomputed from Pi
	PerRound []float64 // slowest link of each round, ms
	Worst    []Link    // that link, with labels

	Method   Method
	Ring     float64 // slowest link of the tour, ms: what BTSP reached
	AfterMSR float64 // BCD after the multiplier C, ms
	C        int     // the multiplier; 0 where the method uses none
	Idle     bool    // n is a power of two, where the multiplier can do little
	Mean     float64 // of Starts random placements, for Method Random

	Lower   float64 // no placement has a smaller BCD, ms
	LowerBy string  // the bound that binds
	Bounds  []Part  // all bounds
	Gap     float64 // BCD/Lower − 1; 0 where optimal
	Status  Status
	Budget  string // "moves" or "time": what ended the search
	Trace   []Step // best BCD against moves, of the start that won

	t     *table
	g     Topology
	order []int // the tour
}

// Step is one improvement of the polish.
type Step struct {
	Moves int // swaps made by then
	BCD   float64
}

// Place returns a placement of small BCD with a lower bound. Method Best goes
// BTSP → MSR → polish and reports the value after each. The polish minimises
// the true BCD: for one round by lowering a threshold under the slowest link
// and repairing with tabu search, for several rounds by annealing their sum
// first. It starts Starts times, from the multiplier's placement and from random
// ones, and keeps the best; a start that reaches the lower bound ends early.
//
// With four nodes a, b, c, d numbered 0…3, Pi = {2, 0, 3, 1} puts c at position
// 0, a at 1, d at 2 and b at 3; on the exponential graph c sends to a and d.
//
// On cancellation the best placement so far comes with Status Stopped and ctx's
// error. Cost per move of the polish O(n Σ|S_l|) up to 1,500 nodes; beyond that
// partners are sampled. Largest tried: 10⁴ nodes polished, 10⁵ points to MSR.
func Place(ctx context.Context, d Delays, g Topology, opt *Options) (*Placement, error) {
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
	if err := g.matches(t.n); err != nil {
		return nil, err
	}
	if err := t.connected(); err != nil {
		return nil, err
	}
	defer set.watch(ctx, "ring: Place")()
	p := &Placement{Method: set.Method, t: t, g: g, Budget: "moves"}
	if set.Time > 0 {
		p.Budget = "time"
	}
	switch set.Method {
	case Identity:
		p.Pi = identity(t.n)
	case Random:
		p.random(&set)
	case Greedy:
		err = p.best(ctx, &set, func(k int) []int { return t.greedy(ctx, g, set.random(uint64(k)).IntN(t.n)) })
	case Anneal:
		begin := time.Now()
		err = p.best(ctx, &set, func(k int) []int {
			rng := set.random(uint64(k))
			a := newAnnealer(t, g, rng.Perm(t.n), rng)
			pi, _ := a.run(ctx, annealSteps(set.Moves, t.n), set.turn(k, begin), hot, cold)
			return pi
		})
	case Exact:
		err = p.exact(ctx, &set)
	default:
		err = p.staged(ctx, &set)
	}
	if p.Pi == nil {
		return nil, err
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	p.finish()
	if p.Lower == 0 && ctx.Err() == nil {
		p.bound(newBounder(ctx, &set, t, g).certificate(p.BCD))
	}
	p.judge(ctx.Err() != nil)
	if math.IsInf(p.BCD, 1) && ctx.Err() == nil {
		return p, fmt.Errorf("ring: no placement over the links that exist was found: %w; give it more Moves or Time, or add links", ErrNoTour)
	}
	set.reporter()(1, p.BCD)
	return p, ctx.Err()
}

// exact polishes, so that most branches end early, and enumerates.
func (p *Placement) exact(ctx context.Context, set *settings) error {
	quick := set.quiet()
	quick.Moves, quick.Time, quick.deadline = min(set.Moves, 2000), 0, time.Time{}
	p.Pi = identity(p.t.n)
	p.AfterMSR, _ = p.t.bcd(p.g, p.Pi)
	p.polish(ctx, quick, 0)
	p.AfterMSR, p.Trace = 0, nil
	p.Pi, p.Status = p.t.enumerate(ctx, set, p.g, p.Pi, math.MaxInt)
	return ctx.Err()
}

// polishLimit is the largest n for a table of all nodes at all positions.
const polishLimit = 1500

// Annealing cools between these fractions of the starting value.
const (
	hot  = 0.02
	cold = 0.0003
)

// annealSteps returns how many steps of annealing take about as long as so many
// moves of the polish, whose tables grow with n.
func annealSteps(moves, n int) int { return max(16, n/12) * min(moves, 1<<44) }

// staged is BTSP, then the multiplier, then the polish where it is asked for.
func (p *Placement) staged(ctx context.Context, set *settings) error {
	t, g := p.t, p.g
	tours := 1
	if set.Method == Best && t.n <= polishLimit {
		tours = set.Starts // many tours are optimal; MSR likes some more than others
	}
	type stage struct {
		tour *Tour
		m    *Multiplier
		err  error
	}
	stages := make([]stage, tours)
	parallel(tours, set.Workers, func(k int) {
		s := &stages[k]
		s.tour, s.err = t.btsp(ctx, set.quiet(), uint64(k))
		if s.tour != nil {
			if set.Method == TourOnly {
				s.m = &Multiplier{C: 1, Pi: s.tour.Order}
				s.m.BCD, _ = t.bcd(g, s.m.Pi)
			} else if ctx.Err() == nil {
				s.m, s.err = t.msr(ctx, set, s.tour.Order, g)
			}
		}
	})
	var first *stage
	for k := range stages {
		s := &stages[k]
		if s.tour == nil {
			return s.err
		}
		if s.m == nil { // cancelled before the multiplier
			s.m = &Multiplier{C: 1, Pi: s.tour.Order}
			s.m.BCD, _ = t.bcd(g, s.m.Pi)
		}
		if first == nil || s.m.BCD < first.m.BCD {
			first = s
		}
	}
	p.Pi, p.C, p.AfterMSR, p.Idle = first.m.Pi, first.m.C, first.m.BCD, first.m.Idle
	p.Ring, p.order = first.tour.Worst, first.tour.Order
	if ctx.Err() != nil {
		return ctx.Err()
	}
	b := newBounder(ctx, set, t, g)
	c := b.quick()
	one := len(g.Rounds) == 1
	if one {
		b.tighten(c, p.AfterMSR)
	}
	p.bound(c)
	if set.Method != Best && !(set.Method == BTSPMSR && set.Polish) {
		if !one {
			b.tighten(c, p.AfterMSR)
			p.bound(c)
		}
		return ctx.Err()
	}
	p.Trace = []Step{{0, p.AfterMSR}}
	if !reached(p.AfterMSR, c.Value) {
		p.polish(ctx, set, c.Value)
	}
	p.finish()
	if !reached(p.BCD, c.Value) && ctx.Err() == nil {
		if !one {
			b.tighten(c, p.BCD)
		}
		if pi := b.prove(c, p.BCD); pi != nil {
			p.Pi = pi
		}
		p.bound(c)
		if t.n <= 12 && !reached(p.BCD, c.Value) { // few enough to try them all
			p.Pi, p.Status = t.enumerate(ctx, set, g, p.Pi, 5_000_000)
		}
	}
	return ctx.Err()
}

// polish runs the starts and keeps the best, the first of equals.
func (p *Placement) polish(ctx context.Context, set *settings, stop float64) {
	t, g := p.t, p.g
	s := *set
	if s.Time > 0 { // the rest is for the lower bound
		if len(g.Rounds) > 1 {
			s.deadline = s.deadline.Add(-s.Time / 5)
		} else if t.n <= searchLimit {
			s.deadline = s.deadline.Add(-s.Time / 10)
		}
	}
	vals := t.levels(set)
	report := set.reporter()
	type outcome struct {
		d     *descent
		trace []Step
	}
	out := make([]outcome, s.Starts)
	begin := time.Now()
	parallel(s.Starts, s.Workers, func(k int) {
		mine := s
		mine.deadline = s.turn(k, begin)
		rng := s.random(uint64(k))
		start := p.Pi
		if k > 0 {
			start = rng.Perm(t.n)
		}
		budget := s.Moves
		used := 0
		var trace []Step
		note := func(moves int, v float64) {
			trace = append(trace, Step{moves, v})
			done := float64(moves) / float64(budget)
			if s.Time > 0 {
				done = float64(time.Since(begin)) / float64(s.Time)
			}
			report(0.99*min(done, 1), v)
		}
		if len(g.Rounds) > 1 {
			a := newAnnealer(t, g, start, rng)
			a.found = func(step int, v float64) {
				used = step / annealSteps(1, t.n)
				note(used, v)
			}
			var until time.Time
			if !mine.deadline.IsZero() {
				until = time.Now().Add(time.Until(mine.deadline) / 2)
			}
			pi, v := a.run(ctx, annealSteps(budget/2, t.n), until, hot, cold)
			if before, _ := t.bcd(g, start); v <= before {
				start = pi
			}
			if until.IsZero() {
				used = budget / 2
			}
		}
		var sw swapper
		if t.n <= polishLimit {
			sw = newPolisher(t, g, rng)
		} else {
			sw = newSampler(t, g, rng)
		}
		d := newDescent(t, g, sw, &mine, vals, start, stop, rng)
		d.report = func(moves int, v float64) { note(used+moves, v) }
		d.run(ctx, budget-used)
		out[k] = outcome{d, trace}
	})
	best := p.AfterMSR
	for _, o := range out {
		if o.d != nil && o.d.value < best {
			best = o.d.value
			p.Pi = o.d.best
			p.Trace = append([]Step{{0, p.AfterMSR}}, thin(o.trace)...)
		}
	}
}

// thin keeps at most 1,000 steps, the last among them.
func thin(trace []Step) []Step {
	const most = 1000
	if len(trace) <= most {
		return trace
	}
	out := make([]Step, 0, most)
	for k := 1; k <= most; k++ {
		out = append(out, trace[k*len(trace)/most-1])
	}
	return out
}

// levels returns the distinct delays, or for a large cloud those of a sample
// of pairs: the thresholds that a descent tries.
func (t *table) levels(set *settings) []float64 {
	if t.d != nil && t.n <= 4000 {
		return t.distinct()
	}
	rng := set.random(77)
	vals := make([]float64, 400_000)
	for i := range vals {
		vals[i] = t.at(rng.IntN(t.n), rng.IntN(t.n))
	}
	slices.Sort(vals)
	return slices.Compact(vals)
}

// reached tells whether a value equals its lower bound but for the rounding of
// sums.
func reached(value, lower float64) bool { return value <= lower*(1+1e-12) }

// random keeps the best of Starts random placements and their mean.
func (p *Placement) random(set *settings) {
	best := math.Inf(1)
	for k := 0; k < set.Starts; k++ {
		pi := set.random(uint64(k)).Perm(p.t.n)
		v, _ := p.t.bcd(p.g, pi)
		p.Mean += v / float64(set.Starts)
		if v < best || p.Pi == nil {
			best, p.Pi = v, pi
		}
	}
}

// best keeps the best of Starts placements made by f.
func (p *Placement) best(ctx context.Context, set *settings, f func(k int) []int) error {
	pis := make([][]int, set.Starts)
	parallel(set.Starts, set.Workers, func(k int) { pis[k] = f(k) })
	best := math.Inf(1)
	for _, pi := range pis {
		if v, _ := p.t.bcd(p.g, pi); v < best || p.Pi == nil {
			best, p.Pi = v, pi
		}
	}
	return ctx.Err()
}

// finish computes from Pi what follows from it.
func (p *Placement) finish() {
	p.BCD, p.PerRound = p.t.bcd(p.g, p.Pi)
	p.Worst = p.t.worstLinks(p.g, p.Pi)
}

func (p *Placement) bound(c *Certificate) {
	p.Lower, p.LowerBy, p.Bounds = c.Value, c.By, slices.Clone(c.Parts)
}

func (p *Placement) judge(stopped bool) {
	if p.Status == Optimal { // by enumeration
		p.Lower, p.LowerBy = p.BCD, "enumeration"
	}
	if p.Lower > 0 {
		p.Gap = max(0, p.BCD/p.Lower-1)
	}
	switch {
	case reached(p.BCD, p.Lower):
		p.Status, p.Gap = Optimal, 0
	case stopped:
		p.Status = Stopped
	default:
		p.Status = Feasible
	}
}
