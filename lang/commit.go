package lang

import (
	"go/types"
	"reflect"
)

// commit makes what the cell declares part of the session. It happens once the
// cell is compiled: declarations stay whatever its statements do then.
func (e *Engine) commit(c *checker, l *lowered, u *unit) {
	s := e.session
	s.addImports(c)
	for n, why := range c.dropped {
		if d := s.decls[n]; d != nil {
			s.broken[n] = n + " (" + d.cell.Name + ") no longer type-checks since " + c.cell.Name + " changed what it needs: " + why + "; run its cell again"
		}
		delete(s.decls, n)
	}
	// A type declared anew loses the methods that came with the old one.
	for _, d := range l.decls {
		if d.kind != typeDecl {
			continue
		}
		for _, m := range s.methods(d.name) {
			delete(s.decls, m.name)
		}
	}
	for _, d := range l.decls {
		names := []string{d.name}
		if d.kind == constDecl {
			names = d.names
		}
		for _, n := range names {
			if n == "_" || n == "" || n[0] == mark[0] {
				continue
			}
			s.decls[n] = d
			delete(s.broken, n)
			delete(s.vars, n)
			delete(s.imports, n)
		}
		if d.obj != nil {
			s.byObj[d.obj] = d
		}
		for _, o := range d.objs {
			s.byObj[o] = d
		}
	}
	s.retype(l)
	for _, v := range l.own {
		if v.ptr.IsValid() {
			s.define(v)
		}
	}
}

// define makes v the session's variable of its name.
func (s *session) define(v *variable) {
	s.vars[v.name] = v
	delete(s.decls, v.name)
	delete(s.imports, v.name)
	delete(s.broken, v.name)
}

// commitVars makes the variables that the statements reached the session's.
func (e *Engine) commitVars(l *lowered, o *outcome) {
	for i, v := range l.defined {
		if i < o.reached && v.ptr.IsValid() {
			e.session.define(v)
		}
	}
}

// retype gives variables the new version of a type that was declared again
// with the same memory layout, as when a method was added to it.
func (s *session) retype(l *lowered) {
	now := map[*types.TypeName]*types.Named{}
	for _, d := range l.decls {
		if d.kind != typeDecl || d.obj == nil {
			continue
		}
		if n, ok := d.obj.Type().(*types.Named); ok {
			now[d.obj.(*types.TypeName)] = n
		}
	}
	if len(now) == 0 {
		return
	}
	byName := map[string]*types.Named{}
	for o, n := range now {
		byName[o.Name()] = n
	}
	for _, name := range sortedKeys(s.vars) {
		v := s.vars[name]
		t, changed := s.newest(v.typ, byName)
		if !changed {
			continue
		}
		nv := &variable{name: v.name, id: v.id, typ: t, cell: v.cell, ptr: v.ptr}
		nv.obj = types.NewVar(v.obj.Pos(), v.obj.Pkg(), v.name, t)
		s.vars[name] = nv
	}
}

// newest returns t with the types of the session's older declarations replaced
// by those of byName, where all of them have the same layout.
func (s *session) newest(t types.Type, byName map[string]*types.Named) (types.Type, bool) {
	ok, changed := true, false
	var subst func(t types.Type) types.Type
	subst = func(t types.Type) types.Type {
		switch t := t.(type) {
		case *types.Named:
			o := t.Obj()
			if o.Pkg() == nil || o.Pkg().Path() != unitPath {
				if t.TypeArgs().Len() > 0 {
					for i := range t.TypeArgs().Len() {
						if a := t.TypeArgs().At(i); subst(a) != a {
							ok = false // not worth the trouble: the variable keeps its type
						}
					}
				}
				return t
			}
			n := byName[o.Name()]
			if n == nil || n == t.Origin() {
				return t
			}
			if t.TypeArgs().Len() > 0 || !sameLayout(t, n) {
				ok = false
				return t
			}
			changed = true
			return n
		case *types.Pointer:
			if e := subst(t.Elem()); e != t.Elem() {
				return types.NewPointer(e)
			}
		case *types.Slice:
			if e := subst(t.Elem()); e != t.Elem() {
				return types.NewSlice(e)
			}
		case *types.Array:
			if e := subst(t.Elem()); e != t.Elem() {
				return types.NewArray(e, t.Len())
			}
		case *types.Map:
			k, e := subst(t.Key()), subst(t.Elem())
			if k != t.Key() || e != t.Elem() {
				return types.NewMap(k, e)
			}
		case *types.Chan:
			if e := subst(t.Elem()); e != t.Elem() {
				return types.NewChan(t.Dir(), e)
			}
		case *types.Signature, *types.Struct, *types.Interface, *types.Tuple:
			if mentions(t, unitPath) {
				stale := false
				walkType(t, func(t types.Type) {
					if n, isNamed := t.(*types.Named); isNamed && byName[n.Obj().Name()] != nil && byName[n.Obj().Name()] != n && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == unitPath {
						stale = true
					}
				})
				if stale {
					ok = false
				}
			}
		}
		return t
	}
	nt := subst(t)
	return nt, ok && changed
}

