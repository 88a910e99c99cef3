package interp

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
)

// Unit is a self-contained, type-checked package: the declarations that a cell
// needs, and an entry function. Package-level variables that are not in Vars
// belong to the unit and are initialised in Go's order; then the init
// functions run, then Entry.
type Unit struct {
	Fset  *token.FileSet
	Files []*ast.File
	Pkg   *types.Package
	Info  *types.Info // all maps filled, Instances and FileVersions too
	Entry string      // a func() of Files

	// Vars holds the package-level variables that live outside the unit, as
	// addressable values of their real type. Their initialisers do not run.
	Vars map[*types.Var]reflect.Value
	// Types holds the named types of Pkg, and of other user packages, that
	// exist as compiled types.
	Types map[*types.TypeName]reflect.Type
	// Funcs holds the functions that exist compiled; they are called instead
	// of their bodies.
	Funcs map[types.Object]reflect.Value
}

// Options says what an Engine works with.
type Options struct {
	// Symbols returns the exported symbols of a compiled package by name, or
	// nil for a package that is not at hand. Types are typed nil pointers to
	// them, variables are addressable values, functions are themselves.
	Symbols func(importPath string) map[string]reflect.Value

	// Import returns the description of a package that the unit does not
	// import itself; generic functions of slices and maps need cmp and iter.
	// Nil means that only the unit's own imports are at hand.
	Import func(importPath string) (*types.Package, error)

	// Background is called, on any goroutine, with a panic of a goroutine that
	// was still running after Run had returned. Nil drops it.
	Background func(*Panic)

	// Refuse names compiled functions, as "path.Func", that a unit must not
	// call, each with the reason.
	Refuse map[string]string
}

// A Refusal is the error of Compile for a unit that cannot be proven to run as
// the compiler would run it.
type Refusal struct {
	Pos       token.Pos
	Construct string // what is refused: "call of reflect.TypeFor"
	Why       string // the reason, for the user
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("interp: %s: %s", r.Construct, r.Why)
}

// A Frame is a function of the unit that was active when a panic began.
type Frame struct {
	Func string // as in Go's traces: main.f, main.(*T).m, main.f.func1
	Pos  token.Position
}

// A Panic is the error of Run for a panic that nothing recovered.
type Panic struct {
	Value     any     // what panic was called with, or a runtime.Error
	Frames    []Frame // innermost first
	Goroutine bool    // in a goroutine that the unit started
	// Stack is where the panic began, for the frames of compiled code.
	Stack []uintptr
}

func (p *Panic) Error() string { return "panic: " + p.Text() }

// An Exit is the error of Run for a call of os.Exit.
type Exit struct{ Code int }

func (e *Exit) Error() string { return fmt.Sprintf("exit status %d", e.Code) }

// A Fatal is the error of Run for what ends a Go process whatever is deferred:
// a stack overflow, or all goroutines asleep.
type Fatal struct {
	Text   string // as Go prints it after "fatal error: "
	Frames []Frame
}

func (e *Fatal) Error() string { return "fatal error: " + e.Text }

// Goexit is the error of Run where the entry function called runtime.Goexit.
var Goexit error = goexit{}

type goexit struct{}

func (goexit) Error() string { return "interp: runtime.Goexit ended the entry function" }

// Engine compiles units. It may be used by several goroutines.
type Engine struct{ engine }

// New returns an engine.
func New(o Options) *Engine { return &Engine{newEngine(o)} }

// Compile returns the program of a unit. The error is a *Refusal where the
// unit needs what the engine cannot do exactly.
func (e *Engine) Compile(u *Unit) (*Program, error) { return e.compile(u) }

// Program is a compiled unit.
type Program struct{ program }

// Run initialises the unit's own variables, runs its init functions and its
// entry, and waits for the entry to return. The error is a *Panic, an *Exit, a
// *Fatal, Goexit, or ctx's error; it returns at once when ctx ends, whatever
// the unit waits for.
func (p *Program) Run(ctx context.Context) error { return p.run(ctx) }
