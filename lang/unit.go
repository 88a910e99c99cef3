package lang

import (
	"fmt"
	"go/ast"
	"go/types"
	"sort"
	"strings"
)

// A unit is a self-contained Go package made for one cell: the declarations
// that the cell needs, wherever they were written, and its statements as one
// function. All units have the same package path, so that a type which several
// of them declare, with the same text, is one type to the linker and to Go's
// runtime; everything else in a unit is its own. Session variables are reached
// through pointers.
type unit struct {
	n     int
	files []*goFile
	vars  []*variable // session variables, by id
	fresh map[*variable]bool
	own   []*variable
	paths map[string]bool // packages imported
	funcs []*decl
	types []*decl
	embed []byte // the compiler's configuration of embedded files
}

// mode is which engine the unit is for.
type mode int

const (
	compiled mode = iota
	interpreted
)

// ref is how a unit's text names a session variable.
func (v *variable) ref() string { return fmt.Sprintf("%s%s%s%d", mark, v.name, mark, v.id) }

// closure returns the declarations that the cell's code needs, its own first.
func (l *lowered) closure(own bool) []*decl {
	var list []*decl
	seen := map[*decl]bool{}
	var add func(d *decl)
	add = func(d *decl) {
		if seen[d] {
			return
		}
		seen[d] = true
		list = append(list, d)
		for _, m := range d.methods {
			add(m)
		}
		for _, x := range d.deps {
			add(x)
		}
		for _, v := range d.vars {
			for _, x := range l.typeDecls(v.typ) {
				add(x)
			}
		}
	}
	if own {
		for _, d := range l.decls {
			add(d)
		}
	}
	var deps []*decl
	for d := range l.deps {
		deps = append(deps, d)
	}
	sort.Slice(deps, func(i, j int) bool { return deps[i].name < deps[j].name })
	for _, d := range deps {
		add(d)
	}
	for _, v := range sortedVars(l.vars) {
		for _, x := range l.typeDecls(v.typ) {
			add(x)
		}
	}
	return list
}

// typeDecls returns the declarations of the types that t names.
func (l *lowered) typeDecls(t types.Type) []*decl {
	var ds []*decl
	own := map[types.Object]*decl{}
	for _, d := range l.decls {
		if d.obj != nil {
			own[d.obj] = d
		}
	}
	walkType(t, func(t types.Type) {
		o := declared(t)
		if o == nil {
			return
		}
		if d := own[o]; d != nil {
			ds = append(ds, d)
		} else if d := l.c.s.byObj[o]; d != nil {
			ds = append(ds, d)
		}
	})
	return ds
}

func sortedVars(m map[*variable]bool) []*variable {
	vs := make([]*variable, 0, len(m))
	for v := range m {
		vs = append(vs, v)
	}
	sort.Slice(vs, func(i, j int) bool { return vs[i].id < vs[j].id })
	return vs
}

