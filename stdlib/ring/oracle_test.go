package ring

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var background = context.Background()

// kinds of random delays: in the plane, symmetric without the triangle
// inequality, directed, and few distinct values.
var kinds = []string{"metric", "symmetric", "directed", "ties"}

func randomDelays(rng *rand.Rand, kind string, n int) [][]float64 {
	d := make([][]float64, n)
	xy := make([][2]float64, n)
	for u := range d {
		d[u] = make([]float64, n)
		xy[u] = [2]float64{rng.Float64(), rng.Float64()}
	}
	for u := range d {
		for v := range d {
			if u == v {
				continue
			}
			switch {
			case kind == "metric":
				d[u][v] = math.Hypot(xy[u][0]-xy[v][0], xy[u][1]-xy[v][1])
			case kind == "directed":
				d[u][v] = rng.Float64()
			case v > u:
				d[u][v] = rng.Float64()
				if kind == "ties" {
					d[u][v] = float64(1 + rng.IntN(5))
				}
			default:
				d[u][v] = d[v][u]
			}
		}
	}
	return d
}

func mustMatrix(t testing.TB, d [][]float64) *Network {
	t.Helper()
	w, err := Matrix(d)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// permutations calls f with every order of 0…n−1 that starts with 0.
func permutations(n int, f func(pi []int)) {
	pi := identity(n)
	var rec func(k int)
	rec = func(k int) {
		if k == n {
			f(pi)
			return
		}
		for i := k; i < n; i++ {
			pi[k], pi[i] = pi[i], pi[k]
			rec(k + 1)
			pi[k], pi[i] = pi[i], pi[k]
		}
	}
	rec(1)
}

// plainBCD is the definition, written without the package's helpers.
func plainBCD(d [][]float64, rounds [][]int, pi []int) float64 {
	n := len(pi)
	sum := 0.0
	for _, skips := range rounds {
		w := 0.0
		for i := range pi {
			for _, s := range skips {
				w = math.Max(w, d[pi[i]][pi[(i+s)%n]])
			}
		}
		sum += w
	}
	return sum / float64(len(rounds))
}

func bruteBCD(d [][]float64, rounds [][]int) float64 {
	best := math.Inf(1)
	permutations(len(d), func(pi []int) { best = math.Min(best, plainBCD(d, rounds, pi)) })
	return best
}

func topologies(n int) []Topology {
	g := []Topology{Ring(n), Exponential(n), OnePeer(n), SparseExponential(n), KPeer(n, 2), Circulant(n, 1, n/2)}
	if n > 4 {
		g = append(g, Circulant(n, 2, 3))
	}
	return g
}

// All (n−1)! placements of all topologies: Exact attains the optimum, Best does
// too on such small ones, and nothing is below it.
func TestAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 3; n <= 9; n++ {
		kind := kinds[n%4]
		d := randomDelays(rng, kind, n)
		w := mustMatrix(t, d)
		for _, g := range topologies(n) {
			if g.Check() != nil {
				continue // C_3(1, 1) and the like
			}
			want := bruteBCD(d, g.Rounds)
			for _, m := range []Method{Exact, Best} {
				p, err := Place(background, w, g, &Options{Method: m, Moves: 4000})
				if err != nil {
					t.Fatalf("%s %v: %v", kind, g, err)
				}
				if math.Abs(p.BCD-want) > 1e-12 {
					t.Errorf("%s delays, %v by %v: %v, enumeration finds %v", kind, g, m, p.BCD, want)
				}
				if got := plainBCD(d, g.Rounds, p.Pi); math.Abs(got-p.BCD) > 1e-12 {
					t.Errorf("%v: reported %v, the placement has %v", g, p.BCD, got)
				}
				if m == Exact && p.Status != Optimal {
					t.Errorf("%v: exact search is %v", g, p.Status)
				}
			}
		}
	}
}

// Every lower bound against enumeration, on 200 random instances.
func TestLowerBoundsAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	tight := 0
	for k := 0; k < 200; k++ {
		n := 5 + rng.IntN(4)
		if k%20 == 0 {
			n = 9
		}
		kind := kinds[k%4]
		d := randomDelays(rng, kind, n)
		w := mustMatrix(t, d)
		all := topologies(n)
		g := all[rng.IntN(len(all))]
		if g.Check() != nil {
			g = OnePeer(n)
		}
		want := bruteBCD(d, g.Rounds)
		c, err := Lower(background, w, g, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range c.Parts {
			if p.Value > want+1e-12 {
				t.Fatalf("instance %d, %s n=%d %v: bound %q says %v, but a placement reaches %v", k, kind, n, g, p.Name, p.Value, want)
			}
		}
		if c.Value >= want-1e-12 {
			tight++
		}
	}
	t.Logf("%d of 200 bounds are the optimum", tight)
	if tight < 100 {
		t.Errorf("only %d of 200 lower bounds reach the optimum; the search should close most at this size", tight)
	}
}

