package lang

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

const rtPath = "github.com/fathom-kernel/fathom/lang/cellrt"

// applyRules writes script rules 1 and 2 into the text where the newest pass
// found a call that is not Go without them. What is valid Go is never changed,
// so the rules have no say in what a Go program means.
func (c *checker) applyRules() bool {
	if len(c.errs) == 0 && !c.lastFails() {
		return false
	}
	changed := false
	for i, f := range c.files {
		if i >= len(c.gens) {
			break
		}
		r := &ruler{c: c, gen: c.gens[i]}
		for _, d := range c.carried {
			if c.gens[i].name == d.cell.Name+"#"+d.name {
				r.carried = d
			}
		}
		r.file(f)
		changed = changed || r.changed
	}
	return changed
}

// lastFails reports whether the cell's last expression returns an error that
// rule 2 checks.
func (c *checker) lastFails() bool {
	last := c.lastExpr()
	if last == nil {
		return false
	}
	call, ok := ast.Unparen(last).(*ast.CallExpr)
	return ok && failing(c.resultsOf(call)) && !c.isPrint(call)
}

// lastExpr returns the expression that the cell shows, or nil.
func (c *checker) lastExpr() ast.Expr {
	if c.final {
		return nil
	}
	return c.endExpr()
}

// endExpr returns the cell's last statement where that is an expression, shown
// or not.
func (c *checker) endExpr() ast.Expr {
	n := len(c.items)
	if n == 0 || c.items[n-1].kind != stmtItem || c.items[n-1].isVar {
		return nil
	}
	ss := c.statements()
	if len(ss) == 0 {
		return nil
	}
	if e, ok := ss[len(ss)-1].(*ast.ExprStmt); ok {
		return e.X
	}
	return nil
}

// isPrint reports whether the call prints, so that its results are of no
// interest to anybody.
func (c *checker) isPrint(call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := c.info.Uses[sel.Sel].(*types.Func)
	return ok && f.Pkg() != nil && f.Pkg().Path() == "fmt" && (strings.HasPrefix(f.Name(), "Print") || strings.HasPrefix(f.Name(), "Fprint"))
}

// resultsOf returns the result types of a call, nil for conversions, builtins
// and what did not type-check.
func (c *checker) resultsOf(call *ast.CallExpr) *types.Tuple {
	tv, ok := c.info.Types[call.Fun]
	if !ok || tv.IsType() || tv.IsBuiltin() || tv.Type == nil {
		return nil
	}
	sig, ok := tv.Type.Underlying().(*types.Signature)
	if !ok {
		return nil
	}
	return sig.Results()
}

// failing reports whether the last result is an error.
func failing(results *types.Tuple) bool {
	return results != nil && results.Len() > 0 && isError(results.At(results.Len()-1).Type())
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// ruler applies the rules to one file.
type ruler struct {
	c       *checker
	gen     *goFile
	carried *decl
	changed bool
	results []*types.Tuple // of the functions around, innermost last
}

// insert adds a rule edit before the byte at pos, in the place that the byte
// has in its cell.
func (r *ruler) insert(offset int, with string, rank rank) {
	p, inside := r.gen.locate(offset)
	if !inside && (rank == wrapping || rank == opening) {
		// Text of ours begins the call: its place is where the user's goes on.
		p = r.gen.after(offset)
	}
	if p.Cell == nil {
		return
	}
	// A call wrapped in a later round lies around one wrapped before.
	e := []edit{{at: p.Offset, with: with, what: ruleEdit, rank: rank}}
	if r.carried != nil {
		r.c.carryEdit[r.carried] = append(e, r.c.carryEdit[r.carried]...)
	} else {
		r.c.edits = append(e, r.c.edits...)
	}
	r.changed = true
}

func (r *ruler) offset(n ast.Node) int    { return r.c.fset.Position(n.Pos()).Offset }
func (r *ruler) endOffset(n ast.Node) int { return r.c.fset.Position(n.End()).Offset }

func (r *ruler) file(f *ast.File) {
	var stack []ast.Node
	last := r.c.lastExpr()
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if call, ok := n.(*ast.CallExpr); ok {
			r.call(call, stack, last)
		}
		return true
	})
}

func (r *ruler) call(call *ast.CallExpr, stack []ast.Node, last ast.Expr) {
	tv, ok := r.c.info.Types[call.Fun]
	if !ok || tv.IsType() || tv.IsBuiltin() || tv.Type == nil {
		return
	}
	sig, ok := tv.Type.Underlying().(*types.Signature)
	if !ok {
		return
	}
	if r.omitted(call, sig) {
		return
	}
	if failing(sig.Results()) {
		if k, ok := r.wants(call, sig.Results(), stack, last); ok && k == sig.Results().Len()-1 && k <= 5 {
			r.insert(r.offset(call), fmt.Sprintf("%s.Check%d(", rtName, k), wrapping)
			r.insert(r.endOffset(call), ")", closing)
		}
	}
}

