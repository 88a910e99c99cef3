package bound

import (
	"fmt"
	"math"
	"sort"
)

// Budget returns the family of sets whose total cost is at most limit:
// cost[i] ≥ 0 is what test i costs. Its linear maximum is a 0/1 knapsack,
// NP-hard in general: solved exactly by branch and bound, which gives up
// after Options.Nodes nodes; with Slack > 0 a fully polynomial scheme takes
// over there.
func Budget(cost []float64, limit float64) *Family {
	return &Family{fmt.Sprintf("total cost at most %g", limit), &budgetKind{append([]float64(nil), cost...), limit}}
}

type budgetKind struct {
	cost  []float64
	limit float64
}

func (b *budgetKind) check(p int) error {
	if len(b.cost) != p {
		return errorf("lengths differ, in Budget (%d costs, %d tests); give a cost for every test", len(b.cost), p)
	}
	for i, c := range b.cost {
		if !(c >= 0) || math.IsInf(c, 0) {
			return errorf("cost must be finite and 0 or more, in Budget at test %d (%v); with a negative cost a part of an affordable set could be too dear", i, c)
		}
	}
	if !(b.limit >= 0) {
		return errorf("limit must be 0 or more, in Budget (%v); give what a set may cost in all", b.limit)
	}
	return nil
}

// slackCost lets a sum of costs that equals the limit but for rounding pass.
func (b *budgetKind) slackCost() float64 { return b.limit * (1 + 1e-12) }

func (b *budgetKind) has(set []int) (bool, error) {
	sum := 0.0
	for _, i := range set {
		sum += b.cost[i]
	}
	return sum <= b.slackCost(), nil
}

func (b *budgetKind) logSize(p int) float64 {
	sorted := append([]float64(nil), b.cost...)
	sort.Float64s(sorted)
	k, sum := 0, 0.0
	for _, c := range sorted {
		if sum += c; sum > b.slackCost() {
			break
		}
		k++
	}
	return logSubsets(p, k)
}

func (b *budgetKind) oracle(int) oracle { return &knapsack{budgetKind: b} }

// knapsack solves max Σ w_i over a budget. Items run by falling w/cost, so
// that filling the rest of the budget with the next items, the last one in
// part, is the relaxation's bound (Dantzig 1957).
type knapsack struct {
	*budgetKind
	nodes  int // limit on branch-and-bound nodes, 0 means 2,000,000
	items  []item
	take   []bool
	chosen []bool
}

type item struct {
	id   int
	w, c float64
}

func (k *knapsack) best(w []float64, out []int) ([]int, error) {
	out, _, err := k.bestWithin(w, 0, out)
	return out, err
}

// bestWithin appends a set of value ≥ (1−eta)·optimum and says whether branch
// and bound proved it; with eta > 0 the dynamic program takes over when the
// node limit is reached, with eta = 0 that is an error.
func (k *knapsack) bestWithin(w []float64, eta float64, out []int) ([]int, bool, error) {
	limit := k.slackCost()
	k.items = k.items[:0]
	for i, x := range w {
		if x <= 0 {
			continue
		}
		if c := k.cost[i]; c == 0 {
			out = append(out, i)
		} else if c <= limit {
			k.items = append(k.items, item{i, x, c})
		}
	}
	sort.Sort(byDensity(k.items))
	done := k.branch(limit, eta)
	if !done {
		if eta == 0 {
			return out, false, errorf("knapsack needs more than %d nodes, in Budget (%d tests of positive weight); set Options.Slack, say 0.005, for the polynomial scheme", k.nodeLimit(), len(k.items))
		}
		k.dynamic(limit, eta)
	}
	for j, t := range k.chosen[:len(k.items)] {
		if t {
			out = append(out, k.items[j].id)
		}
	}
	return out, done, nil
}

func (k *knapsack) nodeLimit() int {
	if k.nodes > 0 {
		return k.nodes
	}
	return 2_000_000
}

type byDensity []item

func (b byDensity) Len() int      { return len(b) }
func (b byDensity) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b byDensity) Less(i, j int) bool {
	x, y := b[i].w*b[j].c, b[j].w*b[i].c
	return x > y || x == y && b[i].id < b[j].id
}

// branch is a depth-first search that takes the next item first. It leaves
// the best choice in chosen and reports whether it came to the end.
func (k *knapsack) branch(limit, eta float64) bool {
	n := len(k.items)
	k.take = resize(k.take, n)
	k.chosen = resize(k.chosen, n)
	clear(k.take)
	clear(k.chosen)
	bound := func(j int, room float64) float64 {
		sum := 0.0
		for ; j < n; j++ {
			if it := &k.items[j]; it.c <= room {
				room -= it.c
				sum += it.w
			} else {
				return sum + it.w*room/it.c
			}
		}
		return sum
	}
	best, value, room := 0.0, 0.0, limit
	limitNodes := k.nodeLimit()
	j := 0
	for nodes := 0; ; nodes++ {
		if nodes > limitNodes {
			return false
		}
		// Go down: take what fits.
		for j < n && k.items[j].c <= room {
			k.take[j] = true
			room -= k.items[j].c
			value += k.items[j].w
			j++
		}
		if value > best {
			best = value
			copy(k.chosen, k.take)
		}
		if j < n && (value+bound(j+1, room))*(1-eta) > best {
			j++ // leave item j out
			continue
		}
		// Go back: leave out the last item taken, where that can still pay.
		for {
			j--
			for j >= 0 && !k.take[j] {
				j--
			}
			if j < 0 {
				return true
			}
			k.take[j] = false
			room += k.items[j].c
			value -= k.items[j].w
			if (value+bound(j+1, room))*(1-eta) > best*(1+1e-15) {
				break
			}
		}
		j++
	}
}

// dynamic is the fully polynomial scheme: values scaled so that the loss is
// at most eta of the optimum, least cost for each scaled value. The greedy
// value, at least half of the optimum, bounds the table: O(n²/eta) time.
func (k *knapsack) dynamic(limit, eta float64) {
	n := len(k.items)
	greedy, top, room := 0.0, 0.0, limit
	for _, it := range k.items {
		if it.c <= room {
			room -= it.c
			greedy += it.w
		}
		top = max(top, it.w)
	}
	lower := max(greedy, top) // ≥ optimum/2
	unit := eta * lower / float64(n)
	size := int(2*lower/unit) + 2
	cost := make([]float64, size)
	for s := 1; s < size; s++ {
		cost[s] = math.Inf(1)
	}
	words := (size + 63) / 64
	took := make([]uint64, n*words)
	for j, it := range k.items {
		g := int(it.w / unit)
		for s := size - 1; s >= g; s-- {
			if c := cost[s-g] + it.c; c < cost[s] && c <= limit {
				cost[s] = c
				took[j*words+s/64] |= 1 << (s % 64)
			}
		}
	}
	s := size - 1
	for s > 0 && math.IsInf(cost[s], 1) {
		s--
	}
	sum, got := 0.0, make([]bool, n)
	for j := n - 1; j >= 0; j-- {
		if took[j*words+s/64]>>(s%64)&1 == 1 {
			got[j] = true
			sum += k.items[j].w
			s -= int(k.items[j].w / unit)
		}
	}
	have := 0.0
	for j, t := range k.chosen[:n] {
		if t {
			have += k.items[j].w
		}
	}
	if sum > have {
		copy(k.chosen, got)
	}
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
