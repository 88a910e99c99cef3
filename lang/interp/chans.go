package interp

import (
	"go/types"
	"reflect"

	"golang.org/x/tools/go/ssa"
)

func (b *builder) makeChan(in *ssa.MakeChan) {
	d, n := b.regs[in], b.operand(in.Size)
	get, _ := intGetter(in.Size.Type())
	t := b.tm.rtype(in.Type())
	// MakeChan wants a channel of both directions.
	both := reflect.ChanOf(reflect.BothDir, t.Elem())
	b.emit(func(fr *frame) {
		size := int64(fr.at(n).b)
		if get != nil {
			size = get(fr.at(n))
		}
		if size < 0 || uint64(size) > 1<<46/uint64(max(t.Elem().Size(), 1)) {
			size = -1
			sinkChan = make(chan byte, size) // panics
		}
		v := reflect.MakeChan(both, int(size))
		fr.regs[d].p = v.UnsafePointer()
	})
}

var sinkChan chan byte

func (b *builder) send(in *ssa.Send) {
	ch, x := b.operand(in.Chan), b.operand(in.X)
	t := b.tm.rtype(in.Chan.Type())
	c := classOf(in.X.Type())
	et := t.Elem()
	b.emit(func(fr *frame) {
		cv, v := fr.at(ch).value(t, cPtr), fr.at(x).value(et, c)
		if cv.TrySend(v) {
			return
		}
		fr.g.wait([]reflect.SelectCase{{Dir: reflect.SelectSend, Chan: cv, Send: v}})
	})
}

func (b *builder) recv(in *ssa.UnOp, d, x int) {
	t := b.tm.rtype(in.X.Type())
	et := t.Elem()
	c := classOf(elemOf(in.X.Type()))
	ok := in.CommaOk
	b.emit(func(fr *frame) {
		cv := fr.at(x).value(t, cPtr)
		v, got := cv.TryRecv()
		if !v.IsValid() {
			_, v, got = fr.g.wait([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: cv}})
		}
		fr.regs[d].set(et, c, v)
		if ok {
			putBool(&fr.regs[d+1], got)
		}
	})
}

func (b *builder) selectStmt(in *ssa.Select) {
	d := b.regs[in]
	type state struct {
		ch, x int
		t, et reflect.Type
		c     class
		send  bool
		out   int
		zero  reg
	}
	var states []state
	out := d + 2
	for _, s := range in.States {
		st := state{ch: b.operand(s.Chan), t: b.tm.rtype(s.Chan.Type()), send: s.Dir == types.SendOnly}
		st.et, st.c = st.t.Elem(), classOf(elemOf(s.Chan.Type()))
		if st.send {
			st.x = b.operand(s.Send)
		} else {
			st.out = out
			out++
			if st.c == cBox {
				st.zero.p = reflect.New(st.et).UnsafePointer()
			}
		}
		states = append(states, st)
	}
	blocking := in.Blocking
	b.emit(func(fr *frame) {
		cases := make([]reflect.SelectCase, len(states), len(states)+1)
		for i, s := range states {
			cases[i] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: fr.at(s.ch).value(s.t, cPtr)}
			if s.send {
				cases[i].Dir, cases[i].Send = reflect.SelectSend, fr.at(s.x).value(s.et, s.c)
			} else {
				fr.regs[s.out] = s.zero
			}
		}
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectDefault})
		i, v, ok := reflect.Select(cases)
		if i == len(states) {
			i = -1
			if blocking {
				i, v, ok = fr.g.wait(cases[:len(states)])
			}
		}
		fr.regs[d].b = uint64(i)
		putBool(&fr.regs[d+1], ok)
		if i >= 0 && !states[i].send {
			s := states[i]
			fr.regs[s.out].set(s.et, s.c, v)
		}
	})
}

// wait blocks until a case is ready or the run ends.
func (g *gor) wait(cases []reflect.SelectCase) (int, reflect.Value, bool) {
	x := g.run
	cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(x.quit)})
	x.sleep()
	i, v, ok := reflect.Select(cases)
	x.asleep.Add(-1)
	x.stirs.Add(1)
	if i == len(cases)-1 {
		g.unwind()
	}
	return i, v, ok
}
