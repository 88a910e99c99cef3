package ring

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// tourSearch looks for a tour whose links are all at most theta, by moves of
// Lin and Kernighan on the penalties of longer links. A chain of moves takes a
// bad link out of the tour and walks through Hamiltonian paths (rotations)
// until the ends of one can be joined. The tour is an array; a move reverses
// the shorter side, so a move costs O(n) at worst and little in practice.
type tourSearch struct {
	t      *table
	n      int
	nb     [][]int32 // candidate neighbours, nearest first
	tour   []int32
	pos    []int32
	theta  float64
	scale  float64
	total  float64 // sum of penalties
	rng    *rand.Rand
	log    [][2]int32 // reversals since the last mark
	bad    []int32    // nodes that may end a bad link
	listed []bool
	added  [][2]int32 // links added by the current chain
}

func newTourSearch(t *table, nb [][]int32, tour []int32, rng *rand.Rand) *tourSearch {
	s := &tourSearch{t: t, n: t.n, nb: nb, tour: slices.Clone(tour), pos: make([]int32, t.n), rng: rng, listed: make([]bool, t.n)}
	for i, v := range s.tour {
		s.pos[v] = int32(i)
	}
	return s
}

// penalty is 0 for a link within theta, else 1 and more with its excess.
func (s *tourSearch) penalty(u, v int32) float64 {
	d := s.t.at(int(u), int(v))
	if d <= s.theta {
		return 0
	}
	return 1 + min((d-s.theta)/s.scale, 1e6)
}

// tiny stands for a threshold of 0 where an excess is taken relative to it.
const tiny = 1e-300

// aim sets the threshold and counts the penalties anew.
func (s *tourSearch) aim(theta float64) {
	s.theta, s.scale = theta, max(theta, tiny)
	for _, v := range s.bad {
		s.listed[v] = false
	}
	s.bad = s.bad[:0]
	s.total = 0
	for i, u := range s.tour {
		v := s.tour[(i+1)%s.n]
		if p := s.penalty(u, v); p > 0 {
			s.total += p
			s.list(u)
			s.list(v)
		}
	}
}

func (s *tourSearch) list(v int32) {
	if !s.listed[v] {
		s.listed[v] = true
		s.bad = append(s.bad, v)
	}
}

// step returns the node after v in direction dir (+1 or −1).
func (s *tourSearch) step(v int32, dir int) int32 {
	i := int(s.pos[v]) + dir
	if i == s.n {
		i = 0
	} else if i < 0 {
		i = s.n - 1
	}
	return s.tour[i]
}

// reverse turns positions i…j (cyclic) round, or the rest of the cycle where
// that is shorter: the same cycle, seen from the other side.
func (s *tourSearch) reverse(i, j int32) {
	n := int32(s.n)
	m := j - i
	if m < 0 {
		m += n
	}
	m++
	if 2*m > n {
		i, j = j+1, i-1
		if i == n {
			i = 0
		}
		if j < 0 {
			j = n - 1
		}
		m = n - m
	}
	s.turn(i, j, m)
	s.log = append(s.log, [2]int32{i, j})
}

func (s *tourSearch) turn(i, j, m int32) {
	n := int32(s.n)
	tour, pos := s.tour, s.pos
	for k := m / 2; k > 0; k-- {
		a, b := tour[i], tour[j]
		tour[i], tour[j] = b, a
		pos[b], pos[a] = i, j
		if i++; i == n {
			i = 0
		}
		if j--; j < 0 {
			j = n - 1
		}
	}
}

// undo takes back reversals down to the first keep of the log.
func (s *tourSearch) undo(keep int) {
	n := int32(s.n)
	for len(s.log) > keep {
		r := s.log[len(s.log)-1]
		s.log = s.log[:len(s.log)-1]
		m := r[1] - r[0]
		if m < 0 {
			m += n
		}
		s.turn(r[0], r[1], m+1)
	}
}

// chain tries to replace the link from t1 in direction dir, and keeps the best
// of the tours it passes if that lowers the penalties. The penalty of links
// added stays below that of links taken out all the way.
func (s *tourSearch) chain(t1 int32, dir, depth int) bool {
	start := len(s.log)
	t2 := s.step(t1, dir)
	gain := s.penalty(t1, t2)
	best, bestLen := 1e-9, start
	s.added = s.added[:0]
	for k := 0; k < depth; k++ {
		var t3, t4 int32 = -1, -1
		bestVal, ties := math.Inf(-1), 0
		for _, c := range s.nb[t2] {
			p := s.penalty(t2, c)
			if p >= gain {
				break // candidates come nearest first
			}
			if c == t1 {
				continue
			}
			e := s.step(c, -dir)
			if e == t2 || c == s.step(t2, dir) {
				continue
			}
			if s.wasAdded(c, e) {
				continue
			}
			val := s.penalty(c, e) - p
			if s.penalty(t1, e) == 0 {
				val += 0.5 // joins the ends
			}
			if val > bestVal {
				bestVal, t3, t4, ties = val, c, e, 1
			} else if val == bestVal {
				ties++
				if s.rng.IntN(ties) == 0 {
					t3, t4 = c, e
				}
			}
		}
		if t3 < 0 {
			break
		}
		gain += s.penalty(t3, t4) - s.penalty(t2, t3)
		s.added = append(s.added, [2]int32{t2, t3})
		if dir > 0 {
			s.reverse(s.pos[t2], s.pos[t4])
		} else {
			s.reverse(s.pos[t4], s.pos[t2])
		}
		if s.step(t1, 1) == t4 {
			dir = 1
		} else {
			dir = -1
		}
		if net := gain - s.penalty(t1, t4); net > best {
			best, bestLen = net, len(s.log)
			if net == gain {
				break
			}
		}
		t2 = t4
	}
	s.undo(bestLen)
	if bestLen == start {
		return false
	}
	s.total -= best
	for _, e := range s.added[:bestLen-start] {
		s.list(e[0])
		s.list(e[1])
	}
	s.list(t1)
	s.list(s.step(t1, 1))
	s.list(s.step(t1, -1))
	return true
}

