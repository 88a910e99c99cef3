package native

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"plugin"
	"sort"
	"strings"
	"sync"

	"github.com/fathom-kernel/fathom/lang/cellrt"
)

// UnitPath is the package path of all units. See the note in lang/unit.go.
const UnitPath = "cell"

// File is one Go file of a unit.
type File struct{ Name, Text string }

// Input is a unit to build.
type Input struct {
	N     int
	Files []File
	Extra map[string]string // archives that are not in the kit, by import path
	Embed []byte            // the compiler's configuration of embedded files, or nil
}

// Builder compiles units and loads them. A Builder's units live as long as the
// process: Go's plugins can't be unloaded.
type Builder struct {
	kit  *Kit
	dir  string
	once sync.Once
	err  error
}

// NewBuilder returns a Builder that keeps its files in a temporary folder.
func NewBuilder(k *Kit) *Builder { return &Builder{kit: k} }

// CompileError is what the Go compiler says of a unit that was checked before:
// a fault of ours, or a limit that only the compiler knows.
type CompileError struct{ Output string }

func (e *CompileError) Error() string { return e.Output }

// Build compiles and loads a unit. The unit's init registers
// its entry. ctx ends the compiler.
func (b *Builder) Build(ctx context.Context, in Input) (*cellrt.Unit, error) {
	n, files, extra := in.N, in.Files, in.Extra
	b.once.Do(func() { b.prepare() })
	if b.err != nil {
		return nil, b.err
	}
	dir := filepath.Join(b.dir, fmt.Sprint(n))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	cfg := filepath.Join(b.dir, "importcfg")
	if len(extra) > 0 {
		var more strings.Builder
		base, err := os.ReadFile(cfg)
		if err != nil {
			return nil, err
		}
		more.Write(base)
		for _, p := range sorted(extra) {
			if b.kit.Archives[p] == "" {
				fmt.Fprintf(&more, "packagefile %s=%s\n", p, extra[p])
			}
		}
		cfg = filepath.Join(dir, "importcfg")
		if err := os.WriteFile(cfg, []byte(more.String()), 0o644); err != nil {
			return nil, err
		}
	}
	var names []string
	for i, f := range files {
		name := filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(name, []byte(f.Text), 0o644); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	archive := filepath.Join(dir, "unit.a")
	args := []string{"-o", archive, "-p", UnitPath, "-pack", "-dynlink", "-installsuffix", "dynlink", "-lang=" + langVersion(),
		"-dwarf=false", "-importcfg", cfg, "-trimpath", dir + "=>", "-c=2"}
	if len(in.Embed) > 0 {
		name := filepath.Join(dir, "embedcfg")
		if err := os.WriteFile(name, in.Embed, 0o644); err != nil {
			return nil, err
		}
		args = append(args, "-embedcfg", name)
	}
	if err := b.tool(ctx, dir, "compile", append(args, names...)...); err != nil {
		return nil, err
	}
	if err := patchTypeNames(archive); err != nil {
		return nil, err
	}

	// A plugin's path must be its own, the unit's is shared: so the plugin is
	// a package of its own that imports the unit.
	path := fmt.Sprintf("fathomunit/%d", n)
	root := filepath.Join(dir, "root.go")
	if err := os.WriteFile(root, []byte("package main\nimport _ \""+UnitPath+"\"\nvar Loaded byte\n"), 0o644); err != nil {
		return nil, err
	}
	rootcfg := filepath.Join(dir, "rootcfg")
	if err := os.WriteFile(rootcfg, []byte("packagefile "+UnitPath+"="+archive+"\n"), 0o644); err != nil {
		return nil, err
	}
	rootArchive := filepath.Join(dir, "root.a")
	if err := b.tool(ctx, dir, "compile", "-o", rootArchive, "-p", path, "-pack", "-dynlink", "-installsuffix", "dynlink", "-complete", "-dwarf=false", "-importcfg", rootcfg, root); err != nil {
		return nil, err
	}
	linkcfg := filepath.Join(dir, "linkcfg")
	base, err := os.ReadFile(cfg)
	if err != nil {
		return nil, err
	}
	base = fmt.Appendf(base, "packagefile %s=%s\npackagefile %s=%s\n", UnitPath, archive, path, rootArchive)
	if err := os.WriteFile(linkcfg, base, 0o644); err != nil {
		return nil, err
	}
	so := filepath.Join(b.dir, fmt.Sprintf("unit%d.so", n))
	err = b.tool(ctx, dir, "link", "-o", so, "-importcfg", linkcfg, "-installsuffix", "dynlink", "-pluginpath", path,
		"-buildmode=plugin", "-buildid=fathom", "-s", "-w", "-extld=gcc",
		"-extldflags", "-Wl,--version-script="+filepath.Join(b.dir, "symbols.map"), rootArchive)
	if err != nil {
		return nil, err
	}
	if err := patchFunctions(so); err != nil {
		return nil, err
	}
	_, err = plugin.Open(so)
	os.Remove(so) // it stays mapped
	if err != nil {
		if strings.Contains(err.Error(), "different version of package") {
			return nil, fmt.Errorf("native: the kit in %s does not belong to this binary (%v); run `fathom install` again", b.kit.Dir, err)
		}
		return nil, fmt.Errorf("native: loading a compiled cell failed: %w", err)
	}
	u := cellrt.Take(n)
	if u == nil {
		return nil, fmt.Errorf("native: compiled cell %d did not register", n)
	}
	return u, nil
}

// symbolMap makes everything of a unit its own but its types: those, and the
// tables that tie them to interfaces, are shared by name between units.
const symbolMap = `{ local: cell.*; go?link.pkghash.cell; go?link.pkghashbytes.cell; };
`

func (b *Builder) prepare() {
	b.dir, b.err = os.MkdirTemp("", "fathom-units-")
	if b.err != nil {
		return
	}
	var cfg bytes.Buffer
	for _, p := range sorted(b.kit.Archives) {
		fmt.Fprintf(&cfg, "packagefile %s=%s\n", p, b.kit.Archives[p])
	}
	if b.err = os.WriteFile(filepath.Join(b.dir, "importcfg"), cfg.Bytes(), 0o644); b.err != nil {
		return
	}
	b.err = os.WriteFile(filepath.Join(b.dir, "symbols.map"), []byte(symbolMap), 0o644)
}

// Close removes the Builder's files.
func (b *Builder) Close() error {
	if b.dir == "" {
		return nil
	}
	return os.RemoveAll(b.dir)
}

// Has reports whether units may import the package.
func (b *Builder) Has(path string) bool { return path == "unsafe" || b.kit.Archives[path] != "" }

func (b *Builder) tool(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(b.kit.Tools, name), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOROOT="+b.kit.GoRoot, "PWD="+dir)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return &CompileError{Output: strings.TrimSpace(string(out))}
	}
	return nil
}

func sorted(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
