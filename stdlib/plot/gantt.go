package plot

import (
	"fmt"
	"image/color"
	"sort"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Task is a bar of a Gantt chart: something that went on in a row from Start
// to End.
type Task struct {
	Row        string  // machine, replica, person
	Start, End float64 // of time, Start ≤ End, in the unit of Options.XUnit
	Label      string  // in the bar, where it fits
	Kind       string  // bars of one kind have one colour, named in the legend
}

// Gantt returns tasks as bars over time, a row for each different Row in the
// order in which they first come. The height grows with the rows.
func Gantt(tasks []Task, opt *Options) (*gplot.Plot, error) {
	if len(tasks) == 0 {
		return nil, fmt.Errorf("plot: Gantt has no tasks; give at least one")
	}
	g := &gantt{tasks: tasks, row: map[string]int{}, kind: map[string]int{}}
	var rows []string
	var kinds []string
	for i, t := range tasks {
		if !finite(t.Start) || !finite(t.End) || t.End < t.Start {
			return nil, fmt.Errorf("plot: Gantt task %d (%q) goes from %v to %v; give finite times, the start first", i, t.Label, t.Start, t.End)
		}
		if _, ok := g.row[t.Row]; !ok {
			g.row[t.Row] = len(rows)
			rows = append(rows, t.Row)
		}
		if _, ok := g.kind[t.Kind]; !ok {
			g.kind[t.Kind] = 0
			kinds = append(kinds, t.Kind)
		}
	}
	sort.Strings(kinds)
	for i, k := range kinds {
		g.kind[k] = i
	}
	o := opt.defaults("time", "")
	p := o.figure()
	if o.Width == 0 && o.Height == 0 {
		SetSize(p, 640, min(1200, 110+26*len(rows)))
	}
	p.Add(g)
	ticks := make([]gplot.Tick, len(rows))
	for i, r := range rows {
		ticks[i] = gplot.Tick{Value: float64(len(rows) - 1 - i), Label: r}
	}
	p.Y.Tick.Marker = gplot.ConstantTicks(ticks)
	p.Y.Tick.Length = 0
	p.Y.Min, p.Y.Max = -0.6, float64(len(rows))-0.4
	p.Y.LineStyle.Width = 0
	if len(kinds) > 1 {
		legend := &sideLegend{}
		for i, k := range kinds {
			legend.add(k, swatch{draw.LineStyle{Color: Color(i)}})
		}
		legend.addTo(p)
	}
	return p, nil
}

type gantt struct {
	tasks     []Task
	row, kind map[string]int
}

func (g *gantt) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = g.tasks[0].Start, g.tasks[0].End
	for _, t := range g.tasks {
		xmin, xmax = min(xmin, t.Start), max(xmax, t.End)
	}
	return xmin, xmax, -0.6, float64(len(g.row)) - 0.4
}

func (g *gantt) Plot(c draw.Canvas, p *gplot.Plot) {
	x, y := p.Transforms(&c)
	sty := style(tickSize-0.5, draw.XCenter, draw.YCenter)
	for _, t := range g.tasks {
		at := float64(len(g.row) - 1 - g.row[t.Row])
		from, to := x(t.Start), x(t.End)
		col := Color(g.kind[t.Kind])
		c.SetColor(col)
		c.Fill(rectangle(from, y(at-0.38), max(to, from+0.5), y(at+0.38)))
		c.StrokeLine2(draw.LineStyle{Color: paperColor, Width: 0.8}, to, y(at-0.38), to, y(at+0.38))
		if t.Label != "" && sty.Width(t.Label)+4 < to-from {
			sty.Color = onColor(col)
			c.FillText(sty, vg.Point{X: (from + to) / 2, Y: y(at)}, t.Label)
		}
	}
}

// onColor is white or ink, whichever stands out from a ground of colour c.
func onColor(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	if 0.299*float64(r)+0.587*float64(g)+0.114*float64(b) > 0.55*0xFFFF {
		return inkColor
	}
	return paperColor
}
