package display

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of a text in Go syntax.
const (
	textDepth  = 10        // levels of nesting
	textBytes  = 16 << 10  // of the whole
	textItems  = 40        // elements of one slice or map; the last few are kept
	textString = 4 << 10   // bytes of one string
	keySurvey  = 1_000_000 // keys of a map that are looked at to find the first in order
)

// goText returns v in Go syntax: pointers followed, cycles and depth cut, map
// keys sorted, long lists with their middle left out, laid out in 80 columns.
// Methods of nested values (String, Error) are asked; if one of them blocks,
// the text is made again without them.
func goText(g *guard, v any, typ string) string {
	if v == nil {
		return "nil"
	}
	attempt := func(name string, limit time.Duration, methods bool) (string, bool) {
		var s string // of this attempt: a blocked one may still write to its own
		ok := g.try(name, limit, func() {
			p := &printer{left: textBytes, methods: methods, path: map[visit]bool{}}
			s = layout(p.value(reflect.ValueOf(v), top, textDepth), typ)
		})
		if !ok {
			return "", false
		}
		return s, true
	}
	if s, ok := attempt("a nested String", methodLimit, true); ok {
		return s
	}
	if s, ok := attempt("the text", drawLimit, false); ok {
		return s
	}
	return typeName(reflect.TypeOf(v))
}

// A place is where a value stands, which decides how much of its type Go syntax
// must say there.
type place int

const (
	top     place = iota // alone: 3, "a", Color(2), []int{1}
	element              // in a slice or map: composite types are left out, {1, 2}
	field                // of a struct: the type is known, composites name it
	dynamic              // in an interface: int64(3), 1.0
)

// printer turns values into nodes. It spends left bytes and gives up after
// that, so time and size are bounded for any value.
type printer struct {
	left    int
	methods bool
	path    map[visit]bool // the pointers, maps and slices that v hangs from
}

// visit is one step of the path. The length tells a slice from its own start.
type visit struct {
	ptr uintptr
	len int
	typ reflect.Type
}

// A node is text, or a bracket around nodes that may be broken over lines.
type node struct {
	text  string
	open  string
	items []node
	close string
	fill  bool // items share lines, for lists of scalars
}

func (p *printer) text(s string) node {
	p.left -= len(s)
	return node{text: s}
}

func (p *printer) value(v reflect.Value, at place, depth int) node {
	if !v.IsValid() {
		return p.text("nil")
	}
	if p.left <= 0 || depth <= 0 {
		return p.text("…")
	}
	t := v.Type()
	if s, ok := p.own(v, at); ok {
		return p.text(s)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if v.IsNil() {
			if at == top || at == dynamic {
				return p.text(fmt.Sprintf("%s(nil)", parens(t)))
			}
			return p.text("nil")
		}
		step := visit{ptr: v.Pointer(), typ: t}
		if v.Kind() == reflect.Slice {
			step.len = v.Len()
		}
		if p.path[step] {
			return p.text("(cycle to " + typeName(t) + ")")
		}
		p.path[step] = true
		defer delete(p.path, step)
	}
	switch v.Kind() {
	case reflect.Pointer:
		return p.pointer(v, at, depth)
	case reflect.Interface:
		if v.IsNil() {
			return p.text("nil")
		}
		return p.value(v.Elem(), dynamic, depth)
	case reflect.Struct:
		return p.structure(v, at, depth)
	case reflect.Map:
		return p.mapping(v, at, depth)
	case reflect.Slice, reflect.Array:
		return p.list(v, at, depth)
	case reflect.Func:
		if v.IsNil() {
			return p.text("nil")
		}
		return p.text(typeName(t) + " {…}")
	case reflect.Chan:
		if v.IsNil() {
			return p.text(parens(t) + "(nil)")
		}
		return p.text(fmt.Sprintf("%s with %d of %d in its buffer", typeName(t), v.Len(), v.Cap()))
	case reflect.UnsafePointer:
		return p.text("unsafe.Pointer(…)") // an address says nothing and changes by the run
	}
	return p.text(scalar(v, at))
}

