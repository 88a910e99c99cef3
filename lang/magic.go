package lang

import (
	"bufio"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// call is one magic in use.
type call struct {
	ctx  context.Context
	e    *Engine
	name string // of the cell
	arg  string // the rest of the line
	body string // of a cell magic, the lines below
	code string // the cell's text with all but the argument blank, or with all but the body
	out  display.Sink
	show func(display.Bundle)
}

// magicCommand is a line of the table of magics.
type magicCommand struct {
	usage string
	help  string
	run   func(c *call) *Error
}

// lineMagics and cellMagics are filled in by init, since %help reads them.
var lineMagics, cellMagics map[string]magicCommand

func init() {
	lineMagics = map[string]magicCommand{
		"help":    {"%help", "list these commands", (*call).help},
		"time":    {"%time STATEMENT", "run the statement and say how long it took", (*call).time},
		"timeit":  {"%timeit EXPRESSION", "run it many times; show the mean and the spread of a run", (*call).timeit},
		"who":     {"%who", "list the session's variables, functions and types", (*call).who},
		"reset":   {"%reset", "forget all variables and declarations", (*call).reset},
		"cd":      {"%cd [FOLDER]", "change the working folder", (*call).cd},
		"env":     {"%env [NAME[=VALUE]]", "show or set environment variables", (*call).env},
		"get":     {"%get MODULE[@VERSION]", "bring in a third-party module", (*call).get},
		"load":    {"%load FILE", "run a Go file as if it were pasted here", (*call).load},
		"trace":   {"%trace", "show the whole trace of the newest panic", (*call).traceCmd},
		"export":  {"%export [FOLDER]", "write the session's cells as a Go module", (*call).export},
		"native":  {"%native STATEMENT", "run the statement compiled", (*call).native},
		"interp":  {"%interp STATEMENT", "run the statement in the interpreter", (*call).interp},
		"version": {"%version", "show versions and whether cells are compiled", (*call).version},
	}
	cellMagics = map[string]magicCommand{
		"time":      {"%%time", "run the cell and say how long it took", (*call).time},
		"native":    {"%%native", "run the cell compiled", (*call).native},
		"interp":    {"%%interp", "run the cell in the interpreter", (*call).interp},
		"bash":      {"%%bash", "run the cell as a shell script", (*call).bash},
		"writefile": {"%%writefile FILE", "write the cell to a file", (*call).writefile},
	}
}

// quiet magics of other Go kernels: they mean nothing here, and do no harm.
var quietMagics = map[string]bool{"go111module": true, "main": true, "goflags": true, "ls": false}

// magic runs a cell that has magics in it. It reports false where there are none.
func (e *Engine) magic(ctx context.Context, name, code string, out display.Sink, show func(display.Bundle)) (bool, *Error) {
	trimmed := strings.TrimLeft(code, " \t\n")
	if strings.HasPrefix(trimmed, "%%") {
		return true, e.cellMagic(ctx, name, code, len(code)-len(trimmed), out, show)
	}
	segs := cut(code, func(line string) bool { return e.isShellIn(line, code) })
	magics := 0
	for _, s := range segs {
		if s.magic {
			magics++
		}
	}
	if magics == 0 {
		return false, nil
	}
	for _, s := range segs {
		var err *Error
		if s.magic {
			err = e.lineMagic(ctx, name, code, s, out, show)
		} else if strings.TrimSpace(code[s.start:s.end]) != "" {
			err = e.runGo(ctx, name, only(code, s.start, s.end), out, show, planAuto)
		}
		if err != nil {
			return true, err
		}
	}
	return true, nil
}

// isShell tells `!ls` from Go's `!done`: an expression of names that the session
// knows, or that the cell has in other lines, is Go.
func (e *Engine) isShell(line string) bool { return e.isShellIn(line, "") }

func (e *Engine) isShellIn(line, code string) bool {
	x, err := parser.ParseExpr(line)
	if err != nil {
		return true
	}
	known := false
	elsewhere := identifiers(strings.Replace(code, "!"+line, "", 1))
	e.mu.Lock()
	defer e.mu.Unlock()
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			known = known || e.session.has(id.Name) || e.session.imports[id.Name] != "" || elsewhere[id.Name]
		}
		return true
	})
	return !known
}

