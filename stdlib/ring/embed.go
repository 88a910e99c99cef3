package ring

import (
	"context"
	"math/bits"
)

// embedding decides whether a round (or several rounds together) can be placed
// within a threshold: whether the circulant graph embeds in the graph of links
// within it. It is a constraint search with a set of possible nodes for every
// position. The circulant looks the same from every position, so one node may
// be fixed anywhere without loss; it is the one with the fewest links.
//
// Setting a node at a position narrows every other position, not only its
// neighbours: a position h hops away holds a node at most h links away, and
// positions with m common neighbours hold nodes with at least m common ones.
// After each step the sets are counted against all different nodes (Hall).
type embedding struct {
	n, words int
	skips    []int
	allow    [][]uint64 // by offset class: n rows of words
	class    []int32    // class of offset o = 1…n−1; −1: no demand
	degree   []int      // links of each node within the threshold
	steps    int
	budget   int
	ctx      context.Context
	late     func() bool
	stopped  bool
}

// An answer of the search.
type answer int

const (
	unknown answer = iota
	yes
	no
)

// newEmbedding prepares the sets of nodes that each offset allows, for links
// within theta.
func newEmbedding(t *table, skips []int, theta float64) *embedding {
	n := t.n
	e := &embedding{n: n, words: (n + 63) / 64, skips: skips, class: make([]int32, n), degree: make([]int, n)}
	w := e.words
	out := make([]uint64, n*w) // links u→v within theta
	in := make([]uint64, n*w)
	for u := 0; u < n; u++ {
		for v := 0; v < n; v++ {
			if u != v && t.at(u, v) <= theta {
				out[u*w+v/64] |= 1 << (v % 64)
				in[v*w+u/64] |= 1 << (u % 64)
			}
		}
	}
	any := make([]uint64, n*w) // in some direction
	for i := range any {
		any[i] = out[i] | in[i]
	}
	for u := 0; u < n; u++ {
		for k := 0; k < w; k++ {
			e.degree[u] += bits.OnesCount64(any[u*w+k])
		}
	}
	forward, backward := make([]bool, n), make([]bool, n)
	for _, s := range skips {
		forward[s], backward[n-s] = true, true
	}
	hop := hops(n, skips)
	common := commonNeighbours(n, skips)
	shared := sharedCounts(n, w, any)
	ball := balls(n, w, any)
	type key struct {
		fwd, bwd    bool
		hop, common int
	}
	known := map[key]int32{}
	for o := 1; o < n; o++ {
		k := key{forward[o], backward[o], hop[o], common[o]}
		if k.hop < 0 {
			k.hop = 0
		}
		if len(ball) > 0 && k.hop > len(ball) {
			k.hop = len(ball)
		}
		if id, ok := known[k]; ok {
			e.class[o] = id
			continue
		}
		rows := make([]uint64, n*w)
		switch {
		case k.hop == 0 || k.hop > len(ball):
			for i := range rows {
				rows[i] = ^uint64(0)
			}
		default:
			copy(rows, ball[k.hop-1])
		}
		for i := range rows {
			if k.fwd {
				rows[i] &= out[i]
			}
			if k.bwd {
				rows[i] &= in[i]
			}
		}
		if k.common > 0 {
			for u := 0; u < n; u++ {
				for v := 0; v < n; v++ {
					if int(shared[u*n+v]) < k.common {
						rows[u*w+v/64] &^= 1 << (v % 64)
					}
				}
			}
		}
		id := int32(len(e.allow))
		e.allow = append(e.allow, rows)
		known[k] = id
		e.class[o] = id
	}
	return e
}

// commonNeighbours counts, for every offset o, the positions next to both 0 and o.
func commonNeighbours(n int, skips []int) []int {
	near := make([]bool, n)
	for _, o := range offsets(n, skips) {
		near[o] = true
	}
	c := make([]int, n)
	for o := 1; o < n; o++ {
		for p := 0; p < n; p++ {
			if near[p] && near[(p-o+n)%n] {
				c[o]++
			}
		}
	}
	return c
}

// sharedCounts counts the common neighbours of every two nodes.
func sharedCounts(n, w int, adj []uint64) []int16 {
	c := make([]int16, n*n)
	for u := 0; u < n; u++ {
		for v := 0; v < u; v++ {
			m := 0
			for k := 0; k < w; k++ {
				m += bits.OnesCount64(adj[u*w+k] & adj[v*w+k])
			}
			c[u*n+v], c[v*n+u] = int16(m), int16(m)
		}
	}
	return c
}

// balls returns for h = 1, 2, … the nodes within h links of every node, itself
// included, until nothing is added.
func balls(n, w int, adj []uint64) [][]uint64 {
	first := append([]uint64(nil), adj...)
	for u := 0; u < n; u++ {
		first[u*w+u/64] |= 1 << (u % 64)
	}
	out := [][]uint64{first}
	for {
		last := out[len(out)-1]
		next := append([]uint64(nil), last...)
		grown := false
		for u := 0; u < n; u++ {
			row := next[u*w : u*w+w]
			for k, x := range last[u*w : u*w+w] {
				for x != 0 {
					v := k*64 + bits.TrailingZeros64(x)
					x &= x - 1
					for i, y := range adj[v*w : v*w+w] {
						row[i] |= y
					}
				}
			}
		}
		for i := range next {
			if next[i] != last[i] {
				grown = true
				break
			}
		}
		if !grown {
			return out
		}
		out = append(out, next)
	}
}

