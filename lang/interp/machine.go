package interp

import (
	"go/token"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"
)

// fn is a function compiled for the machine.
type fn struct {
	name    string
	prog    *program
	params  []slot
	ptypes  []reflect.Type // of the parameters, receiver first
	results []slot
	rtypes  []reflect.Type
	nregs   int
	resBase int // registers of the results
	consts  []reg
	blocks  []block
	locals  int // variables that live in the frame
	defers  bool
	recover int // block that runs after a recovered panic, or -1
	wrapper bool
	value   unsafe.Pointer // as a func value, once it is one
}

type op func(fr *frame)

type block struct {
	ops  []op
	pos  []token.Pos // of ops
	term func(fr *frame) int
	tpos token.Pos
}

// move copies a register on an edge between blocks.
type move struct{ dst, src int }

// closure is a function and its captured variables.
type closure struct {
	fn  *fn
	env []reg
}

// frame is a call of a function.
type frame struct {
	g          *gor
	fn         *fn
	regs       []reg
	caller     *frame
	blk, ip    int
	seg, sp    int // the goroutine's, at entry
	defers     []deferred
	deferredBy *frame // the frame whose deferred call this is
	panicking  bool
	panicVal   any
	localsOf   *fn
	locals     []unsafe.Pointer // memory of variables, kept for the next call
	done       bool
}

// local returns the place of the i-th variable that lives in the frame.
func (fr *frame) local(i int) *unsafe.Pointer {
	if fr.localsOf != fr.fn {
		fr.localsOf = fr.fn
		fr.locals = make([]unsafe.Pointer, fr.fn.locals)
	}
	return &fr.locals[i]
}

func (fr *frame) at(i int) *reg {
	if i >= 0 {
		return &fr.regs[i]
	}
	return &fr.fn.consts[^i]
}

type deferred struct {
	call func(fr *frame, by *frame)
}

// gor is a goroutine of the machine: its registers, in segments that never
// move, and its frames.
type gor struct {
	run      *execution
	segs     [][]reg
	seg, sp  int
	frames   []*frame
	depth    int
	top      *frame
	trace    []Frame   // of the panic under way
	borrowed bool      // for a call from compiled code
	stack    []uintptr // the whole stack where it began, compiled code included
}

// maxDepth is where a recursion counts as endless. A call takes up to 1.5 kB of
// the goroutine's stack, so that raiseStack makes room for it.
const maxDepth = 1 << 20

// execution is one Run of a program.
type execution struct {
	prog     *program
	stop     atomic.Bool
	quit     chan struct{} // closed when the run is to end
	once     sync.Once
	err      error
	ended    atomic.Bool // Run has returned
	mainGone atomic.Bool // the entry ended by Goexit and the others go on
	// alive and asleep count goroutines of the machine, and those that wait in
	// a channel operation; see idle.go.
	alive, asleep, stirs atomic.Int64
}

// finish ends the run with err, the first time.
func (x *execution) finish(err error) {
	x.once.Do(func() {
		x.err = err
		x.stop.Store(true)
		close(x.quit)
	})
}

// unwind is panicked through the machine to end a run; nothing recovers it.
type unwind struct{}

// raiseStack lets the machine's goroutines go as deep as maxDepth. Go's own
// limit stays in force where it is higher.
var raiseStack = sync.OnceFunc(func() {
	const room = 3 << 30
	if was := debug.SetMaxStack(room); was > room {
		debug.SetMaxStack(was)
	}
})

func newGor(x *execution) *gor { return &gor{run: x} }

func (g *gor) push(f *fn) *frame {
	if g.depth >= maxDepth {
		g.overflow()
	}
	if g.run.stop.Load() {
		g.unwind()
	}
	var fr *frame
	if g.depth < len(g.frames) {
		fr = g.frames[g.depth]
	} else {
		fr = &frame{g: g}
		g.frames = append(g.frames, fr)
	}
	g.depth++
	fr.fn = f
	fr.seg, fr.sp = g.seg, g.sp
	n := f.nregs
	if g.seg >= len(g.segs) || g.sp+n > len(g.segs[g.seg]) {
		g.grow(n)
	}
	fr.regs = g.segs[g.seg][g.sp : g.sp+n : g.sp+n]
	g.sp += n
	fr.caller = g.top
	fr.blk, fr.ip = 0, 0
	g.top = fr
	return fr
}

