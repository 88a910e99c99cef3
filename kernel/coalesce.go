package kernel

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"
)

// Streams by file descriptor.
const (
	stdout = 1
	stderr = 2
)

func streamName(fd int) string {
	if fd == stderr {
		return "stderr"
	}
	return "stdout"
}

const (
	flushAfter = 50 * time.Millisecond
	flushBytes = 64 << 10
	// holdFor is how long text that looks like the runtime's last words is
	// kept back: if the process ends, it belongs in the error's traceback.
	holdFor   = 500 * time.Millisecond
	holdBytes = 1 << 20
)

// coalescer gathers printed bytes into few stream messages of valid UTF-8.
// It is used by one goroutine.
type coalescer struct {
	emit  func(fd int, text string)
	bufs  [2]buffer // stdout, stderr
	first int       // the stream whose waiting text is older
	crash []byte    // held back from stderr
	last  []byte    // held back once, and then let go
	since time.Time // when crash last grew
}

type buffer struct {
	text  []byte
	since time.Time // of its oldest byte
}

// add takes bytes that a stream printed; they may be changed afterwards.
func (c *coalescer) add(fd int, b []byte) {
	if fd == stderr {
		if b = c.hold(b); len(b) == 0 {
			return
		}
	}
	for len(b) > 0 {
		buf := &c.bufs[fd-1]
		if len(buf.text) == 0 {
			buf.since = time.Now()
			if len(c.bufs[2-fd].text) == 0 {
				c.first = fd
			}
		}
		n := min(len(b), flushBytes-len(buf.text))
		buf.text = append(buf.text, b[:n]...)
		b = b[n:]
		if len(buf.text) >= flushBytes {
			c.flushAll(false)
		}
	}
}

// crashWords start the lines by which the Go runtime says that it gives up.
var crashWords = [][]byte{
	[]byte("panic: "), []byte("fatal error: "), []byte("runtime: "), []byte("runtime/cgo: "), []byte("unexpected fault address "),
	[]byte("SIGQUIT: "), []byte("SIGABRT: "), []byte("SIGSEGV: "), []byte("SIGBUS: "), []byte("SIGILL: "),
	[]byte("SIGFPE: "), []byte("SIGTRAP: "), []byte("SIGSYS: "), []byte("sched: no task"),
}

// hold keeps back what may be crash text and returns the bytes before it.
func (c *coalescer) hold(b []byte) []byte {
	if len(c.crash) == 0 {
		i := crashStart(b)
		if i < 0 {
			return b
		}
		c.crash, b = append(c.crash, b[i:]...), b[:i]
	} else {
		c.crash, b = append(c.crash, b...), nil
	}
	c.since = time.Now()
	if len(c.crash) > holdBytes {
		c.release()
	}
	return b
}

// release prints what was held: it is no crash text after all.
func (c *coalescer) release() {
	text := c.crash
	if len(text) == 0 {
		return
	}
	c.last, c.crash = text, nil
	for len(text) > 0 {
		n := min(len(text), flushBytes)
		c.bufs[stderr-1].text = append(c.bufs[stderr-1].text, text[:n]...)
		c.bufs[stderr-1].since = time.Now()
		c.flushAll(false)
		text = text[n:]
	}
}

func crashStart(b []byte) int {
	start := -1
	for _, w := range crashWords {
		for from := 0; ; {
			i := bytes.Index(b[from:], w)
			if i < 0 {
				break
			}
			i += from
			if i == 0 || b[i-1] == '\n' {
				if start < 0 || i < start {
					start = i
				}
				break
			}
			from = i + 1
		}
	}
	return start
}

// flush emits everything, held text too: the worker has shown that it lives.
func (c *coalescer) flush() {
	c.release()
	c.flushAll(true)
}

// flushAll emits both streams, the older text first. Unless whole is set, an
// unfinished rune at the end waits for its other bytes.
func (c *coalescer) flushAll(whole bool) {
	order := [2]int{stdout, stderr}
	if c.first == stderr {
		order = [2]int{stderr, stdout}
	}
	for _, fd := range order {
		buf := &c.bufs[fd-1]
		n := len(buf.text)
		if !whole {
			n -= unfinished(buf.text)
		}
		if n == 0 {
			continue
		}
		text := strings.ToValidUTF8(string(buf.text[:n]), "\uFFFD")
		buf.text = buf.text[:copy(buf.text, buf.text[n:])]
		buf.since = time.Now()
		c.emit(fd, text)
	}
}

// unfinished returns how many bytes at the end start a rune that needs more.
func unfinished(b []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if tail := b[len(b)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return i
			}
			return 0
		}
	}
	return 0
}

// due returns when tick must be called; zero means that nothing waits.
func (c *coalescer) due() time.Time {
	var t time.Time
	for _, buf := range c.bufs {
		if at := buf.since.Add(flushAfter); len(buf.text) > 0 && (t.IsZero() || at.Before(t)) {
			t = at
		}
	}
	if at := c.since.Add(holdFor); len(c.crash) > 0 && (t.IsZero() || at.Before(t)) {
		t = at
	}
	return t
}

// tick emits what has waited long enough. now is the time due said, or later.
func (c *coalescer) tick(now time.Time) {
	if len(c.crash) > 0 && !now.Before(c.since.Add(holdFor)) {
		c.release()
	}
	c.flushAll(false)
}
