package plot

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// Above maxPoints drawn points, or svgBytes of SVG, a figure becomes a PNG: a
// notebook of 10^5-point figures stays small, and a browser stays quick.
const (
	maxPoints = 5000
	svgBytes  = 600 << 10
)

func init() { display.RegisterRenderer(render) }

// alwaysPNG is set by SetFormat.
var alwaysPNG atomic.Bool

// SetFormat says how figures are shown from now on: "svg" is SVG up to 5,000
// points and PNG above, as at the start; "png" is PNG always. PNG is the safe
// choice for a notebook that goes through nbconvert 6.5, whose HTML loses the
// lines of every SVG, or to PDF where inkscape is not installed.
func SetFormat(format string) error {
	switch format {
	case "svg", "png":
		alwaysPNG.Store(format == "png")
		return nil
	}
	return fmt.Errorf("plot: no format %q; give \"svg\" or \"png\"", format)
}

// render is what display asks: a plot, several of them side by side, or a value
// that has a Plot method.
func render(v any) (display.Bundle, bool) {
	switch p := v.(type) {
	case *gplot.Plot:
		if p == nil {
			return display.Bundle{}, false
		}
		return Bundle(p), true
	case []*gplot.Plot:
		return several(p)
	case display.Part:
		if q, ok := p.V.(*gplot.Plot); ok && q != nil {
			w, h := size(q)
			// Outputs are wider than one figure, so it shrinks less than its share.
			if room := figureWidth * 1.35 / vg.Length(p.Columns); w > room {
				w, h = max(room, 165), max(h*room/w*1.12, 150)
			}
			return bundle(q, w, h), true
		}
	case interface{ Plot() *gplot.Plot }:
		return render(p.Plot())
	case interface{ Plot() []*gplot.Plot }:
		return several(p.Plot())
	case interface{ Plot() (*gplot.Plot, error) }:
		return orPanic(p.Plot())
	case interface{ Plot() ([]*gplot.Plot, error) }:
		plots, err := p.Plot()
		if err != nil {
			panic(err)
		}
		return several(plots)
	case interface{ VegaLite() map[string]any }:
		if q, err := VegaLite(p.VegaLite()); err == nil {
			return render(q)
		}
	}
	return display.Bundle{}, false
}

func orPanic(p *gplot.Plot, err error) (display.Bundle, bool) {
	if err != nil {
		panic(err) // display notes it beside the value
	}
	return render(p)
}

func several(plots []*gplot.Plot) (display.Bundle, bool) {
	var list []any
	for _, p := range plots {
		if p != nil {
			list = append(list, p)
		}
	}
	switch len(list) {
	case 0:
		return display.Bundle{}, false
	case 1:
		return render(list[0])
	}
	d := display.Grid(min(len(list), 3), list...)
	return display.Bundle{Data: d.Data}, true
}

// Bundle returns p as a front end draws it: SVG up to 5,000 points, PNG above.
// p is not changed. The same plot gives the same bytes.
func Bundle(p *gplot.Plot) display.Bundle {
	w, h := size(p)
	return bundle(p, w, h)
}

func bundle(p *gplot.Plot, w, h vg.Length) display.Bundle {
	q := themed(p)
	b := display.Bundle{Data: map[string]any{"text/plain": describe(p)}}
	count := &counter{}
	if err := paint(q, count, w, h); err != nil {
		b.Data["text/plain"] = err.Error()
		return b
	}
	if count.points <= maxPoints && !alwaysPNG.Load() {
		if svg, err := svgOf(q, w, h); err == nil && len(svg) <= svgBytes {
			b.Data["image/svg+xml"] = svg
			return b
		}
	}
	png, err := pngOf(q, w, h)
	if err != nil {
		b.Data["text/plain"] = err.Error()
		return b
	}
	b.Data["image/png"] = png
	b.Metadata = map[string]any{"image/png": map[string]any{"width": px(w), "height": px(h)}}
	return b
}

// SVG returns p as an SVG document in the theme.
func SVG(p *gplot.Plot) (string, error) {
	w, h := size(p)
	return svgOf(themed(p), w, h)
}

// PNG returns p as a PNG picture in the theme, two pixels to each CSS pixel.
func PNG(p *gplot.Plot) ([]byte, error) {
	w, h := size(p)
	return pngOf(themed(p), w, h)
}

func px(l vg.Length) int { return int(math.Round(float64(l) * 4 / 3)) }

// sizes are the figures that are not of the usual size, as long as they live.
var sizes sync.Map // weak.Pointer[gplot.Plot] to [2]vg.Length

// SetSize sets the size at which p is shown, in CSS pixels, and returns p. The
// usual size is 640 by 400.
func SetSize(p *gplot.Plot, width, height int) *gplot.Plot {
	if p == nil || width <= 0 || height <= 0 {
		return p
	}
	w := weak.Make(p)
	clamp := func(x int) vg.Length { return vg.Length(max(80, min(x, 4000))) * 3 / 4 }
	if _, again := sizes.Swap(w, [2]vg.Length{clamp(width), clamp(height)}); !again {
		runtime.AddCleanup(p, func(w weak.Pointer[gplot.Plot]) { sizes.Delete(w) }, w)
	}
	return p
}

func size(p *gplot.Plot) (w, h vg.Length) {
	if s, ok := sizes.Load(weak.Make(p)); ok {
		s := s.([2]vg.Length)
		return s[0], s[1]
	}
	return figureWidth, figureHeight
}

