// Package gonbui offers the names that notebooks written for the GoNB kernel
// use to show things, on top of stdlib/display, which new code should use.
//
// Notebooks import it as "github.com/janpfeifer/gonb/gonbui"; the kernel gives
// them this package. What differs: RequestInput returns the answer, because
// there is no process whose standard input it could go to; Sync, Open and Error
// have nothing to do; the WebSocket of GoNB's own widgets is not there.
package gonbui

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"log"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// IsNotebook is true where a notebook shows what is displayed, when the program
// began.
var IsNotebook = display.InNotebook()

// Debug makes Logf print.
var Debug bool

// Logf prints a line to the log if Debug is set.
func Logf(format string, args ...any) {
	if Debug {
		log.Printf(format, args...)
	}
}

var count atomic.Int64

// UniqueID returns a name that no other display has.
func UniqueID() string { return fmt.Sprintf("gonb_id_%x_%d", time.Now().UnixNano(), count.Add(1)) }

// UniqueId is UniqueID.
func UniqueId() string { return UniqueID() }

// DisplayHTML shows markup as it is.
func DisplayHTML(html string) { display.Show(display.HTML(html)) }

// DisplayHtml is DisplayHTML.
func DisplayHtml(html string) { DisplayHTML(html) }

// DisplayHTMLF formats markup and shows it. The arguments are not escaped.
func DisplayHTMLF(htmlFormat string, args ...any) { DisplayHTML(fmt.Sprintf(htmlFormat, args...)) }

// DisplayHtmlf is DisplayHTMLF.
func DisplayHtmlf(htmlFormat string, args ...any) { DisplayHTMLF(htmlFormat, args...) }

// DisplayMarkdown shows Markdown.
func DisplayMarkdown(markdown string) { display.Show(display.Markdown(markdown)) }

// shown are the names that were displayed already.
var shown sync.Map

func update(id string, d display.Data) {
	if _, again := shown.LoadOrStore(id, true); again {
		display.Update(id, d)
		return
	}
	display.ShowID(id, d)
}

// UpdateHTML shows markup under a name, in place of what the name showed.
func UpdateHTML(id, html string) { update(id, display.HTML(html)) }

// UpdateHtml is UpdateHTML.
func UpdateHtml(id, html string) { UpdateHTML(id, html) }

// UpdateMarkdown shows Markdown under a name, in place of what the name showed.
func UpdateMarkdown(id, markdown string) { update(id, display.Markdown(markdown)) }

// DisplayPNG shows a PNG picture.
func DisplayPNG(png []byte) { display.Show(display.PNG(png)) }

// DisplayPng is DisplayPNG.
func DisplayPng(png []byte) { DisplayPNG(png) }

// DisplaySVG shows an SVG drawing.
func DisplaySVG(svg string) { display.Show(display.SVG(svg)) }

// DisplaySvg is DisplaySVG.
func DisplaySvg(svg string) { DisplaySVG(svg) }

// DisplayImage shows a picture as PNG.
func DisplayImage(img image.Image) error {
	data, err := encode(img)
	if err != nil {
		return err
	}
	DisplayPNG(data)
	return nil
}

// EmbedImageAsPNGSrc returns a picture as the src of an img element.
func EmbedImageAsPNGSrc(img image.Image) (string, error) {
	data, err := encode(img)
	if err != nil {
		return "", err
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data), nil
}

func encode(img image.Image) ([]byte, error) {
	if img == nil || img.Bounds().Empty() {
		return nil, fmt.Errorf("gonbui: the picture has no pixels; give one that has")
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return nil, fmt.Errorf("gonbui: encoding PNG: %w", err)
	}
	return buf.Bytes(), nil
}

// ScriptJavascript runs a script in the page.
func ScriptJavascript(js string) { display.Show(display.JavaScript(js)) }

// RequestInput asks the user for a line and returns it.
func RequestInput(prompt string, password bool) (string, error) {
	if password {
		return display.Password(context.Background(), prompt)
	}
	return display.Input(context.Background(), prompt)
}

// Sync does nothing: displays are in order already.
func Sync() {}

// Open does nothing and returns nil.
func Open() error { return nil }

// Error returns nil.
func Error() error { return nil }
