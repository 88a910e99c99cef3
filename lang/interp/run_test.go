package interp

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

func compileSource(tb testing.TB, src string) (*Program, error) {
	fset := token.NewFileSet()
	imp := newImporter(fset)
	u, err := loadUnit(fset, imp, "cell.go", "package main\n"+src, "main")
	if err != nil {
		tb.Fatal(err)
	}
	return New(Options{Symbols: testSymbols, Import: imp.Import}).Compile(u)
}

// TestInterrupt ends runs that wait or loop in every way: Run must come back
// at once.
func TestInterrupt(t *testing.T) {
	tests := map[string]string{
		"empty loop":          `func main() { for {} }`,
		"counting loop":       `func main() { for i := 0; ; i++ { _ = i } }`,
		"loop in a call":      `func f() { for {} }; func main() { f() }`,
		"recursion in a loop": `func f(n int) int { if n == 0 { return 0 }; return f(n-1) }; func main() { for { f(10) } }`,
		"closure":             `func main() { f := func() { for {} }; f() }`,
		"send":                `func main() { c := make(chan int); c <- 1 }`,
		"receive":             `func main() { c := make(chan int); <-c }`,
		"range over channel":  `func main() { c := make(chan int); for range c {} }`,
		"empty select":        `func main() { select {} }`,
		"select":              `func main() { a, b := make(chan int), make(chan int); select { case <-a: case b <- 1: } }`,
		"nil channel":         `func main() { var c chan int; <-c }`,
		"time.After":          `import "time"; func main() { <-time.After(time.Hour) }`,
		"time.Sleep":          `import "time"; func main() { time.Sleep(time.Hour) }`,
		"mutex":               `import "sync"; func main() { var m sync.Mutex; m.Lock(); m.Lock() }`,
		"wait group":          `import "sync"; func main() { var w sync.WaitGroup; w.Add(1); w.Wait() }`,
		"callback":            `import "sort"; func main() { x := make([]int, 10); sort.Slice(x, func(i, j int) bool { for {} }) }`,
		"goroutine":           `func main() { go func() { for {} }(); select {} }`,
		"deferred":            `func main() { defer func() { for {} }() }`,
		"recovering":          `func main() { for { func() { defer func() { recover() }(); panic(1) }() } }`,
		"fmt callback":        `import "fmt"; type T int; func (T) String() string { for {} }; func main() { _ = fmt.Sprint(T(1)) }`,
	}
	for name, src := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := compileSource(t, src)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- p.Run(ctx) }()
			select {
			case err := <-done:
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Run returned %v", err)
				}
			case <-time.After(20 * time.Second):
				t.Error("Run did not return")
			}
		})
	}
}

