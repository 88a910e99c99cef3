package display

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"reflect"
	"strings"
	"sync"
)

// Value is a value together with the static type that the cell gave it, which
// the value itself may have lost on its way through an interpreter.
type Value struct {
	V    any
	Type string // as Go writes it, "" where it is not known
}

// Render returns what v can show itself as, asked in the order of the package
// comment. It takes at most about 25 seconds, all of it the value's own doing;
// without slow methods, well under a second for values of any size.
func Render(v any) Bundle { return RenderAs(v, "") }

// RenderAs is Render for a value whose static type is called typ. The name is
// used where reflection only knows an unnamed type.
func RenderAs(v any, typ string) Bundle { return RenderWith(v, typ, nil) }

// RenderWith is RenderAs for a value whose methods its engine keeps apart from
// it, as an interpreter does with the methods of a cell's types: methods
// returns the call of a method without parameters, nil where the type has none
// of that name. What a call returns counts where it is of the type that the
// package comment says. Methods that v itself has come first.
func RenderWith(v any, typ string, methods func(name string) func() any) Bundle {
	b := Bundle{Data: map[string]any{}, Metadata: map[string]any{}}
	g := newGuard()
	text := ""
	if v != nil {
		askMany(g, v, &b)
		askEach(g, v, &b)
		if methods != nil {
			askApart(g, methods, &b)
		}
		askPicture(g, v, &b)
		askRegistered(g, v, &b)
		if frame := frameOf(v); frame != nil && (b.Data["text/html"] == nil || b.Data["text/plain"] == nil) {
			page := b.Data["text/html"] == nil && !hasFigure(b)
			for _, quiet := range []bool{false, true} {
				var s, html string // of this attempt: a blocked one may still write to its own
				limit := 2 * methodLimit
				if quiet {
					limit = drawLimit
				}
				if !g.try("the table", limit, func() {
					t := &TableView{frame: frame, quiet: quiet}
					if s = t.String(); page {
						html = t.HTML()
					}
				}) {
					continue
				}
				if text = s; page {
					b.Data["text/html"] = html
				}
				break
			}
		}
	}
	if _, ok := b.Data["text/plain"]; !ok {
		if own, ok := askText(g, v); ok {
			text = own
		} else if own, ok := askTextApart(g, methods); ok {
			text = own
		} else if text == "" {
			text = goText(g, v, typ)
		}
		b.Data["text/plain"] = text
	}
	b.normalise()
	if len(g.notes) > 0 {
		b.Data["text/plain"] = fmt.Sprintf("%s\n(%s)", b.Data["text/plain"], strings.Join(g.notes, "; "))
	}
	if len(b.Metadata) == 0 {
		b.Metadata = nil
	}
	return b
}

// RenderAll returns one bundle for the several values of a call: the texts
// joined by commas, or by line breaks where one of them has lines, and one
// under the other in HTML where one of them is more than text. A last error
// that is nil is left out where other values are there.
func RenderAll(values ...Value) Bundle {
	if n := len(values); n > 1 && values[n-1].V == nil && (values[n-1].Type == "error" || values[n-1].Type == "") {
		values = values[:n-1]
	}
	if len(values) == 1 {
		return RenderAs(values[0].V, values[0].Type)
	}
	texts := make([]string, len(values))
	parts := make([]string, len(values))
	lines, rich := false, false
	for i, v := range values {
		b := RenderAs(v.V, v.Type)
		texts[i], _ = b.Data["text/plain"].(string)
		lines = lines || strings.Contains(texts[i], "\n")
		rich = rich || len(b.Data) > 1
		parts[i] = "<div>" + Fragment(b) + "</div>"
	}
	sep := ", "
	if lines {
		sep = "\n"
	}
	b := Text(strings.Join(texts, sep))
	if rich {
		b.Data["text/html"] = strings.Join(parts, "\n")
	}
	return b
}

// renderers are what RegisterRenderer was given.
var renderers struct {
	sync.RWMutex
	list []func(v any) (Bundle, bool)
}

// RegisterRenderer adds a renderer for types that cannot have methods of ours:
// f returns false for values that are not its own. stdlib/plot registers the
// one for *plot.Plot, so that this package stays free of gonum/plot and quick
// to link into a compiled cell.
func RegisterRenderer(f func(v any) (Bundle, bool)) {
	renderers.Lock()
	defer renderers.Unlock()
	renderers.list = append(renderers.list, f)
}

func askRegistered(g *guard, v any, b *Bundle) {
	renderers.RLock()
	list := renderers.list
	renderers.RUnlock()
	for _, f := range list {
		var found Bundle
		var ok bool
		if !g.try("the figure", drawLimit, func() { found, ok = f(v) }) || !ok {
			continue
		}
		html, _ := b.Data["text/html"].(string)
		if html != "" && !strings.Contains(html, "<svg") && !strings.Contains(html, "<img") {
			// Front ends draw one type of a bundle, and HTML wins. A value with
			// both a page and a figure is shown with both.
			b.Data["text/html"] = html + "\n" + Fragment(found)
		}
		b.merge(found)
	}
}

