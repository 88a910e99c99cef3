package lang

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/token"
	"go/types"
	"strings"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// page is what is shown of a name.
type page struct {
	head   string   // its declaration, as Go writes it
	notes  []string // what a cell may do with it; where it is from
	value  string   // of a session variable
	doc    string   // its comment
	lists  []pageList
	source string
}

// pageList is a titled list of declarations.
type pageList struct {
	title string
	lines []string
}

// page renders a page as text and as Markdown.
func (e *Engine) page(pg *page, detail int) display.Bundle {
	var doc *comment.Doc
	if pg.doc != "" {
		doc = new(comment.Parser).Parse(pg.doc)
	}
	printer := &comment.Printer{TextWidth: 78, HeadingLevel: 4, DocLinkURL: func(*comment.DocLink) string { return "" }}
	var text, md strings.Builder
	block := func(b *strings.Builder, s string) {
		if s = strings.Trim(s, "\n"); s != "" {
			if b.Len() > 0 {
				b.WriteString("\n\n")
			}
			b.WriteString(s)
		}
	}
	code := func(s string) {
		block(&text, s)
		fence := "```"
		for strings.Contains(s, fence) {
			fence += "`"
		}
		block(&md, fence+"go\n"+s+"\n"+fence)
	}
	head := pg.head
	if pg.value != "" {
		head += "\n= " + pg.value
	}
	code(head)
	if doc != nil {
		block(&text, string(printer.Text(doc)))
		block(&md, string(printer.Markdown(doc)))
	}
	if detail > 0 && pg.source != "" {
		code(pg.source)
	} else {
		for _, list := range pg.lists {
			if len(list.lines) > 0 {
				block(&text, list.title+":\n    "+strings.Join(list.lines, "\n    "))
				block(&md, list.title+":\n\n```go\n"+strings.Join(list.lines, "\n")+"\n```")
			}
		}
	}
	for _, n := range pg.notes {
		block(&text, n)
		block(&md, "*"+strings.ReplaceAll(n, "*", `\*`)+"*")
	}
	b := display.Text(text.String())
	b.Data["text/markdown"] = md.String()
	return b
}

// describe makes the page of what was found.
func (l *lister) describe(f *found, word string) *page {
	if f.pkg != nil {
		return l.e.packagePage(f.path, f.pkg)
	}
	o := f.obj
	pg := &page{}
	name := word
	ours := o.Pkg() != nil && o.Pkg().Path() == unitPath
	if o.Pkg() != nil && !ours {
		name = o.Pkg().Name() + "." + word
	}
	symbol := word
	if f.owner != nil {
		symbol = f.owner.Name() + "." + word
	}
	switch o := o.(type) {
	case *types.Func:
		sig := o.Signature()
		switch {
		case sig.Recv() != nil && f.owner != nil:
			pg.head = "func (" + typeText(sig.Recv().Type()) + ") " + word + signatureText(sig)
		default:
			pg.head = "func " + name + signatureText(sig)
		}
		pg.notes = append(pg.notes, ruleNotes(word, sig)...)
	case *types.TypeName:
		pg.head = "type " + name + " " + signatureOf(o)
		pg.lists = typeLists(o.Type())
	case *types.Const:
		pg.head = "const " + name + " " + typeText(o.Type()) + " = " + o.Val().ExactString()
		if len(pg.head) > 200 || strings.Contains(o.Val().ExactString(), "/") {
			pg.head = "const " + name + " " + signatureOf(o)
		}
	case *types.Builtin:
		pg.head = "func " + word + strings.TrimPrefix(builtinSignature[word], "func")
		pg.doc = l.cat.Doc("builtin", word)
		if pg.doc == "" {
			pg.doc = builtinDoc[word]
		}
		return pg
	case *types.Nil:
		pg.head = "nil"
		pg.doc = "nil is the zero value of a pointer, channel, func, interface, map, or slice type."
		return pg
	case *types.Var:
		kind := "var"
		if o.IsField() {
			kind = "field"
			if f.owner != nil {
				name = f.owner.Name() + "." + word
				if !ours && f.owner.Pkg() != nil {
					name = f.owner.Pkg().Name() + "." + name
				}
			}
		}
		pg.head = kind + " " + name + " " + typeText(o.Type())
		if !f.local && !o.IsField() && (ours || o.Pkg() == nil) {
			l.variable(pg, o, word)
		}
		if !o.IsField() {
			if owner := nameOf(o.Type()); owner != nil {
				pg.lists = typeLists(o.Type())
			}
		}
	default:
		return nil
	}
	pg.head = strings.ReplaceAll(pg.head, here, word)
	if ours {
		l.fromCell(pg, symbol, f)
	} else if o.Pkg() != nil {
		path := o.Pkg().Path()
		pg.doc = l.cat.Doc(path, symbol)
		pg.source = l.cat.Source(path, symbol)
		if word := map[string]string{"type": "type ", "constant": "const ", "variable": "var "}[kindOf(o)]; pg.source != "" && !strings.HasPrefix(pg.source, word) {
			pg.source = word + pg.source // it is the spec alone
		}
		pg.notes = append(pg.notes, fmt.Sprintf("import %q", path))
	}
	return pg
}

