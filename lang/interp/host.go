package interp

import (
	"log"
	"os"
	"reflect"
	"sync"
	"time"
	"unsafe"
)

// refused are the compiled functions that would answer about the interpreter
// instead of the unit, with the reason for the user.
var refused = map[string]string{
	"log.Lshortfile":                 "the interpreter's own stack is not the program's",
	"log.Llongfile":                  "the interpreter's own stack is not the program's",
	"log/slog.AddSource":             "the interpreter's own stack is not the program's",
	"runtime.Caller":                 "the interpreter's own stack is not the program's",
	"runtime.Callers":                "the interpreter's own stack is not the program's",
	"runtime.CallersFrames":          "the interpreter's own stack is not the program's",
	"runtime.FuncForPC":              "interpreted functions have no program counter",
	"runtime.Stack":                  "the interpreter's own stack is not the program's",
	"runtime.NumGoroutine":           "the interpreter's own goroutines would be counted",
	"runtime.GoroutineProfile":       "the interpreter's own goroutines would be counted",
	"runtime.ReadMemStats":           "the interpreter's own memory would be counted",
	"runtime.MemProfile":             "the interpreter's own memory would be counted",
	"runtime.SetFinalizer":           "the interpreter keeps values alive longer than compiled code does",
	"runtime.AddCleanup":             "the interpreter keeps values alive longer than compiled code does",
	"runtime.LockOSThread":           "goroutines of the interpreter are not bound to threads",
	"runtime.Breakpoint":             "it stops the interpreter",
	"runtime/debug.Stack":            "the interpreter's own stack is not the program's",
	"runtime/debug.PrintStack":       "the interpreter's own stack is not the program's",
	"runtime/debug.SetMaxStack":      "it would limit the interpreter",
	"runtime/debug.SetPanicOnFault":  "it would change the interpreter",
	"runtime/debug.SetTraceback":     "it would change the interpreter",
	"runtime/debug.WriteHeapDump":    "it would dump the interpreter",
	"runtime/debug.ReadBuildInfo":    "it would describe the interpreter",
	"testing.AllocsPerRun":           "the interpreter's own allocations would be counted",
	"testing.Benchmark":              "the interpreter would be measured",
	"testing.Main":                   "there is no test binary",
	"testing.MainStart":              "there is no test binary",
	"syscall.Exec":                   "it would replace the interpreter",
	"syscall.Exit":                   "it would end the session",
	"syscall.Kill":                   "it may end the session",
	"syscall.RawSyscall":             "it may end the session",
	"syscall.Mmap":                   "its memory is not Go's",
	"syscall.Mprotect":               "its memory is not Go's",
	"os/signal.Notify":               "the session's own signals would be taken",
	"os.Executable":                  "it would name the interpreter",
	"reflect.Value.UnsafeAddr":       "addresses of registers are not those of variables",
	"unique.Make":                    "the interpreter has no such type",
	"reflect.Value.InterfaceData":    "the interpreter cannot show interface words",
	"plugin.Open":                    "plugins need a toolchain",
	"runtime/debug.SetMemoryLimit":   "it would change the interpreter",
	"runtime/debug.ReadGCStats":      "the interpreter's own memory would be counted",
	"runtime.SetCPUProfileRate":      "it would change the interpreter",
	"runtime.MutexProfile":           "the interpreter would be profiled",
	"runtime.BlockProfile":           "the interpreter would be profiled",
	"runtime/pprof.StartCPUProfile":  "the interpreter would be profiled",
	"runtime/pprof.WriteHeapProfile": "the interpreter would be profiled",
	"runtime/pprof.Lookup":           "the interpreter would be profiled",
	"runtime/trace.Start":            "the interpreter would be traced",
}

