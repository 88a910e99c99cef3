// Fathom is a Jupyter kernel for Go. This file puts the product together: the
// kernel, the cell language and the compiled packages know nothing of each
// other.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/kernel/command"
	"github.com/fathom-kernel/fathom/lang"
	"github.com/fathom-kernel/fathom/lang/native"
	"github.com/fathom-kernel/fathom/stdlib/display"
	"github.com/fathom-kernel/fathom/stdlib/symbols"
)

// version is that of the product, module its path.
const (
	version = "0.1.0"
	module  = "github.com/fathom-kernel/fathom"
)

func main() {
	os.Exit(command.Main(&command.Product{
		Version:   version,
		NewEngine: func() (kernel.Engine, error) { return adapter{lang.New(options())}, nil },
		Program: func(ctx context.Context, name, source string) (func(), *kernel.Error) {
			main, err := lang.New(options()).Program(ctx, name, source)
			return main, kernelError(err)
		},
		MakeKit: makeKit,
		Export:  export,
		Checks:  checks,
	}, os.Args[1:]))
}

// options is what every engine of the product has at hand.
func options() lang.Options {
	importer := symbols.Importer()
	kit, err := openKit()
	if os.Getenv("FATHOM_ENGINE") == "interp" {
		kit, err = nil, fmt.Errorf("FATHOM_ENGINE=interp turns them off")
	}
	return lang.Options{
		Importer:    importer,
		Resolve:     resolve,
		Canonical:   symbols.Canonical,
		Predeclared: map[string]string{"Display": "display.Display"},
		Symbols:     symbols.Table,
		Catalog:     catalog{},
		Kit:         kit,
		KitError:    err,
	}
}

// resolve finds the package of name.member; where no package of that name has
// the member, the error message is about the likeliest one.
func resolve(name, member string) (string, bool) {
	if path, ok := symbols.Resolve(name, member); ok {
		return path, true
	}
	return symbols.Unique(name)
}

// kitDirs are the folders where the kit for compiled cells may be: under the
// prefix that this binary is installed in, where all its users find it, and in
// the user's cache.
func kitDirs() []string {
	dirs := []string{native.DefaultDir()}
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if bin := filepath.Dir(exe); err == nil && filepath.Base(bin) == "bin" && os.Getenv("FATHOM_KIT") == "" {
		shared := filepath.Join(filepath.Dir(bin), "share", "fathom", "kit-"+native.BuildKey())
		dirs = []string{shared, dirs[0]}
	}
	return dirs
}

// openKit returns the first kit that can be used, or what is wrong with the
// first that is there.
func openKit() (*native.Kit, error) {
	var first error
	for _, dir := range kitDirs() {
		kit, err := native.OpenKit(dir)
		if err == nil {
			return kit, nil
		}
		if first == nil || errors.Is(first, fs.ErrNotExist) {
			first = err
		}
	}
	return nil, first
}

// makeKit compiles what cells are compiled against, into the first folder that
// can be written.
func makeKit(ctx context.Context, source string, progress func(string)) error {
	packages := append(symbols.Paths(), module+"/lang/cellrt")
	dirs := kitDirs()
	dir := dirs[len(dirs)-1]
	if err := os.MkdirAll(dirs[0], 0o755); err == nil {
		dir = dirs[0]
	}
	if _, err := native.MakeKit(ctx, dir, source, packages, progress); err != nil {
		return err
	}
	// Other users of the binary read it too.
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode()&0o044 != 0o044 {
			err = os.Chmod(path, info.Mode().Perm()|0o444)
		}
		return err
	})
}

// export writes a notebook as a Go module.
func export(cells []command.ExportCell, name, dir string) ([]string, error) {
	var in []lang.ExportCell
	for _, c := range cells {
		in = append(in, lang.ExportCell(c))
	}
	return lang.Export(options(), in, name, dir)
}

// checks are the language's lines of `fathom doctor`.
func checks() []command.Check {
	kit, err := openKit()
	if err != nil {
		return []command.Check{{State: command.Warn, Name: "compiled cells", Found: err.Error(), Next: "run ./install.sh in the source folder; until then cells are interpreted"}}
	}
	go1 := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		go1 = info.GoVersion
	}
	return []command.Check{{State: command.OK, Name: "compiled cells", Found: fmt.Sprintf("%d packages for %s in %s", len(kit.Archives), go1, kit.Dir)}}
}

// adapter makes a lang.Engine what the kernel wants. The two packages have
// types of their own, alike field for field, so that neither imports the other.
type adapter struct{ e *lang.Engine }

func (a adapter) Execute(ctx context.Context, cell kernel.Cell, out display.Sink) kernel.Result {
	r := a.e.Execute(ctx, lang.Cell(cell), out)
	res := kernel.Result{Err: kernelError(r.Err), Snapshot: r.Snapshot, Payload: r.Payload}
	if r.Expressions != nil {
		res.Expressions = map[string]kernel.ExpressionResult{}
		for k, v := range r.Expressions {
			res.Expressions[k] = kernel.ExpressionResult{Value: v.Value, Err: kernelError(v.Err)}
		}
	}
	return res
}

func (a adapter) Complete(ctx context.Context, code string, cursor int) kernel.Completion {
	c := a.e.Complete(ctx, code, cursor)
	out := kernel.Completion{Start: c.Start, End: c.End}
	for _, m := range c.Matches {
		out.Matches = append(out.Matches, kernel.Match(m))
	}
	return out
}

func (a adapter) Inspect(ctx context.Context, code string, cursor, detail int) display.Bundle {
	return a.e.Inspect(ctx, code, cursor, detail)
}

func (a adapter) IsComplete(code string) kernel.Completeness {
	return kernel.Completeness(a.e.IsComplete(code))
}

func (a adapter) Comm(m display.CommMessage, out display.Sink) { a.e.Comm(m, out) }

func (a adapter) Restore(ctx context.Context, snapshot []byte) ([]string, error) {
	return a.e.Restore(ctx, snapshot)
}

func (a adapter) Close() error { return a.e.Close() }

func kernelError(e *lang.Error) *kernel.Error {
	if e == nil {
		return nil
	}
	k := kernel.Error(*e)
	return &k
}

// catalog is what completion and inspection know of compiled packages.
type catalog struct{}

func (catalog) Packages() []string                { return symbols.Paths() }
func (catalog) Name(path string) string           { return symbols.Name(path) }
func (catalog) Source(path, symbol string) string { return symbols.Source(path)[symbol] }

func (catalog) Doc(path, symbol string) string {
	d := symbols.Doc(path)
	switch {
	case d == nil:
		return ""
	case symbol == "":
		return d.Doc
	}
	return d.Symbols[symbol].Doc
}
