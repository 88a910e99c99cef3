package ring

import (
	"context"
	"math"
	"math/rand/v2"
)

// polisher changes a placement by swaps until every link of round l is within
// threshold theta[l], by tabu search on penalties of the links beyond. It keeps
// value[p·n+v], the penalty of node v at position p given all other positions,
// so a swap is judged in constant time and made in O(n Σ|S_l|) sequential steps.
type polisher struct {
	t     *table
	g     Topology
	n     int
	links []skipLink // all skips of all rounds
	theta []float64
	pen   [][]int32 // of each round, n×n: penalty of the link u→v
	back  [][]int32 // its transpose; the same slice where delays are symmetric
	value []int32
	own   []int32 // value of the node that is at position p
	pi    []int32
	pos   []int32
	total int64 // twice the sum of penalties
	tabu  []int32
	step  int32
	moves int
	aimed bool // pen holds the penalties of theta
	delta []int32
	rng   *rand.Rand
}

type skipLink struct{ round, skip int }

// Penalties are whole numbers, so that sums do not drift: unit for a link
// beyond the threshold, and steep more for every threshold that it exceeds it
// by, at most spread of them.
const (
	unit   = 64
	steep  = 6
	spread = 8
)

func newPolisher(t *table, g Topology, rng *rand.Rand) *polisher {
	n := t.n
	p := &polisher{t: t, g: g, n: n, rng: rng,
		theta: make([]float64, len(g.Rounds)), pen: make([][]int32, len(g.Rounds)), back: make([][]int32, len(g.Rounds)),
		value: make([]int32, n*n), own: make([]int32, n), pi: make([]int32, n), pos: make([]int32, n),
		tabu: make([]int32, n*n), delta: make([]int32, n)}
	for l, skips := range g.Rounds {
		p.pen[l] = make([]int32, n*n)
		p.back[l] = p.pen[l]
		if !t.sym {
			p.back[l] = make([]int32, n*n)
		}
		for _, s := range skips {
			p.links = append(p.links, skipLink{l, s})
		}
	}
	return p
}

// place takes over a placement; aim must follow.
func (p *polisher) place(pi []int) {
	for i, u := range pi {
		p.pi[i], p.pos[u] = int32(u), int32(i)
	}
}

// placement returns a copy of the current one.
func (p *polisher) placement() []int {
	out := make([]int, p.n)
	for i, u := range p.pi {
		out[i] = int(u)
	}
	return out
}

func (p *polisher) count() *int { return &p.moves }

// aim sets thresholds, one a round, and counts everything anew.
func (p *polisher) aim(theta []float64) {
	n := p.n
	for l, th := range theta {
		if p.theta[l] == th && p.aimed {
			continue
		}
		p.theta[l] = th
		scale := max(th, tiny)
		for i, d := range p.t.d {
			x := int32(0)
			if d > th {
				x = unit + int32(steep*unit*min((d-th)/scale, spread))
			}
			p.pen[l][i] = x
		}
		if !p.t.sym {
			for u := 0; u < n; u++ {
				for v := 0; v < n; v++ {
					p.back[l][v*n+u] = p.pen[l][u*n+v]
				}
			}
		}
	}
	p.aimed = true
	clear(p.value)
	for i := 0; i < n; i++ {
		row := p.value[i*n : i*n+n]
		for _, k := range p.links {
			to, from := i+k.skip, i-k.skip
			if to >= n {
				to -= n
			}
			if from < 0 {
				from += n
			}
			// i→to costs pen(v, π(to)), from→i costs pen(π(from), v).
			add(row, p.back[k.round][int(p.pi[to])*n:], p.pen[k.round][int(p.pi[from])*n:])
		}
	}
	for i, u := range p.pi {
		p.own[i] = p.value[i*n+int(u)]
	}
	p.settle()
	clear(p.tabu)
	p.step = 0
}

func add(dst, a, b []int32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] += a[i] + b[i]
	}
}

func shift(dst, plus, minus []int32) {
	plus, minus = plus[:len(dst)], minus[:len(dst)]
	for i := range dst {
		dst[i] += plus[i] - minus[i]
	}
}

