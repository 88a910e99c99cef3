package ring

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colours: a cycle that colour-blind people can tell apart (Okabe and Ito,
// 2008), and the one that says "slowest".
var (
	blue   = color.NRGBA{0x00, 0x72, 0xB2, 0xff}
	orange = color.NRGBA{0xE6, 0x9F, 0x00, 0xff}
	green  = color.NRGBA{0x00, 0x9E, 0x73, 0xff}
	purple = color.NRGBA{0xCC, 0x79, 0xA7, 0xff}
	sky    = color.NRGBA{0x56, 0xB4, 0xE9, 0xff}
	grey   = color.NRGBA{0x88, 0x88, 0x88, 0xff}
	red    = color.NRGBA{0xC0, 0x1A, 0x1A, 0xff}
	cycle  = []color.NRGBA{blue, orange, green, purple, sky, grey}
)

func figure(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = 6
	p.Legend.TextStyle.Font.Size = 9
	p.Legend.Padding = 2
	p.Legend.XOffs = -4
	return p
}

// heat colours a share from 0 (pale) to 1 (dark).
func heat(x float64) color.NRGBA {
	x = min(max(x, 0), 1)
	mix := func(a, b float64) uint8 { return uint8(a + (b-a)*x) }
	return color.NRGBA{mix(0xd6, 0x08), mix(0xe6, 0x30), mix(0xf4, 0x6b), 0xff}
}

// Plot draws the ring: on the map where places are known, else on a circle in
// tour order, links coloured by delay and the slowest in red with its name.
func (t *Tour) Plot() *plot.Plot {
	var links []Link
	n := len(t.Order)
	for i, u := range t.Order {
		if v := t.Order[(i+1)%n]; u != v {
			links = append(links, Link{From: u, To: v, Delay: t.t.at(u, v)})
		}
	}
	title := fmt.Sprintf("Ring of %d nodes: slowest link %.4g ms", n, t.Worst)
	return drawLinks(t.t, title, t.Order, links, []Link{t.Link})
}

// Plot returns the pictures of a placement: links on a map or circle, delays
// reordered by position, the offset profile, and the polish.
func (p *Placement) Plot() []*plot.Plot {
	plots := []*plot.Plot{p.PlotLinks()}
	if len(p.Pi) <= 1000 {
		plots = append(plots, p.PlotMatrix(), p.PlotProfile())
	}
	if len(p.Trace) > 1 {
		plots = append(plots, p.PlotTrace())
	}
	return plots
}

// PlotLinks draws the links of all rounds, the slowest of each in red.
func (p *Placement) PlotLinks() *plot.Plot {
	var links []Link
	for l, skips := range p.g.Rounds {
		for _, s := range skips {
			for i, u := range p.Pi {
				v := p.Pi[(i+s)%len(p.Pi)]
				links = append(links, Link{From: u, To: v, Delay: p.t.at(u, v), Round: l, Skip: s})
			}
		}
	}
	title := fmt.Sprintf("%s, %d nodes: %.4g ms a round", p.g.Name, len(p.Pi), p.BCD)
	return drawLinks(p.t, title, p.Pi, links, p.Worst)
}

// drawLinks is the picture of nodes and links.
func drawLinks(t *table, title string, order []int, links, worst []Link) *plot.Plot {
	f := figure(title, "", "")
	n := len(order)
	xy := make([]plotter.XY, t.n)
	onMap := false
	if w, ok := t.src.(*Network); ok && len(w.Where) == t.n {
		onMap = true
		for u, c := range w.Where {
			xy[u] = plotter.XY{X: c[0], Y: c[1]}
		}
		f.X.Label.Text, f.Y.Label.Text = "longitude (degrees)", "latitude (degrees)"
	} else if t.cloud != nil {
		onMap = true
		for u := range xy {
			xy[u] = plotter.XY{X: t.cloud.x[u], Y: t.cloud.y[u]}
		}
		f.X.Label.Text, f.Y.Label.Text = "x (delay units)", "y (delay units)"
	} else {
		for i, u := range order {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			xy[u] = plotter.XY{X: sin, Y: cos}
		}
		f.HideAxes()
	}
	most := 0.0
	for _, l := range links {
		if !math.IsInf(l.Delay, 1) {
			most = max(most, l.Delay)
		}
	}
	p := &linkPlot{xy: xy, most: most, links: links, worst: worst}
	if len(links) > 20000 {
		p.links = nil // nothing could be told apart
	}
	if n <= 40 && !onMap || n <= 12 {
		p.label = t.label
	}
	f.Add(p)
	if !onMap {
		f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = -2, 2, -1.2, 1.2
	}
	if len(worst) > 0 {
		top := worst[0]
		for _, l := range worst {
			if l.Delay > top.Delay {
				top = l
			}
		}
		text := "slowest: " + top.String()
		if len(worst) > 1 {
			text = fmt.Sprintf("slowest of each of %d rounds; of all: %s", len(worst), top)
		}
		f.Legend.Add(text, lineThumb{red, 2.5})
	}
	f.Legend.Add(fmt.Sprintf("other links, darker is slower, to %.3g ms", most), lineThumb{heat(0.7), 1})
	f.Legend.Top, f.Legend.Left, f.Legend.XOffs = true, true, 4
	// Room for the legend above the picture.
	if onMap {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, c := range xy {
			lo, hi = min(lo, c.Y), max(hi, c.Y)
		}
		f.Y.Max = hi + 0.25*max(hi-lo, 1e-9)
	} else {
		f.Y.Max += 0.35
	}
	return f
}

type lineThumb struct {
	c color.Color
	w vg.Length
}

// Thumbnail draws the line of a legend entry.
func (t lineThumb) Thumbnail(c *draw.Canvas) {
	y := (c.Min.Y + c.Max.Y) / 2
	c.StrokeLine2(draw.LineStyle{Color: t.c, Width: t.w}, c.Min.X, y, c.Max.X, y)
}

// linkPlot draws nodes, links coloured by delay, and the worst on top.
type linkPlot struct {
	xy           []plotter.XY
	links, worst []Link
	most         float64
	label        func(int) string
}

// Plot draws on the canvas of a plot.
func (p *linkPlot) Plot(c draw.Canvas, f *plot.Plot) {
	tx, ty := f.Transforms(&c)
	width := vg.Length(1.2)
	if len(p.links) > 300 {
		width = 0.5
	}
	for _, l := range p.links {
		if math.IsInf(l.Delay, 1) {
			continue
		}
		a, b := p.xy[l.From], p.xy[l.To]
		c.StrokeLine2(draw.LineStyle{Color: heat(l.Delay / max(p.most, 1e-300)), Width: width}, tx(a.X), ty(a.Y), tx(b.X), ty(b.Y))
	}
	for _, l := range p.worst {
		a, b := p.xy[l.From], p.xy[l.To]
		c.StrokeLine2(draw.LineStyle{Color: red, Width: 2.5}, tx(a.X), ty(a.Y), tx(b.X), ty(b.Y))
	}
	radius := vg.Length(3)
	if len(p.xy) > 100 {
		radius = 1.6
	}
	if len(p.xy) > 5000 {
		radius = 0.6
	}
	style := f.Legend.TextStyle
	style.Font.Size = 9
	for u, q := range p.xy {
		at := vg.Point{X: tx(q.X), Y: ty(q.Y)}
		c.DrawGlyph(draw.GlyphStyle{Color: color.NRGBA{0x33, 0x33, 0x33, 0xff}, Radius: radius, Shape: draw.CircleGlyph{}}, at)
		if p.label == nil {
			continue
		}
		style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
		shift := vg.Length(6)
		if q.X < -0.01 {
			style.XAlign, shift = draw.XRight, -6
		}
		if math.Abs(q.X) < 0.01 {
			style.XAlign, shift = draw.XCenter, 0
			at.Y += vg.Length(10 * math.Copysign(1, q.Y))
		}
		c.FillText(style, vg.Point{X: at.X + shift, Y: at.Y}, p.label(u))
	}
}

// DataRange returns the range of the nodes.
func (p *linkPlot) DataRange() (xmin, xmax, ymin, ymax float64) {
	return plotter.XYRange(plotter.XYs(p.xy))
}

// PlotMatrix draws the delays reordered by position: row i, column j is the
// delay from Pi[i] to Pi[j]. The diagonals that the topology uses are marked at
// the top; links slower than the BCD are dark.
func (p *Placement) PlotMatrix() *plot.Plot {
	f := figure(fmt.Sprintf("Delays in placement order; links used have at most %.4g ms", maxOf(p.PerRound)), "position of the receiver", "position of the sender")
	n := len(p.Pi)
	img := &matrixPlot{n: n, at: func(i, j int) float64 { return p.t.at(p.Pi[i], p.Pi[j]) }}
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			if x := img.at(i, j); i != j && !math.IsInf(x, 1) {
				img.most = max(img.most, x)
			}
		}
	}
	used := map[int]bool{}
	for _, skips := range p.g.Rounds {
		for _, s := range skips {
			used[s] = true
		}
	}
	img.used = used
	f.Add(img)
	f.Legend.Add("link used", swatch{orange})
	f.Legend.Add("0 ms", swatch{heat(0)})
	f.Legend.Add(fmt.Sprintf("%.3g ms", img.most), swatch{heat(1)})
	f.Legend.Top, f.Legend.YOffs = true, -2
	f.X.Tick.Marker = upTo(n - 1)
	f.Y.Tick.Marker = upTo(n - 1)
	f.X.Min, f.Y.Min = -0.5, -0.5
	f.X.Max, f.Y.Max = float64(n)*1.28, float64(n)-0.5
	return f
}

