package kernel_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/stdlib/display"
)

func TestOrderOfOutput(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	for range 20 { // the three pipes race; their order must not show
		r := s.must("fd a", "print b", "show id one", "fd c", "efd e", "clear wait", "efd f", "update id two", "print d", "result last")
		got := strings.Join(r.all(), "|")
		want := "stdout a\nb\n|display one|stdout c\n|stderr e\n|clear true|stderr f\n|update id two|stdout d\n|result last"
		swapped := strings.Replace(want, "|stdout c\n|stderr e\n", "|stderr e\n|stdout c\n", 1)
		if got != want && got != swapped {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	}
}

func TestStateIsKept(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	s.must("set x 42")
	if got := s.must("get x").all(); len(got) != 1 || got[0] != "result 42" {
		t.Fatalf("x is shown as %q", got)
	}
	s.fails("CompileError", "get y")
}

func TestManyLinesInFewMessages(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	r := s.must("lines 100000")
	var want strings.Builder
	for i := range 100000 {
		fmt.Fprintln(&want, "line", i)
	}
	if r.stdout() != want.String() {
		t.Fatalf("%d of %d characters, or out of order", len(r.stdout()), want.Len())
	}
	if r.streams >= 100 {
		t.Errorf("%d stream messages, want fewer than 100", r.streams)
	}
}

func TestOutputIsCut(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{OutputLimit: 1 << 20})
	r := s.must("bytes "+strconv.Quote(strings.Repeat("é", 600000)), "flood 64")
	if n := len(r.stdout()); n > 1<<20 || n < 1<<20-100 {
		t.Errorf("%d bytes are shown, want 1 MiB", n)
	}
	if !utf8.ValidString(r.stdout()) {
		t.Error("the cut is inside a character")
	}
	if e := r.stderr(); !strings.Contains(e, "1 MB") || !strings.Contains(e, "FATHOM_OUTPUT_LIMIT") || strings.Count(e, "\n") > 2 {
		t.Errorf("stderr says %q", e)
	}
	if r := s.must("print next"); r.stdout() != "next\n" {
		t.Errorf("the next cell prints %q: the limit must be one cell's", r.stdout())
	}
}

func TestInvalidTextIsMadeValid(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	r := s.must(`bytes "a\xff\x00b\xe2\x82"`, "sleep 120", `bytes "\xac!\n"`)
	if got := r.stdout(); got != "a\uFFFD\x00b€!\n" {
		t.Errorf("got %q", got)
	}
	// The runes of a long text may lie across reads and messages.
	long := strings.Repeat("€uro", 100_000)
	if got := s.must("bytes " + strconv.Quote(long)).stdout(); got != long {
		t.Errorf("%d of %d bytes, or broken runes", len(got), len(long))
	}
}

// TestEndsOfTheWorker is the list of what a cell may do to its process.
func TestEndsOfTheWorker(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{MemoryLimit: 1 << 30})
	s.must("declare Point struct", "set x 1", "set y 2")
	for _, c := range []struct{ code, name, value string }{
		{"exit 3", kernel.ErrExit, "os.Exit(3)"},
		{"exit 0", kernel.ErrExit, "os.Exit(0)"},
		{"exit 2", kernel.ErrExit, "os.Exit(2)"},
		{"gopanic in a goroutine", kernel.ErrPanic, "in a goroutine"},
		{"overflow", kernel.ErrStackOverflow, "recursion"},
		{"mapwrites", kernel.ErrFatal, "concurrent map"},
		{"kill", kernel.ErrCrash, "Killed"},
		{"oom", kernel.ErrOutOfMemory, "1 GB"},
		{"closeall", kernel.ErrCrash, ""},
		{"closeevents", kernel.ErrCrash, "file descriptors"},
		{"scribble \xff\xff\xff\xff\xff", kernel.ErrCrash, "file descriptors"},
	} {
		t.Run(strings.Fields(c.code)[0], func(t *testing.T) {
			s.t = t
			e, r := s.fails(c.name, "print before\n"+c.code)
			if !strings.Contains(e.Value, c.value) {
				t.Errorf("value %q, want it to say %q", e.Value, c.value)
			}
			if !strings.HasPrefix(r.stdout(), "before\n") {
				t.Errorf("what was printed before is %q", r.stdout())
			}
			if strings.Contains(r.stderr(), "goroutine ") {
				t.Errorf("stderr holds the runtime's trace:\n%s", r.stderr())
			}
			if last := e.Traceback[len(e.Traceback)-1]; !strings.Contains(last, "declared again") || !strings.Contains(last, "x, y") {
				t.Errorf("the user is told %q", last)
			}
			s.alive()
			if got := s.must("get Point").all(); got[0] != "result struct" {
				t.Errorf("declaration restored as %q", got)
			}
			s.must("set x 1", "set y 2")
		})
	}
}

