package interp

import (
	"flag"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fathom-kernel/fathom/lang/interp/gogen"
)

var (
	seedFlag = flag.Int64("seed", 0, "seed of the random programs; 0 takes the clock")
	timeFlag = flag.Duration("fuzz-for", 0, "how long to compare random programs")
)

// TestDifferential compares the engine with the Go compiler on random
// programs, for -fuzz-for or $FATHOM_FUZZ (a duration), at least one batch.
func TestDifferential(t *testing.T) {
	limit := *timeFlag
	if s := os.Getenv("FATHOM_FUZZ"); s != "" && limit == 0 {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		limit = d
	}
	seed := *seedFlag
	if seed == 0 {
		seed = time.Now().UnixNano()
	}
	t.Logf("seed %d", seed)
	const batch = 100
	ef := exportsFile(t)
	start := time.Now()
	programs, refusals := 0, 0
	for n := int64(0); n == 0 || time.Since(start) < limit; n++ {
		dir := t.TempDir()
		name := filepath.Join(dir, "main.go")
		src := gogen.Batch(rand.New(rand.NewSource(seed+n)), batch)
		if err := os.WriteFile(name, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		bin := filepath.Join(dir, "p")
		if out, err := exec.Command("go", "build", "-o", bin, name).CombinedOutput(); err != nil {
			t.Fatalf("seed %d: the generator's program does not build: %.2000s", seed+n, out)
		}
		want, err := exec.Command(bin).CombinedOutput()
		if err != nil {
			t.Fatalf("seed %d: the generator's program fails: %v\n%.2000s", seed+n, err, want)
		}
		got := child(dir, name, ef, time.Minute)
		if got.code == exitRefused {
			refusals++
			t.Errorf("seed %d: %s", seed+n, got.out)
			continue
		}
		compareBatches(t, seed+n, src, string(want), got.out)
		programs += batch
		if t.Failed() {
			break
		}
	}
	t.Logf("%d programs compared, %d batches refused", programs, refusals)
}

// compareBatches reports the first program of a batch whose output differs.
func compareBatches(t *testing.T, seed int64, src, want, got string) {
	if want == got {
		return
	}
	w, g := strings.Split(want, "== "), strings.Split(got, "== ")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			other := "nothing"
			if i < len(g) {
				other = g[i]
			}
			name := os.TempDir() + "/fathom_differential.go"
			os.WriteFile(name, []byte(src), 0o600)
			t.Errorf("seed %d, program %d (in %s):\n--- compiled\n%s\n--- interpreted\n%.3000s", seed, i-1, name, w[i], other)
			return
		}
	}
	t.Errorf("seed %d: more output than the compiler's: %.1000q", seed, got)
}
