package page

import (
	"bytes"
	"encoding/xml"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/fathom-kernel/fathom/kernel/notebook"
)

// wellFormed reports what is wrong with a piece of XML.
func wellFormed(s string) error {
	d := xml.NewDecoder(strings.NewReader(s))
	d.Strict = true
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

var tag = regexp.MustCompile(`<[^>]*>`)

// textOf returns the text of HTML made of spans.
func textOf(s string) string { return html.UnescapeString(tag.ReplaceAllString(s, "")) }

func TestMathML(t *testing.T) {
	for _, c := range []struct {
		tex, want string
	}{
		{`x^2`, `<msup><mrow><mi>x</mi></mrow><mrow><mn>2</mn></mrow></msup>`},
		{`x_i^{n+1}`, `<msubsup>`},
		{`x^23`, `<mn>2</mn></mrow></msup><mn>3</mn>`},
		{`f''(x)`, `<mo>′′</mo>`},
		{`\frac{a}{b}`, `<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>`},
		{`\frac12`, `<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>`},
		{`\sqrt[3]{x}`, `<mroot>`},
		{`\sum_{i=1}^n i`, `<munderover>`},
		{`\int_0^1 f`, `<msubsup>`},
		{`\min_{x \in \mathbb{R}} f(x)`, `ℝ`},
		{`\operatorname*{argmax}_\theta`, `<munder>`},
		{`\left( \frac a b \right]`, `<mo stretchy="true" fence="true">]</mo>`},
		{`\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}`, `<mtable>`},
		{`\begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}`, `<mtext>else</mtext>`},
		{`a &= b \\ c &= d`, `<mtr>`},
		{`\text{if } x`, "<mtext>if\u00A0</mtext>"},
		{`\hat\beta`, `<mover accent="true">`},
		{`\mathcal{L}(\theta)`, `ℒ`},
		{`\boldsymbol\beta`, `𝜷`},
		{`\not=`, "=\u0338"},
		{`3.14\,\%`, `<mn>3.14</mn>`},
		{`a < b`, `&lt;`},
		{"% a comment\nx", `<mi>x</mi>`},
		{``, `<mrow></mrow>`},
	} {
		got, err := MathML(c.tex, true)
		if err != nil {
			t.Errorf("%s: %v", c.tex, err)
			continue
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\nwithout %s", c.tex, got, c.want)
		}
		if err := wellFormed(strings.ReplaceAll(got, "&#x2061;", "")); err != nil {
			t.Errorf("%s: %v", c.tex, err)
		}
	}
	for _, tex := range []string{`\frac{a}`, `{`, `}`, `x^`, `x^1^2`, `\unknown`, `\left( x`, `\begin{pmatrix} 1`, `\begin{matrix} 1 \end{pmatrix}`, `\`, `\sqrt[3`, `$`, `\text{$`, strings.Repeat("{", 1000), strings.Repeat(`\sqrt`, 1000)} {
		if got, err := MathML(tex, false); err == nil {
			t.Errorf("%q gives %s, want an error", tex, got)
		}
	}
}

func FuzzMathML(f *testing.F) {
	for _, s := range []string{`\frac{a}{b}`, `x_i^{n+1}`, `\left(\begin{pmatrix}1&2\\3&4\end{pmatrix}\right)`, `\text{a $b$ c}`, `\sqrt[3]{x}`, `\not\in`, `\mathbb{R}`, `\big|`, "\\\n", "a'^b", `\operatorname*{x}`, `\tag{1}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, tex string) {
		for _, block := range []bool{false, true} {
			out, err := MathML(tex, block)
			if err != nil {
				continue
			}
			if err := wellFormed(strings.ToValidUTF8(strings.ReplaceAll(out, "&#x2061;", ""), "?")); err != nil {
				t.Fatalf("%q: %v\n%s", tex, err, out)
			}
		}
	})
}

func TestANSI(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain <b>", "plain &lt;b&gt;"},
		{"\x1b[31mred\x1b[0m x", `<span class="a1">red</span> x`},
		{"\x1b[1;32mgreen\x1b[22mthin\x1b[mx", `<span class="a2 tb">green</span><span class="a2">thin</span>x`},
		{"\x1b[38;5;196mx\x1b[48;2;1;2;3my", `<span style="color:#ff0000">x</span><span style="color:#ff0000;background:#010203">y</span>`},
		{"\x1b[7mx", `<span class="ai bi">x</span>`},
		{"a\x1b[2Kb\x1b]0;title\x07c\x1b]8;;http://x\x1b\\d", "abcd"},
		{"10 %\r20 %\r\nend", "20 %\nend"},
		{"\x1b", ""}, {"\x1b[", ""}, {"a\x1b[31", "a"}, {"\x1b[38;5m", ""}, {"\x1b[999999999999999999999mx", "x"},
	} {
		if got := ANSI(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

// The page shows each character that is not a control sequence, and no markup
// that the text brings along.
func FuzzANSI(f *testing.F) {
	f.Add("\x1b[31mred\x1b[0m <b>")
	f.Add("a\x1b[38;5;7;1mb\x1b]8;;x\x07c\r\nd\re")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		got := ANSI(s)
		if rest := regexp.MustCompile(`</?span( class="[a-z0-9 ]*")?( style="[-a-z0-9:;#]*")?>`).ReplaceAllString(got, ""); strings.ContainsAny(rest, "<>") {
			t.Fatalf("%q: markup in %q", s, got)
		}
		want := html.UnescapeString(escape(PlainText(overwrite(s))))
		if textOf(got) != want {
			t.Fatalf("%q: text %q, want %q", s, textOf(got), want)
		}
	})
}

func TestGoCode(t *testing.T) {
	source := "%%native\nfunc f(x int) string { // why\n\treturn fmt.Sprint(`a\r\nb`, 0x1F, 'c', nil)\n}"
	got := GoCode(source)
	for _, want := range []string{
		`<span class="m">%%native</span>`, `<span class="k">func</span> <span class="f">f</span>`, `<span class="t">int</span>`,
		`<span class="c">// why</span>`, `<span class="f">Sprint</span>`, `<span class="n">0x1F</span>`, `<span class="b">nil</span>`, "<span class=\"s\">`a\nb`</span>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func FuzzGoCode(f *testing.F) {
	f.Add("%time\nx := 1 // a\n\"unclosed")
	f.Add("`raw\r\nstring` /* open")
	f.Add("a\x00b '")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		want := html.UnescapeString(escape(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)))
		if got := textOf(GoCode(s)); got != want {
			t.Fatalf("%q: text %q, want %q", s, got, want)
		}
	})
}

