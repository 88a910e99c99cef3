package display

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The signatures that older notebooks call, as they call them.
var (
	_ func(string) Data              = HTML
	_ func(string) Data              = Markdown
	_ func(string) Data              = Latex
	_ func(string) Data              = Math
	_ func(string) Data              = JavaScript
	_ func(string) Data              = SVG
	_ func([]byte) Data              = PNG
	_ func([]byte) Data              = JPEG
	_ func([]byte) Data              = PDF
	_ func(image.Image) Data         = Image
	_ func(string, string) Data      = File
	_ func(string, any) Data         = Any
	_ func(any) Data                 = Auto
	_ func(string, any) Data         = MakeData
	_ func(string, string, any) Data = MakeData3
	_ func(MIMEMap, MIMEMap) Data    = MIME
	_ Data                           = struct{ Data, Metadata, Transient MIMEMap }{}
	_ map[string]any                 = MIMEMap{}
	_ interface{ Render() Data }     = Renderer(nil)
	_ interface{ JSON() MIMEMap }    = JSONer(nil)
	_                                = JSON(map[string]any{})
)

func TestKinds(t *testing.T) {
	for name, c := range map[string]struct {
		d    Data
		mime string
		data any
		text string
	}{
		"HTML":     {HTML("<b>"), "text/html", "<b>", "<b>"},
		"Markdown": {Markdown("*a*"), "text/markdown", "*a*", "*a*"},
		"Latex":    {Latex("$x$"), "text/latex", "$x$", "$x$"},
		"Math":     {Math("x"), "text/latex", "$$x$$", "x"},
		"JS":       {JavaScript("f()"), "application/javascript", "f()", "f()"},
		"SVG":      {SVG("<svg/>"), "image/svg+xml", "<svg/>", "SVG drawing, 6 bytes"},
		"text":     {MakeData(MIMETypeText, "a"), "text/plain", "a", "a"},
	} {
		b := Render(c.d)
		if b.Data[c.mime] != c.data || b.Data["text/plain"] != c.text {
			t.Errorf("%s: %v", name, b.Data)
		}
	}
	for mime, d := range map[string]Data{"image/png": PNG([]byte("p")), "image/jpeg": JPEG([]byte("j")), "application/pdf": PDF([]byte("d"))} {
		if b := Render(d); b.Wire()[mime] == nil || len(b.Data) != 2 {
			t.Errorf("%s: %v", mime, b.Data)
		}
	}
}

func TestAnyFindsTheType(t *testing.T) {
	var buf bytes.Buffer
	png.Encode(&buf, image.NewGray(image.Rect(0, 0, 1, 1)))
	for _, v := range []any{buf.Bytes(), bytes.NewReader(buf.Bytes()), bytes.NewBuffer(buf.Bytes()), image.NewGray(image.Rect(0, 0, 2, 2))} {
		if d := Auto(v); d.Data[MIMETypePNG] == nil {
			t.Errorf("Auto(%T) is %v", v, d.Data)
		}
	}
	if d := Any("text/html", "<i>"); d.Data["text/html"] != "<i>" {
		t.Errorf("got %v", d)
	}
	if d := Any("text/html", strings.NewReader("<i>")); d.Data["text/html"] != "<i>" {
		t.Errorf("got %v", d)
	}
	if d := Any("image/png", 3); !strings.Contains(d.Data["text/plain"].(string), "has no image/png form") {
		t.Errorf("got %v", d)
	}
	if d := Auto("plain"); d.Data["text/plain"] != "plain" {
		t.Errorf("got %v", d)
	}
}

