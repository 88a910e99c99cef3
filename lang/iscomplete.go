package lang

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
	"unicode"
)

// Completeness says whether Enter should run the code or start a new line.
type Completeness struct {
	Status string // "complete", "incomplete" or "invalid"
	Indent string // for "incomplete": what the next line should start with
}

// IsComplete returns "complete" for code that parses, "incomplete" for code
// that some text after it would make right, with the white space that the next
// line should start with, and "invalid" for what no continuation makes right.
// A cell magic is complete at an empty last line.
func (e *Engine) IsComplete(code string) Completeness {
	src := clean(code)
	if trimmed := strings.TrimLeft(src, " \t\n"); strings.HasPrefix(trimmed, "%%") {
		if lines := strings.Split(trimmed, "\n"); len(lines) > 1 && strings.TrimSpace(lines[len(lines)-1]) == "" {
			return Completeness{Status: "complete"}
		}
		return Completeness{Status: "incomplete"}
	}
	src = e.blankMagics(src)
	if strings.TrimSpace(src) == "" {
		return Completeness{Status: "complete"}
	}
	switch judge(src) {
	case stateWhole:
		return Completeness{Status: "complete"}
	case stateOpen:
		return Completeness{Status: "incomplete", Indent: nextIndent(src)}
	}
	return Completeness{Status: "invalid"}
}

// state is how far a text of items has come.
type state int

const (
	stateWhole state = iota // it parses
	stateOpen               // a prefix of something that parses
	stateWrong              // no prefix of anything
)

// judge parses the text as items of a cell.
func judge(src string) state {
	if unbalanced(src) {
		return stateWrong
	}
	items := wholeItems(src)
	if len(items) == 0 {
		return openComment(src)
	}
	last := items[len(items)-1]
	if !allWhole(src, items[:len(items)-1]) {
		return stateWrong
	}
	return judgeItem(last.kind, src[last.start:])
}

// allWhole reports whether items parse that others follow. They are parsed in
// one go, however many there are.
func allWhole(src string, items []item) bool {
	var imports, decls, stmts strings.Builder
	for _, it := range items {
		text := src[it.start:it.end]
		switch it.kind {
		case clauseItem:
			if syntaxError(text+"\n") >= 0 {
				return false
			}
		case importItem:
			imports.WriteString(text + "\n")
		case stmtItem:
			stmts.WriteString(text + "\n")
		case funcItem:
			if !strings.Contains(text, "{") {
				return false // it needs a body
			}
			decls.WriteString(text + "\n")
		default:
			decls.WriteString(text + "\n")
		}
	}
	return syntaxError("package p\n"+imports.String()+decls.String()+"func _(){\n"+stmts.String()+"}\n") < 0
}

// wholeItems returns the items of the source, those that split cuts at the
// semicolons of an if, for or switch header in one.
func wholeItems(src string) []item {
	items, _ := split(src)
	var out []item
	for _, it := range items {
		if n := len(out); n > 0 && strings.Contains(src[out[n-1].end:it.start], ";") && headerOpen(src[out[n-1].start:out[n-1].end]) {
			out[n-1].end = it.end
			continue
		}
		out = append(out, it)
	}
	return out
}

// headerOpen reports whether the text is the beginning of an if, for or switch
// whose block has not begun.
func headerOpen(src string) bool {
	var first, second token.Token
	block, depth, braces := false, 0, 0
	scanTokens(src, 0, func(off int, tok token.Token, lit string) bool {
		switch {
		case first == 0:
			first = tok
		case second == 0:
			second = tok
		case first == token.IDENT && second == token.COLON:
			first = tok // after a label
			second = 0
		}
		switch tok {
		case token.LPAREN, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACK:
			depth--
		case token.LBRACE:
			block = block || depth == 0
			braces++
		case token.RBRACE:
			braces--
		case token.ELSE:
			block = block && braces > 0 // another header may follow
		}
		return true
	})
	return !block && (first == token.IF || first == token.FOR || first == token.SWITCH)
}

// openComment judges a text without tokens: comments only.
func openComment(src string) state {
	if i := strings.LastIndex(src, "/*"); i >= 0 && !strings.Contains(src[i:], "*/") {
		return stateOpen
	}
	return stateWhole
}

