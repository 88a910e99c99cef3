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
