package ring

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b)) }

func mustBCD(t testing.TB, d Delays, g Topology, pi []int) float64 {
	t.Helper()
	v, rounds, err := BCD(d, g, pi)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, x := range rounds {
		sum += x
	}
	if !near(sum/float64(len(rounds)), v) {
		t.Fatalf("BCD %v is not the mean of the rounds %v", v, rounds)
	}
	return v
}

// BCD of every multiplier from the profile = evaluation of the placement
// i ↦ order[c·i], also for directed delays, where folding would be wrong.
func TestProfileIdentity(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for k := 0; k < 40; k++ {
		n := 5 + rng.IntN(40)
		kind := kinds[k%4]
		d := randomDelays(rng, kind, n)
		w := mustMatrix(t, d)
		order := rng.Perm(n)
		for _, g := range []Topology{Ring(n), Exponential(n), OnePeer(n), SparseExponential(n)} {
			m, err := MSR(background, w, order, g, nil)
			if err != nil {
				t.Fatal(err)
			}
			best := math.Inf(1)
			for c := 1; c < n; c++ {
				if gcd(c, n) != 1 {
					if !math.IsNaN(m.ByC[c]) {
						t.Fatalf("c = %d divides into n = %d and has a value", c, n)
					}
					continue
				}
				pi := make([]int, n)
				for i := range pi {
					pi[i] = order[c*i%n]
				}
				v := plainBCD(d, g.Rounds, pi)
				best = math.Min(best, v)
				if !near(v, m.ByC[c]) {
					t.Errorf("%s n=%d %s c=%d: profile says %v, the placement has %v", kind, n, g.Name, c, m.ByC[c], v)
				}
			}
			if !near(m.BCD, best) || !near(plainBCD(d, g.Rounds, m.Pi), best) {
				t.Errorf("%s n=%d %s: MSR returns %v, the best multiplier has %v", kind, n, g.Name, m.BCD, best)
			}
			if kind == "metric" && m.BCD > m.Bound*(1+1e-12) {
				t.Errorf("metric delays, n=%d %s: BCD %v exceeds β·R = %v", n, g.Name, m.BCD, m.Bound)
			}
		}
	}
}

// The profile of a cloud, four offsets at a time, equals that of its matrix;
// the sampled search finds a multiplier as good as the whole profile.
func TestCloudProfile(t *testing.T) {
	for _, n := range []int{3, 4, 7, 8, 61, 100} {
		c, _ := Synthetic("uniform", n, uint64(n))
		dense, _ := load(c, 0)
		sparse := &table{n: n, cloud: c, sym: true, src: c}
		set, _ := (*Options)(nil).settings(n)
		order := rand.New(rand.NewPCG(1, uint64(n))).Perm(n)
		a, _ := dense.profile(background, &set, order)
		b, _ := sparse.profile(background, &set, order)
		if len(a) != len(b) {
			t.Fatal(len(a), len(b))
		}
		for d := range a {
			if a[d] != b[d] {
				t.Errorf("n=%d: M[%d] is %v from the matrix and %v from points", n, d, a[d], b[d])
			}
		}
		g := Exponential(n)
		whole, err := dense.msr(background, &set, order, g)
		if err != nil {
			t.Fatal(err)
		}
		var part Multiplier
		if err := sparse.msrSampled(background, &set, order, g, &part); err != nil {
			t.Fatal(err)
		}
		if v, _ := dense.bcd(g, multiply(order, part.C)); v != whole.BCD {
			t.Errorf("n=%d: sampled search finds %v, the profile %v", n, v, whole.BCD)
		}
	}
}

func TestBCDInvariances(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for k := 0; k < 40; k++ {
		n := 4 + rng.IntN(20)
		kind := kinds[k%4]
		d := randomDelays(rng, kind, n)
		w := mustMatrix(t, d)
		pi := rng.Perm(n)
		for _, g := range []Topology{Ring(n), Exponential(n), OnePeer(n), SparseExponential(n)} {
			v := mustBCD(t, w, g, pi)
			turned, mirrored := make([]int, n), make([]int, n)
			for i := range pi {
				turned[i] = pi[(i+3)%n]
				mirrored[i] = pi[(n-i)%n]
			}
			if got := mustBCD(t, w, g, turned); got != v {
				t.Errorf("rotation changes %v to %v", v, got)
			}
			if got := mustBCD(t, w, g, mirrored); kind != "directed" && got != v {
				t.Errorf("reflection changes %v to %v with symmetric delays", v, got)
			}
			scaled, raised, renamed := randomDelays(rng, kind, n), randomDelays(rng, kind, n), randomDelays(rng, kind, n)
			p := rng.Perm(n)
			moved := make([]int, n)
			for i, u := range pi {
				moved[i] = p[u]
			}
			for a := range d {
				for b := range d {
					scaled[a][b], raised[a][b] = 3*d[a][b], d[a][b]+7
					renamed[p[a]][p[b]] = d[a][b]
				}
			}
			if got := mustBCD(t, mustMatrix(t, scaled), g, pi); !near(got, 3*v) {
				t.Errorf("delays times 3 give %v, not %v", got, 3*v)
			}
			if got := mustBCD(t, mustMatrix(t, raised), g, pi); !near(got, v+7) {
				t.Errorf("delays plus 7 give %v, not %v", got, v+7)
			}
			if got := mustBCD(t, mustMatrix(t, renamed), g, moved); got != v {
				t.Errorf("renaming nodes changes %v to %v", v, got)
			}
		}
	}
}

