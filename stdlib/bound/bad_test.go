package bound

import (
	"context"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every refusal says what, where, the value and the next step.
func TestBadInput(t *testing.T) {
	x, se := []float64{1, 2, 3}, []float64{1, 1, 1}
	v := []float64{1, 1, 1}
	fit := func(o *Options) func() error {
		return func() error { _, err := Fit(ctx, x, se, o); return err }
	}
	with := func(est, se []float64) func() error {
		return func() error { _, err := Fit(ctx, est, se, nil); return err }
	}
	family := func(f *Family) func() error {
		return func() error { _, err := Densest(ctx, x, v, f, nil); return err }
	}
	samples := func(s [][]float64, o *Options) func() error {
		return func() error { _, err := FitSamples(ctx, s, o); return err }
	}
	counts := func(h, n []int) func() error {
		return func() error { _, err := FitCounts(ctx, h, n, nil); return err }
	}
	of := func(o *Options, set []int) func() error {
		return func() error {
			b, err := Fit(ctx, x, se, o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = b.Of(set)
			return err
		}
	}
	yes := func(sets [][]int) []bool {
		ok := make([]bool, len(sets))
		for i := range ok {
			ok[i] = true
		}
		return ok
	}
	for name, c := range map[string]struct {
		f    func() error
		want string
	}{
		"no tests":                     {with(nil, nil), "no tests"},
		"mixed lengths":                {with(x, se[:2]), "lengths differ"},
		"NaN":                          {with([]float64{1, math.NaN(), 3}, se), "at test 1 (NaN)"},
		"infinite":                     {with(x, []float64{1, math.Inf(1), 1}), "at test 1 (+Inf)"},
		"negative error":               {with(x, []float64{1, 1, -2}), "at test 2 (-2)"},
		"zero variances":               {with(x, []float64{0, 0, 0}), "no test has a standard error above 0"},
		"tiny variances":               {with(x, []float64{1e-200, 1, 1}), "out of range"},
		"huge effect":                  {with([]float64{1e200, 1, 1}, se), "out of range"},
		"huge in densest":              {func() error { _, err := Densest(ctx, []float64{1e200, 1, 1}, v, nil, nil); return err }, "out of range"},
		"alpha 1":                      {fit(&Options{Alpha: 1}), "must be in (0, 1)"},
		"alpha negative":               {fit(&Options{Alpha: -0.1}), "must be in (0, 1)"},
		"alpha NaN":                    {fit(&Options{Alpha: math.NaN()}), "must be in (0, 1)"},
		"few draws":                    {fit(&Options{Draws: 18}), "too few draws"},
		"negative draws":               {fit(&Options{Draws: -1}), "too few draws"},
		"sides":                        {fit(&Options{Sides: 7}), "no such side"},
		"mode":                         {fit(&Options{Mode: -1}), "no such mode"},
		"mode needs units":             {fit(&Options{Mode: Student}), "call FitSamples"},
		"mode needs n":                 {fit(&Options{Mode: T}), "Options.N is nil"},
		"mode needs moments":           {fit(&Options{Mode: Moments, N: []int{3, 3, 3}}), "Skew or Kurt is nil"},
		"one unit in N":                {fit(&Options{N: []int{3, 1, 3}}), "at test 1 (1)"},
		"N length":                     {fit(&Options{N: []int{3}}), "Options.N (1 values for 3 tests)"},
		"weights length":               {fit(&Options{Weights: []float64{1}}), "Options.Weights"},
		"negative weight":              {fit(&Options{Weights: []float64{1, -1, 1}}), "at test 1 (-1)"},
		"names length":                 {fit(&Options{Names: []string{"a"}}), "Options.Names"},
		"slack":                        {fit(&Options{Slack: 0.6}), "[0, 0.5)"},
		"zero family":                  {fit(&Options{Family: &Family{}}), "empty family"},
		"k negative":                   {family(AtMost(-1)), "negative"},
		"groups length":                {family(PerGroup([]int{0, 1}, []int{1, 1})), "lengths differ"},
		"group without limit":          {family(PerGroup([]int{0, 5, 0}, []int{1})), "at test 1 (5)"},
		"negative limit":               {family(PerGroup([]int{0, 0, 0}, []int{-1})), "at 0 (-1)"},
		"crossing sets":                {family(Laminar(3, [][]int{{0, 1}, {1, 2}}, []int{1, 1})), "cross"},
		"laminar limits":               {family(Laminar(3, [][]int{{0, 1}}, nil)), "lengths differ"},
		"laminar index":                {family(Laminar(3, [][]int{{0, 7}}, []int{1})), "(7)"},
		"budget length":                {family(Budget([]float64{1}, 3)), "lengths differ"},
		"negative cost":                {family(Budget([]float64{1, -1, 1}, 3)), "at test 1 (-1)"},
		"NaN budget":                   {family(Budget([]float64{1, 1, 1}, math.NaN())), "limit"},
		"pair index":                   {family(Without([][2]int{{0, 9}})), "(9)"},
		"pair with itself":             {family(Without([][2]int{{1, 1}})), "excludes itself"},
		"no sets":                      {family(Sets(nil)), "no set is listed"},
		"set index":                    {family(Sets([][]int{{0, -1}})), "(-1)"},
		"nil matroid":                  {family(Matroid("m", nil)), "nil"},
		"empty set dependent":          {family(Matroid("m", func(s [][]int) []bool { return make([]bool, len(s)) })), "empty set"},
		"wrong answers":                {family(Matroid("m", func([][]int) []bool { return nil })), "wrong number of answers"},
		"nil oracle":                   {family(Oracle("o", nil)), "nil"},
		"oracle answers":               {family(Oracle("o", func([][]float64) [][]int { return nil })), "wrong number of answers"},
		"oracle index":                 {family(Oracle("o", func(w [][]float64) [][]int { return answer(w, 5) })), "no such test"},
		"oracle repeats":               {family(Oracle("o", func(w [][]float64) [][]int { return answer(w, 1, 1) })), "twice"},
		"oracle lies":                  {family(Oracle("first test", func(w [][]float64) [][]int { return liar(w) })), "not the maximum"},
		"one unit":                     {samples([][]float64{{1, 2}, {3}}, nil), "at test 1 (1)"},
		"no samples":                   {samples(nil, nil), "no tests"},
		"NaN unit":                     {samples([][]float64{{1, 2}, {3, math.NaN()}}, nil), "at test 1, unit 1 (NaN)"},
		"ragged rows":                  {samples([][]float64{{1, 2}, {3, 4, 5}}, &Options{Mode: Joint}), "rows are incomplete"},
		"equal units":                  {samples([][]float64{{1, 1}, {2, 2}}, nil), "no test has a standard error above 0"},
		"counts mode":                  {samples([][]float64{{1, 0}}, &Options{Mode: Binomial}), "call FitCounts"},
		"hits":                         {counts([]int{5}, []int{4}), "(5 of 4)"},
		"one trial":                    {counts([]int{1}, []int{1}), "at test 0 (1)"},
		"counts lengths":               {counts([]int{1}, nil), "lengths differ"},
		"outside the family":           {of(&Options{Family: AtMost(1)}, []int{0, 1}), "outside the family"},
		"no such test":                 {of(nil, []int{3}), "(3)"},
		"repeated test":                {of(nil, []int{0, 0}), "twice"},
		"empty set":                    {of(nil, nil), "empty set"},
		"balance needs greed":          {fit(&Options{Balance: true, Family: Sets([][]int{{0, 1}})}), "no maximum by size"},
		"densest lengths":              {func() error { _, err := Densest(ctx, x, v[:1], nil, nil); return err }, "lengths differ"},
		"densest zero v":               {func() error { _, err := Densest(ctx, x, []float64{1, 0, 1}, nil, nil); return err }, "at test 1 (0)"},
		"densest empty":                {func() error { _, err := Densest(ctx, nil, nil, nil, nil); return err }, "no tests"},
		"graph nodes":                  {func() error { _, err := DensestGraph(ctx, 0, nil, nil, nil); return err }, "no nodes"},
		"graph edge":                   {func() error { _, err := DensestGraph(ctx, 2, []Edge{{0, 2, 1}}, nil, nil); return err }, "0–2"},
		"graph weight":                 {func() error { _, err := DensestGraph(ctx, 2, []Edge{{0, 1, -1}}, nil, nil); return err }, "(-1)"},
		"graph size":                   {func() error { _, err := DensestGraph(ctx, 2, nil, []float64{1, 0}, nil); return err }, "at node 1 (0)"},
		"critical family":              {func() error { _, err := Critical(ctx, v, &Options{Family: Sets([][]int{{0}})}); return err }, "no closed form"},
		"critical v":                   {func() error { _, err := Critical(ctx, []float64{1, 0}, nil); return err }, "at test 1 (0)"},
		"coverage data":                {func() error { _, err := Coverage(ctx, []int{2}, []int{5}, []string{"cauchy"}, 10, nil); return err }, "cauchy"},
		"pairs":                        {func() error { _, err := FitPairs(ctx, [][]float64{{1, 2}}, [][]float64{{1}}, nil); return err }, "at test 0 (2 and 1 units)"},
		"all independent is a matroid": {family(Matroid("free", yes)), ""},
	} {
		err := c.f()
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: refused: %v", name, err)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q does not say %q", name, err, c.want)
		}
		if !regexp.MustCompile(`^bound: .+, (in|at) .*\(.*\); .+`).MatchString(err.Error()) {
			t.Errorf("%s: %q is not of the form what, where (value); next step", name, err)
		}
	}
}

