// Package slices is the interpreter's source of the generic functions of Go's
// package of that name; the sorts are done by the host.
package slices

import (
	"cmp"
	"iter"
	"slices"
)

func Equal[S ~[]E, E comparable](s1, s2 S) bool {
	if len(s1) != len(s2) {
		return false
	}
	for i := range s1 {
		if s1[i] != s2[i] {
			return false
		}
	}
	return true
}

func EqualFunc[S1 ~[]E1, S2 ~[]E2, E1, E2 any](s1 S1, s2 S2, eq func(E1, E2) bool) bool {
	if len(s1) != len(s2) {
		return false
	}
	for i, v := range s1 {
		if !eq(v, s2[i]) {
			return false
		}
	}
	return true
}

func Compare[S ~[]E, E cmp.Ordered](s1, s2 S) int {
	for i, v := range s1 {
		if i >= len(s2) {
			return +1
		}
		if c := cmp.Compare(v, s2[i]); c != 0 {
			return c
		}
	}
	if len(s1) < len(s2) {
		return -1
	}
	return 0
}

func CompareFunc[S1 ~[]E1, S2 ~[]E2, E1, E2 any](s1 S1, s2 S2, f func(E1, E2) int) int {
	for i, v := range s1 {
		if i >= len(s2) {
			return +1
		}
		if c := f(v, s2[i]); c != 0 {
			return c
		}
	}
	if len(s1) < len(s2) {
		return -1
	}
	return 0
}

func Index[S ~[]E, E comparable](s S, v E) int {
	for i := range s {
		if v == s[i] {
			return i
		}
	}
	return -1
}

func IndexFunc[S ~[]E, E any](s S, f func(E) bool) int {
	for i := range s {
		if f(s[i]) {
			return i
		}
	}
	return -1
}

func Contains[S ~[]E, E comparable](s S, v E) bool { return Index(s, v) >= 0 }

func ContainsFunc[S ~[]E, E any](s S, f func(E) bool) bool { return IndexFunc(s, f) >= 0 }

func Insert[S ~[]E, E any](s S, i int, v ...E) S {
	_ = s[i:]
	m, n := len(v), len(s)
	switch {
	case m == 0:
		return s
	case i == n:
		return append(s, v...)
	case n+m > cap(s):
		r := append(s[:i], make(S, n+m-i)...)
		copy(r[i:], v)
		copy(r[i+m:], s[i:])
		return r
	}
	v = append([]E(nil), v...) // v may lie in s
	s = s[:n+m]
	copy(s[i+m:], s[i:n])
	copy(s[i:], v)
	return s
}

func Delete[S ~[]E, E any](s S, i, j int) S {
	_ = s[i:j:len(s)]
	if i == j {
		return s
	}
	n := len(s)
	s = append(s[:i], s[j:]...)
	clear(s[len(s):n])
	return s
}

func DeleteFunc[S ~[]E, E any](s S, del func(E) bool) S {
	i := IndexFunc(s, del)
	if i == -1 {
		return s
	}
	for _, v := range s[i+1:] {
		if !del(v) {
			s[i] = v
			i++
		}
	}
	clear(s[i:])
	return s[:i]
}

func Replace[S ~[]E, E any](s S, i, j int, v ...E) S {
	_ = s[i:j]
	if i == j {
		return Insert(s, i, v...)
	}
	if j == len(s) {
		r := append(s[:i], v...)
		if len(r) < len(s) {
			clear(s[len(r):])
		}
		return r
	}
	tail := append([]E(nil), s[j:]...)
	total := i + len(v) + len(tail)
	if total > cap(s) {
		r := append(s[:i], make(S, total-i)...)
		copy(r[i:], v)
		copy(r[i+len(v):], tail)
		return r
	}
	v = append([]E(nil), v...)
	n := len(s)
	r := s[:total]
	copy(r[i:], v)
	copy(r[i+len(v):], tail)
	if total < n {
		clear(s[total:n])
	}
	return r
}

func Clone[S ~[]E, E any](s S) S { return append(s[:0:0], s...) }

func Compact[S ~[]E, E comparable](s S) S {
	return CompactFunc(s, func(a, b E) bool { return a == b })
}

func CompactFunc[S ~[]E, E any](s S, eq func(E, E) bool) S {
	for k := 1; k < len(s); k++ {
		if !eq(s[k], s[k-1]) {
			continue
		}
		rest := s[k:]
		for i := 1; i < len(rest); i++ {
			if !eq(rest[i], rest[i-1]) {
				s[k] = rest[i]
				k++
			}
		}
		clear(s[k:])
		return s[:k]
	}
	return s
}

