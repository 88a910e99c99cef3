package display

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A cell is one value of a table, ready to be shown and sorted.
type cell struct {
	text string  // one line, what is seen
	full string  // more than the line, folded; "" where the line is all
	num  float64 // where number is true: the value, to format by its column
	raw  string  // the number with all its digits, for a copy
	sort any     // float64 or string; nil sorts last
	kind cellKind
}

type cellKind int

const (
	absent cellKind = iota
	number
	word
	moment // a time
	span   // a duration, a number once its column has settled on a unit
	truth
	nested
)

const (
	cellWidth = 80      // runes of a text in a cell
	cellFull  = 2 << 10 // bytes of a folded value
)

// cellOf reads a value. It never panics: a String method that does is shown as
// having done so. Without methods none is called but those of time.
func cellOf(v reflect.Value, methods bool) (c cell) {
	defer func() {
		if p := recover(); p != nil {
			c = cell{kind: word, text: "(panicked: " + oneLine(panicText(p), 40) + ")"}
		}
	}()
	at := element
	for v.Kind() == reflect.Interface {
		v, at = v.Elem(), dynamic
	}
	if !v.IsValid() || ((v.Kind() == reflect.Pointer || v.Kind() == reflect.Map || v.Kind() == reflect.Slice ||
		v.Kind() == reflect.Func || v.Kind() == reflect.Chan) && v.IsNil()) {
		return cell{}
	}
	if v.CanInterface() {
		switch x := v.Interface().(type) {
		case time.Time:
			if x.IsZero() {
				return cell{}
			}
			return cell{kind: moment, text: x.Format("2006-01-02 15:04:05.000"), sort: float64(x.UnixNano())}
		case time.Duration:
			return cell{kind: span, text: x.String(), num: float64(x), raw: strconv.FormatInt(int64(x), 10), sort: float64(x)}
		case error:
			if methods {
				return wordCell(x.Error())
			}
		case fmt.Stringer:
			if methods {
				return wordCell(x.String())
			}
		}
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return cell{kind: number, num: float64(v.Int()), raw: strconv.FormatInt(v.Int(), 10), sort: float64(v.Int())}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return cell{kind: number, num: float64(v.Uint()), raw: strconv.FormatUint(v.Uint(), 10), sort: float64(v.Uint())}
	case reflect.Float32, reflect.Float64:
		c := cell{kind: number, num: v.Float(), raw: strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())}
		if !math.IsNaN(c.num) {
			c.sort = c.num
		}
		return c
	case reflect.Bool:
		return cell{kind: truth, text: strconv.FormatBool(v.Bool()), sort: strconv.FormatBool(v.Bool())}
	case reflect.String:
		return wordCell(v.String())
	case reflect.Pointer:
		if k := v.Elem().Kind(); k != reflect.Struct && k != reflect.Pointer && k != reflect.Interface {
			return cellOf(v.Elem(), methods) // one step: a pointer may lead to itself
		}
	}
	p := &printer{left: cellFull, methods: methods, path: map[visit]bool{}}
	n := p.value(v, at, 5)
	full := clip(layout(n, ""), cellFull)
	c = cell{kind: nested, text: oneLine(full, 40), sort: full}
	if c.text != full {
		c.full = full
	}
	return c
}

func wordCell(s string) cell {
	s = strings.ToValidUTF8(clip(s, cellFull), "\uFFFD")
	c := cell{kind: word, text: oneLine(s, cellWidth), sort: s}
	if c.text != s {
		c.full = s
	}
	return c
}

// oneLine makes s fit a line of n runes, without control characters.
func oneLine(s string, n int) string {
	s = clip(s, 4*n)
	runes := make([]rune, 0, n)
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			if space {
				continue
			}
			space, r = true, ' '
		} else {
			space = false
		}
		if unicode.IsControl(r) {
			r = '\uFFFD'
		}
		if len(runes) == n-1 {
			return string(append(runes, '…'))
		}
		runes = append(runes, r)
	}
	return string(runes)
}

