package lang

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIsComplete(t *testing.T) {
	e := New(Options{})
	for _, c := range []struct{ code, status, indent string }{
		{"", "complete", ""},
		{"  \n\t\n", "complete", ""},
		{"// a comment", "complete", ""},
		{"/* a comment", "incomplete", ""},
		{"x := 1", "complete", ""},
		{"x := 1;", "complete", ""},
		{"x", "complete", ""},
		{"x++", "complete", ""},
		{"1 + 2 * 3", "complete", ""},
		{"import \"fmt\"", "complete", ""},
		{"import (\n\t\"fmt\"", "incomplete", "\t"},
		{"import \"fmt\"\nfmt.Println()\nfunc f() {}", "complete", ""},
		{"package main\n\nfunc main() {\n}", "complete", ""},
		{"func f() {", "incomplete", "\t"},
		{"func f() {\n", "incomplete", "\t"},
		{"func f() {\n\tx := 1", "incomplete", "\t"},
		{"func f() {\n\tif x {", "incomplete", "\t\t"},
		{"func f() {\n\tif x {\n\t\ty()\n\t}", "incomplete", "\t"},
		{"func f() {\n}", "complete", ""},
		{"func f()", "incomplete", ""},
		{"func (t T) M", "incomplete", ""},
		{"func (t T) M() int {", "incomplete", "\t"},
		{"func (t T) M() int { return 1 }", "complete", ""},
		{"type T struct {", "incomplete", "\t"},
		{"type T struct {\n    A int\n    B struct {", "incomplete", "        "},
		{"type T", "incomplete", ""},
		{"const (\n\ta = iota", "incomplete", "\t"},
		{"const c", "incomplete", ""},
		{"var x", "incomplete", ""},
		{"foo(", "incomplete", "\t"},
		{"foo(1,", "incomplete", "\t"},
		{"foo(1", "incomplete", "\t"},
		{"foo(1,\n\t2,", "incomplete", "\t"},
		{"foo(\n  1,\n  2,", "incomplete", "  "},
		{"x := []int{1, 2,", "incomplete", "\t"},
		{"x := []int{1, 2,\n\t3,\n}", "complete", ""},
		{"x :=", "incomplete", "\t"},
		{"x := 1 +", "incomplete", "\t"},
		{"x := 1 +\n", "incomplete", "\t"},
		{"x := 1 +\n\t2 +", "incomplete", "\t"},
		{"a &&", "incomplete", "\t"},
		{"b.", "incomplete", "\t"},
		{"b.\n\tf().", "incomplete", "\t"},
		{"a, b", "incomplete", ""},
		{"a, b :=", "incomplete", "\t"},
		{"s := `raw", "incomplete", ""},
		{"\tif x {\n\ts := `raw\n  more", "incomplete", ""},
		{"s := `raw\nstring`", "complete", ""},
		{"for i := range 10 {", "incomplete", "\t"},
		{"for i := range 10 {\n\tfmt.Println(i)\n}", "complete", ""},
		{"if x > 3", "incomplete", ""},
		{"if x {\n} else", "incomplete", ""},
		{"if x {\n} els", "incomplete", ""},
		{"switch x {\ncase 1:", "incomplete", "\t"},
		{"switch x {\ncase 1:\n\tf()", "incomplete", "\t"},
		{"switch x {\n\tcase 1:", "incomplete", "\t\t"},
		{"select {\ndefault:", "incomplete", "\t"},
		{"go func() {", "incomplete", "\t"},
		{"sort.Slice(xs, func(i, j int) bool {", "incomplete", "\t"},
		{"sort.Slice(xs, func(i, j int) bool {\n\treturn xs[i] < xs[j]\n})", "complete", ""},
		{"{", "incomplete", "\t"},
		{"{ x := 1", "incomplete", "\t"},
		{"    {", "incomplete", "        "},
		{"a ) b", "invalid", ""},
		{"a )", "invalid", ""},
		{"a b", "invalid", ""},
		{"(]", "invalid", ""},
		{"}", "invalid", ""},
		{"} func f() {", "invalid", ""},
		{"x = = 3", "invalid", ""},
		{"x := 1 2\ny := 3", "invalid", ""},
		{"func 3() {", "invalid", ""},
		{"func f( { x", "invalid", ""},
		{"for { ) }", "invalid", ""},
		{"if x\n{", "invalid", ""},
		{"1 +\n) 2", "invalid", ""},
		{"x := \"abc\ny", "invalid", ""},
		{"@", "invalid", ""},
		{"%time f()", "complete", ""},
		{"%who", "complete", ""},
		{"!ls -l (", "complete", ""},
		{"%cd ..\nfunc f() {", "incomplete", "\t"},
		{"x := 1\n!echo `", "complete", ""},
		{"strings.Cut?", "complete", ""},
		{"%%bash", "incomplete", ""},
		{"%%bash\nls (", "incomplete", ""},
		{"%%bash\nls (\n", "complete", ""},
		{"%%time\nf()\n\n", "complete", ""},
		{"x := 17 %\n", "incomplete", "\t"},
		{"x :=\r\n", "incomplete", "\t"},
		{"größe := 1 +", "incomplete", "\t"},
		{strings.Repeat("(", 10000), "incomplete", "\t"},
	} {
		name := c.code
		if len(name) > 40 {
			name = name[:40]
		}
		got := e.IsComplete(c.code)
		if got.Status != c.status {
			t.Errorf("%q is %s, want %s", name, got.Status, c.status)
		} else if got.Indent != c.indent {
			t.Errorf("%q: indent %q, want %q", name, got.Indent, c.indent)
		}
	}
}

