package bound

import (
	"fmt"
	"math"
	"math/bits"
)

// Without returns the family of sets that hold neither both tests of any
// listed pair (overlapping slices, two versions of one model). Its linear
// maximum is a heaviest independent set, NP-hard in general: solved exactly,
// component by component, by branch and bound with a cover by cliques; fit
// for components of up to some 60 tests, more where they are sparse.
func Without(pairs [][2]int) *Family {
	return &Family{fmt.Sprintf("without %d excluded pairs", len(pairs)), &conflictKind{append([][2]int(nil), pairs...)}}
}

type conflictKind struct{ pairs [][2]int }

func (c *conflictKind) check(p int) error {
	for j, e := range c.pairs {
		if err := checkIndices(e[:], p, fmt.Sprintf("pair %d of Without", j)); err != nil {
			return err
		}
		if e[0] == e[1] {
			return errorf("a test excludes itself, in pair %d of Without (%d); leave the test out of the data instead", j, e[0])
		}
	}
	return nil
}

func (c *conflictKind) has(set []int) (bool, error) {
	in := make(map[int]bool, len(set))
	for _, i := range set {
		in[i] = true
	}
	for _, e := range c.pairs {
		if in[e[0]] && in[e[1]] {
			return false, nil
		}
	}
	return true, nil
}

// logSize counts a matching's pairs as three choices in place of four.
func (c *conflictKind) logSize(p int) float64 {
	used := make([]bool, p)
	matched := 0
	for _, e := range c.pairs {
		if !used[e[0]] && !used[e[1]] {
			used[e[0]], used[e[1]] = true, true
			matched++
		}
	}
	return float64(p-2*matched)*math.Ln2 + float64(matched)*math.Log(3)
}

func (c *conflictKind) oracle(p int) oracle {
	adj := make([][]int, p)
	for _, e := range c.pairs {
		adj[e[0]] = append(adj[e[0]], e[1])
		adj[e[1]] = append(adj[e[1]], e[0])
	}
	for i := range adj {
		adj[i] = sortedUnique(adj[i])
	}
	return &independent{adj: adj, mark: make([]int, p)}
}

// independent finds heaviest independent sets.
type independent struct {
	adj   [][]int
	mark  []int // component number of this call, 0 for not seen
	nodes int
	stack []int
}

// maxConflictNodes stops a search that would not end in a minute.
const maxConflictNodes = 20_000_000

func (s *independent) best(w []float64, out []int) ([]int, error) {
	clear(s.mark)
	s.nodes = 0
	for i, x := range w {
		if x <= 0 || s.mark[i] != 0 {
			continue
		}
		s.mark[i] = i + 1
		comp := []int{i}
		for h := 0; h < len(comp); h++ {
			for _, j := range s.adj[comp[h]] {
				if w[j] > 0 && s.mark[j] == 0 {
					s.mark[j] = i + 1
					comp = append(comp, j)
				}
			}
		}
		switch len(comp) {
		case 1:
			out = append(out, i)
		default:
			set, err := s.component(comp, w)
			if err != nil {
				return out, err
			}
			out = append(out, set...)
		}
	}
	return out, nil
}

// component solves one connected part over bit sets, heaviest test first.
func (s *independent) component(comp []int, w []float64) ([]int, error) {
	sortByWeight(comp, w)
	n := len(comp)
	words := (n + 63) / 64
	at := make(map[int]int, n)
	for k, i := range comp {
		at[i] = k
	}
	nbr := make([][]uint64, n)
	for k, i := range comp {
		nbr[k] = make([]uint64, words)
		for _, j := range s.adj[i] {
			if m, ok := at[j]; ok {
				nbr[k][m/64] |= 1 << (m % 64)
			}
		}
	}
	search := &cliqueCover{w: make([]float64, n), nbr: nbr, words: words}
	free := make([]uint64, words)
	for k, i := range comp {
		search.w[k] = w[i]
		free[k/64] |= 1 << (k % 64)
	}
	if !search.run(free, 0, &s.nodes) {
		return nil, errorf("independent set needs more than %d nodes, in Without (a component of %d tests); group overlapping tests with PerGroup, or list maximal sets with Sets", maxConflictNodes, n)
	}
	set := make([]int, len(search.bestSet))
	for k, m := range search.bestSet {
		set[k] = comp[m]
	}
	return set, nil
}

// cliqueCover is branch and bound: tests that exclude each other pairwise (a
// clique) count once, by the heaviest.
type cliqueCover struct {
	w       []float64
	nbr     [][]uint64
	words   int
	cur     []int
	best    float64
	bestSet []int
}

func (c *cliqueCover) run(free []uint64, value float64, nodes *int) bool {
	if *nodes++; *nodes > maxConflictNodes {
		return false
	}
	if value > c.best {
		c.best = value
		c.bestSet = append(c.bestSet[:0], c.cur...)
	}
	// Cover what is free by cliques, heaviest test first; order lists the
	// tests with the bound that holds for it and all before it.
	type entry struct {
		k     int
		bound float64
	}
	var order []entry
	rest := append([]uint64(nil), free...)
	bound := 0.0
	for {
		k := firstBit(rest)
		if k < 0 {
			break
		}
		bound += c.w[k]
		clique := append([]uint64(nil), c.nbr[k]...)
		for i := range clique {
			clique[i] &= rest[i]
		}
		rest[k/64] &^= 1 << (k % 64)
		order = append(order, entry{k, bound})
		for {
			m := firstBit(clique)
			if m < 0 {
				break
			}
			rest[m/64] &^= 1 << (m % 64)
			clique[m/64] &^= 1 << (m % 64)
			for i := range clique {
				clique[i] &= c.nbr[m][i]
			}
			order = append(order, entry{m, bound})
		}
	}
	left := append([]uint64(nil), free...)
	for i := len(order) - 1; i >= 0; i-- {
		e := order[i]
		if value+e.bound <= c.best {
			return true
		}
		next := make([]uint64, c.words)
		for j := range next {
			next[j] = left[j] &^ c.nbr[e.k][j]
		}
		next[e.k/64] &^= 1 << (e.k % 64)
		c.cur = append(c.cur, e.k)
		ok := c.run(next, value+c.w[e.k], nodes)
		c.cur = c.cur[:len(c.cur)-1]
		if !ok {
			return false
		}
		left[e.k/64] &^= 1 << (e.k % 64)
	}
	return true
}

func firstBit(b []uint64) int {
	for i, x := range b {
		if x != 0 {
			return i*64 + bits.TrailingZeros64(x)
		}
	}
	return -1
}
