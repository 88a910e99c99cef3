package ring

import (
	"fmt"
	"math"
)

// Bandwidth describes messages that take time to transfer. Rates are per node
// in Mbit/s; a single entry stands for all nodes.
type Bandwidth struct {
	Mbit     float64   // size of one message (a model), Mbit
	Up, Down []float64 // access rates, Mbit/s
}

// Transfer returns the delays of latency plus transfer on a topology: from u to
// v, in ms,
//
//	D[u][v] + 1000 · max(Mbit·k/Up[u], Mbit·k/Down[v]),
//
// k the number of messages that a node sends and receives in a round, which
// share its access link (the form of Marfoq et al., 2020). All rounds must send
// the same number. Place the result like any other delays.
func Transfer(d Delays, g Topology, b Bandwidth) (*Network, error) {
	t, err := load(d, 0)
	if err != nil {
		return nil, err
	}
	if err := g.matches(t.n); err != nil {
		return nil, err
	}
	if err := fits(t.n, 0); err != nil {
		return nil, err
	}
	k := len(g.Rounds[0])
	for l, r := range g.Rounds {
		if len(r) != k {
			return nil, fmt.Errorf("ring: round %d sends %d messages and round 0 sends %d; transfer needs the same number in all rounds", l, len(r), k)
		}
	}
	if !(b.Mbit >= 0) || math.IsInf(b.Mbit, 1) {
		return nil, fmt.Errorf("ring: message of %v Mbit; the size must be finite and at least 0", b.Mbit)
	}
	rate := func(name string, r []float64, u int) (float64, error) {
		x := 0.0
		switch len(r) {
		case 1:
			x = r[0]
		case t.n:
			x = r[u]
		default:
			return 0, fmt.Errorf("ring: %d rates in %s for %d nodes; give one, or one a node", len(r), name, t.n)
		}
		if !(x > 0) {
			return 0, fmt.Errorf("ring: rate %v in %s of node %s; rates are positive Mbit/s", x, name, t.label(u))
		}
		return 1000 * b.Mbit * float64(k) / x, nil
	}
	up, down := make([]float64, t.n), make([]float64, t.n)
	for u := 0; u < t.n; u++ {
		if up[u], err = rate("Up", b.Up, u); err != nil {
			return nil, err
		}
		if down[u], err = rate("Down", b.Down, u); err != nil {
			return nil, err
		}
	}
	w := &Network{n: t.n, d: make([]float64, t.n*t.n)}
	for u := 0; u < t.n; u++ {
		for v := 0; v < t.n; v++ {
			if u != v {
				w.d[u*t.n+v] = t.at(u, v) + max(up[u], down[v])
			}
		}
	}
	if old, ok := d.(*Network); ok {
		w.Name, w.Labels, w.Where, w.Note = old.Name, old.Labels, old.Where, old.Note
	}
	if w.Note != "" {
		w.Note += "; "
	}
	w.Note += fmt.Sprintf("plus transfer of %d × %g Mbit", k, b.Mbit)
	return w, nil
}
