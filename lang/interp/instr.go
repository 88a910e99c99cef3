package interp

import (
	"go/types"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// instr compiles one instruction of SSA form.
func (b *builder) instr(in ssa.Instruction) {
	if !inCore(in) {
		b.refuse(in.Pos(), in.String(), "the interpreter has no such operation")
	}
	switch in := in.(type) {
	case *ssa.DebugRef, *ssa.Extract, *ssa.Phi:
		// A phi is done on the edges into its block.
	case *ssa.BinOp:
		b.binOp(in)
	case *ssa.UnOp:
		b.unOp(in)
	case *ssa.Alloc:
		b.allocVar(in)
	case *ssa.Store:
		b.storeInstr(in)
	case *ssa.FieldAddr:
		b.fieldAddr(in)
	case *ssa.Field:
		b.field(in)
	case *ssa.IndexAddr:
		b.indexAddr(in)
	case *ssa.Index:
		b.index(in)
	case *ssa.Lookup:
		b.lookup(in)
	case *ssa.MapUpdate:
		b.mapUpdate(in)
	case *ssa.MakeMap:
		b.makeMap(in)
	case *ssa.MakeSlice:
		b.makeSlice(in)
	case *ssa.MakeChan:
		b.makeChan(in)
	case *ssa.MakeInterface:
		b.makeInterface(in)
	case *ssa.MakeClosure:
		b.makeClosure(in)
	case *ssa.ChangeType:
		d, x := b.regs[in], b.operand(in.X)
		b.emit(func(fr *frame) { fr.regs[d] = *fr.at(x) })
	case *ssa.ChangeInterface:
		b.changeInterface(in)
	case *ssa.TypeAssert:
		b.typeAssert(in)
	case *ssa.Convert:
		b.convert(in)
	case *ssa.SliceToArrayPointer:
		b.sliceToArray(in)
	case *ssa.Slice:
		b.slice(in)
	case *ssa.Range:
		b.rangeOver(in)
	case *ssa.Next:
		b.nextOf(in)
	case *ssa.Call:
		b.call(in)
	case *ssa.Go:
		b.goStmt(in)
	case *ssa.Defer:
		b.deferStmt(in)
	case *ssa.RunDefers:
		b.emit(func(fr *frame) {
			fr.runDefers()
			if fr.panicking {
				panic(fr.panicVal)
			}
		})
	case *ssa.Send:
		b.send(in)
	case *ssa.Select:
		b.selectStmt(in)
	case *ssa.If, *ssa.Jump, *ssa.Return, *ssa.Panic:
		b.terminator(in)
	default:
		b.refuse(in.Pos(), in.String(), "the interpreter has no such operation")
	}
}

// terminator compiles the end of a block.
func (b *builder) terminator(in ssa.Instruction) {
	blk := in.Block()
	b.blk.tpos = in.Pos()
	switch in := in.(type) {
	case *ssa.Jump:
		to := blk.Succs[0].Index
		mv := b.moves(blk, 0)
		if mv == nil {
			b.blk.term = func(*frame) int { return to }
			return
		}
		b.blk.term = func(fr *frame) int { mv(fr); return to }
	case *ssa.If:
		c := b.operand(in.Cond)
		yes, no := blk.Succs[0].Index, blk.Succs[1].Index
		m0, m1 := b.moves(blk, 0), b.moves(blk, 1)
		if m0 == nil && m1 == nil {
			b.blk.term = func(fr *frame) int {
				if uint8(fr.at(c).b) != 0 {
					return yes
				}
				return no
			}
			return
		}
		b.blk.term = func(fr *frame) int {
			if uint8(fr.at(c).b) != 0 {
				if m0 != nil {
					m0(fr)
				}
				return yes
			}
			if m1 != nil {
				m1(fr)
			}
			return no
		}
	case *ssa.Return:
		base := b.fn.resBase
		var src []int
		for _, r := range in.Results {
			src = append(src, b.operand(r))
		}
		switch len(src) {
		case 0:
			b.blk.term = func(*frame) int { return -1 }
		case 1:
			s := src[0]
			b.blk.term = func(fr *frame) int { fr.regs[base] = *fr.at(s); return -1 }
		default:
			b.blk.term = func(fr *frame) int {
				for i, s := range src {
					fr.regs[base+i] = *fr.at(s)
				}
				return -1
			}
		}
	case *ssa.Panic:
		x := b.operand(in.X)
		b.blk.term = func(fr *frame) int {
			panic(asAny((*reg0)(unsafe.Pointer(fr.at(x))), false))
		}
	}
}

// moves returns the copies that the phis of a successor take, as one
// simultaneous assignment; nil where there are none.
func (b *builder) moves(blk *ssa.BasicBlock, succ int) func(*frame) {
	to := blk.Succs[succ]
	edge := -1
	// Both arms of an If may go to one block: the edges are in order.
	nth := 0
	for i := range succ {
		if blk.Succs[i] == to {
			nth++
		}
	}
	for i, p := range to.Preds {
		if p == blk {
			if nth == 0 {
				edge = i
				break
			}
			nth--
		}
	}
	var ms []move
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		ms = append(ms, move{b.regs[phi], b.operand(phi.Edges[edge])})
	}
	if len(ms) == 0 {
		return nil
	}
	written := map[int]bool{}
	clash := false
	for _, m := range ms {
		clash = clash || written[m.src]
		written[m.dst] = true
	}
	if !clash {
		if len(ms) == 1 {
			d, s := ms[0].dst, ms[0].src
			return func(fr *frame) { fr.regs[d] = *fr.at(s) }
		}
		return func(fr *frame) {
			for _, m := range ms {
				fr.regs[m.dst] = *fr.at(m.src)
			}
		}
	}
	tmp := b.temp(len(ms))
	return func(fr *frame) {
		for i, m := range ms {
			fr.regs[tmp+i] = *fr.at(m.src)
		}
		for i, m := range ms {
			fr.regs[m.dst] = fr.regs[tmp+i]
		}
	}
}

