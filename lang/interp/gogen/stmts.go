package gogen

import (
	"fmt"
	"strings"
)

// block writes n statements in a scope of their own.
func (g *gen) block(n int) {
	mark := len(g.vars)
	top := g.indent == 1 && !g.inFunc
	for range n {
		if g.budget > 0 {
			g.budget--
			g.stmt()
		}
	}
	if !top {
		g.vars = g.vars[:mark]
	}
}

func (g *gen) nested(n int) {
	g.indent++
	g.block(n)
	g.indent--
}

func (g *gen) declare(t string) {
	n := g.name("v")
	if g.chance(12) && g.indent > 1 && len(g.vars) > 0 { // shadow one
		if v := g.vars[g.Intn(len(g.vars))]; !strings.HasPrefix(v.name, g.pre) && !v.fixed && v.typ == t {
			n = g.name("w")
			g.line("%s := %s", n, g.expr(t, 2))
			g.line("_ = %s", n)
			g.vars = append(g.vars, variable{name: n, typ: t})
			return
		}
	}
	switch g.Intn(3) {
	case 0:
		g.line("var %s %s = %s", n, t, g.expr(t, 3))
	case 1:
		g.line("var %s %s", n, t)
		if t == "map[string]int" || t == "*"+g.pre+"_S" || t == g.pre+"_I" {
			g.line("%s = %s", n, g.expr(t, 2))
		}
	default:
		g.line("%s := %s(%s)", n, paren(t), g.expr(t, 3))
	}
	g.line("_ = %s", n)
	g.vars = append(g.vars, variable{name: n, typ: t})
}

func paren(t string) string {
	if strings.HasPrefix(t, "*") {
		return "(" + t + ")"
	}
	return t
}

func (g *gen) stmt() {
	p := g.pre
	deep := g.indent > 4
	switch g.Intn(28) {
	case 0, 1, 2, 3:
		g.declare(g.anyType())
	case 4, 5:
		t := g.anyType()
		if v := g.of(t, true); v != "" {
			g.line("%s = %s", v, g.expr(t, 3))
		}
	case 6:
		t := g.pick("int", "uint8", "int16")
		if v := g.of(t, true); v != "" {
			g.line("%s %s= %s", v, g.pick("+", "-", "*", "|", "^", "<<"), g.expr(pickShift(t), 1))
		}
	case 7:
		if v := g.of("int", true); v != "" {
			g.line("%s%s", v, g.pick("++", "--"))
		}
	case 8:
		if deep {
			return
		}
		g.line("if %s {", g.expr("bool", 2))
		g.nested(1 + g.Intn(3))
		if g.chance(50) {
			g.line("} else if x := %s; x > 3 {", g.expr("int", 1))
			g.nested(1 + g.Intn(2))
			if g.chance(50) {
				g.line("} else {")
				g.nested(1)
			}
		}
		g.line("}")
	case 9, 10, 11:
		if !deep && g.loops < 3 {
			g.loop()
		}
	case 12:
		if !deep {
			g.switchStmt()
		}
	case 13:
		if !deep {
			g.typeSwitch()
		}
	case 14:
		if a, b := g.of("int", true), g.of("int", true); a != "" && a != b {
			g.line("%s, %s = %s, %s", a, b, b, a)
		}
	case 15:
		g.closure()
	case 16:
		if v := g.of("map[string]int", true); v != "" {
			g.line("%s[%s] %s %s", v, g.expr("string", 1), g.pick("=", "+="), g.expr("int", 1))
			if g.chance(30) {
				g.line("delete(%s, %q)", v, "a")
			}
		}
	case 17:
		if v := g.of("[]int", true); v != "" {
			g.line("if len(%s) > 1 { %s[1] %s= %s }", v, v, g.pick("", "+", "*"), g.expr("int", 1))
		}
	case 18:
		if v := g.of(p+"_S", true); v != "" {
			g.line("%s.%s = %s", v, g.pick("A", "id"), g.expr("int", 2))
			if g.chance(50) {
				g.line("%s.Bump(%d)", v, g.Intn(9))
			}
		}
	case 19:
		if v := g.of("*"+p+"_S", true); v != "" {
			g.line("%s.A %s %s", v, g.pick("=", "+="), g.expr("int", 2))
			if g.chance(30) {
				n := g.name("m")
				g.line("%s := %s.Bump", n, v)
				g.line("%s(2)", n)
			}
		}
	case 20:
		if g.inFunc {
			return
		}
		r := g.name("r")
		g.line("%s, err%s := %s_try(%d)", r, r, p, g.Intn(6)-1)
		g.line("fmt.Println(%s, err%s)", r, r)
	case 21:
		if g.loops > 0 && g.chance(60) {
			if len(g.labels) > 0 && g.chance(50) {
				g.line("if %s { %s %s }", g.expr("bool", 2), g.pick("break", "continue"), g.labels[g.Intn(len(g.labels))])
			} else {
				g.line("if %s { %s }", g.expr("bool", 2), g.pick("break", "continue"))
			}
		}
	case 22:
		g.channels()
	case 23:
		if !g.inFunc && len(g.vars) > 0 {
			g.print(g.vars[g.Intn(len(g.vars))])
		}
	case 24:
		if !g.inFunc && g.loops == 0 && g.chance(50) {
			t := g.scalar()
			g.line("defer fmt.Println(\"late\", %s)", g.expr(t, 2))
		}
	case 25:
		if v := g.of("[3]int", true); v != "" {
			n := g.name("c")
			g.line("%s := %s", n, v)
			g.line("%s[1]++", n)
			g.line("%s[2] += %s[1]", v, n)
		}
	case 27:
		if !g.inFunc {
			g.order()
		}
	case 26:
		if v := g.of("error", false); v != "" && !g.inFunc {
			e := g.name("e")
			g.line("var %s *%s_E", e, p)
			g.line("fmt.Println(errors.As(%s, &%s), %s == nil)", v, e, v)
		}
	}
}

