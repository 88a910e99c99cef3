package lang

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// Inspect describes what stands at the cursor, a byte offset, as text and as
// Markdown: its signature and doc, the value of a session variable, the members
// of a type; with detail 1 the source where it is known. Inside the parentheses
// of a call, on nothing with a name, that is the function called. A zero Bundle
// says that nothing was found. It does not wait for a running cell, and does
// not look at values while one runs.
func (e *Engine) Inspect(ctx context.Context, code string, cursor, detail int) display.Bundle {
	cursor = clamp(code, cursor)
	if from, to := around(code, cursor); to-from < len(code) {
		return e.Inspect(ctx, code[from:to], cursor-from, detail)
	}
	src := clean(code)
	if b, ok := e.inspectMagic(src, cursor); ok {
		return b
	}
	src, cursor = e.answerable(src, cursor)
	s := look(src, cursor)
	if s.path {
		path := e.opt.Canonical(s.word)
		if pkg, err := (withModules{e}).Import(path); err == nil {
			return e.page(e.packagePage(pkg.Path(), pkg), detail)
		}
		return display.Bundle{}
	}
	if !s.none && s.word != "" && !token.IsKeyword(s.word) {
		if pg := e.inspectWord(src, s.start, s.end); pg != nil {
			return e.page(pg, detail)
		}
	}
	for at := cursor; ctx.Err() == nil; {
		start, end, ok := calledAt(src, at)
		if !ok {
			break
		}
		if pg := e.inspectWord(src, start, end); pg != nil {
			return e.page(pg, detail)
		}
		at = start
	}
	return display.Bundle{}
}

// answerable returns the Go of the cell, and the cursor in it. A line like
// strings.Cut? keeps its name where the cursor is on it.
func (e *Engine) answerable(src string, cursor int) (string, int) {
	lineStart := strings.LastIndexByte(src[:cursor], '\n') + 1
	lineEnd := len(src)
	if i := strings.IndexByte(src[cursor:], '\n'); i >= 0 {
		lineEnd = cursor + i
	}
	line := src[lineStart:lineEnd]
	if _, ok := question(strings.TrimSpace(line)); ok {
		from := lineStart + len(line) - len(strings.TrimLeft(line, "? \t"))
		to := lineStart + len(strings.TrimRight(line, "? \t"))
		src = src[:lineStart] + strings.ReplaceAll(line, "?", " ") + src[lineEnd:]
		return e.blankMagics(src), max(from, min(cursor, to))
	}
	return e.blankMagics(src), cursor
}

// inspectMagic describes the magic at the cursor.
func (e *Engine) inspectMagic(src string, cursor int) (display.Bundle, bool) {
	lineStart := strings.LastIndexByte(src[:cursor], '\n') + 1
	line := strings.TrimLeft(src[lineStart:], " \t")
	at := len(src) - len(line)
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	if !strings.HasPrefix(line, "%") || !e.magicLine(src, at) {
		return display.Bundle{}, false
	}
	sign, table := "%", lineMagics
	if strings.HasPrefix(line, "%%") {
		sign, table = "%%", cellMagics
	}
	word, _ := splitWord(line[len(sign):])
	word = strings.Trim(word, "?")
	if cursor > at+len(sign)+len(word) {
		return display.Bundle{}, false
	}
	m, ok := table[word]
	if !ok {
		return display.Bundle{}, true
	}
	b := display.Text(m.usage + "\n\n" + m.help)
	b.Data["text/markdown"] = "```\n" + m.usage + "\n```\n\n" + m.help
	return b, true
}

// calledAt returns the name of the function in whose parentheses the offset is.
func calledAt(src string, at int) (start, end int, ok bool) {
	open, pos, _ := openBrackets(src[:at])
	for i := len(open) - 1; i >= 0; i-- {
		if open[i] == '{' && !literalBrace(src, pos[i]) {
			return 0, 0, false
		}
		if open[i] != '(' {
			continue
		}
		before := strings.TrimRight(src[:pos[i]], " \t")
		if strings.HasSuffix(before, "]") { // f[int](
			if m := matching(before, len(before)-1); m > 0 {
				before = before[:m]
			}
		}
		start, _ := wordAround(before, len(before))
		if word := before[start:]; word != "" && !token.IsKeyword(word) {
			return start, len(before), true
		}
	}
	return 0, 0, false
}

// inspectWord describes the name code[start:end], nil where it means nothing.
func (e *Engine) inspectWord(src string, start, end int) *page {
	word := src[start:end]
	p := e.probe(src, start, end)
	if p == nil {
		return nil
	}
	l := &lister{e: e, p: p, cat: p.cat, prefix: word, seen: map[string]bool{}, src: src, at: start}
	found := l.resolve(word)
	if found == nil {
		return nil
	}
	return l.describe(found, word)
}

// found is an object, and the type that it is a member of.
type found struct {
	obj   types.Object
	owner *types.TypeName
	local bool // of a function, not of the session
	path  string
	pkg   *types.Package // of a package itself
}

