package lang

import (
	"go/token"
	"strings"
)

// here stands in repaired text for the word at the cursor.
const here = mark + "here"

// maxItems is how many items before and after the one at the cursor count.
const maxItems = 150

// effort bounds the parsing that a repair may do, in bytes: a bound in time
// would make answers depend on what else the machine does.
type effort struct{ left int }

func (w *effort) spent() bool { return w.left <= 0 }

// errorAt is errorAt, at the cost of the text and a little more.
func (w *effort) errorAt(text string) int {
	w.left -= len(text) + 300
	return errorAt(text)
}

// repair returns the cell with the word code[start:end] replaced by here, in a
// text without syntax errors: brackets closed, the line at the cursor filled
// up, and elsewhere the lines in error left out. Items that parse stay as they
// are. Where the effort is spent it settles for less.
func repair(code string, start, end int, w *effort) string {
	src := code[:start] + here + code[end:]
	all := pieces(src)
	for i, piece := range all {
		if strings.Contains(piece, here) {
			all = all[max(0, i-maxItems):min(len(all), i+maxItems)]
			break
		}
	}
	var out []string
	for _, piece := range all {
		switch at := strings.Index(piece, here); {
		case at >= 0:
			out = append(out, mend(piece, at, w)...)
		case w.errorAt(piece) < 0:
			out = append(out, piece)
		case !w.spent():
			if s, ok := dropLines(piece, -1, 3, w); ok {
				out = append(out, s)
			}
		}
	}
	return strings.Join(out, "\n")
}

// bare returns the shortest text that still says what the cursor is a member
// of: the chain of selectors, calls and indices that ends in here.
func bare(code string, start, end int) string {
	from := chainStart(code, start)
	s := code[from:start] + here
	if errorAt(s) >= 0 {
		return here
	}
	return s
}

// pieces returns the items of the source. An item that does not parse ends
// before the next line that begins as declarations of gofmt'd text do, so that
// an open bracket does not swallow the rest of the cell.
func pieces(src string) []string {
	var out []string
	for _, it := range wholeItems(src) {
		text := src[it.start:it.end]
		for errorAt(text) >= 0 {
			cut := nextDecl(text)
			if cut < 0 {
				break
			}
			out = append(out, strings.TrimRight(text[:cut], " \t\n"))
			text = text[cut:]
		}
		out = append(out, text)
	}
	return out
}

// nextDecl returns where a later line begins with the keyword of a declaration.
func nextDecl(text string) int {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
		for _, w := range []string{"func ", "type ", "const ", "var ", "import "} {
			if strings.HasPrefix(text[at:], w) {
				return at
			}
		}
	}
}

// errorAt returns the offset of the first syntax error in a text of items, -1
// where it has none.
func errorAt(text string) int {
	for _, it := range wholeItems(text) {
		pre, post := asFile(it.kind)
		if at := syntaxError(pre + text[it.start:it.end] + post); at >= 0 {
			return min(max(it.start+at-len(pre), 0), len(text))
		}
	}
	return -1
}

// asFile returns what makes an item a file.
func asFile(k kind) (pre, post string) {
	switch k {
	case clauseItem:
		return "", "\n"
	case importItem, funcItem, typeItem, constItem:
		return "package p;", "\n"
	}
	return "package p;func _(){", "\n}"
}

// leads and fills are tried before and after the word at the cursor: what
// stands there in code that is not finished.
var (
	leads = []string{"", "case ", "case <-", "range ", "x := range "}
	fills = []string{"", ",", " {}", ":", "()", " = 0", " int", ": 0", "; x {}", " x", " := 0 {}", ") m() {}", "(){}"}
)

// mend returns the item with the word at the cursor in texts that parse.
func mend(t string, at int, w *effort) []string {
	if s, ok := fill(t, at, w); ok {
		return s
	}
	// An error in another line: leave out that line, or the one before.
	if s, ok := dropLines(t, at, 5, w); ok {
		return []string{s}
	}
	// An error in this line: keep of it what the cursor is a member of.
	lineStart := strings.LastIndexByte(t[:at], '\n') + 1
	lineEnd := len(t)
	if i := strings.IndexByte(t[at:], '\n'); i >= 0 {
		lineEnd = at + i
	}
	chain := bare(t, at, at+len(here))
	line := onlyBraces(t[lineStart:at]) + chain + onlyBraces(t[at+len(here):lineEnd])
	s := t[:lineStart] + line + t[lineEnd:]
	if s, ok := fill(s, strings.Index(s, here), w); ok {
		return s
	}
	if s, ok := dropLines(s, strings.Index(s, here), 5, w); ok {
		return []string{s}
	}
	return []string{chain}
}

