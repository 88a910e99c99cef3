//go:build unix

// Package enginetest has a small Engine for the tests of what surrounds an
// Engine: a cell is a list of commands, one a line, each of which does one
// thing that a kernel must live through.
package enginetest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/stdlib/display"
)

// Engine interprets commands. See commands for what they are.
type Engine struct {
	mu       sync.Mutex
	vars     map[string]string
	declared map[string]string
	comms    map[string]bool
}

// New returns an Engine with an empty session.
func New() *Engine {
	return &Engine{vars: map[string]string{}, declared: map[string]string{}, comms: map[string]bool{}}
}

// call is one command on its way.
type call struct {
	ctx  context.Context
	e    *Engine
	cell kernel.Cell
	arg  string
	out  display.Sink
}

func (c call) number() int { n, _ := strconv.Atoi(strings.Fields(c.arg + " 0")[0]); return n }

// rest is the argument after its first word.
func (c call) rest() string { _, r, _ := strings.Cut(c.arg, " "); return r }

type fault struct{ name, value string }

func (f fault) Error() string { return f.value }

var commands map[string]func(call) error

func init() {
	commands = map[string]func(call) error{
		// Output.
		"print":  func(c call) error { c.out.Stream("stdout", c.arg+"\n"); return nil },
		"eprint": func(c call) error { c.out.Stream("stderr", c.arg+"\n"); return nil },
		"fd":     func(c call) error { _, err := fmt.Println(c.arg); return err },
		"efd":    func(c call) error { _, err := fmt.Fprintln(os.Stderr, c.arg); return err },
		"bytes":  func(c call) error { s, err := strconv.Unquote(c.arg); os.Stdout.WriteString(s); return err },
		"lines": func(c call) error {
			for i := range c.number() {
				fmt.Println("line", i)
			}
			return nil
		},
		"flood": func(c call) error { // N megabytes, lines or not
			b := bytes.Repeat([]byte("x"), 1<<20)
			if c.rest() == "lines" {
				b = bytes.Repeat([]byte("0123456\n"), 1<<17)
			}
			for range c.number() {
				os.Stdout.Write(b)
			}
			return nil
		},
		"display": func(c call) error { // MIME TEXT
			mime, text, _ := strings.Cut(c.arg, " ")
			b := display.Text(text)
			b.Data[mime] = text
			if strings.HasSuffix(mime, "json") {
				b.Data[mime] = json.RawMessage(text)
			}
			c.out.Display(b, "")
			return nil
		},
		"show": func(c call) error { c.out.Display(display.Text(c.rest()), strings.Fields(c.arg)[0]); return nil },
		"shows": func(c call) error {
			for i := range c.number() {
				c.out.Display(display.Text(strconv.Itoa(i)), "")
			}
			return nil
		},
		"update": func(c call) error { c.out.Update(display.Text(c.rest()), strings.Fields(c.arg)[0]); return nil },
		"result": func(c call) error { c.out.Result(display.Text(c.arg)); return nil },
		"clear":  func(c call) error { c.out.Clear(c.arg == "wait"); return nil },
		"png": func(c call) error {
			var buf bytes.Buffer
			png.Encode(&buf, image.NewGray(image.Rect(0, 0, 4, 4)))
			c.out.Display(display.Bundle{Data: map[string]any{"image/png": buf.Bytes(), "text/plain": "4×4"}}, "")
			return nil
		},
		"image": func(c call) error { // of N megabytes
			c.out.Display(display.Bundle{Data: map[string]any{"image/png": make([]byte, c.number()<<20), "text/plain": "image"}}, "")
			return nil
		},
		"bigresult": func(c call) error { c.out.Result(display.Text(strings.Repeat("x", c.number()<<20))); return nil },
		// Time and interrupts.
		"sleep": func(c call) error {
			select {
			case <-time.After(time.Duration(c.number()) * time.Millisecond):
				return nil
			case <-c.ctx.Done():
				return fault{"Interrupted", "the sleep was interrupted"}
			}
		},
		"busy": func(c call) error {
			for c.ctx.Err() == nil {
			}
			return fault{"Interrupted", "the loop was interrupted"}
		},
		"stubborn": func(c call) error { time.Sleep(time.Duration(c.number()) * time.Millisecond); return nil },
		"spin": func(call) error {
			for {
			}
		},
		// Ends of the process.
		"panic": func(c call) error { panic(c.arg) },
		"gopanic": func(c call) error {
			go func() { panic(c.arg) }()
			time.Sleep(10 * time.Second)
			return nil
		},
		"latepanic": func(c call) error {
			go func() { time.Sleep(time.Duration(c.number()) * time.Millisecond); panic("late") }()
			return nil
		},
		"goexit":   func(call) error { runtime.Goexit(); return nil },
		"exit":     func(c call) error { os.Exit(c.number()); return nil },
		"overflow": func(call) error { overflow(0); return nil },
		"oom": func(call) error {
			var all [][]byte
			for {
				b := make([]byte, 16<<20)
				for i := range b {
					b[i] = 1
				}
				all = append(all, b)
				if len(all) > 1<<20 {
					return nil
				}
			}
		},
		"mapwrites": func(call) error {
			m := map[int]int{}
			for range 8 {
				go func() {
					for i := 0; ; i++ {
						m[i%10]++
					}
				}()
			}
			time.Sleep(10 * time.Second)
			return nil
		},
		"kill":        func(c call) error { syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} },
		"closechan":   func(call) error { c := make(chan int); close(c); c <- 1; return nil },
		"closestdout": func(call) error { os.Stdout.Close(); os.Stderr.Close(); os.Stdin.Close(); return nil },
		"swapstdout":  func(call) error { _, w, err := os.Pipe(); os.Stdout = w; return err },
		"closeall": func(call) error {
			for fd := 3; fd < 64; fd++ {
				syscall.Close(fd)
			}
			return nil
		},
		"closeevents": func(call) error { syscall.Close(4); return nil },
		"scribble":    func(c call) error { syscall.Write(4, []byte(strings.Repeat(c.arg, 100))); return nil },
		"child": func(c call) error { // a process that outlives the cell
			cmd := exec.Command("sleep", "300")
			cmd.Stdout = os.Stdout
			if err := cmd.Start(); err != nil {
				return err
			}
			c.out.Stream("stdout", strconv.Itoa(cmd.Process.Pid))
			return nil
		},
		// Input.
		"input": func(c call) error {
			s, err := c.out.Input(c.ctx, c.arg, false)
			if err == nil {
				c.out.Stream("stdout", fmt.Sprintf("got %q\n", s))
			}
			return err
		},
		"password": func(c call) error {
			s, err := c.out.Input(c.ctx, c.arg, true)
			if err == nil {
				c.out.Stream("stdout", fmt.Sprintf("got %q\n", s))
			}
			return err
		},
		"readline": func(c call) error {
			s, err := bufio.NewReader(os.Stdin).ReadString('\n')
			c.out.Stream("stdout", fmt.Sprintf("read %q %v\n", s, err))
			return nil
		},
		// Late output.
		"late": func(c call) error {
			go func() {
				time.Sleep(time.Duration(c.number()) * time.Millisecond)
				c.out.Stream("stdout", c.rest()+"\n")
			}()
			return nil
		},
		"latefd": func(c call) error {
			go func() { time.Sleep(time.Duration(c.number()) * time.Millisecond); fmt.Println(c.rest()) }()
			return nil
		},
		// The session.
		"set":     func(c call) error { c.e.set(c.e.vars, c.arg); return nil },
		"declare": func(c call) error { c.e.set(c.e.declared, c.arg); return nil },
		"get": func(c call) error {
			c.e.mu.Lock()
			defer c.e.mu.Unlock()
			for _, m := range []map[string]string{c.e.vars, c.e.declared} {
				if v, ok := m[c.arg]; ok {
					c.out.Result(display.Text(v))
					return nil
				}
			}
			return fault{"CompileError", "undefined: " + c.arg}
		},
		"pid":  func(c call) error { c.out.Result(display.Text(strconv.Itoa(os.Getpid()))); return nil },
		"fail": func(c call) error { return fault{"CompileError", c.arg} },
		"page": func(c call) error { return nil }, // see Execute
		"open": func(c call) error { // a comm, with a buffer
			c.out.Comm(display.CommMessage{Kind: "comm_open", ID: c.arg, Target: "test", Data: map[string]any{"n": 1}, Buffers: [][]byte{{0, 255}}})
			return nil
		},
		"close":  func(c call) error { c.out.Comm(display.CommMessage{Kind: "comm_close", ID: c.arg}); return nil },
		"poison": func(c call) error { c.e.set(c.e.declared, "poison 1"); return nil }, // Restore will crash
	}
}