func elemOf(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return u.Elem()
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Chan:
		return u.Elem()
	case *types.Map:
		return u.Elem()
	}
	return nil
}

func (b *builder) allocVar(in *ssa.Alloc) {
	d := b.regs[in]
	rt := abiOf(b.tm.rtype(elemOf(in.Type())))
	if in.Heap || rt.size == 0 || b.fn.defers {
		b.emit(func(fr *frame) { fr.regs[d].p = unsafeNew(rt) })
		return
	}
	// Its address stays in the frame: the memory serves the next call of the
	// function at this depth too.
	i := b.fn.locals
	b.fn.locals++
	zero := unsafeNew(rt)
	b.emit(func(fr *frame) {
		p := fr.local(i)
		if *p == nil {
			*p = unsafeNew(rt)
		} else if rt.ptrBytes == 0 {
			clear(unsafe.Slice((*byte)(*p), rt.size))
		} else {
			typedmemmove(rt, *p, zero)
		}
		fr.regs[d].p = *p
	})
}

func (b *builder) storeInstr(in *ssa.Store) {
	if f, ok := in.Addr.(*ssa.FieldAddr); ok {
		if st := elemOf(f.X.Type()).Underlying().(*types.Struct); st.Field(f.Field).Name() == "_" {
			return // a blank field of a composite literal stays zero
		}
	}
	a, x := b.operand(in.Addr), b.operand(in.Val)
	s := b.slotOf(in.Val.Type())
	switch s.c {
	case c8:
		b.emit(func(fr *frame) { *(*uint64)(fr.at(a).p) = fr.at(x).b })
	case cPtr:
		b.emit(func(fr *frame) { *(*unsafe.Pointer)(fr.at(a).p) = fr.at(x).p })
	case cBox:
		b.emit(func(fr *frame) {
			p := fr.at(a).p
			if p == nil {
				nilFault()
			}
			s.store(p, fr.at(x))
		})
	default:
		c := s.c
		b.emit(func(fr *frame) { store(c, fr.at(a).p, fr.at(x)) })
	}
}

func (b *builder) unOp(in *ssa.UnOp) {
	d, x := b.regs[in], b.operand(in.X)
	switch in.Op.String() {
	case "*":
		if b.unread[in.Pos()] && !used(in) {
			return
		}
		s := b.slotOf(in.Type())
		switch s.c {
		case c8:
			b.emit(func(fr *frame) { fr.regs[d].b = *(*uint64)(fr.at(x).p) })
		case cPtr:
			b.emit(func(fr *frame) { fr.regs[d].p = *(*unsafe.Pointer)(fr.at(x).p) })
		case cBox:
			b.emit(func(fr *frame) {
				p := fr.at(x).p
				if p == nil {
					nilFault()
				}
				s.load(&fr.regs[d], p)
			})
		default:
			c := s.c
			b.emit(func(fr *frame) { load(c, &fr.regs[d], fr.at(x).p) })
		}
	case "<-":
		b.recv(in, d, x)
	case "!":
		b.emit(func(fr *frame) { fr.regs[d].b = uint64(uint8(fr.at(x).b) ^ 1) })
	case "-", "^":
		b.emit(negation(in.Op, in.Type(), d, x))
	default:
		b.refuse(in.Pos(), in.String(), "the interpreter has no such operation")
	}
}

// used reports whether any instruction takes the value.
func used(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		if !isRef(r) {
			return true
		}
	}
	return false
}

func (b *builder) fieldAddr(in *ssa.FieldAddr) {
	d, x := b.regs[in], b.operand(in.X)
	off := b.fieldOffset(elemOf(in.X.Type()), in.Field)
	b.emit(func(fr *frame) {
		p := fr.at(x).p
		if p == nil {
			nilFault()
		}
		fr.regs[d].p = unsafe.Add(p, off)
	})
}

