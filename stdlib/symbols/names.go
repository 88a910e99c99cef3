package symbols

import (
	_ "embed"
	"sort"
	"strings"
	"sync"
)

// own is the folder of our packages; a cell may leave it out of an import path.
const own = "github.com/fathom-kernel/fathom/stdlib/"

//go:embed names.txt
var namesText string

// preferred is names.txt.
var preferred = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(namesText) {
		if f := strings.Fields(line); len(f) == 2 && f[0][0] != '#' {
			m[f[0]] = f[1]
		}
	}
	return m
})

// named has the paths of each package name, the preferred one first.
var named = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for _, path := range Paths() {
		m[Name(path)] = append(m[Name(path)], path)
	}
	for name, paths := range m {
		first := preferred()[name] // "-" is no path
		sort.SliceStable(paths, func(i, j int) bool { return paths[i] == first && paths[j] != first })
	}
	return m
})

// Named returns the import paths of the packages of that name, the one that is
// preferred first and the others sorted. Do not modify it.
func Named(name string) []string { return named()[name] }

// Unique returns the import path that a package name means in a cell without
// the import: the only package of that name, or the one that names.txt
// prefers. ok is false where the name is unknown or means several packages.
func Unique(name string) (path string, ok bool) {
	paths := named()[name]
	if len(paths) == 0 || len(paths) > 1 && preferred()[name] != paths[0] {
		return "", false
	}
	return paths[0], true
}

// Resolve returns the import path that name.member means in a cell without the
// import: Unique if that package exports the member, or else the only other
// package of that name that does. So rand.IntN is of math/rand/v2, rand.Intn of
// math/rand.
func Resolve(name, member string) (path string, ok bool) {
	if path, ok := Unique(name); ok && exports(path, member) {
		return path, true
	}
	for _, p := range named()[name] {
		if exports(p, member) {
			if ok {
				return "", false
			}
			path, ok = p, true
		}
	}
	return path, ok
}

// exports reports whether the package has the exported name.
func exports(path, name string) bool {
	if strings.HasPrefix(name, "_") {
		return false
	}
	p, _ := find(path)
	if p == nil {
		return false
	}
	if !p.Linked {
		types, err := Importer().Import(path)
		return err == nil && types.Scope().Lookup(name) != nil
	}
	_, isLeftOut := LeftOut(path)[name]
	_, isThere := Table(path)[name]
	return isThere || isLeftOut
}

// Canonical returns the full import path of one of our packages that is
// imported by its short path ("ring", "display/gonbui"); any other path comes
// back as it is.
func Canonical(path string) string {
	if !Has(path) && Has(own+path) {
		return own + path
	}
	return path
}

// Predeclared returns the names of our packages that every cell has without an
// import, with their import paths.
func Predeclared() map[string]string {
	m := map[string]string{}
	for _, p := range groups[0].Packages {
		if path, ok := Unique(p.Name); ok && strings.HasPrefix(path, own) {
			m[p.Name] = path
		}
	}
	return m
}
