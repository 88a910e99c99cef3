package display

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

type inner struct {
	A int
	B string
	C []float64
}

type outer struct {
	In   inner
	P    *inner
	M    map[string]int
	L    []inner
	Any  any
	Bool bool
	F    float64
	priv uint8
}

// random returns an outer with everything drawn at random.
func random(r *rand.Rand) outer {
	text := func() string {
		b := make([]byte, r.Intn(6))
		r.Read(b)
		return string(b)
	}
	in := func() inner {
		c := make([]float64, r.Intn(4))
		for i := range c {
			c[i] = r.NormFloat64() * math.Pow(10, float64(r.Intn(30)-15))
		}
		return inner{r.Intn(100) - 50, text(), c}
	}
	o := outer{In: in(), M: map[string]int{}, Bool: r.Intn(2) == 0, F: r.Float64(), priv: uint8(r.Intn(256))}
	for range r.Intn(4) {
		o.M[text()] = r.Intn(10)
		o.L = append(o.L, in())
	}
	if r.Intn(2) == 0 {
		p := in()
		o.P, o.Any = &p, []any{1, 1.5, text(), in(), nil}
	}
	return o
}

// The oracle is the Go parser: the text of a value is an expression, whose
// literals evaluate to the value's own fields.
func TestTextIsGo(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 2000 {
		o := random(r)
		s := plain(o)
		e, err := parser.ParseExpr(s)
		if err != nil {
			t.Fatalf("no Go: %v\n%s", err, s)
		}
		back := reflect.New(reflect.TypeOf(o)).Elem()
		build(t, e, back)
		got := back.Interface().(outer)
		got.Any, o.Any = nil, nil
		got.priv = o.priv
		if !reflect.DeepEqual(normal(got), normal(o)) {
			t.Fatalf("the text says %+v, the value is %+v\n%s", got, o, s)
		}
	}
}

// normal makes empty and nil lists equal: {} is written for both an empty one.
func normal(o outer) outer {
	if len(o.L) == 0 {
		o.L = nil
	}
	if len(o.In.C) == 0 {
		o.In.C = nil
	}
	for i := range o.L {
		if len(o.L[i].C) == 0 {
			o.L[i].C = nil
		}
	}
	if o.P != nil && len(o.P.C) == 0 {
		o.P.C = nil
	}
	return o
}

// build sets v to what the expression e says: a small evaluator of literals.
func build(t *testing.T, e ast.Expr, v reflect.Value) {
	switch e := e.(type) {
	case *ast.Ident:
		switch e.Name {
		case "true":
			v.SetBool(true)
		case "false", "nil":
		default:
			t.Fatalf("unexpected name %s", e.Name)
		}
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			v.Set(reflect.New(v.Type().Elem()))
			build(t, e.X, v.Elem())
			return
		}
		lit := *e.X.(*ast.BasicLit)
		lit.Value = "-" + lit.Value
		build(t, &lit, v)
	case *ast.BasicLit:
		switch v.Kind() {
		case reflect.String:
			s, err := strconv.Unquote(e.Value)
			if err != nil {
				t.Fatal(err)
			}
			v.SetString(s)
		case reflect.Int:
			n, err := strconv.ParseInt(e.Value, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			v.SetInt(n)
		case reflect.Float64:
			f, err := strconv.ParseFloat(e.Value, 64)
			if err != nil {
				t.Fatal(err)
			}
			v.SetFloat(f)
		}
	case *ast.CompositeLit:
		switch v.Kind() {
		case reflect.Struct:
			for _, x := range e.Elts {
				kv := x.(*ast.KeyValueExpr)
				if f := v.FieldByName(kv.Key.(*ast.Ident).Name); f.CanSet() && f.Kind() != reflect.Interface {
					build(t, kv.Value, f)
				}
			}
		case reflect.Slice:
			for _, x := range e.Elts {
				el := reflect.New(v.Type().Elem()).Elem()
				build(t, x, el)
				v.Set(reflect.Append(v, el))
			}
		case reflect.Map:
			v.Set(reflect.MakeMap(v.Type()))
			for _, x := range e.Elts {
				kv := x.(*ast.KeyValueExpr)
				k, el := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				build(t, kv.Key, k)
				build(t, kv.Value, el)
				v.SetMapIndex(k, el)
			}
		}
	}
}

type colour int

func (c colour) String() string { return [...]string{"red", "green"}[c] }

type count int

func TestTexts(t *testing.T) {
	three, one := 3, 1.0 // not constants
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "nil"},
		{3, "3"},
		{1.0, "1"},
		{0.1 + 0.2*one, "0.30000000000000004"},
		{1e21, "1e+21"},
		{"hi", `"hi"`},
		{"two\nlines", "`two\nlines`"},
		{"a\x00\n\nb", `"a\x00\n\nb"`},
		{true, "true"},
		{'x', "120"},
		{count(3), "display.count(3)"},
		{colour(1), "green"},
		{[]colour{0, 1}, "[]display.colour{red, green}"},
		{[]any{1, int8(2), 3.0, "x", nil, count(4), float32(1.5), true}, `[]any{1, int8(2), 3.0, "x", nil, display.count(4), float32(1.5), true}`},
		{&three, "(*int)(&3)"},
		{[]*int{nil, &three}, "[]*int{nil, (*int)(&3)}"},
		{struct{}{}, "struct {}{}"},
		{[2]bool{true}, "[2]bool{true, false}"},
		{1500 * time.Millisecond, "1.5s"},
		{[]time.Duration{time.Second}, "[]time.Duration{1s}"},
		{complex(1, -2), "(1-2i)"},
		{[]byte("hello"), `[]byte("hello")`},
		{[]byte{0, 255}, "[]byte{0x00, 0xff}"},
		{(*int)(nil), "(*int)(nil)"},
		{map[string]int(nil), "map[string]int(nil)"},
		{map[bool][]int{true: {1}, false: nil}[true], "[]int{1}"},
		{make(chan int, 2), "chan int with 0 of 2 in its buffer"},
		{func(int) error { return nil }, "func(int) error {…}"},
		{struct{ mu syncLike }{}, "struct { mu display.syncLike }{mu: display.syncLike{n: 0}}"},
	} {
		if got := plain(c.v); got != c.want {
			t.Errorf("%#v is shown as %s, want %s", c.v, got, c.want)
		}
	}
}

type syncLike struct{ n int }

func TestLongTextsAreLaidOut(t *testing.T) {
	long := make([]int, 1000)
	for i := range long {
		long[i] = i * i
	}
	s := plain(map[string]any{"list": long, "name": strings.Repeat("ab ", 10)}["list"])
	for _, line := range strings.Split(s, "\n") {
		if len([]rune(line)) > lineWidth+1 {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
	if !strings.Contains(s, "… 960 more …") || !strings.HasSuffix(s, "998001,\n}") {
		t.Errorf("the middle is not left out, or the end is:\n%s", s)
	}
	if s := plain(strings.Repeat("x", 10_000)); len(s) > 5000 || !strings.Contains(s, "5904 more bytes") {
		t.Errorf("a long string is shown in %d bytes: …%s", len(s), s[len(s)-40:])
	}
	type wide struct{ Alpha, Beta, Gamma, Delta string }
	v := wide{strings.Repeat("a", 20), strings.Repeat("b", 20), strings.Repeat("c", 20), ""}
	want := fmt.Sprintf("display.wide{\n    Alpha: %q,\n    Beta: %q,\n    Gamma: %q,\n    Delta: \"\",\n}", v.Alpha, v.Beta, v.Gamma)
	if got := plain(v); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
