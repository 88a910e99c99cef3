package lang

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// list collects what may stand at the mark.
func (l *lister) list() {
	p := l.p
	switch n := p.parent(1).(type) {
	case *ast.BranchStmt:
		l.labels(n)
		return
	case *ast.FuncDecl:
		return // a new name
	case *ast.TypeSpec:
		if n.Name == p.id {
			return
		}
	case *ast.ImportSpec, *ast.LabeledStmt:
		return
	case *ast.ValueSpec:
		for _, id := range n.Names {
			if id == p.id {
				return
			}
		}
	case *ast.Field:
		for _, id := range n.Names {
			if id == p.id {
				return
			}
		}
	case *ast.SelectorExpr:
		if n.Sel == p.id {
			l.want = p.wanted()
			l.members(n)
			return
		}
	}
	l.want = p.wanted()
	if keyed := l.keys(); keyed {
		return
	}
	l.scopes()
	l.keywords()
	l.packages()
	l.typed()
	l.literals()
}

// labels offers the labels that a break, continue or goto may name.
func (l *lister) labels(b *ast.BranchStmt) {
	offer := func(s *ast.LabeledStmt, near int) {
		l.add(0, near, s.Label.Name, "keyword", func() string { return "label" })
	}
	if b.Tok != token.GOTO {
		for i := 2; l.p.parent(i) != nil; i++ {
			switch n := l.p.parent(i).(type) {
			case *ast.FuncLit, *ast.FuncDecl:
				return
			case *ast.LabeledStmt:
				switch n.Stmt.(type) {
				case *ast.ForStmt, *ast.RangeStmt:
					offer(n, i)
				case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
					if b.Tok == token.BREAK {
						offer(n, i)
					}
				}
			}
		}
		return
	}
	for i := 2; l.p.parent(i) != nil; i++ {
		var body *ast.BlockStmt
		switch f := l.p.parent(i).(type) {
		case *ast.FuncLit:
			body = f.Body
		case *ast.FuncDecl:
			body = f.Body
		default:
			continue
		}
		ast.Inspect(body, func(n ast.Node) bool {
			if s, ok := n.(*ast.LabeledStmt); ok {
				offer(s, 0)
			}
			_, inner := n.(*ast.FuncLit)
			return !inner
		})
		return
	}
}

// scopes offers the names in scope at the mark, the nearest first.
func (l *lister) scopes() {
	c := l.p.c
	near := 0
	for s := l.p.scope(); s != nil && s != types.Universe; s = s.Parent() {
		if s == c.pkg.Scope() {
			l.session()
			continue
		}
		at := near
		for _, name := range s.Names() {
			o := s.Lookup(name)
			if _, isPkg := o.(*types.PkgName); isPkg || o.Parent() != s && o.Pkg() != nil && o.Pkg().Path() != unitPath {
				continue // imports and dot imports come later
			}
			if found, _ := s.LookupParent(name, l.p.id.Pos()); found != s {
				continue // declared below
			}
			l.object(o, at, name)
		}
		near++
	}
	// What cell-level statements define is seen by the functions of the cell.
	stmts := c.statements()
	for _, d := range c.definitions() {
		if d.name.Name != here && (!l.p.inEntry() || stmts[d.stmt].End() <= l.p.id.Pos()) {
			l.object(d.obj, nearSession, d.name.Name)
		}
	}
	for name, path := range l.p.imports() {
		l.add(0, nearImport, name, "package", func() string { return path })
	}
	for _, path := range append(append([]string(nil), c.dots...), l.p.view.dots...) {
		if pkg, err := c.imp.Import(path); err == nil {
			for _, name := range pkg.Scope().Names() {
				if o := pkg.Scope().Lookup(name); o.Exported() {
					l.object(o, nearImport+1, name)
				}
			}
		}
	}
	for name, full := range l.e.opt.Predeclared {
		if o := l.qualified(full); o != nil {
			l.object(o, nearUniverse-1, name)
		} else {
			l.add(0, nearUniverse-1, name, "function", nil)
		}
	}
	for _, name := range types.Universe.Names() {
		if name == "iota" && !l.p.inConst() {
			continue
		}
		l.object(types.Universe.Lookup(name), nearUniverse, name)
	}
}

// session offers what cells have declared, and this cell's declarations.
func (l *lister) session() {
	scope := l.p.c.pkg.Scope()
	for _, name := range scope.Names() {
		l.object(scope.Lookup(name), nearSession, name)
	}
}

// qualified returns the object of a name like display.Display.
func (l *lister) qualified(full string) types.Object {
	pkgName, name, ok := strings.Cut(full, ".")
	if !ok {
		return nil
	}
	path, ok := l.e.opt.Resolve(pkgName, name)
	if !ok {
		return nil
	}
	pkg, err := l.p.c.imp.Import(path)
	if err != nil {
		return nil
	}
	return pkg.Scope().Lookup(name)
}

