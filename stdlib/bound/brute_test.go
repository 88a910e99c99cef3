package bound

import (
	"context"
	"math"
	"testing"
)

var ctx = context.Background()

// instance makes adversarial data: kind picks plain, all negative, tied
// ratios, one huge error, tiny errors, integers with many ties.
func instance(r *stream, p, kind int) (z, v []float64) {
	z, v = make([]float64, p), make([]float64, p)
	for i := range z {
		z[i] = r.norm()
		v[i] = math.Exp(2 * r.norm())
		switch kind % 6 {
		case 1:
			z[i] = -math.Abs(z[i])
		case 2:
			z[i] = v[i] * float64(1+r.intn(2))
		case 3:
			if i == 0 {
				v[i] = 1e8
				z[i] = 1e4
			}
		case 4:
			v[i] *= 1e-9
		case 5:
			z[i] = float64(r.intn(7) - 3)
			v[i] = float64(1 + r.intn(3))
		}
	}
	return z, v
}

// enumerate returns the maximum of Z/√V over the sets that ok admits.
func enumerate(z, v []float64, ok func(mask int) bool) float64 {
	best := 0.0
	for m := 1; m < 1<<len(z); m++ {
		var sz, sv float64
		for i := range z {
			if m>>i&1 == 1 {
				sz += z[i]
				sv += v[i]
			}
		}
		if f := ratio(sz, sv); f > best && ok(m) {
			best = f
		}
	}
	return best
}

func members(mask int) []int {
	s := []int{}
	for i := 0; mask>>i != 0; i++ {
		if mask>>i&1 == 1 {
			s = append(s, i)
		}
	}
	return s
}

