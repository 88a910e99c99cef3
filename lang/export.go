package lang

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"go/types"
)

// export is %export: it tells how to export the notebook, since the engine does
// not see the file.
func (c *call) export() *Error {
	c.print("fathom export NOTEBOOK.ipynb writes a notebook as a Go module\n")
	return nil
}

// ExportCell is one cell of a notebook to export.
type ExportCell struct {
	ID, Source string
	Markdown   bool
}

// Export writes the cells as a Go module into dir: a file for each cell, with
// its declarations and its statements as a function, and a main that calls
// those in order. Script rules are written out. A name that cells declare more
// than once is numbered. It returns the names of the files written.
func Export(opt Options, cells []ExportCell, name, dir string) ([]string, error) {
	opt.Kit = nil
	x := &exporter{e: New(opt), names: map[any]string{}, taken: map[string]bool{"main": true, "ctx": true, "show": true}, files: map[string]string{}, needs: map[string]bool{}}
	for i, c := range cells {
		if c.Markdown || strings.TrimSpace(c.Source) == "" {
			continue
		}
		if err := x.cell(i+1, c); err != nil {
			return nil, fmt.Errorf("cell %d: %s", i+1, err.Plain())
		}
	}
	x.support()
	x.module(name)
	return x.write(dir)
}

type exporter struct {
	e     *Engine
	names map[any]string // *variable by id, *decl -> name in the module
	taken map[string]bool
	calls []string
	files map[string]string
	vars  []string        // declarations of session variables
	needs map[string]bool // helpers in use
	q     *qualifier
	third bool // uses this product's own packages
}

// cell checks one cell and writes its file.
func (x *exporter) cell(n int, c ExportCell) *Error {
	code := normal(c.Source)
	t := &text{Name: fmt.Sprintf("cell[%d]", n), Code: code}
	if strings.HasPrefix(strings.TrimSpace(code), "%%") {
		if _, rest, ok := strings.Cut(strings.TrimSpace(code), "\n"); ok && (strings.HasPrefix(strings.TrimSpace(code), "%%time") || strings.HasPrefix(strings.TrimSpace(code), "%%native") || strings.HasPrefix(strings.TrimSpace(code), "%%interp")) {
			code = rest
		} else {
			return nil // not Go
		}
	}
	for _, s := range cut(code, func(line string) bool { return x.e.isShellIn(line, code) }) {
		if !s.magic {
			continue
		}
		keep := s.end // the Go in a line like %time f()
		if word, _ := splitWord(strings.TrimLeft(code[s.start:s.end], "%")); word == "time" || word == "native" || word == "interp" {
			keep = s.start + strings.Index(code[s.start:s.end], word) + len(word)
		}
		code = code[:s.start] + strings.Repeat(" ", keep-s.start) + code[keep:]
	}
	t.Code = code
	checked, l, ds := x.e.prepare(t)
	if len(ds) > 0 {
		return compileError(ds)
	}
	if l == nil {
		return nil
	}
	x.nameAll(l)
	x.writeDecls(n, l)
	x.writeCell(n, l)
	x.e.commit(checked, l, nil)
	for _, v := range l.defined {
		x.e.session.define(v)
	}
	for _, v := range l.own {
		x.e.session.define(v)
	}
	return nil
}

// unique returns the name, or name_2 and so on where it is taken.
func (x *exporter) unique(name string) string {
	got := name
	for i := 2; x.taken[got] || types.Universe.Lookup(got) != nil; i++ {
		got = name + "_" + strconv.Itoa(i)
	}
	x.taken[got] = true
	return got
}

// nameAll names what the cell declares and defines.
func (x *exporter) nameAll(l *lowered) {
	imported := map[string]bool{}
	for n := range l.c.imports {
		imported[n] = true
	}
	for n := range l.c.auto {
		imported[n] = true
	}
	for n := range imported {
		x.taken[n] = true
	}
	for _, d := range l.decls {
		switch d.kind {
		case funcDecl, typeDecl:
			x.names[d] = x.unique(d.name)
		case constDecl:
			for _, n := range d.names {
				if n != "_" {
					x.names[constName{d, n}] = x.unique(n)
				}
			}
		}
	}
	for _, v := range l.defined {
		if x.names[v.id] == "" {
			x.names[v.id] = x.unique(v.name)
			x.vars = append(x.vars, fmt.Sprintf("var %s %s", x.names[v.id], x.typeName(l, v.typ)))
		}
	}
	for _, v := range l.own {
		x.names[v.id] = x.unique(v.name)
		x.names[v.obj] = x.names[v.id]
	}
}

type constName struct {
	d    *decl
	name string
}

