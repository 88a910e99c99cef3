// Package interp runs type-checked Go without a toolchain, and runs it as the
// Go compiler would, or refuses it before it runs.
//
// A Unit goes through three stages:
//
//   - golang.org/x/tools/go/ssa lowers it to about 35 operations (core.go):
//     generic functions are made concrete, closures, embedding, method values,
//     loops over functions, initialisation order and constants are resolved.
//     order.go then puts reads of variables where the compiler has them.
//   - Each operation becomes a Go closure over the registers of a frame
//     (reg.go, instr.go, arith.go). A register holds a value as Go's memory
//     does, so every pointer, slice, map and func value is a real one, shared
//     with compiled code, and overflow, rounding and runtime errors are those
//     of the Go code that does the operation.
//   - Types of the unit become types of the process (forge.go): the runtime's
//     own descriptions, with names, fields, tags and methods. So a type switch,
//     fmt, encoding/json, errors.As and map[any] keys see what they would see
//     in a compiled program, and compiled code calls the methods.
//
// An interpreter that erases type identity cannot be exact for any program in
// which a value of a user's type meets an interface; that is why this package
// does not hand units to one. Compiled packages come from reflect tables of the
// shape of stdlib/symbols (Options.Symbols).
//
// Generic functions of compiled packages have no compiled form: for those of
// slices, maps, cmp and a few more, prelude holds Go source of our own, and the
// sorts are the standard library's. Others are refused.
//
// Refused too, at Compile, is what would tell of the interpreter instead of the
// program: runtime.Caller, finalizers, memory statistics and the like
// (host.go); types declared inside generic functions, whose names the compiler
// makes up; and a call beside a variable that it may change, where the
// compiler's order depends on what it inlines.
package interp
