package page

import (
	"go/scanner"
	"go/token"
	"strings"
)

// GoCode returns Go source as HTML, its tokens in spans by their class:
// k keyword, s string, n number, c comment, t predeclared type, b predeclared
// function or constant, f name that is called, m a line for the kernel rather
// than the compiler (%…). The text is the source's own, whatever is wrong in
// it.
func GoCode(source string) string {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	source = strings.ReplaceAll(source, "\r", "\n")
	// The scanner takes no byte order mark inside and no NUL; both are rare
	// enough to lose their colours.
	if strings.ContainsAny(source, "\x00\ufeff") {
		return escape(source)
	}
	var b strings.Builder
	for source != "" {
		line, rest, _ := strings.Cut(source, "\n")
		if !strings.HasPrefix(strings.TrimSpace(line), "%") {
			break
		}
		b.WriteString(`<span class="m">` + escape(line) + "</span>")
		if len(line) < len(source) {
			b.WriteString("\n")
		}
		source = rest
	}
	b.WriteString(colour(source))
	return b.String()
}

type lexeme struct {
	tok        token.Token
	start, end int
}

func colour(source string) string {
	var list []lexeme
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, []byte(source), func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && lit != ";" {
			continue // put in by the scanner
		}
		start := file.Offset(pos)
		if lit == "" {
			lit = tok.String()
		}
		list = append(list, lexeme{tok, start, min(start+len(lit), len(source))})
	}
	var b strings.Builder
	at := 0
	for i, l := range list {
		if l.start < at || l.end > len(source) {
			continue
		}
		b.WriteString(escape(source[at:l.start]))
		text := source[l.start:l.end]
		called := i+1 < len(list) && list[i+1].tok == token.LPAREN
		if class := classOf(l.tok, text, called); class != "" {
			b.WriteString(`<span class="` + class + `">` + escape(text) + "</span>")
		} else {
			b.WriteString(escape(text))
		}
		at = l.end
	}
	b.WriteString(escape(source[at:]))
	return b.String()
}

var predeclared = map[string]string{}

func init() {
	for _, name := range strings.Fields("any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr") {
		predeclared[name] = "t"
	}
	for _, name := range strings.Fields("true false iota nil append cap clear close complex copy delete imag len make max min new panic print println real recover") {
		predeclared[name] = "b"
	}
}

func classOf(tok token.Token, text string, called bool) string {
	switch {
	case tok.IsKeyword():
		return "k"
	case tok == token.COMMENT:
		return "c"
	case tok == token.STRING || tok == token.CHAR:
		return "s"
	case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
		return "n"
	case tok == token.IDENT:
		if class := predeclared[text]; class != "" {
			return class
		}
		if called {
			return "f"
		}
	}
	return ""
}
