package bound

import (
	"context"
	"math"
)

// sizer maximises a score of (Z, V) for every size k of set at once, over a
// family where greed is exact: there the first k tests of the greedy order at
// slope λ are the heaviest member of size k, so one order serves all sizes.
// Between two slopes the triangle rule of search says for each size whether a
// better set can hide; the slope that is asked next is the chord of the size
// with most to gain, so the search ends, and exactly. Like search it is a
// machine, so that many can share one call of a user's function.
type sizer struct {
	score func(k int, z, v float64) float64 // k is the size
	bin   []int                             // bin[k] of size k; a size is dropped where its bin has better
	best  []float64                         // of each bin
	lam   []float64                         // slope at which it was found
	size  []int                             // and its size
	tol   float64                           // relative gain not worth a slope
	over  []float64                         // of each bin: what might be gained was left at this

	z, v   []float64
	sign   float64
	lamMax float64
	calls  int
	phase  int // 0 asks slope 0, 1 asks lamMax, 2 splits
	first  *chain
	stack  []stretch
	cur    stretch
	ask    float64
}

// chain holds Z and V of the greedy prefixes 1…len at one slope.
type chain struct {
	z, v []float64
	lam  float64
}

// stretch is a range of slopes, and the sizes whose maximum may lie in it.
type stretch struct {
	a, b   *chain
	active []int
}

func newSizer(bin []int, bins int, score func(k int, z, v float64) float64) *sizer {
	return &sizer{score: score, bin: bin, best: make([]float64, bins), lam: make([]float64, bins), size: make([]int, bins), over: make([]float64, bins)}
}

// reset starts a search for the errors z and squared standard errors v. lamMax
// is a slope above that of every optimum. Bins without a set stay at −Inf.
func (s *sizer) reset(z, v []float64, sign, lamMax float64) {
	s.z, s.v, s.sign, s.lamMax = z, v, sign, lamMax
	for j := range s.best {
		s.best[j], s.over[j] = math.Inf(-1), math.Inf(-1)
	}
	s.calls, s.phase, s.stack = 0, 0, s.stack[:0]
}

// max runs the search with an order of the sizer's own.
func (s *sizer) max(o orderer, z, v []float64, sign, lamMax float64) {
	s.reset(z, v, sign, lamMax)
	w := make([]float64, len(z))
	var ids []int
	for {
		lam, more := s.next()
		if !more {
			return
		}
		weigh(w, z, v, sign, lam)
		ids = o.order(w, ids[:0])
		s.feed(ids)
	}
}

// next returns the slope at which an order is wanted, or false at the end.
func (s *sizer) next() (float64, bool) {
	switch {
	case s.phase == 0:
		s.ask = 0
		return 0, true
	case s.phase == 1 && s.lamMax <= 0:
		return 0, false
	case s.phase == 1:
		s.ask = s.lamMax
		return s.ask, true
	}
	for len(s.stack) > 0 {
		s.cur = s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if s.ask = s.choose(); s.ask > 0 {
			return s.ask, true
		}
	}
	return 0, false
}

// choose drops the sizes of the current stretch that are settled, and returns
// the slope to ask for, 0 if none is left.
func (s *sizer) choose() float64 {
	a, b := s.cur.a, s.cur.b
	var keep []int
	most, next := 0.0, 0.0
	for _, k := range s.cur.active {
		az, av, bz, bv := a.z[k-1], a.v[k-1], b.z[k-1], b.v[k-1]
		if !(av > bv) || az <= 0 {
			continue
		}
		ha, hb := az-a.lam*av, bz-b.lam*bv
		v := (ha - hb) / (b.lam - a.lam)
		z := ha + a.lam*v
		if v <= 0 {
			v = math.SmallestNonzeroFloat64
		}
		j := s.bin[k]
		best := s.best[j]
		f := s.score(k, z, v)
		if f <= best+max(s.tol, 1e-13)*math.Abs(best) {
			if f > best {
				s.over[j] = max(s.over[j], f)
			}
			continue
		}
		lm := (az - bz) / (av - bv)
		if !(lm > a.lam && lm < b.lam) {
			continue
		}
		keep = append(keep, k)
		if gain := f - best; gain > most {
			most, next = gain, lm
		}
	}
	s.cur.active = keep
	return next
}

