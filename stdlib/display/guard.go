package display

import (
	"fmt"
	"strings"
	"time"
)

// methodLimit is how long one method of a value may take, and drawLimit how
// long a registered renderer may: drawing a large figure is honest work.
const (
	methodLimit = 2 * time.Second
	drawLimit   = 20 * time.Second
)

// guard runs the methods of one value. A method that panics or blocks costs its
// own answer only; what went wrong is kept for the text. The limit is shared,
// so that ten blocking methods do not take ten times as long.
type guard struct {
	left  time.Duration
	notes []string
}

func newGuard() *guard { return &guard{left: 2 * methodLimit} }

// try calls f on a goroutine of its own and reports whether it returned. A
// blocked f cannot be ended from outside: it is left behind, and what it
// computes later is dropped.
func (g *guard) try(name string, limit time.Duration, f func()) bool {
	if limit == methodLimit {
		limit = min(limit, g.left)
	}
	failed := make(chan string, 1)
	go func() {
		problem := "ended its goroutine"
		defer func() {
			if p := recover(); p != nil {
				problem = "panicked: " + clip(panicText(p), 200)
			}
			failed <- problem
		}()
		f()
		problem = ""
	}()
	start := time.Now()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	problem := ""
	select {
	case problem = <-failed:
	case <-timer.C:
		problem = fmt.Sprintf("did not return within %v", limit.Round(time.Millisecond))
	}
	if limit <= methodLimit {
		g.left = max(g.left-time.Since(start), 50*time.Millisecond)
	}
	if problem == "" {
		return true
	}
	g.notes = append(g.notes, name+" "+problem)
	return false
}

// failed reports whether a method has failed already, so that it is not asked
// again on the pointer to a copy.
func (g *guard) failed(name string) bool {
	for _, n := range g.notes {
		if strings.HasPrefix(n, name+" ") {
			return true
		}
	}
	return false
}

// panicText is the message of a panic, without trusting its Error method.
func panicText(p any) (s string) {
	defer func() {
		if recover() != nil {
			s = fmt.Sprintf("%T", p)
		}
	}()
	return fmt.Sprint(p)
}

// clip shortens s to n bytes at a rune's border.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
