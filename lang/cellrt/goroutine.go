package cellrt

import (
	"fmt"
	"log"
	"os"
)

// Go0 to Go4 call f where a cell has `go f(…)`: the arguments are evaluated by
// the go statement as ever, and a panic of f ends up on the cell.

func Go0(f func()) {
	defer Guard()
	f()
}

func Go1[A any](f func(A), a A) {
	defer Guard()
	f(a)
}

func Go2[A, B any](f func(A, B), a A, b B) {
	defer Guard()
	f(a, b)
}

func Go3[A, B, C any](f func(A, B, C), a A, b B, c C) {
	defer Guard()
	f(a, b, c)
}

func Go4[A, B, C, D any](f func(A, B, C, D), a A, b B, c C, d D) {
	defer Guard()
	f(a, b, c, d)
}

// LogFatal, LogFatalf and LogFatalln are log's: they end the cell, not the
// session.

func LogFatal(v ...any) {
	log.Output(2, fmt.Sprint(v...))
	OSExit(1)
}

func LogFatalf(format string, v ...any) {
	log.Output(2, fmt.Sprintf(format, v...))
	OSExit(1)
}

func LogFatalln(v ...any) {
	log.Output(2, fmt.Sprintln(v...))
	OSExit(1)
}

// Exact is the value of a constant that no Go type holds, in full.
type Exact string

func (e Exact) String() string { return string(e) }

// Used keeps imports that the rewriting of a cell may leave without a use.
var Used = []any{fmt.Println, os.Exit, log.Fatal}
