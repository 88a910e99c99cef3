package kernel

import (
	"context"
	"errors"
	"time"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// SessionOptions sets up the worker of a Session. The zero value is right for
// a notebook.
type SessionOptions struct {
	// Argv is the worker's command line; empty means this binary with the one
	// argument "worker".
	Argv []string
	// Env is added to this process's environment, as "NAME=value".
	Env []string
	// Dir is the worker's directory; empty means this process's.
	Dir string
	// MemoryLimit of the worker in bytes; 0 means the environment's
	// FATHOM_MEMORY_LIMIT or else 80 % of the machine, negative means none.
	MemoryLimit int64
	// OutputLimit is how many bytes of stream text one cell may show; 0 means
	// the environment's FATHOM_OUTPUT_LIMIT or else 10 MB, negative means no
	// limit.
	OutputLimit int64
	// NoSpare turns off the second, idle worker that takes over after a crash.
	NoSpare bool
	// Grace is how long an interrupted cell may go on before the user is told,
	// 0 means 2 s; Patience how long after that until the worker is replaced,
	// 0 means 5 s.
	Grace, Patience time.Duration
	// Log receives lines that are for nobody's cell; nil means standard error.
	Log func(format string, args ...any)
}

// ExecuteOptions belong to one cell.
type ExecuteOptions struct {
	// AllowStdin says that the front end can ask the user for a line. Without
	// it a read of os.Stdin gets EOF and a line on the cell's stderr says so.
	AllowStdin bool
}

// Session is the front's handle on a worker process, in which an Engine runs
// cells. The worker may die at any time: the Session reports that on the cell
// at fault, starts another and restores the declarations. Methods may be
// called from any goroutine; cells run one after the other, in the order of
// the calls.
type Session struct{}

// NewSession starts a worker and returns its Session.
func NewSession(opt SessionOptions) (*Session, error) { return nil, errNotYet }

// Execute runs a cell to its end and returns its Result; output goes to out
// while it comes, also after the end where the cell left goroutines behind.
// The Sink is called by one goroutine at a time and may block: the worker then
// waits. The end of ctx interrupts the cell. Execute returns an Error named
// "Exit", "Panic", "OutOfMemory", "StackOverflow", "FatalError", "Crash" or
// "Interrupted" where the worker died.
func (s *Session) Execute(ctx context.Context, cell Cell, opt ExecuteOptions, out display.Sink) Result {
	return Result{}
}

// Complete lists what could stand at the cursor (a byte offset), also while a
// cell runs.
func (s *Session) Complete(ctx context.Context, code string, cursor int) (Completion, error) {
	return Completion{}, errNotYet
}

// Inspect describes what stands at the cursor, also while a cell runs; a zero
// Bundle says that nothing was found.
func (s *Session) Inspect(ctx context.Context, code string, cursor, detail int) (display.Bundle, error) {
	return display.Bundle{}, errNotYet
}

// IsComplete says whether Enter should run the code, also while a cell runs.
func (s *Session) IsComplete(ctx context.Context, code string) (Completeness, error) {
	return Completeness{}, errNotYet
}

// Comm hands a comm message of the front end to the engine; id names the
// request and out receives what the engine says in answer.
func (s *Session) Comm(id string, m display.CommMessage, out display.Sink) error { return errNotYet }

// Interrupt stops the running cell: first by its context, after Grace with a
// word to the user, after Patience by replacing the worker. It does nothing
// where no cell runs.
func (s *Session) Interrupt() {}

// Restart throws the session's state away and starts a fresh worker.
func (s *Session) Restart() error { return errNotYet }

// Close ends the worker and every process it started.
func (s *Session) Close() error { return nil }

var errNotYet = errors.New("kernel: not built yet")
