package display

import (
	"fmt"
	"html"
	"math"
	"strings"
	"time"
)

// meter measures a rate over the last seconds, so that the time left follows a
// loop that changes its pace.
type meter struct {
	last  time.Duration
	count int64
	rate  float64 // steps a second
}

const meterSpan = 5 * time.Second

func (m *meter) at(elapsed time.Duration, count int64) {
	dt := elapsed - m.last
	if dt < barEvery/2 {
		return
	}
	now := float64(count-m.count) / dt.Seconds()
	// The weight of the past falls by e every meterSpan; in the first seconds the
	// average over all is better.
	keep := math.Exp(-dt.Seconds() / meterSpan.Seconds())
	if elapsed < meterSpan {
		keep = m.last.Seconds() / elapsed.Seconds()
	}
	m.rate = keep*m.rate + (1-keep)*now
	m.last, m.count = elapsed, count
}

// A barLine is one bar as it is drawn.
type barLine struct {
	label    string
	fraction float64 // -1 where the total is not known
	figures  string
	done     bool
	stopped  bool
	level    int
}

func (s *barState) line(now time.Time, done bool) barLine {
	count, total := s.count.Load(), s.total.Load()
	elapsed := now.Sub(s.begun)
	l := barLine{label: s.label, fraction: -1, done: done, level: s.level,
		stopped: done && s.ctx.Err() != nil && !s.complete()}
	parts := []string{thousands(int(count))}
	if total > 0 {
		l.fraction = min(1, float64(count)/float64(total))
		parts[0] += " of " + thousands(int(total))
	}
	rate := s.rate.rate
	if done {
		rate = float64(count) / max(elapsed.Seconds(), 1e-9)
	}
	switch {
	case l.stopped:
		parts = append(parts, "interrupted after "+clock(elapsed))
	case done:
		parts = append(parts, "in "+clock(elapsed))
	default:
		parts = append(parts, clock(elapsed))
	}
	if rate > 0 {
		parts = append(parts, rateText(rate))
	}
	if left := float64(total - count); !done && total > 0 && rate > 0 && left > 0 {
		parts = append(parts, clock(time.Duration(min(left/rate, 1e7)*1e9))+" left")
	}
	if note := s.note.Load(); note != nil && *note != "" {
		parts = append(parts, *note)
	}
	l.figures = strings.Join(parts, " · ")
	return l
}

func rateText(rate float64) string {
	switch {
	case rate >= 1e6:
		return fmt.Sprintf("%.3gM/s", rate/1e6)
	case rate >= 1e4:
		return fmt.Sprintf("%.3gk/s", rate/1e3)
	case rate < 1:
		return fmt.Sprintf("%.3g s each", 1/rate)
	}
	return fmt.Sprintf("%.3g/s", rate)
}

// clock writes a time as people read it: 3.2 s, 1:05, 2:03:00.
func clock(d time.Duration) string {
	s := d.Seconds()
	if s < 10 {
		return fmt.Sprintf("%.1f s", s)
	}
	if s < 60 {
		return fmt.Sprintf("%.0f s", s)
	}
	n := int(s)
	if n < 3600 {
		return fmt.Sprintf("%d:%02d", n/60, n%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
}

// barText is the bars on one line of a terminal.
func barText(lines []barLine) string {
	parts := make([]string, len(lines))
	for i, l := range lines {
		s := l.label
		if l.fraction >= 0 {
			if !l.done && i == 0 {
				s += " " + blocks(l.fraction, 16)
			}
			s += fmt.Sprintf(" %3.0f%%", math.Floor(100*l.fraction))
		}
		parts[i] = strings.TrimSpace(s + " " + l.figures)
	}
	return strings.Join(parts, " › ")
}

// blocks draws a fraction in eighths of a character.
func blocks(fraction float64, width int) string {
	eighths := int(fraction * float64(8*width))
	s := strings.Repeat("█", eighths/8)
	n := eighths / 8
	if eighths%8 > 0 {
		s += string([]rune(" ▏▎▍▌▋▊▉")[eighths%8])
		n++
	}
	return "▕" + s + strings.Repeat(" ", width-n) + "▏"
}

// barHTML is the bars one under the other; a bar that is done is one line of
// text, so that a saved notebook reads well.
func barHTML(lines []barLine) string {
	var w strings.Builder
	w.WriteString(`<div style="font-size:13px;line-height:1.6;font-variant-numeric:tabular-nums">`)
	for _, l := range lines {
		colour := "#3b7dd8"
		mark := ""
		switch {
		case l.stopped:
			colour, mark = "#c9622f", "■ "
		case l.done:
			colour, mark = "#2e8b57", "✓ "
		}
		fmt.Fprintf(&w, "\n"+`<div style="display:flex;gap:10px;align-items:center;padding-left:%dpx">`, 18*l.level)
		if mark != "" {
			fmt.Fprintf(&w, `<span style="color:%s">%s</span>`, colour, mark)
		}
		fmt.Fprintf(&w, `<span>%s</span>`, html.EscapeString(l.label))
		if l.fraction >= 0 {
			if !l.done {
				fmt.Fprintf(&w, `<span style="flex:0 0 180px;height:8px;border-radius:4px;background:rgba(128,128,128,.25);overflow:hidden">`+
					`<span style="display:block;width:%.1f%%;height:100%%;background:%s"></span></span>`, 100*l.fraction, colour)
			}
			fmt.Fprintf(&w, `<b style="font-weight:600">%.0f%%</b>`, math.Floor(100*l.fraction))
		}
		fmt.Fprintf(&w, `<span style="opacity:.75">%s</span></div>`, html.EscapeString(l.figures))
	}
	w.WriteString("\n</div>")
	return w.String()
}
