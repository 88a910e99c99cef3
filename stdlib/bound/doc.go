// Package bound states confidence bounds for summed effects that stay true for
// any set of tests picked after looking at the data.
//
// # The promise
//
// There are p independent tests: accuracy gains of p groups, effects of p
// genes, gaps of p slices. Test i has an unknown effect, an estimate x_i and a
// squared standard error v_i. A family F of sets of tests is fixed before the
// data are seen. Then, with probability 1−α, for every set S of F at once,
//
//	X(S) − c·√V(S)  ≤  summed effect of S  ≤  X(S) + c·√V(S),
//
// where X and V are sums over S. Because the event is one event for all sets,
// S may be chosen in any way whatever, after any number of looks. What may not
// be chosen after looking is F, α, the mode, the weights and whether critical
// values are balanced: trying several and reporting the best breaks the promise.
//
// The critical value c is the (1−α)-quantile of the largest normalised error
//
//	T = max over S in F of Z(S)/√V(S),   z_i = x_i − effect_i,
//
// over draws of the errors z and, in most modes, of the standard errors too.
// Every draw needs this maximum exactly: an approximate one makes c too small
// and the promise false. It is a densest subgraph with weights z_i·z_j and
// vertex sizes v_i.
//
// # From data to statement
//
//	b, err := bound.FitPairs(ctx, cot, direct, &bound.Options{Names: tasks, Unit: "points"})
//	iv, err := b.Where(func(i int) bool { return b.Est[i] < 0 })
//	fmt.Println(iv) // With 95 % confidence, however they were chosen, …
//
// Fit takes estimates and standard errors, FitSamples raw units, FitPairs
// paired units, FitCounts rates. A Bounds answers Of (one set), Where (a
// condition), Best (the largest certified total), AtLeast (the largest set with
// a certified mean), Path (all prefixes of an order) and Freedom (what c would
// be for smaller sets). Densest is the maximisation alone, DensestGraph the one
// with general weights, Critical the closed form of c without a draw, and
// Coverage measures how often the promise holds.
//
// # Which mode
//
// On skewed data the errors of mean and standard error are correlated, and over
// p tests the small shifts add up as skewness·√(p/n): bounds from normal errors
// then hold in as little as a few percent of cases. COVERAGE.md has the
// measurements. Samples therefore get Student (the standard error is computed
// anew in every draw) by default, counts Binomial, estimates with known units
// T, and only estimates with nothing else Gauss, with a warning. Tests that
// share units (genes of the same patients) are dependent: Joint redraws rows.
// With more than ten times as many tests as units a test even Student falls
// short on skewed units; Joint held in every setting measured, of dependent and
// of independent tests, at the price of wider bounds.
//
// # Source
//
// From "Simultaneous Confidence Bounds for Aggregated Effects via Exact Subset
// Optimization" (ICML 2026), of which only the abstract could be read, are: the
// statistic, its calibration by bootstrap over a downward-closed family, the
// cast as weighted densest subgraph with an exact linear program (mixed-integer
// with linear constraints), and that an approximation scheme and a
// finite-sample coverage theorem exist. Derived here, and verified by
// enumeration and simulation, are: the one sort that replaces the linear
// program (theorem A), the dual form (B) and the slope grid (C), the pruned
// parametric search for other families, the closed form of c, the modes other
// than the plain bootstrap, balanced critical values, and the constants of the
// coverage bound. What the paper does beyond its abstract may differ.
package bound
