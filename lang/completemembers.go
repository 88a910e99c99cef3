package lang

import (
	"go/ast"
	"go/types"
	"strings"
)

// members offers what may follow the dot of the selector at the mark.
func (l *lister) members(sel *ast.SelectorExpr) {
	p := l.p
	if id, ok := sel.X.(*ast.Ident); ok {
		switch o := p.c.info.Uses[id].(type) {
		case *types.PkgName:
			l.exported(o.Imported())
			return
		case nil:
			if p.typeOf(id) == nil {
				l.unimported(id.Name)
				return
			}
		}
	}
	tv := p.c.info.Types[sel.X]
	t := p.typeOf(sel.X)
	if t == nil {
		return
	}
	if tuple, ok := t.(*types.Tuple); ok {
		if tuple.Len() != 2 || !isError(tuple.At(1).Type()) {
			return
		}
		t = tuple.At(0).Type() // script rule 2
	}
	if tv.IsType() {
		for _, m := range memberSet(t, false) {
			if f, ok := m.obj.(*types.Func); ok {
				l.object(f, m.depth, f.Name())
			}
		}
		return
	}
	for _, m := range memberSet(t, tv.Addressable()) {
		l.object(m.obj, m.depth, m.obj.Name())
	}
}

// exported offers the exported names of a package.
func (l *lister) exported(pkg *types.Package) {
	for _, name := range pkg.Scope().Names() {
		if ok, _ := l.matches(name); !ok {
			continue
		}
		if o := pkg.Scope().Lookup(name); o.Exported() {
			l.object(o, 0, name)
		}
	}
}

// unimported offers the names that a package name, used without an import, has
// by itself: those of each package of that name which the member decides on.
func (l *lister) unimported(name string) {
	for _, path := range l.named(name) {
		pkg, err := l.p.c.imp.Import(path)
		if err != nil {
			continue
		}
		for _, member := range pkg.Scope().Names() {
			if ok, _ := l.matches(member); !ok {
				continue
			}
			o := pkg.Scope().Lookup(member)
			if !o.Exported() {
				continue
			}
			if at, ok := l.e.opt.Resolve(name, member); ok && at == path {
				l.object(o, 0, member)
			}
		}
	}
}

// named returns the import paths of the packages of that name.
func (l *lister) named(name string) []string {
	var paths []string
	for _, path := range l.cat.Packages() {
		if l.cat.Name(path) == name {
			paths = append(paths, path)
		}
	}
	return paths
}

// member is a field or method, and how many embedded fields lie before it.
type member struct {
	obj   types.Object
	depth int
}

// memberSet returns the fields and methods that a cell may select from a value
// of the type, promoted ones included, hidden and ambiguous ones not.
func memberSet(t types.Type, addressable bool) []member {
	names := map[string]*types.Package{}
	add := func(o types.Object) {
		if visible(o) {
			names[o.Name()] = o.Pkg()
		}
	}
	base := t
	if _, isPtr := t.Underlying().(*types.Pointer); !isPtr && !types.IsInterface(t) {
		base = types.NewPointer(t)
	}
	ms := types.NewMethodSet(base)
	for i := range ms.Len() {
		add(ms.At(i).Obj())
	}
	seen := map[types.Type]bool{}
	var fields func(t types.Type)
	fields = func(t types.Type) {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		st, ok := under(t).(*types.Struct)
		if !ok || seen[t] {
			return
		}
		seen[t] = true
		for i := range st.NumFields() {
			add(st.Field(i))
			if st.Field(i).Embedded() {
				fields(st.Field(i).Type())
			}
		}
	}
	fields(t)
	var out []member
	for _, name := range sortedKeys(names) {
		o, index, _ := types.LookupFieldOrMethod(t, addressable, names[name], name)
		if o != nil && visible(o) {
			out = append(out, member{o, len(index) - 1})
		}
	}
	return out
}

// keys offers the fields of a struct literal that are not set yet. It reports
// whether only a key may stand at the mark.
func (l *lister) keys() bool {
	p := l.p
	lit, ok := p.parent(1).(*ast.CompositeLit)
	if kv, isKV := p.parent(1).(*ast.KeyValueExpr); isKV && kv.Key == p.id {
		lit, ok = p.parent(2).(*ast.CompositeLit)
	}
	if !ok || lit.Type == p.id {
		return false
	}
	t := literalType(p.typeOf(lit))
	st, ok := under(t).(*types.Struct)
	if !ok {
		return false
	}
	set := map[string]bool{}
	keyed, positional := false, false
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if k, ok := kv.Key.(*ast.Ident); ok {
				set[k.Name] = true
			}
			keyed = keyed || kv.Key != p.id || l.next == ':'
		} else if e != p.id {
			positional = true
		}
	}
	if positional {
		return false
	}
	w := l.want
	l.want = want{}
	for i := range st.NumFields() {
		if f := st.Field(i); visible(f) && !set[f.Name()] {
			ok, _ := l.matches(f.Name())
			if ok && !l.seen[f.Name()] {
				// In the order of the struct, before all else.
				l.add(fitRequired, i, f.Name(), "field", func() string { return signatureOf(f) })
			}
		}
	}
	l.want = w
	return keyed
}

// importPaths offers packages inside an import's string: those whose path
// begins with what is there, then those whose name does.
func (l *lister) importPaths() {
	for _, path := range l.cat.Packages() {
		if strings.HasPrefix(path, l.prefix) {
			l.found = append(l.found, candidate{Match: Match{path, "package", l.cat.Name(path)}, near: 0})
		} else if i := strings.LastIndexByte(path, '/'); l.prefix != "" && strings.HasPrefix(path[i+1:], l.prefix) {
			l.found = append(l.found, candidate{Match: Match{path, "package", l.cat.Name(path)}, near: 1})
		}
	}
}
