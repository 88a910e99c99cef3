package interp

import (
	"context"
	"fmt"
	"go/types"
	"reflect"
	"strconv"
	"unsafe"
)

func newEngine(o Options) engine { return engine{opt: o} }

type engine struct{ opt Options }

func (p *program) run(ctx context.Context) error {
	raiseStack()
	x := &execution{prog: p, quit: make(chan struct{})}
	p.mu.Lock()
	p.cur = x
	p.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	x.alive.Add(1)
	go func() {
		g := newGor(x)
		err := Goexit
		defer func() {
			x.alive.Add(-1)
			done <- err
		}()
		err = g.start(func() {
			p.zero()
			g.pop(g.call(p.init, nil, nil, nil))
			g.pop(g.call(p.entry, nil, nil, nil))
		})
	}()
	var err error
	select {
	case err = <-done:
		if err == errUnwound {
			<-x.quit
			err = x.err
		}
	case <-x.quit:
		err = x.err
	case <-ctx.Done():
		x.finish(ctx.Err())
		err = x.err
	}
	if err == Goexit && p.pure {
		// As in a process of Go: the others go on.
		x.mainGone.Store(true)
		if x.alive.Load() == 0 {
			x.finish(&Fatal{Text: goexitDeadlock})
		}
		select {
		case <-x.quit:
			err = x.err
		case <-ctx.Done():
			x.finish(ctx.Err())
			err = x.err
		}
	}
	x.ended.Store(true)
	if _, ok := err.(*Panic); ok {
		x.finish(err)
	}
	return err
}

// zero resets the unit's own variables before another run.
func (p *program) zero() {
	if p.runs.Add(1) > 1 {
		for _, v := range p.own {
			v.SetZero()
		}
	}
}

const goexitDeadlock = "no goroutines (main called runtime.Goexit) - deadlock!"

// current returns the execution that a call from compiled code belongs to. One
// that was ended by force is followed by a fresh one: what it stored outside
// the unit may still be called.
func (p *program) current() *execution {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cur == nil || p.cur.stop.Load() && p.cur.ended.Load() {
		p.cur = &execution{prog: p, quit: make(chan struct{})}
		p.cur.ended.Store(true)
	}
	return p.cur
}

// Type returns the process's type of a named type of the unit, for the Types
// of later units, or nil.
func (p *Program) Type(o *types.TypeName) (t reflect.Type) {
	defer func() {
		if recover() != nil {
			t = nil
		}
	}()
	if n, ok := types.Unalias(o.Type()).(*types.Named); ok && n.TypeParams() != nil {
		return nil
	}
	if r, ok := p.unit.tm.m.At(types.Unalias(o.Type())).(reflect.Type); ok {
		return r
	}
	return nil
}

// Text returns the value as Go prints it after "panic: ", without the
// goroutine's trace.
func (p *Panic) Text() string { return panicText(p.Value) }

func panicText(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case error:
		return v.Error()
	case interface{ String() string }:
		return v.String()
	}
	r := reflect.ValueOf(v)
	name := r.Type().String()
	var s string
	switch r.Kind() {
	case reflect.Bool:
		s = strconv.FormatBool(r.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s = strconv.FormatInt(r.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		s = strconv.FormatUint(r.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		s = fmt.Sprintf("%+.6e", r.Float())
	case reflect.Complex64, reflect.Complex128:
		s = fmt.Sprintf("(%+.6e%+.6ei)", real(r.Complex()), imag(r.Complex()))
	case reflect.String:
		s = r.String()
		if name != "string" {
			s = strconv.Quote(s)
		}
	default:
		type words struct{ t, p unsafe.Pointer }
		return fmt.Sprintf("(%s) %p", name, (*words)(unsafe.Pointer(&v)).p)
	}
	if name == r.Kind().String() {
		if r.Kind() == reflect.String {
			return s
		}
		return name + "(" + s + ")"
	}
	return name + "(" + s + ")"
}
