package interp

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestCases runs small programs, each a symptom of a public bug report about
// an interpreter: each must give the compiler's answer or be refused.
func TestCases(t *testing.T) {
	shared := os.Getenv("FATHOM_SHARED")
	if shared == "" {
		shared = "../../../shared"
	}
	dir, _ := filepath.Abs(filepath.Join(shared, "cases", "yaegi"))
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	if len(files) == 0 {
		t.Skipf("no programs in %s", dir)
	}
	var names []string
	for _, f := range files {
		names = append(names, filepath.Base(f))
	}
	count := map[string]int{}
	for _, o := range runAll(t, dir, names, 30*time.Second) {
		count[o.verdict]++
		if o.verdict != "pass" && o.verdict != "refused" {
			t.Errorf("%s: %s %s", o.name, o.verdict, o.why)
		} else if o.verdict == "refused" {
			t.Logf("%s refused: %s", o.name, o.why)
		}
	}
	t.Logf("%d programs: %v", len(files), count)
}
