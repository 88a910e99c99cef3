package lang

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Each function here looks at what the newest pass found wrong, and changes
// what the next pass checks. It reports whether it changed anything.

// autoImport adds the import of a package that is named but not imported.
func (c *checker) autoImport() bool {
	changed := false
	for _, e := range c.errs {
		name, ok := strings.CutPrefix(e.Msg, "undefined: ")
		if !ok || c.auto[name] != "" || c.declares[name] {
			continue
		}
		id := c.identAt(e.Pos)
		if id == nil {
			continue
		}
		member, ok := c.memberOf(id)
		if !ok {
			changed = c.predeclared(id) || changed
			continue
		}
		if path, ok := c.opt.Resolve(name, member); ok {
			c.auto[name] = path
			changed = true
		}
	}
	return changed
}

// identAt returns the identifier that starts at pos.
func (c *checker) identAt(pos token.Pos) (found *ast.Ident) {
	for _, f := range c.files {
		if pos < f.FileStart || pos > f.FileEnd {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Pos() == pos {
				found = id
			}
			return found == nil && (n == nil || n.Pos() <= pos && pos <= n.End())
		})
	}
	return found
}

// memberOf returns Y where the identifier is the X of an X.Y.
func (c *checker) memberOf(id *ast.Ident) (member string, ok bool) {
	for _, f := range c.files {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, isSel := n.(*ast.SelectorExpr); isSel && s.X == ast.Expr(id) {
				member, ok = s.Sel.Name, true
			}
			return !ok
		})
	}
	return member, ok
}

// predeclared qualifies a name that cells have without its package.
func (c *checker) predeclared(id *ast.Ident) bool {
	full, ok := c.opt.Predeclared[id.Name]
	p := c.where(id.Pos())
	if !ok || p.Cell != c.cell {
		return false
	}
	e := edit{at: p.Offset, with: strings.TrimSuffix(full, id.Name), what: ruleEdit, rank: trailing}
	if slices.Contains(c.edits, e) {
		return false
	}
	c.edits = append(c.edits, e)
	return true
}

// reopen lets a cell define a name twice with :=, by a block of its own for
// what follows the second definition.
func (c *checker) reopen() bool {
	items := c.stmtItems()
	changed := false
	twice := 0
	for _, e := range c.errs {
		if e.Msg == "no new variables on left side of :=" {
			twice++
		}
	}
	if c.opened()+twice > 200 {
		return false // blocks nest as deep: no cell of a person's
	}
	for _, e := range c.errs {
		if e.Msg != "no new variables on left side of :=" && !strings.Contains(e.Msg, "redeclared in this block") {
			continue
		}
		p := c.where(e.Pos)
		for _, it := range items {
			if it.start <= p.Offset && p.Offset < it.end && c.topLevelDefinition(e.Pos) {
				open := edit{at: it.start, with: "{", what: ruleEdit}
				if !slices.Contains(c.edits, open) {
					c.edits = append([]edit{open}, c.edits...)
					changed = true
				}
			}
		}
	}
	return changed
}

// opened returns how many blocks reopen has added.
func (c *checker) opened() int {
	n := 0
	for _, e := range c.edits {
		if e.n == 0 && e.with == "{" {
			n++
		}
	}
	return n
}

// topLevelDefinition reports whether pos lies in the names that a top-level
// statement of the cell defines.
func (c *checker) topLevelDefinition(pos token.Pos) bool {
	for _, s := range c.statements() {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE && s.Pos() <= pos && pos <= s.TokPos {
				return true
			}
		case *ast.DeclStmt:
			if g, ok := s.Decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, spec := range g.Specs {
					for _, n := range spec.(*ast.ValueSpec).Names {
						if n.Pos() == pos {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

func (c *checker) stmtItems() []item {
	var items []item
	for _, it := range c.items {
		if it.kind == stmtItem && !c.owned(it) {
			items = append(items, it)
		}
	}
	return items
}

// definition is a variable that a top-level statement of the cell defines.
type definition struct {
	obj  *types.Var
	name *ast.Ident
	stmt int // index into statements
}

// definitions returns the variables that the cell's top-level statements
// define, in order.
func (c *checker) definitions() []definition {
	var defs []definition
	add := func(id *ast.Ident, i int) {
		if v, ok := c.info.Defs[id].(*types.Var); ok && id.Name != "_" {
			defs = append(defs, definition{v, id, i})
		}
	}
	for i, s := range c.statements() {
		s = unlabelled(s)
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				for _, e := range s.Lhs {
					if id, ok := e.(*ast.Ident); ok {
						add(id, i)
					}
				}
			}
		case *ast.DeclStmt:
			if g, ok := s.Decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, spec := range g.Specs {
					for _, id := range spec.(*ast.ValueSpec).Names {
						add(id, i)
					}
				}
			}
		}
	}
	return defs
}

// unlabelled returns the statement behind its labels.
func unlabelled(s ast.Stmt) ast.Stmt {
	for {
		l, ok := s.(*ast.LabeledStmt)
		if !ok {
			return s
		}
		s = l.Stmt
	}
}

// hoist makes variables that the cell defines visible to the functions of the
// cell, and has the functions of earlier cells that use such a name checked
// against its new type.
func (c *checker) hoist() bool {
	if len(c.files) == 0 {
		return false
	}
	newest := map[string]*types.Var{}
	for _, d := range c.definitions() {
		if !invalid(d.obj.Type()) {
			newest[d.obj.Name()] = d.obj
		}
	}
	if len(newest) == 0 {
		return false
	}
	done := map[string]bool{}
	for _, v := range c.hoisted {
		done[v.Name()] = true
	}
	wanted := map[string]bool{}
	changed := map[string]bool{}
	for name, v := range newest {
		if done[name] || c.declares[name] {
			continue
		}
		if c.usedByFunctions(name) {
			wanted[name] = true
		}
		if old := c.s.vars[name]; old != nil && types.Identical(old.typ, v.Type()) {
			continue
		}
		if c.s.has(name) {
			changed[name] = true
		}
	}
	if len(changed) > 0 && c.carry(changed) {
		for n := range changed {
			wanted[n] = true
		}
	}
	for _, name := range sortedKeys(wanted) {
		c.hoisted = append(c.hoisted, newest[name])
	}
	return len(wanted) > 0
}

// usedByFunctions reports whether a function of the cell, or one that is
// checked again, mentions the name without defining it.
func (c *checker) usedByFunctions(name string) bool {
	found := false
	for _, f := range c.files {
		for _, d := range f.Decls {
			if d == ast.Decl(c.entry) {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok || id.Name != name || found {
					return !found
				}
				obj := c.info.Uses[id]
				if obj == nil && c.info.Defs[id] == nil && !c.isSelector(d, id) {
					found = true // undefined
				}
				if obj != nil && obj.Parent() != nil && obj.Parent() == c.pkg.Scope() {
					found = true // an older variable of that name
				}
				if v := c.s.vars[name]; v != nil && obj == types.Object(v.obj) {
					found = true
				}
				return !found
			})
		}
	}
	return found
}

// isSelector reports whether id is the Sel of a selector or a key of a
// composite literal in d.
func (c *checker) isSelector(d ast.Node, id *ast.Ident) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			found = found || n.Sel == id
		case *ast.CompositeLit:
			t := c.info.Types[n].Type
			if t != nil {
				if _, ok := t.Underlying().(*types.Struct); !ok {
					break // its keys are values
				}
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					found = found || kv.Key == ast.Expr(id)
				}
			}
		}
		return !found
	})
	return found
}