// scalar writes numbers, booleans and strings.
func scalar(v reflect.Value, at place) string {
	t := v.Type()
	s, bare := "", true // bare: the literal alone has this type in an interface
	switch v.Kind() {
	case reflect.Bool:
		s = strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s, bare = strconv.FormatInt(v.Int(), 10), v.Kind() == reflect.Int
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		s, bare = strconv.FormatUint(v.Uint(), 10), false
	case reflect.Float32, reflect.Float64:
		s, bare = floatText(v.Float(), t.Bits()), v.Kind() == reflect.Float64
		if at == dynamic && bare && !strings.ContainsAny(s, ".eNI") {
			s += ".0"
		}
	case reflect.Complex64, reflect.Complex128:
		s = strconv.FormatComplex(v.Complex(), 'g', -1, t.Bits())
	case reflect.String:
		s = quote(v.String())
	}
	named := t.PkgPath() != ""
	if (at == top && named) || (at == dynamic && (named || !bare)) {
		return typeName(t) + "(" + s + ")"
	}
	return s
}

// floatText writes a float as fmt.Print does.
func floatText(f float64, bits int) string {
	if abs := math.Abs(f); f == 0 || (abs >= 1e-4 && abs < 1e21) {
		return strconv.FormatFloat(f, 'f', -1, bits)
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}

// quote writes a string as a Go literal: raw and on its own lines where it has
// lines, with its end left out where it is long.
func quote(s string) string {
	more := ""
	if len(s) > textString {
		more = fmt.Sprintf(" + … %d more bytes", len(s)-len(strings.TrimSuffix(clip(s, textString), "…")))
		s = strings.TrimSuffix(clip(s, textString), "…")
	}
	if strings.Contains(strings.TrimSuffix(s, "\n"), "\n") && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r == '`' || r == utf8.RuneError || (r != '\n' && r != '\t' && !unicode.IsPrint(r))
	}) {
		return "`" + s + "`" + more
	}
	return strconv.Quote(s) + more
}

// own asks a nested value for its String or Error. The top value has been
// asked already.
func (p *printer) own(v reflect.Value, at place) (s string, ok bool) {
	if !p.methods || at == top || !v.CanInterface() || v.Kind() == reflect.Interface || v.Type().NumMethod() == 0 {
		return "", false
	}
	if (v.Kind() == reflect.Pointer || v.Kind() == reflect.Map || v.Kind() == reflect.Func) && v.IsNil() {
		return "", false
	}
	defer func() {
		if e := recover(); e != nil {
			s, ok = fmt.Sprintf("(%s: String panicked: %s)", typeName(v.Type()), clip(panicText(e), 100)), true
		}
	}()
	switch m := v.Interface().(type) {
	case error:
		s = m.Error()
	case fmt.Stringer:
		s = m.String()
	default:
		return "", false
	}
	if len(s) > textString {
		s = clip(s, textString)
	}
	return strings.ToValidUTF8(s, "\uFFFD"), true
}

func (p *printer) pointer(v reflect.Value, at place, depth int) node {
	n := p.value(v.Elem(), field, depth-1)
	if at == element && v.Elem().Kind() == reflect.Struct {
		if i := strings.IndexByte(n.open, '{'); i > 0 {
			n.open = n.open[i:] // []*T{{…}}
		}
		return n
	}
	if n.open == "" && v.Elem().Kind() != reflect.Struct {
		// &3 is not Go, but it is what is meant; the type is said in full.
		n.text = fmt.Sprintf("%s(&%s)", parens(v.Type()), n.text)
		return n
	}
	if n.open == "" {
		n.text = "&" + n.text
	} else {
		n.open = "&" + n.open
	}
	return n
}

// head is the type before a brace, left out where Go lets it be.
func head(t reflect.Type, at place) string {
	if at == element {
		return "{"
	}
	return typeName(t) + "{"
}