// upTo makes the usual ticks, without those beyond the last position.
type upTo int

// Ticks returns the ticks of an axis.
func (u upTo) Ticks(lo, hi float64) []plot.Tick {
	var keep []plot.Tick
	for _, t := range (plot.DefaultTicks{}).Ticks(lo, float64(u)) {
		if t.Value <= float64(u) {
			keep = append(keep, t)
		}
	}
	return keep
}

type swatch struct{ c color.Color }

// Thumbnail draws the square of a legend entry.
func (s swatch) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(s.c, []vg.Point{{X: c.Min.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Min.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: c.Min.X, Y: c.Max.Y}})
}

type matrixPlot struct {
	n    int
	at   func(i, j int) float64
	most float64
	used map[int]bool
}

// Plot draws at most 160 cells a side, each the largest delay it covers, and
// the used links in another colour.
func (m *matrixPlot) Plot(c draw.Canvas, f *plot.Plot) {
	tx, ty := f.Transforms(&c)
	block := (m.n + 159) / 160
	rect := func(col color.Color, x0, x1, y0, y1 float64) {
		c.FillPolygon(col, []vg.Point{{X: tx(x0), Y: ty(y0)}, {X: tx(x1), Y: ty(y0)}, {X: tx(x1), Y: ty(y1)}, {X: tx(x0), Y: ty(y1)}})
	}
	for i := 0; i < m.n; i += block {
		for j := 0; j < m.n; j += block {
			w, used := 0.0, false
			for a := i; a < min(i+block, m.n); a++ {
				for b := j; b < min(j+block, m.n); b++ {
					if a != b {
						w = max(w, m.at(a, b))
					}
					used = used || m.used[(b-a+m.n)%m.n]
				}
			}
			x0, x1, y0, y1 := float64(j)-0.5, float64(min(j+block, m.n))-0.5, float64(i)-0.5, float64(min(i+block, m.n))-0.5
			col := heat(w / max(m.most, 1e-300))
			if used {
				mixed := orange
				mixed.G = uint8(float64(mixed.G) * (1 - 0.6*min(1, w/max(m.most, 1e-300))))
				col = mixed
			}
			rect(col, x0, x1, y0, y1)
		}
	}
}

// DataRange returns the range of positions.
func (m *matrixPlot) DataRange() (xmin, xmax, ymin, ymax float64) {
	return -0.5, float64(m.n) - 0.5, -0.5, float64(m.n) - 0.5
}

func maxOf(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = max(m, v)
	}
	return m
}
