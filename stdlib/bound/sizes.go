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
// with most to gain, so the search ends, and exactly.
type sizer struct {
	o     orderer
	z, v  []float64
	sign  float64
	score func(k int, z, v float64) float64 // k is the size
	bin   []int                             // bin[k] of size k; a size is dropped where its bin has better
	best  []float64                         // of each bin
	lam   []float64                         // slope at which it was found
	size  []int                             // and its size
	w     []float64
	ids   []int
	spare []chain
	calls int
	tol   float64   // relative gain not worth a slope
	over  []float64 // of each bin: what might be gained was left at this
}

// chain holds Z and V of the greedy prefixes 1…len at one slope.
type chain struct {
	z, v []float64
	lam  float64
}

func newSizer(o orderer, p int, bin []int, bins int, score func(k int, z, v float64) float64) *sizer {
	return &sizer{o: o, score: score, bin: bin, best: make([]float64, bins), lam: make([]float64, bins), size: make([]int, bins), over: make([]float64, bins), w: make([]float64, p)}
}

// max fills best for the errors z and squared standard errors v. lamMax is a
// slope above that of every optimum. Bins without a set get −Inf.
func (s *sizer) max(z, v []float64, sign, lamMax float64) {
	s.z, s.v, s.sign = z, v, sign
	for j := range s.best {
		s.best[j], s.over[j] = math.Inf(-1), math.Inf(-1)
	}
	s.calls = 0
	a := s.ask(0)
	if lamMax > 0 {
		b := s.ask(lamMax)
		n := min(len(a.z), len(b.z))
		active := make([]int, 0, n)
		for k := 1; k <= n; k++ {
			active = append(active, k)
		}
		s.between(a, b, active)
		s.free(b)
	}
	s.free(a)
}

// ask orders the tests at a slope, and notes what its prefixes attain.
func (s *sizer) ask(lam float64) chain {
	s.calls++
	weigh(s.w, s.z, s.v, s.sign, lam)
	s.ids = s.o.order(s.w, s.ids[:0])
	var c chain
	if n := len(s.spare); n > 0 {
		c = s.spare[n-1]
		s.spare = s.spare[:n-1]
	}
	c.lam, c.z, c.v = lam, c.z[:0], c.v[:0]
	var sz, sv float64
	for _, i := range s.ids {
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
			s.best[j], s.lam[j], s.size[j] = f, lam, k
		}
	}
	return c
}

func (s *sizer) free(c chain) { s.spare = append(s.spare, c) }

// between searches slopes strictly between those of a and b for the sizes
// that are active.
func (s *sizer) between(a, b chain, active []int) {
	keep := active[:0:0]
	most, next := 0.0, 0.0
	for _, k := range active {
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
		best := s.best[s.bin[k]]
		f := s.score(k, z, v)
		if f <= best+max(s.tol, 1e-13)*math.Abs(best) {
			if j := s.bin[k]; f > best {
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
	if next == 0 {
		return
	}
	m := s.ask(next)
	n := len(m.z)
	inner := keep[:0]
	for _, k := range keep {
		if k > n {
			continue
		}
		// Where the chord of size k has this slope and nothing lies above it,
		// the chord is an edge: the size is settled.
		lm := (a.z[k-1] - b.z[k-1]) / (a.v[k-1] - b.v[k-1])
		gain := (m.z[k-1] - next*m.v[k-1]) - (a.z[k-1] - next*a.v[k-1])
		if math.Abs(lm-next) <= 1e-12*next && gain <= 1e-12*(math.Abs(a.z[k-1])+next*a.v[k-1]) {
			continue
		}
		inner = append(inner, k)
	}
	s.between(a, m, inner)
	s.between(m, b, inner)
	s.free(m)
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
	if _, user := o.Family.kind.(*matroidKind); user {
		work.Workers = 1
	}
	rows := make([][]float64, o.Draws)
	start := func() func(lo, hi int) error {
		ord := ho.orderer(p)
		s := newSizer(ord, p, bin, bins, normRatio)
		s.tol = sizeTolerance
		d := pl.drawer()
		return func(lo, hi int) error {
			for b := lo; b < hi; b++ {
				r := newStream(o.Seed, uint64(b))
				z, v := d.draw(&r)
				var row []float64
				for _, sign := range signs(o.Sides) {
					slope, _ := steepest(z, v, sign)
					s.max(z, v, sign, slope/2)
					for j, x := range s.best {
						row = append(row, max(x, s.over[j]))
					}
				}
				rows[b] = row
				if m, ok := ord.(*matroidOrder); ok && m.err != nil {
					return m.err
				}
			}
			return nil
		}
	}
	n, err := parallel(ctx, "draws", &work, o.Draws, blockSize(pl.cost()*20), start)
	return rows[:n], err
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
