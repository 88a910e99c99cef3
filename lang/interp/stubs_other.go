//go:build !amd64

package interp

import "unsafe"

// Without method stubs for this processor, types with methods are refused.
const maxStubs = 0

var stubTable [1]unsafe.Pointer

func stubEntry(int) unsafe.Pointer { return nil }
