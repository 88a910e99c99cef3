package bound

import (
	"math"
	"strings"
	"testing"
)

// Fresh errors stay within the bounds in 1−α of draws, for families, slack and
// balance alike.
func TestFreshErrorsStayWithin(t *testing.T) {
	r := newStream(83, 0)
	p := 25
	cost := make([]float64, p)
	group := make([]int, p)
	se := make([]float64, p)
	var pairs [][2]int
	for i := range cost {
		cost[i], group[i], se[i] = 1+r.float(), i%4, math.Exp(0.5*r.norm())
		if i > 0 && i%2 == 0 {
			pairs = append(pairs, [2]int{i, i - 1})
		}
	}
	const draws = 4000
	for _, o := range []*Options{
		{}, {Family: AtMost(3)}, {Family: PerGroup(group, []int{1, 2, 3, 1})}, {Family: Budget(cost, 6)},
		{Family: Budget(cost, 6), Slack: 0.02}, {Family: Without(pairs)}, {Sides: Lower, Alpha: 0.1},
		{Balance: true}, {Balance: true, Sides: Lower}, {Balance: true, Family: AtMost(5)},
	} {
		o.Draws = draws
		b, err := Fit(ctx, make([]float64, p), se, o)
		if err != nil {
			t.Fatal(err)
		}
		miss := 0
		for d := range draws {
			g := newStream(84, uint64(d))
			x := make([]float64, p)
			for i := range x {
				x[i] = se[i] * g.norm()
			}
			// The bounds hold for all sets iff none certifies an effect of 0.
			fresh := *b
			fresh.x = x
			best, err := fresh.Best()
			if err != nil {
				t.Fatal(err)
			}
			missed := best.Size > 0
			if b.Sides == Both && !missed {
				for i := range x {
					x[i] = -x[i]
				}
				best, err = fresh.Best()
				missed = err == nil && best.Size > 0
			}
			if missed {
				miss++
			}
		}
		// Two Monte-Carlo errors: of c and of the count.
		sd := math.Sqrt(2 * b.Alpha * (1 - b.Alpha) / draws)
		rate := float64(miss) / draws
		low := b.Alpha - 3.5*sd
		if o.Slack > 0 {
			low = 0.02
		}
		if rate > b.Alpha+3.5*sd || rate < low {
			t.Errorf("%s balance=%v slack=%v: bounds miss in %.4f of draws, nominal %v", b.Family.Name, o.Balance, o.Slack, rate, b.Alpha)
		}
	}
}

// The inequality on which the coverage theorem rests, on hard directions, and
// the theorem's behaviour.
func TestTheory(t *testing.T) {
	var h hull
	for round := range 2000 {
		r := newStream(85, uint64(round))
		p := 1 + r.intn(50)
		u, v := make([]float64, p), make([]float64, p)
		q, total, least := 0.0, 0.0, math.Inf(1)
		for i := range u {
			v[i] = math.Exp(3 * r.norm())
			u[i] = r.norm()
			if round%2 == 0 { // the worst case: all prefixes nearly equal
				u[i] = 1 / math.Sqrt(float64(i+1))
				v[i] = 1
			}
			q += u[i] * u[i]
			total += v[i]
			least = min(least, v[i])
		}
		for i := range u {
			u[i] *= math.Sqrt(v[i] / q) // a unit direction, in units of the errors
		}
		if top, limit := max(h.max(u, v, 1), h.max(u, v, -1)), 1/math.Sqrt(2*(1+math.Log(total/least))); top < limit {
			t.Fatalf("round %d: T=%v under %v", round, top, limit)
		}
	}
	at := func(p, n int) float64 {
		return theory(ones(p), repeatInt(n, p), 3, float64(p)*math.Ln2, true, Both)
	}
	// 1.9·(AΔ)^{2/3} with A = 0.8√(2(1+ln p)), Δ² = 3p/n.
	want := 1.9 * math.Pow(0.8*math.Sqrt(2*(1+math.Log(10)))*math.Sqrt(3*10/1e7), 2.0/3)
	if got := at(10, 1e7); math.Abs(got-want) > 1e-12 {
		t.Errorf("theorem at p=10, n=10⁷: %v, want %v", got, want)
	}
	if at(10, 1e7) >= at(20, 1e7) || at(10, 1e7) <= at(10, 1e8) || at(100, 10) != 1 {
		t.Error("the theorem's bound must grow with p, fall with n and stop at 1")
	}
}

// One family given three ways: a size limit, a matroid's test and a user's
// oracle, both called in batches. The draws of T must be the same.
func TestUserFamiliesCalibrateAsBuiltIn(t *testing.T) {
	const p, k = 14, 4
	est, se, n := make([]float64, p), make([]float64, p), make([]int, p)
	r := newStream(86, 0)
	for i := range est {
		est[i], se[i], n[i] = r.norm(), math.Exp(r.norm()), 9
	}
	calls := 0
	uniform := Matroid("at most 4", func(sets [][]int) []bool {
		calls++
		return sizes(sets, func(n int) bool { return n <= k })
	})
	user := Oracle("four heaviest", func(ws [][]float64) [][]int {
		out := make([][]int, len(ws))
		for b, w := range ws {
			out[b], _ = (&topK{k: k}).best(w, nil)
		}
		return out
	})
	for _, sides := range []Sides{Both, Lower, Upper} {
		var want *Bounds
		for _, f := range []*Family{AtMost(k), uniform, user} {
			for _, balance := range []bool{false, true} {
				if f == user && balance {
					continue
				}
				b, err := Fit(ctx, est, se, &Options{N: n, Sides: sides, Draws: 300, Family: f, Balance: balance})
				if err != nil {
					t.Fatal(err)
				}
				if f.Name == "at most 4" && f != uniform && !balance {
					want = b
				}
				if balance {
					continue
				}
				for i := range b.T {
					if math.Abs(b.T[i]-want.T[i]) > 1e-12*want.T[i] {
						t.Fatalf("%s %v: draw %d is %v, want %v", f.Name, sides, i, b.T[i], want.T[i])
					}
				}
				if _, err := b.Of([]int{0, 1, 2, 3, 4}); err == nil {
					t.Errorf("%s accepts five tests", f.Name)
				}
				if _, err := b.Of([]int{0, 1, 2, 3}); err != nil {
					t.Errorf("%s: %v", f.Name, err)
				}
			}
		}
	}
	if calls > 12000 {
		t.Errorf("the matroid's test was called %d times: not in batches", calls)
	}
	// An oracle that starts to lie during the calibration is found out.
	asked := 0
	liar := Oracle("turns lazy", func(ws [][]float64) [][]int {
		asked++
		out := make([][]int, len(ws))
		for b, w := range ws {
			out[b], _ = (&topK{k: k}).best(w, nil)
			if asked > 3 && len(out[b]) > 1 {
				out[b] = out[b][:1]
			}
		}
		return out
	})
	if _, err := Fit(ctx, est, se, &Options{Draws: 300, Family: liar}); err == nil || !strings.Contains(err.Error(), "not the maximum") {
		t.Errorf("an oracle that turns lazy: %v", err)
	}
}
