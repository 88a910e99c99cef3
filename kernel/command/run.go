package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/kernel/notebook"
	"github.com/fathom-kernel/fathom/kernel/notebook/page"
	"github.com/fathom-kernel/fathom/stdlib/display"
)

var runCommand = &command{
	name: "run", args: "FILE.ipynb|FILE.go [flags] [-- ARG...]",
	summary: "run a notebook or a Go program here, without Jupyter",
	help: `
A notebook's cells are run in order, in the notebook's folder. What they print
comes to the terminal at once; plots are named there and drawn in the page. The
run stops at the first error (exit status 1) and writes the notebook with its
outputs in every case. Two tags of a cell are obeyed: skip-execution, and
raises-exception for one that is meant to fail.

Parameters go into a cell of their own after the cell tagged "parameters", as
papermill does it. A number, true or false is taken as such, anything else as a
string; a name that the tagged cell declares keeps its type.

A Go program is run as if by the go command, with ARG... as its arguments: its
output passes unchanged, and the exit status is its own.

Examples:
  fathom run analysis.ipynb --html report.html
  fathom run analysis.ipynb -p year=2026 -p 'title=A first look' --ipynb out/2026.ipynb
  fathom run program.go -- -n 10`,
	run: runRun,
}

// runFlags are the flags of `fathom run`.
type runFlags struct {
	params      listFlag
	html        string
	ipynb       string
	noIpynb     bool
	allowErrors bool
	timeout     time.Duration
	quiet       bool
}

func runRun(p *Product, c *command, args []string) int {
	var opt runFlags
	f := c.flags()
	f.Var(&opt.params, "p", "set a parameter, as in -p rate=0.5; may be repeated (`name=value`)")
	f.StringVar(&opt.html, "html", "", "write a page that needs no network to this `file`")
	f.StringVar(&opt.ipynb, "ipynb", "", "write the executed notebook to this `file`\n(default: FILE.out.ipynb beside the notebook; the notebook's own name replaces it)")
	f.BoolVar(&opt.noIpynb, "no-ipynb", false, "do not write the executed notebook")
	f.BoolVar(&opt.allowErrors, "allow-errors", false, "run the cells after a failed one too, and exit with status 0")
	f.DurationVar(&opt.timeout, "timeout", 0, "the longest time a cell may take, as in 90s or 10m (`time`; default: no limit)")
	f.BoolVar(&opt.quiet, "quiet", false, "show no line for each cell, only what the cells show")
	files, after, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	if len(files) == 0 {
		return c.fail("which file? give a notebook (.ipynb) or a Go program (.go)")
	}
	if len(files) > 1 && !strings.HasSuffix(files[0], ".go") {
		return c.fail("one file at a time, got %s", strings.Join(files, " and "))
	}
	if opt.timeout < 0 {
		return c.fail("--timeout %v is negative", opt.timeout)
	}
	switch filepath.Ext(files[0]) {
	case ".ipynb":
		if len(after) > 0 {
			return c.fail("a notebook takes no arguments (%s); set parameters with -p name=value", strings.Join(after, " "))
		}
		return runNotebook(p, c, files[0], &opt)
	case ".go":
		if opt.html != "" || opt.ipynb != "" || len(opt.params) > 0 {
			return c.fail("--html, --ipynb and -p are for notebooks, and %s is a Go program", files[0])
		}
		return runProgram(p, c, files[0], append(files[1:], after...), opt.timeout)
	}
	return c.fail("%s is neither a notebook (.ipynb) nor a Go program (.go)", files[0])
}

// sessionRunner runs cells in a worker process.
type sessionRunner struct{ session *kernel.Session }

func (r sessionRunner) Execute(ctx context.Context, cell kernel.Cell, out display.Sink) kernel.Result {
	return r.session.Execute(ctx, cell, kernel.ExecuteOptions{AllowStdin: true}, out)
}

