package display

import (
	"encoding/base64"
	"fmt"
	"html"
	"strings"
)

// Fragment returns a bundle as a piece of an HTML page: its HTML as it is, its
// picture in an img element, its formula for MathJax, or its text, escaped.
func Fragment(b Bundle) string {
	if s, ok := b.Data[MIMETypeHTML]; ok {
		return asString(s)
	}
	if s, ok := b.Data[MIMETypeSVG]; ok {
		// In an img element the ids and styles of one drawing cannot meet those
		// of another.
		return img("image/svg+xml", []byte(asString(s)), "")
	}
	for _, t := range []string{MIMETypePNG, MIMETypeJPEG, "image/gif", "image/webp"} {
		if data, ok := b.Data[t].([]byte); ok {
			return img(t, data, sizeOf(b, t))
		}
	}
	if s, ok := b.Data[MIMETypeLatex]; ok {
		return "<div>" + html.EscapeString(asString(s)) + "</div>"
	}
	s, ok := b.Data[MIMETypeMarkdown]
	if !ok {
		s = b.Data[MIMETypeText]
	}
	return `<pre style="margin:0;white-space:pre-wrap">` + html.EscapeString(strings.ToValidUTF8(asString(s), "\uFFFD")) + "</pre>"
}

func img(mime string, data []byte, size string) string {
	return fmt.Sprintf(`<img alt="" style="max-width:100%%;height:auto" %ssrc="data:%s;base64,%s">`,
		size, mime, base64.StdEncoding.EncodeToString(data))
}

// sizeOf is the width that a bundle's metadata gives to a picture: a figure
// drawn at twice its size is shown sharp, not large.
func sizeOf(b Bundle, mime string) string {
	m, _ := b.Metadata[mime].(map[string]any)
	if w, ok := m["width"]; ok {
		return fmt.Sprintf("width=\"%v\" ", w)
	}
	return ""
}

// Row returns values side by side, wrapped where the page is too narrow.
func Row(values ...any) Data { return Grid(len(values), values...) }

// Grid returns values side by side in rows of the given number of columns, at
// least one. As text they stand one under the other.
func Grid(columns int, values ...any) Data {
	columns = max(1, columns)
	var w strings.Builder
	fmt.Fprintf(&w, `<div style="display:grid;grid-template-columns:repeat(%d,minmax(0,1fr));gap:8px 16px;align-items:start">`, columns)
	texts := make([]string, len(values))
	for i, v := range values {
		b := renderPart(v, columns)
		fmt.Fprintf(&w, "\n<div>%s</div>", Fragment(b))
		texts[i], _ = b.Data[MIMETypeText].(string)
	}
	w.WriteString("\n</div>")
	return MakeData3(MIMETypeHTML, strings.Join(texts, "\n\n"), w.String())
}

// A Part is a value that is one of several side by side. Grid offers it to the
// registered renderers before the value itself, so that a figure can be drawn
// for the room that it has, with text of the usual size.
type Part struct {
	V       any
	Columns int // that share the page's width
}

func renderPart(v any, columns int) Bundle {
	if columns > 1 {
		b := Bundle{Data: map[string]any{}, Metadata: map[string]any{}}
		if askRegistered(newGuard(), Part{v, columns}, &b); len(b.Data) > 0 {
			b.normalise()
			return b
		}
	}
	return Render(v)
}
