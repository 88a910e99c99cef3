package interp

import (
	"fmt"
	"go/types"
	"hash/fnv"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A forged type is a type of the process that the engine made: a named type,
// an interface, or a struct that reflect cannot make. It lives for ever, as
// all types do.
type forged struct {
	rt      *abiType
	typ     types.Type
	methods map[string]*method // by name, of the type itself (not of its pointer)
}

// forgedTypes finds the methods of a type that some unit forged, by its
// description: unexported methods too, which reflect does not call.
var forgedTypes sync.Map // *abiType -> *forged

var forgeCount atomic.Uint32

func newHash() uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, "fathom", forgeCount.Add(1))
	return h.Sum32()
}

var headers = map[reflect.Kind]reflect.Type{
	reflect.Struct:    reflect.TypeFor[abiStruct](),
	reflect.Pointer:   reflect.TypeFor[abiElem](),
	reflect.Slice:     reflect.TypeFor[abiElem](),
	reflect.Array:     reflect.TypeFor[abiArray](),
	reflect.Chan:      reflect.TypeFor[abiChan](),
	reflect.Func:      reflect.TypeFor[abiFunc](),
	reflect.Map:       reflect.TypeFor[abiMap](),
	reflect.Interface: reflect.TypeFor[abiInterface](),
}

// newType allocates a description of the kind with room for n methods and, for
// a function, its parameters. It returns the description, its uncommon part,
// its methods and its parameters.
func newType(k reflect.Kind, n, params int) (*abiType, *abiUncommon, []abiMethod, []*abiType) {
	head := headers[k]
	if head == nil {
		head = reflect.TypeFor[abiType]()
	}
	t := reflect.New(reflect.StructOf([]reflect.StructField{
		{Name: "H", Type: head},
		{Name: "U", Type: reflect.TypeFor[abiUncommon]()},
		{Name: "P", Type: reflect.ArrayOf(params, reflect.TypeFor[*abiType]())},
		{Name: "M", Type: reflect.ArrayOf(n, reflect.TypeFor[abiMethod]())},
	})).Elem()
	u := (*abiUncommon)(t.Field(1).Addr().UnsafePointer())
	m := t.Field(3)
	u.mcount = uint16(n)
	u.moff = uint32(t.Type().Field(3).Offset - t.Type().Field(1).Offset)
	ps := t.Field(2).Slice(0, params).Interface().([]*abiType)
	return (*abiType)(t.Addr().UnsafePointer()), u, m.Slice(0, n).Interface().([]abiMethod), ps
}

// shape returns a type with the memory layout of t, pointers and all, which
// names none of the types that t may refer to by pointer.
func (tm *typeMap) shape(t types.Type) reflect.Type {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicTypes[u.Kind()]
	case *types.Slice:
		return reflect.TypeFor[[]byte]()
	case *types.Interface:
		return reflect.TypeFor[any]()
	case *types.Array:
		return reflect.ArrayOf(int(u.Len()), tm.shape(u.Elem()))
	case *types.Struct:
		if n, ok := types.Unalias(t).(*types.Named); ok {
			if rt := tm.compiled(n); rt != nil {
				return rt
			}
		}
		fs := make([]reflect.StructField, u.NumFields())
		for i := range fs {
			fs[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: tm.shape(u.Field(i).Type())}
		}
		return reflect.StructOf(fs)
	}
	return reflect.TypeFor[unsafe.Pointer]()
}

