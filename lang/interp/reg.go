package interp

import (
	"go/types"
	"reflect"
	"unsafe"
)

// reg is a register of the machine. It holds a value of any type in the form
// that Go's memory has, so that reading and writing memory is copying:
//
//	numbers, booleans     b (complex128: b and c)
//	pointers, maps, chans, funcs   p
//	strings               p, b
//	slices                p, b, c
//	interfaces            t, p
//	structs and arrays    p points to the value, which nothing changes
//
// t and p only ever hold pointers, b and c never: the collector sees it so.
type reg struct {
	t    unsafe.Pointer
	p    unsafe.Pointer
	b, c uint64
}

// reg0 is an interface value's two words.
type reg0 struct {
	t, p unsafe.Pointer
}

// class is how a register holds a type's values.
type class uint8

const (
	c1 class = iota
	c2
	c4
	c8
	c16
	cPtr
	cString
	cSlice
	cEface // interface without methods
	cIface
	cBox
)

func classOf(t types.Type) class {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.Bool, types.Int8, types.Uint8, types.UntypedBool:
			return c1
		case types.Int16, types.Uint16:
			return c2
		case types.Int32, types.Uint32, types.Float32, types.UntypedRune:
			return c4
		case types.Complex128:
			return c16
		case types.String, types.UntypedString:
			return cString
		case types.UnsafePointer, types.UntypedNil:
			return cPtr
		}
		return c8
	case *types.Slice:
		return cSlice
	case *types.Interface:
		if u.NumMethods() == 0 {
			return cEface
		}
		return cIface
	case *types.Struct, *types.Array:
		return cBox
	}
	return cPtr
}

func classOfR(t reflect.Type) class {
	switch t.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return c1
	case reflect.Int16, reflect.Uint16:
		return c2
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return c4
	case reflect.Complex128:
		return c16
	case reflect.String:
		return cString
	case reflect.Slice:
		return cSlice
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return cEface
		}
		return cIface
	case reflect.Struct, reflect.Array:
		return cBox
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return cPtr
	}
	return c8
}

// addr returns the address of the register's value in memory form.
func (r *reg) addr(c class) unsafe.Pointer {
	switch c {
	case cPtr, cString, cSlice:
		return unsafe.Pointer(&r.p)
	case cEface, cIface:
		return unsafe.Pointer(&r.t)
	case cBox:
		return r.p
	}
	return unsafe.Pointer(&r.b)
}

// value returns the register's value. It must not be written through.
func (r *reg) value(t reflect.Type, c class) reflect.Value {
	return reflect.NewAt(t, r.addr(c)).Elem()
}

// set stores v, of exactly type t or assignable to it.
func (r *reg) set(t reflect.Type, c class, v reflect.Value) {
	if c == cBox {
		n := reflect.New(t)
		n.Elem().Set(v)
		r.p = n.UnsafePointer()
		return
	}
	reflect.NewAt(t, r.addr(c)).Elem().Set(v)
}

// load reads a value of the class from memory. Boxes are copied by loadBox.
func load(c class, d *reg, p unsafe.Pointer) {
	switch c {
	case c1:
		*(*uint8)(unsafe.Pointer(&d.b)) = *(*uint8)(p)
	case c2:
		*(*uint16)(unsafe.Pointer(&d.b)) = *(*uint16)(p)
	case c4:
		*(*uint32)(unsafe.Pointer(&d.b)) = *(*uint32)(p)
	case c8:
		d.b = *(*uint64)(p)
	case c16:
		*(*[2]uint64)(unsafe.Pointer(&d.b)) = *(*[2]uint64)(p)
	case cPtr:
		d.p = *(*unsafe.Pointer)(p)
	case cString:
		*(*string)(unsafe.Pointer(&d.p)) = *(*string)(p)
	case cSlice:
		*(*[]byte)(unsafe.Pointer(&d.p)) = *(*[]byte)(p)
	case cEface, cIface:
		*(*reg0)(unsafe.Pointer(&d.t)) = *(*reg0)(p)
	}
}

func store(c class, p unsafe.Pointer, s *reg) {
	switch c {
	case c1:
		*(*uint8)(p) = *(*uint8)(unsafe.Pointer(&s.b))
	case c2:
		*(*uint16)(p) = *(*uint16)(unsafe.Pointer(&s.b))
	case c4:
		*(*uint32)(p) = *(*uint32)(unsafe.Pointer(&s.b))
	case c8:
		*(*uint64)(p) = s.b
	case c16:
		*(*[2]uint64)(p) = *(*[2]uint64)(unsafe.Pointer(&s.b))
	case cPtr:
		*(*unsafe.Pointer)(p) = s.p
	case cString:
		*(*string)(p) = *(*string)(unsafe.Pointer(&s.p))
	case cSlice:
		*(*[]byte)(p) = *(*[]byte)(unsafe.Pointer(&s.p))
	case cEface, cIface:
		*(*reg0)(p) = *(*reg0)(unsafe.Pointer(&s.t))
	}
}

//go:linkname typedmemmove reflect.typedmemmove
//go:noescape
func typedmemmove(t *abiType, dst, src unsafe.Pointer)

//go:linkname unsafeNew reflect.unsafe_New
func unsafeNew(*abiType) unsafe.Pointer

// kind is what loading and storing a type takes.
type slot struct {
	c  class
	rt *abiType // of boxes
}

func (s slot) load(d *reg, p unsafe.Pointer) {
	if s.c != cBox {
		load(s.c, d, p)
		return
	}
	n := unsafeNew(s.rt)
	if s.rt.size > 0 {
		_ = *(*byte)(p)
		typedmemmove(s.rt, n, p)
	}
	d.p = n
}

func (s slot) store(p unsafe.Pointer, r *reg) {
	if s.c != cBox {
		store(s.c, p, r)
		return
	}
	if s.rt.size > 0 {
		_ = *(*byte)(p)
		typedmemmove(s.rt, p, r.p)
	}
}

// asAny returns an interface value as one without methods.
func asAny(r *reg0, methods bool) (x any) {
	t := r.t
	if methods && t != nil {
		t = unsafe.Pointer((*itab)(t).typ)
	}
	*(*reg0)(unsafe.Pointer(&x)) = reg0{t, r.p}
	return x
}

// typeWord returns the dynamic type of an interface value, or nil.
func typeWord(r *reg, c class) *abiType {
	if c == cIface && r.t != nil {
		return (*itab)(r.t).typ
	}
	return (*abiType)(r.t)
}
