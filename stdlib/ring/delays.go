package ring

import (
	"fmt"
	"math"
	"strings"
)

// Delays gives the delay of every ordered pair of nodes 0…n−1: At(u, v) is the
// time that one message takes from u to v, in milliseconds (or any one unit;
// results keep it). +Inf says that there is no link. At(u, u) is not read.
//
// Network (a matrix) and Cloud (points in the plane) are the two that this
// package makes. A type of one's own is copied into a matrix once, since the
// searches read delays some billion times.
type Delays interface {
	Len() int
	At(u, v int) float64
}

// Network is a delay matrix with the names of its nodes. Make one with Matrix,
// ReadMatrix, ReadGML, ReadTSPLIB, or a built-in as Gaia; it does not change
// afterwards.
type Network struct {
	Name   string
	Labels []string     // one a node; nil means that nodes are called by number
	Where  [][2]float64 // longitude and latitude in degrees, or x and y; nil where unknown
	Note   string       // how the delays were made, and from what source

	n int
	d []float64 // row-major, zero diagonal
}

// Len returns the number of nodes.
func (w *Network) Len() int { return w.n }

// At returns the delay from u to v in ms; NaN for a node that does not exist.
func (w *Network) At(u, v int) float64 {
	if u < 0 || v < 0 || u >= w.n || v >= w.n {
		return math.NaN()
	}
	return w.d[u*w.n+v]
}

// Label returns the name of node u.
func (w *Network) Label(u int) string {
	if u >= 0 && u < len(w.Labels) {
		return w.Labels[u]
	}
	return fmt.Sprint(u)
}

// Rename returns the same delays under other node names, one a node and all
// different.
func (w *Network) Rename(name string, labels []string) (*Network, error) {
	if len(labels) != w.n {
		return nil, fmt.Errorf("ring: %d labels for %d nodes; give one a node", len(labels), w.n)
	}
	seen := map[string]int{}
	for u, l := range labels {
		if v, ok := seen[l]; ok {
			return nil, fmt.Errorf("ring: label %q names nodes %d and %d; labels must differ", l, v, u)
		}
		seen[l] = u
	}
	c := *w
	c.Name, c.Labels = name, append([]string(nil), labels...)
	return &c, nil
}

// String describes the network in one line.
func (w *Network) String() string {
	lo, hi, missing := math.Inf(1), 0.0, 0
	for u := 0; u < w.n; u++ {
		for v := 0; v < w.n; v++ {
			x := w.d[u*w.n+v]
			switch {
			case u == v:
			case math.IsInf(x, 1):
				missing++
			default:
				lo, hi = min(lo, x), max(hi, x)
			}
		}
	}
	var b strings.Builder
	if w.Name != "" {
		fmt.Fprintf(&b, "%s: ", w.Name)
	}
	fmt.Fprintf(&b, "%d nodes", w.n)
	if w.n > 1 && missing < w.n*(w.n-1) {
		fmt.Fprintf(&b, ", delays %.4g to %.4g ms", lo, hi)
	}
	if missing > 0 {
		fmt.Fprintf(&b, ", %d pairs without a link", missing)
	}
	if w.Note != "" {
		fmt.Fprintf(&b, " (%s)", w.Note)
	}
	return b.String()
}

// Matrix returns the network of a square matrix: d[u][v] is the delay from u
// to v in ms, at least 0, +Inf for a missing link, the diagonal ignored. The
// matrix need not be symmetric nor obey the triangle inequality. It is copied.
func Matrix(d [][]float64) (*Network, error) {
	n := len(d)
	if n == 0 {
		return nil, fmt.Errorf("ring: the delay matrix is empty; give one row a node")
	}
	if err := fits(n, 0); err != nil {
		return nil, err
	}
	flat := make([]float64, 0, n*n)
	for u, row := range d {
		if len(row) != n {
			return nil, fmt.Errorf("ring: row %d of the delay matrix has %d entries, not %d; the matrix must be square", u, len(row), n)
		}
		flat = append(flat, row...)
	}
	return newNetwork(n, flat)
}

