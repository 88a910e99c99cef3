package interp

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// unit is a Unit being compiled.
type unit struct {
	*Unit
	opt     *Options
	prog    *program
	ssaProg *ssa.Program
	pkg     *ssa.Package
	tm      *typeMap
	fns     map[*ssa.Function]*fn
	queue   []*ssa.Function
	globals map[*ssa.Global]unsafe.Pointer
	methods []*method
	symbols map[string]map[string]reflect.Value
	mapped  map[*ssa.Function]*ssa.Function // generic functions of compiled packages and their stand-ins

	preludes map[string]*prelude
	unread   map[token.Pos]bool // loads of arrays of which a range only needs the length
	pos      token.Pos
}

func (u *unit) refuse(pos token.Pos, construct, why string, args ...any) {
	panic(&Refusal{Pos: pos, Construct: construct, Why: fmt.Sprintf(why, args...)})
}

func (u *unit) symbolsOf(path string) map[string]reflect.Value {
	m, ok := u.symbols[path]
	if !ok {
		if u.opt.Symbols != nil {
			m = u.opt.Symbols(path)
		}
		u.symbols[path] = m
	}
	return m
}

// fnOf returns the machine's function for f, which is compiled in its turn.
func (u *unit) fnOf(f *ssa.Function) *fn {
	if x := u.fns[f]; x != nil {
		return x
	}
	x := &fn{name: goName(f), prog: u.prog, recover: -1, wrapper: f.Synthetic != "" && !strings.HasPrefix(f.Synthetic, "instance of") && !strings.HasPrefix(f.Synthetic, "range-over-func")}
	u.fns[f] = x
	u.queue = append(u.queue, f)
	return x
}

// goName is the function's name as Go's traces write it: main.f,
// main.(*T).m, main.f.func1, main.f.func1.2.
func goName(f *ssa.Function) string {
	if p := f.Parent(); p != nil {
		name := f.Name()
		n := name[strings.LastIndexByte(name, '$')+1:]
		if p.Parent() != nil {
			return goName(p) + "." + n
		}
		return goName(p) + ".func" + n
	}
	name := f.Name()
	if i := strings.IndexByte(name, '['); i > 0 {
		name = name[:i] + "[...]"
	}
	pkg := "main"
	if f.Pkg != nil {
		pkg = f.Pkg.Pkg.Path()
	} else if o := f.Object(); o != nil && o.Pkg() != nil {
		pkg = o.Pkg().Path()
	}
	recv := f.Signature.Recv()
	if recv == nil {
		return pkg + "." + name
	}
	t := types.Unalias(recv.Type())
	p, ptr := t.(*types.Pointer)
	if ptr {
		t = types.Unalias(p.Elem())
	}
	tn := t.String()
	if n, ok := t.(*types.Named); ok {
		tn = n.Obj().Name()
		if n.TypeArgs() != nil {
			tn += "[...]"
		}
	}
	if ptr {
		tn = "(*" + tn + ")"
	}
	return pkg + "." + tn + "." + name
}

// drain compiles what is queued.
func (u *unit) drain() {
	for len(u.queue) > 0 || len(u.methods) > 0 {
		for len(u.methods) > 0 {
			m := u.methods[0]
			u.methods = u.methods[1:]
			f := u.ssaProg.MethodValue(m.sel)
			if f == nil {
				u.refuse(m.sel.Obj().Pos(), "the method "+m.sel.Obj().Name(), "the interpreter cannot build it")
			}
			m.fn = u.fnOf(f)
		}
		if len(u.queue) > 0 {
			f := u.queue[0]
			u.queue = u.queue[1:]
			u.function(f, u.fns[f])
		}
	}
}

func (u *unit) slotOf(t types.Type) slot {
	s := slot{c: classOf(t)}
	if s.c == cBox {
		s.rt = abiOf(u.tm.rtype(t))
	}
	return s
}

// builder compiles one function.
type builder struct {
	*unit
	f      *ssa.Function
	fn     *fn
	regs   map[ssa.Value]int
	consts map[ssa.Value]int
	next   int
	blk    *block

	sched   *schedules
	logical bool // has && or || as a value
}

