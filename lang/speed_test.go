package lang

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestSpeed measures compiled cells against the same programs built by the go
// command and against Python, in one run, and writes BENCHMARKS.md:
//
//	FATHOM_BENCH=1 go test -run TestSpeed ./lang
func TestSpeed(t *testing.T) {
	if os.Getenv("FATHOM_BENCH") == "" {
		t.Skip("set FATHOM_BENCH=1 to measure; it takes some minutes")
	}
	var md strings.Builder
	fmt.Fprintf(&md, "# Speed of cells\n\nWritten by `FATHOM_BENCH=1 go test -timeout 60m -run TestSpeed ./lang` on %s, %d cores, %s. All of a table in one run; seconds are the best of five, taken in turn.\n\n",
		runtime.Version(), runtime.NumCPU(), python("-V"))
	md.WriteString("## Programs\n\n| program | cell, s | go build, s | Python, s | cell / go build | cell / Python |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, name := range []string{"fib", "loop", "nbody", "spectral", "count", "sort"} {
		cell, goRun, py := race(t, name)
		fmt.Fprintf(&md, "| %s | %.3f | %.3f | %.2f | %.2f | %.3f |\n", name, cell, goRun, py, cell/goRun, cell/py)
		t.Logf("%s: cell %.3f, go %.3f, python %.2f", name, cell, goRun, py)
	}
	md.WriteString("\n## Cells\n\n| cell | p50, ms | p99, ms | cells |\n| --- | --- | --- | --- |\n")
	n := newNotebook(t)
	defer n.e.Close()
	measure := func(what string, count int, code func(i int) string) {
		var ms []float64
		for i := range count {
			begin := time.Now()
			r := newRecorder()
			n.count++
			if res := n.e.Execute(context.Background(), Cell{ID: fmt.Sprint(n.count), Count: n.count, Code: code(i)}, r); res.Err != nil {
				t.Fatal(res.Err.Plain())
			}
			ms = append(ms, float64(time.Since(begin).Microseconds())/1000)
		}
		sort.Float64s(ms)
		fmt.Fprintf(&md, "| %s | %.2f | %.2f | %d |\n", what, ms[count/2], ms[count*99/100], count)
		t.Logf("%s: %.2f, %.2f", what, ms[count/2], ms[count*99/100])
	}
	measure("straight line: `x := strings.Repeat(\"ab\", 3); len(x)`", 500, func(int) string { return "x := strings.Repeat(\"ab\", 3)\nlen(x)" })
	measure("a function and its first call", 40, func(i int) string {
		return fmt.Sprintf("func f%d(n int) int { s := 0; for i := range n { s += i }; return s }\nf%d(10)", i, i)
	})
	measure("a function that uses gonum/plot and its first call", 15, func(i int) string {
		return fmt.Sprintf("func p%d() *plot.Plot { p := plot.New(); l, _ := plotter.NewLine(plotter.XYs{{X: 1, Y: %d}, {X: 2, Y: 3}}); p.Add(l); return p }\np%d().Title.Text", i, i, i)
	})
	before := memory()
	var early, late time.Duration
	for i := range 200 {
		begin := time.Now()
		n.count++
		n.e.Execute(context.Background(), Cell{ID: fmt.Sprint(n.count), Count: n.count, Code: fmt.Sprintf("func g%d(n int) string { return fmt.Sprint(n, %d) }\nfor i := range 2 { g%d(i) }", i, i, i)}, newRecorder())
		switch {
		case i < 20:
			early += time.Since(begin)
		case i >= 180:
			late += time.Since(begin)
		}
	}
	fmt.Fprintf(&md, "\n200 more compiled cells took the process from %d to %d MB resident; the first 20 took %d ms each, the last 20 %d ms.\n", before, memory(), early.Milliseconds()/20, late.Milliseconds()/20)
	t.Logf("200 cells: %d to %d MB, %v to %v each", before, memory(), early/20, late/20)
	if err := os.WriteFile("BENCHMARKS.md", []byte(md.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func python(args ...string) string {
	out, err := exec.Command("/usr/bin/python3", args...).CombinedOutput()
	if err != nil {
		return "no Python"
	}
	return strings.TrimSpace(string(out))
}

// race runs a program of testdata/bench five times in each way, in turn.
func race(t *testing.T, name string) (cell, goBuild, py float64) {
	src, err := os.ReadFile(filepath.Join("testdata", "bench", name+".cell"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := "package main\n\nimport (\n\t\"fmt\"\n\t\"math\"\n\t\"sort\"\n\t\"time\"\n)\n\nvar _, _ = math.Pi, sort.Ints\n\n" + string(src) +
		"\nfunc main() {\n\tbegin := time.Now()\n\tr := run()\n\tfmt.Println(time.Since(begin).Seconds(), r)\n}\n"
	file, exe := filepath.Join(dir, "main.go"), filepath.Join(dir, "main")
	if err := os.WriteFile(file, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", exe, file).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	n := newNotebook(t)
	defer n.e.Close()
	if _, _, err := n.run(string(src)); err != nil {
		t.Fatal(err.Plain())
	}
	cell, goBuild, py = 1e9, 1e9, 1e9
	var results [3]string
	for i := range 5 {
		out, _, cerr := n.run("begin := time.Now()\nr := run()\nfmt.Println(time.Since(begin).Seconds(), r)")
		if cerr != nil {
			t.Fatal(cerr.Plain())
		}
		cell, results[0] = best(t, out, cell)
		b, err := exec.Command(exe).Output()
		if err != nil {
			t.Fatal(err)
		}
		goBuild, results[1] = best(t, string(b), goBuild)
		if i == 0 { // Python takes its time
			script := "import time\n" + read(t, filepath.Join("testdata", "bench", name+".py")) + "\nb = time.perf_counter()\nr = run()\nprint(time.perf_counter() - b, r)"
			py, results[2] = best(t, python("-c", script), py)
		}
	}
	if results[0] != results[1] {
		t.Errorf("%s: the cell gives %s, the program %s", name, results[0], results[1])
	}
	return cell, goBuild, py
}

func best(t *testing.T, out string, sofar float64) (float64, string) {
	f := strings.Fields(out)
	if len(f) != 2 {
		return sofar, out
	}
	s, err := strconv.ParseFloat(f[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	return min(s, sofar), f[1]
}

func read(t *testing.T, name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// memory returns the resident memory of the process in MB.
func memory() int {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b))
	pages, _ := strconv.Atoi(f[1])
	return pages * os.Getpagesize() >> 20
}
