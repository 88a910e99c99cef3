package gogen

import (
	"fmt"
	"strings"
)

// order writes statements in which calls change what the same statement reads.
// Go's specification leaves the order open; the compiler has one.
func (g *gen) order() {
	n := g.name("o")
	g.line("x%s, y%s := %d, uint8(%d)", n, n, g.Intn(5), g.Intn(5))
	g.line("a%s := [4]int{1, 2, 3, 4}", n)
	g.line("s%s := []int{5, 6, 7, 8}", n)
	g.line("m%s := map[string]int{\"k\": 1}", n)
	g.line("t%s := %s_S{A: 3}", n, g.pre)
	g.line("p%s := &%s_S{A: 4}", n, g.pre)
	g.line("z%s, b%s := \"z\", true", n, n)
	g.line("f%[1]s := func() int { x%[1]s = (x%[1]s + 1) %% 4; y%[1]s += 3; a%[1]s[1] += 10; t%[1]s.A++; b%[1]s = !b%[1]s; return x%[1]s }", n)
	g.line("g%[1]s := func() int { s%[1]s = []int{9, 8, 7, 6}; m%[1]s[\"k\"]++; p%[1]s = &%[2]s_S{A: p%[1]s.A + 1}; z%[1]s += \"q\"; return 1 }", n, g.pre)
	g.line("_, _, _, _, _, _, _, _, _, _ = x%[1]s, y%[1]s, a%[1]s, s%[1]s, m%[1]s, t%[1]s, p%[1]s, z%[1]s, f%[1]s, g%[1]s", n)
	for range 1 + g.Intn(3) {
		e := func() string { return g.mixed(n, 3) }
		switch g.Intn(9) {
		case 0, 1:
			g.line("fmt.Println(%s, %s, %s)", g.mixedAny(n), g.mixedAny(n), g.mixedAny(n))
		case 2:
			g.line("fmt.Println([]int{%s, %s, %s}, x%s)", e(), e(), e(), n)
		case 3:
			v := g.name("v")
			w := g.name("v")
			g.line("%s, %s := %s, %s", v, w, e(), e())
			g.line("fmt.Println(%s, %s)", v, w)
		case 4:
			g.line("s%s[uint(%s)%%4], x%s = %s, (%s)&3", n, e(), n, e(), e())
			g.line("fmt.Println(s%s, x%s)", n, n)
		case 5:
			g.line("a%s[x%s&3] += %s", n, n, e())
			g.line("fmt.Println(a%s)", n)
		case 6:
			g.line("if %s > %s { fmt.Println(x%s) }", e(), e(), n)
		case 7:
			g.line("fmt.Println(struct{ a int; b any; c [2]int }{%s, %s, [2]int{%s, %s}})", e(), g.mixedAny(n), e(), e())
		case 8:
			g.line("m%s[fmt.Sprint(%s)] = %s", n, e(), e())
			g.line("fmt.Println(len(m%s), m%s[\"k\"], %s_Sum(%s, %s))", n, n, g.pre, e(), e())
		}
	}
}

// mixed is an int expression of variables and of calls that change them.
func (g *gen) mixed(n string, depth int) string {
	if depth == 0 || g.chance(30) {
		return strings.ReplaceAll(g.pick("x@", "f@()", "g@()", "int(y@)", "a@[1]", "a@[x@&3]", "s@[x@&3]", "s@[0]", `m@["k"]`, "t@.A", "p@.A", "t@.N.val()", "len(z@)", "len(s@)", "p@.Bump(1)", "t@.Len()"), "@", n)
	}
	switch g.Intn(6) {
	case 0:
		return fmt.Sprintf("max(%s, %s)", g.mixed(n, depth-1), g.mixed(n, depth-1))
	case 1:
		return fmt.Sprintf("int(int32(%s))", g.mixed(n, depth-1))
	case 2:
		return fmt.Sprintf("%s_Sum(%s, %s)", g.pre, g.mixed(n, depth-1), g.mixed(n, depth-1))
	}
	return fmt.Sprintf("(%s %s %s)", g.mixed(n, depth-1), g.pick("+", "-", "*", "^"), g.mixed(n, depth-1))
}

// mixedAny is an argument of fmt.Println.
func (g *gen) mixedAny(n string) string {
	return strings.ReplaceAll(g.pick(g.mixed(n, 2), "int(y@)", "z@", "!b@", "a@", "t@.A", "p@.id", "s@", `z@+"-"`, "string(rune(97+y@))", "x@ == 2", "[]byte(z@)", "b@ && f@() > 1", "a@ == [4]int{1, 2, 3, 4}", "z@[0]", "s@[1:]"), "@", n)
}
