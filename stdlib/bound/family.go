package bound

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// Family is the collection F of sets of tests that a user may choose from,
// fixed before the data are seen. Make one with All, AtMost, PerGroup,
// Laminar, Matroid, Budget, Without, Sets or Oracle. All but Oracle are
// downward closed: a part of a member is a member. A Family may be shared by
// calls and goroutines.
type Family struct {
	Name string // what a printed line calls it
	kind kind
}

// kind is what distinguishes one family from another. oracle, ordered and
// batch say how its linear maximum is found; each kind has at least one.
type kind interface {
	check(p int) error           // refuses a description that does not fit p tests
	has(set []int) (bool, error) // set is sorted and without repeats
	logSize(p int) float64       // natural logarithm of the number of sets, from above
}

// oracle finds a member of largest linear weight, exactly. It belongs to one
// goroutine. best appends that set's members to out; tests of weight zero or
// less need not be in it.
type oracle interface {
	best(w []float64, out []int) ([]int, error)
}

type hasOracle interface{ oracle(p int) oracle }

// hasOrder marks the families where greed is exact (the matroids): order
// appends tests so that for each k the first k are the heaviest member of
// size k, whatever the sign of the weights.
type hasOrder interface{ orderer(p int) orderer }

type orderer interface {
	order(w []float64, out []int) []int
}

// batchOracle answers for many weight vectors in one call, for oracles whose
// single call is dear, as an interpreted function's is.
type batchOracle interface {
	bestBatch(ws [][]float64) ([][]int, error)
}

// All returns the family of all subsets.
func All() *Family { return &Family{"all subsets", allKind{}} }

type allKind struct{}

func (allKind) check(int) error         { return nil }
func (allKind) has([]int) (bool, error) { return true, nil }
func (allKind) logSize(p int) float64   { return float64(p) * math.Ln2 }
func (allKind) oracle(int) oracle       { return positive{} }
func (allKind) orderer(p int) orderer   { return &topK{k: p} }

// positive keeps what has positive weight.
type positive struct{}

func (positive) best(w []float64, out []int) ([]int, error) {
	for i, x := range w {
		if x > 0 {
			out = append(out, i)
		}
	}
	return out, nil
}

// AtMost returns the family of sets of at most k tests. A k above the number
// of tests is the same as All; a negative k is an error when used.
func AtMost(k int) *Family { return &Family{fmt.Sprintf("at most %d", k), capKind{k}} }

type capKind struct{ k int }

func (c capKind) check(int) error {
	if c.k < 0 {
		return errorf("size limit is negative, in AtMost (%d); give the largest number of tests a set may have", c.k)
	}
	return nil
}
func (c capKind) has(set []int) (bool, error) { return len(set) <= c.k, nil }
func (c capKind) logSize(p int) float64       { return logSubsets(p, c.k) }
func (c capKind) oracle(p int) oracle         { return &topK{k: min(c.k, p)} }
func (c capKind) orderer(p int) orderer       { return &topK{k: min(c.k, p)} }

// logSubsets returns ln Σ_{j≤k} C(p, j).
func logSubsets(p, k int) float64 {
	if k >= p {
		return float64(p) * math.Ln2
	}
	lp, _ := math.Lgamma(float64(p + 1))
	sum, peak := 0.0, math.Inf(-1)
	for j := k; j >= 0; j-- {
		a, _ := math.Lgamma(float64(j + 1))
		b, _ := math.Lgamma(float64(p - j + 1))
		l := lp - a - b
		if l > peak {
			sum, peak = sum*math.Exp(peak-l)+1, l
		} else {
			d := math.Exp(l - peak)
			sum += d
			if d < 1e-17 {
				break
			}
		}
	}
	return peak + math.Log(sum)
}

// topK is the oracle of a size limit: the k heaviest positive weights, found
// by selection rather than a sort.
type topK struct {
	k    int
	pool []int
}

func (t *topK) best(w []float64, out []int) ([]int, error) {
	t.pool = t.pool[:0]
	for i, x := range w {
		if x > 0 {
			t.pool = append(t.pool, i)
		}
	}
	if len(t.pool) > t.k {
		selectTop(t.pool, w, t.k)
		t.pool = t.pool[:t.k]
	}
	return append(out, t.pool...), nil
}

