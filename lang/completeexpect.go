package lang

import (
	"go/ast"
	"go/token"
	"go/types"
)

// want is what the place at the cursor takes.
type want struct {
	types    []types.Type          // values of one of these
	is       func(types.Type) bool // values of types such as these
	typeName bool                  // a type
	called   bool                  // a function: the word is followed by its arguments
	start    bool                  // a statement begins here
	address  bool                  // the operand of &
}

// fit ranks.
const (
	fitNone     = iota
	fitConvert  // a conversion away
	fitNear     // by its address, or by what it points to
	fitCall     // a call gives it
	fitAssign   // assignable
	fitSame     // of that very type
	fitRequired // the only kind of thing that may stand here
)

// wanted finds out what the place of the mark takes.
func (p *probe) wanted() want {
	var w want
	i := 1
	var node ast.Expr = p.id
	if s, ok := p.parent(i).(*ast.SelectorExpr); ok && s.Sel == p.id {
		node = s
		i++
	}
	deref := 0
	var operand func(types.Type) bool // what an untyped operand goes with
	for ; ; i++ {
		switch n := p.parent(i).(type) {
		case *ast.ParenExpr:
			node = n
			continue
		case *ast.CallExpr:
			if n.Fun == node {
				w.called = true
				node = n
				continue
			}
			p.argument(&w, n, node)
		case *ast.StarExpr:
			if p.isTypePlace(i, n) {
				w.typeName = true
				return w
			}
			deref++
			node = n
			continue
		case *ast.UnaryExpr:
			switch n.Op {
			case token.NOT:
				w.types = []types.Type{types.Typ[types.Bool]}
			case token.AND:
				deref--
				w.address = true
				node = n
				continue
			case token.ARROW:
				w.is = isChan
			default:
				node = n
				continue
			}
		case *ast.BinaryExpr:
			other := n.X
			if n.X == node {
				other = n.Y
			}
			switch n.Op {
			case token.LAND, token.LOR:
				w.types = []types.Type{types.Typ[types.Bool]}
			case token.SHL, token.SHR:
				if n.X == node {
					node = n
					continue
				}
				w.is = isInteger
			default:
				t := p.typeOf(other)
				if t == nil || isUntyped(t) && !isComparison(n.Op) {
					if t != nil {
						operand = sameClass(t)
					}
					node = n
					continue
				}
				w.types = []types.Type{types.Default(t)}
				if isUntyped(t) {
					w.is = sameClass(t)
				}
			}
		case *ast.AssignStmt:
			p.assigned(&w, n, node)
		case *ast.ValueSpec:
			if n.Type == node {
				w.typeName = true
			} else if n.Type != nil {
				w.add(p.typeOf(n.Type))
			}
		case *ast.ReturnStmt:
			p.returned(&w, i, n, node)
		case *ast.IfStmt:
			w.types = []types.Type{types.Typ[types.Bool]}
		case *ast.ForStmt:
			if n.Cond == node {
				w.types = []types.Type{types.Typ[types.Bool]}
			}
		case *ast.CaseClause:
			p.caseOf(&w, i)
		case *ast.SendStmt:
			if n.Value == node {
				if c, ok := under(p.typeOf(n.Chan)).(*types.Chan); ok {
					w.add(c.Elem())
				}
			} else {
				w.is = isChan
			}
		case *ast.RangeStmt:
			if n.X == node {
				w.is = isRangeable
			}
		case *ast.IndexExpr:
			if n.X == node {
				w.is = isIndexable
				break
			}
			if tv := p.c.info.Types[n.X]; tv.IsType() || isGenericFunc(tv.Type) {
				w.typeName = true
			} else if m, ok := under(p.typeOf(n.X)).(*types.Map); ok {
				w.add(m.Key())
			} else {
				w.types = []types.Type{types.Typ[types.Int]}
			}
		case *ast.IndexListExpr:
			w.typeName = n.X != node
		case *ast.SliceExpr:
			if n.X == node {
				w.is = isIndexable
			} else {
				w.types = []types.Type{types.Typ[types.Int]}
			}
		case *ast.CompositeLit:
			if n.Type == node {
				w.typeName = true
			} else {
				p.element(&w, n, node)
			}
		case *ast.KeyValueExpr:
			if lit, ok := p.parent(i + 1).(*ast.CompositeLit); ok {
				p.keyed(&w, lit, n, node)
			}
		case *ast.GoStmt, *ast.DeferStmt:
			w.is = func(t types.Type) bool { _, ok := under(t).(*types.Signature); return ok }
		case *ast.IncDecStmt:
			w.is = isNumeric
		case *ast.ExprStmt:
			w.start = node == ast.Expr(p.id)
		default:
			w.typeName = p.isTypePlace(i, node)
		}
		break
	}
	if w.empty() {
		w.is = operand
	}
	for ; deref > 0; deref-- {
		if len(w.types) == 0 {
			w.is = func(t types.Type) bool { _, ok := under(t).(*types.Pointer); return ok }
		}
		for j, t := range w.types {
			w.types[j] = types.NewPointer(t)
		}
	}
	for ; deref < 0; deref++ {
		for j, t := range w.types {
			if ptr, ok := under(t).(*types.Pointer); ok {
				w.types[j] = ptr.Elem()
			}
		}
	}
	return w
}

