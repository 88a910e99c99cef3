package interp

import (
	"go/token"
	"go/types"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

type integer interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | uintptr
}

type ordinary interface {
	integer | float32 | float64
}

type number interface {
	ordinary | complex64 | complex128
}

func get[T any](r *reg) T    { return *(*T)(unsafe.Pointer(&r.b)) }
func put[T any](r *reg, v T) { *(*T)(unsafe.Pointer(&r.b)) = v }
func str(r *reg) string      { return *(*string)(unsafe.Pointer(&r.p)) }
func putStr(r *reg, s string) {
	*(*string)(unsafe.Pointer(&r.p)) = s
}

func putBool(r *reg, v bool) {
	r.b = 0
	if v {
		r.b = 1
	}
}

func intOp[T integer](t token.Token, d, x, y int) op {
	switch t {
	case token.REM:
		return func(fr *frame) { put(&fr.regs[d], get[T](fr.at(x))%get[T](fr.at(y))) }
	case token.AND:
		return func(fr *frame) { put(&fr.regs[d], get[T](fr.at(x))&get[T](fr.at(y))) }
	case token.OR:
		return func(fr *frame) { put(&fr.regs[d], get[T](fr.at(x))|get[T](fr.at(y))) }
	case token.XOR:
		return func(fr *frame) { put(&fr.regs[d], get[T](fr.at(x))^get[T](fr.at(y))) }
	case token.AND_NOT:
		return func(fr *frame) { put(&fr.regs[d], get[T](fr.at(x))&^get[T](fr.at(y))) }
	}
	return realOp[T](t, d, x, y)
}

func realOp[T ordinary](t token.Token, d, x, y int) op {
	switch t {
	case token.LSS:
		return func(fr *frame) { putBool(&fr.regs[d], get[T](fr.at(x)) < get[T](fr.at(y))) }
	case token.LEQ:
		return func(fr *frame) { putBool(&fr.regs[d], get[T](fr.at(x)) <= get[T](fr.at(y))) }
	case token.GTR:
		return func(fr *frame) { putBool(&fr.regs[d], get[T](fr.at(x)) > get[T](fr.at(y))) }
	case token.GEQ:
		return func(fr *frame) { putBool(&fr.regs[d], get[T](fr.at(x)) >= get[T](fr.at(y))) }
	}
	return numberOp[T](t, d, x, y)
}

func numberOp[T number](t token.Token, d, x, y int) op {
	switch t {
	case token.ADD:
		return func(fr *frame) { put(&fr.regs[d], get[T](fr.at(x))+get[T](fr.at(y))) }
	case token.SUB:
		return func(fr *frame) { put(&fr.regs[d], get[T](fr.at(x))-get[T](fr.at(y))) }
	case token.MUL:
		return func(fr *frame) { put(&fr.regs[d], get[T](fr.at(x))*get[T](fr.at(y))) }
	case token.QUO:
		return func(fr *frame) { put(&fr.regs[d], get[T](fr.at(x))/get[T](fr.at(y))) }
	case token.EQL:
		return func(fr *frame) { putBool(&fr.regs[d], get[T](fr.at(x)) == get[T](fr.at(y))) }
	case token.NEQ:
		return func(fr *frame) { putBool(&fr.regs[d], get[T](fr.at(x)) != get[T](fr.at(y))) }
	}
	return nil
}

func shiftOp[T integer](t token.Token, d, x int, count func(fr *frame) uint64) op {
	if t == token.SHL {
		return func(fr *frame) { n := count(fr); put(&fr.regs[d], get[T](fr.at(x))<<n) }
	}
	return func(fr *frame) { n := count(fr); put(&fr.regs[d], get[T](fr.at(x))>>n) }
}

func strOp(t token.Token, d, x, y int) op {
	switch t {
	case token.ADD:
		return func(fr *frame) { putStr(&fr.regs[d], str(fr.at(x))+str(fr.at(y))) }
	case token.EQL:
		return func(fr *frame) { putBool(&fr.regs[d], str(fr.at(x)) == str(fr.at(y))) }
	case token.NEQ:
		return func(fr *frame) { putBool(&fr.regs[d], str(fr.at(x)) != str(fr.at(y))) }
	case token.LSS:
		return func(fr *frame) { putBool(&fr.regs[d], str(fr.at(x)) < str(fr.at(y))) }
	case token.LEQ:
		return func(fr *frame) { putBool(&fr.regs[d], str(fr.at(x)) <= str(fr.at(y))) }
	case token.GTR:
		return func(fr *frame) { putBool(&fr.regs[d], str(fr.at(x)) > str(fr.at(y))) }
	case token.GEQ:
		return func(fr *frame) { putBool(&fr.regs[d], str(fr.at(x)) >= str(fr.at(y))) }
	}
	return nil
}

