package ring

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"sort"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"
)

// mixingMatrix is W of a round, entry by entry.
func mixingMatrix(n int, skips []int) *mat.Dense {
	w := mat.NewDense(n, n, nil)
	share := 1 / float64(len(skips)+1)
	for i := 0; i < n; i++ {
		w.Set(i, i, share)
		for _, s := range skips {
			r := (i + s) % n // i sends to i+s
			w.Set(r, i, w.At(r, i)+share)
		}
	}
	return w
}

func TestSpectrum(t *testing.T) {
	for _, n := range []int{2, 3, 5, 12, 31, 40} {
		for _, g := range topologies(n) {
			if g.Check() != nil {
				continue
			}
			for l, lambda := range g.Spectrum() {
				w := mixingMatrix(n, g.Rounds[l])
				for i := 0; i < n; i++ {
					if r, c := mat.Sum(w.RowView(i)), mat.Sum(w.ColView(i)); !near(r, 1) || !near(c, 1) {
						t.Fatalf("row and column %d sum to %v and %v", i, r, c)
					}
				}
				// By Fourier transform of the first column.
				column := make([]complex128, n)
				for i := range column {
					column[i] = complex(w.At(i, 0), 0)
				}
				for j, x := range fourier.NewCmplxFFT(n).Coefficients(nil, column) {
					if cmplx.Abs(x-cmplx.Conj(lambda[j])) > 1e-12 {
						t.Errorf("n=%d %s: λ_%d is %v by formula and %v by FFT", n, g.Name, j, lambda[j], x)
					}
				}
				// By the dense matrix, as sets of moduli.
				var e mat.Eigen
				if !e.Factorize(w, mat.EigenNone) {
					t.Fatal("no eigenvalues")
				}
				var a, b []float64
				for j, x := range e.Values(nil) {
					a, b = append(a, cmplx.Abs(x)), append(b, cmplx.Abs(lambda[j]))
				}
				sort.Float64s(a)
				sort.Float64s(b)
				for j := range a {
					if math.Abs(a[j]-b[j]) > 1e-7 {
						t.Errorf("n=%d %s: moduli %v and %v", n, g.Name, a, b)
						break
					}
				}
			}
		}
	}
}

// Rounds to consensus error 1e-3: the table of the derivation, exactly.
func TestRoundsTable(t *testing.T) {
	for _, row := range [][5]int{
		{11, 168, 26, 10, 19}, {22, 676, 108, 18, 24}, {40, 2238, 100, 21, 28}, {79, 8734, 516, 17, 33},
		{87, 10593, 188, 17, 34}, {161, 36283, 1045, 17, 39}, {315, 138894, 2082, 21, 42}, {64, 5732, 402, 21, 6},
		{1024, 1467799, 103204, 35, 10},
	} {
		n := row[0]
		for k, g := range []Topology{Ring(n), SparseExponential(n), Exponential(n), OnePeer(n)} {
			got := g.RoundsTo(1e-3)
			if got != row[k+1] {
				t.Errorf("%s(%d) takes %d rounds to 1e-3, not %d", g.Name, n, got, row[k+1])
			}
			if g.ConsensusError(got) > 1e-3 || got > 1 && g.ConsensusError(got-1) <= 1e-3 {
				t.Errorf("%s(%d): error %v after %d rounds, %v before", g.Name, n, g.ConsensusError(got), got, g.ConsensusError(got-1))
			}
		}
	}
	if r := Circulant(6, 2).RoundsTo(0.1); r != -1 {
		t.Errorf("C_6(2) is two parts and reaches consensus in %d rounds", r)
	}
	if r := OnePeer(8).RoundsTo(1e-300); r != 3 {
		t.Errorf("1-peer of 8 averages exactly in 3 rounds, not %d", r)
	}
}

// Simulated averaging obeys the spectrum, and is exact where theory says so.
func TestConsensus(t *testing.T) {
	c, _ := Synthetic("uniform", 24, 1)
	for _, g := range []Topology{Exponential(24), OnePeer(24), SparseExponential(24)} {
		run, err := Consensus(background, c, g, identity(24), nil)
		if err != nil {
			t.Fatal(err)
		}
		v, rounds, _ := BCD(c, g, identity(24))
		for r, e := range run.Error {
			if limit := g.ConsensusError(r); e > limit*(1+1e-9)+1e-15 {
				t.Errorf("%s: error %v after %d rounds, the spectrum allows %v", g.Name, e, r, limit)
			}
		}
		if cycles := run.Rounds() / len(rounds); !near(run.Ms[cycles*len(rounds)], float64(cycles*len(rounds))*v) {
			t.Errorf("%s: %d rounds take %v ms, not rounds × BCD", g.Name, cycles*len(rounds), run.Ms[cycles*len(rounds)])
		}
	}
	d, _ := Synthetic("uniform", 8, 1)
	run, err := Consensus(background, d, OnePeer(8), identity(8), nil)
	if err != nil || run.Rounds() != 3 || run.Error[3] > 1e-14 {
		t.Errorf("1-peer of 8: %v %v", run, err)
	}
	if !math.IsInf(run.TimeTo(0), 1) && run.Error[3] > 0 {
		t.Error("time to an error that was not reached")
	}
}

