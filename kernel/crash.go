package kernel

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"
)

// Names of the Errors that a Session gives a cell whose worker ended.
const (
	ErrExit          = "Exit"          // os.Exit or log.Fatal
	ErrPanic         = "Panic"         // in a goroutine
	ErrOutOfMemory   = "OutOfMemory"   // the limit, or the system's killer
	ErrStackOverflow = "StackOverflow" // endless recursion
	ErrFatal         = "FatalError"    // of the runtime: concurrent map writes, all goroutines asleep
	ErrCrash         = "Crash"         // a signal, or damage to the worker itself
	ErrInterrupted   = "Interrupted"   // did not stop when asked to
)

// death is what is known of a worker's end.
type death struct {
	name, value string
	frames      []string // of the user's own code, innermost first
	raw         []string // the runtime's words, where no frame is the user's
}

// autopsy finds the cause from the exit status and the runtime's last words.
func autopsy(p *process, opt *SessionOptions) death {
	var d death
	words := string(p.words)
	line := func(prefix string) string {
		_, rest, ok := strings.Cut("\n"+words, "\n"+prefix)
		if !ok {
			return ""
		}
		rest, _, _ = strings.Cut(rest, "\n")
		return strings.TrimSpace(rest)
	}
	fatal, panicked, signal := line("fatal error: "), line("panic: "), p.endedBy()
	switch {
	case p.endReason() == endInterrupt:
		d.name, d.value = ErrInterrupted, fmt.Sprintf("the cell did not stop within %v, so its process was ended", opt.Grace+opt.Patience)
	case p.endReason() == endRestart:
		d.name, d.value = ErrInterrupted, "the session was restarted"
	case p.endReason() == endClose:
		d.name, d.value = ErrInterrupted, "the session was closed"
	case p.endReason() == endPipe || strings.HasPrefix(fatal, "runtime: netpoll"):
		d.name, d.value = ErrCrash, "the cell wrote to, or closed, the file descriptors above 2 that belong to the kernel"
	case strings.Contains(words, "goroutine stack exceeds") || fatal == "stack overflow":
		d.name, d.value = ErrStackOverflow, "a goroutine's stack grew past its limit of "+byteText(maxStack(opt.MemoryLimit))+": does the recursion end?"
	case strings.Contains(fatal, "out of memory") || strings.Contains(fatal, "cannot allocate memory") || strings.Contains(words, "runtime: cannot allocate") ||
		strings.Contains(words, "failed to create new OS thread") || strings.Contains(words, "pthread_create failed"): // its stack counts too
		d.name, d.value = ErrOutOfMemory, "the process needed more memory than its limit"
		if opt.MemoryLimit > 0 {
			d.value += fmt.Sprintf(" of %s", byteText(opt.MemoryLimit))
		}
		d.value += "; raise it with the environment variable FATHOM_MEMORY_LIMIT (such as 8GB)"
	case signal == "killed" && p.oom:
		d.name, d.value = ErrOutOfMemory, "the machine ran out of memory and the system killed the process"
	case fatal != "":
		d.name, d.value = ErrFatal, fatal
	case panicked != "":
		d.name, d.value = ErrPanic, panicked
	case !p.isReady():
		d.name, d.value = ErrCrash, fmt.Sprintf("the Go process that runs cells does not start: %s", p.state)
		d.raw = firstLines(strings.ToValidUTF8(p.said, "\uFFFD"), 30)
	case signal != "":
		d.name, d.value = ErrCrash, "the process was ended by the signal "+strings.ToUpper(signal[:1])+signal[1:]
	default:
		d.name, d.value = ErrExit, fmt.Sprintf("os.Exit(%d)", p.state.ExitCode())
	}
	if words != "" {
		d.frames = userFrames(words)
		if len(d.frames) == 0 {
			d.raw = firstLines(words, 30)
		}
	}
	return d
}

// A frame of a goroutine trace is a line with a function and a line with a
// tab, the file, the line number and an offset.
var frameFile = regexp.MustCompile(`^\t(\S.*?):(\d+)(?: \+0x[0-9a-f]+)?$`)

// notTheUsers are functions that a trace of any cell goes through.
var notTheUsers = []string{
	"runtime.", "runtime/", "reflect.", "internal/", "syscall.", "sync.", "testing.", "main.main(", "panic(",
	"github.com/fathom-kernel/fathom/kernel.", "github.com/fathom-kernel/fathom/lang.", "github.com/fathom-kernel/fathom/lang/",
	"created by github.com/fathom-kernel/fathom/kernel.", "created by github.com/fathom-kernel/fathom/lang.", "created by github.com/fathom-kernel/fathom/lang/", "created by testing.",
}

// standard is the folder of the standard library's sources, as traces show it.
var standard = func() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(os.Exit).Pointer()).FileLine(0)
	folder, _ := strings.CutSuffix(file, "os/proc.go")
	return folder
}()

const maxFrames = 16

// userFrames returns the frames of the first goroutine in a trace that are the
// user's own, as "function, file:line".
func userFrames(trace string) []string {
	_, trace, ok := strings.Cut(trace, "\ngoroutine ")
	if !ok {
		return nil
	}
	lines := strings.Split(trace, "\n")
	var frames []string
	for i := 1; i+1 < len(lines) && lines[i] != ""; i++ {
		m := frameFile.FindStringSubmatch(lines[i+1])
		if m == nil {
			continue
		}
		function := lines[i]
		i++
		if foreign(function) || standard != "" && strings.HasPrefix(m[1], standard) {
			continue
		}
		function = strings.TrimPrefix(function, "created by ")
		if j := strings.LastIndex(function, "("); j > 0 {
			function = function[:j]
		}
		function, _, _ = strings.Cut(function, " in goroutine ")
		if len(frames) == maxFrames {
			return append(frames, "…")
		}
		frames = append(frames, fmt.Sprintf("%s, %s:%s", function, m[1], m[2]))
	}
	return frames
}

func foreign(function string) bool {
	for _, prefix := range notTheUsers {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}

func firstLines(text string, n int) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > n {
		lines = append(lines[:n:n], fmt.Sprintf("… and %d lines more", len(lines)-n))
	}
	return lines
}

const (
	red   = "\x1b[1;31m"
	faint = "\x1b[2m"
	plain = "\x1b[0m"
)

// error makes what the user sees of a death; after says what became of the
// session.
func (d death) error(after string) *Error {
	e := &Error{Name: d.name, Value: d.value}
	e.Traceback = append(e.Traceback, red+d.name+plain+": "+d.value)
	for _, f := range d.frames {
		e.Traceback = append(e.Traceback, "  at "+f)
	}
	for _, l := range d.raw {
		e.Traceback = append(e.Traceback, faint+"  "+strings.ReplaceAll(l, "\t", "    ")+plain)
	}
	e.Traceback = append(e.Traceback, after)
	return e
}
