package bound

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gonum.org/v1/plot/vg/vgimg"
)

var pictures = flag.String("pictures", "", "folder to write the figures to, as PNG")

// drawFigure draws a figure at 640×400 and checks what a reader needs: title,
// axis names, and no point outside what can be drawn.
func drawFigure(t *testing.T, name string, p *plot.Plot) {
	t.Helper()
	if p.Title.Text == "" || p.X.Label.Text == "" {
		t.Errorf("%s: no title or axis name", name)
	}
	var rec recorder.Canvas
	p.Draw(draw.NewCanvas(&rec, 480, 300))
	for _, a := range rec.Actions {
		if s := a.Call(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Fatalf("%s: draws at no place: %s", name, s)
		}
	}
	if *pictures == "" {
		return
	}
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(480, 300), vgimg.UseDPI(96))}
	p.Draw(draw.New(c))
	f, err := os.Create(filepath.Join(*pictures, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := c.WriteTo(f); err != nil {
		t.Fatal(err)
	}
}

func TestFigures(t *testing.T) {
	r := newStream(111, 0)
	for _, p := range []int{1, 2, 27, 3000} {
		est, se := make([]float64, p), make([]float64, p)
		samples := make([][]float64, p)
		for i := range est {
			est[i], se[i] = 2*r.norm()+1, math.Exp(0.5*r.norm())
			samples[i] = make([]float64, 12)
			for j := range samples[i] {
				samples[i][j] = est[i] + r.norm()
			}
		}
		for _, o := range []*Options{
			{Draws: 99}, {Draws: 99, Sides: Lower}, {Draws: 99, Sides: Upper, Unit: "points"},
			{Draws: 99, Balance: true}, {Draws: 99, Family: AtMost(2)}, {Draws: 99, Family: AtMost(0)}, {Draws: 99, Mode: Joint},
		} {
			if p > 100 && (o.Balance || o.Mode == Joint) {
				continue
			}
			var b *Bounds
			var err error
			if o.Mode == Joint {
				b, err = FitSamples(ctx, samples, o)
			} else {
				b, err = Fit(ctx, est, se, o)
			}
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("p%d-%v-%s-balance%v-%v", p, b.Sides, strings.ReplaceAll(b.Family.Name, " ", "-"), o.Balance, b.Mode)
			for k, f := range b.Plot() {
				drawFigure(t, fmt.Sprintf("%s-%d", name, k), f)
			}
			if h := b.HTML(); strings.Contains(h, "NaN") || strings.Contains(h, "Inf") || strings.Contains(h, "%!") {
				t.Errorf("%s: %s", name, h)
			}
			if p <= 27 {
				f, err := b.Freedom(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if len(f.K) > 0 {
					drawFigure(t, name+"-freedom", f.Plot())
				}
			}
		}
	}
	m, err := Coverage(ctx, []int{5, 20}, []int{10, 30}, []string{"exponential"}, 50, &Options{Mode: Gauss})
	if err != nil {
		t.Fatal(err)
	}
	for k, f := range m.Plot() {
		drawFigure(t, fmt.Sprintf("coverage-%d", k), f)
	}
	s, err := Densest(ctx, []float64{3, 2, 1, -1}, []float64{4, 1, 1, 1}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	drawFigure(t, "densest", s.Plot())
}

// Text from outside is escaped.
func TestNamesAreEscaped(t *testing.T) {
	b, err := Fit(ctx, []float64{5, 1}, []float64{1, 1}, &Options{Draws: 99, Names: []string{"<script>", "b"}, Unit: "<i>"})
	if err != nil {
		t.Fatal(err)
	}
	iv, err := b.Of([]int{0})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Densest(ctx, b.Est, []float64{1, 1}, nil, &Options{Names: b.Names})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []string{b.HTML(), b.Table([]Interval{iv}), iv.HTML(), s.HTML()} {
		if strings.Contains(h, "<script>") || strings.Contains(h, "<i>") {
			t.Errorf("not escaped: %s", h)
		}
	}
}