// omitted is rule 1: it writes a leading context and a trailing nil for
// *Options where the call leaves them out.
func (r *ruler) omitted(call *ast.CallExpr, sig *types.Signature) bool {
	params := sig.Params()
	np := params.Len()
	if np == 0 || call.Ellipsis.IsValid() && !sig.Variadic() {
		return false
	}
	var args []types.Type
	if len(call.Args) == 1 {
		if t, ok := r.c.info.Types[call.Args[0]].Type.(*types.Tuple); ok {
			if t.Len() == np {
				return false
			}
			// f(g()) with too few values: rule 2 first, then this.
			if inner, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr); ok && failing(r.c.resultsOf(inner)) {
				args = append(args, t.At(0).Type())
			} else {
				return false
			}
		}
	}
	if args == nil {
		for _, a := range call.Args {
			args = append(args, r.c.info.Types[a].Type)
		}
	}
	ctx := isContext(params.At(0).Type()) && (len(args) == 0 || args[0] != nil && !invalidNotNil(args[0]) && !types.AssignableTo(args[0], params.At(0).Type()))
	n := len(args)
	if ctx {
		n++
	}
	opt := !sig.Variadic() && n == np-1 && isOptions(params.At(np-1).Type())
	if !ctx && !opt {
		return false
	}
	if !sig.Variadic() && !opt && n != np {
		return false // wrong in another way: let the checker say it
	}
	if ctx {
		sep := ", "
		if len(call.Args) == 0 {
			sep = ""
		}
		r.insert(r.c.fset.Position(call.Lparen).Offset+1, rtName+".Context()"+sep, leading)
	}
	if opt {
		at := r.c.fset.Position(call.Rparen).Offset
		text := ", nil"
		if n := len(call.Args); n > 0 {
			if strings.Contains(r.gen.String()[r.endOffset(call.Args[n-1]):at], ",") {
				text = "nil," // after a trailing comma
			}
		} else if !ctx {
			text = "nil"
		}
		r.insert(at, text, trailing)
	}
	return true
}

func invalidNotNil(t types.Type) bool { return t == types.Typ[types.Invalid] }

func isContext(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Context" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context"
}

// isOptions reports whether t is *Options of some package, or *SomethingOptions.
func isOptions(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && strings.HasSuffix(n.Obj().Name(), "Options")
}

// wants returns how many values fit where the call stands, where fewer than it
// returns do.
func (r *ruler) wants(call *ast.CallExpr, results *types.Tuple, stack []ast.Node, last ast.Expr) (int, bool) {
	var child ast.Node = call
	i := len(stack) - 2
	for ; i >= 0; i-- {
		if _, ok := stack[i].(*ast.ParenExpr); !ok {
			break
		}
		child = stack[i]
	}
	if i < 0 {
		return 0, false
	}
	one := results.Len() == 2
	switch p := stack[i].(type) {
	case *ast.ExprStmt:
		if last == p.X && !r.c.isPrint(call) {
			return results.Len() - 1, true
		}
	case *ast.AssignStmt:
		if len(p.Rhs) == 1 {
			return len(p.Lhs), len(p.Lhs) == results.Len()-1
		}
		return 1, one
	case *ast.ValueSpec:
		if len(p.Values) == 1 {
			return len(p.Names), len(p.Names) == results.Len()-1
		}
		return 1, one
	case *ast.ReturnStmt:
		if len(p.Results) != 1 {
			return 1, one
		}
		n := r.resultsAround(stack[:i])
		return n, n == results.Len()-1 && n > 0
	case *ast.CallExpr:
		if p.Fun == child {
			return 1, one
		}
		return r.argument(p, results)
	case *ast.GoStmt, *ast.DeferStmt, *ast.LabeledStmt:
		return 0, false
	default:
		return 1, one
	}
	return 0, false
}

// resultsAround returns how many results the function around has.
func (r *ruler) resultsAround(stack []ast.Node) int {
	for i := len(stack) - 1; i >= 0; i-- {
		var t *ast.FuncType
		switch f := stack[i].(type) {
		case *ast.FuncLit:
			t = f.Type
		case *ast.FuncDecl:
			t = f.Type
		default:
			continue
		}
		return t.Results.NumFields()
	}
	return 0
}

// argument decides for f(g()): Go spreads the results of g over the parameters
// of f where that type-checks; otherwise the error is checked.
func (r *ruler) argument(outer *ast.CallExpr, results *types.Tuple) (int, bool) {
	n := results.Len()
	tv := r.c.info.Types[outer.Fun]
	if len(outer.Args) > 1 || tv.IsType() || tv.IsBuiltin() || tv.Type == nil {
		return 1, n == 2
	}
	sig, ok := tv.Type.Underlying().(*types.Signature)
	if !ok {
		return 1, n == 2
	}
	if sig.TypeParams().Len() > 0 {
		return 1, n == 2 && sig.Params().Len() == 1 && !sig.Variadic()
	}
	fits := func(skip int) bool {
		want := sig.Params().Len() - skip
		if sig.Variadic() && n < want-1 || !sig.Variadic() && n != want {
			return false
		}
		for j := range n {
			var pt types.Type
			if k := j + skip; sig.Variadic() && k >= sig.Params().Len()-1 {
				pt = sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice).Elem()
			} else {
				pt = sig.Params().At(k).Type()
			}
			if !types.AssignableTo(results.At(j).Type(), pt) {
				return false
			}
		}
		return true
	}
	if fits(0) {
		return 0, false
	}
	return n - 1, true
}
