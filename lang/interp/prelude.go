package interp

import (
	"embed"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"sync/atomic"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// Generic functions of compiled packages have no compiled form to call. The
// prelude holds Go source of our own for them, instantiated like the unit's
// own generic functions; a few are done by the host.
//
//go:embed prelude
var preludeFiles embed.FS

var preludePaths = map[string]string{
	"slices": "prelude/slices/slices.go",
	"maps":   "prelude/maps/maps.go",
	"cmp":    "prelude/cmp/cmp.go",
	"sync":   "prelude/sync/sync.go",
	"errors": "prelude/errors/errors.go",
}

type prelude struct {
	pkg  *types.Package
	ssa  *ssa.Package
	file *ast.File
	info *types.Info
}

// isPrelude reports whether p is a package of the prelude.
func (u *unit) isPrelude(p *ssa.Package) bool {
	for _, x := range u.preludes {
		if x != nil && x.ssa == p {
			return true
		}
	}
	return false
}

// importerOf finds packages among those that the unit's packages import.
type importerOf struct{ u *unit }

func (i importerOf) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if i.u.opt.Import != nil {
		return i.u.opt.Import(path)
	}
	seen := map[*types.Package]bool{}
	var find func(p *types.Package) *types.Package
	find = func(p *types.Package) *types.Package {
		if seen[p] {
			return nil
		}
		seen[p] = true
		if p.Path() == path && p.Complete() {
			return p
		}
		for _, q := range p.Imports() {
			if r := find(q); r != nil {
				return r
			}
		}
		return nil
	}
	if p := find(i.u.Pkg); p != nil {
		return p, nil
	}
	return nil, &Refusal{Construct: "the package " + path, Why: "its description is not at hand"}
}

func (u *unit) preludeOf(path string) *prelude {
	if p, ok := u.preludes[path]; ok {
		return p
	}
	u.preludes[path] = nil
	name, ok := preludePaths[path]
	if !ok {
		return nil
	}
	text, err := preludeFiles.ReadFile(name)
	if err != nil {
		return nil
	}
	file, err := parser.ParseFile(u.Fset, "$GOROOT/src/"+path+".go", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	info := newInfo()
	conf := types.Config{Importer: importerOf{u}, GoVersion: "go1.26"}
	pkg, err := conf.Check("fathom/prelude/"+path, u.Fset, []*ast.File{file}, info)
	if err != nil {
		u.refuse(u.pos, "a generic function of "+path, "%v", err)
	}
	for _, q := range pkg.Imports() {
		if u.ssaProg.ImportedPackage(q.Path()) == nil {
			u.ssaProg.CreatePackage(q, nil, nil, true)
		}
	}
	p := &prelude{pkg: pkg, file: file, info: info}
	p.ssa = u.ssaProg.CreatePackage(pkg, []*ast.File{file}, info, false)
	u.preludes[path] = p
	p.ssa.Build()
	return p
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
}

// standIn returns the prelude's instance for an instance of a generic function
// of a compiled package, and f itself for any other function.
func (u *unit) standIn(f *ssa.Function) *ssa.Function {
	if f.Blocks != nil || f.Origin() == nil || f.Origin() == f && len(f.TypeArgs()) == 0 || u.inSource(f) {
		return f
	}
	if g := u.mapped[f]; g != nil {
		return g
	}
	o, _ := f.Origin().Object().(*types.Func)
	if o == nil || o.Pkg() == nil || o.Signature().Recv() != nil {
		return f
	}
	p := u.preludeOf(o.Pkg().Path())
	if p == nil {
		return f
	}
	mine, _ := p.pkg.Scope().Lookup(o.Name()).(*types.Func)
	if mine == nil {
		return f
	}
	g := u.instance(mine, f.TypeArgs())
	u.mapped[f] = g
	return g
}

// instance returns an instance of a generic function that has source, by way
// of a function that returns it: the SSA form has no other door.
func (u *unit) instance(f *types.Func, targs []types.Type) *ssa.Function {
	it, err := types.Instantiate(nil, f.Signature(), targs, false)
	if err != nil {
		return nil
	}
	sig := it.(*types.Signature)
	pkg := types.NewPackage("fathom/prelude/instance"+strconv.Itoa(len(u.mapped)), "instance")
	id := ast.NewIdent(f.Name())
	name := ast.NewIdent("F")
	ret := types.NewTuple(types.NewVar(token.NoPos, pkg, "", sig))
	decl := &ast.FuncDecl{
		Name: name,
		Type: &ast.FuncType{Params: &ast.FieldList{}, Results: &ast.FieldList{List: []*ast.Field{{Type: ast.NewIdent("T")}}}},
		Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{id}}}},
	}
	file := &ast.File{Name: ast.NewIdent("instance"), Decls: []ast.Decl{decl}}
	info := newInfo()
	fo := types.NewFunc(token.NoPos, pkg, "F", types.NewSignatureType(nil, nil, nil, nil, ret, false))
	info.Defs[name] = fo
	info.Uses[id] = f
	info.Types[id] = types.TypeAndValue{Type: sig}
	list := types.Instance{Type: sig}
	list.TypeArgs = typeList(targs)
	info.Instances[id] = list
	info.FileVersions[file] = "go1.26"
	p := u.ssaProg.CreatePackage(pkg, []*ast.File{file}, info, false)
	p.Build()
	for _, b := range p.Func("F").Blocks {
		for _, in := range b.Instrs {
			if r, ok := in.(*ssa.Return); ok {
				return r.Results[0].(*ssa.Function)
			}
		}
	}
	return nil
}