func pickShift(t string) string { return t }

// loop writes a for statement that ends.
func (g *gen) loop() {
	p := g.pre
	i := g.name("i")
	label := ""
	if g.chance(30) {
		label = g.name("L")
		g.line("%s:", label)
	}
	mark := len(g.vars)
	head := ""
	pre := ""
	elem := variable{name: i, typ: "int", fixed: true}
	switch g.Intn(8) {
	case 0, 1:
		head = fmt.Sprintf("for %s := 0; %s < %d; %s++ {", i, i, 1+g.Intn(5), i)
	case 2:
		head = fmt.Sprintf("for %s := range %d {", i, 1+g.Intn(5))
	case 3:
		head = fmt.Sprintf("for _, %s := range %s {", i, "[]int{3, 1, 4}")
	case 4:
		head = fmt.Sprintf("for _, %s := range %s {", i, g.expr("string", 1))
		elem.typ = "int32"
	case 5:
		head = fmt.Sprintf("for %s := range %s_Seq(%d) {", i, p, g.Intn(5))
	case 6:
		head = fmt.Sprintf("for %s, k%s := 0, %d; %s < k%s; %s, k%s = %s+1, k%s-1 {", i, i, 2+g.Intn(5), i, i, i, i, i, i)
	case 7:
		pre = fmt.Sprintf("for %s := range map[string]int{%s: 1, \"z\": 2} {", i, g.expr("string", 0))
		// The order of a map is not fixed: only what commutes.
		if v := g.of("int", true); v != "" && pre != "" && label == "" {
			g.line("%s", strings.Replace(pre, g.expr("string", 0), `"q"`, 0))
			g.line("\t%s += len(%s)", v, i)
			g.line("}")
			return
		}
		head = fmt.Sprintf("for %s := range 2 {", i)
	}
	g.line("%s", head)
	g.loops++
	if label != "" {
		g.labels = append(g.labels, label)
	}
	g.indent++
	g.line("_ = %s", i)
	if label != "" {
		g.line("if %s > 100 { continue %s }", i, label)
	}
	g.indent--
	g.vars = append(g.vars, elem)
	g.nested(1 + g.Intn(4))
	g.vars = g.vars[:mark]
	if label != "" {
		g.labels = g.labels[:len(g.labels)-1]
	}
	g.loops--
	g.line("}")
}

func (g *gen) switchStmt() {
	// break inside a switch leaves the switch: fine.
	if g.chance(50) {
		g.line("switch x := %s; x %% 4 {", g.expr("int", 2))
		for c := range 1 + g.Intn(3) {
			g.line("case %d, %d:", c, c+10)
			g.nested(1 + g.Intn(2))
			if g.chance(25) {
				g.indent++
				g.line("fallthrough")
				g.indent--
				g.line("case %d:", c+20)
				g.nested(1)
			}
		}
		g.line("default:")
		g.nested(1)
	} else {
		g.line("switch {")
		g.line("case %s:", g.expr("bool", 2))
		g.nested(1 + g.Intn(2))
		g.line("case %s:", g.expr("bool", 2))
		g.nested(1)
	}
	g.line("}")
}