// TestIsCompletePrefix holds the definition of invalid against real code: no
// prefix of what parses is invalid, wherever it ends between two tokens, and
// the whole is complete.
func TestIsCompletePrefix(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no sources", err)
	}
	e := New(Options{})
	tried := 0
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			continue // being edited
		}
		for i, d := range f.Decls {
			if i%8 != 0 {
				continue // enough
			}
			text := string(src[fset.Position(d.Pos()).Offset:fset.Position(d.End()).Offset])
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil && i%16 == 0 {
				// Its statements, as a cell has them.
				text = string(src[fset.Position(fd.Body.Lbrace).Offset+1 : fset.Position(fd.Body.Rbrace).Offset])
			}
			if len(text) > 1500 {
				continue
			}
			if got := e.IsComplete(text).Status; got != "complete" {
				t.Errorf("%s: the whole is %s:\n%s", name, got, text)
			}
			scanTokens(text, scanner.ScanComments, func(off int, tok token.Token, lit string) bool {
				tried++
				if got := e.IsComplete(text[:off]).Status; got == "invalid" {
					t.Errorf("%s: a prefix of valid code is invalid:\n%s⁁%s", name, text[:off], text[off:])
					return false
				}
				return true
			})
		}
	}
	t.Logf("%d prefixes", tried)
	if tried < 1000 {
		t.Errorf("only %d prefixes tried", tried)
	}
}

func FuzzIsComplete(f *testing.F) {
	for _, s := range []string{"func f() {", "a ) b", "%%bash\n", "x := `", "if x {} els", "\xff\x00(", "/*", "'", "!x"} {
		f.Add(s)
	}
	e := New(Options{})
	f.Fuzz(func(t *testing.T, code string) {
		c := e.IsComplete(code)
		switch c.Status {
		case "complete", "invalid":
			if c.Indent != "" {
				t.Errorf("indent %q of what is %s", c.Indent, c.Status)
			}
		case "incomplete":
			if strings.TrimSpace(c.Indent) != "" {
				t.Errorf("indent %q is no white space", c.Indent)
			}
		default:
			t.Errorf("status %q", c.Status)
		}
	})
}
