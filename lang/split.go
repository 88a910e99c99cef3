package lang

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
	"unicode/utf8"
)

// kind is what an item of a cell is.
type kind int

const (
	stmtItem   kind = iota // a statement, a var declaration included
	importItem             // import "fmt", import ( … )
	funcItem               // func f(…) or func (t T) m(…)
	typeItem               // type …
	constItem              // const …
	clauseItem             // package main
)

// item is one top-level piece of a cell: text[start:end] of its source.
type item struct {
	kind       kind
	start, end int
	isVar      bool // a statement that begins with var
	embeds     bool // a var that holds embedded files
}

// split cuts a cell's Go text into its top-level items, in order. Text between
// items is white space, comments and semicolons. Broken text still splits: the
// parser reports on the pieces later. final says whether the text ends with a
// semicolon that the user wrote, which keeps the last value from being shown.
func split(src string) (items []item, final bool) {
	items, final, _ = splitErrors(src)
	return items, final
}

// slip is an error of the scanner: a byte offset and what it says.
type slip struct {
	offset int
	msg    string
}

// splitErrors is split with the scanner's errors.
func splitErrors(src string) (items []item, final bool, slips []slip) {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(p token.Position, msg string) { slips = append(slips, slip{p.Offset, msg}) }, 0)

	depth := 0
	var cur *item
	var toks []token.Token // the first tokens of the item, for its kind
	var last token.Token
	header := false // between for, if or switch and the end of its block
	end := 0
	flush := func() {
		if cur == nil {
			return
		}
		cur.end = end
		cur.kind, cur.isVar = classify(toks)
		if cur.kind == funcItem || cur.kind == typeItem || cur.kind == constItem || cur.isVar {
			code := cur.start
			cur.start = commentStart(src, code)
			cur.embeds = cur.isVar && strings.Contains(src[cur.start:code], "//go:embed ")
			if cur.isVar && !cur.embeds {
				cur.start = code
			}
		}
		items = append(items, *cur)
		cur, toks, header = nil, nil, false
	}
	for {
		pos, tok, lit := s.Scan()
		off := file.Offset(pos)
		if tok == token.EOF {
			flush()
			return items, final, slips
		}
		if tok == token.SEMICOLON && depth <= 0 {
			// A label alone on its line does not end its statement: the
			// scanner puts no semicolon after its colon. Semicolons in the
			// header of a for, if or switch do not either; one right behind a
			// brace may be either, and then the parser decides.
			if header && lit == ";" && (last != token.RBRACE || !isStatement(src[cur.start:end])) {
				last = tok
				continue
			}
			flush()
			final = lit == ";"
			depth = 0
			continue
		}
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		if depth == 0 && (tok == token.FOR || tok == token.IF || tok == token.SWITCH) {
			header = true
		}
		last = tok
		final = false
		if cur == nil {
			cur = &item{start: off}
		}
		if len(toks) < 64 {
			toks = append(toks, tok)
		}
		end = min(off+tokenLen(src[off:], tok, lit), len(src))
	}
}

// isStatement reports whether the text is one whole statement.
func isStatement(src string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", "package p; func _() {"+src+"\n}", parser.SkipObjectResolution)
	return err == nil
}

// commentStart returns where the comment lines right above a declaration begin:
// its documentation and its //go: directives.
func commentStart(src string, at int) int {
	bol := strings.LastIndexByte(src[:at], '\n') + 1
	if strings.TrimSpace(src[bol:at]) != "" {
		return at
	}
	for bol > 0 {
		prev := strings.LastIndexByte(src[:bol-1], '\n') + 1
		if !strings.HasPrefix(strings.TrimSpace(src[prev:bol-1]), "//") {
			break
		}
		bol = prev
		at = prev
	}
	return at
}

// tokenLen returns the bytes of the token that the source begins with. What the
// scanner gives as its text is shorter where a raw string has carriage returns,
// and longer for bytes that are no UTF-8.
func tokenLen(src string, tok token.Token, lit string) int {
	switch {
	case tok == token.ILLEGAL:
		_, n := utf8.DecodeRuneInString(src)
		return n
	case tok == token.STRING && strings.HasPrefix(src, "`"):
		if i := strings.IndexByte(src[1:], '`'); i >= 0 {
			return i + 2
		}
		return len(src)
	case tok.IsOperator() || lit == "":
		return len(tok.String())
	}
	return len(lit)
}

// classify tells the kind of an item by its first tokens.
func classify(toks []token.Token) (kind, bool) {
	if len(toks) == 0 {
		return stmtItem, false
	}
	switch toks[0] {
	case token.PACKAGE:
		return clauseItem, false
	case token.IMPORT:
		return importItem, false
	case token.TYPE:
		return typeItem, false
	case token.CONST:
		return constItem, false
	case token.VAR:
		return stmtItem, true
	case token.FUNC:
		if len(toks) > 1 && toks[1] == token.IDENT {
			return funcItem, false
		}
		// A method: func, a parenthesised receiver, a name. A function
		// literal has its body or its result after the parentheses, and a
		// result that is a plain name has no parenthesis after it.
		depth := 0
		for i, t := range toks[1:] {
			switch t {
			case token.LPAREN:
				depth++
			case token.RPAREN:
				depth--
			}
			if depth == 0 {
				rest := toks[1+i+1:]
				if len(rest) >= 2 && rest[0] == token.IDENT && rest[1] == token.LPAREN {
					return funcItem, false
				}
				return stmtItem, false
			}
		}
	}
	return stmtItem, false
}

// normal makes a cell's text what the scanner takes: line ends are \n, and
// bytes that no Go source may hold are left for the scanner to report.
func normal(code string) string {
	if strings.IndexByte(code, '\r') >= 0 {
		code = strings.ReplaceAll(code, "\r\n", "\n")
	}
	return strings.TrimPrefix(code, "\ufeff")
}
