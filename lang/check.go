package lang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
	"slices"
	"strings"

	"github.com/fathom-kernel/fathom/lang/native"
)

// entryName is the function that a cell's statements become. The letter in it
// is one that users do not type, so it marks every name of ours.
const (
	mark      = "ǃ"
	entryName = mark + "cell"
	rtName    = "rt" + mark
	unitPath  = native.UnitPath // the package path of everything that cells declare
)

// checker type-checks one cell against the session.
type checker struct {
	s    *session
	fset *token.FileSet
	imp  types.Importer
	opt  *Options

	cell    *text
	items   []item
	program bool // a pasted program: package-level variables are Go's own
	final   bool // the cell ends with a semicolon
	strict  bool // the text must be plain Go: no script rules

	imports   map[string]string // what the cell imports: name -> path
	dots      []string
	blanks    []string
	declares  map[string]bool // names that the cell declares by func, type, const
	carried   []*decl         // live declarations to check again
	hoisted   []*types.Var    // cell-level variables that functions of the cell use
	retyped   []*variable     // session variables whose type is checked again, unchanged in memory
	edits     []edit          // rule edits, in the cell
	carryEdit map[*decl][]edit
	auto      map[string]string // imports added by themselves
	dropped   map[string]string // carried declarations that no longer type-check, and why

	// results of the newest pass
	pkg    *types.Package
	info   *types.Info
	files  []*ast.File
	gens   []*goFile
	errs   []types.Error
	syntax []diagnostic
	entry  *ast.FuncDecl
}

// checkedDecl is a declaration as parsed: which syntax belongs to it.
type checkedDecl struct {
	node ast.Node // *ast.FuncDecl, *ast.TypeSpec or *ast.GenDecl (const)
	decl *ast.GenDecl
	gen  *goFile
	file *ast.File
}

// run checks the cell, applying script rules until nothing changes. It returns
// the diagnostics, none where the cell may run.
func (c *checker) run() []diagnostic {
	if ds := c.collect(); len(ds) > 0 {
		return ds
	}
	for round := 0; ; round++ {
		c.pass()
		if len(c.syntax) > 0 {
			return c.syntax
		}
		if c.strict || round == 32 || !(c.autoImport() || c.reopen() || c.applyRules() || c.hoist() || c.drop()) {
			break
		}
	}
	return c.diagnostics()
}

// collect reads the imports and the names that the cell declares.
func (c *checker) collect() []diagnostic {
	c.imports = map[string]string{}
	c.declares = map[string]bool{}
	c.auto = map[string]string{}
	c.dropped = map[string]string{}
	c.carryEdit = map[*decl][]edit{}
	var ds []diagnostic
	for _, it := range c.items {
		src := c.cell.Code[it.start:it.end]
		switch it.kind {
		case importItem:
			f, err := parser.ParseFile(token.NewFileSet(), "", "package p;"+src, parser.ImportsOnly)
			if err != nil {
				ds = append(ds, c.syntaxErrors(err, it.start-len("package p;"))...)
				continue
			}
			for _, spec := range f.Imports {
				at := it.start + int(spec.Path.Pos()) - 1 - len("package p;")
				ds = append(ds, c.addImport(spec, at)...)
			}
		case funcItem, typeItem, constItem:
			f, err := parser.ParseFile(token.NewFileSet(), "", "package p;"+src, parser.SkipObjectResolution)
			if f == nil || err != nil {
				ds = append(ds, c.syntaxErrors(err, it.start-len("package p;"))...)
				continue
			}
			for _, d := range f.Decls {
				for _, n := range declaredNames(d) {
					c.declares[n] = true
				}
			}
		}
	}
	if len(ds) > 0 {
		// All syntax errors of the cell at once: those in statements too.
		c.pass()
		for _, d := range c.syntax {
			ds = append(ds, d)
		}
		return uniqueDiagnostics(ds)
	}
	c.carry(c.declares)
	return nil
}

