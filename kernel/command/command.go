// Package command is the command line of the product: what `fathom run`,
// `fathom install` and the others do. It knows the kernel and notebooks; the
// engine, which it must not know, is handed in as part of the Product.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/kernel/notebook"
)

// Product is what the binary is made of.
type Product struct {
	Version string
	// NewEngine starts an engine in this process.
	NewEngine func() (kernel.Engine, error)
	// Program compiles a Go program, a file with a package clause and a main
	// function, and returns its main. What main does, it does as in any Go
	// program: a panic or os.Exit ends the process.
	Program func(ctx context.Context, name, source string) (main func(), e *kernel.Error)
	// MakeKit compiles what compiled cells are built against, from the source
	// of the binary in the folder; progress is told what happens.
	MakeKit func(ctx context.Context, source string, progress func(string)) error
	// Export writes the notebook's cells as a Go module into the folder and
	// returns the files it wrote.
	Export func(cells []ExportCell, name, dir string) (files []string, err error)
	// Checks are the engine's own lines of `fathom doctor`.
	Checks func() []Check
}

// ExportCell is one cell for Export.
type ExportCell struct {
	ID, Source string
	Markdown   bool
}

// Exit codes of all commands. A Go program that is run ends with its own.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// A command is one word after the binary's name.
type command struct {
	name, args, summary string
	help                string // after the summary, before the flags
	hidden              bool
	run                 func(p *Product, c *command, args []string) int
}

func commands() []*command {
	return []*command{runCommand, installCommand, replCommand, exportCommand, doctorCommand, versionCommand, kernelCommand, workerCommand}
}

// Main runs the command line (without the binary's name) and returns the exit
// code.
func Main(p *Product, args []string) int {
	if len(args) == 0 {
		usage(os.Stderr)
		return exitUsage
	}
	name := args[0]
	switch name {
	case "help", "-h", "-help", "--help":
		if len(args) > 1 && name == "help" {
			if c := find(args[1]); c != nil {
				return c.run(p, c, []string{"--help"})
			}
			return unknown(args[1])
		}
		usage(os.Stdout)
		return exitOK
	case "-v", "-version", "--version":
		name = "version"
	}
	if c := find(name); c != nil {
		return c.run(p, c, args[1:])
	}
	return unknown(name)
}

func find(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return c
		}
	}
	return nil
}

func unknown(name string) int {
	if strings.HasSuffix(name, ".ipynb") || strings.HasSuffix(name, ".go") {
		fmt.Fprintf(os.Stderr, "fathom: to run a file, write: fathom run %s\n", name)
		return exitUsage
	}
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	fmt.Fprintf(os.Stderr, "fathom: unknown command %q%s; `fathom help` lists the commands\n", name, suggest(name, names))
	return exitUsage
}

func usage(w io.Writer) {
	fmt.Fprint(w, `Fathom runs Go in notebooks: in Jupyter, or alone.

Usage: fathom COMMAND [flags]

`)
	for _, c := range commands() {
		if !c.hidden {
			fmt.Fprintf(w, "  %-9s %s\n", c.name, c.summary)
		}
	}
	fmt.Fprint(w, `
First steps:
  fathom install                 tell Jupyter about the kernel "Go (Fathom)"
  fathom run notebook.ipynb      run a notebook here and now, without Jupyter
  fathom doctor                  see what works on this machine

fathom COMMAND --help says more about each.
`)
}

// flags returns the command's flag set. Its errors and help are ours.
func (c *command) flags() *flag.FlagSet {
	f := flag.NewFlagSet(c.name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return f
}

// parse reads the flags, which may stand before, between and after the other
// arguments; what follows -- is no flag. ok is false where the command is over:
// help was asked for, or a flag was wrong.
func (c *command) parse(f *flag.FlagSet, args []string) (rest, after []string, code int, ok bool) {
	for i, a := range args {
		if a == "--" {
			args, after = args[:i], args[i+1:]
			break
		}
	}
	for {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				c.printHelp(os.Stdout, f)
				return nil, nil, exitOK, false
			}
			return nil, nil, c.fail("%s", c.explain(f, err)), false
		}
		if f.NArg() == 0 {
			return rest, after, exitOK, true
		}
		rest, args = append(rest, f.Arg(0)), f.Args()[1:]
	}
}

// explain turns an error of package flag into words with a next step.
func (c *command) explain(f *flag.FlagSet, err error) string {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		var names []string
		f.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
		return fmt.Sprintf("unknown flag --%s%s", name, suggest(name, names))
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return fmt.Sprintf("the flag --%s wants a value after it", name)
	}
	return text
}

// fail says what is wrong with the command line.
func (c *command) fail(format string, args ...any) int {
	fmt.Fprintf(os.Stderr, "fathom %s: %s; `fathom %s --help` says how it is used\n", c.name, fmt.Sprintf(format, args...), c.name)
	return exitUsage
}

// failed says what went wrong in the command.
func (c *command) failed(err error) int {
	fmt.Fprintf(os.Stderr, "fathom %s: %v\n", c.name, err)
	return exitFailed
}

func (c *command) printHelp(w io.Writer, f *flag.FlagSet) {
	fmt.Fprintf(w, "Usage: fathom %s %s\n\n%s.\n", c.name, c.args, upperFirst(c.summary))
	if c.help != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(c.help))
	}
	first := true
	f.VisitAll(func(f *flag.Flag) {
		if first {
			fmt.Fprint(w, "\nFlags:\n")
			first = false
		}
		arg, text := flag.UnquoteUsage(f)
		name := "--" + f.Name
		if len(f.Name) == 1 {
			name = "-" + f.Name
		}
		if arg != "" {
			name += " " + arg
		}
		fmt.Fprintf(w, "  %-22s %s\n", name, strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", 25)))
	})
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// suggest returns " (did you mean …?)" where one of the names is close.
func suggest(name string, names []string) string {
	best, distance := "", 1+max(min(len(name)-1, 2), len(name)/3)
	for _, n := range names {
		if d := editDistance(name, n); d < distance {
			best, distance = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// editDistance is the least number of letters to insert, delete or change.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// listFlag is a flag that may be given several times.
type listFlag []string

func (l *listFlag) String() string     { return strings.Join(*l, ", ") }
func (l *listFlag) Set(s string) error { *l = append(*l, s); return nil }

// cellsOf returns the cells that Export takes, and the ids of those left out: a
// program has no use for a cell that is meant to fail, or not to run.
func cellsOf(nb *notebook.Notebook) (cells []ExportCell, leftOut []string) {
	for _, c := range nb.Cells {
		switch {
		case c.Kind == notebook.Raw:
		case c.Kind == notebook.Code && (c.HasTag("raises-exception") || c.HasTag("skip-execution")):
			leftOut = append(leftOut, c.ID)
		default:
			cells = append(cells, ExportCell{ID: c.ID, Source: c.Source, Markdown: c.Kind == notebook.Markdown})
		}
	}
	return cells, leftOut
}
