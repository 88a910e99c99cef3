package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/kernel/notebook"
)

var replCommand = &command{
	name: "repl", args: "",
	summary: "try Go line by line in the terminal",
	help:    replHelp,
	run:     runREPL,
}

const replHelp = `
Each input is a cell: statements, declarations and expressions mix freely, and
the last expression is shown. An input that is not complete goes on on the next
line; an empty line ends it. Tab completes, the arrow keys fetch earlier lines,
^C stops a running cell or drops the input, ^D leaves.

  ?strings.Cut   what it is      :restart   forget everything
  :help          this list       :quit      leave

When the input is no terminal (a pipe, a file), each cell is run as soon as it
is complete, and the exit status is 1 if one failed.`

// repl is one session at the terminal.
type repl struct {
	session  *kernel.Session
	terminal *notebook.Terminal
	count    int
	failed   bool
}

func runREPL(p *Product, c *command, args []string) int {
	rest, _, code, ok := c.parse(c.flags(), args)
	if !ok {
		return code
	}
	if len(rest) > 0 {
		return c.fail("unexpected %q; to run a file: fathom run %s", rest[0], rest[0])
	}
	session, err := kernel.NewSession(kernel.SessionOptions{})
	if err != nil {
		return c.failed(err)
	}
	defer session.Close()
	r := &repl{session: session}
	var lines lineReader
	if term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd())) {
		fmt.Printf("Fathom %s: Go, cell by cell. :help helps, ^D leaves.\n", p.Version)
		editor := newEditor(session, historyFile())
		defer editor.close()
		r.terminal = notebook.NewTerminal(os.Stdin, os.Stdout, os.Stderr)
		lines = editor
	} else {
		r.terminal = notebook.NewTerminal(nil, os.Stdout, os.Stderr)
		lines = pipe{bufio.NewReader(os.Stdin)}
	}
	if err := r.loop(lines); err != nil {
		return c.failed(err)
	}
	if _, piped := lines.(pipe); piped && r.failed {
		return exitFailed
	}
	return exitOK
}

// lineReader gives the user's lines. errDropped says that the user wants the
// input gone, io.EOF that it is over.
type lineReader interface {
	line(prompt string) (string, error)
}

var errDropped = errors.New("dropped")

func (r *repl) loop(lines lineReader) error {
	var input []string
	for {
		prompt := fmt.Sprintf("[%d] ", r.count+1)
		if len(input) > 0 {
			prompt = strings.Repeat(".", len(prompt)-1) + " "
		}
		line, err := lines.line(prompt)
		switch {
		case errors.Is(err, errDropped):
			input = nil
			continue
		case errors.Is(err, io.EOF):
			if len(input) > 0 {
				r.run(strings.Join(input, "\n"))
			}
			return nil
		case err != nil:
			return err
		}
		if len(input) == 0 {
			done, quit := r.special(strings.TrimSpace(line))
			if quit {
				return nil
			}
			if done {
				continue
			}
		}
		_, piped := lines.(pipe)
		forced := !piped && len(input) > 0 && strings.TrimSpace(line) == ""
		input = append(input, line)
		code := strings.Join(input, "\n")
		if strings.TrimSpace(code) == "" {
			input = nil
			continue
		}
		if !forced && !r.complete(code) {
			continue
		}
		input = nil
		r.run(code)
	}
}

func (r *repl) complete(code string) bool {
	c, err := r.session.IsComplete(context.Background(), code)
	return err != nil || c.Status != "incomplete"
}

// special handles lines that are for the REPL, not for Go.
func (r *repl) special(line string) (done, quit bool) {
	switch line {
	case ":quit", ":q", "exit", "quit":
		return true, true
	case ":help", "help":
		fmt.Println(strings.TrimSpace(replHelp))
		return true, false
	case ":restart":
		if err := r.session.Restart(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		r.count = 0
		return true, false
	}
	if name, ok := strings.CutPrefix(line, "?"); ok {
		b, err := r.session.Inspect(context.Background(), name, len(name), 0)
		switch {
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
		case b.IsZero():
			fmt.Printf("nothing is known of %q\n", name)
		default:
			fmt.Println(notebook.Plain(b))
		}
		return true, false
	}
	if strings.HasPrefix(line, ":") {
		fmt.Printf("unknown command %s; :help lists them\n", line)
		return true, false
	}
	return false, false
}

func (r *repl) run(code string) {
	r.count++
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	result := r.session.Execute(ctx, kernel.Cell{ID: fmt.Sprintf("repl-%d", r.count), Count: r.count, Code: code},
		kernel.ExecuteOptions{AllowStdin: true}, r.terminal)
	r.terminal.EndCell()
	if result.Err != nil {
		r.failed = true
		fmt.Fprintln(os.Stderr, errorText(os.Stderr, result.Err))
	}
}

// pipe reads lines from a file that is no terminal.
type pipe struct{ r *bufio.Reader }

func (p pipe) line(string) (string, error) {
	line, err := p.r.ReadString('\n')
	if err == io.EOF && line != "" {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

// historyFile is where the REPL keeps its lines, "" for nowhere.
func historyFile() string {
	dir := os.Getenv("XDG_DATA_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "share")
	}
	dir = filepath.Join(dir, "fathom")
	if os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	return filepath.Join(dir, "repl_history")
}
