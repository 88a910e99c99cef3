package page

import (
	"fmt"
	"html"
	"strings"
	"unicode"
)

// MathML returns the TeX formula as MathML, which every browser draws by
// itself: a page needs no script, no font and no network for it. It covers the
// mathematics that notebooks use (fractions, roots, scripts, accents, the
// usual symbols and alphabets, brackets that grow, matrices, cases, aligned
// equations); for anything else it returns an error that names it, and the
// caller shows the source.
//
// The formula's source stays in the element as an annotation, for copying.
func MathML(tex string, block bool) (string, error) {
	p := &texParser{src: []rune(tex), block: block}
	rows, err := p.rows("")
	if err != nil {
		return "", err
	}
	if p.pos < len(p.src) {
		return "", p.errorf("%q without its opening", p.peek())
	}
	kind := "inline"
	if block {
		kind = "block"
	}
	return fmt.Sprintf(`<math display="%s"><semantics><mrow>%s</mrow><annotation encoding="application/x-tex">%s</annotation></semantics></math>`,
		kind, tableOrRow(rows, "rcl"), escape(tex)), nil
}

// deepest is how far groups may nest.
const deepest = 60

type texParser struct {
	src   []rune
	pos   int
	depth int
	block bool   // sums and limits have their scripts above and below
	font  string // the alphabet of letters, "" for italic
}

// atom is one piece of a formula, before scripts are attached.
type atom struct {
	xml    string
	limits bool // scripts go above and below in a block
	forced bool // …in running text too
}

func (p *texParser) errorf(format string, args ...any) error {
	return fmt.Errorf("tex: %s (character %d)", fmt.Sprintf(format, args...), p.pos+1)
}

// peek returns the token at the position: a command with its backslash, or a
// character; "" at the end.
func (p *texParser) peek() string {
	if p.pos >= len(p.src) {
		return ""
	}
	if p.src[p.pos] != '\\' {
		return string(p.src[p.pos])
	}
	end := p.pos + 1
	for end < len(p.src) && isLetter(p.src[end]) {
		end++
	}
	if end == p.pos+1 {
		end = min(end+1, len(p.src))
	}
	return string(p.src[p.pos:end])
}

func (p *texParser) next() string {
	t := p.peek()
	p.pos += len([]rune(t))
	if len(t) > 1 && t[0] == '\\' && isLetter(rune(t[1])) {
		p.space()
	}
	return t
}

// space skips white space and comments.
func (p *texParser) space() {
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case unicode.IsSpace(c):
			p.pos++
		case c == '%':
			for p.pos < len(p.src) && p.src[p.pos] != '\n' {
				p.pos++
			}
		default:
			return
		}
	}
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// rows parses cells parted by & and rows parted by \\ up to \end, to the token
// end, or to the end of the source. It leaves the token that ended it.
func (p *texParser) rows(end string) ([][]string, error) {
	rows := [][]string{{}}
	for {
		cell, err := p.row(end)
		if err != nil {
			return nil, err
		}
		last := len(rows) - 1
		rows[last] = append(rows[last], cell)
		switch p.peek() {
		case "&":
			p.next()
		case `\\`, `\cr`:
			p.next()
			p.space()
			if p.peek() == "[" { // extra space between rows, as in \\[4pt]
				if _, err := p.bracket(); err != nil {
					return nil, err
				}
			}
			rows = append(rows, []string{})
		default:
			// A \\ after the last row does not start another.
			if last := len(rows) - 1; last > 0 && len(rows[last]) == 1 && rows[last][0] == "" {
				rows = rows[:last]
			}
			return rows, nil
		}
	}
}

// row parses atoms with their scripts.
func (p *texParser) row(end string) (string, error) {
	if p.depth++; p.depth > deepest {
		return "", p.errorf("nested deeper than %d", deepest)
	}
	defer func() { p.depth-- }()
	font := p.font
	defer func() { p.font = font }()
	var b strings.Builder
	for {
		p.space()
		t := p.peek()
		if t == "" || t == "}" || t == "&" || t == `\\` || t == `\cr` || t == `\end` || t == `\right` || t == `\middle` || t == end {
			return b.String(), nil
		}
		a, err := p.atom()
		if err != nil {
			return "", err
		}
		xml, err := p.scripts(a)
		if err != nil {
			return "", err
		}
		b.WriteString(xml)
	}
}

// scripts attaches what follows the atom as sub- and superscript.
func (p *texParser) scripts(a atom) (string, error) {
	var sub, sup string
	primes := ""
	for {
		p.space()
		var err error
		switch t := p.peek(); {
		case t == `\limits`:
			p.next()
			a.limits, a.forced = true, true
		case t == `\nolimits`:
			p.next()
			a.limits = false
		case t == "'" || t == "’":
			p.next()
			primes += "′"
		case t == "_" && sub == "":
			p.next()
			sub, err = p.argument()
		case t == "^" && sup == "":
			p.next()
			sup, err = p.argument()
		case t == "_" || t == "^":
			return "", p.errorf("double %s", t)
		default:
			if primes != "" {
				sup = "<mo>" + primes + "</mo>" + sup
			}
			return attach(a, sub, sup, p.block), nil
		}
		if err != nil {
			return "", err
		}
	}
}

