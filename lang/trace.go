package lang

import (
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// panicText is what Go prints after "panic: " for the value.
func panicText(v any) (s string) {
	defer func() {
		if recover() != nil {
			s = fmt.Sprintf("(%T) its Error or String method panicked as well", v)
		}
	}()
	switch v := v.(type) {
	case runtime.Error:
		return strings.TrimPrefix(v.Error(), "runtime error: ")
	case error:
		return v.Error()
	case string:
		return v
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprintf("%T(%v)", v, v)
}

// frame is one frame of the user's code.
type frame struct {
	fn   string
	file string
	line int
}

// userFrames keeps what lies in cells of a stack, innermost first.
func userFrames(pcs []uintptr) []frame {
	var out []frame
	if len(pcs) == 0 {
		return nil
	}
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if file, ok := cellFile(f.File); ok && strings.HasPrefix(f.Function, "main.") {
			out = append(out, frame{cleanFunc(f.Function), file, f.Line})
		}
		if !more {
			return out
		}
	}
}

// fullTrace is every frame of a stack.
func fullTrace(pcs []uintptr) string {
	var out strings.Builder
	if len(pcs) == 0 {
		return ""
	}
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		fmt.Fprintf(&out, "%s\n\t%s:%d\n", cleanNames(f.Function), f.File, f.Line)
		if !more {
			return out.String()
		}
	}
}

var cellName = regexp.MustCompile(`(cell\[\d+\]|expression)$`)

func cellFile(file string) (string, bool) {
	m := cellName.FindString(file)
	return m, m != ""
}

var ourMarks = regexp.MustCompile(mark + `[0-9]*`)

// cleanFunc names a function of a unit as the user knows it.
func cleanFunc(fn string) string {
	fn = strings.TrimPrefix(strings.TrimPrefix(fn, unitPath+"."), "main.")
	if rest, ok := strings.CutPrefix(fn, entryName); ok {
		if rest == "" {
			return ""
		}
		fn = strings.TrimPrefix(rest, ".")
	}
	return cleanNames(fn)
}

// cleanNames removes from a text what marks names of ours.
func cleanNames(s string) string {
	s = strings.ReplaceAll(s, entryName, "cell")
	s = ourMarks.ReplaceAllString(s, "")
	return strings.ReplaceAll(s, unitPath+".", "")
}

// traceLines shows an error with the user's frames and the source line of the
// innermost one, in colour. The whole trace is kept for %trace.
func (e *Engine) traceLines(text string, stack []uintptr, kind string) []string {
	head := "\x1b[1;31m" + text + "\x1b[0m"
	if kind != "" {
		head = "\x1b[1;31m" + kind + ": " + text + "\x1b[0m"
	}
	lines := []string{head}
	frames := userFrames(stack)
	e.mu.Lock()
	e.trace = text + "\n\n" + fullTrace(stack)
	for i, f := range frames {
		if i >= 20 {
			lines = append(lines, fmt.Sprintf("  … %d more; %%trace shows the whole trace", len(frames)-i))
			break
		}
		in := ""
		if f.fn != "" {
			in = " in " + f.fn
		}
		lines = append(lines, "  \x1b[36m"+f.file+":"+strconv.Itoa(f.line)+"\x1b[0m"+in)
		if t := e.cells[f.file]; t != nil && i < 3 {
			if src := strings.TrimSpace(t.line(f.line)); src != "" {
				lines = append(lines, "      "+src)
			}
		}
	}
	e.mu.Unlock()
	return lines
}