func (b *builder) binOp(in *ssa.BinOp) {
	d, x, y := b.regs[in], b.operand(in.X), b.operand(in.Y)
	t := in.X.Type()
	var o op
	if basic, ok := t.Underlying().(*types.Basic); ok {
		if in.Op == token.SHL || in.Op == token.SHR {
			o = b.shift(in, basic.Kind(), d, x, y)
		} else {
			o = basicOp(basic.Kind(), in.Op, d, x, y)
		}
	} else if in.Op == token.EQL || in.Op == token.NEQ {
		o = b.equality(in, d, x, y)
	}
	if o == nil {
		b.refuse(in.Pos(), in.String(), "the interpreter has no such operation")
	}
	b.emit(o)
}

func basicOp(k types.BasicKind, t token.Token, d, x, y int) op {
	switch k {
	case types.Int, types.UntypedInt:
		return intOp[int](t, d, x, y)
	case types.Int8:
		return intOp[int8](t, d, x, y)
	case types.Int16:
		return intOp[int16](t, d, x, y)
	case types.Int32, types.UntypedRune:
		return intOp[int32](t, d, x, y)
	case types.Int64:
		return intOp[int64](t, d, x, y)
	case types.Uint:
		return intOp[uint](t, d, x, y)
	case types.Uint8:
		return intOp[uint8](t, d, x, y)
	case types.Uint16:
		return intOp[uint16](t, d, x, y)
	case types.Uint32:
		return intOp[uint32](t, d, x, y)
	case types.Uint64:
		return intOp[uint64](t, d, x, y)
	case types.Uintptr:
		return intOp[uintptr](t, d, x, y)
	case types.Float32:
		return realOp[float32](t, d, x, y)
	case types.Float64, types.UntypedFloat:
		return realOp[float64](t, d, x, y)
	case types.Complex64:
		return numberOp[complex64](t, d, x, y)
	case types.Complex128:
		return numberOp[complex128](t, d, x, y)
	case types.String, types.UntypedString:
		return strOp(t, d, x, y)
	case types.Bool, types.UntypedBool:
		switch t {
		case token.AND:
			return intOp[uint8](t, d, x, y)
		case token.OR:
			return intOp[uint8](t, d, x, y)
		}
		return numberOp[uint8](t, d, x, y)
	case types.UnsafePointer, types.UntypedNil:
		return pointerOp(t, d, x, y)
	}
	return nil
}

func pointerOp(t token.Token, d, x, y int) op {
	switch t {
	case token.EQL:
		return func(fr *frame) { putBool(&fr.regs[d], fr.at(x).p == fr.at(y).p) }
	case token.NEQ:
		return func(fr *frame) { putBool(&fr.regs[d], fr.at(x).p != fr.at(y).p) }
	}
	return nil
}

func (b *builder) shift(in *ssa.BinOp, k types.BasicKind, d, x, y int) op {
	get, signed := intGetter(in.Y.Type())
	count := func(fr *frame) uint64 {
		n := int64(fr.at(y).b)
		if get != nil {
			n = get(fr.at(y))
		}
		if signed && n < 0 {
			sink = 1 << n // panics
		}
		return uint64(n)
	}
	switch k {
	case types.Int, types.UntypedInt:
		return shiftOp[int](in.Op, d, x, count)
	case types.Int8:
		return shiftOp[int8](in.Op, d, x, count)
	case types.Int16:
		return shiftOp[int16](in.Op, d, x, count)
	case types.Int32, types.UntypedRune:
		return shiftOp[int32](in.Op, d, x, count)
	case types.Int64:
		return shiftOp[int64](in.Op, d, x, count)
	case types.Uint:
		return shiftOp[uint](in.Op, d, x, count)
	case types.Uint8:
		return shiftOp[uint8](in.Op, d, x, count)
	case types.Uint16:
		return shiftOp[uint16](in.Op, d, x, count)
	case types.Uint32:
		return shiftOp[uint32](in.Op, d, x, count)
	case types.Uint64:
		return shiftOp[uint64](in.Op, d, x, count)
	case types.Uintptr:
		return shiftOp[uintptr](in.Op, d, x, count)
	}
	return nil
}

