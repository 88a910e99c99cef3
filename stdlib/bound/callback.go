package bound

import (
	"math"
)

// Matroid returns the family of independent sets of a matroid, given by a
// test: independent takes a batch of sets (sorted indices) and says of each
// whether it is independent. Greed with this test is then exact. Fit and
// Densest check on random sets that the empty set passes, that parts of
// independent sets pass and that a smaller one can be extended from a larger
// one, and report the sets that contradict. Called from one goroutine.
func Matroid(name string, independent func(sets [][]int) []bool) *Family {
	return &Family{name, &matroidKind{name, independent}}
}

type matroidKind struct {
	name        string
	independent func([][]int) []bool
}

func (m *matroidKind) ask(sets [][]int) ([]bool, error) {
	if len(sets) == 0 {
		return nil, nil
	}
	ok := m.independent(sets)
	if len(ok) != len(sets) {
		return nil, errorf("wrong number of answers, in matroid %q (%d answers for %d sets); return one bool a set", m.name, len(ok), len(sets))
	}
	return ok, nil
}

// check looks for a contradiction to the axioms of a matroid on random sets.
func (m *matroidKind) check(p int) error {
	if m.independent == nil {
		return errorf("no independence test, in matroid %q (nil); give a function of batches of sets", m.name)
	}
	ok, err := m.ask([][]int{{}})
	if err != nil {
		return err
	}
	if !ok[0] {
		return errorf("the empty set is called dependent, in matroid %q ([]); every part of a member must be a member", m.name)
	}
	const rounds = 24
	r := newStream(0x6d6174, 0)
	ws := make([][]float64, 2*rounds)
	for b := range ws {
		ws[b] = make([]float64, p)
		for i := range ws[b] {
			ws[b][i] = r.norm() + float64(b%3) // some small sets, some bases
		}
	}
	bases, err := m.bestBatch(ws)
	if err != nil {
		return err
	}
	// Parts: drop one random member; then a random half.
	var parts [][]int
	var whole [][]int
	for _, s := range bases {
		if len(s) == 0 {
			continue
		}
		s = sortedUnique(s)
		k := r.intn(len(s))
		parts = append(parts, append(append([]int{}, s[:k]...), s[k+1:]...))
		whole = append(whole, s)
		half := []int{}
		for _, i := range s {
			if r.uint64()&1 == 0 {
				half = append(half, i)
			}
		}
		parts = append(parts, half)
		whole = append(whole, s)
	}
	ok, err = m.ask(parts)
	if err != nil {
		return err
	}
	for k, good := range ok {
		if !good {
			return errorf("not downward closed, in matroid %q (%v passes, its part %v does not); every part of a member must be a member", m.name, brief(whole[k]), brief(parts[k]))
		}
	}
	// Exchange: a smaller part can take a test from a larger member.
	for k := 0; k+1 < len(parts); k++ {
		small, large := parts[k], whole[k+1]
		if len(small) >= len(large) {
			continue
		}
		var grown [][]int
		for _, i := range large {
			if g := sortedUnique(append(append([]int{}, small...), i)); len(g) > len(small) {
				grown = append(grown, g)
			}
		}
		ok, err := m.ask(grown)
		if err != nil {
			return err
		}
		any := false
		for _, good := range ok {
			any = any || good
		}
		if !any {
			return errorf("not a matroid, in %q (%v cannot be extended from the larger %v); greed would miss the maximum: give the family by Oracle instead", m.name, brief(small), brief(large))
		}
	}
	return nil
}

func brief(set []int) []int {
	if len(set) > 12 {
		return set[:12]
	}
	return set
}

func (m *matroidKind) has(set []int) (bool, error) {
	ok, err := m.ask([][]int{set})
	if err != nil {
		return false, err
	}
	return ok[0], nil
}

func (m *matroidKind) logSize(p int) float64 { return float64(p) * math.Ln2 }

// bestBatch runs greed for all weight vectors in step, so that a step costs
// one call of the test.
func (m *matroidKind) bestBatch(ws [][]float64) ([][]int, error) {
	return m.greedy(ws, true)
}

func (m *matroidKind) greedy(ws [][]float64, positiveOnly bool) ([][]int, error) {
	sets := make([][]int, len(ws)) // in the order taken
	sorted := make([][]int, len(ws))
	orders := make([][]int, len(ws))
	longest := 0
	for b, w := range ws {
		sets[b] = []int{}
		for i, x := range w {
			if x > 0 || !positiveOnly {
				orders[b] = append(orders[b], i)
			}
		}
		sortByWeight(orders[b], w)
		longest = max(longest, len(orders[b]))
	}
	ask := make([][]int, 0, len(ws))
	who := make([]int, 0, len(ws))
	for step := 0; step < longest; step++ {
		ask, who = ask[:0], who[:0]
		for b := range ws {
			if step < len(orders[b]) {
				ask = append(ask, insert(sorted[b], orders[b][step]))
				who = append(who, b)
			}
		}
		ok, err := m.ask(ask)
		if err != nil {
			return nil, err
		}
		for k, b := range who {
			if ok[k] {
				sorted[b] = ask[k]
				sets[b] = append(sets[b], orders[b][step])
			}
		}
	}
	return sets, nil
}