// pop ends the frame. Its results must have been taken.
func (g *gor) pop(fr *frame) {
	clear(fr.regs)
	g.release(fr)
}

func (g *gor) release(fr *frame) {
	g.depth--
	g.seg, g.sp = fr.seg, fr.sp
	g.top = fr.caller
	fr.regs, fr.caller, fr.fn = nil, nil, nil
	fr.defers, fr.deferredBy, fr.panicVal = nil, nil, nil
	fr.panicking, fr.done = false, false
}

// grow makes the next segment current, with room for n registers.
func (g *gor) grow(n int) {
	if g.seg < len(g.segs) {
		g.seg++
	}
	g.sp = 0
	size := max(n, min(256<<g.seg, 1<<14))
	if g.seg == len(g.segs) {
		g.segs = append(g.segs, make([]reg, size))
	} else if len(g.segs[g.seg]) < n {
		g.segs = append(g.segs[:g.seg], make([]reg, size))
	}
}

// exec runs the frame from the block on.
func (fr *frame) exec(b int) {
	f := fr.fn
	for {
		blk := &f.blocks[b]
		fr.blk = b
		for i, o := range blk.ops {
			fr.ip = i
			o(fr)
		}
		fr.ip = len(blk.ops)
		n := blk.term(fr)
		if n < 0 {
			return
		}
		if n <= b && fr.g.run.stop.Load() {
			fr.g.unwind()
		}
		b = n
	}
}

// run executes a frame whose parameters are set.
func (fr *frame) run() {
	if !fr.fn.defers {
		fr.exec(0)
		return
	}
	fr.runDeferring()
}

// runDeferring executes a function that defers calls.
func (fr *frame) runDeferring() {
	if fr.protect(0) {
		return
	}
	if r := fr.fn.recover; r >= 0 {
		fr.exec(r)
		return
	}
	for i, s := range fr.fn.results {
		d := &fr.regs[fr.fn.resBase+i]
		*d = reg{}
		if s.c == cBox {
			d.p = unsafeNew(s.rt)
		}
	}
}

// protect executes the frame's body and reports whether it returned; else a
// panic was recovered.
func (fr *frame) protect(b int) bool {
	fr.done = false
	defer func() {
		if fr.done {
			return
		}
		r := recover()
		if isUnwind(r) {
			panic(r)
		}
		if r == nil && fr.g.run.stop.Load() {
			return // the run is over
		}
		fr.caught(r)
		fr.panicking, fr.panicVal = r != nil, r
		fr.runDefers()
		if fr.panicking {
			panic(fr.panicVal)
		}
	}()
	fr.exec(b)
	if len(fr.defers) > 0 { // of loops over functions
		fr.runDefers()
		if fr.panicking {
			panic(fr.panicVal)
		}
	}
	fr.done = true
	return true
}

// unwind leaves the machine for good. Where compiled code lies in between, it
// must not see a panic: the goroutine may be its own.
func (g *gor) unwind() {
	if g.borrowed {
		runtime.Goexit()
	}
	panic(unwind{})
}

func isUnwind(r any) bool {
	_, ok := r.(unwind)
	return ok
}

// caught notes where a panic began, and makes fr the top frame again.
func (fr *frame) caught(r any) {
	g := fr.g
	if r != nil && g.trace == nil {
		g.trace = g.stackTrace()
		g.stack = callers()
	}
	for g.top != fr && g.top != nil {
		t := g.top
		clear(t.regs)
		g.release(t)
	}
}

// callers returns the program counters of the calling goroutine.
func callers() []uintptr {
	pcs := make([]uintptr, 256)
	return pcs[:runtime.Callers(3, pcs)]
}

// runDefers calls what the frame has deferred, last first.
func (fr *frame) runDefers() {
	for len(fr.defers) > 0 {
		n := len(fr.defers) - 1
		d := fr.defers[n]
		fr.defers = fr.defers[:n]
		fr.callDeferred(d)
	}
}

func (fr *frame) callDeferred(d deferred) {
	ok := false
	defer func() {
		if ok {
			return
		}
		r := recover()
		if isUnwind(r) {
			panic(r)
		}
		if r == nil && fr.g.run.stop.Load() {
			return // the run is over
		}
		if r != nil {
			fr.g.trace = nil
		}
		fr.caught(r)
		fr.panicking, fr.panicVal = r != nil, r
		if r == nil { // Goexit
			fr.runDefers()
		}
	}()
	if debugPanics {
		defer func() {
			if r := recover(); r != nil {
				println(string(debug.Stack()))
				panic(r)
			}
		}()
	}
	d.call(fr, fr)
	ok = true
}