func (b *builder) fieldOffset(t types.Type, i int) uintptr {
	r := b.tm.rtype(t)
	if r.Kind() != reflect.Struct || i >= r.NumField() {
		b.refuse(b.pos, "a field of "+t.String(), "its compiled type differs from its description")
	}
	off := r.Field(i).Offset
	b.tm.learn(t.Underlying().(*types.Struct).Field(i).Type(), r.Field(i).Type)
	return off
}

func (b *builder) field(in *ssa.Field) {
	d, x := b.regs[in], b.operand(in.X)
	off := b.fieldOffset(in.X.Type(), in.Field)
	s := b.slotOf(in.Type())
	b.emit(func(fr *frame) { s.load(&fr.regs[d], unsafe.Add(fr.at(x).p, off)) })
}

// indexer returns a function that gives an index as a checked int.
func (b *builder) indexer(v ssa.Value) func(fr *frame, n int) int {
	x := b.operand(v)
	get, signed := intGetter(v.Type())
	if get == nil {
		return func(fr *frame, n int) int {
			i := int(fr.at(x).b)
			if uint(i) >= uint(n) {
				boundsFault(badIndex, int64(i), true, n)
			}
			return i
		}
	}
	return func(fr *frame, n int) int {
		i := get(fr.at(x))
		if uint64(i) >= uint64(n) {
			boundsFault(badIndex, i, signed, n)
		}
		return int(i)
	}
}

// intGetter returns how an integer register is read as an int64, nil for int.
func intGetter(t types.Type) (get func(*reg) int64, signed bool) {
	switch t.Underlying().(*types.Basic).Kind() {
	case types.Int8:
		return func(r *reg) int64 { return int64(int8(r.b)) }, true
	case types.Int16:
		return func(r *reg) int64 { return int64(int16(r.b)) }, true
	case types.Int32, types.UntypedRune:
		return func(r *reg) int64 { return int64(int32(r.b)) }, true
	case types.Int64:
		return func(r *reg) int64 { return int64(r.b) }, true
	case types.Uint8:
		return func(r *reg) int64 { return int64(uint8(r.b)) }, false
	case types.Uint16:
		return func(r *reg) int64 { return int64(uint16(r.b)) }, false
	case types.Uint32:
		return func(r *reg) int64 { return int64(uint32(r.b)) }, false
	case types.Uint, types.Uint64, types.Uintptr:
		return func(r *reg) int64 { return int64(r.b) }, false
	}
	return nil, true
}

func (b *builder) indexAddr(in *ssa.IndexAddr) {
	d, x := b.regs[in], b.operand(in.X)
	idx := b.indexer(in.Index)
	switch t := in.X.Type().Underlying().(type) {
	case *types.Slice:
		size := b.tm.rtype(t.Elem()).Size()
		b.emit(func(fr *frame) {
			s := fr.at(x)
			i := idx(fr, int(s.b))
			fr.regs[d].p = unsafe.Add(s.p, uintptr(i)*size)
		})
	case *types.Pointer:
		a := t.Elem().Underlying().(*types.Array)
		size, n := b.tm.rtype(a.Elem()).Size(), int(a.Len())
		b.emit(func(fr *frame) {
			p := fr.at(x).p
			if p == nil {
				nilFault()
			}
			i := idx(fr, n)
			fr.regs[d].p = unsafe.Add(p, uintptr(i)*size)
		})
	default:
		b.refuse(in.Pos(), in.String(), "the interpreter has no such operation")
	}
}

func (b *builder) index(in *ssa.Index) {
	d, x := b.regs[in], b.operand(in.X)
	idx := b.indexer(in.Index)
	switch t := in.X.Type().Underlying().(type) {
	case *types.Basic:
		b.emit(func(fr *frame) {
			s := fr.at(x)
			i := idx(fr, int(s.b))
			fr.regs[d].b = uint64(*(*byte)(unsafe.Add(s.p, i)))
		})
	case *types.Array:
		s := b.slotOf(t.Elem())
		size, n := b.tm.rtype(t.Elem()).Size(), int(t.Len())
		b.emit(func(fr *frame) {
			i := idx(fr, n)
			s.load(&fr.regs[d], unsafe.Add(fr.at(x).p, uintptr(i)*size))
		})
	default:
		b.refuse(in.Pos(), in.String(), "the interpreter has no such operation")
	}
}

