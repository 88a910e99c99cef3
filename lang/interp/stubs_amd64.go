package interp

import "unsafe"

// maxStubs is how many methods of interpreted types a process can hold.
const maxStubs = 8192

// stubTable holds function values, as the pointers that they are.
var stubTable [maxStubs]unsafe.Pointer

// stubBase returns the address of the first method stub.
func stubBase() uintptr

func stubEntry(i int) unsafe.Pointer {
	p := stubBase() + uintptr(i)*16
	return *(*unsafe.Pointer)(unsafe.Pointer(&p)) // an address of code, not of memory
}
