package lang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fathom-kernel/fathom/lang/interp/gogen"
)

// TestDifferential runs random programs as cells, compiled and interpreted,
// and compares them with what `go build` makes of them. The body of each
// program's entry function becomes the statements of a cell, so that its
// variables are session variables. The process has room for some thousand
// interpreted methods, so this file comes last, and refusals are counted. It goes on for $FATHOM_FUZZ, one batch at
// least; the seed is printed.
func TestDifferential(t *testing.T) {
	testKit(t)
	limit, err := time.ParseDuration(os.Getenv("FATHOM_FUZZ"))
	if err != nil {
		limit = 0
	}
	seed := time.Now().UnixNano()
	if s := os.Getenv("FATHOM_SEED"); s != "" {
		fmt.Sscan(s, &seed)
	}
	fmt.Printf("TestDifferential: FATHOM_SEED=%d\n", seed)
	begin := time.Now()
	compiledCells, interpretedCells, refusals := 0, 0, 0
	for batch := int64(0); batch == 0 || time.Since(begin) < limit; batch++ {
		rng := rand.New(rand.NewSource(seed + batch))
		var bodies []string
		for i := range 40 {
			bodies = append(bodies, gogen.Body(rng, fmt.Sprintf("p%d", i)))
		}
		want := oracle(t, bodies)
		nativeBook, interpBook := newNotebook(t), newNotebook(t)
		nativeBook.e.plan = planNative
		interpBook.e.plan = planInterp
		for i, body := range bodies {
			cell := asCell(t, body, fmt.Sprintf("p%d_entry", i))
			for _, n := range []*notebook{nativeBook, interpBook} {
				// Compiling takes a hundred times as long: do it for every tenth.
				if n == nativeBook && i%10 != int(batch%10) {
					continue
				}
				out, _, cerr := n.run(cell)
				got := out
				switch {
				case cerr == nil:
				case cerr.Name == "Panic":
					got += "panic\n"
				case n == interpBook && strings.Contains(cerr.Value, "the interpreter does not run"):
					refusals++
					continue
				default:
					t.Fatalf("seed %d, program %d:\n%s\n%s", seed+batch, i, cerr.Plain(), cell)
				}
				if got != want[i] {
					t.Fatalf("seed %d, program %d, compiled %v:\n%s\n--- wants\n%s\n--- gives\n%s", seed+batch, i, n == nativeBook, cell, want[i], got)
				}
				if n == nativeBook {
					compiledCells++
				} else {
					interpretedCells++
				}
			}
		}
		nativeBook.e.Close()
		interpBook.e.Close()
	}
	t.Logf("%d compiled and %d interpreted cells do what the program does; %d were refused", compiledCells, interpretedCells, refusals)
}

// oracle returns what each program prints when it is built by the go command;
// a panic is the line "panic".
func oracle(t *testing.T, bodies []string) []string {
	t.Helper()
	var b strings.Builder
	b.WriteString(gogen.Header)
	for _, body := range bodies {
		b.WriteString(body)
	}
	b.WriteString("\nfunc guard(f func()) {\n\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tfmt.Println(\"panic\")\n\t\t}\n\t\tfmt.Println(\"== end\")\n\t}()\n\tf()\n}\n\nfunc main() {\n")
	for i := range bodies {
		fmt.Fprintf(&b, "\tguard(p%d_entry)\n", i)
	}
	b.WriteString("}\n")
	dir := t.TempDir()
	file, exe := filepath.Join(dir, "main.go"), filepath.Join(dir, "main")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", exe, file).CombinedOutput(); err != nil {
		t.Fatalf("%s\n%s", out, b.String())
	}
	out, err := exec.Command(exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(out), "== end\n")
	if len(parts) != len(bodies)+1 {
		t.Fatalf("%d outputs of %d programs", len(parts)-1, len(bodies))
	}
	return parts[:len(bodies)]
}

// asCell turns a program's text into a cell: its declarations, and the body of
// its entry function as statements.
func asCell(t *testing.T, body, entry string) string {
	t.Helper()
	src := "package main\n" + body
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Name.Name != entry {
			continue
		}
		at := func(p token.Pos) int { return fset.Position(p).Offset }
		decls := src[len("package main\n"):at(fd.Pos())] + src[at(fd.End()):]
		return decls + src[at(fd.Body.Lbrace)+1:at(fd.Body.Rbrace)]
	}
	t.Fatalf("no %s in\n%s", entry, body)
	return ""
}