func (x *exporter) typeName(l *lowered, t types.Type) string {
	if x.q == nil {
		x.q = newQualifier(l.c.pkg)
	}
	s := types.TypeString(t, x.q.name)
	walkType(t, func(t types.Type) {
		n, ok := t.(*types.Named)
		if !ok {
			return
		}
		for d, name := range x.names {
			if d, ok := d.(*decl); ok && d.kind == typeDecl && d.obj == types.Object(n.Origin().Obj()) && name != d.name {
				s = replaceWord(s, d.name, name)
			}
		}
	})
	return s
}

// with is the text of an edit in the module.
func (x *exporter) with(e edit) (string, bool) {
	switch e.what {
	case varEdit:
		return x.names[e.v.id], true
	case declEdit:
		if n := x.names[constName{e.d, e.with}]; n != "" {
			return n, true
		}
		if n := x.names[e.d]; n != "" {
			return n, true
		}
		return e.with, true
	case renameEdit:
		return strings.ReplaceAll(e.with, mark, ""), true
	case runEdit, callEdit:
		return "", false
	case ruleEdit, showEdit:
		s := e.with
		if strings.HasPrefix(s, rtName+".Context()") {
			x.needs["ctx"] = true
			return strings.Replace(s, rtName+".Context()", "ctx", 1), true
		}
		if i := strings.Index(s, rtName+".Check"); i >= 0 {
			k := s[i+len(rtName+".Check")]
			x.needs["check"+string(k)] = true
			return "check" + string(k) + "(", true
		}
		if rest, ok := strings.CutPrefix(s, rtName+".Show("); ok {
			x.needs["show"] = true
			return "show(" + strings.ReplaceAll(rest, rtName+".Exact", ""), true
		}
		return s, true
	}
	return e.with, true
}

// writeDecls writes the declarations of the cell, and those of earlier cells
// that mean something new since.
func (x *exporter) writeDecls(n int, l *lowered) {
	byCell := map[*text][]*decl{}
	var order []*text
	for _, d := range l.decls {
		if byCell[d.cell] == nil {
			order = append(order, d.cell)
		}
		byCell[d.cell] = append(byCell[d.cell], d)
	}
	for i, cell := range order {
		g := &goFile{}
		imports := map[string]string{}
		var dots []string
		for _, d := range byCell[cell] {
			for k, v := range d.imports {
				imports[k] = v
			}
			dots = append(dots, d.dots...)
		}
		g.lit("package main\n\n")
		x.imports(g, imports, dots, nil)
		for _, d := range byCell[cell] {
			g.lit("\n" + d.prefix)
			g.emit(d.cell, d.start, d.end, d.edits, x.with)
			g.lit("\n")
		}
		name := fmt.Sprintf("declare%02d.go", n)
		if i > 0 {
			name = fmt.Sprintf("declare%02d_%d.go", n, i+1)
		}
		x.files[name] = g.String()
	}
	if len(l.ownItems) > 0 {
		g := &goFile{}
		g.lit("package main\n\n")
		var blanks []string
		if len(l.embeds) > 0 {
			blanks = []string{"embed"}
		}
		x.imports(g, l.ownImports, l.ownDots, blanks)
		for _, it := range l.ownItems {
			g.lit("\n")
			g.emit(l.c.cell, it.start, it.end, it.edits, x.with)
			g.lit("\n")
		}
		x.files[fmt.Sprintf("variables%02d.go", n)] = g.String()
	}
}

func (x *exporter) imports(g *goFile, imports map[string]string, dots, blanks []string) {
	for _, name := range sortedKeys(imports) {
		fmt.Fprintf(&g.buf, "import %s %q\n", name, imports[name])
		x.third = x.third || strings.HasPrefix(imports[name], "github.com/fathom-kernel/fathom/")
	}
	seen := map[string]bool{}
	for _, p := range dots {
		if !seen[p] {
			seen[p] = true
			fmt.Fprintf(&g.buf, "import . %q\n", p)
		}
	}
	for _, p := range blanks {
		fmt.Fprintf(&g.buf, "import _ %q\n", p)
	}
}

// writeCell writes the cell's statements as a function.
func (x *exporter) writeCell(n int, l *lowered) {
	if len(l.stmts) == 0 && len(l.inits) == 0 && !l.main {
		return
	}
	g := &goFile{}
	g.lit("package main\n\n")
	x.imports(g, l.imports, l.dots, l.c.blanks)
	fn := x.unique(fmt.Sprintf("cell%02d", n))
	g.lit("\nfunc " + fn + "() {\n")
	for _, f := range l.inits {
		g.lit("\t" + strings.ReplaceAll(f, mark, "") + "()\n")
	}
	if l.main && (l.c.program || len(l.stmts) == 0) {
		for d, name := range x.names {
			if d, ok := d.(*decl); ok && d.kind == funcDecl && d.name == "main" && contains(l.decls, d) {
				g.lit("\t" + name + "()\n")
			}
		}
	}
	for _, s := range l.stmts {
		g.lit("\t")
		if len(s.spec) > 0 {
			l.writeVar(g, s, x.with)
		} else {
			g.emit(l.c.cell, s.start, s.end, s.edits, x.with)
		}
		g.lit("\n")
	}
	g.lit("}\n")
	x.calls = append(x.calls, fn)
	x.files[fmt.Sprintf("cell%02d.go", n)] = g.String()
}

