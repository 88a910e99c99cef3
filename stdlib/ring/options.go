package ring

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// Options are the settings of every verb of this package. Nil and the zero
// value are the documented defaults. A run repeats to the bit, on any number of
// cores, unless Time cuts it short.
type Options struct {
	Seed uint64 // of all random choices; 0 means 1

	// Time ends a search after so long, with the best found by then; what it
	// finds then depends on the machine. 0 means that only Moves ends it.
	Time time.Duration

	// Moves is the budget of a search: swaps a start of the polish and steps
	// of a baseline, and kicks of a tour search. 0 means 2·10⁷/n, within
	// 2,000 and 300,000; without limit where Time is given.
	Moves int

	Starts int    // independent starts of the polish; 0 means 4, or one a worker where Time is given
	Method Method // of Place; 0 means Best

	Polish bool // let Method BTSPMSR polish too; Best always does
	Lower  bool // spend ten times the usual effort on the lower bound

	Workers  int   // goroutines; 0 means one a core
	MaxBytes int64 // largest delay matrix to make; 0 means 2 GiB

	// Delays of ReadGML: MsPerKm a km of link, 0 means 0.0085; PerHop ms on
	// top, 0 means 4, negative means none; Model says on top of what.
	MsPerKm float64
	PerHop  float64
	Model   DelayModel

	// Progress is told how far a search is, from 0 to 1, and its best value
	// so far, some ten times a second. Calls do not overlap.
	Progress func(done, best float64)
}

// Method says how Place finds a placement.
type Method int

const (
	Best     Method = iota // BTSP, MSR, then the polish of the true objective
	BTSPMSR                // tour, then multiplier: the paper's method
	TourOnly               // tour, multiplier 1
	Identity               // node i at position i
	Random                 // the best of Starts random placements; their mean is in Mean
	Greedy                 // place the node that costs least next
	Anneal                 // simulated annealing of the true objective
	Exact                  // depth-first search of all placements, for about n ≤ 12
)

var methodNames = []string{"best", "BTSP-MSR", "tour", "identity", "random", "greedy", "annealing", "exact"}

// String names the method.
func (m Method) String() string {
	if m < 0 || int(m) >= len(methodNames) {
		return fmt.Sprintf("Method(%d)", int(m))
	}
	return methodNames[m]
}

// DelayModel says where ReadGML adds the fixed delay.
type DelayModel int

const (
	PerLink DelayModel = iota // shortest paths over links of MsPerKm·km + PerHop
	PerPath                   // MsPerKm·(shortest path in km) + PerHop once
)

// String names the delay model.
func (m DelayModel) String() string {
	if m == PerPath {
		return "per path"
	}
	return "per link"
}

// Status says how far a result is proved.
type Status int

const (
	Feasible Status = iota // valid; the lower bound leaves a gap
	Optimal                // equal to the lower bound, or proved by enumeration
	Stopped                // cancelled or out of time: the best so far
)

// String names the status.
func (s Status) String() string {
	return [...]string{"feasible", "optimal", "stopped"}[min(max(s, 0), 2)]
}

// settings are Options with the defaults filled in.
type settings struct {
	Options
	deadline time.Time
	bar      *display.Bar // nil: none
}

func (o *Options) settings(n int) (settings, error) {
	var s settings
	if o != nil {
		s.Options = *o
	}
	if s.Moves < 0 || s.Starts < 0 || s.Workers < 0 || s.Time < 0 {
		return s, fmt.Errorf("ring: Options has a negative budget (Moves %d, Starts %d, Workers %d, Time %v); 0 means the default",
			s.Moves, s.Starts, s.Workers, s.Time)
	}
	if s.Method < 0 || int(s.Method) >= len(methodNames) {
		return s, fmt.Errorf("ring: unknown Method %d; use one of Best … Exact", int(s.Method))
	}
	if s.Seed == 0 {
		s.Seed = 1
	}
	if s.Workers == 0 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	if s.Starts == 0 {
		s.Starts = 4
		if s.Time > 0 {
			s.Starts = min(4, s.Workers)
		}
	}
	if s.Time > 0 {
		s.deadline = time.Now().Add(s.Time)
		if s.Moves == 0 {
			s.Moves = 1 << 60
		}
	}
	if s.Moves == 0 {
		s.Moves = max(2000, min(300_000, 20_000_000/max(n, 1)))
	}
	return s, nil
}

// late tells whether the time is over.
func (s *settings) late() bool { return !s.deadline.IsZero() && time.Now().After(s.deadline) }

// random returns the stream of one task: it depends on the seed and the task's
// number alone, so the order in which tasks run changes nothing.
func (s *settings) random(task uint64) *rand.Rand {
	return rand.New(rand.NewPCG(s.Seed, task*0x9e3779b97f4a7c15+0x2545f4914f6cdd1d))
}

// turn returns the deadline of start k: with more starts than workers the time
// from begin on is shared among their turns.
func (s *settings) turn(k int, begin time.Time) time.Time {
	if s.deadline.IsZero() || s.Starts <= s.Workers {
		return s.deadline
	}
	turns := (s.Starts + s.Workers - 1) / s.Workers
	return begin.Add(s.deadline.Sub(begin) * time.Duration(k/s.Workers+1) / time.Duration(turns))
}