// forge makes the process's type for t: a named type, an interface with
// methods, or a struct with embedded or blank fields.
func (tm *typeMap) forge(t types.Type) reflect.Type {
	named, _ := t.(*types.Named)
	if named != nil && named.TypeArgs() != nil && named.Obj().Pkg().Path() != tm.unitPath {
		// Its fields may have types that only its package names; nobody
		// else meets them.
		tm.loose++
		defer func() { tm.loose-- }()
	}
	under := t.Underlying()
	if named != nil && localToGeneric(named) {
		panic(&Refusal{Pos: named.Obj().Pos(), Construct: "the type " + named.Obj().Name(), Why: "it is declared inside a generic function, where the interpreter cannot tell its name"})
	}
	var sel []*types.Selection
	_, isIface := under.(*types.Interface)
	if !isIface {
		sel = tm.methodsOf(t)
	}
	params := 0
	if f, ok := under.(*types.Signature); ok {
		params = f.Params().Len() + f.Results().Len()
	}
	sh := tm.shape(t)
	kind := sh.Kind()
	switch under.(type) {
	case *types.Pointer:
		kind = reflect.Pointer
	case *types.Map:
		kind = reflect.Map
	case *types.Chan:
		kind = reflect.Chan
	case *types.Signature:
		kind = reflect.Func
	}
	rt, un, ms, ps := newType(kind, len(sel), params)
	shrt := abiOf(sh)
	switch kind {
	case reflect.Struct:
		*(*abiStruct)(unsafe.Pointer(rt)) = *(*abiStruct)(unsafe.Pointer(shrt))
	case reflect.Array:
		*(*abiArray)(unsafe.Pointer(rt)) = *(*abiArray)(unsafe.Pointer(shrt))
	default:
		*rt = *shrt
	}
	rt.kind = uint8(kind)
	rt.hash = newHash()
	rt.ptrToThis = 0
	name := tm.typeString(t)
	rt.str = nameRef(name, true)
	rt.tflag &= flagDirectIface | flagRegular | 1<<4
	rt.tflag |= flagUncommon
	un.pkg = nameRef(tm.unitPath, true)
	if named != nil {
		rt.tflag |= flagNamed
		if p := named.Obj().Pkg(); p != nil {
			un.pkg = nameRef(p.Path(), true)
		}
	}
	switch {
	case !types.Comparable(t):
		rt.equal = nil
		rt.tflag &^= flagRegular
	case kind == reflect.Struct:
		rt.tflag &^= flagRegular
		st := (*abiStruct)(unsafe.Pointer(rt))
		st2 := under.(*types.Struct)
		blank := make([]bool, st2.NumFields())
		for i := range blank {
			blank[i] = st2.Field(i).Name() == "_"
		}
		rt.equal = func(p, q unsafe.Pointer) bool {
			for i := range st.fields {
				f := &st.fields[i]
				if !blank[i] && !f.typ.equal(unsafe.Add(p, f.offset), unsafe.Add(q, f.offset)) {
					return false
				}
			}
			return true
		}
	case kind == reflect.Interface:
		if under.(*types.Interface).NumMethods() > 0 {
			rt.equal = ifaceEqual
		}
	}
	r := typeOf(rt)
	f := &forged{rt: rt, typ: t, methods: map[string]*method{}}
	tm.m.Set(t, r)
	tm.keep(f)

	// The pointer type carries methods too.
	if !isIface {
		psel := tm.methodsOf(types.NewPointer(t))
		prt, pun, pms, _ := newType(reflect.Pointer, len(psel), 0)
		*prt = *abiOf(reflect.TypeFor[*unsafe.Pointer]())
		prt.str = nameRef("*"+name, true)
		prt.hash = newHash()
		prt.tflag = flagUncommon | flagRegular | flagDirectIface
		prt.ptrToThis = 0
		(*abiElem)(unsafe.Pointer(prt)).elem = rt
		pun.pkg = un.pkg
		rt.ptrToThis = addReflectOff(unsafe.Pointer(prt))
		pf := &forged{rt: prt, typ: types.NewPointer(t), methods: map[string]*method{}}
		tm.keep(pf)
		tm.later(func() { tm.fillMethods(pf, psel, pun, pms) })
	}
	tm.fill(rt, under, ps)
	if !isIface {
		tm.later(func() { tm.fillMethods(f, sel, un, ms) })
	}
	return r
}

func ifaceEqual(p, q unsafe.Pointer) bool {
	return asAny((*reg0)(p), true) == asAny((*reg0)(q), true)
}

