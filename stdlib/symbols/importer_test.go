package symbols

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Every exported object of every package is what the compiler says it is.
func TestTypesAgreeWithTheCompiler(t *testing.T) {
	o := sameToolchain(t)
	objects := 0
	for _, path := range Paths() {
		want, err := o.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		have, err := Importer().Import(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if have.Name() != want.Name() || have.Path() != want.Path() || !have.Complete() {
			t.Errorf("%s: package %s %s, complete %v", path, have.Name(), have.Path(), have.Complete())
		}
		if a, b := len(exported(have)), len(exported(want)); a != b {
			t.Errorf("%s: %d exported objects, not %d", path, a, b)
		}
		for _, w := range exported(want) {
			objects++
			h := have.Scope().Lookup(w.Name())
			if h == nil {
				t.Errorf("%s.%s is missing", path, w.Name())
			} else if h.Pos().IsValid() {
				t.Errorf("%s.%s has a position, which is of no file", path, w.Name())
			} else if !same(h, w) {
				t.Errorf("%s.%s is\n%s\n%v\nnot\n%s\n%v", path, w.Name(), describe(h), h, describe(w), w)
			}
		}
	}
	if objects < 10000 {
		t.Errorf("only %d objects compared", objects)
	}
}

// thirty uses 30 packages and more, their generic functions and types too.
const thirty = `package p
import (
	"bufio"; "bytes"; "cmp"; "context"; "crypto/sha256"; "encoding/csv"; "encoding/json"; "errors"; "fmt"; "image/color"
	"io"; "iter"; "maps"; "math"; "math/big"; "math/cmplx"; "math/rand/v2"; "net/http"; "os"; "path/filepath"
	"reflect"; "regexp"; "slices"; "sort"; "strconv"; "strings"; "sync"; "sync/atomic"; "text/template"; "time"
	"unicode/utf8"; "unique"; "unsafe"
	"gonum.org/v1/gonum/graph/simple"; "gonum.org/v1/gonum/mat"; "gonum.org/v1/gonum/optimize"; "gonum.org/v1/gonum/stat"; "gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot"; "gonum.org/v1/plot/plotter"; "gonum.org/v1/plot/vg"
	"github.com/fathom-kernel/fathom/stdlib/display"
)
type point struct { X, Y float64 }
func (p point) String() string { return fmt.Sprint(p.X, p.Y) }
var counter atomic.Pointer[point]
func seq() iter.Seq2[string, int] { return maps.All(map[string]int{"a": 1}) }
func work(ctx context.Context, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() { err = errors.Join(err, ctx.Err()) }()
	s := slices.SortedFunc(maps.Keys(map[string]int{"b": 2}), strings.Compare)
	slices.SortFunc(s, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	sort.Sort(sort.Reverse(sort.StringSlice(s)))
	x := mat.NewDense(2, 2, []float64{1, 2, 3, rand.Float64()})
	var q mat.QR
	q.Factorize(x.T())
	res, err := optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { return math.Hypot(x[0], x[1]) }}, []float64{1, 1}, nil, &optimize.NelderMead{})
	if err != nil { return fmt.Errorf("minimize: %w", err) }
	fmt.Fprintln(w, stat.Mean(res.X, nil), distuv.UnitNormal.CDF(0), cmplx.Abs(1i), big.NewInt(math.MaxInt64).String(), utf8.RuneLen('x'))
	g := simple.NewWeightedUndirectedGraph(0, math.Inf(1))
	g.AddNode(g.NewNode())
	p := plot.New()
	line, err := plotter.NewLine(plotter.XYs{{X: 1, Y: 2}})
	line.Color = color.RGBA{R: 255}
	line.Width = vg.Points(2)
	p.Add(line)
	counter.Store(&point{1, 2})
	fmt.Println(counter.Load().String(), unique.Make("x").Value(), unsafe.Sizeof(x), reflect.TypeFor[point]().Name())
	for k, v := range seq() { fmt.Println(k, strconv.Itoa(v)) }
	var once = sync.OnceValue(func() time.Duration { return time.Since(time.Now()) })
	_ = once().Seconds()
	b := bufio.NewScanner(io.TeeReader(r.Body, new(bytes.Buffer)))
	for b.Scan() { fmt.Printf("%x", sha256.Sum256(b.Bytes())) }
	records, _ := csv.NewReader(strings.NewReader("a,b")).ReadAll()
	data, _ := json.Marshal(records)
	os.WriteFile(filepath.Join("a", "b"), data, 0o644)
	template.Must(template.New("x").Parse("{{.}}")).Execute(w, regexp.MustCompile("a+").FindAllString("aa", -1))
	var bundle display.Bundle
	_ = bundle
	return nil
}
`

func check(t *testing.T, fset *token.FileSet, file *ast.File, importer types.Importer) *types.Info {
	t.Helper()
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}}
	if _, err := (&types.Config{Importer: importer}).Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	return info
}

