package ring

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// String describes the tour in one line.
func (t *Tour) String() string {
	s := fmt.Sprintf("ring of %d nodes", len(t.Order))
	if name := t.name(); name != "" {
		s += " on " + name
	}
	if len(t.Order) < 2 {
		return s
	}
	return fmt.Sprintf("%s: slowest link %s, %s", s, t.Link, certified(t.Worst, t.Lower, t.LowerBy, t.Status))
}

func (t *Tour) name() string {
	if t.t == nil {
		return ""
	}
	return nameOf(t.t.src)
}

// certified says how a value stands to its lower bound.
func certified(value, lower float64, by string, s Status) string {
	if s == Optimal {
		return fmt.Sprintf("optimal (lower bound: %s)", by)
	}
	if by == "" {
		return "no lower bound yet, stopped early"
	}
	gap := ""
	if lower > 0 {
		x := 100 * (value/lower - 1)
		gap = fmt.Sprintf(", gap %.2g %%", x)
		if x >= 10 {
			gap = fmt.Sprintf(", gap %.0f %%", x)
		}
	}
	out := fmt.Sprintf("lower bound %.4g ms (%s)%s", lower, by, gap)
	if s == Stopped {
		out += ", stopped early"
	}
	return out
}

// String describes the multiplier in one line.
func (m *Multiplier) String() string {
	s := fmt.Sprintf("multiplier %d of %s(%d): %.4g ms/round", m.C, m.g.Name, len(m.Pi), m.BCD)
	if len(m.ByC) > 1 {
		s += fmt.Sprintf(" (%.4g with 1)", m.ByC[1])
	}
	if m.Idle {
		s += "; n is a power of two, so no multiplier moves the offset n/2"
	}
	return s
}

// String describes the placement in one line: its value, the values before,
// and what is proved.
func (p *Placement) String() string {
	s := fmt.Sprintf("%s(%d)", p.g.Name, len(p.Pi))
	if name := nameOf(p.t.src); name != "" {
		s += " on " + name
	}
	s += fmt.Sprintf(": %.4g ms/round by %s", p.BCD, p.Method)
	if p.C > 0 && p.BCD < p.AfterMSR {
		s += fmt.Sprintf(" (tour and multiplier %d: %.4g)", p.C, p.AfterMSR)
	}
	return s + ", " + certified(p.BCD, p.Lower, p.LowerBy, p.Status)
}

// String describes the simulation in one line.
func (r *Run) String() string {
	n := r.Rounds()
	s := fmt.Sprintf("%s: %d rounds in %.4g s, consensus error %.2g", r.Name, n, r.Ms[n]/1000, r.Error[n])
	if len(r.Loss) > 0 {
		s += fmt.Sprintf(", loss %.4g", r.Loss[n])
	}
	if len(r.Accuracy) > 0 {
		s += fmt.Sprintf(", accuracy %.3f", r.Accuracy[n])
	}
	return s
}

// htmlTable writes rows of escaped cells under a caption; the first row is the
// head.
func htmlTable(caption string, rows [][]string) string {
	var b strings.Builder
	b.WriteString("<table><caption>" + html.EscapeString(caption) + "</caption>")
	for i, row := range rows {
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		b.WriteString("<tr>")
		for _, c := range row {
			fmt.Fprintf(&b, "<%s>%s</%s>", tag, html.EscapeString(c), tag)
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</table>")
	return b.String()
}

func ms(x float64) string {
	if math.IsInf(x, 1) {
		return "no link"
	}
	return fmt.Sprintf("%.4g ms", x)
}

// HTML shows the tour as a table of what was found and proved.
func (t *Tour) HTML() string {
	rows := [][]string{
		{"", ""},
		{"slowest link", t.Link.String()},
		{"lower bound", ms(t.Lower) + " (" + t.LowerBy + ")"},
		{"status", t.Status.String() + ", found by " + t.Found},
		{"order", t.names(12)},
	}
	return htmlTable(t.String(), rows)
}

// names lists the nodes around the ring, at most so many.
func (t *Tour) names(most int) string {
	var parts []string
	for i, u := range t.Order {
		if i == most {
			parts = append(parts, fmt.Sprintf("… %d nodes", len(t.Order)))
			break
		}
		if t.t != nil {
			parts = append(parts, t.t.label(u))
		} else {
			parts = append(parts, fmt.Sprint(u))
		}
	}
	return strings.Join(parts, " → ")
}

// HTML shows the stages, the slowest link of every round and all bounds.
func (p *Placement) HTML() string {
	rows := [][]string{{"stage", "value"}}
	if p.C > 0 {
		rows = append(rows, []string{"BTSP: slowest link of the ring", ms(p.Ring)},
			[]string{fmt.Sprintf("MSR: multiplier %d", p.C), ms(p.AfterMSR) + " a round"})
	}
	rows = append(rows, []string{p.Method.String(), ms(p.BCD) + " a round"})
	for _, b := range p.Bounds {
		rows = append(rows, []string{"lower bound: " + b.Name, ms(b.Value)})
	}
	if p.Idle {
		rows = append(rows, []string{"note", "n is a power of two: no multiplier moves the offset n/2"})
	}
	links := [][]string{{"round", "skips", "slowest link"}}
	for l, k := range p.Worst {
		links = append(links, []string{fmt.Sprint(l), strings.Trim(fmt.Sprint(p.g.Rounds[l]), "[]"), k.String()})
	}
	return htmlTable(p.String(), rows) + htmlTable("slowest links", links)
}

// HTML shows the multiplier and the best of the others.
func (m *Multiplier) HTML() string {
	rows := [][]string{{"multiplier", "BCD"}, {fmt.Sprint(m.C) + " (best)", ms(m.BCD)}}
	if len(m.ByC) > 1 && m.C != 1 {
		rows = append(rows, []string{"1", ms(m.ByC[1])})
	}
	rows = append(rows, []string{"metric bound β·R", ms(m.Bound)})
	return htmlTable(m.String(), rows)
}

// HTML shows the bounds, the binding one first.
func (c *Certificate) HTML() string {
	rows := [][]string{{"bound", "value"}}
	for _, p := range c.Parts {
		rows = append(rows, []string{p.Name, ms(p.Value)})
	}
	return htmlTable(fmt.Sprintf("BCD ≥ %.4g ms by %s", c.Value, c.By), rows)
}

// HTML shows every method on every topology.
func (c *Comparison) HTML() string {
	rows := [][]string{{"topology", "method", "BCD", "lower bound", "gap", "consensus 1e-3", "status"}}
	for _, r := range c.Rows {
		rows = append(rows, []string{r.Topology, r.Method.String(), ms(r.BCD), ms(r.Lower),
			fmt.Sprintf("%.1f %%", 100*r.Gap), fmt.Sprintf("%.3g s", r.Seconds), r.Status.String()})
	}
	return htmlTable(c.Network, rows)
}

// HTML shows the end of the simulation and the time to some errors.
func (r *Run) HTML() string {
	rows := [][]string{{"consensus error", "simulated time"}}
	for _, eps := range []float64{0.1, 0.01, 1e-3, 1e-6} {
		if x := r.TimeTo(eps); !math.IsInf(x, 1) {
			rows = append(rows, []string{fmt.Sprint(eps), fmt.Sprintf("%.4g s", x/1000)})
		}
	}
	return htmlTable(r.String(), rows)
}
