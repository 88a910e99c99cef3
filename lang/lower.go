package lang

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// lowered is a checked cell ready to become a unit: its declarations, what its
// statements define and use, and the edits that make it plain Go.
type lowered struct {
	c     *checker
	decls []*decl     // declared by the cell, and those checked again
	stmts []statement // the cell's statements, in order
	inits []string    // functions to call before the statements: inits, main
	vars  map[*variable]bool
	deps  map[*decl]bool
	own   []*variable // package-level variables of a pasted program

	ownItems   []statement // their declarations
	ownImports map[string]string
	ownDots    []string
	embeds     []string // patterns of embedded files

	defined []*variable // session variables that the statements define
	imports map[string]string
	dots    []string
	main    bool
	shows   bool
}

// statement is one top-level statement of the cell.
type statement struct {
	start, end int
	node       ast.Stmt
	edits      []edit
	spec       []varSpec // of a var declaration
	defines    int       // session variables defined when it has run, 0 for none new
}

type varSpec struct {
	names              []*ast.Ident
	typeStart, typeEnd int // -1 where the type is left out
	valStart, valEnd   int // -1 where there are no values
}

// lower turns the checked cell into what runs. raw keeps a pasted program as it
// is: no interrupt checks, no guards, Go's own exit and prints.
func (c *checker) lower(raw bool) *lowered {
	l := &lowered{c: c, vars: map[*variable]bool{}, deps: map[*decl]bool{}, imports: map[string]string{}, ownImports: map[string]string{}}
	now := map[string]*variable{} // the newest variable of each name
	for n, v := range c.s.vars {
		now[n] = v
	}
	w := &lowerer{l: l, raw: raw, objs: map[types.Object]*variable{}, decls: map[types.Object]*decl{}, own: map[types.Object]bool{}}
	for _, v := range c.s.vars {
		w.objs[v.obj] = v
	}

	for _, v := range c.retyped {
		if o, ok := c.pkg.Scope().Lookup(v.name).(*types.Var); ok {
			nv := &variable{name: v.name, id: v.id, typ: o.Type(), obj: o, cell: v.cell, ptr: v.ptr}
			w.objs[o] = nv
			now[v.name] = nv
		}
	}

	// Session variables that the statements define.
	defs := c.definitions()
	stmts := c.statements()
	perStmt := make([]int, len(stmts))
	for _, d := range defs {
		name := d.obj.Name()
		v := now[name]
		if v == nil || !types.Identical(v.typ, d.obj.Type()) || c.declares[name] {
			c.s.nextVar++
			v = &variable{name: name, id: c.s.nextVar, typ: d.obj.Type(), cell: c.cell}
			v.obj = types.NewVar(token.NoPos, c.pkg, name, v.typ)
			now[name] = v
		}
		w.objs[d.obj] = v
		l.defined = append(l.defined, v)
		l.vars[v] = true
		perStmt[d.stmt] = len(l.defined)
	}
	for _, h := range c.hoisted {
		if v := now[h.Name()]; v != nil {
			w.objs[h] = v
			if o := c.pkg.Scope().Lookup(h.Name()); o != nil {
				w.objs[o] = v
			}
		}
	}

	l.readDecls(w)
	for i, s := range stmts {
		st := statement{node: s, defines: perStmt[i]}
		st.start, st.end = w.span(s)
		w.begin(&st.edits, l.vars, l.deps, l.imports, &l.dots, nil)
		w.walk(s)
		if i == len(stmts)-1 {
			w.show(s)
		}
		w.define(s, &st)
		st.edits = append(st.edits, rulesIn(c.edits, st.start, st.end)...)
		l.stmts = append(l.stmts, st)
	}
	return l
}

func rulesIn(edits []edit, start, end int) []edit {
	var in []edit
	for _, e := range edits {
		if e.at >= start && e.at+e.n <= end && !(e.at == start && e.with == "{") {
			in = append(in, e)
		}
	}
	return in
}