func (b *builder) makeSlice(in *ssa.MakeSlice) {
	d, n, c := b.regs[in], b.operand(in.Len), b.operand(in.Cap)
	getN, _ := intGetter(in.Len.Type())
	getC, _ := intGetter(in.Cap.Type())
	t := b.tm.rtype(in.Type())
	size := t.Elem().Size()
	b.emit(func(fr *frame) {
		ln, cp := int64(fr.at(n).b), int64(fr.at(c).b)
		if getN != nil {
			ln = getN(fr.at(n))
		}
		if getC != nil {
			cp = getC(fr.at(c))
		}
		checkMake(ln, cp, size)
		fr.regs[d].set(t, cSlice, reflect.MakeSlice(t, int(ln), int(cp)))
	})
}

func (b *builder) slice(in *ssa.Slice) {
	d, x := b.regs[in], b.operand(in.X)
	bound := func(v ssa.Value) func(fr *frame) (int64, bool) {
		if v == nil {
			return nil
		}
		r := b.operand(v)
		get, signed := intGetter(v.Type())
		return func(fr *frame) (int64, bool) {
			if get == nil {
				return int64(fr.at(r).b), true
			}
			return get(fr.at(r)), signed
		}
	}
	lo, hi, mx := bound(in.Low), bound(in.High), bound(in.Max)
	// cut checks the bounds as the compiler does: max, then high, then low.
	cut := func(fr *frame, n, c int, isSlice bool) (int, int, int) {
		k, j := int64(c), int64(n)
		over := func(i int64, signed bool, most int64) bool { return uint64(i) > uint64(most) }
		if mx != nil {
			m, s := mx(fr)
			if over(m, s, k) {
				code := uint8(badSlice3Alen)
				if isSlice {
					code = badSlice3Acap
				}
				boundsFault(code, m, s, c)
			}
			k = m
			h, s := hi(fr)
			if over(h, s, k) {
				boundsFault(badSlice3B, h, s, int(k))
			}
			j = h
			if lo == nil {
				return 0, int(j), int(k)
			}
			l, s := lo(fr)
			if over(l, s, j) {
				boundsFault(badSlice3C, l, s, int(j))
			}
			return int(l), int(j), int(k)
		}
		if hi != nil {
			h, s := hi(fr)
			if over(h, s, k) {
				code := uint8(badSliceAlen)
				if isSlice {
					code = badSliceAcap
				}
				boundsFault(code, h, s, c)
			}
			j = h
		}
		if lo == nil {
			return 0, int(j), int(k)
		}
		l, s := lo(fr)
		if over(l, s, j) {
			boundsFault(badSliceB, l, s, int(j))
		}
		return int(l), int(j), int(k)
	}
	switch t := in.X.Type().Underlying().(type) {
	case *types.Basic:
		b.emit(func(fr *frame) {
			s := fr.at(x)
			p, n := s.p, int(s.b)
			i, j, _ := cut(fr, n, n, false)
			r := &fr.regs[d]
			if i == j {
				r.p, r.b = p, 0 // as the compiler: never behind the string
				return
			}
			r.p, r.b = unsafe.Add(p, i), uint64(j-i)
		})
	case *types.Slice:
		size := b.tm.rtype(t.Elem()).Size()
		b.emit(func(fr *frame) {
			s := fr.at(x)
			p, n, c := s.p, int(s.b), int(s.c)
			i, j, k := cut(fr, n, c, true)
			setSlice(&fr.regs[d], p, i, j, k, size)
		})
	case *types.Pointer:
		a := t.Elem().Underlying().(*types.Array)
		size, n := b.tm.rtype(a.Elem()).Size(), int(a.Len())
		made := false // by make with a constant capacity
		if v, ok := in.X.(*ssa.Alloc); ok && v.Comment == "makeslice" {
			made = true
		}
		b.emit(func(fr *frame) {
			p := fr.at(x).p
			if p == nil {
				nilFault()
			}
			if made && hi != nil {
				ln, signed := hi(fr)
				if !signed && ln < 0 {
					ln = -1
				}
				checkMake(ln, int64(n), size)
			}
			i, j, k := cut(fr, n, n, false)
			setSlice(&fr.regs[d], p, i, j, k, size)
		})
	default:
		b.refuse(in.Pos(), in.String(), "the interpreter has no such operation")
	}
}

// setSlice sets d to p[i:j:k]; a slice of no capacity points at p, not behind.
func setSlice(d *reg, p unsafe.Pointer, i, j, k int, size uintptr) {
	if k > i {
		p = unsafe.Add(p, uintptr(i)*size)
	}
	d.p, d.b, d.c = p, uint64(j-i), uint64(k-i)
}

func (b *builder) sliceToArray(in *ssa.SliceToArrayPointer) {
	d, x := b.regs[in], b.operand(in.X)
	n := int(elemOf(in.Type()).Underlying().(*types.Array).Len())
	b.emit(func(fr *frame) {
		s := fr.at(x)
		if int(s.b) < n {
			boundsFault(badConvert, int64(n), true, int(s.b))
		}
		fr.regs[d].p = s.p
	})
}
