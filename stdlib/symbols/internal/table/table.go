// Package table is the form in which the generator writes down what a compiled
// package exports.
//
// Everything in it is laid out by the compiler and linker as read-only data: no
// code runs at process start, so that start does not grow with the number of
// packages, and a package's symbols cost nothing until they are asked for.
package table

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// Package is what one package exports, each list sorted by name.
type Package struct {
	Path, Name string
	Linked     bool // the lists below are filled; else types and docs only

	Values []Symbol // functions and typed constants, as they are
	Vars   []Symbol // pointers to the variables
	Types  []Symbol // (*T)(nil), and under "_T" the wrapper of interface T
	Consts []Const  // untyped constants
}

// Symbol is a name and what it stands for.
type Symbol struct {
	Name  string
	Value any
}

// Const is an untyped constant, exactly.
type Const struct {
	Name string
	Type types.BasicKind // types.UntypedInt and so on
	Text string          // ConstText of the value
}

// Group is the packages of one archive, sorted by path.
type Group struct {
	Packages []*Package
	Archive  string // zip with export/PATH, doc/PATH and source/PATH
}

// Symbols returns the package's symbols by name: functions and typed constants
// as they are, untyped constants as a constant.Value, variables addressable,
// and types as nil pointers to them.
func (p *Package) Symbols() (map[string]reflect.Value, error) {
	m := make(map[string]reflect.Value, len(p.Values)+len(p.Vars)+len(p.Types)+len(p.Consts))
	for _, s := range p.Values {
		m[s.Name] = reflect.ValueOf(s.Value)
	}
	for _, s := range p.Vars {
		m[s.Name] = reflect.ValueOf(s.Value).Elem()
	}
	for _, s := range p.Types {
		m[s.Name] = reflect.ValueOf(s.Value)
	}
	for _, c := range p.Consts {
		v, err := c.Value()
		if err != nil {
			return nil, fmt.Errorf("symbols: %s.%w; regenerate", p.Path, err)
		}
		m[c.Name] = reflect.ValueOf(v)
	}
	return m, nil
}

// ConstText returns the value as a text that Const.Value reads back exactly.
func ConstText(v constant.Value) string {
	if v.Kind() == constant.Complex {
		return constant.Real(v).ExactString() + " " + constant.Imag(v).ExactString()
	}
	return v.ExactString()
}

// Value returns the constant.
func (c Const) Value() (constant.Value, error) {
	var v constant.Value
	switch c.Type {
	case types.UntypedBool:
		v = constant.MakeBool(c.Text == "true")
	case types.UntypedString:
		v = constant.MakeFromLiteral(c.Text, token.STRING, 0)
	case types.UntypedInt, types.UntypedRune:
		v = constant.ToInt(number(c.Text))
	case types.UntypedFloat:
		v = constant.ToFloat(number(c.Text))
	case types.UntypedComplex:
		re, im, _ := strings.Cut(c.Text+" 0", " ")
		im, _, _ = strings.Cut(im, " ")
		v = constant.ToComplex(constant.BinaryOp(number(re), token.ADD, constant.MakeImag(number(im))))
	}
	if v == nil || v.Kind() == constant.Unknown {
		return nil, fmt.Errorf("%s: %q is no constant of kind %d", c.Name, c.Text, c.Type)
	}
	return v, nil
}

// number reads an integer, a hexadecimal float or a fraction, each with an
// optional sign.
func number(text string) constant.Value {
	if a, b, ok := strings.Cut(text, "/"); ok {
		den := number(b)
		if den.Kind() == constant.Unknown || constant.Sign(den) == 0 {
			return constant.MakeUnknown()
		}
		return constant.BinaryOp(number(a), token.QUO, den)
	}
	if positive, ok := strings.CutPrefix(text, "-"); ok {
		return constant.UnaryOp(token.SUB, number(positive), 0)
	}
	if v := constant.MakeFromLiteral(text, token.INT, 0); v.Kind() != constant.Unknown {
		return v
	}
	return constant.MakeFromLiteral(text, token.FLOAT, 0)
}