// readDecls makes the decl of everything that the cell declares, and of what
// was checked again.
func (l *lowered) readDecls(w *lowerer) {
	c := l.c
	type todo struct {
		d    *decl
		node ast.Node
		file int
	}
	var todos []todo
	var vars []*ast.GenDecl
	inits := 0
	for fi, f := range c.files {
		var from *decl
		if fi > 0 && fi-1 < len(c.carried) {
			from = c.carried[fi-1]
		}
		if fi > 0 && from == nil {
			continue // hoisted variables
		}
		for _, ad := range f.Decls {
			switch ad := ad.(type) {
			case *ast.FuncDecl:
				if ad == c.entry {
					continue
				}
				d := &decl{kind: funcDecl, name: ad.Name.Name, cell: c.cell}
				switch {
				case ad.Recv != nil:
					d.kind = methodDecl
					d.recv = recvName(ad.Recv.List[0].Type)
					d.name = d.recv + "." + ad.Name.Name
				case ad.Name.Name == "init":
					inits++
					d.name = mark + "init" + strconv.Itoa(inits)
					l.inits = append(l.inits, d.name)
				case ad.Name.Name == "_":
					continue
				}
				todos = append(todos, todo{d, ad, fi})
			case *ast.GenDecl:
				switch ad.Tok {
				case token.CONST:
					d := &decl{kind: constDecl, names: declaredNames(ad), objs: map[string]types.Object{}, cell: c.cell}
					if len(d.names) > 0 {
						d.name = d.names[0]
					}
					todos = append(todos, todo{d, ad, fi})
				case token.TYPE:
					for _, s := range ad.Specs {
						d := &decl{kind: typeDecl, name: s.(*ast.TypeSpec).Name.Name, cell: c.cell}
						if ad.Lparen.IsValid() || from != nil && from.prefix != "" {
							d.prefix = "type "
							todos = append(todos, todo{d, s, fi})
						} else {
							todos = append(todos, todo{d, ad, fi})
						}
					}
				case token.VAR:
					it := statement{}
					it.start, it.end = w.span(ad)
					it.start = c.commented(it.start)
					l.embeds = append(l.embeds, embedPatterns(c.cell.Code[it.start:it.end])...)
					vars = append(vars, ad)
					l.ownItems = append(l.ownItems, it)
					for _, s := range ad.Specs {
						for _, id := range s.(*ast.ValueSpec).Names {
							if v, ok := c.info.Defs[id].(*types.Var); ok && id.Name != "_" {
								c.s.nextVar++
								sv := &variable{name: id.Name, id: c.s.nextVar, typ: v.Type(), obj: v, cell: c.cell}
								l.own = append(l.own, sv)
								w.own[v] = true
							}
						}
					}
				}
			}
		}
	}
	// First who declares what, then who uses what.
	for i := range todos {
		t := &todos[i]
		switch n := t.node.(type) {
		case *ast.FuncDecl:
			if t.d.kind == funcDecl {
				t.d.obj = c.info.Defs[n.Name]
				w.decls[t.d.obj] = t.d
			}
		case *ast.TypeSpec:
			t.d.obj = c.info.Defs[n.Name]
			w.decls[t.d.obj] = t.d
		case *ast.GenDecl:
			if t.d.kind == typeDecl {
				t.d.obj = c.info.Defs[n.Specs[0].(*ast.TypeSpec).Name]
				w.decls[t.d.obj] = t.d
				break
			}
			for _, s := range n.Specs {
				for _, id := range s.(*ast.ValueSpec).Names {
					if o := c.info.Defs[id]; o != nil && id.Name != "_" {
						t.d.objs[id.Name] = o
						w.decls[o] = t.d
					}
				}
			}
		}
		if t.d.kind == typeDecl {
			t.d.version = nextVersion(t.d.name)
		}
	}
	for _, t := range todos {
		d := t.d
		d.start, d.end = w.span(t.node)
		if t.file > 0 {
			from := c.carried[t.file-1]
			d.cell, d.start, d.end = from.cell, from.start, from.end
		} else if d.prefix == "" {
			d.start = c.commented(d.start)
		}
		vars, deps := map[*variable]bool{}, map[*decl]bool{}
		d.imports = map[string]string{}
		d.uses = map[string]bool{}
		w.begin(&d.edits, vars, deps, d.imports, &d.dots, d.uses)
		w.walk(t.node)
		w.rename(t.node, d)
		if t.file > 0 {
			d.edits = append(d.edits, c.carryEdit[c.carried[t.file-1]]...)
		} else {
			d.edits = append(d.edits, rulesIn(c.edits, d.start, d.end)...)
		}
		delete(deps, d)
		for v := range vars {
			d.vars = append(d.vars, v)
		}
		for o := range deps {
			d.deps = append(d.deps, o)
		}
		if f, ok := t.node.(*ast.FuncDecl); ok && d.kind == funcDecl && f.Name.Name == "main" {
			l.main = true
		}
		l.decls = append(l.decls, d)
	}
	for i, ad := range vars {
		it := &l.ownItems[i]
		w.begin(&it.edits, l.vars, l.deps, l.ownImports, &l.ownDots, nil)
		w.walk(ad)
		it.edits = append(it.edits, rulesIn(c.edits, it.start, it.end)...)
	}
	// Methods go with their type.
	for _, d := range l.decls {
		if d.kind != methodDecl {
			continue
		}
		for _, t := range l.decls {
			if t.kind == typeDecl && t.name == d.recv {
				t.methods = append(t.methods, d)
			}
		}
	}
}

