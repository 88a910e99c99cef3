package lang

import (
	"bytes"
	"context"
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

func runProgram(file string) int {
	code, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	e := New(testOptions(nil))
	defer e.Close()
	main, cerr := e.Program(context.Background(), file, string(code))
	if cerr != nil {
		fmt.Fprint(os.Stderr, cerr.Plain())
		return 3
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

func TestGOROOT(t *testing.T) {
	kit := testKit(t)
	// Go's own runner hands the archives of the standard library to programs
	// that call the compiler.
	cfg := filepath.Join(t.TempDir(), "importcfg")
	list, err := exec.Command("go", "list", "-export", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cfg, list, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("STDLIB_IMPORTCFG", cfg)
	root, files := goPrograms(t)
	if p := os.Getenv("ONLY"); p != "" {
		files = strings.Fields(p)
	}
	var mu sync.Mutex
	failed := map[string]string{}
	parallel(files, func(file string) {
		if why := runGOROOT(kit.Dir, root, file); why != "" {
			mu.Lock()
			failed[file] = why
			mu.Unlock()
		}
	})
	for _, f := range sortedKeys(failed) {
		fmt.Printf("FAIL %s: %s\n", f, failed[f])
	}
	fmt.Printf("%d of %d pass\n", len(files)-len(failed), len(files))
}
