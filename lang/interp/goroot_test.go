package interp

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	updateFlag = flag.Bool("update", false, "rewrite testdata/goroot.txt")
	onlyFlag   = flag.String("only", "", "run only the programs that match")
	longFlag   = flag.Duration("limit", 10*time.Minute, "time for one program")
)

// goroot returns the programs of GOROOT/test that are marked "// run" for this
// system.
func goroot(t *testing.T) (dir string, names []string) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	dir = filepath.Join(strings.TrimSpace(string(out)), "test")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("GOROOT/test is absent: %v", err)
	}
	for _, sub := range []string{".", "ken", "chan", "interface", "typeparam", "fixedbugs"} {
		files, _ := filepath.Glob(filepath.Join(dir, sub, "*.go"))
		for _, f := range files {
			if run, _ := firstLines(f); run {
				rel, _ := filepath.Rel(dir, f)
				names = append(names, rel)
			}
		}
	}
	sort.Strings(names)
	return dir, names
}

var whitespace = regexp.MustCompile(`\s+`)

// verdict compares what a program did with what it should do.
func verdict(r result, want string) (string, string) {
	line := r.out
	if i := strings.LastIndex(line, "refused: "); i >= 0 && r.code == exitRefused {
		line = line[i+9:]
		if _, rest, ok := strings.Cut(line, ": "); ok {
			line = rest
		}
		return "refused", strings.TrimSpace(strings.SplitN(line, "\n", 2)[0])
	}
	switch {
	case r.hang:
		return "hang", ""
	case r.code == 78:
		return "check", strings.SplitN(r.out, "\n", 2)[0]
	case r.code == 0 && r.out == want:
		return "pass", ""
	}
	return "wrong", fmt.Sprintf("exit %d: %.300q", r.code, r.out)
}

type outcome struct{ name, verdict, why string }

func runAll(t *testing.T, dir string, names []string, limit time.Duration) []outcome {
	ef := exportsFile(t)
	outs := make([]outcome, len(names))
	var wg sync.WaitGroup
	next := make(chan int)
	for range max(2, runtime.NumCPU()) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				name := filepath.Join(dir, names[i])
				want, _ := os.ReadFile(strings.TrimSuffix(name, ".go") + ".out")
				r := child(dir, name, ef, limit)
				v, why := verdict(r, string(want))
				outs[i] = outcome{names[i], v, whitespace.ReplaceAllString(why, " ")}
			}
		}()
	}
	for i := range names {
		next <- i
	}
	close(next)
	wg.Wait()
	return outs
}

// TestGOROOT runs the Go project's own test programs. testdata/goroot.txt says
// of each whether it passes or why it is refused; it may only get better, and
// no program may give a wrong result or hang.
func TestGOROOT(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the programs of GOROOT/test take minutes")
	}
	dir, names := goroot(t)
	if *onlyFlag != "" {
		re := regexp.MustCompile(*onlyFlag)
		var some []string
		for _, n := range names {
			if re.MatchString(n) {
				some = append(some, n)
			}
		}
		names = some
	}
	outs := runAll(t, dir, names, *longFlag)
	known := map[string]string{}
	if f, err := os.ReadFile("testdata/goroot.txt"); err == nil {
		sc := bufio.NewScanner(bytes.NewReader(f))
		for sc.Scan() {
			if p := strings.SplitN(sc.Text(), "\t", 3); len(p) >= 2 {
				known[p[0]] = p[1]
			}
		}
	}
	count := map[string]int{}
	var list strings.Builder
	for _, o := range outs {
		count[o.verdict]++
		fmt.Fprintf(&list, "%s\t%s\t%s\n", o.name, o.verdict, o.why)
		switch {
		case o.verdict == "wrong" || o.verdict == "hang" || o.verdict == "check":
			t.Errorf("%s: %s %s", o.name, o.verdict, o.why)
		case o.verdict == "refused" && known[o.name] == "pass":
			t.Errorf("%s used to pass and is now refused: %s", o.name, o.why)
		}
	}
	t.Logf("%d programs: %v", len(outs), count)
	if *updateFlag && *onlyFlag == "" {
		if err := os.WriteFile("testdata/goroot.txt", []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