// scope returns the innermost scope at the mark.
func (p *probe) scope() *types.Scope {
	for i := 0; p.parent(i) != nil; i++ {
		n := p.parent(i)
		if f, ok := n.(*ast.FuncDecl); ok {
			n = f.Type
		}
		if f, ok := n.(*ast.FuncLit); ok {
			n = f.Type
		}
		if s := p.c.info.Scopes[n]; s != nil {
			if in := s.Innermost(p.id.Pos()); in != nil {
				return in
			}
			return s
		}
	}
	return p.c.pkg.Scope()
}

// inEntry reports whether the mark stands in a statement of the cell, not in a
// function that the cell declares.
func (p *probe) inEntry() bool {
	for i := 0; p.parent(i) != nil; i++ {
		if p.parent(i) == ast.Node(p.c.entry) {
			return true
		}
	}
	return false
}

// inConst reports whether the mark stands in a constant's declaration.
func (p *probe) inConst() bool {
	for _, n := range p.path {
		if g, ok := n.(*ast.GenDecl); ok && g.Tok == token.CONST {
			return true
		}
	}
	return false
}

// imports returns the packages that the cell may name: imported here, in
// earlier cells, or by themselves.
func (p *probe) imports() map[string]string {
	all := map[string]string{}
	for _, m := range []map[string]string{p.view.imports, p.c.auto, p.c.imports} {
		for n, path := range m {
			all[n] = path
		}
	}
	delete(all, here)
	return all
}

// packages offers packages that are not imported: naming one imports it.
func (l *lister) packages() {
	if l.prefix == "" {
		return // too many to be of use
	}
	for _, path := range l.cat.Packages() {
		name := l.cat.Name(path)
		if ok, _ := l.matches(name); !ok || name == "" || name == "main" {
			continue
		}
		l.add(0, nearCatalog, name, "package", func() string { return path })
	}
}

// keywords offers the keywords that may begin what the mark stands for.
func (l *lister) keywords() {
	if l.want.typeName {
		l.keyword(0, "chan", "func", "interface", "map", "struct")
		return
	}
	lineStart := strings.TrimSpace(l.src[strings.LastIndexByte(l.src[:l.at], '\n')+1:l.at]) == ""
	if lineStart && blockOf(l.src, l.at, "switch", "select") {
		l.keyword(0, "case", "default", "fallthrough")
	}
	if _, isStmt := l.p.parent(1).(*ast.ExprStmt); !isStmt {
		if lineHeader(l.src[:l.at], "for") {
			l.keyword(fitRequired, "range")
		}
		l.keyword(0, "func", "map", "struct", "chan", "interface")
		return
	}
	l.keyword(0, "const", "defer", "for", "func", "go", "goto", "if", "select", "struct", "switch", "type", "var", "map", "interface", "chan")
	inFunc, inLoop, inSwitch, depth := false, false, false, 0
	for i := 1; l.p.parent(i) != nil && !inFunc; i++ {
		switch n := l.p.parent(i).(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			inLoop = true
		case *ast.CaseClause, *ast.CommClause:
			inSwitch = true
		case *ast.FuncLit:
			inFunc = true
		case *ast.FuncDecl:
			inFunc = n != l.p.c.entry
		case *ast.BlockStmt:
			depth++
		}
	}
	if inFunc {
		l.keyword(0, "return")
	} else if depth <= 1 {
		l.keyword(0, "import", "package")
	}
	if inLoop {
		l.keyword(0, "continue")
	}
	if inLoop || inSwitch {
		l.keyword(0, "break")
	}
}

// blockOf reports whether the innermost block open at the offset is of a
// statement that begins with one of the words.
func blockOf(src string, at int, words ...string) bool {
	open, pos, _ := openBrackets(src[:at])
	if len(open) == 0 || open[len(open)-1] != '{' {
		return false
	}
	brace := pos[len(pos)-1]
	line := strings.TrimSpace(src[strings.LastIndexByte(src[:brace], '\n')+1 : brace])
	for _, w := range words {
		for _, f := range strings.Fields(line) {
			if f == w {
				return true
			}
		}
	}
	return false
}

// lineHeader reports whether the text ends in the header of such a statement,
// after an assignment.
func lineHeader(src, word string) bool {
	line := strings.TrimSpace(src[strings.LastIndexByte(src, '\n')+1:])
	return strings.HasPrefix(line, word+" ") && !strings.Contains(line, "{") && strings.HasSuffix(line, "=") || line == word
}

// afterBlockOfIf reports whether the offset follows, on its line, the closing
// brace of an if.
func afterBlockOfIf(src string, at int) bool {
	before := strings.TrimRight(src[:at], " \t")
	if !strings.HasSuffix(before, "}") || len(before) == at {
		return false
	}
	open := matching(before, len(before)-1)
	if open < 0 {
		return false
	}
	line := strings.TrimSpace(src[strings.LastIndexByte(src[:open], '\n')+1 : open])
	return strings.HasPrefix(line, "if ") || strings.HasPrefix(line, "} else if ")
}
