package notebook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/stdlib/display"
)

// Runner runs cells one after another in one session. kernel.Engine and the
// session of a worker process both do.
type Runner interface {
	Execute(ctx context.Context, cell kernel.Cell, out display.Sink) kernel.Result
}

// Tags that change how a cell is run. They are those of nbclient.
const (
	tagSkip   = "skip-execution"   // the cell is not run
	tagRaises = "raises-exception" // the cell may fail; the run goes on
)

var errNoInput = errors.New("notebook: nobody can be asked for input in this run; pass a parameter instead (-p name=value)")

// Options say how Run treats a notebook. The zero value runs all cells to the
// first error.
type Options struct {
	// AllowErrors runs the cells after a failed one too.
	AllowErrors bool
	// Timeout is the longest time a cell may take; 0 means no limit.
	Timeout time.Duration
	// Out is shown everything as it comes; nil shows nothing.
	Out display.Sink
	// Before is called before each cell that is run, with its place among
	// them, from 1; nil is fine.
	Before func(place, of int, c *Cell)
	// Failed is called with each cell that failed; nil is fine.
	Failed func(c *Cell, e *kernel.Error)
}

// CellError is the error of a cell that stopped a run.
type CellError struct {
	Index int // of the cell in the notebook, from 0
	Count int // its execution count
	Err   *kernel.Error
}

func (e *CellError) Error() string {
	return fmt.Sprintf("cell [%d] failed: %s: %s", e.Count, e.Err.Name, firstLine(e.Err.Value))
}

// Run runs the notebook's code cells in order and replaces their outputs by
// the new ones; cells that are not reached have none afterwards. The returned
// number is that of cells that failed without stopping the run (AllowErrors,
// or a cell tagged raises-exception). The error is a *CellError where a cell
// stopped it, or ctx's where it was cancelled between cells. In every case the
// notebook is valid and holds what was shown so far.
//
// Cells tagged skip-execution and empty cells are not run.
func Run(ctx context.Context, nb *Notebook, runner Runner, opt *Options) (failed int, err error) {
	if opt == nil {
		opt = &Options{}
	}
	recorder := NewRecorder(opt.Out)
	var todo []int
	for i, c := range nb.Cells {
		if c.Kind != Code {
			continue
		}
		c.Outputs, c.Count = nil, 0
		if strings.TrimSpace(c.Source) != "" && !c.HasTag(tagSkip) {
			todo = append(todo, i)
		}
	}
	// Output of goroutines that outlive the run must not reach the notebook
	// while the caller writes it.
	defer recorder.Close()

	for n, i := range todo {
		if err := context.Cause(ctx); err != nil {
			return failed, fmt.Errorf("notebook: stopped before cell %d of %d: %w", n+1, len(todo), err)
		}
		c := nb.Cells[i]
		c.Count = n + 1
		if opt.Before != nil {
			opt.Before(n+1, len(todo), c)
		}
		e := runCell(ctx, c, runner, recorder, opt)
		if e == nil {
			continue
		}
		recorder.Fail(c, e)
		if opt.Failed != nil {
			opt.Failed(c, e)
		}
		if ctx.Err() != nil || !opt.AllowErrors && !c.HasTag(tagRaises) {
			return failed, &CellError{Index: i, Count: c.Count, Err: e}
		}
		failed++
	}
	return failed, nil
}

func runCell(ctx context.Context, c *Cell, runner Runner, recorder *Recorder, opt *Options) *kernel.Error {
	cellCtx := ctx
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		cellCtx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	result := runner.Execute(cellCtx, kernel.Cell{ID: c.ID, Count: c.Count, Code: c.Source}, recorder.Sink(c))
	if result.Err != nil && ctx.Err() == nil && errors.Is(cellCtx.Err(), context.DeadlineExceeded) {
		text := fmt.Sprintf("the cell took longer than %v; --timeout sets the limit", opt.Timeout)
		return &kernel.Error{
			Name: "Timeout", Value: text,
			Traceback: append([]string{"Timeout: " + text}, result.Err.Traceback...),
		}
	}
	return result.Err
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
