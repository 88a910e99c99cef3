package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/kernel/enginetest"
	"github.com/fathom-kernel/fathom/kernel/notebook"
)

// TestMain makes the test binary the product, with the Engine of enginetest,
// where the environment says so. Its workers inherit that.
func TestMain(m *testing.M) {
	if os.Getenv("FATHOM_COMMAND_TEST") != "" {
		os.Exit(Main(&Product{
			Version:   "0.0-test",
			NewEngine: func() (kernel.Engine, error) { return enginetest.New(), nil },
			Checks:    func() []Check { return []Check{{Name: "engine", Found: "a test"}} },
		}, os.Args[1:]))
	}
	os.Setenv("FATHOM_COMMAND_TEST", "yes") // for the processes that the tests start
	os.Exit(m.Run())
}

type outcome struct {
	out, err string
	code     int
}

// fathom runs the product with the arguments and input.
func fathom(t *testing.T, input string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Stdin = strings.NewReader(input)
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+t.TempDir(), "JUPYTER_DATA_DIR="+t.TempDir(), "NO_COLOR=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// write makes a notebook of the cells, each "tags|source" or "source".
func write(t *testing.T, sources ...string) string {
	t.Helper()
	nb := notebook.New()
	nb.Cells = append(nb.Cells, &notebook.Cell{Kind: notebook.Markdown, ID: "title", Source: "# A title"})
	for i, s := range sources {
		c := &notebook.Cell{Kind: notebook.Code, ID: "cell-" + string(rune('a'+i)), Metadata: map[string]any{}}
		if tag, rest, ok := strings.Cut(s, "|"); ok {
			c.Metadata["tags"], s = []any{tag}, rest
		}
		c.Source = s
		nb.Cells = append(nb.Cells, c)
	}
	file := filepath.Join(t.TempDir(), "nb.ipynb")
	if err := nb.Save(file); err != nil {
		t.Fatal(err)
	}
	return file
}

func open(t *testing.T, file string) *notebook.Notebook {
	t.Helper()
	nb, err := notebook.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

func TestRunNotebook(t *testing.T) {
	file := write(t, "print hello\nfd to the descriptor\nresult 42", "png 4", "result end")
	html := filepath.Join(filepath.Dir(file), "page.html")
	got := fathom(t, "", "run", "--html", html, file)
	if got.code != 0 || got.out != "hello\nto the descriptor\n42\n[image/png, 78 bytes]\nend\n" && !strings.HasPrefix(got.out, "hello\nto the descriptor\n42\n") {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(got.err, "[1/3] print hello") || !strings.Contains(got.err, "wrote ") {
		t.Errorf("stderr %q", got.err)
	}
	nb := open(t, strings.TrimSuffix(file, ".ipynb")+".out.ipynb")
	if nb.Cells[1].ID != "cell-a" || nb.Cells[1].Count != 1 || nb.Cells[3].Outputs[0].Data["text/plain"] != "end" || nb.Cells[3].Outputs[0].Count != 3 {
		t.Errorf("%+v", nb.Cells[3].Outputs)
	}
	page, err := os.ReadFile(html)
	if err != nil || !bytes.Contains(page, []byte("to the descriptor")) || !bytes.Contains(page, []byte("data:image/png;base64,")) {
		t.Errorf("page %v", err)
	}
	if before := open(t, file); len(before.Cells[1].Outputs) != 0 {
		t.Error("the notebook itself was changed")
	}
}

func TestRunStopsAndGoesOn(t *testing.T) {
	file := write(t, "fail on purpose", "print after")
	got := fathom(t, "", "run", file)
	if got.code != exitFailed || strings.Contains(got.out, "after") || !strings.Contains(got.err, "CompileError: on purpose") || !strings.Contains(got.err, "cell [1] failed") {
		t.Errorf("%+v", got)
	}
	out := strings.TrimSuffix(file, ".ipynb") + ".out.ipynb"
	if nb := open(t, out); nb.Cells[1].Outputs[0].Kind != notebook.ErrorOutput {
		t.Error("the error is not in the executed notebook")
	}
	got = fathom(t, "", "run", file, "--allow-errors", "--ipynb", file)
	if got.code != exitOK || got.out != "after\n" {
		t.Errorf("--allow-errors: %+v", got)
	}
	if nb := open(t, file); nb.Cells[2].Outputs[0].Text != "after\n" {
		t.Error("--ipynb with the notebook's own name did not replace it")
	}
	got = fathom(t, "", "run", write(t, "raises-exception|fail meant", "print after"), "--no-ipynb", "--quiet")
	if got.code != exitOK || got.out != "after\n" {
		t.Errorf("raises-exception: %+v", got)
	}
}

// What kills the worker is the error of its cell; the file is written.
func TestRunOutlivesTheWorker(t *testing.T) {
	file := write(t, "print before\nexit 3", "print after")
	got := fathom(t, "", "run", file, "--allow-errors")
	if got.code != exitOK || got.out != "before\nafter\n" {
		t.Errorf("%+v", got)
	}
	nb := open(t, strings.TrimSuffix(file, ".ipynb")+".out.ipynb")
	if o := nb.Cells[1].Outputs; len(o) != 2 || o[1].ErrName != "Exit" {
		t.Errorf("outputs %+v", o)
	}
}

func TestRunParameters(t *testing.T) {
	file := write(t, "parameters|set n 1", "result end")
	got := fathom(t, "", "run", "-p", "n=5", file, "-p", "who=Ada", "--ipynb", file)
	nb := open(t, file)
	if got.code == exitOK { // the test engine does not speak Go, but the cell must be there
		t.Errorf("%+v", got)
	}
	if c := nb.Cells[2]; c.Source != "// Parameters\nn := 5\nwho := \"Ada\"" || !c.HasTag("injected-parameters") {
		t.Errorf("injected %q", c.Source)
	}
	if !strings.Contains(got.err, `does not declare who`) {
		t.Errorf("stderr %q", got.err)
	}
}

func TestRunTimeout(t *testing.T) {
	got := fathom(t, "", "run", write(t, "sleep 60000", "print after"), "--timeout", "200ms", "--no-ipynb")
	if got.code != exitFailed || !strings.Contains(got.err, "longer than 200ms") || got.out != "" {
		t.Errorf("%+v", got)
	}
}

func TestRunInterrupt(t *testing.T) {
	file := write(t, "print started\nsleep 60000", "print after")
	cmd := exec.Command(os.Args[0], "run", file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("started\n"))); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Signal(os.Interrupt)
	rest, _ := io.ReadAll(out)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || len(rest) != 0 {
		t.Errorf("exit %d, then %q", code, rest)
	}
	nb := open(t, strings.TrimSuffix(file, ".ipynb")+".out.ipynb")
	if o := nb.Cells[1].Outputs; len(o) != 2 || o[1].Kind != notebook.ErrorOutput {
		t.Errorf("outputs %+v", o)
	}
}

func TestRunProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.go")
	for _, c := range []struct {
		source, out, err string
		code             int
	}{
		{"print one\nfd two\nefd three", "one\ntwo\n", "three\n", 0},
		{"print one\nexit 7", "one\n", "", 7},
		{"fail undefined", "", "CompileError: undefined\n", exitFailed},
		{"panic boom", "", "panic: boom", exitPanic},
		{"gopanic boom\nsleep 5000", "", "panic: boom", exitPanic},
	} {
		if err := os.WriteFile(file, []byte(c.source), 0o644); err != nil {
			t.Fatal(err)
		}
		got := fathom(t, "", "run", file, "--", "-n", "10")
		if got.code != c.code || got.out != c.out || !strings.HasPrefix(got.err, c.err) {
			t.Errorf("%q: %+v", c.source, got)
		}
	}
}

func TestREPL(t *testing.T) {
	got := fathom(t, "print one\nprint {\nprint }\n\n:nonsense\nresult 42", "repl")
	if want := "one\n{\n}\nunknown command :nonsense; :help lists them\n42\n"; got.code != 0 || got.out != want {
		t.Errorf("%+v, want %q", got, want)
	}
	if got := fathom(t, "fail bad\nprint on\n:quit\nprint no", "repl"); got.code != exitFailed || got.out != "on\n" || !strings.Contains(got.err, "CompileError: bad") {
		t.Errorf("%+v", got)
	}
}

func TestWrongCommandLines(t *testing.T) {
	file := write(t, "print x")
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{nil, "Usage: fathom COMMAND", exitUsage},
		{[]string{"rnu"}, `did you mean "run"?`, exitUsage},
		{[]string{file}, "fathom run " + file, exitUsage},
		{[]string{"run"}, "which file?", exitUsage},
		{[]string{"run", "--hmtl", "x", file}, `did you mean "html"?`, exitUsage},
		{[]string{"run", file, "-p"}, "wants a value", exitUsage},
		{[]string{"run", file, "-p", "n"}, "-p name=value", exitFailed},
		{[]string{"run", file, "--timeout", "soon"}, "--help", exitUsage},
		{[]string{"run", file, "--timeout", "-1s"}, "negative", exitUsage},
		{[]string{"run", file, file}, "one file at a time", exitUsage},
		{[]string{"run", "x.txt"}, "neither a notebook", exitUsage},
		{[]string{"run", "absent.ipynb"}, "no such file", exitFailed},
		{[]string{"run", "absent.go"}, "no such file", exitFailed},
		{[]string{"run", "x.go", "--html", "y"}, "for notebooks", exitUsage},
		{[]string{"run", file, "--html", "/no/such/folder/x.html"}, "mkdir -p", exitFailed},
		{[]string{"run", file, "--", "x"}, "takes no arguments", exitUsage},
		{[]string{"kernel"}, "fathom install", exitUsage},
		{[]string{"kernel", "-f", "/no/such/file"}, "/no/such/file", exitFailed},
		{[]string{"install", "--user", "--sys-prefix"}, "exclude each other", exitUsage},
		{[]string{"install", "now"}, "unexpected", exitUsage},
		{[]string{"repl", "x.go"}, "fathom run x.go", exitUsage},
		{[]string{"export"}, "want one notebook", exitUsage},
		{[]string{"help", "rnu"}, `did you mean "run"?`, exitUsage},
	} {
		got := fathom(t, "", c.args...)
		if got.code != c.code || !strings.Contains(got.err, c.want) || strings.Contains(got.err, "goroutine") {
			t.Errorf("%q: %+v, want %q", c.args, got, c.want)
		}
	}
	python := write(t, "x")
	nb := open(t, python)
	nb.Metadata["language_info"] = map[string]any{"name": "python"}
	if err := nb.Save(python); err != nil {
		t.Fatal(err)
	}
	if got := fathom(t, "", "run", python); got.code != exitFailed || !strings.Contains(got.err, "written in python") {
		t.Errorf("python: %+v", got)
	}
}

