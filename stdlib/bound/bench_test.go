package bound

import (
	"flag"
	"syscall"
	"testing"
)

var long = flag.Bool("long", false, "run the long benchmarks: 10,000 draws of a million tests")

// The speed targets, one benchmark each; with the processor time beside the
// wall clock's, by test and draw, as other work may share the machine.
func benchmark(b *testing.B, p, draws int, fit func() (*Bounds, error)) {
	begin := processorTime(b)
	for b.Loop() {
		if _, err := fit(); err != nil {
			b.Fatal(err)
		}
	}
	n := float64(b.N) * float64(p) * float64(draws)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/test/draw")
	b.ReportMetric((processorTime(b)-begin)*1e9/n, "cpu-ns/test/draw")
}

func processorTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// 27 tests, 250 units, Student: under 0.5 s.
func BenchmarkStudent27(b *testing.B) {
	samples := make([][]float64, 27)
	r := newStream(1, 1)
	for i := range samples {
		samples[i] = make([]float64, 250)
		for j := range samples[i] {
			samples[i][j] = float64(r.intn(3) - 1)
		}
	}
	benchmark(b, 27, 10000, func() (*Bounds, error) { return FitSamples(ctx, samples, nil) })
}

// 1,000 tests, all subsets, Gauss: under 0.15 s one-sided.
func BenchmarkGauss1000(b *testing.B) {
	benchmark(b, 1000, 10000, func() (*Bounds, error) {
		return Fit(ctx, make([]float64, 1000), ones(1000), &Options{Sides: Lower})
	})
}

// 10,000 tests, at most 100: under 20 s.
func BenchmarkAtMost100Of10000(b *testing.B) {
	draws := 200
	if *long {
		draws = 10000
	}
	benchmark(b, 10000, draws, func() (*Bounds, error) {
		return Fit(ctx, make([]float64, 10000), ones(10000), &Options{Sides: Lower, Draws: draws, Family: AtMost(100)})
	})
}

// A million tests, all subsets: 10,000 draws within 60 s on two cores.
func BenchmarkMillion(b *testing.B) {
	const p = 1_000_000
	draws := 40
	if *long {
		draws = 10000
	}
	benchmark(b, p, draws, func() (*Bounds, error) {
		return Fit(ctx, make([]float64, p), ones(p), &Options{Sides: Lower, Draws: draws})
	})
}

// The closed form at a million tests: under 0.1 s.
func BenchmarkPreviewMillion(b *testing.B) {
	const p = 1_000_000
	v := make([]float64, p)
	r := newStream(1, 2)
	for i := range v {
		v[i] = 0.1 + r.float()
	}
	for b.Loop() {
		if _, err := Critical(ctx, v, &Options{Sides: Lower}); err != nil {
			b.Fatal(err)
		}
	}
}

// A budget over 200 tests, 2,000 draws, ε = 0.5 %: under 60 s.
func BenchmarkBudget200(b *testing.B) {
	cost := make([]float64, 200)
	r := newStream(1, 3)
	for i := range cost {
		cost[i] = 1 + 9*r.float()
	}
	benchmark(b, 200, 2000, func() (*Bounds, error) {
		return Fit(ctx, make([]float64, 200), ones(200), &Options{Draws: 2000, Family: Budget(cost, 200), Slack: 0.005})
	})
}
