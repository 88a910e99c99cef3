package lang

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// shared returns the folder of the data beside the project.
func shared(t testing.TB, path string) string {
	dir := os.Getenv("FATHOM_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	dir = filepath.Join(dir, path)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("%s is not there; set FATHOM_SHARED to the folder of the shared data", dir)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// TestCases runs one small program for each symptom that users of Go
// interpreters have reported, and wants the Go compiler's answer.
func TestCases(t *testing.T) {
	kit := testKit(t)
	dir := shared(t, filepath.Join("cases", "yaegi"))
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	if len(files) == 0 {
		t.Fatal("no cases")
	}
	var mu sync.Mutex
	parallel(files, func(file string) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "FATHOM_TEST_RUN="+file, "FATHOM_TEST_KIT="+kit.Dir)
		out, err := cmd.CombinedOutput()
		want, werr := os.ReadFile(strings.TrimSuffix(file, ".go") + ".out")
		if werr != nil {
			t.Error(werr)
		}
		if err != nil || !bytes.Equal(out, want) {
			mu.Lock()
			defer mu.Unlock()
			t.Errorf("%s: %v\ngot  %s\nwant %s", filepath.Base(file), err, out, want)
		}
	})
}