func TestFramesOfThePanicComeFirst(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	e, _ := s.fails(kernel.ErrPanic, "gopanic oh")
	if len(e.Traceback) < 3 || !strings.Contains(e.Traceback[1], "enginetest") || !strings.Contains(e.Traceback[1], "engine.go:") {
		t.Errorf("traceback %q", e.Traceback)
	}
}

func TestPanicsThatTheEngineLetsThrough(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	s.must("set x 1")
	s.fails(kernel.ErrPanic, "panic here")
	s.fails(kernel.ErrPanic, "closechan")
	s.fails(kernel.ErrExit, "goexit")
	if got := s.must("get x").all(); got[0] != "result 1" {
		t.Errorf("x is %q: the worker need not have been replaced", got)
	}
}

func TestStdoutIsRestored(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	for _, code := range []string{"closestdout", "swapstdout"} {
		s.must(code)
		if r := s.must("fd out", "efd err"); r.stdout() != "out\n" || r.stderr() != "err\n" {
			t.Errorf("after %s: stdout %q, stderr %q", code, r.stdout(), r.stderr())
		}
	}
}

func TestLateOutputGoesToItsCell(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	first := s.must("late 100 by name", "latefd 50 by descriptor")
	eventually(t, "output after the end", func() bool { return strings.Contains(first.stdout(), "by descriptor\n") })
	second := s.must("print second", "sleep 300")
	eventually(t, "output during the next cell", func() bool { return strings.Contains(first.stdout(), "by name\n") })
	if second.stdout() != "second\n" {
		t.Errorf("the second cell shows %q", second.stdout())
	}
}

func TestLatePanicIsReported(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	r := s.must("set x 1", "declare T int", "latepanic 100")
	eventually(t, "a report", func() bool { return strings.Contains(r.stderr(), "Panic") && strings.Contains(r.stderr(), "late") })
	if !strings.Contains(r.stderr(), "Lost variables: x.") {
		t.Errorf("the report is %q", r.stderr())
	}
	s.alive()
	s.must("get T")
}

func TestKilledWhileIdle(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	r := s.must("set x 1")
	syscall.Kill(s.PIDs()[0], syscall.SIGKILL)
	s.alive() // the cell that comes next is not at fault
	eventually(t, "a report", func() bool { return strings.Contains(r.stderr(), "Killed") })
}

// TestKilledAroundCells kills the worker at moments that race with the start
// and the end of cells: each cell ends, with its output or with an error.
func TestKilledAroundCells(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	for i := range 60 {
		kill := time.AfterFunc(time.Duration(i%20)*50*time.Microsecond, func() {
			if pids := s.PIDs(); len(pids) > 0 {
				syscall.Kill(pids[0], syscall.SIGKILL)
			}
		})
		result, r := s.run("print x")
		if result.Err == nil && r.stdout() != "x\n" || result.Err != nil && result.Err.Name != kernel.ErrCrash {
			t.Fatalf("cell %d: %+v, %q", i, result.Err, r.stdout())
		}
		kill.Stop()
	}
	s.alive()
}

