// Command coverage measures how often the bounds of package bound hold and
// writes stdlib/bound/COVERAGE.md:
//
//	go run ./stdlib/bound/coverage
//
// It takes about a quarter of an hour on one core; -quick takes seconds and
// proves only that it runs. The same seed gives the same file.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/fathom-kernel/fathom/stdlib/bound"
)

func main() {
	out := flag.String("out", filepath.Join("stdlib", "bound", "COVERAGE.md"), "file to write")
	quick := flag.Bool("quick", false, "few data sets and small p")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, *quick); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// repetitions spends about the same work on each cell, within limits: a test
// costs as much as some 150 of its units.
func repetitions(p, n int) int {
	return min(max(30_000_000/(p*(n+150)), 100), 1000)
}

func run(ctx context.Context, out string, quick bool) error {
	ps, ns := []int{5, 20, 100, 500, 2000}, []int{10, 30, 100, 400}
	if quick {
		ps, ns = []int{5, 20}, []int{10, 30}
	}
	total := &bound.CoverageMap{}
	for _, p := range ps {
		for _, data := range bound.CoverageData() {
			for _, n := range ns {
				reps := repetitions(p, n)
				if quick {
					reps = 100
				}
				begin := time.Now()
				m, err := bound.Coverage(ctx, []int{p}, []int{n}, []string{data}, reps, &bound.Options{Draws: 99})
				if err != nil {
					return err
				}
				total.Rows = append(total.Rows, m.Rows...)
				fmt.Fprintf(os.Stderr, "%s p=%d n=%d: %d data sets, %.1f s\n", data, p, n, reps, time.Since(begin).Seconds())
			}
		}
		// What is measured so far is kept, small p first.
		if err := write(out, total); err != nil {
			return err
		}
	}
	return nil
}

// write replaces the file by what is measured so far.
func write(out string, m *bound.CoverageMap) error {
	tmp := out + ".tmp"
	if err := os.WriteFile(tmp, []byte(preface+summary(m)+"\n"+m.Markdown()), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, out)
}

const preface = `# Coverage of package bound, measured

Written by ` + "`go run ./stdlib/bound/coverage`" + `; do not edit. For p tests of n units
with known effects, "sets" data sets are made and fitted with 99 draws each.
A cell holds three shares: of data sets in which **every** lower bound of
**every** subset held, every upper bound, every interval. That is the coverage
of a set picked with full hindsight, the worst pick there is. The last column
is what is left of the naive one-sided bound of one set, when the set is the
one that looks best. Bold: more than three binomial standard errors and a
point below nominal.

Units: normal; exponential (skewness 2); Bernoulli with rate 0.1; heavy, Student's
t with 3 degrees of freedom (infinite fourth moment); dependent, normal with
correlation 0.2 between any two tests. Tests whose units are all equal are
excluded from the bounds, as the library does, but for mode Binomial; leaving
them out is a choice, which is why Student and Moments fail on many short
Bernoulli tests.

`

// summary tells for each mode and kind of data in how many cells it failed,
// with its worst coverage at 0.95.
func summary(m *bound.CoverageMap) string {
	type key struct {
		mode bound.Mode
		data string
	}
	cells, fails, worst := map[key]int{}, map[key]int{}, map[key]float64{}
	var modes []bound.Mode
	for _, r := range m.Rows {
		k := key{r.Mode, r.Data}
		if _, ok := worst[k]; !ok {
			worst[k] = 1
		}
		known := false
		for _, mo := range modes {
			known = known || mo == r.Mode
		}
		if !known {
			modes = append(modes, r.Mode)
		}
		cells[k]++
		if r.Fails(r.Lower) || r.Fails(r.Upper) || r.Fails(r.Both) {
			fails[k]++
		}
		if r.Nominal == 0.95 {
			worst[k] = min(worst[k], r.Lower, r.Upper, r.Both)
		}
	}
	var s strings.Builder
	s.WriteString("## Where each mode fails\n\nSettings with a coverage that fails, of all settings; in parentheses the lowest\ncoverage seen at nominal 0.95.\n\n| mode |")
	for _, d := range bound.CoverageData() {
		fmt.Fprintf(&s, " %s |", d)
	}
	s.WriteString("\n|---|" + strings.Repeat("---|", len(bound.CoverageData())) + "\n")
	for _, mo := range modes {
		fmt.Fprintf(&s, "| %v |", mo)
		for _, d := range bound.CoverageData() {
			k := key{mo, d}
			if cells[k] == 0 {
				s.WriteString(" |")
				continue
			}
			fmt.Fprintf(&s, " %d of %d (%.3f) |", fails[k], cells[k], worst[k])
		}
		s.WriteString("\n")
	}
	return s.String()
}
