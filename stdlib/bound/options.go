package bound

import (
	"math"
	"runtime"
)

// Sides says which bounds are stated.
type Sides int

const (
	Both  Sides = iota // intervals: lower and upper bounds at once
	Lower              // lower bounds only: "at least"
	Upper              // upper bounds only: "at most"
)

// String returns the word of the printed line.
func (s Sides) String() string {
	return [...]string{"two-sided", "lower", "upper"}[min(max(int(s), 0), 2)]
}

// Mode says how the errors of the estimates are drawn for the calibration.
type Mode int

const (
	Auto     Mode = iota // Student for samples, Binomial for counts; else Moments, T or Gauss by what is known
	Gauss                // normal errors, standard errors taken as exact
	T                    // normal errors, standard errors drawn from chi-square with n−1 degrees
	Student              // bootstrap-t: each test's units redrawn, the standard error computed anew
	Moments              // Student's stand-in for large data, from skewness and kurtosis
	Resample             // each test's units redrawn, the standard error kept
	Binomial             // counts redrawn from their observed rates
	Joint                // rows of units redrawn for all tests together, for dependent tests
)

// String returns the mode's name.
func (m Mode) String() string {
	names := [...]string{"Auto", "Gauss", "T", "Student", "Moments", "Resample", "Binomial", "Joint"}
	if m < 0 || int(m) >= len(names) {
		return "unknown"
	}
	return names[m]
}

// Options are the choices of a call; nil means all defaults. Alpha, Sides,
// Mode, Family, Weights and Balance must be settled before the data are
// looked at: trying several and reporting the best breaks the guarantee.
type Options struct {
	Alpha   float64   // error rate, 0 means 0.05: all bounds hold at once with probability 1−Alpha
	Draws   int       // draws of the calibration, 0 means 10,000
	Seed    uint64    // of the draws, 0 means 1; the same seed gives the same bits on any number of cores
	Sides   Sides     // Both, Lower or Upper
	Mode    Mode      // Auto, or how the errors are drawn
	Family  *Family   // sets that may be chosen, nil means All()
	Weights []float64 // weight of each test in a set's sum, ≥ 0, nil means 1 each
	N       []int     // units behind each estimate, for Fit: lets Auto use T or Moments
	Skew    []float64 // skewness of a unit of each test, for Fit in mode Moments
	Kurt    []float64 // kurtosis of a unit of each test (3 for the normal), for Fit in mode Moments
	Balance bool      // a critical value for each size of set, in place of one for all
	Slack   float64   // relative loss ε that a maximisation may have, 0 means exact; critical values are widened by 1/(1−ε)
	Nodes   int       // branch-and-bound nodes a knapsack may take, 0 means 2,000,000
	Names   []string  // of the tests, nil means test 0, test 1, …
	Unit    string    // of an effect, for axes and sentences, as "points"
	Workers int       // goroutines, 0 means one a core

	progress func(done, total int) // for tests: told how many draws are done
}

// settings returns a copy of opt with defaults filled in, or what is wrong.
func settings(opt *Options) (Options, error) {
	var o Options
	if opt != nil {
		o = *opt
	}
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return o, errorf("error rate must be in (0, 1), in Options.Alpha (%v); 0.05 states bounds of 95 %%", o.Alpha)
	}
	if o.Draws == 0 {
		o.Draws = 10000
	}
	if need := math.Ceil(1/o.Alpha - 1 - 1e-9); float64(o.Draws) < need {
		return o, errorf("too few draws for the quantile, in Options.Draws (%d); at alpha %v take at least %.0f, better 10,000", o.Draws, o.Alpha, need)
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Sides < Both || o.Sides > Upper {
		return o, errorf("no such side, in Options.Sides (%d); use Both, Lower or Upper", int(o.Sides))
	}
	if o.Mode < Auto || o.Mode > Joint {
		return o, errorf("no such mode, in Options.Mode (%d); use Auto", int(o.Mode))
	}
	if o.Family == nil {
		o.Family = All()
	}
	if o.Family.kind == nil {
		return o, errorf("empty family, in Options.Family (zero value); make one with All, AtMost, PerGroup, …")
	}
	if !(o.Slack >= 0 && o.Slack < 0.5) {
		return o, errorf("slack must be in [0, 0.5), in Options.Slack (%v); 0.005 widens bounds by half a percent", o.Slack)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o, nil
}

// checkVector refuses a value that is not finite.
func checkVector(x []float64, what string) error {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return errorf("not a finite number, in %s at test %d (%v); drop the test or repair the value", what, i, v)
		}
	}
	return nil
}

// checkLength refuses an optional vector of the wrong length.
func checkLength(n, p int, what string) error {
	if n != 0 && n != p {
		return errorf("lengths differ, in %s (%d values for %d tests); give one a test", what, n, p)
	}
	return nil
}
