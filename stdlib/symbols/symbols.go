// Package symbols holds what cells know of compiled packages: the standard
// library, gonum, gonum/plot and our own packages under stdlib.
//
// Of each package it has the reflect table (what an interpreter calls), the
// types (what go/types needs to import it, without GOROOT and without a Go
// toolchain), the docs and the source text of exported declarations. All of it
// is generated in one run from packages.txt, and all of it is read on first
// use: nothing runs at process start, however many packages there are.
//
// All is made on linux/amd64. The packages have the same names elsewhere, but
// for syscall, which has a table on that system only. The manifest says with
// which version of Go and of the modules it was made.
//
//go:generate go run ./gen
package symbols

import (
	_ "embed"
	"path"
	"reflect"
	"sort"
	"strings"
	"sync"

	"github.com/fathom-kernel/fathom/stdlib/symbols/internal/fathom"
	"github.com/fathom-kernel/fathom/stdlib/symbols/internal/gonum"
	"github.com/fathom-kernel/fathom/stdlib/symbols/internal/std"
	"github.com/fathom-kernel/fathom/stdlib/symbols/internal/table"
)

// groups are the archives, in the order in which a package name is looked up.
var groups = [...]table.Group{fathom.Group(), std.Group(), gonum.Group()}

//go:embed leftout.txt
var leftOut string

//go:embed manifest.txt
var manifest string

// find returns the package and its group, or nil.
func find(path string) (*table.Package, int) {
	for i := range groups {
		list := groups[i].Packages
		if at := sort.Search(len(list), func(i int) bool { return list[i].Path >= path }); at < len(list) && list[at].Path == path {
			return list[at], i
		}
	}
	return nil, -1
}

// Paths returns the import paths of all packages at hand, sorted. The slice is
// the caller's.
func Paths() []string {
	var paths []string
	for _, g := range groups {
		for _, p := range g.Packages {
			paths = append(paths, p.Path)
		}
	}
	sort.Strings(paths)
	return paths
}

// Has reports whether the package is at hand: its types and docs, and its
// reflect table unless Table says otherwise.
func Has(path string) bool {
	p, _ := find(path)
	return p != nil
}

// Name returns the package name of an import path, "" where it is not at hand.
func Name(path string) string {
	p, _ := find(path)
	if p == nil {
		return ""
	}
	return p.Name
}

var tables sync.Map // path to func() map[string]reflect.Value

// Table returns the exported symbols of the package by name: functions and
// typed constants as they are, variables addressable, types T as a nil *T,
// untyped constants as the exact constant.Value. For an interface I that other
// packages can implement, "_I" is a struct with a field IValue of type any and
// one function field WM for each method M, which implements I: a form in which
// an interpreter can pass its values as compiled interfaces.
//
// It is nil for packages that are not at hand, and for the few that are not
// linked (LeftOut has the reason). Built on first use, in some 10 µs to 1 ms,
// and kept: do not modify it. Generic functions and types are not in it;
// LeftOut lists them.
func Table(path string) map[string]reflect.Value {
	build, ok := tables.Load(path)
	if !ok {
		p, _ := find(path)
		if p == nil || !p.Linked {
			return nil
		}
		build, _ = tables.LoadOrStore(path, sync.OnceValue(func() map[string]reflect.Value {
			m, err := p.Symbols()
			if err != nil {
				return nil // the tests decode every table
			}
			return m
		}))
	}
	return build.(func() map[string]reflect.Value)()
}

// Exports returns Table under the import path, a slash and the package name, as
// interpreters that hold several tables take it. It is nil where Table is.
func Exports(importPath string) map[string]map[string]reflect.Value {
	t := Table(importPath)
	if t == nil {
		return nil
	}
	return map[string]map[string]reflect.Value{path.Join(importPath, Name(importPath)): t}
}

// omissions is leftout.txt: reasons by package and name, under "" for a whole
// package.
var omissions = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for line := range strings.Lines(leftOut) {
		what, reason, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			continue // a comment
		}
		slash := strings.LastIndex(what, "/")
		p, name, named := what, "", false
		if dot := strings.LastIndex(what, "."); dot > slash {
			p, name, named = what[:dot], what[dot+1:], true
		}
		if named && !Has(p) {
			p, name = what, "" // a dot in the last element of the path
		}
		if all[p] == nil {
			all[p] = map[string]string{}
		}
		all[p][name] = reason
	}
	return all
})

// LeftOut returns why names of the package are not in its Table, by name. Under
// "" is the reason where the package is left out, or has no table, be it on
// other systems than linux/amd64 only. The
// names are those of generic functions and types, constraints, and wrappers
// ("_I") of interfaces that no other package can implement.
func LeftOut(path string) map[string]string { return omissions()[path] }

// Manifest returns what the tables were made with, a line each: NAME=VALUE for
// settings of the go command that change what it builds (GOVERSION, GOOS,
// GOARCH, CGO_ENABLED, …), and "module version sum" for the modules of the
// packages. A package that a plugin shares with the process must be built from
// the same. The flags of the process itself are in debug.ReadBuildInfo.
func Manifest() string { return manifest }