func (w *want) add(t types.Type) {
	if t != nil && t != types.Typ[types.Invalid] {
		w.types = append(w.types, t)
	}
}

// isTypePlace reports whether the expression, which the node i levels above the
// mark is or holds, stands where Go wants a type.
func (p *probe) isTypePlace(i int, node ast.Expr) bool {
	if p.parent(i) == ast.Node(node) {
		i++
	}
	switch n := p.parent(i).(type) {
	case *ast.Field:
		return n.Type == node
	case *ast.TypeSpec:
		return n.Type == node
	case *ast.ValueSpec:
		return n.Type == node
	case *ast.ArrayType:
		return n.Elt == node
	case *ast.MapType, *ast.ChanType, *ast.Ellipsis:
		return true
	case *ast.CompositeLit:
		return n.Type == node
	case *ast.TypeAssertExpr:
		return n.Type == node
	case *ast.StarExpr:
		return p.isTypePlace(i, n)
	case *ast.CallExpr:
		id, ok := n.Fun.(*ast.Ident)
		return ok && (id.Name == "new" || id.Name == "make") && len(n.Args) > 0 && n.Args[0] == node
	case *ast.CaseClause:
		return p.inTypeSwitch(i)
	}
	return false
}

func (p *probe) inTypeSwitch(i int) bool {
	_, ok := p.parent(i + 2).(*ast.TypeSwitchStmt)
	return ok
}

// argument is a call's argument. Where the call may leave out a leading
// context, the next parameter is as good.
func (p *probe) argument(w *want, call *ast.CallExpr, node ast.Expr) {
	at := 0
	for j, a := range call.Args {
		if a == node {
			at = j
		}
	}
	tv := p.c.info.Types[call.Fun]
	switch {
	case tv.IsType():
		t := tv.Type
		w.add(t)
		w.is = func(x types.Type) bool { return types.ConvertibleTo(x, t) }
		return
	case tv.IsBuiltin():
		p.builtin(w, call, at, node)
		return
	}
	sig, ok := under(tv.Type).(*types.Signature)
	if !ok {
		return
	}
	shift := 0
	params := sig.Params()
	if params.Len() > 0 && isContext(params.At(0).Type()) {
		if at == 0 {
			w.param(sig, 0)
			shift = 1
		} else if t := p.typeOf(call.Args[0]); t != nil && !types.AssignableTo(t, params.At(0).Type()) {
			shift = 1
		}
	}
	w.param(sig, at+shift)
}

