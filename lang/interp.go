package lang

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"github.com/fathom-kernel/fathom/lang/cellrt"
	"github.com/fathom-kernel/fathom/lang/interp"
)

// interpreter runs units that need no compiling.
type interpreter struct {
	once    sync.Once
	eng     *interp.Engine
	symbols func(path string) map[string]reflect.Value
	imp     types.Importer
	failed  func(*interp.Panic)
}

func newInterpreter(opt Options) *interpreter {
	in := &interpreter{imp: opt.Importer}
	in.symbols = func(path string) map[string]reflect.Value {
		if path == rtPath {
			return rtSymbols
		}
		if opt.Symbols == nil {
			return nil
		}
		return opt.Symbols(path)
	}
	return in
}

// rtSymbols is what interpreted cells call of the runtime.
var rtSymbols = map[string]reflect.Value{
	"Show": reflect.ValueOf(cellrt.Show), "Check0": reflect.ValueOf(cellrt.Check0),
	"Context": reflect.ValueOf(cellrt.Context), "Exact": reflect.ValueOf((*cellrt.Exact)(nil)),
	"Reach": reflect.ValueOf(cellrt.Reach),
	"Print": reflect.ValueOf(cellrt.Print), "Println": reflect.ValueOf(cellrt.Println), "Printf": reflect.ValueOf(cellrt.Printf),
	"OSExit": reflect.ValueOf(cellrt.OSExit), "Sleep": reflect.ValueOf(cellrt.Sleep),
	"LogFatal": reflect.ValueOf(cellrt.LogFatal), "LogFatalf": reflect.ValueOf(cellrt.LogFatalf), "LogFatalln": reflect.ValueOf(cellrt.LogFatalln),
}

// engine returns the interpreter proper, made when it is first needed.
func (in *interpreter) engine() *interp.Engine {
	in.once.Do(func() {
		in.eng = interp.New(interp.Options{Symbols: in.symbols, Import: in.imp.Import, Background: func(p *interp.Panic) {
			if in.failed != nil {
				in.failed(p)
			}
		}})
	})
	return in.eng
}

// refuse is a refusal that names a place in the cell.
func (l *lowered) refuse(pos token.Pos, msg string) *refusal {
	p := l.c.cell.at(0)
	if pos.IsValid() {
		if w := l.c.where(pos); w.Cell != nil {
			p = w
		}
	}
	return &refusal{diagnostic{pos: p, n: 1, msg: msg}}
}

