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
		l, err := plotter.NewLine(thin(pts))
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
	p := opt.figure()
	legend := &sideLegend{}
	d := &dots{pts, draw.GlyphStyle{Color: fade(Color(0), 200), Radius: 2.4, Shape: draw.CircleGlyph{}}}
	if len(pts) >= 1000 {
		d.style.Color, d.style.Radius = fade(Color(0), 90), 1.5
	}
	p.Add(d)
	legend.add(opt.name(0), d)
	legend.addTo(p)
	return p, nil
}

// dots draws discs. gonum's scatter asks for the room of each glyph several
// times over, which takes longer than drawing a million of them.
type dots struct {
	points plotter.XYs
	style  draw.GlyphStyle
}

func (d *dots) Plot(c draw.Canvas, p *gplot.Plot) {
	x, y := p.Transforms(&c)
	for _, pt := range d.points {
		c.DrawGlyph(d.style, vg.Point{X: x(pt.X), Y: y(pt.Y)})
	}
}

func (d *dots) DataRange() (xmin, xmax, ymin, ymax float64) { return plotter.XYRange(d.points) }

// GlyphBoxes keeps room for the discs at the edges.
func (d *dots) GlyphBoxes(*gplot.Plot) []gplot.GlyphBox {
	r := d.style.Radius
	box := vg.Rectangle{Min: vg.Point{X: -r, Y: -r}, Max: vg.Point{X: r, Y: r}}
	return []gplot.GlyphBox{{X: 0, Y: 0, Rectangle: box}, {X: 1, Y: 1, Rectangle: box}}
}

func (d *dots) Thumbnail(c *draw.Canvas) { c.DrawGlyph(d.style, c.Center()) }

// thinBuckets is the number of stretches of a long line of which the first,
// last, lowest and highest points are kept: three to a pixel of a figure.
const thinBuckets = 4096

// thin leaves out points of a long line that no eye could tell: within a third
// of a pixel only the ends and the extremes are seen. Lines that go back in x
// are left as they are.
func thin(pts plotter.XYs) plotter.XYs {
	if len(pts) <= 5*thinBuckets {
		return pts
	}
	for i := 1; i < len(pts); i++ {
		if pts[i].X < pts[i-1].X {
			return pts
		}
	}
	first, width := pts[0].X, pts[len(pts)-1].X-pts[0].X
	if width <= 0 {
		return pts
	}
	bucket := func(x float64) int { return min(thinBuckets-1, int(thinBuckets*((x-first)/width))) }
	var kept plotter.XYs
	for i := 0; i < len(pts); {
		b := bucket(pts[i].X)
		low, high, end := i, i, i
		for ; end < len(pts) && bucket(pts[end].X) == b; end++ {
			if pts[end].Y < pts[low].Y {
				low = end
			}
			if pts[end].Y > pts[high].Y {
				high = end
			}
		}
		last := -1
		for _, k := range []int{i, min(low, high), max(low, high), end - 1} {
			if k > last {
				kept = append(kept, pts[k])
				last = k
			}
		}
		i = end
	}
	return kept
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