// compose writes the unit's files.
func (l *lowered) compose(m mode, n int, raw bool) (*unit, error) {
	u := &unit{n: n, paths: map[string]bool{}, fresh: map[*variable]bool{}, own: l.own}
	all := l.closure(true)
	vars := map[*variable]bool{}
	for v := range l.vars {
		vars[v] = true
	}
	names := map[string]*decl{}
	for _, d := range all {
		for _, v := range d.vars {
			vars[v] = true
		}
		key := d.name
		if m == compiled {
			key = d.symbol(d.name)
		}
		if d.kind == methodDecl || d.kind == constDecl || d.name == "_" {
			continue
		}
		if other := names[key]; other != nil && other != d {
			return nil, fmt.Errorf("%s means two things here: that of %s and that of %s; run the cells that still use the older one again", d.name, other.cell.Name, d.cell.Name)
		}
		names[key] = d
	}
	for _, v := range l.own {
		delete(vars, v)
	}
	u.vars = sortedVars(vars)
	for _, v := range l.defined {
		if !v.ptr.IsValid() {
			u.fresh[v] = true
		}
	}

	with := func(e edit) (string, bool) {
		switch e.what {
		case varEdit:
			if m == compiled {
				return "(*" + e.v.ref() + ")", true
			}
			return e.v.ref(), true
		case declEdit:
			if m == compiled {
				return e.d.symbol(e.with), true
			}
			return e.with, true
		case runEdit, renameEdit:
			// The interpreter has its own interrupt and shares no names.
			return e.with, m == compiled
		case defineEdit, showEdit:
			return e.with, true
		}
		return e.with, true
	}

	// One file for each cell that declarations come from.
	byCell := map[*text][]*decl{}
	var cells []*text
	for _, d := range all {
		if byCell[d.cell] == nil {
			cells = append(cells, d.cell)
		}
		byCell[d.cell] = append(byCell[d.cell], d)
	}
	for i, cell := range cells {
		ds := byCell[cell]
		sort.SliceStable(ds, func(a, b int) bool { return ds[a].start < ds[b].start })
		g := &goFile{name: fmt.Sprintf("d%d", i)}
		imports, dots := map[string]string{}, []string{}
		for _, d := range ds {
			for n, p := range d.imports {
				imports[n] = p
			}
			dots = append(dots, d.dots...)
		}
		var blanks []string
		if cell == l.c.cell {
			blanks = l.c.blanks
		}
		u.header(m, g, imports, dots, blanks)
		done := map[int]bool{}
		for _, d := range ds {
			if done[d.start] {
				continue
			}
			done[d.start] = true
			g.lineOf(d.cell, d.start)
			g.lit(d.prefix)
			g.emit(d.cell, d.start, d.end, d.edits, with)
			g.lit("\n")
		}
		u.files = append(u.files, g)
	}
	if len(l.ownItems) > 0 {
		g := &goFile{name: "variables"}
		var blanks []string
		if len(l.embeds) > 0 {
			blanks = []string{"embed"}
			var err error
			if u.embed, err = embedFiles(l.embeds); err != nil {
				return nil, err
			}
		}
		u.header(m, g, l.ownImports, l.ownDots, blanks)
		for _, it := range l.ownItems {
			g.lineOf(l.c.cell, it.start)
			g.emit(l.c.cell, it.start, it.end, it.edits, with)
			g.lit("\n")
		}
		u.files = append(u.files, g)
	}

	e := &goFile{name: "entry"}
	var blanks []string
	if byCell[l.c.cell] == nil {
		blanks = l.c.blanks
	}
	u.header(m, e, l.imports, l.dots, blanks)
	l.writeEntry(e, m, with)
	u.files = append(u.files, e)
	u.support(l, m, all, raw)
	return u, nil
}

func (u *unit) header(m mode, g *goFile, imports map[string]string, dots, blanks []string) {
	g.lit("package main\n")
	fmt.Fprintf(&g.buf, "import %s %q\n", rtName, rtPath)
	var uses []string
	for _, name := range sortedKeys(imports) {
		fmt.Fprintf(&g.buf, "import %s %q\n", name, imports[name])
		u.paths[imports[name]] = true
		if use := keepUse[imports[name]]; use != "" {
			uses = append(uses, name+"."+use)
		}
	}
	seen := map[string]bool{}
	for _, p := range dots {
		if !seen[p] {
			seen[p] = true
			fmt.Fprintf(&g.buf, "import . %q\n", p)
			u.paths[p] = true
		}
	}
	for _, p := range blanks {
		fmt.Fprintf(&g.buf, "import _ %q\n", p)
		u.paths[p] = true
	}
	if m == interpreted {
		return // what is not used there is of no harm
	}
	fmt.Fprintf(&g.buf, "var _ = %s.Used\n", rtName)
	for _, s := range uses {
		fmt.Fprintf(&g.buf, "var _ = %s\n", s)
	}
}

// keepUse names a function of the packages whose calls are replaced, since the
// replaced call may have been the only use of the import.
var keepUse = map[string]string{"fmt": "Println", "os": "Exit", "time": "Sleep", "log": "Fatal"}