// fill gives a forged type its content.
func (tm *typeMap) fill(rt *abiType, under types.Type, ps []*abiType) {
	switch u := under.(type) {
	case *types.Struct:
		st := (*abiStruct)(unsafe.Pointer(rt))
		// The layout is the shape's; a fresh slice, since the shape is shared.
		fs := make([]abiField, len(st.fields))
		for i := range fs {
			v := u.Field(i)
			fs[i] = abiField{
				name:   newName(v.Name(), u.Tag(i), v.Exported(), v.Embedded()),
				typ:    abiOf(tm.rtype(v.Type())),
				offset: st.fields[i].offset,
			}
			if !v.Exported() {
				st.pkg = newName(v.Pkg().Path(), "", false, false)
			}
		}
		st.fields = fs
		if rt.tflag&flagNamed == 0 {
			rt.str = nameRef(structString(u, fs), true)
		}
	case *types.Array:
		a := (*abiArray)(unsafe.Pointer(rt))
		real := tm.rtype(u.Elem())
		n := a.n
		whole := reflect.ArrayOf(int(n), real)
		a.elem, a.slice = abiOf(real), abiOf(reflect.SliceOf(real))
		a.equal = abiOf(whole).equal
	case *types.Pointer:
		(*abiElem)(unsafe.Pointer(rt)).elem = abiOf(tm.rtype(u.Elem()))
	case *types.Slice:
		(*abiElem)(unsafe.Pointer(rt)).elem = abiOf(tm.rtype(u.Elem()))
	case *types.Chan:
		real := (*abiChan)(unsafe.Pointer(abiOf(tm.rtype(u))))
		c := (*abiChan)(unsafe.Pointer(rt))
		c.elem, c.dir = real.elem, real.dir
	case *types.Map:
		real := (*abiMap)(unsafe.Pointer(abiOf(tm.rtype(u))))
		head := *rt
		m := (*abiMap)(unsafe.Pointer(rt))
		*m = *real
		m.abiType = head
		m.equal = nil
	case *types.Signature:
		real := abiOf(tm.rtype(u))
		f := (*abiFunc)(unsafe.Pointer(rt))
		rf := (*abiFunc)(unsafe.Pointer(real))
		f.in, f.out = rf.in, rf.out
		r := typeOf(real)
		for i := range ps {
			if i < r.NumIn() {
				ps[i] = abiOf(r.In(i))
			} else {
				ps[i] = abiOf(r.Out(i - r.NumIn()))
			}
		}
	case *types.Interface:
		it := (*abiInterface)(unsafe.Pointer(rt))
		ms := make([]*types.Func, u.NumMethods())
		for i := range ms {
			ms[i] = u.Method(i)
		}
		sort.Slice(ms, func(i, j int) bool { return methodLess(ms[i], ms[j]) })
		for _, m := range ms {
			it.methods = append(it.methods, abiImethod{
				name: nameRef(m.Name(), m.Exported()),
				typ:  addReflectOff(unsafe.Pointer(abiOf(tm.rtype(stripRecv(m.Type().(*types.Signature)))))),
			})
			it.pkg = newName(tm.unitPath, "", false, false)
			if m.Pkg() != nil {
				it.pkg = newName(m.Pkg().Path(), "", false, false)
			}
		}
		if rt.tflag&flagNamed == 0 {
			var b strings.Builder
			b.WriteString("interface {")
			for i, m := range ms {
				if i > 0 {
					b.WriteByte(';')
				}
				b.WriteByte(' ')
				if !m.Exported() {
					b.WriteString(m.Pkg().Name() + ".")
				}
				b.WriteString(m.Name() + strings.TrimPrefix(tm.rtype(stripRecv(m.Signature())).String(), "func"))
			}
			b.WriteString(" }")
			rt.str = nameRef(b.String(), true)
		}
	}
}

// structString is how the runtime prints an unnamed struct type.
func structString(u *types.Struct, fs []abiField) string {
	var b strings.Builder
	b.WriteString("struct {")
	for i, f := range fs {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteByte(' ')
		if v := u.Field(i); !v.Embedded() {
			b.WriteString(v.Name() + " ")
		}
		b.WriteString(typeOf(f.typ).String())
		if tag := u.Tag(i); tag != "" {
			b.WriteString(" " + strconv.Quote(tag))
		}
	}
	if len(fs) > 0 {
		b.WriteByte(' ')
	}
	b.WriteByte('}')
	return b.String()
}

func stripRecv(s *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
}

// methodLess is the order in which the runtime wants methods.
func methodLess(a, b types.Object) bool {
	if a.Exported() != b.Exported() {
		return a.Exported()
	}
	return a.Name() < b.Name()
}

// methodsOf returns the methods of a type that is no interface, promoted ones
// included, in the runtime's order.
func (tm *typeMap) methodsOf(t types.Type) []*types.Selection {
	set := types.NewMethodSet(t)
	var ms []*types.Selection
	for i := range set.Len() {
		s := set.At(i)
		o := s.Obj().(*types.Func)
		// An unexported method promoted from a compiled package is for that
		// package alone.
		if o.Signature().TypeParams().Len() == 0 && (o.Exported() || o.Pkg().Path() == tm.unitPath) {
			ms = append(ms, s)
		}
	}
	sort.Slice(ms, func(i, j int) bool { return methodLess(ms[i].Obj(), ms[j].Obj()) })
	return ms
}

