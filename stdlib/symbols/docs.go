package symbols

import (
	"encoding/json"
	"sync"
)

// PackageDoc is what is said of a package in its source.
type PackageDoc struct {
	Synopsis string // the first sentence of Doc
	Doc      string // the package comment, without comment markers

	// Symbols has every exported object under its name, and every exported
	// method and field as "Type.Name". Types that are not exported are there as
	// owners too, since their methods are reached by embedding and through
	// results.
	Symbols map[string]SymbolDoc
}

// SymbolDoc is what is said of one object, method or field.
type SymbolDoc struct {
	Doc  string // its comment, without comment markers; "" if it has none
	File string // base name of the file that declares it
}

var docs, sources sync.Map // path to func() *PackageDoc, func() map[string]string

// Doc returns the docs of a package at hand, or nil. Read on first use (about
// 1 ms for a large package) and kept: do not modify it.
func Doc(path string) *PackageDoc { return decoded[*PackageDoc](&docs, "doc", path) }

// Source returns the source text of the package's exported declarations, by
// the names of PackageDoc.Symbols: functions and methods with their bodies,
// types, and the specs of variables and constants; no fields. Nil for packages
// that are not at hand. Read on first use and kept: do not modify it.
func Source(path string) map[string]string {
	return decoded[map[string]string](&sources, "source", path)
}

// decoded reads a JSON part of a package once.
func decoded[T any](cache *sync.Map, part, path string) (zero T) {
	read, ok := cache.Load(path)
	if !ok {
		p, group := find(path)
		if p == nil {
			return zero
		}
		read, _ = cache.LoadOrStore(path, sync.OnceValue(func() (v T) {
			r, err := open(group, part, path)
			if err != nil {
				return zero
			}
			defer r.Close()
			if json.NewDecoder(r).Decode(&v) != nil {
				return zero // the tests read every part
			}
			return v
		}))
	}
	return read.(func() T)()
}
