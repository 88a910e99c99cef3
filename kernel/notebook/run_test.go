package notebook

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/stdlib/display"
)

// script is a Runner whose cells are Go functions, found by the cell's source.
type script map[string]func(ctx context.Context, out display.Sink) *kernel.Error

func (s script) Execute(ctx context.Context, cell kernel.Cell, out display.Sink) kernel.Result {
	if f := s[cell.Code]; f != nil {
		return kernel.Result{Err: f(ctx, out)}
	}
	return kernel.Result{}
}

func cells(sources ...string) *Notebook {
	nb := New()
	for _, s := range sources {
		nb.Cells = append(nb.Cells, &Cell{Kind: Code, Source: s, Metadata: map[string]any{}})
	}
	nb.repairIDs()
	return nb
}

func tagged(nb *Notebook, place int, tag string) *Notebook {
	nb.Cells[place].Metadata["tags"] = []any{tag}
	return nb
}

func fail(ctx context.Context, out display.Sink) *kernel.Error {
	return &kernel.Error{Name: "Panic", Value: "no\nmore", Traceback: []string{"\x1b[31mPanic\x1b[0m: no"}}
}

func TestRunRecordsOutputs(t *testing.T) {
	nb := cells("a", "", "b")
	nb.Cells[0].Outputs = []*Output{{Kind: StreamOutput, Name: "stdout", Text: "old"}}
	var shown, errs bytes.Buffer
	_, err := Run(context.Background(), nb, script{
		"a": func(ctx context.Context, out display.Sink) *kernel.Error {
			out.Stream("stdout", "one\n")
			out.Stream("stdout", "two\n")
			out.Stream("stderr", "bad\n")
			out.Stream("stdout", "three")
			out.Display(display.Bundle{Data: map[string]any{"image/png": []byte("png"), "text/plain": "plot"}}, "")
			out.Result(display.Text("42"))
			return nil
		},
	}, &Options{Out: NewTerminal(nil, &shown, &errs)})
	if err != nil {
		t.Fatal(err)
	}
	o := nb.Cells[0].Outputs
	if len(o) != 5 || o[0].Text != "one\ntwo\n" || o[1].Name != "stderr" || o[2].Text != "three" ||
		o[3].Kind != DisplayData || o[3].Data["image/png"] != "cG5n" || o[4].Kind != ExecuteResult || o[4].Count != 1 {
		t.Errorf("outputs %+v", o)
	}
	if nb.Cells[1].Count != 0 || nb.Cells[2].Count != 2 {
		t.Errorf("counts %d %d, want an empty cell not to count", nb.Cells[1].Count, nb.Cells[2].Count)
	}
	if want := "one\ntwo\nthree\nplot\n[image/png, 3 bytes]\n42\n"; shown.String() != want || errs.String() != "bad\n" {
		t.Errorf("terminal %q %q, want %q", shown.String(), errs.String(), want)
	}
	if _, err := nb.Bytes(); err != nil {
		t.Error(err)
	}
}

