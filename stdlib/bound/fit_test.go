package bound

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

func ones(p int) []float64 {
	s := make([]float64, p)
	for i := range s {
		s[i] = 1
	}
	return s
}

// Critical values for equal variances and normal errors, 95 %: the reference
// table (400,000 draws, ±0.01; R's mvtnorm agrees at p = 4, 6, 8, 9), within
// three Monte-Carlo standard errors and the table's own.
func TestReferenceTable(t *testing.T) {
	ps := []int{1, 2, 3, 4, 6, 8, 9, 10, 20, 50}
	one := []float64{1.645, 2.028, 2.268, 2.455, 2.768, 3.005, 3.114, 3.222, 4.054, 5.705}
	two := []float64{1.960, 2.318, 2.546, 2.731, 3.027, 3.264, 3.368, 3.473, 4.300, 5.940}
	for i, p := range ps {
		for _, c := range []struct {
			sides Sides
			want  float64
		}{{Lower, one[i]}, {Upper, one[i]}, {Both, two[i]}} {
			b, err := Fit(ctx, make([]float64, p), ones(p), &Options{Sides: c.sides, Draws: 30000, Mode: Gauss})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(b.C-c.want) > 3*b.CErr+0.01 || b.CErr > 0.03 || b.CErr <= 0 {
				t.Errorf("p=%d %v: c=%.3f±%.3f, table %.3f", p, c.sides, b.C, b.CErr, c.want)
			}
		}
	}
}

// p = 2 by quadrature: T ≤ c is a region of the plane bounded by lines, so the
// probability is an integral over one coordinate.
func TestTwoTestsByQuadrature(t *testing.T) {
	const c = 2.028
	// z1 ≤ c, z2 ≤ c, z1 + z2 ≤ c√2.
	sum := 0.0
	const n = 200000
	for k := range n {
		x := -8 + (c+8)*(float64(k)+0.5)/n
		y := min(c, c*math.Sqrt2-x)
		sum += density(x) * (1 - upperTail(y)) * (c + 8) / n
	}
	if math.Abs(sum-0.95) > 5e-4 {
		t.Fatalf("P(T ≤ 2.028) = %v", sum)
	}
	b, err := Fit(ctx, []float64{0, 0}, []float64{1, 1}, &Options{Sides: Lower, Draws: 100000})
	if err != nil || math.Abs(b.C-c) > 4*b.CErr {
		t.Fatalf("c=%v±%v (%v), quadrature %v", b.C, b.CErr, err, c)
	}
	// All variance on one test: the value of a single test.
	b, err = Fit(ctx, make([]float64, 5), []float64{1, 1e-6, 1e-6, 1e-6, 1e-6}, &Options{Sides: Lower, Draws: 100000, Family: Sets([][]int{{0}})})
	if err != nil || math.Abs(b.C-1.6449) > 4*b.CErr {
		t.Fatalf("one test of the family: %v (%v)", b.C, err)
	}
}

// Mean and spread of T against the closed form, equal and unequal variances.
func TestClosedForm(t *testing.T) {
	for _, c := range []struct {
		p      int
		spread float64
	}{{1000, 0}, {4000, 0}, {100, 1}, {1000, 1}, {3000, 2}} {
		r := newStream(21, uint64(c.p))
		se := make([]float64, c.p)
		v := make([]float64, c.p)
		for i := range se {
			v[i] = math.Exp(c.spread * r.norm())
			se[i] = math.Sqrt(v[i])
		}
		const draws = 1500
		b, err := Fit(ctx, make([]float64, c.p), se, &Options{Sides: Lower, Draws: draws})
		if err != nil {
			t.Fatal(err)
		}
		mean, sd := moments(b.T)
		pv, err := Critical(ctx, v, &Options{Sides: Lower})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(mean-pv.Mean) > 0.05+3*sd/math.Sqrt(draws) || math.Abs(sd/pv.SD-1) > 0.12 || math.Abs(b.C-pv.C) > 0.05+3*b.CErr {
			t.Errorf("p=%d spread %v: mean %.3f sd %.3f c %.3f, closed form %.3f %.3f %.3f", c.p, c.spread, mean, sd, b.C, pv.Mean, pv.SD, pv.C)
		}
		if c.spread == 0 {
			if want := 0.63632 * math.Sqrt(float64(c.p)); math.Abs(pv.Mean/want-1) > 1e-4 || math.Abs(pv.SD-0.724) > 1e-3 || math.Abs(pv.Lambda-0.612) > 1e-3 {
				t.Errorf("p=%d: closed form %v, constants 0.63632√p = %v, 0.724, 0.612", c.p, pv, want)
			}
		}
	}
}

