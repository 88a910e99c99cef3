package lang

import (
	"fmt"
	"go/types"
	"reflect"
)

// rtypes finds the reflect.Type of a go/types type: what interpreted code needs
// to make a variable that compiled code can use as its own.
type rtypes struct {
	symbols func(path string) map[string]reflect.Value
	decls   func(types.Object) *decl
}

var basicTypes = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.String: reflect.TypeFor[string](),
	types.Int: reflect.TypeFor[int](), types.Int8: reflect.TypeFor[int8](), types.Int16: reflect.TypeFor[int16](),
	types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](),
	types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](), types.Uintptr: reflect.TypeFor[uintptr](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	types.Complex64: reflect.TypeFor[complex64](), types.Complex128: reflect.TypeFor[complex128](),
}

// of returns the type, or an error where reflection has no way to it.
func (r rtypes) of(t types.Type) (reflect.Type, error) {
	switch t := t.(type) {
	case *types.Basic:
		if rt := basicTypes[t.Kind()]; rt != nil {
			return rt, nil
		}
	case *types.Alias:
		return r.of(types.Unalias(t))
	case *types.Named:
		return r.named(t)
	case *types.Pointer:
		return with1(r, t.Elem(), reflect.PointerTo)
	case *types.Slice:
		return with1(r, t.Elem(), reflect.SliceOf)
	case *types.Array:
		if t.Len() < 1<<31 {
			return with1(r, t.Elem(), func(e reflect.Type) reflect.Type { return reflect.ArrayOf(int(t.Len()), e) })
		}
	case *types.Chan:
		dir := map[types.ChanDir]reflect.ChanDir{types.SendRecv: reflect.BothDir, types.SendOnly: reflect.SendDir, types.RecvOnly: reflect.RecvDir}[t.Dir()]
		return with1(r, t.Elem(), func(e reflect.Type) reflect.Type { return reflect.ChanOf(dir, e) })
	case *types.Map:
		k, err := r.of(t.Key())
		if err != nil {
			return nil, err
		}
		return with1(r, t.Elem(), func(e reflect.Type) reflect.Type { return reflect.MapOf(k, e) })
	case *types.Signature:
		if t.TypeParams().Len() > 0 {
			break
		}
		in, err := r.tuple(t.Params())
		if err != nil {
			return nil, err
		}
		out, err := r.tuple(t.Results())
		if err != nil {
			return nil, err
		}
		return reflect.FuncOf(in, out, t.Variadic()), nil
	case *types.Interface:
		if t.Empty() {
			return reflect.TypeFor[any](), nil
		}
	case *types.Struct:
		if t.NumFields() == 0 {
			return reflect.TypeFor[struct{}](), nil
		}
	}
	return nil, fmt.Errorf("no compiled form of %s is at hand", t)
}

func with1(r rtypes, elem types.Type, make func(reflect.Type) reflect.Type) (reflect.Type, error) {
	e, err := r.of(elem)
	if err != nil {
		return nil, err
	}
	return make(e), nil
}

func (r rtypes) tuple(t *types.Tuple) ([]reflect.Type, error) {
	var out []reflect.Type
	for i := range t.Len() {
		rt, err := r.of(t.At(i).Type())
		if err != nil {
			return nil, err
		}
		out = append(out, rt)
	}
	return out, nil
}

func (r rtypes) named(t *types.Named) (reflect.Type, error) {
	o := t.Obj()
	if o.Pkg() == nil {
		if o.Name() == "error" {
			return reflect.TypeFor[error](), nil
		}
		return nil, fmt.Errorf("no compiled form of %s is at hand", t)
	}
	if o.Pkg().Path() == unitPath {
		if d := r.decls(o); d != nil && d.rtype != nil && t.TypeArgs().Len() == 0 {
			return d.rtype, nil
		}
		return nil, fmt.Errorf("%s has not been compiled", t)
	}
	if t.TypeArgs().Len() == 0 && r.symbols != nil {
		if v, ok := r.symbols(o.Pkg().Path())[o.Name()]; ok && v.IsValid() && v.Kind() == reflect.Pointer {
			return v.Type().Elem(), nil
		}
	}
	return nil, fmt.Errorf("no compiled form of %s is at hand", t)
}
