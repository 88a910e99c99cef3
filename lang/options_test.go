package lang

import (
	"testing"

	"github.com/fathom-kernel/fathom/stdlib/symbols"
)

// kitPackages are what cells of the tests may import when they are compiled.
var kitPackages = func() []string {
	packages := []string{rtPath}
	for _, p := range symbols.Paths() {
		if symbols.Table(p) != nil {
			packages = append(packages, p)
		}
	}
	return packages
}()

func testOptions(t testing.TB) Options {
	return Options{
		Kit: testKit(t), Importer: symbols.Importer(), Resolve: resolve, Canonical: symbols.Canonical,
		Symbols: symbols.Table, Catalog: symbolCatalog{}, Predeclared: map[string]string{"Display": "display.Display"},
	}
}

func resolve(name, member string) (string, bool) {
	if path, ok := symbols.Resolve(name, member); ok {
		return path, true
	}
	return symbols.Unique(name)
}