// judgeItem parses one item, and where that fails finds out whether the error
// lies at its end.
func judgeItem(k kind, src string) state {
	pre, post := asFile(k)
	if syntaxError(pre+src+post) < 0 {
		if k == funcItem && !strings.Contains(src, "{") {
			return stateOpen // a signature that waits for its body
		}
		if k == stmtItem && strings.HasPrefix(src, "func") && !strings.Contains(src, "{") {
			return stateOpen // a method's receiver and name look like a function type
		}
		if k == constItem && !strings.Contains(src, "=") && !strings.Contains(src, "(") {
			return stateOpen
		}
		return stateWhole
	}
	viable := func(s string) bool {
		at := syntaxError(pre + s)
		return at < 0 && k != stmtItem || at >= len(pre)+len(strings.TrimRight(s, " \t\n"))
	}
	if viable(src) {
		// A line break at the end may have closed a statement that needs more.
		if at := syntaxError(pre + src); at >= 0 && at < len(pre)+len(src) && strings.Contains(src[at-len(pre):], "\n") && !bracketOpen(src) {
			return stateWrong
		}
		return stateOpen
	}
	// The last word may be the beginning of a longer one: els, x |, 1e.
	text, tok, start := lastToken(src)
	if text != "" && start+len(text) == len(src) { // no white space after it
		for _, w := range longerTokens(tok, text) {
			if s := src[:start] + w; viable(s) || syntaxError(pre+s+post) < 0 {
				return stateOpen
			}
		}
	}
	// The parser speaks up early about some texts that may go on.
	closers := closersOf(src)
	for _, more := range continuations {
		if syntaxError(pre+src+more+closers+post) < 0 {
			return stateOpen
		}
		// go and defer want a call of the function literal that is open.
		for i, tried := 0, 0; i < len(closers) && tried < 8; i++ {
			if closers[i] == '}' {
				tried++
				if syntaxError(pre+src+more+closers[:i+1]+"()"+closers[i+1:]+post) < 0 {
					return stateOpen
				}
			}
		}
	}
	return stateWrong
}

// continuations are what may follow a text that the parser refuses although it
// is the beginning of something: a, b and for a, b and go func().
var continuations = []string{"", " {}()", " = x", " := x", " := range x {}", ": x", " {}", "; x {}", " := x; x {}", ": {}", " x", " = x {}"}

// syntaxError returns the offset of the first syntax error, -1 for none. A
// definition of what is no name counts: the parser lets it pass.
func syntaxError(src string) int {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		return list[0].Pos.Offset
	}
	at := -1
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok && s.Tok == token.DEFINE && at < 0 {
			for _, l := range s.Lhs {
				if _, isName := l.(*ast.Ident); !isName {
					at = fset.Position(s.TokPos).Offset
				}
			}
		}
		return at < 0
	})
	return at
}

// scanTokens calls f for each token of the source, with its offset.
func scanTokens(src string, mode scanner.Mode, f func(offset int, tok token.Token, lit string) bool) {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(token.Position, string) {}, mode)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF || !f(file.Offset(pos), tok, lit) {
			return
		}
	}
}

// openBrackets returns the brackets open at the end of the source, outermost first,
// with their offsets. ok is false where one closes what is not open.
func openBrackets(src string) (open []byte, at []int, ok bool) {
	ok = true
	scanTokens(src, 0, func(off int, tok token.Token, lit string) bool {
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open, at = append(open, src[off]), append(at, off)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			n := len(open)
			if n == 0 || closerOf(open[n-1]) != src[off] {
				ok = false
				return false
			}
			open, at = open[:n-1], at[:n-1]
		}
		return true
	})
	return open, at, ok
}

