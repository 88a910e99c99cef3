package symbols

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// Every exported object, and every exported method and field of a type, has an
// entry.
func TestDocsHaveEverything(t *testing.T) {
	entries, withText := 0, 0
	for _, path := range Paths() {
		p, err := Importer().Import(path)
		if err != nil {
			t.Fatal(err)
		}
		d, source := Doc(path), Source(path)
		if d == nil || source == nil {
			t.Errorf("%s has no docs or no source", path)
			continue
		}
		if d.Doc == "" || d.Synopsis == "" {
			if !strings.HasPrefix(path, own) { // ours may be under way
				t.Errorf("%s: doc %q, synopsis %q", path, d.Doc, d.Synopsis)
			}
		}
		entry := func(name string) {
			entries++
			s, ok := d.Symbols[name]
			if !ok || !strings.HasSuffix(s.File, ".go") {
				t.Errorf("%s.%s: %+v", path, name, s)
			}
			if s.Doc != "" {
				withText++
			}
		}
		for _, object := range exported(p) {
			entry(object.Name())
			if source[object.Name()] == "" {
				t.Errorf("%s.%s has no source", path, object.Name())
			}
			name, ok := object.(*types.TypeName)
			if !ok || name.IsAlias() {
				continue
			}
			if named, ok := name.Type().(*types.Named); ok {
				for m := range named.Methods() {
					if m.Exported() {
						entry(name.Name() + "." + m.Name())
						if source[name.Name()+"."+m.Name()] == "" {
							t.Errorf("%s.%s.%s has no source", path, name.Name(), m.Name())
						}
					}
				}
			}
		}
	}
	if entries < 14000 || withText < entries*7/10 {
		t.Errorf("only %d entries, %d with text", entries, withText)
	}
	t.Logf("%d entries, %d with text", entries, withText)
}

// The texts are those that go/doc finds in the source.
func TestDocsAgreeWithGoDoc(t *testing.T) {
	sameToolchain(t)
	texts := 0
	for _, path := range []string{"fmt", "strings", "net/http", "go/ast", "math", "sync/atomic", "time", "os"} {
		pkg, err := build.Import(path, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		var files []*ast.File
		for _, name := range append(pkg.GoFiles, pkg.CgoFiles...) {
			f, err := parser.ParseFile(fset, filepath.Join(pkg.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		want, err := doc.NewFromFiles(fset, files, path)
		if err != nil {
			t.Fatal(err)
		}
		have := Doc(path)
		if have.Doc != want.Doc || have.Synopsis != want.Synopsis(want.Doc) {
			t.Errorf("%s: %q", path, have.Synopsis)
		}
		is := func(name, text string) {
			texts++
			if have.Symbols[name].Doc != text {
				t.Errorf("%s.%s: %q, not %q", path, name, have.Symbols[name].Doc, text)
			}
		}
		funcs := want.Funcs
		for _, typ := range want.Types {
			is(typ.Name, typ.Doc)
			funcs = append(funcs, typ.Funcs...)
			for _, m := range typ.Methods {
				if m.Level == 0 { // else promoted, and noted under its owner
					is(typ.Name+"."+m.Name, m.Doc)
				}
			}
		}
		for _, f := range funcs {
			is(f.Name, f.Doc)
		}
	}
	if texts < 800 {
		t.Errorf("only %d texts compared", texts)
	}
}

func TestFieldsAndElements(t *testing.T) {
	for _, c := range []struct{ path, name, begins string }{
		{"net/http", "Server.Handler", "handler to invoke"},
		{"net/http", "Handler.ServeHTTP", ""},
		{"io", "EOF", "EOF is the error returned"},
		{"math", "Pi", "https://oeis.org/A000796"},
		{"os", "O_RDONLY", "Exactly one of O_RDONLY, O_WRONLY, or O_RDWR must be specified.\nopen the file read-only."},
		{"reflect", "Type.Name", "Name returns the type's name"},
		{"os", "O_WRONLY", "open the file write-only."},
		{"time", "Monday", ""},
		{"unsafe", "Sizeof", "Sizeof takes an expression"},
		{"gonum.org/v1/gonum/optimize", "Settings.MajorIterations", "MajorIterations is the maximum"},
		{"sync/atomic", "Pointer.Store", "Store atomically stores"},
	} {
		if s, ok := Doc(c.path).Symbols[c.name]; !ok || !strings.HasPrefix(s.Doc, c.begins) {
			t.Errorf("%s.%s: %v %q", c.path, c.name, ok, s.Doc)
		}
	}
	if Doc("nowhere") != nil || Source("nowhere") != nil {
		t.Error("docs of a package that is not there")
	}
}

// Every source text is Go.
func TestSourceParses(t *testing.T) {
	for _, path := range Paths() {
		for name, text := range Source(path) {
			ok := false
			for _, before := range []string{"", "type ", "var ", "const (\nx = 1\n"} {
				after := ""
				if strings.Contains(before, "(") {
					after = "\n)"
				}
				if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+before+text+after, parser.SkipObjectResolution); err == nil {
					ok = true
					break
				}
			}
			if !ok {
				t.Errorf("%s.%s: %q", path, name, text)
			}
		}
	}
}
