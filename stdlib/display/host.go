package display

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
)

// host tells the Sink of the calling goroutine's cell.
var host atomic.Pointer[func() Sink]

// terminal is where output goes outside a notebook.
var terminal = sync.OnceValue(func() Sink { return NewTerminal(stdout{}, os.Stderr, os.Stdin) })

// stdout is os.Stdout as it is when something is written: programs replace it.
type stdout struct{}

func (stdout) Write(b []byte) (int, error) { return os.Stdout.Write(b) }

// SetHost sets the function that gives the Sink of the cell that the calling
// goroutine belongs to. The worker of a kernel calls it once, before any cell
// runs. A nil f, or an f that returns nil, means the terminal.
func SetHost(f func() Sink) {
	if f == nil {
		host.Store(nil)
		return
	}
	host.Store(&f)
}

// Current returns the Sink that output of this goroutine goes to. Keep it to
// write to this cell from a goroutine that the host cannot tell.
func Current() Sink {
	if f := host.Load(); f != nil {
		if s := (*f)(); s != nil {
			return s
		}
	}
	return terminal()
}

// InNotebook reports whether a host is there to show more than text.
func InNotebook() bool { return host.Load() != nil }

// Show shows each value in the best way that the front end has.
func Show(values ...any) {
	out := Current()
	for _, v := range values {
		b, id := renderID(v)
		out.Display(b, id)
	}
}

// renderID renders v, and finds the display_id that a Data may carry.
func renderID(v any) (Bundle, string) {
	id := ""
	if d, ok := v.(Data); ok {
		id, _ = d.Transient["display_id"].(string)
	}
	return Render(v), id
}

// Display shows a value and returns nil. It is Show for one value, with the
// error result that older notebooks expect.
func Display(v any) error {
	Show(v)
	return nil
}

// ShowID shows v under a name of the caller's, so that Update can change it in
// this or a later cell.
func ShowID(id string, v any) { Current().Display(Render(v), id) }

// Update replaces what the displays of that name show, in whatever cell.
func Update(id string, v any) { Current().Update(Render(v), id) }

// Clear removes the output of the cell; with wait only when the next output
// comes, which animates without flicker.
func Clear(wait bool) { Current().Clear(wait) }

// Input asks the user for a line. In a cell ctx may be left out; Interrupt then
// ends the question. It fails where nobody can be asked.
func Input(ctx context.Context, prompt string) (string, error) {
	return Current().Input(ctx, prompt, false)
}

// Password asks the user for a line that is not shown as it is typed.
func Password(ctx context.Context, prompt string) (string, error) {
	return Current().Input(ctx, prompt, true)
}

// A Handle is a display that can be changed later. Its methods may be called
// from any goroutine.
type Handle struct {
	id   string
	sink Sink
}

// Start shows v and returns the handle that changes it.
func Start(v any) *Handle {
	h := &Handle{id: newID(), sink: Current()}
	h.sink.Display(Render(v), h.id)
	return h
}

// ID returns the display_id of the handle.
func (h *Handle) ID() string { return h.id }

// Update replaces what the handle's display shows.
func (h *Handle) Update(v any) { h.sink.Update(Render(v), h.id) }

// The ids of one process never meet those of another, because a notebook may
// show outputs of a kernel that is gone. They are not saved with it.
var (
	idPrefix = sync.OnceValue(func() string { return fmt.Sprintf("%012x", rand.Uint64()>>16) })
	idCount  atomic.Int64
)

func newID() string { return fmt.Sprintf("fathom-%s-%d", idPrefix(), idCount.Add(1)) }
