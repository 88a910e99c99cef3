package lang

import (
	"context"
	"strings"
)

// Program compiles a Go program, a file with a package clause and a func main,
// and returns its main. It runs as Go would run it: nothing of it is guarded,
// an uncaught panic ends the process, os.Exit is the process's own.
func (e *Engine) Program(ctx context.Context, name, code string) (main func(), err *Error) {
	t := &text{Name: name, Code: code}
	items, _ := split(t.Code)
	c := &checker{s: e.session, fset: e.fset, imp: withModules{e}, opt: &e.opt, cell: t, items: items, final: true, program: true, strict: true}
	if ds := c.run(); len(ds) > 0 {
		return nil, compileError(ds)
	}
	l := c.lower(true)
	if !l.main {
		return nil, &Error{Name: "CompileError", Value: "function main is undeclared in the main package", Traceback: []string{name + ": function main is undeclared in the main package"}}
	}
	if e.builder == nil {
		entry, _, err := e.interp.build(e, l, planInterp)
		if err != nil {
			return nil, buildError(err)
		}
		return func() {
			if err := entry(ctx); err != nil {
				e.interp.exit(err)
			}
		}, nil
	}
	u, cerr := l.compose(compiled, nextUnit(), true)
	if cerr != nil {
		return nil, buildError(cerr)
	}
	loaded, lerr := e.load(ctx, u)
	if lerr != nil {
		return nil, buildError(lerr)
	}
	if err := e.bind(l, u, loaded); err != nil {
		return nil, buildError(err)
	}
	e.builder.Close() // main may never return
	return loaded.Entry, nil
}

// Plain returns an error's traceback without colours.
func (e *Error) Plain() string {
	var out strings.Builder
	for _, l := range e.Traceback {
		for {
			i := strings.Index(l, "\x1b[")
			if i < 0 {
				break
			}
			j := strings.IndexByte(l[i:], 'm')
			if j < 0 {
				break
			}
			l = l[:i] + l[i+j+1:]
		}
		out.WriteString(l + "\n")
	}
	return out.String()
}
