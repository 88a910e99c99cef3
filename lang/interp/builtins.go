package interp

import (
	"go/token"
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// quickBuiltin compiles the builtins that need no call.
func (b *builder) quickBuiltin(in *ssa.Call, bi *ssa.Builtin, d int) bool {
	args := in.Call.Args
	switch bi.Name() {
	case "len", "cap":
		x := b.operand(args[0])
		switch t := args[0].Type().Underlying().(type) {
		case *types.Basic:
			b.emit(func(fr *frame) { fr.regs[d].b = fr.at(x).b })
		case *types.Slice:
			if bi.Name() == "cap" {
				b.emit(func(fr *frame) { fr.regs[d].b = fr.at(x).c })
			} else {
				b.emit(func(fr *frame) { fr.regs[d].b = fr.at(x).b })
			}
		case *types.Map, *types.Chan:
			rt := b.tm.rtype(args[0].Type())
			b.emit(func(fr *frame) {
				v := fr.at(x).value(rt, cPtr)
				if bi.Name() == "cap" {
					fr.regs[d].b = uint64(v.Cap())
				} else {
					fr.regs[d].b = uint64(v.Len())
				}
			})
		case *types.Array:
			n := uint64(t.Len())
			b.emit(func(fr *frame) { fr.regs[d].b = n })
		case *types.Pointer:
			n := uint64(t.Elem().Underlying().(*types.Array).Len())
			b.emit(func(fr *frame) { fr.regs[d].b = n })
		default:
			return false
		}
		return true
	case "ssa:deferstack":
		b.fn.defers = true
		b.emit(func(fr *frame) { fr.regs[d].p = unsafe.Pointer(fr) })
		return true
	case "recover":
		if b.f.Synthetic == "range-over-func yield" {
			b.refuse(in.Pos(), "recover in the body of a range over a function", "the interpreter cannot tell which function it belongs to")
		}
		b.emit(func(fr *frame) {
			*(*any)(unsafe.Pointer(&fr.regs[d].t)) = fr.doRecover()
		})
		return true
	case "real", "imag":
		x := b.operand(args[0])
		im := bi.Name() == "imag"
		if classOf(args[0].Type()) == c16 {
			b.emit(func(fr *frame) {
				r := fr.at(x)
				if im {
					fr.regs[d].b = r.c
				} else {
					fr.regs[d].b = r.b
				}
			})
		} else {
			b.emit(func(fr *frame) {
				v := get[complex64](fr.at(x))
				if im {
					put(&fr.regs[d], imag(v))
				} else {
					put(&fr.regs[d], real(v))
				}
			})
		}
		return true
	case "complex":
		x, y := b.operand(args[0]), b.operand(args[1])
		if classOf(in.Type()) == c16 {
			b.emit(func(fr *frame) {
				v := complex(get[float64](fr.at(x)), get[float64](fr.at(y)))
				put(&fr.regs[d], v)
			})
		} else {
			b.emit(func(fr *frame) {
				v := complex(get[float32](fr.at(x)), get[float32](fr.at(y)))
				put(&fr.regs[d], v)
			})
		}
		return true
	case "min", "max":
		b.minMax(in, bi.Name() == "min", d)
		return true
	}
	return false
}

func (b *builder) minMax(in *ssa.Call, least bool, d int) {
	var xs []int
	for _, a := range in.Call.Args {
		xs = append(xs, b.operand(a))
	}
	k := in.Type().Underlying().(*types.Basic)
	cmp := b.temp(1)
	switch {
	case k.Kind() == types.Float64, k.Kind() == types.UntypedFloat:
		b.emit(func(fr *frame) {
			v := get[float64](fr.at(xs[0]))
			for _, x := range xs[1:] {
				if least {
					v = min(v, get[float64](fr.at(x)))
				} else {
					v = max(v, get[float64](fr.at(x)))
				}
			}
			put(&fr.regs[d], v)
		})
	case k.Kind() == types.Float32:
		b.emit(func(fr *frame) {
			v := get[float32](fr.at(xs[0]))
			for _, x := range xs[1:] {
				if least {
					v = min(v, get[float32](fr.at(x)))
				} else {
					v = max(v, get[float32](fr.at(x)))
				}
			}
			put(&fr.regs[d], v)
		})
	default:
		acc := b.temp(1)
		var less []op
		for _, x := range xs[1:] {
			if least {
				less = append(less, basicOp(k.Kind(), token.LSS, cmp, x, acc))
			} else {
				less = append(less, basicOp(k.Kind(), token.GTR, cmp, x, acc))
			}
		}
		b.emit(func(fr *frame) {
			fr.regs[acc] = *fr.at(xs[0])
			for i, x := range xs[1:] {
				if less[i](fr); uint8(fr.regs[cmp].b) != 0 {
					fr.regs[acc] = *fr.at(x)
				}
			}
			fr.regs[d] = fr.regs[acc]
		})
	}
}

// builtin returns a builtin as a call: in go and defer statements too.
func (b *builder) builtin(c *ssa.CallCommon, bi *ssa.Builtin) callee {
	var ts []types.Type
	for _, a := range c.Args {
		ts = append(ts, a.Type())
	}
	switch bi.Name() {
	case "append":
		return b.appendTo(ts[0], ts[1])
	case "copy":
		return b.copyTo(ts[0], ts[1])
	case "delete":
		t := b.tm.rtype(ts[0])
		kt, ck := t.Key(), classOf(ts[0].Underlying().(*types.Map).Key())
		return func(_ *gor, a []reg, _ *frame, _ []reg) {
			v := a[0].value(t, cPtr)
			if v.IsNil() { // the key is still hashed
				v.MapIndex(a[1].value(kt, ck))
				return
			}
			v.SetMapIndex(a[1].value(kt, ck), reflect.Value{})
		}
	case "clear":
		t := b.tm.rtype(ts[0])
		c := classOf(ts[0])
		return func(_ *gor, a []reg, _ *frame, _ []reg) {
			if v := a[0].value(t, c); !v.IsNil() {
				v.Clear()
			}
		}
	case "close":
		t := b.tm.rtype(ts[0])
		return func(_ *gor, a []reg, _ *frame, _ []reg) {
			if a[0].p == nil {
				var c chan int
				close(c) // panics as it does
			}
			a[0].value(t, cPtr).Close()
		}
	case "print", "println":
		return b.printer(ts, bi.Name() == "println")
	case "panic":
		return func(_ *gor, a []reg, _ *frame, _ []reg) {
			panic(asAny((*reg0)(unsafe.Pointer(&a[0])), false))
		}
	case "recover":
		return func(_ *gor, _ []reg, by *frame, out []reg) {}
	case "ssa:wrapnilchk":
		recv, name := c.Args[1], c.Args[2]
		_ = recv
		_ = name
		return func(_ *gor, a []reg, _ *frame, out []reg) {
			if a[0].p == nil {
				wrapFault(str(&a[1]), str(&a[2]))
			}
			out[0] = a[0]
		}
	case "len", "cap":
		t := b.tm.rtype(ts[0])
		c := classOf(ts[0])
		length := bi.Name() == "len"
		return func(_ *gor, a []reg, _ *frame, out []reg) {
			v := a[0].value(t, c)
			n := 0
			if length {
				n = v.Len()
			} else {
				n = v.Cap()
			}
			if len(out) > 0 {
				out[0].b = uint64(n)
			}
		}
	case "Add":
		get, _ := intGetter(ts[1])
		return func(_ *gor, a []reg, _ *frame, out []reg) {
			n := int64(a[1].b)
			if get != nil {
				n = get(&a[1])
			}
			out[0].p = unsafe.Add(a[0].p, n)
		}
	case "String":
		get, _ := intGetter(ts[1])
		return func(_ *gor, a []reg, _ *frame, out []reg) {
			n := int64(a[1].b)
			if get != nil {
				n = get(&a[1])
			}
			putStr(&out[0], unsafe.String((*byte)(a[0].p), n))
		}
	case "Sizeof":
		n := uint64(b.tm.rtype(ts[0]).Size())
		return func(_ *gor, _ []reg, _ *frame, out []reg) { out[0].b = n }
	case "Slice":
		get, _ := intGetter(ts[1])
		size := b.tm.rtype(elemOf(ts[0])).Size()
		return func(_ *gor, a []reg, _ *frame, out []reg) {
			n := int64(a[1].b)
			if get != nil {
				n = get(&a[1])
			}
			// The checks are those of unsafe.Slice for any element.
			if p := a[0].p; size == 0 || p == nil || n < 0 || uint64(n) > 1<<47/uint64(size) {
				if n > 0 && p != nil && size > 0 {
					n = -1
				}
				_ = unsafe.Slice((*byte)(p), n)
			} else if mem := uintptr(n) * size; mem > -uintptr(p) {
				_ = unsafe.Slice((*byte)(p), mem)
			}
			out[0].p, out[0].b, out[0].c = a[0].p, uint64(n), uint64(n)
		}
	case "StringData", "SliceData":
		return func(_ *gor, a []reg, _ *frame, out []reg) { out[0].p = a[0].p }
	}
	b.refuse(b.pos, "the builtin "+bi.Name()+" here", "the interpreter has no such operation")
	return nil
}

// wrapFault is the call of a value method through a nil pointer.
func wrapFault(recv, method string) {
	panic(nilMethodError("value method " + recv + "." + method + " called using nil *" + lastElem(recv) + " pointer"))
}

func lastElem(s string) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '.' {
			return s[i+1:]
		}
	}
	return s
}

