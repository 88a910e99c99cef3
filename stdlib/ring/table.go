package ring

import (
	"fmt"
	"math"
	"strings"
)

// defaultBytes bounds the memory of a delay matrix: 16,384 nodes.
const defaultBytes = 2 << 30

// fits refuses a matrix before it is made.
func fits(n int, limit int64) error {
	if limit <= 0 {
		limit = defaultBytes
	}
	if need := float64(n) * float64(n) * 8; need > float64(limit) {
		return fmt.Errorf("ring: a delay matrix of %d nodes takes %.1f GB, over the limit of %.1f GB; give Points, or raise Options.MaxBytes",
			n, need/1e9, float64(limit)/1e9)
	}
	return nil
}

// table is how the methods read delays: checked once, dense where it fits.
type table struct {
	n     int
	d     []float64 // row-major; nil for a large cloud
	cloud *Cloud
	sym   bool
	src   Delays
}

// cloudDense is the largest cloud that is also kept as a matrix.
const cloudDense = 3000

// load checks d and makes it ready. A Network is shared, anything else copied.
func load(d Delays, limit int64) (*table, error) {
	if d == nil {
		return nil, fmt.Errorf("ring: no delays (nil); give a Matrix, Points or a network such as Gaia()")
	}
	switch w := d.(type) {
	case *Network:
		if w == nil || w.n == 0 {
			return nil, fmt.Errorf("ring: the network has no nodes; make it with Matrix or ReadGML")
		}
		return &table{n: w.n, d: w.d, sym: symmetric(w.n, w.d), src: d}, nil
	case *Cloud:
		if w == nil || len(w.x) == 0 {
			return nil, fmt.Errorf("ring: the cloud has no points; make it with Points")
		}
		t := &table{n: len(w.x), cloud: w, sym: true, src: d}
		if t.n <= cloudDense {
			t.d = make([]float64, t.n*t.n)
			for u := 0; u < t.n; u++ {
				for v := 0; v < u; v++ {
					x := w.round.of(w.sq(u, v))
					t.d[u*t.n+v], t.d[v*t.n+u] = x, x
				}
			}
		}
		return t, nil
	}
	n := d.Len()
	if n < 1 {
		return nil, fmt.Errorf("ring: delays have %d nodes; at least one is needed", n)
	}
	if err := fits(n, limit); err != nil {
		return nil, err
	}
	flat := make([]float64, n*n)
	for u := 0; u < n; u++ {
		for v := 0; v < n; v++ {
			if u != v {
				flat[u*n+v] = d.At(u, v)
			}
		}
	}
	w, err := newNetwork(n, flat)
	if err != nil {
		return nil, err
	}
	return &table{n: n, d: flat, sym: symmetric(n, w.d), src: d}, nil
}

func symmetric(n int, d []float64) bool {
	for u := 0; u < n; u++ {
		for v := 0; v < u; v++ {
			if d[u*n+v] != d[v*n+u] {
				return false
			}
		}
	}
	return true
}

func (t *table) at(u, v int) float64 {
	if t.d != nil {
		return t.d[u*t.n+v]
	}
	return t.cloud.round.of(t.cloud.sq(u, v))
}

// label names node u for messages and pictures.
func (t *table) label(u int) string { return labelOf(t.src, u) }

func labelOf(d Delays, u int) string {
	if w, ok := d.(interface{ Label(int) string }); ok {
		return w.Label(u)
	}
	return fmt.Sprint(u)
}

// nameOf names the network; "" where it has no name.
func nameOf(d Delays) string {
	switch w := d.(type) {
	case *Network:
		return w.Name
	case *Cloud:
		return w.Name
	}
	return ""
}

// connected refuses delays whose finite links do not join all nodes, in both
// directions, and names the parts.
func (t *table) connected() error {
	if t.d == nil || t.n < 2 {
		return nil
	}
	part := components(t.n, func(u, v int) bool {
		return !math.IsInf(t.at(u, v), 1) || !math.IsInf(t.at(v, u), 1)
	})
	if len(part) > 1 {
		return fmt.Errorf("ring: the network is disconnected: %s; keep one part, or add the missing links", describeParts(part, t.label))
	}
	if t.sym {
		return nil
	}
	// Every node must reach node 0 and be reached from it.
	for _, back := range []bool{false, true} {
		seen := make([]bool, t.n)
		stack := []int{0}
		seen[0] = true
		count := 1
		for len(stack) > 0 {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for v := 0; v < t.n; v++ {
				x := t.at(u, v)
				if back {
					x = t.at(v, u)
				}
				if !seen[v] && !math.IsInf(x, 1) {
					seen[v] = true
					count++
					stack = append(stack, v)
				}
			}
		}
		if count < t.n {
			lost := 0
			for seen[lost] {
				lost++
			}
			from, to := t.label(0), t.label(lost)
			if back {
				from, to = to, from
			}
			return fmt.Errorf("ring: no path leads from %s to %s: the directed network is not strongly connected; add the missing links", from, to)
		}
	}
	return nil
}

// components returns the connected parts of the graph of link, largest first.
func components(n int, link func(u, v int) bool) [][]int {
	seen := make([]bool, n)
	var parts [][]int
	for s := 0; s < n; s++ {
		if seen[s] {
			continue
		}
		seen[s] = true
		part := []int{s}
		for k := 0; k < len(part); k++ {
			for v := 0; v < n; v++ {
				if !seen[v] && link(part[k], v) {
					seen[v] = true
					part = append(part, v)
				}
			}
		}
		parts = append(parts, part)
	}
	for i := 1; i < len(parts); i++ {
		for j := i; j > 0 && len(parts[j]) > len(parts[j-1]); j-- {
			parts[j], parts[j-1] = parts[j-1], parts[j]
		}
	}
	return parts
}

// describeParts writes "2 parts: {a, b, … 90 nodes}, {c}".
func describeParts(parts [][]int, label func(int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d parts:", len(parts))
	for i, p := range parts {
		if i == 4 && len(parts) > 5 {
			fmt.Fprintf(&b, " and %d more", len(parts)-i)
			break
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(" {")
		for k, u := range p {
			if k == 3 && len(p) > 4 {
				fmt.Fprintf(&b, ", … %d nodes", len(p))
				break
			}
			if k > 0 {
				b.WriteString(", ")
			}
			b.WriteString(label(u))
		}
		b.WriteString("}")
	}
	return b.String()
}
