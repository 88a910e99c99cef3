package plot_test

import (
	"fmt"
	"math"
	"strings"

	gplot "gonum.org/v1/plot"

	"github.com/fathom-kernel/fathom/stdlib/display"
	"github.com/fathom-kernel/fathom/stdlib/plot"
)

// show prints what a terminal shows of a figure; a notebook draws it.
func show(p *gplot.Plot, err error) {
	if err != nil {
		fmt.Println(err)
		return
	}
	display.Show(p)
}

func ExampleLine() {
	show(plot.Line(nil, []float64{1, 4, 9, 16}, &plot.Options{Title: "Squares", X: "n", Y: "n²"}))
	show(plot.Line([]float64{1, 2}, []float64{1}, nil))
	// Output:
	// plot: Squares (n² over n)
	// plot: line 0 has 2 x and 1 y values; give as many of each, or a nil x to count from 0
}

func ExampleLines() {
	epoch := []float64{0, 1, 2}
	show(plot.Lines(epoch, [][]float64{{1, 0.5, 0.2}, {1, 0.7, 0.6}},
		&plot.Options{X: "epoch", Y: "loss", Names: []string{"train", "test"}, LogY: true}))
	// Output: plot: loss over epoch
}

func ExampleScatter() {
	show(plot.Scatter([]float64{1, 2, 3}, []float64{2, 1, 3}, &plot.Options{X: "size", XUnit: "kB", Y: "delay", YUnit: "ms"}))
	// Output: plot: delay (ms) over size (kB)
}

func ExampleBar() {
	show(plot.Bar([]string{"fcfs", "edf"}, []float64{12.5, 9.1}, &plot.Options{Title: "Late requests", YUnit: "%"}))
	// Output: plot: Late requests, %
}

func ExampleHistogram() {
	delays := []float64{3, 4, 4, 5, 5, 5, 6, 9}
	show(plot.Histogram(delays, 6, []plot.Mark{{X: 8, Name: "target"}}, &plot.Options{X: "delay", XUnit: "ms"}))
	// Output: plot: count over delay (ms)
}

func ExampleCDF() {
	show(plot.CDF([][]float64{{1, 2, 3}, {2, 2, 8}}, &plot.Options{Title: "Delay", X: "delay", XUnit: "ms", Names: []string{"before", "after"}}))
	// Output: plot: Delay (share of values ≤ x over delay (ms))
}

func ExampleBand() {
	mean := []float64{1, 0.6, 0.4}
	show(plot.Band(nil, mean, []float64{0.9, 0.5, 0.2}, []float64{1.1, 0.8, 0.5},
		&plot.Options{X: "epoch", Y: "loss", Names: []string{"mean of 20 seeds", "95 % band"}}))
	// Output: plot: loss over epoch
}

func ExampleHeat() {
	delay := [][]float64{{0, 6, 240}, {6, 0, 236}, {240, 236, 0}}
	show(plot.Heat(delay, &plot.Options{Title: "Round trip", YUnit: "ms", Names: []string{"ams", "fra", "tok"}}))
	// Output: plot: Round trip
}

func ExampleGantt() {
	show(plot.Gantt([]plot.Task{
		{Row: "replica 0", Start: 0, End: 1.5, Label: "r1", Kind: "prefill"},
		{Row: "replica 0", Start: 1.5, End: 4, Label: "r1", Kind: "decode"},
		{Row: "replica 1", Start: 0.5, End: 2, Label: "r2", Kind: "prefill"},
	}, &plot.Options{Title: "Schedule", XUnit: "s"}))
	// Output: plot: Schedule, s
}

func ExampleNetwork() {
	nodes := []plot.Node{{X: 4.9, Y: 52.4, Name: "Amsterdam"}, {X: 8.7, Y: 50.1, Name: "Frankfurt"}, {X: 2.4, Y: 48.9, Name: "Paris"}}
	links := []plot.Link{{From: 0, To: 1, Label: "6 ms"}, {From: 1, To: 2, Label: "9 ms", Strong: true}}
	show(plot.Network(nodes, links, &plot.Options{Title: "Backbone"}))
	// Output: plot: Backbone
}