func TestInterrupt(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{Grace: 200 * time.Millisecond, Patience: 300 * time.Millisecond})
	s.must("set x 1", "declare T int")
	s.Interrupt() // idle: nothing
	for _, code := range []string{"busy", "sleep 60000", "input ?", "readline"} {
		time.AfterFunc(150*time.Millisecond, s.Interrupt)
		begun := time.Now()
		r := &recorder{answer: nil}
		if code == "input ?" || code == "readline" {
			r.answer = func(string, bool) (string, error) { time.Sleep(time.Hour); return "", nil }
		}
		result := s.runTo(r, code)
		if code != "readline" && (result.Err == nil || strings.Contains(r.stderr(), "interrupt:")) {
			t.Errorf("%s: %+v, stderr %q", code, result.Err, r.stderr())
		}
		t.Logf("%s stopped after %v", code, time.Since(begun)-150*time.Millisecond)
		s.must("get x")
	}
	// Code that ignores its context costs the worker, not the declarations.
	time.AfterFunc(50*time.Millisecond, s.Interrupt)
	e, r := s.fails(kernel.ErrInterrupted, "spin")
	if !strings.Contains(r.stderr(), "has not stopped yet") || !strings.Contains(e.Traceback[len(e.Traceback)-1], "Lost variables: x.") {
		t.Errorf("stderr %q, traceback %q", r.stderr(), e.Traceback)
	}
	s.alive()
	s.must("get T")
	// One that stops late keeps its worker.
	s.must("set z 1")
	time.AfterFunc(50*time.Millisecond, s.Interrupt)
	s.must("stubborn 400")
	s.must("get z")
}

// TestStoppedWorker stops the process itself, so that it reads no request.
func TestStoppedWorker(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{Grace: 100 * time.Millisecond, Patience: 100 * time.Millisecond})
	s.must("declare T int")
	syscall.Kill(s.PIDs()[0], syscall.SIGSTOP)
	time.AfterFunc(100*time.Millisecond, s.Interrupt)
	s.fails(kernel.ErrInterrupted, "print "+strings.Repeat("more than a pipe holds ", 1<<16))
	s.alive()
	s.must("get T")
	syscall.Kill(s.PIDs()[0], syscall.SIGSTOP)
	s.Close()
}

func TestContextInterrupts(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if r := s.Execute(ctx, kernel.Cell{ID: "c", Code: "busy"}, kernel.ExecuteOptions{}, &recorder{}); r.Err == nil {
		t.Error("the cell ended well")
	}
	if r := s.Execute(ctx, kernel.Cell{ID: "d", Code: "print x"}, kernel.ExecuteOptions{}, &recorder{}); r.Err == nil || r.Err.Name != kernel.ErrInterrupted {
		t.Errorf("a cell whose context has ended: %+v", r.Err)
	}
}

func TestInput(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	answers := []string{"one", "two", "", "ünï"}
	asked := 0
	r := &recorder{answer: func(prompt string, password bool) (string, error) { asked++; return answers[asked-1], nil }}
	if result := s.runTo(r, "input name?\npassword secret?\nreadline\nreadline"); result.Err != nil {
		t.Fatal(result.Err)
	}
	want := "got \"one\"\ngot \"two\"\nread \"\\n\" <nil>\nread \"ünï\\n\" <nil>\n"
	if r.stdout() != want {
		t.Errorf("got  %q\nwant %q", r.stdout(), want)
	}
	got := strings.Join(r.all(), "|")
	if !strings.HasPrefix(got, `input "name?" false|`) || !strings.Contains(got, `input "secret?" true|`) || strings.Count(got, `input "" false|`) != 2 {
		t.Errorf("asked %q", got)
	}
	// ^D ends the input of one cell.
	r = &recorder{answer: func(string, bool) (string, error) { return "\x04", nil }}
	s.runTo(r, "readline")
	if r.stdout() != "read \"\" EOF\n" {
		t.Errorf("^D: %q", r.stdout())
	}
}