func (e *Engine) set(m map[string]string, arg string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	name, value, _ := strings.Cut(arg, " ")
	m[name] = value
}

//go:noinline
func overflow(n int) int {
	var pad [128]int
	pad[n%128] = n
	return overflow(n+1) + pad[(n+1)%128]
}

// Execute implements kernel.Engine.
func (e *Engine) Execute(ctx context.Context, cell kernel.Cell, out display.Sink) kernel.Result {
	var result kernel.Result
	for line := range strings.Lines(cell.Code) {
		line = strings.TrimSuffix(line, "\n")
		name, arg, _ := strings.Cut(line, " ")
		if name == "" {
			continue
		}
		f := commands[name]
		err := error(fault{"CompileError", "undefined: " + line})
		if f != nil {
			err = f(call{ctx, e, cell, arg, out})
		}
		if name == "page" {
			result.Payload = append(result.Payload, map[string]any{"source": "page", "data": display.Text(arg).Wire(), "start": 0})
		}
		if err != nil {
			f, ok := err.(fault)
			if !ok {
				f = fault{fmt.Sprintf("%T", err), err.Error()}
			}
			result.Err = &kernel.Error{Name: f.name, Value: f.value, Traceback: []string{"\x1b[31m" + f.name + "\x1b[0m: " + f.value}}
			break
		}
	}
	for name, code := range cell.Expressions {
		if result.Expressions == nil {
			result.Expressions = map[string]kernel.ExpressionResult{}
		}
		r := kernel.ExpressionResult{Value: display.Text("value of " + code)}
		if code == "bad" {
			r = kernel.ExpressionResult{Err: &kernel.Error{Name: "CompileError", Value: "bad"}}
		}
		result.Expressions[name] = r
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	s := snapshot{Declared: e.declared}
	for name := range e.vars {
		s.Vars = append(s.Vars, name)
	}
	sort.Strings(s.Vars)
	result.Snapshot, _ = json.Marshal(s)
	return result
}

type snapshot struct {
	Declared map[string]string
	Vars     []string
}

// Restore implements kernel.Engine.
func (e *Engine) Restore(_ context.Context, b []byte) ([]string, error) {
	var s snapshot
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, err
	}
	if s.Declared["poison"] != "" {
		os.Exit(9)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for name, value := range s.Declared {
		e.declared[name] = value
	}
	return s.Vars, nil
}

// Complete implements kernel.Engine: the commands with the prefix before the
// cursor.
func (e *Engine) Complete(_ context.Context, code string, cursor int) kernel.Completion {
	start := cursor
	for start > 0 && code[start-1] >= 'a' && code[start-1] <= 'z' {
		start--
	}
	c := kernel.Completion{Start: start, End: cursor}
	for name := range commands {
		if strings.HasPrefix(name, code[start:cursor]) {
			c.Matches = append(c.Matches, kernel.Match{Text: name, Kind: "function", Signature: "(arg)"})
		}
	}
	sort.Slice(c.Matches, func(i, j int) bool { return c.Matches[i].Text < c.Matches[j].Text })
	return c
}

// Inspect implements kernel.Engine: the command under the cursor.
func (e *Engine) Inspect(_ context.Context, code string, cursor, detail int) display.Bundle {
	start, end := cursor, cursor
	for start > 0 && code[start-1] >= 'a' && code[start-1] <= 'z' {
		start--
	}
	for end < len(code) && code[end] >= 'a' && code[end] <= 'z' {
		end++
	}
	name := code[start:end]
	if commands[name] == nil {
		return display.Bundle{}
	}
	return display.Text(fmt.Sprintf("command %s, detail %d", name, detail))
}

// IsComplete implements kernel.Engine: brackets must pair.
func (e *Engine) IsComplete(code string) kernel.Completeness {
	depth := strings.Count(code, "{") - strings.Count(code, "}")
	switch {
	case depth > 0:
		return kernel.Completeness{Status: "incomplete", Indent: strings.Repeat("\t", depth)}
	case depth < 0:
		return kernel.Completeness{Status: "invalid"}
	}
	return kernel.Completeness{Status: "complete"}
}

// Comm implements kernel.Engine: the target "test" echoes, others are unknown.
func (e *Engine) Comm(m display.CommMessage, out display.Sink) {
	switch {
	case m.Kind == "comm_open" && m.Target != "test":
		out.Comm(display.CommMessage{Kind: "comm_close", ID: m.ID})
	case m.Kind == "comm_msg":
		out.Comm(display.CommMessage{Kind: "comm_msg", ID: m.ID, Data: m.Data, Buffers: m.Buffers})
	}
}

// Close implements kernel.Engine.
func (e *Engine) Close() error { return nil }
