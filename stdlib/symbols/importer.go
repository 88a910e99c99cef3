package symbols

import (
	"fmt"
	"go/token"
	"go/types"
	"io"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
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
	return im.read(path, r)
}

// ImportFrom is Import; no folder has packages of its own.
func (im *TypeImporter) ImportFrom(path, dir string, mode types.ImportMode) (*types.Package, error) {
	return im.Import(path)
}

// Add reads the export data of a package that is not at hand, as go list
// -export or gcexportdata.Write gives it, with the types that it shares with
// the others. A path that was read before is returned as it is.
func (im *TypeImporter) Add(path string, r io.Reader) (*types.Package, error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if p := im.packages[path]; p != nil && p.Complete() {
		return p, nil
	}
	if Has(path) {
		return nil, fmt.Errorf("symbols: package %q is at hand; import it", path)
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
