package bound_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/fathom-kernel/fathom/stdlib/bound"
)

func ExampleBounds_Plot() {
	b, err := bound.Fit(context.Background(), gains, errors, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range b.Plot() {
		fmt.Println(p.Title.Text)
	}
	// Output:
	// Chosen sets: bounds that hold together, 95 %
	// Certified total along the path, 95 % for every prefix at once
	// Largest normalised error over all subsets, 10000 draws
	// Sets as points: the densest has Z/√V = 6.28, 5 of 8 tests
}

func ExampleBounds_Forest() {
	b, err := bound.Fit(context.Background(), gains, errors, &bound.Options{Unit: "points"})
	if err != nil {
		fmt.Println(err)
		return
	}
	mine, err := b.Of([]int{0, 6})
	if err != nil {
		fmt.Println(err)
		return
	}
	mine.Name = "my favourites"
	p := b.Forest([]bound.Interval{mine})
	fmt.Println(p.X.Label.Text)
	// Output: mean effect of the set (points)
}

func ExampleBounds_PlotNull() {
	b, err := bound.Fit(context.Background(), gains, errors, &bound.Options{Draws: 999})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.PlotNull().X.Label.Text)
	// Output: T, largest error of a set (standard errors)
}

func ExampleBounds_PlotHull() {
	b, err := bound.Fit(context.Background(), gains, errors, &bound.Options{Draws: 999, Unit: "points"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.PlotHull().Y.Label.Text)
	// Output: Z, summed effect (points)
}

func ExampleBounds_Table() {
	b, err := bound.Fit(context.Background(), gains, errors, &bound.Options{Draws: 999})
	if err != nil {
		fmt.Println(err)
		return
	}
	iv, err := b.Of([]int{0, 6})
	fmt.Println(strings.Count(b.Table([]bound.Interval{iv}), "<tr>"), "rows with the head", err)
	// Output: 2 rows with the head <nil>
}

func ExampleInterval() {
	b, err := bound.Fit(context.Background(), []float64{2, 9}, []float64{1, 1}, &bound.Options{Draws: 99, Sides: bound.Lower})
	if err != nil {
		fmt.Println(err)
		return
	}
	iv, err := b.Of([]int{1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(iv.Certified, "it is above 0"), iv.P)
	// Output: true 0.01
}

func ExampleFreedomCurve() {
	b, err := bound.Fit(context.Background(), gains, errors, &bound.Options{Draws: 999})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := b.Freedom(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Plot().Title.Text)
	// Output: Price of freedom: 8 tests, 95 %
}

func ExampleEnvelope() {
	b, err := bound.Fit(context.Background(), gains, errors, &bound.Options{Draws: 999, Unit: "points"})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := b.Path([]int{6, 0, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f %s\n", e.Sum, e.Plot().Y.Label.Text)
	// Output: [5.0 9.1 12.3] summed effect (points)
}

func ExampleCoverageMap() {
	m, err := bound.Coverage(context.Background(), []int{5}, []int{20}, []string{"normal"}, 50, &bound.Options{Mode: bound.T})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(m.Rows), m.Plot()[0].Title.Text)
	// Output: 2 Coverage of T on normal data, nominal 0.95
}
