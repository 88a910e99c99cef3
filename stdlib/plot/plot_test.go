package plot

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"math/rand"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"testing"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

func wave(n int) (x, y []float64) {
	x, y = make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = float64(i) / 20
		y[i] = math.Sin(x[i])
	}
	return x, y
}

// figures are one figure of every kind.
func figures(t testing.TB) map[string]*gplot.Plot {
	x, y := wave(100)
	lo, hi := make([]float64, 100), make([]float64, 100)
	for i := range y {
		lo[i], hi[i] = y[i]-0.1, y[i]+0.2
	}
	must := func(p *gplot.Plot, err error) *gplot.Plot {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	opt := &Options{Title: "A <title> & more", X: "time", XUnit: "s", Y: "level", YUnit: "V", Names: []string{"<one>", "two"}}
	return map[string]*gplot.Plot{
		"line":      must(Line(x, y, opt)),
		"lines":     must(Lines(nil, [][]float64{y, lo}, opt)),
		"scatter":   must(Scatter(x, y, opt)),
		"bar":       must(Bar([]string{"a", "b", "<c>"}, []float64{1, -2, 3}, opt)),
		"histogram": must(Histogram(y, 0, []Mark{{0.5, "half"}, {math.NaN(), "no"}}, opt)),
		"cdf":       must(CDF([][]float64{y, lo}, opt)),
		"band":      must(Band(x, y, lo, hi, opt)),
		"heat":      must(Heat([][]float64{{1, 2}, {3, math.NaN()}}, opt)),
		"heat one":  must(Heat([][]float64{{5}}, nil)),
		"gantt":     must(Gantt([]Task{{Row: "m1", End: 3, Label: "a", Kind: "k"}, {Row: "m2", Start: 1, End: 1, Kind: "l"}}, opt)),
		"network":   must(Network([]Node{{0, 0, "a", 0}, {3, 1, "b", 1}}, []Link{{0, 1, "5 ms", 2, true, true}}, opt)),
		"ring":      must(Ring([]string{"a", "b", "c", "d"}, []Link{{From: 0, To: 2}}, opt)),
		"point":     must(Ring([]string{"alone"}, nil, nil)),
		"region":    must(Region([]HalfPlane{{1, 1, 4, "c"}}, View{0, 5, 0, 5}, []Spot{{2, 2, "best"}}, opt)),
		"log":       must(Line([]float64{1, 10, 100}, []float64{1, 20, 0}, &Options{LogX: true, LogY: true})),
	}
}

func TestFiguresAreValidAndStable(t *testing.T) {
	for name, p := range figures(t) {
		b := Bundle(p)
		svg, ok := b.Data["image/svg+xml"].(string)
		if !ok {
			t.Errorf("%s is %v: %v", name, b.Types(), b.Data["text/plain"])
			continue
		}
		if !strings.HasPrefix(svg, "<svg ") || len(svg) > 200<<10 {
			t.Errorf("%s: %d bytes, starts %q", name, len(svg), svg[:20])
		}
		texts := map[string]bool{}
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			tok, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Errorf("%s is no XML: %v", name, err)
				break
			}
			if c, ok := tok.(xml.CharData); ok {
				texts[string(c)] = true
			}
		}
		if p.Title.Text != "" && !texts["A <title> & more"] {
			t.Errorf("%s has no title in %v", name, texts)
		}
		if strings.Contains(svg, "NaN") && name != "heat" || strings.Contains(svg, "Inf") {
			t.Errorf("%s has a coordinate that is no number", name)
		}
		if again := Bundle(p); !reflect.DeepEqual(again, b) {
			t.Errorf("%s differs the second time", name)
		}
		if other := Bundle(figures(t)[name]); !reflect.DeepEqual(other, b) {
			t.Errorf("%s differs when made again", name)
		}
	}
}

func TestThemeLeavesThePlotAlone(t *testing.T) {
	p := gplot.New()
	p.Title.Text = "own"
	p.X.Tick.Length = 11
	p.Y.Label.TextStyle.Font.Size = 20
	before := *p
	q := themed(p)
	Bundle(p)
	if !reflect.DeepEqual(before, *p) {
		t.Error("the plot was changed")
	}
	if q.X.Tick.Length != 11 || q.Y.Label.TextStyle.Font.Size != 20 {
		t.Error("what the maker set was changed")
	}
	if q.Y.Tick.Length != 4 || q.Title.TextStyle.Font.Variant != "Sans" || q.X.Label.TextStyle.Font.Size != labelSize {
		t.Error("what the maker left was not themed")
	}
}