// feed takes the greedy order at the slope asked for.
func (s *sizer) feed(ids []int) {
	s.calls++
	c := &chain{lam: s.ask, z: make([]float64, 0, len(ids)), v: make([]float64, 0, len(ids))}
	var sz, sv float64
	for _, i := range ids {
		if s.v[i] <= 0 {
			continue // without variance: excluded
		}
		sz += s.sign * s.z[i]
		sv += s.v[i]
		c.z = append(c.z, sz)
		c.v = append(c.v, sv)
		k := len(c.z)
		j := s.bin[k]
		if f := s.score(k, sz, sv); f > s.best[j] {
			s.best[j], s.lam[j], s.size[j] = f, s.ask, k
		}
	}
	switch s.phase {
	case 0:
		s.first, s.phase = c, 1
	case 1:
		s.phase = 2
		all := make([]int, min(len(s.first.z), len(c.z)))
		for k := range all {
			all[k] = k + 1
		}
		s.stack = append(s.stack, stretch{s.first, c, all})
	default:
		s.split(c)
	}
}

// split puts back the two halves of the current stretch at m.
func (s *sizer) split(m *chain) {
	a, b := s.cur.a, s.cur.b
	inner := s.cur.active[:0]
	for _, k := range s.cur.active {
		if k > len(m.z) {
			continue
		}
		// Where the chord of size k has this slope and nothing lies above it,
		// the chord is an edge: the size is settled.
		lm := (a.z[k-1] - b.z[k-1]) / (a.v[k-1] - b.v[k-1])
		gain := (m.z[k-1] - m.lam*m.v[k-1]) - (a.z[k-1] - m.lam*a.v[k-1])
		if math.Abs(lm-m.lam) <= 1e-12*m.lam && gain <= 1e-12*(math.Abs(a.z[k-1])+m.lam*a.v[k-1]) {
			continue
		}
		inner = append(inner, k)
	}
	if len(inner) > 0 {
		s.stack = append(s.stack, stretch{m, b, inner}, stretch{a, m, inner})
	}
}

// normRatio is Z/√V whatever the sign of Z: a size whose best sum is negative
// still has a maximum (the set of all tests has no other).
func normRatio(_ int, z, v float64) float64 { return z / math.Sqrt(v) }

// sizeBins gives each size up to p a bin: its own up to 24 and from the
// largest down to p−12, else bins that grow by an eighth.
func sizeBins(p int) (bin []int, top []int) {
	bin = make([]int, p+1)
	for k := 1; k <= p; {
		end := k
		if k > 24 && p > 40 {
			end = min(k+k/8, max(p-13, k))
			if p-k <= 12 {
				end = k
			}
		}
		for ; k <= end; k++ {
			bin[k] = len(top)
		}
		top = append(top, end)
	}
	return bin, top
}

// sizeScale holds the mean and spread of each size's maximum, for errors that
// endanger lower bounds (side 0, T⁺) and for those that endanger upper bounds
// (side 1, T⁻): on skewed data they differ.
type sizeScale struct {
	bin      []int
	mean, sd [2][]float64
}

func (s *sizeScale) critical(side, k int, q float64) float64 {
	j := s.bin[min(max(k, 1), len(s.bin)-1)]
	return max(s.mean[side][j]+q*s.sd[side][j], 0)
}

func (s *sizeScale) standardise(side, k int, x float64) float64 {
	j := s.bin[min(max(k, 1), len(s.bin)-1)]
	return (x - s.mean[side][j]) / s.sd[side][j]
}

// sizeTolerance is the relative gain that the calibration by size does not
// look for; the bound that stood at the end is then taken as the maximum, so
// that critical values are too wide by at most as much, never too narrow.
const sizeTolerance = 1e-4