func (u *unit) function(f *ssa.Function, x *fn) {
	b := &builder{unit: u, f: f, fn: x, regs: map[ssa.Value]int{}, consts: map[ssa.Value]int{}}
	if f.Blocks == nil {
		b.external()
		return
	}
	for _, p := range f.Params {
		b.alloc(p)
		x.params = append(x.params, u.slotOf(p.Type()))
		x.ptypes = append(x.ptypes, u.tm.rtype(p.Type()))
	}
	for _, v := range f.FreeVars {
		b.alloc(v)
	}
	b.result(f.Signature.Results())
	for _, blk := range f.Blocks {
		for _, in := range blk.Instrs {
			if v, ok := in.(ssa.Value); ok {
				b.alloc(v)
			}
		}
	}
	// Extracts are names of registers that the tuple has already.
	for _, blk := range f.Blocks {
		for _, in := range blk.Instrs {
			if e, ok := in.(*ssa.Extract); ok {
				b.regs[e] = b.regs[e.Tuple] + e.Index
			}
		}
	}
	x.blocks = make([]block, len(f.Blocks))
	rs := regionsOf(f.Syntax())
	if f == u.pkg.Func("init") {
		rs = regions{} // its statements all end with a store
	}
	b.sched = &schedules{map[*ssa.BasicBlock][]ssa.Instruction{}, map[ssa.Value]int{}}
	for _, blk := range f.Blocks {
		b.logical = b.logical || blk.Comment == "binop.done"
	}
	for i, blk := range f.Blocks {
		b.blk = &x.blocks[i]
		for _, in := range b.schedule(rs, blk) {
			b.pos = in.Pos()
			b.instr(in)
		}
	}
	if f.Recover != nil {
		x.recover = f.Recover.Index
	}
	x.nregs = b.next
}

func (b *builder) result(rs *types.Tuple) {
	b.fn.resBase = b.next
	for v := range rs.Variables() {
		b.fn.results = append(b.fn.results, b.slotOf(v.Type()))
		b.fn.rtypes = append(b.fn.rtypes, b.tm.rtype(v.Type()))
		b.next++
	}
}

// alloc gives v its registers, one for each value of a tuple.
func (b *builder) alloc(v ssa.Value) {
	if _, ok := v.(*ssa.Extract); ok {
		return
	}
	n := 1
	if t, ok := v.Type().(*types.Tuple); ok {
		n = t.Len()
	}
	b.regs[v] = b.next
	b.next += n
}

func (b *builder) temp(n int) int {
	t := b.next
	b.next += n
	return t
}

// emit adds an operation to the block.
func (b *builder) emit(o op) {
	b.blk.ops = append(b.blk.ops, o)
	b.blk.pos = append(b.blk.pos, b.pos)
}

// operand returns the register of v; those of constants are negative.
func (b *builder) operand(v ssa.Value) int {
	switch v.(type) {
	case *ssa.Const, *ssa.Global, *ssa.Function:
		if i, ok := b.consts[v]; ok {
			return i
		}
		b.fn.consts = append(b.fn.consts, reg{})
		i := ^(len(b.fn.consts) - 1)
		b.consts[v] = i
		r := &b.fn.consts[^i]
		switch v := v.(type) {
		case *ssa.Const:
			b.constant(r, v)
		case *ssa.Global:
			r.p = b.global(v)
		case *ssa.Function:
			p := b.funcValue(v)
			b.fn.consts[^i].p = p
		}
		return i
	}
	i, ok := b.regs[v]
	if !ok {
		panic(fmt.Sprintf("interp: no register for %s = %s in %s", v.Name(), v, b.f))
	}
	return i
}