// testFamilies returns one family of each kind for p tests, with an
// independent description of its members.
func testFamilies(r *stream, p int) map[string]struct {
	f  *Family
	ok func(mask int) bool
} {
	type fam = struct {
		f  *Family
		ok func(mask int) bool
	}
	k := r.intn(p + 3) // 0 and more than p included
	group := make([]int, p)
	for i := range group {
		group[i] = r.intn(3)
	}
	limit := []int{r.intn(3), r.intn(3), 1 + r.intn(3)}
	count := func(mask int, keep func(i int) bool) int {
		n := 0
		for _, i := range members(mask) {
			if keep(i) {
				n++
			}
		}
		return n
	}
	// Nested: all, first half, first quarter, last two.
	half, quarter := p/2, p/4
	nested := [][]int{members(1<<p - 1), members(1<<half - 1), members(1<<quarter - 1), nil}
	if p-half >= 2 {
		nested[3] = []int{p - 2, p - 1}
	}
	caps := []int{1 + r.intn(p), r.intn(half + 1), r.intn(quarter + 1), 1}
	cost := make([]float64, p)
	for i := range cost {
		cost[i] = float64(r.intn(10))
	}
	budget := float64(r.intn(4 * p))
	var pairs [][2]int
	for i := range p {
		for j := range i {
			if r.intn(4) == 0 {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	var listed [][]int
	var masks []int
	for range 1 + r.intn(4) {
		m := r.intn(1 << p)
		listed = append(listed, members(m))
		masks = append(masks, m)
	}
	// A graphic matroid: test i is the edge a[i]–b[i] on 5 nodes; forests.
	a, b := make([]int, p), make([]int, p)
	for i := range a {
		a[i] = r.intn(5)
		b[i] = (a[i] + 1 + r.intn(4)) % 5
	}
	forest := func(set []int) bool {
		root := []int{0, 1, 2, 3, 4}
		find := func(x int) int {
			for root[x] != x {
				x = root[x]
			}
			return x
		}
		for _, i := range set {
			x, y := find(a[i]), find(b[i])
			if x == y {
				return false
			}
			root[x] = y
		}
		return true
	}
	// Not downward closed: exactly the intervals of tests (and the empty set).
	interval := func(mask int) bool {
		for mask != 0 && mask&1 == 0 {
			mask >>= 1
		}
		return mask&(mask+1) == 0
	}
	inBudget := func(m int) bool {
		c := 0.0
		for _, i := range members(m) {
			c += cost[i]
		}
		return c <= budget
	}
	return map[string]fam{
		"all":     {All(), func(int) bool { return true }},
		"at most": {AtMost(k), func(m int) bool { return len(members(m)) <= k }},
		"groups": {PerGroup(group, limit), func(m int) bool {
			for g, l := range limit {
				if count(m, func(i int) bool { return group[i] == g }) > l {
					return false
				}
			}
			return true
		}},
		"laminar": {Laminar(p, nested, caps), func(m int) bool {
			for j, s := range nested {
				in := 0
				for _, i := range s {
					in |= 1 << i
				}
				if len(members(m&in)) > caps[j] {
					return false
				}
			}
			return true
		}},
		"matroid": {Matroid("forests", func(sets [][]int) []bool {
			ok := make([]bool, len(sets))
			for j, s := range sets {
				ok[j] = forest(s)
			}
			return ok
		}), func(m int) bool { return forest(members(m)) }},
		"budget": {Budget(cost, budget), inBudget},
		"without": {Without(pairs), func(m int) bool {
			for _, e := range pairs {
				if m>>e[0]&1 == 1 && m>>e[1]&1 == 1 {
					return false
				}
			}
			return true
		}},
		"sets": {Sets(listed), func(m int) bool {
			for _, x := range masks {
				if m&^x == 0 {
					return true
				}
			}
			return false
		}},
		"oracle": {Oracle("intervals", func(ws [][]float64) [][]int {
			out := make([][]int, len(ws))
			for b, w := range ws { // Kadane
				best, lo, hi, sum, from := 0.0, 0, 0, 0.0, 0
				for i, x := range w {
					if sum <= 0 {
						sum, from = 0, i
					}
					if sum += x; sum > best {
						best, lo, hi = sum, from, i+1
					}
				}
				for i := lo; i < hi; i++ {
					out[b] = append(out[b], i)
				}
			}
			return out
		}), interval},
	}
}

// Oracle 1: enumeration of all 2^p sets, p ≤ 12, every family, adversarial data.
func TestDensestAgainstEnumeration(t *testing.T) {
	seen := map[string]int{}
	for round := range 400 {
		r := newStream(11, uint64(round))
		p := 1 + r.intn(9)
		if round%20 == 0 {
			p = 12
		}
		z, v := instance(&r, p, round)
		for name, c := range testFamilies(&r, p) {
			want := enumerate(z, v, c.ok)
			s, err := Densest(ctx, z, v, c.f, nil)
			if err != nil {
				t.Fatalf("round %d, %s: %v", round, name, err)
			}
			seen[name]++
			if math.Abs(s.Value-want) > 1e-12*want || !s.Exact() {
				t.Fatalf("round %d, %s, p=%d: %v, enumeration says %v\nz=%v\nv=%v", round, name, p, s, want, z, v)
			}
			mask := 0
			for _, i := range s.Set {
				mask |= 1 << i
			}
			sz, sv := sums(s.Set, z, v, 1)
			if mask != 0 && !c.ok(mask) || math.Abs(ratio(sz, sv)-s.Value) > 1e-12*want {
				t.Fatalf("round %d, %s: set %v is not a member of value %v", round, name, s.Set, s.Value)
			}
			// Membership, asked of the family itself.
			for range 20 {
				m := r.intn(1 << p)
				ok := false
				if k, is := c.f.kind.(*oracleKind); is {
					ok, err = k.hasOf(members(m), p)
				} else {
					ok, err = c.f.kind.has(members(m))
				}
				if err != nil || ok != c.ok(m) {
					t.Fatalf("%s: membership of %v is %v, %v", name, members(m), ok, err)
				}
			}
			// Counts: never below the true number of sets.
			n := 0
			for m := range 1 << p {
				if c.ok(m) {
					n++
				}
			}
			if l := c.f.kind.logSize(p); l < math.Log(float64(n))-1e-9 {
				t.Fatalf("%s: family of %d sets counted as e^%v", name, n, l)
			}
		}
	}
	if len(seen) != 9 {
		t.Fatalf("families tried: %v", seen)
	}
}

// The calibration's own maximisers (hull, solver with both signs, the slope
// grid) on the same instances.
func TestSolversAgainstEnumeration(t *testing.T) {
	for round := range 300 {
		r := newStream(12, uint64(round))
		p := 1 + r.intn(9)
		z, v := instance(&r, p, round)
		neg := make([]float64, p)
		for i := range z {
			neg[i] = -z[i]
		}
		for name, c := range testFamilies(&r, p) {
			if _, batch := c.f.kind.(batchOracle); batch {
				continue
			}
			s := newSolver(c.f, p, 0, 0)
			for sign, x := range map[float64][]float64{1: z, -1: neg} {
				want := enumerate(x, v, c.ok)
				got, err := s.value(z, v, sign)
				if err != nil || math.Abs(got-want) > 1e-12*want {
					t.Fatalf("round %d, %s, sign %v: %v (%v), want %v", round, name, sign, got, err, want)
				}
			}
		}
	}
}

// Larger inputs, where enumeration ends: hull, sort and the parametric search
// must agree, and so must the dual form max 4λh(λ) from below.
func TestThreeWaysAgree(t *testing.T) {
	var h hull
	for round := range 300 {
		r := newStream(13, uint64(round))
		p := 1 + r.intn(2000)
		z, v := instance(&r, p, round)
		got := h.max(z, v, 1)
		s, err := Densest(ctx, z, v, All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		se := &search{score: ratio}
		slope, _ := steepest(z, v, 1)
		if slope > 0 {
			if err := runSearch(ctx, se, All(), p, 0, slope/2, z, v, 1); err != nil {
				t.Fatal(err)
			}
		}
		if math.Abs(got-s.Value) > 1e-11*s.Value || math.Abs(se.best-s.Value) > 1e-11*s.Value {
			t.Fatalf("round %d, p=%d: hull %v, sort %v, search %v", round, p, got, s.Value, se.best)
		}
		if s.Value == 0 {
			continue
		}
		dual := 0.0
		for k := -200; k <= 200; k++ {
			lam := s.Lambda * math.Exp(float64(k)/100)
			sum := 0.0
			for i := range z {
				sum += max(z[i]-lam*v[i], 0)
			}
			d := math.Sqrt(4 * lam * sum)
			if d > s.Value*(1+1e-9) {
				t.Fatalf("dual value %v above the maximum %v", d, s.Value)
			}
			dual = max(dual, d)
		}
		if dual < s.Value*(1-1e-9) {
			t.Fatalf("dual form reaches %v, maximum is %v", dual, s.Value)
		}
	}
}

// General graphs against enumeration, and rank-1 graphs against Densest.
func TestDensestGraph(t *testing.T) {
	for round := range 300 {
		r := newStream(15, uint64(round))
		n := 1 + r.intn(10)
		var edges []Edge
		for range r.intn(3 * n) {
			edges = append(edges, Edge{r.intn(n), r.intn(n), float64(r.intn(9)) * math.Exp(float64(round%3)*r.norm())})
		}
		size := make([]float64, n)
		for i := range size {
			size[i] = math.Exp(r.norm())
		}
		want := 0.0
		for m := 1; m < 1<<n; m++ {
			w, v := 0.0, 0.0
			for _, i := range members(m) {
				v += size[i]
			}
			for _, e := range edges {
				if m>>e.U&1 == 1 && m>>e.V&1 == 1 {
					w += e.Weight
				}
			}
			want = max(want, w/v)
		}
		s, err := DensestGraph(ctx, n, edges, size, nil)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(s.Value-want) > 1e-9*want || s.UpperBound < want*(1-1e-12) || !s.Exact() {
			t.Fatalf("round %d: %v (upper bound %v), enumeration %v", round, s, s.UpperBound, want)
		}
	}
	for round := range 30 {
		r := newStream(16, uint64(round))
		p := 2 + r.intn(40)
		z, v := instance(&r, p, round)
		var edges []Edge
		for i := range z {
			if z[i] <= 0 {
				continue
			}
			edges = append(edges, Edge{i, i, z[i] * z[i]})
			for j := range i {
				if z[j] > 0 {
					edges = append(edges, Edge{i, j, 2 * z[i] * z[j]})
				}
			}
		}
		d, err := Densest(ctx, z, v, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := DensestGraph(ctx, p, edges, v, nil)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(math.Sqrt(g.Value)-d.Value) > 1e-9*d.Value {
			t.Fatalf("round %d: cuts %v, sort %v", round, math.Sqrt(g.Value), d.Value)
		}
	}
}

// Every size at once, against enumeration.
func TestSizerAgainstEnumeration(t *testing.T) {
	for round := range 200 {
		r := newStream(17, uint64(round))
		p := 1 + r.intn(9)
		z, v := instance(&r, p, round)
		for name, c := range testFamilies(&r, p) {
			ho, ok := c.f.kind.(hasOrder)
			if !ok {
				continue
			}
			bin := make([]int, p+1)
			for k := range bin {
				bin[k] = k
			}
			s := newSizer(bin, p+1, normRatio)
			slope, _ := steepest(z, v, 1)
			s.max(ho.orderer(p), z, v, 1, slope/2)
			want := make([]float64, p+1)
			for m := 1; m < 1<<p; m++ {
				if c.ok(m) {
					sz, sv := sums(members(m), z, v, 1)
					k := len(members(m))
					want[k] = max(want[k], ratio(sz, sv))
				}
			}
			for k := 1; k <= p; k++ {
				if got := max(s.best[k], 0); math.Abs(got-want[k]) > 1e-12*want[k] {
					t.Fatalf("round %d, %s, size %d: %v, want %v", round, name, k, got, want[k])
				}
			}
		}
	}
}