// sizeMaxima draws, for each side asked for and each bin of sizes, the maximum
// over sets of those sizes. A row of the result is a draw: the bins of T⁺, then
// those of T⁻, or of the one side alone.
func sizeMaxima(ctx context.Context, pl *plan, o *Options, bin []int, bins int) ([][]float64, error) {
	p := len(pl.v)
	ho, ok := o.Family.kind.(hasOrder)
	if !ok {
		return nil, errorf("no maximum by size for this family, in Balance or Freedom (%q); use All, AtMost, PerGroup, Laminar or Matroid", o.Family.Name)
	}
	work := *o
	rows := make([][]float64, o.Draws)
	block := blockSize(pl.cost() * 20)
	newWork := func() *sizer {
		s := newSizer(bin, bins, normRatio)
		s.tol = sizeTolerance
		return s
	}
	start := func() func(lo, hi int) error {
		ord := ho.orderer(p)
		s := newWork()
		d := pl.drawer()
		return func(lo, hi int) error {
			for b := lo; b < hi; b++ {
				r := newStream(o.Seed, uint64(b))
				z, v := d.draw(&r)
				for _, sign := range signs(o.Sides) {
					slope, _ := steepest(z, v, sign)
					s.max(ord, z, v, sign, slope/2)
					rows[b] = append(rows[b], s.maxima()...)
				}
			}
			return nil
		}
	}
	if m, user := o.Family.kind.(*matroidKind); user {
		work.Workers, block = 1, 64
		start = func() func(lo, hi int) error { return matroidSizes(pl, o, m, newWork, rows) }
	}
	n, err := parallel(ctx, "draws", &work, o.Draws, block, start)
	return rows[:n], err
}

// maxima returns the maximum of each bin, or what bounds it.
func (s *sizer) maxima() []float64 {
	out := make([]float64, len(s.best))
	for j, x := range s.best {
		out[j] = max(x, s.over[j])
	}
	return out
}

// matroidSizes runs the searches of a block of draws in step, so that a step
// of greed costs one call of the matroid's test for all of them.
func matroidSizes(pl *plan, o *Options, m *matroidKind, newWork func() *sizer, rows [][]float64) func(lo, hi int) error {
	d := pl.drawer()
	return func(lo, hi int) error {
		type job struct {
			s *sizer
			w []float64
		}
		var all []job
		for b := lo; b < hi; b++ {
			r := newStream(o.Seed, uint64(b))
			dz, dv := d.draw(&r)
			z, v := append([]float64(nil), dz...), append([]float64(nil), dv...)
			for _, sign := range signs(o.Sides) {
				j := job{newWork(), make([]float64, len(z))}
				slope, _ := steepest(z, v, sign)
				j.s.reset(z, v, sign, slope/2)
				all = append(all, j)
			}
		}
		live := append([]job(nil), all...)
		for len(live) > 0 {
			var ws [][]float64
			next := live[:0]
			for _, j := range live {
				lam, more := j.s.next()
				if more {
					weigh(j.w, j.s.z, j.s.v, j.s.sign, lam)
					ws = append(ws, j.w)
					next = append(next, j)
				}
			}
			live = next
			orders, err := m.greedy(ws, false)
			if err != nil {
				return err
			}
			for i, j := range live {
				j.s.feed(orders[i])
			}
		}
		for i, j := range all {
			b := lo + i/len(signs(o.Sides))
			rows[b] = append(rows[b], j.s.maxima()...)
		}
		return nil
	}
}

// balanced draws the standardised maximum: the largest (M_k − m_k)/s_k over
// sizes and sides, with mean and spread of M_k from the same draws.
func balanced(ctx context.Context, pl *plan, o *Options) ([]float64, *sizeScale, error) {
	bin, top := sizeBins(len(pl.v))
	rows, err := sizeMaxima(ctx, pl, o, bin, len(top))
	if len(rows) == 0 {
		return nil, nil, err
	}
	s := &sizeScale{bin: bin}
	t := make([]float64, len(rows))
	for b := range t {
		t[b] = math.Inf(-1)
	}
	n := float64(len(rows))
	for at, sign := range signs(o.Sides) {
		side := 0
		if sign < 0 {
			side = 1
		}
		s.mean[side], s.sd[side] = make([]float64, len(top)), make([]float64, len(top))
		for j := range top {
			col := at*len(top) + j
			if math.IsInf(rows[0][col], -1) {
				continue // no set of this size in the family
			}
			mean, q := 0.0, 0.0
			for _, row := range rows {
				mean += row[col] / n
			}
			for _, row := range rows {
				q += (row[col] - mean) * (row[col] - mean) / n
			}
			sd := math.Sqrt(q)
			if q == 0 {
				sd = 1
			}
			s.mean[side][j], s.sd[side][j] = mean, sd
			for b, row := range rows {
				t[b] = max(t[b], (row[col]-mean)/sd)
			}
		}
	}
	return t, s, err
}