func TestInputThatIsNotAllowed(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	begun := time.Now()
	r := s.must("readline")
	if r.stdout() != "read \"\" EOF\n" || !strings.Contains(r.stderr(), "cannot ask for input") {
		t.Errorf("stdout %q, stderr %q", r.stdout(), r.stderr())
	}
	if d := time.Since(begun); d > 2*time.Second {
		t.Errorf("EOF came after %v", d)
	}
	result, _ := s.run("input ?")
	if result.Err == nil || !strings.Contains(result.Err.Value, "cannot ask") {
		t.Errorf("input: %+v", result.Err)
	}
}

func TestQuestionsWhileACellRuns(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	done := make(chan bool)
	out := &recorder{}
	go func() { s.runTo(out, "print a\nsleep 60000"); close(done) }()
	eventually(t, "the cell runs", func() bool { return out.stdout() == "a\n" })
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := s.Complete(ctx, "xx displ", 8)
	if err != nil || c.Start != 3 || c.End != 8 || len(c.Matches) != 1 || c.Matches[0].Text != "display" {
		t.Errorf("Complete: %+v, %v", c, err)
	}
	b, err := s.Inspect(ctx, "display", 3, 1)
	if err != nil || b.Data["text/plain"] != "command display, detail 1" {
		t.Errorf("Inspect: %+v, %v", b, err)
	}
	if b, err = s.Inspect(ctx, "nothing", 3, 1); err != nil || !b.IsZero() {
		t.Errorf("Inspect of nothing: %+v, %v", b, err)
	}
	if d, err := s.IsComplete(ctx, "f {"); err != nil || d.Status != "incomplete" || d.Indent != "\t" {
		t.Errorf("IsComplete: %+v, %v", d, err)
	}
	r := &recorder{}
	if err := s.Comm("m1", display.CommMessage{Kind: "comm_msg", ID: "c", Data: map[string]any{"a": 1.0}, Buffers: [][]byte{{1, 2}, nil}}, r); err != nil {
		t.Error(err)
	}
	eventually(t, "the comm's echo", func() bool { r.mu.Lock(); defer r.mu.Unlock(); return len(r.comms) == 1 })
	if m := r.comms[0]; m.ID != "c" || m.Data["a"] != 1.0 || len(m.Buffers) != 2 || !bytes.Equal(m.Buffers[0], []byte{1, 2}) {
		t.Errorf("echo %+v", m)
	}
	select {
	case <-done:
		t.Error("the cell was over before the answers: nothing is proved")
	default:
	}
	s.Interrupt()
	<-done
}

func TestFiveCrashesInARow(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{NoSpare: true})
	for i := range 5 {
		e, _ := s.fails(kernel.ErrExit, "exit 1")
		last := e.Traceback[len(e.Traceback)-1]
		if stopped := strings.Contains(last, "5 times in a row"); stopped != (i == 4) {
			t.Errorf("crash %d: %q", i+1, last)
		}
	}
	if pids := s.PIDs(); len(pids) != 0 {
		t.Errorf("workers %v are left", pids)
	}
	if _, err := s.Complete(context.Background(), "x", 1); err == nil {
		t.Error("Complete without a worker has no error")
	}
	s.alive() // running a cell is asking for it
}

func TestSnapshotThatCannotBeRestored(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	s.must("poison")
	e, _ := s.fails(kernel.ErrExit, "exit 1")
	if last := e.Traceback[len(e.Traceback)-1]; !strings.Contains(last, "could not be restored") {
		t.Errorf("the user is told %q", last)
	}
	s.alive()
	s.fails(kernel.ErrExit, "exit 1")
	s.alive()
}

func TestRestart(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	s.must("set x 1", "declare T int")
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	s.fails("CompileError", "get T")
	time.AfterFunc(100*time.Millisecond, func() { s.Restart() })
	s.fails(kernel.ErrInterrupted, "sleep 60000")
	s.alive()
}