func contains(ds []*decl, d *decl) bool {
	for _, y := range ds {
		if y == d {
			return true
		}
	}
	return false
}

// support writes main, the session's variables and the helpers in use.
func (x *exporter) support() {
	var b strings.Builder
	b.WriteString("package main\n\n")
	if len(x.vars) > 0 {
		var v strings.Builder
		v.WriteString("package main\n\n")
		if x.q != nil {
			for _, p := range sortedKeys(x.q.paths) {
				fmt.Fprintf(&v, "import %s %q\n", strings.ReplaceAll(x.q.paths[p], mark, ""), p)
			}
		}
		v.WriteString("\n// The variables of the notebook.\n")
		for _, s := range x.vars {
			v.WriteString(strings.ReplaceAll(s, "p"+mark, "p") + "\n")
		}
		x.files["variables.go"] = v.String()
	}
	if x.needs["ctx"] {
		b.WriteString("import (\n\t\"context\"\n\t\"os\"\n\t\"os/signal\"\n)\n\n// ctx ends when the user interrupts the program.\nvar ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt)\n\n")
	}
	b.WriteString("func main() {\n")
	if x.needs["ctx"] {
		b.WriteString("\tdefer stop()\n")
	}
	for _, f := range x.calls {
		b.WriteString("\t" + f + "()\n")
	}
	b.WriteString("}\n")
	x.files["main.go"] = b.String()

	var h strings.Builder
	h.WriteString("package main\n\n")
	if x.needs["show"] {
		h.WriteString("import \"fmt\"\n\n// show prints the value of a cell's last expression.\nfunc show(values ...any) {\n\tfor i, v := range values {\n\t\tif i > 0 {\n\t\t\tfmt.Print(\" \")\n\t\t}\n\t\tif s, ok := v.(string); ok {\n\t\t\tfmt.Printf(\"%q\", s)\n\t\t} else {\n\t\t\tfmt.Printf(\"%v\", v)\n\t\t}\n\t}\n\tfmt.Println()\n}\n\n")
	}
	used := x.needs["show"]
	for k := range 6 {
		if !x.needs["check"+strconv.Itoa(k)] {
			continue
		}
		used = true
		types, params, names := "", "", ""
		for i := range k {
			letter := string(rune('a' + i))
			types += strings.ToUpper(letter) + ", "
			params += letter + " " + strings.ToUpper(letter) + ", "
			names += letter + ", "
		}
		types, names = strings.TrimSuffix(types, ", "), strings.TrimSuffix(names, ", ")
		generic, result, ret := "", "", ""
		if k > 0 {
			generic = "[" + types + " any]"
			result = " (" + types + ")"
			ret = "\treturn " + names + "\n"
		}
		fmt.Fprintf(&h, "// check%d ends the program where the call failed.\nfunc check%d%s(%serr error)%s {\n\tif err != nil {\n\t\tpanic(err)\n\t}\n%s}\n\n", k, k, generic, params, result, ret)
	}
	if used {
		x.files["helpers.go"] = strings.TrimRight(h.String(), "\n") + "\n"
	}
}

// module writes go.mod.
func (x *exporter) module(name string) {
	var b strings.Builder
	name = strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
	if name == "" {
		name = "notebook"
	}
	fmt.Fprintf(&b, "module example.com/%s\n\ngo 1.26\n", name)
	deps := requirements()
	if i := strings.Index(deps, "\nrequire"); i >= 0 {
		b.WriteString(deps[i:])
	}
	if x.third {
		b.WriteString("\n// The notebook uses Fathom's own packages: point this at a copy of its source.\nrequire github.com/fathom-kernel/fathom v0.0.0\n\nreplace github.com/fathom-kernel/fathom => ../fathom\n")
	}
	x.files["go.mod"] = b.String()
}

func (x *exporter) write(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var names []string
	for _, n := range sortedKeys(x.files) {
		text := x.files[n]
		if strings.HasSuffix(n, ".go") {
			text = formatted(text)
		}
		if err := writeFile(filepath.Join(dir, n), text); err != nil {
			return names, err
		}
		names = append(names, n)
	}
	return names, nil
}