// The bound by sets of rounds where offsets coincide (n even, s + s' = n): the
// mistake of counting neighbours twice would exceed the optimum here.
func TestRoundSetsWithCoincidingOffsets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for k := 0; k < 60; k++ {
		n := 6 + 2*(k%2)
		d := randomDelays(rng, "ties", n)
		g := Topology{"coinciding", n, [][]int{{1}, {2}, {n - 2}, {n / 2}}}
		want := bruteBCD(d, g.Rounds)
		c, err := Lower(background, mustMatrix(t, d), g, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.Value > want+1e-12 {
			t.Fatalf("n=%d: %v exceeds the optimum %v", n, c, want)
		}
	}
}

// fewestNeighbours against all sets of positions.
func TestFewestNeighboursAgainstSubsets(t *testing.T) {
	for _, c := range []struct {
		n     int
		skips []int
	}{{11, []int{1, 2, 4, 8}}, {12, []int{1, 8}}, {13, []int{3, 5}}, {9, []int{1}}} {
		got := fewestNeighbours(c.n, c.skips, 1, 1<<30)
		want := make([]int, c.n+1)
		for m := range want {
			want[m] = c.n
		}
		o := offsets(c.n, c.skips)
		for set := 1; set < 1<<c.n; set++ {
			near, m := 0, 0
			for p := 0; p < c.n; p++ {
				if set>>p&1 == 1 {
					m++
					near |= 1 << p
					for _, x := range o {
						near |= 1 << ((p + x) % c.n)
					}
				}
			}
			size := 0
			for ; near > 0; near &= near - 1 {
				size++
			}
			want[m] = min(want[m], size)
		}
		for m, x := range got {
			if x != want[m+1] {
				t.Errorf("n=%d skips %v: %d positions have %d neighbours at least, subsets say %d", c.n, c.skips, m+1, x, want[m+1])
			}
		}
	}
}