func sizes(sets [][]int, ok func(n int) bool) []bool {
	out := make([]bool, len(sets))
	for i, s := range sets {
		out[i] = ok(len(s))
	}
	return out
}

func answer(w [][]float64, set ...int) [][]int {
	out := make([][]int, len(w))
	for i := range out {
		out[i] = set
	}
	return out
}

// liar returns one positive test, though sets of two are also in its family.
func liar(w [][]float64) [][]int {
	out := make([][]int, len(w))
	for b, x := range w {
		for i := range x {
			if x[i] > 0 {
				out[b] = append(out[b], i)
			}
		}
		if b%2 == 1 && len(out[b]) > 1 {
			out[b] = out[b][:1]
		}
	}
	return out
}

// A family that is no matroid, or not downward closed, must not be maximised
// by greed.
func TestFamiliesThatAreNoMatroids(t *testing.T) {
	p := 12
	x, v := make([]float64, p), ones(p)
	for i := range x {
		x[i] = 1
	}
	pairsOnly := Matroid("pairs", func(sets [][]int) []bool {
		return sizes(sets, func(n int) bool { return n == 0 || n == 2 })
	})
	if _, err := Densest(ctx, x, v, pairsOnly, nil); err != nil && !strings.Contains(err.Error(), "matroid") {
		t.Errorf("pairs only: %v", err)
	}
	odd := Matroid("a part of {0…3} or of {4…11}", func(sets [][]int) []bool {
		ok := make([]bool, len(sets))
		for k, s := range sets {
			lo, hi := 0, 0
			for _, i := range s {
				if i < 4 {
					lo++
				} else {
					hi++
				}
			}
			ok[k] = lo == 0 || hi == 0
		}
		return ok
	})
	if _, err := Densest(ctx, x, v, odd, nil); err == nil || !strings.Contains(err.Error(), "not a matroid") {
		t.Errorf("union of two cubes: %v", err)
	}
	holes := Matroid("not without test 0", func(sets [][]int) []bool {
		ok := make([]bool, len(sets))
		for k, s := range sets {
			ok[k] = len(s) < 2 || s[0] == 0
		}
		return ok
	})
	if _, err := Densest(ctx, x, v, holes, nil); err == nil || !strings.Contains(err.Error(), "matroid") {
		t.Errorf("holes: %v", err)
	}
}

