package plot

import (
	"fmt"
	"math"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Node is a point of a network, in any unit, with a name beside it.
type Node struct {
	X, Y float64
	Name string
	Kind int // nodes of one kind have one colour of the cycle
}

// A Link joins two nodes, by their index.
type Link struct {
	From, To int
	Label    string  // at its middle
	Width    float64 // relative to the usual one, 0 means 1
	Strong   bool    // the one to look at: a bottleneck, a route
	Arrow    bool    // from From to To
}

// Network returns nodes and links at the nodes' places, both axes to the same
// scale and not drawn.
func Network(nodes []Node, links []Link, opt *Options) (*gplot.Plot, error) {
	if len(nodes) == 0 {
		return nil, fmt.Errorf("plot: Network has no nodes; give at least one")
	}
	for i, n := range nodes {
		if !finite(n.X) || !finite(n.Y) {
			return nil, fmt.Errorf("plot: Network node %d (%q) stands at (%v, %v); give finite places", i, n.Name, n.X, n.Y)
		}
	}
	for i, l := range links {
		if l.From < 0 || l.To < 0 || l.From >= len(nodes) || l.To >= len(nodes) {
			return nil, fmt.Errorf("plot: Network link %d goes from %d to %d; there are nodes 0 to %d", i, l.From, l.To, len(nodes)-1)
		}
	}
	o := opt.defaults("", "")
	o.X, o.Y, o.XUnit, o.YUnit, o.LogX, o.LogY = "", "", "", "", false, false
	p := o.figure()
	if o.Width == 0 && o.Height == 0 {
		SetSize(p, 560, 460)
	}
	p.HideAxes()
	p.Add(&network{nodes, links})
	return p, nil
}

// Ring returns names on a circle, clockwise from the top, each linked to the
// next in that order and the last to the first, with more links where given
// (indices into names).
func Ring(names []string, links []Link, opt *Options) (*gplot.Plot, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("plot: Ring has no names; give at least one")
	}
	nodes := make([]Node, len(names))
	n := len(names)
	all := make([]Link, 0, n+len(links))
	joined := map[[2]int]bool{}
	for _, l := range links {
		joined[[2]int{min(l.From, l.To), max(l.From, l.To)}] = true
	}
	for i, name := range names {
		a := 2*math.Pi*float64(i)/float64(n) - math.Pi/2
		nodes[i] = Node{X: math.Cos(a), Y: -math.Sin(a), Name: name}
		next := (i + 1) % n
		if n > 1 && !(n == 2 && i == 1) && !joined[[2]int{min(i, next), max(i, next)}] {
			all = append(all, Link{From: i, To: next})
		}
	}
	return Network(nodes, append(all, links...), opt)
}

type network struct {
	nodes []Node
	links []Link
}

func (g *network) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = g.nodes[0].X, g.nodes[0].X, g.nodes[0].Y, g.nodes[0].Y
	for _, n := range g.nodes {
		xmin, xmax, ymin, ymax = min(xmin, n.X), max(xmax, n.X), min(ymin, n.Y), max(ymax, n.Y)
	}
	return
}

// place returns the transform of the nodes' plane, the same in both directions,
// with room for names all around.
func (g *network) place(c draw.Canvas) func(x, y float64) vg.Point {
	xmin, xmax, ymin, ymax := g.DataRange()
	const margin = 34
	w, h := float64(c.Size().X)-2*margin, float64(c.Size().Y)-2*margin/1.6
	scale := math.Inf(1)
	if xmax > xmin {
		scale = w / (xmax - xmin)
	}
	if ymax > ymin {
		scale = min(scale, h/(ymax-ymin))
	}
	if math.IsInf(scale, 0) || scale <= 0 {
		scale = 1
	}
	mid := c.Center()
	return func(x, y float64) vg.Point {
		return vg.Point{X: mid.X + vg.Length(scale*(x-(xmin+xmax)/2)), Y: mid.Y + vg.Length(scale*(y-(ymin+ymax)/2))}
	}
}

