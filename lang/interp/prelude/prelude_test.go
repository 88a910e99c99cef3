// Package prelude_test compares the interpreter's generic functions with the
// standard library's.
package prelude_test

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand"
	"slices"
	"testing"

	pcmp "github.com/fathom-kernel/fathom/lang/interp/prelude/cmp"
	perrors "github.com/fathom-kernel/fathom/lang/interp/prelude/errors"
	pmaps "github.com/fathom-kernel/fathom/lang/interp/prelude/maps"
	pslices "github.com/fathom-kernel/fathom/lang/interp/prelude/slices"
)

// outcome is what f returns, or its panic.
func outcome(f func() any) (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = fmt.Sprint("panic ", r)
		}
	}()
	return fmt.Sprint(f())
}

func TestSlices(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	ints := func() []int {
		s := make([]int, rng.Intn(7), 7+rng.Intn(6))
		for i := range s {
			s[i] = rng.Intn(4)
		}
		return s
	}
	for range 20000 {
		s, v := ints(), ints()
		i, j, n := rng.Intn(8)-1, rng.Intn(8)-1, rng.Intn(4)
		even := func(x int) bool { return x%2 == 0 }
		by := func(a, b int) int { return b - a }
		tests := map[string][2]func(s []int) any{
			"Insert":       {func(s []int) any { return pslices.Insert(s, i, v...) }, func(s []int) any { return slices.Insert(s, i, v...) }},
			"InsertSelf":   {func(s []int) any { return pslices.Insert(s, i, s...) }, func(s []int) any { return slices.Insert(s, i, s...) }},
			"Delete":       {func(s []int) any { return pslices.Delete(s, i, j) }, func(s []int) any { return slices.Delete(s, i, j) }},
			"DeleteFunc":   {func(s []int) any { return pslices.DeleteFunc(s, even) }, func(s []int) any { return slices.DeleteFunc(s, even) }},
			"Replace":      {func(s []int) any { return pslices.Replace(s, i, j, v...) }, func(s []int) any { return slices.Replace(s, i, j, v...) }},
			"Compact":      {func(s []int) any { return pslices.Compact(s) }, func(s []int) any { return slices.Compact(s) }},
			"Index":        {func(s []int) any { return pslices.Index(s, n) }, func(s []int) any { return slices.Index(s, n) }},
			"Compare":      {func(s []int) any { return pslices.Compare(s, v) }, func(s []int) any { return slices.Compare(s, v) }},
			"Equal":        {func(s []int) any { return pslices.Equal(s, v) }, func(s []int) any { return slices.Equal(s, v) }},
			"Min":          {func(s []int) any { return pslices.Min(s) }, func(s []int) any { return slices.Min(s) }},
			"MaxFunc":      {func(s []int) any { return pslices.MaxFunc(s, by) }, func(s []int) any { return slices.MaxFunc(s, by) }},
			"Reverse":      {func(s []int) any { pslices.Reverse(s); return s }, func(s []int) any { slices.Reverse(s); return s }},
			"Concat":       {func(s []int) any { return pslices.Concat(s, v, s) }, func(s []int) any { return slices.Concat(s, v, s) }},
			"Repeat":       {func(s []int) any { return pslices.Repeat(s, n) }, func(s []int) any { return slices.Repeat(s, n) }},
			"Clone":        {func(s []int) any { return pslices.Clone(s) }, func(s []int) any { return slices.Clone(s) }},
			"IsSorted":     {func(s []int) any { return pslices.IsSorted(s) }, func(s []int) any { return slices.IsSorted(s) }},
			"Sorted":       {func(s []int) any { return pslices.Sorted(pslices.Values(s)) }, func(s []int) any { return slices.Sorted(slices.Values(s)) }},
			"BinarySearch": {func(s []int) any { slices.Sort(s); i, ok := pslices.BinarySearch(s, n); return []any{i, ok} }, func(s []int) any { slices.Sort(s); i, ok := slices.BinarySearch(s, n); return []any{i, ok} }},
			"Chunk": {func(s []int) any {
				var r [][]int
				for c := range pslices.Chunk(s, n) {
					r = append(r, c)
				}
				return r
			}, func(s []int) any {
				var r [][]int
				for c := range slices.Chunk(s, n) {
					r = append(r, c)
				}
				return r
			}},
		}
		for name, f := range tests {
			mine, theirs := append(make([]int, 0, cap(s)), s...), append(make([]int, 0, cap(s)), s...)
			got, want := outcome(func() any { return f[0](mine) }), outcome(func() any { return f[1](theirs) })
			// What lies in the array afterwards counts too.
			got += fmt.Sprint(mine[:cap(mine)])
			want += fmt.Sprint(theirs[:cap(theirs)])
			if got != want {
				t.Fatalf("%s of %v with %v, %d, %d, %d\ngot  %s\nwant %s", name, s, v, i, j, n, got, want)
			}
		}
	}
}

func TestOthers(t *testing.T) {
	fs1 := []float64{math.NaN(), math.Inf(-1), -1, 0, math.Copysign(0, -1), 2, math.Inf(1)}
	for _, x := range fs1 {
		for _, y := range fs1 {
			if pcmp.Compare(x, y) != cmp.Compare(x, y) || pcmp.Less(x, y) != cmp.Less(x, y) {
				t.Errorf("Compare or Less of %v and %v", x, y)
			}
		}
	}
	m := map[string]int{"a": 1, "b": 2}
	if !maps.Equal(pmaps.Collect(pmaps.All(m)), m) || !pmaps.Equal(pmaps.Clone(m), m) || pmaps.Equal(m, map[string]int{"a": 1, "c": 2}) {
		t.Error("maps")
	}
	err := errors.Join(errors.New("x"), fmt.Errorf("y: %w", &fs.PathError{Op: "open"}))
	if e, ok := perrors.AsType[*fs.PathError](err); !ok || e.Op != "open" {
		t.Error("AsType")
	}
}
