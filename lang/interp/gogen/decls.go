package gogen

import (
	"fmt"
	"strings"
)

// types declares the types that every program has, with random details.
func (g *gen) types() {
	p := g.pre
	g.line("type %s_Num %s\n", p, g.pick("int", "int8", "uint16", "int64"))
	if g.chance(60) {
		g.line("func (n %s_Num) String() string { return fmt.Sprintf(\"#%%d\", int64(n)) }\n", p)
	}
	g.line("func (n %s_Num) val() int { return int(n) }\n", p)
	g.line("type %s_Base struct {\n\tid int\n\ttags []string\n}\n", p)
	g.line("func (b *%s_Base) Bump(n int) int { b.id += n; return b.id }\n", p)
	g.line("func (b %s_Base) Len() int { return len(b.tags) + b.id%%7 }\n", p)
	g.line("type %s_S struct {\n\t%s_Base\n\tA int\n\tB %s\n\tN %s_Num\n\tnext *%s_S\n}\n", p, p, g.pick("string", "float64", "[]int", "any"), p, p)
	if g.chance(40) {
		g.line("func (s %s_S) Len() int { return s.A*2 + s.%s_Base.Len() }\n", p, p)
	}
	if g.chance(40) {
		g.line("func (s *%s_S) String() string { if s == nil { return \"nil S\" }; return fmt.Sprint(\"S\", s.A, s.N) }\n", p)
	}
	g.line("func %s_Id[T any](x T) T { return x }\n", p)
	g.line("type %s_I interface {\n\tLen() int\n}\n", p)
	g.line("type %s_Str string\n", p)
	g.line("func (s %s_Str) Len() int { return len(s) }\n", p)
	g.line("type %s_E struct{ code int }\n", p)
	g.line("func (e *%s_E) Error() string { return fmt.Sprint(\"E\", e.code) }\n", p)
	g.line("type %s_Pair[K comparable, V any] struct {\n\tKey K\n\tVal V\n}\n", p)
	g.line("func (p %s_Pair[K, V]) Swap() %s_Pair2[V, K] { return %s_Pair2[V, K]{p.Val, p.Key} }\n", p, p, p)
	g.line("type %s_Pair2[A, B any] struct {\n\tA A\n\tB B\n}\n", p)
	g.line("func %s_Map[T, U any](xs []T, f func(T) U) []U {\n\tvar r []U\n\tfor _, x := range xs {\n\t\tr = append(r, f(x))\n\t}\n\treturn r\n}\n", p)
	g.line("func %s_Sum[T ~int | ~int8 | ~int16 | ~int64 | ~uint16 | ~float64 | ~string](xs ...T) T {\n\tvar s T\n\tfor _, x := range xs {\n\t\ts += x\n\t}\n\treturn s\n}\n", p)
	g.line("func %s_Seq(n int) func(yield func(int) bool) {\n\treturn func(yield func(int) bool) {\n\t\tfor i := 0; i < n; i++ {\n\t\t\tif !yield(i * %d) {\n\t\t\t\treturn\n\t\t\t}\n\t\t}\n\t}\n}\n", p, 1+g.Intn(4))
	g.line("func %s_try(n int) (r int, err error) {\n\tdefer func() {\n\t\tif x := recover(); x != nil {\n\t\t\terr = fmt.Errorf(\"caught %%v\", x)\n\t\t\tr = -n\n\t\t}\n\t}()\n\txs := []int{1, 2, 3}\n\treturn xs[n] %s n, nil\n}\n", p, g.pick("*", "/", "+"))
	g.line("const (\n\t%s_c0 = %s\n\t%s_c1\n\t%s_c2\n)\n", p, g.pick("iota * 3", "1 << (iota + 2)", "iota - 1", "1.5 * iota"), p, p)
}

func (g *gen) globals() {
	for range g.Intn(3) {
		n := g.pre + "_" + g.name("g")
		t := g.scalar()
		g.line("var %s %s = %s\n", n, t, g.expr(t, 2))
		g.vars = append(g.vars, variable{name: n, typ: t})
	}
}

// function declares a function of scalars that may call earlier ones.
func (g *gen) function() {
	f := function{name: g.pre + "_" + g.name("f"), result: g.scalar()}
	saved := g.vars
	var ps []string
	for range g.Intn(3) {
		t := g.scalar()
		n := g.name("a")
		f.params = append(f.params, t)
		ps = append(ps, n+" "+t)
		g.vars = append(g.vars[:len(g.vars):len(g.vars)], variable{name: n, typ: t})
	}
	named := g.chance(30)
	if named {
		g.line("func %s(%s) (res %s) {", f.name, strings.Join(ps, ", "), f.result)
	} else {
		g.line("func %s(%s) %s {", f.name, strings.Join(ps, ", "), f.result)
	}
	g.indent++
	if named && g.chance(60) {
		g.line("defer func() { res = %s }()", g.pureWith(f.result, "res"))
	}
	// Functions change nothing outside: they may be called in expressions.
	kept := g.vars
	for i := range g.vars {
		if strings.HasPrefix(g.vars[i].name, g.pre+"_g") {
			kept = append([]variable(nil), kept...)
			kept[i].fixed = true
		}
	}
	g.vars = kept
	g.quiet(func() { g.block(1 + g.Intn(4)) })
	g.line("return %s", g.expr(f.result, 2))
	g.indent--
	g.line("}\n")
	g.vars = saved
	g.funcs = append(g.funcs, f)
}

// quiet writes statements that print nothing and touch no global variable.
func (g *gen) quiet(f func()) {
	was := g.inFunc
	g.inFunc = true
	f()
	g.inFunc = was
}

// pureWith is an expression of the type that uses the variable.
func (g *gen) pureWith(t, v string) string {
	switch {
	case t == "string":
		return v + ` + "!"`
	case t == "bool":
		return "!" + v
	}
	return v + " + 1"
}

// report prints the visible variables.
func (g *gen) report() {
	for _, v := range g.vars {
		g.print(v)
	}
}

func (g *gen) print(v variable) {
	switch {
	case v.typ == "*"+g.pre+"_S":
		g.line("if %s != nil {\n%s\tfmt.Println(%q, %s.A, %s.id)\n%s}", v.name, strings.Repeat("\t", g.indent), v.name, v.name, v.name, strings.Repeat("\t", g.indent))
	case v.typ == g.pre+"_S":
		g.line("fmt.Printf(\"%s %%v %%v %%v %%T\\n\", %s.A, %s.N, %s.B, %s)", v.name, v.name, v.name, v.name, v.name)
	case v.typ == g.pre+"_I" || v.typ == "any" || v.typ == "error":
		g.line("fmt.Printf(\"%s %%T\\n\", %s)", v.name, v.name)
	default:
		g.line("fmt.Printf(\"%s %%v %%T\\n\", %s, %s)", v.name, v.name, v.name)
	}
}

func (g *gen) call(f function, depth int) string {
	var as []string
	for _, t := range f.params {
		as = append(as, g.expr(t, depth-1))
	}
	return fmt.Sprintf("%s(%s)", f.name, strings.Join(as, ", "))
}
