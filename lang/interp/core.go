package interp

import (
	"reflect"

	"golang.org/x/tools/go/ssa"
)

// core lists the operations that the machine does: those of go/ssa, with
// generic functions made concrete. What is not on the list is refused.
// TestCore holds that each operation occurs in the random programs that
// TestDifferential compares with the Go compiler.
var core = map[string]string{
	"Alloc":               "a variable; its memory has the type's real layout",
	"BinOp":               "arithmetic and comparison, done by Go on the same types: overflow, rounding and panics are Go's",
	"Call":                "calls; of compiled functions through reflect",
	"ChangeInterface":     "between interface types; the runtime's own method tables",
	"ChangeType":          "between types of one representation",
	"Convert":             "conversions of numbers and strings, done by Go",
	"Defer":               "with the arguments of the defer statement",
	"Extract":             "a result of several",
	"Field":               "of a struct value",
	"FieldAddr":           "with the nil check",
	"Go":                  "a goroutine; its panic is reported by Run",
	"If":                  "branch",
	"Index":               "of a string or array value, checked",
	"IndexAddr":           "of a slice or array, checked",
	"Jump":                "branch",
	"Lookup":              "of a map",
	"MakeChan":            "a channel of the runtime",
	"MakeClosure":         "a func value that compiled code can call",
	"MakeInterface":       "an interface value of the runtime, with the type's own identity",
	"MakeMap":             "a map of the runtime",
	"MakeSlice":           "with Go's panics",
	"MapUpdate":           "assignment to a map element",
	"Next":                "the next element of a map or string",
	"Panic":               "a panic of Go",
	"Phi":                 "the value that a branch chose, as one assignment",
	"Range":               "over a map, in the runtime's order, or a string",
	"Return":              "from a function",
	"RunDefers":           "deferred calls, last first; recover stops a panic in the function that deferred its caller",
	"Select":              "by the runtime's choice",
	"Send":                "on a channel",
	"Slice":               "checked in the compiler's order",
	"SliceToArrayPointer": "checked",
	"Store":               "assignment",
	"TypeAssert":          "by type identity, or the runtime's method tables",
	"UnOp":                "load, receive, negation",
	"DebugRef":            "where an expression stood; see order.go",
}

// seenOp, where a test sets it, is told of every operation compiled.
var seenOp func(string)

// inCore reports whether the machine does the operation.
func inCore(in ssa.Instruction) bool {
	name := reflect.TypeOf(in).Elem().Name()
	if seenOp != nil {
		seenOp(name)
	}
	_, ok := core[name]
	return ok
}
