package bound

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// One colour an idea in all figures: safe for colour-blind readers.
var (
	boundColor = color.NRGBA{0x00, 0x72, 0xB2, 255} // simultaneous bounds: blue
	naiveColor = color.NRGBA{0xD5, 0x5E, 0x00, 255} // naive: vermilion
	rivalColor = color.NRGBA{0x99, 0x99, 0x99, 255} // Scheffé: grey
	truthColor = color.NRGBA{0x00, 0x9E, 0x73, 255} // true effects: green
	fillColor  = color.NRGBA{0x00, 0x72, 0xB2, 48}
)

// legendGap keeps the lines of a legend apart.
const legendGap = vg.Length(2.5)

// unitLabel names an axis with its unit.
func unitLabel(what, unit string) string {
	if unit == "" {
		return what
	}
	return what + " (" + unit + ")"
}

// level is the printed confidence.
func (b *Bounds) level() string { return fmt.Sprintf("%g %%", 100*(1-b.Alpha)) }

// Plot returns the figures that explain the result: the forest of typical
// choices, the envelope along the sorted path, the draws of T with the rivals'
// values, and the hull that the maximisation walks. For a forest of your own
// sets see Forest; for the price of freedom see Freedom.
func (b *Bounds) Plot() []*plot.Plot {
	var plots []*plot.Plot
	if ivs := b.typical(); len(ivs) > 0 {
		plots = append(plots, b.Forest(ivs))
	}
	if e, err := b.Path(nil); err == nil && len(e.Sum) > 1 {
		plots = append(plots, e.Plot())
	}
	return append(plots, b.PlotNull(), b.PlotHull())
}

// typical returns the intervals of choices that people make.
func (b *Bounds) typical() []Interval {
	var ivs []Interval
	add := func(name string, iv Interval, err error) {
		if err != nil || iv.Size == 0 {
			return // outside the family, or empty
		}
		iv.Name = name
		ivs = append(ivs, iv)
	}
	iv, err := b.Where(func(int) bool { return true })
	add("all tests", iv, err)
	iv, err = b.Where(func(i int) bool { return b.Est[i] > 0 })
	add("estimate above 0", iv, err)
	iv, err = b.Where(func(i int) bool { return b.Est[i] < 0 })
	add("estimate below 0", iv, err)
	iv, err = b.Best()
	add("largest certified total", iv, err)
	top := -1
	for i := range b.Est {
		if b.plan.v[i] > 0 && (top < 0 || b.Est[i] > b.Est[top]) {
			top = i
		}
	}
	iv, err = b.Of([]int{top})
	add("largest: "+nameOr(b.Names, top), iv, err)
	return ivs
}

// Forest draws sets' mean effects with their simultaneous bounds between the
// naive ones (too short after looking) and Scheffé's (longer than needed).
// Names come from Interval.Name, or the tests of small sets.
func (b *Bounds) Forest(ivs []Interval) *plot.Plot {
	ivs = slices.DeleteFunc(slices.Clone(ivs), func(iv Interval) bool { return iv.Size == 0 })
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Chosen sets: bounds that hold together, %s", b.level())
	p.X.Label.Text = unitLabel("mean effect of the set", b.Unit)
	p.Y.Label.Text = ""
	f := &forest{}
	names := make([]string, len(ivs))
	for k, iv := range ivs {
		row := len(ivs) - 1 - k // first on top
		n := iv.weight
		scale := func(r [2]float64) [2]float64 { return [2]float64{r[0] / n, r[1] / n} }
		f.rows = append(f.rows, forestRow{float64(row), iv.Mean, scale(iv.Naive), scale([2]float64{iv.Lower, iv.Upper}), scale(iv.Scheffe)})
		name := iv.Name
		if name == "" && iv.Size == 1 {
			name = nameOr(b.Names, iv.Set[0])
		} else if name == "" {
			name = fmt.Sprintf("set %d", k+1)
		}
		names[row] = fmt.Sprintf("%s (%d)", shorten(name, 26), iv.Size)
	}
	p.Add(f)
	if len(names) > 0 {
		p.NominalY(names...)
	}
	p.Y.Min, p.Y.Max = -0.6, float64(len(ivs))+0.1 // room for the legend
	p.Legend.Top, p.Legend.Padding = true, legendGap
	p.Legend.Add("naive", bar{naiveColor, 1.5})
	p.Legend.Add("simultaneous", bar{boundColor, 4})
	if !math.IsNaN(b.ScheffeC) {
		p.Legend.Add("Scheffé", bar{rivalColor, 1.5})
	}
	return p
}

func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// bar is a legend's sample of a line.
type bar struct {
	c color.Color
	w vg.Length
}

// Thumbnail draws the sample.
func (b bar) Thumbnail(c *draw.Canvas) {
	y := (c.Min.Y + c.Max.Y) / 2
	c.StrokeLine2(draw.LineStyle{Color: b.c, Width: b.w}, c.Min.X, y, c.Max.X, y)
}

type forestRow struct {
	y, mean                float64
	naive, bound, contrast [2]float64
}

type forest struct{ rows []forestRow }

