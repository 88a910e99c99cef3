package display

import (
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
	jsonItems = 200_000
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
		return parsed([]byte(raw))
	}
	left := jsonItems
	return jsonValue(reflect.ValueOf(v), jsonDepth, &left)
}

func parsed(raw []byte) any {
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return strings.ToValidUTF8(string(raw), "\uFFFD")
	}
	return tree
}

func jsonValue(v reflect.Value, depth int, left *int) any {
	*left--
	if !v.IsValid() {
		return nil
	}
	if depth == 0 || *left < 0 {
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
		return jsonValue(v.Elem(), depth-1, left)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return nil
		}
		list := []any{}
		for i := 0; i < v.Len() && *left > 0; i++ {
			list = append(list, jsonValue(v.Index(i), depth-1, left))
		}
		return list
	case reflect.Map:
		if v.IsNil() {
			return nil
		}
		object := map[string]any{}
		for _, e := range sortedEntries(v, *left) {
			object[keyText(e.key)] = jsonValue(e.value, depth-1, left)
		}
		return object
	case reflect.Struct:
		object := map[string]any{}
		for _, f := range reflect.VisibleFields(v.Type()) {
			name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || f.Anonymous || name == "-" {
				continue
			}
			if name == "" {
				name = f.Name
			}
			field, err := v.FieldByIndexErr(f.Index)
			if err != nil || (strings.Contains(opts, "omitempty") && field.IsZero()) {
				continue
			}
			object[name] = jsonValue(field, depth-1, left)
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
