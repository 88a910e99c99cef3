package page

import (
	"strings"
)

// command parses a backslash command with its arguments.
func (p *texParser) command() (atom, error) {
	t := p.next()
	name := t[1:]
	if xml, ok := symbols[name]; ok {
		if p.font == "bf" || p.font == "bi" {
			xml = alphabet(xml, p.font+"-greek")
		}
		return atom{xml: xml}, nil
	}
	if op, ok := bigOperators[name]; ok {
		return atom{xml: `<mo largeop="true" movablelimits="false">` + op + "</mo>", limits: !strings.HasPrefix(name, "int") && !strings.HasSuffix(name, "int")}, nil
	}
	if limits, ok := functions[name]; ok {
		return atom{xml: function(strings.TrimSpace(longNames(name))), limits: limits}, nil
	}
	if mark, ok := accents[name]; ok {
		arg, err := p.argument()
		stretchy := "false"
		if strings.HasPrefix(name, "wide") || strings.HasPrefix(name, "over") {
			stretchy = "true"
		}
		return atom{xml: `<mover accent="true">` + mrow(arg) + `<mo stretchy="` + stretchy + `">` + mark + "</mo></mover>", limits: name == "overbrace"}, err
	}
	if font, ok := fonts[name]; ok {
		before := p.font
		p.font = font
		arg, err := p.argument()
		p.font = before
		return atom{xml: mrow(arg)}, err
	}
	if width, ok := spaces[name]; ok {
		return atom{xml: `<mspace width="` + width + `"/>`}, nil
	}
	switch name {
	case "frac", "dfrac", "tfrac", "cfrac":
		return p.two(func(a, b string) string { return "<mfrac>" + mrow(a) + mrow(b) + "</mfrac>" })
	case "binom", "dbinom", "tbinom":
		return p.two(func(a, b string) string {
			return `<mrow><mo>(</mo><mfrac linethickness="0">` + mrow(a) + mrow(b) + "</mfrac><mo>)</mo></mrow>"
		})
	case "overset", "stackrel":
		return p.two(func(a, b string) string { return "<mover>" + mrow(b) + mrow(a) + "</mover>" })
	case "underset":
		return p.two(func(a, b string) string { return "<munder>" + mrow(b) + mrow(a) + "</munder>" })
	case "underline":
		arg, err := p.argument()
		return atom{xml: "<munder>" + mrow(arg) + `<mo stretchy="true">_</mo></munder>`}, err
	case "underbrace":
		arg, err := p.argument()
		return atom{xml: "<munder>" + mrow(arg) + `<mo stretchy="true">⏟</mo></munder>`, limits: true}, err
	case "boxed":
		arg, err := p.argument()
		return atom{xml: `<mrow style="border:1px solid;padding:.2em">` + arg + "</mrow>"}, err
	case "sqrt":
		return p.root()
	case "text", "textrm", "textup", "textnormal", "mbox", "hbox", "textbf", "textit", "texttt", "textsf":
		return p.words(name)
	case "operatorname":
		star := p.peek() == "*"
		if star {
			p.next()
		}
		text, err := p.raw()
		if err == nil && strings.ContainsAny(text, `\{}$`) {
			text = strings.NewReplacer(`\,`, " ", `\;`, " ", `\ `, " ").Replace(text)
			if strings.ContainsAny(text, `\{}$`) {
				err = p.errorf("a command in \\operatorname")
			}
		}
		return atom{xml: function(text), limits: star}, err
	case "left":
		return p.fence()
	case "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl", "Biggr", "bigm", "Bigm":
		d, err := p.delimiter()
		if err != nil || d == "" {
			return atom{}, err
		}
		sizes := map[string]string{"big": "1.2em", "Big": "1.8em", "bigg": "2.4em", "Bigg": "3em"}
		size := sizes[strings.TrimRight(name, "lrm")]
		return atom{xml: `<mo stretchy="true" minsize="` + size + `" maxsize="` + size + `">` + d + "</mo>"}, nil
	case "begin":
		return p.environment()
	case "not":
		arg, err := p.argument()
		if i := strings.LastIndex(arg, "</m"); err == nil && i > 0 {
			return atom{xml: arg[:i] + "\u0338" + arg[i:]}, nil
		}
		if err == nil {
			err = p.errorf(`\not before nothing`)
		}
		return atom{}, err
	case "pmod":
		arg, err := p.argument()
		return atom{xml: `<mspace width="1em"/><mo stretchy="false">(</mo>` + function("mod") + arg + `<mo stretchy="false">)</mo>`}, err
	case "bmod", "mod":
		return atom{xml: `<mspace width="0.22em"/>` + function("mod") + `<mspace width="0.22em"/>`}, nil
	case "tag":
		text, err := p.raw()
		return atom{xml: `<mspace width="2em"/><mtext>(` + escape(text) + ")</mtext>"}, err
	case "label":
		_, err := p.raw()
		return atom{}, err
	case "displaystyle", "textstyle", "scriptstyle", "nonumber", "notag", "hline", "limits", "nolimits":
		return atom{}, nil
	case "rm", "bf", "it", "cal", "sf", "tt":
		p.font = map[string]string{"rm": "rm", "bf": "bf", "cal": "cal", "sf": "sf", "tt": "tt"}[name]
		return atom{}, nil
	}
	if name == "" {
		return atom{}, p.errorf("a backslash at the end")
	}
	return atom{}, p.errorf("unknown command %s", t)
}