// build makes a unit of the cell and has the interpreter compile it.
func (in *interpreter) build(e *Engine, l *lowered, p plan) (func(context.Context) error, *unit, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	u, err := l.compose(interpreted, nextUnit(), false)
	if err != nil {
		return nil, nil, err
	}
	rt := rtypes{in.symbols, func(o types.Object) *decl {
		for _, d := range l.decls {
			if d.obj == o {
				return d
			}
		}
		return e.session.byObj[o]
	}}
	if e.builder != nil && p == planAuto {
		// What exists compiled, or will at once, is not interpreted.
		for _, d := range u.funcs {
			if !d.value.IsValid() {
				return nil, nil, l.refuse(token.NoPos, d.name+" has not been compiled yet")
			}
		}
		for _, d := range u.types {
			if d.rtype == nil {
				return nil, nil, l.refuse(token.NoPos, d.name+" has not been compiled yet")
			}
		}
	}
	if m := e.modules.Load(); m != nil {
		for _, path := range sortedKeys(u.paths) {
			if m.archives[path] != "" {
				return nil, nil, l.refuse(token.NoPos, fmt.Sprintf("package %s was brought in, and is there for compiled cells only", path))
			}
		}
	}
	// New variables first: where one cannot be made, nothing is changed.
	fresh := map[*variable]reflect.Value{}
	var owned []*variable
	for _, v := range u.vars {
		if v.ptr.IsValid() {
			continue
		}
		t, err := rt.of(v.typ)
		switch {
		case err == nil:
			fresh[v] = reflect.New(t)
		case !u.fresh[v] || e.builder != nil && p == planAuto:
			return nil, nil, l.refuse(token.NoPos, fmt.Sprintf("%s can only be made by compiled code: %v", v.name, err))
		default:
			owned = append(owned, v) // of a type that the interpreter makes
		}
	}
	iu, err := in.check(u, rt)
	if err != nil {
		return nil, nil, l.refuse(token.NoPos, err.Error())
	}
	isOwned := map[*variable]bool{}
	for _, v := range owned {
		isOwned[v] = true
	}
	for _, v := range u.vars {
		if isOwned[v] {
			continue
		}
		ptr := v.ptr
		if f, ok := fresh[v]; ok {
			ptr = f
		} else if t, err := rt.of(v.typ); err == nil && t != ptr.Type().Elem() {
			// A type that got a method is another type over the same memory.
			if !sameMemory(ptr.Type().Elem(), t) {
				return nil, nil, staleVariable(v)
			}
			ptr = reflect.NewAt(t, ptr.UnsafePointer())
		}
		if o, ok := iu.Pkg.Scope().Lookup(v.ref()).(*types.Var); ok {
			iu.Vars[o] = ptr.Elem()
		}
	}
	for _, d := range u.types {
		if o, ok := iu.Pkg.Scope().Lookup(d.name).(*types.TypeName); ok && d.rtype != nil {
			iu.Types[o] = d.rtype
		}
	}
	for _, d := range u.funcs {
		if o := iu.Pkg.Scope().Lookup(d.name); o != nil && d.value.IsValid() {
			iu.Funcs[o] = d.value
		}
	}
	prog, err := in.engine().Compile(iu)
	if err != nil {
		var r *interp.Refusal
		if errors.As(err, &r) {
			why := &refusal{diagnostic{pos: l.c.cell.at(0), n: 1, msg: fmt.Sprintf("the interpreter does not run %s: %s", cleanNames(r.Construct), cleanNames(r.Why))}}
			if p, ok := u.locate(iu, r.Pos); ok {
				why.diag.pos = p
			}
			return nil, nil, why
		}
		return nil, nil, err
	}
	for v, p := range fresh {
		v.ptr = p
	}
	for _, v := range owned {
		o, _ := iu.Pkg.Scope().Lookup(v.ref()).(*types.Var)
		x, ok := prog.Var(o)
		if !ok {
			return nil, nil, l.refuse(token.NoPos, v.name+" has a type that the interpreter cannot keep")
		}
		v.ptr = x.Addr()
	}
	for _, v := range l.own {
		if o, ok := iu.Pkg.Scope().Lookup(v.name).(*types.Var); ok {
			if x, ok := prog.Var(o); ok {
				v.ptr = x.Addr()
			}
		}
	}
	// Types that the interpreter made are those of later cells too.
	for _, d := range u.types {
		if o, ok := iu.Pkg.Scope().Lookup(d.name).(*types.TypeName); ok && d.rtype == nil {
			d.rtype = prog.Type(o)
		}
	}
	return prog.Run, u, nil
}

// locate returns the cell position of a position in the unit's text.
func (u *unit) locate(iu *interp.Unit, pos token.Pos) (position, bool) {
	tf := iu.Fset.File(pos)
	if tf == nil {
		return position{}, false
	}
	for _, g := range u.files {
		if g.name == tf.Name() {
			return g.locate(tf.Offset(pos))
		}
	}
	return position{}, false
}

// check parses and type-checks the unit's text. The generic helpers of the
// script rules are made concrete, since reflection has no generic functions:
// each becomes a function of the unit that exists compiled, for just its types.
func (in *interpreter) check(u *unit, rt rtypes) (*interp.Unit, error) {
	texts := make([]string, len(u.files), len(u.files)+1)
	names := make([]string, len(u.files), len(u.files)+1)
	for i, g := range u.files {
		texts[i], names[i] = g.String(), g.name
	}
	iu, err := in.checkTexts(names, texts)
	if err != nil {
		return nil, err
	}
	helpers := map[string]reflect.Value{}
	var decls strings.Builder
	q := newQualifier(iu.Pkg)
	for i, file := range iu.Files {
		var cuts []cutAt
		ast.Inspect(file, func(x ast.Node) bool {
			s, ok := x.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			f, ok := iu.Info.Uses[s.Sel].(*types.Func)
			inst, generic := iu.Info.Instances[s.Sel]
			if !ok || !generic || f.Pkg() == nil || f.Pkg().Path() != rtPath {
				return true
			}
			t, terr := rt.of(inst.Type)
			if terr != nil {
				err = terr
				return false
			}
			name := fmt.Sprintf("check%s%d", mark, len(helpers))
			helpers[name] = reflect.MakeFunc(t, checkError)
			fmt.Fprintf(&decls, "func %s%s\n", name, strings.TrimPrefix(types.TypeString(inst.Type, q.name), "func"))
			cuts = append(cuts, cutAt{iu.Fset.Position(s.Pos()).Offset, iu.Fset.Position(s.End()).Offset, name})
			return true
		})
		for j := len(cuts) - 1; j >= 0; j-- {
			c := cuts[j]
			// As long as what it replaces, so that positions stay.
			pad := max(0, c.to-c.from-len(c.with))
			texts[i] = texts[i][:c.from] + c.with + strings.Repeat(" ", pad) + texts[i][c.to:]
		}
	}
	if err != nil || len(helpers) == 0 {
		return iu, err
	}
	var extra strings.Builder
	extra.WriteString("package main\n")
	for _, path := range sortedKeys(q.paths) {
		fmt.Fprintf(&extra, "import %s %q\n", q.paths[path], path)
	}
	extra.WriteString(decls.String())
	iu, err = in.checkTexts(append(names, "checks"), append(texts, extra.String()))
	if err != nil {
		return nil, err
	}
	for name, f := range helpers {
		iu.Funcs[iu.Pkg.Scope().Lookup(name)] = f
	}
	return iu, nil
}