// Tests without variance (0 of 146 against 0 of 146) are named, excluded and
// refused, and the others are bounded as ever.
func TestZeroVariance(t *testing.T) {
	a, b := make([]float64, 146), make([]float64, 146)
	c, d := make([]float64, 146), make([]float64, 146)
	for j := range c {
		c[j] = float64(j % 2)
		d[j] = float64(j % 3 % 2)
	}
	got, err := FitPairs(ctx, [][]float64{a, c}, [][]float64{b, d}, &Options{Names: []string{"nothing", "something"}, Draws: 500})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Excluded) != 1 || got.Excluded[0] != 0 || !strings.Contains(got.String(), "nothing") {
		t.Errorf("%v, excluded %v", got, got.Excluded)
	}
	if _, err := got.Of([]int{0, 1}); err == nil || !strings.Contains(err.Error(), "without variance") {
		t.Errorf("set with a constant test: %v", err)
	}
	iv, err := got.Where(func(int) bool { return true })
	if err != nil || iv.Size != 1 || math.IsNaN(iv.Lower) {
		t.Errorf("%v, %v", iv, err)
	}
	alone, err := FitPairs(ctx, [][]float64{c}, [][]float64{d}, &Options{Draws: 500})
	if err != nil || math.Abs(alone.ScheffeC-got.ScheffeC) > 1e-12 {
		t.Errorf("Scheffé counts a constant test: %v, %v", got.ScheffeC, alone.ScheffeC)
	}
	for _, balance := range []bool{false, true} {
		for _, f := range []*Family{All(), AtMost(1), PerGroup([]int{0, 0, 0}, []int{2})} {
			x, err := Fit(ctx, []float64{1, 2, 3}, []float64{1, 0, 1}, &Options{Draws: 200, Family: f, Balance: balance})
			if err != nil || math.IsNaN(x.C) || math.IsInf(x.C, 0) {
				t.Errorf("%s: %v %v", f.Name, x, err)
				continue
			}
			if best, err := x.Best(); err != nil || len(best.Set) > 0 && best.Set[0] == 1 {
				t.Errorf("%s: best %v %v", f.Name, best, err)
			}
		}
	}
	// Counts at the ends stay in. No hit in 146 leaves rates to about 3/146.
	n, err := FitCounts(ctx, []int{0, 146, 40}, []int{146, 146, 146}, &Options{Draws: 5000})
	if err != nil || len(n.Excluded) != 0 || len(n.Warnings) != 0 {
		t.Fatalf("%v %v", n, err)
	}
	none, err := n.Of([]int{0})
	if err != nil || none.Upper < 2.0/146 || none.Upper > 6.0/146 {
		t.Errorf("no hit in 146: %v %v", none, err)
	}
}

