package bound

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

// COVERAGE.md says what this code does: its quickest rows are measured again,
// with the numbers of repetitions and draws of the command that wrote it.
func TestCoverageFileIsCurrent(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skipf("COVERAGE.md was written on amd64; floating point on %s may round otherwise", runtime.GOARCH)
	}
	text, err := os.ReadFile("COVERAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range CoverageData() {
		m, err := Coverage(ctx, []int{5}, []int{10}, []string{data}, 1000, &Options{Draws: 99})
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for _, line := range strings.Split(m.Markdown(), "\n") {
			if !strings.HasPrefix(line, "| 5 | 10 |") {
				continue
			}
			rows++
			if !strings.Contains(string(text), line+"\n") {
				t.Errorf("%s data: COVERAGE.md lacks the row that is measured now; run go run ./stdlib/bound/coverage\n%s", data, line)
			}
		}
		if rows != 2 {
			t.Errorf("%s data: %d rows measured", data, rows)
		}
	}
}