// carry adds the live declarations that depend on the changed names to those
// that are checked again.
func (c *checker) carry(changed map[string]bool) bool {
	names := map[string]bool{}
	for n := range changed {
		if t, _, isMethod := strings.Cut(n, "."); isMethod {
			names[t] = true
			if d := c.s.decls[t]; d != nil && !c.declares[t] {
				names[t] = true
			}
		}
		names[n] = true
	}
	deps := c.s.dependents(names)
	// A type with a new method is itself checked again, with its other methods.
	for n := range changed {
		if t, _, isMethod := strings.Cut(n, "."); isMethod && !c.declares[t] {
			if d := c.s.decls[t]; d != nil {
				deps[d] = true
				for _, m := range c.s.methods(t) {
					deps[m] = true
				}
			}
		}
	}
	have := map[*decl]bool{}
	for _, d := range c.carried {
		have[d] = true
	}
	grew := false
	for _, d := range c.s.all() {
		if !deps[d] || have[d] || c.replaced(d) {
			continue
		}
		c.carried = append(c.carried, d)
		grew = true
	}
	return grew
}

// replaced reports whether the cell declares all of d's names anew.
func (c *checker) replaced(d *decl) bool {
	if d.kind == constDecl {
		for _, n := range d.names {
			if n != "_" && !c.declares[n] {
				return false
			}
		}
		return true
	}
	if d.kind == methodDecl && c.declares[d.recv] {
		return true // the type's cell brings its methods
	}
	return c.declares[d.name]
}

// addImport records one import of the cell.
func (c *checker) addImport(spec *ast.ImportSpec, at int) []diagnostic {
	path := strings.Trim(spec.Path.Value, "`\"")
	n := len(spec.Path.Value)
	if path == "C" {
		return []diagnostic{c.diag(at, n, `cgo (import "C") does not work in a cell`, "put the C code into a module of its own and import that")}
	}
	path = c.opt.Canonical(path)
	if isLocal(path) {
		local, err := c.imp.(withModules).e.localPackage(path)
		if err != nil {
			return []diagnostic{c.diag(at, n, fmt.Sprintf("no package %s: %v", spec.Path.Value, err), "")}
		}
		path = local
	}
	pkg, err := c.imp.Import(path)
	if err != nil {
		return []diagnostic{c.diag(at, n, fmt.Sprintf("no package %s", spec.Path.Value), importHint(path))}
	}
	name := pkg.Name()
	if spec.Name != nil {
		name = spec.Name.Name
	}
	switch name {
	case ".":
		c.dots = append(c.dots, path)
	case "_":
		c.blanks = append(c.blanks, path)
	default:
		c.imports[name] = path
	}
	return nil
}

func importHint(path string) string {
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		return "a module that is not built in comes with %get " + path + "@latest"
	}
	return ""
}

// declaredNames returns the names of a declaration: f, T, T.m, constants.
func declaredNames(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil && len(d.Recv.List) > 0 {
			return []string{recvName(d.Recv.List[0].Type) + "." + d.Name.Name}
		}
		if d.Name.Name == "init" || d.Name.Name == "_" {
			return nil
		}
		return []string{d.Name.Name}
	case *ast.GenDecl:
		var names []string
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
		return names
	}
	return nil
}

// recvName returns the name of a receiver's type.
func recvName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return recvName(e.X)
	case *ast.ParenExpr:
		return recvName(e.X)
	case *ast.IndexExpr:
		return recvName(e.X)
	case *ast.IndexListExpr:
		return recvName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "_"
}

