package gogen

import (
	"fmt"
	"strings"
)

// expr returns an expression of the type without side effects, but that it may
// panic.
func (g *gen) expr(t string, depth int) string {
	if v := g.of(t, false); v != "" && g.chance(45) {
		return v
	}
	if depth > 0 && g.chance(20) {
		for _, i := range g.Perm(len(g.funcs)) {
			if f := g.funcs[i]; f.result == t {
				return g.call(f, depth)
			}
		}
	}
	if isInt(t) || t == g.pre+"_Num" {
		return g.integer(t, depth)
	}
	p := g.pre
	switch t {
	case "float64", "float32":
		if depth <= 0 {
			return p + "_Id[" + t + "]" + g.pick("(0.5)", "(3.25)", "(-7)", "(1e3)", "(0.1)")
		}
		switch g.Intn(5) {
		case 0:
			return fmt.Sprintf("%s(%s)", t, g.expr("int", depth-1))
		case 1:
			return fmt.Sprintf("(%s %s %s)", g.expr(t, depth-1), g.pick("+", "-", "*", "/"), g.expr(t, depth-1))
		case 2:
			return fmt.Sprintf("(-(%s))", g.expr(t, depth-1))
		case 3:
			return fmt.Sprintf("min(%s, %s)", g.expr(t, depth-1), g.expr(t, depth-1))
		}
		return p + "_Id[" + t + "](1.5)"
	case "string":
		if depth <= 0 {
			return p + "_Id(" + g.pick(`"a"`, `"héllo"`, `""`, `"日本"`, `"x\x00y"`) + ")"
		}
		switch g.Intn(8) {
		case 0:
			return fmt.Sprintf("(%s + %s)", g.expr(t, depth-1), g.expr(t, depth-1))
		case 1:
			return fmt.Sprintf("fmt.Sprint(%s)", g.expr(g.scalar(), depth-1))
		case 2:
			return fmt.Sprintf("strings.ToUpper(%s)", g.expr(t, depth-1))
		case 3:
			return fmt.Sprintf("string(rune(97+uint8(%s)%%26))", g.expr("int", depth-1))
		case 4:
			return fmt.Sprintf("string([]rune(%s))", g.expr(t, depth-1))
		case 5:
			return fmt.Sprintf("fmt.Sprintf(\"%%%s\", %s)", g.pick("05d", "x", "+d", "b"), g.expr("int", depth-1))
		case 6:
			return fmt.Sprintf("%s_Sum(%s, %s)", p, g.expr(t, depth-1), g.expr(t, depth-1))
		}
		return p + `_Id("k")`
	case "bool":
		if depth <= 0 {
			return p + "_Id" + g.pick("(true)", "(false)")
		}
		switch g.Intn(6) {
		case 0:
			u := g.scalar()
			if u == "bool" {
				u = "int"
			}
			return fmt.Sprintf("(%s %s %s)", g.expr(u, depth-1), g.pick("<", ">=", "==", "!=", "<="), g.expr(u, depth-1))
		case 1:
			return fmt.Sprintf("(%s %s %s)", g.expr(t, depth-1), g.pick("&&", "||"), g.expr(t, depth-1))
		case 2:
			return fmt.Sprintf("!(%s)", g.expr(t, depth-1))
		case 3:
			return fmt.Sprintf("(%s == %s)", g.expr("any", 1), g.expr("any", 1))
		case 4:
			return fmt.Sprintf("(%s == %s)", g.expr("[3]int", depth-1), g.expr("[3]int", depth-1))
		}
		return p + "_Id(true)"
	case "complex128":
		if depth <= 0 {
			return p + "_Id(1+2i)"
		}
		return g.pick("complex("+g.expr("float64", depth-1)+", 2)", "("+g.expr(t, depth-1)+" * (2-1i))", "("+g.expr(t, depth-1)+" + "+g.expr(t, depth-1)+")")
	case "[]int":
		switch g.Intn(5) {
		case 0:
			return fmt.Sprintf("[]int{%s, %s, 5}", g.expr("int", depth-1), g.expr("int", depth-1))
		case 1:
			if v := g.of(t, false); v != "" {
				return fmt.Sprintf("append(%s[:len(%s):len(%s)], %s)", v, v, v, g.expr("int", depth-1))
			}
		case 2:
			return "[]int{2: 7, 9}"
		case 3:
			if v := g.of(t, false); v != "" {
				return fmt.Sprintf("%s[%s:]", v, g.pick("0", "1", "2"))
			}
		}
		return fmt.Sprintf("make([]int, %s_Id(3), %s)", p, g.pick("8", p+"_Id(5)"))
	case "[]string":
		if g.chance(40) {
			return fmt.Sprintf("%s_Map([]int{1, 2}, func(x int) string { return fmt.Sprint(x, %s) })", p, g.expr("int", 0))
		}
		return fmt.Sprintf("[]string{%s, %s}", g.expr("string", depth-1), g.expr("string", depth-1))
	case "[3]int":
		if g.chance(20) {
			return fmt.Sprintf("[3]int(append(%s, 1, 2, 3))", g.expr("[]int", depth-1))
		}
		return fmt.Sprintf("[3]int{%s, %s}", g.expr("int", depth-1), g.expr("int", depth-1))
	case "map[string]int":
		return fmt.Sprintf("map[string]int{\"a\": %s, \"b\": %s}", g.expr("int", depth-1), g.expr("int", depth-1))
	case "any":
		if depth <= 0 {
			return g.pick("any(1)", "any(nil)", `any("s")`, "any(2.5)")
		}
		u := g.pick(g.scalar(), "[3]int", p+"_Pair[int, string]", p+"_Num")
		return fmt.Sprintf("any(%s)", g.expr(u, depth-1))
	case "error":
		return g.pick("error(nil)", `errors.New("bad")`, fmt.Sprintf("error(&%s_E{%s})", p, g.expr("int", depth-1)), `fmt.Errorf("w: %w", errors.New("in"))`)
	}
	switch {
	case t == p+"_S":
		return fmt.Sprintf("%s_S{%s_Base: %s_Base{id: %s}, A: %s, N: %d}", p, p, p, g.expr("int", depth-1), g.expr("int", depth-1), g.Intn(90))
	case t == "*"+p+"_S":
		return fmt.Sprintf("&%s_S{A: %s, next: &%s_S{A: 4}}", p, g.expr("int", depth-1), p)
	case t == p+"_I":
		return fmt.Sprintf("%s_I(%s)", p, g.pick(p+`_Str("abc")`, "&"+p+"_S{A: 3}", p+"_S{A: 9}", p+"_Base{id: 2}"))
	case strings.HasPrefix(t, p+"_Pair["):
		return fmt.Sprintf("%s{%s, %s}", t, g.expr("int", depth-1), g.expr("string", depth-1))
	}
	panic("gogen: no expression of type " + t)
}