func (g *gen) typeSwitch() {
	t := g.pick("any", g.pre+"_I", "error")
	x := g.expr(t, 2)
	n := g.name("t")
	if t != "any" {
		g.line("switch any(%s).(type) {", x)
		g.line("case *%s_S, *%s_E:", g.pre, g.pre)
		g.nested(1)
		g.line("case %s_I:", g.pre)
		g.nested(1)
		g.line("}")
		return
	}
	g.line("switch %s := %s.(type) {", n, x)
	mark := len(g.vars)
	for _, c := range []string{"int", "string", g.pre + "_Num", "float64", "[3]int"} {
		if g.chance(60) {
			g.line("case %s:", c)
			g.indent++
			g.line("_ = %s", n)
			g.indent--
			g.vars = append(g.vars, variable{name: n, typ: c, fixed: true})
			g.nested(1)
			g.vars = g.vars[:mark]
		}
	}
	g.line("case nil, bool:\n%s\t_ = %s", strings.Repeat("\t", g.indent), n)
	g.line("default:\n%s\t_ = %s", strings.Repeat("\t", g.indent), n)
	g.line("}")
}

// closure writes closures that share a variable, and calls them.
func (g *gen) closure() {
	f := g.name("fn")
	v := g.of("int", true)
	switch {
	case v != "" && g.chance(50):
		g.line("%s := func(d int) int { %s += d; return %s * 2 }", f, v, v)
		r := g.name("v")
		g.line("%s := %s(%s)", r, f, g.expr("int", 1))
		g.line("%s += %s(1)", r, f)
		g.line("_ = %s", r)
		g.vars = append(g.vars, variable{name: r, typ: "int"})
	case g.chance(50):
		k := g.name("k")
		s := g.name("v")
		g.line("var %s []func() int", f)
		g.line("for %s := 0; %s < 3; %s++ { %s = append(%s, func() int { %s += 10; return %s }) }", k, k, k, f, f, k, k)
		g.line("%s := 0", s)
		g.line("for _, h := range %s { %s = %s*100 + h() + h() }", f, s, s)
		g.line("_ = %s", s)
		g.vars = append(g.vars, variable{name: s, typ: "int"})
	default:
		g.line("var %s func(int) int", f)
		g.line("%s = func(n int) int { if n <= 1 { return 1 }; return n * %s(n-1) }", f, f)
		r := g.name("v")
		g.line("%s := %s(%d)", r, f, g.Intn(12))
		g.line("_ = %s", r)
		g.vars = append(g.vars, variable{name: r, typ: "int"})
	}
}

// channels writes goroutines whose results come together in a fixed order.
func (g *gen) channels() {
	c := g.name("ch")
	r := g.name("v")
	switch g.Intn(3) {
	case 0:
		g.line("%s := make(chan int, 4)", c)
		g.line("go func() { defer close(%s); for j := range %d { %s <- j*j } }()", c, 1+g.Intn(6), c)
		g.line("%s := 0", r)
		g.line("for x := range %s { %s = %s*3 + x }", c, r, r)
	case 1:
		g.line("%s := make(chan int, 1)", c)
		g.line("%s := %s", r, g.expr("int", 1))
		g.line("select {\n%[1]scase %[2]s <- %[3]s:\n%[1]sdefault:\n%[1]s\t%[3]s = -1\n%[1]s}", strings.Repeat("\t", g.indent), c, r)
		g.line("select {\n%[1]scase x, ok := <-%[2]s:\n%[1]s\tif ok { %[3]s += x }\n%[1]sdefault:\n%[1]s\t%[3]s--\n%[1]s}", strings.Repeat("\t", g.indent), c, r)
	default:
		g.line("%s := make(chan string)", c)
		g.line("go func(n int) { %s <- fmt.Sprint(n) }(%s)", c, g.expr("int", 1))
		g.line("%s := len(<-%s)", r, c)
	}
	g.line("_ = %s", r)
	g.vars = append(g.vars, variable{name: r, typ: "int"})
}