// sameLayout reports whether memory of one type is memory of the other, all the
// way down: the session's types are compared by what they are made of, since
// both may name further types that have changed.
func sameLayout(a, b types.Type) bool {
	seen := map[[2]types.Type]bool{}
	var same func(a, b types.Type) bool
	tuple := func(a, b *types.Tuple) bool {
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.At(i).Type(), b.At(i).Type()) {
				return false
			}
		}
		return true
	}
	same = func(a, b types.Type) bool {
		a, b = types.Unalias(a), types.Unalias(b)
		if a == b || seen[[2]types.Type{a, b}] {
			return true
		}
		seen[[2]types.Type{a, b}] = true
		na, aNamed := a.(*types.Named)
		nb, bNamed := b.(*types.Named)
		if aNamed != bNamed {
			return false
		}
		if aNamed {
			oa, ob := na.Obj(), nb.Obj()
			if oa.Name() != ob.Name() || oa.Pkg() == nil || ob.Pkg() == nil || oa.Pkg().Path() != ob.Pkg().Path() {
				return false
			}
			if oa.Pkg().Path() != unitPath {
				return types.Identical(a, b)
			}
			return same(a.Underlying(), b.Underlying())
		}
		switch a := a.(type) {
		case *types.Pointer:
			b, ok := b.(*types.Pointer)
			return ok && same(a.Elem(), b.Elem())
		case *types.Slice:
			b, ok := b.(*types.Slice)
			return ok && same(a.Elem(), b.Elem())
		case *types.Array:
			b, ok := b.(*types.Array)
			return ok && a.Len() == b.Len() && same(a.Elem(), b.Elem())
		case *types.Chan:
			b, ok := b.(*types.Chan)
			return ok && a.Dir() == b.Dir() && same(a.Elem(), b.Elem())
		case *types.Map:
			b, ok := b.(*types.Map)
			return ok && same(a.Key(), b.Key()) && same(a.Elem(), b.Elem())
		case *types.Signature:
			b, ok := b.(*types.Signature)
			return ok && a.Variadic() == b.Variadic() && tuple(a.Params(), b.Params()) && tuple(a.Results(), b.Results())
		case *types.Struct:
			b, ok := b.(*types.Struct)
			if !ok || a.NumFields() != b.NumFields() {
				return false
			}
			for i := range a.NumFields() {
				fa, fb := a.Field(i), b.Field(i)
				if fa.Name() != fb.Name() || fa.Embedded() != fb.Embedded() || a.Tag(i) != b.Tag(i) || !same(fa.Type(), fb.Type()) {
					return false
				}
			}
			return true
		case *types.Interface:
			b, ok := b.(*types.Interface)
			if !ok || a.NumMethods() != b.NumMethods() {
				return false
			}
			for i := range a.NumMethods() {
				if a.Method(i).Name() != b.Method(i).Name() || !same(a.Method(i).Type(), b.Method(i).Type()) {
					return false
				}
			}
			return true
		}
		return types.Identical(a, b)
	}
	return same(a, b)
}

// sameMemory is sameLayout of types of the process: the last word before memory
// is read as another type than it was made with.
func sameMemory(a, b reflect.Type) bool {
	seen := map[[2]reflect.Type]bool{}
	var same func(a, b reflect.Type) bool
	same = func(a, b reflect.Type) bool {
		if a == b || seen[[2]reflect.Type{a, b}] {
			return true
		}
		seen[[2]reflect.Type{a, b}] = true
		if a.Kind() != b.Kind() || a.Size() != b.Size() || a.Name() != b.Name() || a.PkgPath() != b.PkgPath() {
			return false
		}
		switch a.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
			return same(a.Elem(), b.Elem())
		case reflect.Map:
			return same(a.Key(), b.Key()) && same(a.Elem(), b.Elem())
		case reflect.Struct:
			if a.NumField() != b.NumField() {
				return false
			}
			for i := range a.NumField() {
				fa, fb := a.Field(i), b.Field(i)
				if fa.Name != fb.Name || fa.Offset != fb.Offset || !same(fa.Type, fb.Type) {
					return false
				}
			}
		case reflect.Func:
			if a.NumIn() != b.NumIn() || a.NumOut() != b.NumOut() {
				return false
			}
			for i := range a.NumIn() {
				if !same(a.In(i), b.In(i)) {
					return false
				}
			}
			for i := range a.NumOut() {
				if !same(a.Out(i), b.Out(i)) {
					return false
				}
			}
		case reflect.Interface:
			if a.NumMethod() != b.NumMethod() {
				return false
			}
			for i := range a.NumMethod() {
				if a.Method(i).Name != b.Method(i).Name || !same(a.Method(i).Type, b.Method(i).Type) {
					return false
				}
			}
		}
		return true
	}
	return same(a, b)
}
