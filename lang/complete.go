package lang

import (
	"context"
	"go/types"
	"sort"
	"strings"
	"unicode/utf8"
)

// Completion is what could stand at the cursor: each match replaces
// code[Start:End].
type Completion struct {
	Start, End int
	Matches    []Match
}

// Match is one thing that could be completed to.
type Match struct {
	Text      string
	Kind      string // "function", "variable", "field", "method", "type", "constant", "package", "keyword", "snippet"
	Signature string
}

// Catalog is what is known of the packages that cells may import.
type Catalog interface {
	// Packages returns the import paths, sorted.
	Packages() []string
	// Name returns the package name of an import path.
	Name(path string) string
	// Doc returns the doc comment of a symbol, "Name" or "Type.Member", and of
	// the package where that is "".
	Doc(path, symbol string) string
	// Source returns the source text of a symbol's declaration, "" where it is
	// not known.
	Source(path, symbol string) string
}

// noCatalog knows nothing.
type noCatalog struct{}

func (noCatalog) Packages() []string           { return nil }
func (noCatalog) Name(string) string           { return "" }
func (noCatalog) Doc(string, string) string    { return "" }
func (noCatalog) Source(string, string) string { return "" }

func (e *Engine) catalog() Catalog {
	if e.opt.Catalog == nil {
		return noCatalog{}
	}
	return e.opt.Catalog
}

// maxMatches bounds an answer: nobody reads more.
const maxMatches = 1000

// Complete lists what could stand at the cursor, a byte offset: best fit to the
// type that is wanted there first, then the nearest scope, then by name. It
// does not wait for a running cell. A cell of usual size takes 1 to 20 ms.
func (e *Engine) Complete(ctx context.Context, code string, cursor int) Completion {
	cursor = clamp(code, cursor)
	if from, to := around(code, cursor); to-from < len(code) {
		c := e.Complete(ctx, code[from:to], cursor-from)
		c.Start, c.End = c.Start+from, c.End+from
		return c
	}
	src := clean(code)
	if c, ok := e.completeMagic(src, cursor); ok {
		return c
	}
	src = e.blankMagics(src)
	if lineStart := strings.LastIndexByte(src[:cursor], '\n') + 1; strings.TrimSpace(src[lineStart:cursor]) == "" && strings.TrimSpace(code[lineStart:cursor]) != "" {
		return Completion{Start: cursor, End: cursor} // a magic's own text
	}
	s := look(src, cursor)
	c := Completion{Start: s.start, End: s.end}
	if s.none && !s.path {
		c.Start, c.End = cursor, cursor
		return c
	}
	l := &lister{prefix: s.prefix, e: e, cat: e.catalog(), next: nextByte(src, s.end), seen: map[string]bool{}}
	switch {
	case s.path:
		l.importPaths()
	case strings.TrimSpace(src[strings.LastIndexByte(src[:s.start], '\n')+1:s.start]) == "package":
		l.add(0, 0, "main", "package", nil)
	case afterBlockOfIf(src, s.start):
		l.keyword(0, "else")
	default:
		p := e.probe(src, s.start, s.end)
		if p == nil {
			return c
		}
		l.p = p
		l.src, l.at = src, s.start
		l.list()
	}
	if ctx.Err() != nil {
		return c
	}
	c.Matches = l.sorted()
	return c
}

// nextByte returns the byte after white space at the offset, 0 at the end of
// the line.
func nextByte(src string, at int) byte {
	rest := strings.TrimLeft(src[at:], " \t")
	if rest == "" || rest[0] == '\n' {
		return 0
	}
	return rest[0]
}

// lister collects candidates.
type lister struct {
	e      *Engine
	p      *probe
	cat    Catalog
	prefix string
	next   byte // what follows the word
	src    string
	at     int
	want   want

	found []candidate
	seen  map[string]bool
}

// candidate is a match with what it is ranked by.
type candidate struct {
	Match
	fit  int
	near int // 0 for the innermost scope
	loud bool
}

