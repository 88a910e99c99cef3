// Package sync is the interpreter's source of the generic functions of Go's
// package of that name.
package sync

import "sync"

func OnceValue[T any](f func() T) func() T {
	var once sync.Once
	var ok bool
	var failure any
	var v T
	run := func() {
		defer func() {
			if !ok {
				failure = recover()
				panic(failure)
			}
		}()
		v = f()
		f = nil
		ok = true
	}
	return func() T {
		once.Do(run)
		if !ok {
			panic(failure)
		}
		return v
	}
}

func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) {
	var once sync.Once
	var ok bool
	var failure any
	var v1 T1
	var v2 T2
	run := func() {
		defer func() {
			if !ok {
				failure = recover()
				panic(failure)
			}
		}()
		v1, v2 = f()
		f = nil
		ok = true
	}
	return func() (T1, T2) {
		once.Do(run)
		if !ok {
			panic(failure)
		}
		return v1, v2
	}
}
