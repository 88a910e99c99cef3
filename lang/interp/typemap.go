package interp

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
	"unsafe"

	"golang.org/x/tools/go/types/typeutil"
)

var basicTypes = map[types.BasicKind]reflect.Type{
	types.Bool:          reflect.TypeFor[bool](),
	types.Int:           reflect.TypeFor[int](),
	types.Int8:          reflect.TypeFor[int8](),
	types.Int16:         reflect.TypeFor[int16](),
	types.Int32:         reflect.TypeFor[int32](),
	types.Int64:         reflect.TypeFor[int64](),
	types.Uint:          reflect.TypeFor[uint](),
	types.Uint8:         reflect.TypeFor[uint8](),
	types.Uint16:        reflect.TypeFor[uint16](),
	types.Uint32:        reflect.TypeFor[uint32](),
	types.Uint64:        reflect.TypeFor[uint64](),
	types.Uintptr:       reflect.TypeFor[uintptr](),
	types.Float32:       reflect.TypeFor[float32](),
	types.Float64:       reflect.TypeFor[float64](),
	types.Complex64:     reflect.TypeFor[complex64](),
	types.Complex128:    reflect.TypeFor[complex128](),
	types.String:        reflect.TypeFor[string](),
	types.UnsafePointer: reflect.TypeFor[unsafe.Pointer](),
	types.UntypedBool:   reflect.TypeFor[bool](),
	types.UntypedInt:    reflect.TypeFor[int](),
	types.UntypedRune:   reflect.TypeFor[rune](),
	types.UntypedFloat:  reflect.TypeFor[float64](),
	types.UntypedString: reflect.TypeFor[string](),
	types.UntypedNil:    reflect.TypeFor[unsafe.Pointer](),
}

// typeMap gives the process's type of each type of a unit.
type typeMap struct {
	unitPath   string
	types      map[*types.TypeName]reflect.Type
	symbols    func(string) map[string]reflect.Value
	m          typeutil.Map // types.Type -> reflect.Type
	keep       func(*forged)
	needMethod func(*method)
	queue      []func()
	depth      int
	loose      int // inside a generic type of a compiled package
}

// later runs f when the type being made is whole.
func (tm *typeMap) later(f func()) { tm.queue = append(tm.queue, f) }

// rtype returns the process's type of t. It panics with a *Refusal where there
// is none.
func (tm *typeMap) rtype(t types.Type) reflect.Type {
	t = types.Unalias(t)
	if b, ok := t.(*types.Basic); ok {
		if r := basicTypes[b.Kind()]; r != nil {
			return r
		}
	}
	if r := tm.m.At(t); r != nil {
		return r.(reflect.Type)
	}
	tm.depth++
	r := tm.make(t)
	tm.depth--
	tm.m.Set(t, r)
	for tm.depth == 0 && len(tm.queue) > 0 {
		f := tm.queue[0]
		tm.queue = tm.queue[1:]
		f()
	}
	return r
}