// nilMethodError is a runtime error with a text of its own.
type nilMethodError string

func (e nilMethodError) Error() string { return string(e) }
func (e nilMethodError) RuntimeError() {}

func appendAs[T any](_ *gor, a []reg, _ *frame, out []reg) {
	x := *(*[]T)(unsafe.Pointer(&a[0].p))
	y := *(*[]T)(unsafe.Pointer(&a[1].p))
	*(*[]T)(unsafe.Pointer(&out[0].p)) = append(x, y...)
}

func (b *builder) appendTo(t, more types.Type) callee {
	if bt, ok := more.Underlying().(*types.Basic); ok && bt.Info()&types.IsString != 0 {
		return func(_ *gor, a []reg, _ *frame, out []reg) {
			*(*[]byte)(unsafe.Pointer(&out[0].p)) = append(*(*[]byte)(unsafe.Pointer(&a[0].p)), str(&a[1])...)
		}
	}
	elem := t.Underlying().(*types.Slice).Elem()
	switch classOf(elem) {
	case c1:
		return appendAs[uint8]
	case c2:
		return appendAs[uint16]
	case c4:
		return appendAs[uint32]
	case c8:
		return appendAs[uint64]
	case c16:
		return appendAs[complex128]
	case cPtr:
		return appendAs[unsafe.Pointer]
	case cString:
		return appendAs[string]
	case cSlice:
		return appendAs[[]byte]
	case cEface, cIface:
		return appendAs[reg0]
	}
	st := b.tm.rtype(types.NewSlice(elem))
	if st.Elem().Size() == 0 {
		return appendAs[struct{}]
	}
	return func(_ *gor, a []reg, _ *frame, out []reg) {
		out[0].set(st, cSlice, reflect.AppendSlice(a[0].value(st, cSlice), a[1].value(st, cSlice)))
	}
}

