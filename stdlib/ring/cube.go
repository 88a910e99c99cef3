package ring

import "math"

// cubeTour is the guaranteed tour: a Hamiltonian cycle in the cube of a
// bottleneck spanning tree (Sekanina, 1960), whose links join nodes at most
// three tree links apart. With metric delays its bottleneck is at most three
// times that of the tree, and so at most three times the optimum. nil where the
// finite links do not join all nodes. Cost O(n²).
func cubeTour(t *table) []int32 {
	parent, order := spanningTree(t)
	if parent == nil {
		return nil
	}
	n := t.n
	if n == 1 {
		return []int32{0}
	}
	children := make([][]int32, n)
	for _, v := range order[1:] {
		children[parent[v]] = append(children[parent[v]], v)
	}
	// down(v) visits v's subtree from v to a child of v (or v alone); up(v) is
	// the reverse. Over children c₁…c_k of the part that remains:
	// down(v) = v, up(c_k), …, up(c_1) ends at c_1, since up(c) ends at c and
	// starts at a child of c: steps v→child of c_k (2), c_i→child of c_{i−1} (3).
	tour := make([]int32, 0, n)
	type task struct {
		v    int32
		down bool
	}
	stack := []task{{order[0], true}}
	emit := func(v int32) { tour = append(tour, v) }
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if x.v < 0 {
			emit(^x.v)
			continue
		}
		kids := children[x.v]
		if x.down { // v, then up of each child; pushed in reverse
			for i := 0; i < len(kids); i++ {
				stack = append(stack, task{kids[i], false})
			}
			stack = append(stack, task{^x.v, true})
		} else { // down of each child in the opposite order, then v
			stack = append(stack, task{^x.v, true})
			for i := len(kids) - 1; i >= 0; i-- {
				stack = append(stack, task{kids[i], true})
			}
		}
	}
	return tour
}

// spanningTree returns the parents of a minimum spanning tree (which is also a
// bottleneck one) and an order with parents first, by Prim's method; for a
// large cloud over the links of sectorLinks, which hold one.
func spanningTree(t *table) (parent, order []int32) {
	n := t.n
	parent = make([]int32, n)
	dist := make([]float64, n)
	done := make([]bool, n)
	for v := range dist {
		dist[v] = math.Inf(1)
		parent[v] = -1
	}
	if t.d == nil {
		return spanningLinks(t, t.cloud.sectorLinks())
	}
	u := 0
	for {
		done[u] = true
		order = append(order, int32(u))
		if len(order) == n {
			return parent, order
		}
		next := -1
		for v := 0; v < n; v++ {
			if done[v] {
				continue
			}
			if d := t.at(u, v); d < dist[v] {
				dist[v], parent[v] = d, int32(u)
			}
			if !math.IsInf(dist[v], 1) && (next < 0 || dist[v] < dist[next]) {
				next = v
			}
		}
		if next < 0 {
			return nil, nil
		}
		u = next
	}
}
