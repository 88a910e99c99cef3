package command

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/kernel/notebook"
)

// Check is one line of `fathom doctor`.
type Check struct {
	State Health
	Name  string
	Found string // what is there
	Next  string // what to do about it, where it is not all right
}

// Health is how a check came out.
type Health int

// Warn leaves something out that works otherwise; Fail means that cells do not
// run.
const (
	OK Health = iota
	Warn
	Fail
)

func (h Health) String() string { return [...]string{"ok", "warn", "FAIL"}[h] }

var doctorCommand = &command{
	name: "doctor", args: "",
	summary: "see what works on this machine, and what to do about the rest",
	help: `
Each line says ok, warn (something is missing that you may want) or FAIL (cells
do not run), and what to do. The exit status is 1 if a line says FAIL.`,
	run: func(p *Product, c *command, args []string) int {
		if _, _, code, ok := c.parse(c.flags(), args); !ok {
			return code
		}
		checks := []Check{checkBinary(p), checkCells(p), checkToolchain(), checkC(), checkCache()}
		if p.Checks != nil {
			checks = append(checks, p.Checks()...)
		}
		checks = append(checks, checkMemory(), checkKernelspec(), checkJupyter(), checkBrowser())
		code := exitOK
		for _, k := range checks {
			fmt.Printf("%-5s %-15s %s\n", k.State, k.Name, k.Found)
			if k.Next != "" {
				fmt.Printf("%22s-> %s\n", "", strings.ReplaceAll(k.Next, "\n", "\n"+strings.Repeat(" ", 25)))
			}
			if k.State == Fail {
				code = exitFailed
			}
		}
		return code
	},
}

func checkBinary(p *Product) Check {
	return Check{Name: "fathom", Found: fmt.Sprintf("%s%s, built with %s, %s", p.Version, revision(), runtime.Version(), executable())}
}

// checkCells starts a worker and runs a cell, as a notebook does.
func checkCells(p *Product) Check {
	k := Check{Name: "cells"}
	begin := time.Now()
	session, err := kernel.NewSession(kernel.SessionOptions{NoSpare: true})
	if err != nil {
		return Check{State: Fail, Name: k.Name, Found: "no worker starts: " + err.Error(), Next: "run `fathom worker` by hand and see what it says"}
	}
	defer session.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	nb := notebook.New()
	cell := &notebook.Cell{Kind: notebook.Code, ID: "doctor"}
	nb.Cells = []*notebook.Cell{cell}
	recorder := notebook.NewRecorder(nil)
	result := session.Execute(ctx, kernel.Cell{ID: "doctor", Count: 1, Code: "6 * 7"}, kernel.ExecuteOptions{}, recorder.Sink(cell))
	recorder.Close()
	shown := ""
	for _, o := range cell.Outputs {
		if text, ok := o.Data["text/plain"].(string); ok {
			shown += text
		}
	}
	switch {
	case result.Err != nil:
		k.State, k.Found = Fail, "6 * 7 fails: "+result.Err.Name+": "+result.Err.Value
	case shown != "42":
		k.State, k.Found = Fail, fmt.Sprintf("6 * 7 shows %q", shown)
	default:
		k.Found = fmt.Sprintf("a worker starts and runs one in %d ms", time.Since(begin).Milliseconds())
	}
	if k.State == Fail {
		k.Next = "build fathom again with ./install.sh; if that does not help, report it with this text"
	}
	return k
}

// checkToolchain looks for the Go that built this binary: compiled cells are
// loaded into it, so they must be of the same version to the last digit.
func checkToolchain() Check {
	k := Check{State: Warn, Name: "go", Next: "get " + runtime.Version() + " from https://go.dev/dl/, or build fathom again with the Go that is here: ./install.sh"}
	path, err := exec.LookPath("go")
	if err != nil {
		k.Found = "no go on PATH: cells are interpreted, not compiled"
		return k
	}
	out, err := exec.Command(path, "env", "GOVERSION").Output()
	version := strings.TrimSpace(string(out))
	switch {
	case err != nil || version == "":
		k.Found = path + " does not work: go env GOVERSION fails"
	case version != runtime.Version():
		k.Found = fmt.Sprintf("%s is %s, this binary was built with %s: cells are interpreted, not compiled", path, version, runtime.Version())
	default:
		return Check{Name: k.Name, Found: version + ", " + path + ", as this binary wants it"}
	}
	return k
}

func checkC() Check {
	for _, name := range []string{os.Getenv("CC"), "gcc", "clang", "cc"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return Check{Name: "c compiler", Found: path}
		}
	}
	return Check{State: Warn, Name: "c compiler", Found: "none: cells are interpreted, not compiled", Next: installHint("gcc libc6-dev", "install gcc or clang")}
}

func checkCache() Check {
	k := Check{State: Warn, Name: "cache", Next: "make it writable, or set XDG_CACHE_HOME to a folder that is"}
	dir, err := os.UserCacheDir()
	if err != nil {
		k.Found = "there is no cache folder: " + err.Error()
		return k
	}
	dir = filepath.Join(dir, "fathom")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		k.Found = err.Error()
		return k
	}
	f, err := os.CreateTemp(dir, "doctor")
	if err != nil {
		k.Found = err.Error()
		return k
	}
	f.Close()
	os.Remove(f.Name())
	return Check{Name: k.Name, Found: dir + " can be written"}
}