func (b *builder) copyTo(t, from types.Type) callee {
	if bt, ok := from.Underlying().(*types.Basic); ok && bt.Info()&types.IsString != 0 {
		return func(_ *gor, a []reg, _ *frame, out []reg) {
			n := copy(*(*[]byte)(unsafe.Pointer(&a[0].p)), str(&a[1]))
			if len(out) > 0 {
				out[0].b = uint64(n)
			}
		}
	}
	st := b.tm.rtype(types.NewSlice(t.Underlying().(*types.Slice).Elem()))
	return func(_ *gor, a []reg, _ *frame, out []reg) {
		n := reflect.Copy(a[0].value(st, cSlice), a[1].value(st, cSlice))
		if len(out) > 0 {
			out[0].b = uint64(n)
		}
	}
}

// printer is print and println: to standard error, as the runtime writes.
func (b *builder) printer(ts []types.Type, line bool) callee {
	var fs []func(r *reg)
	for _, t := range ts {
		fs = append(fs, printOf(t))
	}
	return func(_ *gor, a []reg, _ *frame, _ []reg) {
		for i, f := range fs {
			if line && i > 0 {
				print(" ")
			}
			f(&a[i])
		}
		if line {
			println()
		}
	}
}

func printAs[T ordinary](r *reg) { print(get[T](r)) }

func printOf(t types.Type) func(r *reg) {
	if u, ok := t.Underlying().(*types.Basic); ok {
		switch u.Kind() {
		case types.Bool, types.UntypedBool:
			return func(r *reg) { print(uint8(r.b) != 0) }
		case types.Int, types.Int64, types.UntypedInt:
			return printAs[int64]
		case types.Int8:
			return printAs[int8]
		case types.Int16:
			return printAs[int16]
		case types.Int32, types.UntypedRune:
			return printAs[int32]
		case types.Uint, types.Uint64, types.Uintptr:
			return printAs[uint64]
		case types.Uint8:
			return printAs[uint8]
		case types.Uint16:
			return printAs[uint16]
		case types.Uint32:
			return printAs[uint32]
		case types.Float32:
			return printAs[float32]
		case types.Float64, types.UntypedFloat:
			return printAs[float64]
		case types.Complex64:
			return func(r *reg) { print(get[complex64](r)) }
		case types.Complex128, types.UntypedComplex:
			return func(r *reg) { print(get[complex128](r)) }
		case types.String, types.UntypedString:
			return func(r *reg) { print(str(r)) }
		}
		return func(r *reg) { print(r.p) }
	}
	switch classOf(t) {
	case cSlice:
		return func(r *reg) { print(*(*[]byte)(unsafe.Pointer(&r.p))) }
	case cEface:
		return func(r *reg) { print(*(*any)(unsafe.Pointer(&r.t))) }
	case cIface:
		return func(r *reg) { print(*(*any)(unsafe.Pointer(&r.t))) }
	}
	return func(r *reg) { print(r.p) }
}
