// Fathom is a Jupyter kernel for Go. This file puts the product together: the
// kernel, the cell language and the compiled packages know nothing of each
// other.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/kernel/command"
	"github.com/fathom-kernel/fathom/lang"
	"github.com/fathom-kernel/fathom/lang/native"
	"github.com/fathom-kernel/fathom/stdlib/symbols"
)

// version is that of the product.
const version = "0.1.0"

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
	kit, err := native.OpenKit(native.DefaultDir())
	if err != nil {
		kit = nil
	}
	if os.Getenv("FATHOM_ENGINE") == "interp" {
		kit, err = nil, fmt.Errorf("FATHOM_ENGINE=interp turns them off")
	}
	return lang.Options{
		Importer:    importer,
		Resolve:     resolve,
		Canonical:   symbols.Canonical,
		Predeclared: map[string]string{"Display": "display.Display"},
		Symbols:     symbols.Table,
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

// makeKit compiles what cells are compiled against.
func makeKit(ctx context.Context, source string, progress func(string)) error {
	packages := append(symbols.Paths(), "github.com/fathom-kernel/fathom/lang/cellrt")
	_, err := native.MakeKit(ctx, native.DefaultDir(), source, packages, progress)
	return err
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
	kit, err := native.OpenKit(native.DefaultDir())
	if err != nil {
		return []command.Check{{State: command.Warn, Name: "compiled cells", Found: err.Error(), Next: "run ./install.sh in the source folder; until then cells are interpreted"}}
	}
	go1 := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		go1 = info.GoVersion
	}
	return []command.Check{{State: command.OK, Name: "compiled cells", Found: fmt.Sprintf("%d packages for %s in %s", len(kit.Archives), go1, kit.Dir)}}
}
