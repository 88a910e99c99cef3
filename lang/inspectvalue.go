package lang

import (
	"bytes"
	"fmt"
	"go/types"
	"reflect"
	"runtime/pprof"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/fathom-kernel/fathom/lang/cellrt"
)

// variable adds the value of a session variable, where it can be read: not
// while code of a cell runs, which may be writing it.
func (l *lister) variable(pg *page, o *types.Var, word string) {
	v := l.p.view.vars[word]
	if v == nil || !types.Identical(v.typ, o.Type()) && typeText(v.typ) != typeText(o.Type()) {
		return
	}
	if v.cell != nil {
		pg.notes = append(pg.notes, "session variable of "+v.cell.Name)
	}
	if !v.ptr.IsValid() || v.ptr.Kind() != reflect.Pointer || v.ptr.IsNil() {
		return
	}
	if cellrt.Running() != nil || l.e.goroutines() {
		pg.notes = append(pg.notes, "the value is not shown while a cell or a goroutine of one runs")
		return
	}
	s := &shower{left: 400, known: l.cat.Packages()}
	pg.value = s.show(v.ptr.Elem(), 4)
	if n, ok := length(v.ptr.Elem()); ok {
		pg.notes = append(pg.notes, "length "+strconv.Itoa(n))
	}
}

// goroutines reports whether a goroutine that a cell of the engine started still
// lives: it inherited the label which marks the cells' code.
func (e *Engine) goroutines() bool {
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
		return true
	}
	return bytes.Contains(b.Bytes(), []byte(`"engine":"`+e.label+`"`))
}

func length(v reflect.Value) (int, bool) {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Array:
		return v.Len(), v.Len() > 3
	case reflect.String:
		return v.Len(), v.Len() > 60
	}
	return 0, false
}

// shower writes a value short, in Go syntax. It calls no method that a cell
// declares, which may do or wait for anything.
type shower struct {
	left  int      // bytes to spend
	known []string // packages whose String and Error are safe to call
}

func (s *shower) show(v reflect.Value, depth int) string {
	if !v.IsValid() {
		return "nil"
	}
	if s.left <= 0 || depth < 0 {
		return "…"
	}
	if text, ok := s.own(v); ok {
		return s.spend(text)
	}
	switch v.Kind() {
	case reflect.Bool:
		return s.spend(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return s.spend(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return s.spend(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		return s.spend(strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits()))
	case reflect.Complex64, reflect.Complex128:
		return s.spend(strconv.FormatComplex(v.Complex(), 'g', -1, v.Type().Bits()))
	case reflect.String:
		return s.spend(quoted(v.String()))
	case reflect.Pointer:
		if v.IsNil() {
			return s.spend("nil")
		}
		return "&" + s.show(v.Elem(), depth-1)
	case reflect.Interface:
		if v.IsNil() {
			return s.spend("nil")
		}
		return s.show(v.Elem(), depth)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return s.spend("nil")
		}
		return s.list("[", "]", v.Len(), func(i int) string { return s.show(v.Index(i), depth-1) })
	case reflect.Map:
		return s.mapping(v, depth)
	case reflect.Struct:
		t := v.Type()
		return s.list("{", "}", v.NumField(), func(i int) string {
			return t.Field(i).Name + ": " + s.show(v.Field(i), depth-1)
		})
	case reflect.Func, reflect.Chan:
		if v.IsNil() {
			return s.spend("nil")
		}
	}
	return s.spend(v.Type().String())
}

func (s *shower) spend(text string) string {
	s.left -= len(text)
	return text
}

func (s *shower) list(open, close string, n int, item func(int) string) string {
	var b strings.Builder
	b.WriteString(open)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		if s.left <= 0 || i >= 20 {
			b.WriteString("…")
			break
		}
		b.WriteString(item(i))
	}
	b.WriteString(close)
	return b.String()
}

// mapping shows the first entries in the order of their keys' texts, of a map
// that is not too large to sort.
func (s *shower) mapping(v reflect.Value, depth int) string {
	if v.IsNil() {
		return s.spend("nil")
	}
	const most = 10000
	if v.Len() > most {
		return s.spend(fmt.Sprintf("map of %d entries", v.Len()))
	}
	type entry struct {
		key  string
		elem reflect.Value
	}
	var entries []entry
	for it := v.MapRange(); it.Next(); {
		one := &shower{left: 60, known: s.known}
		entries = append(entries, entry{one.show(it.Key(), 1), it.Value()})
	}
	sort.Slice(entries, func(i, j int) bool {
		a, b := entries[i].key, entries[j].key
		return len(a) < len(b) || len(a) == len(b) && a < b
	})
	return s.list("{", "}", len(entries), func(i int) string {
		return s.spend(entries[i].key) + ": " + s.show(entries[i].elem, depth-1)
	})
}

// own asks a type of a compiled package for its text.
func (s *shower) own(v reflect.Value) (text string, ok bool) {
	if !v.CanInterface() {
		return "", false
	}
	t := v.Type()
	if t.Kind() == reflect.Pointer && !v.IsNil() {
		t = t.Elem()
	}
	if _, found := slices.BinarySearch(s.known, t.PkgPath()); !found || t.PkgPath() == "" {
		return "", false
	}
	if v.Kind() == reflect.Pointer && v.IsNil() || v.Kind() == reflect.Interface {
		return "", false
	}
	x := v.Interface()
	var call func() string
	switch x := x.(type) {
	case error:
		call = x.Error
	case fmt.Stringer:
		call = x.String
	default:
		return "", false
	}
	got := make(chan string, 1)
	go func() {
		defer func() {
			if recover() != nil {
				got <- ""
			}
		}()
		got <- call()
	}()
	select {
	case text = <-got:
	case <-time.After(100 * time.Millisecond):
	}
	if text == "" {
		return "", false
	}
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "…"
	}
	return text, true
}

// quoted writes a string as Go does, the end of a long one left out.
func quoted(s string) string {
	if len(s) > 120 {
		return strconv.Quote(strings.ToValidUTF8(s[:120], "")) + "…"
	}
	return strconv.Quote(s)
}
