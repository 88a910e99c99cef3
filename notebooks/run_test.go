// Package notebooks holds the notebooks that show the product. Its test runs
// each of them and compares what it shows with the outputs in the repository.
package notebooks

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"testing"

	"github.com/fathom-kernel/fathom/kernel/notebook"
)

// binary builds the product as install.sh does.
func binary(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("absent: a POSIX shell for install.sh")
	}
	file := filepath.Join(t.TempDir(), "fathom")
	if out, err := exec.Command("../install.sh", "--build", file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

func TestNotebooks(t *testing.T) {
	files, err := filepath.Glob("*.ipynb")
	if err != nil || len(files) == 0 {
		t.Fatalf("no notebooks (%v)", err)
	}
	fathom := binary(t)
	for _, file := range files {
		if strings.HasSuffix(file, ".out.ipynb") {
			continue
		}
		t.Run(file, func(t *testing.T) {
			committed, err := notebook.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "out.ipynb")
			if log, err := exec.Command(fathom, "run", file, "--ipynb", out, "--timeout", "5m").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, log)
			}
			fresh, err := notebook.Open(out)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, committed, fresh)
			// What is committed is in the form that we write.
			again, err := committed.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			if raw, err := exec.Command("cat", file).Output(); err != nil || !bytes.Equal(raw, again) {
				t.Errorf("not in normal form (%v); run: fathom run %s --ipynb %s", err, file, file)
			}
		})
	}
}

func compare(t *testing.T, want, got *notebook.Notebook) {
	t.Helper()
	if len(want.Cells) != len(got.Cells) {
		t.Fatalf("%d cells, want %d", len(got.Cells), len(want.Cells))
	}
	for i, w := range want.Cells {
		g := got.Cells[i]
		if w.Kind == notebook.Code && w.Count == 0 && strings.TrimSpace(w.Source) != "" && !w.HasTag("skip-execution") {
			t.Errorf("cell %d (%s) is committed without having run", i, w.ID)
			continue
		}
		if a, b := shown(w), shown(g); a != b {
			t.Errorf("cell %d (%s) shows\n%s\nwant\n%s", i, w.ID, b, a)
		}
	}
}

// vary are the parts of an output that differ from run to run: times, sizes
// that are measured, addresses.
var vary = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+(\.[0-9]+)? ?(ns|µs|ms|s|min)\b|goroutine [0-9]+`)

// shown is the text of a cell's outputs, and the types of the others.
func shown(c *notebook.Cell) string {
	var parts []string
	for _, o := range c.Outputs {
		switch o.Kind {
		case notebook.StreamOutput:
			parts = append(parts, o.Name+": "+o.Text)
		case notebook.ErrorOutput:
			parts = append(parts, "error: "+o.ErrName+": "+o.ErrValue)
		default:
			var types []string
			for mime := range o.Data {
				types = append(types, mime)
			}
			sort.Strings(types)
			text, _ := o.Data["text/plain"].(string)
			parts = append(parts, strings.Join(types, " ")+": "+text)
		}
	}
	return vary.ReplaceAllString(strings.Join(parts, "\n"), "…")
}
