package ring

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Certificate is a lower bound on the BCD of every placement.
type Certificate struct {
	Value float64 // ms
	By    string  // the bound that binds
	Parts []Part  // every bound that was computed, largest first
	Sets  int     // sets of rounds that were bounded together
}

// Part is one named lower bound.
type Part struct {
	Name  string
	Value float64
}

// String writes the bound and its name.
func (c *Certificate) String() string {
	var parts []string
	for _, p := range c.Parts {
		parts = append(parts, fmt.Sprintf("%s %.4g", p.Name, p.Value))
	}
	return fmt.Sprintf("BCD ≥ %.4g ms by %s (%s)", c.Value, c.By, strings.Join(parts, ", "))
}

// The names of bounds.
const (
	byDegree  = "degree"
	byBall    = "ball"
	byTour    = "biconnected"
	bySets    = "sets of nodes"
	bySearch  = "search"
	byRounds  = "sets of rounds"
	byNothing = "delays are at least 0"
)

// Lower returns a lower bound on the BCD of every placement of a topology, in
// ms, as the largest of several:
//
//   - degree: a node exchanges messages with N distinct positions, so some link
//     takes at least its N-th smallest delay;
//   - ball: within h links of a node there must be as many nodes as there are
//     positions within h hops, for every node and h, at the threshold itself;
//   - sets of nodes: m positions have, with themselves, at least fewest(m)
//     neighbours, so every m nodes need as many links within θ to different
//     nodes: routers of one site compete for the same few near ones;
//   - biconnected: a connected circulant graph is biconnected, so its slowest
//     link is at least the smallest θ whose links make such a graph;
//   - search: a constraint search proves that no placement is within θ.
//
// With several rounds the slowest links r of the rounds in any set K obey
// max r ≥ B(K), the bound of all their skips together. In increasing order the
// k-th is at least B of the first k, so Σr ≥ min over orders Σ_k B(first k),
// found by dynamic programming over sets ("sets of rounds"). This contains the
// bound that counts neighbours of the k cheapest rounds.
//
// Delays may be directed or not metric. The search takes a fixed number of
// steps (ten times as many with Options.Lower), so the bound repeats. Clouds
// above 3,000 points use degree, distance balls of some nodes and biconnected.
func Lower(ctx context.Context, d Delays, g Topology, opt *Options) (*Certificate, error) {
	var limit int64
	if opt != nil {
		limit = opt.MaxBytes
	}
	t, err := load(d, limit)
	if err != nil {
		return nil, err
	}
	set, err := opt.settings(t.n)
	if err != nil {
		return nil, err
	}
	if err := g.matches(t.n); err != nil {
		return nil, err
	}
	b := newBounder(ctx, &set, t, g)
	c := b.certificate(math.Inf(1))
	b.prove(c, math.Inf(1))
	return c, ctx.Err()
}

func (c *Certificate) sort() {
	slices.SortStableFunc(c.Parts, func(x, y Part) int {
		switch {
		case x.Value > y.Value:
			return -1
		case x.Value < y.Value:
			return 1
		}
		return 0
	})
}

// put adds a bound, largest first; the earlier of equals binds.
func (c *Certificate) put(p Part) {
	c.Parts = append(c.Parts, p)
	c.sort()
	c.Value, c.By = c.Parts[0].Value, c.Parts[0].Name
}
