package lang

import (
	"go/types"
	"strings"
)

// signatureOf describes an object in a line: the signature that a cell needs of
// a function, the type of a variable, the value of a constant.
func signatureOf(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		return "func" + signatureText(shortSignature(o.Signature()))
	case *types.Const:
		return typeText(o.Type()) + " = " + o.Val().String()
	case *types.TypeName:
		if o.IsAlias() {
			return "= " + typeText(types.Unalias(o.Type()))
		}
		return typeKind(o.Type())
	case *types.PkgName:
		return o.Imported().Path()
	case *types.Builtin:
		return builtinSignature[o.Name()]
	case *types.Nil, *types.Label:
		return ""
	}
	return typeText(o.Type())
}

// signatureText writes a signature without the word func, parameters of one
// type in a row together.
func signatureText(sig *types.Signature) string {
	text := tupleText(sig.Params(), sig.Variadic())
	switch r := sig.Results(); {
	case r.Len() == 1 && r.At(0).Name() == "":
		text += " " + typeText(r.At(0).Type())
	case r.Len() > 0:
		text += " " + tupleText(r, false)
	}
	if sig.TypeParams().Len() > 0 {
		whole := typeText(sig) // func[T any](…
		if i := strings.IndexByte(whole, ']'); strings.HasPrefix(whole, "func[") && i > 0 {
			depth := 0
			for i = len("func"); i < len(whole); i++ {
				if whole[i] == '[' {
					depth++
				} else if whole[i] == ']' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			text = whole[len("func"):i+1] + text
		}
	}
	return text
}

func tupleText(t *types.Tuple, variadic bool) string {
	var b strings.Builder
	b.WriteByte('(')
	for i := range t.Len() {
		v := t.At(i)
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(v.Name())
		last := i == t.Len()-1
		if v.Name() != "" && !last && types.Identical(v.Type(), t.At(i+1).Type()) && !(variadic && i+1 == t.Len()-1) {
			continue
		}
		if v.Name() != "" {
			b.WriteByte(' ')
		}
		text := typeText(v.Type())
		if variadic && last {
			text = "..." + strings.TrimPrefix(text, "[]")
		}
		b.WriteString(text)
	}
	b.WriteByte(')')
	return b.String()
}

// typeKind is the underlying type, its parts left out.
func typeKind(t types.Type) string {
	params := ""
	if n, ok := t.(*types.Named); ok && n.TypeParams().Len() > 0 {
		var names []string
		for i := range n.TypeParams().Len() {
			names = append(names, n.TypeParams().At(i).Obj().Name())
		}
		params = "[" + strings.Join(names, ", ") + "] "
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return params + "struct"
	case *types.Interface:
		return params + "interface"
	default:
		return params + typeText(u)
	}
}

// shortSignature is the signature without the leading context and the trailing
// *Options that script rule 1 lets a call leave out.
func shortSignature(sig *types.Signature) *types.Signature {
	ctx, opt := omittable(sig)
	if !ctx && !opt {
		return sig
	}
	var vars []*types.Var
	for i := range sig.Params().Len() {
		if ctx && i == 0 || opt && i == sig.Params().Len()-1 {
			continue
		}
		vars = append(vars, sig.Params().At(i))
	}
	var tps []*types.TypeParam
	for i := range sig.TypeParams().Len() {
		tps = append(tps, sig.TypeParams().At(i))
	}
	if len(tps) > 0 {
		return sig // a type parameter belongs to one signature only
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(vars...), sig.Results(), sig.Variadic())
}

// omittable reports which ends of the parameter list a call may leave out.
func omittable(sig *types.Signature) (ctx, opt bool) {
	n := sig.Params().Len()
	if n == 0 {
		return false, false
	}
	ctx = isContext(sig.Params().At(0).Type()) && !(n == 1 && sig.Variadic())
	opt = !sig.Variadic() && isOptions(sig.Params().At(n-1).Type())
	return ctx, opt
}

// snippet offers the call of a function by script rule 1, with the parameters'
// names for arguments, or variables in scope that fit.
func (l *lister) snippet(f *types.Func, fit, near int, name string) {
	sig := f.Signature()
	ctx, opt := omittable(sig)
	if !ctx && !opt || l.next == '(' || l.want.typeName || sig.TypeParams().Len() > 0 {
		return
	}
	short := shortSignature(sig)
	var args []string
	for i := range short.Params().Len() {
		v := short.Params().At(i)
		if short.Variadic() && i == short.Params().Len()-1 {
			break
		}
		args = append(args, l.argumentFor(v))
	}
	text := name + "(" + strings.Join(args, ", ") + ")"
	l.found = append(l.found, candidate{Match{text, "snippet", "func" + signatureText(short)}, fit, near, false})
	if ok, exact := l.matches(name); ok {
		l.found[len(l.found)-1].loud = !exact
	}
}

// argumentFor returns a variable that fits the parameter: the one of its name,
// or the only session variable of its very type; else the parameter's name.
func (l *lister) argumentFor(param *types.Var) string {
	if _, o := l.p.scope().LookupParent(param.Name(), l.p.id.Pos()); o != nil {
		if v, ok := o.(*types.Var); ok && types.AssignableTo(v.Type(), param.Type()) {
			return param.Name()
		}
	}
	if _, basic := param.Type().Underlying().(*types.Basic); !basic && !isAny(param.Type()) {
		found := ""
		for _, n := range sortedKeys(l.p.view.vars) {
			if types.Identical(l.p.view.vars[n].typ, param.Type()) {
				if found != "" {
					found = ""
					break
				}
				found = n
			}
		}
		if found != "" {
			return found
		}
	}
	if param.Name() == "" || param.Name() == "_" {
		return "…"
	}
	return param.Name()
}

// typed offers the constants of a wanted type from the package that declares
// it: time.January where a month is wanted.
func (l *lister) typed() {
	if l.want.typeName || l.want.start {
		return
	}
	for _, t := range l.want.types {
		n, ok := types.Unalias(t).(*types.Named)
		if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() == unitPath {
			continue
		}
		pkg := n.Obj().Pkg()
		full, err := l.p.c.imp.Import(pkg.Path())
		if err != nil {
			continue
		}
		for _, name := range full.Scope().Names() {
			o := full.Scope().Lookup(name)
			if !o.Exported() {
				continue
			}
			switch o := o.(type) {
			case *types.Const, *types.Var:
				if types.Identical(o.Type(), t) {
					l.byMember(o, pkg.Name()+"."+name)
				}
			}
		}
	}
}

// byMember offers a qualified name, found by the package's name or the member's.
func (l *lister) byMember(o types.Object, full string) {
	if ok, _ := l.matches(full); ok {
		l.object(o, nearMember, full)
	} else if ok, exact := l.matches(o.Name()); ok && !l.seen[full] {
		l.seen[full] = true
		l.found = append(l.found, candidate{Match{full, kindOf(o), signatureOf(o)}, l.fit(o), nearMember, !exact})
	}
}

// literals offers what writes a value of a wanted type down: a function
// literal, or a composite one of types that have no name in the cell's scope.
func (l *lister) literals() {
	if l.want.called || l.want.start || l.want.typeName {
		return
	}
	for _, t := range l.want.types {
		if hasTypeParam(t) {
			continue
		}
		sig, ok := under(t).(*types.Signature)
		if !ok {
			l.composite(t)
			continue
		}
		if ok, _ := l.matches("func"); !ok {
			continue
		}
		var params []string
		for i := range sig.Params().Len() {
			v := sig.Params().At(i)
			name := v.Name()
			if name == "" || name == "_" {
				name = string(rune('a' + i%26))
			}
			text := typeText(v.Type())
			if sig.Variadic() && i == sig.Params().Len()-1 {
				text = "..." + strings.TrimPrefix(text, "[]")
			}
			params = append(params, name+" "+text)
		}
		results := ""
		if r := sig.Results(); r.Len() == 1 && r.At(0).Name() == "" {
			results = " " + typeText(r.At(0).Type())
		} else if r.Len() > 0 {
			results = " " + typeText(r)
		}
		text := "func(" + strings.Join(params, ", ") + ")" + results + " {"
		l.found = append(l.found, candidate{Match{text, "snippet", typeText(t)}, fitAssign, nearUniverse, false})
	}
}

// composite offers an empty literal of a slice, a map, or a struct of another
// package or its address.
func (l *lister) composite(t types.Type) {
	sign, elem := "", t
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		sign, elem = "&", ptr.Elem()
	}
	n, named := types.Unalias(elem).(*types.Named)
	if named && (n.Obj().Pkg() == nil || n.Obj().Pkg().Path() == unitPath || !n.Obj().Exported()) {
		return
	}
	switch elem.Underlying().(type) {
	case *types.Struct:
		if !named {
			return
		}
	case *types.Slice, *types.Map:
		if sign != "" {
			return
		}
	default:
		return
	}
	text := sign + typeText(elem) + "{}"
	if ok, exact := l.matches(text); ok && !l.seen[text] {
		l.seen[text] = true
		l.found = append(l.found, candidate{Match{text, "snippet", typeText(t)}, fitNear, nearUniverse, !exact})
	}
}

// builtinSignature says how Go's own functions are called.
var builtinSignature = map[string]string{
	"append":  "func(slice []T, elems ...T) []T",
	"cap":     "func(v T) int",
	"clear":   "func(m T)",
	"close":   "func(c chan<- T)",
	"complex": "func(r, i float64) complex128",
	"copy":    "func(dst, src []T) int",
	"delete":  "func(m map[K]V, key K)",
	"imag":    "func(c complex128) float64",
	"len":     "func(v T) int",
	"make":    "func(T, size ...int) T",
	"max":     "func(x T, y ...T) T",
	"min":     "func(x T, y ...T) T",
	"new":     "func(T) *T",
	"panic":   "func(v any)",
	"print":   "func(args ...T)",
	"println": "func(args ...T)",
	"real":    "func(c complex128) float64",
	"recover": "func() any",
}