func moments(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, math.Sqrt(sd)
}

// c of at most k tests against the reference curve and the closed form.
func TestSizeLimits(t *testing.T) {
	ks := []int{1, 2, 5, 10, 25, 100}
	want := []float64{3.28, 4.13, 5.44, 6.50, 7.50, 7.58}
	for i, k := range ks {
		o := &Options{Sides: Lower, Draws: 6000, Family: AtMost(k)}
		b, err := Fit(ctx, make([]float64, 100), ones(100), o)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(b.C-want[i]) > 3*b.CErr+0.02 {
			t.Errorf("p=100, at most %d: c=%.3f±%.3f, reference %.2f", k, b.C, b.CErr, want[i])
		}
		pv, err := Critical(ctx, ones(100), o)
		if err != nil || math.Abs(pv.C-b.C) > 0.2 {
			t.Errorf("at most %d: closed form %v (%v), drawn %.3f", k, pv, err, b.C)
		}
	}
	b, err := Fit(ctx, make([]float64, 100), ones(100), &Options{Sides: Lower, Draws: 2000})
	if err != nil {
		t.Fatal(err)
	}
	f, err := b.Freedom(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range ks {
		j := slices.IndexFunc(f.K, func(x int) bool { return x >= k })
		if f.K[j] == k && math.Abs(f.C[j]-want[i]) > 4*f.CErr[j]+0.02 {
			t.Errorf("price of freedom at %d: %.3f±%.3f, reference %.2f", k, f.C[j], f.CErr[j], want[i])
		}
	}
	// The same draws: for all sizes the curve ends at c.
	if n := len(f.C) - 1; math.Abs(f.C[n]-b.C) > 1e-9 {
		t.Errorf("curve ends at %v, c is %v", f.C[n], b.C)
	}
}

// The closed form for limits by group, with free tests beside them.
func TestClosedFormOfGroups(t *testing.T) {
	p := 400
	group := make([]int, p)
	se, v := make([]float64, p), make([]float64, p)
	r := newStream(22, 0)
	var first, second []int
	for i := range group {
		group[i] = i % 4
		se[i] = math.Exp(0.4 * r.norm())
		v[i] = se[i] * se[i]
		if i%4 == 1 {
			first = append(first, i)
		} else if i%4 == 2 {
			second = append(second, i)
		}
	}
	for _, f := range []*Family{PerGroup(group, []int{5, 10, 40, 100}), Laminar(p, [][]int{first, second}, []int{5, 20})} {
		o := &Options{Sides: Lower, Draws: 4000, Family: f}
		b, err := Fit(ctx, make([]float64, p), se, o)
		if err != nil {
			t.Fatal(err)
		}
		pv, err := Critical(ctx, v, o)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(pv.C-b.C) > 0.1+3*b.CErr {
			t.Errorf("%s: closed form %.3f, drawn %.3f±%.3f", f.Name, pv.C, b.C, b.CErr)
		}
	}
}

// Balanced critical values against the reference table.
func TestBalance(t *testing.T) {
	for _, c := range []struct {
		p    int
		size []int
		want []float64
	}{
		{27, []int{1, 2, 5, 10, 27}, []float64{3.18, 3.84, 4.66, 4.91, 2.32}},
		{100, []int{1, 2, 5, 10, 100}, []float64{3.55, 4.44, 5.83, 6.94, 2.43}},
	} {
		b, err := Fit(ctx, make([]float64, c.p), ones(c.p), &Options{Sides: Lower, Draws: 10000, Balance: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range c.size {
			if got := b.CriticalOf(k, Lower); math.Abs(got-c.want[i]) > 0.07 {
				t.Errorf("p=%d, size %d: c=%.3f, reference %.2f", c.p, k, got, c.want[i])
			}
		}
	}
}

// Symmetries and orders that hold exactly.
func TestInvariances(t *testing.T) {
	for round := range 200 {
		r := newStream(31, uint64(round))
		p := 1 + r.intn(60)
		z, v := instance(&r, p, round)
		val := func(z, v []float64, f *Family) float64 {
			s, err := Densest(ctx, z, v, f, nil)
			if err != nil {
				t.Fatal(err)
			}
			return s.Value
		}
		same := func(what string, a, b float64) {
			if math.Abs(a-b) > 1e-10*max(a, b) {
				t.Fatalf("round %d: %s: %v and %v", round, what, a, b)
			}
		}
		base := val(z, v, All())
		z2, v2 := slices.Clone(z), slices.Clone(v)
		for i := p - 1; i > 0; i-- {
			j := r.intn(i + 1)
			z2[i], z2[j] = z2[j], z2[i]
			v2[i], v2[j] = v2[j], v2[i]
		}
		same("permutation", base, val(z2, v2, All()))
		for i := range z2 {
			z2[i] *= 3.7
			v2[i] *= 3.7 * 3.7
		}
		same("scale", base, val(z2, v2, All()))
		split := append(slices.Clone(z), z[0]/2)
		splitV := append(slices.Clone(v), v[0]/2)
		split[0] /= 2
		splitV[0] /= 2
		same("split test", base, val(split, splitV, All()))
		if more := val(append(slices.Clone(z), r.norm()), append(slices.Clone(v), 1), All()); more < base*(1-1e-12) {
			t.Fatalf("another test lowers T: %v after %v", more, base)
		}
		single, cauchy := 0.0, 0.0
		for i := range z {
			single = max(single, z[i]/math.Sqrt(v[i]))
			if z[i] > 0 {
				cauchy += z[i] * z[i] / v[i]
			}
		}
		if base < single*(1-1e-12) || base > math.Sqrt(cauchy)*(1+1e-12) {
			t.Fatalf("T=%v outside [%v, %v]", base, single, math.Sqrt(cauchy))
		}
		last := 0.0
		for k := 0; k <= p; k++ {
			c := val(z, v, AtMost(k))
			if c < last*(1-1e-12) {
				t.Fatalf("at most %d: %v under %v", k, c, last)
			}
			last = c
		}
		same("at most p is all", base, last)
	}
}

// Theorem C: with slopes in a grid the value is within the guarantee, and
// widened critical values are not below the exact ones.
func TestSlopeGrid(t *testing.T) {
	for _, delta := range []float64{0.05, 0.1, 0.3} {
		worst := 1.0
		for round := range 10000 {
			r := newStream(41, uint64(round))
			p := 2 + r.intn(12)
			z, v := instance(&r, p, round)
			k := 1 + r.intn(p)
			exact := newSolver(AtMost(k), p, 0, 0)
			grid := newSolver(AtMost(k), p, delta*delta, 0)
			a, _ := exact.value(z, v, 1)
			b, _ := grid.value(z, v, 1)
			if a > 0 {
				worst = min(worst, b/a)
			}
			if b > a*(1+1e-12) {
				t.Fatalf("grid value %v above the maximum %v", b, a)
			}
		}
		if worst < math.Sqrt(1-delta*delta) {
			t.Errorf("δ=%v: worst ratio %v, guarantee %v", delta, worst, math.Sqrt(1-delta*delta))
		}
	}
	cost := make([]float64, 40)
	r := newStream(42, 0)
	for i := range cost {
		cost[i] = 1 + 9*r.float()
	}
	fam := Budget(cost, 50)
	c := map[float64]float64{}
	for _, slack := range []float64{0, 0.005, 0.05} {
		b, err := Fit(ctx, make([]float64, 40), ones(40), &Options{Draws: 300, Family: fam, Slack: slack})
		if err != nil {
			t.Fatal(err)
		}
		c[slack] = b.C
	}
	if c[0.005] < c[0] || c[0.05] < c[0] || c[0.005] > c[0]/0.994 || c[0.05] > c[0]/0.94 {
		t.Errorf("critical values by slack: %v", c)
	}
}

// The knapsack's polynomial scheme alone, against the exact search.
func TestKnapsackScheme(t *testing.T) {
	for round := range 300 {
		r := newStream(43, uint64(round))
		p := 1 + r.intn(30)
		w, cost := make([]float64, p), make([]float64, p)
		for i := range w {
			w[i] = math.Exp(r.norm())
			cost[i] = math.Exp(r.norm())
		}
		b := &budgetKind{cost, float64(p) / 3}
		exact := &knapsack{budgetKind: b}
		set, err := exact.best(w, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := weightOf(set, w)
		for _, eta := range []float64{0.3, 0.05, 0.01} {
			k := &knapsack{budgetKind: b, nodes: 1}
			set, _, err := k.bestWithin(w, eta, nil)
			if ok, _ := b.has(set); err != nil || !ok || weightOf(set, w) < (1-eta)*want || weightOf(set, w) > want*(1+1e-12) {
				t.Fatalf("round %d, η=%v: %v of %v (%v)", round, eta, weightOf(set, w), want, err)
			}
		}
	}
}

func TestSameBitsOnAnyNumberOfCores(t *testing.T) {
	r := newStream(51, 0)
	p := 30
	est, se, n := make([]float64, p), make([]float64, p), make([]int, p)
	samples := make([][]float64, p)
	for i := range est {
		est[i], se[i], n[i] = r.norm(), math.Exp(r.norm()), 5+r.intn(20)
		samples[i] = make([]float64, 12)
		for j := range samples[i] {
			samples[i][j] = -math.Log(r.float())
		}
	}
	for _, mode := range []Mode{Gauss, T, Student, Resample, Joint, Moments} {
		for _, fam := range []*Family{All(), AtMost(4)} {
			for _, balance := range []bool{false, true} {
				run := func(workers, draws int) *Bounds {
					o := &Options{Mode: mode, N: n, Family: fam, Balance: balance, Workers: workers, Draws: draws, Seed: 7,
						Skew: ones(p), Kurt: []float64{}}
					o.Kurt = slices.Repeat([]float64{9}, p)
					var b *Bounds
					var err error
					if mode == Gauss || mode == T {
						b, err = Fit(ctx, est, se, o)
					} else {
						b, err = FitSamples(ctx, samples, o)
					}
					if err != nil {
						t.Fatal(err)
					}
					return b
				}
				one, two := run(1, 500), run(2, 500)
				if !slices.Equal(one.T, two.T) || one.C != two.C {
					t.Errorf("%v %s: one core and two differ", mode, fam.Name)
				}
				if three := run(3, 500); !slices.Equal(one.T, three.T) {
					t.Errorf("%v %s: three goroutines differ", mode, fam.Name)
				}
			}
		}
	}
	// The first draws of many are the draws of few.
	o, _ := settings(&Options{Draws: 1000})
	pl := &plan{mode: Gauss, v: ones(p), sd: ones(p)}
	few, err := maxima(ctx, pl, &o)
	if err != nil {
		t.Fatal(err)
	}
	o.Draws = 3000
	many, err := maxima(ctx, pl, &o)
	if err != nil || !slices.Equal(few, many[:1000]) {
		t.Errorf("the first 1,000 of 3,000 draws are not the 1,000 draws (%v)", err)
	}
}

// The streamed maximum is the plain one, draw by draw.
func TestStreamIsThePlainMaximum(t *testing.T) {
	for _, spread := range []float64{0, 1, 3} {
		p := streamFrom + 77
		r := newStream(61, uint64(spread))
		v, sd := make([]float64, p), make([]float64, p)
		for i := range v {
			v[i] = math.Exp(spread * r.norm())
			if i%100 == 7 {
				v[i] = 0 // excluded
			}
			sd[i] = math.Sqrt(v[i])
		}
		pl := &plan{mode: Gauss, v: v, sd: sd}
		for _, sides := range []Sides{Both, Lower, Upper} {
			o, _ := settings(&Options{Draws: 60, Sides: sides})
			got, err := maxima(ctx, pl, &o)
			if err != nil {
				t.Fatal(err)
			}
			d := pl.drawer()
			var h hull
			for b, x := range got {
				s := newStream(o.Seed, uint64(b))
				z, vs := d.draw(&s)
				want := 0.0
				for _, sign := range signs(sides) {
					want = max(want, h.max(z, vs, sign))
				}
				if math.Abs(x-want) > 1e-11*want {
					t.Fatalf("spread %v %v draw %d: %v, want %v", spread, sides, b, x, want)
				}
			}
		}
	}
}

func TestScheffeAndBonferroni(t *testing.T) {
	// One-sided: the quantile of √Σ(g_i)²₊ by drawing it.
	for _, p := range []int{1, 10, 100, 5000} {
		n := 4_000_000 / (p + 100)
		x, g := make([]float64, n), make([]float64, p)
		for b := range x {
			r := newStream(81, uint64(b))
			r.norms(g)
			for _, v := range g {
				if v > 0 {
					x[b] += v * v
				}
			}
			x[b] = math.Sqrt(x[b])
		}
		slices.Sort(x)
		want, e := quantile(x, 0.05)
		if got := scheffe(p, 0.05, Lower); math.Abs(got-want) > 4*e {
			t.Errorf("one-sided Scheffé at %d: %v, drawn %v ± %v", p, got, want, e)
		}
	}
	if a, b := scheffe(4000, 0.05, Lower), scheffe(4001, 0.05, Lower); b < a || b-a > 0.01 {
		t.Errorf("exact %v and expanded %v do not meet", a, b)
	}
	if got := scheffe(1, 0.05, Both); math.Abs(got-1.95996) > 1e-4 {
		t.Errorf("Scheffé of one test: %v", got)
	}
	if got := scheffe(27, 0.05, Both); math.Abs(got-6.33) > 0.01 {
		t.Errorf("Scheffé of 27 tests: %v", got)
	}
	for _, m := range []float64{1, 10, 1e6} {
		want := -invTail(0.025 / m)
		if got := bonferroni(math.Log(m), 0.05, Both); math.Abs(got-want) > 1e-6 {
			t.Errorf("Bonferroni over %v sets: %v, want %v", m, got, want)
		}
	}
	// Far out the series takes over from erfc: no jump, and √(2p ln 2) beyond.
	if a, b := logUpperTail(19.999999), logUpperTail(20.000001); math.Abs(a-b) > 1e-4 {
		t.Errorf("tail jumps at 20: %v, %v", a, b)
	}
	if got := bonferroni(1000*math.Ln2, 0.05, Lower) / math.Sqrt(2*1000*math.Ln2); math.Abs(got-1) > 0.01 {
		t.Errorf("Bonferroni over 2^1000 sets is %v of √(2p ln 2)", got)
	}
}

// invTail inverts the normal distribution function by bisection.
func invTail(q float64) float64 {
	lo, hi := -40.0, 0.0
	for range 200 {
		if m := (lo + hi) / 2; upperTail(-m) < q {
			lo = m
		} else {
			hi = m
		}
	}
	return lo
}

func TestPValueAndBoundAgree(t *testing.T) {
	r := newStream(71, 0)
	p := 20
	est := make([]float64, p)
	for i := range est {
		est[i] = 1.2 * r.norm()
	}
	for _, balance := range []bool{false, true} {
		for _, sides := range []Sides{Both, Lower, Upper} {
			b, err := Fit(ctx, est, ones(p), &Options{Draws: 999, Sides: sides, Balance: balance})
			if err != nil {
				t.Fatal(err)
			}
			for range 2000 {
				var set []int
				for i := range p {
					if r.uint64()&3 == 0 {
						set = append(set, i)
					}
				}
				if len(set) == 0 {
					continue
				}
				iv, err := b.Of(set)
				if err != nil {
					t.Fatal(err)
				}
				clear := iv.Lower > 0 || iv.Upper < 0
				if clear != (iv.P <= b.Alpha) {
					t.Fatalf("%v: bounds [%v, %v] and p-value %v disagree", sides, iv.Lower, iv.Upper, iv.P)
				}
			}
		}
	}
}

// Best, AtLeast and Path against enumeration.
func TestChoicesAgainstEnumeration(t *testing.T) {
	for round := range 60 {
		r := newStream(72, uint64(round))
		p := 2 + r.intn(8)
		est, se := make([]float64, p), make([]float64, p)
		for i := range est {
			est[i], se[i] = 2*r.norm()+1, math.Exp(0.7*r.norm())
		}
		for name, c := range testFamilies(&r, p) {
			for _, o := range []*Options{{Draws: 99}, {Draws: 99, Balance: true}, {Draws: 99, Sides: Upper}} {
				o.Family = c.f
				b, err := Fit(ctx, est, se, o)
				if o.Balance && err != nil && strings.Contains(err.Error(), "no maximum by size") {
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				best, top := 0.0, 0
				delta := 0.3
				for m := 1; m < 1<<p; m++ {
					if !c.ok(m) {
						if _, err := b.Of(members(m)); err == nil {
							t.Fatalf("%s: set %v outside the family is accepted", name, members(m))
						}
						continue
					}
					iv, err := b.Of(members(m))
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if o.Sides == Upper {
						best = max(best, -iv.Upper)
					} else {
						best = max(best, iv.Lower)
					}
					if iv.MeanLower >= delta+1e-12 {
						top = max(top, iv.Size)
					}
				}
				iv, err := b.Best()
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got := 0.0
				if iv.Size > 0 {
					got = iv.Lower
					if o.Sides == Upper {
						got = -iv.Upper
					}
				}
				if math.Abs(got-best) > 1e-9*(1+best) {
					t.Fatalf("round %d, %s, %v: best %v, enumeration %v", round, name, o.Sides, got, best)
				}
				if _, ok := c.f.kind.(hasOrder); !ok || o.Sides == Upper {
					if _, err := b.AtLeast(delta); err == nil {
						t.Fatalf("%s: AtLeast gives an answer it cannot know", name)
					}
					continue
				}
				iv, err = b.AtLeast(delta)
				if err != nil || iv.Size != top || top > 0 && iv.MeanLower < delta-1e-9 {
					t.Fatalf("round %d, %s: largest certified set has %d (%v), enumeration %d", round, name, iv.Size, err, top)
				}
			}
		}
	}
}

func TestInterruptKeepsTheDrawsMade(t *testing.T) {
	p := 2000
	c, cancel := context.WithCancel(ctx)
	o := &Options{Draws: 200000, Workers: 1, progress: func(done, total int) {
		if done > 300 {
			cancel()
		}
	}}
	b, err := Fit(c, make([]float64, p), ones(p), o)
	if !errors.Is(err, context.Canceled) || b == nil {
		t.Fatalf("%v, %v", b, err)
	}
	if b.Draws < 100 || b.Draws > 5000 {
		t.Fatalf("%d draws after the interrupt", b.Draws)
	}
	full, err := Fit(ctx, make([]float64, p), ones(p), &Options{Draws: b.Draws})
	if err != nil || !slices.Equal(full.T, b.T) {
		t.Fatalf("draws kept are not the first ones (%v)", err)
	}
	c2, cancel2 := context.WithCancel(ctx)
	cancel2()
	if b, err := Fit(c2, make([]float64, p), ones(p), nil); b != nil || !errors.Is(err, context.Canceled) {
		t.Fatalf("no draws, and still %v (%v)", b, err)
	}
}

// Weights are a change of units of each test; the mean is by total weight.
func TestWeights(t *testing.T) {
	est, se := []float64{2, 3, -1}, []float64{1, 0.5, 2}
	w := []float64{4, 1, 0.5}
	a, err := Fit(ctx, est, se, &Options{Weights: w, Draws: 999})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Fit(ctx, []float64{8, 3, -0.5}, []float64{4, 0.5, 1}, &Options{Draws: 999})
	if err != nil {
		t.Fatal(err)
	}
	x, err1 := a.Of([]int{0, 2})
	y, err2 := b.Of([]int{0, 2})
	if err1 != nil || err2 != nil || a.C != b.C || x.Lower != y.Lower || x.P != y.P {
		t.Errorf("weighted %v, rescaled %v (%v, %v)", x, y, err1, err2)
	}
	if math.Abs(x.Mean-7.5/4.5) > 1e-12 || math.Abs(x.MeanLower-x.Lower/4.5) > 1e-12 {
		t.Errorf("mean %v", x.Mean)
	}
	// Samples: the residuals are weighted too.
	r := newStream(82, 0)
	s, s2 := make([][]float64, 3), make([][]float64, 3)
	for i := range s {
		s[i], s2[i] = make([]float64, 20), make([]float64, 20)
		for j := range s[i] {
			s[i][j] = r.norm()
			s2[i][j] = w[i] * s[i][j]
		}
	}
	c, err1 := FitSamples(ctx, s, &Options{Weights: w, Draws: 999})
	d, err2 := FitSamples(ctx, s2, &Options{Draws: 999})
	if err1 != nil || err2 != nil || math.Abs(c.C-d.C) > 1e-9 {
		t.Errorf("weighted samples %v, rescaled %v", c, d)
	}
	// A weight of 0 takes the test out.
	z, err := Fit(ctx, est, se, &Options{Weights: []float64{1, 0, 1}, Draws: 999})
	if err != nil || len(z.Excluded) != 1 {
		t.Fatalf("%v %v", z, err)
	}
	if _, err := z.Of([]int{0, 1}); err == nil {
		t.Error("a set with a test of weight 0 is accepted")
	}
}
