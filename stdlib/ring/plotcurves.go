package ring

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// line adds points as a line; a failure to draw is a picture without it.
func line(f *plot.Plot, name string, k int, dashed bool, xys plotter.XYs) {
	if len(xys) == 0 {
		return
	}
	l, err := plotter.NewLine(xys)
	if err != nil {
		return
	}
	l.Color, l.Width = cycle[k%len(cycle)], 1.5
	if dashed {
		l.Dashes = []vg.Length{5, 3}
	}
	f.Add(l)
	if name != "" {
		f.Legend.Add(name, l)
	}
}

// dots adds points as filled circles.
func dots(f *plot.Plot, name string, k int, xys plotter.XYs) {
	s, err := plotter.NewScatter(xys)
	if err != nil || len(xys) == 0 {
		return
	}
	s.GlyphStyle = draw.GlyphStyle{Color: cycle[k%len(cycle)], Radius: 3.5, Shape: draw.CircleGlyph{}}
	f.Add(s)
	if name != "" {
		f.Legend.Add(name, s)
	}
}

// PlotProfile draws the offset profile M[d], the slowest link at every offset,
// of the tour and of the placement; dots mark the offsets that the topology
// uses.
func (p *Placement) PlotProfile() *plot.Plot {
	f := figure("Slowest link at every offset", "offset d (positions)", "M[d] (ms)")
	if p.order != nil {
		profileCurve(f, p.t, p.order, p.g, 1, "tour", 1)
	}
	profileCurve(f, p.t, p.Pi, p.g, 1, "placement by "+p.Method.String(), 0)
	line(f, fmt.Sprintf("lower bound %.4g ms", p.Lower), 2, true, plotter.XYs{{X: 1, Y: p.Lower}, {X: float64(p.t.n / 2), Y: p.Lower}})
	legendRight(f)
	return f
}

// profileCurve adds the profile of an order, with dots at multiplier c's skips.
func profileCurve(f *plot.Plot, t *table, order []int, g Topology, c int, name string, k int) {
	set := settings{}
	m, err := t.profile(context.Background(), &set, order)
	if err != nil {
		return
	}
	var xys, used plotter.XYs
	for d := 1; d < len(m) && d <= t.n/2; d++ {
		if !math.IsInf(m[d], 1) {
			xys = append(xys, plotter.XY{X: float64(d), Y: m[d]})
		}
	}
	seen := map[int]bool{}
	for _, skips := range g.Rounds {
		for _, s := range skips {
			d := fold(int(int64(c)*int64(s)%int64(t.n)), t.n)
			if !seen[d] && !math.IsInf(m[d], 1) {
				seen[d] = true
				used = append(used, plotter.XY{X: float64(d), Y: m[d]})
			}
		}
	}
	line(f, name, k, false, xys)
	dots(f, "", k, used)
}

func legendRight(f *plot.Plot) {
	f.Legend.Top = true
	f.Y.Min = 0
	f.Y.Max *= 1.3
}

// Plot draws the BCD against the multiplier, and the profile with the offsets
// used before and after.
func (m *Multiplier) Plot() []*plot.Plot {
	f := figure(fmt.Sprintf("%s(%d): best multiplier %d", m.g.Name, len(m.Pi), m.C), "multiplier c", "BCD (ms a round)")
	var xys plotter.XYs
	for c := 1; c < len(m.ByC) && c <= len(m.ByC)/2; c++ {
		if v := m.ByC[c]; !math.IsNaN(v) && !math.IsInf(v, 1) {
			xys = append(xys, plotter.XY{X: float64(c), Y: v})
		}
	}
	dots(f, "coprime to n", 0, xys)
	dots(f, fmt.Sprintf("best: %.4g ms", m.BCD), 1, plotter.XYs{{X: float64(fold(m.C, len(m.Pi))), Y: m.BCD}})
	legendRight(f)
	plots := []*plot.Plot{f}
	if len(m.Profile) > 0 {
		q := figure("Offset profile of the tour", "offset d (positions)", "M[d] (ms)")
		var all plotter.XYs
		for d := 1; d < len(m.Profile); d++ {
			if !math.IsInf(m.Profile[d], 1) {
				all = append(all, plotter.XY{X: float64(d), Y: m.Profile[d]})
			}
		}
		line(q, "", 5, false, all)
		for k, c := range []int{1, m.C} {
			var used plotter.XYs
			for _, skips := range m.g.Rounds {
				for _, s := range skips {
					d := int(int64(c) * int64(s) % int64(m.g.N))
					if m.t.sym {
						d = fold(d, m.g.N)
					}
					if !math.IsInf(m.Profile[d], 1) {
						used = append(used, plotter.XY{X: float64(d), Y: m.Profile[d]})
					}
				}
			}
			dots(q, fmt.Sprintf("offsets used with c = %d", c), k, used)
		}
		legendRight(q)
		plots = append(plots, q)
	}
	return plots
}