func (s *tourSearch) wasAdded(a, b int32) bool {
	for _, e := range s.added {
		if (e[0] == a && e[1] == b) || (e[0] == b && e[1] == a) {
			return true
		}
	}
	return false
}

// repair works on the listed nodes until none of them can be improved; what
// stays bad stays listed.
func (s *tourSearch) repair(tries, depth int) {
	var left []int32
	for len(s.bad) > 0 {
		v := s.bad[len(s.bad)-1]
		s.bad = s.bad[:len(s.bad)-1]
		s.listed[v] = false
		stuck := false
		for dir := -1; dir <= 1; dir += 2 {
			if s.penalty(v, s.step(v, dir)) <= 0 {
				continue
			}
			done := false
			for k := 0; k < tries && !done; k++ {
				done = s.chain(v, dir, depth)
			}
			if !done {
				stuck = true
			} else {
				s.list(v)
			}
		}
		if stuck {
			left = append(left, v)
		}
	}
	for _, v := range left {
		if s.penalty(v, s.step(v, 1)) > 0 || s.penalty(v, s.step(v, -1)) > 0 {
			s.list(v)
		}
	}
}

// kick swaps two short neighbouring segments near position p (a double bridge
// within a window), and lists the ends of the new links.
func (s *tourSearch) kick(p int32, window int) {
	n := s.n
	window = min(window, n-2)
	if window < 3 {
		return
	}
	a := s.rng.IntN(window - 2)
	b := a + 1 + s.rng.IntN(window-a-2)
	c := b + 1 + s.rng.IntN(window-b-1)
	at := func(k int) int32 { return int32((int(p) - window/2 + k + 2*n) % n) }
	ends := [6]int32{s.tour[at(a)], s.tour[at(a+1)], s.tour[at(b)], s.tour[at(b+1)], s.tour[at(c)], s.tour[at(c+1)]}
	old := s.penalty(ends[0], ends[1]) + s.penalty(ends[2], ends[3]) + s.penalty(ends[4], ends[5])
	now := s.penalty(ends[0], ends[3]) + s.penalty(ends[4], ends[1]) + s.penalty(ends[2], ends[5])
	// x[a+1…b] y[b+1…c] becomes y x: turn each, then both. Turned directly: the
	// window is short, and reverse might turn the other side.
	lo, mid := at(a+1), at(b+1)
	lx, ly := int32(b-a), int32(c-b)
	s.log = append(s.log, [2]int32{lo, at(b)}, [2]int32{mid, at(c)}, [2]int32{lo, at(c)})
	s.turn(lo, at(b), lx)
	s.turn(mid, at(c), ly)
	s.turn(lo, at(c), lx+ly)
	s.total += now - old
	for _, v := range ends {
		s.list(v)
	}
}

// run searches for kicks kicks at the current threshold; true where every link
// is within it.
func (s *tourSearch) run(ctx context.Context, set *settings, kicks int) bool {
	s.log = s.log[:0]
	s.repair(5, 50)
	var saved []int32
	for k := 0; k < kicks && len(s.bad) > 0; k++ {
		if k%64 == 0 && (ctx.Err() != nil || set.late()) {
			break
		}
		saved = append(saved[:0], s.bad...)
		before := s.total
		s.log = s.log[:0]
		v := s.bad[s.rng.IntN(len(s.bad))]
		s.kick(s.pos[v], 50)
		if s.rng.IntN(2) == 0 {
			// Elsewhere too: a neighbour of the bad link gets loose.
			if nb := s.nb[v]; len(nb) > 0 {
				s.kick(s.pos[nb[s.rng.IntN(len(nb))]], 30)
			}
		}
		s.repair(3, 50)
		if s.total > before+1e-9 {
			s.undo(0)
			s.total = before
			for _, v := range s.bad {
				s.listed[v] = false
			}
			s.bad = s.bad[:0]
			for _, v := range saved {
				s.list(v)
			}
		}
	}
	return len(s.bad) == 0
}