// solve searches with at most budget steps; with yes comes a placement.
func (e *embedding) solve(ctx context.Context, budget int, late func() bool) (answer, []int) {
	n, w := e.n, e.words
	e.budget, e.ctx, e.late = budget, ctx, late
	root := 0
	for u := range e.degree {
		if e.degree[u] < e.degree[root] {
			root = u
		}
	}
	dom := make([]uint64, n*w)
	for p := 0; p < n; p++ {
		for v := 0; v < n; v++ {
			dom[p*w+v/64] |= 1 << (v % 64)
		}
	}
	at := make([]int, n)
	for p := range at {
		at[p] = -1
	}
	stack := newDomainStack(e, dom, at)
	if !stack.set(0, root) {
		return no, nil
	}
	res := stack.descend()
	if res == yes {
		return yes, stack.at
	}
	return res, nil
}

// domainStack is the state of the depth-first search.
type domainStack struct {
	e     *embedding
	dom   []uint64
	size  []int
	at    []int
	order []int // positions by size, scratch
	union []uint64
	queue [][2]int
}

func newDomainStack(e *embedding, dom []uint64, at []int) *domainStack {
	s := &domainStack{e: e, dom: dom, at: at, size: make([]int, e.n), order: make([]int, 0, e.n), union: make([]uint64, e.words)}
	for p := range s.size {
		s.size[p] = e.n
	}
	return s
}

// set puts node v at position p and follows all consequences; false where they
// contradict.
func (s *domainStack) set(p, v int) bool {
	e := s.e
	n, w := e.n, e.words
	s.queue = append(s.queue[:0], [2]int{p, v})
	s.at[p] = v
	for k := 0; k < len(s.queue); k++ {
		p, v := s.queue[k][0], s.queue[k][1]
		for q := 0; q < n; q++ {
			if s.at[q] >= 0 {
				continue
			}
			o := q - p
			if o < 0 {
				o += n
			}
			row := e.allow[e.class[o]][v*w : v*w+w]
			dom := s.dom[q*w : q*w+w]
			size := 0
			for i := range dom {
				x := dom[i] & row[i]
				if i == v/64 {
					x &^= 1 << (v % 64)
				}
				dom[i] = x
				size += bits.OnesCount64(x)
			}
			s.size[q] = size
			if size == 0 {
				return false
			}
			if size == 1 {
				for i, x := range dom {
					if x != 0 {
						s.at[q] = i*64 + bits.TrailingZeros64(x)
					}
				}
				s.queue = append(s.queue, [2]int{q, s.at[q]})
			}
		}
		// Two positions may have been left the same node.
		for i := k + 1; i < len(s.queue); i++ {
			if s.queue[i][1] == v {
				return false
			}
		}
	}
	return s.hall()
}

// hall counts: the smallest sets together must hold as many nodes as positions.
func (s *domainStack) hall() bool {
	e := s.e
	w := e.words
	var count [64]int
	buckets := 0
	s.order = s.order[:0]
	// Counting sort of the small sets; large ones rarely matter except all at once.
	for size := 2; size < 64; size++ {
		count[size] = 0
	}
	for p, v := range s.at {
		if v < 0 && s.size[p] < 64 {
			count[s.size[p]]++
			buckets++
		}
	}
	if buckets == 0 {
		return true
	}
	start := 0
	for size := 0; size < 64; size++ {
		count[size], start = start, start+count[size]
	}
	s.order = s.order[:buckets]
	for p, v := range s.at {
		if v < 0 && s.size[p] < 64 {
			s.order[count[s.size[p]]] = p
			count[s.size[p]]++
		}
	}
	clear(s.union)
	for k, p := range s.order {
		have := 0
		for i, x := range s.dom[p*w : p*w+w] {
			s.union[i] |= x
			have += bits.OnesCount64(s.union[i])
		}
		if have < k+1 {
			return false
		}
	}
	return true
}

// descend assigns the remaining positions, the tightest first.
func (s *domainStack) descend() answer {
	e := s.e
	if e.steps >= e.budget || e.stopped {
		return unknown
	}
	if e.steps%64 == 0 && (e.ctx.Err() != nil || e.late != nil && e.late()) {
		e.stopped = true
		return unknown
	}
	e.steps++
	pick := -1
	for p, v := range s.at {
		if v < 0 && (pick < 0 || s.size[p] < s.size[pick]) {
			pick = p
		}
	}
	if pick < 0 {
		return yes
	}
	w := e.words
	choices := append([]uint64(nil), s.dom[pick*w:pick*w+w]...)
	dom, at, size := append([]uint64(nil), s.dom...), append([]int(nil), s.at...), append([]int(nil), s.size...)
	res := no
	for i := range choices {
		for x := choices[i]; x != 0; x &= x - 1 {
			v := i*64 + bits.TrailingZeros64(x)
			if s.set(pick, v) {
				switch s.descend() {
				case yes:
					return yes
				case unknown:
					res = unknown
				}
			}
			copy(s.dom, dom)
			copy(s.at, at)
			copy(s.size, size)
			if e.steps >= e.budget || e.stopped {
				return unknown
			}
		}
	}
	return res
}
