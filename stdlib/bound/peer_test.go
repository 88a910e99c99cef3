package bound

import (
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// R's multcomp takes a list of contrasts and integrates the normal density
// over their joint region: for all 2^p − 1 subsets it must give our c. With
// -long also at p = 9, timed beside ours, and p = 10, which it refuses.
func TestAgainstMultcomp(t *testing.T) {
	if err := exec.Command("Rscript", "-e", "library(multcomp)").Run(); err != nil {
		t.Skip("Rscript with package multcomp is absent: install r-cran-multcomp to compare")
	}
	ps := []int{4}
	if *long {
		ps = []int{2, 4, 6, 8, 9}
	}
	for _, sides := range []Sides{Lower, Both} {
		for _, p := range ps {
			begin := time.Now()
			theirs, err := multcomp(p, sides)
			took := time.Since(begin)
			if err != nil {
				t.Fatalf("p=%d: %v", p, err)
			}
			begin = time.Now()
			b, err := Fit(ctx, make([]float64, p), ones(p), &Options{Sides: sides, Draws: 100000})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("p=%d %v: multcomp c=%.3f in %.2f s; ours %.3f±%.3f, 100,000 draws, in %.3f s", p, sides, theirs, took.Seconds(), b.C, b.CErr, time.Since(begin).Seconds())
			if math.Abs(theirs-b.C) > 4*b.CErr+0.01 {
				t.Errorf("p=%d %v: multcomp %.3f, ours %.3f±%.3f", p, sides, theirs, b.C, b.CErr)
			}
		}
	}
	if *long {
		if c, err := multcomp(10, Lower); err == nil {
			t.Errorf("multcomp gives c=%v for 1,023 contrasts: the comparison in the documentation is outdated", c)
		} else {
			t.Logf("p=10: multcomp refuses: %v", err)
		}
	}
}

func multcomp(p int, sides Sides) (float64, error) {
	alt := "two.sided"
	if sides == Lower {
		alt = "greater"
	}
	script := fmt.Sprintf(`suppressMessages(library(multcomp)); set.seed(1)
K <- as.matrix(expand.grid(rep(list(0:1), %d)))[-1, ]
g <- glht(parm(rep(0, %d), diag(%d)), linfct = K, alternative = %q)
cat(abs(attr(confint(g)$confint, "calpha")))`, p, p, p, alt)
	out, err := exec.Command("Rscript", "-e", script).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}