// hostFuncs are the compiled functions that a run must do itself: they would
// end the process, or not end with the run.
var hostFuncs = map[string]callee{
	"os.Exit": func(g *gor, a []reg, _ *frame, _ []reg) { g.exit(int(a[0].b)) },
	"time.Sleep": func(g *gor, a []reg, _ *frame, _ []reg) {
		t := time.NewTimer(time.Duration(a[0].b))
		defer t.Stop()
		select {
		case <-t.C:
		case <-g.run.quit:
			g.unwind()
		}
	},
	// A func value's code is the same for all functions of the machine; what
	// tells two apart is the function.
	"reflect.Value.Pointer": func(_ *gor, a []reg, _ *frame, out []reg) {
		v := *(*reflect.Value)(a[0].p)
		if v.Kind() == reflect.Func && !v.IsNil() {
			if c := closureOf(funcPointer(v)); c != nil {
				out[0].b = uint64(uintptr(unsafe.Pointer(c.fn)))
				return
			}
		}
		out[0].b = uint64(v.Pointer())
	},
	"time.AfterFunc": func(g *gor, a []reg, _ *frame, out []reg) {
		x, f := g.run, a[1].p
		out[0].p = unsafe.Pointer(time.AfterFunc(time.Duration(a[0].b), func() { x.guarded(func(g *gor) { g.callFunc(f) }) }))
	},
	"sync.WaitGroup.Go": func(g *gor, a []reg, _ *frame, _ []reg) {
		w, f := (*sync.WaitGroup)(a[0].p), a[1].p
		w.Add(1)
		g.run.spawn(func(g *gor) {
			defer w.Done()
			g.callFunc(f)
		})
	},
	"sync.Mutex.Lock":      func(_ *gor, a []reg, _ *frame, _ []reg) { (*sync.Mutex)(a[0].p).Lock() },
	"sync.Mutex.Unlock":    func(_ *gor, a []reg, _ *frame, _ []reg) { (*sync.Mutex)(a[0].p).Unlock() },
	"sync.RWMutex.Lock":    func(_ *gor, a []reg, _ *frame, _ []reg) { (*sync.RWMutex)(a[0].p).Lock() },
	"sync.RWMutex.Unlock":  func(_ *gor, a []reg, _ *frame, _ []reg) { (*sync.RWMutex)(a[0].p).Unlock() },
	"sync.RWMutex.RLock":   func(_ *gor, a []reg, _ *frame, _ []reg) { (*sync.RWMutex)(a[0].p).RLock() },
	"sync.RWMutex.RUnlock": func(_ *gor, a []reg, _ *frame, _ []reg) { (*sync.RWMutex)(a[0].p).RUnlock() },
	"log.Fatal": func(g *gor, a []reg, _ *frame, _ []reg) {
		log.Print(*(*[]any)(unsafe.Pointer(&a[0].p))...)
		g.exit(1)
	},
	"log.Fatalln": func(g *gor, a []reg, _ *frame, _ []reg) {
		log.Println(*(*[]any)(unsafe.Pointer(&a[0].p))...)
		g.exit(1)
	},
	"log.Fatalf": func(g *gor, a []reg, _ *frame, _ []reg) {
		log.Printf(str(&a[0]), *(*[]any)(unsafe.Pointer(&a[1].p))...)
		g.exit(1)
	},
	"log.Logger.Fatal": func(g *gor, a []reg, _ *frame, _ []reg) {
		(*log.Logger)(a[0].p).Print(*(*[]any)(unsafe.Pointer(&a[1].p))...)
		g.exit(1)
	},
	"log.Logger.Fatalf": func(g *gor, a []reg, _ *frame, _ []reg) {
		(*log.Logger)(a[0].p).Printf(str(&a[1]), *(*[]any)(unsafe.Pointer(&a[2].p))...)
		g.exit(1)
	},
	"log.Logger.Fatalln": func(g *gor, a []reg, _ *frame, _ []reg) {
		(*log.Logger)(a[0].p).Println(*(*[]any)(unsafe.Pointer(&a[1].p))...)
		g.exit(1)
	},
}

func (g *gor) exit(code int) {
	os.Stdout.Sync()
	g.run.finish(&Exit{Code: code})
	g.unwind()
}

// selfTest proves that this package's picture of the runtime's types is right,
// and returns what is not.
var selfTest = func() func() string {
	var result string
	done := false
	return func() string {
		if !done {
			result, done = checkRuntime(), true
		}
		return result
	}
}()

func checkRuntime() (bad string) {
	defer func() {
		if recover() != nil {
			bad = "the check failed"
		}
	}()
	type pair struct {
		A int
		s string
	}
	rt := reflect.TypeFor[pair]()
	a := abiOf(rt)
	st := (*abiStruct)(unsafe.Pointer(a))
	switch {
	case a.size != rt.Size() || reflect.Kind(a.kind) != reflect.Struct || a.align != 8:
		return "type header"
	case len(st.fields) != 2 || typeOf(st.fields[1].typ) != reflect.TypeFor[string]() || st.fields[1].offset != 8:
		return "struct fields"
	case typeOf(a) != rt:
		return "type words"
	case abiOf(reflect.TypeFor[*int]()).tflag&flagDirectIface == 0 || a.tflag&flagDirectIface != 0:
		return "type flags"
	case !funcLayout.ok:
		return "func values"
	case a.tflag&flagNamed == 0:
		return "named flag"
	}
	m := (*abiMap)(unsafe.Pointer(abiOf(reflect.TypeFor[map[string]int]())))
	if typeOf(m.key) != reflect.TypeFor[string]() || typeOf(m.elem) != reflect.TypeFor[int]() || m.slotSize != 24 || m.elemOff != 16 {
		return "map types"
	}
	c := (*abiChan)(unsafe.Pointer(abiOf(reflect.TypeFor[<-chan int]())))
	if typeOf(c.elem) != reflect.TypeFor[int]() || c.dir != int(reflect.RecvDir) {
		return "channel types"
	}
	f := (*abiFunc)(unsafe.Pointer(abiOf(reflect.TypeFor[func(int, ...string) error]())))
	if f.in != 2 || f.out != 1|1<<15 {
		return "function types"
	}
	i := (*abiInterface)(unsafe.Pointer(abiOf(reflect.TypeFor[error]())))
	if len(i.methods) != 1 {
		return "interface types"
	}
	ar := (*abiArray)(unsafe.Pointer(abiOf(reflect.TypeFor[[3]int]())))
	if ar.n != 3 || typeOf(ar.slice) != reflect.TypeFor[[]int]() {
		return "array types"
	}
	return ""
}
