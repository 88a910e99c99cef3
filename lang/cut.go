package lang

import (
	"go/scanner"
	"go/token"
	"strings"
)

// segment is a run of Go text or one magic line of a cell.
type segment struct {
	start, end int
	magic      bool
}

// cut divides a cell into Go and magic lines. A magic line begins, where a
// statement could begin, with %, ! or $, or ends a lone name with a question
// mark. shell says whether a ! line is a shell command and not Go's not.
func cut(code string, shell func(line string) bool) []segment {
	var segs []segment
	from := 0 // start of the Go text not yet in a segment
	for at := 0; ; {
		line, ok := nextMagic(code, at, shell)
		if !ok {
			break
		}
		if line > from {
			segs = append(segs, segment{start: from, end: line})
		}
		end := len(code)
		if i := strings.IndexByte(code[line:], '\n'); i >= 0 {
			end = line + i
		}
		segs = append(segs, segment{start: line, end: end, magic: true})
		at = min(end+1, len(code))
		from = at
		if at == len(code) {
			break
		}
	}
	if from < len(code) {
		segs = append(segs, segment{start: from, end: len(code)})
	}
	return segs
}

// nextMagic finds the first magic line at or after a byte where a statement
// may begin.
func nextMagic(code string, at int, shell func(string) bool) (int, bool) {
	src := code[at:]
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(token.Position, string) {}, 0)
	depth, begin := 0, true
	for {
		pos, tok, _ := s.Scan()
		if tok == token.EOF {
			return 0, false
		}
		off := file.Offset(pos)
		if begin && depth == 0 && firstOnLine(src, off) {
			line := src[off:]
			if i := strings.IndexByte(line, '\n'); i >= 0 {
				line = line[:i]
			}
			if isMagic(line, shell) {
				return at + off, true
			}
		}
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		begin = tok == token.SEMICOLON
	}
}

func firstOnLine(src string, off int) bool {
	return strings.TrimSpace(src[strings.LastIndexByte(src[:off], '\n')+1:off]) == ""
}

func isMagic(line string, shell func(string) bool) bool {
	line = strings.TrimRight(line, " \t\r")
	switch {
	case strings.HasPrefix(line, "%"):
		return true
	case strings.HasPrefix(line, "$"):
		return true
	case strings.HasPrefix(line, "!"):
		return shell(line[1:])
	}
	_, ok := question(line)
	return ok
}

// question returns the name of a line like "strings.Cut?" or "?strings.Cut".
func question(line string) (name string, ok bool) {
	name = strings.TrimRight(line, "? ")
	if name == line {
		name = strings.TrimLeft(line, "? ")
		if name == line {
			return "", false
		}
	}
	for i, r := range name {
		if !(r == '_' || r == '.' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && r >= '0' && r <= '9' || r > 0x7f) {
			return "", false
		}
	}
	return name, name != ""
}

// only returns the code with all but code[start:end] made blank, so that
// positions stay what they are.
func only(code string, start, end int) string {
	blank := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return ' '
		}, s)
	}
	// A code point becomes one space: lines and columns stay right, which is
	// all that later text needs.
	return blank(code[:start]) + code[start:end] + blank(code[end:])
}
