package ring

import (
	"context"
	"math"
	"math/rand/v2"
)

// sampler is the polish for many nodes: the same penalties and tabu rule as
// polisher without tables of n². A bad position looks at sampled partners only,
// half of them nodes near those it is linked with.
type sampler struct {
	t     *table
	g     Topology
	n     int
	links []skipLink
	theta []float64
	near  [][]int32
	pi    []int32
	pos   []int32
	cost  []float64 // penalties of the links at each position
	bad   []int32   // positions with cost > 0
	where []int32   // index in bad, −1 where absent
	until []int32   // node: step until which it stays
	step  int32
	moves int
	rng   *rand.Rand
}

// partners is how many swaps a bad position looks at.
const partners = 96

func newSampler(t *table, g Topology, rng *rand.Rand) *sampler {
	n := t.n
	s := &sampler{t: t, g: g, n: n, rng: rng, theta: make([]float64, len(g.Rounds)), near: t.near(24),
		pi: make([]int32, n), pos: make([]int32, n), cost: make([]float64, n), where: make([]int32, n), until: make([]int32, n)}
	for l, skips := range g.Rounds {
		for _, k := range skips {
			s.links = append(s.links, skipLink{l, k})
		}
	}
	return s
}

func (s *sampler) place(pi []int) {
	for i, u := range pi {
		s.pi[i], s.pos[u] = int32(u), int32(i)
	}
}

func (s *sampler) placement() []int {
	out := make([]int, s.n)
	for i, u := range s.pi {
		out[i] = int(u)
	}
	return out
}

func (s *sampler) count() *int { return &s.moves }

func (s *sampler) penalty(l int, u, v int32) float64 {
	d := s.t.at(int(u), int(v))
	th := s.theta[l]
	if d <= th {
		return 0
	}
	return 1 + min((d-th)/max(th, tiny), spread)
}

func (s *sampler) aim(theta []float64) {
	copy(s.theta, theta)
	s.bad = s.bad[:0]
	for i := range s.pi {
		s.cost[i] = s.costOf(i, s.pi[i])
		s.where[i] = -1
		if s.cost[i] > 0 {
			s.where[i] = int32(len(s.bad))
			s.bad = append(s.bad, int32(i))
		}
	}
	clear(s.until)
	s.step = 0
}

// costOf returns the penalties of node v at position i.
func (s *sampler) costOf(i int, v int32) float64 {
	c := 0.0
	for _, k := range s.links {
		to, from := i+k.skip, i-k.skip
		if to >= s.n {
			to -= s.n
		}
		if from < 0 {
			from += s.n
		}
		c += s.penalty(k.round, v, s.pi[to]) + s.penalty(k.round, s.pi[from], v)
	}
	return c
}

func (s *sampler) update(i int) {
	s.cost[i] = s.costOf(i, s.pi[i])
	switch w := s.where[i]; {
	case s.cost[i] > 0 && w < 0:
		s.where[i] = int32(len(s.bad))
		s.bad = append(s.bad, int32(i))
	case s.cost[i] == 0 && w >= 0:
		last := s.bad[len(s.bad)-1]
		s.bad[w] = last
		s.where[last] = w
		s.bad = s.bad[:len(s.bad)-1]
		s.where[i] = -1
	}
}

// swap exchanges positions i and j.
func (s *sampler) swap(i, j int) {
	s.pi[i], s.pi[j] = s.pi[j], s.pi[i]
	s.pos[s.pi[i]], s.pos[s.pi[j]] = int32(i), int32(j)
	s.update(i)
	s.update(j)
	for _, k := range s.links {
		for _, p := range [2]int{i, j} {
			s.update((p + k.skip) % s.n)
			s.update((p - k.skip + s.n) % s.n)
		}
	}
	s.moves++
}

// delta returns the change of penalties by swapping positions i and j.
func (s *sampler) delta(i, j int) float64 {
	before := s.cost[i] + s.cost[j]
	a, b := s.pi[i], s.pi[j]
	shared := 0.0 // a link between i and j counts once, not twice
	for _, k := range s.links {
		d := (j - i + s.n) % s.n
		if d == k.skip {
			shared += s.penalty(k.round, a, b) - s.penalty(k.round, b, a)
		}
		if s.n-d == k.skip {
			shared += s.penalty(k.round, b, a) - s.penalty(k.round, a, b)
		}
	}
	s.pi[i], s.pi[j] = b, a
	after := s.costOf(i, b) + s.costOf(j, a)
	s.pi[i], s.pi[j] = a, b
	return after - before + shared
}

func (s *sampler) run(ctx context.Context, set *settings, budget int) bool {
	for m := 0; m < budget && len(s.bad) > 0; m++ {
		if m%16 == 15 && (ctx.Err() != nil || set.late()) {
			return false
		}
		s.step++
		i := int(s.bad[s.rng.IntN(len(s.bad))])
		a := s.pi[i]
		pick, best, ties := -1, math.Inf(1), 0
		for k := 0; k < partners; k++ {
			j := s.rng.IntN(s.n)
			if k%2 == 0 {
				// A node near one that position i is linked with.
				e := s.links[s.rng.IntN(len(s.links))]
				q := (i + e.skip) % s.n
				if s.rng.IntN(2) == 0 {
					q = (i - e.skip + s.n) % s.n
				}
				nb := s.near[s.pi[q]]
				j = int(s.pos[nb[s.rng.IntN(len(nb))]])
			}
			if j == i {
				continue
			}
			x := s.delta(i, j)
			if x > best || x > -1 && (s.until[a] > s.step || s.until[s.pi[j]] > s.step) {
				continue
			}
			if x < best {
				pick, best, ties = j, x, 1
			} else if ties++; s.rng.IntN(ties) == 0 {
				pick = j
			}
		}
		if pick < 0 {
			s.moves++
			continue
		}
		hold := s.step + 5 + int32(s.rng.IntN(10))
		s.until[a], s.until[s.pi[pick]] = hold, hold
		s.swap(i, pick)
	}
	return len(s.bad) == 0
}
