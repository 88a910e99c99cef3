package display

import (
	"fmt"
	"reflect"
	"sort"
	"strconv"
)

// A frame is a value seen as rows and columns. Cells are read when they are
// needed, so a frame over a million rows costs nothing.
type frame struct {
	columns []column
	rows    int
	known   int    // rows that cell can read, fewer than rows for a large map; 0 means all
	index   bool   // rows are counted from 0, as the value's own index counts
	kind    string // what it is, for the foot: "[]Run", "3×4 matrix"
	cell    func(row, col int) reflect.Value
}

// A column is a name, and a unit where a tag gives one.
type column struct{ name, unit string }

// maxColumns bounds the columns of a frame; what is over is counted in the foot.
const maxColumns = 200

// frameOf returns the table that v is, nil where it is none: one value, a list
// of scalars, an empty list.
func frameOf(v any) *frame {
	switch m := v.(type) {
	case nil:
		return nil
	case interface {
		Dims() (r, c int)
		At(i, j int) float64
	}:
		return matrixFrame(m.Dims, m.At)
	}
	rv := reflect.ValueOf(v)
	rv = follow(rv)
	switch rv.Kind() {
	case reflect.Slice, reflect.Array:
		if rv.Len() == 0 {
			return nil
		}
		return listFrame(rv)
	case reflect.Map:
		if rv.Len() == 0 {
			return nil
		}
		return mapFrame(rv)
	case reflect.Struct:
		return seriesFrame(rv)
	}
	return nil
}

// matrixFrame is a gonum matrix or vector, without importing gonum.
func matrixFrame(dims func() (int, int), at func(i, j int) float64) (f *frame) {
	defer func() {
		if recover() != nil {
			f = nil // a nil or empty matrix panics on Dims
		}
	}()
	r, c := dims()
	if r == 0 || c == 0 {
		return nil
	}
	f = &frame{rows: r, index: true, kind: fmt.Sprintf("%d×%d matrix", r, c)}
	for j := range min(c, maxColumns) {
		f.columns = append(f.columns, column{name: strconv.Itoa(j)})
	}
	if c == 1 {
		f.columns[0].name, f.kind = "", fmt.Sprintf("vector of %d", r)
	}
	f.cell = func(i, j int) reflect.Value { return reflect.ValueOf(at(i, j)) }
	return f
}

// listFrame is a slice or array of structs, of maps with string keys, or of
// lists.
func listFrame(v reflect.Value) *frame {
	elem := pointed(v.Type().Elem())
	f := &frame{rows: v.Len(), index: true, kind: typeName(v.Type())}
	switch {
	case elem.Kind() == reflect.Struct:
		fields := fieldsOf(elem)
		if len(fields) == 0 {
			return nil
		}
		for _, x := range fields {
			f.columns = append(f.columns, x.column)
		}
		f.cell = func(i, j int) reflect.Value { return fieldAt(v.Index(i), fields[j].index) }
	case elem.Kind() == reflect.Map && elem.Key().Kind() == reflect.String:
		names := recordNames(v)
		if len(names) == 0 {
			return nil
		}
		for _, n := range names {
			f.columns = append(f.columns, column{name: n})
		}
		f.cell = func(i, j int) reflect.Value {
			m := follow(v.Index(i))
			if !m.IsValid() {
				return m
			}
			return m.MapIndex(reflect.ValueOf(names[j]).Convert(elem.Key()))
		}
	case (elem.Kind() == reflect.Slice || elem.Kind() == reflect.Array) && elem.Elem().Kind() != reflect.Uint8:
		width := 0
		for i := range min(v.Len(), surveyRows) {
			if row := follow(v.Index(i)); row.IsValid() {
				width = max(width, row.Len())
			}
		}
		if width == 0 {
			return nil
		}
		for j := range min(width, maxColumns) {
			f.columns = append(f.columns, column{name: strconv.Itoa(j)})
		}
		f.kind = fmt.Sprintf("%d×%d %s", v.Len(), width, typeName(v.Type()))
		f.cell = func(i, j int) reflect.Value {
			if row := follow(v.Index(i)); row.IsValid() && j < row.Len() {
				return row.Index(j)
			}
			return reflect.Value{}
		}
	default:
		return nil
	}
	return f
}

// readable is the number of rows that cell can read.
func (f *frame) readable() int {
	if f.known > 0 {
		return min(f.known, f.rows)
	}
	return f.rows
}

// surveyRows bounds how many rows are asked for their keys or lengths.
const surveyRows = 10_000

// recordNames are the keys of a list of maps, sorted.
func recordNames(v reflect.Value) []string {
	seen := map[string]bool{}
	for i := range min(v.Len(), surveyRows) {
		m := follow(v.Index(i))
		if !m.IsValid() || len(seen) > maxColumns {
			continue
		}
		for _, e := range sortedEntries(m, maxColumns) {
			seen[e.key.String()] = true
		}
	}
	names := make([]string, 0, len(seen))
	for n := range seen {
		names = append(names, n)
	}
	sort.Strings(names)
	return names[:min(len(names), maxColumns)]
}