func TestCutMath(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"a $x_1$ b", []string{"x_1"}},
		{"from $5 to $10", nil},
		{"$5 and $x$", []string{"x"}},
		{`\$x$ y$`, nil},
		{"`$x$` and ``a`$y$`` $z$", []string{"z"}},
		{"```\n$x$\n```\n$y$", []string{"y"}},
		{"~~~\n```\n$x$\n~~~\n$y$", []string{"y"}},
		{"text\n\n    $code$\n\n$x$", []string{"x"}},
		{"$$\na\n+ b\n$$", []string{"\na\n+ b\n"}},
		{`\begin{align} a &= b \end{align}`, []string{`\begin{align} a &= b \end{align}`}},
		{`\begin{poem}`, nil},
		{"$a\n\nb$", nil},
		{`\(x\) \\(y\\)`, []string{"x", "y"}},
		{"\\[x\\] but not \\[y\\]", []string{"x"}},
		{"$ x$", nil},
		{"``` unclosed\n$x$", nil},
		{"` $x$", []string{"x"}},
	} {
		_, formulas := cutMath(c.in)
		var got []string
		for _, f := range formulas {
			got = append(got, f.tex)
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	m := newMarkdown()
	got := m.render("# A *title* with $x^2$\n\n$$\na_1 + b_1\n- c\n$$\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![p](attachment:a%20b.png)\n\n```go\nfunc f() {}\n```\n\n## Again\n## Again\n\n[to](#Again)",
		map[string]any{"a b.png": map[string]any{"image/png": "AAAA"}})
	for _, want := range []string{
		`<h1 id="A-title-with-x^2">`, "<msup>", `<span class="block-math">`, "<table>", `src="data:image/png;base64,AAAA"`, `<span class="k">func</span>`, `id="Again"`, `id="Again-2"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if len(m.headings) != 3 || !strings.HasPrefix(m.headings[0].html, "A title with <math") {
		t.Errorf("contents %+v", m.headings)
	}
}

// Markdown of any kind gives a page; formulas come back where they were cut.
func FuzzMarkdown(f *testing.F) {
	f.Add("# a $x$\n\n- b\n\n```go\nx\n```")
	f.Add("$$\\begin{matrix}a\\end{matrix}$$ ` \\$ [a](attachment:b)")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		cut, formulas := cutMath(s)
		back := paste(cut, formulas, func(f formula) string { return f.source })
		if clean := strings.Map(func(r rune) rune {
			if r == markOpen || r == markClose {
				return '\uFFFD'
			}
			return r
		}, s); back != clean {
			t.Fatalf("%q: cut and pasted gives %q", s, back)
		}
		out := newMarkdown().render(s, nil)
		if strings.ContainsRune(out, markOpen) {
			t.Fatalf("%q: a mark is left in %q", s, out)
		}
	})
}