func TestHelp(t *testing.T) {
	if got := fathom(t, "", "--help"); got.code != 0 || !strings.Contains(got.out, "First steps") {
		t.Errorf("%+v", got)
	}
	for _, c := range commands() {
		for _, args := range [][]string{{c.name, "--help"}, {"help", c.name}, {c.name, "-h"}} {
			got := fathom(t, "", args...)
			if got.code != 0 || !strings.HasPrefix(got.out, "Usage: fathom "+c.name) || got.err != "" {
				t.Errorf("%q: %+v", args, got)
			}
		}
	}
	if got := fathom(t, "", "version"); got.code != 0 || !strings.HasPrefix(got.out, "fathom 0.0-test") {
		t.Errorf("%+v", got)
	}
}

func TestDoctor(t *testing.T) {
	got := fathom(t, "", "doctor")
	// The test engine does not know 6 * 7: the cell check must say so.
	if got.code != exitFailed || !strings.Contains(got.out, "FAIL  cells") || !strings.Contains(got.out, "ok    engine          a test") ||
		!strings.Contains(got.out, "warn  kernelspec") || !strings.Contains(got.out, "-> fathom install") {
		t.Errorf("%+v", got)
	}
}

func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	a, b := readHistory(file), readHistory(file)
	a.Add("one")
	a.Add("one")
	a.Add("  ")
	b.Add("two")
	a.save()
	b.save()
	h := readHistory(file)
	if h.Len() != 2 || h.At(0) != "two" || h.At(1) != "one" {
		t.Errorf("%q", h.lines)
	}
	for range 2 * historyLines {
		h.Add("x")
		h.Add("y")
	}
	h.save()
	if h = readHistory(file); h.Len() != historyLines {
		t.Errorf("%d lines", h.Len())
	}
}
