package ring

import (
	"fmt"
	"math"
	"math/cmplx"
)

// Spectrum returns the eigenvalues of the mixing matrix of every round l,
//
//	λ_j = (1 + Σ_{s∈S_l} e^{2πi s j/n}) / (|S_l|+1),  j = 0…n−1,
//
// of W_l = (I + Σ P^s)/(|S_l|+1), which is circulant and doubly stochastic.
// They are computed from the formula, exact but for rounding; nil for a
// topology that Check refuses.
func (t Topology) Spectrum() [][]complex128 {
	if t.Check() != nil {
		return nil
	}
	root := make([]complex128, t.N)
	for k := range root {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(t.N))
		root[k] = complex(cos, sin)
	}
	out := make([][]complex128, len(t.Rounds))
	for l, skips := range t.Rounds {
		out[l] = make([]complex128, t.N)
		for j := range out[l] {
			sum := complex(1, 0)
			for _, s := range skips {
				sum += root[int(int64(s)*int64(j)%int64(t.N))]
			}
			out[l][j] = sum / complex(float64(len(skips)+1), 0)
		}
	}
	return out
}

// logModuli returns log|λ_j| for j = 1…n/2 (the rest is conjugate), −Inf
// where λ_j is 0.
func (t Topology) logModuli() [][]float64 {
	out := make([][]float64, len(t.Rounds))
	for l, lambda := range t.Spectrum() {
		for _, x := range lambda[1 : t.N/2+1] {
			m := cmplx.Abs(x)
			if m < 1e-14 {
				m = 0
			}
			out[l] = append(out[l], math.Log(m))
		}
	}
	return out
}

// ConsensusError returns the largest factor by which the deviation from the
// mean can have shrunk after r rounds: max_{j≠0} Π_{l<r} |λ_j^(l)|, rounds
// taken cyclically. It is 1 for r = 0 and NaN for a topology that Check refuses.
func (t Topology) ConsensusError(r int) float64 {
	if t.Check() != nil || r < 0 {
		return math.NaN()
	}
	return math.Exp(worstLog(t.logModuli(), r))
}

func worstLog(logs [][]float64, r int) float64 {
	tau := len(logs)
	worst := math.Inf(-1)
	for j := range logs[0] {
		sum := 0.0
		for l := range logs {
			times := r / tau
			if l < r%tau {
				times++
			}
			if times > 0 {
				sum += float64(times) * logs[l][j]
			}
		}
		worst = max(worst, sum)
	}
	return worst
}

// RoundsTo returns the least number of rounds after which the consensus error
// is at most eps (0 < eps < 1), from the spectrum; −1 where the topology never
// mixes (its skips do not join all nodes) or is refused by Check. On n = 2^m
// nodes the 1-peer exponential graph takes m rounds for any eps.
func (t Topology) RoundsTo(eps float64) int {
	if t.Check() != nil || !(eps > 0 && eps < 1) {
		return -1
	}
	logs := t.logModuli()
	goal := math.Log(eps)
	// The error never grows, so double and bisect.
	hi := 1
	for worstLog(logs, hi) > goal {
		if hi *= 2; hi > 1<<50 {
			return -1
		}
		if hi > 1<<20 && worstLog(logs, hi) > -1e-9 {
			return -1
		}
	}
	lo := hi / 2
	for lo+1 < hi {
		m := (lo + hi) / 2
		if worstLog(logs, m) <= goal {
			hi = m
		} else {
			lo = m
		}
	}
	return hi
}

// Mixing is a sequence of symmetric averaging rounds that need not be
// circulant, for comparison of mixing: in a round, the two ends of a link move
// toward each other by its weight.
type Mixing struct {
	Name   string
	N      int
	Rounds [][]MixLink
}

// MixLink joins nodes A and B with weight W = W_AB = W_BA; what is left to 1 at
// a node is its own weight.
type MixLink struct {
	A, B int
	W    float64
}

