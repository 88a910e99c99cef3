package plot

import (
	"fmt"
	"image"
	"image/color"
	"math"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ramp is the viridis scale (van der Walt and Smith, 2015) at ten points: even
// in lightness, so it also reads in grey and for colour-blind people.
var ramp = []color.NRGBA{
	{0x44, 0x01, 0x54, 255}, {0x48, 0x28, 0x78, 255}, {0x3E, 0x49, 0x89, 255}, {0x31, 0x68, 0x8E, 255},
	{0x26, 0x82, 0x8E, 255}, {0x1F, 0x9E, 0x89, 255}, {0x35, 0xB7, 0x79, 255}, {0x6E, 0xCE, 0x58, 255},
	{0xB5, 0xDE, 0x2B, 255}, {0xFD, 0xE7, 0x25, 255},
}

// Scale returns the colour of the sequential scale at t in [0, 1]; t outside is
// taken at the nearer end, and NaN is light grey.
func Scale(t float64) color.Color {
	if math.IsNaN(t) {
		return color.NRGBA{0xDD, 0xDD, 0xDD, 255}
	}
	t = max(0, min(1, t)) * float64(len(ramp)-1)
	i := min(int(t), len(ramp)-2)
	f := t - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + f*(float64(b)-float64(a)))) }
	a, b := ramp[i], ramp[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// Heat returns the matrix z as colours, row 0 on top, with a scale bar. All rows
// have the same length; NaN is light grey. Options.Names names rows and columns
// where both are of that number (a delay matrix); up to 12 by 12 the values
// stand in the cells. What the values are is Options.Title; their unit is
// YUnit where Y is empty, written at the bar.
func Heat(z [][]float64, opt *Options) (*gplot.Plot, error) {
	if len(z) == 0 || len(z[0]) == 0 {
		return nil, fmt.Errorf("plot: Heat has no values; give at least one row and column")
	}
	h := &heat{z: z, cols: len(z[0]), lo: math.Inf(1), hi: math.Inf(-1)}
	for i, row := range z {
		if len(row) != h.cols {
			return nil, fmt.Errorf("plot: Heat row %d has %d values, row 0 has %d; give rows of one length", i, len(row), h.cols)
		}
		for _, v := range row {
			if finite(v) {
				h.lo, h.hi = min(h.lo, v), max(h.hi, v)
			}
		}
	}
	if h.lo > h.hi {
		return nil, fmt.Errorf("plot: Heat has no finite value; give at least one")
	}
	o := opt.defaults("", "")
	if o.Y == "" {
		h.unit, o.YUnit = o.YUnit, ""
	}
	p := o.figure()
	if o.Width == 0 && o.Height == 0 && h.cols == len(z) {
		SetSize(p, 560, 470)
	}
	p.Add(h)
	p.X.Padding, p.Y.Padding = 4, 4
	p.X.LineStyle.Width, p.Y.LineStyle.Width = 0, 0
	p.X.Tick.Width, p.Y.Tick.Width = 0, 0
	p.X.Tick.Length, p.Y.Tick.Length = 3, 3
	var xs, ys []gplot.Tick
	label := func(i, n int) string {
		if len(o.Names) == n {
			return o.Names[i]
		}
		return fmt.Sprint(i)
	}
	everyY := roundStep(float64(len(z)) / 20)
	for i := 0; i < len(z); i += everyY {
		ys = append(ys, gplot.Tick{Value: float64(len(z) - 1 - i), Label: label(i, len(z))})
	}
	sty := style(tickSize, draw.XCenter, draw.YTop)
	for everyX := roundStep(float64(h.cols) / 20); ; everyX = roundStep(float64(everyX) + 1) {
		xs = xs[:0]
		for i := 0; i < h.cols; i += everyX {
			xs = append(xs, gplot.Tick{Value: float64(i), Label: label(i, h.cols)})
		}
		if len(xs) < 2 || widest(sty, xs)*vg.Length(len(xs)) < 330 {
			break
		}
		if len(o.Names) == h.cols { // every name, upright
			p.X.Tick.Label.Rotation = math.Pi / 2
			p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
			p.X.Padding = 8
			break
		}
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = gplot.ConstantTicks(xs), gplot.ConstantTicks(ys)
	return p, nil
}

// roundStep is the least of 1, 2, 5, 10, 20, … that is at least n.
func roundStep(n float64) int {
	for p := 1; ; p *= 10 {
		for _, m := range []int{1, 2, 5} {
			if float64(m*p) >= n {
				return m * p
			}
		}
	}
}

func widest(sty text.Style, ticks []gplot.Tick) (w vg.Length) {
	for _, t := range ticks {
		w = max(w, sty.Width(t.Label)+4)
	}
	return w
}

type heat struct {
	z      [][]float64
	cols   int
	lo, hi float64
	unit   string
}

func (h *heat) share(v float64) float64 {
	if !finite(v) {
		return math.NaN()
	}
	if h.hi == h.lo {
		return 0.5
	}
	return (v - h.lo) / (h.hi - h.lo)
}

func (h *heat) DataRange() (xmin, xmax, ymin, ymax float64) {
	return -0.5, float64(h.cols) - 0.5, -0.5, float64(len(h.z)) - 0.5
}

// maxCells is the number of cells drawn as shapes; more become one picture.
const maxCells = 1600

func (h *heat) Plot(c draw.Canvas, p *gplot.Plot) {
	x, y := p.Transforms(&c)
	rows := len(h.z)
	if rows*h.cols > maxCells {
		// Several pixels to a cell keep its edges sharp when the picture is scaled.
		k := max(1, 800/max(h.cols, rows))
		img := image.NewNRGBA(image.Rect(0, 0, min(k*h.cols, 2000), min(k*rows, 2000)))
		for j := range img.Rect.Dy() {
			for i := range img.Rect.Dx() {
				img.Set(i, j, Scale(h.share(h.z[j*rows/img.Rect.Dy()][i*h.cols/img.Rect.Dx()])))
			}
		}
		c.DrawImage(vg.Rectangle{Min: vg.Point{X: x(-0.5), Y: y(-0.5)},
			Max: vg.Point{X: x(float64(h.cols) - 0.5), Y: y(float64(rows) - 0.5)}}, img)
	} else {
		for j, row := range h.z {
			for i, v := range row {
				fx, fy := float64(i), float64(rows-1-j)
				c.SetColor(Scale(h.share(v)))
				c.Fill(rectangle(x(fx-0.5), y(fy-0.5), x(fx+0.5)+0.3, y(fy+0.5)+0.3))
			}
		}
	}
	if rows <= 12 && h.cols <= 12 {
		sty := style(tickSize-1, draw.XCenter, draw.YCenter)
		for j, row := range h.z {
			for i, v := range row {
				sty.Color = color.NRGBA{255, 255, 255, 255}
				if s := h.share(v); math.IsNaN(s) || s > 0.6 {
					sty.Color = inkColor
				}
				c.FillText(sty, vg.Point{X: x(float64(i)), Y: y(float64(rows - 1 - j))}, fmt.Sprintf("%.3g", v))
			}
		}
	}
	h.bar(c)
}

const barWidth = vg.Length(12)

// bar draws the scale at the right of the data, with its ticks and unit.
func (h *heat) bar(c draw.Canvas) {
	left, height := c.Max.X+12, c.Max.Y-c.Min.Y
	const steps = 64
	for i := range steps {
		c.SetColor(Scale((float64(i) + 0.5) / steps))
		// Each step is drawn up to the top, under the next: no seams.
		c.Fill(rectangle(left, c.Min.Y+height*vg.Length(i)/steps, left+barWidth, c.Max.Y))
	}
	sty := style(tickSize, draw.XLeft, draw.YCenter)
	for _, t := range h.ticks() {
		at := c.Min.Y + height*vg.Length(h.share(t.Value))
		c.StrokeLine2(draw.LineStyle{Color: axisColor, Width: 0.8}, left+barWidth, at, left+barWidth+3, at)
		c.FillText(sty, vg.Point{X: left + barWidth + 5, Y: at}, t.Label)
	}
	if h.unit != "" {
		c.FillText(style(tickSize, draw.XLeft, draw.YBottom), vg.Point{X: left, Y: c.Max.Y + 4}, h.unit)
	}
}

func (h *heat) ticks() []gplot.Tick {
	if h.lo == h.hi {
		return []gplot.Tick{{Value: h.lo, Label: fmt.Sprintf("%.4g", h.lo)}}
	}
	return Ticks{Count: 5}.Ticks(h.lo, h.hi)
}

// GlyphBoxes keeps room for the scale bar.
func (h *heat) GlyphBoxes(*gplot.Plot) []gplot.GlyphBox {
	sty := style(tickSize, draw.XLeft, draw.YCenter)
	width := sty.Width(h.unit) - barWidth
	for _, t := range h.ticks() {
		width = max(width, sty.Width(t.Label)+6)
	}
	boxes := []gplot.GlyphBox{{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: 12 + barWidth + width, Y: 1}}}}
	if h.unit != "" {
		boxes = append(boxes, gplot.GlyphBox{X: 0.5, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: 1, Y: 14}}})
	}
	return boxes
}
