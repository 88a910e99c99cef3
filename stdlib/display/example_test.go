package display_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fathom-kernel/fathom/stdlib/display"
)

// A type shows itself by its methods.
type Verdict struct{ Passed bool }

func (v Verdict) String() string {
	if v.Passed {
		return "passed"
	}
	return "failed"
}

func (v Verdict) HTML() string { return "<b>" + v.String() + "</b>" }

func ExampleRender() {
	b := display.Render(Verdict{Passed: true})
	fmt.Println(b.Types())
	fmt.Println(b.Data["text/plain"], b.Data["text/html"])
	// Output:
	// [text/html text/plain]
	// passed <b>passed</b>
}

func ExampleRenderAs() {
	// The interpreter gave the value, the checker knows its type.
	b := display.RenderAs(struct{ X, Y int }{3, 4}, "Point")
	fmt.Println(b.Data["text/plain"])
	// Output: Point{X: 3, Y: 4}
}

func ExampleRenderWith() {
	// An interpreter knows the method, the value does not.
	methods := func(name string) func() any {
		if name == "HTML" {
			return func() any { return "<b>3</b>" }
		}
		return nil
	}
	fmt.Println(display.RenderWith(3, "Score", methods).Data["text/html"])
	// Output: <b>3</b>
}

func ExampleRenderAll() {
	b := display.RenderAll(display.Value{V: 7}, display.Value{V: "seven"}, display.Value{Type: "error"})
	fmt.Println(b.Data["text/plain"])
	// Output: 7, "seven"
}

type Celsius float64

func ExampleRegisterRenderer() {
	display.RegisterRenderer(func(v any) (display.Bundle, bool) {
		c, ok := v.(Celsius)
		if !ok {
			return display.Bundle{}, false
		}
		return display.Text(fmt.Sprintf("%.1f °C", float64(c))), true
	})
	display.Show(Celsius(21.5))
	// Output: 21.5 °C
}

func ExampleHidePackages() {
	display.HidePackages(func(path string) bool { return strings.HasSuffix(path, "display_test") })
	defer display.HidePackages(nil)
	type Run struct{ Seed int }
	display.Show(Run{Seed: 1})
	// Output: Run{Seed: 1}
}

func ExampleShow() {
	display.Show(42, []string{"a", "b"}, map[string]int{"z": 1, "a": 2})
	// Output:
	// 42
	// []string{"a", "b"}
	// key  value
	// ───  ─────
	// a        2
	// z        1
}

func ExampleTable() {
	type Link struct {
		From, To string
		Delay    float64 `unit:"ms"`
		Took     time.Duration
	}
	t := display.Table([]Link{{"ams", "fra", 6.5, 1200 * time.Microsecond}, {"ams", "tok", 238.25, 950 * time.Microsecond}})
	t.Caption = "Two links"
	t.Columns = []string{"To", "Delay", "Took"}
	fmt.Println(t)
	// Output:
	// Two links
	//    To   Delay (ms)  Took (ms)
	// ─  ───  ──────────  ─────────
	// 0  fra        6.50       1.20
	// 1  tok      238.25       0.95
}

func ExampleTableView_HTML() {
	page := display.Table(make([]struct{ X int }, 1_000_000)).HTML()
	fmt.Println(len(page) < 200_000, strings.Contains(page, "first 20 of 1,000,000 rows"))
	// Output: true true
}

func ExampleTableView_Rows() {
	fmt.Println(display.Table([][]int{{1, 2}, {3, 4}, {5, 6}}).Rows())
	// Output: 3
}

func ExampleTableView_String() {
	fmt.Println(display.Table([][]float64{{1, 0.5}, {-2, 10}}).String())
	// Output:
	//     0     1
	// ─  ──  ────
	// 0   1   0.5
	// 1  -2  10.0
}

func ExampleTableView_MIME() {
	fmt.Println(display.Table([]string{"a"}).MIME().Types())
	// Output: [text/html text/plain]
}

