package bound

// pair is a test with a positive error: its error z and squared standard
// error v.
type pair struct{ z, v float64 }

// hull maximises Z(S)/√V(S) over all subsets S. By theorem A the maximum is
// at a prefix of the tests sorted by z/v; where the sorted order cannot hold
// the maximum it is not needed, so hull sorts by parts, as quicksort does,
// and leaves out each part whose points lie in a triangle with no better
// corner. About 1.3 passes over the positive tests; a worst case of one sort.
type hull struct {
	buf  []pair
	best float64 // square of the maximum so far
	top  pair    // Z and V of the set that attains it
}

// max returns the maximum for the errors z with squared standard errors v,
// after turning the signs of z if sign is −1. Tests with v ≤ 0 are left out.
func (h *hull) max(z, v []float64, sign float64) float64 {
	h.buf = resize(h.buf, len(z))
	n := 0
	var sum, steep pair
	steep.v = 1
	for i, x := range z {
		x *= sign
		y := v[i]
		if x <= 0 || y <= 0 {
			continue
		}
		h.buf[n] = pair{x, y}
		n++
		sum.z += x
		sum.v += y
		if x*steep.v > steep.z*y {
			steep = pair{x, y}
		}
	}
	h.best, h.top = 0, pair{}
	if n == 0 {
		return 0
	}
	h.try(sum)
	h.try(steep)
	h.part(h.buf[:n], pair{}, sum, steep.z/steep.v, 0)
	return h.top.value()
}

// value is Z/√V.
func (p pair) value() float64 {
	if p.v <= 0 {
		return 0
	}
	return p.z / sqrt(p.v)
}

func (h *hull) try(p pair) {
	if f := p.z * p.z / p.v; f > h.best {
		h.best, h.top = f, p
	}
}

// part looks for a better prefix strictly between the points a and b of the
// upper hull, given the pairs in between and slopes la > lb of lines that
// support the hull at a and at b.
func (h *hull) part(ps []pair, a, b pair, la, lb float64) {
	for len(ps) > 1 {
		// The two lines and the chord enclose every point in between; z²/v is
		// convex, so its maximum over the triangle is at a corner.
		if la > lb {
			ha, hb := a.z-la*a.v, b.z-lb*b.v
			if v := (hb - ha) / (la - lb); v > 0 {
				if z := ha + la*v; z*z <= h.best*v {
					return
				}
			}
		}
		if len(ps) <= 16 {
			h.sorted(ps, a)
			return
		}
		lm := (b.z - a.z) / (b.v - a.v)
		m := a
		k := 0
		for i, p := range ps {
			if p.z > lm*p.v {
				ps[i] = ps[k]
				ps[k] = p
				k++
				m.z += p.z
				m.v += p.v
			}
		}
		if k == 0 || k == len(ps) {
			return // all on the chord, or but for rounding
		}
		h.try(m)
		h.part(ps[:k], a, m, la, lm)
		ps, a, la = ps[k:], m, lm
	}
}

// sorted tries every prefix of a short part.
func (h *hull) sorted(ps []pair, a pair) {
	for i := 1; i < len(ps); i++ {
		p := ps[i]
		j := i
		for j > 0 && p.z*ps[j-1].v > ps[j-1].z*p.v {
			ps[j] = ps[j-1]
			j--
		}
		ps[j] = p
	}
	for _, p := range ps {
		a.z += p.z
		a.v += p.v
		h.try(a)
	}
}