func (p *texParser) two(build func(a, b string) string) (atom, error) {
	a, err := p.argument()
	if err != nil {
		return atom{}, err
	}
	b, err := p.argument()
	return atom{xml: build(a, b)}, err
}

func (p *texParser) root() (atom, error) {
	p.space()
	index := ""
	if p.peek() == "[" {
		p.next()
		var err error
		if index, err = p.row("]"); err != nil {
			return atom{}, err
		}
		if p.next() != "]" {
			return atom{}, p.errorf("a [ is not closed")
		}
	}
	arg, err := p.argument()
	if index != "" {
		return atom{xml: "<mroot>" + mrow(arg) + mrow(index) + "</mroot>"}, err
	}
	return atom{xml: "<msqrt>" + arg + "</msqrt>"}, err
}

// words is \text{…}; $…$ inside is a formula again.
func (p *texParser) words(name string) (atom, error) {
	text, err := p.raw()
	if err != nil {
		return atom{}, err
	}
	font := map[string]string{"textbf": "bf", "textit": "it", "texttt": "tt", "textsf": "sf"}[name]
	var b strings.Builder
	for i, part := range strings.Split(text, "$") {
		if i%2 == 1 {
			if p.depth++; p.depth > deepest {
				return atom{}, p.errorf("nested deeper than %d", deepest)
			}
			inner := &texParser{src: []rune(part), depth: p.depth}
			xml, err := inner.row("")
			if err == nil && inner.pos < len(inner.src) {
				err = inner.errorf("%q in text", inner.peek())
			}
			p.depth--
			if err != nil {
				return atom{}, err
			}
			b.WriteString(xml)
			continue
		}
		part = strings.NewReplacer(`\ `, " ", `\_`, "_", `\%`, "%", `\&`, "&", `\$`, "$", `\#`, "#", `\{`, "{", `\}`, "}", "~", " ", "--", "–").Replace(part)
		if strings.Contains(part, `\`) {
			return atom{}, p.errorf("a command in \\%s", name)
		}
		if part != "" {
			// Spaces at the ends count in TeX and are dropped in MathML.
			part = strings.ReplaceAll(alphabet(part, font), " ", "\u00A0")
			b.WriteString("<mtext>" + escape(part) + "</mtext>")
		}
	}
	return atom{xml: b.String()}, nil
}

func (p *texParser) delimiter() (string, error) {
	p.space()
	t := p.next()
	switch t {
	case ".":
		return "", nil
	case "(", ")", "[", "]", "|", "/":
		return t, nil
	case "<":
		return "⟨", nil
	case ">":
		return "⟩", nil
	}
	if d, ok := delimiters[strings.TrimPrefix(t, `\`)]; ok && strings.HasPrefix(t, `\`) {
		return d, nil
	}
	return "", p.errorf("%q is no bracket", t)
}

// fence is \left( … \middle| … \right).
func (p *texParser) fence() (atom, error) {
	mo := func(d string) string {
		if d == "" {
			return ""
		}
		return `<mo stretchy="true" fence="true">` + d + "</mo>"
	}
	open, err := p.delimiter()
	if err != nil {
		return atom{}, err
	}
	xml := mo(open)
	for {
		inner, err := p.row("")
		if err != nil {
			return atom{}, err
		}
		xml += mrow(inner)
		t := p.next()
		if t != `\middle` && t != `\right` {
			return atom{}, p.errorf(`\left without \right`)
		}
		d, err := p.delimiter()
		if err != nil {
			return atom{}, err
		}
		xml += mo(d)
		if t == `\right` {
			return atom{xml: mrow(xml)}, nil
		}
	}
}

// environments says how \begin{name} is drawn: the alignment of its columns
// (repeated as often as needed) and its brackets.
var environments = map[string]struct{ align, open, close string }{
	"matrix": {"c", "", ""}, "smallmatrix": {"c", "", ""}, "pmatrix": {"c", "(", ")"}, "bmatrix": {"c", "[", "]"}, "Bmatrix": {"c", "{", "}"},
	"vmatrix": {"c", "|", "|"}, "Vmatrix": {"c", "‖", "‖"}, "array": {"c", "", ""}, "cases": {"l", "{", ""},
	"aligned": {"rl", "", ""}, "align": {"rl", "", ""}, "align*": {"rl", "", ""}, "split": {"rl", "", ""}, "alignat": {"rl", "", ""},
	"eqnarray": {"rcl", "", ""}, "eqnarray*": {"rcl", "", ""},
	"gathered": {"c", "", ""}, "gather": {"c", "", ""}, "gather*": {"c", "", ""}, "multline": {"c", "", ""}, "multline*": {"c", "", ""},
	"equation": {"rl", "", ""}, "equation*": {"rl", "", ""}, "displaymath": {"rl", "", ""}, "math": {"rl", "", ""},
}

func (p *texParser) environment() (atom, error) {
	name, err := p.raw()
	if err != nil {
		return atom{}, err
	}
	env, ok := environments[name]
	if !ok {
		return atom{}, p.errorf("unknown environment %s", name)
	}
	if p.depth++; p.depth > deepest {
		return atom{}, p.errorf("nested deeper than %d", deepest)
	}
	defer func() { p.depth-- }()
	align := env.align
	if name == "array" {
		columns, err := p.raw()
		if err != nil {
			return atom{}, err
		}
		align = ""
		for _, c := range columns {
			if strings.ContainsRune("lcr", c) {
				align += string(c)
			}
		}
		if align == "" {
			align = "c"
		}
	}
	rows, err := p.rows("")
	if err != nil {
		return atom{}, err
	}
	if t := p.next(); t != `\end` {
		return atom{}, p.errorf("\\begin{%s} without \\end", name)
	}
	if end, err := p.raw(); err != nil || end != name {
		return atom{}, p.errorf("\\begin{%s} ended by \\end{%s}", name, end)
	}
	xml := tableOrRow(rows, align)
	if env.open != "" || env.close != "" {
		xml = table(rows, align)
	}
	if env.open != "" {
		xml = `<mo stretchy="true" fence="true">` + env.open + "</mo>" + xml
	}
	if env.close != "" {
		xml += `<mo stretchy="true" fence="true">` + env.close + "</mo>"
	}
	return atom{xml: mrow(xml)}, nil
}

func tableOrRow(rows [][]string, align string) string {
	if len(rows) == 1 && len(rows[0]) == 1 {
		return rows[0][0]
	}
	return table(rows, align)
}

func table(rows [][]string, align string) string {
	sides := map[byte]string{'l': "left", 'c': "center", 'r': "right"}
	var b strings.Builder
	b.WriteString("<mtable>")
	for _, row := range rows {
		b.WriteString("<mtr>")
		for i, cell := range row {
			b.WriteString(`<mtd style="text-align:` + sides[align[i%len(align)]])
			if align == "rl" || align == "rcl" { // an equation runs on from cell to cell
				if i%len(align) > 0 {
					b.WriteString(";padding-left:0")
				}
				if i%len(align) < len(align)-1 {
					b.WriteString(";padding-right:.2em")
				}
			}
			b.WriteString(`">` + cell + "</mtd>")
		}
		b.WriteString("</mtr>")
	}
	b.WriteString("</mtable>")
	return b.String()
}

func function(name string) string {
	return `<mi mathvariant="normal">` + escape(name) + `</mi><mo>&#x2061;</mo>`
}
