// Command reproduce measures package ring on real and synthetic networks and
// writes REPRODUCTION.md:
//
//	go run ./stdlib/ring/reproduce -shared ../shared -out stdlib/ring/REPRODUCTION.md
//
// -slices names a folder of PlanetLab slices for the hold-out, -tsplib one of
// TSPLIB instances; without them those tables say that they were not measured.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/fathom-kernel/fathom/stdlib/ring"
)

type report struct {
	ctx     context.Context
	shared  string
	slices  string
	tsplib  string
	moves   int
	largest int
	b       strings.Builder
}

func main() {
	shared := flag.String("shared", envOr("FATHOM_SHARED", "../shared"), "folder with data/ring")
	slices := flag.String("slices", "", "folder with further PlanetLabData_* slices")
	tsplib := flag.String("tsplib", os.Getenv("FATHOM_TSPLIB"), "folder with TSPLIB .tsp files")
	moves := flag.Int("moves", 0, "moves of each search; 0 means the package's default")
	largest := flag.Int("largest", 10_000, "largest synthetic network")
	out := flag.String("out", "REPRODUCTION.md", "file to write")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r := &report{ctx: ctx, shared: *shared, slices: *slices, tsplib: *tsplib, moves: *moves, largest: *largest}
	if err := r.write(*out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func envOr(key, other string) string {
	if v := os.Getenv(key); v != "" {
		return v
	}
	return other
}

func (r *report) write(path string) error {
	budget := "the package's default"
	if r.moves > 0 {
		budget = fmt.Sprintf("%d a start", r.moves)
	}
	r.line("# Reproduction of package ring\n")
	r.line("Written by `go run ./stdlib/ring/reproduce` (%s, %d cores, seed 1). All delays in ms. Searches are bounded by moves (%s), so all but the times repeat on any machine.\n", runtime.Version(), runtime.GOMAXPROCS(0), budget)
	r.line("The paper: \"Bottleneck Communication Delay Minimization for Communication-Efficient Decentralized Learning\" (ICML 2026). Its tables were not at hand: what is called the paper's here comes from its abstract. A third party's log of July 2026 gives 86.53 ms for Ebone, exponential graph, by the code named BTSP-MSR; the row BTSP-MSR below is this package's version of that method, the row best its own polish.\n")
	for _, f := range []func() error{r.rings, r.mixing, r.tsplibTable, r.methods, r.accuracy, r.holdOut, r.growth} {
		begin := time.Now()
		if err := f(); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "section done in %.0f s\n", time.Since(begin).Seconds())
		// After every section, so that an interrupted run leaves what it has.
		if err := r.save(path); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) save(path string) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, []byte(r.b.String()), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

func (r *report) line(format string, args ...any) { fmt.Fprintf(&r.b, format+"\n", args...) }

func (r *report) table(head ...string) {
	r.line("| %s |", strings.Join(head, " | "))
	r.line("|%s", strings.Repeat("---|", len(head)))
}

func (r *report) row(cells ...any) {
	var s []string
	for _, c := range cells {
		switch x := c.(type) {
		case float64:
			s = append(s, number(x))
		case time.Duration:
			s = append(s, fmt.Sprintf("%.3g s", x.Seconds()))
		default:
			s = append(s, fmt.Sprint(x))
		}
	}
	r.line("| %s |", strings.Join(s, " | "))
}

func number(x float64) string {
	if x >= 1000 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// networks are the nine real ones that are at hand.
func (r *report) networks() []*ring.Network {
	out := []*ring.Network{ring.Gaia(), ring.AWS(), ring.Geant()}
	for _, name := range []string{"exodus", "", "tiscali", "sprint"} {
		if name == "" {
			out = append(out, ring.Ebone())
			continue
		}
		if w, err := ring.ReadGML(filepath.Join(r.shared, "data", "ring", "cross-silo", name+".gml"), nil); err == nil {
			out = append(out, w)
		}
	}
	if w, err := ring.ReadMatrix(r.slice(1)); err == nil {
		w.Name, w.Note = "PlanetLab RTT", "measured round trips"
		out = append(out, w)
	}
	if w, err := ring.ReadMatrix(filepath.Join(r.shared, "data", "ring", "netlatency", "SeattleData_1")); err == nil {
		if w, err = ring.Symmetrize(w); err == nil {
			w.Name = "Seattle (max of both directions)"
			out = append(out, w)
		}
	}
	return out
}

func (r *report) slice(k int) string {
	name := fmt.Sprintf("PlanetLabData_%d", k)
	if r.slices != "" {
		return filepath.Join(r.slices, name)
	}
	return filepath.Join(r.shared, "data", "ring", "netlatency", name)
}

func (r *report) rings() error {
	r.line("## The best ring (BTSP)\n")
	r.table("network", "n", "slowest link", "lower bound", "binds", "status", "time")
	for _, w := range r.networks() {
		begin := time.Now()
		t, err := ring.BTSP(r.ctx, w, nil)
		if err != nil {
			return err
		}
		r.row(w.Name, w.Len(), t.Worst, t.Lower, t.LowerBy, t.Status, time.Since(begin))
	}
	r.line("")
	return nil
}

func topologies(n int) []ring.Topology {
	return []ring.Topology{ring.Exponential(n), ring.OnePeer(n), ring.SparseExponential(n)}
}

func (r *report) methods() error {
	r.line("## BCD by method, network and topology\n")
	r.line("Annealing and best have budgets of equal time, two starts each; random is the mean of two. Gap is best over lower bound; the bound that binds is the largest any method found.\n")
	r.table("network", "n", "topology", "random", "identity", "greedy", "annealing", "BTSP-MSR", "best", "lower bound", "gap")
	for _, w := range r.networks() {
		c, err := ring.Compare(r.ctx, w, topologies(w.Len()), nil, &ring.Options{Moves: r.moves, Starts: 2})
		if err != nil {
			return err
		}
		for k := 0; k+5 < len(c.Rows); k += 6 {
			cells := []any{w.Name, w.Len(), c.Rows[k].Topology}
			for _, row := range c.Rows[k : k+6] {
				cells = append(cells, row.BCD)
			}
			last := c.Rows[k+5]
			gap := fmt.Sprintf("%.1f %%", 100*last.Gap)
			if last.Status == ring.Optimal {
				gap = "0, optimal"
			}
			r.row(append(cells, last.Lower, gap)...)
		}
	}
	r.line("")
	return nil
}

func (r *report) tsplibTable() error {
	r.line("## TSPLIB, bottleneck tours\n")
	if r.tsplib == "" {
		r.line("Not measured: no folder of instances was given.\n")
		return nil
	}
	r.table("instance", "n", "slowest link", "lower bound", "status", "time")
	for _, name := range strings.Fields("berlin52 eil101 kroA100 ch150 a280 pcb442 att532 u574 rat783 pr1002 d1291 pr2392 pcb3038 usa13509 d15112") {
		d, err := ring.ReadTSPLIB(filepath.Join(r.tsplib, name+".tsp"))
		if err != nil {
			continue
		}
		begin := time.Now()
		t, err := ring.BTSP(r.ctx, d, nil)
		if err != nil {
			return err
		}
		r.row(name, d.Len(), t.Worst, t.Lower, t.Status, time.Since(begin))
	}
	r.line("")
	return nil
}

func (r *report) growth() error {
	r.line("## BCD and run time against n (exponential graph)\n")
	r.line("Points in a square of side 100 (uniform) and in eight clusters (regions), from coordinates. Times of BTSP with its proof, and of all multipliers with the offset profile; best has one start of the default polish; n = 2^m leaves the multiplier idle.\n")
	r.table("family", "n", "random", "BTSP-MSR", "best", "lower bound", "BTSP", "MSR")
	for _, family := range []string{"uniform", "regions"} {
		for _, n := range []int{16, 50, 100, 300, 1000, 3000, 10_000, 100_000} {
			if n > r.largest {
				continue
			}
			c, err := ring.Synthetic(family, n, 1)
			if err != nil {
				return err
			}
			g := ring.Exponential(n)
			begin := time.Now()
			t, err := ring.BTSP(r.ctx, c, nil)
			if err != nil {
				return err
			}
			tour := time.Since(begin)
			begin = time.Now()
			m, err := ring.MSR(r.ctx, c, t.Order, g, nil)
			if err != nil {
				return err
			}
			multiplier := time.Since(begin)
			random, err := ring.Place(r.ctx, c, g, &ring.Options{Method: ring.Random})
			if err != nil {
				return err
			}
			best, lower := "not run", random.Lower
			if n <= 10_000 {
				p, err := ring.Place(r.ctx, c, g, &ring.Options{Starts: 1})
				if err != nil {
					return err
				}
				best, lower = number(p.BCD), p.Lower
			}
			r.row(family, n, random.Mean, m.BCD, best, lower, tour, multiplier)
		}
	}
	r.line("")
	return nil
}

func (r *report) holdOut() error {
	r.line("## Hold-out: other PlanetLab slices\n")
	r.line("Placed on slice 1, evaluated on other slices of the same nodes, against what a search on that slice itself reaches and random placement. Exponential graph.\n")
	first, err := ring.ReadMatrix(r.slice(1))
	if err != nil {
		r.line("Not measured: no PlanetLab slices were given.\n")
		return nil
	}
	n := first.Len()
	g := ring.Exponential(n)
	msr, err := ring.Place(r.ctx, first, g, &ring.Options{Method: ring.BTSPMSR})
	if err != nil {
		return err
	}
	best, err := ring.Place(r.ctx, first, g, &ring.Options{Moves: r.moves})
	if err != nil {
		return err
	}
	r.table("slice", "BTSP-MSR of slice 1", "best of slice 1", "best of this slice", "random")
	for k := 1; k <= 18; k++ {
		w, err := ring.ReadMatrix(r.slice(k))
		if err != nil || w.Len() != n {
			continue
		}
		a, _, err := ring.BCD(w, g, msr.Pi)
		if err != nil {
			return err
		}
		b, _, err := ring.BCD(w, g, best.Pi)
		if err != nil {
			return err
		}
		own, err := ring.Place(r.ctx, w, g, &ring.Options{Moves: r.moves, Starts: 1})
		if err != nil {
			return err
		}
		random, err := ring.Place(r.ctx, w, g, &ring.Options{Method: ring.Random})
		if err != nil {
			return err
		}
		r.row(k, a, b, own.BCD, random.Mean)
	}
	r.line("")
	return nil
}

func (r *report) accuracy() error {
	r.line("## Time to consensus and to accuracy (Ebone)\n")
	r.line("Simulated seconds: synchronous rounds × BCD, compute and bandwidth not counted. Decentralised SGD on multinomial logistic regression, 10 classes, label skew Dirichlet 0.1, step 0.2, batch 16, accuracy of the mean model.\n")
	d := ring.Ebone()
	n := d.Len()
	r.table("topology", "placement", "BCD", "rounds to 1e-3", "s to consensus 1e-3", "s to accuracy 0.90", "s to loss 0.25", "consensus error after 15 s")
	for _, g := range []ring.Topology{ring.Ring(n), ring.SparseExponential(n), ring.Exponential(n), ring.OnePeer(n)} {
		for _, m := range []ring.Method{ring.Identity, ring.BTSPMSR, ring.Best} {
			p, err := ring.Place(r.ctx, d, g, &ring.Options{Method: m, Moves: r.moves, Starts: 2})
			if err != nil {
				return err
			}
			task, err := ring.Logistic(n, 0.1, 1)
			if err != nil {
				return err
			}
			run, err := ring.Train(r.ctx, d, g, p.Pi, task, nil)
			if err != nil {
				return err
			}
			rounds := g.RoundsTo(1e-3)
			late := "not reached"
			for k, ms := range run.Ms {
				if ms >= 15_000 {
					late = fmt.Sprintf("%.3g", run.Error[k])
					break
				}
			}
			r.row(g.Name, m, p.BCD, rounds, float64(rounds)*p.BCD/1000,
				reach(run, run.Accuracy, func(x float64) bool { return x >= 0.9 }),
				reach(run, run.Loss, func(x float64) bool { return x <= 0.25 }), late)
		}
	}
	r.line("")
	return nil
}

// reach returns the simulated seconds at which a curve first passes a test.
func reach(run *ring.Run, curve []float64, test func(float64) bool) string {
	for k, x := range curve {
		if test(x) {
			return number(run.Ms[k] / 1000)
		}
	}
	return "not reached"
}

func (r *report) mixing() error {
	r.line("## Rounds to consensus error 1e-3, from the spectrum\n")
	r.line("Base-2 and base-3 graphs are exact after their rounds, for every n.\n")
	r.table("n", "ring", "sparse exponential", "exponential", "1-peer exponential", "base-2", "base-3")
	for _, n := range []int{11, 22, 40, 64, 79, 87, 161, 315, 1024} {
		two, err := ring.Base(n, 1)
		if err != nil {
			return err
		}
		three, err := ring.Base(n, 2)
		if err != nil {
			return err
		}
		r.row(n, ring.Ring(n).RoundsTo(1e-3), ring.SparseExponential(n).RoundsTo(1e-3), ring.Exponential(n).RoundsTo(1e-3),
			ring.OnePeer(n).RoundsTo(1e-3), len(two.Rounds), len(three.Rounds))
	}
	r.line("")
	return nil
}
