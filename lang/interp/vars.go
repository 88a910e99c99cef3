package interp

import (
	"go/types"
	"reflect"
)

// Var returns a package-level variable that the unit owns, as an addressable
// value of its type, for the Vars of later units. It reports false where the
// program has no such variable.
func (p *Program) Var(v *types.Var) (value reflect.Value, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	for g, at := range p.unit.globals {
		if g.Object() == types.Object(v) {
			return reflect.NewAt(p.unit.tm.rtype(v.Type()), at).Elem(), true
		}
	}
	return reflect.Value{}, false
}

// adopt takes the types of variables that live outside for the unit's own
// where the unit declares them generic: an instance that another unit made is
// the instance here, so that values of both have one type.
func (tm *typeMap) adopt(vars map[*types.Var]reflect.Value) {
	for v, x := range vars {
		tm.adoptType(v.Type(), x.Type())
	}
}

func (tm *typeMap) adoptType(t types.Type, r reflect.Type) {
	t = types.Unalias(t)
	switch t := t.(type) {
	case *types.Named:
		if t.TypeArgs() != nil && t.Obj().Pkg() != nil && t.Obj().Pkg().Path() == tm.unitPath && tm.m.At(t) == nil {
			tm.m.Set(t, r)
		}
	case *types.Pointer:
		if r.Kind() == reflect.Pointer {
			tm.adoptType(t.Elem(), r.Elem())
		}
	case *types.Slice:
		if r.Kind() == reflect.Slice {
			tm.adoptType(t.Elem(), r.Elem())
		}
	case *types.Array:
		if r.Kind() == reflect.Array {
			tm.adoptType(t.Elem(), r.Elem())
		}
	case *types.Chan:
		if r.Kind() == reflect.Chan {
			tm.adoptType(t.Elem(), r.Elem())
		}
	case *types.Map:
		if r.Kind() == reflect.Map {
			tm.adoptType(t.Key(), r.Key())
			tm.adoptType(t.Elem(), r.Elem())
		}
	}
}
