package lang

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// TestCells runs the notebooks of testdata/cells. A file is a row of the table
// in the package's documentation: cells, and after each what it must print
// (out), what standard error must have in it (stderr), what its value is
// (value) and what its error must have in it, a line each (error). A cell
// without an error section must succeed.
func TestCells(t *testing.T) {
	files, err := filepath.Glob("testdata/cells/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cells", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			runArchive(t, a)
		})
	}
}

func runArchive(t *testing.T, a *txtar.Archive) {
	n := newNotebook(t)
	defer n.e.Close()
	t.Chdir(t.TempDir()) // cells write files
	for i := 0; i < len(a.Files); i++ {
		f := a.Files[i]
		if f.Name != "cell" {
			t.Fatalf("section %s without a cell", f.Name)
		}
		want := map[string]string{}
		for i+1 < len(a.Files) && a.Files[i+1].Name != "cell" {
			i++
			want[a.Files[i].Name] = string(a.Files[i].Data)
		}
		begin := time.Now()
		out, value, stderr, cerr := n.runAll(string(f.Data))
		if os.Getenv("FATHOM_SLOW") != "" {
			fmt.Println(time.Since(begin), strings.TrimSpace(string(f.Data)))
		}
		where := fmt.Sprintf("cell[%d]\n%s", n.count, f.Data)
		wantErr, fails := want["error"]
		switch {
		case cerr != nil && !fails:
			t.Errorf("%sfails:\n%s", where, cerr.Plain())
		case cerr == nil && fails:
			t.Errorf("%smust fail with\n%s", where, wantErr)
		case cerr != nil:
			text := cerr.Plain() + cerr.Value
			for _, line := range strings.Split(strings.TrimSpace(wantErr), "\n") {
				if !strings.Contains(text, line) {
					t.Errorf("%sthe error lacks %q:\n%s", where, line, text)
				}
			}
			if strings.Contains(text, mark) || strings.Contains(text, unitPath+".") || strings.Contains(text, "fathom-units") {
				t.Errorf("%sthe error shows generated code:\n%s", where, text)
			}
		}
		if w, ok := want["out"]; ok && out != w || !ok && out != "" && !fails {
			t.Errorf("%sprints\n%s\nwant\n%s", where, out, w)
		}
		if w, ok := want["value"]; ok && value != strings.TrimSuffix(w, "\n") {
			t.Errorf("%sshows %s\nwant %s", where, value, w)
		}
		if w, ok := want["stderr"]; ok && !strings.Contains(stderr, strings.TrimSpace(w)) {
			t.Errorf("%sstandard error is %q, must have %q", where, stderr, w)
		}
	}
}
