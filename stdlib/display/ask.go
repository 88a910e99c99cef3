package display

import (
	"fmt"
	"reflect"
)

// askMany asks for the representations that a value gives all at once.
func askMany(g *guard, v any, b *Bundle) {
	if d, ok := v.(Data); ok {
		b.merge(fromData(d))
		return
	}
	if own, ok := v.(Bundle); ok {
		b.merge(own)
		return
	}
	for _, r := range receivers(v) {
		switch m := r.(type) {
		case interface{ MIME() Bundle }:
			var found Bundle
			if g.try("MIME", methodLimit, func() { found = m.MIME() }) {
				b.merge(found)
			}
		case interface{ MIME() map[string]any }:
			var found map[string]any
			if g.try("MIME", methodLimit, func() { found = m.MIME() }) {
				b.merge(Bundle{Data: found})
			}
		}
		if m, ok := r.(Renderer); ok {
			var found Data
			if g.try("Render", methodLimit, func() { found = m.Render() }) {
				b.merge(fromData(found))
			}
		}
		if m, ok := r.(SimpleRenderer); ok {
			var found MIMEMap
			if g.try("SimpleRender", methodLimit, func() { found = m.SimpleRender() }) {
				b.merge(Bundle{Data: found})
			}
		}
	}
}

// A question asks for one MIME type by one method. find returns the call, nil
// where the value has no such method.
type question struct {
	method, mime string
	find         func(r any) func() any
}

var questions = []question{
	{"HTML", MIMETypeHTML, func(r any) func() any {
		switch m := r.(type) {
		case HTMLer:
			return func() any { return m.HTML() }
		case interface{ HTML() (string, error) }:
			return func() any { return orPanic(m.HTML()) }
		}
		return nil
	}},
	{"SVG", MIMETypeSVG, func(r any) func() any {
		switch m := r.(type) {
		case SVGer:
			return func() any { return m.SVG() }
		case interface{ SVG() (string, error) }:
			return func() any { return orPanic(m.SVG()) }
		}
		return nil
	}},
	{"PNG", MIMETypePNG, func(r any) func() any {
		switch m := r.(type) {
		case PNGer:
			return func() any { return m.PNG() }
		case interface{ PNG() ([]byte, error) }:
			return func() any { return orPanic(m.PNG()) }
		}
		return nil
	}},
	{"JPEG", MIMETypeJPEG, func(r any) func() any {
		switch m := r.(type) {
		case JPEGer:
			return func() any { return m.JPEG() }
		case interface{ JPEG() ([]byte, error) }:
			return func() any { return orPanic(m.JPEG()) }
		}
		return nil
	}},
	{"Markdown", MIMETypeMarkdown, func(r any) func() any {
		if m, ok := r.(Markdowner); ok {
			return func() any { return m.Markdown() }
		}
		return nil
	}},
	{"Latex", MIMETypeLatex, func(r any) func() any {
		if m, ok := r.(Latexer); ok {
			return func() any { return m.Latex() }
		}
		return nil
	}},
	{"JavaScript", MIMETypeJavaScript, func(r any) func() any {
		if m, ok := r.(JavaScripter); ok {
			return func() any { return m.JavaScript() }
		}
		return nil
	}},
	{"PDF", MIMETypePDF, func(r any) func() any {
		if m, ok := r.(PDFer); ok {
			return func() any { return m.PDF() }
		}
		return nil
	}},
	{"JSON", MIMETypeJSON, func(r any) func() any {
		if m, ok := r.(JSONer); ok {
			return func() any { return m.JSON() }
		}
		return nil
	}},
}

// askEach asks for one MIME type after the other.
func askEach(g *guard, v any, b *Bundle) {
	for _, r := range receivers(v) {
		for _, q := range questions {
			if _, ok := b.Data[q.mime]; ok || g.failed(q.method) {
				continue
			}
			if q.mime == MIMETypeJSON && (b.Data[MIMETypeHTML] != nil || hasFigure(*b)) {
				// JupyterLab draws application/json before anything else. A value
				// that has a page or a picture means that to be seen.
				continue
			}
			call := q.find(r)
			if call == nil {
				continue
			}
			var found any
			if g.try(q.method, methodLimit, func() { found = call() }) && !empty(found) {
				b.Data[q.mime] = found
			}
		}
	}
}

func empty(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case []byte:
		return len(v) == 0
	case map[string]any:
		return v == nil
	}
	return v == nil
}

// orPanic turns a method's error into what a panic becomes: a note.
func orPanic[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// receivers are the values whose methods count for v: v itself, and the pointer
// to a copy of it, so that a method declared on *T also shows a T.
func receivers(v any) []any {
	t := reflect.TypeOf(v)
	if isNil(v) {
		return nil // a nil pointer's methods have nothing to show
	}
	list := []any{v}
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface || t.Name() == "" {
		return list
	}
	if pt := reflect.PointerTo(t); pt.NumMethod() > t.NumMethod() && t.Size() < 1<<20 {
		p := reflect.New(t)
		p.Elem().Set(reflect.ValueOf(v))
		list = append(list, p.Interface())
	}
	return list
}

// askText asks for the text that a value writes of itself.
func askText(g *guard, v any) (s string, ok bool) {
	if v == nil || isNil(v) {
		return "", false
	}
	for _, r := range receivers(v) {
		switch m := r.(type) {
		case error:
			ok = g.try("Error", methodLimit, func() { s = m.Error() })
		case fmt.Stringer:
			ok = g.try("String", methodLimit, func() { s = m.String() })
		case fmt.GoStringer:
			ok = g.try("GoString", methodLimit, func() { s = m.GoString() })
		default:
			continue
		}
		return clip(s, maxOwnText), ok
	}
	return "", false
}

// maxOwnText bounds the text of a String method, in bytes.
const maxOwnText = 1 << 20

// askApart asks the methods that an engine keeps.
func askApart(g *guard, methods func(name string) func() any, b *Bundle) {
	ask := func(name string) any {
		call := methods(name)
		if call == nil {
			return nil
		}
		var found any
		if !g.try(name, methodLimit, func() { found = call() }) {
			return nil
		}
		return found
	}
	for _, name := range []string{"MIME", "Render", "SimpleRender"} {
		switch found := ask(name).(type) {
		case Bundle:
			b.merge(found)
		case Data:
			b.merge(fromData(found))
		case map[string]any:
			b.merge(Bundle{Data: found})
		}
	}
	for _, q := range questions {
		if _, ok := b.Data[q.mime]; ok || (q.mime == MIMETypeJSON && (b.Data[MIMETypeHTML] != nil || hasFigure(*b))) {
			continue
		}
		switch found := ask(q.method).(type) {
		case string, []byte, map[string]any:
			if !empty(found) && (isJSON(q.mime) == isMap(found)) {
				b.Data[q.mime] = found
			}
		}
	}
}

func isMap(v any) bool { _, ok := v.(map[string]any); return ok }

// askTextApart asks for the text among the methods that an engine keeps.
func askTextApart(g *guard, methods func(name string) func() any) (string, bool) {
	if methods == nil {
		return "", false
	}
	for _, name := range []string{"Error", "String", "GoString"} {
		call := methods(name)
		if call == nil {
			continue
		}
		var found any
		ok := g.try(name, methodLimit, func() { found = call() })
		if s, is := found.(string); ok && is {
			return clip(s, maxOwnText), true
		}
	}
	return "", false
}
