package lang

import (
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"sort"
	"strings"
	"sync"
)

// declKind is what a live declaration declares.
type declKind int

const (
	funcDecl declKind = iota
	methodDecl
	typeDecl
	constDecl
)

// decl is a declaration of an earlier cell that is still in force: its source,
// what it means, and what it needs.
type decl struct {
	kind       declKind
	name       string   // f, T; T.m for a method
	names      []string // of a const group, all that it declares
	recv       string   // of a method, the name of its type
	cell       *text
	start, end int    // in cell.Code
	prefix     string // "type " where the spec was cut out of a group

	edits   []edit            // how the compiled text differs from the source
	uses    map[string]bool   // session names that it mentions
	deps    []*decl           // what those names meant when it was checked
	vars    []*variable       // session variables that it uses
	methods []*decl           // of a type
	imports map[string]string // packages that it names: name -> path
	dots    []string          // dot imports that it needs

	obj     types.Object            // of a func or a type
	objs    map[string]types.Object // of a const group
	ready   <-chan struct{}         // closed when compiling it in the background has ended
	value   reflect.Value           // of a compiled func
	rtype   reflect.Type            // of a compiled type
	version int                     // of a type: how many of that name there were before it, plus one
}

// variable is a session variable.
type variable struct {
	name string
	id   int // unique in the session; a new type makes a new variable
	typ  types.Type
	obj  *types.Var
	cell *text
	ptr  reflect.Value // *T; the variable itself, wherever it was made
}

// session is what a notebook's cells have declared so far.
type session struct {
	vars    map[string]*variable
	decls   map[string]*decl // by name; "T.m" for methods
	imports map[string]string
	dots    []string
	broken  map[string]string // declarations that no longer type-check: name -> why
	nextVar int
	byObj   map[types.Object]*decl
}

// numbers are those that the whole process must not use twice: of units, and of
// the types of each name, since compiled types are known by name to all.
var numbers struct {
	sync.Mutex
	unit     int
	versions map[string]int
}

func nextUnit() int {
	numbers.Lock()
	defer numbers.Unlock()
	numbers.unit++
	return numbers.unit
}

func nextVersion(name string) int {
	numbers.Lock()
	defer numbers.Unlock()
	if numbers.versions == nil {
		numbers.versions = map[string]int{}
	}
	numbers.versions[name]++
	return numbers.versions[name]
}

func newSession() *session {
	return &session{
		vars:    map[string]*variable{},
		decls:   map[string]*decl{},
		imports: map[string]string{},
		broken:  map[string]string{},
		byObj:   map[types.Object]*decl{},
	}
}

// has reports whether the name means something in the session.
func (s *session) has(name string) bool {
	if _, ok := s.vars[name]; ok {
		return true
	}
	_, ok := s.decls[name]
	return ok
}

// methods returns the live methods of a type, sorted by name.
func (s *session) methods(typeName string) []*decl {
	var ms []*decl
	for _, d := range s.decls {
		if d.kind == methodDecl && d.recv == typeName {
			ms = append(ms, d)
		}
	}
	sort.Slice(ms, func(i, j int) bool { return ms[i].name < ms[j].name })
	return ms
}

// all returns every live declaration once, in a fixed order.
func (s *session) all() []*decl {
	seen := map[*decl]bool{}
	var ds []*decl
	for _, name := range sortedKeys(s.decls) {
		if d := s.decls[name]; !seen[d] {
			seen[d] = true
			ds = append(ds, d)
		}
	}
	return ds
}

// dependents returns the live declarations that use one of the names, directly
// or not. A method belongs to its type: a type with a changed method is a
// changed type, and its other methods go with it.
func (s *session) dependents(names map[string]bool) map[*decl]bool {
	changed := map[string]bool{}
	for n := range names {
		changed[n] = true
	}
	found := map[*decl]bool{}
	for again := true; again; {
		again = false
		for _, d := range s.all() {
			if found[d] {
				continue
			}
			hit := d.kind == methodDecl && changed[d.recv]
			for n := range d.uses {
				hit = hit || changed[n]
			}
			if !hit {
				continue
			}
			found[d] = true
			again = true
			switch d.kind {
			case methodDecl:
				changed[d.recv] = true
				if t := s.decls[d.recv]; t != nil && !names[d.recv] {
					found[t] = true
				}
			case constDecl:
				for _, n := range d.names {
					changed[n] = true
				}
			default:
				changed[d.name] = true
			}
		}
	}
	return found
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// changed returns the items of a cell without the declarations that the session
// has already, to the letter, with all that they depend on: running a cell of
// functions and types again changes nothing, so values keep their types.
func (s *session) changed(t *text, items []item) []item {
	same := map[int][]string{} // item -> names
	fresh := map[string]bool{}
	for i, it := range items {
		names := itemNames(t.Code[it.start:it.end])
		ok := it.kind == funcItem || it.kind == typeItem || it.kind == constItem
		for _, n := range names {
			d := s.decls[n]
			ok = ok && d != nil && d.prefix == "" && d.cell.Code[d.start:d.end] == t.Code[it.start:it.end]
		}
		if ok && len(names) > 0 {
			same[i] = names
			continue
		}
		for _, n := range names {
			fresh[n] = true
		}
	}
	// What depends on a name that the cell declares anew is new as well; a
	// type and its methods are one.
	for again := true; again; {
		again = false
		for i, names := range same {
			for _, n := range names {
				d := s.decls[n]
				stale := d.kind == methodDecl && (fresh[d.recv] || s.decls[d.recv] == nil)
				for u := range d.uses {
					stale = stale || fresh[u]
				}
				for f := range fresh {
					recv, _, isMethod := strings.Cut(f, ".")
					stale = stale || isMethod && (recv == n || d.kind == methodDecl && d.recv == recv)
				}
				if stale {
					delete(same, i)
					for _, n := range names {
						fresh[n] = true
					}
					again = true
					break
				}
			}
		}
	}
	var rest []item
	for i, it := range items {
		if same[i] == nil {
			rest = append(rest, it)
		}
	}
	return rest
}

// itemNames returns the names that an item's text declares.
func itemNames(src string) []string {
	f, _ := parser.ParseFile(token.NewFileSet(), "", "package p;"+src, parser.SkipObjectResolution)
	if f == nil {
		return nil
	}
	var names []string
	for _, d := range f.Decls {
		names = append(names, declaredNames(d)...)
	}
	return names
}

// addImports keeps the cell's imports for later cells.
func (s *session) addImports(c *checker) {
	for _, m := range []map[string]string{c.auto, c.imports} {
		for n, p := range m {
			s.imports[n] = p
			if _, explicit := c.imports[n]; explicit {
				delete(s.vars, n)
				delete(s.decls, n)
			}
		}
	}
	s.dots = append(s.dots, c.dots...)
}
