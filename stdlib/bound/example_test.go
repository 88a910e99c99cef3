package bound_test

import (
	"context"
	"fmt"
	"math"

	"github.com/fathom-kernel/fathom/stdlib/bound"
)

var (
	gains  = []float64{4.1, 3.2, -0.4, 2.8, 0.3, -1.1, 5.0, 0.9}
	errors = []float64{1.0, 1.2, 0.8, 1.0, 0.9, 1.1, 1.6, 0.7}
)

func ExampleFit() {
	ctx := context.Background()
	b, err := bound.Fit(ctx, gains, errors, &bound.Options{Unit: "points"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("c under Scheffé's %.1f: %v\n", b.ScheffeC, b.C < b.ScheffeC)
	iv, err := b.Where(func(i int) bool { return b.Est[i] > 2 })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d tests, mean %.2f, naive from %.1f, simultaneous from %.1f\n", iv.Size, iv.Mean, iv.Naive[0]/4, iv.MeanLower)
	// Output:
	// c under Scheffé's 3.9: true
	// 4 tests, mean 3.77, naive from 2.6, simultaneous from 1.8
}

func ExampleFitSamples() {
	// Three tests of eight units.
	samples := [][]float64{
		{3, 5, 4, 6, 5, 4, 7, 5},
		{1, -1, 0, 2, 1, 0, -1, 1},
		{2, 8, 3, 1, 2, 9, 2, 1},
	}
	b, err := bound.FitSamples(context.Background(), samples, &bound.Options{Sides: bound.Lower})
	if err != nil {
		fmt.Println(err)
		return
	}
	iv, err := b.Of([]int{0, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.Mode, iv.Size, iv.Lower > 0, b.Warnings)
	// Output: Student 2 true [as few as 8 units a test: the bootstrap repeats few values; bounds are rough]
}

func ExampleFitPairs() {
	after := [][]float64{{1, 1, 1, 0, 1, 1, 1, 1, 0, 1}, {0, 1, 0, 0, 1, 0, 1, 0, 0, 0}}
	before := [][]float64{{0, 1, 0, 0, 0, 1, 0, 0, 1, 0}, {0, 1, 1, 0, 1, 0, 0, 0, 1, 0}}
	b, err := bound.FitPairs(context.Background(), after, before, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("gains %.1f and %.1f\n", b.Est[0], b.Est[1])
	// Output: gains 0.5 and -0.1
}

func ExampleFitCounts() {
	b, err := bound.FitCounts(context.Background(), []int{18, 7, 0, 25}, []int{146, 146, 146, 146}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	// No hit in 146 trials does not mean a rate of 0.
	iv, err := b.Of([]int{2})
	fmt.Println(b.Mode, iv.Sum, iv.Upper > 0.01, iv.Upper < 0.05, err)
	// Output: Binomial 0 true true <nil>
}

func ExampleDensest() {
	x := []float64{3, 2, 1, -1}
	v := []float64{4, 1, 1, 1}
	s, err := bound.Densest(context.Background(), x, v, bound.All(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v %.4f %s\n", s.Set, s.Value, s.Method)
	two, err := bound.Densest(context.Background(), x, v, bound.AtMost(2), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v %.4f %s, exact: %v\n", two.Set, two.Value, two.Method, two.Exact())
	// Output:
	// [0 1 2] 2.4495 one sort
	// [0 1] 2.2361 parametric search, exact: true
}

func ExampleDensestGraph() {
	// A triangle with a tail.
	edges := []bound.Edge{{U: 0, V: 1, Weight: 1}, {U: 1, V: 2, Weight: 1}, {U: 0, V: 2, Weight: 1}, {U: 2, V: 3, Weight: 1}}
	s, err := bound.DensestGraph(context.Background(), 4, edges, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("density %.2f\n", s.Value)
	// Output: density 1.00
}

func ExampleCritical() {
	v := make([]float64, 1000)
	for i := range v {
		v[i] = 1
	}
	p, err := bound.Critical(context.Background(), v, &bound.Options{Sides: bound.Lower})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p)
	// Output: bound: 1000 tests, all subsets, 95 % lower, c≈21.31 by the closed form (Scheffé 23.65, Bonferroni 37.19), largest sets of about 270 tests matter
}

func ExampleCoverage() {
	m, err := bound.Coverage(context.Background(), []int{20}, []int{30}, []string{"exponential"}, 200, &bound.Options{Mode: bound.Gauss, Alpha: 0.05})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("Gauss fails on skewed data:", m.Rows[0].Fails(m.Rows[0].Upper))
	// Output: Gauss fails on skewed data: true
}

func ExampleCoverageData() {
	fmt.Println(bound.CoverageData())
	// Output: [normal exponential bernoulli heavy dependent]
}

func ExampleBounds_Of() {
	b, err := bound.Fit(context.Background(), gains, errors, &bound.Options{Family: bound.AtMost(2)})
	if err != nil {
		fmt.Println(err)
		return
	}
	iv, err := b.Of([]int{0, 6})
	fmt.Println(iv.Size, iv.Lower > 0, err)
	_, err = b.Of([]int{0, 3, 6})
	fmt.Println(err)
	// Output:
	// 2 true <nil>
	// bound: set outside the family, in Of (3 tests; family: at most 2); nothing is guaranteed for it: choose a member, or fit with a larger family before looking
}

func ExampleBounds_Named() {
	b, err := bound.Fit(context.Background(), gains[:3], errors[:3], &bound.Options{Names: []string{"algebra", "logic", "irony"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	iv, err := b.Named([]string{"irony", "algebra"})
	fmt.Println(iv.Set, err)
	_, err = b.Named([]string{"geometry"})
	fmt.Println(err)
	// Output:
	// [0 2] <nil>
	// bound: no such test, in Named ("geometry"); names are those of Options.Names
}

func ExampleBounds_Where() {
	b, err := bound.Fit(context.Background(), gains, errors, &bound.Options{Unit: "points"})
	if err != nil {
		fmt.Println(err)
		return
	}
	iv, err := b.Where(func(i int) bool { return b.Est[i] < 0 })
	fmt.Printf("%v %.2f naive to %.1f, simultaneous to %.1f %v\n", iv.Set, iv.Mean, iv.Naive[1]/2, iv.MeanUpper, err)
	// Output: [2 5] -0.75 naive to 0.6, simultaneous to 1.5 <nil>
}

func ExampleBounds_Best() {
	b, err := bound.Fit(context.Background(), gains, errors, &bound.Options{Sides: bound.Lower})
	if err != nil {
		fmt.Println(err)
		return
	}
	iv, err := b.Best()
	fmt.Println(iv.Set, iv.Lower > 8, err)
	// Output: [0 1 3 6 7] true <nil>
}

func ExampleBounds_AtLeast() {
	b, err := bound.Fit(context.Background(), gains, errors, &bound.Options{Sides: bound.Lower})
	if err != nil {
		fmt.Println(err)
		return
	}
	iv, err := b.AtLeast(1)
	fmt.Printf("%d tests with a mean of at least 1: %v, %v\n", iv.Size, iv.MeanLower >= 1, err)
	// Output: 7 tests with a mean of at least 1: true, <nil>
}

func ExampleBounds_Path() {
	b, err := bound.Fit(context.Background(), gains, errors, &bound.Options{Sides: bound.Lower})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := b.Path(nil)
	fmt.Println(e.Order, e.Lower[3] > e.Lower[7], err)
	// Output: [0 3 1 6 7 4 2 5] true <nil>
}

func ExampleBounds_Freedom() {
	b, err := bound.Fit(context.Background(), gains, errors, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := b.Freedom(context.Background())
	fmt.Println(f.K[0], f.K[len(f.K)-1], f.C[0] < f.C[len(f.C)-1], err)
	// Output: 1 8 true <nil>
}

func ExampleBounds_CriticalOf() {
	b, err := bound.Fit(context.Background(), make([]float64, 30), ones(30), &bound.Options{Balance: true, Sides: bound.Lower})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.CriticalOf(30, bound.Lower) < b.CriticalOf(1, bound.Lower), b.CriticalOf(1, bound.Lower) < b.CriticalOf(15, bound.Lower))
	// Output: true true
}

func ones(p int) []float64 {
	s := make([]float64, p)
	for i := range s {
		s[i] = 1
	}
	return s
}

// densest prints the densest set of a family of the example's gains.
func densest(f *bound.Family) {
	v := make([]float64, len(errors))
	for i, e := range errors {
		v[i] = e * e
	}
	s, err := bound.Densest(context.Background(), gains, v, f, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %v\n", f.Name, s.Set)
}

func ExampleAll() {
	densest(bound.All())
	// Output: all subsets: [0 1 3 6 7]
}

func ExampleAtMost() {
	densest(bound.AtMost(2))
	// Output: at most 2: [0 3]
}

func ExamplePerGroup() {
	// One of the first four tests, two of the others.
	densest(bound.PerGroup([]int{0, 0, 0, 0, 1, 1, 1, 1}, []int{1, 2}))
	// Output: at most so many in each of 2 groups: [0 6 7]
}

func ExampleLaminar() {
	// At most three in all, at most one of tests 0, 1 and 3.
	densest(bound.Laminar(8, [][]int{{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 3}}, []int{3, 1}))
	// Output: 2 nested size limits: [0 6 7]
}

func ExampleMatroid() {
	// Tests compare models: a set without a cycle says each thing once.
	from, to := []int{0, 1, 0, 2, 3, 0, 1, 2}, []int{1, 2, 2, 3, 0, 3, 3, 4}
	acyclic := func(sets [][]int) []bool {
		ok := make([]bool, len(sets))
		for k, set := range sets {
			root := []int{0, 1, 2, 3, 4}
			find := func(x int) int {
				for root[x] != x {
					x = root[x]
				}
				return x
			}
			ok[k] = true
			for _, i := range set {
				a, b := find(from[i]), find(to[i])
				if a == b {
					ok[k] = false
				}
				root[a] = b
			}
		}
		return ok
	}
	densest(bound.Matroid("without cycles", acyclic))
	// Output: without cycles: [0 3 6 7]
}

func ExampleBudget() {
	densest(bound.Budget([]float64{5, 1, 1, 4, 2, 1, 3, 1}, 6))
	// Output: total cost at most 6: [0 1]
}

func ExampleWithout() {
	densest(bound.Without([][2]int{{0, 3}, {1, 6}}))
	// Output: without 2 excluded pairs: [0 6 7]
}

func ExampleSets() {
	densest(bound.Sets([][]int{{0, 1, 2}, {3, 4, 5, 6}}))
	// Output: parts of 2 listed sets: [0 1]
}

func ExampleOracle() {
	// Runs of neighbouring tests: not downward closed, but easy to maximise.
	runs := func(ws [][]float64) [][]int {
		out := make([][]int, len(ws))
		for k, w := range ws {
			best, sum, from, lo, hi := 0.0, 0.0, 0, 0, 0
			for i, x := range w {
				if sum <= 0 {
					sum, from = 0, i
				}
				if sum += x; sum > best {
					best, lo, hi = sum, from, i+1
				}
			}
			for i := lo; i < hi; i++ {
				out[k] = append(out[k], i)
			}
		}
		return out
	}
	densest(bound.Oracle("runs of neighbours", runs))
	// Output: runs of neighbours: [0 1 2 3 4 5 6 7]
}

// The best set of one draw of pure noise looks significant to the naive eye.
func ExampleSubset() {
	noise := make([]float64, 40)
	for i := range noise {
		noise[i] = math.Sin(float64(7 * i))
	}
	s, err := bound.Densest(context.Background(), noise, ones(40), nil, nil)
	fmt.Printf("T = %.2f, naive limit 1.64, %v\n", s.Value, err)
	// Output: T = 3.18, naive limit 1.64, <nil>
}
