package plot

import (
	"fmt"
	"math"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A HalfPlane is the constraint A·x + B·y ≤ C of a linear program in two
// variables. A constraint with ≥ has its signs turned.
type HalfPlane struct {
	A, B, C float64
	Name    string
}

// A View is the part of the plane that a figure shows.
type View struct{ XMin, XMax, YMin, YMax float64 }

// A Spot is a point of interest in a region, such as its optimum.
type Spot struct {
	X, Y float64
	Name string
}

// Region returns the points of the view that meet every constraint, shaded,
// with each constraint's line and the spots. Where no point does, the title
// says so. It fails where the view is empty or a constraint is not finite.
//
// The region is cut from the view by one half-plane after the other (Sutherland
// and Hodgman, 1974), so it is exact up to rounding, in time proportional to
// the square of the number of constraints.
func Region(constraints []HalfPlane, view View, spots []Spot, opt *Options) (*gplot.Plot, error) {
	if !(view.XMax > view.XMin) || !(view.YMax > view.YMin) || !finite(view.XMax-view.XMin) || !finite(view.YMax-view.YMin) {
		return nil, fmt.Errorf("plot: Region view %v is empty; give XMin < XMax and YMin < YMax", view)
	}
	for i, h := range constraints {
		if !finite(h.A) || !finite(h.B) || !finite(h.C) || (h.A == 0 && h.B == 0) {
			return nil, fmt.Errorf("plot: Region constraint %d (%q) is %v·x + %v·y ≤ %v; give finite numbers, A or B not zero", i, h.Name, h.A, h.B, h.C)
		}
	}
	polygon := feasible(constraints, view)
	o := opt.defaults("x", "y")
	if len(polygon) == 0 {
		o.Title = fmt.Sprintf("%s (no feasible point in view)", o.Title)
	}
	p := o.figure()
	legend := &sideLegend{}
	if len(polygon) > 2 {
		area, err := plotter.NewPolygon(plotter.XYs(polygon))
		if err != nil {
			return nil, fmt.Errorf("plot: Region: %w", err)
		}
		area.Color, area.LineStyle.Width = fade(Color(0), 52), 0
		p.Add(area)
		legend.add("feasible", swatch{draw.LineStyle{Color: area.Color}})
	}
	for i, h := range constraints {
		ends := cut(h, view)
		if len(ends) < 2 {
			continue
		}
		l, err := plotter.NewLine(plotter.XYs(ends))
		if err != nil {
			return nil, fmt.Errorf("plot: Region: %w", err)
		}
		l.LineStyle = line(i + 1)
		p.Add(l)
		legend.add(h.Name, l)
	}
	if len(spots) > 0 {
		p.Add(&spotMarks{spots})
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = view.XMin, view.XMax, view.YMin, view.YMax
	p.X.Padding, p.Y.Padding = 0, 0
	legend.addTo(p)
	return p, nil
}

// feasible cuts the view by each half-plane.
func feasible(constraints []HalfPlane, v View) []plotter.XY {
	poly := []plotter.XY{{X: v.XMin, Y: v.YMin}, {X: v.XMax, Y: v.YMin}, {X: v.XMax, Y: v.YMax}, {X: v.XMin, Y: v.YMax}}
	for _, h := range constraints {
		// Slack that rounding may take, relative to the sizes in the view.
		tol := 1e-12 * (math.Abs(h.C) + math.Abs(h.A)*max(math.Abs(v.XMin), math.Abs(v.XMax)) + math.Abs(h.B)*max(math.Abs(v.YMin), math.Abs(v.YMax)))
		over := func(p plotter.XY) float64 { return h.A*p.X + h.B*p.Y - h.C }
		var kept []plotter.XY
		for i, a := range poly {
			b := poly[(i+1)%len(poly)]
			fa, fb := over(a), over(b)
			if fa <= tol {
				kept = append(kept, a)
			}
			if (fa < -tol && fb > tol) || (fa > tol && fb < -tol) {
				t := fa / (fa - fb)
				kept = append(kept, plotter.XY{X: a.X + t*(b.X-a.X), Y: a.Y + t*(b.Y-a.Y)})
			}
		}
		if poly = kept; len(poly) == 0 {
			return nil
		}
	}
	return poly
}

// cut returns where the line A·x + B·y = C enters and leaves the view.
func cut(h HalfPlane, v View) []plotter.XY {
	var pts []plotter.XY
	add := func(x, y float64) {
		ex, ey := 1e-9*(v.XMax-v.XMin), 1e-9*(v.YMax-v.YMin)
		if x < v.XMin-ex || x > v.XMax+ex || y < v.YMin-ey || y > v.YMax+ey {
			return
		}
		for _, p := range pts {
			if math.Abs(p.X-x) <= ex && math.Abs(p.Y-y) <= ey {
				return
			}
		}
		pts = append(pts, plotter.XY{X: x, Y: y})
	}
	if h.B != 0 {
		add(v.XMin, (h.C-h.A*v.XMin)/h.B)
		add(v.XMax, (h.C-h.A*v.XMax)/h.B)
	}
	if h.A != 0 {
		add((h.C-h.B*v.YMin)/h.A, v.YMin)
		add((h.C-h.B*v.YMax)/h.A, v.YMax)
	}
	return pts
}

type spotMarks struct{ spots []Spot }

func (s *spotMarks) Plot(c draw.Canvas, p *gplot.Plot) {
	x, y := p.Transforms(&c)
	for _, spot := range s.spots {
		if !finite(spot.X) || !finite(spot.Y) {
			continue
		}
		pt := vg.Point{X: x(spot.X), Y: y(spot.Y)}
		c.DrawGlyph(draw.GlyphStyle{Color: inkColor, Radius: 4, Shape: draw.CircleGlyph{}}, pt)
		sty := style(tickSize+0.5, draw.XLeft, draw.YBottom)
		if pt.X > c.Center().X {
			sty.XAlign = draw.XRight
		}
		off := vg.Length(6)
		if sty.XAlign == draw.XRight {
			off = -off
		}
		c.FillText(sty, vg.Point{X: pt.X + off, Y: pt.Y + 4}, spot.Name)
	}
}
