package interp

import (
	"go/token"
	"math/rand"
	"testing"

	"github.com/fathom-kernel/fathom/lang/interp/gogen"
)

// TestCore holds that the random programs use every operation of the machine.
func TestCore(t *testing.T) {
	seen := map[string]bool{}
	seenOp = func(name string) { seen[name] = true }
	defer func() { seenOp = nil }()
	fset := token.NewFileSet()
	imp := newImporter(fset)
	for seed := range int64(3) {
		u, err := loadUnit(fset, imp, "p.go", gogen.Batch(rand.New(rand.NewSource(seed)), 60), "main")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(Options{Symbols: testSymbols, Import: imp.Import}).Compile(u); err != nil {
			t.Fatal(err)
		}
	}
	for name := range core {
		if !seen[name] {
			t.Errorf("no random program has the operation %s", name)
		}
	}
}