func TestProgramOfThirtyPackages(t *testing.T) {
	o := sameToolchain(t)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", thirty, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Imports) < 30 {
		t.Fatalf("%d packages", len(file.Imports))
	}
	have, want := check(t, fset, file, NewImporter()), check(t, fset, file, o)
	if len(have.Uses) != len(want.Uses) || len(have.Types) != len(want.Types) || len(have.Instances) != len(want.Instances) {
		t.Errorf("%d uses, %d types, %d instances; want %d, %d, %d",
			len(have.Uses), len(have.Types), len(have.Instances), len(want.Uses), len(want.Types), len(want.Instances))
	}
	for id, w := range want.Uses {
		if h := have.Uses[id]; h == nil || !same(h, w) {
			t.Errorf("%s: %s is %v, not %v", fset.Position(id.Pos()), id.Name, h, w)
		}
	}
	for e, w := range want.Types {
		if h := have.Types[e]; h.Type == nil || h.Type.String() != w.Type.String() || (h.Value == nil) != (w.Value == nil) {
			t.Errorf("%s: type %v, not %v", fset.Position(e.Pos()), h.Type, w.Type)
		}
	}
}

// Goroutines that import all packages in different orders get the same ones.
func TestImporterOnManyGoroutines(t *testing.T) {
	im, paths := NewImporter(), Paths()
	results := make([]map[string]*types.Package, 4)
	var wait sync.WaitGroup
	for i := range results {
		wait.Add(1)
		go func() {
			defer wait.Done()
			order := slices.Clone(paths)
			at := i * len(order) / len(results)
			order = append(order[at:], order[:at]...)
			if i%2 == 1 {
				slices.Reverse(order)
			}
			results[i] = map[string]*types.Package{}
			for _, path := range order {
				p, err := im.ImportFrom(path, "/nowhere", 0)
				if err != nil {
					t.Error(err)
					return
				}
				p.Scope().Names()
				results[i][path] = p
			}
		}()
	}
	wait.Wait()
	for _, path := range paths {
		for i := range results {
			if results[i][path] != results[0][path] || results[i][path] == nil {
				t.Errorf("%s differs between goroutines", path)
			}
		}
	}
	// One type, whichever package mentions it.
	lookup := func(path, name string) types.Type {
		p, err := im.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		return p.Scope().Lookup(name).Type()
	}
	returned := lookup("net/http", "Get").(*types.Signature).Results().At(0).Type().(*types.Pointer).Elem()
	if returned != lookup("net/http", "Response") {
		t.Error("http.Get returns another Response")
	}
	body := returned.Underlying().(*types.Struct)
	for i := range body.NumFields() {
		if f := body.Field(i); f.Name() == "Body" && f.Type() != lookup("io", "ReadCloser") {
			t.Error("http.Response.Body is another io.ReadCloser")
		}
	}
}

// Neither GOROOT, nor a go command, nor a home is needed.
func TestImportWithoutToolchain(t *testing.T) {
	if os.Getenv("FATHOM_BARE") != "" {
		for _, path := range Paths() {
			if _, err := Importer().Import(path); err != nil {
				t.Error(err)
			}
			if Doc(path) == nil || Source(path) == nil {
				t.Errorf("%s: no docs or source", path)
			}
		}
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestImportWithoutToolchain$", "-test.v")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"FATHOM_BARE=1", "GOROOT=/nonexistent", "PATH=/nonexistent"}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestImportErrors(t *testing.T) {
	for path, want := range map[string]string{
		"time/tzdata":      "left out: no exported names",
		"internal/abi":     "left out: internal",
		"ring":             "import github.com/fathom-kernel/fathom/stdlib/ring",
		"encode/json":      "did you mean encoding/json?",
		"example.com/what": "has to be fetched",
		"":                 "no package",
		"../x\x00":         "no package",
	} {
		p, err := Importer().Import(path)
		if p != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("import %q: %v, %v; want %q", path, p, err, want)
		}
	}
}

// A package of others shares its types with those at hand.
func TestAdd(t *testing.T) {
	o := sameToolchain(t)
	im := NewImporter()
	const path = "net/http/internal" // any package that is not at hand
	f, err := os.Open(o.export[path])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := im.Add(path, f)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := im.Import("io")
	if err != nil {
		t.Fatal(err)
	}
	got := p.Scope().Lookup("NewChunkedReader").Type().(*types.Signature).Params().At(0).Type()
	if got != reader.Scope().Lookup("Reader").Type() {
		t.Error("the added package has its own io.Reader")
	}
	if again, err := im.Add(path, strings.NewReader("")); again != p || err != nil {
		t.Errorf("added again: %v, %v", again, err)
	}
	if again, err := im.Import(path); again != p || err != nil {
		t.Errorf("imported: %v, %v", again, err)
	}
	if _, err := im.Add("fmt", strings.NewReader("")); err == nil {
		t.Error("fmt could be replaced")
	}
	for _, bad := range []string{"", "x", "i\x00", "i\xff\xff\xff\xff", "u"} {
		if _, err := im.Add("example.com/bad", strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// The first import of a package in a process, the archive being open.
func BenchmarkImport(b *testing.B) {
	for _, path := range []string{"fmt", "net/http", "gonum.org/v1/gonum/mat", "gonum.org/v1/plot/plotter"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				if _, err := NewImporter().Import(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
