package ring

import (
	"math/bits"
)

// The set bound. Nodes that share their few near neighbours cannot all be
// served by them: m positions of a circulant graph have, together with
// themselves, at least fewest(m) neighbours, so at any feasible threshold every
// m nodes have as many. Routers of one site are such sets, which is why this
// beats the degree bound (m = 1) on real networks.

// fewestNeighbours returns for m = 1 … the least size of the closed
// neighbourhood within h hops of m positions, exactly, by depth-first search
// over sets that contain position 0. It stops at the first m that takes more
// than budget steps, so its length says how far it got.
func fewestNeighbours(n int, skips []int, h, budget int) []int {
	w := (n + 63) / 64
	ball := make([]uint64, n*w)
	for o, d := range hops(n, skips) {
		if d < 0 || d > h {
			continue
		}
		for p := 0; p < n; p++ {
			q := (p + o) % n
			ball[p*w+q/64] |= 1 << (q % 64)
		}
	}
	var out []int
	for m := 1; m <= min(n, 20); m++ {
		s := &fewestSearch{n: n, w: w, m: m, ball: ball, budget: budget, unions: make([]uint64, (m+1)*w), best: n + 1}
		s.greedy()
		copy(s.unions[w:2*w], ball[:w])
		if !s.extend(1, 1) {
			break
		}
		out = append(out, s.best)
		if s.best == n {
			break
		}
	}
	return out
}

type fewestSearch struct {
	n, w, m       int
	ball          []uint64
	unions        []uint64 // of the first k members, at k·w
	best          int
	steps, budget int
}

// greedy sets best to what adding the least at a time reaches.
func (s *fewestSearch) greedy() {
	u := append([]uint64(nil), s.ball[:s.w]...)
	used := make([]bool, s.n)
	used[0] = true
	for k := 1; k < s.m; k++ {
		pick, size := -1, s.n+1
		for p := 1; p < s.n; p++ {
			if !used[p] {
				if c := unionSize(u, s.ball[p*s.w:(p+1)*s.w]); c < size {
					pick, size = p, c
				}
			}
		}
		used[pick] = true
		for i, x := range s.ball[pick*s.w : (pick+1)*s.w] {
			u[i] |= x
		}
	}
	s.best = min(s.best, unionSize(u, u))
}

func unionSize(a, b []uint64) int {
	c := 0
	for i, x := range a {
		c += bits.OnesCount64(x | b[i])
	}
	return c
}

// extend adds positions from first on as member k; false where the budget ends.
func (s *fewestSearch) extend(k, first int) bool {
	w := s.w
	u := s.unions[k*w : (k+1)*w]
	if k == s.m {
		s.best = min(s.best, unionSize(u, u))
		return true
	}
	for p := first; p <= s.n-(s.m-k); p++ {
		if s.steps++; s.steps > s.budget {
			return false
		}
		b := s.ball[p*w : (p+1)*w]
		if unionSize(u, b) >= s.best {
			continue // sets only grow
		}
		next := s.unions[(k+1)*w : (k+2)*w]
		for i := range next {
			next[i] = u[i] | b[i]
		}
		if !s.extend(k+1, p+1) {
			return false
		}
	}
	return true
}

// setsFit tells whether, with the given closed neighbourhoods of nodes (n rows
// of words), no set found greedily from any node has fewer neighbours than
// demanded.
func setsFit(n int, near []uint64, fewest []int) bool {
	w := (n + 63) / 64
	u := make([]uint64, w)
	used := make([]int, n)
	for first := 0; first < n; first++ {
		copy(u, near[first*w:(first+1)*w])
		used[first] = first + 1
		if unionSize(u, u) < fewest[0] {
			return false
		}
		for m := 2; m <= len(fewest); m++ {
			pick, size := -1, n+1
			for v := 0; v < n; v++ {
				if used[v] != first+1 {
					if c := unionSize(u, near[v*w:(v+1)*w]); c < size {
						pick, size = v, c
					}
				}
			}
			if pick < 0 {
				break
			}
			if size < fewest[m-1] {
				return false
			}
			used[pick] = first + 1
			for i, x := range near[pick*w : (pick+1)*w] {
				u[i] |= x
			}
		}
	}
	return true
}