// Distances of scopes, for what is not in a function's own blocks.
const (
	nearSession  = 100
	nearMember   = 110 // of another package, where its type is wanted
	nearImport   = 120
	nearUniverse = 140
	nearKeyword  = 150
	nearCatalog  = 160
)

// matches reports whether the name could be what the prefix begins, and whether
// the case of the letters agrees.
func (l *lister) matches(name string) (ok, exact bool) {
	if strings.HasPrefix(name, l.prefix) {
		return true, true
	}
	// Folding may change the length of a letter.
	i := 0
	for _, want := range l.prefix {
		r, n := utf8.DecodeRuneInString(name[i:])
		if n == 0 || !strings.EqualFold(string(want), string(r)) {
			return false, false
		}
		i += n
	}
	return true, false
}

// add offers a name, unless a nearer one hides it.
func (l *lister) add(fit, near int, name, kind string, signature func() string) {
	ok, exact := l.matches(name)
	if !ok || l.seen[name] || name == "_" || strings.Contains(name, mark) {
		return
	}
	l.seen[name] = true
	m := Match{Text: name, Kind: kind}
	if signature != nil {
		m.Signature = signature()
	}
	l.found = append(l.found, candidate{m, fit, near, !exact})
}

func (l *lister) keyword(fit int, words ...string) {
	for _, w := range words {
		l.add(fit, nearKeyword, w, "keyword", nil)
	}
}

// object offers an object under its name, or under one that qualifies it.
func (l *lister) object(o types.Object, near int, name string) {
	if o == nil || strings.Contains(o.Name(), mark) {
		return
	}
	if ok, _ := l.matches(name); !ok || l.seen[name] {
		return
	}
	if _, isType := o.(*types.TypeName); !isType && l.want.typeName {
		return
	}
	fit := l.fit(o)
	l.add(fit, near, name, kindOf(o), func() string { return signatureOf(o) })
	if f, ok := o.(*types.Func); ok {
		l.snippet(f, fit, near, name)
	}
}

// fit ranks an object for the place at the cursor.
func (l *lister) fit(o types.Object) int {
	switch o := o.(type) {
	case *types.TypeName:
		if l.want.called || l.next == '{' && !l.want.typeName {
			return max(l.want.fitsType(o.Type()), fitNone)
		}
		return l.want.fitsType(o.Type())
	case *types.PkgName, *types.Builtin, *types.Label:
		return fitNone
	case *types.Nil:
		for _, t := range l.want.types {
			if types.AssignableTo(o.Type(), t) && !isAny(t) {
				return fitConvert
			}
		}
		return fitNone
	}
	if l.want.typeName {
		return fitNone
	}
	return l.want.fits(o.Type())
}

// sorted returns the matches in order.
func (l *lister) sorted() []Match {
	sort.SliceStable(l.found, func(i, j int) bool {
		a, b := &l.found[i], &l.found[j]
		switch {
		case a.fit != b.fit:
			return a.fit > b.fit
		case a.loud != b.loud:
			return b.loud
		case a.near != b.near:
			return a.near < b.near
		case a.Text != b.Text:
			x, y := strings.ToLower(a.Text), strings.ToLower(b.Text)
			if x != y {
				return x < y
			}
			return a.Text < b.Text
		}
		return false
	})
	var out []Match
	for _, c := range l.found {
		if len(out) == maxMatches {
			break
		}
		out = append(out, c.Match)
	}
	return out
}

// kindOf returns the kind of a match.
func kindOf(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		if o.Signature().Recv() != nil {
			return "method"
		}
		return "function"
	case *types.Builtin:
		return "function"
	case *types.TypeName:
		return "type"
	case *types.Const, *types.Nil:
		return "constant"
	case *types.PkgName:
		return "package"
	case *types.Label:
		return "keyword"
	case *types.Var:
		if o.IsField() {
			return "field"
		}
	}
	return "variable"
}