// pass composes the files, parses and checks them once.
func (c *checker) pass() {
	c.gens, c.files, c.errs, c.syntax, c.entry = nil, nil, nil, nil, nil
	c.pkg = types.NewPackage(unitPath, "main")
	c.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
	c.populate()

	main := &goFile{name: c.cell.Name}
	main.lit("package main\n")
	c.writeImports(main, c.fileImports(c.cell.Code), append(append([]string{}, c.s.dots...), c.dots...), c.blanks)
	for _, it := range c.items {
		if it.kind == funcItem || it.kind == typeItem || it.kind == constItem || c.owned(it) {
			main.lit("\n")
			main.emit(c.cell, it.start, it.end, c.edits, onlyRules)
		}
	}
	main.lit("\nfunc " + entryName + "() {\n")
	open := 0
	for _, it := range c.items {
		if it.kind != stmtItem || c.owned(it) {
			continue
		}
		for _, e := range c.edits {
			if e.at == it.start && e.n == 0 && e.with == "{" {
				open++
			}
		}
		main.emit(c.cell, it.start, it.end, c.edits, onlyRules)
		main.lit("\n")
	}
	main.lit(strings.Repeat("}", open) + "}\n")
	c.gens = append(c.gens, main)

	for _, d := range c.carried {
		g := &goFile{name: d.cell.Name + "#" + d.name}
		g.lit("package main\n")
		c.writeImports(g, d.imports, d.dots, nil)
		g.lit("\n" + d.prefix)
		g.emit(d.cell, d.start, d.end, c.carryEdit[d], onlyRules)
		g.lit("\n")
		c.gens = append(c.gens, g)
	}
	if h := c.hoistedFile(); h != nil {
		c.gens = append(c.gens, h)
	}

	for _, g := range c.gens {
		f, err := parser.ParseFile(c.fset, g.name, g.String(), parser.SkipObjectResolution|parser.AllErrors)
		if err != nil {
			c.syntax = append(c.syntax, c.genSyntax(g, err)...)
		}
		if f != nil {
			c.files = append(c.files, f)
		}
	}
	if len(c.syntax) > 0 {
		c.syntax = uniqueDiagnostics(c.syntax)
		return
	}
	for _, d := range c.files[0].Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Name.Name == entryName {
			c.entry = fd
		}
	}
	conf := types.Config{
		Importer: importerWithRT{c.imp},
		Sizes:    types.SizesFor("gc", runtime.GOARCH),
		Error:    func(err error) { c.errs = append(c.errs, err.(types.Error)) },
	}
	types.NewChecker(&conf, c.fset, c.pkg, c.info).Files(c.files)
	c.errs = slices.DeleteFunc(c.errs, c.ownField)
}

// ownField reports whether the error is that a literal sets an unexported field
// of a type of an earlier cell, which is of this package for all but the type
// checker. What the checker then leaves out is checked here.
func (c *checker) ownField(e types.Error) bool {
	if !strings.HasPrefix(e.Msg, "implicit assignment to unexported field") {
		return false
	}
	own := false
	for _, f := range c.files {
		if e.Pos < f.FileStart || e.Pos > f.FileEnd {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || e.Pos < lit.Pos() || e.Pos > lit.End() {
				return true
			}
			t := c.info.Types[lit].Type
			if p, ok := types.Unalias(t).(*types.Pointer); ok {
				t = p.Elem()
			}
			if t == nil {
				return true
			}
			st, ok := t.Underlying().(*types.Struct)
			if !ok {
				return true
			}
			for i, x := range lit.Elts {
				if x.Pos() != e.Pos || i >= st.NumFields() || st.Field(i).Pkg().Path() != unitPath {
					continue
				}
				own = true
				if xt := c.info.Types[x].Type; xt != nil && !types.AssignableTo(xt, st.Field(i).Type()) {
					own = false
				}
			}
			return true
		})
	}
	return own
}

