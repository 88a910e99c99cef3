package lang

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fathom-kernel/fathom/stdlib/symbols"
)

var seeds = []string{
	"", "x := 1", "func f() {\n}\nf()", "import \"fmt\"\nfmt.Println(1)", "type T struct{}\nfunc (t T) m() {}",
	"package main\nfunc main() {}", "a, b := 1, 2; a := 3", "%time x", "!ls\nx", "x?", "`raw\n%not magic`", "/* c */ x // d",
	"L:\nfor {\n break L }", "func(x int) int { return x }(3)", "\x00", "\xff\xfe", "é := \"😀\"", "if x {", "}}}}", "//go:embed x\nvar s string",
	"x :=\n%y\n", "const (\n a = iota\n b\n)", "for i := range 3 { go f(i) }",
}

// FuzzSplit: items are in order, apart, and with what lies between them they
// are the cell.
func FuzzSplit(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, code string) {
		code = normal(code)
		items, _ := split(code)
		at := 0
		for _, it := range items {
			if it.start < at || it.end < it.start || it.end > len(code) {
				t.Fatalf("item [%d:%d] after %d of %d", it.start, it.end, at, len(code))
			}
			between := code[at:it.start]
			for line := range strings.Lines(between) {
				s := strings.TrimLeft(line, " \t\r\n;")
				if s != "" && !strings.Contains(between, "/") && utf8.ValidString(code) && !strings.ContainsAny(code, "\x00\ufeff") {
					t.Fatalf("text between items is lost: %q in %q", between, code)
				}
			}
			at = it.end
		}
		end := 0
		for _, s := range cut(code, func(string) bool { return true }) {
			if s.start < end || s.end < s.start || s.end > len(code) {
				t.Fatalf("segment [%d:%d] after %d", s.start, s.end, end)
			}
			end = s.end
			if got := only(code, s.start, s.end); strings.Count(got, "\n") != strings.Count(code, "\n") {
				t.Fatalf("lines are lost: %q of %q", got, code)
			}
		}
	})
}

// FuzzPosition: a position names the line and column that its offset has.
func FuzzPosition(f *testing.F) {
	f.Add("a\nbé😀\n\nx", 5)
	f.Fuzz(func(t *testing.T, code string, offset int) {
		c := &text{Name: "cell[1]", Code: code}
		p := c.at(offset)
		if p.Offset < 0 || p.Offset > len(code) || p.Line < 1 || p.Col < 1 {
			t.Fatalf("%+v", p)
		}
		line := c.line(p.Line)
		if utf8.ValidString(code) && offset >= 0 && offset <= len(code) && utf8.RuneStart(append([]byte(code), 0)[offset]) {
			if n := utf8.RuneCountInString(line); p.Col > n+1 {
				t.Fatalf("column %d of a line of %d", p.Col, n)
			}
		}
		shown, col := clip(line, p.Col-1)
		if col < 0 || len([]rune(shown)) > 160 && len([]rune(line)) > 160 {
			t.Fatalf("clip: %d of %q", col, shown)
		}
	})
}

// FuzzLower: what lowering writes of a checked cell is Go that parses, in both
// modes, and no input panics.
func FuzzLower(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	importer := symbols.Importer()
	f.Fuzz(func(t *testing.T, code string) {
		if len(code) > 2000 {
			return
		}
		e := New(Options{Importer: importer, Resolve: resolve, Canonical: symbols.Canonical})
		e.cells["cell[1]"] = &text{}
		_, l, ds := e.prepare(&text{Name: "cell[1]", Code: normal(code)})
		render(ds, true)
		if len(ds) > 0 || l == nil {
			return
		}
		for _, m := range []mode{compiled, interpreted} {
			u, err := l.compose(m, 1, false)
			if err != nil {
				continue
			}
			for _, g := range u.files {
				if _, err := parser.ParseFile(token.NewFileSet(), "", g.String(), parser.SkipObjectResolution); err != nil {
					t.Fatalf("%q became\n%s\n%v", code, g, err)
				}
			}
		}
	})
}
