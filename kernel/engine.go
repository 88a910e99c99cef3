package kernel

import (
	"context"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// Engine runs the cells of one session. It lives in the worker process; the
// front speaks to it through a pipe and never runs user code itself.
//
// Positions in code are byte offsets into valid UTF-8; the kernel translates
// the protocol's code points. Execute is called by one goroutine at a time;
// Complete, Inspect, IsComplete and Comm may be called while it runs.
type Engine interface {
	// Execute runs one cell to its end. When ctx ends the cell must stop as
	// soon as it can, with the session's state intact.
	Execute(ctx context.Context, cell Cell, out display.Sink) Result
	// Complete lists what could stand at the cursor.
	Complete(ctx context.Context, code string, cursor int) Completion
	// Inspect describes what stands at the cursor; a zero Bundle says that
	// nothing was found. Detail 1 asks for the source too.
	Inspect(ctx context.Context, code string, cursor, detail int) display.Bundle
	// IsComplete says whether Enter should run the code or start a new line.
	IsComplete(code string) Completeness
	// Comm takes a comm message from the front end. Nothing may block here. A
	// comm_open for a target that nobody has must be answered by a comm_close
	// on out.
	Comm(m display.CommMessage, out display.Sink)
	// Restore declares again, in a fresh worker, what Result.Snapshot
	// describes: imports, types, functions and constants. It returns the
	// names of the variables that are lost.
	Restore(ctx context.Context, snapshot []byte) (lost []string, err error)
	// Close ends the session.
	Close() error
}

// Cell is one execute_request.
type Cell struct {
	ID          string // msg_id of the request: unique in the session
	Count       int    // execution count shown to the user, as in [7]
	Code        string
	Silent      bool              // show nothing, count nothing
	Expressions map[string]string // user_expressions, evaluated after the code
}

// Result is how a cell ended.
type Result struct {
	Err         *Error // nil where the cell ran to its end
	Expressions map[string]ExpressionResult
	// Snapshot describes the session's declarations for Restore. Opaque to
	// the kernel, which keeps the newest.
	Snapshot []byte
	// Payload is the execute_reply payload (pager, set_next_input), often nil.
	Payload []map[string]any
}

// Error is what a front end shows of a failed cell. Traceback lines may hold
// ANSI colours; the first ones are what the user should read.
type Error struct {
	Name      string // a kind: "CompileError", "Panic", "Interrupted", "Exit", "Crash", or the error's Go type
	Value     string
	Traceback []string
}

// ExpressionResult is the outcome of one user expression.
type ExpressionResult struct {
	Value display.Bundle
	Err   *Error
}

// Completion is the answer to Complete: each match replaces code[Start:End].
type Completion struct {
	Start, End int
	Matches    []Match
}

// Match is one thing that could be completed to.
type Match struct {
	Text      string
	Kind      string // "function", "variable", "field", "method", "type", "constant", "package", "keyword", "snippet"
	Signature string
}

// Completeness is the answer to IsComplete.
type Completeness struct {
	Status string // "complete", "incomplete", "invalid" or "unknown"
	Indent string // for "incomplete": what the next line should start with
}
