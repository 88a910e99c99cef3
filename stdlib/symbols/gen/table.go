package main

import (
	"bytes"
	"fmt"
	"go/constant"
	gofmt "go/format"
	"go/token"
	"go/types"
	"sort"
	"strconv"
	"strings"

	"github.com/fathom-kernel/fathom/stdlib/symbols/internal/table"
)

const (
	tablePath = "github.com/fathom-kernel/fathom/stdlib/symbols/internal/table"
	tableName = "symtab" // no package of that name is listed
)

// format is gofmt, with the text in the error.
func format(src []byte) ([]byte, error) {
	out, err := gofmt.Source(src)
	if err != nil {
		return nil, fmt.Errorf("gen: %w in\n%s", err, src)
	}
	return out, nil
}

// identifier is the path as part of an identifier; different paths of the list
// get different ones, or the generated code does not compile.
func (p *pkg) identifier() string {
	return strings.NewReplacer("/", "_", "-", "_", ".", "_", "~", "_").Replace(p.path)
}

func (p *pkg) variable() string { return "pkg_" + p.identifier() }

// writer writes one file of tables.
type writer struct {
	p       *pkg
	imports map[string]string // path to name
	names   map[string]bool   // names taken by imports

	values, vars, typs, consts, wrappers bytes.Buffer
}

