package lang

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/types"
	"sort"
	"strings"
)

// diagnostic is one thing wrong with a cell, where it is, and what to do.
type diagnostic struct {
	pos  position
	n    int // bytes to underline, at least 1
	msg  string
	hint string
}

func (c *checker) diag(offset, n int, msg, hint string) diagnostic {
	return diagnostic{c.cell.at(offset), n, msg, hint}
}

// syntaxErrors turns the parser's errors of a piece into diagnostics; shift is
// where the parsed text begins in the cell.
func (c *checker) syntaxErrors(err error, shift int) []diagnostic {
	list, ok := err.(scanner.ErrorList)
	if !ok {
		return nil
	}
	var ds []diagnostic
	for _, e := range list {
		ds = append(ds, c.diag(max(0, e.Pos.Offset+shift), 1, syntaxMessage(e.Msg), ""))
	}
	return ds
}

// genSyntax turns the parser's errors of a composed file into diagnostics.
func (c *checker) genSyntax(g *goFile, err error) []diagnostic {
	list, ok := err.(scanner.ErrorList)
	if !ok {
		return []diagnostic{{c.cell.at(0), 1, err.Error(), ""}}
	}
	var ds []diagnostic
	for _, e := range list {
		p, _ := g.locate(e.Pos.Offset)
		if p.Cell == nil {
			p = c.cell.at(0)
		}
		ds = append(ds, diagnostic{p, 1, syntaxMessage(e.Msg), ""})
	}
	return ds
}

// syntaxMessage drops what speaks of text that the user did not write.
func syntaxMessage(msg string) string {
	msg = strings.ReplaceAll(msg, entryName, "cell")
	return msg
}

func uniqueDiagnostics(ds []diagnostic) []diagnostic {
	seen := map[string]bool{}
	lines := map[int]int{}
	var out []diagnostic
	sort.SliceStable(ds, func(i, j int) bool { return ds[i].pos.Offset < ds[j].pos.Offset })
	for _, d := range ds {
		k := fmt.Sprint(d.pos.Offset, d.msg)
		// One slip makes many syntax errors: two a line are enough.
		if seen[k] || lines[d.pos.Line] >= 2 || len(out) >= 20 {
			continue
		}
		seen[k] = true
		lines[d.pos.Line]++
		out = append(out, d)
	}
	return out
}

// diagnostics turns what the last pass found into what the user is told.
func (c *checker) diagnostics() []diagnostic {
	if len(c.syntax) > 0 {
		return c.syntax
	}
	cellVars := map[string]bool{}
	for _, d := range c.definitions() {
		cellVars[d.obj.Name()] = true
	}
	last := c.endExpr()
	var ds []diagnostic
	seen := map[string]bool{}
	for _, e := range c.errs {
		if ignorable(e) {
			continue
		}
		if name, ok := strings.CutPrefix(e.Msg, "declared and not used: "); ok && cellVars[name] && c.topLevelDefinition(e.Pos) {
			continue
		}
		if last != nil && strings.HasSuffix(e.Msg, "is not used") && last.Pos() <= e.Pos && e.Pos <= last.End() {
			if tv := c.info.Types[last]; !tv.IsType() && !tv.IsBuiltin() {
				continue
			}
		}
		if strings.HasPrefix(e.Msg, "\t") {
			continue // the second line of a report
		}
		p := c.where(e.Pos)
		d := diagnostic{pos: p, n: c.width(e), msg: c.message(e.Msg), hint: c.hint(e)}
		if p.Cell == nil {
			d.pos = c.cell.at(0)
		}
		k := fmt.Sprint(d.pos, d.msg)
		if !seen[k] {
			seen[k] = true
			ds = append(ds, d)
		}
	}
	sort.SliceStable(ds, func(i, j int) bool { return ds[i].pos.Offset < ds[j].pos.Offset })
	return ds
}

// width returns how many bytes of the source the error is about.
func (c *checker) width(e types.Error) int {
	n := 1
	for _, f := range c.files {
		if e.Pos < f.FileStart || e.Pos > f.FileEnd {
			continue
		}
		ast.Inspect(f, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.Ident, *ast.BasicLit, *ast.SelectorExpr:
				if x.Pos() == e.Pos {
					n = max(n, int(x.End()-x.Pos()))
				}
			}
			return true
		})
	}
	return n
}

// message rewords what the type checker says so that no name of ours is in it.
func (c *checker) message(msg string) string {
	if rest, ok := strings.CutPrefix(msg, "implicit assignment to unexported field "); ok {
		msg = "this value does not fit the field " + rest
	}
	msg = strings.ReplaceAll(msg, entryName, "cell")
	msg = strings.ReplaceAll(msg, rtName+".", "")
	msg = strings.ReplaceAll(msg, unitPath+".", "")
	return msg
}

// hint says what the user could do about the error.
func (c *checker) hint(e types.Error) string {
	name, ok := strings.CutPrefix(e.Msg, "undefined: ")
	if !ok {
		return c.typeHint(e)
	}
	if pkg, sel, ok := strings.Cut(name, "."); ok {
		return c.memberHint(pkg, sel)
	}
	if why, ok := c.s.broken[name]; ok {
		return why
	}
	if why, ok := c.dropped[name]; ok {
		return fmt.Sprintf("%s no longer type-checks with what this cell declares: %s", name, why)
	}
	var candidates []string
	for _, n := range c.pkg.Scope().Names() {
		candidates = append(candidates, n)
	}
	candidates = append(candidates, types.Universe.Names()...)
	for _, d := range c.definitions() {
		candidates = append(candidates, d.obj.Name())
	}
	for n := range c.s.imports {
		candidates = append(candidates, n)
	}
	if best := nearest(name, candidates); best != "" {
		return fmt.Sprintf("did you mean %s?", best)
	}
	return ""
}