// paint draws a themed plot on a canvas: the ground, the grid, the plot. A
// plotter that panics (a log scale over zero, mostly) becomes an error.
func paint(q *gplot.Plot, c vg.Canvas, w, h vg.Length) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("plot: the figure could not be drawn (%v); check the data against the scale of its axes", p)
		}
	}()
	p := *q
	full := draw.NewCanvas(canvas{c}, w, h)
	if p.BackgroundColor != nil {
		ground := p.BackgroundColor
		p.BackgroundColor = nil
		full.SetColor(ground)
		full.Fill(full.Rectangle.Path())
	}
	da := draw.Crop(full, 6, -10, 6, -8)
	inner := p.DataCanvas(da)
	if inner.Size().X <= 0 || inner.Size().Y <= 0 {
		return errors.New("plot: labels leave no room for the data; shorten them or use SetSize")
	}
	grid(&p).Plot(inner, &p)
	p.Draw(da)
	return nil
}

// canvas hides a canvas's own size, so that draw.NewCanvas takes ours.
type canvas struct{ vg.Canvas }

func svgOf(q *gplot.Plot, w, h vg.Length) (string, error) {
	c := vgsvg.New(w, h)
	if err := paint(q, c, w, h); err != nil {
		return "", err
	}
	var buf bytes.Buffer
	if _, err := c.WriteTo(&buf); err != nil {
		return "", fmt.Errorf("plot: writing SVG: %w", err)
	}
	return tidy(buf.String(), w, h), nil
}

var svgTag = regexp.MustCompile(`(?s)^.*?<svg [^>]*>`)

// tidy makes gonum's SVG fit for a page: no XML prologue, a size in pixels that
// shrinks with the page, and the faces that stand in for Liberation Sans, whose
// widths are the same.
func tidy(svg string, w, h vg.Length) string {
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" `+
		`width="%d" height="%d" viewBox="0 0 %.5g %.5g" style="max-width:100%%;height:auto">`, px(w), px(h), float64(w), float64(h))
	svg = svgTag.ReplaceAllString(svg, head)
	svg = strings.ReplaceAll(svg, "font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
	// A picture fills its place; by itself SVG would keep its aspect and leave
	// a part of the axes without it.
	svg = strings.ReplaceAll(svg, "<image ", `<image preserveAspectRatio="none" `)
	svg = strings.ReplaceAll(svg, "font-variant:none;", "")
	svg = strings.ReplaceAll(svg, "font-variant:normal;", "")
	return gather(strings.ReplaceAll(svg, "\n\tstyle=", " style="))
}

// svgDisc is a full circle as vgsvg writes it, two arcs from its right end.
var svgDisc = regexp.MustCompile(`^<path d="M([-0-9.e]+),([-0-9.e]+)A([0-9.e-]+),[0-9.e-]+ 0 1 1 [-0-9.e]+,[-0-9.e]+A[^Z"]*Z" (style="[^"]*") />$`)

// gather writes circles as circles, those of one style that follow each other
// in one group: a third of the bytes of a scatter.
func gather(svg string) string {
	var w strings.Builder
	open := ""
	for line := range strings.Lines(svg) {
		line = strings.TrimSuffix(line, "\n")
		m := svgDisc.FindStringSubmatch(line)
		if open != "" && (m == nil || m[4] != open) {
			w.WriteString("</g>\n")
			open = ""
		}
		if m == nil {
			w.WriteString(line + "\n")
			continue
		}
		if open == "" {
			open = m[4]
			w.WriteString("<g " + open + ">\n")
		}
		right, _ := strconv.ParseFloat(m[1], 64)
		r, _ := strconv.ParseFloat(m[3], 64)
		fmt.Fprintf(&w, "<circle cx=\"%.5g\" cy=\"%s\" r=\"%s\"/>\n", right-r, m[2], m[3])
	}
	return strings.TrimSuffix(w.String(), "\n")
}

func pngOf(q *gplot.Plot, w, h vg.Length) ([]byte, error) {
	c := newRaster(w, h)
	if err := paint(q, c, w, h); err != nil {
		return nil, err
	}
	return c.encode()
}

// describe is the text of a plot: what it shows, for a terminal and for people
// who cannot see it.
func describe(p *gplot.Plot) string {
	var parts []string
	for _, s := range []string{p.Title.Text, p.Y.Label.Text, p.X.Label.Text} {
		if s = strings.Join(strings.Fields(s), " "); s != "" {
			parts = append(parts, s)
		}
	}
	switch {
	case len(parts) == 0:
		return "plot"
	case p.Title.Text == "" && len(parts) == 2:
		return "plot: " + parts[0] + " over " + parts[1]
	case len(parts) == 3:
		return "plot: " + parts[0] + " (" + parts[1] + " over " + parts[2] + ")"
	}
	return "plot: " + strings.Join(parts, ", ")
}

// counter is a canvas that counts the points drawn on it: a glyph is one, a
// line as many as it has.
type counter struct{ points int }

func (c *counter) add(p vg.Path) {
	if len(p) <= 6 {
		c.points++
		return
	}
	c.points += len(p)
}

func (c *counter) Stroke(p vg.Path)                             { c.add(p) }
func (c *counter) Fill(p vg.Path)                               { c.add(p) }
func (c *counter) SetLineWidth(vg.Length)                       {}
func (c *counter) SetLineDash([]vg.Length, vg.Length)           {}
func (c *counter) SetColor(color.Color)                         {}
func (c *counter) Rotate(float64)                               {}
func (c *counter) Translate(vg.Point)                           {}
func (c *counter) Scale(x, y float64)                           {}
func (c *counter) Push()                                        {}
func (c *counter) Pop()                                         {}
func (c *counter) FillString(font.Face, vg.Point, string)       {}
func (c *counter) DrawImage(rect vg.Rectangle, img image.Image) {}
