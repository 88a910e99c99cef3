package gonbui

import (
	"context"
	"encoding/base64"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// record keeps what was displayed, by display_id or in order.
type record struct {
	shown   []display.Bundle
	updates map[string]display.Bundle
}

func (r *record) Display(b display.Bundle, id string) { r.shown = append(r.shown, b) }
func (r *record) Update(b display.Bundle, id string)  { r.updates[id] = b }
func (r *record) Result(b display.Bundle)             {}
func (r *record) Clear(bool)                          {}
func (r *record) Stream(string, string)               {}
func (r *record) Comm(display.CommMessage)            {}
func (r *record) Input(_ context.Context, prompt string, password bool) (string, error) {
	if password {
		return "secret", nil
	}
	return "to " + prompt, nil
}

func TestNames(t *testing.T) {
	r := &record{updates: map[string]display.Bundle{}}
	display.SetHost(func() display.Sink { return r })
	defer display.SetHost(nil)

	DisplayHTMLF("<b>%d</b>", 3)
	DisplayMarkdown("*x*")
	DisplaySVG("<svg/>")
	img := image.NewGray(image.Rect(0, 0, 2, 3))
	if err := DisplayImage(img); err != nil {
		t.Fatal(err)
	}
	want := []string{"text/html", "text/markdown", "image/svg+xml", "image/png"}
	for i, mime := range want {
		if r.shown[i].Data[mime] == nil {
			t.Errorf("display %d has %v, want %s", i, r.shown[i].Types(), mime)
		}
	}
	if got := r.shown[0].Data["text/html"]; got != "<b>3</b>" {
		t.Errorf("HTML is %q", got)
	}

	id := UniqueID()
	if id == UniqueID() {
		t.Error("two names are equal")
	}
	UpdateHTML(id, "one")
	if len(r.updates) != 0 || len(r.shown) != 5 {
		t.Error("the first use of a name must display")
	}
	UpdateHTML(id, "two")
	if r.updates[id].Data["text/html"] != "two" || len(r.shown) != 5 {
		t.Error("the second use of a name must update")
	}

	if s, err := RequestInput("name?", false); err != nil || s != "to name?" {
		t.Errorf("input %q, %v", s, err)
	}
	if s, err := RequestInput("key?", true); err != nil || s != "secret" {
		t.Errorf("password %q, %v", s, err)
	}
}

func TestEmbeddedImageDecodes(t *testing.T) {
	src, err := EmbedImageAsPNGSrc(image.NewGray(image.Rect(0, 0, 5, 4)))
	if err != nil {
		t.Fatal(err)
	}
	data, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(src, "data:image/png;base64,"))
	if err != nil {
		t.Fatal(err)
	}
	back, err := png.Decode(strings.NewReader(string(data)))
	if err != nil || back.Bounds().Dx() != 5 || back.Bounds().Dy() != 4 {
		t.Errorf("decoded %v, %v", back, err)
	}
	if _, err := EmbedImageAsPNGSrc(nil); err == nil {
		t.Error("a nil picture must be an error")
	}
}