// commented returns the start of the item whose declaration starts at the
// offset: that of the comments and directives above it.
func (c *checker) commented(offset int) int {
	for _, it := range c.items {
		if it.start <= offset && offset < it.end {
			if between := c.cell.Code[it.start:offset]; strings.HasPrefix(strings.TrimSpace(between), "//") && !strings.Contains(between, "(") || strings.HasPrefix(strings.TrimSpace(between), "//go:") {
				return it.start
			}
		}
	}
	return offset
}

// lowerer collects the edits of one piece at a time.
type lowerer struct {
	l       *lowered
	raw     bool
	own     map[types.Object]bool // package-level variables of a pasted program
	objs    map[types.Object]*variable
	decls   map[types.Object]*decl // of this cell
	edits   *[]edit
	vars    map[*variable]bool
	deps    map[*decl]bool
	imports map[string]string
	dots    *[]string
	uses    map[string]bool
}

func (w *lowerer) begin(edits *[]edit, vars map[*variable]bool, deps map[*decl]bool, imports map[string]string, dots *[]string, uses map[string]bool) {
	w.edits, w.vars, w.deps, w.imports, w.dots, w.uses = edits, vars, deps, imports, dots, uses
}

// off returns the cell offset of pos.
func (w *lowerer) off(pos token.Pos) int { return w.l.c.where(pos).Offset }

// span returns the cell span of a node. Rule edits at its edges belong to it.
func (w *lowerer) span(n ast.Node) (int, int) {
	c := w.l.c
	g, at := c.genOf(n.Pos())
	_, to := c.genOf(n.End())
	if g == nil {
		return 0, 0
	}
	start, _ := g.locate(at)
	end, _ := g.locate(to)
	// A node that begins with text of ours begins, in the cell, where the
	// next piece does.
	for _, p := range g.pieces {
		if p.at >= at {
			if inside := at >= p.at && at < p.at+p.n; !inside && c.ours(n.Pos()) {
				start = p.cell.at(p.offset)
			}
			break
		}
	}
	return start.Offset, end.Offset
}

func (w *lowerer) add(what editKind, at, n int, with string) {
	*w.edits = append(*w.edits, edit{at: at, n: n, with: with, what: what})
}

// walk adds the edits for everything below n.
func (w *lowerer) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if w.replaceCall(n) {
				return false
			}
		case *ast.Ident:
			w.ident(n)
		case *ast.ForStmt:
			w.check(n.Body)
		case *ast.RangeStmt:
			if !w.brief(n) {
				w.check(n.Body)
			}
		case *ast.FuncLit:
			w.checkCalls(n.Body)
		case *ast.FuncDecl:
			if n.Body != nil {
				w.checkCalls(n.Body)
			}
		case *ast.GoStmt:
			w.guard(n)
		case *ast.LabeledStmt:
			// goto may come back here for ever. What a break or a continue may
			// name has a check of its own.
			switch n.Stmt.(type) {
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.EmptyStmt:
			default:
				if !w.raw {
					w.add(runEdit, w.off(n.Colon)+1, 0, " "+rtName+".Check();")
				}
			}
		}
		return true
	})
}

