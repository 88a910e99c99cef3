package display

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// Terminal is the Sink of a program outside a notebook: it prints the text of
// what is shown.
type Terminal struct {
	mu       sync.Mutex
	out, err io.Writer
	in       *bufio.Reader
	live     bool      // err is a terminal, where a line can be written over
	bar      bool      // a progress line stands on the terminal
	logged   time.Time // of the last progress line in a log
}

// NewTerminal returns a Sink that prints what is shown to out, progress and
// warnings to err, and reads answers from in. A progress line is written over
// where err is a terminal, and printed once a minute where it is not.
func NewTerminal(out, err io.Writer, in io.Reader) *Terminal {
	t := &Terminal{out: out, err: err, in: bufio.NewReader(in), logged: time.Now()}
	if f, ok := err.(*os.File); ok {
		if info, e := f.Stat(); e == nil {
			t.live = info.Mode()&os.ModeCharDevice != 0
		}
	}
	return t
}

// Display prints the bundle's text and a line break.
func (t *Terminal) Display(b Bundle, id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wipe()
	fmt.Fprintln(t.out, asString(b.Data[MIMETypeText]))
}

// Update prints the new text below: a terminal cannot go back to the old one.
func (t *Terminal) Update(b Bundle, id string) { t.Display(b, id) }

// Result prints the value of a last expression.
func (t *Terminal) Result(b Bundle) { t.Display(b, "") }

// Clear does nothing: what a terminal shows is the user's.
func (t *Terminal) Clear(wait bool) {}

// Stream prints text as it is.
func (t *Terminal) Stream(name, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wipe()
	if name == "stderr" {
		io.WriteString(t.err, text)
		return
	}
	io.WriteString(t.out, text)
}

// Input prints the prompt and reads a line. It does not hide a password: it
// refuses to ask for one.
func (t *Terminal) Input(ctx context.Context, prompt string, password bool) (string, error) {
	if password {
		return "", errors.New("display: this terminal cannot hide what is typed; run in a notebook, or read the secret from a file")
	}
	t.mu.Lock()
	t.wipe()
	io.WriteString(t.out, prompt)
	t.mu.Unlock()
	type answer struct {
		line string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		line, err := t.in.ReadString('\n')
		if err == io.EOF && line != "" {
			err = nil
		}
		got <- answer{strings.TrimRight(line, "\r\n"), err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case a := <-got:
		if a.err != nil {
			return "", fmt.Errorf("display: no answer to %q (%w); give the program an input", prompt, a.err)
		}
		return a.line, nil
	}
}

// Comm does nothing: no widget can be drawn here.
func (t *Terminal) Comm(m CommMessage) {}

// Progress shows the line of a progress bar; done is its last.
func (t *Terminal) Progress(line string, done bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live {
		fmt.Fprintf(t.err, "\r\x1b[K%s", line)
		if t.bar = !done; done {
			fmt.Fprintln(t.err)
		}
		return
	}
	if time.Since(t.logged) >= time.Minute {
		t.logged = time.Now()
		fmt.Fprintln(t.err, line)
	}
}

// wipe takes a progress line off the terminal before other text.
func (t *Terminal) wipe() {
	if t.bar {
		io.WriteString(t.err, "\r\x1b[K")
		t.bar = false
	}
}
