package bound

import (
	"fmt"
	"math"
)

// PerGroup returns the family of sets that hold at most limit[g] tests of
// group g, where group[i] is the group of test i, from 0.
func PerGroup(group []int, limit []int) *Family {
	l := &laminarKind{what: "PerGroup", limit: append([]int(nil), limit...), parent: make([]int, len(limit)), p: len(group)}
	for g := range l.parent {
		l.parent[g] = -1
	}
	l.leaf = append([]int(nil), group...)
	for i, g := range group {
		if g < 0 || g >= len(limit) {
			l.err = errorf("group without a limit, in PerGroup at test %d (%d); %d limits are given, groups count from 0", i, g, len(limit))
		}
	}
	l.limitErr()
	return &Family{fmt.Sprintf("at most so many in each of %d groups", len(limit)), l}
}

// Laminar returns the family of sets that hold at most limit[j] tests of
// sets[j], where any two of the sets are disjoint or one holds the other (a
// tree of caps: at most 10 in all, 3 a team, 1 a person). p is the number of
// tests; a test in no set is free.
func Laminar(p int, sets [][]int, limit []int) *Family {
	f := &Family{Name: fmt.Sprintf("%d nested size limits", len(sets))}
	l := &laminarKind{what: "Laminar", p: p, limit: append([]int(nil), limit...), parent: make([]int, len(sets)), leaf: make([]int, max(p, 0))}
	f.kind = l
	if len(sets) != len(limit) {
		l.err = errorf("lengths differ, in Laminar (%d sets, %d limits); give a limit for each set", len(sets), len(limit))
		return f
	}
	own := make([][]int, len(sets))
	for j, s := range sets {
		own[j] = sortedUnique(s)
		if err := checkIndices(own[j], p, fmt.Sprintf("set %d of Laminar", j)); err != nil {
			l.err = err
			return f
		}
	}
	// The parent of a set is the smallest that holds it; of equal sets the
	// later is the parent, so that the tree has no loop.
	for i := range l.leaf {
		l.leaf[i] = -1
	}
	for j, s := range own {
		l.parent[j] = -1
		for k, t := range own {
			if j == k || len(s) == 0 {
				continue
			}
			inside := within(s, t) && (len(s) < len(t) || j < k)
			if inside && (l.parent[j] < 0 || len(t) < len(own[l.parent[j]]) || len(t) == len(own[l.parent[j]]) && k < l.parent[j]) {
				l.parent[j] = k
			}
			if !within(s, t) && !within(t, s) && meet(s, t) {
				l.err = errorf("two sets cross, in Laminar (%d and %d); any two must be disjoint or nested", j, k)
				return f
			}
		}
		for _, i := range s {
			if c := l.leaf[i]; c < 0 || len(s) < len(own[c]) {
				l.leaf[i] = j
			}
		}
	}
	l.limitErr()
	return f
}

func meet(a, b []int) bool {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			return true
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return false
}

// laminarKind is a tree of caps. Greed is exact for it (a laminar matroid).
type laminarKind struct {
	what   string
	p      int
	leaf   []int // leaf[i] is the innermost capped set of test i, −1 for none
	parent []int // parent[j] is the capped set just around j, −1 for none
	limit  []int
	err    error
}

func (l *laminarKind) limitErr() {
	for j, k := range l.limit {
		if k < 0 && l.err == nil {
			l.err = errorf("size limit is negative, in %s at %d (%d); limits are 0 or more", l.what, j, k)
		}
	}
}

func (l *laminarKind) check(p int) error {
	if l.err == nil && l.p != p {
		return errorf("lengths differ, in %s (made for %d tests, data have %d); give a group for every test", l.what, l.p, p)
	}
	return l.err
}

func (l *laminarKind) has(set []int) (bool, error) {
	used := make([]int, len(l.limit))
	for _, i := range set {
		for j := l.leaf[i]; j >= 0; j = l.parent[j] {
			if used[j]++; used[j] > l.limit[j] {
				return false, nil
			}
		}
	}
	return true, nil
}

// logSize multiplies the counts of the outermost sets, taking only their own
// limits: exact for PerGroup, from above for deeper trees.
func (l *laminarKind) logSize(p int) float64 {
	size := make([]int, len(l.limit))
	free := 0
	for _, j := range l.leaf {
		if j < 0 {
			free++
		}
		for ; j >= 0; j = l.parent[j] {
			size[j]++
		}
	}
	sum := float64(free) * math.Ln2
	for j, k := range l.limit {
		if l.parent[j] < 0 {
			sum += logSubsets(size[j], k)
		}
	}
	return sum
}

func (l *laminarKind) oracle(p int) oracle {
	return &laminarGreedy{laminarKind: l, used: make([]int, len(l.limit))}
}
func (l *laminarKind) orderer(p int) orderer {
	return &laminarGreedy{laminarKind: l, used: make([]int, len(l.limit))}
}

type laminarGreedy struct {
	*laminarKind
	used []int
	pool []int
}

// take adds the pool's tests in order while every cap around them allows.
func (l *laminarGreedy) take(out []int) []int {
	for j := range l.used {
		l.used[j] = 0
	}
next:
	for _, i := range l.pool {
		for j := l.leaf[i]; j >= 0; j = l.parent[j] {
			if l.used[j] >= l.limit[j] {
				continue next
			}
		}
		for j := l.leaf[i]; j >= 0; j = l.parent[j] {
			l.used[j]++
		}
		out = append(out, i)
	}
	return out
}

func (l *laminarGreedy) best(w []float64, out []int) ([]int, error) {
	l.pool = l.pool[:0]
	for i, x := range w {
		if x > 0 {
			l.pool = append(l.pool, i)
		}
	}
	sortByWeight(l.pool, w)
	return l.take(out), nil
}

func (l *laminarGreedy) order(w []float64, out []int) []int {
	l.pool = l.pool[:0]
	for i := range w {
		l.pool = append(l.pool, i)
	}
	sortByWeight(l.pool, w)
	return l.take(out)
}