// populate puts the session's objects into the scope of the package, but for
// those which are declared again.
func (c *checker) populate() {
	gone := map[string]bool{}
	for n := range c.declares {
		gone[n] = true
	}
	for _, d := range c.carried {
		for _, n := range d.names {
			gone[n] = true
		}
		gone[d.name] = true
	}
	c.retyped = c.retype(gone)
	for _, v := range c.retyped {
		gone[v.name] = true
	}
	for _, v := range c.hoisted {
		gone[v.Name()] = true
	}
	for n := range c.imports {
		gone[n] = true
	}
	for n := range c.dropped {
		gone[n] = true
	}
	for _, n := range c.ownVars() {
		gone[n] = true
	}
	for _, name := range sortedKeys(c.s.vars) {
		if !gone[name] {
			c.pkg.Scope().Insert(c.s.vars[name].obj)
		}
	}
	for _, name := range sortedKeys(c.s.decls) {
		d := c.s.decls[name]
		obj := d.obj
		if d.kind == constDecl {
			obj = d.objs[name]
		}
		if obj != nil && !gone[name] {
			c.pkg.Scope().Insert(obj)
		}
	}
	for _, v := range c.hoisted {
		if !mentions(v.Type(), unitPath) {
			c.pkg.Scope().Insert(types.NewVar(token.NoPos, c.pkg, v.Name(), v.Type()))
		}
	}
}

// owned reports whether the item declares variables that belong to the cell's
// package as Go has it: those of a pasted program, and embedded files.
func (c *checker) owned(it item) bool { return it.isVar && (c.program || it.embeds) }

// ownVars returns the names of such variables.
func (c *checker) ownVars() []string {
	var names []string
	for _, it := range c.items {
		if !c.owned(it) {
			continue
		}
		f, _ := parser.ParseFile(token.NewFileSet(), "", "package p;"+c.cell.Code[it.start:it.end], parser.SkipObjectResolution)
		if f == nil {
			continue
		}
		for _, d := range f.Decls {
			names = append(names, declaredNames(d)...)
		}
	}
	return names
}

// writeImports writes the imports of a file and of our runtime.
func (c *checker) writeImports(g *goFile, imports map[string]string, dots, blanks []string) {
	fmt.Fprintf(&g.buf, "import %s %q\n", rtName, rtPath)
	for _, name := range sortedKeys(imports) {
		fmt.Fprintf(&g.buf, "import %s %q\n", name, imports[name])
	}
	seen := map[string]bool{}
	for _, p := range dots {
		if !seen[p] {
			seen[p] = true
			fmt.Fprintf(&g.buf, "import . %q\n", p)
		}
	}
	for _, p := range blanks {
		fmt.Fprintf(&g.buf, "import _ %q\n", p)
	}
}

// fileImports returns the imports that the source text may use: those whose
// name stands before a dot.
func (c *checker) fileImports(src string) map[string]string {
	used := map[string]string{}
	names := qualifiers(src)
	for _, e := range c.edits {
		for name := range qualifiers(e.with + "_") {
			names[name] = true // of a predeclared name
		}
	}
	for name := range names {
		if p, ok := c.imports[name]; ok {
			used[name] = p
		} else if p, ok := c.auto[name]; ok {
			used[name] = p
		} else if p, ok := c.s.imports[name]; ok && !c.s.has(name) && !c.declares[name] {
			used[name] = p
		}
	}
	for _, v := range c.hoisted {
		delete(used, v.Name())
	}
	return used
}

// retype returns the session variables whose types are declared again without
// a change of their memory, as when a type gets a method: they are checked with
// the new types.
func (c *checker) retype(gone map[string]bool) []*variable {
	var vs []*variable
	for _, name := range sortedKeys(c.s.vars) {
		v := c.s.vars[name]
		stale, same := false, true
		walkType(v.typ, func(t types.Type) {
			n, ok := t.(*types.Named)
			if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != unitPath || !gone[n.Obj().Name()] {
				return
			}
			stale = true
			same = same && c.sameText(n.Obj().Name(), gone, map[string]bool{}) && c.s.decls[n.Obj().Name()] == c.s.byObj[n.Origin().Obj()]
		})
		if stale && same && !gone[name] {
			vs = append(vs, v)
		}
	}
	return vs
}

