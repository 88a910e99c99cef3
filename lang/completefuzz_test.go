package lang

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// positions returns the code and cursors of testdata/complete.
func positions(t testing.TB) (codes []string, cursors []int) {
	files, err := filepath.Glob("testdata/complete/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no positions", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			code, _, _ := strings.Cut(string(f.Data), "\n----\n")
			if at := strings.Index(code, "⁁"); at >= 0 {
				codes = append(codes, code[:at]+code[at+len("⁁"):])
				cursors = append(cursors, at)
			}
		}
	}
	return codes, cursors
}

func FuzzComplete(f *testing.F) {
	codes, cursors := positions(f)
	for i := range codes {
		f.Add(codes[i], cursors[i])
	}
	for _, s := range []string{"\xff.", "a.\x00b", strings.Repeat("(", 300), "`", "\ufeffx.", "%%\n", "//", "'", "ǃhere.ǃ", "é\r\nx."} {
		f.Add(s, len(s))
		f.Add(s, -1)
		f.Add(s, len(s)+9)
	}
	e := completionEngine()
	declare(f, e, 1, "type T struct{ A int }\nfunc (t *T) M() error { return nil }")
	declare(f, e, 2, "t := T{}\nxs := []T{t}")
	f.Fuzz(func(t *testing.T, code string, cursor int) {
		begin := time.Now()
		c := e.Complete(context.Background(), code, cursor)
		checkCompletion(t, c, code, cursor)
		e.Inspect(context.Background(), code, cursor, cursor&1)
		if d := time.Since(begin); d > 5*time.Second {
			t.Errorf("it took %v", d) // a hang, not a measurement
		}
	})
}

// TestCompleteAnywhere asks at every byte of real code, whole and cut off there.
func TestCompleteAnywhere(t *testing.T) {
	e := completionEngine()
	src, err := os.ReadFile("cut.go")
	if err != nil {
		t.Fatal(err)
	}
	code := string(src[:min(len(src), 2500)])
	var took []time.Duration
	for at := 0; at < len(code); at += 7 {
		for _, c := range []string{code, code[:at]} {
			begin := time.Now()
			checkCompletion(t, e.Complete(context.Background(), c, at), c, at)
			took = append(took, time.Since(begin))
		}
	}
	slices.Sort(took)
	t.Logf("%d answers: p50 %v, p95 %v, most %v", len(took), took[len(took)/2], took[len(took)*95/100], took[len(took)-1])
}

// TestCompleteHostile asks in cells that nobody writes.
func TestCompleteHostile(t *testing.T) {
	e := completionEngine()
	for name, code := range map[string]string{
		"parentheses": strings.Repeat("(", 10000) + "x." + strings.Repeat(")", 10000),
		"open":        strings.Repeat("{", 10000),
		"large":       strings.Repeat("x := 1\n", 700000) + "strings.Cu",
		"long line":   "x := \"" + strings.Repeat("a", 5<<20) + "\"",
		"errors":      strings.Repeat("x := = 1\n", 500) + "strings.Cu",
	} {
		begin := time.Now()
		for _, at := range []int{0, len(code) / 2, len(code)} {
			checkCompletion(t, e.Complete(context.Background(), code, at), code, at)
			e.Inspect(context.Background(), code, at, 1)
		}
		e.IsComplete(code)
		if d := time.Since(begin); d > 30*time.Second {
			t.Errorf("%s: seven answers took %v", name, d)
		} else {
			t.Logf("%s: seven answers in %v", name, d)
		}
	}
}

// TestCompleteBeside asks while cells change the session: the race detector
// sees what the two share.
func TestCompleteBeside(t *testing.T) {
	e := completionEngine()
	done := make(chan bool)
	go func() {
		defer close(done)
		for i := range 100 {
			e.mu.Lock()
			declare(t, e, 2*i+1, fmt.Sprintf("type T struct{ A, B%d int }\n", i)+"func (t *T) M() error { return nil }\nfunc f(x T) []T { return nil }")
			declare(t, e, 2*i+2, "t := T{}\nxs := f(t)\nb := strings.NewReader(\"a\")")
			e.mu.Unlock()
			time.Sleep(time.Millisecond)
		}
	}()
	for asked := 0; ; asked++ {
		select {
		case <-done:
			t.Logf("%d rounds", asked)
			return
		default:
		}
		for _, code := range []string{"t.", "xs[0].", "f(", "b.", "type T struct{ B string }\nvar u T\nu.", "func (t T) N() {\n\tt."} {
			checkCompletion(t, e.Complete(context.Background(), code, len(code)), code, len(code))
			e.Inspect(context.Background(), code, 1, 1)
		}
	}
}

// BenchmarkComplete goes round all positions of testdata/complete. It reports
// the time at the 95th percentile.
func BenchmarkComplete(b *testing.B) {
	codes, cursors := positions(b)
	e := completionEngine()
	for i := range codes {
		e.Complete(context.Background(), codes[i], cursors[i]) // imports are read once
	}
	var took []time.Duration
	i := 0
	for b.Loop() {
		begin := time.Now()
		e.Complete(context.Background(), codes[i%len(codes)], cursors[i%len(codes)])
		took = append(took, time.Since(begin))
		i++
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
}
