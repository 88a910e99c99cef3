package display

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// recorder is a Sink that keeps what it is given.
type recorder struct {
	mu      sync.Mutex
	shown   []Bundle
	ids     []string
	updates []Bundle
	times   []time.Time
	clears  []bool
	comms   []CommMessage
	answer  string
}

func (r *recorder) Display(b Bundle, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown, r.ids, r.times = append(r.shown, b), append(r.ids, id), append(r.times, time.Now())
}
func (r *recorder) Update(b Bundle, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.updates, r.times = append(r.updates, b), append(r.times, time.Now())
}
func (r *recorder) Result(b Bundle)       { r.Display(b, "") }
func (r *recorder) Clear(wait bool)       { r.clears = append(r.clears, wait) }
func (r *recorder) Stream(string, string) {}
func (r *recorder) Comm(m CommMessage)    { r.mu.Lock(); r.comms = append(r.comms, m); r.mu.Unlock() }
func (r *recorder) snapshot() (shown, updates []Bundle) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Bundle(nil), r.shown...), append([]Bundle(nil), r.updates...)
}
func (r *recorder) Input(ctx context.Context, prompt string, password bool) (string, error) {
	if r.answer == "" {
		<-ctx.Done()
		return "", ctx.Err()
	}
	return fmt.Sprintf("%s %s %v", prompt, r.answer, password), nil
}

// hosted runs f with a recorder as the host's Sink.
func hosted(t *testing.T, f func(r *recorder)) {
	t.Helper()
	r := &recorder{}
	SetHost(func() Sink { return r })
	defer SetHost(nil)
	f(r)
}

func plain(v any) string { return Render(v).Data["text/plain"].(string) }

type everything struct{}

func (everything) MIME() Bundle {
	return Bundle{Data: map[string]any{"text/html": "from MIME", "text/x-own": "own"}}
}
func (everything) HTML() string     { return "from HTML" }
func (everything) SVG() string      { return "<svg/>" }
func (everything) PNG() []byte      { return []byte("png") }
func (everything) Markdown() string { return "*md*" }
func (everything) Latex() string    { return "$x$" }
func (everything) String() string   { return "from String" }

func TestFirstAnswerForEachType(t *testing.T) {
	b := Render(everything{})
	for mime, want := range map[string]string{
		"text/html": "from MIME", "text/x-own": "own", "image/svg+xml": "<svg/>",
		"text/markdown": "*md*", "text/latex": "$x$", "text/plain": "from String",
	} {
		if b.Data[mime] != want {
			t.Errorf("%s is %v, want %q", mime, b.Data[mime], want)
		}
	}
	if string(b.Data["image/png"].([]byte)) != "png" {
		t.Errorf("image/png is %v", b.Data["image/png"])
	}
}

type onPointer struct{ n int }

func (p *onPointer) HTML() string { return fmt.Sprintf("<i>%d</i>", p.n) }

type simple struct{}

func (simple) SimpleRender() MIMEMap { return MIMEMap{MIMETypeLatex: `$\alpha$`} }

type full struct{}

func (full) Render() Data { return Data{Data: MIMEMap{MIMETypeHTML: "<p>"}, Metadata: MIMEMap{"k": 1}} }

type failing struct{}

func (failing) HTML() (string, error) { return "", errors.New("no data yet") }
func (failing) SVG() (string, error)  { return "<svg/>", nil }

type tree struct{}

func (tree) JSON() map[string]any { return map[string]any{"nan": math.NaN(), "n": 1} }

func TestMethods(t *testing.T) {
	if got := Render(onPointer{7}).Data["text/html"]; got != "<i>7</i>" {
		t.Errorf("a method of *T on a T gave %v", got)
	}
	if got := Render((*onPointer)(nil)); got.Data["text/html"] != nil {
		t.Errorf("a nil pointer was asked: %v", got.Data)
	}
	if got := Render(simple{}).Data[MIMETypeLatex]; got != `$\alpha$` {
		t.Errorf("SimpleRender gave %v", got)
	}
	b := Render(full{})
	if b.Data[MIMETypeHTML] != "<p>" || b.Metadata["k"] != 1 {
		t.Errorf("Render gave %v, %v", b.Data, b.Metadata)
	}
	b = Render(failing{})
	if b.Data["text/html"] != nil || b.Data["image/svg+xml"] != "<svg/>" || !strings.Contains(b.Data["text/plain"].(string), "no data yet") {
		t.Errorf("a method with an error gave %v", b.Data)
	}
	b = Render(tree{})
	if got := b.Data[MIMETypeJSON].(map[string]any); got["nan"] != nil || got["n"] != int64(1) {
		t.Errorf("JSON gave %v", got)
	}
	if b := Render(errors.New("boom")); b.Data["text/plain"] != "boom" || len(b.Data) != 1 {
		t.Errorf("an error gave %v", b.Data)
	}
	if b := Render(image.NewGray(image.Rect(0, 0, 4, 4))); b.Data["image/png"] == nil {
		t.Errorf("an image gave %v", b.Types())
	}
}

