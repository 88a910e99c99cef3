// Package cellrt is what a compiled cell calls: the few functions that the
// front end writes into a cell where the user wrote a script rule, a print or
// a loop. It is small and imports little, since every compiled cell links it.
package cellrt

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"
	"unsafe"
)

// Cell is one run of one cell, as its code and its goroutines see it.
type Cell struct {
	Name string // as in traces: cell[7]
	Ctx  context.Context
	// Print writes text that can't go through the process's own standard
	// output, since another cell owns that now.
	Print func(stream, text string)
	// Show shows the values of the last expression.
	Show func(values []any)
	// Failed reports a panic in a goroutine of the cell.
	Failed func(value any, stack []uintptr)
	// Sink is the cell's display.Sink; kept as any, since display is too large
	// for what every compiled cell links.
	Sink any

	label    unsafe.Pointer
	stopped  atomic.Bool
	Reached  atomic.Int32 // how many top-level definitions have been made
	routines atomic.Int32 // interrupted code that has not come to its end yet
}

var newest atomic.Pointer[Cell]

// NewCell returns a cell ready to Enter.
func NewCell(ctx context.Context, name string) *Cell {
	c := &Cell{Name: name, Ctx: ctx}
	newest.Store(c)
	return c
}

// Interrupted is the panic that ends the code of an interrupted cell.
type Interrupted struct{}

func (Interrupted) Error() string { return "interrupted" }

// Exit is the panic that os.Exit in a cell becomes: it ends the cell, not the
// session.
type Exit struct{ Code int }

func (e Exit) Error() string { return fmt.Sprintf("os.Exit(%d)", e.Code) }

// Failure is the panic of a call whose error the script rules checked.
type Failure struct{ Err error }

func (f Failure) Error() string { return f.Err.Error() }
func (f Failure) Unwrap() error { return f.Err }

// stop counts the interrupted cells whose code may still run. Check is in
// every loop and at every function's start, so it is one load and one branch.
var stop atomic.Uint32

// Check ends the calling goroutine's code where its cell was interrupted.
func Check() {
	if stop.Load() != 0 {
		stopped()
	}
}

func stopped() {
	if c, ok := cells.Load(label()); ok && c.(*Cell).stopped.Load() {
		panic(Interrupted{})
	}
}

// Interrupt makes every Check of the cell's goroutines end them, for ever.
func (c *Cell) Interrupt() {
	if !c.stopped.Swap(true) {
		stop.Add(1)
	}
}

// Settle says that no code of the interrupted cell is left.
func (c *Cell) Settle() {
	if c.stopped.Swap(false) {
		stop.Add(^uint32(0))
	}
}

// Stopped reports whether the cell was interrupted.
func (c *Cell) Stopped() bool { return c.stopped.Load() }

// Context is the leading argument that script rule 1 passes: it ends when the
// cell is interrupted.
func Context() context.Context {
	if c := Of(); c != nil {
		return c.Ctx
	}
	return context.Background()
}

// Sleep is time.Sleep that an interrupt ends.
func Sleep(d time.Duration) {
	c := Of()
	if c == nil || c.Ctx == nil {
		time.Sleep(d)
		return
	}
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-c.Ctx.Done():
		Check()
		<-t.C // the context ended for another reason: the cell is not to stop
	}
}

// OSExit is os.Exit in a cell.
func OSExit(code int) { panic(Exit{code}) }

// Guard, deferred at the start of a goroutine of the cell, reports its panic
// on the cell instead of ending the process.
func Guard() {
	c := Of()
	v := recover()
	if v == nil {
		return
	}
	if _, ok := v.(Interrupted); ok {
		return
	}
	if c == nil || c.Failed == nil {
		panic(v)
	}
	c.Failed(v, Callers(1))
}

// Reach records that the cell's first n definitions have been made.
func Reach(n int32) {
	if c := current.Load(); c != nil {
		c.Reached.Store(n)
	}
}

// own reports whether the process's standard output is the calling
// goroutine's: it is the running cell's.
func own() (*Cell, bool) {
	c := Of()
	return c, c == nil || c == current.Load() || c.Print == nil
}

// Println is fmt.Println that prints to the cell which the goroutine belongs to.
func Println(a ...any) (int, error) {
	if c, ok := own(); !ok {
		s := fmt.Sprintln(a...)
		c.Print("stdout", s)
		return len(s), nil
	}
	return fmt.Fprintln(os.Stdout, a...)
}

// Print is fmt.Print, as Println is fmt.Println.
func Print(a ...any) (int, error) {
	if c, ok := own(); !ok {
		s := fmt.Sprint(a...)
		c.Print("stdout", s)
		return len(s), nil
	}
	return fmt.Fprint(os.Stdout, a...)
}

// Printf is fmt.Printf, as Println is fmt.Println.
func Printf(format string, a ...any) (int, error) {
	if c, ok := own(); !ok {
		s := fmt.Sprintf(format, a...)
		c.Print("stdout", s)
		return len(s), nil
	}
	return fmt.Fprintf(os.Stdout, format, a...)
}
