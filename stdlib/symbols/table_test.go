package symbols

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// Every exported object of every package is in its table, with the type that
// the compiler gives it, or in the list of what is left out, for a reason that
// holds; and nothing else is in either.
func TestTablesHaveEverything(t *testing.T) {
	o := sameToolchain(t)
	symbols, wrappers, leftOut := 0, 0, 0
	for _, path := range Paths() {
		p, err := o.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		table, omitted := Table(path), LeftOut(path)
		if table == nil {
			if omitted[""] == "" {
				t.Errorf("%s has no table and no reason", path)
			}
			continue
		}
		expected := map[string]bool{}
		for _, object := range exported(p) {
			name := object.Name()
			value, inTable := table[name]
			reason, isOmitted := omitted[name]
			if why := cannotBeInTable(object); why != "" {
				leftOut++
				if inTable || !strings.HasPrefix(reason, why) {
					t.Errorf("%s.%s: in table %v, left out for %q; want %q", path, name, inTable, reason, why)
				}
				expected[name] = true
				continue
			}
			symbols++
			expected[name] = true
			if !inTable || isOmitted {
				t.Errorf("%s.%s: in table %v, left out for %q", path, name, inTable, reason)
			} else if err := agrees(value, object); err != nil {
				t.Errorf("%s.%s: %v", path, name, err)
			}
			iface, ok := object.Type().Underlying().(*types.Interface)
			if _, isType := object.(*types.TypeName); !isType || !ok || iface.NumMethods() == 0 {
				continue
			}
			wrapper, inTable := table["_"+name]
			expected["_"+name] = true
			if _, isOmitted := omitted["_"+name]; inTable == isOmitted {
				t.Errorf("%s._%s: in table %v, left out %v", path, name, inTable, isOmitted)
			} else if inTable {
				wrappers++
				if err := wraps(wrapper.Type().Elem(), value.Type().Elem()); err != nil {
					t.Errorf("%s._%s: %v", path, name, err)
				}
			} else if allExported(iface) && !strings.Contains(omitted["_"+name], " needs ") {
				t.Errorf("%s._%s: left out for %q", path, name, omitted["_"+name])
			}
		}
		for name := range table {
			if !expected[name] {
				t.Errorf("%s.%s is in the table, and not in the package", path, name)
			}
		}
		for name, reason := range omitted {
			if name == "" && strings.Contains(reason, "but for "+runtime.GOOS+"/"+runtime.GOARCH) {
				continue
			}
			if !expected[name] {
				t.Errorf("%s.%s is left out, and not in the package", path, name)
			}
		}
	}
	if symbols < 9000 || wrappers < 200 || leftOut < 70 {
		t.Errorf("only %d symbols, %d wrappers, %d left out", symbols, wrappers, leftOut)
	}
	t.Logf("%d symbols, %d wrappers, %d left out", symbols, wrappers, leftOut)
}

// cannotBeInTable returns how the reason starts for what has no value at run
// time.
func cannotBeInTable(object types.Object) string {
	switch o := object.(type) {
	case *types.Builtin:
		return "built into the compiler"
	case *types.Func:
		if o.Signature().TypeParams().Len() > 0 {
			return "generic function"
		}
	case *types.TypeName:
		if t, ok := o.Type().(interface{ TypeParams() *types.TypeParamList }); ok && t.TypeParams().Len() > 0 {
			return "generic type"
		}
		if i, ok := o.Type().Underlying().(*types.Interface); ok && !i.IsMethodSet() {
			return "constraint"
		}
	}
	return ""
}

func allExported(i *types.Interface) bool {
	for m := range i.Methods() {
		if !m.Exported() {
			return false
		}
	}
	return true
}

// agrees compares a table's value with the object that it stands for.
func agrees(v reflect.Value, object types.Object) error {
	switch o := object.(type) {
	case *types.Const:
		if b, ok := o.Type().(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
			c, ok := v.Interface().(constant.Value)
			if !ok || !constant.Compare(c, token.EQL, o.Val()) {
				return fmt.Errorf("the constant is %v, not %v", v, o.Val())
			}
			return nil
		}
		if err := sameType(v.Type(), o.Type()); err != nil {
			return err
		}
		return sameValue(v, o.Val())
	case *types.Var:
		if !v.CanSet() {
			return fmt.Errorf("the variable is not addressable")
		}
		return sameType(v.Type(), o.Type())
	case *types.Func:
		if v.IsNil() {
			return fmt.Errorf("nil function")
		}
		if name := runtime.FuncForPC(v.Pointer()).Name(); name != o.FullName() {
			return fmt.Errorf("the function is %s", name)
		}
		return sameType(v.Type(), o.Type())
	case *types.TypeName:
		if v.Kind() != reflect.Pointer || !v.IsNil() {
			return fmt.Errorf("%v is not a nil pointer to the type", v)
		}
		return sameType(v.Type().Elem(), o.Type())
	}
	return fmt.Errorf("%T", object)
}

