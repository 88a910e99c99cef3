package lang

import "go/types"

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

// sameLayout reports whether two declarations of a type have the same text
// beneath, so that the memory of one is that of the other.
func sameLayout(a, b *types.Named) bool {
	q := func(p *types.Package) string { return p.Path() }
	return types.TypeString(a.Underlying(), q) == types.TypeString(b.Underlying(), q)
}