func isInt(t string) bool {
	for _, u := range ints {
		if t == u {
			return true
		}
	}
	return false
}

func (g *gen) integer(t string, depth int) string {
	if depth <= 0 {
		return fmt.Sprintf("%s_Id[%s](%d)", g.pre, t, g.Intn(100))
	}
	switch g.Intn(16) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", g.expr(t, depth-1), g.pick("+", "-", "*", "&", "|", "^", "&^"), g.expr(t, depth-1))
	case 3:
		return fmt.Sprintf("(%s %s (%s | 1))", g.expr(t, depth-1), g.pick("/", "%"), g.expr(t, depth-1))
	case 4:
		return fmt.Sprintf("(%s %s (uint8(%s) %% 70))", g.expr(t, depth-1), g.pick("<<", ">>"), g.expr("int", depth-1))
	case 5:
		return fmt.Sprintf("%s(%s)", t, g.expr(g.pick(ints...), depth-1))
	case 6:
		return fmt.Sprintf("(%s(%s))", g.pick("-", "^"), g.expr(t, depth-1))
	case 7:
		return fmt.Sprintf("%s(len(%s))", t, g.expr(g.pick("string", "[]int", "map[string]int"), depth-1))
	case 8:
		return fmt.Sprintf("max(%s, %s)", g.expr(t, depth-1), g.expr(t, depth-1))
	case 9:
		if v := g.of("[]int", false); v != "" {
			return fmt.Sprintf("%s(%s[uint8(%s)%%4])", t, v, g.expr("int", depth-1))
		}
	case 10:
		if v := g.of("map[string]int", false); v != "" {
			return fmt.Sprintf("%s(%s[%s])", t, v, g.expr("string", depth-1))
		}
	case 11:
		if v := g.of(g.pre+"_S", false); v != "" {
			return fmt.Sprintf("%s(%s.%s)", t, v, g.pick("A", "id", "Len()", "N"))
		}
	case 12:
		if v := g.of(g.pre+"_I", false); v != "" {
			return fmt.Sprintf("%s(%s.Len())", t, v)
		}
	case 13:
		return fmt.Sprintf("%s(func(x int) int { return x*%d + %s }(%s))", t, g.Intn(9), g.expr("int", 0), g.expr("int", depth-1))
	case 14:
		if v := g.of("*"+g.pre+"_S", false); v != "" {
			return fmt.Sprintf("%s(%s%s)", t, v, g.pick(".A", ".id", ".next.A", ".Len()"))
		}
	case 15:
		if v := g.of(g.pre+"_Pair[int, string]", false); v != "" {
			return fmt.Sprintf("%s(%s.Swap().B)", t, v)
		}
	}
	return fmt.Sprintf("%s_Id[%s](%d)", g.pre, t, g.Intn(100))
}