func checkMemory() Check {
	k := Check{Name: "memory"}
	total := machineMemory()
	set := os.Getenv("FATHOM_MEMORY_LIMIT")
	switch {
	case set != "":
		k.Found = "a worker may use " + set + " (FATHOM_MEMORY_LIMIT)"
	case total > 0:
		k.Found = fmt.Sprintf("a worker may use %.1f of %.1f GB; FATHOM_MEMORY_LIMIT sets another limit", 0.8*float64(total)/1e9, float64(total)/1e9)
	default:
		k.Found = "a worker may use 80 % of the machine; FATHOM_MEMORY_LIMIT sets another limit"
	}
	return k
}

// machineMemory is the machine's memory in bytes, 0 where it is not known.
func machineMemory() int64 {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	var kb int64
	for line := range strings.Lines(string(data)) {
		if n, _ := fmt.Sscanf(line, "MemTotal: %d kB", &kb); n == 1 {
			return kb * 1024
		}
	}
	return 0
}

// checkKernelspec looks for the kernelspec where Jupyter does.
func checkKernelspec() Check {
	k := Check{State: Warn, Name: "kernelspec", Next: "fathom install"}
	var stale []string
	for _, dir := range jupyterDirs() {
		specs, _ := filepath.Glob(filepath.Join(dir, "kernels", "*", "kernel.json"))
		for _, file := range specs {
			var spec struct {
				Argv []string `json:"argv"`
			}
			data, err := os.ReadFile(file)
			if err != nil || json.Unmarshal(data, &spec) != nil || len(spec.Argv) < 2 || spec.Argv[1] != "kernel" ||
				!strings.HasPrefix(filepath.Base(spec.Argv[0]), "fathom") {
				continue
			}
			if sameFile(spec.Argv[0], executable()) {
				return Check{Name: k.Name, Found: filepath.Dir(file)}
			}
			stale = append(stale, fmt.Sprintf("%s starts another binary, %s", filepath.Dir(file), spec.Argv[0]))
		}
	}
	if len(stale) > 0 {
		k.Found = stale[0]
		return k
	}
	k.Found = "not installed: Jupyter does not know this kernel"
	return k
}

func sameFile(a, b string) bool {
	if path, err := exec.LookPath(a); err == nil {
		a = path
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// jupyterDirs are Jupyter's data folders, in its order.
func jupyterDirs() []string {
	var dirs []string
	dirs = append(dirs, filepath.SplitList(os.Getenv("JUPYTER_PATH"))...)
	if d := os.Getenv("JUPYTER_DATA_DIR"); d != "" {
		dirs = append(dirs, d)
	} else if home, err := os.UserHomeDir(); err == nil {
		switch runtime.GOOS {
		case "darwin":
			dirs = append(dirs, filepath.Join(home, "Library", "Jupyter"))
		case "windows":
			dirs = append(dirs, filepath.Join(os.Getenv("APPDATA"), "jupyter"))
		default:
			data := os.Getenv("XDG_DATA_HOME")
			if data == "" {
				data = filepath.Join(home, ".local", "share")
			}
			dirs = append(dirs, filepath.Join(data, "jupyter"))
		}
	}
	for _, env := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if prefix := os.Getenv(env); prefix != "" {
			dirs = append(dirs, filepath.Join(prefix, "share", "jupyter"))
		}
	}
	if python, err := exec.LookPath("python3"); err == nil {
		dirs = append(dirs, filepath.Join(filepath.Dir(filepath.Dir(python)), "share", "jupyter"))
	}
	return append(dirs, "/usr/local/share/jupyter", "/usr/share/jupyter")
}

func checkJupyter() Check {
	k := Check{State: Warn, Name: "jupyter", Found: "no jupyter on PATH; fathom run and fathom repl work without it",
		Next: installHint("jupyter-notebook", "pip install jupyterlab")}
	path, err := exec.LookPath("jupyter")
	if err != nil {
		return k
	}
	for _, app := range []string{"lab", "notebook"} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		out, err := exec.CommandContext(ctx, path, app, "--version").Output()
		cancel()
		if version := strings.TrimSpace(string(out)); err == nil && version != "" {
			return Check{Name: k.Name, Found: fmt.Sprintf("jupyter %s %s, %s", app, version, path)}
		}
	}
	k.Found = path + " is there, but neither jupyter lab nor jupyter notebook"
	return k
}

// checkBrowser says what to do on a machine that has no screen.
func checkBrowser() Check {
	k := Check{Name: "browser", Found: "a notebook opens in your browser"}
	if runtime.GOOS != "linux" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "" {
		return k
	}
	return Check{Name: k.Name, Found: "this machine has no screen",
		Next: "jupyter notebook --no-browser here, and from your own machine: ssh -L 8888:localhost:8888 HOST"}
}

// installHint is the command that installs a package on this system.
func installHint(debian, other string) string {
	if _, err := exec.LookPath("apt-get"); err == nil {
		sudo := "sudo "
		if os.Geteuid() == 0 {
			sudo = ""
		}
		return sudo + "apt-get install " + debian
	}
	return other
}
