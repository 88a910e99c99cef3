// Package page renders a notebook as one HTML file that needs nothing else: no
// network, no Jupyter, no script to be read. Pictures are inside, Markdown is
// rendered, formulas are MathML, Go code and terminal colours are spans. The
// page has a table of contents, follows the reader's light or dark setting,
// and prints without its controls.
//
// A Content-Security-Policy in the page forbids every load from elsewhere, so
// that an output that wants one (a script from a CDN, a tracking picture) does
// not get it.
package page

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fathom-kernel/fathom/kernel/notebook"
)

//go:embed page.css
var css string

//go:embed page.js
var script string

// Render returns the notebook as a page. The title is that of the browser's
// window; empty means the notebook's first heading, or else "Notebook". The
// same notebook always gives the same bytes.
func Render(nb *notebook.Notebook, title string) []byte {
	if title == "" {
		title = nb.Title()
	}
	if title == "" {
		title = "Notebook"
	}
	md := newMarkdown()
	goCode := true
	if lang := nb.Language(); lang != "" && lang != "go" {
		goCode = false
	}
	var body strings.Builder
	for _, c := range nb.Cells {
		switch c.Kind {
		case notebook.Markdown:
			if strings.TrimSpace(c.Source) != "" {
				body.WriteString("<section class=\"md\">\n" + md.render(c.Source, c.Attachments) + "</section>\n")
			}
		case notebook.Code:
			writeCode(&body, md, c, goCode)
		case notebook.Raw:
			// Raw cells are for converters to one format; this is HTML.
			switch c.Metadata["format"] {
			case "text/html":
				body.WriteString("<section class=\"out\">" + c.Source + "</section>\n")
			default:
				body.WriteString("<pre class=\"raw\">" + escape(c.Source) + "</pre>\n")
			}
		}
	}
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	b.WriteString(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data: blob:; media-src data: blob:; font-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">` + "\n")
	b.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"fathom\">\n")
	b.WriteString("<title>" + escape(title) + "</title>\n<style>\n" + css + "</style>\n</head>\n<body>\n")
	b.WriteString(`<button id="theme" type="button" title="light or dark" aria-label="light or dark">◐</button>` + "\n")
	b.WriteString(contents(md.headings))
	b.WriteString("<main>\n" + body.String() + "</main>\n<script>\n" + script + "</script>\n</body>\n</html>\n")
	return []byte(b.String())
}

// contents is the table of contents, of headings to the third level. A
// notebook with one heading or none needs no table.
func contents(headings []heading) string {
	if len(headings) < 2 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<nav><details open><summary>Contents</summary><ul>\n")
	for _, h := range headings {
		if h.level <= 3 {
			fmt.Fprintf(&b, "<li class=\"l%d\"><a href=\"#%s\">%s</a></li>\n", h.level, escape(h.id), h.html)
		}
	}
	b.WriteString("</ul></details></nav>\n")
	return b.String()
}

func writeCode(b *strings.Builder, md *markdown, c *notebook.Cell, goCode bool) {
	if strings.TrimSpace(c.Source) == "" && len(c.Outputs) == 0 {
		return
	}
	b.WriteString("<section class=\"cell\">\n")
	if !hidden(c, "source_hidden") && !c.HasTag("hide-input") && !c.HasTag("remove-input") {
		count := " "
		if c.Count > 0 {
			count = fmt.Sprint(c.Count)
		}
		code := escape(c.Source)
		if goCode {
			code = GoCode(c.Source)
		}
		b.WriteString("<div class=\"in\"><span class=\"prompt\">[" + count + "]</span><pre class=\"code\"><code>" + code + "</code></pre></div>\n")
	}
	if !hidden(c, "outputs_hidden") && !c.HasTag("hide-output") && !c.HasTag("remove-output") {
		for _, o := range c.Outputs {
			b.WriteString(outputHTML(o, md))
		}
	}
	b.WriteString("</section>\n")
}

// hidden reads metadata.jupyter, where JupyterLab keeps what is folded away.
func hidden(c *notebook.Cell, key string) bool {
	m, _ := c.Metadata["jupyter"].(map[string]any)
	on, _ := m[key].(bool)
	return on
}

func outputHTML(o *notebook.Output, md *markdown) string {
	switch o.Kind {
	case notebook.StreamOutput:
		class := "stream"
		if o.Name == "stderr" {
			class += " stderr"
		}
		return `<pre class="` + class + `">` + ANSI(o.Text) + "</pre>\n"
	case notebook.ErrorOutput:
		text := strings.Join(o.Traceback, "\n")
		if text == "" {
			text = o.ErrName + ": " + o.ErrValue
		}
		return `<pre class="error">` + ANSI(text) + "</pre>\n"
	case notebook.DisplayData, notebook.ExecuteResult:
		return bundleHTML(o.Data, o.Metadata, md)
	}
	return ""
}

// preferred are the types that a page can show, best first; it is the order
// of Jupyter's own front ends.
var preferred = []string{
	"text/html", "text/markdown", "text/latex", "image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp", "application/json", "text/plain",
}

func bundleHTML(data, metadata map[string]any, md *markdown) string {
	for _, mime := range preferred {
		v, ok := data[mime]
		if !ok {
			continue
		}
		if mime == "application/json" {
			return jsonHTML(v)
		}
		text, ok := v.(string)
		if !ok {
			continue
		}
		switch mime {
		case "text/html":
			return "<div class=\"out\">" + text + "</div>\n"
		case "text/markdown":
			return "<div class=\"out md\">" + md.output(text) + "</div>\n"
		case "text/latex":
			return "<div class=\"out\">" + latexOutput(text) + "</div>\n"
		case "image/svg+xml":
			// As a picture, not as markup: two drawings of one page cannot
			// mix up their ids, and their scripts do not run.
			return picture(mime, base64.StdEncoding.EncodeToString([]byte(text)), metadata)
		case "text/plain":
			if text == "" {
				return ""
			}
			return "<pre class=\"result\">" + ANSI(text) + "</pre>\n"
		default:
			return picture(mime, text, metadata)
		}
	}
	return ""
}

// output renders Markdown that a cell shows: its headings are no chapters of
// the notebook.
func (m *markdown) output(text string) string {
	before := m.headings
	out := m.render(text, nil)
	m.headings = before
	return out
}

func picture(mime, data string, metadata map[string]any) string {
	attr := ""
	if m, ok := metadata[mime].(map[string]any); ok {
		for _, side := range []string{"width", "height"} {
			switch n := m[side].(type) {
			case json.Number:
				if f, err := n.Float64(); err == nil && f > 0 {
					attr += fmt.Sprintf(` %s="%.0f"`, side, f)
				}
			case int, float64:
				attr += fmt.Sprintf(` %s="%v"`, side, n)
			}
		}
	}
	return "<div class=\"out\"><img" + attr + ` alt="output" src="` + dataURI(mime, data) + "\"></div>\n"
}

func dataURI(mime, base64 string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == ' ' {
			return -1
		}
		return r
	}, base64)
	return escape("data:" + mime + ";base64," + clean)
}

func jsonHTML(v any) string {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return ""
	}
	return "<details class=\"json\" open><summary>JSON</summary><pre>" + escape(string(text)) + "</pre></details>\n"
}
