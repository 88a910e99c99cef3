package bound

import (
	"math"
	"testing"
)

// Coverage at p = 20, n = 30 in a quick version: modes that hold, hold; those
// known to fail on skewed data fail, so that the measurement can tell.
func TestCoverage(t *testing.T) {
	m, err := Coverage(ctx, []int{20}, []int{30}, []string{"normal", "exponential"}, 300, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range m.Rows {
		slack := 3*r.Error() + 0.012
		switch {
		case r.Data == "normal" && (r.Mode == Student || r.Mode == T || r.Mode == Moments):
			for _, x := range []float64{r.Lower, r.Upper, r.Both} {
				if math.Abs(x-r.Nominal) > slack {
					t.Errorf("%v on normal data: %.3f, nominal %.2f", r.Mode, x, r.Nominal)
				}
			}
		case r.Data == "exponential" && r.Mode == Student:
			if r.Lower < r.Nominal-slack || r.Upper < r.Nominal-0.08 {
				t.Errorf("Student on exponential data: %.3f, %.3f", r.Lower, r.Upper)
			}
		case r.Data == "exponential" && (r.Mode == Gauss || r.Mode == Resample):
			if r.Upper > r.Nominal-0.1 || !r.Fails(r.Upper) {
				t.Errorf("%v on exponential data covers %.3f: the simulation does not see the failure", r.Mode, r.Upper)
			}
		}
		if r.Naive > 0.2 {
			t.Errorf("naive bounds of the picked set hold in %.3f", r.Naive)
		}
	}
}

// Cells of the published coverage table (1,000 or 400 data sets), lower and
// upper bounds at 95 %, within three binomial standard errors of both.
func TestCoverageTable(t *testing.T) {
	const reps = 250
	for _, c := range []struct {
		p, n         int
		data         string
		mode         Mode
		lower, upper float64
	}{
		{10, 10, "normal", Gauss, .901, .878}, {10, 10, "normal", T, .960, .947}, {10, 10, "normal", Resample, .866, .837}, {10, 10, "normal", Student, .981, .972},
		{100, 30, "normal", Gauss, .918, .914}, {100, 30, "normal", T, .945, .941}, {100, 30, "normal", Resample, .893, .889}, {100, 30, "normal", Student, .948, .942},
		{100, 30, "normal", Moments, .945, .944},
		{100, 30, "exponential", Gauss, .999, .264}, {100, 30, "exponential", T, 1, .302}, {100, 30, "exponential", Resample, 1, .142}, {100, 30, "exponential", Student, .966, .923},
		{100, 30, "exponential", Moments, .963, 1},
		{100, 100, "exponential", Gauss, .998, .667}, {100, 100, "exponential", Moments, .960, .986},
		{100, 100, "bernoulli", Gauss, .999, .451}, {100, 100, "bernoulli", T, .999, .461},
	} {
		m, err := Coverage(ctx, []int{c.p}, []int{c.n}, []string{c.data}, reps, &Options{Mode: c.mode, Alpha: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		r := m.Rows[0]
		for side, x := range []float64{r.Lower, r.Upper} {
			want := []float64{c.lower, c.upper}[side]
			v := max(want*(1-want), 0.003)
			if sd := math.Sqrt(v/reps + v/400); math.Abs(x-want) > 3*sd+0.005 {
				t.Errorf("p=%d n=%d %s %v, side %d: coverage %.3f, table %.3f (±%.3f)", c.p, c.n, c.data, c.mode, side, x, want, 3*sd)
			}
		}
	}
}

// Dependent tests: Student, which takes them as independent, fails; Joint
// holds better by far.
func TestJointKeepsDependence(t *testing.T) {
	m, err := Coverage(ctx, []int{30}, []int{100}, []string{"dependent"}, 200, &Options{Alpha: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	got := map[Mode]CoverageRow{}
	for _, r := range m.Rows {
		got[r.Mode] = r
	}
	if got[Student].Both > 0.85 || got[Joint].Both < 0.9 {
		t.Errorf("Student covers %.3f, Joint %.3f", got[Student].Both, got[Joint].Both)
	}
}

// Selection by an adversary: on data without effects the set that looks best
// is reported 2,000 times.
func TestAdversarialSelection(t *testing.T) {
	const p, reps = 100, 2000
	b, err := Fit(ctx, make([]float64, p), ones(p), &Options{Sides: Lower, Draws: 20000})
	if err != nil {
		t.Fatal(err)
	}
	naive, simultaneous := 0, 0
	x := make([]float64, p)
	for rep := range reps {
		r := newStream(91, uint64(rep))
		r.norms(x)
		s, err := Densest(ctx, x, ones(p), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.Value > b.NaiveC {
			naive++
		}
		if s.Value > b.C {
			simultaneous++
		}
	}
	if naive < reps*99/100 {
		t.Errorf("naive bounds miss %d of %d times", naive, reps)
	}
	if r := float64(simultaneous) / reps; math.Abs(r-0.05) > 0.015 {
		t.Errorf("simultaneous bounds miss %.3f", r)
	}
}