// isSession reports whether the object is declared at the top of a cell.
func isSession(o types.Object) bool {
	return o != nil && o.Pkg() != nil && o.Pkg().Path() == unitPath && o.Parent() != nil && o.Parent().Parent() == types.Universe
}

// ident notes a use of a session variable, a declaration or an import.
func (w *lowerer) ident(id *ast.Ident) {
	c := w.l.c
	obj := c.info.Uses[id]
	if obj == nil {
		if obj = c.info.Defs[id]; obj == nil || w.objs[obj] == nil && !w.own[obj] {
			return
		}
	}
	if v := w.objs[obj]; v != nil {
		w.vars[v] = true
		if w.uses != nil {
			w.uses[v.name] = true
		}
		*w.edits = append(*w.edits, edit{at: w.off(id.Pos()), n: len(id.Name), what: varEdit, v: v})
		w.typeDeps(v.typ)
		return
	}
	if f, ok := obj.(*types.Var); ok && f.IsField() && f.Embedded() && c.info.Uses[id] != nil {
		// An embedded field is named by its type, whose name may be numbered.
		w.embedded(id, f)
		return
	}
	if p, ok := obj.(*types.PkgName); ok {
		if path := p.Imported().Path(); path != rtPath {
			w.imports[id.Name] = path
		}
		return
	}
	if obj.Pkg() != nil && obj.Pkg().Path() != unitPath && obj.Parent() == obj.Pkg().Scope() {
		w.dotImport(obj)
	}
	if !isSession(obj) {
		return
	}
	if w.uses != nil {
		w.uses[id.Name] = true
	}
	if w.own[obj] && ast.IsExported(id.Name) {
		// As for functions: see symbol.
		w.add(renameEdit, w.off(id.Pos()), len(id.Name), mark+id.Name)
	}
	d := w.declOf(obj)
	if d == nil {
		return
	}
	w.deps[d] = true
	*w.edits = append(*w.edits, edit{at: w.off(id.Pos()), n: len(id.Name), with: id.Name, what: declEdit, d: d})
}

// embedded names the use of an embedded field of a cell's type.
func (w *lowerer) embedded(id *ast.Ident, f *types.Var) {
	t := f.Type()
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	o := declared(t)
	if o == nil {
		return
	}
	if d := w.declOf(o); d != nil {
		*w.edits = append(*w.edits, edit{at: w.off(id.Pos()), n: len(id.Name), with: id.Name, what: declEdit, d: d})
	}
}

// dotImport notes the use of a dot-imported name.
func (w *lowerer) dotImport(obj types.Object) {
	path := obj.Pkg().Path()
	all := append(append([]string{}, w.l.c.s.dots...), w.l.c.dots...)
	for _, p := range all {
		if p == path {
			for _, have := range *w.dots {
				if have == path {
					return
				}
			}
			// A qualified use is no use of the dot import; the file then
			// imports it twice, which Go allows only where both are used.
			*w.dots = append(*w.dots, path)
			return
		}
	}
}

func (w *lowerer) declOf(obj types.Object) *decl {
	if d := w.decls[obj]; d != nil {
		return d
	}
	return w.l.c.s.byObj[obj]
}

// declared returns the object that declares a type which has a name, the generic
// one of an instance, and nil for other types.
func declared(t types.Type) types.Object {
	switch t := t.(type) {
	case *types.Named:
		return t.Origin().Obj()
	case *types.Alias:
		return t.Obj()
	}
	return nil
}

// typeDeps notes the declared types that a variable's type is made of.
func (w *lowerer) typeDeps(t types.Type) {
	walkType(t, func(t types.Type) {
		o := declared(t)
		if o == nil {
			return
		}
		if d := w.declOf(o); d != nil {
			w.deps[d] = true
		}
	})
}

