package lang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"sync"
)

// rtSource is what the type checker knows of cellrt: just what script rules
// write. The package itself is no business of a user's completion list.
const rtSource = `package cellrt
import ("context"; "time")
func Context() context.Context
func Check0(err error)
func Check1[A any](a A, err error) A
func Check2[A, B any](a A, b B, err error) (A, B)
func Check3[A, B, C any](a A, b B, c C, err error) (A, B, C)
func Check4[A, B, C, D any](a A, b B, c C, d D, err error) (A, B, C, D)
func Check5[A, B, C, D, E any](a A, b B, c C, d D, e E, err error) (A, B, C, D, E)
func Show(values ...any)
func Reach(n int32)
func Print(a ...any) (int, error)
func Println(a ...any) (int, error)
func Printf(format string, a ...any) (int, error)
func Sleep(d time.Duration)
func OSExit(code int)
func LogFatal(v ...any)
func LogFatalf(format string, v ...any)
func LogFatalln(v ...any)
type Exact string
var Used []any
`

// importerWithRT imports cellrt from its stub.
type importerWithRT struct{ types.Importer }

var (
	rtMu    sync.Mutex
	rtStubs = map[types.Importer]*types.Package{}
)

func (i importerWithRT) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if path != rtPath {
		return i.Importer.Import(path)
	}
	rtMu.Lock()
	defer rtMu.Unlock()
	if p := rtStubs[i.Importer]; p != nil {
		return p, nil
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "cellrt", rtSource, 0)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: i.Importer, IgnoreFuncBodies: true, Error: func(error) {}}
	p, _ := conf.Check(rtPath, fset, []*ast.File{f}, nil)
	rtStubs[i.Importer] = p
	return p, nil
}
