package symbols

import (
	"bufio"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"

	"github.com/fathom-kernel/fathom/stdlib/symbols/internal/table"
)

// TypeImporter gives the type checker the packages at hand. It is a
// types.ImporterFrom, safe for use from several goroutines. The same path gives
// the same *types.Package each time, and a type that several packages mention
// is the same type in all of them.
type TypeImporter struct {
	mu       sync.Mutex
	fset     *token.FileSet
	packages map[string]*types.Package // read ones, and those that they mention
}

// NewImporter returns an importer that shares no types with any other.
func NewImporter() *TypeImporter {
	return &TypeImporter{fset: token.NewFileSet(), packages: map[string]*types.Package{"unsafe": types.Unsafe}}
}

// Importer returns the importer of the process. All checks that are to agree on
// types must use the same one.
var Importer = sync.OnceValue(NewImporter)

// Import returns the types of a package at hand, complete. It needs neither
// GOROOT nor a toolchain. The first import costs 0.1 to 5 ms; the objects have
// no positions (Doc has the file).
func (im *TypeImporter) Import(path string) (*types.Package, error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if p := im.packages[path]; p != nil && p.Complete() {
		return p, nil
	}
	p, group := find(path)
	if p == nil {
		return nil, fmt.Errorf("symbols: no package %q at hand; %s", path, instead(path))
	}
	r, err := open(group, "export", path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := im.declareConstants(p); err != nil {
		return nil, err
	}
	return im.read(path, r)
}

// declareConstants puts the package's untyped floating-point constants in
// place before its export data is read, which leaves alone what is there. The
// export format has room for 512 bits of mantissa: 1e-18 would come back as
// something else, and 1e18*1e-18 as no integer.
func (im *TypeImporter) declareConstants(p *table.Package) error {
	pkg := im.packages[p.Path]
	if pkg == nil {
		pkg = types.NewPackage(p.Path, p.Name)
		im.packages[p.Path] = pkg
	}
	for _, c := range p.Consts {
		if c.Type != types.UntypedFloat && c.Type != types.UntypedComplex || pkg.Scope().Lookup(c.Name) != nil {
			continue
		}
		v, err := c.Value()
		if err != nil {
			return fmt.Errorf("symbols: %s.%w; regenerate", p.Path, err)
		}
		pkg.Scope().Insert(types.NewConst(token.NoPos, pkg, c.Name, types.Typ[c.Type], v))
	}
	return nil
}

// ImportFrom is Import; no folder has packages of its own.
func (im *TypeImporter) ImportFrom(path, dir string, mode types.ImportMode) (*types.Package, error) {
	return im.Import(path)
}

// Add reads the export data of a package that is not at hand: an archive of
// the compiler, the file of go list -export, or what gcexportdata.Write gives.
// Types that it shares with the other packages are the same. A path that was
// read before is returned as it is. The data is trusted: what no toolchain
// wrote may end the process.
func (im *TypeImporter) Add(path string, r io.Reader) (*types.Package, error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if p := im.packages[path]; p != nil && p.Complete() {
		return p, nil
	}
	if Has(path) {
		return nil, fmt.Errorf("symbols: package %q is at hand; import it", path)
	}
	b := bufio.NewReader(r)
	if start, err := b.Peek(1); err == nil && start[0] == '!' { // an archive
		if r, err = gcexportdata.NewReader(b); err != nil {
			return nil, fmt.Errorf("symbols: types of %q: %w", path, err)
		}
	} else {
		r = b
	}
	return im.read(path, r)
}

// read decodes export data. What is written of a package names all types that
// it mentions, with their packages, so nothing else has to be read first.
func (im *TypeImporter) read(path string, r io.Reader) (*types.Package, error) {
	p, err := gcexportdata.Read(r, im.fset, im.packages, path)
	if err != nil {
		return nil, fmt.Errorf("symbols: types of %q: %w", path, err)
	}
	return p, nil
}

// instead says what to do about an import path that is not at hand.
func instead(path string) string {
	if reason := LeftOut(path)[""]; reason != "" {
		return "it is left out: " + reason
	}
	if full := Canonical(path); full != path {
		return "import " + full
	}
	name := path[strings.LastIndex(path, "/")+1:]
	if at := Named(name); len(at) > 0 {
		return "did you mean " + strings.Join(at, " or ") + "?"
	}
	return "a module of others has to be fetched first"
}
