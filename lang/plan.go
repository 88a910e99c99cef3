package lang

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/fathom-kernel/fathom/lang/cellrt"
	"github.com/fathom-kernel/fathom/lang/native"
)

// plan is which engine runs a cell.
type plan int

const (
	planAuto plan = iota
	planNative
	planInterp
)

// refusal is a cell that no engine here can run.
type refusal struct{ diag diagnostic }

func (r *refusal) Error() string { return r.diag.msg }

// build makes the lowered cell runnable. It returns a nil entry where the cell
// only declares.
func (e *Engine) build(ctx context.Context, l *lowered, p plan) (entry func(context.Context) error, u *unit, err error) {
	if p == planInterp || p == planAuto && (e.builder == nil || l.instant()) {
		e.await(ctx, l)
		entry, u, err = e.interp.build(e, l, p)
		var r *refusal
		if err == nil || p == planInterp || e.builder == nil {
			if e.builder == nil && errors.As(err, &r) && e.opt.KitError != nil {
				r.diag.hint = fmt.Sprintf("compiled cells run the whole of Go, but there are none here: %v", e.opt.KitError)
			}
			return entry, u, err
		}
	}
	if e.builder == nil {
		return nil, nil, fmt.Errorf("compiled cells do not work here: %v", e.opt.KitError)
	}
	return e.buildNative(ctx, l)
}

// precompile compiles the declarations of a cell that does nothing else while
// the user reads on: the cell itself is done when it is checked.
func (e *Engine) precompile(l *lowered) {
	if e.builder == nil || len(l.decls) == 0 {
		return
	}
	done := make(chan struct{})
	for _, d := range l.decls {
		d.ready = done
	}
	go func() {
		defer close(done)
		e.mu.Lock()
		u, err := l.compose(compiled, nextUnit(), false)
		e.mu.Unlock()
		if err != nil {
			return // the cell that uses them compiles them again, and reports
		}
		loaded, err := e.load(context.Background(), u)
		if err != nil {
			return
		}
		e.mu.Lock()
		e.bind(l, u, loaded) // an error comes again where a cell uses them
		e.mu.Unlock()
	}()
}

// await waits for what the cell needs and the background still compiles.
func (e *Engine) await(ctx context.Context, l *lowered) {
	for _, d := range l.closure(true) {
		if d.ready == nil {
			continue
		}
		select {
		case <-d.ready:
		case <-ctx.Done():
			return
		}
	}
}

func (e *Engine) buildNative(ctx context.Context, l *lowered) (func(context.Context) error, *unit, error) {
	e.mu.Lock()
	u, err := l.compose(compiled, nextUnit(), false)
	e.mu.Unlock()
	if err != nil {
		return nil, nil, err
	}
	loaded, err := e.load(ctx, u)
	if err != nil {
		return nil, nil, err
	}
	e.mu.Lock()
	err = e.bind(l, u, loaded)
	e.mu.Unlock()
	if err != nil {
		return nil, nil, err
	}
	if len(l.stmts) == 0 && len(l.inits) == 0 && !l.main {
		return nil, u, nil
	}
	return func(context.Context) error { loaded.Entry(); return nil }, u, nil
}

// load compiles a unit and loads it.
func (e *Engine) load(ctx context.Context, u *unit) (*cellrt.Unit, error) {
	var extra map[string]string
	if m := e.modules.Load(); m != nil {
		extra = m.archives
	}
	for _, p := range sortedKeys(u.paths) {
		if !e.builder.Has(p) && extra[p] == "" {
			return nil, fmt.Errorf("package %q is not built in; %%get %s@latest brings a module in", p, p)
		}
	}
	var files []nativeFile
	for _, g := range u.files {
		files = append(files, nativeFile{Name: g.name, Text: g.String()})
	}
	return e.builder.Build(ctx, native.Input{N: u.n, Files: files, Extra: extra, Embed: u.embed})
}

type nativeFile = native.File

// bind gives the unit the session's variables, and the session the unit's.
func (e *Engine) bind(l *lowered, u *unit, loaded *cellrt.Unit) error {
	byID := map[int]*variable{}
	for _, v := range u.vars {
		byID[v.id] = v
	}
	for _, v := range l.own {
		byID[v.id] = v
	}
	for _, p := range loaded.Ptrs {
		v := byID[p.ID]
		if v == nil {
			continue
		}
		if own, ok := p.P.(cellrt.Owned); ok {
			v.ptr = reflect.ValueOf(own.P)
			continue
		}
		slot := reflect.ValueOf(p.P).Elem()
		if u.fresh[v] {
			v.ptr = reflect.ValueOf(slot.Interface())
			continue
		}
		if v.ptr.Type() == slot.Type() {
			slot.Set(v.ptr)
		} else {
			if !sameMemory(v.ptr.Type().Elem(), slot.Type().Elem()) {
				return staleVariable(v)
			}
			slot.Set(reflect.NewAt(slot.Type().Elem(), v.ptr.UnsafePointer()))
		}
	}
	for _, f := range loaded.Funcs {
		for _, d := range u.funcs {
			if d.symbol(d.name) == f.Name {
				d.value = reflect.ValueOf(f.F)
			}
		}
	}
	for _, t := range loaded.Types {
		for _, d := range u.types {
			if d.symbol(d.name) == t.Name {
				d.rtype = t.T
			}
		}
	}
	return nil
}

// staleVariable refuses a variable whose memory is not what its type now is.
func staleVariable(v *variable) error {
	return fmt.Errorf("%s (%s) has memory of an older declaration of its type; run its cell again", v.name, v.cell.Name)
}
