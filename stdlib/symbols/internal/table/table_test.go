package table

import (
	"go/constant"
	"go/token"
	"go/types"
	"math/big"
	"testing"
)

func TestConstants(t *testing.T) {
	lit := func(text string, kind token.Token) constant.Value { return constant.MakeFromLiteral(text, kind, 0) }
	i := func(text string) constant.Value { return lit(text, token.IMAG) }
	for _, c := range []struct {
		kind types.BasicKind
		v    constant.Value
	}{
		{types.UntypedBool, constant.MakeBool(true)}, {types.UntypedBool, constant.MakeBool(false)},
		{types.UntypedString, constant.MakeString("a\n\x00\xff\"`é")}, {types.UntypedString, constant.MakeString("")},
		{types.UntypedInt, constant.MakeInt64(-1)}, {types.UntypedInt, constant.MakeUint64(1<<64 - 1)},
		{types.UntypedInt, constant.Shift(constant.MakeInt64(-3), token.SHL, 500)}, {types.UntypedRune, constant.MakeInt64(0x10ffff)},
		{types.UntypedFloat, lit("3.14159265358979323846264338327950288419716939937510582097494459", token.FLOAT)},
		{types.UntypedFloat, lit("1e-18", token.FLOAT)}, {types.UntypedFloat, lit("1e300", token.FLOAT)}, {types.UntypedFloat, lit("1e100000", token.FLOAT)},
		{types.UntypedFloat, lit("0x1p-1074", token.FLOAT)}, {types.UntypedFloat, lit("0x1p-100000", token.FLOAT)}, {types.UntypedFloat, constant.MakeFloat64(-0.1)},
		{types.UntypedFloat, constant.MakeInt64(7)},
		{types.UntypedComplex, i("2i")}, {types.UntypedComplex, constant.BinaryOp(lit("-1e-18", token.FLOAT), token.SUB, i("1e-3i"))}, {types.UntypedComplex, constant.MakeInt64(3)},
	} {
		text := ConstText(c.v)
		got, err := Const{Name: "x", Type: c.kind, Text: text}.Value()
		if err != nil || !constant.Compare(got, token.EQL, c.v) {
			t.Errorf("%v written as %.60q comes back as %v, %v", c.v, text, got, err)
		}
	}
	for _, c := range []Const{
		{Type: types.UntypedInt, Text: "1.5"}, {Type: types.UntypedInt, Text: "x"}, {Type: types.UntypedInt}, {Type: types.UntypedFloat, Text: "1/0"},
		{Type: types.UntypedString, Text: "no quotes"}, {Type: types.Int, Text: "1"}, {Type: types.UntypedComplex, Text: "1 x"},
	} {
		if v, err := c.Value(); err == nil {
			t.Errorf("%+v is %v", c, v)
		}
	}
}

// Fractions come back as they were, whatever their size.
func FuzzConst(f *testing.F) {
	f.Add([]byte{1}, []byte{3}, true)
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255}, []byte{10, 0, 0, 0, 0, 0, 0, 0, 1}, false)
	f.Fuzz(func(t *testing.T, a, b []byte, negative bool) {
		num, den := new(big.Int).SetBytes(a[:min(len(a), 100)]), new(big.Int).SetBytes(b[:min(len(b), 100)])
		if den.Sign() == 0 {
			return
		}
		if negative {
			num.Neg(num)
		}
		v := constant.Make(new(big.Rat).SetFrac(num, den))
		back, err := Const{Name: "x", Type: types.UntypedFloat, Text: ConstText(v)}.Value()
		if err != nil || !constant.Compare(v, token.EQL, back) {
			t.Errorf("%v comes back as %v, %v", v, back, err)
		}
	})
}
