// Package lang is the cell language: Go, type-checked, in cells that share a
// session, with three script rules.
//
// # The rules
//
//  1. A call may leave out a leading context.Context, for which the cell's own
//     is passed (Interrupt ends it), and a trailing *Options, for which nil is.
//  2. A call whose last result is an error may be used where one value fewer
//     fits. The error is checked; one that is not nil ends the cell.
//  3. The last expression of a cell is shown, unless a semicolon ends the cell.
//     Names may be declared again, with another type; variables and imports
//     need no use.
//
// What is valid Go is never rewritten, so a Go program means in a cell what it
// means to the compiler.
//
// # What a session means
//
// Each row is a notebook in testdata/cells.
//
//	redeclare_variable    := and var of a new type make a new variable; of the same type they set the old
//	redefine_function     functions of earlier cells call the newest definition; those that no longer fit are named
//	redefine_type         a type declared again is a new type; old values keep the old, and messages say so
//	method_in_later_cell  a type may get methods later; variables of the type have them
//	imports_anywhere      imports stand anywhere, twice, renamed, with a dot; a clear name needs no import
//	mixed                 declarations and statements mix; functions see the cell's variables
//	program               a program pasted whole runs init and main once; its variables stay
//	constants             constants and iota stay, exact
//	generics              generic types and functions work from later cells
//	closures_live_on      closures and goroutines go on using session variables
//	defer_at_cell_level   a deferred call runs when the cell ends
//	unused                unused variables and imports are fine at cell level, not in functions
//	shadowed_names        predeclared names may be declared
//	fails_half_way        what was assigned before a failure stays
//	script_rules          rules 1 and 2, nested, in headers, as arguments, of methods
//	last_value            rule 3
//	all_errors            all errors of a cell at once, with places and hints
//	panics                a panic shows the user's frames
//	bad_input             anything else
//	magics                commands
//	changed_layout        memory is never read as a type of another layout
//	embedded_types        a type that was declared again may be embedded
//	unexported_fields     unexported fields and methods are those of every cell
//	short_loops           a short loop means the same in either engine
//	embedded_files        //go:embed
//	local_packages        packages of a folder, by path
//
// # The life of a cell
//
// split (split.go) cuts it into items; check (check.go, adjust.go, rules.go)
// type-checks them against the session, again and again until no rule applies;
// lower (lower.go) finds what it declares, defines and uses, and the edits that
// make it plain Go; compose (unit.go) writes a unit: a package with all that the
// cell needs. The plan (plan.go, instant.go) gives the unit to the interpreter
// (package interp) where that answers at once, or to the compiler (package
// native). run.go runs it; commit.go makes the session remember.
//
// # Units
//
// A unit is compiled as a plugin. All units have one package path, so that a
// type that several of them declare with the same text is one type: the linker
// and the runtime know types by name. A linker script keeps everything else of
// a unit to itself. A type that is declared again gets a number in its symbol,
// which is taken out of what the program sees (native/patch.go). Session
// variables live outside, each in memory of its own, and units have pointers to
// them.
package lang
