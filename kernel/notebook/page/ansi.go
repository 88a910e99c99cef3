package page

import (
	"fmt"
	"strconv"
	"strings"
)

// ANSI returns the text of a terminal as HTML: colours and weights become
// spans, other control sequences are dropped, and text after a carriage return
// replaces its line, as a progress bar wants it.
func ANSI(text string) string {
	var b strings.Builder
	var s style
	open := false
	emit := func(part string) {
		if part == "" {
			return
		}
		if attr := s.attr(); attr != "" {
			b.WriteString("<span" + attr + ">")
			open = true
		}
		b.WriteString(escape(part))
		if open {
			b.WriteString("</span>")
			open = false
		}
	}
	text = overwrite(strings.ToValidUTF8(text, "\uFFFD"))
	for {
		i := strings.IndexByte(text, 0x1b)
		if i < 0 {
			emit(text)
			return b.String()
		}
		emit(text[:i])
		var codes string
		codes, text = control(text[i:])
		s.apply(codes)
	}
}

// PlainText returns the text without its control sequences.
func PlainText(text string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, 0x1b)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		_, text = control(text[i:])
	}
}

// control cuts a control sequence, which text starts with, off the text. It
// returns the parameters of one that sets the style (CSI … m), "" for others.
func control(text string) (codes, rest string) {
	if len(text) < 2 {
		return "", ""
	}
	switch text[1] {
	case '[':
		i := 2
		for i < len(text) && text[i] >= 0x20 && text[i] <= 0x3f {
			i++
		}
		if i >= len(text) {
			return "", ""
		}
		if text[i] == 'm' {
			codes = text[2:i]
			if codes == "" {
				codes = "0"
			}
		}
		if text[i] < 0x40 || text[i] > 0x7e { // cut short: what follows is text
			return "", text[i:]
		}
		return codes, text[i+1:]
	case ']': // an operating system command, such as a title or a link
		for i := 2; i < len(text); i++ {
			if text[i] == 0x07 {
				return "", text[i+1:]
			}
			if text[i] == 0x1b {
				if i+1 < len(text) && text[i+1] == '\\' {
					return "", text[i+2:]
				}
				return "", text[i:]
			}
		}
		return "", ""
	}
	if text[1] >= 0x20 && text[1] < 0x7f {
		return "", text[2:]
	}
	return "", text[1:]
}

// overwrite drops what a later carriage return on the same line has written
// over.
func overwrite(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if !strings.Contains(text, "\r") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		if j := strings.LastIndexByte(line, '\r'); j >= 0 {
			line = line[j+1:]
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// style is what a terminal's SGR codes add up to. Colours are "" for the
// default, a digit 0 to 15 of the palette, or "#rrggbb".
type style struct {
	bold, faint, italic, underline, strike, inverse bool
	fg, bg                                          string
}

func (s *style) apply(codes string) {
	if codes == "" {
		return
	}
	list := strings.FieldsFunc(codes, func(r rune) bool { return r == ';' || r == ':' })
	for i := 0; i < len(list); i++ {
		n, err := strconv.Atoi(list[i])
		if err != nil {
			continue
		}
		switch {
		case n == 0:
			*s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.faint = true
		case n == 3:
			s.italic = true
		case n == 4:
			s.underline = true
		case n == 7:
			s.inverse = true
		case n == 9:
			s.strike = true
		case n == 22:
			s.bold, s.faint = false, false
		case n == 23:
			s.italic = false
		case n == 24:
			s.underline = false
		case n == 27:
			s.inverse = false
		case n == 29:
			s.strike = false
		case n >= 30 && n <= 37:
			s.fg = strconv.Itoa(n - 30)
		case n >= 90 && n <= 97:
			s.fg = strconv.Itoa(n - 90 + 8)
		case n >= 40 && n <= 47:
			s.bg = strconv.Itoa(n - 40)
		case n >= 100 && n <= 107:
			s.bg = strconv.Itoa(n - 100 + 8)
		case n == 39:
			s.fg = ""
		case n == 49:
			s.bg = ""
		case n == 38 || n == 48:
			colour, used := extended(list[i+1:])
			i += used
			if n == 38 {
				s.fg = colour
			} else {
				s.bg = colour
			}
		}
	}
}

// extended reads the rest of 38;5;N or 38;2;R;G;B.
func extended(list []string) (colour string, used int) {
	number := func(i int) int {
		n, err := strconv.Atoi(list[i])
		if err != nil || n < 0 {
			return 0
		}
		return min(n, 255)
	}
	switch {
	case len(list) >= 2 && list[0] == "5":
		n := number(1)
		switch {
		case n < 16:
			return strconv.Itoa(n), 2
		case n < 232: // a 6×6×6 cube
			n -= 16
			level := func(v int) int {
				if v == 0 {
					return 0
				}
				return 55 + 40*v
			}
			return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6)), 2
		}
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey), 2
	case len(list) >= 4 && list[0] == "2":
		return fmt.Sprintf("#%02x%02x%02x", number(1), number(2), number(3)), 4
	}
	return "", len(list)
}

// attr returns the attributes of a span of this style, "" for plain text.
func (s style) attr() string {
	var classes, css []string
	fg, bg := s.fg, s.bg
	if s.inverse {
		fg, bg = bg, fg
		if fg == "" {
			classes = append(classes, "ai")
		}
		if bg == "" {
			classes = append(classes, "bi")
		}
	}
	for _, c := range []struct{ colour, class, property string }{{fg, "a", "color"}, {bg, "b", "background"}} {
		switch {
		case strings.HasPrefix(c.colour, "#"):
			css = append(css, c.property+":"+c.colour)
		case c.colour != "":
			classes = append(classes, c.class+c.colour)
		}
	}
	for _, f := range []struct {
		on    bool
		class string
	}{{s.bold, "tb"}, {s.faint, "tf"}, {s.italic, "ti"}, {s.underline, "tu"}, {s.strike, "ts"}} {
		if f.on {
			classes = append(classes, f.class)
		}
	}
	attr := ""
	if len(classes) > 0 {
		attr += ` class="` + strings.Join(classes, " ") + `"`
	}
	if len(css) > 0 {
		attr += ` style="` + strings.Join(css, ";") + `"`
	}
	return attr
}