func (g *network) Plot(c draw.Canvas, p *gplot.Plot) {
	at := g.place(c)
	radius := vg.Length(5)
	if len(g.nodes) > 60 {
		radius = 2.5
	}
	label := style(tickSize-1, draw.XCenter, draw.YCenter)
	for _, strong := range []bool{false, true} { // the strong ones on top
		for _, l := range g.links {
			if l.Strong == strong {
				drawLink(c, l, at(g.nodes[l.From].X, g.nodes[l.From].Y), at(g.nodes[l.To].X, g.nodes[l.To].Y), radius)
			}
		}
	}
	for _, l := range g.links {
		if l.Label == "" {
			continue
		}
		a, b := at(g.nodes[l.From].X, g.nodes[l.From].Y), at(g.nodes[l.To].X, g.nodes[l.To].Y)
		mid := vg.Point{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2}
		w := label.Width(l.Label)/2 + 2
		c.SetColor(fade(paperColor, 215)) // the line must not run through the text
		c.Fill(rectangle(mid.X-w, mid.Y-5, mid.X+w, mid.Y+5))
		label.Color = inkColor
		if l.Strong {
			label.Color = Color(1)
		}
		c.FillText(label, mid, l.Label)
	}
	centre := at(g.middle())
	for _, n := range g.nodes {
		pt := at(n.X, n.Y)
		c.DrawGlyph(draw.GlyphStyle{Color: paperColor, Radius: radius + 1.2, Shape: draw.CircleGlyph{}}, pt)
		c.DrawGlyph(draw.GlyphStyle{Color: Color(n.Kind), Radius: radius, Shape: draw.CircleGlyph{}}, pt)
		if n.Name == "" || len(g.nodes) > 120 {
			continue
		}
		// The name stands on the side away from the middle, where fewer links are.
		sty := style(tickSize, draw.XCenter, draw.YCenter)
		dx, dy := float64(pt.X-centre.X), float64(pt.Y-centre.Y)
		off := radius + 4
		switch {
		case math.Abs(dx) > 0.5*math.Abs(dy) && dx > 0:
			sty.XAlign = draw.XLeft
			pt.X += off
		case math.Abs(dx) > 0.5*math.Abs(dy):
			sty.XAlign = draw.XRight
			pt.X -= off
		case dy < 0:
			sty.YAlign = draw.YTop
			pt.Y -= off
		default:
			sty.YAlign = draw.YBottom
			pt.Y += off
		}
		c.FillText(sty, pt, n.Name)
	}
}

func (g *network) middle() (x, y float64) {
	for _, n := range g.nodes {
		x += n.X / float64(len(g.nodes))
		y += n.Y / float64(len(g.nodes))
	}
	return x, y
}

func drawLink(c draw.Canvas, l Link, a, b vg.Point, radius vg.Length) {
	width := l.Width
	if !(width > 0) {
		width = 1
	}
	sty := draw.LineStyle{Color: axisColor, Width: vg.Length(0.9 * min(width, 12))}
	if l.Strong {
		sty.Color, sty.Width = Color(1), max(2.4, sty.Width)
	}
	c.StrokeLine2(sty, a.X, a.Y, b.X, b.Y)
	d := b.Sub(a)
	length := vg.Length(math.Hypot(float64(d.X), float64(d.Y)))
	if !l.Arrow || length < 4*radius {
		return
	}
	u := d.Scale(1 / length)
	tip := b.Sub(u.Scale(radius + 1))
	size := 4 + 1.5*sty.Width
	back := tip.Sub(u.Scale(size))
	side := vg.Point{X: -u.Y, Y: u.X}.Scale(size * 0.45)
	c.SetColor(sty.Color)
	c.FillPolygon(sty.Color, []vg.Point{tip, back.Add(side), back.Sub(side)})
}
