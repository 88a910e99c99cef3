package lang

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHostileCells: whatever the cell, the answer comes in bounded time, and
// the next cell runs.
func TestHostileCells(t *testing.T) {
	n := newNotebook(t)
	defer n.e.Close()
	var names strings.Builder
	for i := range 3000 {
		names.WriteString("x := ")
		names.WriteString(strings.Repeat("1+", i%3))
		names.WriteString("1\n")
	}
	for name, code := range map[string]string{
		"parentheses":      strings.Repeat("(", 10000) + "1" + strings.Repeat(")", 10000),
		"open parentheses": strings.Repeat("(", 10000),
		"braces":           strings.Repeat("{", 10000),
		"closing":          strings.Repeat("}", 10000) + strings.Repeat(")", 10000),
		"5 MB comment":     "/*" + strings.Repeat("x ", 2500000) + "*/\n1",
		"5 MB string":      "len(`" + strings.Repeat("y", 5000000) + "`)",
		"5 MB of lines":    strings.Repeat("_ = 1\n", 800000),
		"long sum":         strings.Repeat("1+", 20000) + "1",
		"redefinitions":    names.String(),
		"bytes":            "\x00\xff\xfe\x01\x02",
		"latin 1":          "x := \"\xe9\xe8\"",
		"surrogates":       "\xed\xa0\x80",
		"byte order mark":  "\ufeff1 + 1",
		"control":          "\x1b[31m",
		"percent":          "%",
		"percents":         "%%",
		"exclamation":      "!",
		"question":         "?",
		"unicode":          "日本 := 3\n日本 + 1",
		"import only":      "import",
		"func only":        "func",
		"unit names":       "func ǃcell() {}\nvar rtǃ = 1",
		"cell package":     "import \"cell\"",
		"own main":         "package foo\nfunc main() {}",
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			n.count++
			n.e.Execute(ctx, Cell{ID: name, Count: n.count, Code: code}, newRecorder())
			t.Logf("%v", time.Since(begin))
			if ctx.Err() != nil {
				t.Error("takes more than a minute")
			}
			if _, v, err := n.run("6 * 7"); v != "42" {
				t.Errorf("the next cell shows %q: %v", v, err)
			}
		})
	}
}

// TestToolchainTrouble: where compiling fails, the cell says why and the
// session goes on.
func TestToolchainTrouble(t *testing.T) {
	kit := *testKit(t)
	kit.Archives = map[string]string{}
	for p, a := range testKit(t).Archives {
		kit.Archives[p] = a
	}
	broken := filepath.Join(t.TempDir(), "broken.a")
	if err := os.WriteFile(broken, []byte("not an archive"), 0o644); err != nil {
		t.Fatal(err)
	}
	kit.Archives["strings"] = broken
	opt := testOptions(t)
	opt.Kit = &kit
	n := &notebook{t: t, e: New(opt)}
	defer n.e.Close()
	if _, _, err := n.run("for range 2 { strings.ToUpper(\"x\") }"); err == nil {
		t.Error("a broken archive is no error")
	} else if strings.Contains(err.Plain(), mark) {
		t.Errorf("the error shows generated code: %s", err.Plain())
	}
	if out, _, err := n.run("for range 2 { fmt.Print(1) }"); out != "11" && err == nil {
		t.Errorf("the session is lost: %q", out)
	}
	if _, v, err := n.run("6 * 7"); v != "42" {
		t.Errorf("the session is lost: %q, %v", v, err)
	}

	// No kit at all: everything is interpreted, and what cannot be says why.
	opt = testOptions(t)
	opt.Kit, opt.KitError = nil, os.ErrNotExist
	m := &notebook{t: t, e: New(opt)}
	defer m.e.Close()
	out, _, err := m.run("type T struct{ n int }\nfunc (t T) String() string { return fmt.Sprint(\"T\", t.n) }\nt := T{1}\nfor i := range 2 { t.n += i }\nfmt.Println(t, []T{t})")
	if err != nil || out != "T2 [T2]\n" {
		t.Errorf("interpreted: %q, %v", out, err)
	}
	if out, _, err := m.run("t.n++\nfmt.Printf(\"%v %T\\n\", t, t)"); err != nil || out != "T3 main.T\n" {
		t.Errorf("interpreted, the next cell: %q, %v", out, err)
	}
	if _, _, err := m.run("runtime.Callers(0, nil)"); err == nil || !strings.Contains(err.Plain(), "compiled cells") {
		t.Errorf("a refusal must say what would help: %v", err)
	}
}
