package lang

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// instant reports whether the cell is of the kind that the interpreter runs
// exactly and at once: statements over session variables and compiled
// packages, without long loops, closures, goroutines or declarations. Everything
// else is worth compiling.
func (l *lowered) instant() bool {
	if len(l.decls) > 0 || len(l.own) > 0 || len(l.inits) > 0 || len(l.c.blanks) > 0 {
		return false
	}
	ok := true
	for _, s := range l.stmts {
		ast.Inspect(s.node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ForStmt:
				ok = ok && l.short(n)
			case *ast.RangeStmt, *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt,
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

// maxSteps is how many steps of a loop take the interpreter less time than
// compiling the loop would.
const maxSteps = 100_000

// short reports whether a loop counts up to a small constant and holds no other
// loop: for i := 0; i < 1000; i++.
func (l *lowered) short(f *ast.ForStmt) bool {
	cond, ok := f.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.LSS && cond.Op != token.LEQ {
		return false
	}
	i, ok := cond.X.(*ast.Ident)
	if !ok {
		return false
	}
	init, ok := f.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 || init.Lhs[0].(*ast.Ident).Name != i.Name {
		return false
	}
	post, ok := f.Post.(*ast.IncDecStmt)
	if !ok || post.Tok != token.INC {
		return false
	}
	if x, ok := post.X.(*ast.Ident); !ok || x.Name != i.Name {
		return false
	}
	from, to := l.c.info.Types[init.Rhs[0]].Value, l.c.info.Types[cond.Y].Value
	if from == nil || to == nil {
		return false
	}
	a, ok1 := constant.Int64Val(constant.ToInt(from))
	b, ok2 := constant.Int64Val(constant.ToInt(to))
	if !ok1 || !ok2 || a < 0 || b > maxSteps {
		return false
	}
	short := true
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			short = false
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && id.Name == i.Name {
					short = false // it may never get there
				}
			}
		case *ast.IncDecStmt:
			if id, ok := n.X.(*ast.Ident); ok && id.Name == i.Name {
				short = false
			}
		case *ast.UnaryExpr:
			short = short && n.Op != token.AND
		}
		return short
	})
	return short
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
