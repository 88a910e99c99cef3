package interp

import "context"

type engine struct{ opt Options }

func newEngine(o Options) engine { return engine{opt: o} }

func (e *engine) compile(u *Unit) (*Program, error) {
	return nil, &Refusal{Construct: "the unit", Why: "the engine is being written"}
}

type program struct{}

func (p *program) run(ctx context.Context) error { return nil }

// Text returns the value as Go prints it after "panic: ".
func (p *Panic) Text() string { return "" }
