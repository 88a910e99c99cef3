package kernel_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fathom-kernel/fathom/kernel"
)

func TestInstallSpec(t *testing.T) {
	prefix := t.TempDir()
	opt := kernel.SpecOptions{Prefix: prefix, Alias: []string{"gophernotes"}, Env: map[string]string{"A": "b"}}
	for range 2 { // twice is as good as once
		folders, err := kernel.InstallSpec(opt)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{filepath.Join(prefix, "share/jupyter/kernels/fathom"), filepath.Join(prefix, "share/jupyter/kernels/gophernotes")}
		if !slices.Equal(folders, want) {
			t.Fatalf("folders %q, want %q", folders, want)
		}
		for _, folder := range folders {
			checkSpec(t, folder)
		}
	}
}

func checkSpec(t *testing.T, folder string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	var spec struct {
		Argv          []string
		Language      string
		InterruptMode string            `json:"interrupt_mode"`
		Version       string            `json:"kernel_protocol_version"`
		Env           map[string]string `json:"env"`
	}
	if err := json.Unmarshal(b, &spec); err != nil {
		t.Fatal(err)
	}
	if len(spec.Argv) != 4 || !filepath.IsAbs(spec.Argv[0]) || spec.Argv[3] != "{connection_file}" || spec.Language != "go" ||
		spec.InterruptMode != "message" || spec.Version != "5.5" || spec.Env["A"] != "b" {
		t.Errorf("kernel.json is %s", b)
	}
	for name, size := range map[string]int{"logo-32x32.png": 32, "logo-64x64.png": 64} {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(b))
		if err != nil || img.Bounds().Dx() != size {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "logo-svg.svg")); err != nil {
		t.Error(err)
	}
	entries, _ := os.ReadDir(folder)
	if len(entries) != 4 {
		t.Errorf("%d files are there, want 4", len(entries))
	}
}

func TestInstallSpecPlaces(t *testing.T) {
	data := t.TempDir()
	t.Setenv("JUPYTER_DATA_DIR", data)
	folders, err := kernel.InstallSpec(kernel.SpecOptions{Name: "go-1.x"})
	if err != nil || folders[0] != filepath.Join(data, "kernels/go-1.x") {
		t.Errorf("user: %q, %v", folders, err)
	}
	for name, opt := range map[string]kernel.SpecOptions{
		"only letters":      {Name: "a/b", Prefix: data},
		"choose one":        {User: true, Prefix: data},
		"{connection_file}": {Argv: []string{"x"}, Prefix: data},
	} {
		if _, err := kernel.InstallSpec(opt); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Another kernel's files are left alone.
	other := filepath.Join(data, "kernels/gophernotes/kernel.json")
	os.MkdirAll(filepath.Dir(other), 0o755)
	os.WriteFile(other, []byte(`{"argv":["/usr/bin/gophernotes"]}`), 0o644)
	folders, err = kernel.InstallSpec(kernel.SpecOptions{Alias: []string{"gophernotes"}})
	if err == nil || !strings.Contains(err.Error(), "another kernel") || len(folders) != 1 {
		t.Errorf("alias over another kernel: %q, %v", folders, err)
	}
	if b, _ := os.ReadFile(other); !strings.Contains(string(b), "/usr/bin/gophernotes") {
		t.Error("the other kernel was overwritten")
	}
}

// TestLogoAgrees has Chromium render the SVG and compares it with the PNG that
// is drawn here.
func TestLogoAgrees(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium (Debian: chromium) is absent: the SVG logo is not compared")
	}
	dir := t.TempDir()
	folders, err := kernel.InstallSpec(kernel.SpecOptions{Prefix: dir})
	if err != nil {
		t.Fatal(err)
	}
	shot := filepath.Join(dir, "shot.png")
	if out, err := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(dir, "profile"), "--default-background-color=00000000",
		"--window-size=64,64", "--screenshot="+shot, "file://"+filepath.Join(folders[0], "logo-svg.svg")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := os.ReadFile(shot)
	if err != nil {
		t.Fatal(err)
	}
	drawn, _ := os.ReadFile(filepath.Join(folders[0], "logo-64x64.png"))
	a, err1 := png.Decode(bytes.NewReader(out))
	b, err2 := png.Decode(bytes.NewReader(drawn))
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if a.Bounds() != b.Bounds() {
		t.Fatalf("the sizes are %v and %v", a.Bounds(), b.Bounds())
	}
	var sum, worst int
	for y := range 64 {
		for x := range 64 {
			r1, g1, b1, a1 := a.At(x, y).RGBA()
			r2, g2, b2, a2 := b.At(x, y).RGBA()
			for _, d := range []int{int(r1) - int(r2), int(g1) - int(g2), int(b1) - int(b2), int(a1) - int(a2)} {
				d = max(d, -d) >> 8
				sum += d
				worst = max(worst, d)
			}
		}
	}
	if mean := float64(sum) / (64 * 64 * 4); mean > 2 {
		t.Errorf("the two logos differ by %.1f of 255 on average, %d at most", mean, worst)
	}
}
