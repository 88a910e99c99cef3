package cellrt

import (
	"reflect"
	"runtime"
	"sync"
)

// Unit is what a compiled cell hands to the engine when it is loaded.
type Unit struct {
	N     int
	Entry func()
	Funcs []Func // the functions that it declares
	Types []Type // the types that it declares
	Ptrs  []Ptr  // the session variables that it uses
}

// Func, Type and Ptr are what a unit has under a name or a variable's number.
// Slices of them need no predeclared name that a user may have redefined.
type (
	Func struct {
		Name string
		F    any
	}
	Type struct {
		Name string
		T    reflect.Type
	}
	Ptr struct {
		ID int
		P  any // **T, or Owned where the unit has the variable itself
	}
	Owned struct{ P any } // *T
)

// Own marks a variable that the unit has itself.
func Own(p any) Owned { return Owned{p} }

// Keep does nothing with what must not be dropped by the linker.
func Keep(any) {}

var (
	unitMu sync.Mutex
	units  = map[int]*Unit{}
)

// Register is called by the unit's init function.
func Register(u *Unit) {
	unitMu.Lock()
	defer unitMu.Unlock()
	units[u.N] = u
}

// Take returns the unit loaded under the number, once.
func Take(n int) *Unit {
	unitMu.Lock()
	defer unitMu.Unlock()
	u := units[n]
	delete(units, n)
	return u
}

// Callers returns the program counters of the calling goroutine.
func Callers(skip int) []uintptr {
	pcs := make([]uintptr, 256)
	return pcs[:runtime.Callers(skip+2, pcs)]
}

// TypeFor is reflect.TypeFor, here so that a unit need not import reflect.
func TypeFor[T any]() reflect.Type { return reflect.TypeFor[T]() }