func (e *Engine) lineMagic(ctx context.Context, name, code string, s segment, out display.Sink, show func(display.Bundle)) *Error {
	line := strings.TrimRight(code[s.start:s.end], " \t\r")
	if q, ok := question(line); ok {
		return e.inspectName(q, strings.Count(line, "?") > 1, out)
	}
	if strings.HasPrefix(line, "!") || strings.HasPrefix(line, "$") {
		c := &call{ctx: ctx, e: e, name: name, body: strings.TrimSpace(line[1:]), out: out}
		return c.bash()
	}
	word, arg := splitWord(strings.TrimLeft(line, "%"))
	if quietMagics[word] || word == "" {
		return nil
	}
	m, ok := lineMagics[word]
	if !ok {
		return unknownMagic(name, "%"+word, lineMagics)
	}
	at := s.start + strings.Index(code[s.start:s.end], word) + len(word)
	c := &call{ctx: ctx, e: e, name: name, arg: arg, code: only(code, at, s.end), out: out, show: show}
	return m.run(c)
}

func (e *Engine) cellMagic(ctx context.Context, name, code string, start int, out display.Sink, show func(display.Bundle)) *Error {
	line, body := code[start:], ""
	end := len(code)
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		end = start + i + 1
		line, body = line[:i], line[i+1:]
	}
	word, arg := splitWord(strings.TrimLeft(strings.TrimRight(line, " \t\r"), "%"))
	c := &call{ctx: ctx, e: e, name: name, arg: arg, body: body, code: only(code, end, len(code)), out: out, show: show}
	if word == "" || quietMagics[word] {
		return e.runGo(ctx, name, c.code, out, show, planAuto)
	}
	m, ok := cellMagics[word]
	if !ok {
		return unknownMagic(name, "%%"+word, cellMagics)
	}
	return m.run(c)
}

func unknownMagic(cell, word string, table map[string]magicCommand) *Error {
	var names []string
	for n := range table {
		names = append(names, n)
	}
	sort.Strings(names)
	text := fmt.Sprintf("no command %s", word)
	if best := nearest(strings.TrimLeft(word, "%"), names); best != "" {
		text += "; did you mean " + table[best].usage + "?"
	}
	return &Error{Name: "CommandError", Value: text, Traceback: []string{"\x1b[1;31m" + text + "\x1b[0m", "%help lists the commands"}}
}

func splitWord(s string) (word, rest string) {
	s = strings.TrimSpace(s)
	i := strings.IndexAny(s, " \t")
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimSpace(s[i:])
}

func failed(err error) *Error {
	return &Error{Name: "CommandError", Value: err.Error(), Traceback: []string{"\x1b[1;31m" + err.Error() + "\x1b[0m"}}
}

func (c *call) print(format string, a ...any) { c.out.Stream("stdout", fmt.Sprintf(format, a...)) }

func (c *call) help() *Error {
	var b strings.Builder
	for _, table := range []map[string]magicCommand{lineMagics, cellMagics} {
		for _, n := range sortedKeys(table) {
			fmt.Fprintf(&b, "%-26s %s\n", table[n].usage, table[n].help)
		}
	}
	fmt.Fprintf(&b, "%-26s %s\n%-26s %s\n", "!COMMAND", "run a shell command", "NAME?", "show what the name is, its documentation and its value")
	b.WriteString("\nA cell is Go, with three additions:\n" +
		"  1. A call may leave out a leading context and a trailing *Options.\n" +
		"  2. A call that returns an error as well may be used as if it did not: an error ends the cell.\n" +
		"  3. The last expression is shown, unless a semicolon ends the cell. Names may be declared again.\n")
	c.print("%s", b.String())
	return nil
}

func (c *call) time() *Error {
	begin := time.Now()
	err := c.e.runGo(c.ctx, c.name, c.code, c.out, c.show, planAuto)
	c.out.Stream("stderr", fmt.Sprintf("time: %v, checking and compiling included\n", round(time.Since(begin))))
	return err
}

