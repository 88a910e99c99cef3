package display

import (
	"fmt"
	"image"
	"io"
	"os"
	"strings"
)

// The MIME types that have a name of their own.
const (
	MIMETypeHTML       = "text/html"
	MIMETypeJavaScript = "application/javascript"
	MIMETypeJPEG       = "image/jpeg"
	MIMETypeJSON       = "application/json"
	MIMETypeLatex      = "text/latex"
	MIMETypeMarkdown   = "text/markdown"
	MIMETypePNG        = "image/png"
	MIMETypePDF        = "application/pdf"
	MIMETypeSVG        = "image/svg+xml"
	MIMETypeText       = "text/plain"
	MIMETypeGeoJSON    = "application/geo+json"
	MIMETypeVegaLite   = "application/vnd.vegalite.v5+json"
)

// MIMEMap holds data by MIME type. It is an alias, so that a type can show
// itself without importing this package.
type MIMEMap = map[string]any

// Data is what HTML, PNG and their like return, and what Display sends: a
// Bundle by another name, an alias of an unnamed struct so that libraries can
// return one without importing this package. A "display_id" in Transient names
// the display.
type Data = struct {
	Data      MIMEMap
	Metadata  MIMEMap
	Transient MIMEMap
}

// The interfaces by which a value shows itself. They are aliases: only the
// method counts.
type (
	Renderer       = interface{ Render() Data }
	SimpleRenderer = interface{ SimpleRender() MIMEMap }
	HTMLer         = interface{ HTML() string }
	JavaScripter   = interface{ JavaScript() string }
	JPEGer         = interface{ JPEG() []byte }
	JSONer         = interface{ JSON() map[string]any }
	Latexer        = interface{ Latex() string }
	Markdowner     = interface{ Markdown() string }
	PNGer          = interface{ PNG() []byte }
	PDFer          = interface{ PDF() []byte }
	SVGer          = interface{ SVG() string }
)

// fromData is a Data as a Bundle.
func fromData(d Data) Bundle { return Bundle{Data: d.Data, Metadata: d.Metadata} }

// toData is a Bundle as a Data.
func toData(b Bundle) Data { return Data{Data: b.Data, Metadata: b.Metadata} }

// HTML returns markup that the front end draws as it is: the one place where
// text is not escaped.
func HTML(html string) Data { return MakeData3(MIMETypeHTML, html, html) }

// Markdown returns text that the front end sets as Markdown.
func Markdown(markdown string) Data { return MakeData3(MIMETypeMarkdown, markdown, markdown) }

// Latex returns LaTeX set in the line, with or without its dollar signs.
func Latex(latex string) Data {
	return MakeData3(MIMETypeLatex, latex, "$"+strings.Trim(latex, "$")+"$")
}

// Math returns LaTeX set as a formula on a line of its own, with or without its
// dollar signs.
func Math(latex string) Data {
	return MakeData3(MIMETypeLatex, latex, "$$"+strings.Trim(latex, "$")+"$$")
}

// JavaScript returns a script that the front end runs.
func JavaScript(javascript string) Data {
	return MakeData3(MIMETypeJavaScript, javascript, javascript)
}

// SVG returns an SVG drawing.
func SVG(svg string) Data {
	return MakeData3(MIMETypeSVG, fmt.Sprintf("SVG drawing, %d bytes", len(svg)), svg)
}

// PNG returns a PNG picture.
func PNG(png []byte) Data { return picture(MIMETypePNG, "PNG", png) }

// JPEG returns a JPEG picture.
func JPEG(jpeg []byte) Data { return picture(MIMETypeJPEG, "JPEG", jpeg) }

// PDF returns a PDF document.
func PDF(pdf []byte) Data { return picture(MIMETypePDF, "PDF", pdf) }

func picture(mime, name string, data []byte) Data {
	return MakeData3(mime, fmt.Sprintf("%s, %d bytes", name, len(data)), data)
}

// Image returns a picture as PNG, thinned to four million pixels where it has
// more. A picture without pixels is shown as a text that says so.
func Image(img image.Image) Data {
	if img == nil {
		return toData(Text("nil image"))
	}
	data, err := encodePNG(img)
	if err != nil {
		return toData(Text(err.Error()))
	}
	r := img.Bounds()
	return MakeData3(MIMETypePNG, fmt.Sprintf("%T, %d×%d pixels", img, r.Dx(), r.Dy()), data)
}

// JSON returns a value as a JSON tree: maps, slices, structs and what else
// encoding/json takes. Numbers that JSON lacks (NaN, infinities) become null,
// and what cannot be JSON at all becomes its text.
func JSON(v any) Data {
	safe := jsonSafe(v)
	return MakeData3(MIMETypeJSON, jsonText(safe), safe)
}

// File returns the content of a file under a MIME type; an empty type is found
// out from the content, and for a drawing or a document from the name. A file
// that cannot be read is shown as the error.
func File(mimeType, path string) Data {
	data, err := os.ReadFile(path)
	if err != nil {
		return toData(Text("display: " + err.Error()))
	}
	if mimeType == "" {
		for ext, t := range map[string]string{
			".svg": MIMETypeSVG, ".md": MIMETypeMarkdown, ".json": MIMETypeJSON, ".geojson": MIMETypeGeoJSON,
			".html": MIMETypeHTML, ".js": MIMETypeJavaScript, ".tex": MIMETypeLatex,
		} {
			if strings.HasSuffix(strings.ToLower(path), ext) {
				mimeType = t
			}
		}
	}
	return Any(mimeType, data)
}

// Any returns data under a MIME type. It takes a string, []byte, image.Image,
// io.Reader or io.WriterTo, and anything that shows itself; an empty type is
// found out from the content.
func Any(mimeType string, data any) Data {
	switch d := data.(type) {
	case Data:
		return d
	case string:
		if mimeType == "" {
			return toData(Text(d))
		}
		return MakeData3(mimeType, d, d)
	case []byte, io.Reader, io.WriterTo:
		if _, drawn := data.(image.Image); drawn {
			break
		}
		raw, ok := asBytes(data)
		if !ok {
			return toData(Text(fmt.Sprintf("display: the %T could not be read", data)))
		}
		if mimeType == "" {
			mimeType = sniff(raw)
		}
		if isBinary(mimeType) {
			return MakeData3(mimeType, fmt.Sprintf("%s, %d bytes", mimeType, len(raw)), raw)
		}
		return MakeData3(mimeType, string(raw), string(raw))
	}
	b := Render(data)
	if mimeType != "" && b.Data[mimeType] == nil {
		b.Data["text/plain"] = fmt.Sprintf("%s\n(display: a %T has no %s form; it has %s)",
			b.Data["text/plain"], data, mimeType, strings.Join(b.Types(), ", "))
	}
	return toData(b)
}

// Auto is Any with the type found out from the content.
func Auto(data any) Data { return Any("", data) }

// MakeData returns data under a MIME type, with its fmt text as plain text.
func MakeData(mimeType string, data any) Data {
	return MakeData3(mimeType, clip(fmt.Sprint(data), maxOwnText), data)
}

// MakeData3 returns data under a MIME type, with plaintext beside it.
func MakeData3(mimeType, plaintext string, data any) Data {
	d := Data{Data: MIMEMap{MIMETypeText: plaintext}}
	d.Data[mimeType] = data
	return d
}

// MIME returns several representations of one value, by MIME type, with their
// metadata (for "image/png": width and height in CSS pixels).
func MIME(data, metadata MIMEMap) Data { return Data{Data: data, Metadata: metadata} }
