package interp

import (
	"bufio"
	"context"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fathom-kernel/fathom/stdlib/symbols"
)

// A test binary with this variable set runs the Go program that it names, as
// the go command would, and exits.
const runEnv = "FATHOM_INTERP_RUN"

// exitRefused is the exit code of a program that Compile refused.
const exitRefused = 77

func TestMain(m *testing.M) {
	if name := os.Getenv(runEnv); name != "" {
		os.Exit(runProgram(name))
	}
	os.Exit(m.Run())
}

func testSymbols(path string) map[string]reflect.Value { return symbols.Table(path) }

// exports maps the packages of the standard library to their export data.
var exports = sync.OnceValues(func() (map[string]string, error) {
	if f := os.Getenv("FATHOM_INTERP_EXPORTS"); f != "" {
		text, err := os.ReadFile(f)
		return parseExports(string(text)), err
	}
	out, err := exec.Command("go", "list", "-export", "-f", "{{.ImportPath}}={{.Export}}", "std").Output()
	return parseExports(string(out)), err
})

func parseExports(s string) map[string]string {
	m := map[string]string{}
	for _, line := range strings.Split(s, "\n") {
		if p, f, ok := strings.Cut(line, "="); ok {
			m[p] = f
		}
	}
	return m
}

func newImporter(fset *token.FileSet) types.ImporterFrom {
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		m, err := exports()
		if err != nil {
			return nil, err
		}
		if m[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(m[path])
	}).(types.ImporterFrom)
}

// loadUnit makes a unit of a program's text.
func loadUnit(fset *token.FileSet, imp types.Importer, name string, src any, entry string, more ...string) (*Unit, error) {
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	files := []*ast.File{f}
	for _, n := range more {
		g, err := parser.ParseFile(fset, n, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, g)
	}
	info := newInfo()
	conf := types.Config{FakeImportC: true, Importer: imp, Sizes: types.SizesFor("gc", "amd64"), GoVersion: goVersion(f)}
	pkg, err := conf.Check("main", fset, files, info)
	if err != nil {
		return nil, err
	}
	return &Unit{Fset: fset, Files: files, Pkg: pkg, Info: info, Entry: entry}, nil
}

// goVersion is the language version that a program asks for in its first
// lines ("// run -goexperiment", "// -lang=go1.21"), else the newest.
func goVersion(f *ast.File) string {
	for _, c := range f.Comments {
		if c.Pos() > f.Package {
			break
		}
		for _, l := range c.List {
			if i := strings.Index(l.Text, "-lang=go"); i >= 0 {
				return strings.Fields(l.Text[i+6:])[0]
			}
		}
	}
	return "go1.26"
}

func runProgram(name string) int {
	args := strings.Fields(os.Getenv("FATHOM_INTERP_ARGS"))
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if strings.Contains(args[0], "maymorestack") {
			fmt.Fprintln(os.Stderr, "refused: -: compiler flags: they instrument what the compiler makes")
			return exitRefused
		}
		args = args[1:] // for the go command
	}
	var more []string
	for len(args) > 0 && strings.HasSuffix(args[0], ".go") {
		more = append(more, filepath.Join(filepath.Dir(name), args[0]))
		args = args[1:]
	}
	os.Args = append([]string{strings.TrimSuffix(filepath.Base(name), ".go")}, args...)
	fset := token.NewFileSet()
	imp := newImporter(fset)
	u, err := loadUnit(fset, imp, name, nil, "main", more...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		return 78
	}
	e := New(Options{Symbols: testSymbols, Import: imp.Import})
	p, err := e.Compile(u)
	if err != nil {
		r, ok := err.(*Refusal)
		if !ok {
			fmt.Fprintln(os.Stderr, err)
			return 79
		}
		fmt.Fprintf(os.Stderr, "refused: %s: %s: %s\n", fset.Position(r.Pos), r.Construct, r.Why)
		return exitRefused
	}
	switch err := p.Run(context.Background()).(type) {
	case nil:
		return 0
	case *Exit:
		return err.Code
	case *Panic:
		fmt.Fprintf(os.Stderr, "panic: %s\n\ngoroutine 1 [running]:\n", err.Text())
		for _, f := range err.Frames {
			fmt.Fprintf(os.Stderr, "%s(...)\n\t%s\n", f.Func, f.Pos)
		}
		return 2
	case *Fatal:
		fmt.Fprintf(os.Stderr, "fatal error: %s\n", err.Text)
		return 2
	default:
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
}

// result is what came of a program.
type result struct {
	out  string
	code int
	hang bool
}

// child runs the program in a process of its own.
func child(dir, name, exportsFile string, limit time.Duration) result {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), runEnv+"="+name, "FATHOM_INTERP_EXPORTS="+exportsFile, "GOTRACEBACK=single")
	c.Dir = dir
	c.Env = append(c.Env, "STDLIB_IMPORTCFG="+exportsFile+".cfg")
	c.Env = append(c.Env, "FATHOM_INTERP_ARGS="+runArgs(name))
	out, err := c.CombinedOutput()
	r := result{out: string(out), code: c.ProcessState.ExitCode()}
	if err != nil && ctx.Err() != nil {
		r.hang = true
	}
	return r
}

func exportsFile(t testing.TB) string {
	m, err := exports()
	if err != nil {
		t.Skipf("no export data of the standard library: %v", err)
	}
	var b strings.Builder
	for p, f := range m {
		fmt.Fprintf(&b, "%s=%s\n", p, f)
	}
	name := filepath.Join(t.TempDir(), "exports")
	cfg := strings.Builder{}
	for p, f := range m {
		if f == "" {
			continue
		}
		fmt.Fprintf(&cfg, "packagefile %s=%s\n", p, f)
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name+".cfg", []byte(cfg.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// firstLines returns what a GOROOT/test program says before its package
// clause.
func firstLines(name string) (run bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	ok := true
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		line := sc.Text()
		if strings.HasPrefix(line, "package ") {
			break
		}
		if line == "// run" || strings.HasPrefix(line, "// run ") {
			run = true
		}
		if constraint.IsGoBuild(line) || constraint.IsPlusBuild(line) {
			x, err := constraint.Parse(line)
			if err == nil && !x.Eval(func(tag string) bool {
				return tag == "linux" || tag == "amd64" || tag == "unix" || tag == "gc" || tag == "cgo" || strings.HasPrefix(tag, "go1.")
			}) {
				ok = false
			}
		}
	}
	return run && ok, nil
}

// runArgs returns what follows "// run" in the program's first lines.
func runArgs(name string) string {
	text, _ := os.ReadFile(name)
	for _, line := range strings.Split(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, "// run "); ok {
			return rest
		}
		if strings.HasPrefix(line, "package ") {
			break
		}
	}
	return ""
}