func attach(a atom, sub, sup string, block bool) string {
	base := mrow(a.xml)
	if a.limits && (block || a.forced) {
		switch {
		case sub != "" && sup != "":
			return "<munderover>" + base + mrow(sub) + mrow(sup) + "</munderover>"
		case sub != "":
			return "<munder>" + base + mrow(sub) + "</munder>"
		case sup != "":
			return "<mover>" + base + mrow(sup) + "</mover>"
		}
		return a.xml
	}
	switch {
	case sub != "" && sup != "":
		return "<msubsup>" + base + mrow(sub) + mrow(sup) + "</msubsup>"
	case sub != "":
		return "<msub>" + base + mrow(sub) + "</msub>"
	case sup != "":
		return "<msup>" + base + mrow(sup) + "</msup>"
	}
	return a.xml
}

func mrow(xml string) string { return "<mrow>" + xml + "</mrow>" }

// argument parses a group in braces or one token.
func (p *texParser) argument() (string, error) {
	p.space()
	switch t := p.peek(); t {
	case "":
		return "", p.errorf("something is missing at the end")
	case "}", "&", `\\`, "_", "^":
		return "", p.errorf("something is missing before %s", t)
	case "{":
		return p.group()
	}
	if c := p.src[p.pos]; unicode.IsDigit(c) { // x^23 raises to 2 alone
		p.pos++
		return "<mn>" + string(c) + "</mn>", nil
	}
	if p.depth++; p.depth > deepest {
		return "", p.errorf("nested deeper than %d", deepest)
	}
	defer func() { p.depth-- }()
	a, err := p.atom()
	return a.xml, err
}

// group parses {…}.
func (p *texParser) group() (string, error) {
	p.next()
	xml, err := p.row("}")
	if err != nil {
		return "", err
	}
	if t := p.peek(); t != "}" {
		if t == "" {
			return "", p.errorf("a { is not closed")
		}
		return "", p.errorf("%s inside a group", t)
	}
	p.next()
	return xml, nil
}

// raw returns the text of {…} unparsed.
func (p *texParser) raw() (string, error) {
	p.space()
	if p.peek() != "{" {
		return "", p.errorf("want a { here")
	}
	depth, start := 0, p.pos+1
	for ; p.pos < len(p.src); p.pos++ {
		switch p.src[p.pos] {
		case '\\':
			p.pos++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				p.pos++
				return string(p.src[start : p.pos-1]), nil
			}
		}
	}
	return "", p.errorf("a { is not closed")
}

// bracket returns the text of […] unparsed.
func (p *texParser) bracket() (string, error) {
	start := p.pos + 1
	for ; p.pos < len(p.src); p.pos++ {
		if p.src[p.pos] == ']' {
			p.pos++
			return string(p.src[start : p.pos-1]), nil
		}
	}
	return "", p.errorf("a [ is not closed")
}

// atom parses one piece.
func (p *texParser) atom() (atom, error) {
	c := p.src[p.pos]
	switch {
	case c == '{':
		xml, err := p.group()
		return atom{xml: mrow(xml)}, err
	case c == '\\':
		return p.command()
	case c == '_' || c == '^': // a script on nothing, as in {}^2
		return atom{}, nil
	case unicode.IsDigit(c) || c == '.' && p.pos+1 < len(p.src) && unicode.IsDigit(p.src[p.pos+1]):
		start := p.pos
		for p.pos < len(p.src) && (unicode.IsDigit(p.src[p.pos]) || p.src[p.pos] == '.' && p.pos+1 < len(p.src) && unicode.IsDigit(p.src[p.pos+1])) {
			p.pos++
		}
		return atom{xml: "<mn>" + alphabet(string(p.src[start:p.pos]), p.font) + "</mn>"}, nil
	case unicode.IsLetter(c):
		p.pos++
		return atom{xml: identifier(string(c), p.font)}, nil
	case c == '#' || c == '$':
		return atom{}, p.errorf("%q in a formula", c)
	case c == '~':
		p.pos++
		return atom{xml: `<mspace width="0.33em"/>`}, nil
	}
	p.pos++
	switch c {
	case '-':
		return atom{xml: "<mo>−</mo>"}, nil
	case '*':
		return atom{xml: "<mo>∗</mo>"}, nil
	case '\'':
		return atom{xml: "<mo>′</mo>"}, nil
	case '(', ')', '[', ']', '|', '/':
		return atom{xml: `<mo stretchy="false">` + string(c) + "</mo>"}, nil
	}
	if unicode.IsControl(c) || !unicode.IsPrint(c) {
		return atom{}, p.errorf("%q in a formula", c)
	}
	return atom{xml: "<mo>" + escape(string(c)) + "</mo>"}, nil
}

// identifier is a letter or name in an alphabet. A single letter is italic by
// itself, so an upright one must say so.
func identifier(s, font string) string {
	if font == "rm" {
		return `<mi mathvariant="normal">` + escape(s) + "</mi>"
	}
	return "<mi>" + escape(alphabet(s, font)) + "</mi>"
}

func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r != 0xFFFE && r != 0xFFFF {
			return r
		}
		return '\uFFFD'
	}, s)
	return html.EscapeString(s)
}