// Base returns a Base-(k+1) graph: averaging rounds of degree at most k after
// which all n nodes hold the exact mean, for every n. After Takezawa et al.,
// "Beyond Exponential Graph" (2023); the order of the steps is this package's:
// n = a·K + m with K the largest power of k+1 up to n. The first a·K nodes
// average among themselves by digits while the other m do so recursively; one
// round then links each of the m to one node in each of the a blocks with weight
// K/n, after which every block has the global mean and averages once more.
func Base(n, k int) (*Mixing, error) {
	if n < 1 || k < 1 {
		return nil, fmt.Errorf("ring: base graph of %d nodes with degree %d; both must be at least 1", n, k)
	}
	nodes := identity(n)
	return &Mixing{Name: fmt.Sprintf("base-%d", k+1), N: n, Rounds: baseRounds(nodes, k)}, nil
}

func baseRounds(v []int, k int) [][]MixLink {
	n := len(v)
	if n == 1 {
		return nil
	}
	size := 1
	for size*(k+1) <= n {
		size *= k + 1
	}
	a := n / size
	m := n - a*size
	var rounds [][]MixLink
	for d := 1; d < size; d *= k + 1 {
		rounds = append(rounds, digitRound(v[:a*size], d, k+1))
	}
	if a > 1 {
		rounds = append(rounds, digitRound(v[:a*size], size, a))
	}
	if m == 0 {
		return rounds
	}
	for l, r := range baseRounds(v[a*size:], k) {
		if l == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[l] = append(rounds[l], r...)
	}
	var bridge []MixLink
	for i := 0; i < m; i++ {
		for b := 0; b < a; b++ {
			bridge = append(bridge, MixLink{v[a*size+i], v[b*size+i], float64(size) / float64(n)})
		}
	}
	rounds = append(rounds, bridge)
	for d := 1; d < size; d *= k + 1 {
		rounds = append(rounds, digitRound(v[:a*size], d, k+1))
	}
	return rounds
}

// digitRound averages the groups of base nodes whose indices differ only in the
// digit of weight d.
func digitRound(v []int, d, base int) []MixLink {
	var r []MixLink
	for i := range v {
		if i/d%base != 0 {
			continue
		}
		for x := 0; x < base; x++ {
			for y := x + 1; y < base; y++ {
				r = append(r, MixLink{v[i+x*d], v[i+y*d], 1 / float64(base)})
			}
		}
	}
	return r
}

// Apply averages the values x of all nodes by round r and returns the result.
func (m *Mixing) Apply(r int, x []float64) []float64 {
	y := append([]float64(nil), x...)
	if len(m.Rounds) == 0 || r < 0 || len(x) != m.N {
		return y
	}
	for _, e := range m.Rounds[r%len(m.Rounds)] {
		y[e.A] += e.W * (x[e.B] - x[e.A])
		y[e.B] += e.W * (x[e.A] - x[e.B])
	}
	return y
}

// Degree returns the largest number of links a node has in a round.
func (m *Mixing) Degree() int {
	most := 0
	for _, r := range m.Rounds {
		count := make([]int, m.N)
		for _, e := range r {
			count[e.A]++
			count[e.B]++
			most = max(most, count[e.A], count[e.B])
		}
	}
	return most
}

// RoundsTo returns the least number of rounds after which no unit vector
// deviates from its mean by more than eps times its first deviation; −1 where
// 100·n rounds do not get there. Cost O(n) vectors.
func (m *Mixing) RoundsTo(eps float64) int {
	if m.N < 2 {
		return 0
	}
	vectors := make([][]float64, m.N)
	for u := range vectors {
		vectors[u] = make([]float64, m.N)
		vectors[u][u] = 1
	}
	first := math.Sqrt(1 - 1/float64(m.N))
	for r := 0; r < 100*m.N; r++ {
		worst := 0.0
		for u := range vectors {
			vectors[u] = m.Apply(r, vectors[u])
			sum := 0.0
			for _, x := range vectors[u] {
				sum += (x - 1/float64(m.N)) * (x - 1/float64(m.N))
			}
			worst = max(worst, math.Sqrt(sum)/first)
		}
		if worst <= eps {
			return r + 1
		}
	}
	return -1
}
