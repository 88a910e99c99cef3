package interp

import (
	"go/types"
	"reflect"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

func (b *builder) makeMap(in *ssa.MakeMap) {
	d := b.regs[in]
	t := b.tm.rtype(in.Type())
	n := 0
	var get func(*reg) int64
	if in.Reserve != nil {
		n = b.operand(in.Reserve)
		get, _ = intGetter(in.Reserve.Type())
	}
	has := in.Reserve != nil
	b.emit(func(fr *frame) {
		size := 0
		if has {
			v := int64(fr.at(n).b)
			if get != nil {
				v = get(fr.at(n))
			}
			if v > 0 && v < 1<<24 {
				size = int(v)
			}
		}
		fr.regs[d].set(t, cPtr, reflect.MakeMapWithSize(t, size))
	})
}

func (b *builder) mapUpdate(in *ssa.MapUpdate) {
	m, k, v := b.operand(in.Map), b.operand(in.Key), b.operand(in.Value)
	t := b.tm.rtype(in.Map.Type())
	mt := in.Map.Type().Underlying().(*types.Map)
	ck, cv := classOf(mt.Key()), classOf(mt.Elem())
	kt, vt := t.Key(), t.Elem()
	b.emit(func(fr *frame) {
		fr.at(m).value(t, cPtr).SetMapIndex(fr.at(k).value(kt, ck), fr.at(v).value(vt, cv))
	})
}

func (b *builder) lookup(in *ssa.Lookup) {
	d, m, k := b.regs[in], b.operand(in.X), b.operand(in.Index)
	mt, ok := in.X.Type().Underlying().(*types.Map)
	if !ok {
		b.refuse(in.Pos(), in.String(), "the interpreter has no such operation")
	}
	t := b.tm.rtype(in.X.Type())
	ck, s := classOf(mt.Key()), b.slotOf(mt.Elem())
	kt, vt := t.Key(), t.Elem()
	comma := in.CommaOk
	zero := reg{}
	if s.c == cBox {
		zero.p = unsafeNew(s.rt)
	}
	b.emit(func(fr *frame) {
		v := fr.at(m).value(t, cPtr).MapIndex(fr.at(k).value(kt, ck))
		r := &fr.regs[d]
		found := v.IsValid()
		if found {
			r.set(vt, s.c, v)
		} else {
			*r = zero
		}
		if comma {
			putBool(&fr.regs[d+1], found)
		}
	})
}

// iteration is the state of a range over a map or a string.
type iteration struct {
	it  *reflect.MapIter
	s   string
	pos int
}

func (b *builder) rangeOver(in *ssa.Range) {
	d, x := b.regs[in], b.operand(in.X)
	if _, ok := in.X.Type().Underlying().(*types.Map); ok {
		t := b.tm.rtype(in.X.Type())
		b.emit(func(fr *frame) {
			// The iterator must see the map, not the register.
			m := reflect.New(t).Elem()
			m.Set(fr.at(x).value(t, cPtr))
			fr.regs[d].p = unsafe.Pointer(&iteration{it: m.MapRange()})
		})
		return
	}
	b.emit(func(fr *frame) { fr.regs[d].p = unsafe.Pointer(&iteration{s: str(fr.at(x))}) })
}

func (b *builder) nextOf(in *ssa.Next) {
	d, x := b.regs[in], b.operand(in.Iter)
	if in.IsString {
		b.emit(func(fr *frame) {
			it := (*iteration)(fr.at(x).p)
			if it.pos >= len(it.s) {
				fr.regs[d].b = 0
				return
			}
			r, n := utf8.DecodeRuneInString(it.s[it.pos:])
			fr.regs[d].b = 1
			fr.regs[d+1].b = uint64(it.pos)
			put(&fr.regs[d+2], r)
			it.pos += n
		})
		return
	}
	rt := b.tm.rtype(in.Iter.(*ssa.Range).X.Type())
	mt := in.Iter.(*ssa.Range).X.Type().Underlying().(*types.Map)
	ck, cv := classOf(mt.Key()), classOf(mt.Elem())
	kt, vt := rt.Key(), rt.Elem()
	tuple := in.Type().(*types.Tuple)
	needK := tuple.At(1).Type() != types.Typ[types.Invalid]
	needV := tuple.At(2).Type() != types.Typ[types.Invalid]
	b.emit(func(fr *frame) {
		it := (*iteration)(fr.at(x).p)
		if !it.it.Next() {
			fr.regs[d].b = 0
			return
		}
		fr.regs[d].b = 1
		if needK {
			fr.regs[d+1].set(kt, ck, it.it.Key())
		}
		if needV {
			fr.regs[d+2].set(vt, cv, it.it.Value())
		}
	})
}
