package ring

import (
	"math"
	"slices"
)

// greedyTour joins nodes by the shortest candidate links that keep paths, then
// joins the paths end to end, nearest first.
func greedyTour(t *table, nb [][]int32) []int32 {
	n := t.n
	type edge struct {
		d    float64
		a, b int32
	}
	var edges []edge
	for u, list := range nb {
		for _, v := range list {
			if int(v) > u || !slices.Contains(nb[v], int32(u)) {
				if d := t.at(u, int(v)); !math.IsInf(d, 1) {
					edges = append(edges, edge{d, int32(u), v})
				}
			}
		}
	}
	slices.SortFunc(edges, func(x, y edge) int {
		switch {
		case x.d != y.d:
			if x.d < y.d {
				return -1
			}
			return 1
		case x.a != y.a:
			return int(x.a - y.a)
		}
		return int(x.b - y.b)
	})
	link := make([][2]int32, n)
	for i := range link {
		link[i] = [2]int32{-1, -1}
	}
	root := make([]int32, n)
	for i := range root {
		root[i] = int32(i)
	}
	find := func(v int32) int32 {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	join := func(a, b int32) bool {
		if link[a][1] >= 0 || link[b][1] >= 0 {
			return false
		}
		ra, rb := find(a), find(b)
		if ra == rb {
			return false
		}
		root[ra] = rb
		for _, e := range [2][2]int32{{a, b}, {b, a}} {
			if link[e[0]][0] < 0 {
				link[e[0]][0] = e[1]
			} else {
				link[e[0]][1] = e[1]
			}
		}
		return true
	}
	for _, e := range edges {
		join(e.a, e.b)
	}
	// Walk the paths; from each end go on at the nearest end of another.
	var ends []int32
	for v := range link {
		if link[v][1] < 0 {
			ends = append(ends, int32(v))
		}
	}
	tour := make([]int32, 0, n)
	used := make([]bool, n)
	take := func(v int32) int32 { // appends the path from end v, returns its other end
		prev := int32(-1)
		for {
			tour = append(tour, v)
			used[v] = true
			next := link[v][0]
			if next == prev || next < 0 {
				next = link[v][1]
			}
			if next < 0 || next == prev {
				return v
			}
			prev, v = v, next
		}
	}
	if len(ends) == 0 {
		return nil
	}
	last := take(ends[0])
	for len(tour) < n {
		best, to := math.Inf(1), int32(-1)
		k := 0
		for _, v := range ends { // drop used ends on the way
			if used[v] {
				continue
			}
			ends[k] = v
			k++
			if d := t.at(int(last), int(v)); d < best || to < 0 {
				best, to = d, v
			}
		}
		ends = ends[:k]
		last = take(to)
	}
	return tour
}

// curveTour visits the points of a cloud along Hilbert's curve.
func curveTour(c *Cloud) []int32 {
	n := len(c.x)
	minX, maxX := slices.Min(c.x), slices.Max(c.x)
	minY, maxY := slices.Min(c.y), slices.Max(c.y)
	side := max(maxX-minX, maxY-minY, math.SmallestNonzeroFloat64)
	key := make([]uint64, n)
	for i := range key {
		x := uint32(min(65535, (c.x[i]-minX)/side*65536))
		y := uint32(min(65535, (c.y[i]-minY)/side*65536))
		key[i] = hilbert(x, y)
	}
	tour := make([]int32, n)
	for i := range tour {
		tour[i] = int32(i)
	}
	slices.SortFunc(tour, func(a, b int32) int {
		switch {
		case key[a] < key[b]:
			return -1
		case key[a] > key[b]:
			return 1
		}
		return int(a - b)
	})
	return tour
}

// hilbert returns the distance along the curve of order 16.
func hilbert(x, y uint32) uint64 {
	var d uint64
	for s := uint32(1 << 15); s > 0; s /= 2 {
		var rx, ry uint32
		if x&s != 0 {
			rx = 1
		}
		if y&s != 0 {
			ry = 1
		}
		d += uint64(s) * uint64(s) * uint64((3*rx)^ry)
		if ry == 0 {
			if rx == 1 {
				x, y = 65535-x, 65535-y
			}
			x, y = y, x
		}
	}
	return d
}