// Base-(k+1) graphs average exactly at the end of their rounds, with at most k
// links a node.
func TestBaseGraph(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 1; n <= 70; n++ {
		for k := 1; k <= 4; k++ {
			b, err := Base(n, k)
			if err != nil {
				t.Fatal(err)
			}
			if d := b.Degree(); d > k {
				t.Errorf("base-%d graph of %d nodes has degree %d", k+1, n, d)
			}
			x := make([]float64, n)
			mean := 0.0
			for i := range x {
				x[i] = rng.NormFloat64()
				mean += x[i] / float64(n)
			}
			for r := range b.Rounds {
				x = b.Apply(r, x)
			}
			for i := range x {
				if math.Abs(x[i]-mean) > 1e-12 {
					t.Fatalf("base-%d graph of %d nodes: node %d holds %v, the mean is %v", k+1, n, i, x[i], mean)
				}
			}
			if n > 1 && b.RoundsTo(1e-9) > len(b.Rounds) {
				t.Errorf("base-%d graph of %d: %d rounds to consensus, has %d", k+1, n, b.RoundsTo(1e-9), len(b.Rounds))
			}
		}
	}
}

// Quadratics have closed forms: the mean model follows gradient descent on the
// mean loss exactly, whatever the topology.
func TestQuadraticClosedForm(t *testing.T) {
	n := 12
	task, err := Quadratic(n, 3, 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := Synthetic("uniform", n, 1)
	run, err := Train(background, c, OnePeer(n), identity(n), task, nil)
	if err != nil {
		t.Fatal(err)
	}
	mean := make([]float64, 3)
	for _, b := range task.target {
		for k := range mean {
			mean[k] += b[k] / float64(n)
		}
	}
	least, _ := task.evaluate(mean)
	zero := 0.0
	for _, m := range mean {
		zero += m * m / 2
	}
	for r, loss := range run.Loss {
		want := least + zero*math.Pow(1-task.Step, float64(2*r))
		if !near(loss, want) {
			t.Fatalf("loss %v after %d rounds, closed form %v", loss, r, want)
		}
	}
}

// The gradient of the logistic loss against differences.
func TestLogisticGradient(t *testing.T) {
	task, err := Logistic(1, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	task.Batch = 0
	rng := rand.New(rand.NewPCG(2, 2))
	x := make([]float64, task.width)
	for k := range x {
		x[k] = 0.3 * rng.NormFloat64()
	}
	y := append([]float64(nil), x...)
	task.descend(y, 0, rng)
	for k := 0; k < len(x); k += 7 {
		const h = 1e-6
		x[k] += h
		up, _ := task.evaluate(x)
		x[k] -= 2 * h
		down, _ := task.evaluate(x)
		x[k] += h
		want := (up - down) / (2 * h)
		if got := (x[k] - y[k]) / task.Step; math.Abs(got-want) > 1e-6 {
			t.Errorf("derivative %d is %v, differences say %v", k, got, want)
		}
	}
}

// Label skew: a small Dirichlet parameter leaves few classes a node.
func TestDirichletSkew(t *testing.T) {
	classes := func(alpha float64) float64 {
		task, _ := Logistic(50, alpha, 1)
		total := 0
		for _, data := range task.data {
			seen := map[int]bool{}
			for _, e := range data {
				seen[e.label] = true
			}
			total += len(seen)
		}
		return float64(total) / 50
	}
	if few, many := classes(0.1), classes(100); few > 4 || many < 9 {
		t.Errorf("%v classes a node with parameter 0.1, %v with 100", few, many)
	}
}

func TestTransfer(t *testing.T) {
	d := mustMatrix(t, [][]float64{{0, 1, 2, 3}, {1, 0, 4, 5}, {2, 4, 0, 6}, {3, 5, 6, 0}})
	g := Exponential(4) // two messages a round
	w, err := Transfer(d, g, Bandwidth{Mbit: 10, Up: []float64{100, 50, 100, 100}, Down: []float64{200}})
	if err != nil {
		t.Fatal(err)
	}
	// u = 1 sends 2 × 10 Mbit at 50 Mbit/s: 400 ms; others at 100: 200 ms.
	if w.At(1, 2) != 404 || w.At(0, 2) != 202 || w.At(2, 1) != 204 {
		t.Errorf("latency plus transfer: %v %v %v", w.At(1, 2), w.At(0, 2), w.At(2, 1))
	}
	v, _, _ := BCD(w, g, identity(4))
	if fmt.Sprint(v) != "405" {
		t.Errorf("BCD %v", v)
	}
}