// writeEntry writes the cell's statements as a function.
func (l *lowered) writeEntry(g *goFile, m mode, with func(edit) (string, bool)) {
	cell := l.c.cell
	g.lit("\nfunc " + entryName + "() {\n")
	if m == compiled {
		// Pointers in locals stay in registers.
		for _, v := range sortedVars(l.vars) {
			fmt.Fprintf(&g.buf, "\t%s := %s\n\t_ = %s\n", v.ref(), v.ref(), v.ref())
		}
	}
	if m == compiled {
		// The interpreter runs init functions by itself.
		for _, f := range l.inits {
			g.lit("\t" + f + "()\n")
		}
	}
	if l.main && (l.c.program || len(l.stmts) == 0) {
		g.lit("\tmain()\n")
	}
	for _, s := range l.stmts {
		g.lineOf(cell, s.start)
		if len(s.spec) > 0 {
			l.writeVar(g, s, with)
		} else {
			g.emit(cell, s.start, s.end, s.edits, with)
		}
		if s.defines > 0 {
			fmt.Fprintf(&g.buf, "; %s.Reach(%d)", rtName, s.defines)
		}
		g.lit("\n")
	}
	g.lit("}\n")
}

// writeVar writes a var statement as assignments to session variables.
func (l *lowered) writeVar(g *goFile, s statement, with func(edit) (string, bool)) {
	cell := l.c.cell
	first := true
	sep := func() {
		if !first {
			g.lit("; ")
		}
		first = false
	}
	ref := func(id *ast.Ident) string {
		if id.Name == "_" {
			return "_"
		}
		for _, e := range s.edits {
			if e.what == varEdit && e.at == l.c.where(id.Pos()).Offset {
				t, _ := with(e)
				return t
			}
		}
		return "_"
	}
	for _, sp := range s.spec {
		var names []string
		for _, id := range sp.names {
			names = append(names, ref(id))
		}
		if sp.valStart >= 0 {
			sep()
			if allBlank(names) && sp.typeStart >= 0 {
				g.lit("var " + strings.Join(names, ", ") + " ")
				g.emit(cell, sp.typeStart, sp.typeEnd, s.edits, with)
				g.lit(" = ")
			} else {
				g.lit(strings.Join(names, ", ") + " = ")
			}
			g.emit(cell, sp.valStart, sp.valEnd, s.edits, with)
			continue
		}
		for _, n := range names {
			sep()
			g.lit(n + " = *new(")
			g.emit(cell, sp.typeStart, sp.typeEnd, s.edits, with)
			g.lit(")")
		}
	}
}

func allBlank(names []string) bool {
	for _, n := range names {
		if n != "_" {
			return false
		}
	}
	return true
}

// support writes the file that ties the unit to the engine.
func (u *unit) support(l *lowered, m mode, all []*decl, raw bool) {
	g := &goFile{name: "support"}
	q := newQualifier(l.c.pkg)
	name := func(t types.Type) string {
		if m == interpreted {
			return types.TypeString(t, q.name)
		}
		return l.typeString(t, q)
	}
	var body strings.Builder
	for _, v := range u.vars {
		if m == compiled {
			fmt.Fprintf(&body, "var %s *%s\n", v.ref(), name(v.typ))
		} else {
			fmt.Fprintf(&body, "var %s %s\n", v.ref(), name(v.typ))
		}
	}
	for _, d := range all {
		switch {
		case raw || d.name == "_":
		case d.kind == funcDecl && d.obj != nil && !isGeneric(d.obj.Type()):
			u.funcs = append(u.funcs, d)
		case d.kind == typeDecl && !isGeneric(d.obj.Type()) && !isConstraint(d.obj.Type()):
			u.types = append(u.types, d)
		}
	}
	if m == compiled {
		fmt.Fprintf(&body, "func init() {\n")
		for _, v := range u.vars {
			if u.fresh[v] {
				fmt.Fprintf(&body, "\t%s = new(%s)\n", v.ref(), name(v.typ))
			}
		}
		fmt.Fprintf(&body, "\t%s.Register(&%s.Unit{N: %d, Entry: %s,\n", rtName, rtName, u.n, entryName)
		fmt.Fprintf(&body, "\t\tFuncs: []%s.Func{\n", rtName)
		for _, d := range u.funcs {
			fmt.Fprintf(&body, "\t\t\t{%q, %s},\n", d.symbol(d.name), d.symbol(d.name))
		}
		fmt.Fprintf(&body, "\t\t},\n\t\tTypes: []%s.Type{\n", rtName)
		for _, d := range u.types {
			fmt.Fprintf(&body, "\t\t\t{%q, %s.TypeFor[%s]()},\n", d.symbol(d.name), rtName, d.symbol(d.name))
		}
		fmt.Fprintf(&body, "\t\t},\n\t\tPtrs: []%s.Ptr{\n", rtName)
		for _, v := range u.vars {
			fmt.Fprintf(&body, "\t\t\t{%d, &%s},\n", v.id, v.ref())
		}
		for _, v := range l.own {
			name := v.name
			if ast.IsExported(name) {
				name = mark + name
			}
			if !raw {
				fmt.Fprintf(&body, "\t\t\t{%d, %s.Own(&%s)},\n", v.id, rtName, name)
			}
		}
		fmt.Fprintf(&body, "\t\t},\n\t})\n}\n")
		if !raw {
			u.keepMethods(l, &body, all)
		}
	}
	g.lit("package main\n")
	fmt.Fprintf(&g.buf, "import %s %q\n", rtName, rtPath)
	for _, path := range sortedKeys(q.paths) {
		fmt.Fprintf(&g.buf, "import %s %q\n", q.paths[path], path)
		u.paths[path] = true
	}
	if m == compiled {
		fmt.Fprintf(&g.buf, "var _ = %s.Used\n", rtName)
	}
	g.lit(body.String())
	u.files = append(u.files, g)
}

