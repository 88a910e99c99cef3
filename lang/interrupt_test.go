package lang

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestInterrupt stops cells that wait or work in every way, and wants the
// session's state intact afterwards, and nothing of the stopped cell going on.
func TestInterrupt(t *testing.T) {
	n := newNotebook(t)
	defer n.e.Close()
	if _, _, err := n.run("kept := 42\nticks := 0\nvar mu sync.Mutex\nmu.Lock()\nfunc spin(n int) int { if n == 0 { return 0 }; return spin(n-1) + spin(n-1) }"); err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]string{
		"loop":       "for {}",
		"sum":        "s := 0\nfor i := 0; ; i++ { s += i }",
		"counting":   "for { ticks++; time.Sleep(time.Millisecond) }",
		"recursion":  "spin(60)",
		"receive":    "<-make(chan int)",
		"send":       "make(chan int) <- 1",
		"range":      "for range make(chan int) {}",
		"select":     "select {}",
		"after":      "<-time.After(time.Hour)",
		"sleep":      "time.Sleep(time.Hour)\nticks = -1",
		"mutex":      "mu.Lock()\nticks = -1",
		"waitgroup":  "var wg sync.WaitGroup\nwg.Add(1)\nwg.Wait()",
		"context":    "func wait(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }\nwait()",
		"closure":    "func() { for { ticks++ } }()",
		"goto":       "again:\n\tticks++\n\tgoto again",
		"nested":     "for range 10 { for { ticks++ } }",
		"recovering": "for { func() { defer func() { recover() }(); for { ticks++ } }() }",
		"deferred":   "func() { defer func() { for { ticks++ } }() }()",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecorder()
			ctx, cancel := context.WithCancel(context.Background())
			n.count++
			done := make(chan Result, 1)
			go func() {
				done <- n.e.Execute(ctx, Cell{ID: name, Count: n.count, Code: code}, r)
			}()
			// Long enough to compile on a loaded machine.
			time.Sleep(2500 * time.Millisecond)
			begin := time.Now()
			cancel()
			select {
			case res := <-done:
				if res.Err == nil || !strings.Contains(res.Err.Name+res.Err.Value, "nterrupted") && !strings.Contains(res.Err.Value, "canceled") {
					t.Errorf("not interrupted: %v", res.Err)
				}
				t.Logf("stopped after %v", time.Since(begin))
			case <-time.After(10 * time.Second):
				t.Fatal("not stopped after 10 s")
			}
			if _, v, err := n.run("kept"); v != "42" || err != nil {
				t.Errorf("the session is lost: kept = %q, %v", v, err)
			}
			_, a, _ := n.run("ticks")
			time.Sleep(30 * time.Millisecond)
			if _, b, _ := n.run("ticks"); a != b {
				t.Errorf("the stopped cell goes on: ticks %s, then %s", a, b)
			}
		})
	}
}

// TestLateOutput ties what a goroutine prints to the cell that started it.
func TestLateOutput(t *testing.T) {
	n := newNotebook(t)
	defer n.e.Close()
	first, second := newRecorder(), newRecorder()
	run := func(r *recorder, code string) {
		n.count++
		if res := n.e.Execute(context.Background(), Cell{ID: fmt.Sprint(n.count), Count: n.count, Code: code}, r); res.Err != nil {
			t.Fatal(res.Err.Plain())
		}
	}
	run(first, "gate := make(chan bool)\nover := make(chan bool)\ngo func() { <-gate; fmt.Println(\"late\"); display.Show(7); over <- true }()")
	run(second, "gate <- true\n<-over")
	if first.streams["stdout"] != "late\n" || second.streams["stdout"] != "" {
		t.Errorf("first cell got %q, second %q", first.streams["stdout"], second.streams["stdout"])
	}
	if len(first.shown) != 1 || len(second.shown) != 0 {
		t.Errorf("first cell shows %d values, second %d", len(first.shown), len(second.shown))
	}
	panicking := newRecorder()
	run(panicking, "go func() { panic(\"in a goroutine\") }()\ntime.Sleep(50 * time.Millisecond)")
	if s := panicking.streams["stderr"]; !strings.Contains(s, "panic in a goroutine: in a goroutine") {
		t.Errorf("standard error %q", s)
	}
}