// PlotTrace draws the best BCD against the moves of the polish, with the value
// before it and the lower bound.
func (p *Placement) PlotTrace() *plot.Plot {
	f := figure("Polish", "moves", "best BCD (ms a round)")
	var xys plotter.XYs
	best := math.Inf(1)
	for _, s := range p.Trace {
		if s.BCD >= best {
			continue
		}
		if len(xys) > 0 {
			xys = append(xys, plotter.XY{X: float64(s.Moves), Y: xys[len(xys)-1].Y})
		}
		best = s.BCD
		xys = append(xys, plotter.XY{X: float64(s.Moves), Y: s.BCD})
	}
	last := float64(p.Trace[len(p.Trace)-1].Moves)
	line(f, "polish", 0, false, xys)
	line(f, fmt.Sprintf("tour and multiplier: %.4g ms", p.AfterMSR), 1, true, plotter.XYs{{X: 0, Y: p.AfterMSR}, {X: last, Y: p.AfterMSR}})
	line(f, fmt.Sprintf("lower bound: %.4g ms", p.Lower), 2, true, plotter.XYs{{X: 0, Y: p.Lower}, {X: last, Y: p.Lower}})
	legendRight(f)
	return f
}

// Plot draws a bar for every method on every topology, and the lower bound of
// each topology as a line.
func (c *Comparison) Plot() *plot.Plot {
	f := figure("BCD by method: "+c.Network, "", "BCD (ms a round)")
	var topologies []string
	var methods []Method
	index := map[string]int{}
	value := map[string]map[Method]float64{}
	lower := map[string]float64{}
	seen := map[Method]bool{}
	for _, r := range c.Rows {
		if value[r.Topology] == nil {
			index[r.Topology] = len(topologies)
			topologies = append(topologies, r.Topology)
			value[r.Topology] = map[Method]float64{}
		}
		if !seen[r.Method] {
			seen[r.Method] = true
			methods = append(methods, r.Method)
		}
		value[r.Topology][r.Method] = r.BCD
		lower[r.Topology] = r.Lower
	}
	width := vg.Points(330 / float64(max(1, len(methods)*len(topologies))))
	for k, m := range methods {
		var v plotter.Values
		for _, name := range topologies {
			x := value[name][m]
			if math.IsInf(x, 1) {
				x = 0
			}
			v = append(v, x)
		}
		b, err := plotter.NewBarChart(v, width)
		if err != nil {
			continue
		}
		b.Color, b.LineStyle.Width = cycle[k%len(cycle)], 0
		b.Offset = width * vg.Length(float64(k)-float64(len(methods)-1)/2)
		f.Add(b)
		f.Legend.Add(m.String(), b)
	}
	for k, name := range topologies {
		x := float64(k)
		l, err := plotter.NewLine(plotter.XYs{{X: x - 0.45, Y: lower[name]}, {X: x + 0.45, Y: lower[name]}})
		if err != nil {
			continue
		}
		l.Color, l.Width = red, 1.5
		f.Add(l)
		if k == 0 {
			f.Legend.Add("lower bound", l)
		}
	}
	f.NominalX(topologies...)
	f.Legend.Top = true
	f.Y.Min = 0
	f.Y.Max *= 1.5
	return f
}

// Plot draws the consensus error, and for training the loss and accuracy,
// against simulated time.
func (r *Run) Plot() []*plot.Plot { return PlotRuns([]*Run{r}) }

// PlotRuns draws several simulations together: consensus error, and where they
// trained loss and accuracy, against simulated seconds.
func PlotRuns(runs []*Run) []*plot.Plot {
	var plots []*plot.Plot
	add := func(title, y string, log bool, get func(*Run) []float64) {
		f := figure(title, "simulated time (s)", y)
		any := false
		low := math.Inf(1)
		for k, r := range runs {
			if r == nil {
				continue
			}
			var xys plotter.XYs
			for i, v := range get(r) {
				if (log && v <= 0) || math.IsInf(v, 0) || math.IsNaN(v) {
					continue
				}
				low = min(low, v)
				xys = append(xys, plotter.XY{X: r.Ms[i] / 1000, Y: v})
			}
			any = any || len(xys) > 1
			line(f, r.Name, k, false, xys)
		}
		if !any {
			return
		}
		if log && low < f.Y.Max {
			f.Y.Scale = plot.LogScale{}
			f.Y.Tick.Marker = plot.LogTicks{Prec: -1}
		}
		f.Legend.Top = true
		plots = append(plots, f)
	}
	add("Consensus error", "error, relative", true, func(r *Run) []float64 { return r.Error })
	add("Training loss of the mean model", "loss", false, func(r *Run) []float64 { return r.Loss })
	add("Accuracy of the mean model", "share of examples right", false, func(r *Run) []float64 { return r.Accuracy })
	return plots
}