// settle makes the times and durations of a column alike, and returns the unit
// that it found for its head: times lose what is zero in all of them, durations
// become numbers in the unit that fits the longest.
func settle(cells []cell) (unit string) {
	midnight, even, spans := true, true, 0
	longest := 0.0
	for _, c := range cells {
		switch c.kind {
		case moment:
			midnight = midnight && strings.HasSuffix(c.text, " 00:00:00.000")
			even = even && strings.HasSuffix(c.text, ".000")
		case span:
			spans++
			longest = max(longest, math.Abs(c.num))
		case absent:
		default:
			spans = -len(cells)
		}
	}
	for i, c := range cells {
		if c.kind != moment {
			continue
		}
		if midnight {
			cells[i].text, _, _ = strings.Cut(c.text, " ")
		} else if even {
			cells[i].text = strings.TrimSuffix(c.text, ".000")
		}
	}
	if spans <= 0 || longest >= 1e4*float64(time.Second) {
		return ""
	}
	size := 1.0
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"ns", 1}, {"µs", time.Microsecond}, {"ms", time.Millisecond}, {"s", time.Second}} {
		if longest >= float64(u.size) || u.size == 1 {
			unit, size = u.name, float64(u.size)
		}
	}
	for i, c := range cells {
		if c.kind == span {
			x := c.num / size
			cells[i] = cell{kind: number, num: x, raw: strconv.FormatFloat(x, 'g', -1, 64), sort: x}
		}
	}
	return unit
}

// A numberFormat is how a column writes its numbers, the same for all of them
// so that digits of one weight stand under each other: fixed decimals, or
// significant digits where the magnitudes are too far apart.
type numberFormat struct {
	decimals int // -1: significant digits instead
	digits   int
}

// formatOf finds the format of a column: decimals for five significant digits of
// the largest value and two of the smallest, fewer where no value has them, and
// significant digits where that would take too many.
func formatOf(cells []cell) numberFormat {
	largest, smallest := 0.0, math.Inf(1)
	whole := true
	for _, c := range cells {
		if c.kind != number || math.IsNaN(c.num) || math.IsInf(c.num, 0) {
			continue
		}
		if a := math.Abs(c.num); a > 0 {
			largest, smallest = max(largest, a), min(smallest, a)
		}
		whole = whole && c.num == math.Trunc(c.num)
	}
	if whole && largest < 1e15 {
		return numberFormat{}
	}
	if largest == 0 {
		return numberFormat{}
	}
	weight := int(math.Floor(math.Log10(largest)))
	most := max(0, 4-weight, 1-int(math.Floor(math.Log10(smallest))))
	if largest >= 1e9 || largest < 1e-3 || most > 5 || weight+1+most > 9 {
		return numberFormat{decimals: -1, digits: 4}
	}
	need := 0
	for _, c := range cells {
		for c.kind == number && !math.IsInf(c.num, 0) && !math.IsNaN(c.num) && need < most &&
			strconv.FormatFloat(c.num, 'f', need, 64) != trimZeros(strconv.FormatFloat(c.num, 'f', most, 64), need) {
			need++
		}
	}
	return numberFormat{decimals: need}
}

// trimZeros takes zeros off the end, down to n decimals.
func trimZeros(s string, n int) string {
	dot := strings.IndexByte(s, '.')
	if dot < 0 {
		return s
	}
	for len(s) > dot+1+n && s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	return strings.TrimSuffix(s, ".")
}

// text writes a number cell. Whole numbers keep all their digits.
func (f numberFormat) text(c cell) string {
	switch {
	case math.IsNaN(c.num):
		return "NaN"
	case math.IsInf(c.num, 1):
		return "+Inf"
	case math.IsInf(c.num, -1):
		return "-Inf"
	case f.decimals == 0 && !strings.ContainsAny(c.raw, ".e"):
		return c.raw
	case f.decimals >= 0:
		return unsigned(strconv.FormatFloat(c.num, 'f', f.decimals, 64))
	}
	s := strconv.FormatFloat(c.num, 'g', f.digits, 64)
	if mantissa, exp, ok := strings.Cut(s, "e"); ok {
		s = mantissa + "e" + exp[:1] + strings.TrimLeft(exp[1:], "0")
		s = strings.Replace(s, "e+", "e", 1)
	}
	return s
}

// unsigned takes the minus off a zero.
func unsigned(s string) string {
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// right reports whether a column of such cells stands at the right.
func right(cells []cell) bool {
	for _, c := range cells {
		if c.kind == word || c.kind == truth || c.kind == nested {
			return false
		}
	}
	return true
}
