package plot

import (
	"fmt"
	"math"
	"sort"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Mark is a reference line at X with a name: a mean, a target, a limit.
type Mark struct {
	X    float64
	Name string
}

// Histogram returns how often values fall into bins of equal width, with dashed
// lines at the marks. bins 0 chooses their number by the rule of Freedman and
// Diaconis (1981), between 5 and 100. Values that are not finite are left out
// and counted in the title.
func Histogram(values []float64, bins int, marks []Mark, opt *Options) (*gplot.Plot, error) {
	v, dropped := finiteOf(values)
	if len(v) == 0 {
		return nil, fmt.Errorf("plot: Histogram has no finite value of %d; give at least one", len(values))
	}
	sort.Float64s(v)
	lo, hi := v[0], v[len(v)-1]
	if lo == hi {
		lo, hi = lo-0.5, hi+0.5
	}
	if bins <= 0 {
		iqr := quantile(v, 0.75) - quantile(v, 0.25)
		bins = 20
		if iqr > 0 {
			bins = int(math.Min(100, math.Ceil((hi-lo)/(2*iqr*math.Pow(float64(len(v)), -1.0/3)))))
		}
		bins = max(5, bins)
	}
	counts := binCounts(v, lo, hi, bins)
	o := opt.defaults("value", "count")
	if dropped > 0 {
		o.Title = fmt.Sprintf("%s (%d not finite left out)", o.Title, dropped)
	}
	p := o.figure()
	p.Add(&histogram{lo: lo, hi: hi, counts: counts})
	if len(marks) > 0 {
		p.Add(&markLines{marks: marks})
	}
	return p, nil
}

// binCounts counts values of [lo, hi] in bins of equal width; the last bin has
// both its ends.
func binCounts(v []float64, lo, hi float64, bins int) []float64 {
	counts := make([]float64, bins)
	for _, x := range v {
		counts[min(bins-1, int(float64(bins)*((x-lo)/(hi-lo))))]++
	}
	return counts
}

type histogram struct {
	lo, hi float64
	counts []float64
}

func (h *histogram) Plot(c draw.Canvas, p *gplot.Plot) {
	x, y := p.Transforms(&c)
	step := (h.hi - h.lo) / float64(len(h.counts))
	c.SetColor(fade(Color(0), 190))
	for i, n := range h.counts {
		left, right := x(h.lo+step*float64(i)), x(h.lo+step*float64(i+1))
		if n > 0 {
			c.Fill(rectangle(left+0.3, y(0), right-0.3, y(n)))
		}
	}
}

func (h *histogram) DataRange() (xmin, xmax, ymin, ymax float64) {
	for _, n := range h.counts {
		ymax = max(ymax, n)
	}
	return h.lo, h.hi, 0, ymax
}

// markLines are dashed vertical lines, their names above the data.
type markLines struct{ marks []Mark }

func (m *markLines) Plot(c draw.Canvas, p *gplot.Plot) {
	x, _ := p.Transforms(&c)
	for i, mark := range m.marks {
		if !finite(mark.X) {
			continue
		}
		col := Color(i + 1)
		at := x(mark.X)
		c.StrokeLine2(draw.LineStyle{Color: col, Width: 1.2, Dashes: []vg.Length{4, 3}}, at, c.Min.Y, at, c.Max.Y)
		sty := style(tickSize, draw.XCenter, draw.YBottom)
		sty.Color = col
		c.FillText(sty, vg.Point{X: at, Y: c.Max.Y + 2 + markStep*vg.Length(i%2)}, mark.Name)
	}
}

// markStep is the height of a name: neighbours stand on two lines.
const markStep = vg.Length(11)

func (m *markLines) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, mark := range m.marks {
		if finite(mark.X) {
			xmin, xmax = min(xmin, mark.X), max(xmax, mark.X)
		}
	}
	return
}

func (m *markLines) GlyphBoxes(*gplot.Plot) []gplot.GlyphBox {
	return []gplot.GlyphBox{{X: 0.5, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: 1, Y: 4 + markStep*vg.Length(min(2, len(m.marks)))}}}}
}

