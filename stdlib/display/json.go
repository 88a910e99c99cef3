package display

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// Bounds of a JSON tree: deeper or longer values are cut, so that a cycle or a
// gigabyte becomes a small tree.
const (
	jsonDepth = 64
	jsonItems = 100_000
	jsonBytes = 16 << 20
)

// jsonSafe returns v as encoding/json can write it and a front end can read it.
// Valid JSON text (json.RawMessage, and []byte or string for a +json type)
// becomes the tree that it describes.
func jsonSafe(v any) any {
	switch raw := v.(type) {
	case nil:
		return nil
	case json.RawMessage:
		return parsed([]byte(raw))
	case []byte:
		return parsed(raw)
	case string:
		return parsed([]byte(raw[:min(len(raw), jsonBytes+1)]))
	}
	w := &jsonWriter{left: jsonItems, path: map[visit]bool{}}
	return w.value(reflect.ValueOf(v), jsonDepth)
}

// jsonWriter turns values into JSON trees, left items at most.
type jsonWriter struct {
	left int
	path map[visit]bool
}

// parsed returns JSON text as the tree that it describes, and any other text,
// or one of more than jsonBytes, as the start of itself.
func parsed(raw []byte) any {
	var tree any
	if len(raw) <= jsonBytes && json.Valid(raw) && json.Unmarshal(raw, &tree) == nil {
		return tree
	}
	return strings.ToValidUTF8(clip(string(raw[:min(len(raw), 20<<10)]), 16<<10), "\uFFFD")
}

func (w *jsonWriter) value(v reflect.Value, depth int) any {
	w.left--
	if !v.IsValid() {
		return nil
	}
	if depth == 0 || w.left < 0 {
		return "…"
	}
	if v.CanInterface() && v.Kind() != reflect.Interface {
		switch m := v.Interface().(type) {
		case json.RawMessage:
			return parsed(m)
		case json.Marshaler, interface{ MarshalText() ([]byte, error) }:
			if raw, ok := marshal(m); ok {
				return parsed(raw)
			}
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		step := visit{ptr: v.Pointer(), typ: v.Type()}
		if v.Kind() == reflect.Slice {
			step.len = v.Len()
		}
		if w.path[step] {
			return "(cycle to " + typeName(v.Type()) + ")"
		}
		w.path[step] = true
		defer delete(w.path, step)
	}
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return v.Uint()
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
		return nil
	case reflect.Complex64, reflect.Complex128:
		return fmt.Sprint(v.Complex())
	case reflect.String:
		return strings.ToValidUTF8(v.String(), "\uFFFD")
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return w.value(v.Elem(), depth-1)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return nil
		}
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			b := v.Bytes()
			return base64.StdEncoding.EncodeToString(b[:min(len(b), jsonBytes)])
		}
		list := []any{}
		for i := range v.Len() {
			if w.left <= 0 {
				return append(list, fmt.Sprintf("… %d more", v.Len()-i))
			}
			list = append(list, w.value(v.Index(i), depth-1))
		}
		return list
	case reflect.Map:
		if v.IsNil() {
			return nil
		}
		object := map[string]any{}
		for _, e := range sortedEntries(v, w.left) {
			object[keyText(e.key)] = w.value(e.value, depth-1)
		}
		if rest := v.Len() - len(object); rest > 0 && w.left <= 0 {
			object["…"] = fmt.Sprintf("%d more", rest)
		}
		return object
	case reflect.Struct:
		object := map[string]any{}
		for _, f := range exportedFields(v.Type()) {
			name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			if name == "" {
				name = f.Name
			}
			field, err := v.FieldByIndexErr(f.Index)
			if err != nil || (strings.Contains(opts, "omitempty") && field.IsZero()) {
				continue
			}
			object[name] = w.value(field, depth-1)
		}
		return object
	}
	return v.Type().String()
}

// marshal asks a value's own JSON or text method, without trusting it.
func marshal(v any) (raw []byte, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	raw, err := json.Marshal(v)
	return raw, err == nil
}

// jsonText is the plain text of a JSON tree: indented, bounded.
func jsonText(tree any) string {
	raw, err := json.MarshalIndent(tree, "", "  ")
	if err != nil {
		return err.Error()
	}
	return clip(string(raw), 16<<10)
}