// resolve finds what the word means where the mark stands.
func (l *lister) resolve(word string) *found {
	p := l.p
	info := p.c.info
	switch n := p.parent(1).(type) {
	case *ast.SelectorExpr:
		if n.Sel == p.id {
			return l.resolveMember(n, word)
		}
	case *ast.BranchStmt, *ast.LabeledStmt:
		return nil
	}
	if o := info.Defs[p.id]; o != nil {
		f := &found{obj: o}
		if v, ok := o.(*types.Var); ok && v.IsField() {
			return f
		}
		f.local = !l.atTop(o)
		if fn, ok := o.(*types.Func); ok {
			f.owner = receiverName(fn)
		}
		return f
	}
	if f := l.resolveKey(word); f != nil {
		return f
	}
	scope := p.scope()
	if at, o := scope.LookupParent(word, p.id.Pos()); o != nil {
		switch o := o.(type) {
		case *types.PkgName:
			return &found{path: o.Imported().Path(), pkg: o.Imported()}
		default:
			if at != types.Universe {
				return &found{obj: o, local: at != p.c.pkg.Scope() && !l.atTop(o)}
			}
		}
	}
	for _, d := range p.c.definitions() {
		if d.name.Name == word {
			return &found{obj: d.obj}
		}
	}
	path, ok := p.imports()[word]
	if !ok {
		if full, isPre := l.e.opt.Predeclared[word]; isPre {
			if o := l.qualified(full); o != nil {
				return &found{obj: o}
			}
		}
		if o := types.Universe.Lookup(word); o != nil {
			return &found{obj: o}
		}
		if o := l.dotted(word); o != nil {
			return &found{obj: o}
		}
		paths := l.named(word)
		if len(paths) == 0 {
			return nil
		}
		path = paths[0]
		for _, other := range paths {
			// The one that members of the name are mostly found in.
			if l.prefers(word, other) {
				path = other
				break
			}
		}
	}
	pkg, err := p.c.imp.Import(path)
	if err != nil {
		return nil
	}
	return &found{path: path, pkg: pkg}
}

// prefers reports whether the name alone means the package at the path: its
// first exported member is found there.
func (l *lister) prefers(name, path string) bool {
	pkg, err := l.p.c.imp.Import(path)
	if err != nil {
		return false
	}
	for _, member := range pkg.Scope().Names() {
		if pkg.Scope().Lookup(member).Exported() {
			at, ok := l.e.opt.Resolve(name, member)
			return ok && at == path
		}
	}
	return false
}

// dotted finds a name that a dot import brings.
func (l *lister) dotted(word string) types.Object {
	for _, path := range append(append([]string(nil), l.p.c.dots...), l.p.view.dots...) {
		if pkg, err := l.p.c.imp.Import(path); err == nil {
			if o := pkg.Scope().Lookup(word); o != nil && o.Exported() {
				return o
			}
		}
	}
	return nil
}

// atTop reports whether the object is the session's, or a variable that a
// cell-level statement defines.
func (l *lister) atTop(o types.Object) bool {
	if o.Parent() == nil || o.Parent() == l.p.c.pkg.Scope() || o.Pkg() == nil || o.Pkg().Path() != unitPath {
		return true
	}
	for _, d := range l.p.c.definitions() {
		if d.obj == o {
			return true
		}
	}
	return false
}

func (l *lister) resolveMember(sel *ast.SelectorExpr, word string) *found {
	p := l.p
	if id, ok := sel.X.(*ast.Ident); ok {
		if pn, ok := p.c.info.Uses[id].(*types.PkgName); ok {
			if o := pn.Imported().Scope().Lookup(word); o != nil && o.Exported() {
				return &found{obj: o}
			}
			return nil
		}
		if p.typeOf(id) == nil {
			if path, ok := l.e.opt.Resolve(id.Name, word); ok {
				if pkg, err := p.c.imp.Import(path); err == nil {
					if o := pkg.Scope().Lookup(word); o != nil && o.Exported() {
						return &found{obj: o}
					}
				}
			}
			return nil
		}
	}
	t := p.typeOf(sel.X)
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
		t = tuple.At(0).Type()
	}
	return memberOf(t, word)
}

// memberOf returns the field or method of the type.
func memberOf(t types.Type, word string) *found {
	if t == nil {
		return nil
	}
	for _, m := range memberSet(t, true) {
		if m.obj.Name() != word {
			continue
		}
		f := &found{obj: m.obj}
		if fn, ok := m.obj.(*types.Func); ok {
			if f.owner = receiverName(fn); f.owner == nil {
				f.owner = nameOf(t)
			}
			return f
		}
		f.owner = fieldOwner(t, m.obj)
		return f
	}
	return nil
}

// fieldOwner returns the named struct type that a field belongs to.
func fieldOwner(t types.Type, field types.Object) *types.TypeName {
	_, index, _ := types.LookupFieldOrMethod(t, true, field.Pkg(), field.Name())
	for i, at := range index {
		if i == len(index)-1 {
			return nameOf(t)
		}
		st, ok := under(literalType(t)).(*types.Struct)
		if !ok {
			return nil
		}
		t = st.Field(at).Type()
	}
	return nil
}

// nameOf returns the name of a type or of what it points to.
func nameOf(t types.Type) *types.TypeName {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj()
	}
	return nil
}

// receiverName returns the type that a method is declared for.
func receiverName(f *types.Func) *types.TypeName {
	if recv := f.Signature().Recv(); recv != nil {
		return nameOf(recv.Type())
	}
	return nil
}

// resolveKey finds the field that a key of a struct literal names.
func (l *lister) resolveKey(word string) *found {
	p := l.p
	kv, ok := p.parent(1).(*ast.KeyValueExpr)
	if !ok || kv.Key != p.id {
		return nil
	}
	lit, ok := p.parent(2).(*ast.CompositeLit)
	if !ok {
		return nil
	}
	t := literalType(p.typeOf(lit))
	if t == nil {
		return nil
	}
	if _, ok := under(t).(*types.Struct); !ok {
		return nil
	}
	return memberOf(t, word)
}
