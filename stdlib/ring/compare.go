package ring

import (
	"context"
	"fmt"
	"strings"
)

// Comparison holds the placements of several methods on several topologies.
type Comparison struct {
	Network string
	Rows    []Row
}

// Row is one method on one topology.
type Row struct {
	Topology string
	Method   Method
	BCD      float64 // ms; for Random the mean over Starts placements
	Lower    float64 // ms, the best bound found by any method
	Gap      float64 // BCD/Lower − 1
	Seconds  float64 // RoundsTo(1e-3) × BCD: simulated time to consensus 1e-3
	Status   Status
}

// Compare runs methods on topologies of the same delays, each with the options
// given (with Options.Time, equal time). No methods means Random, Identity,
// Greedy, Anneal, BTSPMSR and Best. On cancellation the finished rows come with
// ctx's error.
func Compare(ctx context.Context, d Delays, topologies []Topology, methods []Method, opt *Options) (*Comparison, error) {
	if len(topologies) == 0 {
		return nil, fmt.Errorf("ring: Compare has no topologies; give at least one, such as Exponential(n)")
	}
	if len(methods) == 0 {
		methods = []Method{Random, Identity, Greedy, Anneal, BTSPMSR, Best}
	}
	c := &Comparison{Network: nameOf(d)}
	for _, g := range topologies {
		first := len(c.Rows)
		rounds := g.RoundsTo(1e-3)
		lower := 0.0
		for _, m := range methods {
			o := Options{}
			if opt != nil {
				o = *opt
			}
			o.Method = m
			p, err := Place(ctx, d, g, &o)
			if p != nil {
				row := Row{Topology: g.Name, Method: m, BCD: p.BCD, Status: p.Status}
				if m == Random {
					row.BCD, row.Status = p.Mean, Feasible
				}
				row.Seconds = float64(rounds) * row.BCD / 1000
				lower = max(lower, p.Lower)
				c.Rows = append(c.Rows, row)
			}
			if err != nil {
				return c, err
			}
		}
		for k := first; k < len(c.Rows); k++ {
			r := &c.Rows[k]
			r.Lower = lower
			if lower > 0 {
				r.Gap = max(0, r.BCD/lower-1)
			}
			if reached(r.BCD, lower) {
				r.Status, r.Gap = Optimal, 0
			}
		}
	}
	return c, nil
}

// String writes the best row of each topology in one line.
func (c *Comparison) String() string {
	var parts []string
	for k, r := range c.Rows {
		if k+1 == len(c.Rows) || c.Rows[k+1].Topology != r.Topology {
			best := r
			for _, q := range c.Rows {
				if q.Topology == r.Topology && q.BCD < best.BCD {
					best = q
				}
			}
			parts = append(parts, fmt.Sprintf("%s %.4g ms by %s", best.Topology, best.BCD, best.Method))
		}
	}
	name := c.Network
	if name == "" {
		name = "comparison"
	}
	return name + ": " + strings.Join(parts, ", ")
}