func (c *checker) memberHint(pkgName, sel string) string {
	path := c.imports[pkgName]
	if path == "" {
		path = c.auto[pkgName]
	}
	if path == "" {
		path = c.s.imports[pkgName]
	}
	if path == "" {
		return ""
	}
	pkg, err := c.imp.Import(path)
	if err != nil {
		return ""
	}
	var names []string
	for _, n := range pkg.Scope().Names() {
		if pkg.Scope().Lookup(n).Exported() {
			names = append(names, n)
		}
	}
	if best := nearest(sel, names); best != "" {
		return fmt.Sprintf("did you mean %s.%s?", pkgName, best)
	}
	return ""
}

// typeHint explains the mistakes that only a session can make.
func (c *checker) typeHint(e types.Error) string {
	// x.f undefined (type T has no field or method f): the checker itself
	// names near misses of case; others are found here.
	if i := strings.Index(e.Msg, " undefined (type "); i >= 0 {
		expr := e.Msg[:i]
		if j := strings.LastIndexByte(expr, '.'); j >= 0 && !strings.Contains(e.Msg, "but does have") {
			if best := nearest(expr[j+1:], c.membersAt(e)); best != "" {
				return fmt.Sprintf("did you mean %s.%s?", expr[:j], best)
			}
		}
	}
	named := map[string]bool{}
	if p := c.where(e.Pos); p.Cell != nil {
		named = identifiers(p.Cell.line(p.Line))
	}
	for _, name := range sortedKeys(c.s.vars) {
		v := c.s.vars[name]
		stale := ""
		walkType(v.typ, func(t types.Type) {
			n, ok := t.(*types.Named)
			if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != unitPath {
				return
			}
			if now := c.pkg.Scope().Lookup(n.Obj().Name()); now != nil && now != types.Object(n.Obj()) {
				stale = n.Obj().Name()
			}
		})
		if stale != "" && named[name] {
			return fmt.Sprintf("%s (%s) still has the %s from before it was declared again: run its cell again", name, v.cell.Name, stale)
		}
	}
	return ""
}

// membersAt returns the fields and methods of the selector at the error.
func (c *checker) membersAt(e types.Error) []string {
	var names []string
	for _, f := range c.files {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok || s.Sel.Pos() != e.Pos && s.Pos() != e.Pos {
				return true
			}
			if t := c.info.Types[s.X].Type; t != nil {
				for _, m := range members(t) {
					names = append(names, m.Name())
				}
			}
			return true
		})
	}
	return names
}

// nearest returns the candidate within a third of the name's length in edits,
// "" where none is.
func nearest(name string, candidates []string) string {
	best, bestDist := "", 1+len(name)/3
	for _, cand := range candidates {
		if cand == name || cand == "_" || strings.Contains(cand, mark) {
			continue
		}
		d := editDistance(strings.ToLower(name), strings.ToLower(cand), bestDist)
		if d < bestDist || d == bestDist && best == "" && d <= len(name)/3+1 && d <= 2 {
			best, bestDist = cand, d
		}
	}
	return best
}

// editDistance is the number of insertions, deletions, replacements and swaps
// of neighbours between a and b, or limit+1 where it is more.
func editDistance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}

// members returns the fields and methods that a value of the type has,
// promoted ones included.
func members(t types.Type) []types.Object {
	var out []types.Object
	seen := map[string]bool{}
	add := func(o types.Object) {
		if !seen[o.Name()] {
			seen[o.Name()] = true
			out = append(out, o)
		}
	}
	if _, isPtr := t.Underlying().(*types.Pointer); !isPtr && !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	ms := types.NewMethodSet(t)
	for i := range ms.Len() {
		add(ms.At(i).Obj())
	}
	var fields func(t types.Type, depth int)
	fields = func(t types.Type, depth int) {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok || depth > 5 {
			return
		}
		for i := range st.NumFields() {
			add(st.Field(i))
		}
		for i := range st.NumFields() {
			if st.Field(i).Embedded() {
				fields(st.Field(i).Type(), depth+1)
			}
		}
	}
	fields(t, 0)
	return out
}

// render writes the diagnostics as a compiler would, with the source line and
// a caret; colour adds ANSI colours.
func render(ds []diagnostic, colour bool) []string {
	paint := func(code, s string) string {
		if !colour {
			return s
		}
		return "\x1b[" + code + "m" + s + "\x1b[0m"
	}
	var out []string
	for _, d := range ds {
		out = append(out, paint("1;36", d.pos.String())+": "+paint("1;31", d.msg))
		line := d.pos.Cell.line(d.pos.Line)
		shown, col := clip(line, d.pos.Col-1)
		pad := strings.Map(func(r rune) rune {
			if r == '\t' {
				return '\t'
			}
			return ' '
		}, string([]rune(shown)[:min(col, len([]rune(shown)))]))
		marks := strings.Repeat("^", max(1, min(d.n, len([]rune(shown))-col)))
		out = append(out, "    "+shown, "    "+pad+paint("1;31", marks))
		if d.hint != "" {
			out = append(out, "    "+paint("33", d.hint))
		}
	}
	return out
}

// clip cuts a long source line around the column.
func clip(line string, col int) (string, int) {
	rs := []rune(line)
	const width = 160
	if len(rs) <= width {
		return line, col
	}
	from := max(0, col-width/2)
	to := min(len(rs), from+width)
	return string(rs[from:to]), col - from
}