func (tm *typeMap) make(t types.Type) reflect.Type {
	switch t := t.(type) {
	case *types.Named:
		if r := tm.compiled(t); r != nil {
			return r
		}
		if p := t.Obj().Pkg(); tm.loose == 0 && p != nil && p.Path() != tm.unitPath && t.TypeArgs() == nil && tm.symbols(p.Path()) != nil {
			panic(&Refusal{Pos: t.Obj().Pos(), Construct: "the type " + t.String(), Why: "the compiled package does not export it"})
		}
		return tm.forge(t)
	case *types.Pointer:
		return reflect.PointerTo(tm.rtype(t.Elem()))
	case *types.Slice:
		return reflect.SliceOf(tm.rtype(t.Elem()))
	case *types.Array:
		return reflect.ArrayOf(int(t.Len()), tm.rtype(t.Elem()))
	case *types.Map:
		return reflect.MapOf(tm.rtype(t.Key()), tm.rtype(t.Elem()))
	case *types.Chan:
		dir := map[types.ChanDir]reflect.ChanDir{types.SendRecv: reflect.BothDir, types.SendOnly: reflect.SendDir, types.RecvOnly: reflect.RecvDir}[t.Dir()]
		elem := tm.rtype(t.Elem())
		if elem.Size() >= 1<<16 {
			panic(&Refusal{Construct: "the type " + t.String(), Why: "its elements are too large for a channel"})
		}
		return reflect.ChanOf(dir, elem)
	case *types.Signature:
		var in, out []reflect.Type
		for v := range t.Params().Variables() {
			in = append(in, tm.rtype(v.Type()))
		}
		for v := range t.Results().Variables() {
			out = append(out, tm.rtype(v.Type()))
		}
		if len(in)+len(out) > 100 {
			panic(&Refusal{Construct: "a function type with over 100 parameters", Why: "the interpreter cannot make it"})
		}
		return reflect.FuncOf(in, out, t.Variadic())
	case *types.Interface:
		if t.NumMethods() == 0 {
			return reflect.TypeFor[any]()
		}
		return tm.forge(t)
	case *types.Struct:
		fs := make([]reflect.StructField, t.NumFields())
		for i := range fs {
			v := t.Field(i)
			if v.Embedded() || v.Name() == "_" {
				return tm.forge(t)
			}
			fs[i] = reflect.StructField{Name: v.Name(), Type: tm.rtype(v.Type()), Tag: reflect.StructTag(t.Tag(i))}
			if !v.Exported() {
				fs[i].PkgPath = v.Pkg().Path()
			}
		}
		return reflect.StructOf(fs)
	case *types.Tuple:
		return reflect.TypeFor[struct{}]()
	}
	panic(&Refusal{Construct: fmt.Sprintf("the type %s", t), Why: "the interpreter has no such type"})
}

// compiled returns the compiled type of a named type, or nil.
func (tm *typeMap) compiled(t *types.Named) reflect.Type {
	o := t.Obj()
	if o.Pkg() == nil {
		if o.Name() == "error" {
			return reflect.TypeFor[error]()
		}
		return nil
	}
	if t.TypeArgs() != nil {
		return nil
	}
	if r := tm.types[o]; r != nil {
		return r
	}
	if o.Pkg().Path() == tm.unitPath || o.Parent() != o.Pkg().Scope() {
		return nil
	}
	if v, ok := tm.symbols(o.Pkg().Path())[o.Name()]; ok && v.IsValid() && v.Kind() == reflect.Pointer && v.Type().Elem().Name() == o.Name() {
		return v.Type().Elem()
	}
	return nil
}

// learn notes the compiled types that go with t, where a compiled signature
// shows them: types that their package does not export have no other name.
func (tm *typeMap) learn(t types.Type, r reflect.Type) {
	t = types.Unalias(t)
	if tm.m.At(t) != nil {
		return
	}
	switch t := t.(type) {
	case *types.Named:
		if t.Obj().Pkg() != nil && (strings.HasSuffix(r.Name(), "]") || r.Name() == t.Obj().Name()) && t.Obj().Pkg().Path() != tm.unitPath {
			if tm.compiled(t) == nil {
				tm.m.Set(t, r)
			}
		}
	case *types.Pointer:
		if r.Kind() == reflect.Pointer {
			tm.learn(t.Elem(), r.Elem())
		}
	case *types.Slice:
		if r.Kind() == reflect.Slice {
			tm.learn(t.Elem(), r.Elem())
		}
	case *types.Chan:
		if r.Kind() == reflect.Chan {
			tm.learn(t.Elem(), r.Elem())
		}
	case *types.Signature:
		tm.learnSignature(t, r, 0)
	}
}

func (tm *typeMap) learnSignature(s *types.Signature, r reflect.Type, recv int) {
	if r.Kind() != reflect.Func || r.NumIn() != s.Params().Len()+recv || r.NumOut() != s.Results().Len() {
		return
	}
	for i := range s.Params().Len() {
		tm.learn(s.Params().At(i).Type(), r.In(i+recv))
	}
	for i := range s.Results().Len() {
		tm.learn(s.Results().At(i).Type(), r.Out(i))
	}
}
