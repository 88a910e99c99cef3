package page

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	ghtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// heading is an entry of the table of contents.
type heading struct {
	level    int
	id, html string
}

// markdown renders the Markdown of one document; ids of headings are unique in
// it and gathered in headings.
type markdown struct {
	engine   goldmark.Markdown
	ids      map[string]int
	headings []heading
}

func newMarkdown() *markdown {
	return &markdown{
		ids: map[string]int{},
		engine: goldmark.New(
			goldmark.WithExtensions(extension.GFM, extension.Footnote),
			goldmark.WithRendererOptions(
				ghtml.WithUnsafe(), // HTML in Markdown is part of the notebook format
				renderer.WithNodeRenderers(util.Prioritized(fences{}, 100)),
			),
		),
	}
}

// render returns the source as HTML. Formulas are taken out before Markdown
// sees them, since a _ or * or \\ in one is no markup, and put back after.
// Attachments are those of the cell: file name → MIME type → base64.
func (m *markdown) render(source string, attachments map[string]any) string {
	source, formulas := cutMath(strings.ReplaceAll(source, "\r\n", "\n"))
	src := []byte(source)
	doc := m.engine.Parser().Parse(text.NewReader(src), parser.WithContext(parser.NewContext()))
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			m.addHeading(n, src, formulas)
		case *ast.Image:
			if data := attached(string(n.Destination), attachments); data != "" {
				n.Destination = []byte(data)
			}
		}
		return ast.WalkContinue, nil
	})
	var b bytes.Buffer
	if err := m.engine.Renderer().Render(&b, src, doc); err != nil {
		return "<pre>" + escape(source) + "</pre>"
	}
	return pasteMath(b.String(), formulas)
}

func (m *markdown) addHeading(h *ast.Heading, src []byte, formulas []formula) {
	var label strings.Builder
	ast.Walk(h, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Text:
				label.Write(n.Segment.Value(src))
				if n.SoftLineBreak() {
					label.WriteByte(' ')
				}
			case *ast.String:
				label.Write(n.Value)
			}
		}
		return ast.WalkContinue, nil
	})
	id := m.newID(pasteSource(label.String(), formulas))
	h.SetAttributeString("id", []byte(id))
	m.headings = append(m.headings, heading{h.Level, id, pasteMath(escape(html.UnescapeString(label.String())), formulas)})
}

// newID makes an id as Jupyter does, so that links inside a notebook work:
// spaces become hyphens, the rest stays.
func (m *markdown) newID(label string) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '\t' || r == '\n':
			return '-'
		case r < ' ' || strings.ContainsRune("\"'<>&%", r) || r >= 0xE000 && r <= 0xF8FF:
			return -1
		}
		return r
	}, strings.TrimSpace(label))
	if id == "" {
		id = "section"
	}
	m.ids[id]++
	if n := m.ids[id]; n > 1 {
		return m.newID(fmt.Sprintf("%s-%d", id, n))
	}
	return id
}

// attached returns the attachment that the link names as a data URI, "" where
// there is none.
func attached(link string, attachments map[string]any) string {
	name, ok := strings.CutPrefix(link, "attachment:")
	if !ok {
		return ""
	}
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	bundle, _ := attachments[name].(map[string]any)
	for mime, v := range bundle {
		if data, ok := v.(string); ok && strings.HasPrefix(mime, "image/") {
			return dataURI(mime, data)
		}
	}
	return ""
}

// fences renders code blocks, those in Go with colours.
type fences struct{}

func (fences) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		n := node.(*ast.FencedCodeBlock)
		var code strings.Builder
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			code.Write(line.Value(src))
		}
		text := escape(code.String())
		switch strings.ToLower(string(n.Language(src))) {
		case "go", "golang":
			text = GoCode(code.String())
		}
		w.WriteString("<pre class=\"code\"><code>" + text + "</code></pre>\n")
		return ast.WalkSkipChildren, nil
	})
}
