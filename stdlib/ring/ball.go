package ring

import (
	"math"
	"slices"
)

// ballSizes returns how many positions lie within h = 1, 2, … hops of one.
func ballSizes(n int, skips []int) []int {
	var sizes []int
	for _, h := range hops(n, skips) {
		if h < 0 {
			continue
		}
		for len(sizes) <= h {
			sizes = append(sizes, 0)
		}
		sizes[h]++
	}
	for h := 1; h < len(sizes); h++ {
		sizes[h] += sizes[h-1]
	}
	return sizes[1:]
}

// ballsFit tells whether every node has, within h links of delay at most x (in
// either direction), as many nodes as sizes demands.
func (b *bounder) ballsFit(x float64, sizes []int) bool {
	n := b.t.n
	adj := make([][]int32, n)
	for u := 0; u < n; u++ {
		for v := 0; v < n; v++ {
			if u != v && (b.t.d[u*n+v] <= x || b.t.d[v*n+u] <= x) {
				adj[u] = append(adj[u], int32(v))
			}
		}
		if len(adj[u])+1 < sizes[0] {
			return false
		}
	}
	seen := make([]int32, n)
	queue := make([]int32, 0, n)
	for u := range adj {
		queue = append(queue[:0], int32(u))
		seen[u] = int32(u + 1)
		from := 0
		for _, want := range sizes {
			to := len(queue)
			for ; from < to; from++ {
				for _, v := range adj[queue[from]] {
					if seen[v] != int32(u+1) {
						seen[v] = int32(u + 1)
						queue = append(queue, v)
					}
				}
			}
			if len(queue) < want {
				return false
			}
			if len(queue) == n {
				break
			}
		}
	}
	return true
}

// farBall is the ball bound of points by distances: h hops of length at most θ
// reach distance hθ, so θ ≥ d_(B_h−1)(u)/h. It takes the points at the ends of
// the cloud in 16 directions, which see the farthest.
func (t *table) farBall(skips []int) float64 {
	sizes := ballSizes(t.n, skips)
	c := t.cloud
	if c == nil || c.round == pseudo {
		return 0 // rounding up √(r²/10) leaves no triangle inequality to use
	}
	ends := map[int]bool{}
	for k := 0; k < 16; k++ {
		a := float64(k) * math.Pi / 8
		x, y := math.Cos(a), math.Sin(a)
		best := 0
		for u := range c.x {
			if c.x[u]*x+c.y[u]*y > c.x[best]*x+c.y[best]*y {
				best = u
			}
		}
		ends[best] = true
	}
	us := make([]int, 0, len(ends))
	for u := range ends {
		us = append(us, u)
	}
	slices.Sort(us)
	bound := 0.0
	sq := make([]float64, t.n)
	for _, u := range us {
		for v := range sq {
			sq[v] = c.sq(u, v)
		}
		slices.Sort(sq) // sq[0] is u itself
		for h, size := range sizes {
			bound = max(bound, math.Sqrt(sq[size-1])/float64(h+1))
		}
	}
	if c.round == nearest {
		bound -= 0.5 // each hop may be rounded down by half
	}
	return max(0, bound)
}