// mapFrame is a map: lists of one length are columns, anything else is a row
// for each key, structs spread over columns.
func mapFrame(v reflect.Value) *frame {
	elem := v.Type().Elem()
	if v.Type().Key().Kind() == reflect.String && (elem.Kind() == reflect.Slice) && v.Len() <= maxColumns {
		entries := sortedEntries(v, maxColumns)
		size := entries[0].value.Len()
		same := size > 1
		for _, e := range entries {
			same = same && e.value.Len() == size
		}
		if same && elem.Elem().Kind() != reflect.Uint8 {
			f := &frame{rows: size, index: true, kind: typeName(v.Type())}
			for _, e := range entries {
				f.columns = append(f.columns, column{name: e.key.String()})
			}
			f.cell = func(i, j int) reflect.Value { return entries[j].value.Index(i) }
			return f
		}
	}
	entries := sortedEntries(v, surveyRows)
	f := &frame{rows: v.Len(), known: len(entries), kind: typeName(v.Type()), columns: []column{{name: "key"}}}
	elem = pointed(elem)
	if elem.Kind() == reflect.Struct {
		if fields := fieldsOf(elem); len(fields) > 0 {
			for _, x := range fields {
				f.columns = append(f.columns, x.column)
			}
			f.cell = func(i, j int) reflect.Value {
				if j == 0 {
					return entries[i].key
				}
				return fieldAt(entries[i].value, fields[j-1].index)
			}
			return f
		}
	}
	f.columns = append(f.columns, column{name: "value"})
	f.cell = func(i, j int) reflect.Value {
		if j == 0 {
			return entries[i].key
		}
		return entries[i].value
	}
	return f
}

// seriesFrame is a struct whose exported fields are all lists of one length: a
// time series, a trace.
func seriesFrame(v reflect.Value) *frame {
	fields := fieldsOf(v.Type())
	if len(fields) < 2 {
		return nil
	}
	size := -1
	for _, x := range fields {
		list := fieldAt(v, x.index)
		if !list.IsValid() || list.Kind() != reflect.Slice || (size >= 0 && list.Len() != size) {
			return nil
		}
		size = list.Len()
	}
	if size < 1 {
		return nil
	}
	f := &frame{rows: size, index: true, kind: typeName(v.Type())}
	for _, x := range fields {
		f.columns = append(f.columns, x.column)
	}
	f.cell = func(i, j int) reflect.Value { return fieldAt(v, fields[j].index).Index(i) }
	return f
}

// A structField is an exported field as a column.
type structField struct {
	column
	index []int
}

// fieldsOf returns the exported fields of a struct, those of embedded structs
// in their place, as tags name them: `display:"name"` ("-" hides), `unit:"ms"`.
func fieldsOf(t reflect.Type) []structField {
	var fields []structField
	for _, f := range exportedFields(t) {
		name := f.Tag.Get("display")
		if name == "-" || len(fields) == maxColumns {
			continue
		}
		if name == "" {
			name = f.Name
		}
		fields = append(fields, structField{column{name, f.Tag.Get("unit")}, f.Index})
	}
	return fields
}

// exportedFields returns the exported fields of a struct type, those of embedded
// structs in the place of the embedded one.
func exportedFields(t reflect.Type) []reflect.StructField {
	visible := reflect.VisibleFields(t)
	var fields []reflect.StructField
	for i, f := range visible {
		// The fields that an embedded one promotes follow it directly.
		promotes := false
		for j := i + 1; f.Anonymous && j < len(visible) && len(visible[j].Index) > len(f.Index); j++ {
			promotes = promotes || visible[j].IsExported()
		}
		if f.IsExported() && !promotes {
			fields = append(fields, f)
		}
	}
	return fields
}

// fieldAt reads a field through pointers; an invalid value where one is nil.
func fieldAt(v reflect.Value, index []int) reflect.Value {
	v = follow(v)
	if !v.IsValid() {
		return v
	}
	field, err := v.FieldByIndexErr(index)
	if err != nil {
		return reflect.Value{}
	}
	return field
}

// maxPointers is how many pointers in a row are followed: a pointer type may
// point to itself.
const maxPointers = 16

// follow goes through pointers and interfaces; invalid at a nil one.
func follow(v reflect.Value) reflect.Value {
	for range maxPointers {
		if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
			return v
		}
		v = v.Elem()
	}
	return reflect.Value{}
}

// pointed is the type that a pointer type leads to.
func pointed(t reflect.Type) reflect.Type {
	for range maxPointers {
		if t.Kind() != reflect.Pointer {
			break
		}
		t = t.Elem()
	}
	return t
}

// scalarFrame is a list of anything, one element to a row.
func scalarFrame(v any) *frame {
	rv := follow(reflect.ValueOf(v))
	if k := rv.Kind(); (k != reflect.Slice && k != reflect.Array) || rv.Len() == 0 {
		return nil
	}
	return &frame{rows: rv.Len(), index: true, kind: typeName(rv.Type()), columns: []column{{name: "value"}},
		cell: func(i, _ int) reflect.Value { return rv.Index(i) }}
}
