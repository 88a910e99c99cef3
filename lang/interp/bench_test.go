package interp

import (
	"context"
	"go/token"
	"go/types"
	"reflect"
	"runtime"
	"testing"
)

const instantCell = `package main
import (
	"fmt"
	"strings"
)
var total int
var words []string
var count map[string]int
func cell() {
	words = append(words, strings.Fields("the quick brown fox")...)
	for _, w := range words { count[w] += len(w) }
	total += len(words)
	_ = fmt.Sprintf("%d %v", total, words[len(words)-1])
}
`

// instant returns a function that does what one cell of a session costs,
// after its parsing and checking.
func instant(tb testing.TB) (compile func() *Program, vars map[string]reflect.Value) {
	fset := token.NewFileSet()
	u, err := loadUnit(fset, newImporter(fset), "cell.go", instantCell, "cell")
	if err != nil {
		tb.Skip(err)
	}
	e := New(Options{Symbols: testSymbols})
	vars = map[string]reflect.Value{
		"total": reflect.New(reflect.TypeFor[int]()).Elem(),
		"words": reflect.New(reflect.TypeFor[[]string]()).Elem(),
		"count": reflect.New(reflect.TypeFor[map[string]int]()).Elem(),
	}
	vars["count"].Set(reflect.ValueOf(map[string]int{}))
	u.Vars = map[*types.Var]reflect.Value{}
	for n, v := range vars {
		u.Vars[u.Pkg.Scope().Lookup(n).(*types.Var)] = v
	}
	return func() *Program {
		p, err := e.Compile(u)
		if err != nil {
			tb.Fatal(err)
		}
		return p
	}, vars
}

func TestSessionVariables(t *testing.T) {
	compile, vars := instant(t)
	for range 3 {
		if err := compile().Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if n := vars["total"].Int(); n != 4+8+12 {
		t.Errorf("total = %d, want 24", n)
	}
	if n := vars["count"].Interface().(map[string]int)["quick"]; n != 5*(1+2+3) {
		t.Errorf(`count["quick"] = %d, want 30`, n)
	}
}

func BenchmarkInstantCompile(b *testing.B) {
	compile, _ := instant(b)
	for b.Loop() {
		compile()
	}
}

func BenchmarkInstantCompileAndRun(b *testing.B) {
	compile, vars := instant(b)
	for b.Loop() {
		vars["words"].SetZero()
		if err := compile().Run(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// TestLeak compiles and runs a cell many times: what stays is not to grow.
func TestLeak(t *testing.T) {
	compile, vars := instant(t)
	measure := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	run := func(n int) {
		for range n {
			vars["words"].SetZero()
			compile().Run(context.Background())
		}
	}
	run(50)
	before := measure()
	run(500)
	grown := int64(measure()) - int64(before)
	t.Logf("%d bytes a cell stay", grown/500)
	if grown/500 > 512 {
		t.Errorf("%d bytes a cell stay in memory", grown/500)
	}
}

func benchProgram(b *testing.B, src string) {
	fset := token.NewFileSet()
	u, err := loadUnit(fset, newImporter(fset), "p.go", src, "main")
	if err != nil {
		b.Skip(err)
	}
	p, err := New(Options{Symbols: testSymbols}).Compile(u)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := p.Run(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFib25(b *testing.B) {
	benchProgram(b, `package main
func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
func main() { fib(25) }`)
}

func BenchmarkLoop1e6(b *testing.B) {
	benchProgram(b, `package main
func main() { s := 0.0; for i := 0; i < 1000000; i++ { s += float64(i) * 0.5 } }`)
}
