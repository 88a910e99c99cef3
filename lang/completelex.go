package lang

import (
	"go/scanner"
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes a cell's text scan without changing an offset: a byte order mark,
// carriage returns and bytes that no source may hold become spaces.
func clean(code string) string {
	if strings.IndexByte(code, '\r') < 0 && strings.IndexByte(code, 0) < 0 && !strings.Contains(code, "\ufeff") && utf8.ValidString(code) {
		return code
	}
	b := []byte(code)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == '\r' || r == 0 || r == '\ufeff' || r == utf8.RuneError && n <= 1 {
			for j := i; j < i+n; j++ {
				b[j] = ' '
			}
		}
		i += n
	}
	return string(b)
}

// blank returns the text with all but line breaks made spaces, byte for byte.
func blank(s string) string {
	b := []byte(s)
	for i := range b {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
	return string(b)
}

// blankMagics makes the magic lines of a cell spaces, but for the Go that a
// magic like %time is given.
func (e *Engine) blankMagics(code string) string {
	if at := len(code) - len(strings.TrimLeft(code, " \t\n")); strings.HasPrefix(code[at:], "%%") {
		end := len(code)
		if i := strings.IndexByte(code[at:], '\n'); i >= 0 {
			end = at + i
		}
		word, _ := splitWord(code[at+2 : end])
		if !goMagics[word] && !quietMagics[word] && word != "" {
			return blank(code)
		}
		return code[:at] + blank(code[at:end]) + code[end:]
	}
	if !strings.ContainsAny(code, "%!$?") {
		return code
	}
	var b strings.Builder
	at := 0
	for _, s := range cut(code, e.isShell) {
		if !s.magic {
			continue
		}
		b.WriteString(code[at:s.start])
		line := code[s.start:s.end]
		arg := len(line)
		if word, _ := splitWord(strings.TrimPrefix(line, "%")); line[0] == '%' && goMagics[word] {
			arg = 1 + strings.Index(line[1:], word) + len(word)
		}
		b.WriteString(blank(line[:arg]) + line[arg:])
		at = s.end
	}
	b.WriteString(code[at:])
	return b.String()
}

// goMagics are the magics whose argument or body is Go.
var goMagics = map[string]bool{"time": true, "timeit": true, "native": true, "interp": true}

// spot is what the text around the cursor says by itself.
type spot struct {
	start, end int    // the word to replace
	prefix     string // the part of it before the cursor
	word       string // all of it
	dot        bool   // it follows a dot
	none       bool   // nothing can be completed here: a comment, a string, a number
	path       bool   // it is an import path
}

// clamp brings a cursor into the text, to the start of a rune.
func clamp(code string, cursor int) int {
	cursor = max(0, min(cursor, len(code)))
	for cursor > 0 && cursor < len(code) && !utf8.RuneStart(code[cursor]) {
		cursor--
	}
	return cursor
}

// wordAround returns the ends of the identifier-like run around the cursor.
func wordAround(code string, cursor int) (start, end int) {
	start, end = cursor, cursor
	for start > 0 {
		r, n := utf8.DecodeLastRuneInString(code[:start])
		if !isWordRune(r) {
			break
		}
		start -= n
	}
	for end < len(code) {
		r, n := utf8.DecodeRuneInString(code[end:])
		if !isWordRune(r) {
			break
		}
		end += n
	}
	return start, end
}

func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// look finds what is written at the cursor.
func look(code string, cursor int) spot {
	s := spot{}
	s.start, s.end = wordAround(code, cursor)
	s.prefix, s.word = code[s.start:cursor], code[s.start:s.end]
	if r, _ := utf8.DecodeRuneInString(s.word); s.word != "" && unicode.IsDigit(r) {
		s.none = true
		return s
	}
	inImport, depth, last := false, 0, token.SEMICOLON
	scanTokens(code, scanner.ScanComments, func(off int, tok token.Token, lit string) bool {
		if off >= cursor {
			return false
		}
		end := off + tokenLen(code[off:], tok, lit)
		switch tok {
		case token.COMMENT:
			if cursor < end || cursor == end && (strings.HasPrefix(lit, "//") || !strings.HasSuffix(lit, "*/") || len(lit) < 4) {
				s.none = true
			}
			return true
		case token.STRING, token.CHAR:
			if closed := len(lit) > 1 && lit[len(lit)-1] == lit[0]; cursor < end || cursor == end && !closed {
				s.none = true
				s.path = inImport && tok == token.STRING
				s.start, s.end = off+1, end
				if closed {
					s.end--
				}
				if nl := strings.IndexByte(code[s.start:s.end], '\n'); nl >= 0 {
					s.end = s.start + nl
				}
				s.end = max(s.end, cursor)
				s.prefix, s.word = code[s.start:cursor], code[s.start:s.end]
			}
		case token.FLOAT, token.INT, token.IMAG:
			if cursor <= end {
				s.none = true
			}
		case token.IMPORT:
			inImport = depth == 0
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			if depth--; depth == 0 {
				inImport = false
			}
		case token.SEMICOLON:
			inImport = inImport && depth > 0
		}
		if end <= s.start || tok == token.PERIOD && off < s.start {
			last = tok
		}
		return true
	})
	s.dot = last == token.PERIOD
	return s
}
