package ring

import (
	"math"
	"slices"
)

// Neighbours in the plane, by a k-d tree: no matrix, any distribution.

// kdTree holds the points in leaf buckets; a node covers order[lo:hi].
type kdTree struct {
	x, y  []float64
	order []int32
	nodes []kdNode
}

type kdNode struct {
	lo, hi                 int32
	left, right            int32 // -1: a leaf
	minX, maxX, minY, maxY float64
}

const kdBucket = 8

func newKD(x, y []float64) *kdTree {
	k := &kdTree{x: x, y: y, order: make([]int32, len(x))}
	for i := range k.order {
		k.order[i] = int32(i)
	}
	k.build(0, int32(len(x)))
	return k
}

func (k *kdTree) build(lo, hi int32) int32 {
	nd := kdNode{lo: lo, hi: hi, left: -1, right: -1,
		minX: math.Inf(1), maxX: math.Inf(-1), minY: math.Inf(1), maxY: math.Inf(-1)}
	for _, p := range k.order[lo:hi] {
		nd.minX, nd.maxX = min(nd.minX, k.x[p]), max(nd.maxX, k.x[p])
		nd.minY, nd.maxY = min(nd.minY, k.y[p]), max(nd.maxY, k.y[p])
	}
	id := int32(len(k.nodes))
	k.nodes = append(k.nodes, nd)
	if hi-lo <= kdBucket {
		return id
	}
	z := k.x
	if nd.maxY-nd.minY > nd.maxX-nd.minX {
		z = k.y
	}
	slices.SortFunc(k.order[lo:hi], func(a, b int32) int {
		switch {
		case z[a] < z[b]:
			return -1
		case z[a] > z[b]:
			return 1
		}
		return int(a - b)
	})
	mid := (lo + hi) / 2
	left := k.build(lo, mid)
	right := k.build(mid, hi)
	k.nodes[id].left, k.nodes[id].right = left, right
	return id
}

// found is one candidate of a query; ties go to the smaller link key, so that
// the order of links is the same from both ends.
type found struct {
	sq   float64
	a, b int32 // min and max of the two ends
	v    int32
}

func (f found) less(g found) bool {
	if f.sq != g.sq {
		return f.sq < g.sq
	}
	if f.a != g.a {
		return f.a < g.a
	}
	return f.b < g.b
}

// search adds to best, sorted and at most want long, the points nearest to u
// inside the cone of directions from a to b (unit vectors, less than 180°
// apart, a included); no cone where both are zero.
func (k *kdTree) search(u int32, a, b [2]float64, best []found, want int) []found {
	px, py := k.x[u], k.y[u]
	cone := a != b
	inside := func(x, y float64) bool {
		return a[0]*y-a[1]*x >= 0 && b[0]*y-b[1]*x < 0
	}
	var stack [64]int32
	top := 1
	stack[0] = 0
	for top > 0 {
		top--
		nd := &k.nodes[stack[top]]
		dx := max(nd.minX-px, 0, px-nd.maxX)
		dy := max(nd.minY-py, 0, py-nd.maxY)
		if len(best) == want && dx*dx+dy*dy > best[want-1].sq {
			continue
		}
		if cone {
			// A box wholly on the wrong side of either edge holds nothing.
			x0, x1, y0, y1 := nd.minX-px, nd.maxX-px, nd.minY-py, nd.maxY-py
			if max(a[0]*y0, a[0]*y1)+max(-a[1]*x0, -a[1]*x1) < 0 || min(b[0]*y0, b[0]*y1)+min(-b[1]*x0, -b[1]*x1) > 0 {
				continue
			}
		}
		if nd.left >= 0 {
			// The nearer half last on the stack, so that it comes first.
			l, r := nd.left, nd.right
			if k.boxSq(l, px, py) > k.boxSq(r, px, py) {
				l, r = r, l
			}
			stack[top], stack[top+1] = r, l
			top += 2
			continue
		}
		for _, v := range k.order[nd.lo:nd.hi] {
			if v == u {
				continue
			}
			x, y := k.x[v]-px, k.y[v]-py
			if cone && (!inside(x, y) || x == 0 && y == 0) {
				continue
			}
			f := found{float64(x*x) + float64(y*y), min(u, v), max(u, v), v}
			if len(best) == want {
				if !f.less(best[want-1]) {
					continue
				}
				best = best[:want-1]
			}
			i := len(best)
			best = append(best, f)
			for i > 0 && f.less(best[i-1]) {
				best[i] = best[i-1]
				i--
			}
			best[i] = f
		}
	}
	return best
}

func (k *kdTree) boxSq(id int32, px, py float64) float64 {
	nd := &k.nodes[id]
	dx := max(nd.minX-px, 0, px-nd.maxX)
	dy := max(nd.minY-py, 0, py-nd.maxY)
	return dx*dx + dy*dy
}

