package bound

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The moments and the distribution function of each generator against the
// closed forms, with bounds of five standard deviations.
func TestNormalDistribution(t *testing.T) {
	r := newStream(3, 0)
	const n = 400000
	x := make([]float64, n)
	r.norms(x)
	var m1, m2, m4 float64
	cuts := []float64{-3.8, -3, -2, -1, -0.3, 0, 0.2, 0.7, 1.5, 2.5, 3.6541528853610088, 4}
	below := make([]float64, len(cuts))
	for _, v := range x {
		m1 += v / n
		m2 += v * v / n
		m4 += v * v * v * v / n
		for i, c := range cuts {
			if v < c {
				below[i]++
			}
		}
	}
	for _, c := range []struct {
		name            string
		got, want, sdev float64
	}{{"mean", m1, 0, 1 / math.Sqrt(n)}, {"variance", m2, 1, math.Sqrt(2.0 / n)}, {"fourth moment", m4, 3, math.Sqrt(96.0 / n)}} {
		if math.Abs(c.got-c.want) > 5*c.sdev {
			t.Errorf("%s %v, want %v ± %v", c.name, c.got, c.want, 5*c.sdev)
		}
	}
	for i, c := range cuts {
		p := 0.5 * math.Erfc(-c/math.Sqrt2)
		if sd := math.Sqrt(p * (1 - p) * n); math.Abs(below[i]-p*n) > 5*sd+1 {
			t.Errorf("P(x < %v): %v, want %v", c, below[i]/n, p)
		}
	}
}

// norms must be norm in a loop, or the streamed and the plain path differ.
func TestNormsIsNormInALoop(t *testing.T) {
	a, b := newStream(1, 7), newStream(1, 7)
	x := make([]float64, 5000)
	a.norms(x)
	for i := range x {
		if y := b.norm(); y != x[i] {
			t.Fatalf("number %d: %v and %v", i, x[i], y)
		}
	}
}

func TestChi2AndBinomial(t *testing.T) {
	const n = 60000
	for _, df := range []float64{1, 4, 29} {
		r := newStream(5, uint64(df))
		var m, q float64
		med := distuv.ChiSquared{K: df}.Quantile(0.5)
		for range n {
			v := r.chi2(df)
			m += v / n
			if v < med {
				q++
			}
		}
		if math.Abs(m-df) > 5*math.Sqrt(2*df/n) || math.Abs(q-n/2) > 5*math.Sqrt(n)/2 {
			t.Errorf("chi2(%v): mean %v, below the median %v", df, m, q/n)
		}
	}
	for _, c := range []struct {
		n int
		q float64
	}{{1, 0.3}, {10, 0.1}, {250, 0.97}, {100000, 0.013}, {7, 0}, {7, 1}} {
		r := newStream(9, uint64(c.n))
		d := newBinomial(c.n, c.q)
		var m, m2 float64
		for range n {
			v := float64(d.draw(&r)) - float64(c.n)*c.q
			m += v / n
			m2 += v * v / n
		}
		v := float64(c.n) * c.q * (1 - c.q)
		if math.Abs(m) > 5*math.Sqrt(v/n)+1e-12 || math.Abs(m2-v) > 5*math.Sqrt((2*v*v+v)/n)+1e-12 {
			t.Errorf("binomial(%d, %v): bias %v, variance %v, want %v", c.n, c.q, m, m2, v)
		}
	}
}

func BenchmarkNorms(b *testing.B) {
	x := make([]float64, 1024)
	r := newStream(1, 1)
	for b.Loop() {
		r.norms(x)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/number")
}
