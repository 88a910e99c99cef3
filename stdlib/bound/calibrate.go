package bound

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// parallel hands out the draws 0…n−1 (what says what they are) in blocks to goroutines, each with its
// own worker made by start, and returns how many draws from the first on are
// done. It stops at the first error and when ctx ends.
func parallel(ctx context.Context, what string, o *Options, n, block int, start func() func(lo, hi int) error) (int, error) {
	blocks := (n + block - 1) / block
	done := make([]bool, blocks)
	var next atomic.Int64
	var mu sync.Mutex
	var failed error
	finished := 0
	bar := display.Progress(ctx, "bound: "+what, n)
	defer bar.Done()
	work := func() {
		run := start()
		for ctx.Err() == nil {
			b := int(next.Add(1)) - 1
			if b >= blocks {
				return
			}
			lo, hi := b*block, min((b+1)*block, n)
			err := run(lo, hi)
			mu.Lock()
			if err != nil {
				if failed == nil {
					failed = err
				}
				mu.Unlock()
				next.Store(int64(blocks))
				return
			}
			done[b] = true
			finished += hi - lo
			bar.Set(finished)
			if o.progress != nil {
				o.progress(finished, n)
			}
			mu.Unlock()
		}
	}
	var wg sync.WaitGroup
	for range min(o.Workers, blocks) - 1 {
		wg.Add(1)
		go func() { defer wg.Done(); work() }()
	}
	work()
	wg.Wait()
	first := 0
	for first < blocks && done[first] {
		first++
	}
	if failed == nil && first < blocks {
		failed = ctx.Err()
	}
	return min(first*block, n), failed
}

// blockSize aims at blocks of some milliseconds, so that progress moves and
// an interrupt is heard.
func blockSize(units int) int {
	return min(max(500_000/max(units, 1), 1), 256)
}

// maxima draws the maximum T of each draw: T⁺ for Lower, T⁻ for Upper, the
// larger of them for Both. It returns the draws made, from the first on.
func maxima(ctx context.Context, pl *plan, o *Options) ([]float64, error) {
	p := len(pl.v)
	t := make([]float64, o.Draws)
	var start func() func(lo, hi int) error
	work := *o
	block := blockSize(pl.cost())
	switch k := o.Family.kind.(type) {
	case batchOracle:
		work.Workers = 1
		block = 128
		start = func() func(lo, hi int) error { return batchWorker(pl, o, k, t) }
	default:
		if _, all := k.(allKind); all && pl.mode == Gauss && p >= streamFrom {
			st := newStreamer(pl, o)
			start = func() func(lo, hi int) error { return st.worker(t) }
			break
		}
		start = func() func(lo, hi int) error {
			s := newSolver(o.Family, p, o.Slack, o.Nodes)
			d := pl.drawer()
			return func(lo, hi int) error {
				for b := lo; b < hi; b++ {
					r := newStream(o.Seed, uint64(b))
					z, v := d.draw(&r)
					for _, sign := range signs(o.Sides) {
						x, err := s.value(z, v, sign)
						if err != nil {
							return err
						}
						t[b] = max(t[b], x)
					}
				}
				return nil
			}
		}
	}
	n, err := parallel(ctx, "draws", &work, o.Draws, block, start)
	t = t[:n]
	if slack := slackOf(o); slack > 0 {
		// The value found is at least (1−ε)·T: dividing keeps coverage.
		for b := range t {
			t[b] /= 1 - slack
		}
	}
	return t, err
}

var bothSigns = [2]float64{1, -1}

// signs returns the signs of the errors that matter: an estimate above its
// effect endangers the lower bound.
func signs(s Sides) []float64 {
	switch s {
	case Lower:
		return bothSigns[:1]
	case Upper:
		return bothSigns[1:]
	}
	return bothSigns[:]
}

// cost is roughly the number of random numbers of a draw.
func (pl *plan) cost() int {
	switch pl.mode {
	case Student, Resample, Joint:
		sum := 0
		for _, x := range pl.resid {
			sum += len(x)
		}
		return sum + 10*len(pl.v)
	}
	return 20 * len(pl.v)
}

// batchWorker runs the searches of a block of draws in step, so that each
// round asks the family's oracle once for all of them.
func batchWorker(pl *plan, o *Options, k batchOracle, t []float64) func(lo, hi int) error {
	p := len(pl.v)
	d := pl.drawer()
	return func(lo, hi int) error {
		type job struct {
			b    int
			z, v []float64
			sign float64
			s    search
			w    []float64
		}
		var jobs []*job
		for b := lo; b < hi; b++ {
			r := newStream(o.Seed, uint64(b))
			dz, dv := d.draw(&r)
			z := append([]float64(nil), dz...)
			v := append([]float64(nil), dv...)
			for _, sign := range signs(o.Sides) {
				j := &job{b: b, z: z, v: v, sign: sign, w: make([]float64, p)}
				j.s.score = ratio
				slope, _ := steepest(z, v, sign)
				j.s.reset(slope / 2)
				if slope > 0 {
					jobs = append(jobs, j)
				}
			}
		}
		for len(jobs) > 0 {
			var ws [][]float64
			live := jobs[:0]
			for _, j := range jobs {
				lam, more := j.s.next()
				if !more {
					t[j.b] = max(t[j.b], j.s.best)
					continue
				}
				weigh(j.w, j.z, j.v, j.sign, lam)
				ws = append(ws, j.w)
				live = append(live, j)
			}
			jobs = live
			sets, err := k.bestBatch(ws)
			if err != nil {
				return err
			}
			for i, j := range jobs {
				sz, sv := sums(sets[i], j.z, j.v, j.sign)
				if err := j.s.feed(sz, sv, sets[i]); err != nil {
					return err
				}
			}
		}
		return nil
	}
}
