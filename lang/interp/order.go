package interp

import (
	"go/ast"
	"go/token"
	"go/types"
	"sort"

	"golang.org/x/tools/go/ssa"
)

// Go leaves open when a variable is read that a call in the same statement
// changes, as in x + f(). The compiler has an order all the same: calls and
// receives go first, from left to right, and everything else waits until a
// call, or the end of the statement, needs it. Programs depend on it without
// knowing. The SSA form reads variables where they stand; schedule moves its
// instructions to where the compiler has them
// (cmd/compile/internal/walk, order.go).

// regions are the statements, and the headers of compound statements, of one
// function: disjoint, in order.
type regions []region

type region struct{ from, to token.Pos }

func regionsOf(n ast.Node) regions {
	var rs regions
	add := func(n ast.Node) {
		rs = append(rs, region{n.Pos(), n.End()})
	}
	addAll := func(list []ast.Expr) {
		for _, e := range list {
			add(e)
		}
	}
	var body ast.Node
	switch n := n.(type) {
	case *ast.FuncDecl:
		body = n.Body
	case *ast.FuncLit:
		body = n.Body
	case *ast.RangeStmt:
		body = n.Body
	default:
		return nil
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt, *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.ReturnStmt:
			add(n)
			return false
		case *ast.ValueSpec:
			add(n)
			return false
		case *ast.IfStmt:
			add(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				add(n.Cond)
			}
		case *ast.RangeStmt:
			add(n.X)
		case *ast.SwitchStmt:
			if n.Tag != nil {
				add(n.Tag)
			}
		case *ast.CaseClause:
			addAll(n.List)
		}
		return true
	})
	sort.Slice(rs, func(i, j int) bool { return rs[i].from < rs[j].from })
	return rs
}

// of returns the number of the region that pos lies in, or -1.
func (rs regions) of(pos token.Pos) int {
	i := sort.Search(len(rs), func(i int) bool { return rs[i].from > pos }) - 1
	if i >= 0 && pos < rs[i].to {
		return i
	}
	return -1
}

// schedule returns the block's instructions in the compiler's order.
func (b *builder) schedule(rs regions, blk *ssa.BasicBlock) []ssa.Instruction {
	calls := 0
	for _, in := range blk.Instrs {
		switch in := in.(type) {
		case *ssa.Call:
			calls++
		case *ssa.UnOp:
			if in.Op == token.ARROW {
				calls++
			}
		}
	}
	if rs == nil || calls == 0 && !b.logical && len(b.sched.carried[blk]) == 0 {
		return blk.Instrs
	}
	// The region of an instruction is that of its position, or else of the
	// next one that has any: an expression's debug reference follows it.
	at := make([]int, len(blk.Instrs))
	last := -1
	for i := len(blk.Instrs) - 1; i >= 0; i-- {
		pos := blk.Instrs[i].Pos()
		if d, ok := blk.Instrs[i].(*ssa.DebugRef); ok {
			pos = d.Expr.Pos()
		}
		if pos.IsValid() {
			if r := rs.of(pos); r >= 0 {
				last = r
			}
		}
		at[i] = last
	}
	for i := 1; i < len(at); i++ {
		if at[i] < 0 {
			at[i] = at[i-1]
		}
	}
	s := &scheduler{sched: b.sched, blk: blk, waiting: map[ssa.Instruction]bool{}, index: map[ssa.Instruction]int{}}
	for i, in := range b.sched.carried[blk] {
		s.index[in] = i - len(b.sched.carried[blk])
		s.waiting[in] = true
		s.order = append(s.order, in)
	}
	for i, in := range blk.Instrs {
		s.index[in] = i
		if i > 0 && at[i] != at[i-1] {
			s.flush()
		}
		s.region = at[i]
		switch v := in.(type) {
		case *ssa.Alloc:
			s.sched.literals[v] = at[i]
		case *ssa.MakeMap:
			s.sched.literals[v] = at[i]
		case *ssa.Phi:
			s.out = append(s.out, in)
			continue
		}
		switch {
		case isRef(in):
		case s.waits(in):
			s.waiting[in] = true
			s.order = append(s.order, in)
		case s.isJump(in):
			s.needs(in)
			s.carry()
			s.flush()
			s.out = append(s.out, in)
		case s.isBarrier(in):
			s.flush()
			s.out = append(s.out, in)
		default:
			s.needs(in)
			s.out = append(s.out, in)
			if c, ok := in.(*ssa.Call); ok && !isBuiltin(c) {
				for w := range s.waiting {
					if undecided(w) {
						refuseOrder(c.Pos())
					}
				}
			}
		}
	}
	s.flush()
	return s.out
}

func refuseOrder(pos token.Pos) {
	panic(&Refusal{Pos: pos, Construct: "a call beside a variable that it may change", Why: "the compiler's order depends on what it inlines; give the call a statement of its own"})
}

func isBuiltin(c *ssa.Call) bool {
	_, ok := c.Call.Value.(*ssa.Builtin)
	return ok
}