func TestManyPointsBecomePNG(t *testing.T) {
	for _, c := range []struct {
		n    int
		mime string
	}{{4_900, "image/svg+xml"}, {5_200, "image/png"}, {100_000, "image/png"}} {
		x, y := wave(c.n)
		for name, draw := range map[string]func([]float64, []float64, *Options) (*gplot.Plot, error){"line": Line, "scatter": Scatter} {
			p, err := draw(x, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			b := Bundle(p)
			data, _ := b.Data["image/png"].([]byte)
			if svg, ok := b.Data["image/svg+xml"].(string); ok {
				data = []byte(svg)
			}
			if b.Data[c.mime] == nil {
				t.Errorf("%s of %d points is %v", name, c.n, b.Types())
			}
			if len(data) > 600<<10 {
				t.Errorf("%s of %d points takes %d bytes", name, c.n, len(data))
			}
			if b.Data["image/png"] != nil {
				img, err := png.Decode(bytes.NewReader(data))
				if err != nil || img.Bounds().Dx() != 1280 || img.Bounds().Dy() != 800 {
					t.Errorf("%s is %v, %v", name, img.Bounds(), err)
				}
				if m := b.Metadata["image/png"].(map[string]any); m["width"] != 640 || m["height"] != 400 {
					t.Errorf("shown at %v", m)
				}
			}
		}
	}
}

// The quick drawing of discs and long lines against vgimg's own: the pictures
// differ by a shade at edges only.
func TestRasterAgainstVgimg(t *testing.T) {
	x, y := wave(2000)
	lines, _ := Line(x, y, nil)
	discs, _ := Scatter(x[:300], y[:300], nil)
	rings := gplot.New()
	s, _ := plotter.NewScatter(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 2}, {X: 2, Y: 1}})
	rings.Add(s)
	for name, p := range map[string]*gplot.Plot{"line": lines, "discs": discs, "rings": rings} {
		w, h := size(p)
		q := themed(p)
		quick, plain := newRaster(w, h), vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(pixelsPerInch))
		if err := paint(q, quick, w, h); err != nil {
			t.Fatal(err)
		}
		if err := paint(q, plain, w, h); err != nil {
			t.Fatal(err)
		}
		a, b := quick.img.Pix, plain.Image().(*image.RGBA).Pix
		far, sum, ink := 0, 0.0, 0
		for i := range a {
			d := math.Abs(float64(a[i]) - float64(b[i]))
			sum += d
			if d > 80 {
				far++
			}
			if b[i] < 250 {
				ink++
			}
		}
		if ink < 5000 || far > ink/100 || sum/float64(ink) > 4 {
			t.Errorf("%s: %d of %d inked channels are far off, mean difference %.2f", name, far, ink, sum/float64(ink))
		}
	}
}

// A thinned line has the same lowest and highest point in every stretch of the
// page, and is drawn as the whole one is.
func TestThinnedLineLooksTheSame(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	pts := make(plotter.XYs, 60_000)
	for i := range pts {
		pts[i] = plotter.XY{X: math.Floor(float64(i) / 3), Y: r.NormFloat64() + math.Sin(float64(i)/5000)*5}
	}
	few := thin(pts)
	if len(few) > 4*thinBuckets || len(few) < thinBuckets {
		t.Fatalf("%d points are kept", len(few))
	}
	draw := func(pts plotter.XYs) []uint8 {
		p := gplot.New()
		l, err := plotter.NewLine(pts)
		if err != nil {
			t.Fatal(err)
		}
		p.Add(l)
		c := newRaster(figureWidth, figureHeight)
		if err := paint(themed(p), c, figureWidth, figureHeight); err != nil {
			t.Fatal(err)
		}
		return c.img.Pix
	}
	a, b := draw(pts), draw(few)
	far := 0
	for i := range a {
		if math.Abs(float64(a[i])-float64(b[i])) > 100 {
			far++
		}
	}
	if far > len(a)/500 {
		t.Errorf("%d of %d channels differ", far, len(a))
	}
	back := append(plotter.XYs{}, pts...)
	back[0].X = 1e9
	if len(thin(back)) != len(pts) {
		t.Error("a line that goes back was thinned")
	}
}