// insert returns a copy of sorted s with i added.
func insert(s []int, i int) []int {
	out := make([]int, len(s)+1)
	k := 0
	for k < len(s) && s[k] < i {
		out[k] = s[k]
		k++
	}
	out[k] = i
	copy(out[k+1:], s[k:])
	return out
}

// orderer lets a matroid serve where sizes matter; there it is asked one
// weight vector at a time.
func (m *matroidKind) orderer(p int) orderer { return &matroidOrder{m: m} }

type matroidOrder struct {
	m   *matroidKind
	err error // first failure of the user's test
}

// orderError returns what went wrong in a user's test while it was asked for
// orders.
func orderError(o orderer) error {
	if m, ok := o.(*matroidOrder); ok {
		return m.err
	}
	return nil
}

func (o *matroidOrder) order(w []float64, out []int) []int {
	sets, err := o.m.greedy([][]float64{w}, false)
	if err != nil {
		if o.err == nil {
			o.err = err
		}
		return out
	}
	return append(out, sets[0]...)
}

// Oracle returns a family known only by its linear oracle: best takes a batch
// of weight vectors and returns for each a member of the family of largest
// Σ w_i, exactly (indices of tests; the empty set if nothing has positive
// weight and the family holds it). The family need not be downward closed.
// Answers are checked: indices, repeats, and that no earlier answer is worth
// more under later weights. Called from one goroutine.
func Oracle(name string, best func(ws [][]float64) [][]int) *Family {
	return &Family{name, &oracleKind{name, best}}
}

type oracleKind struct {
	name string
	user func([][]float64) [][]int
}

func (o *oracleKind) check(p int) error {
	if o.user == nil {
		return errorf("no function, in oracle %q (nil); give a function of batches of weights", o.name)
	}
	// Probe: answers to random weights must not be beaten by each other.
	const rounds = 16
	r := newStream(0x6f7261, 0)
	ws := make([][]float64, rounds)
	for b := range ws {
		ws[b] = make([]float64, p)
		for i := range ws[b] {
			ws[b][i] = r.norm() + float64(b%3-1)
		}
	}
	sets, err := o.bestBatch(ws)
	if err != nil {
		return err
	}
	for a, w := range ws {
		for b, s := range sets {
			if va, vb := weightOf(sets[a], w), weightOf(s, w); vb > va+1e-9*(1+math.Abs(va)) {
				return errorf("answer is not the maximum, in oracle %q (%v of weight %.6g, while its own answer %v weighs %.6g); the bound would be too narrow: return the heaviest member", o.name, brief(sets[a]), va, brief(sets[b]), vb)
			}
		}
	}
	return nil
}

func weightOf(set []int, w []float64) float64 {
	sum := 0.0
	for _, i := range set {
		sum += w[i]
	}
	return sum
}

// has asks for the set itself: with weight 1 inside and a large loss outside
// only the set reaches its size.
func (o *oracleKind) has(set []int) (bool, error) {
	p := 0
	for _, i := range set {
		p = max(p, i+1)
	}
	return o.hasOf(set, p)
}

func (o *oracleKind) hasOf(set []int, p int) (bool, error) {
	w := make([]float64, p)
	for i := range w {
		w[i] = -float64(p + 1)
	}
	for _, i := range set {
		w[i] = 1
	}
	sets, err := o.bestBatch([][]float64{w})
	if err != nil {
		return false, err
	}
	return len(sets[0]) == len(set) && within(set, sortedUnique(sets[0])), nil
}

func (o *oracleKind) logSize(p int) float64 { return float64(p) * math.Ln2 }

func (o *oracleKind) bestBatch(ws [][]float64) ([][]int, error) {
	if len(ws) == 0 {
		return nil, nil
	}
	sets := o.user(ws)
	if len(sets) != len(ws) {
		return nil, errorf("wrong number of answers, in oracle %q (%d answers for %d weight vectors); return one set each", o.name, len(sets), len(ws))
	}
	seen := make([]int, len(ws[0]))
	for b, s := range sets {
		for _, i := range s {
			if i < 0 || i >= len(ws[b]) {
				return nil, errorf("no such test, in an answer of oracle %q (%d); indices run from 0 to %d", o.name, i, len(ws[b])-1)
			}
			if seen[i] == b+1 {
				return nil, errorf("a test twice, in an answer of oracle %q (%d); return a set", o.name, i)
			}
			seen[i] = b + 1
		}
	}
	return sets, nil
}