func ExampleHTML() {
	fmt.Println(display.HTML("<h1>Hello</h1>").Data["text/html"])
	// Output: <h1>Hello</h1>
}

func ExampleMarkdown() {
	display.Show(display.Markdown("* one\n* two"))
	// Output:
	// * one
	// * two
}

func ExampleLatex() {
	fmt.Println(display.Latex(`\alpha`).Data["text/latex"])
	// Output: $\alpha$
}

func ExampleMath() {
	fmt.Println(display.Math(`e^{i\pi}+1=0`).Data["text/latex"])
	// Output: $$e^{i\pi}+1=0$$
}

func ExampleJavaScript() {
	fmt.Println(display.JavaScript("console.log(1)").Data["application/javascript"])
	// Output: console.log(1)
}

func ExampleSVG() {
	display.Show(display.SVG(`<svg width="10" height="10"><circle r="5"/></svg>`))
	// Output: SVG drawing, 49 bytes
}

func ExamplePNG() {
	display.Show(display.PNG([]byte("\x89PNG…")))
	// Output: PNG, 7 bytes
}

func ExampleJPEG() {
	display.Show(display.JPEG([]byte{0xff, 0xd8, 0xff}))
	// Output: JPEG, 3 bytes
}

func ExamplePDF() {
	display.Show(display.PDF([]byte("%PDF-1.7")))
	// Output: PDF, 8 bytes
}

func ExampleImage() {
	display.Show(display.Image(image.NewGray(image.Rect(0, 0, 64, 48))))
	// Output: *image.Gray, 64×48 pixels
}

func ExampleJSON() {
	display.Show(display.JSON(map[string]any{"b": []int{1, 2}, "a": nil}))
	// Output:
	// {
	//   "a": null,
	//   "b": [
	//     1,
	//     2
	//   ]
	// }
}

func ExampleFile() {
	path := filepath.Join(os.TempDir(), "fathom-example.svg")
	os.WriteFile(path, []byte("<svg/>"), 0o600)
	defer os.Remove(path)
	fmt.Println(display.File("", path).Data["image/svg+xml"])
	// Output: <svg/>
}

func ExampleAny() {
	d := display.Any("text/html", strings.NewReader("<p>from a reader</p>"))
	fmt.Println(d.Data["text/html"])
	// Output: <p>from a reader</p>
}

func ExampleAuto() {
	d := display.Auto([]byte("\x89PNG\r\n\x1a\n"))
	fmt.Println(d.Data["text/plain"])
	// Output: image/png, 8 bytes
}

func ExampleMakeData() {
	fmt.Println(display.MakeData("text/csv", "a,b").Data["text/csv"])
	// Output: a,b
}

func ExampleMakeData3() {
	display.Show(display.MakeData3("text/html", "two", "<b>2</b>"))
	// Output: two
}

func ExampleMIME() {
	d := display.MIME(display.MIMEMap{"text/html": "<b>2</b>", "text/plain": "2"}, nil)
	display.Show(d)
	// Output: 2
}

func ExampleText() {
	display.Show(display.Text("as it is, without quotes"))
	// Output: as it is, without quotes
}

func ExampleFragment() {
	fmt.Println(display.Fragment(display.Text("a < b")))
	// Output: <pre style="margin:0;white-space:pre-wrap">a &lt; b</pre>
}

func ExampleRow() {
	display.Show(display.Row("left", "right"))
	// Output:
	// "left"
	//
	// "right"
}

func ExampleGrid() {
	d := display.Grid(2, 1, 2, 3, 4)
	fmt.Println(strings.Contains(d.Data["text/html"].(string), "repeat(2,"))
	// Output: true
}

func ExampleVegaLite() {
	display.Show(display.VegaLite(map[string]any{
		"title": "Counts", "mark": "bar",
		"data":     map[string]any{"values": []any{map[string]any{"a": "x", "n": 3}}},
		"encoding": map[string]any{"x": map[string]any{"field": "a"}, "y": map[string]any{"field": "n"}},
	}, nil))
	// Output: Vega-Lite bar chart: Counts
}

