package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/fathom-kernel/fathom/kernel"
	"github.com/fathom-kernel/fathom/kernel/notebook"
)

var kernelCommand = &command{
	name: "kernel", args: "-f CONNECTION_FILE",
	summary: "serve one Jupyter client (Jupyter starts this by itself)",
	help: `
Jupyter starts the kernel with a file that holds the ports to listen at and the
key to sign with. You need this command only to look for faults by hand.`,
	run: func(p *Product, c *command, args []string) int {
		f := c.flags()
		file := f.String("f", "", "the connection `file` that Jupyter wrote")
		rest, _, code, ok := c.parse(f, args)
		if !ok {
			return code
		}
		if *file == "" && len(rest) == 1 {
			*file, rest = rest[0], nil
		}
		if *file == "" || len(rest) > 0 {
			return c.fail("want the connection file of a Jupyter client, as in -f FILE; to use the kernel, run: fathom install, then jupyter notebook")
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM) // INT means: interrupt the cell
		defer stop()
		if err := kernel.Run(ctx, *file, kernel.Options{Version: p.Version}); err != nil {
			return c.failed(err)
		}
		return exitOK
	},
}

var workerCommand = &command{
	name: "worker", args: "", hidden: true,
	summary: "run cells for a kernel that started this process (internal)",
	run: func(p *Product, c *command, args []string) int {
		if _, _, code, ok := c.parse(c.flags(), args); !ok {
			return code
		}
		engine, err := p.NewEngine()
		if err != nil {
			return c.failed(err)
		}
		if err := kernel.ServeWorker(engine); err != nil {
			return c.failed(err)
		}
		return exitOK
	},
}

var installCommand = &command{
	name: "install", args: "[--user | --sys-prefix | --prefix DIR] [--name NAME]",
	summary: "tell Jupyter about the kernel \"Go (Fathom)\"",
	help: `
Writes a kernelspec: a small folder with kernel.json and the logo, which names
this very binary. Run it again after the binary has moved. It is removed with
"jupyter kernelspec remove fathom".`,
	run: func(p *Product, c *command, args []string) int {
		var spec kernel.SpecOptions
		var alias listFlag
		var source string
		f := c.flags()
		f.BoolVar(&spec.User, "user", false, "for this user (the default)")
		f.BoolVar(&spec.SysPrefix, "sys-prefix", false, "for the Python environment that is first on PATH")
		f.StringVar(&spec.Prefix, "prefix", "", "into `DIR`/share/jupyter/kernels, as in --prefix /usr/local for all users")
		f.StringVar(&spec.Name, "name", "", "the kernelspec's `name` (default: fathom)")
		f.Var(&alias, "alias", "also install it under this `name`, so that notebooks of another Go kernel\nopen with this one (as in --alias gophernotes); may be repeated")
		f.StringVar(&source, "source", "", "the `folder` with the source that this binary was built of, to prepare\ncompiled cells (default: the current folder, if it is that)")
		rest, _, code, ok := c.parse(f, args)
		if !ok {
			return code
		}
		if len(rest) > 0 {
			return c.fail("unexpected %q", rest[0])
		}
		places := 0
		for _, on := range []bool{spec.User, spec.SysPrefix, spec.Prefix != ""} {
			if on {
				places++
			}
		}
		if places > 1 {
			return c.fail("--user, --sys-prefix and --prefix exclude each other")
		}
		spec.Alias = alias
		folders, err := kernel.InstallSpec(spec)
		if err != nil {
			return c.failed(err)
		}
		for _, folder := range folders {
			fmt.Println("installed the kernelspec in", folder)
		}
		if err := makeKit(p, source); err != nil {
			fmt.Fprintf(os.Stderr, "fathom install: compiled cells are not ready, cells are interpreted: %v\n", err)
			fmt.Fprintln(os.Stderr, "next: fathom doctor says what is missing")
		}
		fmt.Println("next: jupyter notebook, then New > Go (Fathom)")
		return exitOK
	},
}