// writeTable returns the Go file with the package's table, empty if the package
// is not linked, and notes what the table cannot hold.
func (p *pkg) writeTable(linked bool) ([]byte, error) {
	w := &writer{p: p, imports: map[string]string{}, names: map[string]bool{tableName: true}}
	if linked {
		scope := p.types.Scope()
		for _, name := range scope.Names() {
			if !token.IsExported(name) {
				continue
			}
			if err := w.object(scope.Lookup(name)); err != nil {
				return nil, err
			}
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\npackage %s\n\nimport (\n%s %q\n", header, p.group, tableName, tablePath)
	var paths []string
	for path := range w.imports {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	for _, path := range paths {
		fmt.Fprintf(&b, "%s %q\n", w.imports[path], path)
	}
	fmt.Fprintf(&b, ")\n\nvar %s = %s.Package{\nPath: %q,\nName: %q,\nLinked: %v,\n", p.variable(), tableName, p.path, p.types.Name(), linked)
	for _, list := range []struct {
		field, element string
		text           *bytes.Buffer
	}{
		{"Values", "Symbol", &w.values}, {"Vars", "Symbol", &w.vars}, {"Types", "Symbol", &w.typs}, {"Consts", "Const", &w.consts},
	} {
		if list.text.Len() > 0 {
			fmt.Fprintf(&b, "%s: []%s.%s{\n%s},\n", list.field, tableName, list.element, list.text.Bytes())
		}
	}
	fmt.Fprintf(&b, "}\n")
	b.Write(w.wrappers.Bytes())
	return format(b.Bytes())
}

func (w *writer) leaveOut(name, reason string) {
	w.p.leftOut = append(w.p.leftOut, omission{name, reason})
}

// object adds one exported object.
func (w *writer) object(object types.Object) error {
	name := object.Name()
	entry := func(b *bytes.Buffer, pattern string) {
		fmt.Fprintf(b, "{Name: %q, Value: "+pattern+"},\n", name, w.qualified(name))
	}
	switch o := object.(type) {
	case *types.Const:
		if basic, ok := o.Type().(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
			c := table.Const{Name: name, Type: basic.Kind(), Text: table.ConstText(o.Val())}
			if back, err := c.Value(); err != nil || !constant.Compare(back, token.EQL, o.Val()) {
				return fmt.Errorf("gen: %s.%s: the constant %s does not survive being written", w.p.path, name, c.Text)
			}
			kind := map[types.BasicKind]string{types.UntypedBool: "Bool", types.UntypedInt: "Int", types.UntypedRune: "Rune",
				types.UntypedFloat: "Float", types.UntypedComplex: "Complex", types.UntypedString: "String"}[c.Type]
			fmt.Fprintf(&w.consts, "{Name: %q, Type: %s.Untyped%s, Text: %q},\n", name, w.importName("go/types", "types"), kind, c.Text)
			return nil
		}
		entry(&w.values, "%s")
	case *types.Func:
		if o.Type().(*types.Signature).TypeParams().Len() > 0 {
			w.leaveOut(name, "generic function: only its instances have a value")
			return nil
		}
		entry(&w.values, "%s")
	case *types.Var:
		entry(&w.vars, "&%s")
	case *types.Builtin:
		w.leaveOut(name, "built into the compiler")
	case *types.TypeName:
		return w.typeName(o, entry)
	default:
		return fmt.Errorf("gen: %s.%s is a %T", w.p.path, name, object)
	}
	return nil
}

func (w *writer) typeName(o *types.TypeName, entry func(*bytes.Buffer, string)) error {
	switch t := o.Type().(type) {
	case *types.Named:
		if t.TypeParams().Len() > 0 {
			w.leaveOut(o.Name(), "generic type: only its instances exist at run time")
			return nil
		}
	case *types.Alias:
		if t.TypeParams().Len() > 0 {
			w.leaveOut(o.Name(), "generic type: only its instances exist at run time")
			return nil
		}
	}
	iface, ok := o.Type().Underlying().(*types.Interface)
	if ok && !iface.IsMethodSet() {
		w.leaveOut(o.Name(), "constraint: no variable can have this type")
		return nil
	}
	entry(&w.typs, "(*%s)(nil)")
	if ok && iface.NumMethods() > 0 {
		if reason := w.wrapper(o.Name(), iface); reason != "" {
			w.leaveOut("_"+o.Name(), reason)
		} else {
			fmt.Fprintf(&w.typs, "{Name: %q, Value: (*%s)(nil)},\n", "_"+o.Name(), w.wrapperName(o.Name()))
		}
	}
	return nil
}

func (w *writer) wrapperName(name string) string { return "_" + w.p.identifier() + "_" + name }

// wrapper writes the struct by which a value of an interpreted type becomes a
// value of the interface: one function a method. It returns why there can be
// none. The shape is the interpreter's: IValue first, then W before each name.
func (w *writer) wrapper(name string, iface *types.Interface) (reason string) {
	for i := range iface.NumMethods() {
		if m := iface.Method(i); !m.Exported() {
			return "no wrapper: the method " + m.Name() + " is not exported, so no other package can implement the interface"
		} else if hidden := w.hidden(m.Type()); hidden != "" {
			return "no wrapper: the method " + m.Name() + " needs " + hidden + ", which no other package can name"
		}
	}
	b, wrapper := &w.wrappers, w.wrapperName(name)
	var fields, methods bytes.Buffer
	for i := range iface.NumMethods() {
		m := iface.Method(i)
		params, args, results := w.signature(m.Type().(*types.Signature))
		fmt.Fprintf(&fields, "W%s func(%s) %s\n", m.Name(), params, results)
		fmt.Fprintf(&methods, "func (W %s) %s(%s) %s {\n", wrapper, m.Name(), params, results)
		if m.Name() == "String" && args == "" && results == "(string)" {
			fmt.Fprintf(&methods, "if W.WString == nil {\nreturn \"\"\n}\n") // shown in a debugger before it is filled
		}
		if results != "" {
			methods.WriteString("return ")
		}
		fmt.Fprintf(&methods, "W.W%s(%s)\n}\n", m.Name(), args)
	}
	fmt.Fprintf(b, "\ntype %s struct {\nIValue any\n%s}\n\n%s", wrapper, fields.Bytes(), methods.Bytes())
	return ""
}

// signature returns the parameter list, the arguments that pass it on, and the
// results in parentheses.
func (w *writer) signature(s *types.Signature) (params, args, results string) {
	var p, a, r []string
	for i := range s.Params().Len() {
		t, name := s.Params().At(i).Type(), fmt.Sprintf("a%d", i)
		if s.Variadic() && i == s.Params().Len()-1 {
			p = append(p, name+" ..."+w.text(t.(*types.Slice).Elem()))
			a = append(a, name+"...")
		} else {
			p = append(p, name+" "+w.text(t))
			a = append(a, name)
		}
	}
	for i := range s.Results().Len() {
		r = append(r, w.text(s.Results().At(i).Type()))
	}
	if len(r) > 0 {
		results = "(" + strings.Join(r, ", ") + ")"
	}
	return strings.Join(p, ", "), strings.Join(a, ", "), results
}

// text is the type as the file spells it.
func (w *writer) text(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return w.importName(p.Path(), p.Name()) })
}

func (w *writer) qualified(name string) string {
	return w.importName(w.p.path, w.p.types.Name()) + "." + name
}

// importName returns the name under which the file imports the package.
func (w *writer) importName(path, name string) string {
	if as, ok := w.imports[path]; ok {
		return as
	}
	as := name
	for i := 2; w.names[as]; i++ {
		as = name + strconv.Itoa(i)
	}
	w.imports[path], w.names[as] = as, true
	return as
}

// hidden returns what of the type another package cannot spell, or "".
func (w *writer) hidden(t types.Type) string {
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			w.importName("unsafe", "unsafe")
		}
	case *types.Named:
		return w.hiddenName(t.Obj(), t.TypeArgs())
	case *types.Alias:
		return w.hiddenName(t.Obj(), t.TypeArgs())
	case *types.Pointer:
		return w.hidden(t.Elem())
	case *types.Slice:
		return w.hidden(t.Elem())
	case *types.Array:
		return w.hidden(t.Elem())
	case *types.Chan:
		return w.hidden(t.Elem())
	case *types.Map:
		return w.hidden(t.Key()) + w.hidden(t.Elem())
	case *types.Signature:
		return w.hidden(t.Params()) + w.hidden(t.Results())
	case *types.Tuple:
		for i := range t.Len() {
			if h := w.hidden(t.At(i).Type()); h != "" {
				return h
			}
		}
	case *types.Struct:
		for i := range t.NumFields() {
			if f := t.Field(i); !f.Exported() {
				return "a struct with the field " + f.Name()
			} else if h := w.hidden(f.Type()); h != "" {
				return h
			}
		}
	case *types.Interface:
		for i := range t.NumMethods() {
			if m := t.Method(i); !m.Exported() {
				return "an interface with the method " + m.Name()
			} else if h := w.hidden(m.Type()); h != "" {
				return h
			}
		}
	default:
		return t.String()
	}
	return ""
}

func (w *writer) hiddenName(o *types.TypeName, args *types.TypeList) string {
	if o.Pkg() == nil {
		return ""
	}
	path := o.Pkg().Path()
	if !o.Exported() || strings.Contains("/"+path+"/", "/internal/") || strings.HasPrefix(path, "vendor/") {
		return path + "." + o.Name()
	}
	for i := range args.Len() {
		if h := w.hidden(args.At(i)); h != "" {
			return h
		}
	}
	return ""
}
