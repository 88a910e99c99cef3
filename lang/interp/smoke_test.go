package interp

import (
	"context"
	"go/token"
	"testing"
)

func TestSmoke(t *testing.T) {
	fset := token.NewFileSet()
	u, err := loadUnit(fset, newImporter(fset), "a.go", `package main
import "fmt"
type S struct { A int; b string }
func (s S) String() string { return fmt.Sprint("S:", s.A, s.b) }
func main() {
	x := 0
	for i := 0; i < 10; i++ { x += i }
	fmt.Println(x, "hello", S{1,"x"}, []S{{2,"y"}}, map[string]S{"k":{3,"z"}})
	fmt.Printf("%T %+v\n", S{}, &S{4,"w"})
}
`, "main")
	if err != nil {
		t.Fatal(err)
	}
	debugPanics = true
	p, err := New(Options{Symbols: testSymbols}).Compile(u)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
}
