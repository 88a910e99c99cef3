// Package cmp is the interpreter's source of the generic functions of Go's
// package of that name.
package cmp

import "cmp"

func Less[T cmp.Ordered](x, y T) bool { return x != x && y == y || x < y }

func Compare[T cmp.Ordered](x, y T) int {
	xn, yn := x != x, y != y // not a number
	switch {
	case xn && yn:
		return 0
	case xn || x < y:
		return -1
	case yn || x > y:
		return +1
	}
	return 0
}

func Or[T comparable](vals ...T) T {
	var zero T
	for _, v := range vals {
		if v != zero {
			return v
		}
	}
	return zero
}
