package symbols

import (
	"fmt"
	"go/types"
	"reflect"
	"sort"
	"strings"
	"unsafe"
)

// sameType compares a type at run time with one of the type checker. Named
// types are compared by name and path, with their underlying types and method
// sets one level down.
func sameType(r reflect.Type, t types.Type) error { return compareTypes(r, t, true) }

func compareTypes(r reflect.Type, t types.Type, inside bool) error {
	differ := func() error { return fmt.Errorf("the type is %v, not %v", r, t) }
	all := func(errors ...error) error {
		for _, err := range errors {
			if err != nil {
				return err
			}
		}
		return nil
	}
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); ok {
		path := ""
		if n.Obj().Pkg() != nil {
			path = n.Obj().Pkg().Path()
		}
		if name, _, _ := strings.Cut(r.Name(), "["); name != n.Obj().Name() || r.PkgPath() != path {
			return differ()
		}
		if !inside {
			return nil
		}
		if err := sameMethods(r, n); err != nil {
			return err
		}
		return compareUnderlying(r, n.Underlying(), all, differ)
	}
	if _, basic := t.(*types.Basic); r.PkgPath() != "" && !(basic && r == reflect.TypeFor[unsafe.Pointer]()) {
		return differ() // named, where the checker has it unnamed
	}
	return compareUnderlying(r, t, all, differ)
}

func compareUnderlying(r reflect.Type, t types.Type, all func(...error) error, differ func() error) error {
	elem := func(t types.Type) error { return compareTypes(r.Elem(), t, false) }
	switch t := t.(type) {
	case *types.Basic:
		name := r.Kind().String()
		if t.Kind() == types.UnsafePointer {
			name = "Pointer"
			if r.Kind() != reflect.UnsafePointer {
				return differ()
			}
		}
		if t.Name() != name && !(t.Name() == "byte" && name == "uint8") && !(t.Name() == "rune" && name == "int32") {
			return differ()
		}
	case *types.Pointer:
		if r.Kind() != reflect.Pointer {
			return differ()
		}
		return elem(t.Elem())
	case *types.Slice:
		if r.Kind() != reflect.Slice {
			return differ()
		}
		return elem(t.Elem())
	case *types.Array:
		if r.Kind() != reflect.Array || int64(r.Len()) != t.Len() {
			return differ()
		}
		return elem(t.Elem())
	case *types.Chan:
		dir := map[types.ChanDir]reflect.ChanDir{types.SendRecv: reflect.BothDir, types.SendOnly: reflect.SendDir, types.RecvOnly: reflect.RecvDir}
		if r.Kind() != reflect.Chan || r.ChanDir() != dir[t.Dir()] {
			return differ()
		}
		return elem(t.Elem())
	case *types.Map:
		if r.Kind() != reflect.Map {
			return differ()
		}
		return all(compareTypes(r.Key(), t.Key(), false), elem(t.Elem()))
	case *types.Signature:
		if r.Kind() != reflect.Func || r.NumIn() != t.Params().Len() || r.NumOut() != t.Results().Len() || r.IsVariadic() != t.Variadic() {
			return differ()
		}
		for i := range r.NumIn() {
			if err := compareTypes(r.In(i), t.Params().At(i).Type(), false); err != nil {
				return err
			}
		}
		for i := range r.NumOut() {
			if err := compareTypes(r.Out(i), t.Results().At(i).Type(), false); err != nil {
				return err
			}
		}
	case *types.Struct:
		if r.Kind() != reflect.Struct || r.NumField() != t.NumFields() {
			return differ()
		}
		for i := range r.NumField() {
			f, g := r.Field(i), t.Field(i)
			if f.Name != g.Name() || f.Anonymous != g.Embedded() || string(f.Tag) != t.Tag(i) {
				return fmt.Errorf("field %d is %s, not %s", i, f.Name, g.Name())
			}
			if err := compareTypes(f.Type, g.Type(), false); err != nil {
				return fmt.Errorf("field %s: %w", f.Name, err)
			}
		}
	case *types.Interface:
		if r.Kind() != reflect.Interface || r.NumMethod() != t.NumMethods() {
			return differ()
		}
		for i := range r.NumMethod() {
			m := r.Method(i)
			object, _, _ := types.LookupFieldOrMethod(t, false, nil, m.Name)
			if object == nil && m.PkgPath == "" {
				return fmt.Errorf("the method %s is not in %v", m.Name, t)
			} else if object != nil {
				if err := compareTypes(m.Type, object.Type(), false); err != nil {
					return fmt.Errorf("method %s: %w", m.Name, err)
				}
			}
		}
	default:
		return fmt.Errorf("the checker has a %T", t)
	}
	return nil
}

// sameMethods compares the exported methods of *T.
func sameMethods(r reflect.Type, n *types.Named) error {
	if r.Kind() == reflect.Interface {
		return nil // compared with the underlying type
	}
	var have, want []string
	for m := range reflect.PointerTo(r).Methods() {
		have = append(have, m.Name)
	}
	for s := range types.NewMethodSet(types.NewPointer(n)).Methods() {
		if s.Obj().Exported() {
			want = append(want, s.Obj().Name())
		}
	}
	sort.Strings(have)
	sort.Strings(want)
	if !reflect.DeepEqual(have, want) && len(have)+len(want) > 0 {
		return fmt.Errorf("the methods are %v, not %v", have, want)
	}
	return nil
}