// Warnings come where a mode is known to fail, and only there.
func TestWarnings(t *testing.T) {
	r := newStream(101, 0)
	samples := make([][]float64, 50)
	for i := range samples {
		samples[i] = make([]float64, 30)
		for j := range samples[i] {
			samples[i][j] = -math.Log(r.float())
		}
	}
	for mode, want := range map[Mode]string{Gauss: "skewed data", T: "skewed data", Resample: "skewed data", Student: "", Moments: ""} {
		b, err := FitSamples(ctx, samples, &Options{Mode: mode, Draws: 200})
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(b.Warnings, "; "); want == "" && said != "" || !strings.Contains(said, want) {
			t.Errorf("%v: %q", mode, said)
		}
		if want != "" && !strings.Contains(b.String(), "warning") {
			t.Errorf("%v: the printed line does not warn", mode)
		}
	}
	warned := func(b *Bounds, err error, want string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(b.Warnings, "; "); !strings.Contains(said, want) || want == "" && said != "" {
			t.Errorf("warnings %q, want %q", said, want)
		}
	}
	few := &Options{Draws: 200}
	b, err := Fit(ctx, make([]float64, 50), ones(50), &Options{Mode: Gauss, N: repeatInt(20, 50), Draws: 200})
	warned(b, err, "more tests (50) than units a test (20)")
	b, err = Fit(ctx, make([]float64, 5), ones(5), few)
	warned(b, err, "takes errors as normal")
	b, err = Fit(ctx, make([]float64, 5), ones(5), &Options{N: repeatInt(99, 5), Draws: 200})
	warned(b, err, "takes units as normal")
	for i := range samples {
		samples[i] = samples[i][:12]
		r.norms(samples[i])
	}
	b, err = FitSamples(ctx, samples[:4], &Options{Mode: T, Draws: 200})
	warned(b, err, "too few to see skewness")
	// Normal units raise no alarm, but in rows that move together they do.
	alarms := 0
	for round := range 100 {
		r := newStream(103, uint64(round))
		x, y := make([][]float64, 40), make([][]float64, 40)
		common := make([]float64, 60)
		r.norms(common)
		for i := range x {
			x[i], y[i] = make([]float64, 60), make([]float64, 60)
			r.norms(x[i])
			for j := range y[i] {
				y[i][j] = x[i][j] + 0.5*common[j]
			}
		}
		b, err := FitSamples(ctx, x, &Options{Mode: T, Draws: 19})
		if err != nil {
			t.Fatal(err)
		}
		alarms += len(b.Warnings)
		b, err = FitSamples(ctx, y, &Options{Draws: 19})
		warned(b, err, "move together")
		b, err = FitSamples(ctx, y, &Options{Mode: Joint, Draws: 19})
		warned(b, err, "")
	}
	if alarms > 8 {
		t.Errorf("%d alarms in 100 harmless data sets", alarms)
	}
	b, err = Fit(ctx, make([]float64, 250), ones(250), &Options{N: repeatInt(20, 250), Skew: make([]float64, 250), Kurt: slices.Repeat([]float64{3}, 250), Draws: 200})
	warned(b, err, "far more tests (250) than units a test (20)")
	constant := append([][]float64{make([]float64, 12)}, samples[:4]...)
	b, err = FitSamples(ctx, constant, few)
	warned(b, err, "itself a choice")
}

