package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// packageDoc and symbolDoc are what symbols.PackageDoc reads back. There are no
// line numbers: they would change with every edit of a file.
type packageDoc struct {
	Synopsis string               `json:",omitempty"`
	Doc      string               `json:",omitempty"`
	Symbols  map[string]symbolDoc `json:",omitempty"`
}

type symbolDoc struct {
	Doc  string `json:",omitempty"`
	File string `json:",omitempty"`
}

// docWriter gathers the docs and source texts of one package.
type docWriter struct {
	fset   *token.FileSet
	text   map[string]string // source of each file
	doc    packageDoc
	source map[string]string
}

// writeDocs reads the package's source.
func (p *pkg) writeDocs() error {
	w := &docWriter{fset: token.NewFileSet(), text: map[string]string{}, source: map[string]string{}}
	w.doc.Symbols = map[string]symbolDoc{}
	names := append(append([]string(nil), p.GoFiles...), p.CgoFiles...)
	sort.Strings(names)
	var comments []string
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return fmt.Errorf("gen: source of %s: %w", p.path, err)
		}
		w.text[name] = string(data)
		file, err := parser.ParseFile(w.fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("gen: source of %s: %w", p.path, err)
		}
		if text := file.Doc.Text(); text != "" {
			comments = append(comments, text)
		}
		for _, d := range file.Decls {
			w.decl(d)
		}
	}
	w.doc.Doc = strings.Join(comments, "\n")
	w.doc.Synopsis = new(doc.Package).Synopsis(w.doc.Doc)
	var err error
	if p.doc, err = encode(w.doc); err != nil {
		return err
	}
	p.source, err = encode(w.source)
	return err
}

// encode is json.Marshal, with <, > and & as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// either is the comment before and the one behind at the end of the line; the
// fallback is for where there is neither.
func either(before, fallback, behind *ast.CommentGroup) string {
	text := before.Text() + behind.Text()
	if text == "" {
		text = fallback.Text()
	}
	return text
}

// add notes what is said of a symbol; source may be nil.
func (w *docWriter) add(name, text string, at token.Pos, source ast.Node) {
	file := w.fset.Position(at).Filename
	w.doc.Symbols[name] = symbolDoc{Doc: text, File: file}
	if source != nil {
		from, to := w.fset.Position(source.Pos()).Offset, w.fset.Position(source.End()).Offset
		w.source[name] = w.text[file][from:to]
	}
}

func (w *docWriter) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() {
			return
		}
		name := d.Name.Name
		if d.Recv != nil {
			if len(d.Recv.List) == 0 {
				return
			}
			// Methods of unexported types count: they are reached by embedding,
			// and through exported variables and results.
			name = typeName(d.Recv.List[0].Type) + "." + name
		}
		w.add(name, d.Doc.Text(), d.Name.Pos(), withoutDoc(d))
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						w.add(name.Name, either(s.Doc, d.Doc, s.Comment), name.Pos(), s)
					}
				}
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					text := s.Doc.Text()
					if text == "" {
						text = either(d.Doc, s.Comment, nil)
					}
					w.add(s.Name.Name, text, s.Name.Pos(), s)
				}
				w.members(s.Name.Name, s.Type)
			}
		}
	}
}

// withoutDoc is the declaration from its keyword on.
func withoutDoc(d *ast.FuncDecl) ast.Node {
	c := *d
	c.Doc = nil
	return &c
}

// members adds the fields of a struct and the methods of an interface.
func (w *docWriter) members(owner string, t ast.Expr) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, f := range list.List {
		names := f.Names
		if len(names) == 0 {
			if name := typeName(f.Type); name != "" {
				names = []*ast.Ident{{NamePos: f.Type.Pos(), Name: name}}
			}
		}
		for _, name := range names {
			if !name.IsExported() {
				continue
			}
			w.add(owner+"."+name.Name, either(f.Doc, nil, f.Comment), name.Pos(), nil)
			w.members(owner+"."+name.Name, f.Type)
		}
	}
}

// typeName is the name of a receiver's or an embedded type, without package,
// pointer and type parameters; "" where it has none.
func typeName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.ParenExpr:
		return typeName(t.X)
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.IndexListExpr:
		return typeName(t.X)
	}
	return ""
}