func Grow[S ~[]E, E any](s S, n int) S { return S(slices.Grow([]E(s), n)) }

func Clip[S ~[]E, E any](s S) S { return s[:len(s):len(s)] }

func Reverse[S ~[]E, E any](s S) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

func Concat[S ~[]E, E any](parts ...S) S {
	n := 0
	for _, p := range parts {
		n += len(p)
		if n < 0 {
			panic("len out of range")
		}
	}
	r := Grow[S](nil, n)
	for _, p := range parts {
		r = append(r, p...)
	}
	return r
}

func Repeat[S ~[]E, E any](x S, count int) S {
	if count < 0 {
		panic("cannot be negative")
	}
	r := make(S, 0, len(x)*count)
	for range count {
		r = append(r, x...)
	}
	return r
}

func Min[S ~[]E, E cmp.Ordered](x S) E {
	if len(x) < 1 {
		panic("slices.Min: empty list")
	}
	m := x[0]
	for _, v := range x[1:] {
		m = min(m, v)
	}
	return m
}

func MinFunc[S ~[]E, E any](x S, f func(a, b E) int) E {
	if len(x) < 1 {
		panic("slices.MinFunc: empty list")
	}
	m := x[0]
	for _, v := range x[1:] {
		if f(v, m) < 0 {
			m = v
		}
	}
	return m
}

func Max[S ~[]E, E cmp.Ordered](x S) E {
	if len(x) < 1 {
		panic("slices.Max: empty list")
	}
	m := x[0]
	for _, v := range x[1:] {
		m = max(m, v)
	}
	return m
}

func MaxFunc[S ~[]E, E any](x S, f func(a, b E) int) E {
	if len(x) < 1 {
		panic("slices.MaxFunc: empty list")
	}
	m := x[0]
	for _, v := range x[1:] {
		if f(v, m) > 0 {
			m = v
		}
	}
	return m
}

func IsSorted[S ~[]E, E cmp.Ordered](x S) bool {
	for i := len(x) - 1; i > 0; i-- {
		if cmp.Less(x[i], x[i-1]) {
			return false
		}
	}
	return true
}

func IsSortedFunc[S ~[]E, E any](x S, f func(a, b E) int) bool {
	for i := len(x) - 1; i > 0; i-- {
		if f(x[i], x[i-1]) < 0 {
			return false
		}
	}
	return true
}

func BinarySearch[S ~[]E, E cmp.Ordered](x S, target E) (int, bool) {
	lo, hi := 0, len(x)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if cmp.Less(x[mid], target) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(x) && (x[lo] == target || x[lo] != x[lo] && target != target)
}

func BinarySearchFunc[S ~[]E, E, T any](x S, target T, f func(E, T) int) (int, bool) {
	lo, hi := 0, len(x)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if f(x[mid], target) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(x) && f(x[lo], target) == 0
}

func All[S ~[]E, E any](s S) iter.Seq2[int, E] {
	return func(yield func(int, E) bool) {
		for i, v := range s {
			if !yield(i, v) {
				return
			}
		}
	}
}

func Backward[S ~[]E, E any](s S) iter.Seq2[int, E] {
	return func(yield func(int, E) bool) {
		for i := len(s) - 1; i >= 0; i-- {
			if !yield(i, s[i]) {
				return
			}
		}
	}
}

func Values[S ~[]E, E any](s S) iter.Seq[E] {
	return func(yield func(E) bool) {
		for _, v := range s {
			if !yield(v) {
				return
			}
		}
	}
}

func AppendSeq[S ~[]E, E any](s S, seq iter.Seq[E]) S {
	for v := range seq {
		s = append(s, v)
	}
	return s
}

func Collect[E any](seq iter.Seq[E]) []E { return AppendSeq([]E(nil), seq) }

func Sorted[E cmp.Ordered](seq iter.Seq[E]) []E {
	s := Collect(seq)
	slices.Sort(s)
	return s
}

func SortedFunc[E any](seq iter.Seq[E], f func(E, E) int) []E {
	s := Collect(seq)
	slices.SortFunc(s, f)
	return s
}

func SortedStableFunc[E any](seq iter.Seq[E], f func(E, E) int) []E {
	s := Collect(seq)
	slices.SortStableFunc(s, f)
	return s
}

func Chunk[S ~[]E, E any](s S, n int) iter.Seq[S] {
	if n < 1 {
		panic("cannot be less than 1")
	}
	return func(yield func(S) bool) {
		for i := 0; i < len(s); i += n {
			end := min(n, len(s[i:]))
			if !yield(s[i : i+end : i+end]) {
				return
			}
		}
	}
}
