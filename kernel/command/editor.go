package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/fathom-kernel/fathom/kernel"
)

// editor reads lines from a terminal with editing, completion and history. The
// terminal is raw only while a line is read, so that ^C stops a running cell.
type editor struct {
	in      *os.File
	keys    *keys
	term    *term.Terminal
	session *kernel.Session
	history *history
}

func newEditor(session *kernel.Session, file string) *editor {
	e := &editor{in: os.Stdin, keys: &keys{r: os.Stdin}, session: session, history: readHistory(file)}
	e.reset()
	return e
}

// reset forgets what has been typed of a line.
func (e *editor) reset() {
	e.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{e.keys, os.Stdout}, "")
	e.term.History = e.history
	e.term.AutoCompleteCallback = e.complete
}

func (e *editor) close() { e.history.save() }

func (e *editor) line(prompt string) (string, error) {
	state, err := term.MakeRaw(int(e.in.Fd()))
	if err != nil {
		return "", err
	}
	defer term.Restore(int(e.in.Fd()), state)
	if w, h, err := term.GetSize(int(e.in.Fd())); err == nil && w > 0 {
		e.term.SetSize(w, h)
	}
	e.term.SetPrompt(prompt)
	e.keys.interrupted = false
	line, err := e.term.ReadLine()
	if errors.Is(err, term.ErrPasteIndicator) {
		err = nil
	}
	if err == io.EOF {
		fmt.Fprint(os.Stdout, "\r\n")
		if e.keys.interrupted {
			e.reset()
			return "", errDropped
		}
	}
	return line, err
}

// complete answers Tab: one match is put in, of several their common beginning,
// and where that adds nothing they are listed.
func (e *editor) complete(line string, pos int, key rune) (string, int, bool) {
	if key != '\t' {
		return "", 0, false
	}
	if strings.TrimSpace(line[:pos]) == "" {
		return line[:pos] + "\t" + line[pos:], pos + 1, true
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	c, err := e.session.Complete(ctx, line, pos)
	if err != nil || len(c.Matches) == 0 || c.Start < 0 || c.Start > c.End || c.End > len(line) {
		return line, pos, true
	}
	common := c.Matches[0].Text
	for _, m := range c.Matches[1:] {
		for !strings.HasPrefix(m.Text, common) {
			common = common[:len(common)-1]
		}
	}
	if len(c.Matches) > 1 && len(common) <= c.End-c.Start {
		const most = 60
		var names []string
		for _, m := range c.Matches[:min(most, len(c.Matches))] {
			names = append(names, m.Text)
		}
		text := strings.Join(names, "  ")
		if more := len(c.Matches) - most; more > 0 {
			text += fmt.Sprintf("  … and %d more", more)
		}
		fmt.Fprintln(e.term, text)
		return line, pos, true
	}
	return line[:c.Start] + common + line[c.End:], c.Start + len(common), true
}

// keys passes keys on and remembers a ^C, which the terminal package does not
// tell from ^D.
type keys struct {
	r           io.Reader
	interrupted bool
}

func (k *keys) Read(p []byte) (int, error) {
	n, err := k.r.Read(p)
	if bytes.IndexByte(p[:n], 3) >= 0 {
		k.interrupted = true
	}
	return n, err
}

// history keeps the last lines, in a file where it has one.
type history struct {
	file  string
	lines []string // oldest first
	added int
}

const historyLines = 1000

func readHistory(file string) *history {
	h := &history{file: file}
	if data, err := os.ReadFile(file); file != "" && err == nil {
		for line := range strings.Lines(string(data)) {
			h.lines = append(h.lines, strings.TrimRight(line, "\r\n"))
		}
	}
	h.lines = h.lines[max(0, len(h.lines)-historyLines):]
	return h
}

func (h *history) Add(line string) {
	if strings.TrimSpace(line) == "" || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	h.added++
	if len(h.lines) > historyLines {
		h.lines = h.lines[1:]
	}
}

func (h *history) Len() int { return len(h.lines) }

func (h *history) At(i int) string { return h.lines[len(h.lines)-1-i] }

// save adds this session's lines to the file, behind what other sessions have
// added meanwhile.
func (h *history) save() {
	if h.file == "" || h.added == 0 {
		return
	}
	mine := h.lines[max(0, len(h.lines)-h.added):]
	all := append(readHistory(h.file).lines, mine...)
	all = all[max(0, len(all)-historyLines):]
	tmp := fmt.Sprintf("%s.%d", h.file, os.Getpid())
	if os.WriteFile(tmp, []byte(strings.Join(all, "\n")+"\n"), 0o600) == nil {
		os.Rename(tmp, h.file)
	}
}