func (c *call) native() *Error {
	return c.e.runGo(c.ctx, c.name, c.code, c.out, c.show, planNative)
}

func (c *call) interp() *Error {
	return c.e.runGo(c.ctx, c.name, c.code, c.out, c.show, planInterp)
}

// timeit compiles a loop around the statement, as a benchmark does.
func (c *call) timeit() *Error {
	if strings.TrimSpace(c.arg) == "" {
		return failed(fmt.Errorf("%%timeit needs a statement, as in %%timeit math.Sqrt(2)"))
	}
	at := len(c.code) - len(strings.TrimLeft(c.code, " \n"))
	stmt := strings.TrimRight(c.code[at:], " \n")
	if x, err := parser.ParseExpr(stmt); err == nil {
		if _, isCall := x.(*ast.CallExpr); !isCall {
			stmt = "_ = " + stmt
		}
	}
	code := "func() []float64 {\n" +
		"\tvar perRun []float64\n\tn := 1\n" +
		"\tfor total := time.Duration(0); total < 700*time.Millisecond; {\n" +
		"\t\tbegin := time.Now()\n\t\tfor i" + mark + " := 0; i" + mark + " < n; i" + mark + "++ {\n" + stmt + "\n\t\t}\n" +
		"\t\td := time.Since(begin)\n\t\ttotal += d\n" +
		"\t\tif d < 20*time.Millisecond { n *= 2; continue }\n" +
		"\t\tperRun = append(perRun, float64(d.Nanoseconds())/float64(n))\n\t}\n\treturn perRun\n}()"
	var runs []float64
	err := c.e.runTimed(c.ctx, c.name, code, c.out, &runs)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return failed(fmt.Errorf("%%timeit: no run was long enough to measure"))
	}
	sort.Float64s(runs)
	lo, mid, hi := runs[0], runs[len(runs)/2], runs[len(runs)-1]
	c.print("%v a run (median of %d batches; %v to %v)\n", nanos(mid), len(runs), nanos(lo), nanos(hi))
	return nil
}

