package bound

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot returns a map for each mode and kind of data at the highest nominal
// coverage: tests across, units up, the colour and the number say how often
// intervals of all sets held together. Blue holds, red misses too often.
func (m *CoverageMap) Plot() []*plot.Plot {
	type key struct {
		mode Mode
		data string
	}
	top := 0.0
	for _, r := range m.Rows {
		top = max(top, r.Nominal)
	}
	var keys []key
	rows := map[key][]CoverageRow{}
	for _, r := range m.Rows {
		if r.Nominal == top {
			k := key{r.Mode, r.Data}
			if rows[k] == nil {
				keys = append(keys, k)
			}
			rows[k] = append(rows[k], r)
		}
	}
	var plots []*plot.Plot
	for _, k := range keys {
		plots = append(plots, coverageFigure(k.mode, k.data, top, rows[k]))
	}
	return plots
}

func coverageFigure(mode Mode, data string, nominal float64, rows []CoverageRow) *plot.Plot {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Coverage of %v on %s data, nominal %.2f", mode, data, nominal)
	p.X.Label.Text = "tests p (number)"
	p.Y.Label.Text = "units per test n (number)"
	f := &coverageCells{rows: rows}
	for _, r := range rows {
		if !slices.Contains(f.ps, r.P) {
			f.ps = append(f.ps, r.P)
		}
		if !slices.Contains(f.ns, r.N) {
			f.ns = append(f.ns, r.N)
		}
	}
	slices.Sort(f.ps)
	slices.Sort(f.ns)
	p.Add(f)
	name := func(xs []int) []string {
		s := make([]string, len(xs))
		for i, x := range xs {
			s[i] = fmt.Sprint(x)
		}
		return s
	}
	p.NominalX(name(f.ps)...)
	p.NominalY(name(f.ns)...)
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Min, p.X.Max = -0.5, float64(len(f.ps))-0.5
	p.Y.Min, p.Y.Max = -0.5, float64(len(f.ns))-0.5
	return p
}

type coverageCells struct {
	rows   []CoverageRow
	ps, ns []int
}

// Plot draws a cell for each row, with its number.
func (f *coverageCells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, r := range f.rows {
		i, j := float64(slices.Index(f.ps, r.P)), float64(slices.Index(f.ns, r.N))
		x0, x1, y0, y1 := x(i-0.5), x(i+0.5), y(j-0.5), y(j+0.5)
		fill := coverageColor(r.Both - r.Nominal)
		c.FillPolygon(fill, []vg.Point{{X: x0, Y: y0}, {X: x0, Y: y1}, {X: x1, Y: y1}, {X: x1, Y: y0}})
		s := p.X.Tick.Label
		s.XAlign, s.YAlign = draw.XCenter, draw.YCenter
		s.Color = color.Black
		if n := color.NRGBAModel.Convert(fill).(color.NRGBA); 3*int(n.R)+6*int(n.G)+int(n.B) < 1200 {
			s.Color = color.White
		}
		c.FillText(s, vg.Point{X: (x0 + x1) / 2, Y: (y0 + y1) / 2}, fmt.Sprintf("%.3f", r.Both))
	}
}

// DataRange is the grid of cells.
func (f *coverageCells) DataRange() (xmin, xmax, ymin, ymax float64) {
	return -0.5, float64(len(f.ps)) - 0.5, -0.5, float64(len(f.ns)) - 0.5
}

// coverageColor goes from white at nominal to blue above and to vermilion
// 0.3 below.
func coverageColor(excess float64) color.Color {
	blend := func(c color.NRGBA, t float64) color.Color {
		t = math.Min(math.Max(t, 0), 1)
		f := func(a uint8) uint8 { return uint8(255 + t*(float64(a)-255)) }
		return color.NRGBA{f(c.R), f(c.G), f(c.B), 255}
	}
	if excess >= 0 {
		return blend(boundColor, 0.12+excess/0.05*0.5)
	}
	return blend(naiveColor, math.Sqrt(-excess/0.5))
}
