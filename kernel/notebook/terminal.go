package notebook

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// Terminal is a display.Sink for a text terminal or a log: streams go to their
// files unchanged and at once, values are shown as plain text, and pictures
// are named with their sizes.
type Terminal struct {
	mu       sync.Mutex
	out, err io.Writer
	in       *os.File
	lines    *bufio.Reader
	atStart  bool // out stands at the start of a line

	live    bool              // out is a terminal, where a line can be written over
	lastID  string            // the display whose one line stands last, "" for none
	updated map[string]string // display id → its newest text, not yet shown
	order   []string          // the ids of updated, oldest first
}

// NewTerminal returns a Terminal on the three files; in may be nil where
// nobody can be asked.
func NewTerminal(in *os.File, out, err io.Writer) *Terminal {
	t := &Terminal{in: in, out: out, err: err, atStart: true, updated: map[string]string{}}
	if f, ok := out.(*os.File); ok {
		t.live = term.IsTerminal(int(f.Fd()))
	}
	if in != nil {
		t.lines = bufio.NewReader(in)
	}
	return t
}

// Stream writes the text unchanged.
func (t *Terminal) Stream(name, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text == "" {
		return
	}
	t.lastID = ""
	if name == "stderr" {
		io.WriteString(t.err, text)
		return
	}
	t.write(text)
}

func (t *Terminal) write(text string) {
	io.WriteString(t.out, text)
	t.atStart = strings.HasSuffix(text, "\n")
}

// EndCell ends a line that a cell has left open, and shows what updated
// displays have come to.
func (t *Terminal) EndCell() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range t.order {
		t.freshLine()
		t.write(t.updated[id] + "\n")
	}
	clear(t.updated)
	t.order, t.lastID = nil, ""
	t.freshLine()
}

func (t *Terminal) freshLine() {
	if !t.atStart {
		t.write("\n")
	}
}

// Display shows the bundle's text.
func (t *Terminal) Display(b display.Bundle, id string) {
	text := Plain(b)
	t.show(text)
	if !strings.Contains(text, "\n") {
		t.mu.Lock()
		t.lastID = id
		t.mu.Unlock()
	}
}

// Update shows the new text: over the old one where that is the last line of a
// terminal, else once, when the cell ends. A log wants the end of a progress
// bar, not each step.
func (t *Terminal) Update(b display.Bundle, id string) {
	text := Plain(b)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live && t.lastID == id && id != "" && !strings.Contains(text, "\n") {
		t.write("\x1b[A\r\x1b[K" + text + "\n")
		return
	}
	if _, waiting := t.updated[id]; !waiting {
		t.order = append(t.order, id)
	}
	t.updated[id] = text
}

// Result shows the bundle's text.
func (t *Terminal) Result(b display.Bundle) { t.show(Plain(b)) }

// Clear does nothing: what a terminal has shown, stays.
func (t *Terminal) Clear(wait bool) {}

// Comm does nothing: a terminal has no widgets.
func (t *Terminal) Comm(m display.CommMessage) {}

func (t *Terminal) show(text string) {
	if text == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastID = ""
	t.freshLine()
	t.write(text + "\n")
}

// Plain returns what a text terminal shows of the bundle: its plain text, and
// a line naming the pictures that it cannot show. Without both, the names of
// all its types.
func Plain(b display.Bundle) string {
	text, _ := b.Data["text/plain"].(string)
	text = strings.TrimRight(text, "\n")
	var pictures []string
	for mime, v := range b.Data {
		if strings.HasPrefix(mime, "image/") {
			pictures = append(pictures, fmt.Sprintf("%s, %s", mime, size(v)))
		}
	}
	sort.Strings(pictures)
	if text == "" && len(pictures) == 0 && len(b.Data) > 0 {
		var types []string
		for _, mime := range b.Types() {
			if mime != "text/plain" {
				types = append(types, mime)
			}
		}
		pictures = types
	}
	if len(pictures) > 0 {
		if text != "" {
			text += "\n"
		}
		text += "[" + strings.Join(pictures, "; ") + "]"
	}
	return text
}

func size(v any) string {
	n := 0
	switch v := v.(type) {
	case []byte:
		n = len(v)
	case string:
		n = len(v)
		if _, err := base64.StdEncoding.DecodeString(v); err == nil {
			n = base64.StdEncoding.DecodedLen(n)
		}
	}
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f kB", float64(n)/1000)
}

// Input asks on the terminal. It waits in a goroutine of its own, so that an
// interrupted cell ends although nobody has answered.
func (t *Terminal) Input(ctx context.Context, prompt string, password bool) (string, error) {
	if t.in == nil {
		return "", errNoInput
	}
	t.mu.Lock()
	t.write(prompt)
	t.mu.Unlock()
	type answer struct {
		line string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		if fd := int(t.in.Fd()); password && term.IsTerminal(fd) {
			line, err := term.ReadPassword(fd)
			t.Stream("stdout", "\n")
			got <- answer{string(line), err}
			return
		}
		line, err := t.lines.ReadString('\n')
		if err == io.EOF && line != "" {
			err = nil
		}
		got <- answer{strings.TrimRight(line, "\r\n"), err}
	}()
	select {
	case a := <-got:
		if errors.Is(a.err, io.EOF) {
			return "", errors.New("notebook: standard input has ended; give an answer a line there, or pass a parameter (-p name=value)")
		}
		return a.line, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
