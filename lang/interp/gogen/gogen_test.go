package gogen

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand"
	"testing"
)

// TestWellTyped checks that what the generator writes is Go.
func TestWellTyped(t *testing.T) {
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "source", nil)
	bad := map[string]bool{}
	for seed := range int64(400) {
		src := Program(rand.New(rand.NewSource(seed)))
		f, err := parser.ParseFile(fset, "p.go", src, 0)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		conf := types.Config{Importer: imp, Error: func(err error) {
			e := err.(types.Error)
			if !bad[e.Msg] && len(bad) < 20 {
				bad[e.Msg] = true
				t.Errorf("seed %d: %v", seed, err)
			}
		}}
		conf.Check("main", fset, []*ast.File{f}, nil)
	}
}