// The oracle is net/http, where both know the kind.
func TestSniff(t *testing.T) {
	for _, s := range []string{"\x89PNG\r\n\x1a\n...", "\xff\xd8\xff\xe0", "GIF89a..", "RIFF....WEBPVP8 ", "BM......", "%PDF-1.7", "OggS\x00\x02",
		"ID3\x03", "\x1a\x45\xdf\xa3", "<!DOCTYPE html><p>", "<html>", "plain text", "", "\x00\x01\x02", strings.Repeat("é", 600), "\xff\xfe\x00"} {
		want, _, _ := strings.Cut(http.DetectContentType([]byte(s)), ";")
		if got := sniff([]byte(s)); got != want && !(want == "text/plain" && got == "application/octet-stream") {
			t.Errorf("%.20q is %s, net/http says %s", s, got, want)
		}
	}
	for s, want := range map[string]string{"<svg/>": MIMETypeSVG, "<?xml version='1.0'?>\n<svg>": MIMETypeSVG, "RIFF....WAVEfmt ": "audio/wav", "....ftypisom": "video/mp4"} {
		if got := sniff([]byte(s)); got != want {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ content, mime string }{
		"a.svg": {"<svg/>", MIMETypeSVG}, "a.md": {"# a", MIMETypeMarkdown}, "a.GeoJSON": {`{"type":"Point"}`, MIMETypeGeoJSON},
		"a.bin": {"GIF89a......", "image/gif"}, "a.html": {"<p>", MIMETypeHTML},
	} {
		path := filepath.Join(dir, name)
		os.WriteFile(path, []byte(c.content), 0o600)
		if b := Render(File("", path)); b.Data[c.mime] == nil {
			t.Errorf("%s is %v", name, b.Types())
		}
	}
	if d := File("", filepath.Join(dir, "none")); !strings.Contains(d.Data["text/plain"].(string), "no such file") {
		t.Errorf("a missing file is %v", d.Data)
	}
}

func TestImageIsThinned(t *testing.T) {
	big := &image.Gray{Pix: make([]byte, 3000*3000), Stride: 3000, Rect: image.Rect(0, 0, 3000, 3000)}
	d := Image(big)
	back, err := png.Decode(bytes.NewReader(d.Data[MIMETypePNG].([]byte)))
	if err != nil || back.Bounds().Dx()*back.Bounds().Dy() > maxPixels || back.Bounds().Dx() < 900 {
		t.Errorf("decoded %v, %v", back.Bounds(), err)
	}
	if !strings.Contains(d.Data["text/plain"].(string), "3000×3000") {
		t.Errorf("text is %v", d.Data["text/plain"])
	}
	if d := Image(image.NewGray(image.Rectangle{})); !strings.Contains(d.Data["text/plain"].(string), "no pixels") {
		t.Errorf("an empty picture is %v", d.Data)
	}
	if d := Image(nil); d.Data[MIMETypePNG] != nil {
		t.Error("nil has no picture")
	}
}

func TestJSON(t *testing.T) {
	type item struct {
		A   int     `json:"a"`
		B   float64 `json:",omitempty"`
		C   string  `json:"-"`
		Err error
		Ch  chan int
	}
	d := JSON([]any{item{A: 1, C: "x"}, math.NaN(), math.Inf(1), map[int]bool{2: true}, nil, "\xff", []byte("{}")})
	wire := fromData(d).Wire()[MIMETypeJSON]
	list, ok := wire.([]any)
	if !ok || len(list) != 7 {
		t.Fatalf("on the wire %v", wire)
	}
	first := list[0].(map[string]any)
	if first["a"] != int64(1) || first["C"] != nil || len(first) != 3 || list[1] != nil || list[2] != nil || list[5] != "\uFFFD" {
		t.Errorf("got %v", list)
	}
	if m := list[3].(map[string]any); m["2"] != true {
		t.Errorf("map is %v", m)
	}
}

func TestJSONSaysWhatItLeavesOut(t *testing.T) {
	list := JSON(make([]int, 2*jsonItems)).Data[MIMETypeJSON].([]any)
	if n := len(list); n > jsonItems+1 || list[n-1] != fmt.Sprintf("… %d more", 2*jsonItems-(n-1)) {
		t.Errorf("%d items, the last %v", n, list[n-1])
	}
}

func TestVegaLiteHasNoHTML(t *testing.T) {
	d := VegaLite(map[string]any{"mark": "point", "title": "T"}, SVG("<svg/>"))
	b := Render(d)
	if b.Data[MIMETypeHTML] != nil || b.Data[MIMETypeSVG] != "<svg/>" || b.Data["text/plain"] != "Vega-Lite point chart: T" {
		t.Errorf("bundle is %v", b.Data)
	}
	spec := b.Data[MIMETypeVegaLite].(map[string]any)
	if spec["$schema"] == nil || spec["mark"] != "point" {
		t.Errorf("specification is %v", spec)
	}
	if d := VegaLite("no json", nil); !strings.Contains(d.Data["text/plain"].(string), "JSON object") {
		t.Errorf("got %v", d)
	}
}

func TestSoundIsWAV(t *testing.T) {
	d := Sound([]float64{0, 1, -1, 5, math.NaN()}, 8000)
	html := d.Data[MIMETypeHTML].(string)
	i, j := strings.Index(html, "base64,"), strings.Index(html, `"></audio>`)
	wav, err := base64.StdEncoding.DecodeString(html[i+7 : j])
	if err != nil {
		t.Fatal(err)
	}
	if string(wav[:4]) != "RIFF" || string(wav[8:16]) != "WAVEfmt " || len(wav) != 44+10 || binary.LittleEndian.Uint32(wav[4:]) != uint32(len(wav)-8) {
		t.Fatalf("header %q of %d bytes", wav[:16], len(wav))
	}
	for k, want := range []int16{0, 32767, -32767, 32767, 0} {
		if got := int16(binary.LittleEndian.Uint16(wav[44+2*k:])); got != want {
			t.Errorf("sample %d is %d, want %d", k, got, want)
		}
	}
	if d := Sound(nil, 0); d.Data[MIMETypeHTML] != nil {
		t.Error("a rate of zero must be refused")
	}
	if html := Audio([]byte("x"), `a"><script>`).Data[MIMETypeHTML].(string); strings.Contains(html, "<script>") {
		t.Errorf("the type is not escaped: %s", html)
	}
}

func TestFragmentsAreEscaped(t *testing.T) {
	evil := "<script>alert(1)</script>"
	for _, b := range []Bundle{Text(evil), {Data: map[string]any{"text/latex": evil}}, {Data: map[string]any{"text/markdown": evil}}, Render(evil)} {
		if s := Fragment(b); strings.Contains(s, "<script") {
			t.Errorf("%v became %s", b.Data, s)
		}
	}
	b := Render(Row("a<b", HTML("<i>raw</i>"), PNG([]byte("p"))))
	page := b.Data[MIMETypeHTML].(string)
	for _, want := range []string{"repeat(3,", "a&lt;b", "<i>raw</i>", "data:image/png;base64,cA=="} {
		if !strings.Contains(page, want) {
			t.Errorf("the row lacks %s: %s", want, page)
		}
	}
	if text := b.Data["text/plain"].(string); strings.Count(text, "\n\n") != 2 {
		t.Errorf("text is %q", text)
	}
}

func TestGeoJSONIsDrawn(t *testing.T) {
	d := GeoJSON(`{"type":"FeatureCollection","features":[
		{"type":"Feature","properties":{"name":"<b>A</b>"},"geometry":{"type":"Polygon","coordinates":[[[4,52],[6,52],[6,53],[4,52]],[[4.5,52.2],[5,52.2],[5,52.4],[4.5,52.2]]]}},
		{"type":"Feature","geometry":{"type":"GeometryCollection","geometries":[{"type":"MultiPoint","coordinates":[[4,52],[5,53,7],["x",1],[1]]},{"type":"LineString","coordinates":[[4,52],[6,53]]}]}},
		{"type":"Feature","geometry":null}, 3]}`)
	svg, _ := d.Data[MIMETypeSVG].(string)
	if strings.Count(svg, "<circle") != 2 || strings.Count(svg, "<path") != 2 || strings.Contains(svg, "<b>") || strings.Count(svg, "ZM") != 1 {
		t.Errorf("drawn as %s", svg)
	}
	// North is up, east is right, and a degree of longitude is shorter.
	if !strings.Contains(svg, `d="M`) || strings.Contains(svg, "NaN") {
		t.Errorf("drawn as %s", svg)
	}
	for _, bad := range []any{`{"type":"Point","coordinates":[1e9,2]}`, `{"type":"Polygon","coordinates":3}`, map[string]any{"type": "Point"}, map[string]any{}} {
		if d := GeoJSON(bad); d.Data[MIMETypeSVG] != nil {
			t.Errorf("%v is drawn", bad)
		}
	}
	var deep any = map[string]any{"type": "Point", "coordinates": []any{1.0, 2.0}}
	for range 100 {
		deep = map[string]any{"type": "GeometryCollection", "geometries": []any{deep}}
	}
	GeoJSON(deep)
}
