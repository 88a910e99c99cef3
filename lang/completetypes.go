package lang

import (
	"go/token"
	"go/types"
)

// under is the underlying type, nil for nil, the core type of a type parameter.
func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		if core := coreOf(tp); core != nil {
			return core
		}
	}
	return t.Underlying()
}

// coreOf returns the underlying type that all types of the type parameter's
// set share, nil where they share none.
func coreOf(tp *types.TypeParam) types.Type {
	iface, ok := tp.Constraint().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var core types.Type
	for i := range iface.NumEmbeddeds() {
		switch e := iface.EmbeddedType(i).(type) {
		case *types.Union:
			for j := range e.Len() {
				u := e.Term(j).Type().Underlying()
				if core != nil && !types.Identical(core, u) {
					return nil
				}
				core = u
			}
		default:
			if _, isInterface := e.Underlying().(*types.Interface); !isInterface {
				core = e.Underlying()
			}
		}
	}
	return core
}

func isBasic(t types.Type, info types.BasicInfo) bool {
	b, ok := under(t).(*types.Basic)
	return ok && b.Info()&info != 0
}

func isNumeric(t types.Type) bool { return isBasic(t, types.IsNumeric) }
func isInteger(t types.Type) bool { return isBasic(t, types.IsInteger) }
func isString(t types.Type) bool  { return isBasic(t, types.IsString) }
func isUntyped(t types.Type) bool { return isBasic(t, types.IsUntyped) }

func isChan(t types.Type) bool {
	_, ok := under(t).(*types.Chan)
	return ok
}

func isAny(t types.Type) bool {
	i, ok := under(t).(*types.Interface)
	return ok && i.Empty()
}

// isIndexable reports whether values of the type have elements.
func isIndexable(t types.Type) bool {
	switch u := under(t).(type) {
	case *types.Slice, *types.Array, *types.Map:
		return true
	case *types.Pointer:
		_, ok := u.Elem().Underlying().(*types.Array)
		return ok
	}
	return isString(t)
}

func isRangeable(t types.Type) bool {
	if sig, ok := under(t).(*types.Signature); ok {
		if sig.Params().Len() != 1 || sig.Results().Len() > 0 {
			return false
		}
		yield, ok := under(sig.Params().At(0).Type()).(*types.Signature)
		return ok && yield.Results().Len() == 1 && yield.Params().Len() <= 2
	}
	return isIndexable(t) || isChan(t) || isInteger(t)
}

func isComparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

// sameClass matches the types that an untyped constant can be compared with.
func sameClass(t types.Type) func(types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Kind() == types.UntypedNil {
		return func(x types.Type) bool {
			switch under(x).(type) {
			case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
				return true
			}
			return false
		}
	}
	class := b.Info() & (types.IsNumeric | types.IsString | types.IsBoolean)
	return func(x types.Type) bool { return isBasic(x, class) }
}

func hasTypeParam(t types.Type) bool {
	found := false
	walkType(t, func(t types.Type) {
		_, ok := t.(*types.TypeParam)
		found = found || ok
	})
	return found
}

func isGenericFunc(t types.Type) bool {
	sig, ok := t.(*types.Signature)
	return ok && sig.TypeParams().Len() > 0
}

// sameShape matches the types that a generic parameter of type t can take, as
// far as its outermost constructor says.
func sameShape(t types.Type) func(types.Type) bool {
	tp, isParam := types.Unalias(t).(*types.TypeParam)
	if isParam && coreOf(tp) == nil {
		iface, _ := tp.Constraint().Underlying().(*types.Interface)
		return func(x types.Type) bool {
			return iface != nil && !iface.Empty() && !isUntyped(x) && types.Satisfies(x, iface)
		}
	}
	shape := under(t)
	return func(x types.Type) bool {
		switch s := shape.(type) {
		case *types.Slice:
			xs, ok := under(x).(*types.Slice)
			return ok && (hasTypeParam(s.Elem()) || types.Identical(xs.Elem(), s.Elem()))
		case *types.Map:
			_, ok := under(x).(*types.Map)
			return ok
		case *types.Chan:
			return isChan(x)
		case *types.Pointer:
			_, ok := under(x).(*types.Pointer)
			return ok
		case *types.Signature:
			f, ok := under(x).(*types.Signature)
			return ok && f.Params().Len() == s.Params().Len() && f.Results().Len() == s.Results().Len()
		}
		return false
	}
}
