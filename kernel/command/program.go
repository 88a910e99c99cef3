package command

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/kernel/notebook"
	"github.com/fathom-kernel/fathom/kernel/notebook/page"
)

// exitPanic is the exit status of a Go program that panics.
const exitPanic = 2

// runProgram runs a Go file in this very process: its output needs no pipes,
// its standard input is ours, and what kills it kills the command, as is right
// for a program. A file without a package clause is run as one cell.
func runProgram(p *Product, c *command, file string, args []string, timeout time.Duration) int {
	source, err := os.ReadFile(file)
	if err != nil {
		return c.failed(err)
	}
	os.Args = append([]string{file}, args...)
	ctx := context.Background()
	if timeout > 0 {
		time.AfterFunc(timeout, func() {
			fmt.Fprintf(os.Stderr, "fathom run: %s took longer than %v; --timeout sets the limit\n", file, timeout)
			os.Exit(exitFailed)
		})
	}
	if _, err := parser.ParseFile(token.NewFileSet(), file, source, parser.PackageClauseOnly); err == nil && p.Program != nil {
		main, e := p.Program(ctx, file, string(source))
		if e != nil {
			fmt.Fprintln(os.Stderr, errorText(os.Stderr, e))
			return exitFailed
		}
		main()
		return exitOK
	}
	engine, err := p.NewEngine()
	if err != nil {
		return c.failed(err)
	}
	defer engine.Close()
	result := engine.Execute(ctx, kernel.Cell{ID: "program", Count: 1, Code: string(source)},
		notebook.NewTerminal(os.Stdin, os.Stdout, os.Stderr))
	switch e := result.Err; {
	case e == nil:
		return exitOK
	case e.Name == "Exit":
		return exitCode(e)
	case e.Name == "Panic":
		fmt.Fprint(os.Stderr, panicText(e))
		return exitPanic
	default:
		fmt.Fprintln(os.Stderr, errorText(os.Stderr, e))
		return exitFailed
	}
}

var number = regexp.MustCompile(`-?[0-9]+`)

// exitCode reads the code out of an error named Exit, "exit status 3".
func exitCode(e *kernel.Error) int {
	if n, err := strconv.Atoi(number.FindString(e.Value)); err == nil {
		return n & 0xff
	}
	return exitFailed
}

// panicText is a panic as Go prints it: the value first, then where.
func panicText(e *kernel.Error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "panic: %s\n\n", strings.TrimPrefix(e.Value, "panic: "))
	for i, line := range e.Traceback {
		line = page.PlainText(line)
		if i == 0 && strings.Contains(line, e.Value) {
			continue // the value again
		}
		b.WriteString(strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}
