package ring

import (
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// drawn renders a figure at 640 pixels and fails where nothing is drawn, or
// where a curve's axes have no name.
func drawn(t *testing.T, name string, f *plot.Plot, axes bool) {
	t.Helper()
	if f.Title.Text == "" || axes && (f.X.Label.Text == "" || f.Y.Label.Text == "") {
		t.Errorf("%s: title %q, axes %q and %q", name, f.Title.Text, f.X.Label.Text, f.Y.Label.Text)
	}
	c := vgimg.NewWith(vgimg.UseWH(6.67*vg.Inch, 4.2*vg.Inch), vgimg.UseDPI(96))
	f.Draw(draw.New(c))
	img := c.Image()
	ink := 0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); r < 0xf000 || g < 0xf000 || b < 0xf000 {
				ink++
			}
		}
	}
	if ink < 2000 {
		t.Errorf("%s: only %d pixels are drawn", name, ink)
	}
}

func TestFiguresAndHTML(t *testing.T) {
	w := AWS()
	n := w.Len()
	tour, err := BTSP(background, w, nil)
	if err != nil {
		t.Fatal(err)
	}
	drawn(t, "tour", tour.Plot(), false)
	m, err := MSR(background, w, tour.Order, Exponential(n), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Plot() {
		drawn(t, "multiplier", f, true)
	}
	p, err := Place(background, w, OnePeer(n), &Options{Moves: 3000})
	if err != nil {
		t.Fatal(err)
	}
	plots := p.Plot()
	if len(plots) != 4 {
		t.Fatalf("%d figures of a placement, not links, matrix, profile and polish", len(plots))
	}
	for k, f := range plots {
		drawn(t, "placement", f, k > 0)
	}
	cloud, _ := Synthetic("regions", 30, 1)
	q, err := Place(background, cloud, Exponential(30), &Options{Moves: 1000})
	if err != nil {
		t.Fatal(err)
	}
	drawn(t, "map", q.PlotLinks(), true)
	c, err := Compare(background, w, []Topology{Exponential(n), OnePeer(n)}, nil, &Options{Moves: 500})
	if err != nil {
		t.Fatal(err)
	}
	drawn(t, "comparison", c.Plot(), false)
	if got := strings.Count(c.HTML(), "<tr>"); got != 13 {
		t.Errorf("%d rows of 2 topologies × 6 methods and a head", got)
	}
	task, _ := Logistic(n, 0.1, 1)
	task.Rounds = 20
	run, err := Train(background, w, OnePeer(n), p.Pi, task, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range run.Plot() {
		drawn(t, "run", f, true)
	}
	// Names of nodes are text, not markup.
	evil, err := mustMatrix(t, [][]float64{{0, 1, 2}, {1, 0, 3}, {2, 3, 0}}).Rename("<b>", []string{"<script>", "b&c", "c"})
	if err != nil {
		t.Fatal(err)
	}
	bad, err := BTSP(background, evil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if h := bad.HTML(); strings.Contains(h, "<script>") || strings.Contains(h, "<b>") || !strings.Contains(h, "&lt;script&gt;") {
		t.Errorf("labels are not escaped: %s", h)
	}
	for _, s := range []string{tour.String(), m.String(), p.String(), c.String(), run.String()} {
		if s == "" || strings.Contains(s, "\n") {
			t.Errorf("%q is not one line", s)
		}
	}
}