// ruleNotes says what script rules a call of the function may use.
func ruleNotes(name string, sig *types.Signature) []string {
	ctx, opt := omittable(sig)
	check := failing(sig.Results())
	if !ctx && !opt {
		return nil
	}
	short := shortSignature(sig)
	var args []string
	for i := range short.Params().Len() {
		args = append(args, short.Params().At(i).Name())
	}
	note := fmt.Sprintf("In a cell: %s(%s)", name, strings.Join(args, ", "))
	if check && sig.Results().Len() > 1 {
		note += ", with or without the error"
	}
	return []string{note}
}

// fromCell adds what the session's or the cell's own text says of a name.
func (l *lister) fromCell(pg *page, symbol string, f *found) {
	if f.local {
		return
	}
	name, member, isMember := strings.Cut(symbol, ".")
	d := l.p.view.decls[symbol]
	if d == nil {
		d = l.p.view.decls[name]
	}
	if v, ok := f.obj.(*types.Var); ok && !v.IsField() {
		return
	}
	code, at, end, cell := "", -1, -1, ""
	if _, fresh := l.p.c.declares[symbol]; fresh || l.p.c.declares[name] || d == nil {
		// Declared in this cell, which may not have run.
		if off := l.p.c.where(f.obj.Pos()).Offset; l.p.c.fset.File(f.obj.Pos()) != nil {
			// The repaired text has no comments between items: look in the cell.
			code = l.src
			if from, to := declSpan(l.p.c.cell.Code, off); from >= 0 {
				text := strings.ReplaceAll(l.p.c.cell.Code[from:to], here, l.prefix)
				if at = strings.Index(code, text); at >= 0 {
					end = at + len(text)
				}
			}
		}
	} else {
		code, at, end, cell = d.cell.Code, d.start, d.end, d.cell.Name
	}
	if at < 0 {
		return
	}
	if isMember && (d == nil || d.kind != methodDecl) {
		// A field: the comment above or beside it.
		if _, isField := f.obj.(*types.Var); isField {
			pg.doc = fieldComment(code[at:end], member)
		}
	} else {
		pg.doc = commentAbove(code, firstToken(code, at))
		if d != nil && d.prefix != "" && cell != "" {
			pg.source = d.prefix
		}
		pg.source += code[at:end]
	}
	pg.source = strings.ReplaceAll(pg.source, here, name)
	if cell != "" {
		pg.notes = append(pg.notes, "declared in "+cell)
	}
}

// declSpan returns the item of a cell's text that the offset lies in.
func declSpan(code string, off int) (start, end int) {
	for _, it := range wholeItems(code) {
		if it.start <= off && off <= it.end {
			return it.start, it.end
		}
	}
	return -1, -1
}

// firstToken returns the offset of the first token at or after the offset.
func firstToken(code string, at int) int {
	first := at
	scanTokens(code[at:], 0, func(off int, _ token.Token, _ string) bool {
		first = at + off
		return false
	})
	return first
}

