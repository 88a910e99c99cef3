package ring

import (
	"fmt"
	"math/bits"
	"strings"
)

// Topology is a circulant digraph in rounds: in round l, virtual node i sends
// to i+s mod n for every skip s of Rounds[l]. Rounds repeat cyclically.
// Positions are virtual nodes; a placement says which physical node sits where.
type Topology struct {
	Name   string
	N      int
	Rounds [][]int // skips, each within 1…n−1
}

// Ring returns the directed ring: one round, skip 1.
func Ring(n int) Topology {
	return Topology{"ring", n, rounds(n, [][]int{{1}})}
}

// Exponential returns the static exponential graph: one round with the skips
// 1, 2, 4, … below n.
func Exponential(n int) Topology {
	return Topology{"exponential", n, rounds(n, [][]int{powers(n)})}
}

// OnePeer returns the 1-peer exponential graph: rounds 1, 2, 4, … below n, one
// skip each. Averaging is exact after one cycle where n is a power of two.
func OnePeer(n int) Topology {
	var r [][]int
	for _, s := range powers(n) {
		r = append(r, []int{s})
	}
	return Topology{"1-peer exponential", n, rounds(n, r)}
}

// SparseExponential returns one round with two skips: 1 and the second largest
// power of two below n (n = 87: 1 and 32).
func SparseExponential(n int) Topology {
	p := powers(n)
	s := []int{1}
	if len(p) >= 2 && p[len(p)-2] != 1 {
		s = append(s, p[len(p)-2])
	}
	return Topology{"sparse exponential", n, rounds(n, [][]int{s})}
}

// Circulant returns C_n(skips): one round with those skips, each taken mod n.
func Circulant(n int, skips ...int) Topology {
	var s []int
	for _, k := range skips {
		if n > 0 {
			k = ((k % n) + n) % n
		}
		s = append(s, k)
	}
	return Topology{"circulant", n, [][]int{s}}
}

// KPeer returns the k-peer exponential graph: the skips 1, 2, 4, … below n, k
// of them a round, in order. k = 1 is OnePeer, k ≥ log₂n is Exponential.
func KPeer(n, k int) Topology {
	t := Topology{Name: fmt.Sprintf("%d-peer exponential", k), N: n}
	if k < 1 {
		return t
	}
	var r [][]int
	for p := powers(n); len(p) > 0; {
		m := min(k, len(p))
		r = append(r, p[:m:m])
		p = p[m:]
	}
	t.Rounds = rounds(n, r)
	return t
}

// powers returns 1, 2, 4, … below n.
func powers(n int) []int {
	var p []int
	for s := 1; s < n; s *= 2 {
		p = append(p, s)
	}
	return p
}

// rounds keeps the rounds of a graph with at least two nodes.
func rounds(n int, r [][]int) [][]int {
	if n < 2 {
		return nil
	}
	return r
}

// Check returns an error that says what is wrong with the topology, if
// anything is.
func (t Topology) Check() error {
	if t.N < 2 {
		return fmt.Errorf("ring: topology %q has %d nodes; at least 2 are needed to communicate", t.Name, t.N)
	}
	if len(t.Rounds) == 0 {
		return fmt.Errorf("ring: topology %q has no rounds; give at least one set of skips", t.Name)
	}
	if len(t.Rounds) > 63 {
		return fmt.Errorf("ring: topology %q has %d rounds; at most 63 are handled", t.Name, len(t.Rounds))
	}
	for l, skips := range t.Rounds {
		if len(skips) == 0 {
			return fmt.Errorf("ring: round %d of topology %q has no skip; give at least one of 1…%d", l, t.Name, t.N-1)
		}
		seen := map[int]bool{}
		for _, s := range skips {
			if s < 1 || s >= t.N {
				return fmt.Errorf("ring: round %d of topology %q has skip %d; skips of %d nodes lie in 1…%d", l, t.Name, s, t.N, t.N-1)
			}
			if seen[s] {
				return fmt.Errorf("ring: round %d of topology %q has skip %d twice; list it once", l, t.Name, s)
			}
			seen[s] = true
		}
	}
	return nil
}

// NeedsRing returns an error if round l is not one directed ring through all
// nodes; it names the skip and its common divisor with n.
func (t Topology) NeedsRing(l int) error {
	if err := t.Check(); err != nil {
		return err
	}
	if l < 0 || l >= len(t.Rounds) || len(t.Rounds[l]) != 1 {
		return fmt.Errorf("ring: round %d of topology %q is not a single skip; a ring needs one", l, t.Name)
	}
	if s := t.Rounds[l][0]; gcd(s, t.N) != 1 {
		return fmt.Errorf("ring: skip %d has the divisor %d in common with n = %d, so it makes %d separate rings; a ring needs a skip coprime to n",
			s, gcd(s, t.N), t.N, gcd(s, t.N))
	}
	return nil
}

// String describes the topology in one line.
func (t Topology) String() string {
	var r []string
	for _, s := range t.Rounds {
		r = append(r, strings.Trim(fmt.Sprint(s), "[]"))
	}
	return fmt.Sprintf("%s(%d): skips {%s}", t.Name, t.N, strings.Join(r, "} {"))
}

// union returns the distinct skips of the rounds in mask.
func (t Topology) union(mask uint64) []int {
	var skips []int
	seen := map[int]bool{}
	for l := range t.Rounds {
		if mask>>l&1 == 0 {
			continue
		}
		for _, s := range t.Rounds[l] {
			if !seen[s] {
				seen[s] = true
				skips = append(skips, s)
			}
		}
	}
	return skips
}

// offsets returns the distinct offsets ±s mod n in increasing order: the
// positions that position 0 exchanges messages with.
func offsets(n int, skips []int) []int {
	seen := make([]bool, n)
	for _, s := range skips {
		seen[s%n], seen[(n-s%n)%n] = true, true
	}
	var o []int
	for d := 1; d < n; d++ {
		if seen[d] {
			o = append(o, d)
		}
	}
	return o
}

// hops returns the number of steps along skips, in either direction, from
// position 0 to every position; -1 where none leads there.
func hops(n int, skips []int) []int {
	h := make([]int, n)
	for i := range h {
		h[i] = -1
	}
	h[0] = 0
	queue := []int{0}
	o := offsets(n, skips)
	for k := 0; k < len(queue); k++ {
		for _, s := range o {
			if v := (queue[k] + s) % n; h[v] < 0 {
				h[v] = h[queue[k]] + 1
				queue = append(queue, v)
			}
		}
	}
	return h
}

// joined tells whether the skips join all n positions.
func joined(n int, skips []int) bool {
	g := n
	for _, s := range skips {
		g = gcd(g, s)
	}
	return g == 1
}

// hamiltonian tells whether one of the skips alone is a ring through all.
func hamiltonian(n int, skips []int) bool {
	for _, s := range skips {
		if gcd(s, n) == 1 {
			return true
		}
	}
	return false
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// log2up returns the least k with 2^k ≥ n.
func log2up(n int) int { return bits.Len(uint(n - 1)) }

// fold returns the shorter way round, min(d, n−d).
func fold(d, n int) int { return min(d, n-d) }

// matches refuses delays and topologies of different size.
func (t Topology) matches(n int) error {
	if err := t.Check(); err != nil {
		return err
	}
	if t.N != n {
		return fmt.Errorf("ring: topology %q has %d nodes and the delays have %d; make the topology with n = %d", t.Name, t.N, n, n)
	}
	return nil
}