// sameText reports whether the type that is declared again has the text that
// it had, and those that it is made of too.
func (c *checker) sameText(name string, gone, seen map[string]bool) bool {
	old := c.s.decls[name]
	if old == nil {
		return false
	}
	if seen[name] {
		return true
	}
	seen[name] = true
	for _, it := range c.items {
		if it.kind != typeItem {
			continue
		}
		src := c.cell.Code[it.start:it.end]
		for _, n := range itemNames(src) {
			if n == name && src != old.cell.Code[old.start:old.end] {
				return false
			}
		}
	}
	for u := range old.uses {
		d := c.s.decls[u]
		switch {
		case d == nil || u == name || !gone[u]:
		case d.kind == typeDecl && !c.declares[u]:
			// checked again for what it uses, with the text it had
			if !c.sameText(u, gone, seen) {
				return false
			}
		case d.kind != typeDecl || !c.sameText(u, gone, seen):
			return false // an array's length, say
		}
	}
	return true
}

// hoistedFile declares the cell's variables for its functions.
func (c *checker) hoistedFile() *goFile {
	if len(c.hoisted) == 0 && len(c.retyped) == 0 {
		return nil
	}
	g := &goFile{name: "variables"}
	g.lit("package main\n")
	q := newQualifier(c.pkg)
	var body strings.Builder
	for _, v := range c.hoisted {
		if !mentions(v.Type(), unitPath) {
			continue // inserted as it is: its type may have no name that we could write
		}
		fmt.Fprintf(&body, "var %s %s\n", v.Name(), types.TypeString(v.Type(), q.name))
	}
	for _, v := range c.retyped {
		fmt.Fprintf(&body, "var %s %s\n", v.name, types.TypeString(v.typ, q.name))
	}
	for _, path := range sortedKeys(q.paths) {
		fmt.Fprintf(&g.buf, "import %s %q\n", q.paths[path], path)
	}
	g.lit(body.String())
	return g
}

// qualifier names packages by aliases of ours in types that we write.
type qualifier struct {
	self  *types.Package
	paths map[string]string
}

func newQualifier(self *types.Package) *qualifier { return &qualifier{self, map[string]string{}} }

func (q *qualifier) name(p *types.Package) string {
	if p.Path() == q.self.Path() {
		return ""
	}
	if a, ok := q.paths[p.Path()]; ok {
		return a
	}
	a := fmt.Sprintf("p%s%d", mark, len(q.paths))
	q.paths[p.Path()] = a
	return a
}

// statements returns the cell's top-level statements, those in the blocks that
// we opened for names declared again included.
func (c *checker) statements() []ast.Stmt {
	var flat []ast.Stmt
	var walk func(list []ast.Stmt)
	walk = func(list []ast.Stmt) {
		for _, s := range list {
			if b, ok := s.(*ast.BlockStmt); ok && c.ours(b.Lbrace) {
				walk(b.List)
				continue
			}
			flat = append(flat, s)
		}
	}
	if c.entry != nil {
		walk(c.entry.Body.List)
	}
	return flat
}

// ours reports whether the byte at pos of the checked text is not the user's.
func (c *checker) ours(pos token.Pos) bool {
	g, off := c.genOf(pos)
	if g == nil {
		return true
	}
	for _, p := range g.pieces {
		if off >= p.at && off < p.at+p.n {
			return false
		}
	}
	return true
}

// genOf returns the composed file that holds pos, and the offset in it.
func (c *checker) genOf(pos token.Pos) (*goFile, int) {
	tf := c.fset.File(pos)
	if tf == nil {
		return nil, 0
	}
	for i, f := range c.files {
		if f.FileStart <= pos && pos <= f.FileEnd && i < len(c.gens) {
			return c.gens[i], tf.Offset(pos)
		}
	}
	return nil, 0
}

// where returns the cell position of pos.
func (c *checker) where(pos token.Pos) position {
	g, off := c.genOf(pos)
	if g == nil {
		return position{}
	}
	p, _ := g.locate(off)
	return p
}