type panics struct{ X int }

func (panics) HTML() string   { var m map[string]int; m["x"] = 1; return "" }
func (panics) String() string { panic(fmt.Sprintf("at %d", 7)) }
func (panics) Latex() string  { return "$ok$" }

func TestPanicCostsOneRepresentation(t *testing.T) {
	b := Render(panics{3})
	if b.Data["text/html"] != nil || b.Data["text/latex"] != "$ok$" {
		t.Errorf("bundle is %v", b.Data)
	}
	text := b.Data["text/plain"].(string)
	for _, want := range []string{"display.panics{X: 3}", "HTML panicked: assignment to entry in nil map", "String panicked: at 7"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if s := plain([]any{panics{1}, 2}); !strings.Contains(s, "panicked") || !strings.Contains(s, "2}") {
		t.Errorf("a nested panic gave %s", s)
	}
}

type blocks4ever struct{}

func (blocks4ever) String() string { select {} }

type exits struct{}

func (exits) HTML() string { runtime.Goexit(); return "" }

func TestBlockingMethodIsLeft(t *testing.T) {
	begun := time.Now()
	b := Render(blocks4ever{})
	if took := time.Since(begun); took > 12*time.Second {
		t.Errorf("took %v", took)
	}
	if s := b.Data["text/plain"].(string); !strings.Contains(s, "display.blocks4ever{}") || !strings.Contains(s, "String did not return within 2s") {
		t.Errorf("text is %q", s)
	}
	if s := plain(map[string]any{"a": blocks4ever{}, "b": 1}); !strings.Contains(s, "blocks4ever{}") || !strings.Contains(s, "did not return") {
		t.Errorf("a nested one gave %q", s)
	}
	if s := plain(exits{}); !strings.Contains(s, "HTML ended its goroutine") {
		t.Errorf("Goexit gave %q", s)
	}
}

type loop struct {
	Name string
	Next *loop
	Any  any
}

// hostile are values that must be shown in bounded time and size.
func hostile() map[string]any {
	cyclic := &loop{Name: "a"}
	cyclic.Next = &loop{Name: "b", Next: cyclic}
	cyclic.Any = []any{cyclic, map[string]any{"self": cyclic}}
	selfSlice := make([]any, 2)
	selfSlice[0] = selfSlice
	selfMap := map[string]any{}
	selfMap["me"] = selfMap
	var deep any = 1
	for range 100 {
		deep = []any{deep}
	}
	type node struct{ L, R any }
	var wide any = 0
	for range 40 { // 2^40 leaves if followed blindly
		wide = node{wide, wide}
	}
	var self selfPtr
	self = &self
	var selfAny any
	selfAny = &selfAny
	bigMap := map[int]float64{}
	for i := range 300_000 {
		bigMap[i] = float64(i)
	}
	return map[string]any{
		"self": self, "selves": []selfPtr{self, nil}, "selfAny": selfAny, "selfMaps": map[string]selfPtr{"a": self},
		"nil": nil, "cyclic": cyclic, "selfSlice": selfSlice, "selfMap": selfMap, "deep": deep, "wide": wide,
		"bytes": make([]byte, 1<<30), "floats": make([]float64, 1<<27), "map": bigMap,
		"string": strings.Repeat("x\xff", 1<<22), "rows": make([]loop, 1_000_000), "grid": make([][]float64, 100_000),
		"chan": make(chan int, 4), "func": func() {}, "nilFunc": (func())(nil), "nilMap": map[string]int(nil),
		"nilSlice": []int(nil), "nilPtr": (*loop)(nil), "nilErr": (*wrapped)(nil), "nan": math.NaN(), "inf": math.Inf(-1),
		"nans": map[float64]int{math.NaN(): 1, 2: 3}, "ptrKeys": map[*loop]int{cyclic: 1, nil: 2},
		"anyKeys": map[any]any{1: 2, "a": 3, 1.5: nil, [2]int{1, 2}: true},
		"deepMap": map[string]any{"x": deep, "y": cyclic}, "unsafe": struct{ p *int }{new(int)},
		"badUTF8": []string{"ok", "\xff\xfe", "a\x00b\x1b[31m"}, "structs": []struct{ V any }{{cyclic}, {deep}, {nil}},
	}
}

type selfPtr *selfPtr

type wrapped struct{ err error }

func (w *wrapped) Error() string { return w.err.Error() }

var address = regexp.MustCompile(`0x?c0[0-9a-f]{6,}`)

func TestHostileValuesAreBoundedAndStable(t *testing.T) {
	for name, v := range hostile() {
		begun := time.Now()
		b := Render(v)
		if took := time.Since(begun); took > 15*time.Second {
			t.Errorf("%s took %v", name, took)
		}
		for mime, data := range b.Data {
			s, ok := data.(string)
			if !ok || len(s) > 200<<10 {
				t.Errorf("%s: %s is %T of %d bytes", name, mime, data, len(s))
			}
			if address.MatchString(s) {
				t.Errorf("%s: %s holds an address: %s", name, mime, address.FindString(s))
			}
		}
		for range 3 {
			if again := Render(v); fmt.Sprint(again.Data) != fmt.Sprint(b.Data) {
				t.Errorf("%s is shown differently the second time", name)
				break
			}
		}
		if d := JSON(v); len(d.Data[MIMETypeText].(string)) > 20<<10 {
			t.Errorf("%s as JSON: text of %d bytes", name, len(d.Data[MIMETypeText].(string)))
		} else if wire := fromData(d).Wire(); wire[MIMETypeJSON] == nil && v != nil && !isNil(v) && name != "nan" && name != "inf" {
			t.Errorf("%s as JSON is lost on the wire", name)
		}
	}
}

func TestRenderAll(t *testing.T) {
	b := RenderAll(Value{V: 3}, Value{V: "x"}, Value{V: nil, Type: "error"})
	if b.Data["text/plain"] != `3, "x"` || len(b.Data) != 1 {
		t.Errorf("got %v", b.Data)
	}
	b = RenderAll(Value{V: 1}, Value{V: onPointer{2}})
	if html := b.Data["text/html"].(string); !strings.Contains(html, "<i>2</i>") || !strings.Contains(html, ">1</pre>") {
		t.Errorf("got %v", html)
	}
	if b := RenderAll(Value{V: nil, Type: "error"}); b.Data["text/plain"] != "nil" {
		t.Errorf("a single nil error gave %v", b.Data)
	}
	if b := RenderAll(); b.Data["text/plain"] != "" {
		t.Errorf("no value gave %v", b.Data)
	}
}

func TestStaticTypeNamesUnnamedStructs(t *testing.T) {
	v := struct{ X int }{3}
	if got := RenderAs(v, "Point").Data["text/plain"]; got != "Point{X: 3}" {
		t.Errorf("got %v", got)
	}
	if got := RenderAs(everything{}, "Other").Data["text/plain"]; got != "from String" {
		t.Errorf("got %v", got)
	}
}

func TestMethodsKeptApart(t *testing.T) {
	calls := map[string]func() any{
		"HTML": func() any { return "<i>apart</i>" }, "SVG": func() any { panic("none") }, "PNG": func() any { return []byte("p") },
		"JSON": func() any { return "no map" }, "Latex": func() any { return 3 }, "String": func() any { return "in words" },
		"Render": func() any { return Data{Data: MIMEMap{"text/markdown": "*m*"}} },
	}
	methods := func(name string) func() any { return calls[name] }
	b := RenderWith(struct{ X int }{1}, "T", methods)
	if b.Data[MIMETypeHTML] != "<i>apart</i>" || b.Data[MIMETypeMarkdown] != "*m*" || string(b.Data[MIMETypePNG].([]byte)) != "p" ||
		b.Data[MIMETypeJSON] != nil || b.Data[MIMETypeLatex] != nil || b.Data[MIMETypeSVG] != nil {
		t.Errorf("got %v", b.Data)
	}
	if s := b.Data[MIMETypeText].(string); s != "in words\n(SVG panicked: none)" {
		t.Errorf("text is %q", s)
	}
	if b := RenderWith(everything{}, "", methods); b.Data[MIMETypeHTML] != "from MIME" || b.Data[MIMETypeSVG] != "<svg/>" || b.Data[MIMETypeText] != "from String" {
		t.Errorf("the value's own methods do not come first: %v", b.Data)
	}
}

func TestHiddenPackages(t *testing.T) {
	HidePackages(func(path string) bool { return strings.HasSuffix(path, "/display") })
	defer HidePackages(nil)
	if got := plain(map[string][]*loop{"k": {{Name: "n"}}}); !strings.Contains(got, "n") || strings.Contains(got, "display.") {
		t.Errorf("got %s", got)
	}
	if got := plain(loop{}); !strings.HasPrefix(got, "loop{") {
		t.Errorf("got %s", got)
	}
}

func TestRegisteredRendererJoinsThePage(t *testing.T) {
	type drawn struct{ HTMLer }
	RegisterRenderer(func(v any) (Bundle, bool) {
		if _, ok := v.(drawn); !ok {
			return Bundle{}, false
		}
		return Bundle{Data: map[string]any{MIMETypeSVG: "<svg id='f'/>"}}, true
	})
	defer func() { renderers.list = renderers.list[:len(renderers.list)-1] }()
	b := Render(drawn{onPage("<table>")})
	if b.Data[MIMETypeSVG] != "<svg id='f'/>" {
		t.Errorf("the figure is lost: %v", b.Types())
	}
	if html := b.Data[MIMETypeHTML].(string); !strings.HasPrefix(html, "<table>") || !strings.Contains(html, "<img") {
		t.Errorf("page is %s", html)
	}
	b = Render(drawn{onPage("<svg>own</svg>")})
	if html := b.Data[MIMETypeHTML].(string); html != "<svg>own</svg>" {
		t.Errorf("a page with a figure of its own became %s", html)
	}
}

type onPage string

func (p onPage) HTML() string { return string(p) }
