package page

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// formula is a piece of TeX in Markdown text.
type formula struct {
	source string // with its delimiters
	tex    string
	block  bool
}

// The mark that stands for formula n while Markdown is rendered: three
// characters of a private use area, which no text has by accident; those that
// a text does have are replaced.
const markOpen, markClose = '\uE0F1', '\uE0F2'

var mark = regexp.MustCompile("\uE0F1([0-9]{1,9})\uE0F2")

// cutMath replaces the formulas of a Markdown text by marks. Formulas are
// $…$, $$…$$, \(…\), \[…\], the last two also with two backslashes as Jupyter
// wants them, and \begin{…}…\end{…}, all outside code. As in pandoc, a
// $ opens only before and closes only after a character that is no space, and
// does not close before a digit: "from $5 to $10" holds none.
func cutMath(source string) (string, []formula) {
	source = strings.Map(func(r rune) rune {
		if r == markOpen || r == markClose {
			return '\uFFFD'
		}
		return r
	}, source)
	var b strings.Builder
	var formulas []formula
	for i := 0; i < len(source); {
		if n := codeAt(source, i); n > 0 {
			b.WriteString(source[i : i+n])
			i += n
			continue
		}
		f, n := formulaAt(source, i)
		if n == 0 {
			n = 1
			if source[i] == '\\' && i+1 < len(source) && source[i+1] < 0x80 {
				n = 2
			}
			b.WriteString(source[i : i+n])
			i += n
			continue
		}
		f.source = source[i : i+n]
		fmt.Fprintf(&b, "%c%d%c", markOpen, len(formulas), markClose)
		formulas = append(formulas, f)
		i += n
	}
	return b.String(), formulas
}

// codeAt returns the length of the code that starts at i: a fenced block, an
// indented line after a blank one, or a span in backticks.
func codeAt(s string, i int) int {
	if i == 0 || s[i-1] == '\n' {
		line, _, _ := strings.Cut(s[i:], "\n")
		trimmed := strings.TrimLeft(line, " >")
		for _, fence := range []string{"```", "~~~"} {
			if strings.HasPrefix(trimmed, fence) {
				return fencedBlock(s[i:], fence)
			}
		}
		afterBlank := i == 0 || strings.HasSuffix(s[:i], "\n\n")
		if afterBlank && (strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")) {
			n := 0
			for l := range strings.Lines(s[i:]) {
				if strings.TrimSpace(l) != "" && !strings.HasPrefix(l, "    ") && !strings.HasPrefix(l, "\t") {
					break
				}
				n += len(l)
			}
			return n
		}
	}
	if s[i] != '`' {
		return 0
	}
	ticks := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
	rest := s[i+ticks:]
	for at := 0; at < len(rest); {
		j := strings.IndexByte(rest[at:], '`')
		if j < 0 || strings.Contains(rest[at:at+j], "\n\n") {
			break
		}
		run := len(rest[at+j:]) - len(strings.TrimLeft(rest[at+j:], "`"))
		at += j + run
		if run == ticks {
			return ticks + at
		}
	}
	return ticks
}

func fencedBlock(s, fence string) int {
	n, first := 0, true
	for line := range strings.Lines(s) {
		n += len(line)
		if !first && strings.HasPrefix(strings.TrimLeft(line, " >"), fence) && strings.Trim(line, " >\n"+fence[:1]) == "" {
			return n
		}
		first = false
	}
	return n
}

// formulaAt returns the formula that starts at i and its length, 0 for none.
func formulaAt(s string, i int) (formula, int) {
	rest := s[i:]
	between := func(open, close string) (string, int) {
		inner, _, ok := strings.Cut(rest[len(open):], close)
		if !ok || strings.TrimSpace(inner) == "" || strings.Contains(inner, "\n\n") {
			return "", 0
		}
		return inner, len(open) + len(inner) + len(close)
	}
	switch {
	case strings.HasPrefix(rest, "$$"):
		tex, n := between("$$", "$$")
		return formula{tex: tex, block: true}, n
	case strings.HasPrefix(rest, `\[`):
		// In Markdown \[ is also a bracket that is not a link: only a line of
		// its own opens a formula.
		if before := s[strings.LastIndexByte(s[:i], '\n')+1 : i]; strings.TrimSpace(before) != "" {
			return formula{}, 0
		}
		tex, n := between(`\[`, `\]`)
		return formula{tex: tex, block: true}, n
	case strings.HasPrefix(rest, `\(`):
		tex, n := between(`\(`, `\)`)
		return formula{tex: tex}, n
	case strings.HasPrefix(rest, `\\(`):
		tex, n := between(`\\(`, `\\)`)
		return formula{tex: tex}, n
	case strings.HasPrefix(rest, `\\[`):
		tex, n := between(`\\[`, `\\]`)
		return formula{tex: tex, block: true}, n
	case strings.HasPrefix(rest, `\begin{`):
		name, _, ok := strings.Cut(rest[len(`\begin{`):], "}")
		if _, known := environments[name]; !ok || !known {
			return formula{}, 0
		}
		end := `\end{` + name + "}"
		j := strings.Index(rest, end)
		if j < 0 {
			return formula{}, 0
		}
		n := j + len(end)
		return formula{tex: rest[:n], block: true}, n
	case rest[0] == '$':
		for j := 1; j < len(rest); j++ {
			switch rest[j] {
			case '\\':
				j++
			case '\n':
				if j+1 < len(rest) && rest[j+1] == '\n' {
					return formula{}, 0
				}
			case '$':
				inner := rest[1:j]
				digit := j+1 < len(rest) && rest[j+1] >= '0' && rest[j+1] <= '9'
				if inner == "" || strings.TrimSpace(inner[:1]) == "" {
					return formula{}, 0
				}
				if strings.TrimSpace(inner[len(inner)-1:]) == "" || digit {
					return formula{}, 0
				}
				return formula{tex: inner}, j + 1
			}
		}
	}
	return formula{}, 0
}

// pasteMath puts the formulas back in as MathML.
func pasteMath(html string, formulas []formula) string {
	return paste(html, formulas, formula.html)
}

// pasteSource puts the formulas back in as their TeX.
func pasteSource(text string, formulas []formula) string {
	return paste(text, formulas, func(f formula) string { return f.tex })
}

func paste(s string, formulas []formula, as func(formula) string) string {
	return mark.ReplaceAllStringFunc(s, func(m string) string {
		n, err := strconv.Atoi(mark.FindStringSubmatch(m)[1])
		if err != nil || n >= len(formulas) {
			return ""
		}
		return as(formulas[n])
	})
}

func (f formula) html() string {
	xml, err := MathML(f.tex, f.block)
	switch {
	case err == nil && f.block:
		return `<span class="block-math">` + xml + "</span>"
	case err == nil:
		return xml
	}
	// The source is legible to who writes TeX; the title says what is missing.
	class := "tex"
	if f.block {
		class = "tex block"
	}
	return `<code class="` + class + `" title="` + escape(err.Error()) + `">` + escape(strings.TrimSpace(f.source)) + "</code>"
}

// latexOutput renders a text/latex value: formulas with their delimiters among
// text, or a bare formula.
func latexOutput(text string) string {
	trimmed := strings.TrimSpace(text)
	marked, formulas := cutMath(trimmed)
	if len(formulas) == 0 {
		return formula{source: trimmed, tex: trimmed, block: true}.html()
	}
	return pasteMath(escape(marked), formulas)
}
