package plot

import (
	"fmt"
	"sort"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// VegaLite returns the static form of a simple Vega-Lite specification, for
// front ends, print and pages that do not draw charts themselves. It knows
// inline data (data.values), the marks line, point, circle, bar and area with
// fields for x and y and, for series, color; x of type nominal or ordinal is
// drawn as categories. Anything else (transforms, aggregates, layers, data by
// address) is an error, never a wrong picture.
func VegaLite(spec map[string]any) (*gplot.Plot, error) {
	for _, k := range []string{"layer", "hconcat", "vconcat", "concat", "facet", "repeat", "transform"} {
		if spec[k] != nil {
			return nil, fmt.Errorf("plot: the chart uses %q, which has no static form here; give a fallback figure", k)
		}
	}
	data, _ := spec["data"].(map[string]any)
	values, ok := data["values"].([]any)
	if !ok || len(values) == 0 {
		return nil, fmt.Errorf("plot: the chart has no inline data.values; give a fallback figure")
	}
	mark, _ := spec["mark"].(string)
	if m, ok := spec["mark"].(map[string]any); ok {
		mark, _ = m["type"].(string)
	}
	enc, _ := spec["encoding"].(map[string]any)
	x, xerr := channelOf(enc, "x")
	y, yerr := channelOf(enc, "y")
	col, cerr := channelOf(enc, "color")
	for _, err := range []error{xerr, yerr, cerr} {
		if err != nil {
			return nil, err
		}
	}
	if x == nil || y == nil {
		return nil, fmt.Errorf("plot: the chart lacks an x or y field; give a fallback figure")
	}
	opt := &Options{X: x.title, Y: y.title}
	opt.Title, _ = spec["title"].(string)

	categories, index := []string{}, map[string]int{}
	series := map[string]plotter.XYs{}
	for i, v := range values {
		row, _ := v.(map[string]any)
		py, ok := numberOf(row[y.field])
		if !ok {
			continue // Vega-Lite skips what is not a number, too
		}
		px, ok := numberOf(row[x.field])
		if x.discrete {
			name := fmt.Sprint(row[x.field])
			if _, known := index[name]; !known {
				index[name] = len(categories)
				categories = append(categories, name)
			}
			px = float64(index[name])
		} else if !ok {
			if _, text := row[x.field].(string); text {
				return nil, fmt.Errorf("plot: value %d of field %q is not a number; give a fallback figure", i, x.field)
			}
			continue
		}
		name := ""
		if col != nil {
			name = fmt.Sprint(row[col.field])
		}
		series[name] = append(series[name], plotter.XY{X: px, Y: py})
	}
	if len(series) == 0 {
		return nil, fmt.Errorf("plot: no value of the chart has numbers for %q and %q; give a fallback figure", x.field, y.field)
	}
	p := opt.figure()
	if err := addMarks(p, mark, series); err != nil {
		return nil, err
	}
	if x.discrete {
		p.NominalX(categories...)
		p.X.Min, p.X.Max = -0.6, float64(len(categories))-0.4
	}
	return p, nil
}

func addMarks(p *gplot.Plot, mark string, series map[string]plotter.XYs) error {
	names := make([]string, 0, len(series))
	for n := range series {
		names = append(names, n)
	}
	sort.Strings(names)
	legend := &sideLegend{}
	for i, name := range names {
		pts := series[name]
		switch mark {
		case "line", "area":
			sort.SliceStable(pts, func(a, b int) bool { return pts[a].X < pts[b].X })
			l, err := plotter.NewLine(pts)
			if err != nil {
				return fmt.Errorf("plot: %w", err)
			}
			l.LineStyle = line(i)
			if mark == "area" {
				l.FillColor = fade(Color(i), 120)
				p.Y.Min = min(p.Y.Min, 0)
			}
			p.Add(l)
			legend.add(name, l)
		case "point", "circle", "square":
			s, err := plotter.NewScatter(pts)
			if err != nil {
				return fmt.Errorf("plot: %w", err)
			}
			s.GlyphStyle = draw.GlyphStyle{Color: fade(Color(i), 200), Radius: 2.4, Shape: draw.CircleGlyph{}}
			p.Add(s)
			legend.add(name, s)
		case "bar":
			if len(names) > 1 {
				return fmt.Errorf("plot: bars in several colours have no static form here; give a fallback figure")
			}
			b := &bars{}
			for _, pt := range pts {
				k := int(pt.X)
				if float64(k) != pt.X || k < 0 || k > 10_000 {
					return fmt.Errorf("plot: bars over the number %v have no static form here; give a fallback figure", pt.X)
				}
				for len(b.values) <= k {
					b.values = append(b.values, 0)
				}
				b.values[k] += pt.Y
			}
			p.Add(b)
		default:
			return fmt.Errorf("plot: the mark %q has no static form here; give a fallback figure", mark)
		}
	}
	legend.addTo(p)
	return nil
}

// A channel is one encoding of a specification.
type channel struct {
	field, title string
	discrete     bool
}

func channelOf(enc map[string]any, name string) (*channel, error) {
	e, ok := enc[name].(map[string]any)
	if !ok {
		return nil, nil
	}
	if e["aggregate"] != nil || e["bin"] != nil || e["timeUnit"] != nil || e["type"] == "temporal" || e["scale"] != nil {
		return nil, fmt.Errorf("plot: the %s encoding computes or rescales its values, which has no static form here; give a fallback figure", name)
	}
	c := &channel{}
	c.field, _ = e["field"].(string)
	if c.title, ok = e["title"].(string); !ok {
		c.title = c.field
	}
	c.discrete = e["type"] == "nominal" || e["type"] == "ordinal"
	if c.field == "" {
		return nil, nil
	}
	return c, nil
}

func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, finite(v)
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case int:
		return float64(v), true
	}
	return 0, false
}