func ExampleGeoJSON() {
	display.Show(display.GeoJSON(`{"type": "Point", "coordinates": [4.9, 52.4]}`))
	// Output: GeoJSON Point
}

func ExampleSound() {
	display.Show(display.Sound(make([]float64, 22050), 44100))
	// Output: sound of 0.5 s at 44100 Hz
}

func ExampleAudio() {
	display.Show(display.Audio([]byte("OggS…"), "audio/ogg"))
	// Output: audio/ogg, 7 bytes
}

func ExampleVideo() {
	display.Show(display.Video([]byte("…"), "video/webm"))
	// Output: video/webm, 3 bytes
}

// A frame of an animation replaces the one before it.
func ExampleStart() {
	h := display.Start("frame 0")
	for i := 1; i < 3; i++ {
		h.Update(fmt.Sprint("frame ", i))
	}
	// Output:
	// "frame 0"
	// "frame 1"
	// "frame 2"
}

func ExampleShowID() {
	display.ShowID("status", "waiting")
	display.Update("status", "ready")
	// Output:
	// "waiting"
	// "ready"
}

func ExampleUpdate() {
	display.Update("status", 3)
	// Output: 3
}

func ExampleHandle_Update() {
	h := display.Start(1)
	h.Update(2)
	// Output:
	// 1
	// 2
}

func ExampleHandle_ID() {
	h := display.Start("named")
	fmt.Println(h.ID() != "")
	// Output:
	// "named"
	// true
}

func ExampleDisplay() {
	if err := display.Display(display.Markdown("*done*")); err != nil {
		fmt.Println(err)
	}
	// Output: *done*
}

func ExampleClear() {
	display.Clear(true) // a terminal keeps what it shows
	display.Show("next")
	// Output: "next"
}

func ExampleNewTerminal() {
	t := display.NewTerminal(os.Stdout, os.Stderr, strings.NewReader("blue\n"))
	colour, err := t.Input(context.Background(), "colour? ", false)
	fmt.Println(colour, err)
	// Output: colour? blue <nil>
}

func ExampleInput() {
	display.SetHost(func() display.Sink { return display.NewTerminal(os.Stdout, os.Stderr, strings.NewReader("7\n")) })
	defer display.SetHost(nil)
	line, err := display.Input(context.Background(), "how many? ")
	fmt.Println(line, err)
	// Output: how many? 7 <nil>
}

func ExamplePassword() {
	display.SetHost(func() display.Sink { return display.NewTerminal(os.Stdout, os.Stderr, strings.NewReader("")) })
	defer display.SetHost(nil)
	_, err := display.Password(context.Background(), "key: ")
	fmt.Println(err)
	// Output: display: this terminal cannot hide what is typed; run in a notebook, or read the secret from a file
}

func ExampleSetHost() {
	out := display.NewTerminal(os.Stdout, os.Stderr, os.Stdin)
	display.SetHost(func() display.Sink { return out })
	defer display.SetHost(nil)
	fmt.Println(display.InNotebook())
	// Output: true
}

func ExampleInNotebook() {
	fmt.Println(display.InNotebook())
	// Output: false
}

func ExampleCurrent() {
	out := display.Current() // kept for a goroutine of an outside library
	done := make(chan bool)
	go func() {
		out.Display(display.Text("from elsewhere"), "")
		close(done)
	}()
	<-done
	// Output: from elsewhere
}

func ExampleProgress() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	bar := display.Progress(ctx, "fold", 1000)
	defer bar.Done()
	n := 0
	for range 1000 {
		n++
		if n == 500 {
			cancel() // as Interrupt does
		}
		if !bar.Tick() {
			break
		}
		if n > 500 {
			time.Sleep(time.Millisecond)
		}
	}
	fmt.Println(n < 1000, errors.Is(bar.Err(), context.Canceled))
	// Output: true true
}