func TestUpdateAndClear(t *testing.T) {
	nb := cells("a", "b", "c")
	_, err := Run(context.Background(), nb, script{
		"a": func(ctx context.Context, out display.Sink) *kernel.Error {
			out.Display(display.Text("before"), "id")
			out.Display(display.Text("other"), "")
			return nil
		},
		"b": func(ctx context.Context, out display.Sink) *kernel.Error {
			out.Update(display.Text("after"), "id")
			out.Stream("stdout", "gone")
			out.Clear(false)
			out.Stream("stdout", "x")
			out.Clear(true)
			out.Clear(true)
			out.Stream("stdout", "kept")
			return nil
		},
		"c": func(ctx context.Context, out display.Sink) *kernel.Error {
			out.Stream("stdout", "stays")
			out.Clear(true)
			return nil
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := nb.Cells[0].Outputs, nb.Cells[1].Outputs, nb.Cells[2].Outputs
	if len(a) != 2 || a[0].Data["text/plain"] != "after" || a[1].Data["text/plain"] != "other" {
		t.Errorf("update: %+v", a)
	}
	if len(b) != 1 || b[0].Text != "kept" {
		t.Errorf("clear: %+v", b)
	}
	if len(c) != 1 || c[0].Text != "stays" {
		t.Errorf("clear with nothing after it: %+v", c)
	}
}

func TestRunStopsAtTheFirstError(t *testing.T) {
	nb := cells("a", "fail", "b", "fail")
	_, err := Run(context.Background(), nb, script{"fail": fail}, nil)
	var ce *CellError
	if !errors.As(err, &ce) || ce.Index != 1 || ce.Count != 2 || err.Error() != "cell [2] failed: Panic: no" {
		t.Fatalf("error %v", err)
	}
	if o := nb.Cells[1].Outputs; len(o) != 1 || o[0].Kind != ErrorOutput || o[0].ErrValue != "no\nmore" {
		t.Errorf("outputs %+v", o)
	}
	if nb.Cells[2].Count != 0 {
		t.Error("the cell after the error ran")
	}

	nb = cells("fail", "b", "fail", "b")
	failed, err := Run(context.Background(), nb, script{"fail": fail}, &Options{AllowErrors: true})
	if err != nil || failed != 2 || nb.Cells[3].Count != 4 {
		t.Errorf("AllowErrors: %d %v", failed, err)
	}

	nb = tagged(tagged(cells("fail", "fail", "b"), 0, "raises-exception"), 1, "skip-execution")
	failed, err = Run(context.Background(), nb, script{"fail": fail}, nil)
	if err != nil || failed != 1 || nb.Cells[1].Count != 0 || nb.Cells[2].Count != 2 {
		t.Errorf("tags: %d %v", failed, err)
	}
}

func TestTimeoutAndCancel(t *testing.T) {
	wait := script{"wait": func(ctx context.Context, out display.Sink) *kernel.Error {
		<-ctx.Done()
		return &kernel.Error{Name: "Interrupted", Value: "interrupted"}
	}}
	_, err := Run(context.Background(), cells("wait"), wait, &Options{Timeout: 10 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "longer than 10ms") {
		t.Errorf("timeout: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	nb := cells("wait", "b")
	_, err = Run(ctx, nb, wait, &Options{AllowErrors: true})
	if err == nil || nb.Cells[1].Count != 0 || nb.Cells[0].Outputs[0].ErrName != "Interrupted" {
		t.Errorf("cancel: %v", err)
	}
}

func TestLateOutputDoesNotTouchTheNotebook(t *testing.T) {
	nb := cells("a")
	var late display.Sink
	Run(context.Background(), nb, script{"a": func(ctx context.Context, out display.Sink) *kernel.Error {
		late = out
		out.Stream("stdout", "in time")
		return nil
	}}, nil)
	late.Stream("stdout", "late")
	late.Display(display.Text("late"), "")
	late.Clear(false)
	if o := nb.Cells[0].Outputs; len(o) != 1 || o[0].Text != "in time" {
		t.Errorf("outputs %+v", o)
	}
}

func TestTerminalShowsTheEndOfAProgressBar(t *testing.T) {
	var out bytes.Buffer
	term := NewTerminal(nil, &out, &out)
	term.Display(display.Text("10 %"), "bar")
	term.Update(display.Text("50 %"), "bar")
	term.Stream("stdout", "open line")
	term.Update(display.Text("100 %"), "bar")
	term.EndCell()
	term.EndCell()
	if want := "10 %\nopen line\n100 %\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	out.Reset()
	term.live = true
	term.Display(display.Text("10 %"), "bar")
	term.Update(display.Text("100 %"), "bar")
	term.EndCell()
	if want := "10 %\n\x1b[A\r\x1b[K100 %\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.WriteString("first\nlast")
	w.Close()
	var out bytes.Buffer
	term := NewTerminal(r, &out, &out)
	for _, want := range []string{"first", "last"} {
		if got, err := term.Input(context.Background(), "? ", false); err != nil || got != want {
			t.Errorf("%q %v, want %q", got, err, want)
		}
	}
	if _, err := term.Input(context.Background(), "? ", false); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("at the end: %v", err)
	}
}

// FuzzRecord holds that no order of outputs gives an invalid notebook or loses
// text that nothing cleared.
func FuzzRecord(f *testing.F) {
	f.Add([]byte("oeodurcwo"))
	f.Add([]byte("ooow"))
	f.Fuzz(func(t *testing.T, events []byte) {
		nb := cells("a")
		recorder := NewRecorder(nil)
		out := recorder.Sink(nb.Cells[0])
		want, pending := "", false
		event := func() {
			if pending {
				want, pending = "", false
			}
		}
		for _, e := range events {
			switch e {
			case 'o':
				event()
				want += "o"
				out.Stream("stdout", "o")
			case 'e':
				event()
				want += "e"
				out.Stream("stderr", "e")
			case 'd':
				event()
				out.Display(display.Text("d"), "id")
			case 'u':
				out.Update(display.Text("u"), "id")
			case 'r':
				event()
				out.Result(display.Text("r"))
			case 'c':
				want, pending = "", false
				out.Clear(false)
			case 'w':
				pending = true
				out.Clear(true)
			}
		}
		got, last := "", ""
		for _, o := range nb.Cells[0].Outputs {
			if o.Kind == StreamOutput {
				got += o.Text
				if o.Name == last {
					t.Fatalf("%q: neighbours of one stream are not merged", events)
				}
			}
			last = o.Name
		}
		if got != want {
			t.Fatalf("%q: text %q, want %q", events, got, want)
		}
		if err := nb.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestSaveIsAtomic(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "nb.ipynb")
	link := filepath.Join(dir, "link.ipynb")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := cells("a").Save(link); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() < 10 {
		t.Errorf("%v %v", info, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
	bad := cells("a")
	bad.Cells[0].Kind = "poem"
	if err := bad.Save(file); err == nil {
		t.Error("an invalid notebook was written")
	}
	if _, err := Open(file); err != nil {
		t.Errorf("the old file is gone: %v", err)
	}
	if err := cells("a").Save(filepath.Join(dir, "no", "such", "folder.ipynb")); err == nil {
		t.Error("no error for a folder that is not there")
	}
}

func TestParameters(t *testing.T) {
	nb := tagged(cells("import \"fmt\"", "n := 3\nrate := 0.5\nvar name = \"a\"\nconst size = 8\nvar wait time.Duration = time.Second\nvar on bool", "rest"), 1, "parameters")
	var params []Parameter
	for _, s := range []string{"n=-7", "rate=1", "name=42", "size=16", "wait=1m30s", "on=true", "other=x y", "zip=02134", "hex=0x1F", "big=1e6", `str="7"`, "eq=a=b"} {
		p, err := ParseParameter(s)
		if err != nil {
			t.Fatal(err)
		}
		params = append(params, p)
	}
	undeclared := nb.Inject(params)
	if got := strings.Join(undeclared, " "); got != "other zip hex big str eq" {
		t.Errorf("undeclared: %s", got)
	}
	want := `// Parameters
n = -7
rate = 1
name = "42"
const size = 16
wait = time.Duration(90000000000) // 1m30s
on = true
other := "x y"
zip := "02134"
hex := 0x1F
big := 1e6
str := "7"
eq := "a=b"`
	if len(nb.Cells) != 4 || nb.Cells[2].Source != want || !nb.Cells[2].HasTag("injected-parameters") {
		t.Fatalf("got %q", nb.Cells[2].Source)
	}
	// A second injection replaces the first.
	nb.Inject(params[:1])
	if len(nb.Cells) != 4 || nb.Cells[2].Source != "// Parameters\nn = -7" || nb.Cells[3].Source != "rest" {
		t.Errorf("again: %q", nb.Cells[2].Source)
	}
	if err := nb.Validate(); err != nil {
		t.Error(err)
	}

	bare := cells("rest")
	bare.Inject(params[:1])
	if bare.Cells[0].Source != "// Parameters\nn := -7" || bare.Cells[1].Source != "rest" {
		t.Errorf("without a parameters cell: %q", bare.Cells[0].Source)
	}
	for _, s := range []string{"n", "=3", "1x=3", "func=3", "a b=3", "_=3"} {
		if _, err := ParseParameter(s); err == nil || !strings.Contains(err.Error(), "name=value") {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// Whatever the value, the injected cell is Go that declares the name.
func FuzzParameter(f *testing.F) {
	for _, s := range []string{"n=1", "n=1_0", "n=\"\\", "n=\xff", "n=0x", "n=-", "n=\n", "n=1e", "n=1h", "n=`"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParseParameter(s)
		if err != nil {
			return
		}
		for _, declared := range []string{"", p.Name + " := \"\"", p.Name + " := time.Second"} {
			nb := tagged(cells(declared), 0, "parameters")
			nb.Inject([]Parameter{p})
			source := nb.Cells[1].Source
			if n := len(declarations(strings.Replace(source, " = ", " := ", 1))); n != 1 {
				t.Fatalf("%q gives %q, which declares %d names", s, source, n)
			}
		}
	})
}

// The notebooks that Run makes are valid for the reference implementation.
func TestRunIsValidForNbformat(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import nbformat").Run(); err != nil {
		t.Skipf("absent: python3-nbformat (%v); ./test.sh installs it", err)
	}
	nb := cells("a", "fail")
	Run(context.Background(), nb, script{"fail": fail, "a": func(ctx context.Context, out display.Sink) *kernel.Error {
		out.Stream("stdout", "x")
		out.Display(display.Bundle{Data: map[string]any{
			"application/json": map[string]any{"a": []int{1}},
			"image/png":        []byte{1, 2},
			"text/html":        "<b>\n</b>",
		}}, "id")
		out.Result(display.Text("1\n2"))
		return nil
	}}, nil)
	file := filepath.Join(t.TempDir(), "run.ipynb")
	if err := nb.Save(file); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-W", "error", "-c", "import nbformat, sys; nbformat.validate(nbformat.read(sys.argv[1], as_version=4))", file).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
