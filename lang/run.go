package lang

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/fathom-kernel/fathom/lang/cellrt"
	"github.com/fathom-kernel/fathom/stdlib/display"
)

// outcome is how the code of a cell ended.
type outcome struct {
	err       error     // of the interpreter, or nil
	panicked  any       // the value of a panic, nil for none
	stack     []uintptr // of the panic
	goexit    bool
	abandoned string // why an interrupted cell's code was left behind: what it waits for
	reached   int    // definitions made
}

// settle is how long the code of an interrupted cell has to come to its end by
// itself before it is looked at.
const settle = 150 * time.Millisecond

// call runs the cell's code on a goroutine of its own and waits for its end, or
// for the cell to be interrupted.
func (e *Engine) call(ctx context.Context, name string, entry func(context.Context) error, out display.Sink, show func(display.Bundle)) *outcome {
	return e.callWith(ctx, name, entry, out, func(c *cellrt.Cell) {
		c.Show = func(values []any) {
			if b, ok := showValues(values); ok {
				show(b)
			}
		}
	})
}

func (e *Engine) callWith(ctx context.Context, name string, entry func(context.Context) error, out display.Sink, prepare func(*cellrt.Cell)) *outcome {
	cell := cellrt.NewCell(ctx, name)
	cell.Print = out.Stream
	cell.Sink = out
	prepare(cell)
	cell.Failed = func(v any, stack []uintptr) {
		lines := e.traceLines(panicText(v), stack, "panic in a goroutine")
		out.Stream("stderr", strings.Join(lines, "\n")+"\n")
	}
	done := make(chan *outcome, 1)
	id := make(chan string, 1)
	go func() {
		labelled := pprof.WithLabels(ctx, pprof.Labels("cell", name, "engine", e.label))
		pprof.SetGoroutineLabels(labelled)
		cellrt.Enter(cell)
		id <- goroutineID()
		o := &outcome{goexit: true}
		defer func() {
			if o.goexit {
				if v := recover(); v != nil {
					o.goexit = false
					o.panicked = v
					o.stack = cellrt.Callers(1)
				}
			}
			o.reached = int(cell.Reached.Load())
			done <- o
		}()
		o.err = entry(ctx)
		o.goexit = false
	}()
	defer cellrt.Leave()
	goroutine := <-id
	select {
	case o := <-done:
		return o
	case <-ctx.Done():
	}
	cell.Interrupt()
	wait := time.NewTimer(settle)
	defer wait.Stop()
	for {
		select {
		case o := <-done:
			cell.Settle()
			return o
		case <-wait.C:
			if state, blocked := goroutineState(goroutine); blocked {
				// It waits for what may never come. It is left there, and
				// ends at its next step if that ever comes.
				go func() { <-done; cell.Settle() }()
				return &outcome{panicked: cellrt.Interrupted{}, abandoned: state, reached: int(cell.Reached.Load())}
			}
			wait.Reset(50 * time.Millisecond)
		}
	}
}

// showValues renders the values of the last expression. A lone nil error is of
// no interest: the call went well.
func showValues(values []any) (display.Bundle, bool) {
	if n := len(values); n > 1 && values[n-1] == nil {
		values = values[:n-1]
	}
	if len(values) == 1 && values[0] == nil {
		return display.Bundle{}, false
	}
	if len(values) == 1 {
		return display.Render(values[0]), true
	}
	vs := make([]display.Value, len(values))
	for i, v := range values {
		vs[i] = display.Value{V: v}
	}
	return display.RenderAll(vs...), true
}

// goroutineID returns the number of the calling goroutine as stack dumps show it.
func goroutineID() string {
	buf := make([]byte, 64)
	f := bytes.Fields(buf[:runtime.Stack(buf, false)])
	if len(f) < 2 {
		return ""
	}
	return string(f[1])
}

// goroutineState returns what a goroutine waits for, and whether it waits.
func goroutineState(id string) (string, bool) {
	buf := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) || len(buf) >= 64<<20 {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	i := bytes.Index(buf, []byte("goroutine "+id+" ["))
	if i < 0 {
		return "", false
	}
	line, _, _ := bytes.Cut(buf[i:], []byte("\n"))
	_, state, _ := strings.Cut(string(line), "[")
	state, _, _ = strings.Cut(state, "]")
	state, _, _ = strings.Cut(state, ",")
	for _, w := range []string{"chan receive", "chan send", "select", "sleep", "sync.", "semacquire", "IO wait", "syscall"} {
		if strings.HasPrefix(state, w) {
			return state, true
		}
	}
	return state, false
}

// outcomeError turns an outcome into what the user is shown, nil where the
// cell ran to its end.
func (e *Engine) outcomeError(o *outcome) *Error {
	switch v := o.panicked.(type) {
	case nil:
	case cellrt.Interrupted:
		text := "interrupted"
		if o.abandoned != "" {
			text = fmt.Sprintf("interrupted while it waited (%s)", o.abandoned)
		}
		return &Error{Name: "Interrupted", Value: text, Traceback: e.traceLines(text, o.stack, "")}
	case cellrt.Exit:
		text := fmt.Sprintf("os.Exit(%d) ends the cell; the session goes on", v.Code)
		return &Error{Name: "Exit", Value: fmt.Sprintf("exit status %d", v.Code), Traceback: []string{text}}
	case cellrt.Failure:
		name := fmt.Sprintf("%T", v.Err)
		if strings.HasPrefix(name, "*errors.") || strings.HasPrefix(name, "*fmt.") {
			name = "error"
		}
		return &Error{Name: name, Value: v.Err.Error(), Traceback: e.traceLines(v.Err.Error(), o.stack, name)}
	default:
		text := panicText(v)
		return &Error{Name: "Panic", Value: text, Traceback: e.traceLines(text, o.stack, "panic")}
	}
	if o.goexit {
		return &Error{Name: "Goexit", Value: "runtime.Goexit ended the cell", Traceback: []string{"runtime.Goexit ended the cell"}}
	}
	if o.err != nil {
		return e.interpError(o.err)
	}
	return nil
}