// method is a method of a forged type.
type method struct {
	sel *types.Selection
	fn  *fn
}

var stubs struct {
	sync.Mutex
	n int
}

// fillMethods gives a forged type its methods: entries that compiled code can
// call, each in front of a function of the machine.
func (tm *typeMap) fillMethods(f *forged, sel []*types.Selection, un *abiUncommon, ms []abiMethod) {
	for i, s := range sel {
		m := &method{sel: s}
		f.methods[s.Obj().Name()] = m
		obj := s.Obj().(*types.Func)
		sig := stripRecv(obj.Signature())
		ft := tm.rtype(sig)
		if obj.Exported() {
			un.xcount++
		}
		word := tm.stub(m, f, ft, true)
		whole := word
		if f.rt.tflag&flagDirectIface == 0 {
			whole = tm.stub(m, f, ft, false)
		}
		ms[i] = abiMethod{
			name: nameRef(obj.Name(), obj.Exported()),
			mtyp: addReflectOff(unsafe.Pointer(abiOf(ft))),
			ifn:  word, tfn: whole,
		}
		tm.needMethod(m)
	}
}

// stub returns the text offset of a new method entry. The receiver comes as
// the data word of an interface, or whole.
func (tm *typeMap) stub(m *method, f *forged, ft reflect.Type, word bool) int32 {
	in := []reflect.Type{reflect.TypeFor[unsafe.Pointer]()}
	recv := typeOf(f.rt)
	if !word {
		in[0] = recv
	}
	for i := range ft.NumIn() {
		in = append(in, ft.In(i))
	}
	var out []reflect.Type
	for i := range ft.NumOut() {
		out = append(out, ft.Out(i))
	}
	direct := f.rt.tflag&flagDirectIface != 0
	fv := reflect.MakeFunc(reflect.FuncOf(in, out, ft.IsVariadic()), func(args []reflect.Value) []reflect.Value {
		if word {
			p := args[0].UnsafePointer()
			if direct {
				args[0] = reflect.NewAt(recv, unsafe.Pointer(&p)).Elem()
			} else {
				args[0] = reflect.NewAt(recv, p).Elem()
			}
		}
		return m.fn.callBack(nil, args)
	})
	stubs.Lock()
	defer stubs.Unlock()
	if stubs.n >= maxStubs {
		panic(&Refusal{Construct: "a type with methods", Why: "this process has no room for more interpreted methods; restart the session"})
	}
	p := reflect.New(fv.Type())
	p.Elem().Set(fv)
	stubTable[stubs.n] = *(*unsafe.Pointer)(p.UnsafePointer())
	off := addReflectOff(stubEntry(stubs.n))
	stubs.n++
	return off
}

// typeString is how the runtime prints the type: packages by name, and type
// arguments by path.
func (tm *typeMap) typeString(t types.Type) string {
	named, ok := t.(*types.Named)
	if !ok {
		return types.TypeString(t, func(p *types.Package) string { return p.Name() })
	}
	var b strings.Builder
	if p := named.Obj().Pkg(); p != nil {
		b.WriteString(p.Name() + ".")
	}
	b.WriteString(named.Obj().Name())
	if args := named.TypeArgs(); args != nil {
		b.WriteByte('[')
		for i := range args.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(types.TypeString(args.At(i), func(p *types.Package) string { return p.Path() }))
		}
		b.WriteByte(']')
	}
	return b.String()
}

// localToGeneric reports whether a type is declared inside a generic function:
// each instance of the function has a type of its own.
func localToGeneric(n *types.Named) bool {
	if n.Obj().Parent() == nil && n.Obj().Pkg() != nil && n.Origin() == n {
		return true // made by the instantiation of the function
	}
	for s := n.Obj().Parent(); s != nil && s.Parent() != types.Universe; s = s.Parent() {
		for _, name := range s.Names() {
			if o, ok := s.Lookup(name).(*types.TypeName); ok {
				if _, ok := o.Type().(*types.TypeParam); ok {
					return true
				}
			}
		}
	}
	return false
}
