package lang

import (
	"context"
	"errors"
)

// interpreter runs units that need no compiling.
type interpreter struct{}

func newInterpreter(opt Options) *interpreter { return &interpreter{} }

func (in *interpreter) build(e *Engine, l *lowered) (func(context.Context) error, *unit, error) {
	return nil, nil, &refusal{diagnostic{pos: l.c.cell.at(0), n: 1, msg: "the interpreter cannot run this"}}
}

func (l *lowered) instant() bool { return false }

func (e *Engine) interpError(err error) *Error {
	if errors.Is(err, context.Canceled) {
		return &Error{Name: "Interrupted", Value: "interrupted"}
	}
	return &Error{Name: "Error", Value: err.Error(), Traceback: []string{err.Error()}}
}

func (in *interpreter) exit(err error) { panic(err) }