// Each point of a scatter is a circle at its place in the SVG.
func TestScatterCirclesStandAtTheirPoints(t *testing.T) {
	x, y := []float64{0, 1, 2, 4}, []float64{0, 8, 2, 4}
	p, _ := Scatter(x, y, nil)
	svg, err := SVG(p)
	if err != nil {
		t.Fatal(err)
	}
	var at [][2]float64
	for _, part := range strings.Split(svg, "<circle ")[1:] {
		var cx, cy, r float64
		if _, err := fmt.Sscanf(part, `cx="%g" cy="%g" r="%g"/>`, &cx, &cy, &r); err != nil || r != 2.4 {
			t.Fatalf("%v in %.40s", err, part)
		}
		at = append(at, [2]float64{cx, cy})
	}
	if len(at) != len(x) || strings.Count(svg, "<g ") != strings.Count(svg, "</g>") {
		t.Fatalf("%d circles", len(at))
	}
	for i := range x {
		wantX := at[0][0] + (at[3][0]-at[0][0])*x[i]/4
		wantY := at[0][1] + (at[1][1]-at[0][1])*y[i]/8
		if math.Abs(at[i][0]-wantX) > 0.1 || math.Abs(at[i][1]-wantY) > 0.1 {
			t.Errorf("point %d stands at %v, want %v, %v", i, at[i], wantX, wantY)
		}
	}
}

func TestSetSize(t *testing.T) {
	x, y := wave(10)
	p, _ := Line(x, y, &Options{Width: 320})
	if svg, err := SVG(p); err != nil || !strings.Contains(svg, `width="320" height="400"`) {
		t.Errorf("%v: %.120s", err, svg)
	}
	if svg, _ := SVG(SetSize(p, 200, 1)); !strings.Contains(svg, `width="200" height="80"`) {
		t.Errorf("%.120s", svg)
	}
	if SetSize(nil, 1, 1) != nil || SetSize(p, 0, 5) != p {
		t.Error("nothing to set must change nothing")
	}
}

// decoded is a page with its embedded pictures written out.
func decoded(t *testing.T, page string) string {
	t.Helper()
	var w strings.Builder
	for _, part := range strings.Split(page, "base64,")[1:] {
		raw, err := base64.StdEncoding.DecodeString(part[:strings.Index(part, `"`)])
		if err != nil {
			t.Fatal(err)
		}
		w.Write(raw)
	}
	return w.String()
}

type result struct{ html string }

func (r result) HTML() string               { return r.html }
func (r result) Plot() (*gplot.Plot, error) { x, y := wave(9); return Line(x, y, nil) }

type broken struct{}

func (broken) Plot() (*gplot.Plot, error) { return nil, fmt.Errorf("no data yet") }

type many struct{}

func (many) Plot() []*gplot.Plot {
	x, y := wave(9)
	a, _ := Line(x, y, nil)
	return []*gplot.Plot{a, nil, a}
}

func TestDisplayAsksForPlots(t *testing.T) {
	x, y := wave(9)
	p, _ := Line(x, y, &Options{Title: "T", X: "x", Y: "y"})
	b := display.Render(p)
	if b.Data["image/svg+xml"] == nil || b.Data["text/html"] != nil || b.Data["text/plain"] != "plot: T (y over x)" {
		t.Errorf("a plot is %v: %v", b.Types(), b.Data["text/plain"])
	}
	if b := display.Render([]*gplot.Plot{p, p}); strings.Count(b.Data["text/html"].(string), "<img") != 2 {
		t.Errorf("two plots are %v", b.Types())
	}
	// Side by side a figure is drawn smaller, with text of the same size; one that
	// is small already stays as it is.
	small, _ := Line(x, y, &Options{Width: 300, Height: 200})
	row := display.Row(p, small).Data["text/html"].(string)
	for _, size := range []string{`width="432" height="302"`, `width="300" height="200"`} {
		if n := strings.Count(decoded(t, row), size); n != 1 {
			t.Errorf("%d of %s in %.200s", n, size, decoded(t, row))
		}
	}
	if b := display.Render(result{"<p>page"}); !strings.HasPrefix(b.Data["text/html"].(string), "<p>page\n<img") {
		t.Errorf("a result is %v", b.Data["text/html"])
	}
	if b := display.Render(many{}); strings.Count(b.Data["text/html"].(string), "<img") != 2 {
		t.Errorf("a value with plots is %v", b.Types())
	}
	if s := display.Render(broken{}).Data["text/plain"].(string); !strings.Contains(s, "no data yet") {
		t.Errorf("a failing Plot gave %q", s)
	}
	if b := display.Render((*gplot.Plot)(nil)); len(b.Data) != 1 {
		t.Errorf("a nil plot is %v", b.Types())
	}
	q := gplot.New()
	q.X.Scale = gplot.LogScale{}
	l, _ := plotter.NewLine(plotter.XYs{{X: -1, Y: 1}, {X: 2, Y: 2}})
	q.Add(l)
	if s := display.Render(q).Data["text/plain"].(string); !strings.Contains(s, "could not be drawn") {
		t.Errorf("a log axis over negative data gave %q", s)
	}
}