func repeatInt(n, k int) []int {
	s := make([]int, k)
	for i := range s {
		s[i] = n
	}
	return s
}

func TestDensestStopsWithItsBest(t *testing.T) {
	c, cancel := context.WithCancel(ctx)
	calls := 0
	f := Oracle("positive, slowly", func(ws [][]float64) [][]int {
		if calls++; calls == 4 {
			cancel()
		}
		out := make([][]int, len(ws))
		for b, w := range ws {
			for i, x := range w {
				if x > 0 {
					out[b] = append(out[b], i)
				}
			}
		}
		return out
	})
	r := newStream(102, 0)
	z, v := instance(&r, 500, 0)
	s, err := Densest(c, z, v, f, nil)
	if err == nil || s == nil || s.Value <= 0 {
		t.Fatalf("%v %v", s, err)
	}
	full, _ := Densest(ctx, z, v, nil, nil)
	if s.Value > full.Value || s.UpperBound < full.Value {
		t.Errorf("interrupted: %v ≤ maximum %v ≤ %v does not hold", s.Value, full.Value, s.UpperBound)
	}
}

func FuzzDensest(f *testing.F) {
	f.Add(uint64(1), uint8(5), uint8(2), 1.0, 1.0)
	f.Add(uint64(2), uint8(1), uint8(0), -1.0, 1e-200)
	f.Add(uint64(3), uint8(9), uint8(9), math.Inf(1), 0.0)
	f.Add(uint64(4), uint8(7), uint8(3), 1e300, 1e-300)
	f.Add(uint64(5), uint8(7), uint8(3), 1e99, 1e-199)
	f.Add(uint64(6), uint8(7), uint8(9), 1e-99, 1e199)
	f.Fuzz(func(t *testing.T, seed uint64, p, k uint8, x0, v0 float64) {
		n := int(p%10) + 1
		r := newStream(seed, 0)
		x, v := instance(&r, n, int(seed%6))
		x[0], v[0] = x0, v0
		s, err := Densest(ctx, x, v, AtMost(int(k)), nil)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "bound: ") {
				t.Fatal(err)
			}
			return
		}
		if len(s.Set) > int(k) || s.Value < 0 || math.IsNaN(s.Value) {
			t.Fatalf("%v", s)
		}
		want := enumerate(x, v, func(m int) bool { return len(members(m)) <= int(k) })
		if math.Abs(s.Value-want) > 1e-9*want {
			t.Fatalf("%v, enumeration %v", s, want)
		}
	})
}
