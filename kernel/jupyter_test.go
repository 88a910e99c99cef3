package kernel_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fathom-kernel/fathom/kernel"
)

// The tests of this file drive a kernel with Jupyter's own client, as Debian
// packages it.
const python = "/usr/bin/python3"

// jupyter installs the test binary as a kernel in folders of its own and
// returns a command for a Python script.
func jupyter(t *testing.T, module string) func(args ...string) *exec.Cmd {
	t.Helper()
	if out, err := exec.Command(python, "-c", "import jupyter_client, "+module).CombinedOutput(); err != nil {
		t.Skipf("no %s for %s (Debian: jupyter-client, python3-jupyter-kernel-test): nothing is tested with Jupyter's client: %s", module, python, out)
	}
	dir := t.TempDir()
	binary, _ := os.Executable()
	if _, err := kernel.InstallSpec(kernel.SpecOptions{Name: "fake", Prefix: dir, Argv: []string{binary, "kernel", "{connection_file}"}}); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "JUPYTER_PATH="+filepath.Join(dir, "share/jupyter"), "JUPYTER_CONFIG_DIR="+dir+"/config", "JUPYTER_DATA_DIR="+dir+"/data",
		"JUPYTER_RUNTIME_DIR="+dir+"/runtime", "IPYTHONDIR="+dir+"/ipython", "XDG_DATA_HOME="+dir+"/xdg")
	return func(args ...string) *exec.Cmd {
		cmd := exec.Command(python, args...)
		cmd.Env = env
		cmd.WaitDelay = time.Second
		return cmd
	}
}

// TestJupyterKernelTest is the community's suite, with nothing skipped.
func TestJupyterKernelTest(t *testing.T) {
	out, err := jupyter(t, "jupyter_kernel_test")("testdata/kerneltest.py", "fake").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Log(regexp.MustCompile(`\d+ tests, \d+ skipped`).FindString(string(out)))
}

// TestHardCases runs the 34 cases that other kernels were measured by.
func TestHardCases(t *testing.T) {
	shared := os.Getenv("FATHOM_SHARED")
	if shared == "" {
		shared = "../../shared"
	}
	script := filepath.Join(shared, "cases/jupyter/behaviour.py")
	if _, err := os.Stat(script); err != nil {
		t.Skipf("%s is absent: the hard cases are not run (FATHOM_SHARED names the folder)", script)
	}
	if testing.Short() {
		t.Skip("short: the hard cases take 30 s and are not run")
	}
	out, err := jupyter(t, "psutil")("testdata/cells.py", script, "fake").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "34 of 34") {
		t.Fatalf("%v\n%s", err, out)
	}
}
