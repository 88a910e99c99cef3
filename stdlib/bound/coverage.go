package bound

import (
	"context"
	"fmt"
	"html"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// A CoverageRow is how often all bounds held together in simulated data with
// known effects, for one mode, kind of data, number of tests P and of units N.
type CoverageRow struct {
	Mode    Mode
	Data    string
	P, N    int
	Nominal float64 // 1−α
	Reps    int     // simulated data sets

	Lower, Upper, Both float64 // share in which every lower bound, upper bound, interval held
	Naive              float64 // share in which the naive lower bound held for the set picked to look best
	Width              float64 // mean of c over Scheffé's, for intervals
}

// Error returns the Monte-Carlo standard error of a coverage at its nominal
// value.
func (r CoverageRow) Error() float64 { return math.Sqrt(r.Nominal * (1 - r.Nominal) / float64(r.Reps)) }

// Fails says whether a coverage is below the nominal value by more than three
// standard errors and a point.
func (r CoverageRow) Fails(x float64) bool { return x < r.Nominal-3*r.Error()-0.01 }

// CoverageMap is a table of measured coverages.
type CoverageMap struct{ Rows []CoverageRow }

// CoverageData names the kinds of data that Coverage simulates. Units are
// independent, and tests are but for "dependent".
func CoverageData() []string {
	return []string{"normal", "exponential", "bernoulli", "heavy", "dependent"}
}

// unitLaw is a distribution of one unit with a known mean.
type unitLaw struct {
	mean float64
	draw func(r *stream) float64
}

var laws = map[string]unitLaw{
	"normal":      {0, func(r *stream) float64 { return r.norm() }},
	"exponential": {1, func(r *stream) float64 { return -math.Log(r.float()) }},
	"bernoulli": {0.1, func(r *stream) float64 {
		if r.float() < 0.1 {
			return 1
		}
		return 0
	}},
	// Student's t with 3 degrees: finite variance, infinite fourth moment.
	"heavy": {0, func(r *stream) float64 { return r.norm() / math.Sqrt(r.chi2(3)/3) }},
	// Normal, correlated 0.2 between any two tests through a common part.
	"dependent": {0, func(r *stream) float64 { return r.norm() }},
}

// Coverage measures, by simulation, how often bounds of all subsets hold
// together: for each number of tests in p, of units in n and kind of data, reps
// data sets are made and fitted in each mode (opt.Mode, or all that apply), at
// error rates 0.10 and 0.05 (or opt.Alpha alone). A lower bound of some set
// fails if and only if T of the true errors exceeds c, so what is counted is
// the worst set that hindsight can pick. opt.Draws is 199 by default. Use it
// with your own p and n before trusting a mode. Cost reps·Draws fits.
func Coverage(ctx context.Context, p, n []int, data []string, reps int, opt *Options) (*CoverageMap, error) {
	var o Options
	if opt != nil {
		o = *opt
	}
	if o.Draws == 0 {
		o.Draws = 199
	}
	alphas := []float64{0.10, 0.05}
	if o.Alpha != 0 {
		alphas = []float64{o.Alpha}
	}
	o, err := settings(&o)
	if err != nil {
		return nil, err
	}
	if reps < 1 {
		return nil, errorf("no repetitions, in Coverage (%d); take 200 or more", reps)
	}
	modes := []Mode{Gauss, T, Student, Moments, Resample, Binomial, Joint}
	if o.Mode != Auto {
		modes = []Mode{o.Mode}
	}
	m := &CoverageMap{}
	bar := display.Progress(ctx, "bound: coverage", len(data)*len(p)*len(n)*len(modes))
	defer bar.Done()
	ctx = bar.Context()
	for _, d := range data {
		if _, ok := laws[d]; !ok {
			return nil, errorf("no such data, in Coverage (%q); use one of %s", d, strings.Join(CoverageData(), ", "))
		}
		for _, tests := range p {
			for _, units := range n {
				if tests < 1 || units < 2 {
					return nil, errorf("too small, in Coverage (p=%d, n=%d); take at least 1 test of 2 units", tests, units)
				}
				for _, mode := range modes {
					bar.Tick()
					if mode == Binomial && d != "bernoulli" {
						continue
					}
					rows, err := simulate(ctx, mode, d, tests, units, reps, alphas, &o)
					m.Rows = append(m.Rows, rows...)
					if err != nil {
						return m, err
					}
				}
			}
		}
	}
	return m, nil
}

// simulate makes data sets, calibrates each in one mode and counts.
func simulate(ctx context.Context, mode Mode, name string, p, n, reps int, alphas []float64, o *Options) ([]CoverageRow, error) {
	law := laws[name]
	type outcome struct{ lower, upper, both, naive, c []float64 }
	out := make([]outcome, reps)
	start := func() func(lo, hi int) error {
		samples := make([][]float64, p)
		for i := range samples {
			samples[i] = make([]float64, n)
		}
		var h hull
		up, down, either := make([]float64, o.Draws), make([]float64, o.Draws), make([]float64, o.Draws)
		return func(lo, hi int) error {
			for rep := lo; rep < hi; rep++ {
				r := newStream(o.Seed+0xc0, uint64(rep))
				common := make([]float64, n)
				if name == "dependent" {
					r.norms(common)
				}
				d := &data{est: make([]float64, p), v: make([]float64, p), n: make([]int, p), skew: make([]float64, p), kurt: make([]float64, p), resid: make([][]float64, p), hits: make([]int, p)}
				z := make([]float64, p)
				for i, x := range samples {
					hits := 0.0
					for j := range x {
						x[j] = law.draw(&r)
						if name == "dependent" {
							x[j] = math.Sqrt(0.8)*x[j] + math.Sqrt(0.2)*common[j]
						}
						hits += x[j]
					}
					d.n[i] = n
					d.describe(i, x)
					if mode == Binomial {
						d.hits[i] = int(hits + 0.5)
						d.v[i] = rateVariance(d.hits[i], n, observedHits)
					}
					z[i] = d.est[i] - law.mean
				}
				sd := make([]float64, p)
				live := 0
				for i, v := range d.v {
					sd[i] = math.Sqrt(v)
					if v > 0 {
						live++
					}
				}
				pl := &plan{mode: mode, v: d.v, sd: sd, n: d.n, skew: d.skew, kurt: d.kurt, resid: d.resid, hits: d.hits}
				dr := pl.drawer()
				for b := range up {
					s := newStream(o.Seed+uint64(rep), uint64(b))
					zs, vs := dr.draw(&s)
					up[b], down[b] = h.max(zs, vs, 1), h.max(zs, vs, -1)
					either[b] = max(up[b], down[b])
				}
				tu, td := h.max(z, d.v, 1), h.max(z, d.v, -1)
				sort.Float64s(up)
				sort.Float64s(down)
				sort.Float64s(either)
				for _, a := range alphas {
					cu, _ := quantile(up, a)
					cd, _ := quantile(down, a)
					ce, _ := quantile(either, a)
					q := &out[rep]
					q.lower = append(q.lower, indicator(tu <= cu))
					q.upper = append(q.upper, indicator(td <= cd))
					q.both = append(q.both, indicator(max(tu, td) <= ce))
					// With no effects the set that looks best is the one of T⁺.
					q.naive = append(q.naive, indicator(tu <= bonferroni(0, a, Lower)))
					q.c = append(q.c, ce/scheffe(max(live, 1), a, Both))
				}
			}
			return nil
		}
	}
	if _, err := parallel(ctx, "data sets", o, reps, 1, start); err != nil {
		return nil, err
	}
	rows := make([]CoverageRow, len(alphas))
	for k, a := range alphas {
		row := CoverageRow{Mode: mode, Data: name, P: p, N: n, Nominal: 1 - a, Reps: reps}
		for _, q := range out {
			row.Lower += q.lower[k] / float64(reps)
			row.Upper += q.upper[k] / float64(reps)
			row.Both += q.both[k] / float64(reps)
			row.Naive += q.naive[k] / float64(reps)
			row.Width += q.c[k] / float64(reps)
		}
		rows[k] = row
	}
	return rows, nil
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// String returns the number of rows and the worst in one line.
func (m *CoverageMap) String() string {
	if len(m.Rows) == 0 {
		return "bound: no coverage measured"
	}
	worst := m.Rows[0]
	short := func(r CoverageRow) float64 { return r.Nominal - min(r.Lower, r.Upper, r.Both) }
	for _, r := range m.Rows {
		if short(r) > short(worst) {
			worst = r
		}
	}
	return fmt.Sprintf("bound: coverage in %d settings; worst mode %v on %s data, p=%d, n=%d: lower %.3f, upper %.3f, both %.3f for nominal %.2f",
		len(m.Rows), worst.Mode, worst.Data, worst.P, worst.N, worst.Lower, worst.Upper, worst.Both, worst.Nominal)
}

// HTML returns the table; coverages that fail are bold.
func (m *CoverageMap) HTML() string {
	var s strings.Builder
	s.WriteString(`<table><thead><tr><th>mode</th><th>data</th><th>tests</th><th>units</th><th>nominal</th><th>lower</th><th>upper</th><th>both</th><th>naive, picked set</th><th>c / Scheffé</th></tr></thead><tbody>`)
	for _, r := range m.Rows {
		cell := func(x float64) string {
			if r.Fails(x) {
				return fmt.Sprintf("<td><b>%.3f</b></td>", x)
			}
			return fmt.Sprintf("<td>%.3f</td>", x)
		}
		fmt.Fprintf(&s, "<tr><td>%v</td><td>%s</td><td>%d</td><td>%d</td><td>%.2f</td>%s%s%s<td>%.3f</td><td>%.2f</td></tr>",
			r.Mode, html.EscapeString(r.Data), r.P, r.N, r.Nominal, cell(r.Lower), cell(r.Upper), cell(r.Both), r.Naive, r.Width)
	}
	s.WriteString("</tbody></table>")
	return s.String()
}

// Markdown returns one table for each kind of data and nominal coverage: a row
// for p and n, a column for each mode with lower · upper · both.
func (m *CoverageMap) Markdown() string {
	var s strings.Builder
	type key struct {
		data    string
		nominal float64
	}
	var keys []key
	for _, r := range m.Rows {
		if k := (key{r.Data, r.Nominal}); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	for _, k := range keys {
		var modes []Mode
		type cell struct{ p, n int }
		var cells []cell
		at := map[cell]map[Mode]CoverageRow{}
		for _, r := range m.Rows {
			if r.Data != k.data || r.Nominal != k.nominal {
				continue
			}
			if !slices.Contains(modes, r.Mode) {
				modes = append(modes, r.Mode)
			}
			c := cell{r.P, r.N}
			if at[c] == nil {
				at[c] = map[Mode]CoverageRow{}
				cells = append(cells, c)
			}
			at[c][r.Mode] = r
		}
		fmt.Fprintf(&s, "### %s data, nominal %.2f\n\n| p | n | sets |", k.data, k.nominal)
		for _, mo := range modes {
			fmt.Fprintf(&s, " %v |", mo)
		}
		s.WriteString(" naive |\n|---|---|---|" + strings.Repeat("---|", len(modes)+1) + "\n")
		for _, c := range cells {
			any := at[c][modes[0]]
			fmt.Fprintf(&s, "| %d | %d | %d |", c.p, c.n, any.Reps)
			for _, mo := range modes {
				r, ok := at[c][mo]
				if !ok {
					s.WriteString(" |")
					continue
				}
				parts := make([]string, 3)
				for i, x := range []float64{r.Lower, r.Upper, r.Both} {
					t := strings.TrimPrefix(fmt.Sprintf("%.3f", x), "0")
					if r.Fails(x) {
						t = "**" + t + "**"
					}
					parts[i] = t
				}
				fmt.Fprintf(&s, " %s |", strings.Join(parts, " "))
			}
			fmt.Fprintf(&s, " %.3f |\n", any.Naive)
		}
		s.WriteString("\n")
	}
	return s.String()
}