// newNetwork takes over d, clears its diagonal and checks the rest.
func newNetwork(n int, d []float64) (*Network, error) {
	w := &Network{n: n, d: d}
	for u := 0; u < n; u++ {
		d[u*n+u] = 0
		for v := 0; v < n; v++ {
			if x := d[u*n+v]; math.IsNaN(x) || x < 0 {
				return nil, fmt.Errorf("ring: delay from node %d to node %d is %v; delays are at least 0, and +Inf where there is no link", u, v, x)
			}
		}
	}
	return w, nil
}

// Symmetrize returns the network whose delay between u and v is the larger of
// the two directions, for methods and measures that need one.
func Symmetrize(d Delays) (*Network, error) {
	t, err := load(d, 0)
	if err != nil {
		return nil, err
	}
	n := t.n
	flat := make([]float64, n*n)
	for u := 0; u < n; u++ {
		for v := 0; v < u; v++ {
			x := max(t.at(u, v), t.at(v, u))
			flat[u*n+v], flat[v*n+u] = x, x
		}
	}
	w := &Network{n: n, d: flat}
	if old, ok := d.(*Network); ok {
		w.Name, w.Labels, w.Where = old.Name, old.Labels, old.Where
		w.Note = "larger of both directions"
		if old.Note != "" {
			w.Note = old.Note + "; " + w.Note
		}
	}
	return w, nil
}

// Cloud is n points in the plane; the delay between two is their distance. It
// keeps coordinates only, so it has no limit of n², and the methods use its
// geometry: 100,000 points take 1.6 MB.
type Cloud struct {
	Name string

	x, y  []float64
	round rounding
}

// A rounding makes the integer distances of TSPLIB out of real ones. All are
// monotone, so thresholds found on real distances stay right.
type rounding int

const (
	exact rounding = iota
	nearest
	upward
	pseudo // TSPLIB's ATT: √(r²/10) rounded upward
)

// Points returns the cloud of points xy[u] = {x, y}, finite, in units of delay:
// with coordinates in km, divide by the speed first (200 km a ms in fibre).
func Points(xy [][]float64) (*Cloud, error) {
	c := &Cloud{x: make([]float64, len(xy)), y: make([]float64, len(xy))}
	if len(xy) == 0 {
		return nil, fmt.Errorf("ring: no points; give at least one {x, y}")
	}
	for u, p := range xy {
		if len(p) != 2 {
			return nil, fmt.Errorf("ring: point %d has %d coordinates, not 2; for other spaces give a Matrix", u, len(p))
		}
		for _, z := range p {
			if math.IsNaN(z) || math.IsInf(z, 0) {
				return nil, fmt.Errorf("ring: point %d is %v; coordinates must be finite", u, p)
			}
		}
		c.x[u], c.y[u] = p[0], p[1]
	}
	return c, nil
}

// Len returns the number of points.
func (c *Cloud) Len() int { return len(c.x) }

// At returns the distance between points u and v; NaN for one that does not
// exist.
func (c *Cloud) At(u, v int) float64 {
	if u < 0 || v < 0 || u >= len(c.x) || v >= len(c.x) {
		return math.NaN()
	}
	return c.round.of(c.sq(u, v))
}

func (c *Cloud) sq(u, v int) float64 {
	dx, dy := c.x[u]-c.x[v], c.y[u]-c.y[v]
	return float64(dx*dx) + float64(dy*dy)
}

// of turns a squared distance into the delay.
func (r rounding) of(sq float64) float64 {
	switch r {
	case nearest:
		return math.Floor(math.Sqrt(sq) + 0.5)
	case upward:
		return math.Ceil(math.Sqrt(sq))
	case pseudo:
		return math.Ceil(math.Sqrt(sq / 10))
	}
	return math.Sqrt(sq)
}

// String describes the cloud in one line.
func (c *Cloud) String() string {
	name := c.Name
	if name == "" {
		name = "cloud"
	}
	return fmt.Sprintf("%s: %d points in the plane", name, len(c.x))
}

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
