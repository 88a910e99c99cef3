package symbols

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"regexp"
	"sort"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/gcexportdata"
)

// oracle is what the go command says of all packages at hand: the compiler's
// own export data, which none of our files has touched.
type oracle struct {
	export map[string]string // path to file
	fset   *token.FileSet
	read   map[string]*types.Package
}

var theOracle = sync.OnceValues(func() (*oracle, error) {
	args := append([]string{"list", "-deps", "-export", "-json=ImportPath,Export", "--"}, Paths()...)
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	o := &oracle{export: map[string]string{}, fset: token.NewFileSet(), read: map[string]*types.Package{"unsafe": types.Unsafe}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l struct{ ImportPath, Export string }
		if err := d.Decode(&l); err == io.EOF {
			return o, nil
		} else if err != nil {
			return nil, err
		}
		o.export[l.ImportPath] = l.Export
	}
})

// setting is a line of the manifest.
func setting(name string) string {
	for line := range strings.Lines(Manifest()) {
		if value, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), name+"="); ok {
			return value
		}
	}
	return ""
}

// sameToolchain skips where the go command is not the one of the manifest: its
// packages are others.
func sameToolchain(t *testing.T) *oracle {
	t.Helper()
	for _, name := range []string{"GOVERSION", "GOOS", "GOARCH", "CGO_ENABLED"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Skipf("absent: the go command (%v)", err)
		}
		if have, want := strings.TrimSpace(string(out)), setting(name); have != want {
			t.Skipf("absent: the toolchain of the manifest: %s is %q, not %q", name, have, want)
		}
	}
	o, err := theOracle()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Import makes the oracle a types.Importer.
func (o *oracle) Import(path string) (*types.Package, error) {
	if p := o.read[path]; p != nil && p.Complete() {
		return p, nil
	}
	f, err := os.Open(o.export[path])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(r, o.fset, o.read, path)
}

// same reports whether two objects of different importers are the same in all
// that matters.
func same(a, b types.Object) bool {
	if describe(a) != describe(b) {
		return false
	}
	if x, ok := a.(*types.Const); ok {
		return constant.Compare(x.Val(), token.EQL, b.(*types.Const).Val())
	}
	return true
}

// describe returns an object in words: its type, and of a type its structure,
// methods and type parameters.
func describe(o types.Object) string {
	return anyWord.ReplaceAllString(words(o), "interface{}") // the same, written in two ways
}

var anyWord = regexp.MustCompile(`\bany\b`)

func words(o types.Object) string {
	qualify := func(p *types.Package) string { return p.Path() }
	if c, ok := o.(*types.Const); ok {
		return "const " + c.Name() + " " + types.TypeString(c.Type(), qualify) // not the value: it has several forms
	}
	text := types.ObjectString(o, qualify)
	name, ok := o.(*types.TypeName)
	if !ok {
		return text
	}
	text += "\n" + types.TypeString(name.Type().Underlying(), qualify)
	named, ok := types.Unalias(name.Type()).(*types.Named)
	if !ok {
		return text
	}
	var methods []string
	for i := range named.NumMethods() {
		m := named.Method(i)
		methods = append(methods, fmt.Sprint(types.ObjectString(m, qualify), " ", types.TypeString(m.Signature().Recv().Type(), qualify)))
	}
	sort.Strings(methods)
	set := types.NewMethodSet(types.NewPointer(named))
	for i := range set.Len() {
		methods = append(methods, set.At(i).String())
	}
	return text + "\n" + strings.Join(methods, "\n")
}

// exported returns the exported objects of a package.
func exported(p *types.Package) []types.Object {
	var list []types.Object
	for _, name := range p.Scope().Names() {
		if token.IsExported(name) {
			list = append(list, p.Scope().Lookup(name))
		}
	}
	return list
}
