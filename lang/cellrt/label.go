package cellrt

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// Goroutines inherit the profiler labels of the goroutine that started them,
// which is the one thing that ties a goroutine to its cell however late it
// prints. The engine gives each cell a label set of its own; here only the
// pointer is read, as a key.

//go:linkname label runtime/pprof.runtime_getProfLabel
func label() unsafe.Pointer

var (
	cells   sync.Map // unsafe.Pointer of the labels -> *Cell
	current atomic.Pointer[Cell]
)

// Enter ties the calling goroutine, whose labels were just set, to c and makes
// c the running cell.
func Enter(c *Cell) {
	c.label = label()
	if c.label != nil {
		cells.Store(c.label, c)
	}
	current.Store(c)
}

// Leave says that no cell runs any more. Goroutines that c started still
// belong to it.
func Leave() { current.Store(nil) }

// Forget drops what is known of a cell whose goroutines have all ended or
// which is too old to matter.
func Forget(c *Cell) { cells.Delete(c.label) }

// Of returns the cell that the calling goroutine belongs to: the one that
// started it, or else the one that runs now, or else the newest.
func Of() *Cell {
	if c, ok := cells.Load(label()); ok {
		return c.(*Cell)
	}
	if c := current.Load(); c != nil {
		return c
	}
	return newest.Load()
}

// Running returns the cell that runs now, or nil.
func Running() *Cell { return current.Load() }
