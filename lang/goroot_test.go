package lang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain lets the test binary stand in for `fathom run X.go`.
func TestMain(m *testing.M) {
	if file := os.Getenv("FATHOM_TEST_RUN"); file != "" {
		os.Exit(runProgram(file))
	}
	os.Exit(m.Run())
}

// refusedCode is the exit status of a program that was not run.
const refusedCode = 113

func runProgram(file string) int {
	code, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	opt := testOptions(nil)
	if os.Getenv("FATHOM_TEST_ENGINE") == "interp" {
		opt.Kit, opt.KitError = nil, errors.New("this test has none")
	}
	e := New(opt)
	defer e.Close()
	main, cerr := e.Program(context.Background(), file, string(code))
	if cerr != nil {
		fmt.Fprint(os.Stderr, cerr.Plain())
		return refusedCode
	}
	os.Args = []string{file}
	main()
	return 0
}

// goPrograms returns the programs of GOROOT/test that say that they are to be
// run, without flags or arguments.
func goPrograms(t *testing.T) (root string, files []string) {
	root = filepath.Join(runtime.GOROOT(), "test")
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no Go test programs at %s", root)
	}
	for _, dir := range []string{".", "ken", "chan", "interface", "typeparam", "fixedbugs"} {
		names, _ := filepath.Glob(filepath.Join(root, dir, "*.go"))
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				continue
			}
			for line := range strings.Lines(string(src)) {
				line = strings.TrimSpace(line)
				if line == "// run" {
					rel, _ := filepath.Rel(root, name)
					files = append(files, rel)
				}
				if line != "" && !strings.HasPrefix(line, "//go:build") && !strings.HasPrefix(line, "// +build") {
					break
				}
			}
		}
	}
	sort.Strings(files)
	return root, files
}

// result is how a program ended: "" where it did as the Go compiler's does.
func runGOROOT(kit, root, file string, env ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(append(os.Environ(), "FATHOM_TEST_RUN="+filepath.Join(root, file), "FATHOM_TEST_KIT="+kit), env...)
	cmd.Dir = root
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		return "hang"
	}
	want, werr := os.ReadFile(strings.TrimSuffix(filepath.Join(root, file), ".go") + ".out")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == refusedCode {
		return "refused: " + firstLines(out.String(), 1)
	}
	if err != nil {
		return fmt.Sprintf("%v: %s", err, firstLines(out.String(), 6))
	}
	if werr == nil && !bytes.Equal(bytes.ReplaceAll(out.Bytes(), []byte("\r\n"), []byte("\n")), want) {
		return "wrong output: " + firstLines(out.String(), 6)
	}
	return ""
}

func firstLines(s string, n int) string {
	lines := strings.SplitN(s, "\n", n+1)
	if len(lines) > n {
		lines = lines[:n]
	}
	return strings.Join(lines, "\n    ")
}

// parallel calls f for every file on two goroutines.
func parallel(files []string, f func(file string)) {
	var wg sync.WaitGroup
	work := make(chan string)
	for range max(2, runtime.NumCPU()) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for file := range work {
				f(file)
			}
		}()
	}
	for _, file := range files {
		work <- file
	}
	close(work)
	wg.Wait()
}

// TestGOROOT runs Go's own test programs compiled as cells are. Those listed in
// testdata/goroot.txt fail for the reason that stands there; one that passes is
// to be taken off the list.
func TestGOROOT(t *testing.T) {
	corpus(t, "testdata/goroot.txt", 0.97)
}

// TestGOROOTInterpreted runs them without a compiler. A program that is not
// refused must do what Go does.
func TestGOROOTInterpreted(t *testing.T) {
	corpus(t, "testdata/goroot_interpreted.txt", 0.75, "FATHOM_TEST_ENGINE=interp")
}

func corpus(t *testing.T, list string, least float64, env ...string) {
	kit := testKit(t)
	// Go's own runner hands the archives of the standard library to programs
	// that call the compiler.
	cfg := filepath.Join(t.TempDir(), "importcfg")
	archives, err := exec.Command("go", "list", "-export", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cfg, archives, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("STDLIB_IMPORTCFG", cfg)
	root, files := goPrograms(t)
	if p := os.Getenv("ONLY"); p != "" {
		files = strings.Fields(p)
	}
	listed := readList(t, list)
	var mu sync.Mutex
	failed := map[string]string{}
	parallel(files, func(file string) {
		if why := runGOROOT(kit.Dir, root, file, env...); why != "" {
			mu.Lock()
			failed[file] = why
			mu.Unlock()
		}
	})
	refused := 0
	var lines strings.Builder
	for _, f := range sortedKeys(failed) {
		isRefused := strings.HasPrefix(failed[f], "refused")
		if isRefused {
			refused++
		}
		fmt.Fprintf(&lines, "%s\t%s\n", f, strings.Join(strings.Fields(failed[f]), " "))
		if reason, ok := listed[f]; !ok {
			t.Errorf("%s: %s", f, failed[f])
		} else if strings.HasPrefix(reason, "refused") && !isRefused {
			t.Errorf("%s was refused, and now fails: %s", f, failed[f])
		}
	}
	for f := range listed {
		if _, ok := failed[f]; !ok && os.Getenv("ONLY") == "" {
			t.Errorf("%s passes now: take it off %s", f, list)
		}
	}
	pass := len(files) - len(failed)
	t.Logf("%d of %d programs pass, %d are refused, %d fail", pass, len(files), refused, len(failed)-refused)
	if float64(pass) < least*float64(len(files)) && os.Getenv("ONLY") == "" {
		t.Errorf("only %d of %d pass", pass, len(files))
	}
	if out := os.Getenv("FATHOM_WRITE_LIST"); out != "" {
		if err := os.WriteFile(out, []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// readList reads the lines FILE<tab>REASON of a list; # begins a comment.
func readList(t *testing.T, name string) map[string]string {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if file, reason, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(line, "#") {
			list[file] = reason
		}
	}
	return list
}