// The bottleneck ring against enumeration, n ≤ 8, and against Held and Karp's
// recursion written plainly, n ≤ 12. The heuristic search is tried too: with
// n > 16 forbidden it would never run on these sizes.
func TestBTSPAgainstOracles(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for k := 0; k < 80; k++ {
		n := 4 + k%9
		d := randomDelays(rng, kinds[k%4], n)
		want := heldKarpMax(d)
		if n <= 7 {
			if brute := bruteBCD(d, [][]int{{1}}); brute != want {
				t.Fatalf("the oracles disagree: %v and %v", brute, want)
			}
		}
		w := mustMatrix(t, d)
		tour, err := BTSP(background, w, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tour.Worst != want || tour.Status != Optimal || tour.Lower != want {
			t.Errorf("%s n=%d: %v, the optimum is %v", kinds[k%4], n, tour, want)
		}
		checkTour(t, d, tour)
		tab, _ := load(w, 0)
		lower, by := tab.tourBound()
		if lower > want {
			t.Errorf("%s n=%d: bound %q %v exceeds the optimum %v", kinds[k%4], n, by, lower, want)
		}
		set, _ := (&Options{}).settings(n)
		search := tab.undirected
		if !tab.sym {
			search = tab.directed
		}
		order, worst := search(background, &set, lower, 0)
		if worst < want {
			t.Errorf("%s n=%d: the search claims %v below the optimum %v", kinds[k%4], n, worst, want)
		}
		if tab.sym && worst != want {
			t.Errorf("%s n=%d: the search stops at %v, the optimum is %v (%v)", kinds[k%4], n, worst, want, order)
		}
	}
}

func checkTour(t *testing.T, d [][]float64, tour *Tour) {
	t.Helper()
	if err := permutation(tour.Order, len(d)); err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for i, u := range tour.Order {
		worst = math.Max(worst, d[u][tour.Order[(i+1)%len(d)]])
	}
	if worst != tour.Worst || d[tour.Edge[0]][tour.Edge[1]] != worst {
		t.Errorf("tour reports %v at %v; its slowest link is %v", tour.Worst, tour.Edge, worst)
	}
}

func heldKarpMax(d [][]float64) float64 {
	n := len(d)
	type key struct{ set, end int }
	memo := map[key]float64{}
	var path func(set, end int) float64 // from 0 over set to end ∈ set
	path = func(set, end int) float64 {
		if set == 1<<end {
			return d[0][end]
		}
		k := key{set, end}
		if v, ok := memo[k]; ok {
			return v
		}
		best := math.Inf(1)
		for v := 1; v < n; v++ {
			if v != end && set>>v&1 == 1 {
				best = math.Min(best, math.Max(path(set&^(1<<end), v), d[v][end]))
			}
		}
		memo[k] = best
		return best
	}
	best := math.Inf(1)
	full := 1<<n - 2
	for v := 1; v < n; v++ {
		best = math.Min(best, math.Max(path(full, v), d[v][0]))
	}
	return best
}

// θ of the biconnected bound by deleting each node in turn, and b₂ ≤ θ ≤ β.
func TestBiconnectedByDeletion(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for k := 0; k < 60; k++ {
		n := 3 + rng.IntN(38)
		kind := []string{"metric", "symmetric", "ties"}[k%3]
		d := randomDelays(rng, kind, n)
		tab, _ := load(mustMatrix(t, d), 0)
		vals := tab.distinct()
		want := math.Inf(1)
		for _, x := range vals {
			if survives(d, x) {
				want = x
				break
			}
		}
		if got := tab.biconnected(); got != want {
			t.Errorf("%s n=%d: biconnected at %v, by deletion %v", kind, n, got, want)
		}
		if b2 := tab.secondSmallest(); b2 > want {
			t.Errorf("second-smallest %v exceeds the biconnected bound %v", b2, want)
		}
	}
}

// survives tells whether links within x join all nodes, and all but any one.
func survives(d [][]float64, x float64) bool {
	for lost := -1; lost < len(d); lost++ {
		parts := 0
		seen := make([]bool, len(d))
		for s := range d {
			if seen[s] || s == lost {
				continue
			}
			parts++
			stack := []int{s}
			seen[s] = true
			for len(stack) > 0 {
				u := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				for v := range d {
					if v != u && v != lost && !seen[v] && d[u][v] <= x {
						seen[v] = true
						stack = append(stack, v)
					}
				}
			}
		}
		if parts > 1 {
			return false
		}
	}
	return true
}

// The few links of a cloud give the same bounds as all of them, also on grids
// and where points coincide.
func TestCloudBoundsAgainstMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for k := 0; k < 60; k++ {
		n := 3 + rng.IntN(200)
		xy := make([][]float64, n)
		for u := range xy {
			switch k % 3 {
			case 0:
				xy[u] = []float64{rng.Float64(), rng.Float64()}
			case 1:
				xy[u] = []float64{float64(rng.IntN(12)), float64(rng.IntN(12))}
			default:
				xy[u] = []float64{float64(k%2)*1000 + rng.NormFloat64(), float64(rng.IntN(2)) * 300}
			}
		}
		c, err := Points(xy)
		if err != nil {
			t.Fatal(err)
		}
		dense, _ := load(c, 0)
		sparse := &table{n: n, cloud: c, sym: true, src: c}
		if a, b := sparse.biconnected(), dense.biconnected(); a != b {
			t.Errorf("layout %d, n=%d: biconnected at %v by sectors and %v on all links", k%3, n, a, b)
		}
		if a, b := sparse.secondSmallest(), dense.secondSmallest(); a != b {
			t.Errorf("layout %d, n=%d: second smallest %v and %v", k%3, n, a, b)
		}
		a, b := sparse.kthSmallest(min(9, n-1), false), dense.kthSmallest(min(9, n-1), false)
		if !slices.Equal(a, b) {
			t.Errorf("k-th smallest delays differ: %v and %v", a, b)
		}
	}
}

// The fallback stays within three links of the tree, whatever the tree.
func TestCubeTour(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for k := 0; k < 100; k++ {
		n := 1 + rng.IntN(60)
		d := make([][]float64, n) // hops of a random tree
		for u := range d {
			d[u] = make([]float64, n)
			if u > 0 {
				p := rng.IntN(u)
				for v := 0; v < u; v++ {
					d[u][v] = d[p][v] + 1
					d[v][u] = d[u][v]
				}
			}
		}
		tab, _ := load(mustMatrix(t, d), 0)
		tour := cubeTour(tab)
		order := make([]int, n)
		for i, v := range tour {
			order[i] = int(v)
		}
		if err := permutation(order, n); err != nil {
			t.Fatal(err)
		}
		for i, u := range order {
			if x := d[u][order[(i+1)%n]]; x > 3 {
				t.Fatalf("n=%d: step from %d to %d is %v tree links", n, u, order[(i+1)%n], x)
			}
		}
	}
}

// Tours of random directed delays keep close to their bound.
func TestDirectedTours(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for k := 0; k < 5; k++ {
		d := randomDelays(rng, "directed", 60)
		tour, err := BTSP(background, mustMatrix(t, d), nil)
		if err != nil {
			t.Fatal(err)
		}
		checkTour(t, d, tour)
		if tour.Worst > 1.25*tour.Lower {
			t.Errorf("%v: directed search leaves more than a quarter", tour)
		}
	}
}
