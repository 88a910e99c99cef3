package lang

import (
	"reflect"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		code string
		want []string
	}{
		{"a := 1; b := 2", []string{"a := 1", "b := 2"}},
		{"for i := 0; ; i++ { s += i }\nx", []string{"for i := 0; ; i++ { s += i }", "x"}},
		{"for ;; { break }; y", []string{"for ;; { break }", "y"}},
		{"if x := f(); x > 0 { g() } else if y := h(); y { } else { }\nz", []string{"if x := f(); x > 0 { g() } else if y := h(); y { } else { }", "z"}},
		{"if x {}; y", []string{"if x {}", "y"}},
		{"if t := (T{}); ok { f() }; y", []string{"if t := (T{}); ok { f() }", "y"}},
		{"for i, xs := 0, []int{1, 2}; i < 2; i++ { }\ny", []string{"for i, xs := 0, []int{1, 2}; i < 2; i++ { }", "y"}},
		{"switch x := f(); {\ncase x: g(); h()\n}", []string{"switch x := f(); {\ncase x: g(); h()\n}"}},
		{"L:\nfor ; ; {\n break L\n}\nf()", []string{"L:\nfor ; ; {\n break L\n}", "f()"}},
		{"select { case <-c: f(); g() }; y", []string{"select { case <-c: f(); g() }", "y"}},
		{"import \"fmt\"; func f() {}\ntype T int", []string{"import \"fmt\"", "func f() {}", "type T int"}},
		{"func() { f(); g() }(); h()", []string{"func() { f(); g() }()", "h()"}},
		{"// doc\n//go:noinline\nfunc f() {}", []string{"// doc\n//go:noinline\nfunc f() {}"}},
		{"x := `a;\nb`; y", []string{"x := `a;\nb`", "y"}},
		{"x := `a\rb\r`\ny", []string{"x := `a\rb\r`", "y"}},
		{"0\xff\n0", []string{"0\xff", "0"}},
	} {
		items, _ := split(c.code)
		var got []string
		for _, it := range items {
			got = append(got, c.code[it.start:it.end])
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q\nsplits into %q\nnot          %q", c.code, got, c.want)
		}
	}
}
