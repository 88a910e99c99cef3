package lang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"strings"
	"unicode/utf8"
)

// probe is a cell as the type checker sees it, with a mark at the cursor.
type probe struct {
	c    *checker
	view *session   // the session as it was when the probe began
	id   *ast.Ident // the mark
	path []ast.Node // what encloses it, the file first, the mark last
	cat  Catalog
}

// patience is how many bytes may be parsed to repair a broken cell: some 20 ms.
const patience = 400_000

// maxProbe is the size of a cell beyond which only the lines around the cursor
// are looked at.
const maxProbe = 16 << 10

// around returns the span of whole lines near the cursor, of at most maxProbe
// bytes but for lines that are longer.
func around(code string, cursor int) (start, end int) {
	if len(code) <= maxProbe {
		return 0, len(code)
	}
	start, end = max(0, cursor-maxProbe/2), min(len(code), cursor+maxProbe/2)
	if i := strings.IndexByte(code[start:cursor], '\n'); i >= 0 && start > 0 {
		start += i + 1
	}
	if i := strings.LastIndexByte(code[cursor:end], '\n'); i >= 0 && end < len(code) {
		end = cursor + i
	}
	for start > 0 && start < cursor && !utf8.RuneStart(code[start]) {
		start++
	}
	for end < len(code) && end > cursor && !utf8.RuneStart(code[end]) {
		end--
	}
	return start, end
}

// probe repairs the cell with a mark in place of code[start:end] and checks it
// against a copy of the session, so that a running cell is not waited for.
func (e *Engine) probe(code string, start, end int) *probe {
	e.mu.Lock()
	view := e.session.view()
	// Positions of the session's objects must not be taken for ours.
	base := e.fset.Base()
	e.mu.Unlock()
	p := &probe{view: view, cat: e.catalog()}
	opt := e.opt
	opt.Resolve = func(name, member string) (string, bool) {
		if member == here {
			return "", false // the members of all packages of that name are listed
		}
		return e.opt.Resolve(name, member)
	}
	imp := withModules{e}
	try := func(src string) bool {
		fset := token.NewFileSet()
		fset.AddFile("", base, 0)
		t := &text{Name: "cell", Code: src}
		items, _ := split(t.Code)
		items = importable(t.Code, items, imp, e.opt.Canonical)
		c := &checker{s: view, fset: fset, imp: imp, opt: &opt, cell: t, items: items, final: true}
		for _, it := range items {
			c.program = c.program || it.kind == clauseItem
		}
		c.items = view.changed(t, items)
		c.run()
		p.c = c
		return c.info != nil && len(c.files) > 0 && p.find()
	}
	if try(repair(code, start, end, &effort{patience})) {
		return p
	}
	if try(bare(code, start, end)) {
		return p
	}
	return nil
}

// view returns a copy of the session that may be read while cells change the
// session. Variables get objects of their own, since the checker writes to
// those of the scopes that it fills.
func (s *session) view() *session {
	v := *s
	v.vars = make(map[string]*variable, len(s.vars))
	for n, x := range s.vars {
		y := *x
		y.obj = types.NewVar(token.NoPos, x.obj.Pkg(), x.name, x.typ)
		v.vars[n] = &y
	}
	v.decls = maps.Clone(s.decls)
	v.imports = maps.Clone(s.imports)
	v.broken = maps.Clone(s.broken)
	v.byObj = maps.Clone(s.byObj)
	v.dots = append([]string(nil), s.dots...)
	return &v
}

// importable leaves out import items that name a package which is not there:
// the rest of the cell is still worth checking.
func importable(code string, items []item, imp types.Importer, canonical func(string) string) []item {
	var out []item
	for _, it := range items {
		if it.kind == importItem {
			f, err := parser.ParseFile(token.NewFileSet(), "", "package p;"+code[it.start:it.end], parser.ImportsOnly)
			if err != nil {
				continue
			}
			ok := true
			for _, spec := range f.Imports {
				_, err := imp.Import(canonical(strings.Trim(spec.Path.Value, "`\"")))
				ok = ok && err == nil
			}
			if !ok {
				continue
			}
		}
		out = append(out, it)
	}
	return out
}

// find sets the mark and what encloses it.
func (p *probe) find() bool {
	p.id, p.path = nil, nil
	for _, f := range p.c.files {
		var stack []ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if p.id != nil {
				return false
			}
			stack = append(stack, n)
			if id, ok := n.(*ast.Ident); ok && id.Name == here {
				p.id = id
				p.path = append([]ast.Node(nil), stack...)
			}
			return true
		})
		if p.id != nil {
			return true
		}
	}
	return false
}

// parent returns the node n levels above the mark, nil above the file.
func (p *probe) parent(n int) ast.Node {
	if i := len(p.path) - 1 - n; i >= 0 {
		return p.path[i]
	}
	return nil
}

// typeOf returns the type of an expression, nil where it has none.
func (p *probe) typeOf(e ast.Expr) types.Type {
	if t := p.c.info.Types[e].Type; t != nil && t != types.Typ[types.Invalid] {
		return t
	}
	if id, ok := e.(*ast.Ident); ok {
		if o := p.c.info.ObjectOf(id); o != nil && o.Type() != types.Typ[types.Invalid] {
			return o.Type()
		}
	}
	return nil
}

// visible reports whether a cell may name the object.
func visible(o types.Object) bool {
	return o.Exported() || o.Pkg() == nil || o.Pkg().Path() == unitPath
}