// TestCloseTakesChildrenAlong starts a process in a cell.
func TestCloseTakesChildrenAlong(t *testing.T) {
	for _, end := range []string{"close", "crash"} {
		s := newSession(t, kernel.SessionOptions{})
		pid, err := strconv.Atoi(s.must("child").stdout())
		if err != nil {
			t.Fatal(err)
		}
		if end == "close" {
			s.Close()
		} else {
			s.fails(kernel.ErrExit, "exit 0")
		}
		eventually(t, "the child ends by "+end, func() bool { return dead(pid) })
		if end == "close" {
			if r, _ := s.run("print x"); r.Err == nil {
				t.Error("a cell runs in a closed session")
			}
		}
	}
}

// dead reports whether a process is gone, or a zombie that nobody reaps.
func dead(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(after, "Z")
}

func TestSpareTakesOver(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	s.must("set x 1")
	eventually(t, "a spare", func() bool { return len(s.PIDs()) == 2 })
	spare := s.PIDs()[1]
	begun := time.Now()
	s.fails(kernel.ErrExit, "exit 1")
	t.Logf("crash to error: %v", time.Since(begun))
	if got := s.PIDs()[0]; got != spare {
		t.Errorf("worker %d took over, want the spare %d", got, spare)
	}
	s.alive()
}

func TestBigValues(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	r := s.must("image 50", "bigresult 50")
	if n := len(r.bundles[0].Data["image/png"].([]byte)); n != 50<<20 {
		t.Errorf("image of %d bytes", n)
	}
	if n := len(r.bundles[1].Data["text/plain"].(string)); n != 50<<20 {
		t.Errorf("text of %d bytes", n)
	}
	r = s.must("image 300", "print after")
	if !strings.Contains(r.stderr(), "300 MB") || r.stdout() != "after\n" || len(r.bundles) != 0 {
		t.Errorf("stderr %q, stdout %q, %d bundles", r.stderr(), r.stdout(), len(r.bundles))
	}
}

func TestExpressionsAndPayload(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	r := s.Execute(context.Background(), kernel.Cell{ID: "c", Code: "page text", Expressions: map[string]string{"a": "1+1", "b": "bad"}}, kernel.ExecuteOptions{}, &recorder{})
	if r.Expressions["a"].Value.Data["text/plain"] != "value of 1+1" || r.Expressions["b"].Err == nil || r.Expressions["b"].Err.Name != "CompileError" {
		t.Errorf("expressions %+v", r.Expressions)
	}
	if len(r.Payload) != 1 || r.Payload[0]["source"] != "page" {
		t.Errorf("payload %+v", r.Payload)
	}
}

func TestCellsRunInOrder(t *testing.T) {
	s := newSession(t, kernel.SessionOptions{})
	var order []string
	done := make(chan string, 10)
	for i := range 10 {
		go func() {
			s.Execute(context.Background(), kernel.Cell{ID: fmt.Sprint("o", i), Code: "sleep 5"}, kernel.ExecuteOptions{}, &recorder{})
			done <- fmt.Sprint(i)
		}()
		time.Sleep(3 * time.Millisecond) // so that they queue in this order
	}
	for range 10 {
		order = append(order, <-done)
	}
	if !slices.IsSorted(order) {
		t.Errorf("order %v", order)
	}
}

func TestWorkerThatCannotStart(t *testing.T) {
	if _, err := kernel.NewSession(kernel.SessionOptions{Argv: []string{"/no/such/program"}}); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("error %v", err)
	}
	s := newSession(t, kernel.SessionOptions{Argv: []string{"/bin/sh", "-c", "echo no engine >&2; exit 7"}})
	result, _ := s.run("print x")
	if result.Err == nil || !strings.Contains(result.Err.Value, "does not start") || !strings.Contains(strings.Join(result.Err.Traceback, "\n"), "no engine") {
		t.Errorf("a cell without a worker: %+v", result.Err)
	}
}

func TestServeWorkerByHand(t *testing.T) {
	if err := kernel.ServeWorker(nil); err == nil || !strings.Contains(err.Error(), "own use") {
		t.Errorf("error %v", err)
	}
}
