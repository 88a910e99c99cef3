package notebook

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parse(t *testing.T, data []byte) *Notebook {
	t.Helper()
	nb, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

func TestWritesTheBytesThatItRead(t *testing.T) {
	want := read(t, "kept.ipynb")
	got, err := parse(t, want).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("changed:\n%s", got)
	}
}

func TestReadsWhatOthersWrite(t *testing.T) {
	for name, want := range map[string]struct{ title, source, firstID string }{
		"vscode.ipynb":  {"Title", "x := 1", ""},
		"colab.ipynb":   {"Title", "x", ""},
		"format3.ipynb": {"A heading on two lines", "a := 1\na", ""},
		"kept.ipynb":    {"", "n := 3", "md-1"},
	} {
		data := read(t, name)
		nb := parse(t, data)
		if nb.Title() != want.title {
			t.Errorf("%s: title %q, want %q", name, nb.Title(), want.title)
		}
		if got := nb.Cells[len(nb.Cells)-1].Source; got != want.source {
			t.Errorf("%s: source %q, want %q", name, got, want.source)
		}
		if want.firstID != "" && nb.Cells[0].ID != want.firstID {
			t.Errorf("%s: id %q, want %q", name, nb.Cells[0].ID, want.firstID)
		}
		first, err := nb.Bytes()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		// Reading again gives the same ids, and what we wrote is a fixed point.
		if again, _ := parse(t, data).Bytes(); !bytes.Equal(first, again) {
			t.Errorf("%s: two readings differ", name)
		}
		if again, _ := parse(t, first).Bytes(); !bytes.Equal(first, again) {
			t.Errorf("%s: what we wrote changes when it is read and written", name)
		}
	}
}

func TestColabMetadataIsKept(t *testing.T) {
	nb := parse(t, read(t, "colab.ipynb"))
	if nb.Metadata["colab"] == nil || nb.Cells[0].Metadata["id"] != "aB3xYz" || nb.Cells[1].Metadata["outputId"] != "0f" {
		t.Errorf("lost: %v %v", nb.Metadata, nb.Cells[1].Metadata)
	}
}

func TestFormat3Outputs(t *testing.T) {
	c := parse(t, read(t, "format3.ipynb")).Cells[1]
	if c.Count != 7 || c.Metadata["collapsed"] != true || len(c.Outputs) != 4 {
		t.Fatalf("cell %+v", c)
	}
	o := c.Outputs
	if o[0].Name != "stderr" || o[0].Text != "one\ntwo\n" {
		t.Errorf("stream %+v", o[0])
	}
	if o[1].Kind != ExecuteResult || o[1].Count != 7 || o[1].Data["text/plain"] != "1" {
		t.Errorf("result %+v", o[1])
	}
	if o[2].Data["image/svg+xml"] != "<svg>\n</svg>" || o[2].Data["image/png"] == nil {
		t.Errorf("display %+v", o[2])
	}
	if o[3].Kind != ErrorOutput || o[3].ErrName != "Panic" || len(o[3].Traceback) != 2 {
		t.Errorf("error %+v", o[3])
	}
}

func TestBadInputSaysWhere(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "empty"},
		{"  \n", "empty"},
		{"nonsense", "line 1, column 2"},
		{"{\n \"cells\": [\n  oops\n ]}", "line 3, column 3"},
		{`{"cells": [`, "ends in the middle"},
		{"{\"nbformat\": 4, \"cells\": []}\n{}", "line 2"},
		{"[]", "a list"},
		{"{}", "nbformat"},
		{`{"nbformat": "4"}`, `"4"`},
		{`{"nbformat": 2}`, "older"},
		{`{"nbformat": 5}`, "newer"},
		{`{"nbformat": 4}`, "cells"},
		{`{"nbformat": 4, "metadata": 3, "cells": []}`, "metadata: want an object"},
		{`{"nbformat": 4, "cells": [3]}`, "cells[0]"},
		{`{"nbformat": 4, "cells": [{"cell_type": "code", "source": "x"}, {"cell_type": "poem"}]}`, "cells[1].cell_type"},
		{`{"nbformat": 4, "cells": [{"cell_type": "code", "source": 7}]}`, "cells[0].source"},
		{`{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["a", 7]}]}`, "cells[0].source"},
		{`{"nbformat": 4, "cells": [{"cell_type": "code", "outputs": {}}]}`, "cells[0].outputs"},
		{`{"nbformat": 4, "cells": [{"cell_type": "code", "execution_count": "x"}]}`, "cells[0].execution_count"},
		{`{"nbformat": 4, "cells": [{"cell_type": "code", "outputs": [{"output_type": "stream", "text": 1}]}]}`, "cells[0].outputs[0].text"},
		{`{"nbformat": 4, "cells": [{"cell_type": "code", "outputs": [{"output_type": "display_data", "data": {"image/png": 1}}]}]}`, "image/png"},
		{`{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "x", "attachments": 1}]}`, "attachments"},
		{`{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "poem"}]}]}`, "worksheets[0].cells[0]"},
		{"{\"nbformat\": 4, \"cells\": [], \"x\": \"\xff\"}", "not UTF-8"},
	} {
		_, err := Parse([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.text, err, c.want)
		}
	}
}