// CDF returns the empirical distribution function of each sample: the share of
// its values that are at most x. Options.Names names the samples. Samples of
// more than 2,000 values are drawn at 2,000 of their quantiles.
func CDF(samples [][]float64, opt *Options) (*gplot.Plot, error) {
	if len(samples) == 0 {
		return nil, fmt.Errorf("plot: CDF has no samples; give at least one")
	}
	o := opt.defaults("value", "share of values ≤ x")
	p := o.figure()
	legend := &sideLegend{}
	for i, s := range samples {
		v, _ := finiteOf(s)
		if len(v) == 0 {
			return nil, fmt.Errorf("plot: CDF sample %d has no finite value of %d; give at least one", i, len(s))
		}
		sort.Float64s(v)
		if o.LogX && v[0] <= 0 {
			return nil, fmt.Errorf("plot: CDF sample %d has the value %v; a logarithmic axis takes positive ones", i, v[0])
		}
		pts := steps(v, 2000)
		l, err := plotter.NewLine(pts)
		if err != nil {
			return nil, fmt.Errorf("plot: CDF sample %d: %w", i, err)
		}
		l.LineStyle = line(i)
		l.StepStyle = plotter.PostStep
		p.Add(l)
		legend.add(o.name(i), l)
	}
	p.Y.Min, p.Y.Max = 0, 1
	legend.addTo(p)
	return p, nil
}

// steps are the corners of the distribution function of sorted values, at most
// so many of them: at x, the share of the values that are at most x.
func steps(v []float64, most int) plotter.XYs {
	pts := plotter.XYs{{X: v[0], Y: 0}}
	n := min(len(v), most)
	for k := 1; k <= n; k++ {
		rank := k * len(v) / n
		for rank < len(v) && v[rank] == v[rank-1] {
			rank++ // all equal values step at once
		}
		if p := (plotter.XY{X: v[rank-1], Y: float64(rank) / float64(len(v))}); p != pts[len(pts)-1] {
			pts = append(pts, p)
		}
	}
	return pts
}

// Band returns the curve y over x between lo and hi: a confidence band, a range
// over seeds. All have the length of y; a nil x counts from 0; points with a
// value that is not finite are left out.
func Band(x, y, lo, hi []float64, opt *Options) (*gplot.Plot, error) {
	if len(lo) != len(y) || len(hi) != len(y) || (x != nil && len(x) != len(y)) {
		return nil, fmt.Errorf("plot: Band has %d x, %d y, %d lo and %d hi values; give as many of each", len(x), len(y), len(lo), len(hi))
	}
	var curve, lower, upper plotter.XYs
	for i := range y {
		px := float64(i)
		if x != nil {
			px = x[i]
		}
		if finite(px) && finite(y[i]) && finite(lo[i]) && finite(hi[i]) {
			curve = append(curve, plotter.XY{X: px, Y: y[i]})
			lower = append(lower, plotter.XY{X: px, Y: lo[i]})
			upper = append(upper, plotter.XY{X: px, Y: hi[i]})
		}
	}
	if len(curve) == 0 {
		return nil, fmt.Errorf("plot: Band has no finite point of %d; give at least one", len(y))
	}
	outline := append(plotter.XYs{}, lower...)
	for i := len(upper) - 1; i >= 0; i-- {
		outline = append(outline, upper[i])
	}
	area, err := plotter.NewPolygon(outline)
	if err != nil {
		return nil, fmt.Errorf("plot: Band: %w", err)
	}
	area.Color, area.LineStyle.Width = fade(Color(0), 56), 0
	l, err := plotter.NewLine(curve)
	if err != nil {
		return nil, fmt.Errorf("plot: Band: %w", err)
	}
	l.LineStyle = line(0)
	p := opt.figure()
	p.Add(area, l)
	legend := &sideLegend{}
	legend.add(opt.name(0), l)
	legend.add(opt.name(1), swatch{draw.LineStyle{Color: area.Color}})
	legend.addTo(p)
	return p, nil
}

func finiteOf(values []float64) (kept []float64, dropped int) {
	kept = make([]float64, 0, len(values))
	for _, v := range values {
		if finite(v) {
			kept = append(kept, v)
		}
	}
	return kept, len(values) - len(kept)
}

// quantile is the q-quantile of sorted values, linear between ranks.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
