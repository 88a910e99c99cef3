package ring

import (
	"testing"
)

func benchCloud(b *testing.B, n int) *Cloud {
	b.Helper()
	c, err := Synthetic("uniform", n, 1)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// All-pairs shortest paths of 315 nodes and 972 links.
func BenchmarkReadGML(b *testing.B) {
	path := shared(b, "cross-silo", "sprint.gml")
	for b.Loop() {
		if _, err := ReadGML(path, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// The best ring of 490 nodes, proved.
func BenchmarkBTSPPlanetLab(b *testing.B) {
	w := network(b, "planetlab")
	for b.Loop() {
		if t, err := BTSP(background, w, nil); err != nil || t.Status != Optimal {
			b.Fatal(t, err)
		}
	}
}

// The best ring of 10⁴ points, proved.
func BenchmarkBTSPPoints(b *testing.B) {
	c := benchCloud(b, 10_000)
	for b.Loop() {
		if _, err := BTSP(background, c, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// All multipliers of 10⁴ points.
func BenchmarkMSRPoints(b *testing.B) {
	c := benchCloud(b, 10_000)
	order := identity(10_000)
	for b.Loop() {
		if _, err := MSR(background, c, order, Exponential(10_000), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// Moves of the polish with tables, 490 nodes, exponential graph.
func BenchmarkPolishMoves(b *testing.B) {
	w := network(b, "planetlab")
	t, _ := load(w, 0)
	set, _ := (*Options)(nil).settings(t.n)
	p := newPolisher(t, Exponential(t.n), set.random(1))
	p.place(identity(t.n))
	p.aim([]float64{200})
	for b.Loop() {
		p.run(background, &set, 100)
	}
	b.ReportMetric(float64(p.moves)/b.Elapsed().Seconds(), "moves/s")
}

// Moves of the sampled polish, 10⁴ points, exponential graph.
func BenchmarkSampledMoves(b *testing.B) {
	c := benchCloud(b, 10_000)
	t, _ := load(c, 0)
	set, _ := (*Options)(nil).settings(t.n)
	p := newSampler(t, Exponential(t.n), set.random(1))
	p.place(identity(t.n))
	p.aim([]float64{50})
	for b.Loop() {
		p.run(background, &set, 100)
	}
	b.ReportMetric(float64(p.moves)/b.Elapsed().Seconds(), "moves/s")
}