func (t *topK) order(w []float64, out []int) []int {
	t.pool = t.pool[:0]
	for i := range w {
		t.pool = append(t.pool, i)
	}
	if len(t.pool) > t.k {
		selectTop(t.pool, w, t.k)
		t.pool = t.pool[:t.k]
	}
	sortByWeight(t.pool, w)
	return append(out, t.pool...)
}

// sortByWeight sorts tests by falling weight, equal weights by index, so that
// the order is one whatever the sort does with ties.
func sortByWeight(ids []int, w []float64) {
	slices.SortFunc(ids, func(i, j int) int {
		switch x, y := w[i], w[j]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return i - j
	})
}

// selectTop moves the k heaviest of ids to the front (quickselect, pivot by
// the median of three; equal weights in any order).
func selectTop(ids []int, w []float64, k int) {
	lo, hi := 0, len(ids)
	for hi-lo > 1 && k > lo && k < hi {
		a, b, c := w[ids[lo]], w[ids[(lo+hi)/2]], w[ids[hi-1]]
		pivot := max(min(a, b), min(max(a, b), c))
		// Three parts: heavier, equal, lighter. The equal part keeps ties from
		// costing quadratic time.
		i, g, l := lo, lo, hi
		for i < l {
			switch x := w[ids[i]]; {
			case x > pivot:
				ids[i], ids[g] = ids[g], ids[i]
				i++
				g++
			case x < pivot:
				l--
				ids[i], ids[l] = ids[l], ids[i]
			default:
				i++
			}
		}
		switch {
		case k <= g:
			hi = g
		case k >= l:
			lo = l
		default:
			return
		}
	}
}

// Sets returns the family of all parts of the listed sets (its maximal
// members). Members are indices of tests from 0.
func Sets(maximal [][]int) *Family {
	own := make([][]int, len(maximal))
	for i, s := range maximal {
		own[i] = sortedUnique(s)
	}
	return &Family{fmt.Sprintf("parts of %d listed sets", len(own)), &setsKind{own}}
}

type setsKind struct{ maximal [][]int }

func (s *setsKind) check(p int) error {
	if len(s.maximal) == 0 {
		return errorf("no set is listed, in Sets (0); list the maximal sets, or use All")
	}
	for j, m := range s.maximal {
		if err := checkIndices(m, p, fmt.Sprintf("set %d of Sets", j)); err != nil {
			return err
		}
	}
	return nil
}

func (s *setsKind) has(set []int) (bool, error) {
	for _, m := range s.maximal {
		if within(set, m) {
			return true, nil
		}
	}
	return false, nil
}

func (s *setsKind) logSize(p int) float64 {
	longest := 0
	for _, m := range s.maximal {
		longest = max(longest, len(m))
	}
	return min(float64(longest)*math.Ln2+math.Log(float64(len(s.maximal))), float64(p)*math.Ln2)
}

func (s *setsKind) oracle(int) oracle { return s }

func (s *setsKind) best(w []float64, out []int) ([]int, error) {
	top, at := 0.0, -1
	for j, m := range s.maximal {
		sum := 0.0
		for _, i := range m {
			sum += max(w[i], 0)
		}
		if sum > top {
			top, at = sum, j
		}
	}
	if at >= 0 {
		for _, i := range s.maximal[at] {
			if w[i] > 0 {
				out = append(out, i)
			}
		}
	}
	return out, nil
}

// within says whether sorted a is a part of sorted b.
func within(a, b []int) bool {
	j := 0
	for _, x := range a {
		for j < len(b) && b[j] < x {
			j++
		}
		if j == len(b) || b[j] != x {
			return false
		}
	}
	return true
}

// sortedUnique returns a sorted copy of set without repeats.
func sortedUnique(set []int) []int {
	s := append([]int(nil), set...)
	sort.Ints(s)
	n := 0
	for i, x := range s {
		if i == 0 || x != s[i-1] {
			s[n] = x
			n++
		}
	}
	return s[:n]
}

// checkIndices refuses an index outside 0…p−1.
func checkIndices(set []int, p int, where string) error {
	for _, i := range set {
		if i < 0 || i >= p {
			return errorf("no such test, in %s (%d); indices run from 0 to %d", where, i, p-1)
		}
	}
	return nil
}

func errorf(format string, args ...any) error {
	return fmt.Errorf("bound: "+format, args...)
}