type cutAt struct {
	from, to int
	with     string
}

// checkError is script rule 2 for any types.
func checkError(args []reflect.Value) []reflect.Value {
	if err := args[len(args)-1]; !err.IsNil() {
		cellrt.Check0(err.Interface().(error))
	}
	return args[:len(args)-1]
}

func (in *interpreter) checkTexts(names, texts []string) (*interp.Unit, error) {
	iu := &interp.Unit{
		Fset: token.NewFileSet(), Pkg: types.NewPackage(unitPath, "main"), Entry: entryName,
		Vars: map[*types.Var]reflect.Value{}, Types: map[*types.TypeName]reflect.Type{}, Funcs: map[types.Object]reflect.Value{},
		Info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
			Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
		},
	}
	for i := range texts {
		f, err := parser.ParseFile(iu.Fset, names[i], texts[i], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		iu.Files = append(iu.Files, f)
	}
	var first error
	conf := types.Config{
		Importer: importerWithRT{in.imp},
		Sizes:    types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			if te := err.(types.Error); !ignorable(te) && !strings.HasPrefix(te.Msg, "missing function body") && first == nil {
				first = errors.New(te.Msg)
			}
		},
	}
	types.NewChecker(&conf, iu.Fset, iu.Pkg, iu.Info).Files(iu.Files)
	return iu, first
}

// interpError turns the interpreter's error into what the user is shown.
func (e *Engine) interpError(err error) *Error {
	var p *interp.Panic
	var x *interp.Exit
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &Error{Name: "Interrupted", Value: "interrupted", Traceback: []string{"\x1b[1;31minterrupted\x1b[0m"}}
	case errors.As(err, &x):
		return e.outcomeError(&outcome{panicked: cellrt.Exit{Code: x.Code}})
	case errors.As(err, &p):
		switch v := p.Value.(type) {
		case cellrt.Failure, cellrt.Exit, cellrt.Interrupted:
			res := e.outcomeError(&outcome{panicked: v, stack: p.Stack})
			res.Traceback = append(res.Traceback, e.interpFrames(p)...)
			return res
		}
		text := panicText(p.Value)
		return &Error{Name: "Panic", Value: text, Traceback: append(e.traceLines(text, p.Stack, "panic"), e.interpFrames(p)...)}
	}
	return &Error{Name: "Error", Value: err.Error(), Traceback: []string{"\x1b[1;31m" + err.Error() + "\x1b[0m"}}
}

func (e *Engine) interpFrames(p *interp.Panic) []string {
	var lines []string
	for _, f := range p.Frames {
		file, ok := cellFile(f.Pos.Filename)
		if !ok {
			continue
		}
		fn := cleanFunc(strings.TrimPrefix(f.Func, "main."))
		if fn != "" {
			fn = " in " + fn
		}
		lines = append(lines, fmt.Sprintf("  \x1b[36m%s:%d\x1b[0m%s", file, f.Pos.Line, fn))
		if t := e.cells[file]; t != nil && len(lines) < 4 {
			lines = append(lines, "      "+strings.TrimSpace(t.line(f.Pos.Line)))
		}
	}
	return lines
}

// exit ends the process as Go would after the error of a program's main.
func (in *interpreter) exit(err error) {
	var p *interp.Panic
	var x *interp.Exit
	switch {
	case errors.As(err, &x):
		os.Exit(x.Code)
	case errors.As(err, &p):
		fmt.Fprintln(os.Stderr, p.Error()+"\n\ngoroutine 1 [running]:")
		for _, f := range p.Frames {
			fmt.Fprintf(os.Stderr, "%s(...)\n\t%s\n", f.Func, f.Pos)
		}
	default:
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(2)
}