// Plot draws the bars; a side without a bound runs to the edge.
func (f *forest) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	zero := x(0)
	if zero >= c.Min.X && zero <= c.Max.X {
		c.StrokeLine2(draw.LineStyle{Color: color.NRGBA{0, 0, 0, 110}, Width: 0.8, Dashes: []vg.Length{3, 2}}, zero, c.Min.Y, zero, c.Max.Y)
	}
	for _, r := range f.rows {
		at := y(r.y)
		for _, l := range []struct {
			r     [2]float64
			color color.Color
			w, dy vg.Length
		}{{r.contrast, rivalColor, 1.5, -6}, {r.bound, boundColor, 4, 0}, {r.naive, naiveColor, 1.5, 6}} {
			if math.IsNaN(l.r[0]) || math.IsNaN(l.r[1]) {
				continue
			}
			lo, hi := c.Min.X, c.Max.X
			ends := []vg.Length{}
			if !math.IsInf(l.r[0], 0) {
				lo = x(l.r[0])
				ends = append(ends, lo)
			}
			if !math.IsInf(l.r[1], 0) {
				hi = x(l.r[1])
				ends = append(ends, hi)
			}
			s := draw.LineStyle{Color: l.color, Width: l.w}
			c.StrokeLine2(s, lo, at+l.dy, hi, at+l.dy)
			s.Width = 1.2
			for _, e := range ends {
				c.StrokeLine2(s, e, at+l.dy-3, e, at+l.dy+3)
			}
		}
		c.DrawGlyph(draw.GlyphStyle{Color: color.White, Radius: 3.4, Shape: draw.CircleGlyph{}}, vg.Point{X: x(r.mean), Y: at})
		c.DrawGlyph(draw.GlyphStyle{Color: boundColor, Radius: 2.2, Shape: draw.CircleGlyph{}}, vg.Point{X: x(r.mean), Y: at})
	}
}

// DataRange covers all finite ends and zero.
func (f *forest) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin = 0, 0, 0
	for _, r := range f.rows {
		for _, v := range []float64{r.mean, r.naive[0], r.naive[1], r.bound[0], r.bound[1], r.contrast[0], r.contrast[1]} {
			if !math.IsInf(v, 0) && !math.IsNaN(v) {
				xmin, xmax = min(xmin, v), max(xmax, v)
			}
		}
		ymax = max(ymax, r.y)
	}
	pad := 0.04*(xmax-xmin) + 1e-300
	return xmin - pad, xmax + pad, ymin, ymax
}

// Plot draws the summed effect of the first k tests against k: the estimate,
// the band of simultaneous bounds, the naive and Scheffé's bounds, and the true
// curve if Truth is set.
func (e *Envelope) Plot() *plot.Plot {
	p := plot.New()
	level := "simultaneous"
	if e.b != nil {
		level = e.b.level()
	}
	p.Title.Text = fmt.Sprintf("Certified total along the path, %s for every prefix at once", level)
	p.X.Label.Text = "tests chosen, in the order of the path (number)"
	p.Y.Label.Text = unitLabel("summed effect", e.Unit)
	n := len(e.Sum)
	curve := func(y []float64) plotter.XYs {
		var xy plotter.XYs
		step := max(n/2000, 1)
		for k := 0; k < n; k++ {
			if (k%step == 0 || k == n-1) && !math.IsInf(y[k], 0) && !math.IsNaN(y[k]) {
				xy = append(xy, plotter.XY{X: float64(k + 1), Y: y[k]})
			}
		}
		return xy
	}
	lower, upper := curve(e.Lower), curve(e.Upper)
	if len(lower) > 0 && len(upper) > 0 {
		band := append(plotter.XYs{}, upper...)
		for k := len(lower) - 1; k >= 0; k-- {
			band = append(band, lower[k])
		}
		if poly, err := plotter.NewPolygon(band); err == nil {
			poly.Color = fillColor
			poly.LineStyle.Width = 0
			p.Add(poly)
		}
	}
	add := func(name string, c color.Color, w vg.Length, dash []vg.Length, ys ...[]float64) {
		for k, y := range ys {
			xy := curve(y)
			if len(xy) == 0 {
				continue
			}
			l, err := plotter.NewLine(xy)
			if err != nil {
				continue
			}
			l.LineStyle = draw.LineStyle{Color: c, Width: w, Dashes: dash}
			p.Add(l)
			if k == 0 || len(curve(ys[0])) == 0 {
				p.Legend.Add(name, l)
			}
		}
	}
	add("Scheffé", rivalColor, 1, []vg.Length{4, 2}, e.ScheffeLower, e.ScheffeUpper)
	add("naive", naiveColor, 1, []vg.Length{2, 2}, e.NaiveLower, e.NaiveUpper)
	add("simultaneous", boundColor, 1.5, nil, e.Lower, e.Upper)
	add("estimate", color.Black, 1, nil, e.Sum)
	if len(e.Truth) == n {
		add("true effects", truthColor, 1.5, nil, e.Truth)
	}
	zero := plotter.NewFunction(func(float64) float64 { return 0 })
	zero.LineStyle = draw.LineStyle{Color: color.NRGBA{0, 0, 0, 90}, Width: 0.6}
	zero.XMin, zero.XMax = 1, float64(max(n, 2))
	p.Add(zero)
	p.X.Min, p.X.Max = 1, float64(max(n, 2))
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, legendGap
	lo, hi := extent(e.ScheffeLower, e.ScheffeUpper, e.Lower, e.Upper, e.Sum)
	p.Y.Min, p.Y.Max = lo, hi+0.38*(hi-lo) // room for the legend
	return p
}

// extent returns the least and the largest finite value, 0 among them.
func extent(ys ...[]float64) (lo, hi float64) {
	for _, y := range ys {
		for _, v := range y {
			if !math.IsInf(v, 0) && !math.IsNaN(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if lo == hi {
		hi = lo + 1
	}
	return lo, hi
}