// doRecover is the builtin recover, called by fr's function.
func (fr *frame) doRecover() any {
	by := fr.deferredBy
	if by == nil || !by.panicking {
		return nil
	}
	v := by.panicVal
	by.panicking, by.panicVal = false, nil
	fr.g.trace = nil
	return v
}

// stackTrace returns the active functions, innermost first.
func (g *gor) stackTrace() []Frame {
	var fs []Frame
	for fr := g.top; fr != nil && len(fs) < 100; fr = fr.caller {
		if fr.fn.wrapper {
			continue
		}
		pos := token.NoPos
		if fr.blk < len(fr.fn.blocks) {
			b := &fr.fn.blocks[fr.blk]
			pos = b.tpos
			if fr.ip < len(b.pos) {
				pos = b.pos[fr.ip]
			}
		}
		f := Frame{Func: fr.fn.name}
		if pos.IsValid() {
			f.Pos = fr.fn.prog.fset.Position(pos)
		}
		fs = append(fs, f)
	}
	return fs
}

// overflow ends the run as Go ends a process whose stack is exhausted.
func (g *gor) overflow() {
	g.run.finish(&Fatal{Text: "stack overflow", Frames: g.stackTrace()})
	g.unwind()
}

// start calls f with no arguments as the first function of a goroutine and
// reports how it ended: nil, a *Panic, Goexit or errUnwound.
func (g *gor) start(call func()) (err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		r := recover()
		if debugPanics && r != nil {
			panic(r)
		}
		switch {
		case r == nil:
			err = Goexit
		case isUnwind(r):
			err = errUnwound
		default:
			tr := g.trace
			if tr == nil {
				tr = g.stackTrace()
				g.stack = callers()
			}
			err = &Panic{Value: r, Frames: tr, Stack: g.stack}
		}
	}()
	call()
	returned = true
	return nil
}

type unwoundError struct{}

func (unwoundError) Error() string { return "interp: the run was ended" }

var errUnwound error = unwoundError{}

// spawn runs call on a new goroutine of the machine.
func (x *execution) spawn(call func(g *gor)) {
	x.alive.Add(1)
	go x.goroutine(call)
}

// guarded runs call on a goroutine that compiled code started.
func (x *execution) guarded(call func(g *gor)) {
	x.alive.Add(1)
	x.goroutine(call)
}

func (x *execution) goroutine(call func(g *gor)) {
	func() {
		g := newGor(x)
		err := Goexit
		defer func() {
			left := x.alive.Add(-1)
			p, ok := err.(*Panic)
			if !ok {
				if left == 0 && x.mainGone.Load() {
					x.finish(&Fatal{Text: goexitDeadlock})
				}
				return
			}
			p.Goroutine = true
			if x.ended.Load() {
				if b := x.prog.opt.Background; b != nil {
					b(p)
				}
				return
			}
			x.finish(p)
		}()
		err = g.start(func() { call(g) })
	}()
}

// call runs f with the registers as arguments and returns the frame, whose
// results the caller takes before it pops it.
func (g *gor) call(f *fn, args []reg, env []reg, by *frame) *frame {
	fr := g.push(f)
	n := copy(fr.regs, args)
	copy(fr.regs[n:], env)
	fr.deferredBy = by
	fr.run()
	return fr
}

// callBack is a call of f from compiled code.
func (f *fn) callBack(env []reg, args []reflect.Value) []reflect.Value {
	x := f.prog.current()
	g := x.borrow()
	fr := g.push(f)
	for i, a := range args {
		fr.regs[i].set(f.ptypes[i], f.params[i].c, a)
	}
	copy(fr.regs[len(args):], env)
	fr.run()
	out := make([]reflect.Value, len(f.results))
	for i, s := range f.results {
		v := reflect.New(f.rtypes[i]).Elem()
		v.Set(fr.regs[f.resBase+i].value(f.rtypes[i], s.c))
		out[i] = v
	}
	g.pop(fr)
	x.giveBack(g)
	return out
}

var gors = sync.Pool{New: func() any { return new(gor) }}

func (x *execution) borrow() *gor {
	g := gors.Get().(*gor)
	g.run, g.borrowed = x, true
	return g
}

func (x *execution) giveBack(g *gor) {
	g.run, g.trace = nil, nil
	gors.Put(g)
}
