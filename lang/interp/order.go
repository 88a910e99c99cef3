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
	if calls == 0 || rs == nil {
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
	s := &scheduler{blk: blk, waiting: map[ssa.Instruction]bool{}, index: map[ssa.Instruction]int{}}
	for i, in := range blk.Instrs {
		s.index[in] = i
		if i > 0 && at[i] != at[i-1] {
			s.flush()
		}
		switch {
		case isRef(in):
		case s.waits(in):
			s.waiting[in] = true
			s.order = append(s.order, in)
		case isBarrier(in, s):
			s.flush()
			s.out = append(s.out, in)
		default:
			s.needs(in)
			s.out = append(s.out, in)
		}
	}
	s.flush()
	return s.out
}

func isRef(in ssa.Instruction) bool {
	_, ok := in.(*ssa.DebugRef)
	return ok
}

type scheduler struct {
	blk     *ssa.BasicBlock
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
	switch in := in.(type) {
	case *ssa.UnOp:
		// A load for nothing checks a pointer, where it stands.
		return in.Op != token.ARROW && used(in)
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Field, *ssa.Index, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeClosure:
		return true
	case *ssa.Lookup:
		return !in.CommaOk
	case *ssa.BinOp:
		return classOf(in.X.Type()) != cBox
	case *ssa.Convert:
		_, toSlice := in.Type().Underlying().(*types.Slice)
		return !toSlice
	case *ssa.MakeInterface:
		return !needsAddr(in.X.Type())
	case *ssa.TypeAssert:
		return !in.CommaOk && classOf(in.AssertedType) == cPtr
	case *ssa.Slice:
		return isLiteral(rootOf(in.X))
	case *ssa.Store:
		a := rootOf(in.Addr)
		return isLiteral(a) && a.Block() == s.blk
	}
	return false
}

// isBarrier reports whether all that waits must be done before in: it ends the
// evaluation of a statement.
func isBarrier(in ssa.Instruction, s *scheduler) bool {
	switch in := in.(type) {
	case *ssa.Store:
		return true
	case *ssa.MapUpdate:
		m, ok := in.Map.(*ssa.MakeMap)
		return !ok || m.Block() != s.blk
	case *ssa.Send, *ssa.If, *ssa.Jump, *ssa.Return, *ssa.Panic, *ssa.RunDefers, *ssa.Select:
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