func (b *builder) constant(r *reg, c *ssa.Const) {
	t := c.Type()
	if c.Value == nil {
		if classOf(t) == cBox {
			r.p = reflect.New(b.tm.rtype(t)).UnsafePointer()
		}
		return
	}
	basic, ok := t.Underlying().(*types.Basic)
	if !ok {
		b.refuse(c.Pos(), "a constant of type "+t.String(), "the interpreter cannot hold it")
	}
	info := basic.Info()
	switch {
	case info&types.IsBoolean != 0:
		if constant.BoolVal(c.Value) {
			r.b = 1
		}
	case info&types.IsString != 0:
		if c.Value.Kind() == constant.String {
			*(*string)(unsafe.Pointer(&r.p)) = constant.StringVal(c.Value)
		} else {
			n, _ := constant.Int64Val(c.Value)
			*(*string)(unsafe.Pointer(&r.p)) = string(rune(n))
		}
	case info&types.IsInteger != 0:
		v := constant.ToInt(c.Value)
		if info&types.IsUnsigned != 0 {
			r.b, _ = constant.Uint64Val(v)
		} else {
			n, _ := constant.Int64Val(v)
			r.b = uint64(n)
		}
	case basic.Kind() == types.Float32:
		f, _ := constant.Float32Val(c.Value)
		r.b = uint64(math.Float32bits(f))
	case info&types.IsFloat != 0:
		f, _ := constant.Float64Val(c.Value)
		r.b = math.Float64bits(f)
	case basic.Kind() == types.Complex64:
		re, _ := constant.Float32Val(constant.Real(c.Value))
		im, _ := constant.Float32Val(constant.Imag(c.Value))
		*(*complex64)(unsafe.Pointer(&r.b)) = complex(re, im)
	case info&types.IsComplex != 0:
		re, _ := constant.Float64Val(constant.Real(c.Value))
		im, _ := constant.Float64Val(constant.Imag(c.Value))
		*(*complex128)(unsafe.Pointer(&r.b)) = complex(re, im)
	case basic.Kind() == types.UnsafePointer:
		n, _ := constant.Uint64Val(constant.ToInt(c.Value))
		r.p = *(*unsafe.Pointer)(unsafe.Pointer(&n))
	default:
		b.refuse(c.Pos(), "a constant of type "+t.String(), "the interpreter cannot hold it")
	}
}

// global returns the address of a package-level variable.
func (u *unit) global(g *ssa.Global) unsafe.Pointer {
	if p, ok := u.globals[g]; ok {
		return p
	}
	var p unsafe.Pointer
	v, _ := g.Object().(*types.Var)
	if x, ok := u.Vars[v]; ok && v != nil {
		p = x.Addr().UnsafePointer()
	} else if v != nil && v.Pkg() != nil && g.Pkg != u.pkg && !u.isPrelude(g.Pkg) {
		x, ok := u.symbolsOf(v.Pkg().Path())[v.Name()]
		if !ok || !x.CanAddr() {
			u.refuse(u.pos, "the variable "+v.Pkg().Path()+"."+v.Name(), "it is not at hand without a toolchain")
		}
		u.tm.learn(v.Type(), x.Type())
		p = x.Addr().UnsafePointer()
	} else {
		if t := u.tm.rtype(elemOf(g.Type())); t.Size() > 64<<20 {
			u.refuse(g.Pos(), "the variable "+g.Name(), "it takes %d MB", t.Size()>>20)
		}
		x := reflect.New(u.tm.rtype(elemOf(g.Type())))
		u.prog.own = append(u.prog.own, x.Elem())
		p = x.UnsafePointer()
	}
	u.globals[g] = p
	return p
}

// funcValue returns f as a func value.
func (u *unit) funcValue(f *ssa.Function) unsafe.Pointer {
	if v, ok := u.compiledFunc(f); ok {
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		return *(*unsafe.Pointer)(p.UnsafePointer())
	}
	x := u.fnOf(f)
	if x.value == nil {
		x.value = newFunc(u.tm.rtype(stripRecvAll(f.Signature)), &closure{fn: x})
	}
	return x.value
}

// stripRecvAll makes a receiver the first parameter.
func stripRecvAll(s *types.Signature) *types.Signature {
	if s.Recv() == nil {
		return s
	}
	vars := []*types.Var{s.Recv()}
	for v := range s.Params().Variables() {
		vars = append(vars, v)
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(vars...), s.Results(), s.Variadic())
}

func (e *engine) compile(eu *Unit) (p *Program, err error) {
	prog := &Program{}
	prog.opt, prog.fset = &e.opt, eu.Fset
	u := &unit{
		Unit: eu, opt: &e.opt, prog: &prog.program,
		fns: map[*ssa.Function]*fn{}, globals: map[*ssa.Global]unsafe.Pointer{},
		symbols: map[string]map[string]reflect.Value{},
		mapped:  map[*ssa.Function]*ssa.Function{}, preludes: map[string]*prelude{},
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Refusal:
			if r.Pos == token.NoPos {
				r.Pos = u.pos
			}
			p, err = nil, r
		default:
			if debugPanics {
				panic(r)
			}
			p, err = nil, &Refusal{Pos: u.pos, Construct: "this code", Why: fmt.Sprintf("the interpreter cannot lower it (%v)", r)}
		}
	}()
	if broken := selfTest(); broken != "" && hasTypes(eu.Files) {
		u.refuse(eu.Files[0].Pos(), "a type declaration", "this build of the interpreter does not fit its runtime (%s)", broken)
	}
	u.tm = &typeMap{
		unitPath: eu.Pkg.Path(), types: eu.Types, symbols: u.symbolsOf,
		keep:       func(f *forged) { forgedTypes.Store(f.rt, f) },
		needMethod: func(m *method) { u.methods = append(u.methods, m) },
	}
	u.tm.adopt(eu.Vars)
	u.inspect()
	u.build()
	entry := u.pkg.Func(eu.Entry)
	if entry == nil || len(entry.Params) > 0 {
		u.refuse(token.NoPos, "the unit", "it has no function %s without parameters", eu.Entry)
	}
	prog.init = u.fnOf(u.pkg.Func("init"))
	prog.entry = u.fnOf(entry)
	u.drain()
	prog.unit = u
	u.finishIdle()
	return prog, nil
}