// typeList makes a *types.TypeList, which only go/types can, by instantiating
// a generic type.
func typeList(ts []types.Type) *types.TypeList {
	pkg := types.NewPackage("fathom/prelude/list", "list")
	n := types.NewNamed(types.NewTypeName(token.NoPos, pkg, "L", nil), types.NewStruct(nil, nil), nil)
	var ps []*types.TypeParam
	for range ts {
		ps = append(ps, types.NewTypeParam(types.NewTypeName(token.NoPos, pkg, "P", nil), types.NewInterfaceType(nil, nil)))
	}
	n.SetTypeParams(ps)
	it, err := types.Instantiate(nil, n, ts, false)
	if err != nil {
		return nil
	}
	return it.(*types.Named).TypeArgs()
}

// generic returns what the host does itself of the generic functions of
// compiled packages, or nil.
func (b *builder) generic(f *ssa.Function) callee {
	o := f.Origin()
	if f.Blocks != nil || o == nil || b.inSource(f) {
		return nil
	}
	name := fullName(o)
	if why, ok := refused[name]; ok {
		b.refuse(b.pos, "a call of "+name, "%s", why)
	}
	switch name {
	case "slices.SortFunc", "slices.SortStableFunc":
		return b.sortFunc(f, name == "slices.SortStableFunc")
	case "slices.Sort":
		return b.sortOrdered(f)
	case "slices.Grow":
		return b.grow(f)
	case "reflect.TypeFor":
		t := b.tm.rtype(f.TypeArgs()[0])
		return func(_ *gor, _ []reg, _ *frame, out []reg) {
			*(*reflect.Type)(unsafe.Pointer(&out[0].t)) = t
		}
	case "sync/atomic.Pointer.Load":
		return func(_ *gor, a []reg, _ *frame, out []reg) {
			out[0].p = unsafe.Pointer((*atomic.Pointer[byte])(a[0].p).Load())
		}
	case "sync/atomic.Pointer.Store":
		return func(_ *gor, a []reg, _ *frame, _ []reg) {
			(*atomic.Pointer[byte])(a[0].p).Store((*byte)(a[1].p))
		}
	case "sync/atomic.Pointer.Swap":
		return func(_ *gor, a []reg, _ *frame, out []reg) {
			out[0].p = unsafe.Pointer((*atomic.Pointer[byte])(a[0].p).Swap((*byte)(a[1].p)))
		}
	case "sync/atomic.Pointer.CompareAndSwap":
		return func(_ *gor, a []reg, _ *frame, out []reg) {
			putBool(&out[0], (*atomic.Pointer[byte])(a[0].p).CompareAndSwap((*byte)(a[1].p), (*byte)(a[2].p)))
		}
	}
	if g := b.standIn(f); g != f && g != nil {
		return nil
	}
	b.refuse(b.pos, "a call of "+name, "generic functions of compiled packages need a toolchain, but for those of slices, maps, cmp and a few more")
	return nil
}