// fill tries what could stand after the word at the cursor.
func fill(t string, at int, w *effort) ([]string, bool) {
	end := at + len(here)
	rest, same := "", t[end:]
	if i := strings.IndexByte(t[end:], '\n'); i >= 0 {
		same, rest = t[end:end+i], t[end+i:]
	}
	if w.errorAt(t) < 0 {
		return []string{t}, true
	}
	for _, lead := range leads {
		head := t[:at] + lead + here
		inner := innerClosers(head)
		all := closersOf(head)
		for _, f := range fills {
			if w.spent() {
				return nil, false
			}
			try := []string{head + f + same + rest, head + inner + f + rest, head + f + inner + rest}
			if end := closersOf(head + f + rest); end != "" {
				try = append(try, head+f+same+rest+end, head+inner+f+rest+closersOf(head+inner+f+rest), head+f+inner+rest+closersOf(head+f+inner+rest))
			}
			for _, s := range try {
				if w.errorAt(s) < 0 {
					return []string{s}, true
				}
			}
			if s := head + f + all; w.errorAt(s) < 0 {
				// What follows may still hold items that parse.
				out := []string{s}
				for _, p := range pieces(rest) {
					if w.errorAt(p) < 0 {
						out = append(out, p)
					}
				}
				return out, true
			}
		}
	}
	return nil, false
}

// innerClosers closes the parentheses and square brackets that are open at the
// end of the source, up to the innermost brace that starts a block.
func innerClosers(src string) string {
	open, at, _ := openBrackets(src)
	var b strings.Builder
	for i := len(open) - 1; i >= 0; i-- {
		if open[i] == '{' && !literalBrace(src, at[i]) {
			break
		}
		b.WriteByte(closerOf(open[i]))
	}
	return b.String()
}

// literalBrace reports whether the brace at the offset opens a composite
// literal: it follows its type without a space, or stands where an element does.
func literalBrace(src string, at int) bool {
	before := strings.TrimRight(src[:at], " \t\n")
	if before == "" {
		return false
	}
	switch b := before[len(before)-1]; b {
	case ',', '{', '(', ':':
		return true
	default:
		return len(before) == at && (isWordByte(b) || b == ']' || b == '}')
	}
}

// dropLines leaves out lines in error, but for their braces, until the text
// parses. The line with the word at offset keep, if that is not negative, stays
// and is filled up.
func dropLines(t string, keep, limit int, w *effort) (string, bool) {
	for range limit {
		at := w.errorAt(t)
		if at < 0 {
			return t, true
		}
		if w.spent() {
			return "", false
		}
		lineStart := strings.LastIndexByte(t[:at], '\n') + 1
		if keep >= 0 {
			own := strings.LastIndexByte(t[:keep], '\n') + 1
			if lineStart >= own {
				// The parser noticed late: it was the line before.
				if lineStart = lineBefore(t, own); lineStart < 0 {
					return "", false
				}
			}
		}
		if prev := lineBefore(t, lineStart); prev >= 0 {
			// A line that goes on below is to blame for what follows it.
			if _, tok, _ := lastToken(t[prev : lineStart-1]); goesOn(tok) && tok != token.COMMA {
				lineStart = prev
			}
		}
		lineEnd := len(t)
		if i := strings.IndexByte(t[lineStart:], '\n'); i >= 0 {
			lineEnd = lineStart + i
		}
		line := t[lineStart:lineEnd]
		if line == onlyBraces(line) {
			return "", false
		}
		t = t[:lineStart] + onlyBraces(line) + t[lineEnd:]
		if keep >= 0 {
			keep = strings.Index(t, here)
			if s, ok := fill(t, keep, w); ok {
				return strings.Join(s, "\n"), true
			}
		}
	}
	return t, w.errorAt(t) < 0
}

// lineBefore returns the start of the nearest line before the one that starts
// at the offset which holds more than braces, -1 where there is none.
func lineBefore(t string, start int) int {
	for start > 0 {
		end := start - 1
		start = strings.LastIndexByte(t[:end], '\n') + 1
		if strings.Trim(t[start:end], " \t{}") != "" {
			return start
		}
	}
	return -1
}

// onlyBraces keeps of a line what opens and closes blocks.
func onlyBraces(line string) string {
	return strings.Map(func(r rune) rune {
		if r == '{' || r == '}' {
			return r
		}
		return -1
	}, line)
}

// chainStart returns where the operand begins that the cursor, after a dot,
// is a member of; at itself where there is no dot.
func chainStart(code string, at int) int {
	i := at
	for {
		j := len(strings.TrimRight(code[:i], " \t\n"))
		if j == 0 || code[j-1] != '.' {
			return i
		}
		j = len(strings.TrimRight(code[:j-1], " \t\n"))
		for j > 0 && (code[j-1] == ')' || code[j-1] == ']' || code[j-1] == '}') {
			k := matching(code, j-1)
			if k < 0 {
				return i
			}
			j = k
		}
		start, _ := wordAround(code, j)
		if start == j && (j == len(code) || code[j] != '(' && code[j] != '[') {
			return i
		}
		i = start
	}
}

// matching returns the offset of the bracket that the one at the offset closes.
func matching(code string, at int) int {
	depth := 0
	for i := at; i >= 0; i-- {
		switch code[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
