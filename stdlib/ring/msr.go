package ring

import (
	"context"
	"fmt"
	"math"
	"sort"
)

// Multiplier is the outcome of MSR: the placement π(i) = Order[C·i mod n].
type Multiplier struct {
	C       int       // the best multiplier, coprime to n
	BCD     float64   // of its placement, ms
	Pi      []int     // Pi[i] is the physical node at virtual position i
	Profile []float64 // M[d] for d = 0…n/2, or 0…n−1 where delays are directed; nil for large clouds
	ByC     []float64 // BCD of every multiplier c = 0…n−1; NaN where c is not coprime to n
	Bound   float64   // M[1]·(1/τ)Σ_l max_s |C·s|: what metric delays guarantee
	Idle    bool      // no multiplier moves the worst offset (n is a power of two), so MSR can do little

	t *table
	g Topology
}

// MSR returns the multiplier c for which the placement i ↦ order[c·i mod n] of
// a tour has the least BCD on a topology. order holds the physical nodes around
// the ring, as in Tour.Order.
//
// It needs the offset profile M[d] = max_i D[order[i]][order[i+d]] only, since
// the BCD of multiplier c is exactly (1/τ)Σ_l max_{s∈S_l} M[c·s mod n]. All c
// coprime to n are tried; for symmetric delays c and n−c are the same, and
// offsets fold to min(d, n−d); for directed delays they do not. Cost O(n²/2)
// for the profile and Σ|S_l| a multiplier; more than 200,000 points are searched
// by bounds from sampled positions, with the same result. On cancellation the
// best so far, at least c = 1, comes with ctx's error.
func MSR(ctx context.Context, d Delays, order []int, g Topology, opt *Options) (*Multiplier, error) {
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
	if err := permutation(order, t.n); err != nil {
		return nil, err
	}
	return t.msr(ctx, &set, order, g)
}

// sampleAbove is the cloud size beyond which MSR samples.
const sampleAbove = 200_000

func (t *table) msr(ctx context.Context, set *settings, order []int, g Topology) (*Multiplier, error) {
	n := t.n
	m := &Multiplier{t: t, g: g, Idle: n&(n-1) == 0 && n > 2}
	last := n - 1
	if t.sym {
		last = n / 2
	}
	var err error
	if t.d == nil && n > sampleAbove {
		err = t.msrSampled(ctx, set, order, g, m)
	} else {
		m.Profile, err = t.profile(ctx, set, order)
		if err != nil { // cancelled: the tour as it is
			m.C, m.Profile, m.Pi = 1, nil, order
			m.BCD, _ = t.bcd(g, order)
			return m, err
		}
		m.ByC = make([]float64, n)
		m.ByC[0] = math.NaN()
		for c := 1; c < n; c++ {
			m.ByC[c] = math.NaN()
			if gcd(c, n) != 1 {
				continue
			}
			if c > last {
				m.ByC[c] = m.ByC[n-c]
				continue
			}
			m.ByC[c] = byProfile(g, c, t.sym, m.Profile)
			if m.C == 0 || m.ByC[c] < m.ByC[m.C] {
				m.C = c
			}
		}
	}
	if m.C == 0 {
		m.C = 1
	}
	m.Pi = multiply(order, m.C)
	m.BCD, _ = t.bcd(g, m.Pi)
	reach := 0.0
	for _, skips := range g.Rounds {
		far := 0
		for _, s := range skips {
			far = max(far, fold(int(int64(m.C)*int64(s)%int64(n)), n))
		}
		reach += float64(far)
	}
	m.Bound = t.worst(order, 1) * reach / float64(len(g.Rounds))
	return m, err
}

// byProfile returns the BCD of multiplier c.
func byProfile(g Topology, c int, sym bool, profile []float64) float64 {
	n := int64(g.N)
	sum := 0.0
	for _, skips := range g.Rounds {
		w := 0.0
		for _, s := range skips {
			d := int64(c) * int64(s) % n
			if sym && 2*d > n {
				d = n - d
			}
			w = max(w, profile[d])
		}
		sum += w
	}
	return sum / float64(len(g.Rounds))
}

// multiply returns the placement i ↦ order[c·i mod n].
func multiply(order []int, c int) []int {
	n := len(order)
	pi := make([]int, n)
	j := 0
	for i := range pi {
		pi[i] = order[j]
		if j += c; j >= n {
			j -= n
		}
	}
	return pi
}