// undecided reports whether in copies a local variable of a type for which the
// compiler takes a copy at once if it inlines every closure that has the
// variable, and else does not (addrTemp in walk/order.go).
func undecided(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.MakeInterface:
		return needsAddr(in.X.Type()) && changedInClosure(in.X)
	case *ssa.BinOp:
		return classOf(in.X.Type()) == cBox && (changedInClosure(in.X) || changedInClosure(in.Y))
	}
	return false
}

// changedInClosure reports whether v is the content of a local variable, of a
// type that fits in registers, which a closure assigns.
func changedInClosure(v ssa.Value) bool {
	l, ok := v.(*ssa.UnOp)
	if !ok || l.Op != token.MUL {
		return false
	}
	if a, ok := v.Type().Underlying().(*types.Array); ok && a.Len() > 1 {
		return false
	}
	a := rootOf(l.X)
	if a == nil {
		return false
	}
	for _, r := range *a.Referrers() {
		mc, ok := r.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		for i, x := range mc.Bindings {
			if x == a && stores(mc.Fn.(*ssa.Function).FreeVars[i], 0) {
				return true
			}
		}
	}
	return false
}

// stores reports whether a closure may assign the variable that p points to.
func stores(p ssa.Value, depth int) bool {
	for _, r := range *p.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.FieldAddr:
			if depth > 5 || stores(r, depth+1) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// schedules is what the blocks of a function share.
type schedules struct {
	carried  map[*ssa.BasicBlock][]ssa.Instruction // what waits when a block begins
	literals map[ssa.Value]int                     // the statement of each literal
}

// isJump reports whether in ends a part of an && or || expression.
func (s *scheduler) isJump(in ssa.Instruction) bool {
	switch in.(type) {
	case *ssa.If, *ssa.Jump:
		return true
	}
	return false
}

// carry leaves what waits, and is not needed before the end of an && or ||
// expression, to the block where that ends.
func (s *scheduler) carry() {
	if len(s.waiting) == 0 {
		return
	}
	for _, in := range s.order {
		if !s.waiting[in] {
			continue
		}
		d := s.target(in)
		if d != nil && undecided(in) {
			refuseOrder(in.Pos())
		}
		if d == nil {
			s.place(in)
			continue
		}
		delete(s.waiting, in)
		s.sched.carried[d] = append(s.sched.carried[d], in)
	}
}

// target returns the end of an && or || expression that begins with this block
// and that all uses of in come after, or nil.
func (s *scheduler) target(in ssa.Instruction) *ssa.BasicBlock {
	for _, d := range s.blk.Parent().Blocks {
		if d.Comment == "binop.done" && d != s.blk && s.blk.Dominates(d) && s.usedAfter(in, d, 0) {
			return d
		}
	}
	return nil
}

func (s *scheduler) usedAfter(in ssa.Instruction, d *ssa.BasicBlock, depth int) bool {
	if depth > 50 {
		return false
	}
	var refs []ssa.Instruction
	if st, ok := in.(*ssa.Store); ok {
		for _, r := range *rootOf(st.Addr).Referrers() {
			switch r.(type) {
			case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Store:
			default:
				refs = append(refs, r)
			}
		}
	} else if v, ok := in.(ssa.Value); ok {
		refs = *v.Referrers()
	} else {
		return false
	}
	for _, r := range refs {
		switch {
		case isRef(r):
		case s.waiting[r]:
			if !s.usedAfter(r, d, depth+1) {
				return false
			}
		default:
			if _, ok := r.(*ssa.Phi); ok || !d.Dominates(r.Block()) {
				return false
			}
		}
	}
	return true
}

func isRef(in ssa.Instruction) bool {
	_, ok := in.(*ssa.DebugRef)
	return ok
}

type scheduler struct {
	sched   *schedules
	blk     *ssa.BasicBlock
	region  int
	out     []ssa.Instruction
	order   []ssa.Instruction        // what waits, or did
	waiting map[ssa.Instruction]bool // what waits
	index   map[ssa.Instruction]int
}

// flush places all that waits.
func (s *scheduler) flush() {
	for _, in := range s.order {
		s.place(in)
	}
	s.order = s.order[:0]
}

// place puts a waiting instruction, and what it needs first, in the output.
func (s *scheduler) place(in ssa.Instruction) {
	if !s.waiting[in] {
		return
	}
	delete(s.waiting, in)
	s.needs(in)
	s.out = append(s.out, in)
}

// needs places what in depends on: its operands, and what initialises the
// literals that they are.
func (s *scheduler) needs(in ssa.Instruction) {
	var rands [8]*ssa.Value
	for _, r := range in.Operands(rands[:0]) {
		if *r == nil {
			continue
		}
		v, ok := (*r).(ssa.Instruction)
		if !ok {
			continue
		}
		s.place(v)
		if st, ok := in.(*ssa.Store); ok && *r == st.Addr && isInit(in) {
			continue
		}
		s.initialise(*r, in)
	}
}

// initialise places the waiting stores into the literal that v is the address
// of, or points into.
func (s *scheduler) initialise(v ssa.Value, user ssa.Instruction) {
	if len(s.waiting) == 0 {
		return
	}
	root := rootOf(v)
	if root == nil {
		return
	}
	switch user.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr:
		return // no use of the content yet
	}
	for _, in := range s.order {
		if st, ok := in.(*ssa.Store); ok && s.waiting[in] && rootOf(st.Addr) == root && s.index[in] < s.index[user] {
			s.place(in)
		}
	}
}