// commentAbove returns the text of the comment that ends in the line before the
// one at the offset.
func commentAbove(code string, at int) string {
	lineStart := strings.LastIndexByte(code[:at], '\n') + 1
	above := strings.TrimSuffix(code[:lineStart], "\n")
	if trimmed := strings.TrimRight(above, " \t"); strings.HasSuffix(trimmed, "*/") {
		if i := strings.LastIndex(trimmed, "/*"); i >= 0 {
			return (&ast.CommentGroup{List: []*ast.Comment{{Text: trimmed[i:]}}}).Text()
		}
	}
	var lines []*ast.Comment
	for above != "" {
		i := strings.LastIndexByte(above, '\n') + 1
		line := strings.TrimSpace(above[i:])
		if !strings.HasPrefix(line, "//") {
			break
		}
		lines = append([]*ast.Comment{{Text: line}}, lines...)
		above = strings.TrimSuffix(above[:i], "\n")
	}
	if len(lines) == 0 {
		return ""
	}
	return (&ast.CommentGroup{List: lines}).Text()
}

// fieldComment returns the comment of a field in a type's text.
func fieldComment(src, field string) string {
	at := 0
	for line := range strings.Lines(src) {
		code, note, _ := strings.Cut(line, "//")
		if f := strings.Fields(strings.ReplaceAll(code, ",", " ")); len(f) > 1 {
			for _, name := range f[:len(f)-1] {
				if name == field {
					if note != "" {
						return strings.TrimSpace(note)
					}
					return commentAbove(src, at+1)
				}
			}
		}
		at += len(line)
	}
	return ""
}

// typeLists returns the fields and methods of a type that a cell may name.
func typeLists(t types.Type) []pageList {
	var fields, methods []string
	if st, ok := under(literalType(t)).(*types.Struct); ok {
		for i := range st.NumFields() {
			if f := st.Field(i); visible(f) {
				name := f.Name() + " "
				if f.Embedded() {
					name = ""
				}
				fields = append(fields, name+typeText(f.Type()))
			}
		}
	}
	for _, m := range memberSet(t, true) {
		if f, ok := m.obj.(*types.Func); ok {
			methods = append(methods, f.Name()+signatureText(f.Signature()))
		}
	}
	return []pageList{{"Fields", fields}, {"Methods", methods}}
}

// packagePage makes the page of a package.
func (e *Engine) packagePage(path string, pkg *types.Package) *page {
	pg := &page{head: fmt.Sprintf("package %s // import %q", pkg.Name(), path), doc: e.catalog().Doc(path, "")}
	kinds := map[string][]string{}
	for _, name := range pkg.Scope().Names() {
		if o := pkg.Scope().Lookup(name); o.Exported() {
			kinds[kindOf(o)] = append(kinds[kindOf(o)], name)
		}
	}
	for _, k := range []struct{ kind, title string }{{"type", "Types"}, {"function", "Functions"}, {"constant", "Constants"}, {"variable", "Variables"}} {
		pg.lists = append(pg.lists, pageList{k.title, wrapNames(kinds[k.kind])})
	}
	return pg
}

// wrapNames puts names into lines of 76 columns.
func wrapNames(names []string) []string {
	var lines []string
	line := ""
	for i, n := range names {
		if i < len(names)-1 {
			n += ","
		}
		if line != "" && len(line)+1+len(n) > 76 {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += n
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// builtinDoc is what Go's own functions do, in a sentence.
var builtinDoc = map[string]string{
	"append":  "append adds elements to the end of a slice and returns the slice, which may have moved.",
	"cap":     "cap returns how many elements v has room for.",
	"clear":   "clear deletes all entries of a map, or sets all elements of a slice to zero.",
	"close":   "close says that nothing more is sent on the channel.",
	"complex": "complex returns the complex number with these real and imaginary parts.",
	"copy":    "copy copies elements from src to dst and returns how many: the smaller of the two lengths.",
	"delete":  "delete removes the entry with the key from a map; without one it does nothing.",
	"imag":    "imag returns the imaginary part of a complex number.",
	"len":     "len returns the number of elements of v, of bytes of a string.",
	"make":    "make returns a new slice, map or channel of type T. Of a slice the sizes are length and capacity, of a channel the buffer.",
	"max":     "max returns the largest of its arguments.",
	"min":     "min returns the smallest of its arguments.",
	"new":     "new returns a pointer to a new zero value of type T.",
	"panic":   "panic stops the normal course of the goroutine and runs its deferred calls.",
	"print":   "print writes its arguments to standard error; fmt.Print is for users.",
	"println": "println writes its arguments to standard error; fmt.Println is for users.",
	"real":    "real returns the real part of a complex number.",
	"recover": "recover ends a panic when a deferred function calls it, and returns the panic's value.",
}
