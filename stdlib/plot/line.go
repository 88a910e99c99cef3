package plot

import (
	"fmt"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Line returns y over x as a line; a nil x counts from 0. Values that cannot be
// drawn (NaN, infinite) are left out. It fails where x and y differ in length or
// nothing can be drawn.
func Line(x, y []float64, opt *Options) (*gplot.Plot, error) {
	return Lines(x, [][]float64{y}, opt)
}

// Lines returns several series over the same x, each with a colour of its own
// and, where Options.Names gives one, a name in the legend.
func Lines(x []float64, ys [][]float64, opt *Options) (*gplot.Plot, error) {
	p := opt.figure()
	legend := &sideLegend{}
	if len(ys) == 0 {
		return nil, fmt.Errorf("plot: Lines has no series; give at least one")
	}
	for i, y := range ys {
		pts, err := points(fmt.Sprintf("line %d", i), x, y, opt)
		if err != nil {
			return nil, err
		}
		l, err := plotter.NewLine(pts)
		if err != nil {
			return nil, fmt.Errorf("plot: line %d: %w", i, err)
		}
		l.LineStyle = line(i)
		p.Add(l)
		legend.add(opt.name(i), l)
	}
	legend.addTo(p)
	return p, nil
}

// Scatter returns the points (x, y); a nil x counts from 0. From a thousand
// points on they are smaller and translucent, so that density shows.
func Scatter(x, y []float64, opt *Options) (*gplot.Plot, error) {
	pts, err := points("Scatter", x, y, opt)
	if err != nil {
		return nil, err
	}
	s, err := plotter.NewScatter(pts)
	if err != nil {
		return nil, fmt.Errorf("plot: Scatter: %w", err)
	}
	s.GlyphStyle = draw.GlyphStyle{Color: fade(Color(0), 200), Radius: 2.4, Shape: draw.CircleGlyph{}}
	if len(pts) >= 1000 {
		s.GlyphStyle = draw.GlyphStyle{Color: fade(Color(0), 90), Radius: 1.5, Shape: draw.CircleGlyph{}}
	}
	p := opt.figure()
	p.Add(s)
	legend := &sideLegend{}
	legend.add(opt.name(0), s)
	legend.addTo(p)
	return p, nil
}

// Bar returns one bar for each value, labelled below. Labels may be nil. It
// fails where labels and values differ in length or a value is not finite.
func Bar(labels []string, values []float64, opt *Options) (*gplot.Plot, error) {
	if labels != nil && len(labels) != len(values) {
		return nil, fmt.Errorf("plot: Bar has %d labels and %d values; give as many of each", len(labels), len(values))
	}
	for i, v := range values {
		if !finite(v) {
			return nil, fmt.Errorf("plot: Bar value %d is %v; give finite values", i, v)
		}
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("plot: Bar has no values; give at least one")
	}
	p := opt.figure()
	p.Add(&bars{values: values})
	if labels != nil {
		p.NominalX(labels...)
		p.X.Tick.Length = 0
	}
	p.X.Min, p.X.Max = -0.6, float64(len(values))-0.4
	return p, nil
}

// bars draws bars whose width follows the axis, four fifths of a step. gonum's
// own are a fixed width in points, which overlap in a long row.
type bars struct{ values []float64 }

func (b *bars) Plot(c draw.Canvas, p *gplot.Plot) {
	x, y := p.Transforms(&c)
	c.SetColor(Color(0))
	for i, v := range b.values {
		c.Fill(rectangle(x(float64(i)-0.4), y(0), x(float64(i)+0.4), y(v)))
	}
	c.StrokeLine2(draw.LineStyle{Color: axisColor, Width: 0.8}, c.Min.X, y(0), c.Max.X, y(0))
}

func (b *bars) DataRange() (xmin, xmax, ymin, ymax float64) {
	for _, v := range b.values {
		ymin, ymax = min(ymin, v), max(ymax, v)
	}
	return -0.5, float64(len(b.values)) - 0.5, ymin, ymax
}

func rectangle(x0, y0, x1, y1 vg.Length) vg.Path {
	return vg.Rectangle{Min: vg.Point{X: x0, Y: y0}, Max: vg.Point{X: x1, Y: y1}}.Path()
}