// sortFunc sorts with the real algorithm, so that what compares equal ends up
// where Go puts it: it sorts the elements' numbers.
func (b *builder) sortFunc(f *ssa.Function, stable bool) callee {
	sig := f.Signature
	st := sig.Params().At(0).Type()
	elem := st.Underlying().(*types.Slice).Elem()
	cmp := b.dynamic(sig.Params().At(1).Type().Underlying().(*types.Signature))
	s := b.slotOf(elem)
	rt := b.tm.rtype(types.NewSlice(elem))
	size := rt.Elem().Size()
	return func(g *gor, a []reg, _ *frame, _ []reg) {
		n := int(a[0].b)
		old := reflect.MakeSlice(rt, n, n)
		now := a[0].value(rt, cSlice)
		reflect.Copy(old, now)
		base := old.UnsafePointer()
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		fv := a[1]
		defer func() { // after a panic of cmp too
			for i, j := range order {
				now.Index(i).Set(old.Index(j))
			}
		}()
		less := func(i, j int) int {
			args := []reg{fv, {}, {}}
			s.load(&args[1], unsafe.Add(base, uintptr(i)*size))
			s.load(&args[2], unsafe.Add(base, uintptr(j)*size))
			var out [1]reg
			cmp(g, args, nil, out[:])
			return int(out[0].b)
		}
		if stable {
			slices.SortStableFunc(order, less)
		} else {
			slices.SortFunc(order, less)
		}
	}
}

func sortAs[T interface{ ordinary | string }](_ *gor, a []reg, _ *frame, _ []reg) {
	slices.Sort(*(*[]T)(unsafe.Pointer(&a[0].p)))
}

func (b *builder) sortOrdered(f *ssa.Function) callee {
	elem := f.Signature.Params().At(0).Type().Underlying().(*types.Slice).Elem()
	switch elem.Underlying().(*types.Basic).Kind() {
	case types.Int:
		return sortAs[int]
	case types.Int8:
		return sortAs[int8]
	case types.Int16:
		return sortAs[int16]
	case types.Int32:
		return sortAs[int32]
	case types.Int64:
		return sortAs[int64]
	case types.Uint:
		return sortAs[uint]
	case types.Uint8:
		return sortAs[uint8]
	case types.Uint16:
		return sortAs[uint16]
	case types.Uint32:
		return sortAs[uint32]
	case types.Uint64:
		return sortAs[uint64]
	case types.Uintptr:
		return sortAs[uintptr]
	case types.Float32:
		return sortAs[float32]
	case types.Float64:
		return sortAs[float64]
	}
	return sortAs[string]
}

// grow is slices.Grow, whose capacities are the runtime's affair.
func (b *builder) grow(f *ssa.Function) callee {
	elem := f.Signature.Params().At(0).Type().Underlying().(*types.Slice).Elem()
	rt := b.tm.rtype(types.NewSlice(elem))
	return func(_ *gor, a []reg, _ *frame, out []reg) {
		n := int(a[1].b)
		if n < 0 {
			panic("cannot be negative")
		}
		v := reflect.New(rt).Elem()
		v.Set(a[0].value(rt, cSlice))
		if n -= v.Cap() - v.Len(); n > 0 {
			v.Grow(v.Cap() - v.Len() + n)
		}
		out[0].set(rt, cSlice, v)
	}
}