// TestEnds checks how runs end, with the texts of the Go runtime.
func TestEnds(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"index", `func main() { s := []int{1, 2, 3}; i := 5; _ = s[i] }`, "panic: runtime error: index out of range [5] with length 3"},
		{"negative index", `func main() { s := []int{1}; i := -1; _ = s[i] }`, "panic: runtime error: index out of range [-1]"},
		{"slice", `func main() { s := []int{1}; i := 5; _ = s[:i] }`, "panic: runtime error: slice bounds out of range [:5] with capacity 1"},
		{"slice low", `func main() { s := []int{1, 2}; i, j := 2, 1; _ = s[i:j] }`, "panic: runtime error: slice bounds out of range [2:1]"},
		{"string slice", `func main() { s := "ab"; i := 5; _ = s[i:] }`, "panic: runtime error: slice bounds out of range [5:2]"},
		{"array slice", `func main() { var a [3]int; i := 5; _ = a[:i] }`, "panic: runtime error: slice bounds out of range [:5] with length 3"},
		{"division", `func main() { z := 0; _ = 1 / z }`, "panic: runtime error: integer divide by zero"},
		{"nil map", `func main() { var m map[string]int; m["a"] = 1 }`, "panic: assignment to entry in nil map"},
		{"nil pointer", `type T struct{ a, b int }; func main() { var p *T; p.b = 1 }`, "panic: runtime error: invalid memory address or nil pointer dereference"},
		{"nil func", `func main() { var f func(); f() }`, "panic: runtime error: invalid memory address or nil pointer dereference"},
		{"assertion", `func main() { var x any = "s"; _ = x.(int) }`, "panic: interface conversion: interface {} is string, not int"},
		{"assertion of user type", `type A int; type B int; func main() { var x any = A(1); _ = x.(B) }`, "panic: interface conversion: interface {} is main.A, not main.B"},
		{"nil assertion", `func main() { var x any; _ = x.(int) }`, "panic: interface conversion: interface {} is nil, not int"},
		{"missing method", `type I interface{ M() }; type T int; func main() { var x any = T(1); _ = x.(I) }`, "panic: interface conversion: main.T is not main.I: missing method M"},
		{"uncomparable", `func main() { var x, y any = []int{1}, []int{1}; _ = x == y }`, "panic: runtime error: comparing uncomparable type []int"},
		{"unhashable", `func main() { m := map[any]int{}; m[[]int{1}] = 1 }`, "panic: runtime error: hash of unhashable type []int"},
		{"closed channel", `func main() { c := make(chan int); close(c); close(c) }`, "panic: close of closed channel"},
		{"send on closed", `func main() { c := make(chan int, 1); close(c); c <- 1 }`, "panic: send on closed channel"},
		{"close of nil", `func main() { var c chan int; close(c) }`, "panic: close of nil channel"},
		{"make", `func main() { n := -1; _ = make([]int, n) }`, "panic: runtime error: makeslice: len out of range"},
		{"shift", `func main() { n := -1; _ = 1 << n }`, "panic: runtime error: negative shift amount"},
		{"to array", `func main() { s := []int{1}; _ = [2]int(s) }`, "panic: runtime error: cannot convert slice with length 1 to array or pointer to array with length 2"},
		{"string", `func main() { panic("boom") }`, "panic: boom"},
		{"error", `import "errors"; func main() { panic(errors.New("bad")) }`, "panic: bad"},
		{"user error", `type E struct{ n int }; func (e E) Error() string { return "E" }; func main() { panic(E{1}) }`, "panic: E"},
		{"named int", `type N int; func main() { panic(N(3)) }`, "panic: main.N(3)"},
		{"nil", `func main() { panic(nil) }`, "panic: " + new(runtime.PanicNilError).Error()},
		{"goroutine", `func main() { go func() { panic("inner") }(); select {} }`, "panic: inner"},
		{"exit", `import "os"; func main() { defer println("no"); os.Exit(3) }`, "exit status 3"},
		{"fatal", `import "log"; import "io"; func main() { log.SetOutput(io.Discard); log.Fatal("x") }`, "exit status 1"},
		{"overflow", `func f(n int) int { return f(n+1) + 1 }; func main() { f(0) }`, "fatal error: stack overflow"},
		{"deadlock", `func main() { c := make(chan int); <-c }`, "fatal error: all goroutines are asleep - deadlock!"},
		{"recovered", `func main() { defer func() { recover() }(); panic(1) }`, "<nil>"},
		{"panic in deferred", `func main() { defer func() { panic("second") }(); panic("first") }`, "panic: second"},
		{"array nil", `func main() { var p *[3]int; for i := range p { p[i] = 1 } }`, "panic: runtime error: invalid memory address or nil pointer dereference"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := compileSource(t, tt.src)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if got := fmt.Sprint(p.Run(ctx)); got != tt.want {
				t.Errorf("%s\ngot  %s\nwant %s", tt.src, got, tt.want)
			}
		})
	}
}

