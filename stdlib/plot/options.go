package plot

import (
	"fmt"
	"math"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Options names a figure and its axes. Every function takes a nil Options.
type Options struct {
	Title        string
	X, Y         string   // axis names
	XUnit, YUnit string   // units, written behind the names in parentheses
	Names        []string // of the series, for the legend
	LogX, LogY   bool     // logarithmic axes, for positive data
	Width        int      // CSS pixels, 0 means 640
	Height       int      // CSS pixels, 0 means 400
}

// figure returns an empty plot with the options' title, axes and size.
func (o *Options) figure() *gplot.Plot {
	p := gplot.New()
	if o == nil {
		return p
	}
	p.Title.Text = o.Title
	p.X.Label.Text = named(o.X, o.XUnit)
	p.Y.Label.Text = named(o.Y, o.YUnit)
	if o.LogX {
		p.X.Scale, p.X.Tick.Marker = gplot.LogScale{}, LogTicks{}
	}
	if o.LogY {
		p.Y.Scale, p.Y.Tick.Marker = gplot.LogScale{}, LogTicks{}
	}
	if o.Width > 0 || o.Height > 0 {
		w, h := 640, 400
		if o.Width > 0 {
			w = o.Width
		}
		if o.Height > 0 {
			h = o.Height
		}
		SetSize(p, w, h)
	}
	return p
}

// defaults returns the options with names for what has none.
func (o *Options) defaults(x, y string) *Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.X == "" && c.XUnit == "" {
		c.X = x
	}
	if c.Y == "" && c.YUnit == "" {
		c.Y = y
	}
	return &c
}

func named(name, unit string) string {
	switch {
	case unit == "":
		return name
	case name == "":
		return unit
	}
	return name + " (" + unit + ")"
}

// name is the i-th name for the legend, "" where there is none.
func (o *Options) name(i int) string {
	if o == nil || i >= len(o.Names) {
		return ""
	}
	return o.Names[i]
}

// points pairs x and y, without the pairs that cannot be drawn: NaN, infinite,
// and on a logarithmic axis not positive. A nil x counts from 0.
func points(what string, x, y []float64, o *Options) (plotter.XYs, error) {
	if x != nil && len(x) != len(y) {
		return nil, fmt.Errorf("plot: %s has %d x and %d y values; give as many of each, or a nil x to count from 0", what, len(x), len(y))
	}
	if len(y) == 0 {
		return nil, fmt.Errorf("plot: %s has no values; give at least one", what)
	}
	pts := make(plotter.XYs, 0, len(y))
	for i := range y {
		p := plotter.XY{X: float64(i), Y: y[i]}
		if x != nil {
			p.X = x[i]
		}
		if !finite(p.X) || !finite(p.Y) || (o != nil && ((o.LogX && p.X <= 0) || (o.LogY && p.Y <= 0))) {
			continue
		}
		pts = append(pts, p)
	}
	if len(pts) == 0 {
		return nil, fmt.Errorf("plot: %s has no value that can be drawn (of %d: NaN, infinite, or not positive on a logarithmic axis)", what, len(y))
	}
	return pts, nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// A sideLegend names series at the right of the data, in room of its own, so
// that it never hides any.
type sideLegend struct {
	entries []legendEntry
}

type legendEntry struct {
	name  string
	thumb gplot.Thumbnailer
}

func (l *sideLegend) add(name string, t gplot.Thumbnailer) {
	if name != "" {
		l.entries = append(l.entries, legendEntry{name, t})
	}
}

// addTo puts the legend into a plot, if it names anything.
func (l *sideLegend) addTo(p *gplot.Plot) {
	if len(l.entries) > 0 {
		p.Add(l)
	}
}

const (
	thumbWidth = vg.Length(16)
	legendGap  = vg.Length(10)
)

// Plot draws the entries from the top down.
func (l *sideLegend) Plot(c draw.Canvas, p *gplot.Plot) {
	sty := style(tickSize+0.5, draw.XLeft, draw.YCenter)
	step := sty.Font.Size * 1.45
	y := c.Max.Y - step/2
	x := c.Max.X + legendGap
	for _, e := range l.entries {
		thumb := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y - step*0.35}, Max: vg.Point{X: x + thumbWidth, Y: y + step*0.35}}}
		e.thumb.Thumbnail(&thumb)
		c.FillText(sty, vg.Point{X: x + thumbWidth + 5, Y: y}, e.name)
		y -= step
	}
}

// GlyphBoxes keeps the room at the right free.
func (l *sideLegend) GlyphBoxes(*gplot.Plot) []gplot.GlyphBox {
	sty := style(tickSize+0.5, draw.XLeft, draw.YCenter)
	var width vg.Length
	for _, e := range l.entries {
		width = max(width, sty.Width(e.name))
	}
	return []gplot.GlyphBox{{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: legendGap + thumbWidth + 5 + width, Y: 1}}}}
}

// swatch is a legend's picture of a filled shape.
type swatch struct{ fill draw.LineStyle }

func (s swatch) Thumbnail(c *draw.Canvas) {
	c.SetColor(s.fill.Color)
	c.Fill(c.Rectangle.Path())
}
