package lang

import (
	"go/ast"
	"go/token"
	"go/types"
)

// instant reports whether the cell is of the kind that the interpreter runs
// exactly and at once: statements over session variables and compiled
// packages, without loops, closures, goroutines or declarations. Everything
// else is worth compiling.
func (l *lowered) instant() bool {
	if len(l.decls) > 0 || len(l.own) > 0 || len(l.inits) > 0 || len(l.c.blanks) > 0 {
		return false
	}
	ok := true
	for _, s := range l.stmts {
		ast.Inspect(s.node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt,
				*ast.LabeledStmt, *ast.BranchStmt, *ast.SendStmt, *ast.StructType, *ast.InterfaceType,
				*ast.TypeSwitchStmt, *ast.ReturnStmt:
				ok = false
			case *ast.UnaryExpr:
				ok = ok && n.Op != token.ARROW
			case *ast.GenDecl:
				ok = ok && n.Tok == token.VAR
			case *ast.SelectorExpr:
				// Fields and methods that only their own package may name.
				if sel := l.c.info.Selections[n]; sel != nil && !sel.Obj().Exported() {
					ok = false
				}
			case *ast.CompositeLit:
				if t := l.c.info.Types[n].Type; t != nil && hasHidden(t) {
					ok = false
				}
			}
			return ok
		})
	}
	return ok
}

// hasHidden reports whether a composite literal of the type writes unexported
// fields.
func hasHidden(t types.Type) bool {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range st.NumFields() {
		if !st.Field(i).Exported() {
			return true
		}
	}
	return false
}