func ExampleRing() {
	show(plot.Ring([]string{"0", "1", "2", "3"}, []plot.Link{{From: 2, To: 3, Strong: true, Label: "slowest"}}, &plot.Options{Title: "All-reduce"}))
	// Output: plot: All-reduce
}

func ExampleRegion() {
	show(plot.Region(
		[]plot.HalfPlane{{A: 1, B: 1, C: 40, Name: "capacity"}, {A: 2, B: 1, C: 60, Name: "labour"}, {A: -1, C: 0}, {B: -1, C: 0}},
		plot.View{XMax: 50, YMax: 50},
		[]plot.Spot{{X: 20, Y: 20, Name: "optimum"}},
		&plot.Options{X: "crates", Y: "barrels"}))
	// Output: plot: barrels over crates
}

func ExampleVegaLite() {
	_, err := plot.VegaLite(map[string]any{"mark": "bar", "layer": []any{}})
	fmt.Println(err)
	// Output: plot: the chart uses "layer", which has no static form here; give a fallback figure
}

func ExampleSetSize() {
	p, _ := plot.Line(nil, []float64{1, 2}, nil)
	svg, _ := plot.SVG(plot.SetSize(p, 320, 200))
	fmt.Println(strings.Contains(svg, `width="320" height="200"`))
	// Output: true
}

func ExampleSVG() {
	p, _ := plot.Line(nil, []float64{1, 2}, nil)
	svg, err := plot.SVG(p)
	fmt.Println(svg[:4], err)
	// Output: <svg <nil>
}

func ExamplePNG() {
	p, _ := plot.Line(nil, []float64{1, 2}, nil)
	data, err := plot.PNG(p)
	fmt.Printf("%q %v\n", data[1:4], err)
	// Output: "PNG" <nil>
}

func ExampleBundle() {
	p, _ := plot.Scatter(nil, make([]float64, 6000), nil)
	fmt.Println(plot.Bundle(p).Types()) // too many points for SVG
	// Output: [image/png text/plain]
}

func ExampleSetFormat() {
	p, _ := plot.Line(nil, []float64{1, 2}, nil)
	fmt.Println(plot.SetFormat("png"), plot.Bundle(p).Types())
	fmt.Println(plot.SetFormat("svg"), plot.Bundle(p).Types())
	fmt.Println(plot.SetFormat("bmp"))
	// Output:
	// <nil> [image/png text/plain]
	// <nil> [image/svg+xml text/plain]
	// plot: no format "bmp"; give "svg" or "png"
}

func ExampleColor() {
	r, g, b, _ := plot.Color(0).RGBA()
	fmt.Printf("#%02x%02x%02x\n", r>>8, g>>8, b>>8)
	// Output: #0072b2
}

func ExampleScale() {
	r, g, b, _ := plot.Scale(1).RGBA()
	fmt.Printf("#%02x%02x%02x\n", r>>8, g>>8, b>>8)
	// Output: #fde725
}

func ExampleTicks() {
	for _, t := range (plot.Ticks{}).Ticks(0, 1.1) {
		fmt.Print(t.Label, " ")
	}
	// Output: 0 0.2 0.4 0.6 0.8 1.0
}

func ExampleLogTicks() {
	for _, t := range (plot.LogTicks{}).Ticks(0.05, 2000) {
		if t.Label != "" {
			fmt.Print(t.Label, " ")
		}
	}
	// Output: 0.1 1 10 100 1000
}

// An animation replaces its frame; Clear and Row work with plots as well.
func Example_animation() {
	frame := func(phase float64) *gplot.Plot {
		y := make([]float64, 100)
		for i := range y {
			y[i] = math.Sin(float64(i)/10 + phase)
		}
		p, _ := plot.Line(nil, y, &plot.Options{Title: fmt.Sprintf("phase %.0f", phase)})
		return p
	}
	h := display.Start(frame(0))
	for phase := 1.0; phase < 3; phase++ {
		h.Update(frame(phase))
	}
	// Output:
	// plot: phase 0
	// plot: phase 1
	// plot: phase 2
}
