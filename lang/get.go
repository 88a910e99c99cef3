package lang

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// modules are the third-party packages that the session brought in: a module
// of its own, whose requirements include those of the binary, so that what
// both use is the same version.
type modules struct {
	dir      string
	archives map[string]string // import path -> archive
	imp      types.Importer
}

// Import imports a package of a brought-in module; base imports all others.
func (m *modules) Import(path string, base types.Importer) (*types.Package, error) {
	if m == nil || m.archives[path] == "" {
		return base.Import(path)
	}
	return m.imp.Import(path)
}

// withModules imports what the session brought in, too.
type withModules struct{ e *Engine }

func (w withModules) Import(path string) (*types.Package, error) {
	return w.e.modules.Import(path, w.e.opt.Importer)
}

// get brings in a module, compiled for use in cells.
func (c *call) get() *Error {
	e := c.e
	if c.arg == "" {
		return failed(fmt.Errorf("%%get needs a module, as in %%get golang.org/x/text@latest"))
	}
	if e.builder == nil {
		return failed(fmt.Errorf("%%get needs compiled cells, which do not work here: %v", e.opt.KitError))
	}
	m := e.modules
	if m == nil {
		dir, err := os.MkdirTemp("", "fathom-modules-")
		if err != nil {
			return failed(err)
		}
		m = &modules{dir: dir}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(sessionModule()), 0o644); err != nil {
			return failed(err)
		}
	}
	module := c.arg
	if !strings.Contains(module, "@") {
		module += "@latest"
	}
	if out, err := c.goCommand(m.dir, "get", module); err != nil {
		return failed(fmt.Errorf("go get %s: %v\n%s", module, err, out))
	}
	path, _, _ := strings.Cut(module, "@")
	if err := os.WriteFile(filepath.Join(m.dir, "use.go"), []byte("package use\n"), 0o644); err != nil {
		return failed(err)
	}
	out, err := c.goCommand(m.dir, "list", "-e", "-export", "-deps", "-buildmode=plugin", "-f", "{{if .Export}}{{.ImportPath}}\t{{.Export}}{{end}}", path+"/...")
	if err != nil {
		return failed(fmt.Errorf("compiling %s: %v\n%s", path, err, out))
	}
	archives := map[string]string{}
	for k, v := range m.archives {
		archives[k] = v
	}
	count := 0
	for line := range strings.Lines(out) {
		p, a, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || e.builder.Has(p) {
			continue
		}
		archives[p] = a
		count++
	}
	if count == 0 {
		return failed(fmt.Errorf("%s has no package that is not built in already", path))
	}
	fset := token.NewFileSet()
	next := &modules{dir: m.dir, archives: archives}
	next.imp = importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if a := archives[path]; a != "" {
			return os.Open(a)
		}
		if a := e.opt.Kit.Archives[path]; a != "" {
			return os.Open(a)
		}
		return nil, fmt.Errorf("no package %q", path)
	})
	next.imp = preferBase{next.imp, e.opt.Importer, archives}
	e.mu.Lock()
	e.modules = next
	e.mu.Unlock()
	var own []string
	for _, p := range sortedKeys(archives) {
		if p == path || strings.HasPrefix(p, path+"/") {
			own = append(own, p)
		}
	}
	c.print("%s: %d packages, among them %s\n", module, count, strings.Join(own[:min(len(own), 4)], ", "))
	return nil
}

// preferBase keeps one *types.Package for what the binary has as well.
type preferBase struct {
	extra, base types.Importer
	archives    map[string]string
}

func (p preferBase) Import(path string) (*types.Package, error) {
	if p.archives[path] == "" {
		return p.base.Import(path)
	}
	return p.extra.Import(path)
}

func (c *call) goCommand(dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(c.ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOFLAGS=-mod=mod", "GOWORK=off")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil {
		return strings.TrimSpace(stderr.String()), err
	}
	return stdout.String(), nil
}

// sessionModule is the go.mod of the session: the versions that the binary was
// built of.
func sessionModule() string {
	var b strings.Builder
	b.WriteString("module use\n\ngo 1.26\n")
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Replace == nil && d.Version != "" && d.Version != "(devel)" {
				fmt.Fprintf(&b, "\nrequire %s %s\n", d.Path, d.Version)
			}
		}
	}
	return b.String()
}