// Directed delays by hand: the ring 0→1→2→3 takes 1 each way round, its
// reverse takes 9.
func TestDirectionMatters(t *testing.T) {
	d := [][]float64{{0, 1, 5, 9}, {9, 0, 1, 5}, {5, 9, 0, 1}, {1, 5, 9, 0}}
	w := mustMatrix(t, d)
	if v := mustBCD(t, w, Ring(4), []int{0, 1, 2, 3}); v != 1 {
		t.Errorf("forward ring has %v", v)
	}
	if v := mustBCD(t, w, Ring(4), []int{3, 2, 1, 0}); v != 9 {
		t.Errorf("reverse ring has %v", v)
	}
	tour, err := BTSP(background, w, nil)
	if err != nil || tour.Worst != 1 {
		t.Errorf("BTSP finds %v, %v", tour, err)
	}
	// Sparse exponential of 4: skips 1 and 2 in one round, so offset 2 costs 5.
	if v := mustBCD(t, w, SparseExponential(4), []int{0, 1, 2, 3}); v != 1 {
		t.Errorf("sparse exponential of 4 is the ring (its second skip is 1): %v", v)
	}
	if v := mustBCD(t, w, Circulant(4, 1, 2), []int{0, 1, 2, 3}); v != 5 {
		t.Errorf("C_4(1,2) has %v", v)
	}
}

func TestMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for k := 0; k < 10; k++ {
		n := 7
		d := randomDelays(rng, kinds[k%4], n)
		w := mustMatrix(t, d)
		if a, b := bruteBCD(d, [][]int{{1}}), bruteBCD(d, [][]int{{1, 2}}); a > b {
			t.Errorf("more skips lower the optimum from %v to %v", a, b)
		}
		ring, err1 := Lower(background, w, Ring(n), nil)
		exp, err2 := Lower(background, w, Exponential(n), nil)
		if err1 != nil || err2 != nil || ring.Value > exp.Value {
			t.Errorf("bound of the ring %v exceeds that of the exponential graph %v", ring, exp)
		}
		p, err := Place(background, w, Exponential(n), &Options{Moves: 500})
		if err != nil || p.BCD > p.AfterMSR || p.Lower > p.BCD*(1+1e-12) {
			t.Errorf("%v %v: the polish ends above its start %v, or the bound above the value", p, err, p.AfterMSR)
		}
	}
}

