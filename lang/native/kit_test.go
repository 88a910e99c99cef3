package native

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestOpenKit: a kit that cannot be used says why, and what to do.
func TestOpenKit(t *testing.T) {
	tools := t.TempDir()
	for _, name := range []string{"compile", "link"} {
		if err := os.WriteFile(filepath.Join(tools, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "VERSION"), []byte("go1.99.1\ntime x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"another Go", "go\tgo1.2.3\ngoroot\t" + runtime.GOROOT() + "\ntools\t" + tools + "\n", "was made by go1.2.3"},
		{"no tools", "go\t" + runtime.Version() + "\ngoroot\t" + runtime.GOROOT() + "\ntools\t/nonexistent\n", "no compile in /nonexistent"},
		{"toolchain replaced", "go\t" + runtime.Version() + "\ngoroot\t" + other + "\ntools\t" + tools + "\n", "is go1.99.1, but this binary was built by"},
		{"garbage", "\x00\x01\n\t\t\n", "no compile in"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, manifest), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenKit(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := OpenKit(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("no kit: %v", err)
	}
}