// swap exchanges the nodes of positions i and j.
func (p *polisher) swap(i, j int) {
	a, b := int(p.pi[i]), int(p.pi[j])
	p.pi[i], p.pi[j] = int32(b), int32(a)
	p.pos[a], p.pos[b] = int32(j), int32(i)
	p.replaced(i, a, b)
	p.replaced(j, b, a)
	p.own[i] = p.value[i*p.n+b]
	p.own[j] = p.value[j*p.n+a]
	p.moves++
}

// replaced updates the neighbours of position i, where node a became b.
func (p *polisher) replaced(i, a, b int) {
	n := p.n
	for _, k := range p.links {
		pen, back := p.pen[k.round], p.back[k.round]
		to := i + k.skip
		if to >= n {
			to -= n
		}
		row := p.value[to*n : to*n+n]
		shift(row, pen[b*n:], pen[a*n:])
		p.own[to] = row[p.pi[to]]
		from := i - k.skip
		if from < 0 {
			from += n
		}
		row = p.value[from*n : from*n+n]
		shift(row, back[b*n:], back[a*n:])
		p.own[from] = row[p.pi[from]]
	}
}

// deltas fills delta[j] with the change of the penalties by swapping i and j.
func (p *polisher) deltas(i int) {
	n := p.n
	a := int(p.pi[i])
	row := p.value[i*n : i*n+n]
	base := row[a]
	col := p.value[a:]
	for j, u := range p.pi {
		p.delta[j] = row[u] + col[j*n] - base - p.own[j]
	}
	for _, k := range p.links { // a link between i and j was counted wrongly
		pen := p.pen[k.round]
		j := (i + k.skip) % n
		b := int(p.pi[j])
		p.delta[j] += pen[a*n+b] + pen[b*n+a]
		j = (i - k.skip + n) % n
		b = int(p.pi[j])
		p.delta[j] += pen[a*n+b] + pen[b*n+a]
	}
	p.delta[i] = 0
}

// run makes moves until every link is within its threshold (true) or the
// budget ends, and leaves the best placement it met in place of the last.
func (p *polisher) run(ctx context.Context, set *settings, budget int) bool {
	n := p.n
	p.settle()
	best := p.total
	// How long a moved node stays: little suits tight thresholds of small
	// networks, more suits large ones now and then.
	short, spare := int32(1), 3
	if n > 100 && p.rng.IntN(2) == 0 {
		short, spare = 8, 12
	}
	var bad []int32
	for m := 0; m < budget && p.total > 0; m++ {
		if m%64 == 63 && (ctx.Err() != nil || set.late()) {
			return false
		}
		p.step++
		bad = bad[:0]
		for i, x := range p.own {
			if x > 0 {
				bad = append(bad, int32(i))
			}
		}
		i := int(bad[p.rng.IntN(len(bad))])
		p.deltas(i)
		a := int(p.pi[i])
		pick, change, ties := -1, int32(math.MaxInt32), 0
		for j, x := range p.delta {
			if x > change || j == i {
				continue
			}
			if (p.tabu[i*n+int(p.pi[j])] > p.step || p.tabu[j*n+a] > p.step) && p.total+2*int64(x) >= best {
				continue
			}
			if x < change {
				pick, change, ties = j, x, 1
			} else if ties++; p.rng.IntN(ties) == 0 {
				pick = j
			}
		}
		if pick < 0 {
			pick = p.rng.IntN(n)
			if pick == i {
				continue
			}
		}
		p.tabu[i*n+a] = p.step + short + int32(p.rng.IntN(spare))
		p.tabu[pick*n+int(p.pi[pick])] = p.step + short + int32(p.rng.IntN(spare))
		p.swap(i, pick)
		p.settle()
		best = min(best, p.total)
	}
	return p.total == 0
}

// settle makes total exact: twice the sum of penalties.
func (p *polisher) settle() {
	p.total = 0
	for _, x := range p.own {
		p.total += int64(x)
	}
}
