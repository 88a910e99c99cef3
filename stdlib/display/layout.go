package display

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// lineWidth is the column at which a text in Go syntax is broken into lines.
const lineWidth = 80

// layout writes a node, on one line where that fits. typ replaces the name of
// an unnamed type at the front.
func layout(n node, typ string) string {
	if typ != "" && strings.HasPrefix(n.open, "struct {") && strings.HasSuffix(n.open, "{") {
		n.open = typ + "{"
	}
	var w strings.Builder
	n.write(&w, 0, 0)
	return w.String()
}

// flat returns the node on one line, and false where it is wider than width.
func (n node) flat(w *strings.Builder, width int) bool {
	if len(n.items) == 0 {
		w.WriteString(n.text + n.open + n.close)
		return utf8.RuneCountInString(w.String()) <= width && !strings.Contains(n.text, "\n")
	}
	w.WriteString(n.open)
	for i, item := range n.items {
		if i > 0 {
			w.WriteString(", ")
		}
		if w.Len() > 4*width || !item.flat(w, width) {
			return false
		}
	}
	w.WriteString(n.close)
	return utf8.RuneCountInString(w.String()) <= width
}

// write writes the node at column col, broken lines indented by depth.
func (n node) write(w *strings.Builder, depth, col int) {
	var line strings.Builder
	if n.flat(&line, lineWidth-col) || len(n.items) == 0 {
		w.WriteString(line.String())
		return
	}
	indent := strings.Repeat("    ", depth+1)
	w.WriteString(n.open)
	if n.fill {
		used := lineWidth
		for _, item := range n.items {
			size := utf8.RuneCountInString(item.text) + 2
			if used+size > lineWidth {
				w.WriteString("\n" + indent)
				used = len(indent)
			} else {
				w.WriteString(" ")
			}
			w.WriteString(item.text + ",")
			used += size
		}
	} else {
		for _, item := range n.items {
			w.WriteString("\n" + indent)
			item.write(w, depth+1, len(indent)+1)
			w.WriteString(",")
		}
	}
	w.WriteString("\n" + strings.Repeat("    ", depth) + n.close)
}

func isScalar(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Slice, reflect.Array, reflect.Pointer, reflect.Interface, reflect.String:
		return false
	}
	return true
}

// hidden tells which packages are the user's own cells.
var hidden atomic.Pointer[func(pkgPath string) bool]

// HidePackages says which packages' names are left out of type names: those
// that the cell language puts a cell's types into. A nil f hides none.
func HidePackages(f func(pkgPath string) bool) {
	if f == nil {
		hidden.Store(nil)
		return
	}
	hidden.Store(&f)
}

func isHidden(pkgPath string) bool {
	f := hidden.Load()
	return f != nil && (*f)(pkgPath)
}

// typeName writes a type as Go does, cells' types without their package.
func typeName(t reflect.Type) string {
	if t.PkgPath() != "" {
		if isHidden(t.PkgPath()) {
			return t.Name()
		}
		return t.String()
	}
	if t.Name() != "" {
		return t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + typeName(t.Elem())
	case reflect.Slice:
		return "[]" + typeName(t.Elem())
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), typeName(t.Elem()))
	case reflect.Map:
		return "map[" + typeName(t.Key()) + "]" + typeName(t.Elem())
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return "any"
		}
	case reflect.Chan:
		if t.ChanDir() == reflect.BothDir {
			return "chan " + typeName(t.Elem())
		}
	}
	return strings.ReplaceAll(t.String(), "interface {}", "any")
}

// parens puts a pointer or channel type into parentheses, as a conversion needs.
func parens(t reflect.Type) string {
	if k := t.Kind(); t.Name() == "" && (k == reflect.Pointer || k == reflect.Chan || k == reflect.Func) {
		return "(" + typeName(t) + ")"
	}
	return typeName(t)
}

// An entry is a key of a map and its value, together because a NaN key cannot
// be looked up.
type entry struct{ key, value reflect.Value }

// sortedEntries returns the first n entries of a map in order. Of a map with
// more than keySurvey keys, only those that the survey meets are ordered.
func sortedEntries(m reflect.Value, n int) []entry {
	list := make([]entry, 0, min(m.Len(), 2*n+16))
	order := func() {
		sort.SliceStable(list, func(i, j int) bool { return lessKey(list[i].key, list[j].key) })
		list = list[:min(n, len(list))]
	}
	iter := m.MapRange()
	for i := 0; i < keySurvey && iter.Next(); i++ {
		list = append(list, entry{iter.Key(), iter.Value()})
		if len(list) >= 2*n+16 {
			order()
		}
	}
	order()
	return list
}

// lessKey orders map keys by value within a kind, and by kind in an interface.
// NaN comes first. Keys that only an address tells apart are ordered by their
// text.
func lessKey(a, b reflect.Value) bool {
	for a.Kind() == reflect.Interface && !a.IsNil() {
		a = a.Elem()
	}
	for b.Kind() == reflect.Interface && !b.IsNil() {
		b = b.Elem()
	}
	if a.Kind() != b.Kind() {
		return a.Kind() < b.Kind()
	}
	switch a.Kind() {
	case reflect.Bool:
		return !a.Bool() && b.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return a.Int() < b.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return a.Uint() < b.Uint()
	case reflect.Float32, reflect.Float64:
		return a.Float() < b.Float() || (a.Float() != a.Float() && b.Float() == b.Float())
	case reflect.String:
		return a.String() < b.String()
	case reflect.Array, reflect.Struct:
		for i := range parts(a) {
			x, y := part(a, i), part(b, i)
			if lessKey(x, y) {
				return true
			}
			if lessKey(y, x) {
				return false
			}
		}
		return false
	}
	return keyText(a) < keyText(b)
}

// parts and part walk the fields of a struct or the elements of an array.
func parts(v reflect.Value) int {
	if v.Kind() == reflect.Struct {
		return v.NumField()
	}
	return v.Len()
}

func part(v reflect.Value, i int) reflect.Value {
	if v.Kind() == reflect.Struct {
		return v.Field(i)
	}
	return v.Index(i)
}

// keyText is a map key in a line.
func keyText(k reflect.Value) string {
	for k.Kind() == reflect.Interface && !k.IsNil() {
		k = k.Elem()
	}
	if k.Kind() == reflect.String {
		return strings.ToValidUTF8(k.String(), "\uFFFD")
	}
	p := &printer{left: 200, path: map[visit]bool{}}
	var w strings.Builder
	p.value(k, element, 4).flat(&w, 1<<20)
	return w.String()
}
