package ring

import (
	"fmt"
	"math"
)

// Link is one directed link of a placement or tour.
type Link struct {
	From, To           int // physical nodes
	FromLabel, ToLabel string
	Round, Skip        int // of the topology; 0 and 1 for a tour
	Delay              float64
}

// String writes the link as "a → b 12.3 ms".
func (l Link) String() string {
	return fmt.Sprintf("%s → %s %.4g ms", l.FromLabel, l.ToLabel, l.Delay)
}

// BCD returns the bottleneck communication delay of a placement in ms and the
// slowest link of every round:
//
//	BCD(π) = (1/τ) Σ_l max_{i, s∈S_l} D[π(i)][π(i+s)]
//
// pi[i] is the physical node at virtual position i. With four nodes a, b, c, d
// numbered 0…3 and pi = {2, 0, 3, 1}, the ring sends c→a→d→b→c. It is an error
// if pi is not a permutation of the nodes. Cost O(n Σ|S_l|).
func BCD(d Delays, t Topology, pi []int) (float64, []float64, error) {
	tab, err := load(d, 0)
	if err != nil {
		return 0, nil, err
	}
	if err := t.matches(tab.n); err != nil {
		return 0, nil, err
	}
	if err := permutation(pi, tab.n); err != nil {
		return 0, nil, err
	}
	v, r := tab.bcd(t, pi)
	return v, r, nil
}

// permutation refuses anything but 0…n−1 in some order.
func permutation(pi []int, n int) error {
	if len(pi) != n {
		return fmt.Errorf("ring: the placement has %d entries for %d nodes; give each node one position", len(pi), n)
	}
	at := make([]int, n)
	for i := range at {
		at[i] = -1
	}
	for i, u := range pi {
		if u < 0 || u >= n {
			return fmt.Errorf("ring: position %d holds node %d; nodes are 0…%d", i, u, n-1)
		}
		if at[u] >= 0 {
			return fmt.Errorf("ring: node %d is at positions %d and %d; give each node one position", u, at[u], i)
		}
		at[u] = i
	}
	return nil
}

// bcd evaluates the definition, for input already checked.
func (t *table) bcd(g Topology, pi []int) (float64, []float64) {
	rounds := make([]float64, len(g.Rounds))
	sum := 0.0
	for l, skips := range g.Rounds {
		for _, s := range skips {
			rounds[l] = max(rounds[l], t.worst(pi, s))
		}
		sum += rounds[l]
	}
	return sum / float64(len(rounds)), rounds
}

// worst is the profile entry M[s]: the slowest link of skip s.
func (t *table) worst(pi []int, s int) float64 {
	w := 0.0
	n := t.n
	if t.d == nil {
		c := t.cloud
		for i, u := range pi {
			j := i + s
			if j >= n {
				j -= n
			}
			w = max(w, c.sq(u, pi[j]))
		}
		return c.round.of(w)
	}
	for i, u := range pi {
		j := i + s
		if j >= n {
			j -= n
		}
		if x := t.d[u*n+pi[j]]; x > w {
			w = x
		}
	}
	return w
}

// worstLinks returns the slowest link of every round.
func (t *table) worstLinks(g Topology, pi []int) []Link {
	links := make([]Link, len(g.Rounds))
	for l, skips := range g.Rounds {
		best := math.Inf(-1)
		for _, s := range skips {
			for i, u := range pi {
				v := pi[(i+s)%t.n]
				if x := t.at(u, v); x > best {
					best = x
					links[l] = Link{From: u, To: v, FromLabel: t.label(u), ToLabel: t.label(v), Round: l, Skip: s, Delay: x}
				}
			}
		}
	}
	return links
}