func TestPageStandsAlone(t *testing.T) {
	nb := notebook.New()
	nb.Cells = []*notebook.Cell{
		{Kind: notebook.Markdown, ID: "a", Source: "# Title & more\ntext"},
		{Kind: notebook.Markdown, ID: "b", Source: "## Part"},
		{Kind: notebook.Code, ID: "c", Count: 1, Source: "x := \"<script>\"", Outputs: []*notebook.Output{
			{Kind: notebook.StreamOutput, Name: "stderr", Text: "\x1b[31m<oops>\x1b[0m"},
			{Kind: notebook.DisplayData, Data: map[string]any{"image/png": "iVBORw0\n", "text/plain": "plot"}, Metadata: map[string]any{"image/png": map[string]any{"width": 300}}},
			{Kind: notebook.DisplayData, Data: map[string]any{"image/svg+xml": "<svg/>"}},
			{Kind: notebook.DisplayData, Data: map[string]any{"text/html": "<table id=t></table>", "text/plain": "no"}},
			{Kind: notebook.DisplayData, Data: map[string]any{"text/latex": `$\frac{1}{2}$`}},
			{Kind: notebook.DisplayData, Data: map[string]any{"text/markdown": "# not a chapter"}},
			{Kind: notebook.DisplayData, Data: map[string]any{"application/json": map[string]any{"a": "<b>"}}},
			{Kind: notebook.ExecuteResult, Data: map[string]any{"text/plain": "1 < 2"}},
			{Kind: notebook.ErrorOutput, ErrName: "Panic", ErrValue: "no", Traceback: []string{"\x1b[1mPanic\x1b[0m: no"}},
		}},
		{Kind: notebook.Raw, ID: "d", Source: "<raw>"},
	}
	got := string(Render(nb, ""))
	for _, want := range []string{
		"<title>Title &amp; more</title>", `<a href="#Part">Part</a>`, `&#34;&lt;script&gt;&#34;`, `<pre class="stream stderr"><span class="a1">&lt;oops&gt;</span>`,
		`<img width="300" alt="output" src="data:image/png;base64,iVBORw0">`, `src="data:image/svg+xml;base64,PHN2Zy8+"`, "<table id=t></table>", "<mfrac>",
		"&#34;a&#34;: &#34;\\u003cb\\u003e&#34;", "1 &lt; 2", `<span class="tb">Panic</span>: no`, `<pre class="raw">&lt;raw&gt;`, "Content-Security-Policy",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(got, "chapter</a>") {
		t.Error("the heading of an output is in the table of contents")
	}
	if again := Render(nb, ""); !bytes.Equal([]byte(got), again) {
		t.Error("two renderings differ")
	}
	// Nothing is loaded from elsewhere.
	if m := regexp.MustCompile(`(?i)(src|href)\s*=\s*["']?(https?:)?//|@import|url\(`).FindString(got); m != "" {
		t.Errorf("the page loads something: %s", m)
	}
}
