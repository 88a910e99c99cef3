package lang

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// modules are the packages that the session brought in from elsewhere: a
// module of its own on disk, whose requirements include those of the binary,
// so that what both use is the same version.
type modules struct {
	dir      string
	archives map[string]string         // import path -> archive
	types    map[string]*types.Package // import path -> what the checker knows
	local    map[string]string         // folder and content -> import path
}

// adder is an importer that takes export data of further packages, and keeps
// the types that they share with others the same.
type adder interface {
	Add(path string, r io.Reader) (*types.Package, error)
}

// withModules imports what the session brought in, too.
type withModules struct{ e *Engine }

func (w withModules) Import(path string) (*types.Package, error) {
	if m := w.e.modules.Load(); m != nil && m.types[path] != nil {
		return m.types[path], nil
	}
	return w.e.opt.Importer.Import(path)
}

// sessionModules returns the session's modules, made when first needed.
func (e *Engine) sessionModules() (*modules, error) {
	if m := e.modules.Load(); m != nil {
		return m, nil
	}
	if e.builder == nil {
		return nil, fmt.Errorf("packages from elsewhere need compiled cells, which do not work here: %v", e.opt.KitError)
	}
	dir, err := os.MkdirTemp("", "fathom-modules-")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module session\n"+requirements()), 0o644); err != nil {
		return nil, err
	}
	m := &modules{dir: dir, archives: map[string]string{}, types: map[string]*types.Package{}, local: map[string]string{}}
	e.modules.Store(m)
	return m, nil
}

// compilePackages compiles the packages of a pattern, and those they import,
// and returns the paths of all that were not at hand.
func (e *Engine) compilePackages(ctx context.Context, m *modules, pattern string) ([]string, error) {
	add, ok := e.opt.Importer.(adder)
	if !ok {
		return nil, fmt.Errorf("this engine cannot take in packages")
	}
	out, err := goCommand(ctx, m.dir, "list", "-export", "-deps", "-buildmode=plugin", "-f", "{{if .Export}}{{.ImportPath}}\t{{.Export}}{{end}}", pattern)
	if err != nil {
		return nil, fmt.Errorf("compiling %s: %v\n%s", pattern, err, out)
	}
	// What completion reads meanwhile is not changed but replaced.
	next := &modules{dir: m.dir, archives: maps.Clone(m.archives), types: maps.Clone(m.types), local: maps.Clone(m.local)}
	var fresh []string
	for line := range strings.Lines(out) { // what is imported comes first
		path, archive, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || e.builder.Has(path) || next.archives[path] != "" {
			continue
		}
		f, err := os.Open(archive)
		if err != nil {
			return nil, err
		}
		pkg, err := add.Add(path, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		next.archives[path], next.types[path] = archive, pkg
		fresh = append(fresh, path)
	}
	e.modules.Store(next)
	return fresh, nil
}

// get is %get: it brings in a module.
func (c *call) get() *Error {
	e := c.e
	if c.arg == "" {
		return failed(fmt.Errorf("%%get needs a module, as in %%get golang.org/x/text@latest"))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	m, err := e.sessionModules()
	if err != nil {
		return failed(err)
	}
	module := c.arg
	if !strings.Contains(module, "@") {
		module += "@latest"
	}
	if out, err := goCommand(c.ctx, m.dir, "get", module); err != nil {
		return failed(fmt.Errorf("go get %s: %v\n%s", module, err, out))
	}
	path, _, _ := strings.Cut(module, "@")
	fresh, err := e.compilePackages(c.ctx, m, path+"/...")
	if err != nil {
		return failed(err)
	}
	var own []string
	for _, p := range fresh {
		if p == path || strings.HasPrefix(p, path+"/") {
			own = append(own, p)
		}
	}
	if len(own) == 0 {
		c.print("%s is here already\n", module)
		return nil
	}
	more := ""
	if len(own) > 5 {
		more = fmt.Sprintf(" and %d more", len(own)-5)
	}
	c.print("%s: %s%s\n", module, strings.Join(own[:min(len(own), 5)], ", "), more)
	return nil
}

// localPackage compiles the package of a folder and returns its import path. A
// copy with other content has another path, so that an edited package can be
// imported again.
func (e *Engine) localPackage(folder string) (string, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	files, _ := filepath.Glob(filepath.Join(abs, "*"))
	h := sha256.New()
	sources := 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil || strings.HasSuffix(f, "_test.go") {
			continue
		}
		if strings.HasSuffix(f, ".go") {
			sources++
		}
		fmt.Fprintf(h, "%s\x00%d\x00%s", f, len(b), b)
	}
	if sources == 0 {
		return "", fmt.Errorf("no Go files in %s", abs)
	}
	m, err := e.sessionModules()
	if err != nil {
		return "", err
	}
	key := fmt.Sprintf("%x", h.Sum(nil))[:12]
	if p := m.local[key]; p != "" {
		return p, nil
	}
	dir := filepath.Join(m.dir, "local", key, filepath.Base(abs))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil || strings.HasSuffix(f, "_test.go") || filepath.Base(f) == "go.mod" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), b, 0o644); err != nil {
			return "", err
		}
	}
	path := "session/local/" + key + "/" + filepath.Base(abs)
	if _, err := e.compilePackages(context.Background(), m, path); err != nil {
		return "", fmt.Errorf("%s", strings.ReplaceAll(strings.ReplaceAll(err.Error(), dir, folder), "local/"+key+"/", ""))
	}
	m = e.modules.Load()
	next := *m
	next.local = maps.Clone(m.local)
	next.local[key] = path
	e.modules.Store(&next)
	return path, nil
}

// isLocal reports whether an import path names a folder.
func isLocal(path string) bool {
	return strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || path == "." || path == ".." || filepath.IsAbs(path)
}

func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOFLAGS=-mod=mod -buildvcs=false", "GOWORK=off")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil {
		return strings.TrimSpace(stderr.String()), err
	}
	return stdout.String(), nil
}

// requirements are the lines of a go.mod for the versions that the binary was
// built of.
func requirements() string {
	var b strings.Builder
	b.WriteString("\ngo 1.26\n")
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Replace == nil && d.Version != "" && d.Version != "(devel)" {
				fmt.Fprintf(&b, "\nrequire %s %s\n", d.Path, d.Version)
			}
		}
	}
	return b.String()
}