// sectorLinks joins every point with the two nearest in each of six sectors of
// 60°, both ways: at most 12 links a point and its reverse ones. Points at one
// place are in no sector of each other; they are joined in a cycle.
func (c *Cloud) sectorLinks() [][]int32 {
	n := len(c.x)
	k := newKD(c.x, c.y)
	var edge [7][2]float64
	for s := range edge {
		a := float64(s%6) * math.Pi / 3
		edge[s] = [2]float64{math.Cos(a), math.Sin(a)}
	}
	half := make([][]int32, n)
	parallel((n+255)/256, 0, func(b int) {
		var buf []found
		for u := b * 256; u < min(n, b*256+256); u++ {
			for s := 0; s < 6; s++ {
				buf = k.search(int32(u), edge[s], edge[s+1], buf[:0], 2)
				for _, f := range buf {
					half[u] = append(half[u], f.v)
				}
			}
		}
	})
	first, last := map[[2]float64]int32{}, map[[2]float64]int32{}
	for u := range half {
		at := [2]float64{c.x[u], c.y[u]}
		if v, ok := last[at]; ok {
			half[u] = append(half[u], v)
		} else {
			first[at] = int32(u)
		}
		last[at] = int32(u)
	}
	for at, u := range first {
		if v := last[at]; v != u {
			half[u] = append(half[u], v)
		}
	}
	return bothWays(half)
}

// bothWays makes links symmetric, sorted and free of repeats.
func bothWays(half [][]int32) [][]int32 {
	out := make([][]int32, len(half))
	for u, nb := range half {
		for _, v := range nb {
			out[u] = append(out[u], v)
			out[v] = append(out[v], int32(u))
		}
	}
	for u := range out {
		slices.Sort(out[u])
		out[u] = slices.Compact(out[u])
	}
	return out
}

// near returns for every node u the list {u, its k nearest nodes in order of
// delay}; shorter where fewer nodes exist.
func (t *table) near(k int) [][]int32 {
	n := t.n
	k = min(k, n-1)
	out := make([][]int32, n)
	if t.cloud != nil {
		kd := newKD(t.cloud.x, t.cloud.y)
		parallel((n+255)/256, 0, func(b int) {
			var buf []found
			for u := b * 256; u < min(n, b*256+256); u++ {
				buf = kd.search(int32(u), [2]float64{}, [2]float64{}, buf[:0], k)
				list := make([]int32, 1, k+1)
				list[0] = int32(u)
				for _, f := range buf {
					list = append(list, f.v)
				}
				out[u] = list
			}
		})
		return out
	}
	parallel(n, 0, func(u int) {
		row := t.d[u*n : (u+1)*n]
		type cand struct {
			d float64
			v int32
		}
		best := make([]cand, 0, k)
		for v, x := range row {
			if v == u || (len(best) == k && x >= best[k-1].d) {
				continue
			}
			if len(best) == k {
				best = best[:k-1]
			}
			i := len(best)
			best = append(best, cand{})
			for i > 0 && x < best[i-1].d {
				best[i] = best[i-1]
				i--
			}
			best[i] = cand{x, int32(v)}
		}
		list := make([]int32, 1, k+1)
		list[0] = int32(u)
		for _, c := range best {
			list = append(list, c.v)
		}
		out[u] = list
	})
	return out
}

// spanningLinks is Kruskal's method over given links, rooted at node 0.
func spanningLinks(t *table, links [][]int32) (parent, order []int32) {
	n := t.n
	type edge struct {
		d    float64
		a, b int32
	}
	var edges []edge
	for u, nb := range links {
		for _, v := range nb {
			if int(v) > u {
				edges = append(edges, edge{t.at(u, int(v)), int32(u), v})
			}
		}
	}
	slices.SortFunc(edges, func(x, y edge) int {
		switch {
		case x.d < y.d:
			return -1
		case x.d > y.d:
			return 1
		case x.a != y.a:
			return int(x.a - y.a)
		}
		return int(x.b - y.b)
	})
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
	tree := make([][]int32, n)
	for _, e := range edges {
		a, b := find(e.a), find(e.b)
		if a != b {
			root[a] = b
			tree[e.a] = append(tree[e.a], e.b)
			tree[e.b] = append(tree[e.b], e.a)
		}
	}
	parent = make([]int32, n)
	for v := range parent {
		parent[v] = -2
	}
	parent[0] = -1
	order = []int32{0}
	for k := 0; k < len(order); k++ {
		for _, v := range tree[order[k]] {
			if parent[v] == -2 {
				parent[v] = order[k]
				order = append(order, v)
			}
		}
	}
	if len(order) < n {
		return nil, nil
	}
	return parent, order
}
