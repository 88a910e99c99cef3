package lang

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// The edits of this file keep a cell from taking the session with it: loops and
// recursions end when the cell is interrupted, panics of goroutines end up on
// the cell, os.Exit ends the cell only.

func (w *lowerer) check(body *ast.BlockStmt) {
	if w.raw || body == nil || w.l.c.ours(body.Lbrace) {
		return
	}
	w.add(runEdit, w.off(body.Lbrace)+1, 0, " "+rtName+".Check();")
}

// checkCalls adds a check before the first statement of a function that calls
// what may come back to it: without such a call it can't run for ever but in a
// loop. What it does before, as for the end of a recursion, goes unchecked.
func (w *lowerer) checkCalls(body *ast.BlockStmt) {
	if w.raw || w.l.c.ours(body.Lbrace) {
		return
	}
	for _, s := range body.List {
		if w.mayRecurse(s) {
			w.add(runEdit, w.off(s.Pos()), 0, rtName+".Check(); ")
			return
		}
	}
}

// mayRecurse reports whether the code calls a function that a cell declares, or
// one that it does not know.
func (w *lowerer) mayRecurse(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !found {
			found = w.callOf(call) == unknownCall
		}
		return !found
	})
	return found
}

// callKind is what is known of a call.
type callKind int

const (
	unknownCall  callKind = iota // of a cell's function, or of a function value
	compiledCall                 // of a compiled package's function
	briefCall                    // a conversion, a builtin, a function of math
)

func (w *lowerer) callOf(call *ast.CallExpr) callKind {
	info := w.l.c.info
	if tv := info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() {
		return briefCall
	}
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return unknownCall
	}
	f, ok := info.Uses[id].(*types.Func)
	switch {
	case !ok || f.Pkg() == nil:
		return unknownCall
	case f.Pkg().Path() == unitPath:
		if w.leaf(f) {
			return briefCall
		}
		return unknownCall
	case f.Pkg().Path() == "math" || f.Pkg().Path() == "math/bits" || f.Pkg().Path() == "math/cmplx":
		return briefCall
	}
	return compiledCall
}

// leaf reports whether a function of this cell does no more than a few
// operations: no loop, and no call but of what is brief itself.
func (w *lowerer) leaf(f *types.Func) bool {
	for _, file := range w.l.c.files {
		for _, d := range file.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Body == nil || w.l.c.info.Defs[fd.Name] != types.Object(f) {
				continue
			}
			simple := true
			ast.Inspect(fd.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.SelectStmt, *ast.SendStmt, *ast.LabeledStmt, *ast.GoStmt, *ast.DeferStmt:
					simple = false
				case *ast.UnaryExpr:
					simple = simple && n.Op != token.ARROW
				case *ast.CallExpr:
					if tv := w.l.c.info.Types[n.Fun]; !tv.IsType() && !tv.IsBuiltin() {
						simple = false
					}
				}
				return simple
			})
			return simple
		}
	}
	return false
}

// brief reports whether a range loop needs no check of its own: it ends by
// itself, after as many steps as a value in memory has elements, and no step
// takes long.
func (w *lowerer) brief(r *ast.RangeStmt) bool {
	t := w.l.c.info.Types[r.X].Type
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Array, *types.Map:
	case *types.Pointer:
		if _, ok := u.Elem().Underlying().(*types.Array); !ok {
			return false
		}
	case *types.Basic:
		if u.Info()&types.IsString == 0 {
			return false
		}
	default:
		return false
	}
	brief := true
	ast.Inspect(r.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.SelectStmt, *ast.SendStmt, *ast.LabeledStmt, *ast.GoStmt:
			brief = false
		case *ast.BranchStmt:
			brief = brief && n.Tok != token.GOTO
		case *ast.UnaryExpr:
			brief = brief && n.Op != token.ARROW
		case *ast.CallExpr:
			brief = brief && w.callOf(n) == briefCall
		}
		return brief
	})
	return brief
}

// replaced are the functions of compiled packages that a cell must not call as
// they are: they would end the process, sleep through an interrupt or print to
// another cell.
var replaced = map[string]string{
	"fmt.Print": "Print", "fmt.Println": "Println", "fmt.Printf": "Printf",
	"os.Exit": "OSExit", "time.Sleep": "Sleep",
	"log.Fatal": "LogFatal", "log.Fatalf": "LogFatalf", "log.Fatalln": "LogFatalln",
}

func (w *lowerer) replaceCall(s *ast.SelectorExpr) bool {
	id, ok := s.X.(*ast.Ident)
	if !ok || w.raw {
		return false
	}
	p, ok := w.l.c.info.Uses[id].(*types.PkgName)
	if !ok {
		return false
	}
	name, ok := replaced[p.Imported().Path()+"."+s.Sel.Name]
	if !ok {
		return false
	}
	w.imports[id.Name] = p.Imported().Path()
	at := w.off(s.Pos())
	w.add(callEdit, at, w.off(s.End())-at, rtName+"."+name)
	return true
}

// guard keeps a panic in a goroutine from ending the process.
func (w *lowerer) guard(g *ast.GoStmt) {
	if w.raw {
		return
	}
	if lit, ok := ast.Unparen(g.Call.Fun).(*ast.FuncLit); ok {
		w.add(runEdit, w.off(lit.Body.Lbrace)+1, 0, " defer "+rtName+".Guard();")
		return
	}
	tv := w.l.c.info.Types[g.Call.Fun]
	if tv.Type == nil || tv.IsBuiltin() || tv.IsType() {
		return
	}
	sig, ok := tv.Type.Underlying().(*types.Signature)
	if !ok || sig.Variadic() || sig.Results().Len() > 0 || sig.Params().Len() > 4 || len(g.Call.Args) != sig.Params().Len() {
		return
	}
	if w.l.c.ours(g.Call.Lparen) {
		return
	}
	*w.edits = append(*w.edits, edit{at: w.off(g.Call.Fun.Pos()), with: rtName + ".Go" + strconv.Itoa(sig.Params().Len()) + "(", what: runEdit, rank: opening})
	comma := ", "
	if sig.Params().Len() == 0 {
		comma = ""
	}
	w.add(runEdit, w.off(g.Call.Lparen), 1, comma)
}
