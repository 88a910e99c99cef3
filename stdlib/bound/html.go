package bound

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// HTML returns the result as a table of typical choices, with the sentence of
// what is certified and the warnings.
func (b *Bounds) HTML() string {
	ivs := b.typical()
	var s strings.Builder
	fmt.Fprintf(&s, "<div><p><b>%s</b></p>", html.EscapeString(strings.SplitN(b.String(), "; warning: ", 2)[0]))
	s.WriteString(b.Table(ivs))
	best, err := b.Best()
	if err == nil {
		fmt.Fprintf(&s, "<p>%s</p>", html.EscapeString(best.Certified))
	}
	s.WriteString("<p>All these bounds hold together, so the set may be chosen after looking. The family, the error rate, the mode and the weights may not.</p>")
	if !math.IsNaN(b.Theory) {
		if b.Theory < 1 {
			fmt.Fprintf(&s, "<p>Theorem (constant taken as 1): coverage is within %.2g of nominal.</p>", b.Theory)
		} else {
			s.WriteString("<p>The theorem is silent at these p and n; what supports the coverage is measurement (COVERAGE.md).</p>")
		}
	}
	for _, w := range b.Warnings {
		fmt.Fprintf(&s, `<p style="color:#b00">Warning: %s.</p>`, html.EscapeString(w))
	}
	s.WriteString("</div>")
	return s.String()
}

// Table returns an HTML table of intervals: mean effect with naive,
// simultaneous, Bonferroni's and Scheffé's bounds.
func (b *Bounds) Table(ivs []Interval) string {
	var s strings.Builder
	unit := ""
	if b.Unit != "" {
		unit = " (" + html.EscapeString(b.Unit) + ")"
	}
	fmt.Fprintf(&s, "<table><thead><tr><th>set</th><th>tests</th><th>mean%s</th><th>naive</th><th>simultaneous %s</th><th>p</th><th>Bonferroni, single tests summed</th><th>Bonferroni, all sets</th><th>Scheffé</th></tr></thead><tbody>", unit, html.EscapeString(b.level()))
	for k, iv := range ivs {
		if iv.Size == 0 {
			fmt.Fprintf(&s, `<tr><td colspan="9">%s</td></tr>`, html.EscapeString(iv.Certified))
			continue
		}
		name := iv.Name
		if name == "" {
			name = fmt.Sprintf("set %d", k+1)
			if iv.Size > 0 && iv.Size <= 3 {
				name = list(iv.Set, b.Names)
			}
		}
		n := iv.weight
		r := func(x [2]float64) string { return between(x[0]/n, x[1]/n) }
		fmt.Fprintf(&s, "<tr><td>%s</td><td>%d</td><td>%.4g</td><td>%s</td><td><b>%s</b></td><td>%.2g</td><td>%s</td><td>%s</td><td>%s</td></tr>",
			html.EscapeString(name), iv.Size, iv.Mean, r(iv.Naive), r([2]float64{iv.Lower, iv.Upper}), iv.P, r(iv.Singles), r(iv.Bonferroni), r(iv.Scheffe))
	}
	s.WriteString("</tbody></table>")
	return s.String()
}

// between prints a range, with a half-open one as ≥ or ≤.
func between(lo, hi float64) string {
	switch {
	case math.IsNaN(lo) && math.IsNaN(hi), math.IsNaN(lo) || math.IsNaN(hi):
		return "–"
	case math.IsInf(lo, -1) && math.IsInf(hi, 1):
		return "–"
	case math.IsInf(lo, -1):
		return fmt.Sprintf("≤ %.4g", hi)
	case math.IsInf(hi, 1):
		return fmt.Sprintf("≥ %.4g", lo)
	}
	return fmt.Sprintf("%.4g … %.4g", lo, hi)
}

// HTML returns the subset as a short list.
func (s *Subset) HTML() string {
	proof := "exact"
	if !s.Exact() {
		proof = fmt.Sprintf("no set has more than %.6g", s.UpperBound)
	}
	var names []string
	for k, i := range s.Set {
		if k == 40 {
			names = append(names, fmt.Sprintf("… and %d more", len(s.Set)-40))
			break
		}
		names = append(names, html.EscapeString(nameOf(s.Names, i)))
	}
	row := func(k, v string) string { return "<tr><td>" + k + "</td><td>" + v + "</td></tr>" }
	return "<table><tbody>" +
		row("value", fmt.Sprintf("<b>%.6g</b> (%s)", s.Value, proof)) +
		row("members", fmt.Sprintf("%d: %s", len(s.Set), strings.Join(names, ", "))) +
		row("sum, size V", fmt.Sprintf("%.6g, %.6g", s.Sum, s.V)) +
		row("slope λ", fmt.Sprintf("%.6g", s.Lambda)) +
		row("method", fmt.Sprintf("%s, %d oracle calls: %s", html.EscapeString(s.Method), s.Calls, html.EscapeString(s.Why))) +
		"</tbody></table>"
}

// HTML returns the interval's row and sentence.
func (iv Interval) HTML() string {
	if iv.Size == 0 {
		return "<p>" + html.EscapeString(iv.Certified) + "</p>"
	}
	n := iv.weight
	r := func(x [2]float64) string { return between(x[0]/n, x[1]/n) }
	return fmt.Sprintf("<p>%s</p><table><thead><tr><th>mean of %d</th><th>naive</th><th>simultaneous</th><th>Bonferroni, single tests summed</th><th>Bonferroni, all sets</th><th>Scheffé</th></tr></thead><tbody><tr><td>%.4g</td><td>%s</td><td><b>%s</b></td><td>%s</td><td>%s</td><td>%s</td></tr></tbody></table>",
		html.EscapeString(iv.Certified), iv.Size, iv.Mean, r(iv.Naive), r([2]float64{iv.Lower, iv.Upper}), r(iv.Singles), r(iv.Bonferroni), r(iv.Scheffe))
}