func runNotebook(p *Product, c *command, file string, opt *runFlags) int {
	begin := time.Now()
	nb, err := notebook.Open(file)
	if err != nil {
		return c.failed(err)
	}
	if lang := nb.Language(); lang != "" && lang != "go" {
		return c.failed(fmt.Errorf("%s is written in %s; fathom runs Go (in Jupyter, Kernel > Change kernel sets what a notebook is in)", file, lang))
	}
	var params []notebook.Parameter
	for _, s := range opt.params {
		param, err := notebook.ParseParameter(s)
		if err != nil {
			return c.failed(err)
		}
		params = append(params, param)
	}
	for _, name := range nb.Inject(params) {
		fmt.Fprintf(os.Stderr, "fathom run: note: the cell tagged \"parameters\" does not declare %s\n", name)
	}
	out := opt.ipynb
	if out == "" {
		out = strings.TrimSuffix(file, ".ipynb") + ".out.ipynb"
	}
	// A folder that is not there is better found before an hour of work.
	for _, f := range []string{out, opt.html} {
		if info, err := os.Stat(filepath.Dir(f)); f != "" && (err != nil || !info.IsDir()) {
			return c.failed(fmt.Errorf("%s: there is no folder %s; make it with: mkdir -p %s", f, filepath.Dir(f), filepath.Dir(f)))
		}
	}

	ctx, stop := interruptible()
	defer stop()
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return c.failed(err)
	}
	session, err := kernel.NewSession(kernel.SessionOptions{Dir: dir, NoSpare: true})
	if err != nil {
		return c.failed(err)
	}
	defer session.Close()

	terminal := notebook.NewTerminal(os.Stdin, os.Stdout, os.Stderr)
	failed, err := notebook.Run(ctx, nb, sessionRunner{session}, &notebook.Options{
		AllowErrors: opt.allowErrors,
		Timeout:     opt.timeout,
		Out:         terminal,
		Before: func(place, of int, cell *notebook.Cell) {
			if !opt.quiet {
				terminal.EndCell()
				fmt.Fprintf(os.Stderr, "%s\n", dim(os.Stderr, fmt.Sprintf("[%d/%d] %s", place, of, summary(cell.Source))))
			}
		},
		Failed: func(cell *notebook.Cell, e *kernel.Error) {
			terminal.EndCell()
			fmt.Fprintln(os.Stderr, errorText(os.Stderr, e))
		},
	})
	terminal.EndCell()

	code := exitOK
	if err != nil {
		fmt.Fprintf(os.Stderr, "fathom run: %s: %v\n", file, err)
		code = exitFailed
		if ctx.Err() != nil {
			code = exitInterrupted
		}
	}
	written, werr := writeResults(nb, out, opt)
	if !opt.quiet && len(written) > 0 {
		note := ""
		if failed > 0 {
			note = fmt.Sprintf(", %d failed cells", failed)
		}
		fmt.Fprintf(os.Stderr, "wrote %s (%.1f s%s)\n", strings.Join(written, " and "), time.Since(begin).Seconds(), note)
	}
	if werr != nil {
		return c.failed(werr)
	}
	return code
}

func writeResults(nb *notebook.Notebook, out string, opt *runFlags) (written []string, err error) {
	if !opt.noIpynb {
		err = nb.Save(out)
		if err == nil {
			written = append(written, out)
		}
	}
	if opt.html != "" {
		herr := notebook.WriteFile(opt.html, page.Render(nb, ""))
		if herr == nil {
			written = append(written, opt.html)
		}
		err = errors.Join(err, herr)
	}
	return written, err
}

// interruptible returns a context that the first ^C or TERM ends; the second
// ends the process as usual.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// summary is a cell's first line that says something, shortened.
func summary(source string) string {
	inImport := false
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "import ("):
			inImport = true
		case inImport:
			inImport = line != ")"
		case line != "" && !strings.HasPrefix(line, "import "):
			if r := []rune(line); len(r) > 70 {
				return string(r[:69]) + "…"
			}
			return line
		}
	}
	return firstLine(source)
}

func firstLine(source string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(source), "\n")
	return line
}
