package interp

import (
	"reflect"
	"unsafe"
)

// The types below mirror the runtime's own descriptions of types (package
// internal/abi of Go 1.26). They are what makes a type declared in a cell a
// real type of the process: with its name, its methods and its identity. New
// proves at the start that they fit the runtime it is linked with (selfTest),
// and units with types of their own are refused where they do not.

type nameOff = int32

type abiType struct {
	size       uintptr
	ptrBytes   uintptr
	hash       uint32
	tflag      uint8
	align      uint8
	fieldAlign uint8
	kind       uint8
	equal      func(unsafe.Pointer, unsafe.Pointer) bool
	gcdata     *byte
	str        nameOff
	ptrToThis  int32
}

const (
	flagUncommon    = 1 << 0
	flagExtraStar   = 1 << 1
	flagNamed       = 1 << 2
	flagRegular     = 1 << 3
	flagDirectIface = 1 << 5
)

type abiElem struct { // pointer and slice types
	abiType
	elem *abiType
}

type abiArray struct {
	abiType
	elem, slice *abiType
	n           uintptr
}

type abiChan struct {
	abiType
	elem *abiType
	dir  int
}

type abiFunc struct {
	abiType
	in, out uint16
}

type abiMap struct {
	abiType
	key, elem, group             *abiType
	hasher                       func(unsafe.Pointer, uintptr) uintptr
	groupSize, slotSize, elemOff uintptr
	flags                        uint32
}

type abiName struct{ bytes *byte }

type abiField struct {
	name   abiName
	typ    *abiType
	offset uintptr
}

type abiStruct struct {
	abiType
	pkg    abiName
	fields []abiField
}

type abiImethod struct {
	name nameOff
	typ  int32
}

type abiInterface struct {
	abiType
	pkg     abiName
	methods []abiImethod
}

type abiUncommon struct {
	pkg            nameOff
	mcount, xcount uint16
	moff           uint32
	_              uint32
}

type abiMethod struct {
	name     nameOff
	mtyp     int32
	ifn, tfn int32
}

type eface struct {
	typ  *abiType
	data unsafe.Pointer
}

// itab is the first word of an interface value with methods.
type itab struct {
	inter *abiType
	typ   *abiType
	hash  uint32
	fun   [1]uintptr
}

// boundsError mirrors runtime.boundsError.
type boundsError struct {
	x      int64
	y      int
	signed bool
	code   uint8
}

// assertError mirrors runtime.TypeAssertionError.
type assertError struct {
	inter, concrete, asserted *abiType
	missing                   string
}

//go:linkname addReflectOff reflect.addReflectOff
func addReflectOff(unsafe.Pointer) int32

// abiOf returns the runtime's description of t.
func abiOf(t reflect.Type) *abiType { return (*abiType)((*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]) }

// typeOf returns the reflect type of a description.
func typeOf(t *abiType) reflect.Type {
	var e any
	(*eface)(unsafe.Pointer(&e)).typ = t
	if t.tflag&flagDirectIface == 0 {
		(*eface)(unsafe.Pointer(&e)).data = unsafe.Pointer(&zeroWord)
	}
	return reflect.TypeOf(e)
}

var zeroWord [64]byte

// newName encodes a name of a type, field or method.
func newName(name, tag string, exported, embedded bool) abiName {
	var bits byte
	if exported {
		bits |= 1
	}
	if tag != "" {
		bits |= 2
	}
	if embedded {
		bits |= 8
	}
	b := append([]byte{bits}, varint(len(name))...)
	b = append(b, name...)
	if tag != "" {
		b = append(b, varint(len(tag))...)
		b = append(b, tag...)
	}
	return abiName{&b[0]}
}

func varint(n int) []byte {
	var b []byte
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

func nameRef(name string, exported bool) nameOff {
	return addReflectOff(unsafe.Pointer(newName(name, "", exported, false).bytes))
}
