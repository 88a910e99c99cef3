package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/fathom-kernel/fathom/kernel/wire"
)

// SpecOptions says where InstallSpec writes and what.
type SpecOptions struct {
	Name        string   // folder of the kernelspec; empty means "fathom"
	DisplayName string   // empty means "Go (Fathom)"
	Alias       []string // further names for the same kernel, such as "gophernotes"
	Argv        []string // empty means this binary with "kernel -f {connection_file}"
	Env         map[string]string
	// At most one of these; none means User.
	User      bool   // the user's Jupyter data directory
	SysPrefix bool   // the prefix of the python that is first on PATH
	Prefix    string // PREFIX/share/jupyter/kernels
}

// spec is kernel.json.
type spec struct {
	Argv            []string          `json:"argv"`
	DisplayName     string            `json:"display_name"`
	Language        string            `json:"language"`
	InterruptMode   string            `json:"interrupt_mode"`
	ProtocolVersion string            `json:"kernel_protocol_version"`
	Env             map[string]string `json:"env,omitempty"`
	Metadata        map[string]any    `json:"metadata"`
}

var specName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// InstallSpec writes kernel.json and the logos and returns the folders that
// it wrote, absolute, the named one first. It is safe to call again. An alias
// that another kernel's files stand under is refused; what was written before
// is still returned.
func InstallSpec(opt SpecOptions) ([]string, error) {
	if opt.Name == "" {
		opt.Name = "fathom"
	}
	if opt.DisplayName == "" {
		opt.DisplayName = "Go (Fathom)"
	}
	for _, name := range append([]string{opt.Name}, opt.Alias...) {
		if !specName.MatchString(name) {
			return nil, fmt.Errorf("kernel: kernel name %q: only letters, digits, '.', '_' and '-' are allowed", name)
		}
	}
	kernels, err := specFolder(opt)
	if err != nil {
		return nil, err
	}
	if len(opt.Argv) == 0 {
		binary, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("kernel: where is this program? %w", err)
		}
		opt.Argv = []string{binary, "kernel", "-f", "{connection_file}"}
	}
	if opt.Argv[0], err = filepath.Abs(opt.Argv[0]); err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	if !slices.Contains(opt.Argv, "{connection_file}") {
		return nil, errors.New("kernel: the command line of a kernelspec needs the word {connection_file}")
	}
	var written []string
	for i, name := range append([]string{opt.Name}, opt.Alias...) {
		folder := filepath.Join(kernels, name)
		if i > 0 {
			if err := mayOverwrite(folder, opt.Argv); err != nil {
				return written, err
			}
		}
		if err := writeSpec(folder, opt); err != nil {
			return written, err
		}
		written = append(written, folder)
	}
	return written, nil
}

func writeSpec(folder string, opt SpecOptions) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("kernel: %w; with --prefix or --user another place can be chosen", err)
	}
	b, err := json.MarshalIndent(spec{
		Argv: opt.Argv, DisplayName: opt.DisplayName, Language: "go", InterruptMode: "message",
		ProtocolVersion: wire.ProtocolVersion, Env: opt.Env, Metadata: map[string]any{"debugger": false},
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	err = writeFile(filepath.Join(folder, "logo-svg.svg"), []byte(logoSVG), 0o644)
	for _, size := range []int{32, 64} {
		err = errors.Join(err, writeFile(filepath.Join(folder, fmt.Sprintf("logo-%dx%d.png", size, size)), logoPNG(size), 0o644))
	}
	// Last, so that a kernel is only seen when it is whole.
	return errors.Join(err, writeFile(filepath.Join(folder, "kernel.json"), append(b, '\n'), 0o644))
}

// mayOverwrite refuses a folder that holds the spec of another program.
func mayOverwrite(folder string, argv []string) error {
	path := filepath.Join(folder, "kernel.json")
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var old spec
	if err != nil || json.Unmarshal(b, &old) != nil || len(old.Argv) == 0 || filepath.Base(old.Argv[0]) != filepath.Base(argv[0]) {
		return fmt.Errorf("kernel: %s belongs to another kernel; remove that one first, or leave out the alias %s", path, filepath.Base(folder))
	}
	return nil
}

// specFolder returns the folder of all kernelspecs that the options mean.
func specFolder(opt SpecOptions) (string, error) {
	chosen := 0
	for _, c := range []bool{opt.User, opt.SysPrefix, opt.Prefix != ""} {
		if c {
			chosen++
		}
	}
	switch {
	case chosen > 1:
		return "", errors.New("kernel: install: choose one of --user, --sys-prefix and --prefix")
	case opt.Prefix != "":
		prefix, err := filepath.Abs(opt.Prefix)
		return filepath.Join(prefix, "share", "jupyter", "kernels"), err
	case opt.SysPrefix:
		prefix, err := pythonPrefix()
		return filepath.Join(prefix, "share", "jupyter", "kernels"), err
	}
	data, err := jupyterData()
	return filepath.Join(data, "kernels"), err
}

func pythonPrefix() (string, error) {
	for _, python := range []string{"python3", "python"} {
		out, err := exec.Command(python, "-c", "import sys; print(sys.prefix)").Output()
		if prefix := strings.TrimSpace(string(out)); err == nil && filepath.IsAbs(prefix) {
			return prefix, nil
		}
	}
	return "", errors.New("kernel: --sys-prefix needs a python3 on PATH to take the prefix of; name it with --prefix instead")
}

// jupyterData is the user's Jupyter data directory, as Jupyter finds it.
func jupyterData() (string, error) {
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("kernel: the user has no home (%v); choose a place with --prefix", err)
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Jupyter"), nil
	case "windows":
		return filepath.Join(os.Getenv("APPDATA"), "jupyter"), nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "jupyter"), nil
	}
	return filepath.Join(home, ".local", "share", "jupyter"), nil
}