// drop gives up declarations of earlier cells that no longer type-check after
// what this cell changes.
func (c *checker) drop() bool {
	changed := false
	for _, e := range c.errs {
		if ignorable(e) {
			continue
		}
		g, _ := c.genOf(e.Pos)
		for i, d := range c.carried {
			if g == nil || g.name != d.cell.Name+"#"+d.name {
				continue
			}
			why := e.Msg
			for _, n := range append([]string{d.name}, d.names...) {
				c.dropped[n] = why
			}
			if d.kind == typeDecl {
				for _, m := range c.s.methods(d.name) {
					c.dropped[m.name] = why
				}
			}
			if d.kind == methodDecl {
				c.dropped[d.name] = why
			}
			c.carried = slices.Delete(c.carried, i, i+1)
			changed = true
			break
		}
	}
	if changed {
		c.carried = slices.DeleteFunc(c.carried, func(d *decl) bool { _, gone := c.dropped[d.name]; return gone })
	}
	return changed
}

// ignorable reports whether Go's complaint is none in a cell.
func ignorable(e types.Error) bool {
	return strings.HasSuffix(e.Msg, "imported and not used") || strings.Contains(e.Msg, "imported as") && strings.HasSuffix(e.Msg, "and not used")
}

func invalid(t types.Type) bool {
	bad := false
	walkType(t, func(t types.Type) {
		if t == types.Typ[types.Invalid] || t == types.Typ[types.UntypedNil] {
			bad = true
		}
	})
	return bad
}

// mentions reports whether the type names a type of the package.
func mentions(t types.Type, path string) bool {
	found := false
	walkType(t, func(t types.Type) {
		if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path {
			found = true
		}
		if a, ok := t.(*types.Alias); ok && a.Obj().Pkg() != nil && a.Obj().Pkg().Path() == path {
			found = true
		}
	})
	return found
}

// walkType calls f for t and the types that its written form is made of.
func walkType(t types.Type, f func(types.Type)) {
	seen := map[types.Type]bool{}
	var walk func(types.Type)
	tuple := func(t *types.Tuple) {
		for i := range t.Len() {
			walk(t.At(i).Type())
		}
	}
	walk = func(t types.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		f(t)
		switch t := t.(type) {
		case *types.Pointer:
			walk(t.Elem())
		case *types.Slice:
			walk(t.Elem())
		case *types.Array:
			walk(t.Elem())
		case *types.Chan:
			walk(t.Elem())
		case *types.Map:
			walk(t.Key())
			walk(t.Elem())
		case *types.Signature:
			tuple(t.Params())
			tuple(t.Results())
		case *types.Tuple:
			tuple(t)
		case *types.Struct:
			for i := range t.NumFields() {
				walk(t.Field(i).Type())
			}
		case *types.Interface:
			for i := range t.NumExplicitMethods() {
				walk(t.ExplicitMethod(i).Type())
			}
			for i := range t.NumEmbeddeds() {
				walk(t.EmbeddedType(i))
			}
		case *types.Union:
			for i := range t.Len() {
				walk(t.Term(i).Type())
			}
		case *types.Named:
			for i := range t.TypeArgs().Len() {
				walk(t.TypeArgs().At(i))
			}
		case *types.Alias:
			for i := range t.TypeArgs().Len() {
				walk(t.TypeArgs().At(i))
			}
			walk(types.Unalias(t))
		}
	}
	walk(t)
}
