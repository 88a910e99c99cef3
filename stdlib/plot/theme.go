package plot

import (
	"image/color"

	xfont "golang.org/x/image/font"
	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colors is the cycle of line and fill colours: the palette of Okabe and Ito
// (Color Universal Design, 2008) without its yellow and sky-light end, ordered
// so that neighbours differ in lightness too.
var Colors = []color.Color{
	color.NRGBA{0x00, 0x72, 0xB2, 255}, // blue
	color.NRGBA{0xD5, 0x5E, 0x00, 255}, // vermilion
	color.NRGBA{0x00, 0x9E, 0x73, 255}, // green
	color.NRGBA{0xCC, 0x79, 0xA7, 255}, // purple
	color.NRGBA{0xE6, 0x9F, 0x00, 255}, // orange
	color.NRGBA{0x56, 0xB4, 0xE9, 255}, // sky
	color.NRGBA{0x55, 0x55, 0x55, 255}, // grey
}

// Color returns the i-th colour of the cycle.
func Color(i int) color.Color {
	n := len(Colors)
	return Colors[((i%n)+n)%n]
}

// Quiet colours of the theme.
var (
	inkColor   = color.NRGBA{0x33, 0x33, 0x33, 255} // text
	axisColor  = color.NRGBA{0x66, 0x66, 0x66, 255}
	gridColor  = color.NRGBA{0, 0, 0, 22}
	paperColor = color.NRGBA{255, 255, 255, 255}
)

// Sizes of the theme; a point is 4/3 of a CSS pixel.
const (
	figureWidth  = vg.Length(480) // 640 px
	figureHeight = vg.Length(300) // 400 px
	titleSize    = vg.Length(11.5)
	labelSize    = vg.Length(10.5)
	tickSize     = vg.Length(9)
	lineWidth    = vg.Length(1.5)
)

func init() {
	// plotutil gives colours to plots that say nothing about them.
	plotutil.DefaultColors = Colors
}

// style is text of the theme.
func style(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	f := font.From(gplot.DefaultFont, size)
	f.Variant = "Sans"
	return text.Style{Color: inkColor, Font: f, XAlign: x, YAlign: y, Handler: gplot.DefaultTextHandler}
}

// line is a line of the theme in a colour of the cycle.
func line(i int) draw.LineStyle { return draw.LineStyle{Color: Color(i), Width: lineWidth} }

// fade is a colour with another opacity.
func fade(c color.Color, alpha uint8) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = uint8(int(n.A) * int(alpha) / 255)
	return n
}

// themed returns a copy of p in which what is still as gonum/plot made it has
// the theme's style. The plotters are p's own, and are not changed.
func themed(p *gplot.Plot) *gplot.Plot {
	q := *p
	bare := gplot.New()
	restyle(&q.Title.TextStyle, bare.Title.TextStyle, titleSize)
	if q.Title.TextStyle.Font.Weight == 0 && q.Title.TextStyle.Font.Size == titleSize {
		q.Title.TextStyle.Font.Weight = xfont.WeightBold
	}
	if q.Title.Padding == 0 {
		q.Title.Padding = 6
	}
	restyle(&q.Legend.TextStyle, bare.Legend.TextStyle, tickSize+0.5)
	for _, axis := range []struct{ own, bare *gplot.Axis }{{&q.X, &bare.X}, {&q.Y, &bare.Y}} {
		restyle(&axis.own.Label.TextStyle, axis.bare.Label.TextStyle, labelSize)
		restyle(&axis.own.Tick.Label, axis.bare.Tick.Label, tickSize)
		if axis.own.Label.Padding == 0 {
			axis.own.Label.Padding = 3
		}
		for _, l := range []*draw.LineStyle{&axis.own.LineStyle, &axis.own.Tick.LineStyle} {
			if l.Width == 0.5 && l.Color == color.Black {
				l.Width, l.Color = 0.8, axisColor
			}
		}
		if axis.own.Tick.Length == axis.bare.Tick.Length {
			axis.own.Tick.Length = 4
		}
		if _, ok := axis.own.Tick.Marker.(gplot.DefaultTicks); ok {
			axis.own.Tick.Marker = Ticks{}
		}
	}
	return &q
}

// restyle gives text the theme's face, size and colour where it has gonum's.
func restyle(s *text.Style, bare text.Style, size vg.Length) {
	if s.Font.Typeface == bare.Font.Typeface && s.Font.Variant == bare.Font.Variant {
		s.Font.Variant = "Sans"
	}
	if s.Font.Size == bare.Font.Size {
		s.Font.Size = size
	}
	if s.Color == nil || s.Color == color.Black {
		s.Color = inkColor
	}
}

// grid is the theme's grid, drawn under everything else: across each axis that
// has a line or tick marks, so not across names of categories.
func grid(p *gplot.Plot) *plotter.Grid {
	g := &plotter.Grid{}
	quiet := draw.LineStyle{Color: gridColor, Width: 0.8}
	if p.X.Tick.Length > 0 && p.X.Tick.Width > 0 {
		g.Vertical = quiet
	}
	if p.Y.Tick.Length > 0 && p.Y.Tick.Width > 0 {
		g.Horizontal = quiet
	}
	return g
}