// makeKit prepares compiled cells. Without a source folder it does so where
// the current one is the source.
func makeKit(p *Product, source string) error {
	if p.MakeKit == nil {
		return nil
	}
	if source == "" {
		data, err := os.ReadFile("go.mod")
		info, ok := debug.ReadBuildInfo()
		if err != nil || !ok || !strings.HasPrefix(string(data), "module "+info.Main.Path+"\n") {
			return nil
		}
		source = "."
	}
	ctx, stop := interruptible()
	defer stop()
	return p.MakeKit(ctx, source, func(text string) { fmt.Println(text) })
}

var exportCommand = &command{
	name: "export", args: "NOTEBOOK.ipynb [-o DIR] [--source DIR]",
	summary: "write a notebook as a Go module that go build accepts",
	help: `
The cells become plain Go: what the notebook's script rules leave out is written
down (contexts, options, error checks). Cells tagged raises-exception or
skip-execution are left out.`,
	run: func(p *Product, c *command, args []string) int {
		f := c.flags()
		dir := f.String("o", "", "the `folder` to write (default: the notebook's name without .ipynb)")
		source := f.String("source", "", "the `folder` with fathom's source, for notebooks that use its libraries")
		rest, _, code, ok := c.parse(f, args)
		if !ok {
			return code
		}
		if len(rest) != 1 {
			return c.fail("want one notebook")
		}
		nb, err := notebook.Open(rest[0])
		if err != nil {
			return c.failed(err)
		}
		name := strings.TrimSuffix(filepath.Base(rest[0]), ".ipynb")
		if *dir == "" {
			*dir = strings.TrimSuffix(rest[0], ".ipynb")
		}
		if p.Export == nil {
			return c.failed(fmt.Errorf("this build cannot export; build fathom with its engine"))
		}
		cells, leftOut := cellsOf(nb)
		if len(leftOut) > 0 {
			fmt.Printf("left out, by their tags: %s\n", strings.Join(leftOut, ", "))
		}
		files, err := p.Export(cells, name, *dir)
		if err != nil {
			return c.failed(err)
		}
		for _, file := range files {
			fmt.Println("wrote", file)
		}
		if err := findSource(*dir, *source); err != nil {
			return c.failed(err)
		}
		return exitOK
	},
}

// findSource points the module in dir at fathom's source where it needs that,
// and says how to run the module.
func findSource(dir, source string) error {
	const module = "github.com/fathom-kernel/fathom"
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	if !strings.Contains(string(data), "replace "+module) {
		fmt.Printf("next: cd %s && go mod tidy && go run .\n", dir)
		return nil
	}
	if source == "" {
		fmt.Printf("next: cd %s && go mod edit -replace %s=FOLDER_WITH_ITS_SOURCE && go mod tidy && go run .\n", dir, module)
		return nil
	}
	if source, err = filepath.Abs(source); err != nil {
		return err
	}
	edit := exec.Command("go", "mod", "edit", "-replace", module+"="+source)
	edit.Dir = dir
	if out, err := edit.CombinedOutput(); err != nil {
		return fmt.Errorf("go mod edit in %s: %w: %s", dir, err, out)
	}
	fmt.Printf("next: cd %s && go mod tidy && go run .\n", dir)
	return nil
}

var versionCommand = &command{
	name: "version", args: "", summary: "say which fathom this is",
	run: func(p *Product, c *command, args []string) int {
		if _, _, code, ok := c.parse(c.flags(), args); !ok {
			return code
		}
		fmt.Printf("fathom %s%s, %s %s/%s\n", p.Version, revision(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return exitOK
	},
}

// revision is the commit that the binary was built from, where it is known.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				changed = " with changes"
			}
		}
	}
	if commit == "" {
		return ""
	}
	return " (" + commit + changed + ")"
}

// executable is the path of this binary, links followed.
func executable() string {
	path, err := os.Executable()
	if err != nil {
		return "fathom"
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
