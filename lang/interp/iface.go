package interp

import (
	"go/types"
	"reflect"
	"sync"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

type itabKey struct{ iface, typ *abiType }

var itabs sync.Map // itabKey -> unsafe.Pointer

// itabOf returns the first word of values of type t in the interface type, or
// nil where t does not implement it.
func itabOf(iface, t *abiType) unsafe.Pointer {
	k := itabKey{iface, t}
	if p, ok := itabs.Load(k); ok {
		return p.(unsafe.Pointer)
	}
	it, rt := typeOf(iface), typeOf(t)
	var p unsafe.Pointer
	if rt.Implements(it) {
		v := reflect.New(it).Elem()
		v.Set(reflect.Zero(rt))
		p = *(*unsafe.Pointer)(v.Addr().UnsafePointer())
	}
	itabs.Store(k, p)
	return p
}

func (b *builder) makeInterface(in *ssa.MakeInterface) {
	d, x := b.regs[in], b.operand(in.X)
	s := b.slotOf(in.X.Type())
	rt := abiOf(b.tm.rtype(in.X.Type()))
	word := unsafe.Pointer(rt)
	if classOf(in.Type()) == cIface {
		word = itabOf(abiOf(b.tm.rtype(in.Type())), rt)
		if word == nil {
			b.refuse(in.Pos(), "the conversion of "+in.X.Type().String()+" to "+in.Type().String(), "the interpreter does not see that it implements the interface")
		}
	}
	direct := rt.tflag&flagDirectIface != 0
	switch {
	case s.c == cPtr:
		b.emit(func(fr *frame) {
			p := fr.at(x).p
			r := &fr.regs[d]
			r.t, r.p = word, p
		})
	case s.c == cBox && direct: // a struct or array that is one pointer
		b.emit(func(fr *frame) {
			p := *(*unsafe.Pointer)(fr.at(x).p)
			r := &fr.regs[d]
			r.t, r.p = word, p
		})
	case s.c == cBox:
		b.emit(func(fr *frame) {
			p := fr.at(x).p
			r := &fr.regs[d]
			r.t, r.p = word, p
		})
	default:
		c := s.c
		b.emit(func(fr *frame) {
			p := unsafeNew(rt)
			store(c, p, fr.at(x))
			r := &fr.regs[d]
			r.t, r.p = word, p
		})
	}
}

// toIface stores the interface value with dynamic type t and data p in d.
func toIface(d *reg, c class, iface, t *abiType, p unsafe.Pointer) bool {
	word := unsafe.Pointer(t)
	if c == cIface && t != nil {
		if word = itabOf(iface, t); word == nil {
			return false
		}
	}
	d.t, d.p = word, p
	return true
}

func (b *builder) changeInterface(in *ssa.ChangeInterface) {
	d, x := b.regs[in], b.operand(in.X)
	cx, c := classOf(in.X.Type()), classOf(in.Type())
	iface := abiOf(b.tm.rtype(in.Type()))
	b.emit(func(fr *frame) {
		s := fr.at(x)
		toIface(&fr.regs[d], c, iface, typeWord(s, cx), s.p)
	})
}

func (b *builder) typeAssert(in *ssa.TypeAssert) {
	d, x := b.regs[in], b.operand(in.X)
	cx := classOf(in.X.Type())
	from := abiOf(b.tm.rtype(in.X.Type()))
	want := abiOf(b.tm.rtype(in.AssertedType))
	s := b.slotOf(in.AssertedType)
	ok := in.CommaOk
	methodValue := false
	if refs := in.Referrers(); refs != nil && !ok && types.Identical(in.X.Type(), in.AssertedType) {
		for _, r := range *refs {
			if mc, isMC := r.(*ssa.MakeClosure); isMC && mc.Fn.(*ssa.Function).Synthetic != "" {
				methodValue = true
			}
		}
	}
	if types.IsInterface(in.AssertedType) {
		wt := typeOf(want)
		b.emit(func(fr *frame) {
			v := fr.at(x)
			t, p := typeWord(v, cx), v.p
			r := &fr.regs[d]
			good := t != nil && toIface(r, s.c, want, t, p)
			if ok {
				if !good {
					r.t, r.p = nil, nil
				}
				putBool(&fr.regs[d+1], good)
				return
			}
			if good {
				return
			}
			if t == nil {
				if methodValue {
					nilFault()
				}
				assertFault(nil, nil, want, "")
			}
			assertFault(from, t, want, missingMethod(typeOf(t), wt))
		})
		return
	}
	direct := want.tflag&flagDirectIface != 0
	zero := reg{}
	if s.c == cBox {
		zero.p = unsafeNew(s.rt)
	}
	b.emit(func(fr *frame) {
		v := fr.at(x)
		t, p := typeWord(v, cx), v.p
		r := &fr.regs[d]
		if t != want {
			if !ok {
				assertFault(from, t, want, "")
			}
			*r = zero
			fr.regs[d+1].b = 0
			return
		}
		switch {
		case s.c == cPtr:
			r.p = p
		case s.c == cBox && direct:
			n := unsafeNew(s.rt)
			*(*unsafe.Pointer)(n) = p
			r.p = n
		case s.c == cBox:
			r.p = p // what an interface holds never changes
		default:
			load(s.c, r, p)
		}
		if ok {
			fr.regs[d+1].b = 1
		}
	})
}
