// Package gogen writes random small Go programs that are well-typed, end, and
// print the same on every run: to compare ways of running Go with each other.
package gogen

import (
	"fmt"
	"math/rand"
	"strings"
)

// Program returns a random program, a whole file of package main. It uses only
// what Go's specification fixes: no order of map iteration, of goroutines or
// of operands shows in what it prints. It may end with a panic.
func Program(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString(Header)
	b.WriteString(Body(rng, "p"))
	b.WriteString("\nfunc main() { p_entry() }\n")
	return b.String()
}

// Header is the package clause and the imports that Body's text needs.
const Header = `package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

var _ = errors.New
var _ = sort.Ints
var _ = strings.ToUpper
`

// Batch returns one program that holds n random programs, each as a function
// that prints a line "== i" first and catches its own panic.
func Batch(rng *rand.Rand, n int) string {
	var b strings.Builder
	b.WriteString(Header)
	for i := range n {
		b.WriteString(Body(rng, fmt.Sprintf("p%d", i)))
	}
	b.WriteString("\nfunc guard(i int, f func()) {\n\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tfmt.Printf(\"panic %v %T\\n\", r, r)\n\t\t}\n\t}()\n\tfmt.Println(\"==\", i)\n\tf()\n}\n\nfunc main() {\n")
	for i := range n {
		fmt.Fprintf(&b, "\tguard(%d, p%d_entry)\n", i, i)
	}
	b.WriteString("}\n")
	return b.String()
}

// gen is a program being written.
type gen struct {
	*rand.Rand
	pre    string
	out    strings.Builder
	indent int
	vars   []variable
	next   int
	loops  int      // nesting
	labels []string // of enclosing loops
	funcs  []function
	budget int
	inFunc bool // a return of int is expected
}

type variable struct {
	name, typ string
	fixed     bool // must not be assigned: a loop counter
}

type function struct {
	name   string
	params []string
	result string
}

var ints = []string{"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"}

func (g *gen) pick(ss ...string) string { return ss[g.Intn(len(ss))] }

func (g *gen) chance(percent int) bool { return g.Intn(100) < percent }

func (g *gen) line(format string, args ...any) {
	g.out.WriteString(strings.Repeat("\t", g.indent))
	fmt.Fprintf(&g.out, format, args...)
	g.out.WriteByte('\n')
}

func (g *gen) name(kind string) string {
	g.next++
	return fmt.Sprintf("%s%d", kind, g.next)
}

// scalar is a type of basic values.
func (g *gen) scalar() string {
	switch g.Intn(8) {
	case 0, 1, 2:
		return "int"
	case 3:
		return g.pick(ints...)
	case 4:
		return g.pick("float64", "float32")
	case 5:
		return "string"
	case 6:
		return "bool"
	}
	return g.pre + "_Num"
}

// anyType is a type of variables.
func (g *gen) anyType() string {
	switch g.Intn(14) {
	case 0:
		return "[]int"
	case 1:
		return "map[string]int"
	case 2:
		return g.pre + "_S"
	case 3:
		return "*" + g.pre + "_S"
	case 4:
		return g.pre + "_I"
	case 5:
		return "any"
	case 6:
		return "[3]int"
	case 7:
		return g.pre + "_Pair[int, string]"
	case 8:
		return "[]string"
	case 9:
		return "error"
	case 10:
		return "complex128"
	}
	return g.scalar()
}

// of returns a visible variable of the type, or "".
func (g *gen) of(typ string, assign bool) string {
	var names []string
	for _, v := range g.vars {
		if v.typ == typ && !(assign && v.fixed) {
			names = append(names, v.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return g.pick(names...)
}

// Body returns the declarations of a random program whose names begin with
// prefix; prefix_entry runs it.
func Body(rng *rand.Rand, prefix string) string {
	g := &gen{Rand: rng, pre: prefix, budget: 30 + rng.Intn(50)}
	g.types()
	g.globals()
	for range 1 + g.Intn(3) {
		g.function()
	}
	g.line("func %s_entry() {", prefix)
	g.indent++
	if g.chance(30) {
		g.line("defer fmt.Println(%q)", "deferred")
	}
	g.block(6 + g.Intn(10))
	g.report()
	g.indent--
	g.line("}\n")
	return g.out.String()
}
