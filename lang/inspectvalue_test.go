package lang

import (
	"context"
	"strings"
	"testing"
	"time"
)

// valueOf returns the line of the inspection that shows the value.
func valueOf(e *Engine, name string) string {
	b := e.Inspect(context.Background(), name, len(name), 0)
	text, _ := b.Data["text/plain"].(string)
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(line, "= "); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func TestInspectValue(t *testing.T) {
	n := newNotebook(t)
	if _, _, err := n.run(`
type Loud struct{ N int }
func (l Loud) String() string { panic("called") }
type Node struct {
	Name string
	Next *Node
}
`); err != nil {
		t.Fatal(err)
	}
	if _, _, err := n.run(`
i := -3
u := uint8(7)
f := 2.5
s := "a\tb"
long := strings.Repeat("x", 1000)
ok := true
z := complex(1, 2)
xs := []int{1, 2, 3}
many := make([]float64, 1000)
var none []string
m := map[string]int{"b": 2, "a": 1}
big := map[int]bool{}
for k := 0; k < 20000; k++ { big[k] = true }
loud := Loud{3}
ring1 := &Node{Name: "r"}
ring1.Next = ring1
d := 90 * time.Second
e := errors.New("went wrong")
var anything any = []string{"p", "q"}
fn := func(a int) string { return "" }
var nothing *Node
ch := make(chan int, 3)
arr := [2][2]int{{1, 2}, {3, 4}}
`); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"i": "-3", "u": "7", "f": "2.5", "s": `"a\tb"`, "ok": "true", "z": "(1+2i)",
		"xs": "[1, 2, 3]", "none": "nil", "m": `{"a": 1, "b": 2}`, "big": "map of 20000 entries",
		"loud": "{N: 3}", "d": "1m30s", "e": "went wrong", "anything": `["p", "q"]`,
		"fn": "func(int) string", "nothing": "nil", "ch": "chan int", "arr": "[[1, 2], [3, 4]]",
	} {
		if got := valueOf(n.e, name); got != want {
			t.Errorf("%s is shown as %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"long", "many", "ring1"} {
		if got := valueOf(n.e, name); got == "" || len(got) > 700 || !strings.Contains(got, "…") {
			t.Errorf("%s is shown as %q", name, got)
		}
	}
	// The value is the newest one, and that of a name declared again.
	if _, _, err := n.run("i++\nf := \"text\""); err != nil {
		t.Fatal(err)
	}
	if got := valueOf(n.e, "i"); got != "-2" {
		t.Errorf("i is %s after i++", got)
	}
	if got := valueOf(n.e, "f"); got != `"text"` {
		t.Errorf("f is %s when declared again", got)
	}
	if b := n.e.Inspect(context.Background(), "func g(i string) { i }", 19, 0); strings.Contains(b.Data["text/plain"].(string), "= ") {
		t.Error("a parameter is shown with the value of a session variable")
	}
}

// TestInspectWhileRunning completes and inspects beside a running cell: neither
// waits for it, and no value is read that it may be writing.
func TestInspectWhileRunning(t *testing.T) {
	n := newNotebook(t)
	if _, _, err := n.run("count := 0\nstop := make(chan bool)"); err != nil {
		t.Fatal(err)
	}
	done := make(chan *Error)
	go func() {
		_, _, err := n.run("for running := true; running; {\n\tselect {\n\tcase <-stop:\n\t\trunning = false\n\tdefault:\n\t\tcount++\n\t}\n}")
		done <- err
	}()
	time.Sleep(1500 * time.Millisecond) // compiled and under way
	begin := time.Now()
	asked := 0
	for time.Since(begin) < 300*time.Millisecond {
		c := n.e.Complete(context.Background(), "cou", 3)
		if len(c.Matches) == 0 || c.Matches[0].Text != "count" {
			t.Fatal("count is not completed while a cell runs")
		}
		if v := valueOf(n.e, "count"); v != "" {
			t.Errorf("the value %s is read while a cell writes it", v)
		}
		asked++
	}
	t.Logf("%d answers beside the running cell", 2*asked)
	n.e.mu.Lock()
	ch := n.e.session.vars["stop"].ptr.Elem().Interface().(chan bool)
	n.e.mu.Unlock()
	ch <- true
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if v := valueOf(n.e, "count"); v == "" || v == "0" {
		t.Errorf("count is %q after the cell", v)
	}
}