// param wants what the parameter takes.
func (w *want) param(sig *types.Signature, at int) {
	n := sig.Params().Len()
	var t types.Type
	switch {
	case sig.Variadic() && at >= n-1:
		s, ok := sig.Params().At(n - 1).Type().(*types.Slice)
		if !ok {
			return
		}
		t = s.Elem()
	case at < n:
		t = sig.Params().At(at).Type()
	default:
		return
	}
	if sig.TypeParams().Len() == 0 || !hasTypeParam(t) {
		w.add(t)
		return
	}
	w.is = sameShape(t)
}

// builtin wants what a builtin function takes.
func (p *probe) builtin(w *want, call *ast.CallExpr, at int, node ast.Expr) {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return
	}
	first := types.Type(nil)
	if len(call.Args) > 0 && at > 0 {
		first = p.typeOf(call.Args[0])
	}
	switch id.Name {
	case "new", "make":
		if at == 0 {
			w.typeName = true
		} else {
			w.types = []types.Type{types.Typ[types.Int]}
		}
	case "append":
		if s, ok := under(first).(*types.Slice); ok {
			w.add(s.Elem())
		} else if at == 0 {
			w.is = func(t types.Type) bool { _, ok := under(t).(*types.Slice); return ok }
		}
	case "len", "cap":
		w.is = isIndexable
	case "delete":
		if m, ok := under(first).(*types.Map); ok {
			w.add(m.Key())
		} else {
			w.is = func(t types.Type) bool { _, ok := under(t).(*types.Map); return ok }
		}
	case "copy":
		if first != nil {
			w.add(first)
		} else {
			w.is = func(t types.Type) bool { _, ok := under(t).(*types.Slice); return ok }
		}
	case "close":
		w.is = isChan
	case "clear":
		w.is = func(t types.Type) bool {
			switch under(t).(type) {
			case *types.Map, *types.Slice:
				return true
			}
			return false
		}
	case "min", "max":
		for _, a := range call.Args {
			if t := p.typeOf(a); a != node && t != nil && !isUntyped(t) {
				w.add(t)
				return
			}
		}
		w.is = func(t types.Type) bool { return isNumeric(t) || isString(t) }
	case "complex", "real", "imag":
		w.is = isNumeric
	}
}

func (p *probe) assigned(w *want, n *ast.AssignStmt, node ast.Expr) {
	for j, r := range n.Rhs {
		if r == node && n.Tok != token.DEFINE && j < len(n.Lhs) && len(n.Lhs) == len(n.Rhs) {
			w.add(p.typeOf(n.Lhs[j]))
		} else if r == node && n.Tok != token.DEFINE && len(n.Rhs) == 1 {
			w.add(p.typeOf(n.Lhs[0]))
		}
	}
	for _, l := range n.Lhs {
		w.start = w.start || l == node && node == ast.Expr(p.id)
	}
}

// returned wants the result of the function around.
func (p *probe) returned(w *want, i int, n *ast.ReturnStmt, node ast.Expr) {
	at := 0
	for j, r := range n.Results {
		if r == node {
			at = j
		}
	}
	for i++; p.parent(i) != nil; i++ {
		var ft *ast.FuncType
		switch f := p.parent(i).(type) {
		case *ast.FuncLit:
			ft = f.Type
		case *ast.FuncDecl:
			ft = f.Type
		default:
			continue
		}
		if ft.Results == nil {
			return
		}
		for _, f := range ft.Results.List {
			for range max(1, len(f.Names)) {
				if at == 0 {
					w.add(p.typeOf(f.Type))
				}
				at--
			}
		}
		return
	}
}

// caseOf wants what a case of the switch around takes.
func (p *probe) caseOf(w *want, i int) {
	switch s := p.parent(i + 2).(type) {
	case *ast.SwitchStmt:
		if s.Tag == nil {
			w.types = []types.Type{types.Typ[types.Bool]}
		} else {
			w.add(p.typeOf(s.Tag))
		}
	case *ast.TypeSwitchStmt:
		w.typeName = true
	}
}