// equality compares what is no basic type.
func (b *builder) equality(in *ssa.BinOp, d, x, y int) op {
	neg := in.Op == token.NEQ
	switch c := classOf(in.X.Type()); c {
	case cPtr, cSlice: // of slices, maps and funcs: with nil only
		return pointerOp(in.Op, d, x, y)
	case cEface, cIface:
		cy := classOf(in.Y.Type())
		return func(fr *frame) {
			p := asAny((*reg0)(unsafe.Pointer(fr.at(x))), c == cIface)
			q := asAny((*reg0)(unsafe.Pointer(fr.at(y))), cy == cIface)
			putBool(&fr.regs[d], (p == q) != neg)
		}
	case cBox:
		t := b.tm.rtype(in.X.Type())
		eq := abiOf(t)
		if t.Size() == 0 {
			return func(fr *frame) { putBool(&fr.regs[d], !neg) }
		}
		return func(fr *frame) {
			putBool(&fr.regs[d], eq.equal(fr.at(x).p, fr.at(y).p) != neg)
		}
	}
	return nil
}

func negOp[T number](d, x int) op {
	return func(fr *frame) { put(&fr.regs[d], -get[T](fr.at(x))) }
}

func notOp[T integer](d, x int) op {
	return func(fr *frame) { put(&fr.regs[d], ^get[T](fr.at(x))) }
}

func negation(t token.Token, typ types.Type, d, x int) op {
	neg := t == token.SUB
	pick := func(a, b op) op {
		if neg {
			return a
		}
		return b
	}
	switch typ.Underlying().(*types.Basic).Kind() {
	case types.Int:
		return pick(negOp[int](d, x), notOp[int](d, x))
	case types.Int8:
		return pick(negOp[int8](d, x), notOp[int8](d, x))
	case types.Int16:
		return pick(negOp[int16](d, x), notOp[int16](d, x))
	case types.Int32:
		return pick(negOp[int32](d, x), notOp[int32](d, x))
	case types.Int64:
		return pick(negOp[int64](d, x), notOp[int64](d, x))
	case types.Uint:
		return pick(negOp[uint](d, x), notOp[uint](d, x))
	case types.Uint8:
		return pick(negOp[uint8](d, x), notOp[uint8](d, x))
	case types.Uint16:
		return pick(negOp[uint16](d, x), notOp[uint16](d, x))
	case types.Uint32:
		return pick(negOp[uint32](d, x), notOp[uint32](d, x))
	case types.Uint64:
		return pick(negOp[uint64](d, x), notOp[uint64](d, x))
	case types.Uintptr:
		return pick(negOp[uintptr](d, x), notOp[uintptr](d, x))
	case types.Float32:
		return negOp[float32](d, x)
	case types.Float64:
		return negOp[float64](d, x)
	case types.Complex64:
		return negOp[complex64](d, x)
	}
	return negOp[complex128](d, x)
}

func convTo[F, T ordinary](d, x int) op {
	return func(fr *frame) { put(&fr.regs[d], T(get[F](fr.at(x)))) }
}

func convFrom[F ordinary](to types.BasicKind, d, x int) op {
	switch to {
	case types.Int:
		return convTo[F, int](d, x)
	case types.Int8:
		return convTo[F, int8](d, x)
	case types.Int16:
		return convTo[F, int16](d, x)
	case types.Int32:
		return convTo[F, int32](d, x)
	case types.Int64:
		return convTo[F, int64](d, x)
	case types.Uint:
		return convTo[F, uint](d, x)
	case types.Uint8:
		return convTo[F, uint8](d, x)
	case types.Uint16:
		return convTo[F, uint16](d, x)
	case types.Uint32:
		return convTo[F, uint32](d, x)
	case types.Uint64:
		return convTo[F, uint64](d, x)
	case types.Uintptr:
		return convTo[F, uintptr](d, x)
	case types.Float32:
		return convTo[F, float32](d, x)
	case types.Float64:
		return convTo[F, float64](d, x)
	}
	return nil
}

