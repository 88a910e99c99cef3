package bound

// flow is a network for maximum flow by Dinic's algorithm (1970), on arrays:
// arc a and its reverse a^1 are neighbours, next links the arcs out of a node.
type flow struct {
	head, next, to []int32
	cap            []float64
	level, at      []int32
	queue          []int32
}

func newFlow(nodes, arcs int) *flow {
	f := &flow{head: make([]int32, nodes), level: make([]int32, nodes), at: make([]int32, nodes)}
	for i := range f.head {
		f.head[i] = -1
	}
	f.next = make([]int32, 0, 2*arcs)
	f.to = make([]int32, 0, 2*arcs)
	f.cap = make([]float64, 0, 2*arcs)
	return f
}

// arc adds an arc u→v and its reverse with the capacities given.
func (f *flow) arc(u, v int, c, back float64) int {
	a := len(f.to)
	f.to = append(f.to, int32(v), int32(u))
	f.cap = append(f.cap, c, back)
	f.next = append(f.next, f.head[u], f.head[v])
	f.head[u], f.head[v] = int32(a), int32(a+1)
	return a
}

// run sends as much as possible from s to t. Residuals under eps count as
// nothing, so that rounding cannot keep it busy.
func (f *flow) run(s, t int, eps float64) float64 {
	total := 0.0
	for f.layers(s, t, eps) {
		copy(f.at, f.head)
		for {
			sent := f.augment(s, t, eps)
			if sent == 0 {
				break
			}
			total += sent
		}
	}
	return total
}

// layers numbers the nodes by distance from s; after the last call the nodes
// with a number are the source side of a minimum cut.
func (f *flow) layers(s, t int, eps float64) bool {
	for i := range f.level {
		f.level[i] = -1
	}
	f.level[s] = 0
	f.queue = append(f.queue[:0], int32(s))
	for h := 0; h < len(f.queue); h++ {
		u := f.queue[h]
		for a := f.head[u]; a >= 0; a = f.next[a] {
			if v := f.to[a]; f.cap[a] > eps && f.level[v] < 0 {
				f.level[v] = f.level[u] + 1
				f.queue = append(f.queue, v)
			}
		}
	}
	return f.level[t] >= 0
}

// augment sends flow along one path of the layered network, without recursion.
func (f *flow) augment(s, t int, eps float64) float64 {
	path := f.queue[:0] // arcs
	u := int32(s)
	for u != int32(t) {
		a := f.at[u]
		for a >= 0 && !(f.cap[a] > eps && f.level[f.to[a]] == f.level[u]+1) {
			a = f.next[a]
		}
		f.at[u] = a
		if a >= 0 {
			path = append(path, a)
			u = f.to[a]
			continue
		}
		f.level[u] = -1 // dead end
		if len(path) == 0 {
			f.queue = path
			return 0
		}
		last := path[len(path)-1]
		path = path[:len(path)-1]
		u = f.to[last^1]
	}
	sent := f.cap[path[0]]
	for _, a := range path {
		sent = min(sent, f.cap[a])
	}
	for _, a := range path {
		f.cap[a] -= sent
		f.cap[a^1] += sent
	}
	f.queue = path
	return sent
}