func sameValue(v reflect.Value, c constant.Value) error {
	var have constant.Value
	switch {
	case v.CanInt():
		have = constant.MakeInt64(v.Int())
	case v.CanUint():
		have = constant.MakeUint64(v.Uint())
	case v.CanFloat():
		f, _ := constant.Float64Val(c)
		have, c = constant.MakeFloat64(v.Float()), constant.MakeFloat64(f)
	case v.Kind() == reflect.String:
		have = constant.MakeString(v.String())
	case v.Kind() == reflect.Bool:
		have = constant.MakeBool(v.Bool())
	default:
		return fmt.Errorf("a constant of kind %s", v.Kind())
	}
	if !constant.Compare(have, token.EQL, c) {
		return fmt.Errorf("the constant is %v, not %v", have, c)
	}
	return nil
}

// wraps checks the shape that the interpreter relies on.
func wraps(w, iface reflect.Type) error {
	if w.Kind() != reflect.Struct || w.NumField() != iface.NumMethod()+1 || w.Field(0).Name != "IValue" || w.Field(0).Type != reflect.TypeFor[any]() {
		return fmt.Errorf("the shape is %v", w)
	}
	if !w.Implements(iface) {
		return fmt.Errorf("it does not implement %v", iface)
	}
	for i := range iface.NumMethod() {
		if m := iface.Method(i); w.Field(i+1).Name != "W"+m.Name || w.Field(i+1).Type != m.Type {
			return fmt.Errorf("field %d is %s %v, not W%s %v", i+1, w.Field(i+1).Name, w.Field(i+1).Type, m.Name, m.Type)
		}
	}
	return nil
}

// Every wrapper passes every call on to its field: the field's arguments are
// those of the call, the call's results those of the field.
func TestWrappersPassCallsOn(t *testing.T) {
	calls := 0
	for _, path := range Paths() {
		for name, v := range Table(path) {
			if name[0] != '_' {
				continue
			}
			w := reflect.New(v.Type().Elem()).Elem()
			for i := 1; i < w.NumField(); i++ {
				var got []reflect.Value
				results := make([]reflect.Value, w.Field(i).Type().NumOut())
				for j := range results {
					results[j] = distinct(w.Field(i).Type().Out(j), j)
				}
				w.Field(i).Set(reflect.MakeFunc(w.Field(i).Type(), func(args []reflect.Value) []reflect.Value {
					got = args
					return results
				}))
				method := w.MethodByName(w.Type().Field(i).Name[1:])
				args := make([]reflect.Value, method.Type().NumIn())
				for j := range args {
					args[j] = distinct(method.Type().In(j), j)
				}
				call := method.Call
				if method.Type().IsVariadic() {
					call = method.CallSlice
				}
				out := call(args)
				calls++
				if !equal(got, args) || !equal(out, results) {
					t.Errorf("%s.%s: %s passes on %v as %v, and returns %v for %v", path, name, w.Type().Field(i).Name, args, got, out, results)
				}
				w.Field(i).SetZero()
			}
		}
	}
	if calls < 600 {
		t.Errorf("only %d calls", calls)
	}
}

// distinct is a value of the type that tells the position from its neighbours
// where the type allows it.
func distinct(t reflect.Type, i int) reflect.Value {
	v := reflect.New(t).Elem()
	switch {
	case v.CanInt():
		v.SetInt(int64(i + 1))
	case v.CanUint():
		v.SetUint(uint64(i + 1))
	case v.CanFloat():
		v.SetFloat(float64(i + 1))
	case t.Kind() == reflect.String:
		v.SetString(fmt.Sprint(i + 1))
	case t.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(t, i+1, i+1))
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		v.Set(reflect.ValueOf(i + 1))
	}
	return v
}

func equal(a, b []reflect.Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Type() != b[i].Type() || fmt.Sprintf("%#v", a[i]) != fmt.Sprintf("%#v", b[i]) {
			return false
		}
	}
	return true
}

// What the values do, not only their types.
func TestValuesWork(t *testing.T) {
	call := func(path, name string, args ...any) []reflect.Value {
		var in []reflect.Value
		for _, a := range args {
			in = append(in, reflect.ValueOf(a))
		}
		return Table(path)[name].Call(in)
	}
	if got := call("strings", "ToUpper", "go")[0].String(); got != "GO" {
		t.Error(got)
	}
	if got := call("gonum.org/v1/gonum/stat", "Mean", []float64{1, 2, 6}, []float64(nil))[0].Float(); got != 3 {
		t.Error(got)
	}
	if Table("io")["EOF"].Interface() != io.EOF || Table("io")["EOF"].Addr().Interface() != &io.EOF {
		t.Error("io.EOF is another variable")
	}
	if got := Table("math")["MaxUint64"].Interface().(constant.Value).ExactString(); got != "18446744073709551615" {
		t.Error(got)
	}
	if got := Table("io")["Reader"].Type(); got != reflect.TypeFor[*io.Reader]() {
		t.Error(got)
	}
	e := Exports("math/rand/v2")
	if len(e) != 1 || e["math/rand/v2/rand"]["IntN"].Kind() != reflect.Func {
		t.Error("Exports has another key than the interpreter looks for")
	}
	if Table("plugin") != nil || !Has("plugin") || Table("nowhere") != nil || Exports("nowhere") != nil || Has("nowhere") {
		t.Error("packages without a table")
	}
	if reflect.ValueOf(Table("fmt")).Pointer() != reflect.ValueOf(Table("fmt")).Pointer() {
		t.Error("the table is built twice")
	}
}