func convNumber(from, to types.BasicKind, d, x int) op {
	switch from {
	case types.Int:
		return convFrom[int](to, d, x)
	case types.Int8:
		return convFrom[int8](to, d, x)
	case types.Int16:
		return convFrom[int16](to, d, x)
	case types.Int32:
		return convFrom[int32](to, d, x)
	case types.Int64:
		return convFrom[int64](to, d, x)
	case types.Uint:
		return convFrom[uint](to, d, x)
	case types.Uint8:
		return convFrom[uint8](to, d, x)
	case types.Uint16:
		return convFrom[uint16](to, d, x)
	case types.Uint32:
		return convFrom[uint32](to, d, x)
	case types.Uint64:
		return convFrom[uint64](to, d, x)
	case types.Uintptr:
		return convFrom[uintptr](to, d, x)
	case types.Float32:
		return convFrom[float32](to, d, x)
	case types.Float64:
		return convFrom[float64](to, d, x)
	case types.Complex64:
		if to == types.Complex64 {
			return func(fr *frame) { fr.regs[d].b = fr.at(x).b }
		}
		return func(fr *frame) { put(&fr.regs[d], complex128(get[complex64](fr.at(x)))) }
	case types.Complex128:
		if to == types.Complex64 {
			return func(fr *frame) { put(&fr.regs[d], complex64(get[complex128](fr.at(x)))) }
		}
		return func(fr *frame) { put(&fr.regs[d], get[complex128](fr.at(x))) }
	}
	return nil
}

func (b *builder) convert(in *ssa.Convert) {
	d, x := b.regs[in], b.operand(in.X)
	from, to := in.X.Type().Underlying(), in.Type().Underlying()
	if o := b.conversion(from, to, d, x); o != nil {
		b.emit(o)
		return
	}
	b.refuse(in.Pos(), "the conversion of "+in.X.Type().String()+" to "+in.Type().String(), "the interpreter has no such operation")
}

func elemKind(t types.Type) types.BasicKind {
	if s, ok := t.(*types.Slice); ok {
		if b, ok := s.Elem().Underlying().(*types.Basic); ok {
			return b.Kind()
		}
	}
	return types.Invalid
}

func (b *builder) conversion(from, to types.Type, d, x int) op {
	fb, fok := from.(*types.Basic)
	tb, tok := to.(*types.Basic)
	switch {
	case fok && fb.Info()&types.IsString != 0:
		switch elemKind(to) {
		case types.Uint8:
			return func(fr *frame) { *(*[]byte)(unsafe.Pointer(&fr.regs[d].p)) = []byte(str(fr.at(x))) }
		case types.Int32:
			return func(fr *frame) { *(*[]rune)(unsafe.Pointer(&fr.regs[d].p)) = []rune(str(fr.at(x))) }
		}
		if tok && tb.Info()&types.IsString != 0 {
			return func(fr *frame) { fr.regs[d] = *fr.at(x) }
		}
	case tok && tb.Info()&types.IsString != 0:
		switch elemKind(from) {
		case types.Uint8:
			return func(fr *frame) { putStr(&fr.regs[d], string(*(*[]byte)(unsafe.Pointer(&fr.at(x).p)))) }
		case types.Int32:
			return func(fr *frame) { putStr(&fr.regs[d], string(*(*[]rune)(unsafe.Pointer(&fr.at(x).p)))) }
		}
		if fok && fb.Info()&types.IsInteger != 0 {
			get, signed := intGetter(fb)
			return func(fr *frame) {
				n := int64(fr.at(x).b)
				if get != nil {
					n = get(fr.at(x))
				}
				if !signed && n < 0 {
					n = -1
				}
				if n != int64(rune(n)) {
					n = 0xFFFD
				}
				putStr(&fr.regs[d], string(rune(n)))
			}
		}
	case tok && tb.Kind() == types.UnsafePointer:
		if fok && fb.Kind() == types.Uintptr {
			return func(fr *frame) {
				n := fr.at(x).b
				fr.regs[d].p = *(*unsafe.Pointer)(unsafe.Pointer(&n))
			}
		}
		if _, ok := from.(*types.Pointer); ok || fok && fb.Kind() == types.UnsafePointer {
			return func(fr *frame) { fr.regs[d].p = fr.at(x).p }
		}
	case fok && fb.Kind() == types.UnsafePointer:
		if tok && tb.Kind() == types.Uintptr {
			return func(fr *frame) { fr.regs[d].b = uint64(uintptr(fr.at(x).p)) }
		}
		if _, ok := to.(*types.Pointer); ok {
			return func(fr *frame) { fr.regs[d].p = fr.at(x).p }
		}
	case fok && tok:
		return convNumber(typed(fb.Kind()), typed(tb.Kind()), d, x)
	}
	return nil
}

// typed is the kind that an untyped constant takes by default.
func typed(k types.BasicKind) types.BasicKind {
	switch k {
	case types.UntypedInt:
		return types.Int
	case types.UntypedRune:
		return types.Int32
	case types.UntypedFloat:
		return types.Float64
	case types.UntypedComplex:
		return types.Complex128
	}
	return k
}