// symbol returns the name that a declaration has in compiled text. A plugin's
// main package exports its capital functions by name, so those get another
// letter in front; a type declared again is numbered.
func (d *decl) symbol(name string) string {
	switch d.kind {
	case funcDecl:
		if ast.IsExported(name) {
			return mark + name
		}
	case typeDecl:
		if d.version > 1 {
			return name + mark + strconv.Itoa(d.version)
		}
	}
	return name
}

// rename gives the declared name itself its symbol.
func (w *lowerer) rename(n ast.Node, d *decl) {
	var id *ast.Ident
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Recv != nil {
			return
		}
		id = n.Name
	case *ast.TypeSpec:
		id = n.Name
	case *ast.GenDecl:
		if n.Tok != token.TYPE {
			return
		}
		id = n.Specs[0].(*ast.TypeSpec).Name
	}
	if id.Name == "init" {
		w.add(renameEdit, w.off(id.Pos()), len(id.Name), d.name)
		return
	}
	*w.edits = append(*w.edits, edit{at: w.off(id.Pos()), n: len(id.Name), with: id.Name, what: declEdit, d: d})
}

// show adds the edit that shows the value of the cell's last expression.
func (w *lowerer) show(s ast.Stmt) {
	c := w.l.c
	x := c.endExpr()
	e, ok := s.(*ast.ExprStmt)
	if !ok || x == nil || e.X != x {
		return
	}
	tv := c.info.Types[x]
	if c.final || tv.IsNil() {
		if _, isCall := ast.Unparen(x).(*ast.CallExpr); !isCall && tv.IsValue() {
			start, end := w.span(s)
			if _, big := tooBig(tv); big || tv.IsNil() {
				*w.edits = []edit{{at: start, n: end - start, with: "_ = 0", what: showEdit}}
			} else {
				*w.edits = append(*w.edits, edit{at: start, with: "_ = ", what: showEdit, rank: opening})
			}
		}
		return
	}
	if tv.IsVoid() || tv.IsType() || tv.IsBuiltin() {
		return
	}
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok {
		if c.isPrint(call) {
			return
		}
	}
	start, end := w.span(s)
	w.l.shows = true
	if text, ok := tooBig(tv); ok {
		*w.edits = []edit{{at: start, n: end - start, with: rtName + ".Show(" + text + ")", what: showEdit}}
		return
	}
	*w.edits = append(*w.edits, edit{at: start, with: rtName + ".Show(", what: showEdit, rank: opening})
	w.add(showEdit, end, 0, ")")
}

// tooBig returns the exact text of an untyped constant that fits no Go type.
func tooBig(tv types.TypeAndValue) (string, bool) {
	b, ok := tv.Type.(*types.Basic)
	if !ok || tv.Value == nil {
		return "", false
	}
	switch {
	case b.Kind() == types.UntypedInt || b.Kind() == types.Int && tv.Value.Kind() == constant.Int:
		if _, exact := constant.Int64Val(constant.ToInt(tv.Value)); !exact {
			return rtName + ".Exact(" + strconv.Quote(tv.Value.ExactString()) + ")", true
		}
	case b.Kind() == types.UntypedFloat:
		if f, _ := constant.Float64Val(tv.Value); f > 1.7e308 || f < -1.7e308 {
			return rtName + ".Exact(" + strconv.Quote(tv.Value.String()) + ")", true
		}
	}
	return "", false
}

// define adds the edits of a statement that defines session variables.
func (w *lowerer) define(s ast.Stmt, st *statement) {
	s = unlabelled(s)
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			w.add(defineEdit, w.off(s.TokPos), 2, "=")
		}
	case *ast.DeclStmt:
		g, ok := s.Decl.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			return
		}
		for _, sp := range g.Specs {
			vs := sp.(*ast.ValueSpec)
			spec := varSpec{names: vs.Names, typeStart: -1, valStart: -1}
			if vs.Type != nil {
				spec.typeStart, spec.typeEnd = w.span(vs.Type)
			}
			if len(vs.Values) > 0 {
				spec.valStart, _ = w.span(vs.Values[0])
				_, spec.valEnd = w.span(vs.Values[len(vs.Values)-1])
			}
			st.spec = append(st.spec, spec)
		}
	}
}
