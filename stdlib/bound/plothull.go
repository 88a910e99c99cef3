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

// PlotHull draws the picture that explains the method, for the estimates
// themselves: see Subset.Plot.
func (b *Bounds) PlotHull() *plot.Plot {
	x := slices.Clone(b.x)
	if b.Sides == Upper {
		for i := range x {
			x[i] = -x[i]
		}
	}
	var ids []int
	for i := range x {
		if b.plan.v[i] > 0 {
			ids = append(ids, i)
		}
	}
	lx, lv := make([]float64, len(ids)), make([]float64, len(ids))
	for k, i := range ids {
		lx[k], lv[k] = x[i], b.plan.v[i]
	}
	s := &Subset{x: lx, v: lv}
	s.bySort(lx, lv)
	return s.figure("effect", b.Unit)
}

// Plot draws every set as a point (V, Z), its summed variance and summed
// effect. All 2^p points lie within the hull; its upper chain is the prefixes
// by x/v. The curve through the densest set holds the points with its
// Z/√V: no point lies above it. The tangent there has the slope λ*. The
// result of DensestGraph has no such picture: nil.
func (s *Subset) Plot() *plot.Plot {
	if len(s.x) == 0 {
		return nil
	}
	return s.figure("value", "")
}

func (s *Subset) figure(what, unit string) *plot.Plot {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Sets as points: the densest has Z/√V = %.3g, %d of %d tests", s.Value, len(s.Set), len(s.x))
	unit2 := ""
	if unit != "" {
		unit2 = unit + "²"
	}
	p.X.Label.Text = unitLabel("V, summed squared standard error", unit2)
	p.Y.Label.Text = unitLabel("Z, summed "+what, unit)
	ids := make([]int, len(s.x))
	for i := range ids {
		ids[i] = i
	}
	bySlope(ids, s.x, s.v)
	upper := plotter.XYs{{}}
	lower := plotter.XYs{{}}
	var z, v float64
	for _, i := range ids {
		z += s.x[i]
		v += s.v[i]
		upper = append(upper, plotter.XY{X: v, Y: z})
	}
	z, v = 0, 0
	for k := len(ids) - 1; k >= 0; k-- {
		z += s.x[ids[k]]
		v += s.v[ids[k]]
		lower = append(lower, plotter.XY{X: v, Y: z})
	}
	total := v
	upper, lower = thin(upper, 600), thin(lower, 600)
	ring := slices.Clone(upper)
	for k := len(lower) - 1; k >= 0; k-- {
		ring = append(ring, lower[k])
	}
	if poly, err := plotter.NewPolygon(ring); err == nil {
		poly.Color = fillColor
		poly.LineStyle.Width = 0
		p.Add(poly)
	}
	lo, hi := 0.0, 0.0
	for _, q := range ring {
		lo, hi = min(lo, q.Y), max(hi, q.Y)
	}
	p.X.Min, p.X.Max = 0, total*1.02
	p.Y.Min, p.Y.Max = lo-0.04*(hi-lo), hi+0.42*(hi-lo)
	add := func(name string, xy plotter.XYs, c color.Color, w vg.Length, dash []vg.Length) {
		if l, err := plotter.NewLine(xy); err == nil {
			l.LineStyle = draw.LineStyle{Color: c, Width: w, Dashes: dash}
			p.Add(l)
			p.Legend.Add(name, l)
		}
	}
	add("hull of all sets: prefixes by x/v", upper, boundColor, 1.6, nil)
	if s.V > 0 {
		var curve plotter.XYs
		for k := 0; k <= 120; k++ {
			v := total * float64(k) / 120
			curve = append(curve, plotter.XY{X: v, Y: s.Value * math.Sqrt(v)})
		}
		add("Z = T√V: nothing lies above", clip(curve, p.Y.Max), naiveColor, 1.2, []vg.Length{4, 2})
		tangent := plotter.XYs{}
		for k := 0; k <= 40; k++ {
			v := total * float64(k) / 40
			tangent = append(tangent, plotter.XY{X: v, Y: s.Sum + s.Lambda*(v-s.V)})
		}
		add(fmt.Sprintf("tangent, λ* = %.3g", s.Lambda), clip(tangent, p.Y.Max), truthColor, 1.2, []vg.Length{1, 2})
		if sc, err := plotter.NewScatter(plotter.XYs{{X: s.V, Y: s.Sum}}); err == nil {
			sc.GlyphStyle = draw.GlyphStyle{Color: naiveColor, Radius: 4.5, Shape: draw.CircleGlyph{}}
			p.Add(sc)
			p.Legend.Add("densest set", sc)
		}
	}
	if len(s.x) <= 60 {
		var singles plotter.XYs
		for i := range s.x {
			singles = append(singles, plotter.XY{X: s.v[i], Y: s.x[i]})
		}
		if sc, err := plotter.NewScatter(singles); err == nil {
			sc.GlyphStyle = draw.GlyphStyle{Color: color.NRGBA{0x55, 0x55, 0x55, 255}, Radius: 1.8, Shape: draw.CircleGlyph{}}
			p.Add(sc)
			p.Legend.Add("single tests", sc)
		}
	}
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, legendGap
	return p
}

// clip keeps the points under a height.
func clip(xy plotter.XYs, top float64) plotter.XYs {
	var out plotter.XYs
	for _, q := range xy {
		if q.Y <= top && q.Y >= 0 {
			out = append(out, q)
		}
	}
	if len(out) < 2 {
		return xy[:2]
	}
	return out
}

// thin keeps at most n points of a curve, the last among them.
func thin(xy plotter.XYs, n int) plotter.XYs {
	if len(xy) <= n {
		return xy
	}
	var out plotter.XYs
	for k := range n {
		out = append(out, xy[k*(len(xy)-1)/(n-1)])
	}
	return out
}
