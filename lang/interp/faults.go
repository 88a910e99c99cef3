package interp

import (
	"reflect"
	"runtime"
	"unsafe"
)

// Runtime errors are the runtime's own values, so that they print, compare and
// recover as Go's do. Most are raised by doing in this package what the unit
// did; the others are made here.

// boundsType is the runtime's unexported type of index errors.
var boundsType = func() (t *abiType) {
	defer func() {
		r := recover()
		t = (*eface)(unsafe.Pointer(&r)).typ
	}()
	var s []int
	i := len(s) + 1
	return abiOf(reflect.TypeOf(s[i]))
}()

const (
	badIndex = iota
	badSliceAlen
	badSliceAcap
	badSliceB
	badSlice3Alen
	badSlice3Acap
	badSlice3B
	badSlice3C
	badConvert
)

func boundsFault(code uint8, x int64, signed bool, y int) {
	e := &boundsError{x: x, y: y, signed: signed, code: code}
	var v any
	*(*eface)(unsafe.Pointer(&v)) = eface{boundsType, unsafe.Pointer(e)}
	panic(v)
}

// nilFault is a use of a nil pointer.
func nilFault() {
	var p *int
	sink = *p
}

var sink int

var sinkBytes []byte

// checkMake panics as make does where a length or capacity is out of range.
func checkMake(n, c int64, size uintptr) {
	const most = 1 << 47
	if n < 0 || size > 0 && uint64(n) > most/uint64(size) {
		n = -1
		sinkBytes = make([]byte, n)
	}
	if c < n || size > 0 && uint64(c) > most/uint64(size) {
		c = -1
		sinkBytes = make([]byte, 0, c)
	}
}

// assertFault is a failed type assertion.
func assertFault(inter, have, want *abiType, missing string) {
	var e runtime.TypeAssertionError
	*(*assertError)(unsafe.Pointer(&e)) = assertError{inter, have, want, missing}
	panic(&e)
}

// missingMethod returns the first method of iface that t lacks.
func missingMethod(t, iface reflect.Type) string {
	for i := range iface.NumMethod() {
		m := iface.Method(i)
		if x, ok := t.MethodByName(m.Name); ok {
			// A method of another type is as good as none.
			if t.Kind() == reflect.Interface || sameButFirst(x.Type, m.Type) {
				continue
			}
		} else if f, ok := forgedTypes.Load(abiOf(t)); ok && m.PkgPath != "" && f.(*forged).methods[m.Name] != nil {
			continue
		}
		return m.Name
	}
	return ""
}

// sameButFirst reports whether f is the method type m with a receiver.
func sameButFirst(f, m reflect.Type) bool {
	if f.NumIn() != m.NumIn()+1 || f.NumOut() != m.NumOut() || f.IsVariadic() != m.IsVariadic() {
		return false
	}
	for i := range m.NumIn() {
		if f.In(i+1) != m.In(i) {
			return false
		}
	}
	for i := range m.NumOut() {
		if f.Out(i) != m.Out(i) {
			return false
		}
	}
	return true
}
