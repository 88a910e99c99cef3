// Package native compiles units and loads them into the running process: the
// Go compiler and linker called directly, as a plugin, with packages compiled
// beforehand. That takes a fifth of a second where `go build` takes a half.
package native

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Kit is what a unit is compiled against: the archives of the packages that
// the running binary was made of, compiled for use in plugins.
type Kit struct {
	Dir      string
	GoRoot   string
	Tools    string            // folder of compile and link
	Archives map[string]string // import path -> archive
}

// manifest is the file of a kit that lists its archives; it is written last.
const manifest = "kit.txt"

// MakeKit compiles the packages, and all that they import, and keeps copies of
// the archives under dir. It runs the go command in moduleDir, whose go.mod
// must be that of the running binary. progress is told what happens; it may be
// nil. It takes some minutes where nothing is cached, a second where all is.
func MakeKit(ctx context.Context, dir, moduleDir string, packages []string, progress func(string)) (*Kit, error) {
	if progress == nil {
		progress = func(string) {}
	}
	progress(fmt.Sprintf("compiling %d packages for use in cells", len(packages)))
	args := append([]string{"list", "-export", "-deps", "-buildmode=plugin",
		"-f", "{{if .Export}}{{.ImportPath}}\t{{.Export}}{{end}}"}, packages...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = moduleDir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("native: go list failed (%v): %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	if err := os.MkdirAll(filepath.Join(dir, "pkg"), 0o755); err != nil {
		return nil, err
	}
	root, err := goEnv(ctx, "GOROOT")
	if err != nil {
		return nil, err
	}
	tools, err := goEnv(ctx, "GOTOOLDIR")
	if err != nil {
		return nil, err
	}
	var list strings.Builder
	fmt.Fprintf(&list, "go\t%s\ngoroot\t%s\ntools\t%s\n", runtime.Version(), root, tools)
	kept := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		path, archive, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		name := fmt.Sprintf("%x.a", sha256.Sum256([]byte(path+"\x00"+filepath.Base(archive))))[:24] + ".a"
		if err := keep(archive, filepath.Join(dir, "pkg", name)); err != nil {
			return nil, err
		}
		kept[name] = true
		fmt.Fprintf(&list, "package\t%s\t%s\n", path, name)
	}
	if err := writeFile(filepath.Join(dir, manifest), []byte(list.String())); err != nil {
		return nil, err
	}
	// What an older run left behind.
	if old, err := os.ReadDir(filepath.Join(dir, "pkg")); err == nil {
		for _, e := range old {
			if !kept[e.Name()] && !strings.HasPrefix(e.Name(), ".") {
				os.Remove(filepath.Join(dir, "pkg", e.Name()))
			}
		}
	}
	progress(fmt.Sprintf("%d archives in %s", len(kept), dir))
	if filepath.Base(dir) == "kit-"+BuildKey() {
		forget(dir)
	}
	return OpenKit(dir)
}

// OpenKit reads the kit in dir.
func OpenKit(dir string) (*Kit, error) {
	f, err := os.Open(filepath.Join(dir, manifest))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	k := &Kit{Dir: dir, Archives: map[string]string{}}
	s := bufio.NewScanner(f)
	for s.Scan() {
		fields := strings.Split(s.Text(), "\t")
		switch {
		case len(fields) == 2 && fields[0] == "go":
			if fields[1] != runtime.Version() {
				return nil, fmt.Errorf("native: the kit in %s was made by %s, this binary by %s; run `fathom install` again", dir, fields[1], runtime.Version())
			}
		case len(fields) == 2 && fields[0] == "goroot":
			k.GoRoot = fields[1]
		case len(fields) == 2 && fields[0] == "tools":
			k.Tools = fields[1]
		case len(fields) == 3 && fields[0] == "package":
			k.Archives[fields[1]] = filepath.Join(dir, "pkg", fields[2])
		}
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	return k, k.check()
}

// check says what is missing for compiling, and what to do about it.
func (k *Kit) check() error {
	for _, tool := range []string{"compile", "link"} {
		if _, err := os.Stat(filepath.Join(k.Tools, tool)); err != nil {
			return fmt.Errorf("native: no %s in %s: is Go still installed there? Run `fathom install` again after installing %s", tool, k.Tools, runtime.Version())
		}
	}
	if v, err := os.ReadFile(filepath.Join(k.GoRoot, "VERSION")); err == nil {
		first, _, _ := strings.Cut(string(v), "\n")
		if strings.TrimSpace(first) != runtime.Version() {
			return fmt.Errorf("native: the Go in %s is %s, but this binary was built by %s; build and install it again", k.GoRoot, strings.TrimSpace(first), runtime.Version())
		}
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		return errors.New("native: no gcc on PATH, which linking needs; install it (Debian: apt-get install gcc libc6-dev)")
	}
	return nil
}

// DefaultDir is where the kit of this very binary is kept: under $FATHOM_KIT,
// or in the user's cache folder under a name made of the binary's build.
func DefaultDir() string {
	if d := os.Getenv("FATHOM_KIT"); d != "" {
		return d
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "fathom", "kit-"+BuildKey())
}

// BuildKey names the build of the running binary: packages compiled for another
// build of it do not load.
func BuildKey() string {
	h := sha256.New()
	fmt.Fprintln(h, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if exe, err := os.Executable(); err == nil {
		if f, err := elf.Open(exe); err == nil {
			if s := f.Section(".note.go.buildid"); s != nil {
				if id, err := s.Data(); err == nil {
					h.Write(id)
				}
			}
			f.Close()
		} else if st, err := os.Stat(exe); err == nil {
			fmt.Fprintln(h, st.Size(), st.ModTime())
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:12]
}

// forget removes kits beside dir that no binary has used for two weeks.
func forget(dir string) {
	others, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "kit-*"))
	for _, o := range others {
		st, err := os.Stat(filepath.Join(o, manifest))
		if o != dir && err == nil && time.Since(st.ModTime()) > 14*24*time.Hour {
			os.RemoveAll(o)
		}
	}
}

func goEnv(ctx context.Context, name string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", name).Output()
	return strings.TrimSpace(string(out)), err
}

// keep links or copies an archive: the build cache forgets what is not used
// for some days.
func keep(from, to string) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	tmp, err := os.CreateTemp(filepath.Dir(to), ".new*")
	if err != nil {
		return err
	}
	if _, err := io.Copy(tmp, in); err != nil {
		tmp.Close()
		os.Remove(tmp.Name())
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), to)
}

func writeFile(name string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".new*")
	if err != nil {
		return err
	}
	if _, err := tmp.Write(data); err == nil {
		err = tmp.Close()
	}
	if err != nil {
		os.Remove(tmp.Name())
		return err
	}
	return os.Rename(tmp.Name(), name)
}