// askPicture draws an image.Image as PNG, thinned to four million pixels.
func askPicture(g *guard, v any, b *Bundle) {
	img, ok := v.(image.Image)
	if !ok || isNil(v) || b.Data["image/png"] != nil {
		return
	}
	g.try("the picture", drawLimit, func() {
		r := img.Bounds()
		data, err := encodePNG(img)
		if err != nil {
			panic(err)
		}
		b.add("image/png", data)
		b.add("text/plain", fmt.Sprintf("%T, %d×%d pixels", v, r.Dx(), r.Dy()))
	})
}

const maxPixels = 4e6

func encodePNG(img image.Image) ([]byte, error) {
	r := img.Bounds()
	if r.Empty() {
		return nil, fmt.Errorf("display: the picture has no pixels (%d×%d)", r.Dx(), r.Dy())
	}
	if step := 1; r.Dx()*r.Dy() > maxPixels {
		for (r.Dx()/step)*(r.Dy()/step) > maxPixels {
			step++
		}
		small := image.NewRGBA(image.Rect(0, 0, r.Dx()/step, r.Dy()/step))
		for y := range small.Rect.Dy() {
			for x := range small.Rect.Dx() {
				small.Set(x, y, img.At(r.Min.X+x*step, r.Min.Y+y*step))
			}
		}
		img = small
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// add sets one representation, if the bundle has none of that type.
func (b *Bundle) add(mime string, data any) {
	if _, ok := b.Data[mime]; !ok {
		b.Data[mime] = data
	}
}

// merge adds what other has and b lacks.
func (b *Bundle) merge(other Bundle) {
	for t, v := range other.Data {
		if _, ok := b.Data[t]; ok {
			continue
		}
		b.Data[t] = v
		if m, ok := other.Metadata[t]; ok {
			b.Metadata[t] = m
		}
	}
	for k, m := range other.Metadata {
		if _, ok := b.Metadata[k]; !ok && !strings.Contains(k, "/") {
			b.Metadata[k] = m
		}
	}
}

// isJSON reports whether a MIME type carries a JSON value on the wire.
func isJSON(mime string) bool {
	return mime == "application/json" || strings.HasSuffix(mime, "+json")
}

// isBinary reports whether a MIME type carries base64 on the wire.
func isBinary(mime string) bool {
	switch kind, _, _ := strings.Cut(mime, "/"); kind {
	case "image":
		return mime != "image/svg+xml"
	case "audio", "video", "font":
		return true
	}
	return mime == "application/pdf" || mime == "application/octet-stream"
}

// normalise gives every representation the Go type that Bundle promises, so
// that what goes to a notebook file is valid nbformat whatever a method gave.
func (b *Bundle) normalise() {
	for t, v := range b.Data {
		if !strings.Contains(t, "/") {
			delete(b.Data, t)
			continue
		}
		switch {
		case isJSON(t):
			b.Data[t] = jsonSafe(v)
		case isBinary(t):
			if data, ok := asBytes(v); ok {
				b.Data[t] = data
			} else if _, ok := v.(string); !ok {
				delete(b.Data, t)
			}
		default:
			b.Data[t] = strings.ToValidUTF8(asString(v), "\uFFFD")
		}
	}
	if _, ok := b.Data["text/plain"]; !ok {
		b.Data["text/plain"] = strings.Join(b.Types(), ", ")
	}
}

// asBytes takes what people put into a bundle for a picture.
func asBytes(v any) ([]byte, bool) {
	switch v := v.(type) {
	case []byte:
		return v, true
	case io.WriterTo:
		var buf bytes.Buffer
		if _, err := v.WriteTo(&buf); err == nil {
			return buf.Bytes(), true
		}
	case io.Reader:
		if data, err := io.ReadAll(v); err == nil {
			return data, true
		}
	}
	return nil, false
}

func asString(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case json.RawMessage:
		return string(v)
	case []string:
		return strings.Join(v, "\n")
	}
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.String {
		return rv.String()
	}
	if data, ok := asBytes(v); ok {
		return string(data)
	}
	return fmt.Sprint(v)
}

func hasFigure(b Bundle) bool {
	for _, t := range []string{"image/svg+xml", "image/png", "image/jpeg"} {
		if b.Data[t] != nil {
			return true
		}
	}
	return false
}

func isNil(v any) bool {
	rv := reflect.ValueOf(v)
	switch rv.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.Interface:
		return rv.IsNil()
	}
	return !rv.IsValid()
}