func nanos(ns float64) string {
	switch {
	case ns < 1000:
		return fmt.Sprintf("%.3g ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	case ns < 1e9:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	}
	return fmt.Sprintf("%.3g s", ns/1e9)
}

func round(d time.Duration) time.Duration {
	switch {
	case d > 10*time.Second:
		return d.Round(100 * time.Millisecond)
	case d > time.Second:
		return d.Round(10 * time.Millisecond)
	case d > time.Millisecond:
		return d.Round(10 * time.Microsecond)
	}
	return d
}

func (c *call) who() *Error {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	s := c.e.session
	var rows [][3]string
	for _, n := range sortedKeys(s.vars) {
		v := s.vars[n]
		rows = append(rows, [3]string{n, typeText(v.typ), v.cell.Name})
	}
	for _, n := range sortedKeys(s.decls) {
		d := s.decls[n]
		what := map[declKind]string{funcDecl: "func", methodDecl: "method", typeDecl: "type", constDecl: "const"}[d.kind]
		if d.kind == funcDecl && d.obj != nil {
			what = typeText(d.obj.Type())
		}
		rows = append(rows, [3]string{n, what, d.cell.Name})
	}
	if len(rows) == 0 {
		c.print("nothing is declared yet\n")
		return nil
	}
	w := [2]int{4, 4}
	for _, r := range rows {
		w[0], w[1] = max(w[0], len(r[0])), max(w[1], min(len(r[1]), 60))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s  %-*s  %s\n", w[0], "name", w[1], "type", "from")
	for _, r := range rows {
		fmt.Fprintf(&b, "%-*s  %-*s  %s\n", w[0], r[0], w[1], r[1], r[2])
	}
	c.print("%s", b.String())
	return nil
}

func (c *call) reset() *Error {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	old := c.e.session
	c.e.session = newSession()
	c.e.session.nextVar = old.nextVar // numbers of variables must not come again
	return nil
}

func (c *call) cd() *Error {
	dir := c.arg
	if dir == "" || dir == "~" {
		dir, _ = os.UserHomeDir()
	} else if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		home, _ := os.UserHomeDir()
		dir = filepath.Join(home, rest)
	}
	if err := os.Chdir(dir); err != nil {
		return failed(err)
	}
	wd, _ := os.Getwd()
	c.print("%s\n", wd)
	return nil
}

func (c *call) env() *Error {
	name, value, set := strings.Cut(c.arg, "=")
	if !set {
		if n, v := splitWord(c.arg); v != "" {
			name, value, set = n, v, true
		}
	}
	switch {
	case c.arg == "":
		env := os.Environ()
		sort.Strings(env)
		for _, kv := range env {
			// Values of what looks like a secret stay out of a saved notebook.
			n, v, _ := strings.Cut(kv, "=")
			if secret(n) {
				v = "…"
			}
			c.print("%s=%s\n", n, v)
		}
	case set:
		if err := os.Setenv(strings.TrimSpace(name), strings.Trim(strings.TrimSpace(value), `"'`)); err != nil {
			return failed(err)
		}
	default:
		v, ok := os.LookupEnv(name)
		if !ok {
			return failed(fmt.Errorf("%s is not set; %%env %s=VALUE sets it", name, name))
		}
		c.print("%s\n", v)
	}
	return nil
}

func secret(name string) bool {
	name = strings.ToUpper(name)
	for _, w := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

func (c *call) load() *Error {
	src, err := os.ReadFile(c.arg)
	if err != nil {
		return failed(err)
	}
	return c.e.runGo(c.ctx, c.name, normal(string(src)), c.out, c.show, planAuto)
}

func (c *call) traceCmd() *Error {
	c.e.mu.Lock()
	t := c.e.trace
	c.e.mu.Unlock()
	if t == "" {
		t = "no panic yet\n"
	}
	c.print("%s", t)
	return nil
}

func (c *call) version() *Error {
	c.print("%s\n", c.e.Version())
	return nil
}

func (c *call) writefile() *Error {
	name := c.arg
	flag := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if rest, ok := strings.CutPrefix(name, "-a "); ok {
		name, flag = strings.TrimSpace(rest), os.O_CREATE|os.O_WRONLY|os.O_APPEND
	}
	if name == "" {
		return failed(fmt.Errorf("%%%%writefile needs a file name, as in %%%%writefile data.csv"))
	}
	f, err := os.OpenFile(name, flag, 0o644)
	if err != nil {
		return failed(err)
	}
	_, err = f.WriteString(c.body)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return failed(err)
	}
	c.print("wrote %d bytes to %s\n", len(c.body), name)
	return nil
}

// bash runs the body as a shell script, its output streamed to the cell. An
// interrupt ends it and its children.
func (c *call) bash() *Error {
	cmd := exec.Command("bash", "-c", c.body)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, _ := cmd.StdoutPipe()
	stderr, _ := cmd.StderrPipe()
	if err := cmd.Start(); err != nil {
		return failed(err)
	}
	done := make(chan bool)
	go func() {
		select {
		case <-c.ctx.Done():
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		case <-done:
		}
	}()
	copied := make(chan bool, 2)
	for _, s := range []struct {
		name string
		r    io.Reader
	}{{"stdout", stdout}, {"stderr", stderr}} {
		go func() {
			r := bufio.NewReaderSize(s.r, 1<<16)
			buf := make([]byte, 1<<16)
			for {
				n, err := r.Read(buf)
				if n > 0 {
					c.out.Stream(s.name, string(buf[:n]))
				}
				if err != nil {
					copied <- true
					return
				}
			}
		}()
	}
	<-copied
	<-copied
	err := cmd.Wait()
	close(done)
	if c.ctx.Err() != nil {
		return &Error{Name: "Interrupted", Value: "interrupted", Traceback: []string{"\x1b[1;31minterrupted\x1b[0m"}}
	}
	if err != nil {
		return failed(fmt.Errorf("the command failed: %v", err))
	}
	return nil
}