func TestIDsAreRepaired(t *testing.T) {
	nb := parse(t, []byte(`{"nbformat": 4, "nbformat_minor": 5, "cells": [
		{"cell_type": "code", "id": "a", "source": "1"},
		{"cell_type": "code", "id": "a", "source": "2"},
		{"cell_type": "code", "id": "not ok", "source": "3"},
		{"cell_type": "code", "source": "4"}]}`))
	if nb.Cells[0].ID != "a" {
		t.Errorf("the first id changed to %q", nb.Cells[0].ID)
	}
	if err := nb.Validate(); err != nil {
		t.Error(err)
	}
}

func TestByteOrderMarkAndCRLF(t *testing.T) {
	nb := parse(t, []byte("\xef\xbb\xbf{\"nbformat\": 4,\r\n \"cells\": [{\"cell_type\": \"code\", \"source\": \"a\\r\\nb\"}]}"))
	if nb.Cells[0].Source != "a\r\nb" {
		t.Errorf("source %q", nb.Cells[0].Source)
	}
}

func TestNewerMinorIsKept(t *testing.T) {
	data, err := parse(t, []byte(`{"nbformat": 4, "nbformat_minor": 7, "cells": [], "novelty": 1}`)).Bytes()
	if err != nil || !bytes.Contains(data, []byte(`"nbformat_minor": 7`)) || !bytes.Contains(data, []byte(`"novelty": 1`)) {
		t.Errorf("%v\n%s", err, data)
	}
}

// The reference implementation reads what we write, finds it valid, and writes
// the same bytes.
func TestAgreesWithNbformat(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import nbformat").Run(); err != nil {
		t.Skipf("absent: python3-nbformat (%v); ./test.sh installs it", err)
	}
	files, _ := filepath.Glob("testdata/*.ipynb")
	// Notebooks that come with Debian's packages, where they are installed.
	for _, dir := range []string{"nbclient/tests/files", "matplotlib/backends/web_backend", "notebook/bundler/tests/resources"} {
		more, _ := filepath.Glob(filepath.Join("/usr/lib/python3/dist-packages", dir, "*.ipynb"))
		files = append(files, more...)
	}
	out := t.TempDir()
	var args []string
	for i, file := range files {
		nb, err := Open(file)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		ours := filepath.Join(out, fmt.Sprint(i, ".ipynb"))
		if err := nb.Save(ours); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		args = append(args, file, ours)
	}
	t.Logf("%d notebooks", len(files))
	// One that was invalid before need not be valid after: we keep metadata.
	script := `
import nbformat, sys
for original, ours in zip(sys.argv[1::2], sys.argv[2::2]):
    raw = open(ours, encoding="utf-8").read()
    nb = nbformat.reads(raw, as_version=4)
    try:
        nbformat.validate(nbformat.read(original, as_version=4))
    except nbformat.ValidationError as e:
        print("note:", original, "is itself invalid:", str(e).splitlines()[0])
    else:
        nbformat.validate(nb)
    if nbformat.writes(nb) + "\n" != raw:
        print(original + ": nbformat writes other bytes")
        sys.exit(1)
`
	report, err := exec.Command(python, append([]string{"-W", "ignore", "-c", script}, args...)...).CombinedOutput()
	t.Logf("%s", report)
	if err != nil {
		t.Error(err)
	}
}

// Any input gives a notebook or an error; a notebook can be written, and what
// was written reads back to the same bytes.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.ipynb")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, cell := range []string{
		`{"cell_type":"code","source":["a",7]}`, `{"cell_type":"code","id":"a","execution_count":4.0,"source":"x"}`,
		`{"cell_type":"raw","source":"x","x":[]}`, `{"cell_type":"markdown","attachments":{"a":{"image/png":[]}}}`,
		`{"cell_type":"code","outputs":[{"output_type":"stream","text":["a"]},{"output_type":"x","y":null}]}`,
		`{"cell_type":"code","outputs":[{"output_type":"display_data","data":{"a/b":"x","application/json":[1e400]}}]}`,
		`{"cell_type":"code","outputs":[{"output_type":"error","traceback":["\\u2028\\ud800"]}]}`,
	} {
		f.Add([]byte(`{"nbformat":4,"cells":[` + cell + `]}`))
	}
	f.Add([]byte(`{"nbformat":3,"worksheets":[{"cells":[{"cell_type":"heading","level":9,"source":"x"},{"cell_type":"code","outputs":[{"output_type":"pyout","png":1}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		nb, err := Parse(data)
		if err != nil {
			return
		}
		first, err := nb.Bytes()
		if err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		again, err := Parse(first)
		if err != nil {
			t.Fatalf("written but not read: %v\n%s", err, first)
		}
		second, err := again.Bytes()
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("not a fixed point (%v):\n%s\n%s", err, first, second)
		}
	})
}