// rootOf returns the variable of a literal that v is an address in.
func rootOf(v ssa.Value) *ssa.Alloc {
	for {
		switch x := v.(type) {
		case *ssa.Alloc:
			return x
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		default:
			return nil
		}
	}
}

// isInit reports whether in is a store that initialises a literal.
func isInit(in ssa.Instruction) bool {
	st, ok := in.(*ssa.Store)
	return ok && isLiteral(rootOf(st.Addr))
}

func isLiteral(a *ssa.Alloc) bool {
	if a == nil {
		return false
	}
	switch a.Comment {
	case "complit", "slicelit", "varargs":
		return true
	}
	return false
}

// waits reports whether the compiler leaves the instruction until it is
// needed.
func (s *scheduler) waits(in ssa.Instruction) bool {
	if v, ok := in.(ssa.Value); ok && !isVarLoad(v) && copied(v) {
		return false
	}
	switch in := in.(type) {
	case *ssa.UnOp:
		// A load for nothing checks a pointer, where it stands.
		return in.Op != token.ARROW && used(in)
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Field, *ssa.Index, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeClosure:
		return true
	case *ssa.Lookup:
		return !in.CommaOk
	case *ssa.BinOp:
		if classOf(in.X.Type()) == cBox {
			// What is no variable is copied where it stands.
			for _, v := range []ssa.Value{in.X, in.Y} {
				if i, ok := v.(ssa.Instruction); ok && !isVarLoad(v) {
					s.place(i)
				}
			}
		}
		return true
	case *ssa.Convert:
		_, toSlice := in.Type().Underlying().(*types.Slice)
		return !toSlice
	case *ssa.MakeInterface:
		return !needsAddr(in.X.Type()) || isVarLoad(in.X)
	case *ssa.TypeAssert:
		return !in.CommaOk && classOf(in.AssertedType) == cPtr
	case *ssa.Slice:
		return isLiteral(rootOf(in.X))
	case *ssa.Store:
		a := rootOf(in.Addr)
		return isLiteral(a) && s.here(a)
	}
	return false
}

// copied reports whether v becomes an interface by way of a copy, which is
// taken as soon as v is known.
func copied(v ssa.Value) bool {
	if v.Referrers() == nil {
		return false
	}
	for _, r := range *v.Referrers() {
		if m, ok := r.(*ssa.MakeInterface); ok && needsAddr(m.X.Type()) {
			return true
		}
	}
	return false
}

// here reports whether a literal belongs to the present statement.
func (s *scheduler) here(v ssa.Value) bool {
	r, ok := s.sched.literals[v]
	return ok && r == s.region
}

// isVarLoad reports whether v is the content of a variable, or of a part of
// one.
func isVarLoad(v ssa.Value) bool {
	l, ok := v.(*ssa.UnOp)
	return ok && l.Op == token.MUL && !isLiteral(rootOf(l.X))
}

// isBarrier reports whether all that waits must be done before in: it ends the
// evaluation of a statement.
func (s *scheduler) isBarrier(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Store:
		return true
	case *ssa.MapUpdate:
		m, ok := in.Map.(*ssa.MakeMap)
		return !ok || !s.here(m)
	case *ssa.Send, *ssa.Return, *ssa.Panic, *ssa.RunDefers, *ssa.Select:
		return true
	}
	return false
}

// needsAddr reports whether the compiler copies a value of the type before it
// makes an interface of it (dataWordFuncName in walk/convert.go).
func needsAddr(t types.Type) bool {
	switch classOf(t) {
	case cString, cSlice, c2, c4, c8:
		b, ok := t.Underlying().(*types.Basic)
		return ok && b.Kind() == types.Complex64
	case cEface, cIface:
		return false
	case cBox:
		sole := soleComponent(t)
		if c := classOf(sole); c == cString || c == cSlice {
			return false
		}
		sizes := types.SizesFor("gc", "amd64")
		size, align := sizes.Sizeof(t), sizes.Alignof(t)
		if size == 2 && align == 2 {
			return false
		}
		return !((size == 4 && align == 4 || size == 8 && align == 8) && !hasPointers(t))
	}
	return true
}

// soleComponent is the type that a struct or array of one element comes down
// to.
func soleComponent(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if u.NumFields() == 1 {
			return soleComponent(u.Field(0).Type())
		}
	case *types.Array:
		if u.Len() == 1 {
			return soleComponent(u.Elem())
		}
	}
	return t
}

func hasPointers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer
	case *types.Array:
		return u.Len() > 0 && hasPointers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if hasPointers(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}
