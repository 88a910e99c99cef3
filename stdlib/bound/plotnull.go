package bound

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// PlotNull draws the histogram of the maximum T over the draws with the
// critical value, and the rivals' values beside it.
func (b *Bounds) PlotNull() *plot.Plot {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Largest normalised error over %s, %d draws", b.Family.Name, b.Draws)
	p.X.Label.Text = "T, largest error of a set (standard errors)"
	if b.Balanced() {
		p.Title.Text = fmt.Sprintf("Largest standardised error by size, %d draws", b.Draws)
		p.X.Label.Text = "T, standardised within each size (standard deviations)"
	}
	p.Y.Label.Text = "draws (number)"
	lo, hi := b.T[0], b.T[len(b.T)-1]
	if hi <= lo {
		hi = lo + 1
	}
	bins := min(max(int(math.Sqrt(float64(len(b.T)))), 12), 60)
	counts := make([]float64, bins)
	top := 0.0
	for _, t := range b.T {
		k := min(int((t-lo)/(hi-lo)*float64(bins)), bins-1)
		counts[k]++
		top = max(top, counts[k])
	}
	for k, n := range counts {
		x0, x1 := lo+float64(k)*(hi-lo)/float64(bins), lo+float64(k+1)*(hi-lo)/float64(bins)
		r, err := plotter.NewPolygon(plotter.XYs{{X: x0, Y: 0}, {X: x0, Y: n}, {X: x1, Y: n}, {X: x1, Y: 0}})
		if err != nil {
			continue
		}
		r.Color = color.NRGBA{0x00, 0x72, 0xB2, 120}
		r.LineStyle.Width = 0
		p.Add(r)
	}
	right := hi
	mark := func(name string, x float64, c color.Color, dash []vg.Length) {
		if math.IsNaN(x) {
			return
		}
		l, err := plotter.NewLine(plotter.XYs{{X: x, Y: 0}, {X: x, Y: top * 1.02}})
		if err != nil {
			return
		}
		l.LineStyle = draw.LineStyle{Color: c, Width: 1.6, Dashes: dash}
		p.Add(l)
		p.Legend.Add(fmt.Sprintf("%s %.2f", name, x), l)
		right = max(right, x)
	}
	if !b.Balanced() {
		mark("naive", b.NaiveC, naiveColor, []vg.Length{2, 2})
	}
	mark(fmt.Sprintf("critical value (%s)", b.level()), b.C, boundColor, nil)
	if !b.Balanced() {
		if b.Mode != Joint {
			mark("Bonferroni over sets", b.BonferroniC, color.NRGBA{0xCC, 0x79, 0xA7, 255}, []vg.Length{1, 2})
		}
		mark("Scheffé", b.ScheffeC, rivalColor, []vg.Length{4, 2})
	}
	p.Y.Min, p.Y.Max = 0, top*1.45 // room for the legend
	p.X.Min = min(lo, b.NaiveC)
	if b.Balanced() {
		p.X.Min = lo
	}
	p.X.Max = right + 0.04*(right-p.X.Min)
	p.Legend.Top, p.Legend.Padding = true, legendGap
	return p
}

// Plot draws c against the size limit, with the value of one set fixed
// beforehand and Scheffé's, and the user's own limit.
func (f *FreedomCurve) Plot() *plot.Plot {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Price of freedom: %d tests, %g %%", f.Tests, 100*(1-f.Alpha))
	p.X.Label.Text = "largest set that may be chosen (tests)"
	p.Y.Label.Text = "critical value c (standard errors)"
	var xy, naive, sch plotter.XYs
	top := 0.0
	for i, k := range f.K {
		xy = append(xy, plotter.XY{X: float64(k), Y: f.C[i]})
		naive = append(naive, plotter.XY{X: float64(k), Y: f.NaiveC})
		sch = append(sch, plotter.XY{X: float64(k), Y: f.Scheffe})
		top = max(top, f.C[i])
	}
	add := func(name string, xy plotter.XYs, c color.Color, w vg.Length, dash []vg.Length) {
		if len(xy) == 0 || math.IsNaN(xy[0].Y) {
			return
		}
		if l, err := plotter.NewLine(xy); err == nil {
			l.LineStyle = draw.LineStyle{Color: c, Width: w, Dashes: dash}
			p.Add(l)
			p.Legend.Add(name, l)
			top = max(top, xy[0].Y)
		}
	}
	add("Scheffé", sch, rivalColor, 1.2, []vg.Length{4, 2})
	add("at most so many tests", xy, boundColor, 1.8, nil)
	add("one set, fixed beforehand", naive, naiveColor, 1.2, []vg.Length{2, 2})
	here := f.Here
	if here == 0 {
		here = f.Tests
	}
	for i, k := range f.K {
		if k >= here || i == len(f.K)-1 {
			if s, err := plotter.NewScatter(plotter.XYs{{X: float64(k), Y: f.C[i]}}); err == nil {
				s.GlyphStyle = draw.GlyphStyle{Color: boundColor, Radius: 4, Shape: draw.CircleGlyph{}}
				p.Add(s)
				p.Legend.Add(fmt.Sprintf("you are here: c = %.2f", f.C[i]), s)
			}
			break
		}
	}
	p.Y.Min, p.Y.Max = 0, top*1.4
	if f.Tests > 1 {
		p.X.Scale = plot.LogScale{}
		p.X.Tick.Marker = sizeTicks{}
		p.X.Min, p.X.Max = 1, float64(f.Tests)*1.05
	}
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, legendGap
	return p
}

// sizeTicks marks 1, 2, 5, 10, 20, … on a logarithmic axis of sizes.
type sizeTicks struct{}

// Ticks returns the marks within the axis.
func (sizeTicks) Ticks(lo, hi float64) []plot.Tick {
	var t []plot.Tick
	for base := 1.0; base <= hi; base *= 10 {
		for _, m := range []float64{1, 2, 5} {
			if x := base * m; x >= lo*0.999 && x <= hi {
				t = append(t, plot.Tick{Value: x, Label: fmt.Sprintf("%.0f", x)})
			}
		}
	}
	return t
}
