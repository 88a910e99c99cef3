package display

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// Every exported function has an Example that is run, and a sentence that says
// what it does; so has every exported method but those of an interface.
func TestEveryFunctionHasAnExample(t *testing.T) {
	fset := token.NewFileSet()
	names, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	examples := map[string]bool{}
	var funcs []*ast.FuncDecl
	for _, n := range names {
		if !strings.HasSuffix(n.Name(), ".go") {
			continue
		}
		f, err := parser.ParseFile(fset, n.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(n.Name(), "_test.go") {
			for _, e := range doc.Examples(f) {
				examples[e.Name] = e.Output != "" || examples[e.Name]
			}
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() {
				funcs = append(funcs, fn)
			}
		}
	}
	if len(funcs) < 40 {
		t.Fatalf("only %d functions found", len(funcs))
	}
	for _, fn := range funcs {
		if fn.Recv == nil {
			if !examples[fn.Name.Name] {
				t.Errorf("%s has no Example with an Output", fn.Name.Name)
			}
			if !strings.HasPrefix(fn.Doc.Text(), fn.Name.Name+" ") {
				t.Errorf("%s has no docstring that begins with its name", fn.Name.Name)
			}
		} else if fn.Doc == nil && ast.IsExported(receiver(fn)) {
			t.Errorf("%s.%s has no docstring", receiver(fn), fn.Name.Name)
		}
	}
}

func receiver(fn *ast.FuncDecl) string {
	e := fn.Recv.List[0].Type
	if s, ok := e.(*ast.StarExpr); ok {
		e = s.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