// element wants what an element of a composite literal takes.
func (p *probe) element(w *want, lit *ast.CompositeLit, node ast.Expr) {
	at := 0
	for j, e := range lit.Elts {
		if e == node {
			at = j
		}
	}
	switch t := under(literalType(p.typeOf(lit))).(type) {
	case *types.Slice:
		w.add(t.Elem())
	case *types.Array:
		w.add(t.Elem())
	case *types.Map:
		w.add(t.Key())
	case *types.Struct:
		if at < t.NumFields() {
			w.add(t.Field(at).Type())
		}
	}
}

func (p *probe) keyed(w *want, lit *ast.CompositeLit, kv *ast.KeyValueExpr, node ast.Expr) {
	switch t := under(literalType(p.typeOf(lit))).(type) {
	case *types.Slice:
		if kv.Value == node {
			w.add(t.Elem())
		}
	case *types.Array:
		if kv.Value == node {
			w.add(t.Elem())
		}
	case *types.Map:
		if kv.Value == node {
			w.add(t.Elem())
		} else {
			w.add(t.Key())
		}
	case *types.Struct:
		key, ok := kv.Key.(*ast.Ident)
		if !ok || kv.Value != node {
			return
		}
		for i := range t.NumFields() {
			if t.Field(i).Name() == key.Name {
				w.add(t.Field(i).Type())
			}
		}
	}
}

// literalType is what a composite literal without its type is one of.
func literalType(t types.Type) types.Type {
	if ptr, ok := under(t).(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}

// empty reports whether anything may stand at the place.
func (w *want) empty() bool { return len(w.types) == 0 && w.is == nil && !w.typeName }

// fits ranks a value of the type for the place.
func (w *want) fits(t types.Type) int {
	best := fitNone
	if t == nil || t == types.Typ[types.Invalid] {
		return best
	}
	for _, x := range w.types {
		best = max(best, fitOf(t, x))
	}
	if w.is != nil && best < fitAssign && w.is(t) {
		best = fitAssign
	}
	if best < fitCall {
		if sig, ok := under(t).(*types.Signature); ok {
			best = max(best, w.fitsResult(sig))
		}
	}
	return best
}

// fitsResult ranks what a call gives, an error left out by script rule 2.
func (w *want) fitsResult(sig *types.Signature) int {
	r := sig.Results()
	if r.Len() == 0 || r.Len() > 2 || r.Len() == 2 && !isError(r.At(1).Type()) {
		return fitNone
	}
	t := r.At(0).Type()
	for _, x := range w.types {
		if fitOf(t, x) >= fitAssign {
			if w.called {
				return fitSame
			}
			return fitCall
		}
	}
	if w.is != nil && len(w.types) == 0 && w.is(t) {
		return fitCall
	}
	return fitNone
}

func fitOf(t, x types.Type) int {
	switch {
	case isAny(x):
		return fitNone // everything fits: that says nothing
	case types.Identical(t, x):
		return fitSame
	case types.AssignableTo(t, x) && t != types.Typ[types.UntypedNil]:
		return fitAssign
	}
	if ptr, ok := under(t).(*types.Pointer); ok && types.Identical(ptr.Elem(), x) {
		return fitNear
	}
	if ptr, ok := under(x).(*types.Pointer); ok && types.Identical(t, ptr.Elem()) {
		return fitNear
	}
	if isNumeric(t) && isNumeric(x) || isString(t) && isString(x) {
		return fitConvert
	}
	return fitNone
}

// fitsType ranks a type for the place: as a type, a conversion or a literal.
func (w *want) fitsType(t types.Type) int {
	if w.typeName {
		return fitRequired
	}
	for _, x := range w.types {
		if types.Identical(t, x) && !isAny(x) {
			return fitCall
		}
		if ptr, ok := under(x).(*types.Pointer); ok && types.Identical(t, ptr.Elem()) {
			return fitNear
		}
	}
	return fitNone
}