func hasTypes(files []*ast.File) bool {
	found := false
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if _, ok := n.(*ast.TypeSpec); ok {
				found = true
			}
			return !found
		})
	}
	return found
}

// inspect looks through the source for what the SSA form does not show.
func (u *unit) inspect() {
	u.unread = map[token.Pos]bool{}
	for _, f := range u.Files {
		for _, g := range f.Comments {
			for _, c := range g.List {
				if strings.HasPrefix(c.Text, "//go:nointerface") || strings.HasPrefix(c.Text, "//go:linkname ") {
					u.refuse(c.Pos(), strings.Fields(c.Text)[0], "it is for the compiler")
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o := u.Info.Uses[id]; o != nil && o.Pkg() != nil {
					if why := refused[o.Pkg().Path()+"."+o.Name()]; why != "" && !isFunc(o) {
						u.refuse(id.Pos(), o.Pkg().Path()+"."+o.Name(), "%s", why)
					}
				}
			}
			r, ok := n.(*ast.RangeStmt)
			if !ok || r.Value != nil && !isBlank(r.Value) {
				return true
			}
			star, ok := ast.Unparen(r.X).(*ast.StarExpr)
			if !ok {
				return true
			}
			if _, ok := u.Info.TypeOf(star).Underlying().(*types.Array); ok && !hasCall(star) {
				u.unread[star.Pos()] = true
			}
			return true
		})
	}
}

func isFunc(o types.Object) bool {
	_, ok := o.(*types.Func)
	return ok
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// hasCall reports whether the expression has a call or a receive in it.
func hasCall(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// build makes the unit's SSA form.
func (u *unit) build() {
	u.ssaProg = ssa.NewProgram(u.Fset, ssa.InstantiateGenerics|ssa.BareInits|ssa.BuildSerially|ssa.GlobalDebug)
	seen := map[*types.Package]bool{u.Pkg: true}
	var add func(p *types.Package)
	add = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		u.ssaProg.CreatePackage(p, nil, nil, true)
	}
	for _, f := range u.Files {
		for _, im := range f.Imports {
			if im.Path.Value == `"C"` {
				u.refuse(im.Pos(), `import "C"`, "cgo needs a toolchain")
			}
		}
	}
	for _, p := range u.Pkg.Imports() {
		add(p)
	}
	info := *u.Info
	if len(u.Vars) > 0 {
		info.InitOrder = nil
		for _, in := range u.Info.InitOrder {
			outside := false
			for _, v := range in.Lhs {
				_, ok := u.Vars[v]
				outside = outside || ok
			}
			if !outside {
				info.InitOrder = append(info.InitOrder, in)
			}
		}
	}
	// A use of a package-level object of a package that is not imported
	// directly (through a promoted field or an alias) needs that package too.
	for _, o := range info.Uses {
		if o.Pkg() != nil && o.Parent() == o.Pkg().Scope() {
			add(o.Pkg())
		}
	}
	u.pkg = u.ssaProg.CreatePackage(u.Pkg, u.Files, &info, false)
	u.pkg.Build()
}

// program is what a compiled unit runs from.
type program struct {
	opt         *Options
	fset        *token.FileSet
	unit        *unit
	init, entry *fn
	own         []reflect.Value // the unit's own variables
	runs        atomic.Int64
	pure        bool // nothing beside the machine can wake its goroutines

	mu  sync.Mutex
	cur *execution
}

var debugPanics = os.Getenv("FATHOM_INTERP_DEBUG") != ""