func closerOf(open byte) byte {
	switch open {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}

func unbalanced(src string) bool {
	_, _, ok := openBrackets(src)
	return !ok
}

// closersOf returns what closes the open brackets.
func closersOf(src string) string {
	open, _, _ := openBrackets(src)
	var b strings.Builder
	for i := len(open) - 1; i >= 0; i-- {
		if open[i] == '{' {
			b.WriteByte('\n')
		}
		b.WriteByte(closerOf(open[i]))
	}
	return b.String()
}

// bracketOpen reports whether a bracket is open at the end of the source.
func bracketOpen(src string) bool {
	open, _, _ := openBrackets(src)
	return len(open) > 0
}

// lastToken returns the last token that is written in the source.
func lastToken(src string) (text string, tok token.Token, start int) {
	scanTokens(src, 0, func(off int, t token.Token, lit string) bool {
		if t == token.SEMICOLON && lit == "\n" {
			return true
		}
		start, tok, text = off, t, lit
		if t.IsOperator() || lit == "" {
			text = t.String()
		}
		return true
	})
	if end := start + len(text); end > len(src) {
		text = src[start:]
	}
	return text, tok, start
}

// longerTokens returns the tokens that begin with the text of a token.
func longerTokens(tok token.Token, text string) []string {
	var longer []string
	add := func(from, to token.Token) {
		for t := from; t <= to; t++ {
			if s := t.String(); len(s) > len(text) && strings.HasPrefix(s, text) {
				longer = append(longer, s)
			}
		}
	}
	switch {
	case tok == token.IDENT || tok.IsKeyword():
		add(token.BREAK, token.VAR)
		longer = append(longer, text+"x") // iffy is no if
	case tok.IsOperator():
		add(token.ADD, token.COLON)
		if text == "/" {
			longer = append(longer, "//", "/**/")
		}
	case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
		longer = append(longer, text+"0", text+"p0")
	case tok == token.STRING && text[0] == '"':
		longer = append(longer, text+`"`, text+`n"`, text+`0"`, text+`00"`, text+`0000"`)
	case tok == token.STRING:
		longer = append(longer, text+"`")
	case tok == token.CHAR:
		longer = append(longer, text+"'", text+"x'", text+"n'", text+"0'", text+"00'", text+"0000'")
	case tok == token.ILLEGAL && text == ".":
		longer = append(longer, "...")
	}
	return longer
}

// nextIndent returns the white space for the line after the source: one step
// more than the last line's where that opens a bracket or a case, or is the
// first of a statement that goes on.
func nextIndent(src string) string {
	if inRaw(src) {
		return ""
	}
	body := strings.TrimRight(src, " \t\n")
	lineStart := strings.LastIndexByte(body, '\n') + 1
	line := body[lineStart:]
	indent := line[:len(line)-len(strings.TrimLeftFunc(line, unicode.IsSpace))]
	step := unitIndent(src)
	_, at, _ := openBrackets(body)
	if n := len(at); n > 0 && at[n-1] >= lineStart {
		return indent + step
	}
	word := strings.TrimSpace(line)
	if i := strings.Index(word, "//"); i >= 0 {
		word = strings.TrimSpace(word[:i])
	}
	if strings.HasSuffix(word, ":") && (strings.HasPrefix(word, "case ") || word == "default:") {
		return indent + step
	}
	if _, tok, _ := lastToken(body); goesOn(tok) && (tok != token.COMMA || len(at) == 0) {
		if before, _, _ := lastToken(body[:lineStart]); before != "" {
			if _, prev, _ := lastToken(body[:lineStart]); goesOn(prev) {
				return indent // the statement went on before
			}
		}
		return indent + step
	}
	return indent
}

// goesOn reports whether a line that ends with the token goes on below.
func goesOn(t token.Token) bool {
	switch t {
	case token.INC, token.DEC, token.RPAREN, token.RBRACK, token.RBRACE, token.LBRACE, token.SEMICOLON, token.COLON, token.ELLIPSIS:
		return false
	}
	return t.IsOperator()
}

// inRaw reports whether the source ends inside a raw string.
func inRaw(src string) bool {
	text, tok, start := lastToken(src)
	return tok == token.STRING && text != "" && text[0] == '`' && start+len(text) >= len(strings.TrimRight(src, " \t\n")) && (len(text) == 1 || text[len(text)-1] != '`')
}

// unitIndent returns one step of indentation as the source has it: a tab, or
// the fewest spaces that a line begins with.
func unitIndent(src string) string {
	fewest := 0
	for line := range strings.Lines(src) {
		if strings.HasPrefix(line, "\t") {
			return "\t"
		}
		n := len(line) - len(strings.TrimLeft(line, " "))
		if n > 1 && strings.TrimSpace(line) != "" && (fewest == 0 || n < fewest) {
			fewest = n
		}
	}
	if fewest == 0 {
		return "\t"
	}
	return strings.Repeat(" ", fewest)
}