func TestBadInput(t *testing.T) {
	nan := math.NaN()
	for i, err := range []error{
		second(Line([]float64{1}, []float64{1, 2}, nil)), second(Line(nil, nil, nil)), second(Line(nil, []float64{nan}, nil)),
		second(Lines(nil, nil, nil)), second(Scatter([]float64{1}, nil, nil)), second(Bar([]string{"a"}, nil, nil)),
		second(Bar(nil, []float64{nan}, nil)), second(Bar(nil, nil, nil)), second(Histogram([]float64{nan}, 3, nil, nil)),
		second(CDF(nil, nil)), second(CDF([][]float64{{}}, nil)), second(CDF([][]float64{{-1, 2}}, &Options{LogX: true})),
		second(Band(nil, []float64{1}, nil, nil, nil)), second(Band(nil, []float64{nan}, []float64{1}, []float64{2}, nil)),
		second(Heat(nil, nil)), second(Heat([][]float64{{1}, {1, 2}}, nil)), second(Heat([][]float64{{nan}}, nil)),
		second(Gantt(nil, nil)), second(Gantt([]Task{{Start: 2, End: 1}}, nil)), second(Network(nil, nil, nil)),
		second(Network([]Node{{X: nan}}, nil, nil)), second(Network([]Node{{}}, []Link{{To: 1}}, nil)), second(Ring(nil, nil, nil)),
		second(Region(nil, View{}, nil, nil)), second(Region([]HalfPlane{{}}, View{0, 1, 0, 1}, nil, nil)),
		second(Line([]float64{0}, []float64{1}, &Options{LogX: true})),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "plot: ") {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

func second(_ *gplot.Plot, err error) error { return err }

// Ticks lie in the range, are multiples of 1, 2 or 5 times a power of ten, and
// their text says their value.
func FuzzTicks(f *testing.F) {
	for _, r := range [][2]float64{{0, 1}, {-3, 17}, {1e-9, 3e-9}, {1e6, 1e6 + 1}, {-1e300, 1e300}, {0, 5e-324}, {99.9, 100.1}} {
		f.Add(r[0], r[1])
	}
	f.Fuzz(func(t *testing.T, lo, hi float64) {
		ticks := Ticks{}.Ticks(lo, hi)
		if !(hi > lo) || math.IsInf(hi-lo, 0) {
			if ticks != nil {
				t.Fatalf("ticks of an empty range: %v", ticks)
			}
			return
		}
		if hi-lo < 1e-6*math.Max(math.Abs(lo), math.Abs(hi)) || hi-lo < 1e-300 {
			return // the range itself is rounded
		}
		if len(ticks) < 3 || len(ticks) > 13 {
			t.Fatalf("%d ticks from %v to %v", len(ticks), lo, hi)
		}
		step := ticks[1].Value - ticks[0].Value
		exp := math.Floor(math.Log10(step) + 1e-9)
		if m := step / math.Pow(10, exp); math.Abs(m-1) > 1e-6 && math.Abs(m-2) > 1e-6 && math.Abs(m-5) > 1e-6 {
			t.Fatalf("step %v", step)
		}
		for _, k := range ticks {
			if k.Value < lo-1e-6*step || k.Value > hi+1e-6*step {
				t.Fatalf("tick %v outside %v to %v", k.Value, lo, hi)
			}
			v, err := strconv.ParseFloat(k.Label, 64)
			if err != nil || math.Abs(v-k.Value) > 0.01*step {
				t.Fatalf("tick %v is written %q (step %v)", k.Value, k.Label, step)
			}
		}
	})
}

func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{{1, 1000, "1 10 100 1000"}, {0.5, 30, "0.5 1 2 5 10 20"}, {1e-6, 1e6, "1e-6 0.0001 0.01 1 100 10000 1e6"}, {0, 1, ""}, {2, 2, ""}} {
		var got []string
		for _, k := range (LogTicks{}).Ticks(c.lo, c.hi) {
			if k.Label != "" {
				got = append(got, k.Label)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%v to %v: %q, want %q", c.lo, c.hi, s, c.want)
		}
	}
}

// A point is in the polygon exactly when it meets every constraint.
func TestRegionAgainstItsConstraints(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	view := View{-10, 10, -5, 8}
	empty := 0
	for range 500 {
		hs := make([]HalfPlane, r.Intn(6))
		for i := range hs {
			hs[i] = HalfPlane{A: r.NormFloat64(), B: r.NormFloat64(), C: 6 * r.NormFloat64()}
		}
		poly := feasible(hs, view)
		if len(poly) == 0 {
			empty++
		}
		for range 200 {
			x, y := view.XMin+r.Float64()*20, view.YMin+r.Float64()*13
			ok, near := true, false
			for _, h := range hs {
				slack := h.C - h.A*x - h.B*y
				ok = ok && slack >= 0
				near = near || math.Abs(slack) < 1e-6
			}
			if !near && inside(poly, x, y) != ok {
				t.Fatalf("(%v, %v) inside %v, feasible %v, of %v", x, y, inside(poly, x, y), ok, hs)
			}
		}
	}
	if empty == 0 || empty == 500 {
		t.Errorf("%d of 500 regions are empty: the test tells nothing", empty)
	}
	for _, h := range []HalfPlane{{A: 1, C: 3}, {B: 2, C: 4}, {A: 1, B: 1, C: 0}, {A: 1, B: -3, C: 2}} {
		ends := cut(h, view)
		if len(ends) != 2 {
			t.Fatalf("%v cuts the view at %v", h, ends)
		}
		for _, p := range ends {
			if math.Abs(h.A*p.X+h.B*p.Y-h.C) > 1e-9 {
				t.Errorf("%v is not on %v", p, h)
			}
		}
	}
}

// inside is the crossing rule.
func inside(poly []plotter.XY, x, y float64) bool {
	in := false
	for i, a := range poly {
		b := poly[(i+1)%len(poly)]
		if (a.Y > y) != (b.Y > y) && x < a.X+(y-a.Y)/(b.Y-a.Y)*(b.X-a.X) {
			in = !in
		}
	}
	return in
}

func TestDistributionsAgainstCounting(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for _, n := range []int{1, 2, 7, 500, 5000} {
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Round(10 * r.NormFloat64())
		}
		sort.Float64s(v)
		for _, p := range steps(v, 2000)[1:] {
			atMost := sort.Search(n, func(i int) bool { return v[i] > p.X })
			if math.Abs(p.Y-float64(atMost)/float64(n)) > 1e-12 {
				t.Fatalf("n=%d: the share at %v is %v, counted %d", n, p.X, p.Y, atMost)
			}
		}
		pts := steps(v, 2000)
		if last := pts[len(pts)-1]; last.X != v[n-1] || last.Y != 1 {
			t.Errorf("n=%d ends at %v", n, last)
		}
		lo, hi := v[0]-1, v[n-1]+1
		counts := binCounts(v, lo, hi, 9)
		for k, got := range counts {
			want := 0.0
			for _, x := range v {
				if b := min(8, int(9*((x-lo)/(hi-lo)))); b == k {
					want++
				}
			}
			if got != want {
				t.Errorf("bin %d holds %v, counted %v", k, got, want)
			}
		}
	}
	if q := quantile([]float64{1, 2, 3, 4}, 0.5); q != 2.5 {
		t.Errorf("the median is %v", q)
	}
}

func TestVegaLite(t *testing.T) {
	rows := []any{map[string]any{"a": "x", "n": 3.0, "t": 1.0}, map[string]any{"a": "y", "n": 5.0, "t": 2.0}}
	enc := func(x, y map[string]any) map[string]any { return map[string]any{"x": x, "y": y} }
	field := func(f, kind string) map[string]any { return map[string]any{"field": f, "type": kind} }
	for _, mark := range []any{"bar", "line", "point", map[string]any{"type": "area"}} {
		x := field("t", "quantitative")
		if mark == "bar" {
			x = field("a", "nominal")
		}
		spec := map[string]any{"title": "T", "mark": mark, "data": map[string]any{"values": rows}, "encoding": enc(x, field("n", "quantitative"))}
		b := display.Render(display.VegaLite(spec, nil))
		if b.Data["image/svg+xml"] == nil || b.Data["application/vnd.vegalite.v5+json"] == nil || b.Data["text/html"] != nil {
			t.Errorf("%v is %v", mark, b.Types())
		}
	}
	good := func() map[string]any {
		return map[string]any{"mark": "line", "data": map[string]any{"values": rows}, "encoding": enc(field("t", "quantitative"), field("n", "quantitative"))}
	}
	for name, spoil := range map[string]func(map[string]any){
		"layer":     func(s map[string]any) { s["layer"] = []any{} },
		"transform": func(s map[string]any) { s["transform"] = []any{} },
		"no data":   func(s map[string]any) { delete(s, "data") },
		"address":   func(s map[string]any) { s["data"] = map[string]any{"url": "x.csv"} },
		"mark":      func(s map[string]any) { s["mark"] = "geoshape" },
		"aggregate": func(s map[string]any) { s["encoding"].(map[string]any)["y"].(map[string]any)["aggregate"] = "mean" },
		"text x":    func(s map[string]any) { s["encoding"].(map[string]any)["x"] = field("a", "quantitative") },
		"no y":      func(s map[string]any) { delete(s["encoding"].(map[string]any), "y") },
		"no field":  func(s map[string]any) { s["encoding"].(map[string]any)["y"] = field("none", "quantitative") },
	} {
		spec := good()
		spoil(spec)
		if p, err := VegaLite(spec); err == nil {
			t.Errorf("%s was drawn as %v", name, describe(p))
		}
		if b := display.Render(display.VegaLite(spec, nil)); b.Data["image/svg+xml"] != nil {
			t.Errorf("%s has a picture", name)
		}
	}
}

// Colours of the cycle stay apart for people without red or green cones
// (Machado, Oliveira and Fernandes 2009, severity 1), and the scale's lightness
// only grows.
func TestColoursTellApart(t *testing.T) {
	sight := map[string][9]float64{
		"full":         {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
		"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
	}
	for name, m := range sight {
		for i := range Colors {
			for j := range i {
				a, b := lab(Colors[i], m), lab(Colors[j], m)
				if d := math.Sqrt(math.Pow(a[0]-b[0], 2) + math.Pow(a[1]-b[1], 2) + math.Pow(a[2]-b[2], 2)); d < 10 {
					t.Errorf("%s: colours %d and %d differ by %.1f only", name, i, j, d)
				}
			}
		}
	}
	last := -1.0
	for i := 0; i <= 50; i++ {
		l := lab(Scale(float64(i)/50), sight["full"])[0]
		if l <= last {
			t.Errorf("the scale's lightness falls to %.1f at %d/50", l, i)
		}
		last = l
	}
}

// lab is a colour in CIE L*a*b* as seen with a sight's matrix.
func lab(c interface{ RGBA() (r, g, b, a uint32) }, m [9]float64) [3]float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 {
		x := float64(v) / 0xFFFF
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	s := [3]float64{lin(r), lin(g), lin(b)}
	var seen [3]float64
	for i := range 3 {
		seen[i] = math.Max(0, math.Min(1, m[3*i]*s[0]+m[3*i+1]*s[1]+m[3*i+2]*s[2]))
	}
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x := f((0.4124*seen[0] + 0.3576*seen[1] + 0.1805*seen[2]) / 0.95047)
	y := f(0.2126*seen[0] + 0.7152*seen[1] + 0.0722*seen[2])
	z := f((0.0193*seen[0] + 0.1192*seen[1] + 0.9505*seen[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func TestLegendHasRoom(t *testing.T) {
	l := &sideLegend{}
	l.add("a very long name of a series", nil)
	l.add("", nil)
	if len(l.entries) != 1 {
		t.Error("a series without a name is in the legend")
	}
	box := l.GlyphBoxes(nil)[0]
	if box.Rectangle.Size().X < vg.Length(100) {
		t.Errorf("room of %v for a long name", box.Rectangle.Size().X)
	}
}
