package display

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"html"
	"math"
	"strings"
)

// VegaLite returns an interactive chart: a Vega-Lite specification (JSON text,
// or anything that encoding/json takes) under the type that JupyterLab draws.
// fallback is what other front ends, print and GitHub show instead, for example
// a *plot.Plot of the same data; with nil a registered renderer draws simple
// charts of inline data, and otherwise only the text is there.
//
// The bundle has no HTML: JupyterLab would draw that in place of the chart.
func VegaLite(spec any, fallback any) Data {
	tree, ok := jsonSafe(spec).(map[string]any)
	if !ok {
		return toData(Text(fmt.Sprintf("display: a Vega-Lite specification is a JSON object, this is %s; give a map or JSON text",
			oneLine(fmt.Sprint(jsonSafe(spec)), 60))))
	}
	if _, ok := tree["$schema"]; !ok {
		tree["$schema"] = "https://vega.github.io/schema/vega-lite/v5.json"
	}
	b := Bundle{Data: map[string]any{MIMETypeVegaLite: tree}, Metadata: map[string]any{}}
	if fallback == nil {
		fallback = vegaSpec(tree)
	}
	if static := Render(fallback); hasFigure(static) {
		delete(static.Data, MIMETypeHTML)
		delete(static.Data, MIMETypeText)
		b.merge(static)
	}
	b.Data[MIMETypeText] = vegaText(tree)
	return toData(b)
}

// vegaSpec marks a specification for a registered renderer.
type vegaSpec map[string]any

// VegaLite returns the specification. A registered renderer that finds this
// method may draw it.
func (s vegaSpec) VegaLite() map[string]any { return s }

// String keeps the text of a specification that no renderer took short.
func (s vegaSpec) String() string { return vegaText(s) }

func vegaText(tree map[string]any) string {
	mark, _ := tree["mark"].(string)
	if m, ok := tree["mark"].(map[string]any); ok {
		mark, _ = m["type"].(string)
	}
	s := strings.Join(strings.Fields("Vega-Lite "+mark+" chart"), " ")
	if title, ok := tree["title"].(string); ok {
		s += ": " + oneLine(title, 100)
	}
	return s
}

// Audio returns a player for a sound file. An empty mimeType ("audio/wav",
// "audio/mpeg", "audio/ogg") is found out from the content.
func Audio(data []byte, mimeType string) Data { return player("audio", data, mimeType) }

// Video returns a player for a film file. An empty mimeType ("video/mp4",
// "video/webm") is found out from the content.
func Video(data []byte, mimeType string) Data { return player("video", data, mimeType) }

func player(element string, data []byte, mimeType string) Data {
	if mimeType == "" {
		mimeType = sniff(data)
		if mimeType == "application/ogg" {
			mimeType = element + "/ogg"
		}
	}
	page := fmt.Sprintf(`<%s controls style="max-width:100%%" src="data:%s;base64,%s"></%s>`,
		element, html.EscapeString(mimeType), base64.StdEncoding.EncodeToString(data), element)
	return MakeData3(MIMETypeHTML, fmt.Sprintf("%s, %d bytes", mimeType, len(data)), page)
}

// Sound returns a player for samples in [-1, 1], clipped there, at rate samples
// a second, as 16-bit mono WAV. NaN is silence.
func Sound(samples []float64, rate int) Data {
	if rate <= 0 {
		return toData(Text(fmt.Sprintf("display: a sound needs a positive rate, not %d; 44100 is usual", rate)))
	}
	var w bytes.Buffer
	size := uint32(2 * len(samples))
	w.WriteString("RIFF")
	binary.Write(&w, binary.LittleEndian, 36+size)
	w.WriteString("WAVEfmt ")
	binary.Write(&w, binary.LittleEndian, struct {
		Size             uint32
		Format, Channels uint16
		Rate, ByteRate   uint32
		Block, Bits      uint16
	}{16, 1, 1, uint32(rate), uint32(2 * rate), 2, 16})
	w.WriteString("data")
	binary.Write(&w, binary.LittleEndian, size)
	for _, x := range samples {
		if math.IsNaN(x) {
			x = 0
		}
		binary.Write(&w, binary.LittleEndian, int16(math.Round(32767*max(-1, min(1, x)))))
	}
	d := Audio(w.Bytes(), "audio/wav")
	d.Data[MIMETypeText] = fmt.Sprintf("sound of %.3g s at %d Hz", float64(len(samples))/float64(rate), rate)
	return d
}