// profile returns M[d] for d = 0…n/2 (directed: 0…n−1).
func (t *table) profile(ctx context.Context, set *settings, order []int) ([]float64, error) {
	n := t.n
	last := n - 1
	if t.sym {
		last = n / 2
	}
	m := make([]float64, last+1)
	if t.d == nil {
		return m, t.cloudProfile(ctx, set, order, m)
	}
	twice := make([]int32, 2*n)
	for i, u := range order {
		twice[i], twice[i+n] = int32(u), int32(u)
	}
	blocks := min(64, n)
	parts := make([][]float64, blocks)
	parallel(blocks, set.Workers, func(b int) {
		part := make([]float64, last+1)
		for i := b * n / blocks; i < (b+1)*n/blocks && ctx.Err() == nil; i++ {
			row := t.d[int(twice[i])*n : int(twice[i])*n+n]
			for d, v := range twice[i+1 : i+1+last] {
				if x := row[v]; x > part[d+1] {
					part[d+1] = x
				}
			}
		}
		parts[b] = part
	})
	for _, part := range parts {
		for d, x := range part {
			m[d] = max(m[d], x)
		}
	}
	return m, ctx.Err()
}

// cloudProfile computes M from coordinates in tour order, four offsets in one
// pass so that a point is read once for all of them.
func (t *table) cloudProfile(ctx context.Context, set *settings, order []int, m []float64) error {
	n := t.n
	x, y := make([]float64, 2*n+4), make([]float64, 2*n+4)
	for i := range x {
		u := order[i%n]
		x[i], y[i] = t.cloud.x[u], t.cloud.y[u]
	}
	last := len(m) - 1
	parallel((last+3)/4, set.Workers, func(b int) {
		if ctx.Err() != nil {
			return
		}
		d := 1 + 4*b
		var m0, m1, m2, m3 float64
		xs, ys := x[:n], y[:n]
		xd, yd := x[d:d+n+3], y[d:d+n+3]
		for i := range xs {
			px, py := xs[i], ys[i]
			u, v := px-xd[i], py-yd[i]
			if q := float64(u*u) + float64(v*v); q > m0 {
				m0 = q
			}
			u, v = px-xd[i+1], py-yd[i+1]
			if q := float64(u*u) + float64(v*v); q > m1 {
				m1 = q
			}
			u, v = px-xd[i+2], py-yd[i+2]
			if q := float64(u*u) + float64(v*v); q > m2 {
				m2 = q
			}
			u, v = px-xd[i+3], py-yd[i+3]
			if q := float64(u*u) + float64(v*v); q > m3 {
				m3 = q
			}
		}
		for k, q := range []float64{m0, m1, m2, m3} {
			if d+k <= last {
				m[d+k] = t.cloud.round.of(q)
			}
		}
	})
	return ctx.Err()
}

// msrSampled finds the best multiplier without the whole profile: M over some
// positions bounds M from below, so multipliers are evaluated exactly in the
// order of their bounds until no bound is under the best value.
func (t *table) msrSampled(ctx context.Context, set *settings, order []int, g Topology, m *Multiplier) error {
	n := t.n
	const positions = 512
	x, y := make([]float64, n), make([]float64, n)
	for i, u := range order {
		x[i], y[i] = t.cloud.x[u], t.cloud.y[u]
	}
	low := make([]float64, n/2+1)
	const blocks = 64
	parallel(blocks, set.Workers, func(b int) {
		for d := 1 + b*(n/2)/blocks; d <= (b+1)*(n/2)/blocks && ctx.Err() == nil; d++ {
			w := 0.0
			for k := 0; k < positions; k++ {
				i := int(int64(k) * int64(n) / positions)
				j := i + d
				if j >= n {
					j -= n
				}
				u, v := x[i]-x[j], y[i]-y[j]
				w = max(w, float64(u*u)+float64(v*v))
			}
			low[d] = t.cloud.round.of(w)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	type cand struct {
		c     int
		bound float64
	}
	var cands []cand
	for c := 1; c <= n/2; c++ {
		if gcd(c, n) == 1 {
			cands = append(cands, cand{c, byProfile(g, c, true, low)})
		}
	}
	sort.Slice(cands, func(i, j int) bool {
		if cands[i].bound != cands[j].bound {
			return cands[i].bound < cands[j].bound
		}
		return cands[i].c < cands[j].c
	})
	best := math.Inf(1)
	for _, k := range cands {
		if k.bound >= best {
			break
		}
		if ctx.Err() != nil && m.C != 0 {
			return ctx.Err()
		}
		sum := 0.0
		for _, skips := range g.Rounds {
			w := 0.0
			for _, s := range skips {
				w = max(w, t.worst(order, int(int64(k.c)*int64(s)%int64(n))))
			}
			sum += w
		}
		if v := sum / float64(len(g.Rounds)); v < best || (v == best && k.c < m.C) {
			best, m.C = v, k.c
		}
	}
	if m.C == 0 {
		return fmt.Errorf("ring: no multiplier is coprime to n = %d", n)
	}
	return nil
}