func (p *printer) structure(v reflect.Value, at place, depth int) node {
	t := v.Type()
	if opaque(t) {
		return p.text(typeName(t) + "{…}")
	}
	n := node{open: head(t, at), close: "}"}
	p.left -= len(n.open)
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		if p.left <= 0 {
			n.items = append(n.items, node{text: "…"})
			break
		}
		p.left -= len(f.Name) + 4
		item := p.value(v.Field(i), field, depth-1)
		n.items = append(n.items, item.prefixed(f.Name+": "))
	}
	return n
}

// opaque reports whether a struct of the standard library has only fields of
// its own business, as sync.Mutex has.
func opaque(t reflect.Type) bool {
	first, _, _ := strings.Cut(t.PkgPath(), "/")
	if t.NumField() == 0 || first == "" || first == "main" || strings.Contains(first, ".") || isHidden(t.PkgPath()) {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			return false
		}
	}
	return true
}

func (n node) prefixed(s string) node {
	if n.open == "" && n.items == nil {
		n.text = s + n.text
		return n
	}
	n.open = s + n.open
	return n
}

func (p *printer) list(v reflect.Value, at place, depth int) node {
	t := v.Type()
	if t.Elem().Kind() == reflect.Uint8 && t.Elem().PkgPath() == "" && v.Kind() == reflect.Slice {
		return p.text(bytesText(v, at))
	}
	n := node{open: head(t, at), close: "}", fill: isScalar(t.Elem())}
	p.left -= len(n.open)
	show, tail := v.Len(), 0
	if show > textItems {
		show, tail = textItems-5, 5
	}
	for i := 0; i < show && p.left > 0; i++ {
		n.items = append(n.items, p.value(v.Index(i), element, depth-1))
	}
	if rest := v.Len() - len(n.items) - tail; rest > 0 {
		if p.left <= 0 {
			rest, tail = rest+tail, 0
		}
		n.items = append(n.items, node{text: fmt.Sprintf("… %d more …", rest)})
		for i := v.Len() - tail; i < v.Len(); i++ {
			n.items = append(n.items, p.value(v.Index(i), element, depth-1))
		}
	}
	return n
}

// bytesText writes bytes as a string where they are one, and as hex where not.
func bytesText(v reflect.Value, at place) string {
	b := v.Bytes()
	show, rest := b, 0
	if len(b) > 256 {
		show, rest = b[:256], len(b)-256
	}
	more := ""
	if rest > 0 {
		more = fmt.Sprintf(", … %d more …", rest)
	}
	valid := show
	for i := 0; rest > 0 && i < utf8.UTFMax && len(valid) > 0 && !utf8.Valid(valid); i++ {
		valid = valid[:len(valid)-1] // a rune cut at the bound
	}
	name := strings.Replace(typeName(v.Type()), "[]uint8", "[]byte", 1)
	if len(valid) > 0 && utf8.Valid(valid) && strings.IndexFunc(string(valid), func(r rune) bool {
		return r != '\n' && r != '\t' && r != '\r' && !unicode.IsPrint(r)
	}) < 0 {
		return name + "(" + strconv.Quote(string(valid)) + strings.TrimPrefix(more, ",") + ")"
	}
	var w strings.Builder
	for i, x := range show[:min(len(show), 64)] {
		if i > 0 {
			w.WriteString(", ")
		}
		fmt.Fprintf(&w, "0x%02x", x)
	}
	if len(b) > 64 {
		more = fmt.Sprintf(", … %d more …", len(b)-64)
	}
	return name + "{" + w.String() + more + "}"
}

func (p *printer) mapping(v reflect.Value, at place, depth int) node {
	n := node{open: head(v.Type(), at), close: "}"}
	p.left -= len(n.open)
	for _, e := range sortedEntries(v, textItems) {
		if p.left <= 0 {
			break
		}
		key := layout(p.value(e.key, element, depth-1), "")
		n.items = append(n.items, p.value(e.value, element, depth-1).prefixed(key+": "))
	}
	if rest := v.Len() - len(n.items); rest > 0 {
		n.items = append(n.items, node{text: fmt.Sprintf("… %d more", rest)})
	}
	return n
}