func TestClosedForms(t *testing.T) {
	place := func(d [][]float64, g Topology) *Placement {
		p, err := Place(background, mustMatrix(t, d), g, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	square := func(n int, f func(u, v int) float64) [][]float64 {
		d := make([][]float64, n)
		for u := range d {
			d[u] = make([]float64, n)
			for v := range d[u] {
				if u != v {
					d[u][v] = f(u, v)
				}
			}
		}
		return d
	}
	for _, n := range []int{3, 10, 31} {
		line := square(n, func(u, v int) float64 { return math.Abs(float64(u - v)) })
		if tour, err := BTSP(background, mustMatrix(t, line), nil); err != nil || tour.Worst != 2 || tour.Status != Optimal {
			t.Errorf("points 0…%d on a line: %v %v; zig-zag takes 2", n-1, tour, err)
		}
		arc := square(n, func(u, v int) float64 { return float64(fold((v-u+n)%n, n)) })
		if tour, _ := BTSP(background, mustMatrix(t, arc), nil); tour.Worst != 1 {
			t.Errorf("points on a circle: %v", tour)
		}
		if n > 4 {
			g := Circulant(n, 1, 3)
			if v := mustBCD(t, mustMatrix(t, arc), g, identity(n)); v != 3 {
				t.Errorf("identity on the circle with skips 1, 3 has %v", v)
			}
		}
		same := square(n, func(u, v int) float64 { return 5 })
		if p := place(same, OnePeer(n)); p.BCD != 5 || p.Status != Optimal {
			t.Errorf("constant delays: %v", p)
		}
	}
	clusters := square(12, func(u, v int) float64 {
		if u/6 == v/6 {
			return 0.01
		}
		return 100
	})
	for _, g := range []Topology{Ring(12), Exponential(12)} {
		if p := place(clusters, g); p.BCD != 100 || p.Status != Optimal {
			t.Errorf("two clusters 100 apart: %v", p)
		}
	}
	far := square(15, func(u, v int) float64 {
		if u == 0 || v == 0 {
			return 50 + float64(u+v)
		}
		return 1
	})
	// Node 0 has 8 distinct neighbours on the exponential graph of 15
	// (±1, ±2, ±4, ±8 with 8 ≡ −7), so it pays its 8-th smallest delay, 58.
	if p := place(far, Exponential(15)); p.BCD != 58 || p.Status != Optimal {
		t.Errorf("one far node: %v", p)
	}
}

// With n a power of two the worst offset cannot move: c = 1, or one as good.
func TestPowersOfTwo(t *testing.T) {
	for _, n := range []int{8, 16, 64} {
		c, _ := Synthetic("uniform", n, 3)
		tour, err := BTSP(background, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := MSR(background, c, tour.Order, Exponential(n), nil)
		if err != nil || !m.Idle {
			t.Errorf("n=%d: %v %v is not marked idle", n, m, err)
		}
		if worst := m.Profile[n/2]; m.BCD < worst {
			t.Errorf("n=%d: BCD %v below the profile at n/2 %v", n, m.BCD, worst)
		}
	}
	if e := Exponential(2); len(e.Rounds) != 1 || len(e.Rounds[0]) != 1 {
		t.Errorf("exponential graph of 2 is %v, not one skip", e)
	}
	if o := offsets(3, Exponential(3).Rounds[0]); len(o) != 2 {
		t.Errorf("exponential graph of 3 has offsets %v; 2 ≡ −1", o)
	}
	if o := offsets(40, Exponential(40).Rounds[0]); len(o) != 10 {
		t.Errorf("n = 40 has %d distinct offsets, not 10 (8 + 32 = 40)", len(o))
	}
}

// What a swap is said to change is what it changes, in all engines.
func TestSwapBookkeeping(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for k := 0; k < 24; k++ {
		n := 6 + rng.IntN(20)
		w := mustMatrix(t, randomDelays(rng, kinds[k%4], n))
		tab, _ := load(w, 0)
		g := []Topology{Exponential(n), OnePeer(n), Circulant(n, 1, n/2)}[k%3]
		theta := make([]float64, len(g.Rounds))
		for l := range theta {
			theta[l] = 0.3 + 0.3*rng.Float64()
		}
		p, s := newPolisher(tab, g, rng), newSampler(tab, g, rng)
		pi := rng.Perm(n)
		p.place(pi)
		p.aim(theta)
		s.place(pi)
		s.aim(theta)
		a := newAnnealer(tab, g, pi, rng)
		for m := 0; m < 50; m++ {
			i, j := rng.IntN(n), rng.IntN(n)
			if i == j {
				continue
			}
			p.deltas(i)
			said, before := int64(p.delta[j]), p.total
			sSaid, sBefore := s.delta(i, j), sum(s.cost)
			aBefore, _ := tab.bcd(g, p.placement())
			p.swap(i, j)
			p.settle()
			if p.total-before != 2*said {
				t.Fatalf("n=%d: swap changes penalties by %v/2, said %v", n, p.total-before, said)
			}
			s.swap(i, j)
			if got := sum(s.cost) - sBefore; math.Abs(got-2*sSaid) > 1e-6 {
				t.Fatalf("n=%d: sampled swap changes penalties by %v/2, said %v", n, got, sSaid)
			}
			change := a.swap(i, j)
			after, _ := tab.bcd(g, p.placement())
			if !near(change, (after-aBefore)*float64(len(g.Rounds))) {
				t.Fatalf("n=%d: annealing says %v, the value changes by %v", n, change, after-aBefore)
			}
			if m%3 == 0 {
				a.revert(i, j)
				if c := a.swap(i, j); !near(c, change) {
					t.Fatalf("revert is not the inverse: %v then %v", change, c)
				}
			}
		}
		fresh := newPolisher(tab, g, rng)
		fresh.place(p.placement())
		fresh.aim(theta)
		if fresh.total != p.total {
			t.Fatalf("penalties kept %d, counted anew %d", p.total, fresh.total)
		}
	}
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}