func TestFrames(t *testing.T) {
	p, err := compileSource(t, `
type T struct{}
func (*T) m(s []int) int { return s[7] }
func f() int { return (&T{}).m(nil) }
func main() {
	g := func() int {
		return f()
	}
	g()
}`)
	if err != nil {
		t.Fatal(err)
	}
	var pe *Panic
	if !errors.As(p.Run(context.Background()), &pe) {
		t.Fatal("no panic")
	}
	var got []string
	for _, f := range pe.Frames {
		got = append(got, fmt.Sprintf("%s:%d", f.Func, f.Pos.Line))
	}
	if s := strings.Join(got, " "); s != "main.(*T).m:4 main.f:5 main.main.func1:8 main.main:10" {
		t.Errorf("frames are %s", s)
	}
}

// TestUnitsShare keeps values of one unit's types and closures of it in
// session variables, and uses them from a later unit.
func TestUnitsShare(t *testing.T) {
	fset := token.NewFileSet()
	imp := newImporter(fset)
	e := New(Options{Symbols: testSymbols, Import: imp.Import})
	const decls = "package main\ntype T struct{ n int }\nfunc (t *T) Inc() int { t.n++; return t.n }\nfunc (t *T) get() int { return t.n }\ntype G interface{ get() int }\nvar v *T\nvar x any\nvar f func() int\n"
	first, err := loadUnit(fset, imp, "a.go", decls+"func cell() { v = &T{40}; x = v; n := 0; f = func() int { n++; if n == 2 { panic(\"two\") }; return v.Inc() } }", "cell")
	if err != nil {
		t.Fatal(err)
	}
	first.Vars = map[*types.Var]reflect.Value{}
	p, err := e.Compile(first)
	if err != nil {
		t.Fatal(err)
	}
	rt := p.Type(first.Pkg.Scope().Lookup("T").(*types.TypeName))
	if rt == nil || rt.String() != "main.T" {
		t.Fatalf("the type of T is %v", rt)
	}
	vars := map[string]reflect.Value{
		"v": reflect.New(reflect.PointerTo(rt)).Elem(),
		"x": reflect.New(reflect.TypeFor[any]()).Elem(),
		"f": reflect.New(reflect.TypeFor[func() int]()).Elem(),
	}
	bind := func(u *Unit) {
		u.Vars = map[*types.Var]reflect.Value{}
		for n, v := range vars {
			u.Vars[u.Pkg.Scope().Lookup(n).(*types.Var)] = v
		}
	}
	bind(first)
	first.Types = map[*types.TypeName]reflect.Type{first.Pkg.Scope().Lookup("T").(*types.TypeName): rt}
	if p, err = e.Compile(first); err != nil {
		t.Fatal(err)
	}
	if err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	run := func(body string) error {
		u, err := loadUnit(fset, imp, "b.go", decls+"var out int\nfunc cell() { "+body+" }", "cell")
		if err != nil {
			t.Fatal(err)
		}
		vars["out"] = reflect.New(reflect.TypeFor[int]()).Elem()
		bind(u)
		u.Types = map[*types.TypeName]reflect.Type{u.Pkg.Scope().Lookup("T").(*types.TypeName): rt}
		p, err := e.Compile(u)
		if err != nil {
			t.Fatal(err)
		}
		return p.Run(context.Background())
	}
	if err := run("out = f()*100 + x.(*T).n"); err != nil {
		t.Fatal(err)
	}
	if n := vars["out"].Int(); n != 4141 {
		t.Errorf("out = %d, want 4141", n)
	}
	if err := run("f()"); err == nil || err.Error() != "panic: two" {
		t.Errorf("f gave %v", err)
	}
	// After the panic the closure of the first unit still works.
	if err := run("out = f()*100 + x.(*T).Inc()"); err != nil {
		t.Fatal(err)
	}
	if n := vars["out"].Int(); n != 4243 {
		t.Errorf("out = %d, want 4243", n)
	}
	if err := run("out = x.(G).get() + x.(interface{ Inc() int }).Inc()"); err != nil {
		t.Fatal(err)
	}
	if n := vars["out"].Int(); n != 43+44 {
		t.Errorf("out = %d, want 87", n)
	}
}
