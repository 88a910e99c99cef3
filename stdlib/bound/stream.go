package bound

import "math"

// streamFrom is the number of tests from which normal draws are maximised
// while they are made, without keeping them.
const streamFrom = 4096

// streamer maximises over all subsets of very many tests with normal errors.
// The optimum's slope hardly moves between draws (its spread falls with p),
// so the closed form says beforehand which tests can be at the margin: those
// whose z/v is above a slope a little under it. Only these are kept and
// searched; of the rest the sums suffice, by the triangle rule of hull. If
// the rule does not settle a draw, it is done again with all tests kept.
type streamer struct {
	sd    []float64
	slope float64
	o     *Options
}

func newStreamer(pl *plan, o *Options) *streamer {
	return &streamer{pl.sd, keepSlope(pl.v), o}
}

// keepSlope returns the largest slope, of some, for which the triangle rule
// can be expected to settle a draw: the corner between the tests steeper than
// it and all positive tests lies under the maximum, with a margin of three
// standard deviations. 0 keeps all positive tests.
func keepSlope(v []float64) float64 {
	classes := classify(v, nil)
	pv := preview(v, nil, nil, true)
	all := 0.0
	for _, c := range classes {
		all += c.count * c.s * density(0)
	}
	for share := 0.9; share > 0.05; share -= 0.05 {
		slope := share * pv.lambda
		var z, q float64
		for _, c := range classes {
			z += c.count * c.s * density(slope*c.s)
			q += c.count * c.s * c.s * upperTail(slope*c.s)
		}
		corner := all / math.Sqrt(q+(all-z)/slope)
		if corner < pv.mean-3*pv.sd {
			return slope
		}
	}
	return 0
}

const lane = 1024 // tests a step: their numbers stay in the first cache

func (st *streamer) worker(t []float64) func(lo, hi int) error {
	g := make([]float64, lane)
	var up, down marginal
	return func(lo, hi int) error {
		for b := lo; b < hi; b++ {
			if v, ok := st.once(b, st.slope, g, &up, &down); ok {
				t[b] = v
			} else {
				t[b], _ = st.once(b, 0, g, &up, &down)
			}
		}
		return nil
	}
}

// once returns the maximum of draw b, or false if tests below the slope could
// be part of it.
func (st *streamer) once(b int, slope float64, g []float64, up, down *marginal) (float64, bool) {
	r := newStream(st.o.Seed, uint64(b))
	up.reset()
	down.reset()
	for lo := 0; lo < len(st.sd); lo += lane {
		hi := min(lo+lane, len(st.sd))
		x := g[:hi-lo]
		r.norms(x)
		sd := st.sd[lo:hi]
		if st.o.Sides != Upper {
			up.add(x, sd, slope)
		}
		if st.o.Sides != Lower {
			for i := range x {
				x[i] = -x[i]
			}
			down.add(x, sd, slope)
		}
	}
	best := 0.0
	for _, m := range []*marginal{up, down} {
		v, ok := m.max(slope)
		if !ok {
			return 0, false
		}
		best = max(best, v)
	}
	return best, true
}

// marginal gathers the positive tests of one sign of one draw: the sums of
// all, and the pairs steeper than the slope.
type marginal struct {
	sum  pair
	n    int
	hull hull
}

func (m *marginal) reset() {
	m.sum, m.n = pair{}, 0
}

// add goes over a lane without a branch on the random sign: sums are masked
// by the sign bit and pairs written always, kept by moving the end.
func (m *marginal) add(g, sd []float64, slope float64) {
	if need := m.n + len(g) + 1; cap(m.hull.buf) < need {
		grown := make([]pair, need+need/2)
		copy(grown, m.hull.buf[:m.n])
		m.hull.buf = grown
	}
	buf := m.hull.buf[:cap(m.hull.buf)]
	n := m.n
	var sz, sv float64
	sd = sd[:len(g)]
	for i, x := range g {
		s := sd[i]
		z, v := x*s, s*s
		keep := ^uint64(int64(math.Float64bits(x)) >> 63)
		sz += math.Float64frombits(math.Float64bits(z) & keep)
		sv += math.Float64frombits(math.Float64bits(v) & keep)
		buf[n] = pair{z, v}
		over := math.Float64bits(slope*s - x) // negative: sign bit set
		n += int(over >> 63)
	}
	m.n = n
	m.sum.z += sz
	m.sum.v += sv
}

// max searches the pairs kept, from the steepest on.
func (m *marginal) max(slope float64) (float64, bool) {
	h := &m.hull
	h.best, h.top = 0, pair{}
	ps := h.buf[:m.n]
	var steep, at pair
	steep.v = 1
	for _, p := range ps {
		at.z += p.z
		at.v += p.v
		if p.z*steep.v > steep.z*p.v {
			steep = p
		}
	}
	if m.n == 0 {
		return 0, m.sum.v == 0
	}
	h.try(at)
	h.try(steep)
	h.try(m.sum)
	h.part(ps, pair{}, at, steep.z/steep.v, slope)
	// Between the last pair kept and the sum of all, slopes run from slope to 0.
	if slope > 0 {
		v := at.v + (m.sum.z-at.z)/slope
		if m.sum.z*m.sum.z > h.best*v {
			return 0, false
		}
	}
	return h.top.value(), true
}
