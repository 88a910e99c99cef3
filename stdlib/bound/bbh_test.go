package bound

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// sharedPath returns a file of the data folder beside the repository.
func sharedPath(t testing.TB, parts ...string) string {
	root := os.Getenv("FATHOM_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	return filepath.Join(append([]string{root}, parts...)...)
}

// bigBenchHard reads answers of code-davinci-002 on the 27 tasks: right or
// wrong with answers only and with chain of thought, in points (0 or 100).
func bigBenchHard(t testing.TB) (tasks []string, cot, direct [][]float64) {
	path := sharedPath(t, "data", "bound", "bbh", "bbh_code_davinci_002.csv")
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("BIG-Bench Hard answers are absent (%s): set FATHOM_SHARED to the folder that holds data/bound", path)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		if n := len(tasks); n == 0 || tasks[n-1] != row[0] {
			tasks = append(tasks, row[0])
			cot, direct = append(cot, nil), append(direct, nil)
		}
		n := len(tasks) - 1
		d, err1 := strconv.ParseFloat(row[2], 64)
		c, err2 := strconv.ParseFloat(row[3], 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("row %v", row)
		}
		direct[n] = append(direct[n], 100*d)
		cot[n] = append(cot[n], 100*c)
	}
	return tasks, cot, direct
}

// Gains of chain of thought: the published table of intervals, to 0.05 points
// where it is given to 0.1 (and the Monte-Carlo error of the balanced ones).
func TestBigBenchHard(t *testing.T) {
	tasks, cot, direct := bigBenchHard(t)
	if len(tasks) != 27 {
		t.Fatalf("%d tasks", len(tasks))
	}
	plain, err := FitPairs(ctx, cot, direct, &Options{Names: tasks, Unit: "points"})
	if err != nil {
		t.Fatal(err)
	}
	even, err := FitPairs(ctx, cot, direct, &Options{Names: tasks, Unit: "points", Balance: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(plain)
	t.Log(even)
	if math.Abs(plain.C-4.73) > 0.05 || math.Abs(plain.ScheffeC-6.33) > 0.01 || plain.Mode != Student {
		t.Errorf("c=%v, Scheffé %v, mode %v", plain.C, plain.ScheffeC, plain.Mode)
	}
	for _, c := range []struct {
		name                             string
		keep                             func(i int) bool
		size                             int
		mean                             float64
		naive, simultaneous, bal, scheff [2]float64
	}{
		{"all", func(int) bool { return true }, 27, 20.95, [2]float64{19.6, 22.3}, [2]float64{17.7, 24.2}, [2]float64{19.1, 22.7}, [2]float64{16.6, 25.3}},
		{"better", func(i int) bool { return plain.Est[i] > 0 }, 21, 28.43, [2]float64{26.9, 29.9}, [2]float64{24.8, 32.1}, [2]float64{25.3, 31.6}, [2]float64{23.6, 33.3}},
		{"worse", func(i int) bool { return plain.Est[i] < 0 }, 6, -5.22, [2]float64{-8.3, -2.2}, [2]float64{-12.6, 2.2}, [2]float64{-13.1, 2.5}, [2]float64{-15.1, 4.7}},
		{"above 30", func(i int) bool { return plain.Est[i] > 30 }, 8, 50.00, [2]float64{47.6, 52.4}, [2]float64{44.3, 55.7}, [2]float64{43.7, 56.1}, [2]float64{42.3, 57.7}},
	} {
		iv, err := plain.Where(c.keep)
		if err != nil {
			t.Fatal(err)
		}
		bv, err := even.Where(c.keep)
		if err != nil {
			t.Fatal(err)
		}
		n := float64(iv.Size)
		t.Logf("%-8s n=%d mean %.2f naive %.2f…%.2f bound %.2f…%.2f balanced %.2f…%.2f Scheffé %.2f…%.2f p=%.2g", c.name, iv.Size, iv.Mean,
			iv.Naive[0]/n, iv.Naive[1]/n, iv.MeanLower, iv.MeanUpper, bv.MeanLower, bv.MeanUpper, iv.Scheffe[0]/n, iv.Scheffe[1]/n, iv.P)
		close := func(what string, got, want, tol float64) {
			if math.Abs(got-want) > tol {
				t.Errorf("%s, %s: %.3f, want %.2f", c.name, what, got, want)
			}
		}
		if iv.Size != c.size {
			t.Errorf("%s: %d tasks, want %d", c.name, iv.Size, c.size)
		}
		close("mean", iv.Mean, c.mean, 0.006)
		w := (iv.MeanUpper - iv.MeanLower) / 2 / plain.C // standard error of the mean
		for s := range 2 {
			close("naive", iv.Naive[s]/n, c.naive[s], 0.1)
			close("Scheffé", iv.Scheffe[s]/n, c.scheff[s], 0.1)
			close("simultaneous", []float64{iv.MeanLower, iv.MeanUpper}[s], c.simultaneous[s], 0.05+3*plain.CErr*w)
			close("balanced", []float64{bv.MeanLower, bv.MeanUpper}[s], c.bal[s], 0.05+0.06*w)
		}
	}
	// The lesson: the naive interval claims harm on the six tasks that look
	// worse, the honest one does not.
	worse, err := plain.Where(func(i int) bool { return plain.Est[i] < 0 })
	if err != nil {
		t.Fatal(err)
	}
	if !(worse.Naive[1] < 0 && worse.Upper > 0 && worse.P > 0.05) {
		t.Errorf("lesson lost: %+v", worse)
	}
}
