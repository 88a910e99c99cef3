package interp

import (
	"go/types"
	"reflect"
	"strings"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// callee does a call: args are the arguments, after the func value or the
// interface value where there is one, and out takes the results. by is the
// frame that deferred the call, if one did.
type callee func(g *gor, args []reg, by *frame, out []reg)

// funcLayout finds this package's closures in func values that reflect made:
// where a func value keeps the function given to MakeFunc, and what code that
// function has.
var funcLayout = func() (l struct {
	stub, inner uintptr
	off         uintptr
	ok          bool
}) {
	c := new(closure)
	in := innerFunc(c)
	ip := *(*unsafe.Pointer)(unsafe.Pointer(&in))
	v := reflect.MakeFunc(reflect.TypeFor[func()](), in)
	p := funcPointer(v)
	l.stub = *(*uintptr)(p)
	l.inner = *(*uintptr)(ip)
	for off := uintptr(8); off < 64; off += 8 {
		if *(*unsafe.Pointer)(unsafe.Add(p, off)) == ip {
			l.off, l.ok = off, *(**closure)(unsafe.Add(ip, 8)) == c
			break
		}
	}
	return l
}()

// innerFunc is not inlined: its closures are known by their one code address.
//
//go:noinline
func innerFunc(c *closure) func([]reflect.Value) []reflect.Value {
	return func(args []reflect.Value) []reflect.Value { return c.fn.callBack(c.env, args) }
}

// funcPointer returns the pointer that a func value is.
func funcPointer(v reflect.Value) unsafe.Pointer {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return *(*unsafe.Pointer)(p.UnsafePointer())
}

// newFunc returns a func value of the type that calls c.
func newFunc(t reflect.Type, c *closure) unsafe.Pointer {
	v := reflect.MakeFunc(t, innerFunc(c))
	return (*struct{ typ, ptr unsafe.Pointer })(unsafe.Pointer(&v)).ptr
}

// closureOf returns the closure that a func value is, or nil for compiled code.
func closureOf(p unsafe.Pointer) *closure {
	if *(*uintptr)(p) != funcLayout.stub || !funcLayout.ok {
		return nil
	}
	in := *(*unsafe.Pointer)(unsafe.Add(p, funcLayout.off))
	if in == nil || *(*uintptr)(in) != funcLayout.inner {
		return nil
	}
	return *(**closure)(unsafe.Add(in, 8))
}

func (b *builder) makeClosure(in *ssa.MakeClosure) {
	d := b.regs[in]
	x := b.fnOf(in.Fn.(*ssa.Function))
	var env []int
	for _, v := range in.Bindings {
		env = append(env, b.operand(v))
	}
	t := b.tm.rtype(in.Fn.(*ssa.Function).Signature)
	b.emit(func(fr *frame) {
		c := &closure{fn: x, env: make([]reg, len(env))}
		for i, v := range env {
			c.env[i] = *fr.at(v)
		}
		fr.regs[d].p = newFunc(t, c)
	})
}

// resolve returns what a call does and the registers of its arguments.
func (b *builder) resolve(c *ssa.CallCommon) (callee, []int) {
	var args []int
	for _, a := range c.Args {
		args = append(args, b.operand(a))
	}
	if c.IsInvoke() {
		args = append([]int{b.operand(c.Value)}, args...)
		return b.invoke(c), args
	}
	switch v := c.Value.(type) {
	case *ssa.Builtin:
		return b.builtin(c, v), args
	case *ssa.Function:
		return b.static(v), args
	}
	args = append([]int{b.operand(c.Value)}, args...)
	return b.dynamic(c.Signature()), args
}

// static returns the call of a known function.
func (b *builder) static(f *ssa.Function) callee {
	if v, ok := b.compiledFunc(f); ok {
		if host := hostFuncs[fullName(f)]; host != nil {
			return host
		}
		return b.native(v, stripRecvAll(f.Signature), f.Signature.Variadic())
	}
	if host := b.generic(f); host != nil {
		return host
	}
	x := b.fnOf(b.standIn(f))
	return func(g *gor, args []reg, by *frame, out []reg) {
		fr := g.call(x, args, nil, by)
		copy(out, fr.regs[x.resBase:x.resBase+len(x.results)])
		g.pop(fr)
	}
}

// dynamic returns the call of a func value.
func (b *builder) dynamic(sig *types.Signature) callee {
	t := b.tm.rtype(sig)
	n := b.nativeCall(sig, t, sig.Variadic())
	return func(g *gor, args []reg, by *frame, out []reg) {
		p := args[0].p
		if p == nil {
			nilFault()
		}
		if c := closureOf(p); c != nil {
			fr := g.call(c.fn, args[1:], c.env, by)
			copy(out, fr.regs[c.fn.resBase:c.fn.resBase+len(c.fn.results)])
			g.pop(fr)
			return
		}
		n(reflect.NewAt(t, unsafe.Pointer(&p)).Elem(), args[1:], out)
	}
}

// native returns the call of a compiled function.
func (b *builder) native(v reflect.Value, sig *types.Signature, variadic bool) callee {
	n := b.nativeCall(sig, v.Type(), variadic)
	return func(_ *gor, args []reg, _ *frame, out []reg) { n(v, args, out) }
}

func (b *builder) nativeCall(sig *types.Signature, t reflect.Type, variadic bool) func(f reflect.Value, args, out []reg) {
	if t.NumIn() != sig.Params().Len() || t.NumOut() != sig.Results().Len() {
		b.refuse(b.pos, "a call of "+sig.String(), "the compiled function has another signature")
	}
	b.tm.learnSignature(sig, t, 0)
	in := make([]reflect.Type, t.NumIn())
	ci := make([]class, t.NumIn())
	for i := range in {
		in[i] = t.In(i)
		ci[i] = classOf(sig.Params().At(i).Type())
		if ci[i] != classOfR(in[i]) {
			b.refuse(b.pos, "a call of "+sig.String(), "the compiled function has another signature")
		}
	}
	ot := make([]reflect.Type, t.NumOut())
	co := make([]class, t.NumOut())
	for i := range ot {
		ot[i] = t.Out(i)
		co[i] = classOfR(ot[i])
	}
	return func(f reflect.Value, args, out []reg) {
		var buf [6]reflect.Value
		vs := buf[:0]
		for i := range in {
			vs = append(vs, args[i].value(in[i], ci[i]))
		}
		var rs []reflect.Value
		if variadic {
			rs = f.CallSlice(vs)
		} else {
			rs = f.Call(vs)
		}
		for i := range rs {
			out[i].set(ot[i], co[i], rs[i])
		}
	}
}

// invoke returns the call of a method of an interface value.
func (b *builder) invoke(c *ssa.CallCommon) callee {
	cx := classOf(c.Value.Type())
	name := c.Method.Name()
	sig := stripRecv(c.Method.Signature())
	ft := b.tm.rtype(sig)
	n := b.nativeCall(sig, ft, sig.Variadic())
	it := b.tm.rtype(c.Value.Type())
	m, exported := it.MethodByName(name)
	var last *abiType
	var lastM *method
	var lastDirect bool
	_ = last
	return func(g *gor, args []reg, by *frame, out []reg) {
		recv := &args[0]
		t := typeWord(recv, cx)
		if t == nil {
			nilFault()
		}
		if f, ok := forgedTypes.Load(t); ok {
			if mm := f.(*forged).methods[name]; mm != nil && mm.fn != nil && mm.fn.prog == b.prog {
				lastM, lastDirect = mm, t.tflag&flagDirectIface != 0
				_ = lastM
				fr := g.push(mm.fn)
				s := mm.fn.params[0]
				r := &fr.regs[0]
				switch {
				case s.c == cPtr:
					r.p = recv.p
				case s.c == cBox && lastDirect:
					p := unsafeNew(s.rt)
					*(*unsafe.Pointer)(p) = recv.p
					r.p = p
				case s.c == cBox:
					r.p = recv.p
				default:
					load(s.c, r, recv.p)
				}
				copy(fr.regs[1:], args[1:])
				fr.deferredBy = by
				fr.run()
				copy(out, fr.regs[mm.fn.resBase:mm.fn.resBase+len(mm.fn.results)])
				g.pop(fr)
				return
			}
		}
		v := recv.value(it, cx)
		if exported && m.PkgPath == "" {
			n(v.Method(m.Index), args[1:], out)
			return
		}
		unexportedCall(t, name, recv, cx, it, args[1:], out, n)
	}
}

// callFunc calls a func value without parameters or results.
func (g *gor) callFunc(f unsafe.Pointer) {
	if c := closureOf(f); c != nil {
		g.pop(g.call(c.fn, nil, c.env, nil))
		return
	}
	(*(*func())(unsafe.Pointer(&f)))()
}

// unexportedCall calls a method that reflect does not: of a type that another
// unit forged.
func unexportedCall(t *abiType, name string, recv *reg, cx class, it reflect.Type, args, out []reg, n func(reflect.Value, []reg, []reg)) {
	f, ok := forgedTypes.Load(t)
	if !ok || f.(*forged).methods[name] == nil || f.(*forged).methods[name].fn == nil {
		panic("interp: the unexported method " + name + " of " + typeOf(t).String() + " is compiled; the interpreter cannot call it")
	}
	m := f.(*forged).methods[name].fn
	rv := recv.value(it, cx).Elem()
	vs := []reflect.Value{rv}
	for i, a := range args {
		vs = append(vs, a.value(m.ptypes[i+1], m.params[i+1].c))
	}
	for i, v := range m.callBack(nil, vs) {
		out[i].set(m.rtypes[i], m.results[i].c, v)
	}
}

// fullName is how the tables of this package name a function: path.Name, or
// path.Type.Name for a method.
func fullName(f *ssa.Function) string {
	o, _ := f.Object().(*types.Func)
	if o == nil || o.Pkg() == nil {
		return f.Name()
	}
	if r := o.Signature().Recv(); r != nil {
		t := types.Unalias(r.Type())
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
		if n, ok := t.(*types.Named); ok {
			return o.Pkg().Path() + "." + n.Obj().Name() + "." + o.Name()
		}
	}
	return o.Pkg().Path() + "." + o.Name()
}

// compiledFunc returns the compiled function or method that f is, if it is one.
func (u *unit) compiledFunc(f *ssa.Function) (reflect.Value, bool) {
	o, _ := f.Object().(*types.Func)
	if o == nil {
		return reflect.Value{}, false
	}
	if f.Synthetic != "" && !strings.HasPrefix(f.Synthetic, "from type information") {
		return reflect.Value{}, false // a wrapper or an instance
	}
	if v, ok := u.Funcs[o]; ok {
		return v, true
	}
	if f.Blocks != nil || o.Pkg() == nil || u.inSource(f) {
		return reflect.Value{}, false
	}
	name := fullName(f)
	if why, ok := refused[name]; ok {
		u.refuse(u.pos, "a call of "+name, "%s", why)
	}
	if why, ok := u.opt.Refuse[name]; ok {
		u.refuse(u.pos, "a call of "+name, "%s", why)
	}
	sig := o.Signature()
	if recv := sig.Recv(); recv != nil {
		if n, ok := types.Unalias(derefType(recv.Type())).(*types.Named); ok && n.TypeArgs() != nil {
			return reflect.Value{}, false
		}
		rt := u.tm.rtype(recv.Type())
		m, ok := rt.MethodByName(o.Name())
		if !ok {
			u.refuse(u.pos, "a call of "+name, "the compiled method is not at hand")
		}
		u.tm.learnSignature(sig, m.Type, 1)
		return m.Func, true
	}
	v, ok := u.symbolsOf(o.Pkg().Path())[o.Name()]
	if ok && v.IsValid() && v.Kind() == reflect.Func {
		u.tm.learnSignature(sig, v.Type(), 0)
		return v, true
	}
	if f.TypeParams() != nil || f.Origin() != nil {
		return reflect.Value{}, false
	}
	if hostFuncs[name] != nil {
		return reflect.Value{}, true
	}
	u.refuse(u.pos, "a call of "+name, "the function is not at hand without a toolchain")
	return v, false
}

func derefType(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// inSource reports whether f has a body in the unit.
func (u *unit) inSource(f *ssa.Function) bool {
	return f.Pkg != nil && (f.Pkg == u.pkg || u.isPrelude(f.Pkg)) && f.Syntax() != nil
}

// external compiles a function without a body that is used as a value or
// through a wrapper.
func (b *builder) external() {
	f, x := b.f, b.fn
	v, ok := b.compiledFunc(f)
	var call callee
	if ok {
		call = hostFuncs[fullName(f)]
		if call == nil {
			call = b.native(v, stripRecvAll(f.Signature), f.Signature.Variadic())
		}
	} else if call = b.generic(f); call == nil {
		b.refuse(b.pos, "a call of "+fullName(f), "the function has no body here")
	}
	sig := stripRecvAll(f.Signature)
	for p := range sig.Params().Variables() {
		x.params = append(x.params, b.slotOf(p.Type()))
		x.ptypes = append(x.ptypes, b.tm.rtype(p.Type()))
		b.next++
	}
	n := b.next
	b.result(sig.Results())
	base, k := x.resBase, len(x.results)
	x.blocks = []block{{term: func(fr *frame) int {
		call(fr.g, fr.regs[:n], nil, fr.regs[base:base+k])
		return -1
	}}}
	x.nregs = b.next
}

func resultCount(c *ssa.CallCommon) int { return c.Signature().Results().Len() }

func (b *builder) call(in *ssa.Call) {
	d := b.regs[in]
	n := 1
	if t, ok := in.Type().(*types.Tuple); ok {
		n = t.Len()
	}
	if bi, ok := in.Call.Value.(*ssa.Builtin); ok && b.quickBuiltin(in, bi, d) {
		return
	}
	// A call of a function of the unit copies its arguments into the frame.
	if f, ok := in.Call.Value.(*ssa.Function); ok && !in.Call.IsInvoke() && f.Blocks != nil {
		if _, isNative := b.compiledFunc(f); !isNative {
			b.directCall(in, f, d, n)
			return
		}
	}
	call, args := b.resolve(&in.Call)
	tmp := b.temp(len(args))
	k := len(args)
	wrapper := b.fn.wrapper
	b.emit(func(fr *frame) {
		a := fr.regs[tmp : tmp+k]
		for i, x := range args {
			a[i] = *fr.at(x)
		}
		by := (*frame)(nil)
		if wrapper {
			by = fr.deferredBy
		}
		call(fr.g, a, by, fr.regs[d:d+n])
	})
}

func (b *builder) directCall(in *ssa.Call, f *ssa.Function, d, n int) {
	x := b.fnOf(f)
	var args []int
	for _, a := range in.Call.Args {
		args = append(args, b.operand(a))
	}
	wrapper := b.fn.wrapper
	b.emit(func(fr *frame) {
		g := fr.g
		nf := g.push(x)
		for i, a := range args {
			nf.regs[i] = *fr.at(a)
		}
		if wrapper {
			nf.deferredBy = fr.deferredBy
		}
		nf.run()
		if n == 1 {
			fr.regs[d] = nf.regs[x.resBase]
		} else {
			copy(fr.regs[d:d+n], nf.regs[x.resBase:])
		}
		g.pop(nf)
	})
}

func (b *builder) goStmt(in *ssa.Go) {
	call, args := b.resolve(&in.Call)
	n := resultCount(&in.Call)
	dyn := isDynamic(&in.Call)
	inv := in.Call.IsInvoke()
	cv := classOf(in.Call.Value.Type())
	b.emit(func(fr *frame) {
		a := make([]reg, len(args))
		for i, x := range args {
			a[i] = *fr.at(x)
		}
		if dyn && a[0].p == nil {
			fr.g.run.finish(&Fatal{Text: "go of nil func value", Frames: fr.g.stackTrace()})
			fr.g.unwind()
		}
		if inv && typeWord(&a[0], cv) == nil {
			nilFault()
		}
		fr.g.run.spawn(func(g *gor) { call(g, a, nil, make([]reg, n)) })
	})
}

func isDynamic(c *ssa.CallCommon) bool {
	if c.IsInvoke() {
		return false
	}
	switch c.Value.(type) {
	case *ssa.Builtin, *ssa.Function:
		return false
	}
	return true
}

func (b *builder) deferStmt(in *ssa.Defer) {
	call, args := b.resolve(&in.Call)
	n := max(resultCount(&in.Call), 1)
	inv := in.Call.IsInvoke()
	cv := classOf(in.Call.Value.Type())
	on := 0
	outer := in.DeferStack != nil
	if outer {
		on = b.operand(in.DeferStack)
	} else {
		b.fn.defers = true
	}
	b.emit(func(fr *frame) {
		a := make([]reg, len(args))
		for i, x := range args {
			a[i] = *fr.at(x)
		}
		if inv && typeWord(&a[0], cv) == nil {
			nilFault()
		}
		to := fr
		if outer {
			to = (*frame)(fr.at(on).p)
		}
		to.defers = append(to.defers, deferred{func(fr, by *frame) {
			call(fr.g, a, by, make([]reg, n))
		}})
	})
}