// keepMethods keeps the linker from dropping unexported methods, which a later
// cell may call through an interface of its own.
func (u *unit) keepMethods(l *lowered, body *strings.Builder, all []*decl) {
	for _, d := range all {
		if d.kind != methodDecl || ast.IsExported(strings.TrimPrefix(d.name, d.recv+".")) {
			continue
		}
		for _, t := range all {
			if t.kind == typeDecl && t.name == d.recv && !isGeneric(t.obj.Type()) {
				method := strings.TrimPrefix(d.name, d.recv+".")
				m, _, _ := types.LookupFieldOrMethod(types.NewPointer(t.obj.Type()), true, l.c.pkg, method)
				f, ok := m.(*types.Func)
				if !ok || method == "_" {
					continue
				}
				q := newQualifier(l.c.pkg)
				sig := l.typeString(f.Signature(), q)
				if len(q.paths) > 0 {
					continue // exported elsewhere or not: a rare loss, met by recompiling the type's unit
				}
				fmt.Fprintf(body, "func keep%s%s%s(x interface { %s%s }) {\n\tif %s.Never { %s.Keep(x.%s) }\n}\n", mark, d.recv, method, method, strings.TrimPrefix(sig, "func"), rtName, rtName, method)
				fmt.Fprintf(body, "var _ = func() int { keep%s%s%s(new(%s)); return 0 }()\n", mark, d.recv, method, t.symbol(t.name))
			}
		}
	}
}

// typeString writes a type as this unit's text names it.
func (l *lowered) typeString(t types.Type, q *qualifier) string {
	s := types.TypeString(t, q.name)
	walkType(t, func(t types.Type) {
		n, ok := t.(*types.Named)
		if !ok {
			return
		}
		d := l.c.s.byObj[n.Origin().Obj()]
		for _, own := range l.decls {
			if own.obj == types.Object(n.Origin().Obj()) {
				d = own
			}
		}
		if d != nil {
			if sym := d.symbol(d.name); sym != d.name {
				s = replaceWord(s, d.name, sym)
			}
		}
	})
	return s
}

// replaceWord replaces an identifier in a type's text.
func replaceWord(s, word, with string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && isWordByte(s[j]) {
			j++
		}
		if j > i {
			if s[i:j] == word && (i == 0 || s[i-1] != '.') {
				out.WriteString(with)
			} else {
				out.WriteString(s[i:j])
			}
			i = j
			continue
		}
		out.WriteByte(s[i])
		i++
	}
	return out.String()
}

func isWordByte(b byte) bool {
	return b == '_' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

func isGeneric(t types.Type) bool {
	switch t := t.(type) {
	case *types.Named:
		return t.TypeParams().Len() > 0
	case *types.Alias:
		return t.TypeParams().Len() > 0
	case *types.Signature:
		return t.TypeParams().Len() > 0
	}
	return false
}

// isConstraint reports whether the type can only constrain type parameters.
func isConstraint(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && !i.IsMethodSet()
}
